/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DeepL's API, version 2. A term is sent as an element that contains the target term
 * and is not translated, so that DeepL builds the sentence around it. No glossary is
 * stored at DeepL.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json_writer.h"
#include "base/lang.h"
#include "speech/engine_call.h"
#include "speech/placeholders.h"

#define PATH "/v2/translate"
#define ANSWER_BYTES (1 << 20)
#define OPEN "<x id=\""
#define CLOSE "</x>"

/* Our codes, and DeepL's code if it differs by more than case. Codes without a region
   are also sources. */
static const struct language {
	const char *code, *target;
} languages[] = {
	/* clang-format off */
	{ "ar", NULL }, { "bg", NULL }, { "cs", NULL }, { "da", NULL }, { "de", NULL },
	{ "el", NULL }, { "en", "EN-US" }, { "en-gb", "EN-GB" }, { "es", NULL },
	{ "es-mx", "ES-419" }, { "es-la", "ES-419" }, { "et", NULL }, { "fi", NULL },
	{ "fr", NULL }, { "he", NULL }, { "hu", NULL }, { "id", NULL }, { "it", NULL },
	{ "ja", NULL }, { "ko", NULL }, { "lt", NULL }, { "lv", NULL }, { "nl", NULL },
	{ "no", "NB" }, { "nb", NULL }, { "pl", NULL }, { "pt", "PT-PT" },
	{ "pt-br", "PT-BR" }, { "ro", NULL }, { "ru", NULL }, { "sk", NULL },
	{ "sl", NULL }, { "sv", NULL }, { "th", NULL }, { "tr", NULL }, { "uk", NULL },
	{ "vi", NULL }, { "zh", "ZH-HANS" }, { "zh-hans", NULL }, { "zh-hant", NULL },
	/* clang-format on */
};

static const struct language *
find_language(const char *code)
{
	const struct language *l = languages;
	const struct language *end = l + sizeof(languages) / sizeof(*l);

	while (l < end && strcmp(l->code, code) != 0)
		l++;
	return l < end ? l : NULL;
}

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	return at->url != NULL && strchr(from, '-') == NULL &&
	       find_language(from) != NULL && find_language(to) != NULL;
}

static void
put_text(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == '&')
			buf_str(b, "&amp;");
		else if (s[i] == '<')
			buf_str(b, "&lt;");
		else
			buf_put(b, s + i, 1);
}

static void
put_term(struct buf *b, const struct mt_text *t, size_t i)
{
	buf_printf(b, OPEN "%zu\">", i);
	put_text(b, t->terms[i].target, strlen(t->terms[i].target));
	buf_str(b, CLOSE);
}

static const char *
upper(struct arena *mem, const char *code)
{
	char *to = arena_str(mem, code);

	for (char *c = to; *c != '\0'; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	return to;
}

/* The previous texts: they improve the translation and cost nothing. */
static const char *
context_of(struct arena *mem, const struct mt_text *t)
{
	const char *const *said = t->before.items;
	struct buf b = { .mem = mem };

	if (t->title != NULL)
		buf_printf(&b, "%s. ", t->title);
	for (size_t i = 0; i < t->before.n; i++)
		buf_printf(&b, "%s ", said[i]);
	return buf_text(&b);
}

static struct buf
question(struct arena *mem, const struct mt_text *t)
{
	const struct mt_marks marks = { put_text, put_term };
	const struct language *from = find_language(t->from),
			      *to = find_language(t->to);
	const char *context = context_of(mem, t);
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };

	jw_open(&j, NULL);
	jw_list(&j, "text");
	jw_text(&j, NULL, mt_mark(mem, t, &marks));
	jw_close(&j);
	jw_text(&j, "source_lang",
	    strcmp(from->code, "no") == 0 ? "NB" : upper(mem, from->code));
	jw_text(
	    &j, "target_lang", to->target != NULL ? to->target : upper(mem, to->code));
	jw_text(&j, "tag_handling", "xml");
	jw_list(&j, "ignore_tags");
	jw_text(&j, NULL, "x");
	jw_close(&j);
	if (*context != '\0')
		jw_text(&j, "context", context);
	jw_close(&j);
	return body;
}

static const struct {
	const char *name, *is;
} entities[] = { { "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" },
	{ "&apos;", "'" }, { "&#39;", "'" } };

/* Append the next character, which may be written as an entity; returns its length in
   the answer. */
static size_t
copy_character(struct buf *b, const char *s)
{
	for (size_t i = 0; *s == '&' && i < sizeof(entities) / sizeof(entities[0]); i++)
		if (strncmp(s, entities[i].name, strlen(entities[i].name)) == 0) {
			buf_str(b, entities[i].is);
			return strlen(entities[i].name);
		}
	buf_put(b, (unsigned char)*s < ' ' ? " " : s, 1);
	return 1;
}

/* Write the answer with a slot for each element. */
static const char *
slots_of(struct arena *mem, const char *s)
{
	struct buf b = { .mem = mem };
	const char *end;

	while (*s != '\0')
		if (strncmp(s, OPEN, strlen(OPEN)) == 0 &&
		    (end = strstr(s, CLOSE)) != NULL) {
			mt_slot(&b, strtoul(s + strlen(OPEN), NULL, 10));
			s = end + strlen(CLOSE);
		} else
			s += copy_character(&b, s);
	return buf_text(&b);
}

static enum err
ask(const struct engine_call *en, const struct mt_text *t, const char **text)
{
	struct buf body = question(en->mem, t);
	struct http_call call = { .method = "POST",
		.body = body.p,
		.body_len = body.len,
		.max_bytes = ANSWER_BYTES };
	const struct json *list;
	struct http_answer a;
	enum err e;

	if ((e = engine_ask(en, call, PATH, &a)) != OK ||
	    (e = engine_verdict(en, PATH, &a)) != OK)
		return e;
	list = json_get_list(engine_object(en, &a), "translations");
	*text = list != NULL ? json_get_text(list->kids, "text") : NULL;
	if (*text == NULL || **text == '\0')
		return engine_refuse(en, PATH, "the answer has no text");
	return OK;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	struct engine_at where = *at;
	struct engine_call en;
	const char *text;
	enum err e;

	if (!pairs(at, t->from, t->to))
		return ERR_UNSUPPORTED;
	where.timeout_ms = mt_time_ms(at, t);
	en = engine_start(&where, mem, "Authorization: DeepL-Auth-Key ");
	if ((e = ask(&en, t, &text)) != OK)
		return e;
	*out = mt_fill(mem, t, slots_of(mem, text));
	*guarded = *out != NULL;
	return OK;
}

static enum err
list(const struct engine_at *at, struct arena *mem, struct list *to)
{
	size_t n = sizeof(languages) / sizeof(languages[0]);
	struct mt_pair *p = arena_alloc(mem, n * n * sizeof(*p));

	*to = (struct list){ .items = p };
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if (pairs(at, languages[i].code, languages[k].code) &&
			    !lang_same_base(languages[i].code, languages[k].code))
				p[to->n++] = (struct mt_pair){ languages[i].code,
					languages[k].code };
	return OK;
}

const struct mt_engine mt_deepl = { false, false, pairs, translate, list, NULL };
