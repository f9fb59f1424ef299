/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "tests/unit/suite.h"

#define B(s) s, sizeof(s) - 1

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/* ---- reading ---- */

struct told {
	struct buf to;
	int most; /* number of rows to read */
};

/* "1[a|b]", with \n and \r and \0 in cells, and "!" before a fault. */
static bool
tell(void *arg, const struct csv_row *row)
{
	struct told *t = arg;

	buf_printf(&t->to, "%lld[", (long long)row->line);
	for (size_t i = 0; i < row->n; i++) {
		buf_str(&t->to, i > 0 ? "|" : "");
		for (size_t k = 0; k < row->cells[i].n; k++) {
			char c = row->cells[i].p[k];

			if (c == '\n' || c == '\r' || c == '\0')
				buf_str(&t->to, c == '\n'   ? "\\n"
						: c == '\r' ? "\\r"
							    : "\\0");
			else
				buf_put(&t->to, &c, 1);
		}
	}
	buf_str(&t->to, "]");
	if (row->broken != NULL)
		buf_printf(&t->to, "!%s;", row->broken);
	return --t->most > 0;
}

static const char *
rows_of(const char *s, size_t n, int most)
{
	struct told t = { .to.mem = mem, .most = most };
	/* so that reading beyond the end is noticed */
	char *exact = malloc(n > 0 ? n : 1);

	ck_assert_ptr_nonnull(exact);
	memcpy(exact, s, n);
	csv_read(mem, exact, n, ',', tell, &t);
	free(exact);
	return buf_text(&t.to);
}

#define STRAY "!has a quote but does not begin with one;"
#define BEHIND "!continues after its closing quote;"
#define OPEN "!has a quote that is never closed;"

static const struct {
	const char *file;
	size_t n;
	const char *rows;
} files[] = {
	{ B(""), "" },
	{ B("a"), "1[a]" },
	{ B("a\n"), "1[a]" },
	{ B("a,b\nc,d\n"), "1[a|b]2[c|d]" },
	{ B("a,b\r\nc,d\r\n"), "1[a|b]2[c|d]" },
	{ B("a,b\r\nc,d\ne,f\r\n"), "1[a|b]2[c|d]3[e|f]" },
	{ B(","), "1[|]" },
	{ B(",\n"), "1[|]" },
	{ B(" a ,\tb\n"), "1[ a |\tb]" },
	/* empty lines are counted, but are no rows */
	{ B("\n"), "" },
	{ B("\r\n\n"), "" },
	{ B("\n\r\na\n\n\nb\n"), "3[a]6[b]" },
	{ B(" \n"), "1[ ]" },
	{ B("\"\"\n"), "1[]" },
	/* quotes */
	{ B("\"a\",\"b\"\n"), "1[a|b]" },
	{ B("\"a,b\",\"c\"\"d\"\n"), "1[a,b|c\"d]" },
	{ B("\"\"\"\"\n"), "1[\"]" },
	{ B("\"a\""), "1[a]" },
	{ B("\"a\"\r\n"), "1[a]" },
	{ B("\"a\nb\",c\nd,e\n"), "1[a\\nb|c]3[d|e]" },
	{ B("\"a\r\nb\"\r\nc\r\n"), "1[a\\nb]3[c]" },
	{ B("\"\n\n\n\"\nb\n"), "1[\\n\\n\\n]5[b]" },
	{ B("\"a\"\"\nb\"\nc\n"), "1[a\"\\nb]3[c]" },
	/* line ends of old programs, and mixed ones */
	{ B("a\rb\n"), "1[a]2[b]" },
	{ B("\"a\rb\"\n"), "1[a\\nb]" },
	{ B("a\r"), "1[a]" },
	{ B("\r\r\n"), "" },
	{ B("a\r\r\nb\r\r\n\"c\r\r\nd\"\r\r\n"), "1[a]2[b]3[c\\nd]" },
	{ B("a\r\rb\r"), "1[a]3[b]" },
	/* NUL is a character */
	{ B("a\0b,\0\n"), "1[a\\0b|\\0]" },
	{ B("\"a\0\"\n"), "1[a\\0]" },
	/* broken quotes; reading continues with the next line */
	{ B("a\"b,c\nd\n"), "1[]" STRAY "2[d]" },
	{ B("a,b\"\nc\n"), "1[a]" STRAY "2[c]" },
	{ B("a,b,c\"d\"\n\ne\n"), "1[a|b]" STRAY "3[e]" },
	{ B(" \"a\"\nb\n"), "1[]" STRAY "2[b]" },
	{ B("\"a\"b\nc\n"), "1[]" BEHIND "2[c]" },
	{ B("\"a\" \nc\n"), "1[]" BEHIND "2[c]" },
	{ B("\"a\"\r"), "1[a]" },
	{ B("x,\"a\nb\"c\nd\n"), "1[x]" BEHIND "3[d]" },
	{ B("\"a"), "1[]" OPEN },
	{ B("\"a\n"), "1[]" OPEN },
	{ B("\""), "1[]" OPEN },
	{ B("a\nb,\"c\n\nd\n"), "1[a]2[b]" OPEN },
	{ B("a\n\"b\n\"c\"\n"), "1[a]2[]" BEHIND },
	{ B("\"\"\""), "1[]" OPEN },
};

