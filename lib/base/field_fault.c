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

static struct fault *
merge(const struct order *o, struct fault *a, struct fault *b)
{
	struct fault *first = NULL, **tail = &first, **from;

	while (a != NULL && b != NULL) {
		from =
		    compare(o->thing, a->at + o->skip, b->at + o->skip) <= 0 ? &a : &b;
		*tail = *from;
		tail = &(*from)->next;
		*from = *tail;
	}
	*tail = a != NULL ? a : b;
	return first;
}

static struct fault *
sort(const struct order *o, struct fault *first, size_t n)
{
	struct fault *half = first, **cut = &first;

	if (n < 2)
		return first;
	for (size_t i = 0; i < n / 2; i++)
		cut = &(*cut)->next;
	half = *cut;
	*cut = NULL;
	return merge(o, sort(o, first, n / 2), sort(o, half, n - n / 2));
}

struct fault *
fault_order(const struct field *fs, const char *at, struct fault *first)
{
	const struct order o = { thing_of(fs), strlen(at) };
	size_t n = 0;

	for (const struct fault *f = first; f != NULL; f = f->next)
		n++;
	first = sort(&o, first, n);
	for (struct fault *f = first; f != NULL;)
		if (f->next != NULL && strcmp(f->at, f->next->at) == 0)
			f->next = f->next->next;
		else
			f = f->next;
	return first;
}
