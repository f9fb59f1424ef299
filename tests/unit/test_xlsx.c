/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of workbooks: their texts, numbers and dates, and hostile ones. */
#include "service/xlsx.h"

#include <check.h>
#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "tests/unit/suite.h"
#include "tests/workbook.h"

static struct arena *mem;
static const char *why;
static struct buf csv;

static void
setup(void)
{
	mem = arena_new();
	csv = (struct buf){ .mem = mem };
	why = "";
}

static void
teardown(void)
{
	arena_free(mem);
}

static enum err
read_with(const struct workbook_part *changed, size_t n)
{
	struct buf file = workbook_pack(mem, changed, n);

	return xlsx_csv(mem, file.p, file.len, &csv, &why);
}

static enum err
read_part(const char *name, const char *content)
{
	const struct workbook_part part = { name, content, 0 };

	return read_with(&part, 1);
}

/* ---- cells ---- */

/* The rows of a sheet, and as CSV. */
static const struct {
	const char *rows, *csv;
} sheets[] = {
	/* clang-format off */
	{ "", "" },
	{ ROW(SHARED("1") SHARED("0")), "heart,Herz\n" },
	{ ROW(SHARED("1") SHARED("1")) ROW(SHARED("0") SHARED("1")), "heart,heart\nHerz,heart\n" },
	{ ROW(CELL("a, \"b\"") CELL("&lt;&#252;&gt;")), "\"a, \"\"b\"\"\",<\u00fc>\n" },
	{ ROW("<c t='inlineStr'><is><r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r></is></c>" CELL("b")), "rich,b\n" },
	{ ROW("<c t='inlineStr'><is><t>\u6f22\u5b57</t><rPh sb='0' eb='2'><t>kana</t></rPh></is></c>" CELL("b")), "\u6f22\u5b57,b\n" },
	{ ROW("<c t='str'><f>A1&amp;\"x\"</f><v>stored</v></c><c><f>1/2</f><v>0.5</v></c>"), "stored,0.5\n" },
	{ ROW("<c t='b'><v>1</v></c><c t='b'><v>0</v></c>"), "TRUE,FALSE\n" },
	{ ROW("<c t='e'><v>#N/A</v></c><c t='d'><v>2026-11-28</v></c>"), "#N/A,2026-11-28\n" },
	{ ROW(CELL("a\nb\r\nc") CELL("_x000D_d_x0041_ _x_ _x00zz_ _xD800_")), "a b c, dA _x_ _x00zz_ _xD800_\n" },
	/* places: gaps, no order, no numbers, other columns */
	{ "<row r='3'>" CELL("a") CELL("b") "</row>" ROW(CELL("c") CELL("d")), "\n\na,b\nc,d\n" },
	{ "<row r='2'><c r='B2'><v>2</v></c><c r='A2'><v>1</v></c></row><row r='1'><c r='A1'><v>0</v></c></row>", "0,\n1,2\n" },
	{ "<row><c r='B5'><v>2</v></c></row>", "\n\n\n\n,2\n" },
	{ ROW(CELL("a") CELL("b") CELL("note") CELL("more")) ROW(CELL("c") CELL("d") CELL("case")), "a,b\nc,d,case\n" },
	{ ROW("<c r='C1'><v>1</v></c><c r='AAA1'><v>1</v></c>") ROW(CELL(" ") CELL("\t")), "\n\n" },
	/* numbers and dates by the style */
	{ ROW(STYLED("0", "2026") STYLED("0", "0.30000000000000004")), "2026,0.3\n" },
	{ ROW(STYLED("0", "1e-7") STYLED("9", "-5")), "1e-07,-5\n" },
	{ ROW(STYLED("1", "46354") STYLED("2", "46354.604166666664")), "2026-11-28,2026-11-28 14:30\n" },
	{ ROW(STYLED("1", "1") STYLED("1", "61")), "1900-01-01,1900-03-01\n" },
	{ ROW(STYLED("1", "0.5") STYLED("1", "2958465.99999")), "12:00,9999-12-31 23:59:59\n" },
	{ ROW(STYLED("1", "2958466") STYLED("1", "-1")), "2958466,-1\n" },
	{ ROW(STYLED("3", "46354") STYLED("-1", "46354")), "46354,46354\n" },
	{ ROW(STYLED("1", "nan") STYLED("1", "1x")), "nan,1x\n" },
	{ ROW("<x:c><x:v>1</x:v></x:c>" CELL("b")), "1,b\n" },
	/* clang-format on */
};

START_TEST(the_cells_of_a_sheet_become_csv)
{
	ck_assert_int_eq(read_part(SHEET_PART,
			     arena_printf(mem, WORKBOOK_ROWS("%s"), sheets[_i].rows)),
	    OK);
	ck_assert_str_eq(buf_text(&csv), sheets[_i].csv);
}
END_TEST

