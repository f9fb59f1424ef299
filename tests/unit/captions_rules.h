/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CAPTIONS_RULES_H
#define TESTS_UNIT_CAPTIONS_RULES_H

/* Rules that all captions must follow: for the unit test and the fuzzer. */
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"
#include "service/captions.h"

struct captions_seen {
	struct buf text;    /* text of all rows, without blanks */
	int64_t until_ms;   /* end of the last caption */
	int n, columns;     /* number of captions; most columns of a row */
	const char *broken; /* the first rule that was broken, or NULL */
};

/* Append all characters that captions do not take for blanks. */
static inline void
captions_ink(struct buf *to, const char *s)
{
	static const uint32_t blank[] = { 0x7f, 0x85, 0xa0, 0x3000, 0x2028, 0x2029 };
	uint32_t cp;

	for (const char *next; *s != '\0'; s = next) {
		bool is = false;

		next = text_next(s, &cp);
		for (size_t i = 0; i < sizeof(blank) / sizeof(*blank); i++)
			is |= cp == blank[i];
		if (!is && cp > ' ' && (cp < 0x2000 || cp > 0x200a))
			buf_put(to, s, (size_t)(next - s));
	}
}

static inline bool
is_row(const struct captions_seen *s, const char *row)
{
	return row[0] != '\0' && row[0] != ' ' && row[strlen(row) - 1] != ' ' &&
	       strstr(row, "  ") == NULL && strpbrk(row, "\n\r\t") == NULL &&
	       text_valid(row, strlen(row)) && text_length(row) <= (size_t)s->columns;
}

static inline const char *
captions_fault(const struct captions_seen *s, const struct caption *c)
{
	if (c->start_ms < s->until_ms)
		return "two captions at a time";
	if (c->end_ms <= c->start_ms)
		return "a caption without time";
	if (c->end_ms - c->start_ms > CAPTION_MAX_MS)
		return "a caption for too long";
	for (int i = 0; i < CAPTION_ROWS; i++)
		if (c->rows[i] != NULL && !is_row(s, c->rows[i]))
			return "a bad row";
	return c->rows[0] == NULL ? "no row" : NULL;
}

static inline void
captions_see(void *arg, const struct caption *c)
{
	struct captions_seen *s = arg;

	if (s->broken == NULL)
		s->broken = captions_fault(s, c);
	s->until_ms = c->end_ms;
	s->n++;
	for (int i = 0; i < CAPTION_ROWS; i++)
		if (c->rows[i] != NULL)
			captions_ink(&s->text, c->rows[i]);
}

#endif
