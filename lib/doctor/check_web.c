/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the public address and of the programs and the gateway behind it. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/uv_plugin.h"
#include "base/version.h"
#include "doctor/check.h"
#include "net/http.h"
#include "service/channel_outputs.h"

#define ANSWER_MS 5000
#define DAY_US (86400 * S_US)
#define CERTIFICATE_FAIL 7 /* days left */
#define CERTIFICATE_WARN 21

static bool
is_https(const char *url)
{
	return strncmp(url, "https://", 8) == 0;
}

static bool
is_of_this_host(const char *url)
{
	return strstr(url, "://127.") != NULL || strstr(url, "://localhost") != NULL ||
	       strstr(url, "://[::1]") != NULL;
}

/* ---- requests ---- */

/* Send a request.  Returns false, and reports it, if there was no answer. */
static bool
send_request(struct check *k, const char *url, const char *const *headers,
    const char *remedy, struct http_answer *a)
{
	const char *why = NULL;
	const struct http_call call = { .method = "GET",
		.url = url,
		.headers = headers,
		.timeout_ms = ANSWER_MS,
		.max_bytes = 1 << 20,
		.allow_private = true,
		.once = true,
		.why = &why };
	enum err e = http_do(k->mem, &call, a);

	if (e != OK)
		check_fail(
		    k, url, remedy, "no answer: %s", why != NULL ? why : err_name(e));
	return e == OK;
}

static const char no_server[] =
    "Start the web server. Check that the name in server.base_url resolves to it, also "
    "on this host, and that its certificate is trusted.";

static bool
request_web(struct check *k, const char *path, const char *const *headers,
    struct http_answer *a)
{
	const char *url = arena_printf(k->mem, "%s%s", k->conf->server_base_url, path);

	return send_request(k, url, headers, no_server, a);
}

static const struct json *
body_of(struct check *k, const struct http_answer *a)
{
	const char *why;

	return json_read(k->mem, a->body, a->body_len, &why);
}

/* The first problem's detail, or "". */
static const char *
detail_of(const struct json *body)
{
	const struct json *all = json_get_list(body, "errors");
	const char *text = NULL;

	if (all != NULL && all->kids != NULL)
		text = json_get_text(all->kids, "detail");
	return text != NULL ? text : "";
}

/* ---- web ---- */

static void
judge_version(struct check *k, const char *looked, const struct json *data)
{
	const char *version = json_get_text(data, "version");
	const char *node = json_get_text(data, "node");

	if (version == NULL || strcmp(version, VERSION) != 0)
		check_warn(k, looked,
		    "Restart the web server: its programs are outdated.",
		    "version %s answers, but this is %s", version, VERSION);
	if (strncmp(k->conf->db_url, "sqlite:", 7) == 0 &&
	    (node == NULL || strcmp(node, k->conf->node) != 0))
		check_fail(k, looked,
		    "Set server.base_url to the address of this installation.",
		    "another installation answers");
}

static void
judge_health(struct check *k, const char *looked, const struct http_answer *a)
{
	const struct json *body = body_of(k, a), *data = json_get(body, "data");
	const char *status = json_get_text(data, "status");

	if (status == NULL)
		check_fail(k, looked,
		    "Include etc/apache.conf or etc/lighttpd.conf of this installation "
		    "in the web server's configuration; see its error log.",
		    "status %d, and not from a program of Dragoman", a->status);
	else if (a->status != 200) {
		check_because(k, "database");
		check_fail(k, looked,
		    "Correct the fault; the web server's error log has details.", "%s",
		    detail_of(body));
	} else if (strcmp(status, "ok") != 0)
		check_warn(k, looked,
		    "Correct the findings about workers, disk, files, WebRTC and NATS "
		    "below.",
		    "the programs answer that the service is %s", status);
	else
		check_ok(k, looked, "the web server and the programs answer");
	if (status != NULL)
		judge_version(k, looked, data);
}

static void
judge_authorization(struct check *k)
{
	static const char *const headers[] = { "Authorization: Bearer doctor", NULL };
	static const char looked[] = "the header Authorization";
	struct http_answer a;

	if (!request_web(k, "/auth/me", headers, &a))
		return;
	if (a.status == 401 && strstr(detail_of(body_of(k, &a)), "needs a") == NULL)
		check_ok(k, looked, "reaches the programs");
	else
		check_fail(k, looked,
		    "Make the web server pass it on: use our whole apache.conf or "
		    ".htaccess, or set CGIPassAuth On.",
		    "does not reach the programs");
}

void
check_web(struct check *k)
{
	struct http_answer a;

	if (!request_web(k, "/health", NULL, &a))
		return;
	judge_health(
	    k, arena_printf(k->mem, "%s/health", k->conf->server_base_url), &a);
	if (a.status == 200)
		judge_authorization(k);
}

/* ---- links ---- */

static void
judge_scheme(struct check *k)
{
	static const char looked[] =
	    "server.base_url, with which links and QR codes begin";
	const char *url = k->conf->server_base_url;

	if (is_https(url))
		check_ok(k, looked, "%s", url);
	else if (is_of_this_host(url))
		check_warn(k, looked,
		    "Set server.base_url to the public https address before other "
		    "people use it.",
		    "%s leads nowhere from other machines", url);
	else
		check_fail(k, looked,
		    "Enable TLS in the web server, set server.base_url to the https "
		    "address and run make install again.",
		    "%s is not https: browsers deny the microphone, and keys can be "
		    "read on the way",
		    url);
}

