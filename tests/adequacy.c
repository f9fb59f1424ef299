/*
 * usage: adequacy [-v]
 *
 * How well conferences come out of Apertium in Spanish, by the lists of adequacy.h.
 * With -v also what came out of each.  Needs apertium-eng-spa.
 */
#include <stdio.h>
#include <string.h>

#include "adequacy.h"
#include "base/text.h"
#include "pipeline/glossary.h"
#include "speech/engine.h"
#include "speech/sentence.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct engine_at here = {
	.id = "apertium", .kind = "apertium", .model = "eng-spa spa-eng"
};

static struct glossary_index *
glossary_of(struct arena *mem)
{
	const struct glossary_target es = { .lang = "es" };
	const struct glossary_task task = {
		.source = "en", .targets = &es, .ntargets = 1
	};
	struct glossary_term rows[COUNT(adequacy_terms)];
	bool truncated;

	for (size_t i = 0; i < COUNT(rows); i++)
		rows[i] = (struct glossary_term){ GLOSSARY_TRANSLATION, "", "en", "es",
			adequacy_terms[i].source, adequacy_terms[i].target };
	return glossary_index_new(mem, &task, rows, COUNT(rows), &truncated);
}

static const char *
spanish(struct arena *mem, const struct glossary_index *g, const char *text)
{
	struct mt_text t = {
		.text = sentence_source(mem, "en", text), .from = "en", .to = "es"
	};
	const char *out = "";
	bool guarded;

	if (g != NULL)
		t.terms = glossary_terms(g, mem, "en", "es", t.text, &t.nterms);
	if (mt_translate(&mt_apertium, &here, mem, &t, &out, &guarded) != OK)
		return "(no translation)";
	return out;
}

/* Whether the text is one of those with | between. */
static bool
is_listed(const char *list, const char *text)
{
	size_t n = strlen(text);

	for (; list != NULL; list = strchr(list, '|'), list += list != NULL)
		if (strncmp(list, text, n) == 0 && (list[n] == '|' || list[n] == '\0'))
			return true;
	return false;
}

static bool
has_small_i(const char *text)
{
	return strncmp(text, "i ", 2) == 0 || strstr(text, " i ") != NULL;
}

static bool
lacks_inverted(const char *text)
{
	return strchr(text, '?') != NULL && strstr(text, "¿") == NULL;
}

struct counts {
	int good, understood, small_i, uninverted;
	int lost, stray, article;
};

static void
judge_sentences(struct arena *mem, struct counts *c, bool verbose)
{
	for (size_t i = 0; i < COUNT(adequacy_sentences); i++) {
		const struct adequacy_sentence *s = &adequacy_sentences[i];
		const char *out = spanish(mem, NULL, s->text);
		bool good = is_listed(s->good, out);
		bool understood = !good && is_listed(s->understood, out);

		c->good += good;
		c->understood += understood;
		c->small_i += has_small_i(out);
		c->uninverted += lacks_inverted(out);
		if (verbose)
			printf("%c %s => %s\n",
			    good         ? '+'
			    : understood ? '~'
					 : '-',
			    s->text, out);
	}
}

/* "de" beside a term, where the source has none. */
static bool
has_stray(struct arena *mem, const char *out, const char *target)
{
	const char *behind = strstr(out, arena_printf(mem, "%s de", target));

	return strstr(out, arena_printf(mem, "de %s", target)) != NULL ||
	       (behind != NULL && strchr(" .", behind[strlen(target) + 3]) != NULL);
}

static void
judge_terms(struct arena *mem, struct counts *c, bool verbose)
{
	struct glossary_index *g = glossary_of(mem);

	for (size_t i = 0; i < COUNT(adequacy_terms); i++) {
		const struct adequacy_term *t = &adequacy_terms[i];
		const char *out = spanish(mem, g, t->text);
		bool lost = strcasestr(out, t->target) == NULL;
		bool stray = has_stray(mem, out, t->target);
		bool article = strcasestr(out, t->there) == NULL;

		c->lost += lost;
		c->stray += stray;
		c->article += article;
		if (verbose)
			printf("%s%s%s %s => %s\n", lost ? "L" : "", stray ? "D" : "",
			    article ? "A" : "", t->text, out);
	}
}

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();
	struct counts c = { 0 };
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;

	judge_sentences(mem, &c, verbose);
	judge_terms(mem, &c, verbose);
	printf("sentences: %zu, good %d, understandable %d, others %d\n",
	    COUNT(adequacy_sentences), c.good, c.understood,
	    (int)COUNT(adequacy_sentences) - c.good - c.understood);
	printf("a small \"i\": %d, no \"¿\": %d\n", c.small_i, c.uninverted);
	printf("terms: %zu, lost %d, stray \"de\" %d, wrong article %d\n",
	    COUNT(adequacy_terms), c.lost, c.stray, c.article);
	arena_free(mem);
	return 0;
}
