/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes structs by tables of fields. */
#include "base/field.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/text.h"

/* most faults that are reported, as a body can have 100,000 */
#define FAULTS_MAX 1000

struct reader {
	struct arena *mem;
	unsigned how;
	int nfaults;
	struct fault *first; /* the faults, in order */
	struct fault **tail;
};

static void
fault(struct reader *r, const char *at, const char *detail)
{
	struct fault *f;

	f = arena_alloc(r->mem, sizeof(*f));
	*f = (struct fault){ .at = at, .detail = detail };
	*r->tail = f;
	r->tail = &f->next;
}

static bool
outside(const struct field *f, int64_t n)
{
	return (f->min != 0 || f->max != 0) && (n < f->min || n > f->max);
}

/* Returns a sentence such as "must have 3 to 64 characters". */
static const char *
sized(struct reader *r, const struct field *f, int64_t n, const char *unit)
{
	if (!outside(f, n))
		return NULL;
	if (f->min == f->max)
		return arena_printf(
		    r->mem, "must have exactly %" PRId64 " %s", f->min, unit);
	if (f->min == 0)
		return arena_printf(
		    r->mem, "must have at most %" PRId64 " %s", f->max, unit);
	return arena_printf(
	    r->mem, "must have %" PRId64 " to %" PRId64 " %s", f->min, f->max, unit);
}

/* Returns the listed name that the text equals in any case, or NULL. */
static const char *
spelt(const struct field *f, const char *s)
{
	for (size_t i = 0; f->names != NULL && f->names[i] != NULL; i++)
		if (strcasecmp(s, f->names[i]) == 0)
			return f->names[i];
	return s;
}

static const char *
read_text(
    struct reader *r, const struct field *f, const struct json *v, const char **to)
{
	const char *what;

	if (v->type != JSON_TEXT)
		return "must be a string";
	if (strlen(v->u.s) != v->n)
		return "must not hold the character U+0000";
	*to = spelt(f, v->u.s);
	what = sized(r, f, (int64_t)text_length(*to), "characters");
	return what == NULL && f->check != NULL ? f->check(*to) : what;
}

static const char *
read_enum(const struct field *f, const struct json *v, const char **to)
{
	int (*differ)(const char *, const char *) =
	    f->flags & F_NOCASE ? strcasecmp : strcmp;

	for (size_t i = 0; v->type == JSON_TEXT && f->names[i] != NULL; i++)
		if (strlen(v->u.s) == v->n && differ(v->u.s, f->names[i]) == 0) {
			*to = f->names[i];
			return NULL;
		}
	return "is not in the list";
}

static const char *
read_json(
    struct reader *r, const struct field *f, const struct json *v, const char **to)
{
	if (v->type != JSON_OBJ)
		return "must be an object";
	if (json_holds_nul(v))
		return "must not hold the character U+0000";
	*to = json_text(r->mem, v);
	return sized(r, f, (int64_t)strlen(*to), "bytes");
}

static const char *
read_int(struct reader *r, const struct field *f, const struct json *v, int64_t *to)
{
	if (v->type == JSON_INT)
		*to = v->u.i;
	else if (v->type == JSON_NUMBER && v->u.r == trunc(v->u.r) &&
		 fabs(v->u.r) < 9007199254740992.0) /* 2^53 */
		*to = (int64_t)v->u.r;
	else
		*to = NULL_INT;
	if (*to != NULL_INT && !outside(f, *to))
		return NULL;
	if (f->min == 0 && f->max == 0)
		return "must be an integer";
	return arena_printf(
	    r->mem, "must be an integer from %" PRId64 " to %" PRId64, f->min, f->max);
}

static const char *
read_real(struct reader *r, const struct field *f, const struct json *v, double *to)
{
	if (v->type != JSON_INT && v->type != JSON_NUMBER)
		return "must be a number";
	*to = v->type == JSON_INT ? (double)v->u.i : v->u.r;
	if ((f->min == 0 && f->max == 0) ||
	    (*to >= (double)f->min && *to <= (double)f->max))
		return NULL;
	return arena_printf(
	    r->mem, "must be a number from %" PRId64 " to %" PRId64, f->min, f->max);
}

