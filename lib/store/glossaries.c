/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/glossaries.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/lang.h"
#include "base/text.h"

/* A glossary that tasks of the account use. */
struct used {
	struct glossary_row row; /* without terms */
	const char *terms;
};

static const char *const types[] = { "translation", "asr", "asr_hot", NULL };

static const char *
name_check(const char *s)
{
	return text_only(s, "_-. ") ? NULL
				    : "may have letters, digits, space and _ - . only";
}

/* clang-format off */
static const struct field	 told_fields[] = FIELDS(
	{ "row",     F_INT, MEMBER(term_fault, row),     .flags = F_OUT },
	{ "column",  F_INT, MEMBER(term_fault, column),  .flags = F_OUT | F_NULLABLE },
	{ "problem", F_OBJ, MEMBER(term_fault, problem), .flags = F_OUT, .of = problem_fields }
);
#define NAME    { "name",          F_TEXT, MEMBER(glossary, name), 3, 64, F_IO | F_REQUIRED | F_KEPT, name_check }
#define ENABLED { "is_enabled",    F_BOOL, MEMBER(glossary, enabled), .flags = F_IO | F_TRUE | F_LOOSE | F_KEPT, \
                  .column = "enabled" }
#define TYPE    { "glossary_type", F_ENUM, MEMBER(glossary, type), .flags = F_IO | F_REQUIRED | F_ADD, .names = types, \
                  .column = "type" }
#define LANGUAGES                                                                        \
	{ "source_lang",    F_ENUM, MEMBER(glossary, source),      .flags = F_IO | F_REQUIRED | F_NOCASE | F_ADD, \
	                    .names = lang_glossary_source },                             \
	{ "target_lang",    F_ENUM, MEMBER(glossary, target),      .flags = F_IO | F_NULLABLE | F_NOCASE | F_ADD, \
	                    .names = lang_glossary_any }
const struct field	 glossary_add_fields[] = FIELDS(NAME, ENABLED, TYPE, LANGUAGES);
const struct field	 glossary_edit_fields[] = FIELDS(NAME, ENABLED);
const struct field	 glossary_fields[] = FIELDS(
	{ "glossary_id",    F_TEXT, MEMBER(glossary, id),          .flags = F_OUT | F_ADD, .column = "id" },
	{ "user_id",        F_TEXT, MEMBER(glossary, account),     .flags = F_OUT | F_ADD, .column = "account" },
	NAME, ENABLED, TYPE, LANGUAGES,
	{ "entries_status", F_TEXT, MEMBER(glossary, status),      .flags = F_OUT, .column = "status" },
	{ "entries_count",  F_INT,  MEMBER(glossary, entries),     .flags = F_OUT, .column = "entries" },
	{ "entries_errors", F_LIST, MEMBER(glossary, faults),      .flags = F_OUT, .of = told_fields,
	                    .size = sizeof(struct term_fault) },
	{ "utc_created_at", F_TIME, MEMBER(glossary, created_us),  .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "utc_updated_at", F_TIME, MEMBER(glossary, updated_us),  .flags = F_OUT | F_KEPT, .column = "updated_us" },
	{ "fault_lines",    F_TEXT, MEMBER(glossary, fault_lines), .column = "faults" },
	{ "blob",           F_TEXT, MEMBER(glossary, blob),        .flags = 0 },
	{ "version",        F_INT,  MEMBER(glossary, version),     .flags = 0 }
);

static const struct field	 used_fields[] = FIELDS(
	{ "id",          F_TEXT, MEMBER(used, row.glossary) },
	{ "type",        F_TEXT, MEMBER(used, row.type) },
	{ "source_lang", F_TEXT, MEMBER(used, row.source) },
	{ "target_lang", F_TEXT, MEMBER(used, row.target) },
	{ "terms",       F_TEXT, MEMBER(used, terms), .column = "t.terms" }
);
static const struct field	 stored_fields[] = FIELDS(
	{ "glossary",    F_TEXT, MEMBER(used, row.glossary) },
	{ "terms",       F_TEXT, MEMBER(used, terms) }
);

#define GLOSSARY(where)                                                                \
	"SELECT {*} FROM glossaries WHERE " where, ROWS_OF(glossary_fields, struct glossary)
#define CHANGED " updated_us = $3, version = version + 1 WHERE id = $2 AND account = $1"

enum { ADD, COUNT, GET, UP, DOWN, PUT, DROP, RECEIVE, IMPORT, TERMS, USED, NEXT, CONVERT, SQL_END };

