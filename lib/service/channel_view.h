/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CHANNEL_VIEW_H
#define SERVICE_CHANNEL_VIEW_H

#include "base/conf.h"
#include "store/channels.h"

/*
 * Add the members that are not in the row: the input, warnings about languages that
 * engines lack, and the state of outputs. Without `secrets`, members that let a client
 * speak or push a stream are null: tokens, pins, stream keys, addresses that captions
 * are posted to.
 */
enum err channel_fill_view(struct db *, const struct conf *, struct arena *,
    struct channel *, bool secrets) MUST_CHECK;

/* The data that a page for speakers needs. */
struct speaker_token {
	const char *url; /* address of the socket */
	const char *token;
	int64_t expires_us;
};

extern const struct field speaker_token_fields[];

/* True if the channel has no token, or one with less than a tenth of its life left. */
bool speaker_token_due(const struct conf *, const struct channel *);
/*
 * Returns the token that was made at speaker_made_us, the same for every reader. at:
 * settings of the node that serves the channel.
 */
struct speaker_token speaker_token_of(
    const struct conf *at, struct arena *, const struct channel *);

#endif
