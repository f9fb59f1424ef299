/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The service as `dragoman listen` calls it, and its webhook there.  Calls wait for a
 * service that is away, and end at a signal.
 */
#include "service/listen_service.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "net/http.h"

#define CALL_MS 30000
#define ANSWER_BYTES (4 << 20)
#define WAIT_MOST_S 30

static volatile sig_atomic_t stopped;

static void
stop(int number)
{
	(void)number;
	stopped = 1;
}

bool
listen_is_stopped(void *arg)
{
	(void)arg;
	return stopped != 0;
}

void
listen_wait(int64_t s)
{
	const struct timespec t = { .tv_sec = s < WAIT_MOST_S ? s : WAIT_MOST_S };

	if (!stopped)
		nanosleep(&t, NULL);
}

void
listen_away(bool *was, bool is, const char *url)
{
	if (*was != is)
		fprintf(stderr, is ? "%s cannot be reached; waiting\n" : "%s is back\n",
		    url);
	*was = is;
}

static enum err
refused(struct listener *l, const struct json *all, int status)
{
	const struct json *errors = all != NULL ? json_get(all, "errors") : NULL;
	const char *detail = errors != NULL && errors->kids != NULL
				 ? json_get_text(errors->kids, "detail")
				 : NULL;

	cli_error("%s answered %d: %s", l->server, status,
	    detail != NULL ? detail : "no reason was given");
	return ERR_REFUSED;
}

enum err
listen_call(struct listener *l, struct arena *mem, const char *method, const char *path,
    const char *body, const struct json **data)
{
	const char *why = "";
	const char *const headers[] = { "Content-Type: application/json",
		arena_printf(mem, "Authorization: Bearer %s", l->key), NULL };
	const struct http_call c = { .method = method,
		.url = arena_printf(mem, "%s%s", l->server, path),
		.headers = headers,
		.body = body,
		.body_len = body != NULL ? strlen(body) : 0,
		.timeout_ms = CALL_MS,
		.max_bytes = ANSWER_BYTES,
		.allow_private = true,
		.why = &why };
	const struct json *all;
	struct http_answer a;
	enum err e = http_do(mem, &c, &a);

	listen_away(&l->server_away, e == ERR_TIMEOUT, l->server);
	if (e == ERR_REFUSED || e == ERR_FAILED)
		cli_error("%s: %s", l->server, why);
	if (e != OK)
		return e;
	all = json_read(mem, a.body, a.body_len, &why);
	*data = all != NULL ? json_get(all, "data") : NULL;
	if (http_verdict(a.status) == ERR_BUSY)
		listen_wait(a.retry_after_s);
	if (a.status == 412)
		return ERR_STALE;
	e = http_verdict(a.status);
	return e == ERR_REFUSED ? refused(l, all, a.status) : e;
}

enum err
listen_call_patiently(struct listener *l, struct arena *mem, const char *method,
    const char *path, const char *body, const struct json **data)
{
	enum err e;

	while (((e = listen_call(l, mem, method, path, body, data)) == ERR_TIMEOUT ||
		   e == ERR_BUSY) &&
	       !stopped)
		listen_wait(1);
	return e;
}

/* ---- the webhook ---- */

/* The types of --events as a JSON array; all types without the option. */
static const char *
types(struct listener *l)
{
	struct buf b = { .mem = l->cli->mem };
	struct json_writer j = { .out = &b };
	const char *s = cli_option(l->cli, "events");

	jw_list(&j, NULL);
	for (s = s != NULL ? s : "*"; *s != '\0'; s += strspn(s, ", ")) {
		jw_textn(&j, NULL, s, strcspn(s, ", "));
		s += strcspn(s, ", ");
	}
	jw_close(&j);
	return buf_text(&b);
}

static const char *
input(struct listener *l, bool is_new)
{
	struct buf b = { .mem = l->cli->mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_open(&j, "data");
	jw_bool(&j, "is_enabled", true);
	jw_raw(&j, "events", types(l));
	if (is_new) {
		jw_text(&j, "url", l->to);
		jw_bool(&j, "is_pulled", true);
		jw_text(&j, "description", "dragoman listen");
	}
	jw_close(&j);
	jw_close(&j);
	return buf_text(&b);
}

/* The pulled webhook of this address that an earlier call made, or NULL. */
static const struct json *
find_webhook(const struct listener *l, const struct json *page)
{
	const struct json *all = json_get(page, "items"), *w;

	for (w = all != NULL ? all->kids : NULL; w != NULL; w = w->next)
		if (json_get_bool(w, "is_pulled") &&
		    strcmp(json_get_text(w, "url"), l->to) == 0)
			return w;
	return NULL;
}

enum err
listen_begin(struct listener *l)
{
	struct arena *mem = l->cli->mem;
	const struct json *data, *w;
	const char *secret;
	enum err e = listen_call_patiently(
	    l, mem, "GET", "/saas/webhooks?page_size=100", NULL, &data);

	if (e != OK)
		return e;
	if ((w = find_webhook(l, data)) != NULL) {
		l->webhook = arena_printf(
		    mem, "/saas/webhook/%s", json_get_text(w, "webhook_id"));
		return listen_call_patiently(
		    l, mem, "PATCH", l->webhook, input(l, false), &data);
	}
	e = listen_call_patiently(
	    l, mem, "POST", "/saas/webhook", input(l, true), &data);
	if (e != OK || (secret = json_get_text(data, "secret")) == NULL)
		return e != OK ? e : ERR_REFUSED;
	l->webhook =
	    arena_printf(mem, "/saas/webhook/%s", json_get_text(data, "webhook_id"));
	fprintf(stderr, "secret of the signatures, shown once: %s\n", secret);
	return OK;
}

void
listen_end(struct listener *l)
{
	const struct json *data;

	if (l->webhook != NULL && listen_call(l, l->cli->mem, "PATCH", l->webhook,
				      "{\"data\":{\"is_enabled\":false}}", &data) != OK)
		cli_error("the webhook is still enabled; the console disables it");
}

void
listen_catch_signals(void)
{
	const struct sigaction on = { .sa_handler = stop };

	stopped = 0;
	sigaction(SIGINT, &on, NULL);
	sigaction(SIGTERM, &on, NULL);
}
