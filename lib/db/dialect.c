#include "db/dialect.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

/* Lines "--pg ..." are for PostgreSQL, lines "... -- sqlite" are not. */
static const char *
own_lines(struct arena *mem, const char *text)
{
	static const char only[] = "-- sqlite";
	struct buf b = { .mem = mem };
	size_t n;

	for (; *text != '\0'; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (n >= strlen(only) &&
		    memcmp(text + n - strlen(only), only, strlen(only)) == 0)
			continue;
		if (strncmp(text, "--pg ", 5) == 0)
			buf_put(&b, text + 5, n - 5);
		else
			buf_put(&b, text, n);
		buf_str(&b, "\n");
	}
	return buf_text(&b);
}

const char *
dialect_pg(struct arena *mem, const char *text)
{
	static const char *const words[][2] = { { "INTEGER", "BIGINT" },
		{ "REAL", "DOUBLE PRECISION" }, { ") STRICT, WITHOUT ROWID", ")" },
		{ ") STRICT", ")" } };
	struct buf b = { .mem = mem };

	text = own_lines(mem, text);
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

enum err
dialect_err(const char *state, bool *usual)
{
	static const struct {
		const char *state; /* as far as it matters */
		enum err is;
		bool usual;
	} all[] = {
		{ "23", ERR_CONFLICT, true },
		{ "55P03", ERR_BUSY, true },  /* lock timeout */
		{ "40001", ERR_BUSY, true },  /* serialization */
		{ "40P01", ERR_BUSY, true },  /* deadlock */
		{ "53", ERR_FULL, false },    /* insufficient resources */
		{ "57014", ERR_BUSY, false }, /* statement timeout */
	};

	*usual = false;
	for (size_t i = 0; state != NULL && i < sizeof(all) / sizeof(all[0]); i++)
		if (strncmp(state, all[i].state, strlen(all[i].state)) == 0) {
			*usual = all[i].usual;
			return all[i].is;
		}
	return ERR_FAILED;
}
