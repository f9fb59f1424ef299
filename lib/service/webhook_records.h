/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_WEBHOOK_RECORDS_H
#define SERVICE_WEBHOOK_RECORDS_H

#include "base/conf.h"
#include "store/channels.h"

struct event;

/*
 * Messages to webhooks about records, each written in the caller's transaction, behind
 * the change that it tells.  The data is the record as its GET answers now, made by the
 * same functions and tables, without secrets, tokens, signed links and access codes.
 * Where no webhook takes the type it costs one look into an index.
 */

/* voice.ready or voice.failed, as the voice is now; of any other state nothing. */
enum err webhook_voice(struct db *, struct arena *, const struct conf *,
    const char *account, const char *id) MUST_CHECK;
/* glossary.ready or glossary.failed, likewise. */
enum err webhook_glossary(struct db *, struct arena *, const struct conf *,
    const char *account, const char *id) MUST_CHECK;

/* One of event.*, of an event as it was read now. */
enum err webhook_event(struct db *, struct arena *, const struct conf *,
    const struct event *, const char *type) MUST_CHECK;
/* The same of the event that has this id; ERR_NOT_FOUND is no fault of it. */
enum err webhook_event_of(struct db *, struct arena *, const struct conf *,
    const char *account, const char *id, const char *type) MUST_CHECK;

/*
 * The messages about a channel's change by channel_put(): channel.ready,
 * channel.failed, channel.live, channel.stopped; and event.live with the first live
 * channel.
 */
enum err webhook_channel_changed(struct db *, struct arena *, const struct conf *,
    const struct channel *was, const struct channel *now) MUST_CHECK;
/* Any other type that tells of a channel, such as channel.deleted: the row, which may
   be gone by now. */
enum err webhook_channel(struct db *, struct arena *, const struct conf *,
    const struct channel *, const char *type) MUST_CHECK;

/* listener_request.created or .decided: the request as lists have it, and its event. */
enum err webhook_request(struct db *, struct arena *, const char *account,
    const char *event, const char *id, const char *type) MUST_CHECK;

/*
 * The account's balance has moved by so much, which is negative where it was used:
 * balance.low when it has come down to billing.low_credits, balance.empty when it has
 * come down to nothing.
 */
enum err webhook_balance_moved(struct db *, struct arena *, const struct conf *,
    const char *account, int64_t micro) MUST_CHECK;

#endif
