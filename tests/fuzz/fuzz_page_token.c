/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page tokens, which contain a packed query. Any bits are accepted or refused; an
 * accepted query packs to the same bits.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "web/page_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct query {
	struct page page;
	const char *text, *name;
	bool flag;
	struct list names, texts;
};

static const char *const names[] = { "One", "Two", "Three", NULL };

/* clang-format off */
#define AT(m) offsetof(struct query, m)
static const struct field	 one_name[] = { { "", F_ENUM, .names = names } };
static const struct field	 one_text[] = { { "", F_TEXT } };
static const struct field	 fields[] = {
	PAGE_FIELDS,
	{ "text",  F_TEXT, AT(text),  0, 0, F_IO },
	{ "name",  F_ENUM, AT(name),  0, 0, F_IO, .names = names },
	{ "flag",  F_BOOL, AT(flag),  0, 0, F_IO },
	{ "names", F_LIST, AT(names), 0, 0, F_IO, .of = one_name, .size = sizeof(char *) },
	{ "texts", F_LIST, AT(texts), 0, 0, F_IO, .of = one_text, .size = sizeof(char *) },
	FIELDS_END,
};
/* clang-format on */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct buf once = { .mem = mem }, twice = { .mem = mem };
	struct query q;

	if (page_token_read(mem, data, size, fields, &q.page)) {
		page_token_query(&once, fields, &q.page);
		if (!page_token_read(
			mem, (unsigned char *)once.p, once.len, fields, &q.page))
			abort();
		page_token_query(&twice, fields, &q.page);
		if (once.len != twice.len || memcmp(once.p, twice.p, once.len) != 0)
			abort();
	}
	arena_free(mem);
	return 0;
}
