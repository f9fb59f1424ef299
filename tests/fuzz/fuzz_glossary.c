/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Glossaries in lines "type|language|from|to", then an empty line and then a recognized
 * text. The output is UTF-8; the found terms are in order, do not overlap, lie within
 * the text, and survive a translation that changes only the rest.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "pipeline/glossary.h"
#include "speech/placeholders.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define ROWS 64

static const char *
cut(char **s)
{
	char *field = *s;
	size_t n = strcspn(field, "|");

	*s = field + n + (field[n] == '|');
	field[n] = '\0';
	return field;
}

static struct glossary_term
read_row(struct arena *mem, const char *line, size_t n)
{
	char *s = arena_dup(mem, line, n);
	const char *type = cut(&s);
	struct glossary_term row = { .type = (enum glossary_type)(type[0] % 3),
		.glossary = "g",
		.source = cut(&s),
		.target = "es" };

	row.a = cut(&s);
	row.b = row.type == GLOSSARY_HOTWORD ? NULL : cut(&s);
	return row;
}

static size_t
read_rows(struct arena *mem, const char **s, struct glossary_term *rows)
{
	size_t n = 0, len;

	while ((len = strcspn(*s, "\n")) > 0) {
		if (n < ROWS)
			rows[n++] = read_row(mem, *s, len);
		*s += len + ((*s)[len] == '\n');
	}
	*s += **s == '\n';
	for (size_t i = 0; i < n; i++)
		if (rows[i].a[0] == '\0' || (rows[i].b != NULL && rows[i].b[0] == '\0'))
			rows[i--] = rows[--n]; /* glossary files cannot contain these */
	return n;
}

static const char *
valid(const char *s)
{
	if (s == NULL || !text_valid(s, strlen(s)))
		abort();
	return s;
}

/*
 * False for control characters, which are removed before and then used to mark terms.
 */
static bool
is_plain(const char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			return false;
	return true;
}

static void
translate(struct arena *mem, const struct mt_text *t)
{
	const char *tokens = mt_tokens(mem, t);
	const char *back = mt_fill(mem, t, mt_untoken(mem, t, tokens));

	valid(tokens);
	valid(mt_slots(mem, t));
	if (back != NULL)
		valid(back);
	else if (t->nterms == 0)
		abort();
}

static void
use(struct arena *mem, const struct glossary_index *g, const char *text)
{
	const char *heard = valid(glossary_correct(
	    g, mem, "en", valid(glossary_hotwords(g, mem, "en", text))));
	struct mt_text t = { .text = heard, .from = "en", .to = "es" };
	size_t at = 0;

	t.terms = glossary_terms(g, mem, "en", "es", heard, &t.nterms);
	for (size_t i = 0; i < t.nterms; i++) {
		if (t.terms[i].at < at || t.terms[i].len == 0 ||
		    t.terms[i].at + t.terms[i].len > strlen(heard))
			abort();
		at = t.terms[i].at + t.terms[i].len;
	}
	if (is_plain(heard))
		translate(mem, &t);
	valid(glossary_correct(g, mem, "ja", text));
	glossary_terms(g, mem, "zh", "es", text, &t.nterms);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct glossary_target target = { "es", { 0 } };
	static const struct glossary_task task = {
		.source = "auto", .targets = &target, .ntargets = 1
	};
	struct arena *mem = arena_new();
	const char *s = arena_dup(mem, (const char *)data, size);
	struct glossary_term rows[ROWS];
	struct glossary_index *g;
	bool truncated;
	size_t n;

	if (text_valid(s, strlen(s))) {
		n = read_rows(mem, &s, rows);
		g = glossary_index_new(mem, &task, rows, n, &truncated);
		glossary_hints(g, mem, "auto", &(struct list){ 0 });
		use(mem, g, s);
	}
	arena_free(mem);
	return 0;
}