START_TEST(days_may_be_counted_from_1904)
{
	const struct workbook_part parts[] = {
		{ BOOK_PART,
		    "<workbook" WORKBOOK_NS "><workbookPr date1904=\"1\"/><sheets>"
		    "<sheet r:id=\"b\"/></sheets></workbook>",
		    0 },
		{ SHEET_PART,
		    WORKBOOK_ROWS(ROW(STYLED("1", "44892") STYLED("1", "0.5"))), 0 },
	};

	ck_assert_int_eq(read_with(parts, 2), OK);
	ck_assert_str_eq(buf_text(&csv), "2026-11-28,12:00\n");
}
END_TEST

/* ---- parts ---- */

/* clang-format off */
#define FIRST WORKBOOK_RELATION("b", "worksheet", "worksheets/sheet1.xml")
#define TEXTS WORKBOOK_RELATION("c", "sharedStrings", "sharedStrings.xml")
static const struct {
	const char *sheets, *links;
	bool found;
} orders[] = {
	{ "<sheet r:id=\"b\"/><sheet r:id=\"z\"/>", TEXTS FIRST, true },
	{ "<sheet r:id=\"z\"/><sheet r:id=\"b\"/>", TEXTS FIRST WORKBOOK_RELATION("z", "chartsheet", "x"), true },
	{ "<sheet r:id=\"z\" state=\"hidden\"/><sheet r:id=\"b\" state=\"visible\"/>",
	    TEXTS FIRST WORKBOOK_RELATION("z", "worksheet", "x"), true },
	{ "<sheet r:id=\"b\" state=\"veryHidden\"/>", TEXTS FIRST, true },
	{ "<sheet r:id=\"b\"/>", TEXTS WORKBOOK_RELATION("b", "worksheet", "/xl/./y/..//Worksheets/SHEET1.xml"), true },
	{ "<sheet r:id=\"b\"/>", TEXTS WORKBOOK_RELATION("b", "worksheet", "../../../xl/worksheets/sheet1.xml"), true },
	{ "<sheet r:id=\"b\"/>", TEXTS WORKBOOK_RELATION("b", "worksheet", "../../../../etc/passwd"), false },
	{ "<sheet r:id=\"b\"/>", TEXTS WORKBOOK_RELATION("b", "worksheet", ""), false },
	{ "<sheet r:id=\"b\"/>", FIRST, false }, /* no shared strings */
	{ "<sheet r:id=\"b\"/>", WORKBOOK_RELATION("c", "sharedStrings", "nothing.xml") FIRST, false },
	{ "<sheet r:id=\"b\"/>", TEXTS "<Relationship Id=\"b\" Type=\"x/worksheet\" TargetMode=\"External\" Target=\"http://127.0.0.1/\"/>", false },
	{ "<sheet r:id=\"y\"/><sheet/>", TEXTS FIRST "<Relationship Id=\"y\"/>", false },
	{ "", TEXTS FIRST, false },
};
/* clang-format on */

START_TEST(the_first_sheet_is_found_by_order_and_relationships)
{
	const struct workbook_part parts[] = {
		{ BOOK_PART,
		    arena_printf(mem, WORKBOOK_SHEETS("%s"), orders[_i].sheets), 0 },
		{ LINKS_PART,
		    arena_printf(mem, WORKBOOK_RELATIONS("%s"), orders[_i].links), 0 },
	};

	ck_assert_int_eq(read_with(parts, 2), orders[_i].found ? OK : ERR_UNSUPPORTED);
	ck_assert_str_eq(
	    buf_text(&csv), orders[_i].found ? "heart,Herz\nlung,Lunge\n" : "");
}
END_TEST

#define DAMAGED "The workbook is damaged."
#define UNREADABLE "The workbook is damaged or encrypted."
#define NONE "The file is no workbook (XLSX)."