void
check_links(struct check *k)
{
	const char *looked =
	    arena_printf(k->mem, "%s/listen/", k->conf->server_base_url);
	struct http_answer a;

	judge_scheme(k);
	check_because(k, "web");
	if (!request_web(k, "/listen/", NULL, &a))
		return;
	if (a.status == 200 && a.content_type != NULL &&
	    strncmp(a.content_type, "text/html", 9) == 0)
		check_ok(k, looked, "is the page to listen with");
	else
		check_fail(k, looked,
		    "Set server.base_url to the address of this installation, with its "
		    "path, and run make install again.",
		    "status %d instead of the page to listen with", a.status);
}

/* ---- certificate ---- */

void
check_certificate(struct check *k)
{
	static const char remedy[] =
	    "Renew the certificate, and check why it is not renewed "
	    "automatically.";
	const char *url = k->conf->server_base_url, *why = NULL;
	const struct http_call call = { .method = "HEAD",
		.url = url,
		.timeout_ms = ANSWER_MS,
		.max_bytes = 1,
		.allow_private = true,
		.unverified = true,
		.once = true,
		.why = &why };
	struct http_answer a;
	long long days;

	if (!is_https(url)) {
		check_ok(k, url, "has none, as it is not https");
		return;
	}
	if (http_do(k->mem, &call, &a) != OK || a.certificate_until_us == NULL_INT) {
		check_because(k, "web");
		check_fail(k, url, no_server, "the certificate cannot be read: %s",
		    why != NULL ? why : "no date in it");
		return;
	}
	days = (a.certificate_until_us - now_us()) / DAY_US;
	if (a.certificate_until_us < now_us())
		check_fail(k, url, remedy, "the certificate has expired");
	else if (days < CERTIFICATE_FAIL)
		check_fail(
		    k, url, remedy, "the certificate expires in %lld days", days);
	else if (days < CERTIFICATE_WARN)
		check_warn(
		    k, url, remedy, "the certificate expires in %lld days", days);
	else
		check_ok(k, url, "the certificate is valid for %lld days", days);
}

/* ---- gateway ---- */

/* The path of server.base_url. */
static const char *
path_of(const char *url)
{
	url = strstr(url, "://") + 3;
	return url + strcspn(url, "/");
}

static bool
judge_gateway(struct check *k, const char *at, const char *remedy)
{
	const char *url = arena_printf(k->mem, "%s/streaming-api/health", at);
	struct http_answer a;

	if (!send_request(k, url, NULL, remedy, &a))
		return false;
	if (a.status == 200 && json_get(body_of(k, &a), "data") != NULL)
		check_ok(k, url, "the gateway answers");
	else
		check_fail(k, url, remedy, "status %d instead of the gateway's answer",
		    a.status);
	return a.status == 200;
}

static void
judge_event_loop(struct check *k)
{
	if (uv_plugin_found())
		check_ok(k, "event loop", "libuv");
	else
		check_warn(k, "event loop",
		    "Install libwebsockets-evlib-uv and restart the gateway.",
		    "poll(2), which looks at every open socket each time: thousands of "
		    "listeners take several times the processor time");
}

/* The gateway's problem document shows that a request has reached it. */
static void
judge_hls(struct check *k)
{
	static const char *const files[] = { "es-audio.m3u8?_HLS_msn=1",
		"es-1p10.m4s" };
	static const char remedy[] =
	    "Make the web server pass playlists whose query has _HLS_, and parts, to "
	    "stream.listen, as etc/apache.conf and etc/lighttpd.conf do, and restart "
	    "it; or set hls.low_latency to no.";
	const char *base = channel_outputs_hls_base(k->conf, k->mem), *url;
	struct http_answer a;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		url = arena_printf(
		    k->mem, "%s/00000000000000000000000000000000/%s", base, files[i]);
		check_because(k, "web");
		if (!send_request(k, url, NULL, remedy, &a))
			return;
		if (detail_of(body_of(k, &a))[0] == '\0') {
			check_because(k, "web");
			check_fail(k, url, remedy,
			    "status %d instead of the gateway's answer", a.status);
			return;
		}
	}
	check_ok(k, base, "requests of low-latency HLS reach the gateway");
}

void
check_gateway(struct check *k)
{
	const struct conf *c = k->conf;
	const char *at = arena_printf(
	    k->mem, "http://%s%s", c->stream_listen, path_of(c->server_base_url));

	if (!judge_gateway(k, at,
		check_is_systemd(k)
		    ? "Run systemctl enable --now dragoman.target, and read "
		      "journalctl -u dragoman-gateway."
		    : "Read var/log/gateway.log. cron starts the gateway every minute "
		      "if the crontab has the lines of cron/crontab."))
		return;
	judge_event_loop(k);
	check_because(k, "web");
	if (judge_gateway(k, c->stream_public_url,
		"Make the web server pass /streaming-api, /asr and /tts-api to "
		"stream.listen, as etc/apache.conf and etc/lighttpd.conf do.") &&
	    channel_outputs_has_low_latency(c))
		judge_hls(k);
}
