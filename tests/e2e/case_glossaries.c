/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Glossaries, from creation to the import of their files. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "db/db.h"
#include "service/xlsx.h"
#include "stream.h"
#include "tests/workbook.h"

static struct account me, other;

static void
before(void)
{
	me = account_new("glossaries");
	other = account_new("neighbour");
}

static const char *
path_of(const char *id, const char *more)
{
	return text("/saas/glossary/%s%s", id, more);
}

/* Creates a glossary; returns its id. */
static const char *
glossary(const struct account *as, const char *type)
{
	bool asr = strcmp(type, "asr") == 0;
	struct answer a = ASK(.path = "/saas/glossary", .as = as,
	    .json = text("{\"data\":{\"name\":\"Terms\",\"glossary_type\":\"%s\","
			 "\"source_lang\":\"en\",\"target_lang\":\"%s\"}}",
		type, asr ? "en" : "de"));

	EXPECT(a, 200);
	return text_at(a.json, "data.glossary_id");
}

static struct answer
send_csv(const struct account *as, const char *id, struct bytes file)
{
	struct form f = { .n = 1,
		.part = { { "glossary", "terms.csv", "text/csv", file } } };

	return ASK(.path = path_of(id, "/upload"), .as = as, .type = FORM_TYPE,
	    .body = form_bytes(&f));
}

static struct answer
send_text(const struct account *as, const char *id, const char *file)
{
	return send_csv(as, id, (struct bytes){ file, strlen(file) });
}

struct waited {
	const char *id, *status;
};

static bool
has_status(const void *p)
{
	const struct waited *w = p;
	struct answer a = ASK(.path = path_of(w->id, ""), .as = &me);

	EXPECT(a, 200);
	return strcmp(text_at(a.json, "data.entries_status"), w->status) == 0;
}

/* Returns the record after the worker has run. */
static json_t *
imported(const char *id, const char *status)
{
	const struct waited w = { id, status };
	struct answer a;

	ck_assert_msg(becomes(has_status, &w, 20), "%s never becomes %s", id, status);
	a = ASK(.path = path_of(id, ""), .as = &me);
	return at(a.json, "data");
}

/* ---- import ---- */

START_TEST(a_good_file_becomes_entries)
{
	static const char file[] =
	    "\xef\xbb\xbf"
	    "heart,Herz\r\n\r\n\"lung, left\",\"linke \"\"L\"\"\"\n";
	const char *id = glossary(&me, "translation");
	struct answer a = send_text(&me, id, file);
	json_t *g;

	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.entries_status"), "pending");
	g = imported(id, "ready");
	ck_assert_int_eq(int_at(g, "entries_count"), 2);
	ck_assert_int_eq(count_at(g, "entries_errors"), 0);
	a = ASK(.path = path_of(id, "/upload"), .as = &me);
	EXPECT(a, 200);
	ck_assert_int_eq(a.n, sizeof(file) - 1);
	ck_assert_mem_eq(a.body, file, a.n);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "text/csv; charset=utf-8");
	ck_assert_str_eq(header_of(&a, "Content-Disposition"),
	    text("attachment; filename=\"glossary-%s.csv\"", id));
	ck_assert_str_eq(header_of(&a, "ETag"),
	    text("\"%s\"", sha256_of((struct bytes){ file, sizeof(file) - 1 })));
	a = ASK(.path = path_of(id, "/upload"), .as = &me,
	    .headers = { text("If-None-Match: %s", header_of(&a, "ETag")) });
	EXPECT(a, 304);
	a = send_text(&me, id, "once,more\n");
	expect_problem(&a, 409, "glossary-already-uploaded");
	ck_assert_str_eq(
	    text_at(a.json, "errors.0.detail"), "Glossary file was already uploaded");
}
END_TEST

/* ---- what programs send ---- */