static const struct {
	const char *name, *content, *why;
} broken[] = {
	/* clang-format off */
	{ "_rels/.rels", NULL, NONE },
	{ "_rels/.rels", WORKBOOK_RELATIONS(WORKBOOK_RELATION("a", "officeDocument", "word/document.xml")), NONE },
	{ "_rels/.rels", "no", UNREADABLE },
	{ BOOK_PART, NULL, NONE },
	{ BOOK_PART, "<document/>", NONE },
	{ LINKS_PART, NULL, NONE },
	{ LINKS_PART, WORKBOOK_RELATIONS(""), "The workbook has no sheet." },
	{ SHEET_PART, NULL, DAMAGED },
	{ SHEET_PART, "", DAMAGED },
	{ SHEET_PART, "<worksheet><row>", DAMAGED },
	{ SHEET_PART, WORKBOOK_ROWS(ROW("<c t='s'><v>2</v></c>")), DAMAGED },
	{ SHEET_PART, WORKBOOK_ROWS(ROW("<c t='s'><v>99999999999999999999</v></c>")), DAMAGED },
	{ SHEET_PART, "<?xml version=\"1.0\" encoding=\"UTF-7\"?><worksheet a=+ACIAIg-/>", DAMAGED },
	{ SHEET_PART, "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>" WORKBOOK_ROWS(ROW(CELL("&a;"))), DAMAGED },
	{ SHEET_PART, "<!DOCTYPE x [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;\">]>"
	    WORKBOOK_ROWS(ROW(CELL("&c;"))), DAMAGED },
	{ STRINGS_PART, NULL, DAMAGED },
	{ STRINGS_PART, "<sst><si><t>one", DAMAGED },
	{ STYLES_PART, "<styleSheet>", DAMAGED },
	/* clang-format on */
};

START_TEST(a_broken_part_is_refused_in_a_sentence)
{
	ck_assert_int_eq(
	    read_part(broken[_i].name, broken[_i].content), ERR_UNSUPPORTED);
	ck_assert_str_eq(why, broken[_i].why);
	ck_assert_uint_eq(csv.len, 0);
}
END_TEST

START_TEST(a_file_that_is_cut_or_changed_anywhere_is_refused_or_read)
{
	struct buf file = workbook_pack(mem, NULL, 0);
	enum err e;

	for (size_t n = 0; n < file.len; n++) {
		e = xlsx_csv(mem, file.p, n, &csv, &why);
		ck_assert_int_eq(e, ERR_UNSUPPORTED);
		ck_assert_str_eq(why, UNREADABLE);
	}
	for (size_t i = 0; i < file.len; i++) {
		file.p[i] ^= 0x55;
		csv.len = 0;
		why = NULL;
		e = xlsx_csv(mem, file.p, file.len, &csv, &why);
		file.p[i] ^= 0x55;
		ck_assert(e == OK || why != NULL);
	}
}
END_TEST

/* ---- limits ---- */

static const char *
times(const char *s, int n)
{
	struct buf b = { .mem = mem };

	while (n-- > 0)
		buf_str(&b, s);
	return buf_text(&b);
}

#define TWO_CELLS ROW(SHARED("0") SHARED("1"))

static const struct {
	const char *row;
	int n;
	const char *why; /* NULL: it is read */
} rows[] = {
	{ TWO_CELLS, 10000, NULL },
	{ TWO_CELLS, 10001, "The sheet may have at most 10000 rows." },
	{ TWO_CELLS, 300000, "The sheet may have at most 10000 rows." },
	{ "<row r='1048577'>" CELL("a") "</row>", 1,
	    "The sheet may have at most 10000 rows." },
	{ "<row r='1048576'>" CELL("a") "</row>", 1, NULL },
	{ "<row><c/><c s='1'/></row>", 300000, NULL }, /* formatted, but empty */
	{ "<row><c r='D1'><v>1</v></c></row>", 300000, NULL },
};

START_TEST(a_sheet_has_at_most_10000_rows)
{
	enum err e = read_part(SHEET_PART,
	    arena_printf(mem, WORKBOOK_ROWS("%s"), times(rows[_i].row, rows[_i].n)));

	ck_assert_int_eq(e, rows[_i].why == NULL ? OK : ERR_LIMIT);
	if (rows[_i].why != NULL)
		ck_assert_str_eq(why, rows[_i].why);
}
END_TEST

/* Parts of n bytes that are made of one piece between two texts. */
static const struct {
	const char *part, *before, *piece, *after;
	int n;
	enum err e;
} large[] = {
	/* clang-format off */
	{ SHEET_PART, "<worksheet>", "          ", "</worksheet>", 100 << 20, ERR_LIMIT },
	{ SHEET_PART, "<worksheet>", "<a>", "", 30 << 20, ERR_UNSUPPORTED },
	{ SHEET_PART, "<worksheet>", "<", "", 30 << 20, ERR_UNSUPPORTED },
	{ SHEET_PART, "<worksheet>", "<!--", "", 30 << 20, ERR_UNSUPPORTED },
	{ SHEET_PART, "<worksheet>", "<![CDATA[", "", 30 << 20, ERR_UNSUPPORTED },
	{ SHEET_PART, "<worksheet><a ", "b=''", "/></worksheet>", 30 << 20, ERR_UNSUPPORTED },
	{ SHEET_PART, "<worksheet><a b='", "bbbbbbb", "'/></worksheet>", 30 << 20, ERR_UNSUPPORTED },
	{ SHEET_PART, "<worksheet>", "<c><v>1</v></c>", "</worksheet>", 30 << 20, ERR_LIMIT },
	{ SHEET_PART, "<worksheet>", "<row r='9'/>", "</worksheet>", 30 << 20, OK },
	{ STRINGS_PART, "<sst><si/><si><t>a</t></si>", "<si/>", "</sst>", 30 << 20, OK },
	{ STRINGS_PART, "<sst><si/><si>", "<t>aaaaaaaaaaaaa</t>", "</si></sst>", 30 << 20, ERR_LIMIT },
	{ STYLES_PART, "<a><cellXfs>", "<xf/>", "</cellXfs></a>", 30 << 20, OK },
	{ STYLES_PART, "<a>", "<numFmt numFmtId='170' formatCode='[[['/>", "</a>", 30 << 20, OK },
	{ LINKS_PART, "<a>" FIRST "<Relationship Type='x/sharedStrings' Target='", "a/", "'/></a>", 9 << 20, ERR_UNSUPPORTED },
	{ LINKS_PART, "<a>" FIRST TEXTS, "<Relationship Id='long' Type='x/worksheet' Target='x'/>", "</a>", 20 << 20, OK },
	/* clang-format on */
};

