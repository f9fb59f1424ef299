/* What is the same for every engine: codes, texts that need none, lost terms. */
#include "speech/mt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "speech/mt_guard.h"

static const struct mt_engine *const engines[] = { &mt_apertium, &mt_libretranslate,
	&mt_http, &mt_script };

const struct mt_engine *
mt_find(const char *kind)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (strcmp(engines[i]->kind, kind) == 0)
			return engines[i];
	return NULL;
}

#define CODE_BYTES 16

/* "es-mx" -> "es"; false: no code is that long. */
static bool
copy_base(const char *code, char to[CODE_BYTES])
{
	size_t n = strcspn(code, "-");

	if (n >= CODE_BYTES)
		return false;
	memcpy(to, code, n);
	to[n] = '\0';
	return true;
}

/* Whether a word of the list is the code or its base. */
static bool
listed(const char *languages, const char *code)
{
	size_t n, base = strcspn(code, "-"), whole = strlen(code);

	if (languages == NULL)
		return true;
	for (; *(languages += strspn(languages, " ,")) != '\0'; languages += n) {
		n = strcspn(languages, " ,");
		if ((n == whole || n == base) && strncasecmp(languages, code, n) == 0)
			return true;
	}
	return false;
}

static bool
same_base(const char *a, const char *b)
{
	size_t n = strcspn(a, "-");

	return n == strcspn(b, "-") && memcmp(a, b, n) == 0;
}

/* ---- which pairs there are ---- */

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

/* Who tells about pairs of exactly two codes: the engine, or what is known of it. */
struct teller {
	const struct mt_engine *engine; /* NULL: it is not to be asked */
	const struct engine_at *at;
	const struct list *known;
};

static bool
has(const struct teller *t, const char *from, const char *to)
{
	const struct mt_pair p = { from, to };

	if (t->engine != NULL)
		return t->engine->pairs(t->at, from, to);
	return t->known->n > 0 &&
	       bsearch(&p, t->known->items, t->known->n, sizeof(p), by_codes) != NULL;
}

/* Codes that the engine can be asked for; they borrow from base or the caller. */
struct pair {
	const char *from, *to;
	char base[2][CODE_BYTES];
};

static bool
settle(const struct teller *t, struct pair *p)
{
	const char *from = p->from, *to = p->to;

	if (!listed(t->at->languages, from) || !listed(t->at->languages, to) ||
	    !copy_base(from, p->base[0]) || !copy_base(to, p->base[1]))
		return false;
	for (int i = 0; i < 4; i++) {
		p->from = i < 2 ? from : p->base[0];
		p->to = i % 2 == 0 ? to : p->base[1];
		if (has(t, p->from, p->to))
			return true;
	}
	return false;
}

bool
mt_pairs(const struct mt_engine *e, const struct engine_at *at, const char *from,
    const char *to)
{
	const struct teller t = { .engine = e, .at = at };
	struct pair p = { .from = from, .to = to };

	return same_base(from, to) || settle(&t, &p);
}

bool
mt_pairs_known(const struct engine_at *at, const struct list *known, const char *from,
    const char *to)
{
	const struct teller t = { .at = at, .known = known };
	struct pair p = { .from = from, .to = to };

	return same_base(from, to) || settle(&t, &p);
}

void
mt_warm(const struct mt_engine *e, const struct engine_at *at, const char *from,
    const char *to)
{
	const struct teller t = { .engine = e, .at = at };
	struct pair p = { .from = from, .to = to };

	if (e->warm != NULL && !same_base(from, to) && settle(&t, &p))
		e->warm(at, p.from, p.to);
}

/* Line ends and the like mean nothing in a sentence, and slots are made of them. */
static const char *
take_controls_out(struct arena *mem, const char *text)
{
	char *to = arena_str(mem, text);

	for (char *p = to; *p != '\0'; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	return to;
}

/* Again, without its terms, in the time that is left. */
static enum err
translate_bare(const struct mt_engine *e, const struct engine_at *at, struct arena *mem,
    struct mt_text t, const char **out)
{
	bool guarded;

	t.nterms = 0;
	if (t.timeout_ms <= 0)
		return ERR_TIMEOUT;
	return e->translate(at, mem, &t, out, &guarded);
}

enum err
mt_translate(const struct mt_engine *e, const struct engine_at *at, struct arena *mem,
    const struct mt_text *text, const char **out, bool *guarded)
{
	const struct teller by = { .engine = e, .at = at };
	struct pair p = { .from = text->from, .to = text->to };
	int64_t start_us = monotonic_us();
	struct mt_text t = *text;
	enum err err;

	*guarded = true;
	if (strlen(t.text) > MT_TEXT_BYTES)
		return ERR_LIMIT;
	t.text = take_controls_out(mem, t.text);
	if (same_base(t.from, t.to) || t.text[strspn(t.text, " ")] == '\0') {
		*out = mt_fill(mem, &t, mt_slots(mem, &t));
		return *out != NULL ? OK : ERR_FAILED;
	}
	if (!settle(&by, &p))
		return ERR_UNSUPPORTED;
	t.from = p.from;
	t.to = p.to;
	t.timeout_ms = mt_time_ms(at, &t);
	err = e->translate(at, mem, &t, out, guarded);
	if (err != OK || *guarded)
		return err;
	t.timeout_ms -= (monotonic_us() - start_us) / 1000;
	return translate_bare(e, at, mem, t, out);
}
