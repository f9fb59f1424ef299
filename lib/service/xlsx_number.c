/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers of cells. A date is the number of days since the end of 1899, and only the
 * format of its style says that it is one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "service/xlsx_internal.h"

#define FORMATS 65536
#define DAY_S 86400
#define UNIX_DAY 25569    /* 1970-01-01 */
#define LAST_DAY 2958466  /* after 9999-12-31 */
#define DAYS_TO_1904 1462 /* between both beginnings */
#define LEAP_DAY 60       /* 1900-02-29, which was none */

/* ---- formats ---- */

/* Past a part of a format that is no placeholder: quoted, escaped, or in brackets. */
static const char *
past_literal(const char *s)
{
	const char *end = NULL;

	if (*s == '"')
		end = strchr(s + 1, '"');
	else if (*s == '[' && strchr("hHmMsS", s[1]) == NULL)
		end = strchr(s, ']');
	else if (strchr("\\_*", *s) != NULL && s[1] != '\0')
		end = s + 1;
	return end != NULL ? end + 1 : s + 1;
}

static bool
is_date_format(const char *s)
{
	if (strcasecmp(s, "General") == 0)
		return false;
	for (; *s != '\0'; s = past_literal(s))
		if (strchr("dDmMyYhHsS", *s) != NULL)
			return true;
	return false;
}

static int64_t
format_of(const char *const *a)
{
	const char *id = xml_attribute(a, "numFmtId");
	int64_t n = id != NULL ? strtoll(id, NULL, 10) : 0;

	return n >= 0 && n < FORMATS ? n : 0;
}

static void
begin_style(void *arg, const char *name, const char *const *a)
{
	struct xlsx_styles *s = arg;
	const char *code;

	if (strcmp(name, "numFmt") == 0 &&
	    (code = xml_attribute(a, "formatCode")) != NULL)
		s->dates[format_of(a)] = is_date_format(code);
	else if (strcmp(name, "cellXfs") == 0)
		s->in_formats = true;
	else if (s->in_formats && strcmp(name, "xf") == 0)
		buf_put(&s->cells, &s->dates[format_of(a)], 1);
}

static void
end_style(void *arg, const char *name)
{
	struct xlsx_styles *s = arg;

	if (strcmp(name, "cellXfs") == 0)
		s->in_formats = false;
}

bool
xlsx_read_styles(struct arena *mem, const struct buf *part, struct xlsx_styles *s)
{
	/* formats that each program knows, some of Asian languages only */
	static const int dates[][2] = { { 14, 22 }, { 27, 36 }, { 45, 47 },
		{ 50, 58 } };

	s->cells.mem = mem;
	s->dates = arena_alloc(mem, FORMATS);
	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++)
		for (int n = dates[i][0]; n <= dates[i][1]; n++)
			s->dates[n] = 1;
	return xml_read_elements(part->p, part->len,
	    &(struct xml_reader){ begin_style, NULL, end_style, s });
}

/* ---- numbers ---- */

/* NULL: the number is no date. */
static const char *
date_text(struct arena *mem, double days, bool from_1904)
{
	time_t t;
	struct tm tm;
	char text[32];
	bool seconds;

	if (days < 0 || days >= LAST_DAY - (from_1904 ? DAYS_TO_1904 : 0))
		return NULL;
	if (days >= 1 && from_1904)
		days += DAYS_TO_1904;
	else if (days >= 1 && days < LEAP_DAY)
		days++;
	t = (time_t)llround((days - UNIX_DAY) * DAY_S);
	gmtime_r(&t, &tm);
	seconds = tm.tm_sec != 0;
	strftime(text, sizeof(text),
	    days < 1         ? (seconds ? "%H:%M:%S" : "%H:%M")
	    : t % DAY_S == 0 ? "%Y-%m-%d"
	    : seconds        ? "%Y-%m-%d %H:%M:%S"
			     : "%Y-%m-%d %H:%M",
	    &tm);
	return arena_str(mem, text);
}

struct csv_cell
xlsx_number(
    struct arena *mem, const char *number, int64_t style, const struct xlsx_styles *s)
{
	const char *text = NULL;
	char *end;
	double value = strtod(number, &end);

	if (end == number || *end != '\0' || !isfinite(value))
		text = number;
	else if (style >= 0 && style < (int64_t)s->cells.len && s->cells.p[style] != 0)
		text = date_text(mem, value, s->from_1904);
	if (text == NULL) /* spreadsheets show 15 digits of the 17 that they store */
		text = arena_printf(mem, "%.15g", value);
	return (struct csv_cell){ text, strlen(text) };
}
