/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The import of a file: accepted and refused terms, changes meanwhile, faults. */
#define UNIT_TEST
#include "tests/unit/term_rows.h"

#include "tests/workbook.h"
#include "workers/glossary_import.c"

#define B(s) s, sizeof(s) - 1

static const char *glossary, *blob;
static struct work w;

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, blob_sql,
		glossary_sql, queue_sql, NULL };

	fixture_open("glossary_import", none, prepared);
	fixture.app.conf.blob_reserve_bytes = 0;
	w = (struct work){ fixture.app.db, fixture.wire, &fixture.app.conf };
}

/* Returns the name of a new file in the store. */
static const char *
put_file(const char *id, const char *p, size_t n)
{
	const char *name = blob_name(fixture.mem, id);
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&fixture.app.conf, fixture.mem, 0, &in), OK);
	ck_assert_int_eq(blob_put(in, p, n), OK);
	ck_assert_int_eq(blob_end(in, name, &facts), OK);
	return name;
}

static void
queue_import(void)
{
	ck_assert(!queue_add(
	    w.db, fixture.mem, "glossary.import", fixture.account, glossary));
}

static void
put_glossary(const char *type, const char *p, size_t n)
{
	glossary = id_new(fixture.mem);
	blob = id_new(fixture.mem);
	sql(arena_printf(fixture.mem,
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name, "
	    "enabled,"
	    " type, source_lang, target_lang, status, blob) VALUES ('%s', '%s', 1, 1,"
	    " 'Terms', 1, '%s', 'en', 'de', 'pending', '%s');"
	    " INSERT INTO blobs (id, account, kind, state, mime_type, filename,"
	    " min_bytes, max_bytes, file, bytes, created_us) VALUES ('%s', '%s',"
	    " 'glossary', 'checked', 'text/csv', 'x', 1, 1000000, '%s', %zu, 1)",
	    glossary, fixture.account, type, blob, blob, fixture.account,
	    put_file(blob, p, n), n));
	queue_import();
}

static enum err
run_job(void)
{
	enum err e = work_one(&w, &kinds[0], "test");

	ck_assert(db_idle(w.db));
	arena_reset(fixture.wire);
	return e;
}

static const char *
state(void)
{
	return sql("SELECT status, entries, version FROM glossaries");
}

/* Returns the faults with their places: "3,2 empty-term", ... */
static const char *
faults(void)
{
	const char *s = sql("SELECT faults FROM glossaries");
	struct buf b = { .mem = fixture.mem };

	for (; *s > '\n'; s += strcspn(s, "\n") + 1) {
		size_t row = strcspn(s, "\t"), column = strcspn(s + row + 1, "\t");
		const char *slug = s + row + column + 2;

		buf_printf(&b, "%s%.*s,%.*s %.*s", b.len > 0 ? "; " : "", (int)row, s,
		    (int)column, s + row + 1, (int)strcspn(slug, "\t") - 4, slug + 4);
	}
	return buf_text(&b);
}

static const char *
times(const char *s, int n)
{
	struct buf b = { .mem = fixture.mem };

	while (n-- > 0)
		buf_str(&b, s);
	return buf_text(&b);
}

/* ---- good files ---- */

