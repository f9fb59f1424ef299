/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/payer.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "session/session.h"
#include "store/accounts.h"

#define CHECK_US (3 * S_US) /* time between two checks of an account */
/* time between two checks when the balance is almost 0 */
#define SOONEST_US (S_US / 4)

struct payer {
	struct payer *next; /* next in gateway.payers */
	struct arena *mem;  /* owned */
	struct gateway *gateway;
	const char *account;
	struct session *sessions; /* linked by next_of_account */
	int64_t due_us;           /* time of the next check, monotonic_us() */
	bool asked;               /* a check is under way */
};

/* Call to the database thread. */
struct check {
	struct thread_call call;
	struct payer *payer; /* valid while the check runs */
	const char *account;
	struct running *running; /* usage not booked yet, n of them */
	size_t n;
	enum err how;       /* result; ERR_NOT_FOUND: suspended */
	int64_t left_micro; /* result: credits x 1,000,000 left */
	int64_t next_us;    /* result: time until the next check */
};

/* ---- accounts with sessions ---- */

static void
free_unused(struct payer *p)
{
	struct payer **at = &p->gateway->payers;

	if (p->sessions != NULL || p->asked)
		return;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	arena_free(p->mem);
}

static struct payer *
payer_for(struct gateway *g, const char *account)
{
	struct payer *p = g->payers;
	struct arena *mem;

	while (p != NULL && strcmp(p->account, account) != 0)
		p = p->next;
	if (p != NULL)
		return p;
	mem = arena_new();
	p = arena_alloc(mem, sizeof(*p));
	*p = (struct payer){ .next = g->payers,
		.mem = mem,
		.gateway = g,
		.account = arena_str(mem, account) };
	return g->payers = p;
}

void
payer_enter(struct session *s)
{
	s->payer = payer_for(s->gateway, s->account);
	s->next_of_account = s->payer->sessions;
	s->payer->sessions = s;
}

void
payer_leave(struct session *s)
{
	struct session **at = &s->payer->sessions;

	while (*at != s)
		at = &(*at)->next_of_account;
	*at = s->next_of_account;
	free_unused(s->payer);
}

/* Sessions that only wait for speech at a media server cost nothing and stay open. */
static void
end_all(const struct payer *p, enum close_why why, const char *desc)
{
	for (struct session *s = p->sessions; s != NULL; s = s->next_of_account)
		if (s->connections != NULL || s->meter.since_us != 0)
			session_close_soon(s, why, desc);
}

void
payer_spent(struct payer *p)
{
	end_all(p, CLOSE_BALANCE, "Insufficient balance");
}

/* ---- checks ---- */

static void
checked(struct gateway *g, struct thread_call *e)
{
	struct check *c = (struct check *)e;
	struct payer *p = c->payer;

	(void)g;
	p->asked = false;
	p->due_us = monotonic_us() + c->next_us;
	if (c->how == ERR_NOT_FOUND)
		end_all(p, CLOSE_SESSION_CLOSED, "The account is suspended");
	else if (c->how == OK && c->left_micro <= 0)
		payer_spent(p);
	else if (c->how != OK)
		log_warn("an account was not checked: %s", err_name(c->how));
	arena_free(e->message.mem);
	free_unused(p);
}

/* Compute the balance left, and the next check: when it may be used up. */
static void
reckon(const struct conf *conf, struct check *c, int64_t balance_micro)
{
	int64_t soon = 0; /* cost of all sessions during CHECK_US */

	c->left_micro = balance_micro;
	for (size_t i = 0; i < c->n; i++) {
		const struct running *u = &c->running[i];

		c->left_micro -= price_micro(conf, u->kind, u->from, u->to);
		if (u->kind != METER_TTS)
			soon += price_micro(conf, u->kind, u->to, u->to + CHECK_US);
	}
	if (c->left_micro > soon || c->left_micro <= 0)
		return;
	c->next_us = (int64_t)((double)CHECK_US * (double)c->left_micro / (double)soon);
	if (c->next_us < SOONEST_US)
		c->next_us = SOONEST_US;
}

/* Check the account. Runs on the database thread, after the bookings sent before. */
static void
check(struct gateway *g, struct thread_call *e)
{
	struct check *c = (struct check *)e;
	int64_t balance_micro = 0;

	c->next_us = CHECK_US;
	c->how = account_active(g->app.db, c->account, &balance_micro);
	if (c->how == OK)
		reckon(g->conf, c, balance_micro);
	session_answer(g, e, checked);
}

static void
ask(struct payer *p, int64_t now)
{
	struct check *c = THREAD_CALL(struct check);
	struct arena *mem = c->call.message.mem;
	size_t n = 0;

	for (const struct session *s = p->sessions; s != NULL; s = s->next_of_account)
		n++;
	c->call.run = check;
	c->payer = p;
	c->account = arena_str(mem, p->account);
	c->running = arena_alloc(mem, n * sizeof(*c->running));
	for (const struct session *s = p->sessions; s != NULL; s = s->next_of_account)
		c->n += s->ops->running(s, now, &c->running[c->n]);
	p->asked = true;
	mailbox_send(p->gateway->to_db_thread, &c->call.message);
}

void
payer_tick(struct gateway *g, int64_t now)
{
	for (struct payer *p = g->payers; p != NULL; p = p->next)
		if (!p->asked && now >= p->due_us)
			ask(p, now);
}
