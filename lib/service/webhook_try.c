#include "service/webhook_try.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/version.h"
#include "net/http.h"
#include "service/webhook.h"

#define READ_BYTES 65536 /* of an answer */
#define KEPT_CHARS 500   /* of those that were read */
#define BODY_MS 2000     /* until they are there, behind a head that came in time */

/* How many bytes of the n at s are one character; 0: they are none. */
static size_t
character(const char *s, size_t n)
{
	size_t most = n < 4 ? n : 4;

	for (size_t i = 1; i <= most; i++)
		if (text_valid(s, i))
			return i;
	return 0;
}

/* The beginning of an answer as text: blanks for control characters, else "?". */
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

/* Why an answer is no success. */
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

/* It failed: when it is tried again, or that it is not. */
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
