/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_SPEAKER_LINK_H
#define SERVICE_SPEAKER_LINK_H

#include "base/conf.h"
#include "store/channels.h"

/* The current speaker link of a channel: the same for every reader until it is voided.
 */
struct speaker_link {
	const char *url;       /* address of the socket */
	const char *short_url; /* redirects to the page for speakers */
	const char *qr_svg;    /* a picture of short_url */
	const char *token;     /* opens the socket */
	int64_t expires_us;
};

extern const struct field speaker_link_fields[];

/*
 * Get the current link of a channel that is not being deleted, in the transaction that
 * read the channel. A token is made if there is none, or if the last one has less than
 * a tenth of its life left; earlier tokens stay valid.
 */
enum err speaker_link_get(struct db *, struct arena *, const struct conf *,
    struct channel *, struct speaker_link *) MUST_CHECK;
/* As speaker_link_get(), but void all earlier tokens and short addresses first. */
enum err speaker_link_renew(struct db *, struct arena *, const struct conf *,
    struct channel *, struct speaker_link *) MUST_CHECK;
/*
 * Get the address of the page for speakers that the code of a short address leads to.
 * ERR_NOT_FOUND: no channel has this code now. A token that is due is made in a
 * transaction, which the caller commits.
 */
enum err speaker_link_open(struct db *, struct arena *, const struct conf *,
    const char *code, const char **page) MUST_CHECK;

#endif
