/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Combines statements with tables of fields, once, when a statement is prepared.  A
 * name that does not fit is refused here, before any row is read.
 */
#include "db/statement.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"

#define WORD "abcdefghijklmnopqrstuvwxyz_0123456789"

/* A column in a table of fields. */
struct column {
	const char *text, *name;
	const struct field *is;
	size_t at; /* offset in the outermost struct */
};

struct columns {
	const struct column *of;
	size_t n;
};

/* "kind" of "kind", of "v.kind" and of "max(v.kind) AS kind". */
static const char *
name_of(const char *text)
{
	const char *name = text, *s;

	for (s = text; (s = strstr(s, " AS ")) != NULL; s += 4)
		name = s + 4;
	s = strrchr(name, '.');
	return s != NULL ? s + 1 : name;
}

static void
gather(struct buf *to, const struct field *f, size_t base)
{
	for (; f != NULL && f->name != NULL; f++) {
		struct column c = { f->column != NULL ? f->column : f->name, NULL, f,
			base + f->at };

		c.name = name_of(c.text);
		if (f->type == F_OBJ)
			gather(to, f->of, c.at);
		else if (f->type != F_LIST && c.name[0] != '\0')
			buf_put(to, &c, sizeof(c));
	}
}

static struct columns
columns_of(struct arena *mem, const struct field *f)
{
	struct buf b = { .mem = mem };

	gather(&b, f, 0);
	return (struct columns){ (const struct column *)(const void *)b.p,
		b.len / sizeof(struct column) };
}

/* The index of the first column with that name; two members may use one column. */
static size_t
find(const struct columns *c, const char *name)
{
	size_t i = 0;

	while (i < c->n && strcmp(c->of[i].name, name) != 0)
		i++;
	return i;
}

/* ---- the text ---- */

static void
write_column(struct buf *b, char mark, const char *prefix, const struct column *c)
{
	if (mark == 'c')
		buf_printf(b, "%s = :%s", c->name, c->name);
	else if (mark != '*')
		buf_printf(b, "%s%s", mark == 'v' ? ":" : "", c->name);
	else
		buf_printf(b, "%s%s",
		    c->text[strspn(c->text, WORD)] == '\0' ? prefix : "", c->text);
}

/* Write {names}, {values}, {changes}, {*} or {e.*}; n: bytes between the braces. */
static void
write_columns(const struct stmt *s, struct buf *b, const char *text, size_t n)
{
	char mark = text[n - 1] == '*' ? '*' : text[0];
	unsigned need = mark == '*' ? 0 : mark == 'c' ? F_PUT : F_ADD;
	const struct columns c =
	    columns_of(b->mem, mark == '*' ? s->def->row : s->def->from);
	const char *prefix = arena_dup(b->mem, text, n - 1), *between = "";

	for (size_t i = 0; i < c.n; i++)
		if (find(&c, c.of[i].name) == i && (c.of[i].is->flags & need) == need) {
			buf_str(b, between);
			write_column(b, mark, prefix, &c.of[i]);
			between = ", ";
		}
}

static const char *
with_columns(const struct stmt *s, struct arena *mem, const char *text)
{
	struct buf b = { .mem = mem };
	const char *mark;

	for (; (mark = strchr(text, '{')) != NULL; text = strchr(mark, '}') + 1) {
		buf_put(&b, text, (size_t)(mark - text));
		write_columns(s, &b, mark + 1, strcspn(mark + 1, "}"));
	}
	buf_str(&b, text);
	return buf_text(&b);
}

/* Number of bytes before the next parameter or the end. */
static size_t
to_parameter(const char *text)
{
	const char *s = text, *end;

	for (; *s != '\0'; s++)
		if (*s == '\'' && (end = strchr(s + 1, '\'')) != NULL)
			s = end;
		else if (s[0] == ':' && s[1] == ':')
			s++;
		else if ((*s == '$' && isdigit((unsigned char)s[1])) ||
			 (*s == ':' && islower((unsigned char)s[1])))
			break;
	return (size_t)(s - text);
}

static int
count_args(const char *text)
{
	int most = 0;

	while (*(text += to_parameter(text)) != '\0')
		if (*text++ == '$' && atoi(text) > most)
			most = atoi(text);
	return most;
}