START_TEST(rows_are_read_as_rfc_4180_has_them)
{
	ck_assert_str_eq(rows_of(files[_i].file, files[_i].n, 99), files[_i].rows);
}
END_TEST

START_TEST(no_more_rows_come_than_are_wanted)
{
	ck_assert_str_eq(rows_of(B("a\nb\nc\n"), 1), "1[a]");
	ck_assert_str_eq(rows_of(B("a\nb\nc"), 2), "1[a]2[b]");
	ck_assert_str_eq(rows_of(B("a\"\nb\n"), 1), "1[]" STRAY);
	ck_assert_str_eq(rows_of(B("a\n\"b"), 1), "1[a]");
}
END_TEST

START_TEST(long_cells_and_many_of_them_are_read)
{
	struct buf file = { .mem = mem }, want = { .mem = mem };

	buf_str(&want, "1[");
	for (int i = 0; i < 20000; i++) {
		buf_str(&file, "\"ab\"\"cd\",");
		buf_str(&want, "ab\"cd|");
	}
	for (int i = 0; i < 20000; i++) {
		buf_str(&file, "x");
		buf_str(&want, "x");
	}
	buf_str(&want, "]");
	ck_assert_str_eq(rows_of(file.p, file.len, 2), buf_text(&want));
}
END_TEST

/* ---- writing ---- */

static const struct {
	const char *text, *cell, *guarded;
} cells[] = {
	{ "", "", "" },
	{ "a b", "a b", "a b" },
	{ " a\t", " a\t", " a\t" },
	{ "a,b", "\"a,b\"", "\"a,b\"" },
	{ "a\"b", "\"a\"\"b\"", "\"a\"\"b\"" },
	{ "\"", "\"\"\"\"", "\"\"\"\"" },
	{ "a\nb", "\"a\nb\"", "\"a\nb\"" },
	{ "a\rb", "\"a\rb\"", "\"a\rb\"" },
	{ "=1+1", "=1+1", "'=1+1" },
	{ "+1", "+1", "'+1" },
	{ "-1", "-1", "'-1" },
	{ "@a", "@a", "'@a" },
	{ "\ta", "\ta", "'\ta" },
	{ "\ra", "\"\ra\"", "\"'\ra\"" },
	{ "=a,b", "\"=a,b\"", "\"'=a,b\"" },
	{ "a=b", "a=b", "a=b" },
	{ "'=a", "'=a", "'=a" },
};

START_TEST(a_cell_is_quoted_where_it_must_be)
{
	struct buf b = { .mem = mem };

	csv_put(&b, cells[_i].text, strlen(cells[_i].text));
	ck_assert_str_eq(buf_text(&b), cells[_i].cell);
	ck_assert_str_eq(csv_cell(mem, cells[_i].text), cells[_i].cell);
}
END_TEST

START_TEST(a_guarded_cell_is_no_formula)
{
	ck_assert_str_eq(csv_cell_guarded(mem, cells[_i].text), cells[_i].guarded);
}
END_TEST

struct one {
	struct csv_cell cell;
	int rows;
};

static bool
take_one(void *arg, const struct csv_row *row)
{
	struct one *o = arg;

	ck_assert_ptr_null(row->broken);
	ck_assert_int_eq(row->n, 2);
	o->cell = row->cells[0];
	o->rows++;
	return true;
}

/* Written text is read back unchanged, except that line ends become LF. */
START_TEST(written_values_are_read_again)
{
	char *text = arena_str(mem, cells[_i].text);
	struct buf b = { .mem = mem };
	struct one o = { .rows = 0 };

	csv_put(&b, text, strlen(text));
	buf_str(&b, ",\r\n");
	for (char *cr = text; (cr = strchr(cr, '\r')) != NULL;)
		*cr = '\n';
	csv_read(mem, b.p, b.len, ',', take_one, &o);
	ck_assert_int_eq(o.rows, 1);
	ck_assert_int_eq(o.cell.n, strlen(text));
	ck_assert_mem_eq(o.cell.p, text, o.cell.n);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("csv");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, rows_are_read_as_rfc_4180_has_them, 0, COUNT(files));
	tcase_add_test(t, no_more_rows_come_than_are_wanted);
	tcase_add_test(t, long_cells_and_many_of_them_are_read);
	tcase_add_loop_test(t, a_cell_is_quoted_where_it_must_be, 0, COUNT(cells));
	tcase_add_loop_test(t, a_guarded_cell_is_no_formula, 0, COUNT(cells));
	tcase_add_loop_test(t, written_values_are_read_again, 0, COUNT(cells));
	suite_add_tcase(s, t);
	return unit_run(s);
}
