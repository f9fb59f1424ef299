#ifndef SERVICE_CHANNEL_VIEW_H
#define SERVICE_CHANNEL_VIEW_H

#include "base/conf.h"
#include "store/channels.h"

/*
 * What a reader sees besides the row: the input, the warnings of languages that
 * engines lack, and what became of outputs of captions.  Without `secrets` whatever
 * lets a client speak or push a stream is null: tokens, pins, stream keys, addresses
 * that captions are posted to.
 */
enum err channel_tell(struct db *, const struct conf *, struct arena *,
    struct channel *, bool secrets) MUST_CHECK;

/* What a page to speak with needs to know. */
struct speaker_token {
	const char *url; /* of the socket */
	const char *token;
	int64_t expires_us;
};

extern const struct field speaker_token_fields[];

/* True when the channel has none, or one with less than a tenth of its life left. */
bool speaker_token_due(const struct conf *, const struct channel *);
/*
 * The one that was made at speaker_made_us, the same for every reader.  at: settings of
 * the node that serves the channel.
 */
struct speaker_token speaker_token_of(
    const struct conf *at, struct arena *, const struct channel *);

#endif