/* Returns the number of :name, or 0. */
static int
parameter(struct stmt *s, const struct columns *c, const char *name)
{
	size_t i = find(c, name);

	if (i == c->n) {
		log_error("%s: its table has no column %s", s->def->name, name);
		return 0;
	}
	for (int k = 0; k < s->nfrom; k++)
		if (s->from[k].at == c->of[i].at)
			return s->from[k].n;
	s->from[s->nfrom] = (struct binding){ .n = s->nargs + s->nfrom + 1,
		.type = c->of[i].is->type,
		.at = c->of[i].at,
		.sealed = (c->of[i].is->flags & F_SEALED) != 0 };
	return s->from[s->nfrom++].n;
}

/* Replace parameters by a mark and a number, as the database expects. */
static enum err
number_parameters(struct stmt *s, struct arena *mem, const char *text, char mark)
{
	const struct columns c = columns_of(mem, s->def->from);
	struct buf b = { .mem = mem };
	size_t n;

	s->nargs = count_args(text);
	s->from = arena_alloc(mem, c.n * sizeof(*s->from));
	while (n = to_parameter(text), buf_put(&b, text, n), *(text += n) != '\0') {
		bool named = *text++ == ':';
		int at;

		n = strspn(text, named ? WORD : "0123456789");
		at = named ? parameter(s, &c, arena_dup(mem, text, n)) : atoi(text);
		if (at == 0)
			return ERR_REFUSED;
		buf_printf(&b, "%c%d", mark, at);
		text += n;
	}
	s->text = buf_text(&b);
	return OK;
}

/* Refuse a field that clients may set but no statement writes: with F_IN and without
   F_ADD and F_PUT it would be accepted with 200 and lost. */
static enum err
keeps_input(const struct stmt *s, struct arena *mem, const char *text)
{
	const struct columns c = columns_of(mem, s->def->from);

	for (size_t i = 0; i < c.n; i++)
		if ((c.of[i].is->flags & F_IN) && !(c.of[i].is->flags & F_KEPT) &&
		    find(&c, c.of[i].name) == i &&
		    strstr(text, arena_printf(mem, ":%s", c.of[i].name)) == NULL) {
			log_error(
			    "%s: %s is accepted but not stored: F_KEPT is missing",
			    s->def->name, c.of[i].name);
			return ERR_REFUSED;
		}
	return OK;
}

enum err
statement_write(struct stmt *s, struct arena *mem, const struct db_driver *to)
{
	bool own = to->translate != NULL && s->def->pg != NULL;
	const char *raw = own ? s->def->pg : s->def->text, *text;
	enum err e;

	if (raw == NULL) {
		log_error("%s: is for PostgreSQL alone", s->def->name);
		return ERR_REFUSED;
	}
	text = with_columns(s, mem, raw);
	if (strchr(raw, '{') != NULL && (e = keeps_input(s, mem, raw)) != OK)
		return e;
	if (to->translate != NULL)
		text = to->translate(mem, text);
	e = number_parameters(s, mem, text, to->mark);
	if (e == OK && s->nargs + s->nfrom > ARGS_MAX) {
		log_error("%s: too many parameters", s->def->name);
		e = ERR_REFUSED;
	}
	return e;
}

/* ---- rows ---- */

static enum err
fit_member(struct stmt *s, const struct column *c, const struct list *columns)
{
	const char *const *names = columns->items;
	size_t i = 0;

	while (i < columns->n && strcmp(names[i], c->name) != 0)
		i++;
	if (i == columns->n) {
		log_error("%s: it has no column %s, but its table has", s->def->name,
		    c->name);
		return ERR_REFUSED;
	}
	s->row[s->nrow++] = (struct binding){ (int)i, c->is->type, c->at,
		(c->is->flags & F_SEALED) != 0 };
	return OK;
}

static enum err
fit_column(const struct stmt *s, const char *name, int at)
{
	for (int k = 0; k < s->nrow; k++)
		if (s->row[k].n == at)
			return OK;
	log_error("%s: its table has no column %s", s->def->name, name);
	return ERR_REFUSED;
}

enum err
statement_fit(struct stmt *s, struct arena *mem, const struct list *columns)
{
	const struct columns c = columns_of(mem, s->def->row);
	enum err e = OK;

	s->row = arena_alloc(mem, c.n * sizeof(*s->row));
	for (size_t i = 0; e == OK && i < c.n; i++)
		e = fit_member(s, &c.of[i], columns);
	for (size_t i = 0; e == OK && i < columns->n; i++)
		e = fit_column(s, ((const char *const *)columns->items)[i], (int)i);
	return e;
}
