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

#endif
