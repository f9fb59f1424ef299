#ifndef SERVICE_AGENDA_WORDS_H
#define SERVICE_AGENDA_WORDS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/field.h"

/* Nouns: agenda. */

/*
 * What is likely to be said, of an event's agenda (struct event): names of speakers and
 * titles of sessions, both of const char *, each once.  stage: only of its sessions;
 * NULL: of all.  Sessions that ended more than an hour before now_us are left out, and
 * what comes behind the first AGENDA_TEXTS of a kind.  agenda NULL: there is nothing.
 */
#define AGENDA_TEXTS 300
void agenda_words(struct arena *, const char *agenda, const char *stage, int64_t now_us,
    struct list *names, struct list *titles);

#endif
