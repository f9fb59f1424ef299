/*
 * Codes are tried as they are, then by their bases; where there is no pair, with pivot
 * two of them, that have a language in between.
 */
#include "speech/mt_pivot.h"

#include <stdlib.h>
#include <string.h>

#include "base/lang.h"

static int
by_codes(const void *a, const void *b)
{
	const struct mt_pair *x = a, *y = b;
	int d = strcmp(x->from, y->from);

	return d != 0 ? d : strcmp(x->to, y->to);
}

enum err
mt_learn(const struct mt_engine *e, const struct engine_at *at, struct arena *mem,
    struct list *to)
{
	enum err err = e->list(at, mem, to);

	if (err == OK && to->n > 0)
		qsort(to->items, to->n, sizeof(struct mt_pair), by_codes);
	return err;
}

static bool
has(const struct mt_teller *t, const struct mt_step *s)
{
	const struct mt_pair p = { s->from, s->to };

	if (t->engine != NULL)
		return t->engine->pairs(t->at, s->from, s->to);
	return t->known->n > 0 &&
	       bsearch(&p, t->known->items, t->known->n, sizeof(p), by_codes) != NULL;
}

/* The code or, "es-mx" -> "es", its base. */
static void
copy_code(char to[LANG_BYTES], const char *code, bool base)
{
	size_t n = base ? strcspn(code, "-") : strlen(code);

	memcpy(to, code, n);
	to[n] = '\0';
}

static bool
settle(
    const struct mt_teller *t, const char *from, const char *to, struct mt_step *step)
{
	if (strlen(from) >= LANG_BYTES || strlen(to) >= LANG_BYTES ||
	    !lang_covered(t->at->languages, from) ||
	    !lang_covered(t->at->languages, to))
		return false;
	for (int i = 0; i < 4; i++) {
		copy_code(step->from, from, i >= 2);
		copy_code(step->to, to, i % 2 == 1);
		if (has(t, step))
			return true;
	}
	return false;
}

static bool
try_via(const struct mt_teller *t, const char *from, const char *to, const char *via,
    struct mt_pivot *way)
{
	if (lang_same_base(from, via) || lang_same_base(via, to) ||
	    strcmp(via, "auto") == 0 || !settle(t, from, via, &way->step[0]) ||
	    !settle(t, via, to, &way->step[1]))
		return false;
	way->via = via;
	way->n = 2;
	return true;
}

/* Those first that most pairs of Apertium have on one side. */
static bool
find_via(
    const struct mt_teller *t, const char *from, const char *to, struct mt_pivot *way)
{
	static const char *const first[] = { "en", "es", "ca", NULL };

	for (const char *const *via = first; *via != NULL; via++)
		if (try_via(t, from, to, *via, way))
			return true;
	for (const char *const *via = lang_target; *via != NULL; via++)
		if (try_via(t, from, to, *via, way))
			return true;
	return false;
}

bool
mt_pivot_find(
    const struct mt_teller *t, const char *from, const char *to, struct mt_pivot *way)
{
	*way = (struct mt_pivot){ .n = 1 };
	return settle(t, from, to, &way->step[0]) ||
	       (t->at->pivot && find_via(t, from, to, way));
}

bool
mt_pairs(const struct mt_engine *e, const struct engine_at *at, const char *from,
    const char *to)
{
	const struct mt_teller t = { .at = at, .engine = e };
	struct mt_pivot way;

	return lang_same_base(from, to) || mt_pivot_find(&t, from, to, &way);
}

bool
mt_pairs_known(const struct engine_at *at, const struct list *known, const char *from,
    const char *to, const char **via)
{
	const struct mt_teller t = { .at = at, .known = known };
	struct mt_pivot way = { .via = NULL };
	bool has = lang_same_base(from, to) || mt_pivot_find(&t, from, to, &way);

	*via = has ? way.via : NULL;
	return has;
}
