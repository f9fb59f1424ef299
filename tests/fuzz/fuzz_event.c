/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The body of an event, used twice: to create an event, then to change it. The stored
 * agenda must be readable.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "service/event_input.h"

static const struct event_in *
read_input(struct arena *mem, const struct json *v, unsigned how)
{
	struct event_in *in = arena_alloc(mem, sizeof(*in));

	field_clear(event_in_fields, in);
	return field_read(mem, event_in_fields, v, "/data", how, in) == NULL ? in
									     : NULL;
}

static void
make_and_change(struct arena *mem, const struct json *v)
{
	const struct event_in *said = read_input(mem, v, 0);
	struct event ev = { .account = "62f746b4-84e6-4ceb-95bd-447e7184d454" };
	struct event_in in;
	const char *why;

	if (said == NULL || event_rules(mem, said, NULL) != NULL ||
	    event_unknown(mem, said, NULL) != NULL)
		return;
	in = *said;
	in.new_stages = in.stages.n > 0;
	in.new_sessions = true;
	event_apply(mem, &in, 1, &ev);
	assert(ev.stages.n > 0);
	assert(json_read(mem, ev.agenda, strlen(ev.agenda), &why) != NULL);
	if (event_rules(mem, said, &ev) == NULL &&
	    event_unknown(mem, said, &ev) == NULL)
		event_apply(mem, &in, 2, &ev);
	assert(json_read(mem, ev.agenda, strlen(ev.agenda), &why) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena *mem = arena_new();
	const struct json *v;
	const char *why;

	if ((v = json_read(mem, (const char *)p, n, &why)) != NULL) {
		const struct event_in *in = read_input(mem, v, FIELD_PARTIAL);

		if (in != NULL)
			event_rules(mem, in, NULL);
		make_and_change(mem, v);
	}
	arena_free(mem);
	return 0;
}
