/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/capability_probe.h"

#include "base/clock.h"

struct capability_probe {
	struct gateway *gateway;
	struct actor *actor;
	int64_t asked_us;  /* monotonic; event loop */
	atomic_bool known; /* all engines have answered */
};

struct capability_message {
	struct actor_message message;
	struct registry *engines;
	struct thread_call *then; /* or NULL */
};

static void
ask(void *arg, struct actor_message *message)
{
	struct capability_message *l = (struct capability_message *)message;
	struct capability_probe *c = arg;

	c->known = registry_discover(l->engines);
	registry_drop(l->engines);
	if (l->then != NULL)
		mailbox_send(c->gateway->to_event_loop, &l->then->message);
	arena_free(message->mem);
}

static void
gone(void *arg)
{
	(void)arg;
}

struct capability_probe *
capability_probe_new(struct gateway *g)
{
	struct capability_probe *c = arena_alloc(g->mem, sizeof(*c));

	c->gateway = g;
	c->asked_us = monotonic_us();
	c->actor = actor_new(g->pool, c, ask, gone);
	return c;
}

void
capability_probe_ask(
    struct capability_probe *c, struct registry *engines, struct thread_call *then)
{
	struct capability_message *l = ACTOR_MESSAGE(struct capability_message);

	l->engines = registry_hold(engines);
	l->then = then;
	actor_send(c->actor, &l->message);
}

int64_t
capability_probe_due_us(const struct capability_probe *c)
{
	return c->asked_us +
	       (c->known ? CAPABILITY_PROBE_US : CAPABILITY_PROBE_SOON_US);
}

void
capability_probe_tick(struct capability_probe *c, int64_t now)
{
	if (now < capability_probe_due_us(c))
		return;
	c->asked_us = now;
	capability_probe_ask(c, c->gateway->engines, NULL);
}

void
capability_probe_leave(struct capability_probe *c)
{
	actor_leave(c->actor);
}