static const struct {
	const char *type, *file;
	size_t n;
	const char *terms;
	int rows;
} good[] = {
	/* clang-format off */
	{ "translation", B("a,b\n"), "a,b\n", 1 },
	{ "asr", B("a,b"), "a,b\n", 1 },
	{ "asr_hot", B("a\nb\n"), "a\nb\n", 2 },
	{ "translation", B("a,b\r\nc,d\ne,f\r\n"), "a,b\nc,d\ne,f\n", 3 },
	{ "translation", B("\n\r\n\na,b\n\n\nc,d\n\n"), "a,b\nc,d\n", 2 },
	{ "translation", B("\xef\xbb\xbf" "a,b\n"), "a,b\n", 1 },
	{ "translation", B("\xef\xbb\xbf\"a\",b\n"), "a,b\n", 1 },
	{ "translation", B(" a\t, \tb b \r\n"), "a,b b\n", 1 },
	{ "translation", B("a\tb,c\td\n"), "a\tb,c\td\n", 1 },
	{ "translation", B("\" a \",\"b\t\"\n"), "a,b\n", 1 },
	{ "translation", B("\"a,b\",\"c\"\"d\"\n"), "\"a,b\",\"c\"\"d\"\n", 1 },
	{ "translation", B("\"a\nb\",\"c\r\nd\"\r\n"), "\"a\nb\",\"c\nd\"\n", 1 },
	{ "translation", B("\"a\",\"b\"\n"), "a,b\n", 1 },
	{ "translation", B("stra\xc3\x9f" "e,\xe9\x81\x93\xf0\x9f\x9a\x80\n"), "stra\xc3\x9f" "e,\xe9\x81\x93\xf0\x9f\x9a\x80\n", 1 },
	{ "translation", B("a\xc2\xa0,\xe2\x80\xaf\n"), "a\xc2\xa0,\xe2\x80\xaf\n", 1 },
	/* the name is the first term as it is written */
	{ "translation", B("a,x\nA,x\nb,a\n"), "a,x\nA,x\nb,a\n", 3 },
	{ "asr_hot", B("e\xcc\x81\n\xc3\xa9\n"), "e\xcc\x81\n\xc3\xa9\n", 2 },
	{ "asr_hot", B("=1+1\n'a\n"), "=1+1\n'a\n", 2 },
	/* leftovers of spreadsheets: rows of commas, empty columns, "sep=" */
	{ "translation", B("a,b\r\n,\r\nc,d\r\n \t, \r\n \r\n,\r\n"), "a,b\nc,d\n", 2 },
	{ "translation", B("a,b,\r\nc,d,, \r\n"), "a,b\nc,d\n", 2 },
	{ "translation", B("sep=,\r\na,b\r\n"), "a,b\n", 1 },
	{ "translation", B("\xef\xbb\xbf" "sep=;\r\r\na;\"b,;c\"\r\r\n"), "a,\"b,;c\"\n", 1 },
	{ "translation", B("sep=\t\na\tb\n"), "a,b\n", 1 },
	{ "translation", B("a,b\rc,d\r"), "a,b\nc,d\n", 2 },
	{ "asr_hot", B("\"a\rb\"\n"), "\"a\nb\"\n", 1 },
	{ "translation", B("a,b\r\n\x1a\0\0"), "a,b\n", 1 },
	/* the column that says whether case matters */
	{ "translation", B("US,b,case\nus,c\nit,d,\n"), "US,b,case\nus,c\nit,d\n", 3 },
	{ "asr", B("a,b, case \n"), "a,b,case\n", 1 },
	/* clang-format on */
};

/* The upload's content type names the encoding. */
static const struct {
	const char *file, *terms, *faults;
} headed[] = {
	{ "en,de\na,b\n", "a,b\n", "" },
	{ "English\na,b\n", "a,b\n", "" },
	{ "\n,\nen,de,note\n\na,b,\n", "a,b\n", "" },
	{ "sep=;\nen;de\na;b\nen;de\n", "a,b\nen,de\n", "" },
	{ "en,de\n", "", "1, no-entries" },
	{ "en,de\na\n", "", "2, column-count" },
	{ "e\"n,de\na,b\n", "", "1,1 quoting" },
};

START_TEST(a_header_is_no_row_of_terms)
{
	put_glossary("translation", headed[_i].file, strlen(headed[_i].file));
	sql("UPDATE blobs SET mime_type = 'text/csv; charset=utf-8; header=present'");
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(faults(), headed[_i].faults);
	ck_assert_str_eq(
	    stored_terms(), *headed[_i].terms == '\0'
				? ""
				: arena_printf(fixture.mem, "%s\n", headed[_i].terms));
}
END_TEST

