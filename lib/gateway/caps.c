#include "gateway/caps.h"

#include "base/clock.h"

struct caps {
	struct gate *gate;
	struct actor *actor;
	int64_t asked_us;  /* of the sockets */
	atomic_bool known; /* all of them have answered */
};

struct caps_letter {
	struct letter letter;
	struct registry *engines;
	struct errand *then; /* or NULL */
};

static void
ask(void *arg, struct letter *letter)
{
	struct caps_letter *l = (struct caps_letter *)letter;
	struct caps *c = arg;

	c->known = registry_learn(l->engines);
	registry_drop(l->engines);
	if (l->then != NULL)
		mailbox_send(c->gate->to_sockets, &l->then->letter);
	arena_free(letter->mem);
}

static void
gone(void *arg)
{
	(void)arg;
}

struct caps *
caps_new(struct gate *g)
{
	struct caps *c = arena_alloc(g->mem, sizeof(*c));

	c->gate = g;
	c->asked_us = monotonic_us();
	c->actor = actor_new(g->pool, c, ask, gone);
	return c;
}

void
caps_ask(struct caps *c, struct registry *engines, struct errand *then)
{
	struct caps_letter *l = LETTER(struct caps_letter);

	l->engines = registry_hold(engines);
	l->then = then;
	actor_send(c->actor, &l->letter);
}

void
caps_turn(struct caps *c, int64_t now)
{
	if (now < c->asked_us + (c->known ? CAPS_US : CAPS_SOON_US))
		return;
	c->asked_us = now;
	caps_ask(c, c->gate->engines, NULL);
}

void
caps_leave(struct caps *c)
{
	actor_leave(c->actor);
}