static const char *
read_time(const struct json *v, int64_t *to)
{
	if (v->type == JSON_TEXT && strlen(v->u.s) == v->n && time_parse(v->u.s, to))
		return NULL;
	return "must be an RFC 3339 time";
}

static bool
equals(const struct json *v, const char *word)
{
	return v->type == JSON_TEXT && v->n == strlen(word) &&
	       strcmp(v->u.s, word) == 0;
}

static const char *
read_bool(const struct field *f, const struct json *v, bool *to)
{
	bool loose = (f->flags & F_LOOSE) != 0;

	*to = (v->type == JSON_BOOL && v->u.b) || (loose && equals(v, "true"));
	return v->type == JSON_BOOL || *to || (loose && equals(v, "false"))
		   ? NULL
		   : "must be true or false";
}

static void clear(const struct field *, void *to);
static void lay(struct reader *, const struct field *, const struct json *,
    const char *at, void *to);
static void read_value(struct reader *, const struct field *, const struct json *,
    const char *at, void *to);

/* Items are complete: no required member may be missing, even in an update. */
static const char *
read_list(struct reader *r, const struct field *f, const struct json *v, const char *at,
    struct list *to)
{
	static const struct field text = { .name = "", .type = F_TEXT };
	const struct field *of = f->of != NULL ? f->of : &text;
	size_t size = f->of != NULL ? f->size : sizeof(const char *);
	unsigned how = r->how;
	const char *what;

	if (v->type != JSON_LIST)
		return "must be an array";
	if ((what = sized(r, f, (int64_t)v->n, "items")) != NULL)
		return what;
	*to = (struct list){ arena_alloc(r->mem, v->n * size), 0 };
	r->how &= ~(unsigned)FIELD_PARTIAL;
	for (v = v->kids; v != NULL; v = v->next, to->n++) {
		const char *here = arena_printf(r->mem, "%s/%zu", at, to->n);
		void *item = (char *)to->items + to->n * size;

		if (of->name[0] == '\0')
			read_value(r, of, v, here, item);
		else {
			field_clear(of, item); /* the item may not be an object */
			lay(r, of, v, here, item);
		}
	}
	r->how = how;
	return NULL;
}

/* The last step of a pointer, which names the thing in a sentence. */
static const char *
called(const char *at)
{
	const char *s = strrchr(at, '/');

	return s != NULL ? s + 1 : at;
}

static void
complain(struct reader *r, const char *at, const char *what)
{
	const char *name = called(at);

	if (r->nfaults++ >= FAULTS_MAX)
		return;
	if (name[0] >= '0' && name[0] <= '9')
		name = arena_printf(r->mem, "item %s", name);
	fault(r, at, arena_printf(r->mem, "%s %s.", name, what));
}

/* Store one value, or report its fault. */
static void
read_value(struct reader *r, const struct field *f, const struct json *v,
    const char *at, void *to)
{
	const char *what = NULL;

	switch (f->type) {
	case F_TEXT:
		what = read_text(r, f, v, to);
		break;
	case F_ENUM:
		what = read_enum(f, v, to);
		break;
	case F_JSON:
		what = read_json(r, f, v, to);
		break;
	case F_INT:
		what = read_int(r, f, v, to);
		break;
	case F_TIME:
		what = read_time(v, to);
		break;
	case F_REAL:
		what = read_real(r, f, v, to);
		break;
	case F_BOOL:
		what = read_bool(f, v, to);
		break;
	case F_LIST:
		what = read_list(r, f, v, at, to);
		break;
	case F_OBJ:
		lay(r, f->of, v, at, to);
		break;
	}
	if (what == NULL)
		return;
	clear(f, to); /* a fault leaves the value null */
	complain(r, at, what);
}