/* disposition and headers of the part; file: its raw bytes */
static const struct {
	const char *disposition, *headers, *file;
} sent[] = {
	/*
	 * Files as spreadsheets export them: an empty row, an empty column, and a line
	 * that names the separator.
	 */
	{ "filename=a.csv", "text/csv", "water,agua\r\nriver,r\u00edo\r\n,\r\n,\r\n" },
	{ "filename=a.csv", "text/csv", "water,agua,\r\nriver,r\u00edo,\r\n" },
	{ "filename=a.csv", "text/csv", "sep=,\r\nwater,agua\r\nriver,r\u00edo\r\n" },
	{ "filename=a.csv", "text/csv", "sep=;\r\nwater;agua\r\nriver;r\u00edo\r\n" },
	{ "filename=a.csv", "application/vnd.ms-excel",
	    "water,agua\r\nriver,r\u00edo\r\n" },
	/* old and other clients */
	{ "filename*=utf-8''Begriffe-%C3%9Cbersicht.csv", "text/csv",
	    "water,agua\r\nriver,r\u00edo\r\n" },
	{ "filename=a.csv", "text/csv; header=present",
	    "English,Espa\u00f1ol\r\nwater,agua\r\nriver,r\u00edo\r\n" },
	{ "filename=a.csv", "text/csv\r\nContent-Transfer-Encoding: base64",
	    "d2F0ZXIsYWd1YQ0K\r\ncml2ZXIscsOtbw0K" },
	{ "filename=a.csv",
	    "text/csv; header=present\r\nContent-Transfer-Encoding: quoted-printable",
	    "a=2Cb\r\nwater,=\r\nagua\r\nriver,r=C3=ADo" },
};

START_TEST(what_spreadsheets_and_clients_send_is_imported)
{
	const char *id = glossary(&me, "translation");
	const char *body = text("--e2eBoundaryOfTheseTests\r\nContent-Disposition: "
				"form-data; name=file; %s\r\nContent-Type: %s\r\n\r\n"
				"%s\r\n--e2eBoundaryOfTheseTests--\r\n",
	    sent[_i].disposition, sent[_i].headers, sent[_i].file);
	struct answer a = ASK(.path = path_of(id, "/upload"), .as = &me,
	    .type = FORM_TYPE, .body = { body, strlen(body) });

	EXPECT(a, 200);
	ck_assert_int_eq(int_at(imported(id, "ready"), "entries_count"), 2);
}
END_TEST

/* ---- workbooks ---- */

static struct answer
send_workbook(const char *path, const struct buf *file)
{
	struct form f = { .n = 1,
		.part = {
		    { "file", "terms.xlsx", XLSX_TYPE, { file->p, file->len } } } };

	return ASK(.path = path, .as = &me, .type = FORM_TYPE, .body = form_bytes(&f));
}

START_TEST(a_workbook_becomes_entries)
{
	struct arena *mem = arena_new();
	struct buf file = workbook_pack(mem, NULL, 0);
	const char *id = glossary(&me, "translation");
	struct answer a = send_workbook("/saas/glossaries/rows", &file);

	EXPECT(a, 200);
	ck_assert_str_eq(a.body, "heart,Herz\nlung,Lunge\n");
	a = send_workbook(path_of(id, "/upload"), &file);
	EXPECT(a, 200);
	ck_assert_int_eq(int_at(imported(id, "ready"), "entries_count"), 2);
	a = ASK(.path = path_of(id, "/upload"), .as = &me);
	EXPECT(a, 200);
	ck_assert_uint_eq(a.n, file.len);
	ck_assert_mem_eq(a.body, file.p, a.n);
	ck_assert_str_eq(header_of(&a, "Content-Type"), XLSX_TYPE);
	arena_free(mem);
}
END_TEST

START_TEST(a_workbook_with_faults_says_where_they_are)
{
	struct arena *mem = arena_new();
	const struct workbook_part sheet = { SHEET_PART,
		WORKBOOK_ROWS(
		    ROW(CELL("a") CELL("b")) "<row r=\"7\">" CELL("c") "</row>"),
		0 };
	struct buf file = workbook_pack(mem, &sheet, 1);
	const char *id = glossary(&me, "translation");
	struct answer a = send_workbook(path_of(id, "/upload"), &file);
	json_t *g;

	EXPECT(a, 200);
	g = imported(id, "failed");
	ck_assert_int_eq(int_at(g, "entries_errors.0.row"), 7);
	ck_assert_int_eq(int_at(g, "entries_errors.0.column"), 2);
	arena_free(mem);
}
END_TEST

