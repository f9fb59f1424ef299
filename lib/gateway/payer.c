#include "gateway/payer.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/room.h"
#include "store/accounts.h"

#define CHECK_US (3 * S_US)   /* between two checks of an account */
#define SOONEST_US (S_US / 4) /* the same when it has hardly anything left */

struct payer {
	struct payer *next;
	struct arena *mem;
	struct gate *gate;
	const char *account;
	struct room *rooms; /* linked by room.fellow */
	int64_t due_us;     /* of the next check */
	bool asked;         /* one is under way */
};

struct check {
	struct errand errand;
	struct payer *payer;
	const char *account;
	struct running *running; /* what is not booked yet */
	size_t n;
	enum err how; /* ERR_NOT_FOUND: it is suspended */
	int64_t left_micro, next_us;
};

/* ---- accounts that pay ---- */

static void
free_unused(struct payer *p)
{
	struct payer **at = &p->gate->payers;

	if (p->rooms != NULL || p->asked)
		return;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	arena_free(p->mem);
}

static struct payer *
payer_for(struct gate *g, const char *account)
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
		.gate = g,
		.account = arena_str(mem, account) };
	return g->payers = p;
}

void
payer_enter(struct room *r)
{
	r->payer = payer_for(r->gate, r->account);
	r->fellow = r->payer->rooms;
	r->payer->rooms = r;
}

void
payer_leave(struct room *r)
{
	struct room **at = &r->payer->rooms;

	while (*at != r)
		at = &(*at)->fellow;
	*at = r->fellow;
	free_unused(r->payer);
}

/* A room that only waits for speech at a media server costs nothing, and stays. */
static void
end_all(const struct payer *p, const char *code, const char *desc)
{
	for (struct room *r = p->rooms; r != NULL; r = r->fellow)
		if (!r->closed && (r->clients != NULL || r->metered_us != 0))
			book_end(r, code, desc);
}

void
payer_spent(struct payer *p)
{
	end_all(p, "INSUFFICIENT_BALANCE", "Insufficient balance");
}

/* ---- checks ---- */

static void
checked(struct gate *g, struct errand *e)
{
	struct check *c = (struct check *)e;
	struct payer *p = c->payer;

	(void)g;
	p->asked = false;
	p->due_us = monotonic_us() + c->next_us;
	if (c->how == ERR_NOT_FOUND)
		end_all(p, "SESSION_CLOSED", "The account is suspended");
	else if (c->how == OK && c->left_micro <= 0)
		payer_spent(p);
	else if (c->how != OK)
		log_warn("an account was not checked: %s", err_name(c->how));
	arena_free(e->letter.mem);
	free_unused(p);
}

/* What is left, and when to look again: by then it is not used up for long. */
static void
reckon(const struct conf *conf, struct check *c, int64_t balance_micro)
{
	int64_t soon = 0; /* what all of it costs until the next check */

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

/* On the desk, behind the entries that were sent there before. */
static void
check(struct gate *g, struct errand *e)
{
	struct check *c = (struct check *)e;
	int64_t balance_micro = 0;

	c->next_us = CHECK_US;
	c->how = account_active(g->app.db, c->account, &balance_micro);
	if (c->how == OK)
		reckon(g->conf, c, balance_micro);
	e->run = checked;
	mailbox_send(g->to_sockets, &e->letter);
}

static void
ask(struct payer *p, int64_t now)
{
	struct check *c = ERRAND(struct check);
	struct arena *mem = c->errand.letter.mem;
	size_t rooms = 0;

	for (const struct room *r = p->rooms; r != NULL; r = r->fellow)
		rooms++;
	c->errand.run = check;
	c->payer = p;
	c->account = arena_str(mem, p->account);
	c->running = arena_alloc(mem, rooms * sizeof(*c->running));
	for (const struct room *r = p->rooms; r != NULL; r = r->fellow)
		c->n += r->ops->running(r, now, &c->running[c->n]);
	p->asked = true;
	mailbox_send(p->gate->to_desk, &c->errand.letter);
}

void
payers_turn(struct gate *g, int64_t now)
{
	for (struct payer *p = g->payers; p != NULL; p = p->next)
		if (!p->asked && now >= p->due_us)
			ask(p, now);
}
