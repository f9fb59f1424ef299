/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dragoman listen: fetches the messages of a pulled webhook over REST, one after the
 * other, and sends each to a program of the developer.  A message is reported as
 * delivered after it was sent, so that none is lost; one may come twice.
 */
#include "service/cli_listen.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/version.h"
#include "net/http.h"
#include "net/url.h"
#include "service/listen_service.h"
#include "service/webhook.h"

/* A message that was fetched. */
struct message {
	const char *delivery, *type, *id, *signature, *body, *lease;
	int64_t at_s;
	/* the result */
	int64_t status; /* NULL_INT: no answer */
	int64_t ms;
	const char *error;
};

/* clang-format off */
static const struct field message_fields[] = FIELDS(
	{ "event_type",         F_TEXT, MEMBER(message, type),   .flags = F_OUT },
	{ "webhook_message_id", F_TEXT, MEMBER(message, id),     .flags = F_OUT },
	{ "response_status",    F_INT,  MEMBER(message, status), .flags = F_OUT | F_NULLABLE },
	{ "response_ms",        F_INT,  MEMBER(message, ms),     .flags = F_OUT },
	{ "error",              F_TEXT, MEMBER(message, error),  .flags = F_OUT | F_NULLABLE }
);
/* clang-format on */

/* ---- messages ---- */

/* ERR_NOT_FOUND: none is due. */
static enum err
fetch(struct listener *l, struct arena *mem, struct message *m)
{
	const struct json *data, *d;
	const char *path = arena_printf(mem, "%s/pull", l->webhook);
	enum err e = listen_call(l, mem, "POST", path, NULL, &data);

	if (e != OK)
		return e;
	if (data == NULL || (d = data->kids) == NULL)
		return ERR_NOT_FOUND;
	*m = (struct message){ .delivery = json_get_text(d, "delivery_id"),
		.type = json_get_text(d, "event_type"),
		.id = json_get_text(d, "webhook_message_id"),
		.signature = json_get_text(d, "webhook_signature"),
		.body = json_get_text(d, "body"),
		.lease = json_get_text(d, "lease_key"),
		.at_s = json_get_int(d, "webhook_timestamp", 0) };
	return OK;
}

/* Make one try.  ERR_TIMEOUT: no connection. */
static enum err
forward(struct listener *l, struct arena *mem, struct message *m)
{
	const char *why = "no reason was given";
	const char *const headers[] = { "Content-Type: application/json",
		"User-Agent: dragoman/" VERSION,
		arena_printf(mem, "webhook-id: %s", m->id),
		arena_printf(mem, "webhook-timestamp: %lld", (long long)m->at_s),
		arena_printf(mem, "webhook-signature: %s", m->signature), NULL };
	const struct http_call c = { .method = "POST",
		.url = l->to,
		.headers = headers,
		.body = m->body,
		.body_len = strlen(m->body),
		.timeout_ms = WEBHOOK_TRY_S * 1000,
		.max_bytes = 65536,
		.cut = true,
		.allow_private = true,
		.once = true,
		.unwanted = listen_is_stopped,
		.why = &why };
	struct http_answer a;
	int64_t begin_us = monotonic_us();
	enum err e = http_do(mem, &c, &a);

	m->ms = (monotonic_us() - begin_us) / 1000;
	m->status = e == OK ? a.status : NULL_INT;
	m->error = e == OK ? NULL : arena_str(mem, why);
	if (e == ERR_TIMEOUT && m->ms < c.timeout_ms)
		return e;
	return e == ERR_BUSY ? e : OK;
}

/*
 * Try until there is a connection, as programs restart while they are written, or until
 * another client may fetch the message.
 */
static enum err
deliver(struct listener *l, struct arena *mem, struct message *m)
{
	int64_t until_us = monotonic_us() + (WEBHOOK_PULL_S - WEBHOOK_TRY_S) * S_US;
	enum err e;

	while ((e = forward(l, mem, m)) == ERR_TIMEOUT && !listen_is_stopped(NULL) &&
	       monotonic_us() < until_us) {
		listen_away(&l->target_away, true, l->to);
		listen_wait(1);
	}
	if (e == OK)
		listen_away(&l->target_away, false, l->to);
	return e;
}

