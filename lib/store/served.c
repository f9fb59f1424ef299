/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/served.h"

#include <string.h>

#include "base/lang.h"

/* clang-format off */
static const struct field	 served_fields[] = FIELDS(
	{ "source",    F_TEXT, MEMBER(served, source), .flags = F_ADD },
	{ "heard",     F_BOOL, MEMBER(served, heard), .flags = F_ADD },
	{ "targets",   F_TEXT, MEMBER(served, targets), .flags = F_ADD },
	{ "text_only", F_TEXT, MEMBER(served, text_only), .flags = F_ADD },
	{ "settings",  F_TEXT, MEMBER(served, settings), .flags = F_ADD }
);

enum { GET, LIST, ADD, CLEAR, SQL_END };

const struct sql	 served_sql[SQL_END + 1] = {
	[GET] = { "served.get", "SELECT {*} FROM served_languages WHERE source = $1",
	    ROWS_OF(served_fields, struct served) },
	[LIST] = { "served.list", "SELECT {*} FROM served_languages ORDER BY source",
	    ROWS_OF(served_fields, struct served) },
	[ADD] = { "served.add",
	    "INSERT INTO served_languages ({names}) VALUES ({values})", .from = served_fields },
	[CLEAR] = { "served.clear", "DELETE FROM served_languages" },
};
/* clang-format on */

/* ---- lists of languages ---- */

bool
languages_have(const struct list *l, const char *language)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(((const char *const *)l->items)[i], language) == 0)
			return true;
	return false;
}

bool
languages_fit(const struct list *l, const char *language, int64_t most)
{
	return most == 0 || (int64_t)l->n < most || languages_have(l, language);
}

void
languages_add(struct arena *mem, struct list *to, const struct list *more)
{
	const char **items = arena_alloc(mem, (to->n + more->n) * sizeof(*items));

	if (to->n > 0)
		memcpy(items, to->items, to->n * sizeof(*items));
	to->items = items;
	for (size_t i = 0; i < more->n; i++) {
		const char *language = ((const char *const *)more->items)[i];

		if (!languages_have(to, language))
			items[to->n++] = language;
	}
}

/* ---- rows ---- */

static enum err
get(struct db *db, struct arena *mem, const char *source, struct list *to)
{
	return db_list(db, &served_sql[GET], ARGS(TEXT(source)), mem, to);
}

enum err
served_list(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &served_sql[LIST], ARGS(), mem, to);
}

enum err
served_replace(struct db *db, const struct list *rows)
{
	const struct served *s = rows->items;
	enum err e = db_exec(db, &served_sql[CLEAR], ARGS(), NULL);

	for (size_t i = 0; e == OK && i < rows->n; i++)
		e = db_save(db, &served_sql[ADD], s + i, ARGS(), ERR_CONFLICT);
	return e;
}

enum err
served_reached(struct db *db, struct arena *mem, const char *language, bool *reached)
{
	struct list rows, targets;
	enum err e = get(db, mem, "auto", &rows);

	*reached = true;
	if (e != OK || rows.n == 0)
		return e;
	targets = texts_read(mem, ((const struct served *)rows.items)->targets);
	*reached = languages_have(&targets, language);
	return OK;
}

/* ---- one channel ---- */

/* The targets that engines offer for the source languages of a channel. */
struct coverage {
	struct arena *mem;
	const struct list *rows; /* struct served */
	bool heard;
	struct list targets, text_only; /* const char * */
};

static bool
add_coverage(struct coverage *c, const char *source)
{
	const struct served *s = c->rows->items;

	for (size_t i = 0; i < c->rows->n; i++)
		if (strcmp(s[i].source, source) == 0) {
			struct list targets = texts_read(c->mem, s[i].targets);
			struct list silent = texts_read(c->mem, s[i].text_only);

			c->heard |= s[i].heard;
			languages_add(c->mem, &c->targets, &targets);
			languages_add(c->mem, &c->text_only, &silent);
			return true;
		}
	return false;
}

/* The first of the languages to detect; NULL: all languages. */
static const struct json *
detectable(const struct channel *c, const struct json *pipeline)
{
	const struct json *codes =
	    json_get(json_get(pipeline, "transcription"), "detectable_languages");

	return codes != NULL && codes->type == JSON_LIST &&
		       strcmp(c->source_language, "auto") == 0
		   ? codes->kids
		   : NULL;
}

static void
cover_channel(struct coverage *to, const struct channel *c, const struct json *pipeline)
{
	const struct json *code = detectable(c, pipeline);

	if (code == NULL)
		add_coverage(to, c->source_language);
	for (; code != NULL; code = code->next)
		if (code->type == JSON_TEXT && !add_coverage(to, code->u.s))
			add_coverage(to, lang_base(to->mem, code->u.s));
}

/* True if the channel's pipeline disables speech for this target. */
static bool
wants_text(const struct json *pipeline, const char *language)
{
	const struct json *list = json_get(pipeline, "translations"), *t, *speech;

	t = list != NULL && list->type == JSON_LIST ? list->kids : NULL;
	for (; t != NULL; t = t->next) {
		const char *said = json_get_text(t, "target_language");

		if (said == NULL || strcmp(said, language) != 0)
			continue;
		speech = json_get(t, "speech_generation");
		return speech != NULL && speech->type == JSON_NONE;
	}
	return false;
}

/*
 * Returns the targets that no engine serves; for a channel without targets, its source
 * language if no engine recognises it.
 */
static const char *
unserved_of(const struct coverage *has, const struct channel *c, struct list targets)
{
	const char **code = targets.items, *source = c->source_language;
	size_t n = 0;

	if (targets.n == 0 && !has->heard)
		return texts_json(has->mem, &(struct list){ &source, 1 });
	for (size_t i = 0; i < targets.n; i++)
		if (!languages_have(&has->targets, code[i]))
			code[n++] = code[i];
	return texts_json(has->mem, &(struct list){ code, n });
}

static const char *
text_only_of(
    const struct coverage *has, const struct json *pipeline, struct list targets)
{
	const char **code = targets.items;
	size_t n = 0;

	for (size_t i = 0; i < targets.n; i++)
		if (languages_have(&has->text_only, code[i]) &&
		    !wants_text(pipeline, code[i]))
			code[n++] = code[i];
	return texts_json(has->mem, &(struct list){ code, n });
}

void
served_judge_by(struct arena *mem, const struct list *rows, struct channel *c)
{
	struct coverage has = { .mem = mem, .rows = rows };
	const char *why;
	const struct json *pipeline =
	    c->pipeline != NULL ? json_read(mem, c->pipeline, strlen(c->pipeline), &why)
				: NULL;

	c->unserved = c->text_only = "[]";
	if (rows->n == 0)
		return;
	cover_channel(&has, c, pipeline);
	c->unserved = unserved_of(&has, c, texts_read(mem, c->target_languages));
	c->text_only =
	    text_only_of(&has, pipeline, texts_read(mem, c->target_languages));
}

enum err
served_judge(struct db *db, struct arena *mem, struct channel *c)
{
	/* a pipeline may list the languages to detect */
	bool all = c->pipeline != NULL && strcmp(c->source_language, "auto") == 0;
	struct list rows;
	enum err e =
	    all ? served_list(db, mem, &rows) : get(db, mem, c->source_language, &rows);

	if (e == OK)
		served_judge_by(mem, &rows, c);
	return e;
}
