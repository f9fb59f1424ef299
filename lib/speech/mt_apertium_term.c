#include "speech/mt_apertium_term.h"

#include <string.h>

#include "base/lang.h"
#include "base/text.h"
#include "speech/mt_apertium_line.h"
#include "speech/mt_apertium_mode.h"
#include "speech/mt_apertium_text.h"
#include "speech/placeholders.h"

#define CPU_MS 3000

/* ---- the words that go in place of nouns ---- */

/*
 * In the languages of these pairs a car and a dog are masculine, a city is feminine,
 * and the words are nothing but nouns.
 */
static const struct stand_in {
	const char *lang;
	const char *word[2][2]; /* [feminine][plural] */
} stand_ins[] = {
	{ "en", { { "car", "cars" }, { "city", "cities" } } },
	{ "es", { { "perro", "perros" }, { "ciudad", "ciudades" } } },
	{ "fr", { { "chien", "chiens" }, { "ville", "villes" } } },
	{ "ca", { { "gos", "gossos" }, { "ciutat", "ciutats" } } },
	{ "pt", { { "cão", "cães" }, { "cidade", "cidades" } } },
	{ "gl", { { "can", "cans" }, { "cidade", "cidades" } } },
	{ "it", { { "cane", "cani" }, { "casa", "case" } } },
};
/* What they are translated into has two genders, or none. */
static const char *const targets[] = { "es", "fr", "ca", "pt", "gl", "it", "en" };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct stand_in *
stand_in_for(const char *from, const char *to)
{
	size_t i = 0, k = 0;

	while (i < COUNT(stand_ins) && !lang_same_base(stand_ins[i].lang, from))
		i++;
	while (k < COUNT(targets) && !lang_same_base(targets[k], to))
		k++;
	return i < COUNT(stand_ins) && k < COUNT(targets) ? &stand_ins[i] : NULL;
}

/* ---- what the analyser says ---- */

/* "^surface/reading/reading$": where the reading behind s begins, with its end. */
static const char *
next_reading(const char *s, const char *end, size_t *n)
{
	const char *next;

	while (s < end && *s != '/')
		s += *s == '\\' ? 2 : 1;
	if (s >= end)
		return NULL;
	for (next = ++s; next < end && *next != '/';)
		next += *next == '\\' ? 2 : 1;
	*n = (size_t)(next - s);
	return s;
}

static bool
has(const char *s, size_t n, const char *tag)
{
	return memmem(s, n, tag, strlen(tag)) != NULL;
}

/* A word of a target term. */
struct word {
	bool noun, name,
	    before;   /* before: may stand before a noun: article, adjective */
	bool unknown; /* to the dictionary: a guess */
	bool feminine, plural;
};

static void
add_reading(struct word *w, const char *s, size_t n)
{
	bool noun = has(s, n, "<n>") || has(s, n, "<np>");

	w->before |= has(s, n, "<det>") || has(s, n, "<adj>") || has(s, n, "<num>");
	w->unknown |= *s == '*';
	if (noun && !w->noun) {
		w->feminine = has(s, n, "<f>");
		w->plural = has(s, n, "<pl>");
	}
	w->noun |= noun;
	w->name |= has(s, n, "<np>");
}

/* Of a word that no dictionary has: by its ending, as most of these languages have it.
 */
static void
guess(struct word *w, const char *surface, size_t n)
{
	uint32_t cp;

	text_next(surface, &cp);
	w->noun = true;
	w->name = text_is_upper(cp);
	w->plural = n > 1 && surface[n - 1] == 's';
	n -= w->plural;
	w->feminine = n > 0 && surface[n - 1] == 'a';
}

/* The word at s, which is a "^"; *end: behind its "$". */
static struct word
read_word(const char *s, const char **end)
{
	struct word w = { 0 };
	const char *to = s + 1, *from = s + 1;
	size_t n, surface;

	while (*to != '\0' && *to != '$')
		to += *to == '\\' && to[1] != '\0' ? 2 : 1;
	*end = *to == '$' ? to + 1 : to;
	surface = strcspn(from, "/$");
	while ((from = next_reading(from, to, &n)) != NULL)
		add_reading(&w, from, n);
	if (w.unknown && !w.noun)
		guess(&w, s + 1, surface);
	return w;
}

