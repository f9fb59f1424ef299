#ifndef GATEWAY_PAYER_H
#define GATEWAY_PAYER_H

#include "gateway/gate.h"

struct room;

/*
 * The accounts whose rooms are open here; of the sockets' thread.  Every few seconds,
 * and sooner where its credits end sooner, an account is looked at: when it was
 * suspended, or has nothing left once what runs and is not booked yet is taken off,
 * all its rooms end.
 */
struct payer;

/* A room of that account is open; it has its payer until payer_leave(). */
void payer_enter(struct room *);
void payer_leave(struct room *);
void payers_turn(struct gate *, int64_t now_us);
/* The account has nothing left: all its rooms end. */
void payer_spent(struct payer *);

#endif
