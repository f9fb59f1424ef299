#ifndef STORE_CHANNEL_OUTPUTS_H
#define STORE_CHANNEL_OUTPUTS_H

#include "base/json.h"
#include "db/db.h"

/*
 * What became of a channel's outputs that this service makes: of captions_push also a
 * counter of the bodies posted, which outlives the gateway.
 */
struct channel_output {
	const char *id;      /* see channel_output_id() */
	int64_t seq;         /* of the last body; 0: none */
	const char *runtime; /* pending, active, failed */
	const char *error;   /* why the last try failed, or NULL */
	int64_t dropped;     /* captions that were given up */
	double bitrate;      /* bit/s that go out; NaN: not known */
};

extern const struct sql channel_output_sql[];

/*
 * Of an output as a channel has it: a SHA-256, as it holds keys; of captions_push that
 * of its address.
 */
const char *channel_output_id(struct arena *, const struct json *);
/* Those of a channel that something became of, struct channel_output. */
enum err channel_output_list(
    struct db *, struct arena *, const char *channel, struct list *) MUST_CHECK;
/* The one of that id in such a list; NULL: nothing became of it. */
const struct channel_output *channel_output_of(const struct list *, const char *id);
/*
 * Keep it, in a transaction.  The channel's version grows where runtime or error are
 * others than before.  What was not written for 30 days goes, as does all for a
 * channel that is gone.
 */
enum err channel_output_put(
    struct db *, const char *channel, const struct channel_output *) MUST_CHECK;

#endif