static enum err
settle(struct listener *l, struct arena *mem, const struct message *m)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	const struct json *data;
	bool good = m->status != NULL_INT && http_verdict((int)m->status) == OK;

	jw_open(&j, NULL);
	jw_open(&j, "data");
	jw_text(&j, "lease_key", m->lease);
	jw_text(&j, "status", good ? "delivered" : "failed");
	jw_int(&j, "response_status", m->status);
	jw_int(&j, "response_ms", m->ms);
	jw_text(&j, "error", m->error);
	jw_close(&j);
	jw_close(&j);
	return listen_call_patiently(l, mem, "POST",
	    arena_printf(mem, "%s/pull/%s", l->webhook, m->delivery), buf_text(&b),
	    &data);
}

static void
print_line(const struct listener *l, const struct message *m)
{
	time_t now = (time_t)(now_us() / S_US);
	struct tm tm;
	char at[16];

	if (l->cli->json)
		cli_show(l->cli, message_fields, m);
	else {
		strftime(at, sizeof(at), "%H:%M:%S", localtime_r(&now, &tm));
		printf("%s  %-3s  %5lld ms  %-26s %s%s%s\n", at,
		    m->status == NULL_INT
			? "-"
			: arena_printf(l->cli->mem, "%lld", (long long)m->status),
		    (long long)m->ms, m->type, m->id, m->error != NULL ? "  " : "",
		    m->error != NULL ? m->error : "");
	}
	fflush(stdout);
}

/* Fetch, send and report one message.  An error ends the command. */
static enum err
next_message(struct listener *l, struct arena *mem)
{
	struct message m;
	enum err e = fetch(l, mem, &m);

	if (e == ERR_NOT_FOUND || e == ERR_TIMEOUT || e == ERR_BUSY) {
		listen_wait(1);
		return OK;
	}
	if (e != OK || deliver(l, mem, &m) != OK)
		return e;
	print_line(l, &m);
	e = settle(l, mem, &m);
	return e == ERR_REFUSED || e == ERR_FAILED ? e : OK;
}

static int
listen_on(struct listener *l)
{
	enum err e = listen_begin(l);

	if (e == OK)
		fprintf(stderr, "forwarding to %s; Ctrl-C ends\n", l->to);
	while (e == OK && !listen_is_stopped(NULL)) {
		struct arena *mem = arena_new();

		e = next_message(l, mem);
		arena_free(mem);
	}
	if (e == OK || listen_is_stopped(NULL))
		listen_end(l);
	return e == OK || listen_is_stopped(NULL) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- the command ---- */

/* True if messages and keys may be sent there: by https, or to this host. */
static bool
is_safe(struct arena *mem, const char *url)
{
	const char *host = strstr(url, "://"), *name;
	struct in_addr ip;

	if (!url_is_http(mem, url))
		return false;
	if (host - url == 5)
		return true;
	host += 3;
	name = arena_dup(mem, host, strcspn(host, ":/?#"));
	return strcmp(name, "localhost") == 0 || strncmp(host, "[::1]", 5) == 0 ||
	       (inet_pton(AF_INET, name, &ip) == 1 && ntohl(ip.s_addr) >> 24 == 127);
}

int
cli_listen(struct cli *c)
{
	struct listener l = { .cli = c,
		.server = cli_option(c, "server"),
		.to = cli_option(c, "forward"),
		.key = getenv("DRAGOMAN_API_KEY") };

	if (l.to == NULL || l.key == NULL || *l.key == '\0')
		return cli_usage("listen needs --forward, and a key with the scope "
				 "webhooks:write in DRAGOMAN_API_KEY");
	if (l.server == NULL && conf_read(c->mem, &c->conf) == OK)
		l.server = c->conf.server_base_url;
	if (l.server == NULL)
		return cli_usage("listen needs --server, the address of the service");
	l.server = text_trim(c->mem, l.server, "/");
	if (!is_safe(c->mem, l.server) || !is_safe(c->mem, l.to))
		return cli_usage(
		    "listen: --server and --forward must be https, or http "
		    "at this host");
	listen_catch_signals();
	return listen_on(&l);
}
