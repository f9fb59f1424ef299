/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Query strings. Every text returned is UTF-8 or reported as invalid. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "web/web.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
check(const struct json *v)
{
	if (v->type == JSON_LIST)
		for (v = v->kids; v != NULL; v = v->next)
			check(v);
	else if (strlen(v->u.s) > v->n || !text_valid(v->u.s, strlen(v->u.s)))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct request rq = { .mem = mem };
	struct buf encoded = { .mem = mem };
	const char *text = arena_dup(mem, (const char *)data, size), *plain;

	rq.target = arena_printf(mem, "/x?%s", text);
	for (const struct json *v = query_read(&rq)->kids; v != NULL; v = v->next) {
		if (!text_valid(v->key, strlen(v->key)))
			abort();
		check(v);
	}
	plain = percent_decode(mem, text, strlen(text));
	for (const char *c = plain; c != NULL && *c != '\0'; c++)
		buf_printf(&encoded, "%%%02x", (unsigned char)*c);
	text = buf_text(&encoded);
	if (plain != NULL && strcmp(percent_decode(mem, text, encoded.len), plain) != 0)
		abort();
	arena_free(mem);
	return 0;
}
