#include "service/webhook.h"

#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
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
