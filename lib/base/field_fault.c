/*
 * Faults: making one, and the order in which they are told.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"

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

/* What a table stands for: one value, when its field has no name, or an object. */
static struct field
thing_of(const struct field *fs)
{
	if (fs == NULL)
		return (struct field){ .type = F_TEXT };
	return fs->name[0] == '\0' ? *fs : (struct field){ .type = F_OBJ, .of = fs };
}

/* The place of a step among those inside a thing, and what the step leads to. */
static unsigned long
place(const struct field *thing, const char *step, size_t n, struct field *to)
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
	return (unsigned long)(f - thing->of); /* unknown ones come last */
}

/* Below 0, 0, above 0; pointers a and b are from the thing on. */
static int
compare(struct field thing, const char *a, const char *b)
{
	struct field in_a, in_b;
	unsigned long pa, pb;

	while (*a != '\0' && *b != '\0') {
		size_t n = strcspn(++a, "/"), m = strcspn(++b, "/");

		pa = place(&thing, a, n, &in_a);
		pb = place(&thing, b, m, &in_b);
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

/* qsort(3) does not keep the order of equals. */
struct placed {
	struct fault *fault;
	size_t i;
};

static int
by_place(const void *a, const void *b, void *order)
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
		qsort_r(p, n, sizeof(*p), by_place, &o);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(p[i].fault->at, p[i - 1].fault->at) != 0) {
			*tail = p[i].fault;
			tail = &p[i].fault->next;
		}
	*tail = NULL;
	return first;
}
