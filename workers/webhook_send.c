/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends messages to webhooks. A try waits for the customer's server, so each has a
 * thread; the main thread leases deliveries, starts their tries and stores the results.
 * One endpoint gets a few tries at a time, and those that fail or are slow never have
 * all of the threads, so no endpoint delays the others. If the worker is killed, its
 * running tries are due again at its next start.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/actor.h"
#include "base/clock.h"
#include "base/log.h"
#include "service/node.h"
#include "service/webhook.h"
#include "work/work.h"

#define NAME "webhook_send"
#define ALL 32          /* tries at a time, */
#define FAILING 16      /* most tries at a time of endpoints that fail or are slow */
#define PARALLEL 4      /* tries of one endpoint at a time, */
#define ONE_AT_A_TIME 1 /* tries of an endpoint that fails or is slow */
#define LEASE_S (2 * WEBHOOK_TRY_S)
#define STAYS_S 30 /* least stay, even if worker.linger_s is shorter */
/* seconds at the beginning of a minute in which the worker stops */
#define HANDOVER_S 5
#define BREAK_OFF_US S_US /* time after which running tries are broken off */
#define AGAIN_US S_US     /* time until it looks again at what could not begin */

/* A try; its strings live in the message's arena. */
struct flight {
	struct actor_message message;
	const struct conf *conf;
	struct webhook_due to;
	struct webhook_delivery delivery;
	struct webhook_result result;
	enum err how; /* result of the try; ERR_BUSY: it was broken off */
};

static struct sender {
	struct arena *mem;
	struct pool *pool;     /* NULL: nothing has been sent yet */
	struct mailbox *ended; /* NULL: it is not open */
	struct wakeup wakeup;
	struct actor_message *unwritten; /* ended, but not yet stored */
	int under_way, failing; /* tries to failing endpoints, of all running tries */
	int64_t until_us;       /* time from which it may stop */
	int64_t leaving_us;     /* time since which no try begins; 0: it runs */
	const char *holder;
	atomic_bool stopping; /* tries are broken off */
} sender;

/* ---- a try, on its own thread ---- */

static bool
is_unwanted(void *arg)
{
	(void)arg;
	return sender.stopping;
}

static void
try_delivery(void *self, struct actor_message *m)
{
	struct flight *f = (struct flight *)m;

	(void)self;
	f->how =
	    webhook_try(f->conf, m->mem, &f->to, &f->delivery, is_unwanted, &f->result);
	mailbox_send(sender.ended, m);
}

static void
no_more(void *self)
{
	(void)self;
}

/* ---- starting tries ---- */

static bool
open_sender(struct work *w)
{
	int64_t s = w->conf->worker_linger_s;

	if (sender.ended != NULL)
		return true;
	sender.mem = arena_new();
	sender.holder = arena_printf(sender.mem, "%s/" NAME, w->conf->node);
	sender.until_us = monotonic_us() + (s > STAYS_S ? s : STAYS_S) * S_US;
	if (!wakeup_open(&sender.wakeup)) {
		log_error("there are no free descriptors");
		return false;
	}
	sender.ended = mailbox_new(sender.mem, wakeup_wake, &sender.wakeup);
	return true;
}

static void
start(struct work *w, const struct webhook_due *to, const struct webhook_delivery *d)
{
	struct arena *mem = arena_new();
	struct flight *f = arena_alloc(mem, sizeof(*f));
	struct actor *a;

	f->message.mem = mem;
	f->conf = w->conf;
	f->to = *to;
	f->to.id = arena_str(mem, to->id);
	f->to.url = arena_str(mem, to->url);
	f->to.seed = arena_str(mem, to->seed);
	f->to.old_seed = arena_str(mem, to->old_seed);
	f->delivery = *d;
	f->delivery.id = arena_str(mem, d->id);
	f->delivery.webhook = f->to.id;
	f->delivery.message = arena_str(mem, d->message);
	f->delivery.type = arena_str(mem, d->type);
	f->delivery.body = arena_str(mem, d->body);
	f->delivery.key = arena_str(mem, d->key);
	sender.under_way++;
	sender.failing += to->failing;
	if (sender.pool == NULL)
		sender.pool = pool_start(ALL, NULL);
	a = actor_new(sender.pool, NULL, try_delivery, no_more);
	actor_send(a, &f->message);
	actor_leave(a);
}

/*
 * Stop at the start of a minute, when cron starts the next worker, which waits for this
 * one. Otherwise there would be no worker until the next minute.
 */
static bool
is_leaving(void)
{
	int64_t now = monotonic_us();

	if (sender.leaving_us == 0 && now > sender.until_us &&
	    now_us() / S_US % 60 < HANDOVER_S)
		sender.leaving_us = now;
	return sender.leaving_us != 0;
}

/* Returns how many more tries may begin. */
static int
room(bool failing)
{
	int all = ALL - sender.under_way, some = FAILING - sender.failing;

	if (is_leaving())
		return 0;
	return failing && some < all ? some : all;
}

/* Lease the due deliveries of each endpoint, a list for each, in one transaction. */
static enum err
lease(struct work *w, const struct list *due, struct list *leased, bool failing)
{
	const struct webhook_due *to = due->items;
	struct webhook_lease how = { sender.holder, LEASE_S,
		failing ? ONE_AT_A_TIME : PARALLEL, room(failing) };
	enum err e = db_begin(w->db, DB_ROWS);

	for (size_t i = 0; e == OK && i < due->n && how.n > 0; i++) {
		e = webhook_delivery_lease(w->db, w->mem, to[i].id, &how, &leased[i]);
		how.n -= (int)leased[i].n;
	}
	if (e == OK)
		e = db_commit(w->db);
	db_rollback(w->db);
	return e;
}

