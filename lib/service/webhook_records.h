/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_WEBHOOK_RECORDS_H
#define SERVICE_WEBHOOK_RECORDS_H

#include "base/conf.h"
#include "store/channels.h"

struct event;

/*
 * Messages to webhooks about records. Each is written in the caller's transaction,
 * after the change that it reports. The data is the record as GET returns it now,
 * without secrets, tokens, signed links and access codes. If no webhook wants the type,
 * the cost is one lookup in an index.
 */

/*
 * Send voice.ready or voice.failed for the voice's current state; for other states
 * nothing.
 */
enum err webhook_voice(struct db *, struct arena *, const struct conf *,
    const char *account, const char *id) MUST_CHECK;
/*
 * Send glossary.ready or glossary.failed for the glossary's current state; for other
 * states nothing.
 */
enum err webhook_glossary(struct db *, struct arena *, const struct conf *,
    const char *account, const char *id) MUST_CHECK;

/* Send a message of a type event.*, about an event as it was just read. */
enum err webhook_event(struct db *, struct arena *, const struct conf *,
    const struct event *, const char *type) MUST_CHECK;
/* As webhook_event(), for the event with this id. ERR_NOT_FOUND is not an error here.
 */
enum err webhook_event_of(struct db *, struct arena *, const struct conf *,
    const char *account, const char *id, const char *type) MUST_CHECK;

/*
 * The messages about a channel's change by channel_put(): channel.ready,
 * channel.failed, channel.live, channel.stopped; and event.live with the first live
 * channel.
 */
enum err webhook_channel_changed(struct db *, struct arena *, const struct conf *,
    const struct channel *was, const struct channel *now) MUST_CHECK;
/*
 * Send a message of another type about a channel, such as channel.deleted. The channel
 * may be deleted already.
 */
enum err webhook_channel(struct db *, struct arena *, const struct conf *,
    const struct channel *, const char *type) MUST_CHECK;

/* Send listener_request.created or .decided: the request as in lists, and its event. */
enum err webhook_request(struct db *, struct arena *, const char *account,
    const char *event, const char *id, const char *type) MUST_CHECK;

/*
 * Report that the account's balance changed by this amount, which is negative for
 * usage. Sends balance.low when the balance falls to billing.low_credits, and
 * balance.empty when it falls to 0.
 */
enum err webhook_balance_moved(struct db *, struct arena *, const struct conf *,
    const char *account, int64_t micro) MUST_CHECK;

#endif