START_TEST(a_good_file_makes_terms)
{
	put_glossary(good[_i].type, good[_i].file, good[_i].n);
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(faults(), "");
	ck_assert_str_eq(
	    stored_terms(), arena_printf(fixture.mem, "%s\n", good[_i].terms));
	ck_assert_str_eq(
	    state(), arena_printf(fixture.mem, "ready|%d|2\n", good[_i].rows));
	ck_assert_int_gt(number("SELECT updated_us > 1 FROM glossaries"), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM blobs WHERE state = 'checked'"), 1);
}
END_TEST

/* ---- workbooks ---- */

static const struct {
	const char *type, *rows, *as, *terms, *faults;
} books[] = {
	/* clang-format off */
	{ "translation", ROW(SHARED("1") SHARED("0")) ROW(CELL(" US") CELL("EE. UU.") CELL("case")), "", "heart,Herz\nUS,EE. UU.,case\n", "" },
	{ "asr_hot", ROW(CELL("a")) ROW("") ROW(CELL("b") CELL(" ") CELL("note")), "", "a\nb\n", "" },
	{ "translation", ROW(CELL("English") CELL("German")) ROW(CELL("a") CELL("b")), TERMS_HEADED, "a,b\n", "" },
	{ "translation", ROW(CELL("a")) "<row r='7'>" CELL("b") CELL("c") "</row>" ROW(CELL("b") CELL("d")), "", "", "1,2 empty-term; 8,1 duplicate-term" },
	{ "asr_hot", ROW(CELL("a") CELL("b")), "", "", "1, column-count" },
	{ "translation", "", "", "", "1, no-entries" },
	{ "translation", ROW(CELL("sep=;") CELL("b")), "", "sep=;,b\n", "" },
	/* clang-format on */
};

START_TEST(the_rows_of_a_workbook_are_imported_like_those_of_csv)
{
	const struct workbook_part sheet = { SHEET_PART,
		arena_printf(fixture.mem, WORKBOOK_ROWS("%s"), books[_i].rows), 0 };
	struct buf file = workbook_pack(fixture.mem, &sheet, 1);

	put_glossary(books[_i].type, file.p, file.len);
	sql(arena_printf(fixture.mem, "UPDATE blobs SET mime_type = '" XLSX_TYPE "%s'",
	    books[_i].as));
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(faults(), books[_i].faults);
	ck_assert_str_eq(
	    stored_terms(), *books[_i].terms == '\0'
				? ""
				: arena_printf(fixture.mem, "%s\n", books[_i].terms));
}
END_TEST

/* ---- faults ---- */

static const struct {
	const char *type, *file;
	size_t n;
	const char *faults;
} bad[] = {
	/* clang-format off */
	/* csv-not-utf8: one fault, in the line of the first such byte */
	{ "translation", B("a,b\nc,\xff\n"), "2, not-utf8" },
	{ "translation", B("a,b\n,\n\xe4,x\n\xff,\n"), "3, not-utf8" },
	{ "translation", B("\"a\nb\n\xc3\",x\n"), "3, not-utf8" },
	{ "asr_hot", B("a\nb\xc3"), "2, not-utf8" }, /* cut at the end */
	{ "asr_hot", B("a\nb\xf0\x9f\x9a"), "2, not-utf8" },
	{ "asr_hot", B("a\xc3\n"), "1, not-utf8" },
	{ "asr_hot", B("\xc0\xaf\n"), "1, not-utf8" }, /* overlong */
	{ "asr_hot", B("a\n\xe0\x80\xaf\n"), "2, not-utf8" },
	{ "asr_hot", B("\xed\xa0\x80\n"), "1, not-utf8" },     /* half a pair */
	{ "asr_hot", B("\xf4\x90\x80\x80\n"), "1, not-utf8" }, /* over U+10FFFF */
	{ "asr_hot", B("\xff\xfe" "a\0\n\0"), "1, not-utf8" }, /* UTF-16 */
	{ "asr_hot", B("a\n\x80"), "2, not-utf8" },
	/* csv-quoting */
	{ "translation", B("a,b\nc,d\"e\n"), "2,2 quoting" },
	{ "translation", B("\"a\"b,c\nd,e\n"), "1,1 quoting" },
	{ "translation", B("a,b\n\nc, \"d\"\n"), "3,2 quoting" },
	{ "translation", B("a,\"b\nc,d\n"), "1,2 quoting" },
	{ "translation", B("a,b\n\"c\nd\"e,f\ng,\n"), "2,1 quoting; 4,2 empty-term" },
	{ "asr_hot", B("a\n\"b"), "2,1 quoting" },
	{ "asr_hot", B("a\"b\nc\"d\n"), "1,1 quoting; 2,1 quoting" },
	/* csv-column-count */
	{ "translation", B("a\nb,c\nd,e,f\n"), "1, column-count; 3, column-count" },
	{ "asr", B("a,b\n\"c,d\"\n"), "2, column-count" },
	{ "asr_hot", B("a\nb,c\n"), "2, column-count" },
	{ "translation", B("a,b,\nc,d,e\n"), "1, column-count; 2, column-count" },
	{ "translation", B("sep=;\na;b;c\n"), "2, column-count" },
	{ "translation", B("a;b\n"), "1, column-count" },
	/* csv-empty-term */
	{ "translation", B("a,b\nc,d\ne, \t\n"), "3,2 empty-term" },
	{ "translation", B(",b\n"), "1,1 empty-term" },
	{ "translation", B("\"\", \n"), "1, no-entries" },
	/* csv-control-character */
	{ "translation", B("a,b\0c\n"), "1,2 control-character" },
	{ "translation", B("a,b\0\nc,d\0"), "1,2 control-character" },
	{ "asr_hot", B("a\x1b[m\n\x01\n\x1f\n"), "1,1 control-character; 2,1 control-character; 3,1 control-character" },
	{ "asr_hot", B("a\x7f\nb\xc2\x80\nc\xc2\x9f\n"), "1,1 control-character; 2,1 control-character; 3,1 control-character" },
	{ "asr_hot", B("a\x0b\nb\x0c\n"), "1,1 control-character; 2,1 control-character" },
	/* csv-duplicate-term */
	{ "translation", B("a,b\nc,d\n a\t,e\n"), "3,1 duplicate-term" },
	{ "translation", B("a,b\n\"a\",b\na,c\n"), "2,1 duplicate-term; 3,1 duplicate-term" },
	{ "asr_hot", B("\"a\nb\"\n\"a\r\nb\"\n"), "3,1 duplicate-term" },
	{ "translation", B("a,\na,b\n"), "1,2 empty-term; 2,1 duplicate-term" },
	/* csv-no-entries */
	{ "translation", B("\n"), "1, no-entries" },
	{ "translation", B("\r\n\n\r\n"), "1, no-entries" },
	{ "translation", B("\xef\xbb\xbf"), "1, no-entries" },
	{ "translation", B("\xef\xbb\xbf\r\n"), "1, no-entries" },
	{ "translation", B("sep=,\r\n,\r\n"), "1, no-entries" },
	/* rows are lines of the file; a row may have several faults */
	{ "translation", B("\"a\n\nb\",c\n\nd,\n"), "5,2 empty-term" },
	{ "translation", B("a,\"\n\n\0\"\nb,\x01\n"), "1,2 control-character; 4,2 control-character" },
	{ "translation", B("a,b\r\n\r\na,\x02\r\n"), "3,1 duplicate-term; 3,2 control-character" },
	{ "translation", B("x,y\n\xef\xbb\xbf" "x,y\nx,\n"), "2,1 duplicate-term; 3,1 duplicate-term; 3,2 empty-term" },
	/* invisible characters make no different term */
	{ "asr_hot", B("light\xc2\xadhouse\nlighthouse\n"), "2,1 duplicate-term" },
	/* clang-format on */
};

START_TEST(a_bad_file_fails_with_every_fault_in_its_place)
{
	put_glossary(bad[_i].type, bad[_i].file, bad[_i].n);
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(faults(), bad[_i].faults);
	ck_assert_str_eq(state(), "failed|0|2\n");
	ck_assert_int_eq(number("SELECT count(*) FROM glossary_terms"), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

static const struct {
	const char *type, *file;
	size_t n;
	const char *line;
} sentences[] = {
	{ "translation", B("a\n\xff"),
	    "2\t\tcsv-not-utf8\tRow 2 has bytes that are not UTF-8." },
	{ "translation", B("a,b\"\n"),
	    "1\t2\tcsv-quoting\tThe term in row 1, column 2 has a quote but does not "
	    "begin"
	    " with one." },
	{ "translation", B("\"a\"b\n"),
	    "1\t1\tcsv-quoting\tThe term in row 1, column 1 continues after its "
	    "closing "
	    "quote." },
	{ "translation", B("a,\"b\n"),
	    "1\t2\tcsv-quoting\tThe term in row 1, column 2 has a quote that is never "
	    "closed." },
	{ "translation", B("a\n"),
	    "1\t\tcsv-column-count\tRow 1 has 1 column, not 2." },
	{ "asr_hot", B("a,b\n"), "1\t\tcsv-column-count\tRow 1 has 2 columns, not 1." },
	{ "translation", B("a,b\nc,d\ne,\n"),
	    "3\t2\tcsv-empty-term\tThe term in row 3, column 2 is empty." },
	{ "asr_hot", B("a\0\n"),
	    "1\t1\tcsv-control-character\tThe term in row 1, column 1 holds the control"
	    " character U+0000." },
	{ "asr_hot", B("a\xc2\x85\n"),
	    "1\t1\tcsv-control-character\tThe term in row 1, column 1 holds the control"
	    " character U+0085." },
	{ "asr_hot", B("\n\nb\n\n\"b\"\n"),
	    "5\t1\tcsv-duplicate-term\tThe term in row 5, column 1 stands in row 3 "
	    "already." },
	{ "asr_hot", B("\n"), "1\t\tcsv-no-entries\tThe file has no rows." },
};

START_TEST(a_fault_says_what_and_where_in_a_sentence)
{
	put_glossary(sentences[_i].type, sentences[_i].file, sentences[_i].n);
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(sql("SELECT faults FROM glossaries"),
	    arena_printf(fixture.mem, "%s\n\n", sentences[_i].line));
}
END_TEST

static const struct {
	const char *before, *unit;
	int units;
	const char *after, *faults;
} lengths[] = {
	{ "", "x", 1024, "", "" },
	{ " ", "x", 1024, "\t", "" },
	{ "", "x", 1025, "", "1,1 term-too-long" },
	{ "x,", "x", 1025, "", "1, column-count" },
	{ "", "\xc3\xa4", 512, "", "" },
	{ "", "\xc3\xa4", 512, "x", "1,1 term-too-long" },
	{ "\"", "\"\"", 1024, "\"", "" },
	{ "\"", "\"\"", 1025, "\"", "1,1 term-too-long" },
	{ "\"", "\r\n", 1024, "\"", "" },
	{ "\x01", "x", 1024, "", "1,1 term-too-long; 1,1 control-character" },
};

START_TEST(a_term_has_at_most_1024_bytes)
{
	const char *file = arena_printf(fixture.mem, "%s%s%s\n", lengths[_i].before,
	    times(lengths[_i].unit, lengths[_i].units), lengths[_i].after);

	put_glossary("asr_hot", file, strlen(file));
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(faults(), lengths[_i].faults);
	ck_assert_str_eq(sql("SELECT status FROM glossaries"),
	    lengths[_i].faults[0] == '\0' ? "ready\n" : "failed\n");
}
END_TEST

static const struct {
	const char *row;
	int rows, told;
} many[] = {
	{ "x\n", 99, 99 },
	{ "x\n", 100, 100 },
	{ "x\n", 101, 100 },
	{ " ,\x01x\n", 51, 100 },
	{ "x\"\n", 5000, 100 },
};

START_TEST(at_most_100_faults_are_told)
{
	const char *file = times(many[_i].row, many[_i].rows), *last;

	put_glossary("translation", file, strlen(file));
	ck_assert_int_eq(run_job(), OK);
	ck_assert_int_eq(number("SELECT length(faults) - length(replace(faults,"
				" char(10), '')) FROM glossaries"),
	    many[_i].told);
	last = arena_printf(fixture.mem, "; %d,",
	    many[_i].row[0] == ' ' ? many[_i].told / 2 : many[_i].told);
	ck_assert_ptr_nonnull(strstr(faults(), last));
}
END_TEST

START_TEST(a_million_bytes_are_read)
{
	struct buf file = { .mem = fixture.mem };
	int rows = 0;

	for (; file.len + 6 <= 1000000; rows++) {
		char row[6] = "....\r\n";

		for (int i = 0, k = rows; i < 4; i++, k /= 64)
			row[i] = (char)('0' + k % 64);
		buf_put(&file, row, sizeof(row));
	}
	put_glossary("asr_hot", file.p, file.len);
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(faults(), "");
	ck_assert_int_eq(number("SELECT entries FROM glossaries"), rows);
	ck_assert_int_eq(number("SELECT length(terms) FROM glossary_terms"), 5 * rows);
}
END_TEST

/* ---- meanwhile ---- */

static const struct {
	const char *change, *becomes;
} drops[] = {
	{ "DELETE FROM glossaries", "" },
	{ "UPDATE glossaries SET status = 'none', blob = NULL", "none|0|1\n" },
	{ "UPDATE glossaries SET status = 'ready', entries = 7", "ready|7|1\n" },
	{ "UPDATE glossaries SET status = 'failed'", "failed|0|1\n" },
};

START_TEST(what_is_not_pending_is_left_alone)
{
	put_glossary("asr_hot", B("a\n"));
	sql(drops[_i].change);
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(state(), drops[_i].becomes);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM glossary_terms"), 0);
}
END_TEST

/*
 * Called between reading the file and storing the result: changes the glossary
 * meanwhile.
 */
START_TEST(a_result_that_comes_too_late_is_dropped)
{
	struct terms t = { 1, "a\n", "" };
	struct glossary g;

	put_glossary("asr_hot", B("a\n"));
	ck_assert_int_eq(
	    glossary_get(w.db, fixture.mem, fixture.account, glossary, &g), OK);
	if (_i == 0)
		sql("UPDATE glossaries SET blob = 'another'");
	else
		sql("DELETE FROM glossaries");
	ck_assert_int_eq(db_begin(w.db, DB_ALL), OK);
	ck_assert_int_eq(glossary_import(w.db, &g, &t), ERR_STALE);
	db_rollback(w.db);
	ck_assert_str_eq(state(), _i == 0 ? "pending|0|1\n" : "");
	ck_assert_int_eq(number("SELECT count(*) FROM glossary_terms"), 0);
}
END_TEST

START_TEST(a_job_done_twice_imports_once)
{
	put_glossary("asr_hot", B("a\n"));
	ck_assert_int_eq(run_job(), OK);
	queue_import();
	ck_assert_int_eq(run_job(), OK);
	ck_assert_str_eq(state(), "ready|1|2\n");
	ck_assert_int_eq(number("SELECT count(*) FROM glossary_terms"), 1);
}
END_TEST

START_TEST(a_file_that_cannot_be_read_fails_in_the_end)
{
	int tries = 0;
	enum err e;

	put_glossary("asr_hot", B("a\n"));
	sql("UPDATE blobs SET file = 'nothing'");
	do {
		e = run_job();
		tries++;
		ck_assert_str_eq(
		    state(), tries < 10 ? "pending|0|1\n" : "failed|0|2\n");
		sql("UPDATE jobs SET due_us = 1");
	} while (e == ERR_REFUSED && tries < 20);
	ck_assert_int_eq(tries, 11); /* the last try found no fault */
	ck_assert_str_eq(faults(), "");
	ck_assert_int_eq(number("SELECT count(*) FROM jobs WHERE state = 'dead'"), 1);
}
END_TEST

/* ---- chaos ---- */

static const enum err chaos[] = { ERR_BUSY, ERR_FAILED, ERR_FULL };

START_TEST(a_failed_statement_leaves_nothing)
{
	const char *file = _i % 2 == 0 ? "a\nb\n" : "a\na\n";
	int n;

	put_glossary("asr_hot", file, 4);
	for (n = 1; n < 30 && number("SELECT status = 'pending' FROM glossaries");
	     n++) {
		enum err e;

		db_fault(w.db, n, chaos[_i / 2]);
		e = run_job();
		db_fault(w.db, 0, OK);
		if (number("SELECT status = 'pending' FROM glossaries")) {
			ck_assert_int_ne(e, OK);
			ck_assert_str_eq(state(), "pending|0|1\n");
			ck_assert_int_eq(
			    number("SELECT count(*) FROM glossary_terms"), 0);
		}
		sql("UPDATE jobs SET due_us = 1, state = 'ready', tries = 0");
	}
	ck_assert_int_gt(n, 5);
	ck_assert_str_eq(state(), _i % 2 == 0 ? "ready|2|2\n" : "failed|0|2\n");
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM glossary_terms"), _i % 2 == 0 ? 1 : 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("glossary import");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_header_is_no_row_of_terms, 0, COUNT(headed));
	tcase_add_loop_test(
	    t, the_rows_of_a_workbook_are_imported_like_those_of_csv, 0, COUNT(books));
	tcase_add_loop_test(t, a_good_file_makes_terms, 0, COUNT(good));
	tcase_add_loop_test(
	    t, a_bad_file_fails_with_every_fault_in_its_place, 0, COUNT(bad));
	tcase_add_loop_test(
	    t, a_fault_says_what_and_where_in_a_sentence, 0, COUNT(sentences));
	tcase_add_loop_test(t, a_term_has_at_most_1024_bytes, 0, COUNT(lengths));
	tcase_add_loop_test(t, at_most_100_faults_are_told, 0, COUNT(many));
	tcase_add_test(t, a_million_bytes_are_read);
	tcase_add_loop_test(t, what_is_not_pending_is_left_alone, 0, COUNT(drops));
	tcase_add_loop_test(t, a_result_that_comes_too_late_is_dropped, 0, 2);
	tcase_add_test(t, a_job_done_twice_imports_once);
	tcase_add_test(t, a_file_that_cannot_be_read_fails_in_the_end);
	tcase_add_loop_test(t, a_failed_statement_leaves_nothing, 0, 2 * COUNT(chaos));
	suite_add_tcase(s, t);
	return unit_run(s);
}