/* The size of a value of each type, and its null value if that is not all zeros. */
static const struct {
	size_t size;
	union {
		int64_t i;
		double r;
	} null;
} values[] = {
	[F_TEXT] = { sizeof(char *) },
	[F_ENUM] = { sizeof(char *) },
	[F_JSON] = { sizeof(char *) },
	[F_INT] = { sizeof(int64_t), { .i = NULL_INT } },
	[F_TIME] = { sizeof(int64_t), { .i = NULL_INT } },
	[F_REAL] = { sizeof(double), { .r = NAN } },
	[F_BOOL] = { sizeof(bool) },
	[F_LIST] = { sizeof(struct list) },
};

static void
clear(const struct field *f, void *to)
{
	if (f->type == F_OBJ)
		field_clear(f->of, to);
	else if (f->type == F_BOOL)
		*(bool *)to = (f->flags & F_TRUE) != 0;
	else if (f->type == F_LIST)
		*(struct list *)to = (struct list){ 0 };
	else
		memcpy(to, &values[f->type].null, values[f->type].size);
}

void
field_clear(const struct field *fs, void *to)
{
	for (; fs->name != NULL; fs++)
		clear(fs, (char *)to + fs->at);
}

void
field_copy(const struct field *fs, const void *from, void *to)
{
	for (; fs->name != NULL; fs++) {
		const char *here = (const char *)from + fs->at;
		char *there = (char *)to + fs->at;

		if ((fs->flags & F_IO) != F_IO)
			continue;
		if (fs->type == F_OBJ)
			field_copy(fs->of, here, there);
		else
			memcpy(there, here, values[fs->type].size);
	}
}

static void
absent(struct reader *r, const struct field *f, const char *at, void *to)
{
	if (r->how & FIELD_PARTIAL)
		return;
	clear(f, to);
	if (f->flags & F_REQUIRED)
		complain(r, at, "is required");
}

static void
lay_one(struct reader *r, const struct field *f, const struct json *obj, const char *at,
    void *to)
{
	const struct json *v = json_get(obj, f->name);
	const char *here = arena_printf(r->mem, "%s/%s", at, f->name);

	if (v != NULL && !(f->flags & F_IN)) {
		if (r->how & FIELD_STRICT)
			complain(r, here, "cannot be set");
		v = NULL;
	}
	if (v == NULL)
		absent(r, f, here, to);
	else if (v->type != JSON_NONE)
		read_value(r, f, v, here, to);
	else if (f->flags & F_NULLABLE)
		clear(f, to);
	else if (r->how & FIELD_PARTIAL)
		complain(r, here, "must not be null");
	else
		absent(r, f, here, to);
}

/* RFC 6901: "~" and "/" of a member's name are escaped in a pointer. */
static const char *
pointer(struct arena *mem, const char *at, const char *name)
{
	struct buf b = { .mem = mem };

	buf_str(&b, at);
	buf_str(&b, "/");
	for (; *name != '\0'; name++)
		if (*name == '~' || *name == '/')
			buf_str(&b, *name == '~' ? "~0" : "~1");
		else
			buf_put(&b, name, 1);
	return buf_text(&b);
}

/* Report members that the table does not have. */
static void
refuse_others(
    struct reader *r, const struct field *fs, const struct json *obj, const char *at)
{
	for (const struct json *v = obj->kids; v != NULL; v = v->next) {
		const struct field *f = fs;

		while (f->name != NULL && strcmp(f->name, v->key) != 0)
			f++;
		if (f->name == NULL)
			complain(r, pointer(r->mem, at, v->key), "is not known");
	}
}

static void
lay(struct reader *r, const struct field *fs, const struct json *obj, const char *at,
    void *to)
{
	if (obj->type != JSON_OBJ) {
		complain(r, at, "must be an object");
		return;
	}
	for (const struct field *f = fs; f->name != NULL; f++)
		lay_one(r, f, obj, at, (char *)to + f->at);
	if (r->how & FIELD_STRICT)
		refuse_others(r, fs, obj, at);
}

