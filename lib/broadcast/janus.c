/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "broadcast/janus.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "net/http.h"

#define ANSWER_BYTES (64 << 20) /* enough for a list of 400,000 mountpoints */
#define PASSWORD_BYTES 16
#define CONNECT_MS 1000

const struct janus_plugin janus_audiobridge = {
	.name = "janus.plugin.audiobridge",
	.id = "room",
	.exists = 486,
	.none = 485,
	.unauthorized = 489,
};

const struct janus_plugin janus_streaming = {
	.name = "janus.plugin.streaming",
	.id = "id",
	.exists = 456,
	.none = 455,
	.unauthorized = 457,
};

struct janus
janus_start(const struct conf *c, struct arena *mem)
{
	return (struct janus){
		.conf = c,
		.mem = mem,
		.until_us = monotonic_us() + c->backend_timeout_ms * 1000,
	};
}

static bool
is_near(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	       (strncmp(host, "127.", 4) == 0 &&
		   host[strspn(host, "0123456789.")] == '\0');
}

const char *
janus_host(const struct janus *at)
{
	const char *url = at->conf->janus_admin_url, *host = strstr(url, "://"), *user;
	bool literal;

	host = host != NULL ? host + 3 : url;
	if ((user = memchr(host, '@', strcspn(host, "/?#"))) != NULL)
		host = user + 1;
	literal = host[0] == '[';
	host += literal;
	host = arena_dup(at->mem, host, strcspn(host, literal ? "]/?#" : ":/?#"));
	return is_near(host) ? "127.0.0.1" : host;
}

/*
 * Return a transaction id. Janus repeats it in the answer and in its log; nothing else
 * uses it.
 */
static const char *
make_transaction(struct arena *mem)
{
	unsigned char id[8];

	random_bytes(id, sizeof(id));
	return hex(mem, id, sizeof(id));
}

void
janus_open(struct janus_request *r, const struct janus *at,
    const struct janus_plugin *p, const char *what, const char *id)
{
	struct json_writer *j = &r->json;

	*r = (struct janus_request){
		.at = at, .plugin = p, .what = what, .id = id, .body.mem = at->mem
	};
	j->out = &r->body;
	jw_open(j, NULL);
	jw_text(j, "janus", "message_plugin");
	jw_text(j, "transaction", make_transaction(at->mem));
	jw_text(j, "admin_secret", at->conf->janus_admin_secret);
	jw_text(j, "plugin", p->name);
	jw_open(j, "request");
	jw_text(j, "request", what);
	if (id != NULL)
		jw_text(j, p->id, id);
}

enum err
janus_complain(const struct janus_request *r, enum err e, const char *why)
{
	if (why == NULL && r->answer != NULL)
		why = json_get_text(r->answer, "error");
	log_warn("janus: %s: %s %s: %s", r->plugin->name, r->what,
	    r->id != NULL ? r->id : "all", why != NULL ? why : "nothing was said");
	return e;
}

/* Errors of the request or of a proxy are permanent; errors of Janus may pass. */
static enum err
check_status(const struct janus_request *r, int status)
{
	enum err e = http_verdict(status);

	if (e == OK)
		return OK;
	return janus_complain(r, e == ERR_BUSY ? ERR_TIMEOUT : ERR_REFUSED,
	    arena_printf(r->at->mem, "HTTP status %d", status));
}

/*
 * Read the answer: {"janus":"success","response":{...}} or
 * {"janus":"error","error":{...}}
 */
static enum err
read_answer(struct janus_request *r, const struct http_answer *a)
{
	const char *why = NULL, *said;
	const struct json *all = json_read(r->at->mem, a->body, a->body_len, &why);
	const struct json *error, *code;

	if (all == NULL)
		return janus_complain(r, ERR_TIMEOUT, why);
	if (all->type != JSON_OBJ || (said = json_get_text(all, "janus")) == NULL)
		return janus_complain(r, ERR_TIMEOUT, "this is not an answer of Janus");
	error = json_get(all, "error");
	if (strcmp(said, "error") == 0 && error != NULL && error->type == JSON_OBJ)
		return janus_complain(r, ERR_REFUSED, json_get_text(error, "reason"));
	r->answer = json_get(all, "response");
	if (r->answer == NULL || r->answer->type != JSON_OBJ)
		return janus_complain(r, ERR_TIMEOUT, "the answer has no response");
	if ((code = json_get(r->answer, "error_code")) != NULL)
		r->code = code->type == JSON_INT ? (int)code->u.i : -1;
	return OK;
}

/* Read the plugin's answer. OK: the plugin answered, perhaps with an error. */
static enum err
post(struct janus_request *r)
{
	static const char *const headers[] = { "Content-Type: application/json", NULL };
	const struct janus *at = r->at;
	struct http_call call = {
		.method = "POST",
		.url = at->conf->janus_admin_url,
		.headers = headers,
		.max_bytes = ANSWER_BYTES,
		.timeout_ms = (int)((at->until_us - monotonic_us()) / 1000),
		.allow_private = true,
	};
	struct http_answer a;
	enum err e;

	jw_close(&r->json);
	jw_close(&r->json);
	call.body = r->body.p;
	call.body_len = r->body.len;
	call.connect_ms = call.timeout_ms < CONNECT_MS ? call.timeout_ms : CONNECT_MS;
	if (call.timeout_ms <= 0)
		return janus_complain(r, ERR_TIMEOUT, "no time left");
	if (http_do(at->mem, &call, &a) != OK)
		return ERR_TIMEOUT; /* already logged */
	if ((e = check_status(r, a.status)) != OK)
		return e;
	return read_answer(r, &a);
}

enum err
janus_ask(struct janus_request *r, int fine)
{
	enum err e = post(r);

	if (e != OK || r->code == 0 || r->code == fine)
		return e;
	return janus_complain(r, ERR_REFUSED, NULL);
}

static const char *
make_password(
    const struct conf *c, struct arena *mem, const char *purpose, const char *id)
{
	unsigned char key[SHA256_BYTES], mac[SHA256_BYTES];

	conf_key(c, purpose, key);
	hmac(key, sizeof(key), id, strlen(id), mac);
	return hex(mem, mac, PASSWORD_BYTES);
}

const char *
janus_pin(const struct conf *c, struct arena *mem, const char *id)
{
	return make_password(c, mem, "janus pin", id);
}

const char *
janus_secret(const struct conf *c, struct arena *mem, const char *id)
{
	return make_password(c, mem, "janus secret", id);
}
