/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/engine_coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/registry.h"
#include "store/public_view_cache.h"
#include "store/served.h"

#define PAGE 100 /* number of channels read and written at a time */

/* ---- engines ---- */

struct survey {
	struct arena *mem;
	struct registry *engines;
	const char *settings; /* their hash */
	bool complete;        /* all engines that were asked have answered */
	struct list before;   /* struct served, as stored */
	struct buf now;       /* struct served */
};

/* A hash of the settings that select the engines and their languages. */
static const char *
settings_hash(struct arena *mem, const struct conf *c)
{
	struct buf b = { .mem = mem };

	buf_printf(&b, "%s\n%s\n%s\n%d\n%d\n%d\n", c->speech_asr, c->speech_mt,
	    c->speech_tts, (int)c->speech_pivot, (int)c->speech_best_first,
	    (int)c->speech_any_quality);
	for (const struct conf_engine *en = c->engines; en != NULL; en = en->next)
		buf_printf(&b, "%s\n%s\n%s\n%s\n%s\n", en->id, en->kind, en->url,
		    en->model, en->languages);
	return hash_hex(mem, b.p, b.len);
}

/* Returns the stored row of the language with the same settings; or NULL. */
static const struct served *
row_before(const struct survey *sv, const char *source)
{
	const struct served *s = sv->before.items;

	for (size_t i = 0; i < sv->before.n; i++)
		if (strcmp(s[i].source, source) == 0 &&
		    strcmp(s[i].settings, sv->settings) == 0)
			return &s[i];
	return NULL;
}

/* Add the row of a language, or of all languages together. */
static void
add_row(struct survey *sv, const char *source, bool heard, const struct list *targets)
{
	const char *const *code = targets->items;
	const char **silent = arena_alloc(sv->mem, (targets->n + 1) * sizeof(*silent));
	struct served row = { .source = source,
		.heard = heard,
		.targets = texts_json(sv->mem, targets),
		.settings = sv->settings };
	size_t n = 0;

	for (size_t i = 0; i < targets->n; i++)
		if (!registry_speaks(sv->engines, code[i]))
			silent[n++] = code[i];
	row.text_only = texts_json(sv->mem, &(struct list){ silent, n });
	buf_put(&sv->now, &row, sizeof(row));
}

/* The languages into which source is translated. */
static struct list
targets_of(const struct survey *sv, const char *source)
{
	const struct served *before = sv->complete ? NULL : row_before(sv, source);
	const struct list kept =
	    texts_read(sv->mem, before != NULL ? before->targets : NULL);
	struct buf to = { .mem = sv->mem };

	for (const char *const *target = lang_target; *target != NULL; target++)
		if (registry_pairs(sv->engines, source, *target) ||
		    (before != NULL && languages_have(&kept, *target)))
			buf_put(&to, target, sizeof(*target));
	return (struct list){ to.p, to.len / sizeof(const char *) };
}

static void
survey(struct survey *sv)
{
	struct list all = { 0 }, none = { 0 };
	bool any = false;

	sv->complete = registry_discover(sv->engines);
	for (const char *const *source = lang_spoken; *source != NULL; source++) {
		bool heard = registry_recognizes(sv->engines, *source);
		struct list targets = heard ? targets_of(sv, *source) : none;

		if (strcmp(*source, "auto") == 0)
			continue;
		any |= heard;
		add_row(sv, *source, heard, &targets);
		languages_add(sv->mem, &all, &targets);
	}
	add_row(sv, "auto", any, &all);
}

/* ---- storing ---- */

static int
by_source(const void *a, const void *b)
{
	return strcmp(
	    ((const struct served *)a)->source, ((const struct served *)b)->source);
}

static bool
same_rows(const struct list *a, const struct list *b)
{
	const struct served *x = a->items, *y = b->items;
	bool same = a->n == b->n;

	for (size_t i = 0; same && i < a->n; i++, x++, y++)
		same = strcmp(x->source, y->source) == 0 && x->heard == y->heard &&
		       strcmp(x->targets, y->targets) == 0 &&
		       strcmp(x->text_only, y->text_only) == 0 &&
		       strcmp(x->settings, y->settings) == 0;
	return same;
}

/* Public views must be made again: they also show languages that engines serve and
   no channel has. */
static enum err
store_rows(struct db *db, const struct list *rows)
{
	enum err e;

	if ((e = db_begin(db, "served")) != OK ||
	    (e = served_replace(db, rows)) != OK ||
	    (e = public_view_cache_drop_all(db)) != OK || (e = db_commit(db)) != OK)
		db_rollback(db);
	return e;
}

/* ---- channels ---- */

static bool
differs(struct arena *mem, const struct list *rows, const struct channel *c)
{
	struct channel now = *c;

	served_judge_by(mem, rows, &now);
	return strcmp(now.unserved, c->unserved) != 0 ||
	       strcmp(now.text_only, c->text_only) != 0;
}

/* A channel that was changed meanwhile was checked by that change. */
static enum err
judge_again(struct db *db, struct arena *mem, const struct channel *was)
{
	struct channel now = *was;
	enum err e = db_writing(db) ? OK : db_begin(db, DB_ROWS);

	if (e == OK)
		e = channel_put(db, mem, was, &now);
	return e == ERR_STALE ? OK : e;
}

/* *last: the id of the page's last channel; NULL: no more channels. */
static enum err
judge_page(struct db *db, struct arena *mem, const struct list *rows, const char **last,
    int *changed)
{
	struct list page;
	const struct channel *c;
	enum err e = channels_after(db, mem, *last, PAGE, &page);

	c = page.items;
	for (size_t i = 0; e == OK && i < page.n; i++)
		if (differs(mem, rows, &c[i])) {
			e = judge_again(db, mem, &c[i]);
			++*changed;
		}
	if (e == OK && db_writing(db))
		e = db_commit(db);
	if (e != OK)
		db_rollback(db);
	else
		*last = page.n < PAGE ? NULL : c[page.n - 1].id;
	return e;
}

static enum err
judge_channels(struct db *db, const struct list *rows)
{
	struct arena *mem = arena_new(), *next;
	const char *last = "";
	int changed = 0;
	enum err e = OK;

	while (e == OK && last != NULL) {
		e = judge_page(db, mem, rows, &last, &changed);
		next = arena_new();
		last = arena_str(next, last);
		arena_free(mem);
		mem = next;
	}
	arena_free(mem);
	if (changed > 0)
		log_info("engines serve others than before of the languages of %d"
			 " channels",
		    changed);
	return e;
}

enum err
engine_coverage_update(struct db *db, struct arena *mem, const struct conf *conf)
{
	struct survey sv = { .mem = mem, .now = { .mem = mem } };
	struct list rows;
	enum err e;

	sv.settings = settings_hash(mem, conf);
	if ((e = served_list(db, mem, &sv.before)) != OK ||
	    (e = registry_new(conf, &sv.engines)) != OK)
		return e;
	survey(&sv);
	registry_drop(sv.engines);
	rows = (struct list){ sv.now.p, sv.now.len / sizeof(struct served) };
	qsort(rows.items, rows.n, sizeof(struct served), by_source);
	if (sv.before.n > 0)
		qsort(sv.before.items, sv.before.n, sizeof(struct served), by_source);
	if (!same_rows(&rows, &sv.before))
		e = store_rows(db, &rows);
	return e == OK ? judge_channels(db, &rows) : e;
}