/* Start as many of the due tries as may run. */
static enum err
start_due(struct work *w, bool failing)
{
	struct list due, *leased;
	enum err e;

	if (room(failing) <= 0)
		return OK;
	e = webhook_due_list(w->db, w->mem, failing, room(failing), &due);
	if (e != OK || due.n == 0)
		return e;
	leased = arena_alloc(w->mem, due.n * sizeof(*leased));
	if ((e = lease(w, &due, leased, failing)) != OK)
		return e;
	for (size_t i = 0; i < due.n; i++)
		for (size_t k = 0; k < leased[i].n; k++)
			start(w, (const struct webhook_due *)due.items + i,
			    (const struct webhook_delivery *)leased[i].items + k);
	return OK;
}

/* ---- results ---- */

/* Tries that have ended join those whose results could not be stored before. */
static void
collect_ended(void)
{
	struct actor_message **last = &sender.unwritten;

	while (*last != NULL)
		last = &(*last)->next;
	*last = mailbox_drain(sender.ended);
}

static enum err
write_one(struct work *w, const struct flight *f)
{
	enum err e = webhook_delivery_settle(w->db, &f->delivery, &f->result);

	if (e != ERR_STALE)
		return e;
	log_warn("delivery %s outlived its lease", f->delivery.id);
	return OK;
}

static void
forget_written(void)
{
	struct actor_message *m;

	while ((m = sender.unwritten) != NULL) {
		sender.unwritten = m->next;
		sender.under_way--;
		sender.failing -= ((struct flight *)m)->to.failing;
		arena_free(m->mem);
	}
}

/* Store all results in one transaction; if that fails, try again later. */
static enum err
write_ended(struct work *w)
{
	enum err e;

	collect_ended();
	if (sender.unwritten == NULL)
		return OK;
	e = db_begin(w->db, DB_ROWS);
	for (struct actor_message *m = sender.unwritten; e == OK && m; m = m->next)
		if (((struct flight *)m)->how == OK)
			e = write_one(w, (struct flight *)m);
	if (e == OK)
		e = db_commit(w->db);
	db_rollback(w->db);
	if (e == OK)
		forget_written();
	return e;
}

static bool
is_busy(void)
{
	return sender.under_way > 0 ||
	       (monotonic_us() > sender.until_us && !is_leaving());
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The time at which it must look whether it can stop. */
static int64_t
end_due(void)
{
	int64_t now = monotonic_us();

	if (sender.leaving_us != 0)
		return sender.leaving_us + BREAK_OFF_US;
	if (now <= sender.until_us)
		return sender.until_us + 1;
	return now + S_US * 60 - now_us() % (S_US * 60);
}

/* Start what is due. The end of a try makes room for others that are due already. */
static enum err
start_all(struct work *w)
{
	int64_t due_us, in_us;
	enum err e;

	if (room(false) <= 0)
		return OK;
	if ((e = webhook_due_next(w->db, &due_us)) != OK || due_us == NULL_INT)
		return e;
	if ((in_us = due_us - now_us()) > 0) {
		w->again_us = sooner(w->again_us, monotonic_us() + in_us);
		return OK;
	}
	w->again_us = sooner(w->again_us, monotonic_us() + AGAIN_US);
	if ((e = start_due(w, false)) == OK)
		e = start_due(w, true);
	return e;
}

static enum err
send_due(struct work *w)
{
	enum err e;

	if (!open_sender(w))
		return ERR_FAILED;
	wakeup_drain(&sender.wakeup);
	if (is_leaving() && monotonic_us() > sender.leaving_us + BREAK_OFF_US)
		sender.stopping = true;
	if ((e = write_ended(w)) == OK)
		e = start_all(w);
	w->again_us = sooner(w->again_us, end_due());
	return e;
}

/* ---- deleted webhooks ---- */

static enum job_end
purge(struct work *w, const struct job *jb, const char **why)
{
	return job_purge(w, jb, webhook_delivery_purge, why);
}

/* ---- the worker ---- */

/* Reclaim the deliveries that the last worker left. */
static bool
begin(struct work *w)
{
	int64_t n = 0;

	if (!node_is_fit(w) || !open_sender(w))
		return false;
	if (webhook_delivery_reclaim(w->db, sender.holder, &n) == OK && n > 0)
		log_info("%lld deliveries that the last worker broke off, or left as"
			 " it was killed, are due again",
		    (long long)n);
	return true;
}

/* Break off running tries; they will be due again. */
static void
end(void)
{
	struct actor_message *m;

	if (sender.ended == NULL)
		return;
	sender.stopping = true;
	if (sender.pool != NULL)
		pool_stop(sender.pool);
	collect_ended();
	while ((m = sender.unwritten) != NULL) {
		sender.unwritten = m->next;
		arena_free(m->mem);
	}
	wakeup_close(&sender.wakeup);
	arena_free(sender.mem);
}

static const struct job_kind kinds[] = {
	{ WEBHOOK_PURGE, purge, NULL, .lease_s = 600, .tries = 20 },
	{ NULL },
};

static const struct chore chores[] = {
	{ "send what is due", send_due, .every_s = 0, .idle_s = 30 },
	{ NULL },
};

#ifndef UNIT_TEST
static int
wakeup(void)
{
	return sender.wakeup.fd;
}

int
main(int argc, char **argv)
{
	static const struct worker is = { NAME, kinds, chores, begin, is_busy, wakeup };
	int status = work(&is, argc, argv);

	end();
	return status;
}
#endif
