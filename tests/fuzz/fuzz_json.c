/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON. An accepted text is written; the result must be accepted and written unchanged.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *
again(struct arena *mem, const char *text)
{
	const char *why;
	const struct json *v = json_read(mem, text, strlen(text), &why);

	if (v == NULL)
		abort();
	return json_text(mem, v);
}

/* Numbers that jansson read must match the characters that json_text found for them. */
static void
check_numbers(const struct json *v)
{
	if ((v->type == JSON_INT && strtoll(v->written, NULL, 10) != v->u.i) ||
	    (v->type == JSON_NUMBER && strtod(v->written, NULL) != v->u.r))
		abort();
	for (v = v->kids; v != NULL; v = v->next)
		check_numbers(v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *why, *text;
	const struct json *v = json_read(mem, (const char *)data, size, &why);

	if (v != NULL) {
		check_numbers(v);
		text = json_text(mem, v);
		if (strcmp(again(mem, text), text) != 0)
			abort();
	}
	arena_free(mem);
	return 0;
}
