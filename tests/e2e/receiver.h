/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_RECEIVER_H
#define E2E_RECEIVER_H

/*
 * A server on 127.0.0.1, in threads of this process, which receives messages to
 * webhooks; tests/unit/webhook_receiver.h describes its paths.
 */

/* Starts it; returns its port. */
int receiver_begin(void);
/* Messages so far; the body and a header (NULL: there is none) of the n-th, from 0. */
int receiver_total(void);
const char *receiver_body(int n);
const char *receiver_head(int n, const char *name);
/* Connections that hang. */
int receiver_waiting(void);

#endif
