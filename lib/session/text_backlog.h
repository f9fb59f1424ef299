#ifndef SESSION_TEXT_BACKLOG_H
#define SESSION_TEXT_BACKLOG_H

#include "session/session.h"

/*
 * The last final texts of a session, in memory as long as the session is: a subscriber
 * whose connection was lost asks for those that it missed.
 */
#define TEXT_BACKLOG_MOST 50 /* texts of each language */

/* Keep a final text; others are ignored. */
void text_backlog_add(
    struct session *, const struct task *, const struct pipeline_event *);
/*
 * Send what a subscriber asks for by `since`: the texts of its language behind those of
 * that segment, or all that are kept if it is not among them.
 */
void text_backlog_send(struct connection *);
void text_backlog_free(struct session *);

#endif