struct fault *
field_read(struct arena *mem, const struct field *fs, const struct json *v,
    const char *at, unsigned how, void *to)
{
	struct reader r = { .mem = mem, .how = how, .tail = &r.first };

	if (fs->name != NULL && fs->name[0] == '\0')
		read_value(&r, fs, v, at, to);
	else
		lay(&r, fs, v, at, to);
	return r.first;
}

/*
 * Read an array of texts without escapes, as texts_json() writes it; false: any other
 * array.
 */
static bool
read_plain_texts(struct arena *mem, const char *s, struct list *to)
{
	struct buf items = { .mem = mem };
	const char *text;
	size_t n;

	if (*s++ != '[' || strchr(s, '\\') != NULL)
		return false;
	if (*s == '"')
		do {
			n = strcspn(++s, "\"");
			text = arena_dup(mem, s, n);
			buf_put(&items, &text, sizeof(text));
			s += n;
		} while (*s == '"' && *++s == ',' && *++s == '"');
	*to = (struct list){ items.p, items.len / sizeof(text) };
	return s[0] == ']' && s[1] == '\0' && s[-1] != ',';
}

struct list
texts_read(struct arena *mem, const char *json)
{
	struct buf items = { .mem = mem };
	struct list to = { 0 };
	const struct json *v;
	const char *why;

	if (json == NULL || read_plain_texts(mem, json, &to))
		return to;
	v = json_read(mem, json, strlen(json), &why);
	v = v != NULL && v->type == JSON_LIST ? v->kids : NULL;
	for (; v != NULL; v = v->next)
		if (v->type == JSON_TEXT)
			buf_put(&items, &v->u.s, sizeof(v->u.s));
	return (struct list){ items.p, items.len / sizeof(v->u.s) };
}

/* ---- faults: making one, and their order ---- */

struct fault *
fault_add(struct arena *mem, struct fault *others, const char *at, const char *fmt, ...)
{
	struct fault *f = arena_alloc(mem, sizeof(*f)), **tail = &others;
	char detail[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	*f = (struct fault){ .at = at, .detail = arena_str(mem, detail) };
	while (*tail != NULL)
		tail = &(*tail)->next;
	*tail = f;
	return others;
}

/*
 * The field that a table stands for: its only field, if that has no name, else an
 * object.
 */
static struct field
thing_of(const struct field *fs)
{
	if (fs == NULL)
		return (struct field){ .type = F_TEXT };
	return fs->name[0] == '\0' ? *fs : (struct field){ .type = F_OBJ, .of = fs };
}

/* The position of a step inside a thing, and the table that the step leads to. */
static unsigned long
position(const struct field *thing, const char *step, size_t n, struct field *to)
{
	const struct field *f = thing->of;

	*to = thing_of(NULL);
	if (thing->type == F_LIST) {
		*to = thing_of(f);
		return strtoul(step, NULL, 10);
	}
	if (thing->type != F_OBJ)
		return 0;
	while (f->name != NULL && (strlen(f->name) != n || memcmp(f->name, step, n)))
		f++;
	if (f->name != NULL)
		*to = *f;
	return (unsigned long)(f - thing->of); /* unknown members come last */
}

/* Compare two members of things: returns a number below 0, 0 or above 0. */
static int
compare(struct field thing, const char *a, const char *b)
{
	struct field in_a, in_b;
	unsigned long pa, pb;

	while (*a != '\0' && *b != '\0') {
		size_t n = strcspn(++a, "/"), m = strcspn(++b, "/");

		pa = position(&thing, a, n, &in_a);
		pb = position(&thing, b, m, &in_b);
		if (pa != pb)
			return pa < pb ? -1 : 1;
		thing = in_a;
		a += n;
		b += m;
	}
	return (*a != '\0') - (*b != '\0');
}

struct order {
	struct field thing;
	size_t skip; /* bytes of a pointer to the thing */
};

/* qsort(3) may change the order of equal items. */
struct placed {
	struct fault *fault;
	size_t i;
};

static int
by_position(const void *a, const void *b, void *order)
{
	const struct placed *x = a, *y = b;
	const struct order *o = order;
	int d = compare(o->thing, x->fault->at + o->skip, y->fault->at + o->skip);

	return d != 0 ? d : (x->i > y->i) - (x->i < y->i);
}

struct fault *
fault_order(
    struct arena *mem, const struct field *fs, const char *at, struct fault *first)
{
	struct order o = { thing_of(fs), strlen(at) };
	struct buf b = { .mem = mem };
	struct fault **tail = &first;
	struct placed *p;
	size_t n = 0;

	for (; first != NULL; first = first->next)
		buf_put(&b, &(struct placed){ first, n++ }, sizeof(*p));
	p = (struct placed *)(void *)b.p;
	if (n > 0)
		qsort_r(p, n, sizeof(*p), by_position, &o);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(p[i].fault->at, p[i - 1].fault->at) != 0) {
			*tail = p[i].fault;
			tail = &p[i].fault->next;
		}
	*tail = NULL;
	return first;
}

