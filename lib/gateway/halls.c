#include "gateway/halls.h"

#include "base/clock.h"
#include "base/log.h"
#include "gateway/node.h"
#include "gateway/onair.h"
#include "gateway/studio.h"
#include "store/ledger.h"

#define LOOK_US (4 * S_US)

/* All that there are now; it goes to the sockets. */
struct halls {
	struct errand errand;
	int64_t seen_us;
	struct hall {
		const char *id, *account, *event, *broadcast;
		const char *pipeline;  /* of its task */
		struct list languages; /* const char *: its targets */
	} * items;
	size_t n;
};

/* ---- on the sockets' thread ---- */

static void
open_hall(struct gate *g, const struct hall *h, int64_t seen_us)
{
	const struct visitor v = { .kind = SOCKET_S2S,
		.account = h->account,
		.stream = h->id,
		.event = h->event,
		.broadcast = h->broadcast,
		.pipeline = h->pipeline };
	struct room *r = room_for(g, &v);

	r->hall_us = seen_us;
	studio_open(r, h->broadcast, &h->languages, false);
	onair_follow(r, h->pipeline);
}

static void
open_halls(struct gate *g, struct errand *e)
{
	const struct halls *all = (const struct halls *)e;

	for (size_t i = 0; i < all->n && !g->stopping; i++)
		open_hall(g, &all->items[i], all->seen_us);
	for (struct room *r = room_all(g); r != NULL; r = r->next)
		if (r->air != NULL && r->hall_us != all->seen_us)
			studio_close(r);
	arena_free(e->letter.mem);
}

/* ---- on the desk ---- */

/* Of the nodes that share a media server one alone speaks into a channel's room. */
static bool
is_ours(struct gate *g, struct arena *mem, const struct channel *c)
{
	const struct node_task t = { NODE_CHANNEL, c->id, c->node };
	struct node other;

	return node_claim(g->app.db, mem, g->conf, &t, &other) == OK;
}

static bool
can_pay(struct db *db, const struct channel *c)
{
	int64_t micro;

	return ledger_balance(db, c->account, &micro) == OK && micro > 0;
}

static enum err
read_halls(struct gate *g, struct halls *to)
{
	struct arena *mem = to->errand.letter.mem;
	const struct channel *c;
	struct list all;
	enum err e = channels_on_air(g->app.db, mem, &all);

	if (e != OK)
		return e;
	c = all.items;
	to->items = arena_alloc(mem, (all.n + 1) * sizeof(*to->items));
	for (size_t i = 0; i < all.n; i++, c++)
		if (is_ours(g, mem, c) && can_pay(g->app.db, c))
			to->items[to->n++] = (struct hall){ c->id, c->account, c->event,
				c->broadcast, onair_pipeline(mem, c),
				texts_read(mem, c->target_languages) };
	return OK;
}

void
halls_look(struct gate *g)
{
	int64_t now = monotonic_us();
	struct halls *h;

	if (g->studio == NULL || g->app.db == NULL || now < g->halls_us + LOOK_US)
		return;
	g->halls_us = now;
	h = ERRAND(struct halls);
	h->seen_us = now;
	if (read_halls(g, h) != OK) {
		log_warn("channels at the media server stay as they are");
		arena_free(h->errand.letter.mem);
		return;
	}
	h->errand.run = open_halls;
	mailbox_send(g->to_sockets, &h->errand.letter);
}
