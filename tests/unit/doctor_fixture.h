/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_DOCTOR_FIXTURE_H
#define TESTS_UNIT_DOCTOR_FIXTURE_H

/*
 * A healthy installation for `dragoman doctor`: threads simulate its web server, its
 * gateway and the port of WebRTC.
 */
#include "doctor/doctor.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/version.h"
#include "rtc/rtc.h"
#include "service/workers.h"
#include "store/accounts.h"
#include "tests/http-server.h"
#include "tests/unit/unit.h"
#include "work/queue.h"

static struct conf *conf;
static struct buf findings;

/* ---- a web server ---- */

static const char health[] = "{\"data\":{\"status\":\"%s\",\"version\":\"%s\",\"node\":"
			     "\"%s\"}}";
static struct web {
	int listener, port;
	const char *health, *me, *listen, *gateway, *list,
	    *part;        /* status line, type and body */
	const char *date; /* NULL: none */
	/* NULL: the server is not running */
	SSL_CTX *tls;
	pthread_t thread;
} web;

static inline const char *
answer_of(const char *target)
{
	if (strcmp(target, "/health") == 0)
		return web.health;
	if (strcmp(target, "/auth/me") == 0)
		return web.me;
	if (strcmp(target, "/streaming-api/health") == 0)
		return web.gateway;
	if (strstr(target, "/hls/") != NULL)
		return strstr(target, ".m4s") != NULL ? web.part : web.list;
	return strcmp(target, "/listen/") == 0 ? web.listen : "404 No|text/plain|";
}

/* Sends "200 OK|text/html|body" as HTTP. */
static inline const char *
message_of(struct arena *mem, const char *answer)
{
	const char *type = strchr(answer, '|') + 1, *body = strchr(type, '|') + 1;
	struct buf b = { .mem = mem };

	buf_printf(&b, "HTTP/1.1 %.*s\r\nContent-Type: %.*s\r\nContent-Length: %zu\r\n",
	    (int)(type - answer - 1), answer, (int)(body - type - 1), type,
	    strlen(body));
	if (web.date != NULL)
		buf_printf(&b, "Date: %s\r\n", web.date);
	buf_printf(&b, "Connection: close\r\n\r\n%s", body);
	return buf_text(&b);
}

static inline void
serve_tls(int fd)
{
	static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	SSL *ssl = SSL_new(web.tls);
	char head[4096];

	SSL_set_fd(ssl, fd);
	if (SSL_accept(ssl) == 1 && SSL_read(ssl, head, sizeof(head)) > 0)
		SSL_write(ssl, ok, (int)strlen(ok));
	SSL_shutdown(ssl);
	SSL_free(ssl);
}

/* Serves until the listener is closed. */
static inline void *
web_serve(void *arg)
{
	int fd;

	(void)arg;
	while ((fd = accept(web.listener, NULL, NULL)) >= 0) {
		struct arena *mem = arena_new();
		struct http_message m = { 0 };
		const char *out;

		if (web.tls != NULL)
			serve_tls(fd);
		else if (receive(fd, mem, 65536, &m)) {
			out = message_of(mem, answer_of(m.target));
			send_all(fd, out, strlen(out));
		}
		close(fd);
		arena_free(mem);
	}
	return NULL;
}

static inline void
web_open(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	web.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(web.listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(web.listener, 16), 0);
	ck_assert_int_eq(getsockname(web.listener, (struct sockaddr *)&at, &n), 0);
	web.port = ntohs(at.sin_port);
	ck_assert_int_eq(pthread_create(&web.thread, NULL, web_serve, NULL), 0);
}

static inline void
web_close(void)
{
	shutdown(web.listener, SHUT_RDWR);
	pthread_join(web.thread, NULL);
	close(web.listener);
	web.listener = -1;
}

static inline const char *
healthy(const char *status, const char *version)
{
	return arena_printf(fixture.mem,
	    arena_printf(fixture.mem, "200 OK|application/json|%s", health), status,
	    version, conf->node);
}

/* ---- the port of WebRTC ---- */

static struct {
	struct rtc *rtc;
	atomic_bool over;
	pthread_t thread;
} port;

