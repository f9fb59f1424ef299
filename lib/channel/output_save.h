/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_OUTPUT_SAVE_H
#define CHANNEL_OUTPUT_SAVE_H

#include "session/session.h"
#include "store/channel_outputs.h"

/*
 * Store the state of an output of the session's channel. If that fails, failed() is
 * called on the event loop with the output's id and language.
 */
void output_save(struct session *, const struct channel_output *, const char *language,
    void (*failed)(struct session *, const char *id, const char *language));

#endif
