/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CHANNEL_INPUT_H
#define SERVICE_CHANNEL_INPUT_H

#include "base/conf.h"
#include "store/channels.h"

/*
 * Check rules that concern several fields. data is the JSON that was read into *in;
 * afterwards the ids of *in are in lower case.
 */
struct fault *channel_new_rules(
    struct arena *, const struct json *data, struct channel_in *);
struct fault *channel_edit_rules(struct arena *, const struct json *data,
    const struct channel_in *, const struct channel *was);
/* Check the addresses that captions are posted to; faults are added to those given. */
struct fault *channel_address_rules(
    const struct conf *, struct arena *, const struct channel_in *, struct fault *);

/* Apply the input to a channel, which keeps its id, place and input. */
void channel_edit(struct arena *, const struct json *data, const struct channel_in *,
    struct channel *);
/* Apply the input to the defaults of a new channel, with its type and input. */
void channel_new(struct arena *, const struct json *data, const struct channel_in *,
    struct channel *);

#endif
