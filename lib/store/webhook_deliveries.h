/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_WEBHOOK_DELIVERIES_H
#define STORE_WEBHOOK_DELIVERIES_H

#include "db/db.h"
#include "store/cursor.h"

/*
 * Deliveries of messages to webhooks:
 *
 *	           +--tries fail, wait--+
 *	           v                    |
 *	(emit) --> pending --2xx--> delivered
 *	           |    ^               |
 *	 last try  v    +-- redeliver --+
 *	          failed -- redeliver --^
 *
 * A worker leases a delivery for each try; due_us is then the end of the lease, so the
 * deliveries of a killed worker become due again.
 */
struct webhook_delivery {
	const char *id, *webhook, *account;
	const char *message, *type;
	const char *status;      /* pending, delivered, failed */
	int64_t tries;           /* tries that have ended */
	int64_t due_us;          /* next try or end of the lease; NULL_INT: none */
	int64_t response_status; /* HTTP status of the last try, or NULL_INT */
	int64_t response_ms;     /* duration of the last try, or NULL_INT */
	const char *error;       /* error of the last try, or NULL */
	int64_t created_us;
	const char *body; /* NULL in lists */
	const char *key;  /* key of the lease */
};

/* A webhook that has deliveries due. */
struct webhook_due {
	const char *id, *url;
	const char *seed, *old_seed; /* old_seed: or NULL */
	int64_t old_until_us;
	bool failing; /* its last try failed or was slow */
};

/* The result of a try. */
struct webhook_result {
	const char *status;      /* new status of the delivery */
	int64_t due_us;          /* if pending: time of the next try */
	int64_t response_status; /* NULL_INT: no answer */
	int64_t response_ms;
	const char *error; /* NULL: none */
	bool gone;         /* the endpoint answered that it is gone */
};

/* Fields of the record, and of the record with its body. */
extern const struct field webhook_delivery_fields[], webhook_delivery_body_fields[];
extern const struct sql webhook_delivery_sql[];

/* ---- for the owner ---- */

/* List the deliveries of a webhook of the account. */
enum err webhook_delivery_list(struct db *, struct arena *, const char *account,
    const char *webhook, const struct list_cursor *, struct list *) MUST_CHECK;
enum err webhook_delivery_get(struct db *, struct arena *, const char *account,
    const char *webhook, const char *id, struct webhook_delivery *) MUST_CHECK;
/* Redeliver: the delivery becomes pending and due now, with all tries left. */
enum err webhook_delivery_again(struct db *, struct webhook_delivery *) MUST_CHECK;

/* Check that a delivery is due, before it is leased.  ERR_NOT_FOUND: none. */
enum err webhook_delivery_waits(struct db *, const char *webhook) MUST_CHECK;

/* ---- for the worker ---- */

/* List up to n webhooks of active accounts with due deliveries, longest due first: only
   those whose last try failed or was slow, or only the others. */
enum err webhook_due_list(
    struct db *, struct arena *, bool failing, int n, struct list *) MUST_CHECK;
/* *due_us: when the first delivery of an active account is due; NULL_INT: none is. */
enum err webhook_due_next(struct db *, int64_t *due_us) MUST_CHECK;
/* How a worker leases deliveries. */
struct webhook_lease {
	const char *holder; /* name of the worker */
	int s;              /* duration in seconds, longer than a try takes */
	int parallel;       /* tries of a webhook at the same time, over all workers */
	int n;              /* number of leases requested */
};

/* Lease due deliveries of the webhook, in the caller's transaction. */
enum err webhook_delivery_lease(struct db *, struct arena *, const char *webhook,
    const struct webhook_lease *, struct list *) MUST_CHECK;
/*
 * Store the result of a leased try, in the caller's transaction, and update the
 * webhook. The webhook is disabled if its endpoint is gone, or if 20 deliveries in
 * succession have failed and none succeeded for five days. ERR_STALE: the lease has
 * ended.
 */
enum err webhook_delivery_settle(struct db *, const struct webhook_delivery *,
    const struct webhook_result *) MUST_CHECK;
/* Make the deliveries of a killed holder due again. */
enum err webhook_delivery_reclaim(
    struct db *, const char *holder, int64_t *n) MUST_CHECK;

/* ---- for metrics and the janitor ---- */

/* Delete up to `most` deliveries that were created before before_us. */
enum err webhook_delivery_expire(
    struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;
/* Delete up to n deliveries of a deleted webhook; *left: there are more. */
enum err webhook_delivery_purge(
    struct db *, const char *webhook, int n, bool *left) MUST_CHECK;
/* Count the pending and the failed deliveries of all accounts. */
enum err webhook_delivery_counts(
    struct db *, int64_t *pending, int64_t *failed) MUST_CHECK;

#endif
