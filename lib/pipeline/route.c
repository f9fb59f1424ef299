/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/route.h"

#include <string.h>

#include "base/clock.h"
#include "speech/placeholders.h"

struct step {
	struct registry *registry;
	const struct registry_engine *engine;
	struct arena *mem;
};

static enum err
translate(const struct step *s, const struct mt_text *t, const char **out,
    struct faithful *how)
{
	int64_t start_us = monotonic_us();
	struct registry_call call = { s->engine, t->from, t->to,
		faithful_translate(
		    s->engine->mt, &s->engine->at, s->mem, t, out, how) };

	call.took_us = monotonic_us() - start_us;
	registry_report(s->registry, &call, monotonic_us());
	return call.how;
}

/*
 * The text of the second step. Its terms are at the places where the first step put
 * them.
 */
static enum err
connect(struct arena *mem, const struct mt_text *text, const char *between,
    struct mt_text *second)
{
	struct mt_term *terms = arena_alloc(mem, (text->nterms + 1) * sizeof(*terms));

	second->text = mt_refill(mem, text, between, terms);
	second->terms = terms;
	if (second->text == NULL)
		return ERR_FAILED;
	return strlen(second->text) > MT_TEXT_BYTES ? ERR_LIMIT : OK;
}

enum err
route_translate(struct registry *reg, const struct registry_way *way, struct arena *mem,
    const struct mt_text *text, const char **out, struct faithful *how)
{
	struct step s = { reg, way->engine, mem };
	struct mt_text first = *text, second = *text;
	struct faithful before = *how;
	const char *between;
	enum err e;

	if (way->second == NULL)
		return translate(&s, text, out, how);
	first.to = second.from = way->via;
	first.terms = mt_carry(mem, text);
	second.before = (struct list){ 0 }; /* in the source language */
	if ((e = translate(&s, &first, &between, &before)) != OK)
		return e;
	if (!before.guarded) {
		second.text = between;
		second.nterms = 0;
	} else if ((e = connect(mem, text, between, &second)) != OK)
		return e;
	s.engine = way->second;
	e = translate(&s, &second, out, how);
	how->guarded &= before.guarded;
	how->negated |= before.negated;
	return e;
}
