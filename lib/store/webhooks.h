#ifndef STORE_WEBHOOKS_H
#define STORE_WEBHOOKS_H

#include "db/db.h"
#include "store/cursor.h"

/*
 * Webhooks: addresses that an account is told of its events at, by messages after the
 * Standard Webhooks specification 1.0.  A message is written in the transaction of
 * what it tells, a delivery for each webhook that takes its type; the worker
 * webhook_send sends it.  Its secret is made from a seed of the row and the key file;
 * see service/webhook.h.
 */
struct webhook {
	const char *id, *account;
	const char *url;
	const char *description; /* or NULL */
	const char *events;      /* JSON array of types, or ["*"] */
	bool enabled;
	const char *disabled_reason; /* failing, gone, owner, or NULL */
	int64_t failures;            /* deliveries in a row that used up their tries */
	const char *last_delivery;   /* JSON object or NULL; webhook_tell() sets it */
	int64_t created_us, updated_us;
	const char *secret; /* NULL but in the answers that make it */
	const char *seed;
	const char *old_seed; /* the one before, which signs too until then; or NULL */
	int64_t old_until_us;
	int64_t good_us;                     /* last delivery, or when it was enabled */
	const char *last_type, *last_status; /* of its last try; NULL: none yet */
	int64_t last_us;
	int64_t version;
};

/* What clients say of a webhook. */
struct webhook_in {
	struct webhook webhook;
	struct list events; /* const char * */
};

/* The record; with its secret; what clients may set. */
extern const struct field webhook_fields[], webhook_secret_fields[],
    webhook_in_fields[];
extern const struct sql webhook_sql[];
/* The types of messages, then "*", which is all of them; NULL at the end. */
extern const char *const webhook_events[];

/* Turn what is stored of its last try into what clients see. */
void webhook_tell(struct arena *, struct webhook *);

enum err webhook_add(struct db *, const struct webhook *) MUST_CHECK;
enum err webhook_count(struct db *, const char *account, int64_t *) MUST_CHECK;
enum err webhook_get(struct db *, struct arena *, const char *account, const char *id,
    struct webhook *) MUST_CHECK;
/* A list of struct webhook. */
enum err webhook_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/*
 * Store what its owner changes; version and update time grow.  While it is disabled
 * its deliveries wait.  ERR_STALE: its version is not the stored one.
 */
enum err webhook_put(struct db *, struct webhook *) MUST_CHECK;
/* Its deliveries stay for webhook_delivery_purge(). */
enum err webhook_drop(struct db *, const struct webhook *) MUST_CHECK;

/*
 * Tell the account's webhooks, in the caller's transaction, of something of that type,
 * one of webhook_events.  json: the record as its GET answers now, without secrets,
 * tokens, signed links and access codes.  Where no webhook takes the type nothing is
 * written; it costs one look into an index.
 */
enum err webhook_emit(struct db *, struct arena *, const char *account,
    const char *type, const char *json) MUST_CHECK;
/* Whether there is one that takes it, before a record is made.  ERR_NOT_FOUND: none. */
enum err webhook_wanted(struct db *, const char *account, const char *type) MUST_CHECK;
/* Send this one a message, whatever types it takes; *delivery is its id. */
enum err webhook_emit_to(struct db *, struct arena *, const struct webhook *,
    const char *type, const char *json, const char **delivery) MUST_CHECK;

#endif
