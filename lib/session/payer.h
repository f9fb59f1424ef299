/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_PAYER_H
#define SESSION_PAYER_H

#include "gateway/gateway.h"

struct session;

/*
 * An account with open sessions on this node. Belongs to the event loop. Each account
 * is checked every few seconds, or sooner if its balance may run out. All its sessions
 * end when it is suspended, or when its balance without unbooked usage is 0 or less.
 */
struct payer;

/* A session was opened: set its payer, valid until payer_leave(). */
void payer_enter(struct session *);
void payer_leave(struct session *);
/* Start the checks that are due. */
void payer_tick(struct gateway *, int64_t now_us);
/* The balance is used up: end all sessions of the account. */
void payer_spent(struct payer *);

#endif
