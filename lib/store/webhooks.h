/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_WEBHOOKS_H
#define STORE_WEBHOOKS_H

#include "db/db.h"
#include "store/cursor.h"

/*
 * Webhooks: addresses that receive messages about an account's events, after the
 * Standard Webhooks specification 1.0.  A message is stored in the transaction of the
 * change that it reports, as a delivery for each webhook that takes its type; the
 * worker webhook_send sends it.  The secret is derived from a seed in the row and the
 * key file; see service/webhook.h.
 */
struct webhook {
	const char *id, *account;
	const char *url;
	const char *description; /* or NULL */
	const char *events;      /* JSON array of types, or ["*"] */
	bool enabled;
	bool pulled; /* a client fetches the messages; no worker sends them */
	const char *disabled_reason; /* failing, gone, owner, or NULL */
	int64_t failures;            /* deliveries in succession that failed for good */
	const char *last_delivery; /* JSON object or NULL; set by webhook_fill_view() */
	int64_t created_us, updated_us;
	const char *secret; /* set only in the answer that creates the webhook */
	const char *seed;
	const char *old_seed; /* previous seed, valid until old_until_us; or NULL */
	int64_t old_until_us;
	int64_t good_us; /* last success, or when it was enabled */
	/* type and status of the last try; NULL: none yet */
	const char *last_type, *last_status;
	int64_t last_us;
	int64_t version;
};

/* The input of clients. */
struct webhook_in {
	struct webhook webhook;
	struct list events; /* const char * */
};

/* Fields of the record, of the record with its secret, and of the inputs of creation
   and change. */
extern const struct field webhook_fields[], webhook_secret_fields[],
    webhook_new_fields[], webhook_in_fields[];
extern const struct sql webhook_sql[];
/* The types of messages, then "*" for all, then NULL. */
extern const char *const webhook_events[];

/* Set last_delivery from the stored result of the last try. */
void webhook_fill_view(struct arena *, struct webhook *);

enum err webhook_add(struct db *, const struct webhook *) MUST_CHECK;
enum err webhook_count(struct db *, const char *account, int64_t *) MUST_CHECK;
enum err webhook_get(struct db *, struct arena *, const char *account, const char *id,
    struct webhook *) MUST_CHECK;
/* List the webhooks of the account. */
enum err webhook_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* Store the owner's changes; increases version and sets updated_us.  Deliveries of a
   disabled webhook wait.  ERR_STALE: the stored version is another one. */
enum err webhook_put(struct db *, struct webhook *) MUST_CHECK;
/* Delete a webhook; webhook_delivery_purge() removes its deliveries. */
enum err webhook_drop(struct db *, const struct webhook *) MUST_CHECK;

/*
 * Send a message of this type, one of webhook_events, to the account's webhooks, in the
 * caller's transaction. json: the record as its GET returns it now, without secrets,
 * tokens, signed links and access codes.  If no webhook takes the type, nothing is
 * stored; this costs one index lookup.
 */
enum err webhook_emit(struct db *, struct arena *, const char *account,
    const char *type, const char *json) MUST_CHECK;
/*
 * Check that a webhook takes the type, before the record is made.  ERR_NOT_FOUND: none.
 */
enum err webhook_wanted(struct db *, const char *account, const char *type) MUST_CHECK;
/* Send a message to this webhook, even if it does not take the type; *delivery is its
   id. */
enum err webhook_emit_to(struct db *, struct arena *, const struct webhook *,
    const char *type, const char *json, const char **delivery) MUST_CHECK;

#endif
