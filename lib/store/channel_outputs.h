/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_CHANNEL_OUTPUTS_H
#define STORE_CHANNEL_OUTPUTS_H

#include "base/json.h"
#include "db/db.h"

/*
 * The state of the outputs that the gateway makes of a channel.  For captions_push it
 * contains the number of the last body posted, so that numbering continues after a
 * restart.
 */
struct channel_output {
	const char *id;      /* see channel_output_id() */
	int64_t seq;         /* number of the last body; 0: none */
	const char *runtime; /* pending, active, failed */
	const char *error;   /* the failure of the last try, or NULL */
	int64_t dropped;     /* captions that were discarded */
	double bitrate;      /* bit/s sent; NaN: unknown */
};

extern const struct sql channel_output_sql[];

/* The id of an output: the SHA-256 of its JSON, which may contain keys; for
   captions_push the SHA-256 of its address. */
const char *channel_output_id(struct arena *, const struct json *);
/* The stored states of a channel's outputs, as struct channel_output. */
enum err channel_output_list(
    struct db *, struct arena *, const char *channel, struct list *) MUST_CHECK;
/* Returns the state with that id in such a list; NULL: it is not there. */
const struct channel_output *channel_output_of(const struct list *, const char *id);
/*
 * Store the state of an output, in the caller's transaction.  The channel's version
 * increases when runtime or error change.  States that were not written for 30 days are
 * deleted.  Does nothing for a channel that no longer exists.
 */
enum err channel_output_put(
    struct db *, const char *channel, const struct channel_output *) MUST_CHECK;

#endif
