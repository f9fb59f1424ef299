/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_AGENDA_WORDS_H
#define SERVICE_AGENDA_WORDS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/field.h"

/* Nouns: agenda. */

/*
 * Words of an event's agenda (struct event) that are likely to be spoken: names of
 * speakers and titles of sessions, lists of const char * without duplicates, at most
 * AGENDA_TEXTS each. stage: only its sessions; NULL: all. Sessions that ended more than
 * an hour before now_us are left out. agenda NULL: the lists are empty.
 */
#define AGENDA_TEXTS 300
void agenda_words(struct arena *, const char *agenda, const char *stage, int64_t now_us,
    struct list *names, struct list *titles);

#endif
