/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/webhook.h"

#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/version.h"
#include "net/http.h"
#include "net/url.h"

#define RETRY_AFTER_MOST_S 86400

/* Seconds between one try and the next. */
static const int64_t waits_s[] = { 5, 60, 300, 1800, 7200, 18000, 36000, 50400, 72000,
	86400 };

const char *
webhook_seed(struct arena *mem)
{
	unsigned char seed[16];

	random_bytes(seed, sizeof(seed));
	return hex(mem, seed, sizeof(seed));
}

static void
make_key(const struct conf *conf, struct arena *mem, const char *id, const char *seed,
    unsigned char to[SHA256_BYTES])
{
	conf_key(conf, arena_printf(mem, "webhook %s %s", id, seed), to);
}

const char *
webhook_secret(
    const struct conf *conf, struct arena *mem, const char *id, const char *seed)
{
	unsigned char key[SHA256_BYTES];

	make_key(conf, mem, id, seed, key);
	return arena_printf(mem, "whsec_%s", base64(mem, key, sizeof(key)));
}

static const char *
sign(const struct conf *conf, struct arena *mem, const char *id, const char *seed,
    const struct buf *signed_text)
{
	unsigned char key[SHA256_BYTES], sum[SHA256_BYTES];

	make_key(conf, mem, id, seed, key);
	hmac(key, sizeof(key), signed_text->p, signed_text->len, sum);
	return arena_printf(mem, "v1,%s", base64(mem, sum, sizeof(sum)));
}

const char *
webhook_signature(const struct conf *conf, struct arena *mem,
    const struct webhook_due *w, const struct webhook_delivery *d, int64_t at_s)
{
	struct buf b = { .mem = mem };
	const char *new;

	buf_printf(&b, "%s.%lld.%s", d->message, (long long)at_s, d->body);
	new = sign(conf, mem, w->id, w->seed, &b);
	if (w->old_seed == NULL || w->old_until_us <= at_s * S_US)
		return new;
	return arena_printf(mem, "%s %s", new, sign(conf, mem, w->id, w->old_seed, &b));
}

bool
webhook_again(int64_t tries, int64_t retry_after_s, int64_t *in_us)
{
	size_t n = sizeof(waits_s) / sizeof(*waits_s);
	int64_t wait_us, spread_us;
	uint64_t dice;

	if (tries < 1 || tries > (int64_t)n)
		return false;
	if (retry_after_s > RETRY_AFTER_MOST_S)
		retry_after_s = RETRY_AFTER_MOST_S;
	wait_us = waits_s[tries - 1] * S_US;
	spread_us = wait_us / 5;
	random_bytes(&dice, sizeof(dice));
	*in_us = wait_us - spread_us / 2 + (int64_t)(dice % (uint64_t)(spread_us + 1));
	if (*in_us < retry_after_s * S_US)
		*in_us = retry_after_s * S_US;
	return true;
}

const char *
webhook_url_fault(const struct conf *conf, struct arena *mem, const char *url)
{
	if (conf->webhook_allow_private)
		return url_is_http(mem, url) ? NULL
					     : "url must be an http or https address.";
	return url_is_public(mem, url)
		   ? NULL
		   : "url must be an https address of a public host.";
}

/* ---- messages that clients fetch ---- */

/* clang-format off */
const struct field	 webhook_pulled_fields[] = FIELDS(
	{ "delivery_id",        F_TEXT, MEMBER(webhook_pulled, delivery.id),      .flags = F_OUT },
	{ "event_type",         F_TEXT, MEMBER(webhook_pulled, delivery.type),    .flags = F_OUT },
	{ "webhook_message_id", F_TEXT, MEMBER(webhook_pulled, delivery.message), .flags = F_OUT },
	{ "webhook_timestamp",  F_INT,  MEMBER(webhook_pulled, at_s),             .flags = F_OUT },
	{ "webhook_signature",  F_TEXT, MEMBER(webhook_pulled, signature),        .flags = F_OUT },
	{ "body",               F_TEXT, MEMBER(webhook_pulled, delivery.body),    .flags = F_OUT },
	{ "lease_key",          F_TEXT, MEMBER(webhook_pulled, delivery.key),     .flags = F_OUT }
);
/* clang-format on */

static struct webhook_pulled *
signed_delivery(const struct conf *conf, struct arena *mem, const struct webhook *w,
    const struct webhook_delivery *d)
{
	const struct webhook_due keys = { .id = w->id,
		.seed = w->seed,
		.old_seed = w->old_seed,
		.old_until_us = w->old_until_us };
	struct webhook_pulled *p = arena_alloc(mem, sizeof(*p));

	p->delivery = *d;
	p->at_s = now_us() / S_US;
	p->signature = webhook_signature(conf, mem, &keys, d, p->at_s);
	return p;
}