START_TEST(a_workbook_that_is_a_bomb_is_413)
{
	struct arena *mem = arena_new();
	size_t n = 200 << 20;
	const struct workbook_part sheet = { SHEET_PART, arena_alloc(mem, n), n };
	struct buf file = workbook_pack(mem, &sheet, 1);
	const char *id = glossary(&me, "translation");
	struct answer a = send_workbook(path_of(id, "/upload"), &file);

	expect_problem(&a, 413, "payload-too-large");
	a = ASK(.path = path_of(id, ""), .as = &me);
	ck_assert_str_eq(text_at(a.json, "data.entries_status"), "none");
	arena_free(mem);
}
END_TEST

/* ---- at work ---- */

/* The engine recognizes "hello world". */
static const struct {
	const char *file, *heard;
} terms[] = {
	{ "hello,HOLA-A\n", "[es] HOLA-A world" },
	{ "\ufeffHELLO World,HOLA-B\n", "[es] HOLA-B" },
	{ "hel\u00adlo,HOLA-C\nwor\u200bld,MUNDO-C\n", "[es] HOLA-C MUNDO-C" },
	{ "hell,HOLA-D\n", "[es] hello world" },
	{ "HELLO,HOLA-E,case\nworld,MUNDO-E,case\n", "[es] hello MUNDO-E" },
};

/* Translates with an account of its own, which has no other glossaries. */
static const char *
translated_with(const char *file, bool enabled)
{
	struct answer a;
	const char *id;
	struct ws *s;

	me = account_new("terms");
	a = ASK(.path = "/saas/glossary", .as = &me,
	    .json = text(
		"{\"data\":{\"name\":\"Terms\",\"glossary_type\":\"translation\","
		"\"source_lang\":\"en\",\"target_lang\":\"es\",\"is_enabled\":%s}}",
		enabled ? "true" : "false"));
	EXPECT(a, 200);
	id = text_at(a.json, "data.glossary_id");
	a = send_text(&me, id, file);
	EXPECT(a, 200);
	imported(id, "ready");
	s = stream_begin(&me, TASK);
	speak(s, 1, 1);
	return text_at(hear(s, "translated_transcription", 10), "transcription.text");
}

START_TEST(terms_are_heard_in_translations)
{
	ck_assert_str_eq(translated_with(terms[_i].file, true), terms[_i].heard);
}
END_TEST

START_TEST(a_glossary_that_is_switched_off_changes_nothing)
{
	ck_assert_str_eq(translated_with("hello,HOLA\n", false), "[es] hello world");
}
END_TEST

START_TEST(a_bad_file_fails_and_another_may_follow)
{
	const char *id = glossary(&me, "translation");
	struct answer a = send_text(&me, id, "a,b\n\nc, \na,d\n\"e\n");
	json_t *g;

	EXPECT(a, 200);
	g = imported(id, "failed");
	ck_assert_int_eq(count_at(g, "entries_errors"), 3);
	ck_assert_int_eq(int_at(g, "entries_errors.0.row"), 3);
	ck_assert_int_eq(int_at(g, "entries_errors.0.column"), 2);
	ck_assert_int_eq(int_at(g, "entries_errors.0.problem.error_code"), 100223);
	ck_assert_str_eq(text_at(g, "entries_errors.0.problem.detail"),
	    "The term in row 3, column 2 is empty.");
	ck_assert_str_eq(
	    text_at(g, "entries_errors.0.problem.instance"), text("urn:uuid:%s", id));
	ck_assert_int_eq(int_at(g, "entries_errors.1.problem.error_code"), 100225);
	ck_assert_int_eq(int_at(g, "entries_errors.2.problem.error_code"), 100226);
	a = send_text(&me, id, "a\n");
	EXPECT(a, 200);
	ck_assert_int_eq(count_at(a.json, "data.entries_errors"), 0);
	g = imported(id, "failed");
	ck_assert(json_is_null(at(g, "entries_errors.0.column")));
	a = send_text(&me, id, "a,b\n");
	EXPECT(a, 200);
	imported(id, "ready");
	a = ASK(.path = path_of(id, "/upload"), .as = &me);
	ck_assert_str_eq(a.body, "a,b\n");
}
END_TEST

