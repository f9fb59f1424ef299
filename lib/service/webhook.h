/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_WEBHOOK_H
#define SERVICE_WEBHOOK_H

#include "base/conf.h"
#include "store/webhook_deliveries.h"
#include "store/webhooks.h"

#define WEBHOOK_PURGE "webhook.purge" /* job; its ref is a deleted webhook */
/* time for which an old secret signs, too */
#define WEBHOOK_OLD_SECRET_US (24 * 3600 * INT64_C(1000000))

/* A new seed, from which a secret is made. */
const char *webhook_seed(struct arena *);
/*
 * The secret of a webhook: "whsec_" and base64 of 32 bytes, an HMAC of its id and seed
 * under the key file. The database alone does not reveal it.
 */
const char *webhook_secret(
    const struct conf *, struct arena *, const char *id, const char *seed);

/*
 * The header webhook-signature of a try (Standard Webhooks 1.0): "v1," and base64 of
 * HMAC-SHA256 of "message.at_s.body" under the secret. While the old secret is valid
 * too, there are two signatures with a blank between them.
 */
const char *webhook_signature(const struct conf *, struct arena *,
    const struct webhook_due *, const struct webhook_delivery *, int64_t at_s);

/*
 * The wait after this many failed tries: 5 s, 1 min ... 24 h, each up to a tenth more
 * or less at random. It is at least retry_after_s, the endpoint's Retry-After, up to 24
 * h; 0: there is none. False: there is no further try.
 */
bool webhook_again(int64_t tries, int64_t retry_after_s, int64_t *in_us);

/* Check a webhook's URL: https at a public address or, with webhook.allow_private,
   any http or https. Returns the error, a sentence, or NULL. */
const char *webhook_url_fault(const struct conf *, struct arena *, const char *url);

/* A message that a client fetches, with the headers of its try. */
struct webhook_pulled {
	struct webhook_delivery delivery;
	int64_t at_s;
	const char *signature;
};
extern const struct field webhook_pulled_fields[];

#define WEBHOOK_PULL_S 60 /* a fetched message is not given out again for this time */

/* Lease the message of a pulled webhook that is due first; at most one is listed. */
enum err webhook_pull(struct db *, struct arena *, const struct conf *,
    const struct webhook *, struct list *) MUST_CHECK;

#define WEBHOOK_TRY_S 15 /* the longest time of a try */

/*
 * Make one try of a delivery, on any thread: sign and send the message, and judge the
 * answer. is_unwanted: see net/http.h; or NULL. ERR_BUSY: the try was broken off, and
 * its result is unknown. Otherwise OK, even if the try failed.
 */
enum err webhook_try(const struct conf *, struct arena *, const struct webhook_due *,
    const struct webhook_delivery *, bool (*is_unwanted)(void *),
    struct webhook_result *) MUST_CHECK;

#endif