static inline void *
run_port(void *arg)
{
	(void)arg;
	while (!port.over) {
		struct pollfd p = { .fd = rtc_fd(port.rtc), .events = POLLIN };

		if (poll(&p, 1, 20) > 0)
			rtc_receive(port.rtc);
		rtc_tick(port.rtc, monotonic_us());
		rtc_flush(port.rtc);
	}
	return NULL;
}

static inline void
port_open(void)
{
	static const struct rtc_events none = { 0 };
	struct rtc_settings s = { .at = { "127.0.0.1", "", 0, true }, .max_peers = 8 };

	ice_credentials_probe(conf, &s.probe);
	port.rtc = rtc_open(fixture.mem, &s, &none);
	ck_assert_ptr_nonnull(port.rtc);
	conf->rtc_port = rtc_port(port.rtc);
	ck_assert_int_eq(pthread_create(&port.thread, NULL, run_port, NULL), 0);
}

static inline void
port_close(void)
{
	port.over = true;
	pthread_join(port.thread, NULL);
	rtc_close(port.rtc);
	port.rtc = NULL;
	port.over = false;
}

/* ---- an installation in which all is well ---- */

static inline void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, queue_sql, NULL };

	fixture_open("dragoman", none, prepared);
	conf = &fixture.app.conf;
	findings = (struct buf){ .mem = fixture.mem };
	web = (struct web){ .me = "401 No|application/json|{\"errors\":[{\"detail\":"
				  "\"The credential is unknown.\"}]}",
		.listen = "200 OK|text/html; charset=utf-8|<!doctype html>",
		.gateway = "200 OK|application/json|{\"data\":{}}" };
	web.list = web.part =
	    "404 No|application/json|{\"errors\":[{\"detail\":\"No such resource.\"}]}";
	web.health = healthy("ok", VERSION);
	web_open();
	conf->server_base_url =
	    arena_printf(fixture.mem, "http://127.0.0.1:%d", web.port);
	conf->stream_public_url = conf->server_base_url;
	conf->stream_listen = arena_printf(fixture.mem, "127.0.0.1:%d", web.port);
	conf->rtc_listen = "127.0.0.1";
	conf->speech_asr = conf->speech_mt = conf->speech_tts = "script";
	conf->blob_dir = arena_printf(fixture.mem, "%s/var/blobs", fixture.dir);
	conf->blob_reserve_bytes = 1;
	port_open();
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++)
		ck_assert_int_eq(
		    worker_seen(fixture.app.db, conf->node, w->name, 0), OK);
}

static inline void
teardown(void)
{
	if (port.rtc != NULL)
		port_close();
	if (web.listener >= 0)
		web_close();
	SSL_CTX_free(web.tls);
	fixture_close();
}

/* ---- looking ---- */

static inline void
examine(const char *name)
{
	const struct doctor_check *c = doctor_checks;

	while (c->name != NULL && strcmp(c->name, name) != 0)
		c++;
	ck_assert_msg(c->name != NULL, "there is no check %s", name);
	findings.len = 0;
#ifdef __SANITIZE_ADDRESS__ /* a fork while a thread allocates would lock its          \
			       allocator */
	usleep(50000);
#endif
	doctor_run(conf, c, &findings);
}

static inline const char *
all_found(void)
{
	const struct finding *f = (const void *)findings.p;
	struct buf b = { .mem = fixture.mem };

	for (size_t i = 0; i < findings.len / sizeof(*f); i++)
		buf_printf(&b, "%s %s %s: %s (%s)\n", f[i].result, f[i].check,
		    f[i].looked, f[i].found,
		    f[i].remedy != NULL ? f[i].remedy : "nothing to do");
	return buf_text(&b);
}

/* True if there is a finding with that result and text; findings that are not ok need a
   remedy of one sentence. */
static inline bool
has(const char *result, const char *text)
{
	const struct finding *f = (const void *)findings.p;

	for (size_t i = 0; i < findings.len / sizeof(*f); i++) {
		bool ok = strcmp(f[i].result, "ok") == 0;

		ck_assert_msg((f[i].remedy == NULL) == ok, "%s", all_found());
		if (!ok)
			ck_assert(f[i].remedy[strlen(f[i].remedy) - 1] == '.');
		if (strcmp(f[i].result, result) == 0 &&
		    (strstr(f[i].found, text) != NULL ||
			strstr(f[i].looked, text) != NULL))
			return true;
	}
	return false;
}

#endif
