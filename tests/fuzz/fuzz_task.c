/*
 * Trees of tasks.  What is taken can be told, and what was told is taken again and
 * told the same; what is refused says why.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream/message.h"
#include "stream/say.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static bool
knows(void *arg, const char *code)
{
	(void)arg;
	return code[0] != 'j';
}

static bool
pairs(void *arg, const char *from, const char *to)
{
	(void)arg;
	return from[0] != 'd' && to[0] != 'f';
}

static const struct task_engines engines = { NULL, knows, pairs, true };

/* The data of a current_task, without what is not the client's. */
static const char *
tell(struct arena *mem, const struct task *t)
{
	struct buf out = { .mem = mem };
	const char *why;

	if (!say_current_task(&out, t, "running", false, "{}") ||
	    json_read(mem, out.p, out.len, &why) == NULL)
		abort();
	return buf_text(&out);
}

static void
take_again(struct arena *mem, const char *told)
{
	const char *why;
	const struct json *v = json_read(mem, told, strlen(told), &why);
	struct flaws f;
	struct task t;

	if (!task_read(mem, json_get(v, "data"), &engines, &t, &f) ||
	    strcmp(tell(mem, &t), told) != 0)
		abort();
}

static void
refuse(struct arena *mem, const struct flaws *f)
{
	struct buf out = { .mem = mem };
	const char *why;

	if (f->n == 0 || f->n > FLAWS_MAX || !say_flaws(&out, f) ||
	    json_read(mem, out.p, out.len, &why) == NULL)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *why;
	const struct json *v = json_read_last(mem, (const char *)data, size, 15, &why);
	struct flaws f;
	struct task t;

	if (v != NULL && task_read(mem, v, &engines, &t, &f))
		take_again(mem, tell(mem, &t));
	else if (v != NULL)
		refuse(mem, &f);
	arena_free(mem);
	return 0;
}