const struct sql	 glossary_sql[SQL_END + 1] = {
	[ADD] = { "glossary.add", "INSERT INTO glossaries ({names}) VALUES ({values})",
	    .from = glossary_fields },
	[COUNT] = { "glossary.count", "SELECT count(*) FROM glossaries WHERE account = $1" },
	[GET] = { "glossary.get", GLOSSARY("id = $2 AND account = $1") },
	[UP] = { "glossary.list_up",
	    GLOSSARY("account = $1 AND (created_us, id) > ($2, $3)"
		" ORDER BY created_us, id LIMIT $4") },
	[DOWN] = { "glossary.list_down",
	    GLOSSARY("account = $1 AND (created_us, id) < ($2, $3)"
		" ORDER BY created_us DESC, id DESC LIMIT $4") },
	[PUT] = { "glossary.put",
	    "UPDATE glossaries SET {changes}, version = version + 1"
	    " WHERE id = :id AND account = :account AND version = $1", .from = glossary_fields },
	[DROP] = { "glossary.drop", "DELETE FROM glossaries WHERE id = $2 AND account = $1" },
	[RECEIVE] = { "glossary.receive",
	    "UPDATE glossaries SET status = :status, entries = :entries, faults = :faults,"
	    " blob = :blob, updated_us = :updated_us, version = version + 1 WHERE id = :id"
	    " AND account = :account AND status IN ('none', 'failed')", .from = glossary_fields },
	[IMPORT] = { "glossary.import",
	    "UPDATE glossaries SET status = $4, entries = $5, faults = $6," CHANGED
	    " AND status = 'pending' AND blob = $7" },
	[TERMS] = { "glossary.terms",
	    "INSERT INTO glossary_terms (glossary, terms) SELECT id, $3 FROM glossaries"
	    " WHERE id = $2 AND account = $1" },
	[USED] = { "glossary.used",
	    "SELECT {g.*} FROM glossaries g"
	    " JOIN glossary_terms t ON t.glossary = g.id WHERE g.account = $1"
	    " AND g.enabled = 1 AND g.status = 'ready' ORDER BY g.created_us, g.id", ROWS_OF(used_fields, struct used) },
	[NEXT] = { "glossary.next_terms",
	    "SELECT {*} FROM glossary_terms WHERE glossary > $1 ORDER BY glossary LIMIT 1",
	    ROWS_OF(stored_fields, struct used) },
	[CONVERT] = { "glossary.convert_terms",
	    "UPDATE glossary_terms SET terms = $2 WHERE glossary = $1" },
};
/* clang-format on */

/* Parse one stored line, "3\t2\tcsv-empty-term\tThe term ...\n"; returns the next. */
static const char *
read_fault(struct arena *mem, const char *s, const struct glossary *g,
    const char *base_url, struct term_fault *to)
{
	size_t row = strcspn(s, "\t") + 1, column = strcspn(s + row, "\t") + 1, rest;
	const char *line = s + row + column;
	struct list told;

	rest = strcspn(line, "\n") + 1;
	told = problem_lines(mem, arena_dup(mem, line, rest), base_url, g->id);
	*to = (struct term_fault){
		.row = strtoll(s, NULL, 10),
		.column = column > 1 ? strtoll(s + row, NULL, 10) : NULL_INT,
		.problem = *(const struct problem_document *)told.items,
	};
	return line + rest;
}

void
glossary_fill_view(struct arena *mem, struct glossary *g, const char *base_url)
{
	struct term_fault *told;
	size_t n = 0;

	for (const char *s = g->fault_lines; *s != '\0'; s++)
		n += *s == '\n';
	told = arena_alloc(mem, n * sizeof(*told));
	for (const char *s = g->fault_lines; *s != '\0'; told++)
		s = read_fault(mem, s, g, base_url, told);
	g->faults = (struct list){ told - n, n };
}

size_t
glossary_columns(const struct glossary *g)
{
	return strcmp(g->type, "asr_hot") == 0 ? 1 : 2;
}

bool
glossary_accepts_file(const struct glossary *g)
{
	return strcmp(g->status, "none") == 0 || strcmp(g->status, "failed") == 0;
}

enum err
glossary_add(struct db *db, const struct glossary *g)
{
	return db_save(db, &glossary_sql[ADD], g, ARGS(), ERR_CONFLICT);
}

enum err
glossary_count(struct db *db, const char *account, int64_t *n)
{
	return db_number(db, &glossary_sql[COUNT], ARGS(TEXT(account)), n);
}

enum err
glossary_get(struct db *db, struct arena *mem, const char *account, const char *id,
    struct glossary *g)
{
	return db_one(db, &glossary_sql[GET], ARGS(TEXT(account), TEXT(id)), mem, g);
}

enum err
glossary_list(struct db *db, struct arena *mem, const char *account,
    const struct list_cursor *from, struct list *to)
{
	return db_list(db, &glossary_sql[from->ascending ? UP : DOWN],
	    ARGS(TEXT(account), CURSOR(from)), mem, to);
}

enum err
glossary_put(struct db *db, struct glossary *g)
{
	int64_t before = g->version++;

	g->updated_us = now_us();
	return db_save(db, &glossary_sql[PUT], g, ARGS(INT(before)), ERR_STALE);
}