START_TEST(the_largest_file_is_imported_and_one_byte_more_refused)
{
	const char *id = glossary(&me, "asr_hot");
	char *s = arena_alloc(memory(), 1000001);
	struct bytes file = { s, 1000001 };
	struct answer a;

	for (int i = 0; i < 1000000; i += 8) { /* 125,000 rows */
		s[i + 7] = '\n';
		for (int k = 0, n = i / 8; k < 7; k++, n /= 10)
			s[i + k] = (char)('0' + n % 10);
	}
	s[1000000] = 'x';
	a = send_csv(&me, id, file);
	expect_problem(&a, 413, "payload-too-large");
	file.n--;
	a = send_csv(&me, id, file);
	EXPECT(a, 200);
	ck_assert_int_eq(int_at(imported(id, "ready"), "entries_count"), 125000);
}
END_TEST

START_TEST(files_of_glossaries_do_not_fill_the_store)
{
	static const struct sql stored = { "e2e.stored",
		"SELECT stored_bytes FROM accounts WHERE id = $1", NULL };
	static const struct sql gone = { "e2e.gone",
		"SELECT count(*) FROM blobs WHERE account = $1 AND kind = 'glossary'"
		" AND state = 'gone'",
		NULL };
	const char *id = glossary(&other, "asr_hot");
	struct answer a = send_text(&other, id, "a\n");

	EXPECT(a, 200);
	ck_assert_int_eq(count_in_db(&stored, other.user_id), 0);
	a = ASK(.method = "DELETE", .path = path_of(id, ""), .as = &other);
	EXPECT(a, 200);
	ck_assert_str_eq(a.body, "{\"ok\":true,\"data\":null}");
	ck_assert_int_le(count_in_db(&gone, other.user_id), 1);
	a = ASK(.path = path_of(id, ""), .as = &other);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = path_of(id, "/upload"), .as = &other);
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

/* ---- refusals ---- */

START_TEST(of_several_uploads_at_once_one_is_taken)
{
	const char *id = glossary(&me, "asr_hot");
	int taken = 0, status;

	for (int i = 0; i < 4; i++)
		if (fork() == 0)
			_exit(send_text(&me, id, "a\n").status == 200);
	while (wait(&status) > 0)
		taken += WEXITSTATUS(status);
	ck_assert_int_eq(taken, 1);
	imported(id, "ready");
}
END_TEST

START_TEST(what_is_no_csv_in_a_form_is_refused)
{
	const char *id = glossary(&me, "asr"), *to = path_of(id, "/upload");
	struct bytes csv = { "a,b\n", 4 };
	struct form f = { .n = 1, .part = { { "file", "x", "text/html", csv } } };
	struct answer a =
	    ASK(.path = to, .as = &me, .type = FORM_TYPE, .body = form_bytes(&f));

	expect_problem(&a, 415, "unsupported-media-type");
	ck_assert_str_eq(text_at(a.json, "errors.0.detail"),
	    "Glossary format must be CSV, not text/html");
	a = ASK(.path = to, .as = &me, .type = "text/csv", .body = csv);
	expect_problem(&a, 415, "unsupported-media-type");
	a = ASK(.path = to, .as = &me, .type = FORM_TYPE, .body = csv);
	expect_problem(&a, 400, "bad-request");
	f = (struct form){ .n = 0 };
	form_add(&f, "file", "a,b\n");
	a = ASK(.path = to, .as = &me, .type = FORM_TYPE, .body = form_bytes(&f));
	expect_problem(&a, 422, "validation-error");
	a = send_csv(&me, id, (struct bytes){ "", 0 });
	expect_problem(&a, 422, "validation-error");
	a = ASK(.path = to, .as = &me);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = path_of(id, ""), .as = &me);
	ck_assert_str_eq(text_at(a.json, "data.entries_status"), "none");
}
END_TEST

