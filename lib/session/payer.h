#ifndef SESSION_PAYER_H
#define SESSION_PAYER_H

#include "server/gateway.h"

struct session;

/*
 * The accounts whose sessions are open here; of the event loop.  Every few seconds,
 * and sooner where its credits end sooner, an account is looked at: when it was
 * suspended, or has nothing left once what runs and is not booked yet is taken off,
 * all its sessions end.
 */
struct payer;

/* A session of that account is open; it has its payer until payer_leave(). */
void payer_enter(struct session *);
void payer_leave(struct session *);
void payer_tick(struct gateway *, int64_t now_us);
/* The account has nothing left: all its sessions end. */
void payer_spent(struct payer *);

#endif