/* Clients ask often: the write lock is taken only if a message is due. */
enum err
webhook_pull(struct db *db, struct arena *mem, const struct conf *conf,
    const struct webhook *w, struct list *to)
{
	static const struct webhook_lease one = { "pull", WEBHOOK_PULL_S, 1, 1 };
	enum err e = webhook_delivery_waits(db, w->id);

	*to = (struct list){ 0 };
	if (e != OK)
		return e == ERR_NOT_FOUND ? OK : e;
	if ((e = db_begin(db, DB_ROWS)) == OK &&
	    (e = webhook_delivery_lease(db, mem, w->id, &one, to)) == OK && to->n > 0)
		to->items = signed_delivery(conf, mem, w, to->items);
	return e;
}

/* ---- a try ---- */

#define READ_BYTES 65536 /* bytes of an answer that are read */
#define KEPT_CHARS 500   /* characters of an answer that are stored */
#define BODY_MS 2000     /* time for the body, after the header arrived in time */

/* The length of the character at s; 0: it is not valid. */
static size_t
character(const char *s, size_t n)
{
	size_t most = n < 4 ? n : 4;

	for (size_t i = 1; i <= most; i++)
		if (text_valid(s, i))
			return i;
	return 0;
}

/*
 * The beginning of an answer as text. Control characters become blanks; invalid bytes
 * become "?".
 */
static const char *
beginning(struct arena *mem, const char *s, size_t n)
{
	struct buf b = { .mem = mem };
	size_t one;

	for (int chars = 0; n > 0 && chars < KEPT_CHARS; chars++) {
		one = character(s, n);
		if (one == 1 && ((unsigned char)*s < ' ' || *s == 0x7f))
			buf_str(&b, " ");
		else if (one > 0)
			buf_put(&b, s, one);
		else
			buf_str(&b, "?");
		one += one == 0;
		s += one;
		n -= one;
	}
	return text_trim(mem, buf_text(&b), " ");
}

/* Returns why an answer is not a success. */
static const char *
refusal(struct arena *mem, const struct http_answer *a)
{
	const char *text = beginning(mem, a->body, a->body_len);

	if (*text != '\0')
		return text;
	return arena_printf(mem, "It answered %d%s.", a->status,
	    a->status / 100 == 3 ? ", and redirects are not followed" : "");
}

static enum err
call(const struct conf *conf, struct arena *mem, const struct webhook_due *w,
    const struct webhook_delivery *d, struct http_call *c, struct http_answer *a)
{
	int64_t at_s = now_us() / S_US;
	const char *const headers[] = { "Content-Type: application/json",
		"User-Agent: dragoman/" VERSION,
		arena_printf(mem, "webhook-id: %s", d->message),
		arena_printf(mem, "webhook-timestamp: %lld", (long long)at_s),
		arena_printf(mem, "webhook-signature: %s",
		    webhook_signature(conf, mem, w, d, at_s)),
		NULL };

	c->method = "POST";
	c->url = w->url;
	c->headers = headers;
	c->body = d->body;
	c->body_len = strlen(d->body);
	c->timeout_ms = WEBHOOK_TRY_S * 1000;
	c->max_bytes = READ_BYTES;
	c->cut = true;
	c->body_ms = BODY_MS;
	c->allow_private = conf->webhook_allow_private;
	c->once = true;
	return http_do(mem, c, a);
}

/* Schedule the next try of a delivery that failed, or mark it as failed. */
static void
put_off(const struct webhook_delivery *d, int64_t retry_after_s, bool gone,
    struct webhook_result *to)
{
	int64_t in_us;
	bool again = !gone && webhook_again(d->tries + 1, retry_after_s, &in_us);

	to->status = again ? "pending" : "failed";
	to->due_us = again ? now_us() + in_us : NULL_INT;
	to->gone = gone;
}

enum err
webhook_try(const struct conf *conf, struct arena *mem, const struct webhook_due *w,
    const struct webhook_delivery *d, bool (*is_unwanted)(void *),
    struct webhook_result *to)
{
	const char *why = "no reason was given";
	struct http_call c = { .unwanted = is_unwanted, .why = &why };
	struct http_answer a = { .status = 0 };
	int64_t begin_us = monotonic_us();
	enum err e = call(conf, mem, w, d, &c, &a);

	*to = (struct webhook_result){ .status = "delivered",
		.due_us = NULL_INT,
		.response_status = e == OK ? a.status : NULL_INT,
		.response_ms = (monotonic_us() - begin_us) / 1000 };
	if (e == ERR_BUSY)
		return e;
	if (e == OK && http_verdict(a.status) == OK)
		return OK;
	to->error = e == OK ? refusal(mem, &a) : arena_str(mem, why);
	put_off(d, a.retry_after_s, a.status == 410, to);
	return OK;
}