/*
 * The noun of a term: the first one, but in English the last.  False: it is not a noun,
 * maybe with articles and adjectives before it.
 */
static bool
find_noun(const char *s, const char *end, bool last, struct word *noun)
{
	bool found = false;

	while ((s = memchr(s, '^', (size_t)(end - s))) != NULL) {
		struct word w = read_word(s, &s);

		if (w.noun)
			*noun = w;
		found |= w.noun;
		if (found ? !last || !w.noun : !w.before)
			break;
	}
	return found;
}

/* ---- all of it ---- */

static const char *
analyser(
    struct arena *mem, const struct engine_at *at, const char *from, const char *to)
{
	const char *mode = apertium_mode(mem, at->model, to, from);

	return mode != NULL ? arena_printf(mem, "%s" APERTIUM_ANALYSER, mode) : NULL;
}

/* Whether the analyser is to tell.  In the place of a slot its term comes later. */
static bool
is_asked(const struct mt_term *t)
{
	return !t->phrase && *t->target != MT_SLOT;
}

/* The targets, each behind a full stop and a blank with its number. */
static const char *
question(struct arena *mem, const struct mt_text *t)
{
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < t->nterms; i++) {
		const char *target = is_asked(&t->terms[i]) ? t->terms[i].target : "";

		buf_printf(&b, ".[t%zu]", i);
		apertium_put_escaped(&b, target, strlen(target));
	}
	buf_printf(&b, ".[t%zu]", t->nterms);
	return buf_text(&b);
}

/* What nothing is known of is left to its own words, if that is a single one. */
static void
decide(struct arena *mem, const struct mt_text *t, size_t i, const char *answer,
    struct apertium_term *to)
{
	const struct stand_in *in = stand_in_for(t->from, t->to);
	const char *from = strstr(answer, arena_printf(mem, "[t%zu]", i));
	const char *end = strstr(answer, arena_printf(mem, "[t%zu]", i + 1));
	bool single = memchr(t->text + t->terms[i].at, ' ', t->terms[i].len) == NULL;
	struct word w;
	bool noun;

	if (from == NULL || end == NULL || from > end)
		return;
	noun = find_noun(from, end, lang_same_base("en", t->to), &w);
	if (single && (!noun || w.unknown))
		return;
	to->kind = !noun ? APERTIUM_PHRASE : w.name ? APERTIUM_NAME : APERTIUM_NOUN;
	if (noun)
		to->word = w.name ? arena_printf(mem, "Xqz%zu", i)
				  : in->word[w.feminine][w.plural];
}

struct apertium_term *
apertium_terms(const struct engine_at *at, struct arena *mem, const struct mt_text *t)
{
	struct apertium_term *to = arena_alloc(mem, (t->nterms + 1) * sizeof(*to));
	struct buf answer = { .mem = mem };
	struct apertium_sentence s = { .mode = analyser(mem, at, t->from, t->to),
		.cpu_ms = CPU_MS,
		.timeout_ms = t->timeout_ms,
		.unwanted = t->unwanted,
		.arg = t->arg };
	bool asks = false;

	for (size_t i = 0; i < t->nterms; i++) {
		if (t->terms[i].phrase)
			to[i].kind = APERTIUM_PHRASE;
		asks |= is_asked(&t->terms[i]);
	}
	if (!asks || s.mode == NULL || stand_in_for(t->from, t->to) == NULL)
		return to;
	s.text = question(mem, t);
	if (strlen(s.text) > MT_TEXT_BYTES || apertium_ask(&s, &answer) != OK)
		return to;
	for (size_t i = 0; i < t->nterms; i++)
		if (is_asked(&t->terms[i]))
			decide(mem, t, i, buf_text(&answer), &to[i]);
	return to;
}

static void
nothing(void *arg)
{
	(void)arg;
}

void
apertium_term_warm(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	const char *mode = analyser(mem, at, from, to);

	if (mode != NULL && stand_in_for(from, to) != NULL)
		apertium_warm(mode, nothing, NULL);
	arena_free(mem);
}
