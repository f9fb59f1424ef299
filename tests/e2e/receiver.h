/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_RECEIVER_H
#define E2E_RECEIVER_H

/*
 * A server on 127.0.0.1 for messages to webhooks, in threads of this process;
 * tests/unit/webhook_receiver.h describes its paths.
 */

/* Starts it; returns its port. */
int receiver_begin(void);
/*
 * Number of messages so far; and the body and a header (NULL: absent) of the n-th, from
 * 0.
 */
int receiver_total(void);
const char *receiver_body(int n);
const char *receiver_head(int n, const char *name);
/* Number of connections that the server keeps waiting. */
int receiver_waiting(void);

#endif