enum err
glossary_drop(struct db *db, const struct glossary *g)
{
	enum err e = OK;

	if (g->blob != NULL)
		e = blob_drop_glossary(db, g->account, g->blob);
	return e != OK ? e
		       : db_change(db, &glossary_sql[DROP],
			     ARGS(TEXT(g->account), TEXT(g->id)), ERR_NOT_FOUND);
}

enum err
glossary_receive(struct db *db, struct glossary *g, const struct blob *file)
{
	enum err e;

	if (!glossary_accepts_file(g))
		return ERR_CONFLICT;
	if (g->blob != NULL && (e = blob_drop_glossary(db, g->account, g->blob)) != OK)
		return e;
	if ((e = blob_add(db, file)) != OK)
		return e;
	g->blob = file->id;
	g->status = "pending";
	g->entries = 0;
	g->fault_lines = "";
	g->updated_us = now_us();
	g->version++;
	return db_save(db, &glossary_sql[RECEIVE], g, ARGS(), ERR_CONFLICT);
}

enum err
glossary_import(struct db *db, const struct glossary *g, const struct terms *t)
{
	enum err e = db_change(db, &glossary_sql[IMPORT],
	    ARGS(TEXT(g->account), TEXT(g->id), INT(now_us()),
		TEXT(t->rows > 0 ? "ready" : "failed"), INT(t->rows), TEXT(t->faults),
		TEXT(g->blob)),
	    ERR_STALE);

	if (e != OK || t->rows == 0)
		return e;
	return db_exec(db, &glossary_sql[TERMS],
	    ARGS(TEXT(g->account), TEXT(g->id), TEXT(t->terms)), NULL);
}

const char *
glossary_target_fault(const struct glossary *in)
{
	bool asr = strcmp(in->type, "asr") == 0;

	if (strcmp(in->type, "asr_hot") == 0)
		return NULL;
	if (in->target == NULL)
		return "target_lang is required.";
	if (!asr && !lang_in(lang_glossary_target, in->target))
		return "target_lang is not in the list.";
	if (in->source == NULL || (strcmp(in->source, in->target) == 0) == asr)
		return NULL;
	return asr ? "target_lang must equal source_lang."
		   : "target_lang must differ from source_lang.";
}

/* ---- terms for tasks ---- */

static void
add_rows(struct arena *mem, const struct used *u, size_t most, struct buf *to)
{
	const char *s = u->terms, *end;

	for (; (end = strchr(s, TERMS_END[0])) != NULL; s = end + 1) {
		struct glossary_row row = u->row;
		size_t n = strcspn(s, TERM_END TERMS_END);

		if (to->len >= most * sizeof(row))
			return;
		row.term = arena_dup(mem, s, n);
		if (s[n] == TERM_END[0]) {
			s += n + 1;
			n = strcspn(s, TERM_END TERMS_END);
			row.replacement = arena_dup(mem, s, n);
			row.match_case = s[n] == TERM_END[0];
		}
		buf_put(to, &row, sizeof(row));
	}
}

enum err
glossary_used(
    struct db *db, struct arena *mem, const char *account, size_t most, struct list *to)
{
	struct buf rows = { .mem = mem };
	struct list l;
	enum err e = db_list(db, &glossary_sql[USED], ARGS(TEXT(account)), mem, &l);

	for (size_t i = 0; e == OK && i < l.n; i++)
		add_rows(mem, (const struct used *)l.items + i, most, &rows);
	*to = (struct list){ rows.p, rows.len / sizeof(struct glossary_row) };
	return e;
}

static bool
convert_row(void *arg, const struct csv_row *row)
{
	struct buf *to = arg;

	for (size_t i = 0; i < row->n; i++) {
		buf_put(to, row->cells[i].p, row->cells[i].n);
		buf_str(to, i + 1 < row->n ? TERM_END : TERMS_END);
	}
	return true;
}

/* Convert one glossary at a time: all together may be large. */
enum err
glossary_terms_convert(struct db *db)
{
	struct arena *mem = arena_new(), *last = arena_new();
	struct used u = { .row.glossary = "" };
	const char *after = "";
	enum err e;

	while (
	    (e = db_one(db, &glossary_sql[NEXT], ARGS(TEXT(after)), mem, &u)) == OK) {
		struct buf terms = { .mem = mem };

		csv_read(mem, u.terms, strlen(u.terms), ',', convert_row, &terms);
		e = db_exec(db, &glossary_sql[CONVERT],
		    ARGS(TEXT(u.row.glossary), TEXT(buf_text(&terms))), NULL);
		if (e != OK)
			break;
		after = arena_str(last, u.row.glossary);
		arena_reset(mem);
	}
	arena_free(mem);
	arena_free(last);
	return e == ERR_NOT_FOUND ? OK : e;
}
