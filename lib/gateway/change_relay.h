/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_CHANGE_RELAY_H
#define GATEWAY_CHANGE_RELAY_H

#include "gateway/gateway.h"

/*
 * Carries the changes of the database between nodes, over NATS: each tells the others
 * that one of its processes has committed something, and all processes there look as
 * after a change of their own node.  A hint only: a lost one is made up by the interval
 * of db_pulse().  Without cluster.nats the functions do nothing.
 */

/* Begin to receive hints. Before the threads start. */
void change_relay_start(struct gateway *);
/* Tell the others if db_pulse() has changed by this node. In each turn of the database
   thread. */
void change_relay_note(struct gateway *, int64_t pulse, int64_t now_us);

#endif
