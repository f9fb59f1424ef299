/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_HEALTH_H
#define SERVICE_HEALTH_H

#include "base/child.h"
#include "base/conf.h"
#include "db/db.h"

/* The state of this host: its database, workers, gateway and files. */
struct health {
	const char *status; /* ok, degraded, down */
	const char *version;
	const char *node;     /* id of this host among those over the database */
	const char *database; /* ok, failed */
	int64_t schema_version;
	const char *store;  /* ok, or the bucket's error */
	const char *webrtc; /* ok, off, or the gateway's error */
	const char *nats;   /* ok, off, or why the gateway is not connected */
	struct list workers;
	struct child_sandbox_parts sandbox; /* for information only */
};

extern const struct field health_fields[]; /* fields of struct health */

/*
 * db NULL: the database cannot be opened. *wrong: a list of const char *, a sentence
 * for each failed check that makes the host down.
 */
struct health health_check(
    struct db *, struct arena *, const struct conf *, struct list *wrong);

/* True if requests may be sent to this host: its database can be used, its settings are
   those of the others, and it is not being emptied. *wrong: as above. */
bool health_ready(struct db *, struct arena *, const struct conf *, struct list *wrong);

#endif