START_TEST(a_large_part_takes_little_time)
{
	size_t piece = strlen(large[_i].piece);
	struct buf b = { .mem = mem };
	struct timespec before, after;

	buf_str(&b, large[_i].before);
	while (b.len + piece <= (size_t)large[_i].n)
		buf_put(&b, large[_i].piece, piece);
	buf_str(&b, large[_i].after);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	ck_assert_int_eq(read_part(large[_i].part, buf_text(&b)), large[_i].e);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	ck_assert_int_lt(after.tv_sec - before.tv_sec, 10);
}
END_TEST

/* ---- other programs ---- */

#define MAKE(library, lines)                                                           \
	"d=$(mktemp -d) && python3 - $d/a.xlsx >/dev/null 2>&1 <<'E' && cat "          \
	"$d/a.xlsx; "                                                                  \
	"rm -r $d\nimport sys, datetime, " library "\n" lines "\nE\n"

/* Where python3 has the library. */
static const struct {
	const char *command, *csv;
} writers[] = {
	{ MAKE("openpyxl",
	      "b = openpyxl.Workbook(); s = b.active\n"
	      "s.append(['heart', 'Herz']); s.append([]); s.append(['day', "
	      "datetime.date(2026, 11, 28)]); s.append(['=1+1', 2026])\n"
	      "b.save(sys.argv[1])"),
	    "heart,Herz\n\nday,2026-11-28\n,2026\n" },
	{ MAKE("xlsxwriter",
	      "b = xlsxwriter.Workbook(sys.argv[1]); s = b.add_worksheet()\n"
	      "s.write('A1', 'heart'); s.write('B1', 'Herz')\n"
	      "s.write_formula('A2', '=\"a\"&\"b\"', None, 'ab'); "
	      "s.write_datetime('B2', datetime.datetime(2026, 11, 28, 14, 30), "
	      "b.add_format({'num_format': 'dd.mm.yyyy'}))\n"
	      "s.write_rich_string('A3', 'ri', b.add_format({'bold': 1}), 'ch'); "
	      "s.write('B3', 'x\\r\\ny')\n"
	      "b.close()"),
	    "heart,Herz\nab,2026-11-28 14:30\nrich,x  y\n" },
};

START_TEST(workbooks_of_other_programs_are_read)
{
	struct buf file = { .mem = mem };
	FILE *p = popen(writers[_i].command, "r");
	size_t n;

	ck_assert_ptr_nonnull(p);
	while ((n = fread(buf_room(&file, 4096), 1, 4096, p)) > 0)
		file.len += n;
	pclose(p);
	if (file.len == 0)
		return;
	ck_assert_int_eq(xlsx_csv(mem, file.p, file.len, &csv, &why), OK);
	ck_assert_str_eq(buf_text(&csv), writers[_i].csv);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("xlsx");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, the_cells_of_a_sheet_become_csv, 0, COUNT(sheets));
	tcase_add_test(t, days_may_be_counted_from_1904);
	tcase_add_loop_test(
	    t, the_first_sheet_is_found_by_order_and_relationships, 0, COUNT(orders));
	tcase_add_loop_test(
	    t, a_broken_part_is_refused_in_a_sentence, 0, COUNT(broken));
	tcase_add_test(t, a_file_that_is_cut_or_changed_anywhere_is_refused_or_read);
	tcase_add_loop_test(t, a_sheet_has_at_most_10000_rows, 0, COUNT(rows));
	tcase_add_loop_test(t, a_large_part_takes_little_time, 0, COUNT(large));
	tcase_add_loop_test(t, workbooks_of_other_programs_are_read, 0, COUNT(writers));
	suite_add_tcase(s, t);
	return unit_run(s);
}
