#include "server/connect_limiter.h"

#include <string.h>

#include "base/clock.h"
#include "protocol/limit.h"

#define LINES 256
#define FORGET_US (60 * S_US) /* an idle entry is dropped */

struct connect_limit {
	struct connect_limit *next; /* of the hash chain */
	struct arena *mem;
	const char *credential;
	int64_t last_us; /* monotonic, last attempt */
	struct limit limit;
};

struct connect_limiter {
	struct connect_limit *lines[LINES];
};

static void
drop_all(void *arg)
{
	struct connect_limiter *all = arg;

	for (int i = 0; i < LINES; i++)
		for (struct connect_limit *r = all->lines[i], *next; r != NULL;
		     r = next) {
			next = r->next;
			arena_free(r->mem);
		}
}

struct connect_limiter *
connect_limiter_new(struct arena *mem)
{
	struct connect_limiter *all = arena_alloc(mem, sizeof(*all));

	arena_defer(mem, drop_all, all);
	return all;
}

/* FNV-1a */
static struct connect_limit **
line_of(struct connect_limiter *all, const char *s)
{
	uint32_t h = 2166136261;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 16777619;
	return &all->lines[h % LINES];
}

/* Find the entry in its hash chain; drop idle entries on the way. */
static struct connect_limit *
find(struct connect_limit **at, const char *credential, int64_t now_us)
{
	struct connect_limit *found = NULL, *r;

	while ((r = *at) != NULL) {
		if (strcmp(r->credential, credential) == 0)
			found = r;
		if (r != found && now_us > r->last_us + FORGET_US) {
			*at = r->next;
			arena_free(r->mem);
		} else
			at = &r->next;
	}
	return found;
}

static struct connect_limit *
add(struct connect_limit **line, const char *credential)
{
	struct arena *mem =
	    arena_small(sizeof(struct connect_limit) + strlen(credential) + 64);
	struct connect_limit *r = arena_alloc(mem, sizeof(*r));

	r->next = *line;
	r->mem = mem;
	r->credential = arena_str(mem, credential);
	return *line = r;
}

bool
connect_limiter_take(
    struct connect_limiter *all, const char *credential, int64_t now_us)
{
	struct connect_limit **line = line_of(all, credential);
	struct connect_limit *r = find(line, credential, now_us);

	if (r == NULL)
		r = add(line, credential);
	r->last_us = now_us;
	return limit_take(&r->limit, LIMIT_CONNECTIONS, now_us);
}