START_TEST(a_neighbours_glossary_is_not_there)
{
	const char *id = glossary(&me, "asr_hot");
	struct answer a = send_text(&other, id, "a\n");

	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = path_of(id, ""), .as = &other);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.method = "DELETE", .path = path_of(id, ""), .as = &other);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = path_of(id, ""), .as = &other,
	    .json = "{\"data\":{\"name\":\"Mine\"}}");
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

/* ---- the rest ---- */

START_TEST(a_glossary_is_changed_and_listed)
{
	struct account lister = account_new("lister");
	const char *id = glossary(&lister, "translation"), *etag;
	struct answer a = ASK(.path = path_of(id, ""), .as = &lister,
	    .json = "{\"data\":{\"is_enabled\":\"false\",\"name\":\"Other words\"}}");

	EXPECT(a, 200);
	ck_assert(json_is_false(at(a.json, "data.is_enabled")));
	etag = header_of(&a, "ETag");
	ck_assert_str_eq(etag, "\"v2\"");
	a = ASK(.path = path_of(id, ""), .as = &lister,
	    .headers = { "If-Match: \"v1\"" },
	    .json = "{\"data\":{\"is_enabled\":true}}");
	expect_problem(&a, 412, "stale-version");
	glossary(&lister, "asr");
	a = ASK(.path = "/saas/glossaries?sort=asc&page_size=1", .as = &lister);
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.items.0.name"), "Other words");
	a = ASK(.path = text("/saas/glossaries?token=%s", text_at(a.json, "data.next")),
	    .as = &lister);
	ck_assert_str_eq(text_at(a.json, "data.items.0.glossary_type"), "asr");
	ck_assert(json_is_null(at(a.json, "data.next")));
}
END_TEST

START_TEST(a_full_plan_takes_no_more_glossaries)
{
	struct account few = account_new("one glossary");
	struct answer a;

	account_plan(&few, "--glossaries", "1");
	glossary(&few, "asr_hot");
	a = ASK(.path = "/saas/glossary", .as = &few,
	    .json = "{\"data\":{\"name\":\"Two\",\"glossary_type\":\"asr_hot\","
		    "\"source_lang\":\"en\"}}");
	expect_problem(&a, 403, "glossary-limit-reached");
	account_plan(&few, "--glossaries", "0");
	glossary(&few, "asr_hot");
}
END_TEST

Suite *
glossaries_suite(void)
{
	TCase *t;
	Suite *s = suite_of("glossaries", before, &t);

	tcase_add_test(t, a_good_file_becomes_entries);
	tcase_add_loop_test(
	    t, what_spreadsheets_and_clients_send_is_imported, 0, ROWS(sent));
	tcase_add_test(t, a_workbook_becomes_entries);
	tcase_add_test(t, a_workbook_with_faults_says_where_they_are);
	tcase_add_test(t, a_workbook_that_is_a_bomb_is_413);
	tcase_add_loop_test(t, terms_are_heard_in_translations, 0, ROWS(terms));
	tcase_add_test(t, a_glossary_that_is_switched_off_changes_nothing);
	tcase_add_test(t, a_bad_file_fails_and_another_may_follow);
	tcase_add_test(t, the_largest_file_is_imported_and_one_byte_more_refused);
	tcase_add_test(t, files_of_glossaries_do_not_fill_the_store);
	tcase_add_test(t, of_several_uploads_at_once_one_is_taken);
	tcase_add_test(t, what_is_no_csv_in_a_form_is_refused);
	tcase_add_test(t, a_neighbours_glossary_is_not_there);
	tcase_add_test(t, a_glossary_is_changed_and_listed);
	tcase_add_test(t, a_full_plan_takes_no_more_glossaries);
	return s;
}
