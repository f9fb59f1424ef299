#include "db/dialect.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

const char *
dialect_pg(struct arena *mem, const char *text)
{
	static const char *const words[][2] = { { "INTEGER", "BIGINT" },
		{ "REAL", "DOUBLE PRECISION" }, { ") STRICT", ")" } };
	struct buf b = { .mem = mem };

	while (*text != '\0') {
		size_t w = 0, n = sizeof(words) / sizeof(words[0]);

		while (w < n && strncmp(text, words[w][0], strlen(words[w][0])) != 0)
			w++;
		if (w < n) {
			buf_str(&b, words[w][1]);
			text += strlen(words[w][0]);
		} else
			buf_put(&b, text++, 1);
	}
	return buf_text(&b);
}

void
texts_of(struct texts *t, const struct val *a, size_t n)
{
	for (size_t i = 1; i <= n; i++) {
		char *room = t->room[i];

		t->v[i] = room;
		switch (a[i].type) {
		case VAL_NULL:
			t->v[i] = NULL;
			break;
		case VAL_INT:
			snprintf(room, 32, "%lld", (long long)a[i].u.i);
			break;
		case VAL_REAL:
			snprintf(room, 32, "%.17g", a[i].u.r);
			break;
		case VAL_TEXT:
			t->v[i] = a[i].u.s;
			break;
		}
	}
}
