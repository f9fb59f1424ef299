/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any body, parsed by a table with every field type. Accepted values are written, and
 * must be accepted again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/field.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct thing {
	const char *text, *name, *free;
	int64_t whole, when;
	double real;
	bool flag;
	struct {
		const char *inner;
	} part;
	struct list texts, parts;
};

static const char *const names[] = { "One", "Two", NULL };

/* clang-format off */
#define AT(m) offsetof(struct thing, m)
static const struct field	 inner[] = {
	{ "inner", F_TEXT, 0, 1, 9, F_IO | F_NULLABLE },
	FIELDS_END,
};
static const struct field	 fields[] = {
	{ "text",  F_TEXT, AT(text),  1, 20,  F_IO | F_NULLABLE },
	{ "name",  F_ENUM, AT(name),  0, 0,   F_IO | F_NULLABLE | F_NOCASE, .names = names },
	{ "free",  F_JSON, AT(free),  0, 100, F_IO | F_OPT },
	{ "whole", F_INT,  AT(whole), 0, 0,   F_IO | F_OPT },
	{ "when",  F_TIME, AT(when),  0, 0,   F_IO | F_OPT },
	{ "real",  F_REAL, AT(real),  0, 0,   F_IO | F_OPT },
	{ "flag",  F_BOOL, AT(flag),  0, 0,   F_IO | F_TRUE },
	{ "part",  F_OBJ,  AT(part),  0, 0,   F_IO, .of = inner },
	{ "texts", F_LIST, AT(texts), 0, 5,   F_IO },
	{ "parts", F_LIST, AT(parts), 0, 5,   F_IO, .of = inner, .size = sizeof(const char *) },
	FIELDS_END,
};
/* clang-format on */

static const char *
written(struct arena *mem, const struct thing *t)
{
	struct buf b = { .mem = mem };

	field_write(&(struct json_writer){ .out = &b }, NULL, fields, t);
	return buf_text(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct thing t = { 0 };
	const char *why, *once;
	const struct json *v = json_read(mem, (const char *)data, size, &why);

	if (v != NULL) {
		field_clear(fields, &t);
		field_read(mem, fields, v, "", FIELD_PARTIAL | FIELD_STRICT, &t);
		field_clear(fields, &t);
		if (field_read(mem, fields, v, "", 0, &t) == NULL) {
			once = written(mem, &t);
			v = json_read(mem, once, strlen(once), &why);
			if (v == NULL || field_read(mem, fields, v, "", 0, &t) ||
			    strcmp(written(mem, &t), once) != 0)
				abort();
		}
	}
	arena_free(mem);
	return 0;
}