/* ---- structs into JSON ---- */

static void
write_list(struct json_writer *j, const struct field *f, const struct list *l)
{
	jw_list(j, f->name);
	for (size_t i = 0; i < l->n; i++)
		if (f->of == NULL || f->of->name[0] == '\0')
			jw_text(j, NULL, ((const char *const *)l->items)[i]);
		else
			field_write(
			    j, NULL, f->of, (const char *)l->items + i * f->size);
	jw_close(j);
}

static bool
empty(const struct field *f, const void *at)
{
	switch (f->type) {
	case F_TEXT:
	case F_ENUM:
	case F_JSON:
		return *(const char *const *)at == NULL;
	case F_INT:
	case F_TIME:
		return *(const int64_t *)at == NULL_INT;
	case F_REAL:
		return isnan(*(const double *)at);
	case F_LIST:
		return ((const struct list *)at)->n == 0;
	case F_OBJ:
		return empty(f->of, (const char *)at + f->of->at);
	case F_BOOL:
		break;
	}
	return false;
}

static void
write_one(struct json_writer *j, const struct field *f, const void *at)
{
	char text[TIME_TEXT];

	switch (f->type) {
	case F_TEXT:
	case F_ENUM:
		jw_text(j, f->name, *(const char *const *)at);
		break;
	case F_JSON:
		jw_raw(j, f->name, *(const char *const *)at);
		break;
	case F_INT:
		jw_int(j, f->name, *(const int64_t *)at);
		break;
	case F_TIME:
		jw_text(j, f->name, time_text(*(const int64_t *)at, text));
		break;
	case F_REAL:
		jw_real(j, f->name, *(const double *)at);
		break;
	case F_BOOL:
		jw_bool(j, f->name, *(const bool *)at);
		break;
	case F_LIST:
		write_list(j, f, at);
		break;
	case F_OBJ:
		field_write(j, f->name, f->of, at);
		break;
	}
}

void
field_write_into(struct json_writer *j, const struct field *fs, const void *from)
{
	for (; fs->name != NULL; fs++) {
		const void *at = (const char *)from + fs->at;

		if (fs->flags & F_OUT && !(fs->flags & F_OPT && empty(fs, at)))
			write_one(j, fs, at);
	}
}

void
field_write(
    struct json_writer *j, const char *key, const struct field *fs, const void *from)
{
	jw_open(j, key);
	field_write_into(j, fs, from);
	jw_close(j);
}

bool
field_same(
    struct arena *mem, const struct field *fs, const void *one, const void *other)
{
	struct buf a = { .mem = mem }, b = { .mem = mem };

	field_write(&(struct json_writer){ .out = &a }, NULL, fs, one);
	field_write(&(struct json_writer){ .out = &b }, NULL, fs, other);
	return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

const char *
texts_json(struct arena *mem, const struct list *l)
{
	static const struct field texts = { .type = F_LIST };
	struct buf b = { .mem = mem };

	write_list(&(struct json_writer){ .out = &b }, &texts, l);
	return buf_text(&b);
}
