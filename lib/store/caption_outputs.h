#ifndef STORE_CAPTION_OUTPUTS_H
#define STORE_CAPTION_OUTPUTS_H

#include "db/db.h"

/*
 * What became of a channel's outputs captions_push, each known by its address: a
 * counter of the bodies posted there, which outlives the gateway, and whether they are
 * taken.
 */
struct caption_output {
	const char *id;      /* see caption_output_id() */
	int64_t seq;         /* of the last body; 0: none */
	const char *runtime; /* pending, active, failed */
	const char *error;   /* why the last try failed, or NULL */
	int64_t dropped;     /* captions that were given up */
};

extern const struct sql caption_output_sql[];

/* Of an address: its SHA-256, as the address holds a key. */
const char *caption_output_id(struct arena *, const char *url);
/* Those of a channel that something was posted to, struct caption_output. */
enum err caption_output_list(
    struct db *, struct arena *, const char *channel, struct list *) MUST_CHECK;
/* The one of that id in such a list; NULL: nothing was posted there. */
const struct caption_output *caption_output_of(const struct list *, const char *id);
/*
 * Keep it, in a transaction.  The channel's version grows where runtime or error are
 * others than before.  What was not posted to for 30 days goes, as does all for a
 * channel that is gone.
 */
enum err caption_output_put(
    struct db *, const char *channel, const struct caption_output *) MUST_CHECK;

#endif
