#include "server/tally.h"

#include <assert.h>
#include <string.h>

#define LINES 1024

struct entry {
	struct entry *next;
	struct arena *mem;
	const char *name;
	int64_t n;
};

struct tally {
	struct entry *lines[LINES];
};

static void
drop_all(void *arg)
{
	struct tally *t = arg;

	for (int i = 0; i < LINES; i++)
		for (struct entry *e = t->lines[i], *next; e != NULL; e = next) {
			next = e->next;
			arena_free(e->mem);
		}
}

struct tally *
tally_new(struct arena *mem)
{
	struct tally *t = arena_alloc(mem, sizeof(*t));

	arena_defer(mem, drop_all, t);
	return t;
}

/* FNV-1a */
static uint32_t
line_of(const char *s)
{
	uint32_t h = 2166136261;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 16777619;
	return h % LINES;
}

int64_t
tally_of(const struct tally *t, const char *name)
{
	const struct entry *e = t->lines[line_of(name)];

	while (e != NULL && strcmp(e->name, name) != 0)
		e = e->next;
	return e != NULL ? e->n : 0;
}

static struct entry **
find(struct tally *t, const char *name)
{
	struct entry **at = &t->lines[line_of(name)];

	while (*at != NULL && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

void
tally_add(struct tally *t, const char *name)
{
	struct entry **at = find(t, name);

	if (*at == NULL) {
		struct arena *mem =
		    arena_small(sizeof(struct entry) + strlen(name) + 64);

		*at = arena_alloc(mem, sizeof(**at));
		(*at)->mem = mem;
		(*at)->name = arena_str(mem, name);
	}
	(*at)->n++;
}

void
tally_remove(struct tally *t, const char *name)
{
	struct entry **at = find(t, name), *e = *at;

	assert(e != NULL);
	if (--e->n > 0)
		return;
	*at = e->next;
	arena_free(e->mem);
}
