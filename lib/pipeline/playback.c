/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/playback.h"

#include <assert.h>

void
playback_open(struct playback *p, struct playback_group *g)
{
	if (p->first == NULL)
		p->first = g;
	else
		p->end->next = g;
	p->end = g;
}

bool
playback_add(struct playback *p, struct playback_group *g, struct playback_chunk *c)
{
	assert(p->first != NULL || g->done);
	if (g->cut || g->done)
		return false;
	if (g->first == NULL)
		g->first = c;
	else
		g->end->next = c;
	g->end = c;
	g->us += c->us;
	return true;
}

static bool
leave(
    struct playback *p, struct playback_chunk *c, bool last, struct playback_output *to)
{
	struct playback_group *g = p->first;

	*to = (struct playback_output){ .group = g, .chunk = c, .last = last };
	g->sent++;
	g->done = last;
	if (last)
		p->first = g->next;
	return true;
}

bool
playback_next(
    struct playback *p, int64_t now_us, struct playback_output *to, int64_t *again_us)
{
	struct playback_group *g = p->first;
	struct playback_chunk *c;
	int64_t from_us = p->until_us > now_us ? p->until_us : now_us;

	*again_us = INT64_MAX;
	if (g == NULL)
		return false;
	c = g->first;
	if (g->cut && c == g->cut_at)
		return leave(p, NULL, true, to);
	if (c == NULL)
		return false;
	/* a chunk longer than PLAYBACK_AHEAD_US is sent when the player is empty */
	if (!p->unpaced && from_us > now_us &&
	    from_us + c->us > now_us + PLAYBACK_AHEAD_US) {
		*again_us = from_us + c->us - PLAYBACK_AHEAD_US;
		if (*again_us > p->until_us)
			*again_us = p->until_us;
		return false;
	}
	g->first = c->next;
	g->us -= c->us;
	p->until_us = from_us + c->us;
	return leave(p, c, c->last, to);
}

int64_t
playback_level_ms(const struct playback *p, int64_t now_us)
{
	int64_t us = p->until_us > now_us ? p->until_us - now_us : 0;

	for (const struct playback_group *g = p->first; g != NULL; g = g->next)
		us += g->us;
	return us / 1000;
}

/* Cut a group so that us microseconds of its unsent chunks remain. The chunks stay
   linked; the owner frees them. */
static void
cut(struct playback_group *g, int64_t us)
{
	struct playback_chunk *c = g->first;
	int64_t left = 0;

	while (c != NULL && (!g->cut || c != g->cut_at) && left + c->us <= us) {
		left += c->us;
		c = c->next;
	}
	g->cut = true;
	g->cut_at = c;
	g->us = left;
}

struct playback_group *
playback_shed(struct playback *p, int64_t now_us, int64_t max_ms)
{
	int64_t over_us = (playback_level_ms(p, now_us) - max_ms) * 1000;
	struct playback_group *last = NULL;

	if (p->unpaced || over_us <= 0)
		return NULL;
	for (struct playback_group *g = p->first; g != NULL; g = g->next) {
		if (g->us == 0)
			continue;
		last = g;
		if (g->sent == 0 && g->next != NULL) {
			cut(g, 0);
			return g;
		}
	}
	if (last != NULL)
		cut(last, last->us - over_us);
	return last;
}

void
playback_flush(struct playback *p)
{
	for (struct playback_group *g = p->first; g != NULL; g = g->next)
		cut(g, 0);
}
