/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of a glossary: upload, refusals, reading, and the state after database or
 * disk failures.
 */
#define UNIT_TEST
#include "tests/unit/glossary_fixture.h"
#include "tests/workbook.h"

static const char *glossary;

static void
setup(void)
{
	glossary_fixture();
	glossary = put_glossary(fixture.account, "Anna", MADE_US);
}

static struct response
send_form(const char *body)
{
	return upload_bytes(glossary, body, strlen(body));
}

static const char *
path(void)
{
	return arena_printf(fixture.mem, "POST /saas/glossary/%s/upload", glossary);
}

/* ---- arrival ---- */

START_TEST(an_upload_makes_the_glossary_pending_and_queues_its_import)
{
	struct response a = upload(glossary, "a,b\r\n");

	answered(a, 200);
	is(a, "/data/glossary_id", glossary);
	is(a, "/data/entries_status", "pending");
	is(a, "/data/entries_count", "0");
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v2\"");
	ck_assert_str_ne(said(&a, "/data/utc_updated_at"), "2026-11-20T10:18:44Z");
	assert_same_body(on("GET", glossary, NULL).body, a.body);
	ck_assert_str_eq(
	    sql("SELECT kind, state, mime_type, bytes, b.id = g.blob, b.account ="
		" g.account, b.id <> g.id, sha256 FROM blobs b, glossaries g"),
	    arena_printf(fixture.mem,
		"glossary|checked|text/csv; charset=utf-8|5|1|1|1|%s\n",
		hash_hex(fixture.mem, "a,b\r\n", 5)));
	ck_assert_str_eq(sql("SELECT kind, ref, account, state FROM jobs"),
	    arena_printf(fixture.mem, "glossary.import|%s|%s|ready\n", glossary,
		fixture.account));
	ck_assert_int_eq(number("SELECT stored_bytes FROM accounts"), 0);
	ck_assert_int_eq(files(), 1);
}
END_TEST

#define FIELD PART("name=\"note\"", "Content-Type: image/png\r\n") "anything\r\n"

#define TYPED_HEAD(parameters)                                                         \
	PART("name=f; filename=x", "Content-Type: text/csv; " parameters "\r\n")
#define ENCODED(by)                                                                    \
	PART("name=file; filename=x", "Content-Transfer-Encoding: " by "\r\n")

static const char *const taken[] = {
	FILE_PART "a,b" FORM_END,
	PART("name=\"glossary\"; filename=\"x\"", CSV_LINE) "a,b" FORM_END,
	PART("name=\"\"; filename=\"\"", CSV_LINE) "a,b" FORM_END,
	PART("name=f; filename*=utf-8''Begriffe-%C3%9Cbersicht.csv",
	    CSV_LINE) "a,b" FORM_END,
	PART("name=f; filename=x", "") "a,b" FORM_END,
	PART("name=f; filename=x",
	    "Content-Type: application/vnd.ms-excel\r\n") "a,b" FORM_END,
	PART("name=f; filename=x", "Content-Type: application/csv\r\n") "a,b" FORM_END,
	PART("name=f; filename=x",
	    "Content-Type: text/plain; charset=US-ASCII\r\n") "a,b" FORM_END,
	PART("name=f; filename=x",
	    "Content-Type: application/octet-stream\r\n") "a,b" FORM_END,
	PART("name=g; filename=\"\"",
	    "Content-Type: application/octet-stream\r\n") "\r\n" FILE_PART
							  "a,b" FORM_END,
	PART("filename=\"x.exe\"; name=\"f\"", CSV_LINE) "a,b" FORM_END,
	PART("name=f; filename=x", "content-type: TEXT/CSV\r\n") "a,b" FORM_END,
	PART("name=f; filename=x",
	    "Content-Type: text/csv; charset=utf-8\r\n") "a,b" FORM_END,
	PART("name=f; filename=x",
	    "Content-Type: text/csv;Charset=\"UTF-8\"\r\n") "a,b" FORM_END,
	PART("name=f; filename=x", "Content-Type: text/csv;\r\n") "a,b" FORM_END,
	TYPED_HEAD("header=present") "a,b" FORM_END,
	TYPED_HEAD("charset=utf-8; Header=Absent") "a,b" FORM_END,
	ENCODED("base64") "YSxi" FORM_END,
	ENCODED("Base64 ") "Y\r\nS x\ti\r\n" FORM_END,
	ENCODED("quoted-printable") "a=2C=\r\nb" FORM_END,
	ENCODED("Quoted-Printable") "=61=2c=\r\n=62=" FORM_END,
	ENCODED("7bit") "a,b" FORM_END,
	ENCODED("8BIT") "a,b" FORM_END,
	ENCODED("binary") "a,b" FORM_END,
	FIELD FILE_PART "a,b" FORM_END,
	FILE_PART "a,b\r\n" FIELD "--B--",
	PART("name=\"file\"", "") "c,d\r\n" FILE_PART "a,b" FORM_END,
};

START_TEST(one_file_under_any_name_is_taken)
{
	struct response a = send_form(taken[_i]);

	answered(a, 200);
	a = download(glossary, NULL);
	assert_same_body(a.body, "a,b");
}
END_TEST

START_TEST(the_file_is_kept_with_what_its_first_row_is)
{
	static const char *const forms[] = { FILE_PART "a,b" FORM_END,
		TYPED_HEAD("header=absent") "a,b" FORM_END,
		TYPED_HEAD("charset=utf-8;HEADER=\"PRESENT\"") "a,b" FORM_END };

	answered(send_form(forms[_i]), 200);
	ck_assert_str_eq(sql("SELECT mime_type FROM blobs"),
	    _i < 2 ? "text/csv; charset=utf-8\n"
		   : "text/csv; charset=utf-8; header=present\n");
	assert_same_body(download(glossary, NULL).body, "a,b");
}
END_TEST

#define WORKBOOK_PART PART("name=f; filename=x", "Content-Type: " XLSX_TYPE "\r\n")
#define CSV_NOT "Glossary format must be CSV, not "
#define CSV_ONLY CSV_NOT "text/csv"
#define WORKBOOK CSV_NOT "a workbook: save it as CSV UTF-8."
#define DAMAGED "The workbook is damaged or encrypted."
#define NO_FORM "The body must be multipart/form-data, not encoded."
#define CUT_FORM "The body is not complete multipart/form-data."
#define UNKNOWN_ENCODING "The file has a Content-Transfer-Encoding that is unknown."
#define ONE_FILE "The form must have exactly one file."
#define FORM "multipart/form-data; boundary=B"
#define TYPED(type)                                                                    \
	PART("name=f; filename=x", "Content-Type: " type "\r\n") "a,b" FORM_END

static const struct {
	const char *type, *body;
	int status;
	const char *parameter, *detail;
} refusals[] = {
	{ NULL, FILE_PART "a,b" FORM_END, 415, "", NO_FORM },
	{ "text/csv", "a,b", 415, "", NO_FORM },
	{ "application/json", "{}", 415, "", NO_FORM },
	{ "multipart/mixed; boundary=B", FILE_PART "a,b" FORM_END, 415, "", NO_FORM },
	{ "multipart/form-data", FILE_PART "a,b" FORM_END, 400, "", CUT_FORM },
	{ "multipart/form-data; boundary=", FILE_PART "a,b" FORM_END, 400, "",
	    CUT_FORM },
	{ "multipart/form-data; boundary=C", FILE_PART "a,b" FORM_END, 400, "",
	    CUT_FORM },
	{ FORM, "", 400, "", CUT_FORM },
	{ FORM, FILE_PART "a,b", 400, "", CUT_FORM },
	{ FORM, FILE_PART "a,b\r\n--B", 400, "", CUT_FORM },
	{ FORM, FILE_PART "a,b\r\n--B\r\nnonsense\r\n\r\n", 400, "", CUT_FORM },
	{ FORM, TYPED("text/html"), 415, "", CSV_NOT "text/html" },
	{ FORM, TYPED("text/csv-schema"), 415, "", CSV_NOT "text/csv-schema" },
	{ FORM, FILE_PART "PK\x03\x04..." FORM_END, 415, "", WORKBOOK },
	{ FORM, FILE_PART "\xd0\xcf\x11\xe0\xa1\xb1" FORM_END, 415, "", WORKBOOK },
	{ FORM, PART("name=f; filename=\"\"", CSV_LINE) FORM_END, 422, "file",
	    ONE_FILE },
	{ FORM, TYPED("text/csv; charset=latin1"), 415, "", CSV_ONLY },
	{ FORM, TYPED("text/csv; charset="), 415, "", CSV_ONLY },
	{ FORM, TYPED("text/csv; header=maybe"), 415, "", CSV_ONLY },
	{ FORM, TYPED("text/csv; header=present; header=present"), 415, "", CSV_ONLY },
	{ FORM, TYPED("text/csv; delimiter=comma"), 415, "", CSV_ONLY },
	{ FORM, ENCODED("x-uuencode") "a,b" FORM_END, 415, "", UNKNOWN_ENCODING },
	{ FORM, ENCODED("") "a,b" FORM_END, 415, "", UNKNOWN_ENCODING },
	{ FORM, ENCODED("base64") "a,b" FORM_END, 400, "", CUT_FORM },
	{ FORM,
	    ENCODED("base64") "YSx"
			      "=A" FORM_END,
	    400, "", CUT_FORM },
	{ FORM, ENCODED("base64") "YSxiC" FORM_END, 400, "", CUT_FORM },
	{ FORM, ENCODED("base64") "UEsDBAAAAAA=" FORM_END, 415, "", DAMAGED },
	{ FORM, WORKBOOK_PART "PK\x03\x04..." FORM_END, 415, "", DAMAGED },
	{ FORM, WORKBOOK_PART "a,b" FORM_END, 415, "",
	    "The file is no workbook (XLSX)." },
	{ FORM, WORKBOOK_PART "\xd0\xcf\x11\xe0\xa1\xb1" FORM_END, 415, "",
	    "The workbook has a password or an old format: save it as XLSX without "
	    "one." },
	{ FORM, WORKBOOK_PART FORM_END, 422, "f", "The file must not be empty." },
	{ FORM, ENCODED("base64") "\r\n" FORM_END, 422, "file",
	    "The file must not be empty." },
	{ FORM, ENCODED("quoted-printable") "a=2" FORM_END, 400, "", CUT_FORM },
	{ FORM, ENCODED("quoted-printable") "a=xx" FORM_END, 400, "", CUT_FORM },
	{ FORM, TYPED("text/csv; charset=utf-8; charset=utf-8"), 415, "", CSV_ONLY },
	{ FORM, TYPED("text/csv charset=utf-8"), 415, "", CSV_ONLY },
	{ FORM, "--B--", 422, "file", ONE_FILE },
	{ FORM, FIELD "--B--", 422, "file", ONE_FILE },
	{ FORM, PART("name=file", CSV_LINE) "a,b" FORM_END, 422, "file", ONE_FILE },
	{ FORM,
	    FILE_PART "a,b\r\n" PART("name=two; filename=x", CSV_LINE) "a,b" FORM_END,
	    422, "two", ONE_FILE },
	{ FORM, FILE_PART FORM_END, 422, "file", "The file must not be empty." },
	{ FORM, PART("name=g; filename=x", CSV_LINE) FORM_END, 422, "g",
	    "The file must not be empty." },
	{ FORM, PART("name=\"\xff\"; filename=x", CSV_LINE) FORM_END, 422, "",
	    "The file must not be empty." },
	/* the type is checked before the size, and the form's end last */
	{ FORM, FILE_PART "a,b\r\n" TYPED("text/html"), 415, "", CSV_NOT "text/html" },
	{ FORM, PART("name=f; filename=x", "Content-Type: text/html\r\n") "a,b", 415,
	    "", CSV_NOT "text/html" },
};

START_TEST(a_body_that_is_no_such_form_is_refused)
{
	const char *type =
	    refusals[_i].type != NULL
		? arena_printf(fixture.mem, "Content-Type: %s", refusals[_i].type)
		: NULL;
	const char *before = everything();
	struct response a = ask_with(path(), refusals[_i].body, HEADS(type));

	answered(a, refusals[_i].status);
	ck_assert_str_eq(
	    faults_of(&a), arena_printf(fixture.mem, "%s: %s", refusals[_i].parameter,
			       refusals[_i].detail));
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(files(), 0);
}
END_TEST

START_TEST(an_encoded_body_is_415)
{
	struct response a = ask_with(path(), FILE_PART "a,b" FORM_END,
	    HEADS(FORM_TYPE, "Content-Encoding: gzip"));

	refused(a, 415, "unsupported-media-type");
	a = ask_with(path(), FILE_PART "a,b" FORM_END,
	    HEADS(FORM_TYPE, "Content-Encoding: identity"));
	answered(a, 200);
}
END_TEST

/* ---- workbooks ---- */

static struct response
send_workbook(const char *route, const char *head, const struct buf *file)
{
	struct buf form = { .mem = fixture.mem };

	buf_str(&form, head);
	buf_put(&form, file->p, file->len);
	buf_str(&form, FORM_END);
	return ask_bytes(route, form.p, form.len, HEADS(FORM_TYPE));
}

/* clang-format off */
static const struct {
	const char *head, *stored;
} workbook_heads[] = {
	{ WORKBOOK_PART, XLSX_TYPE },
	{ PART("name=f; filename=x", ""), XLSX_TYPE },
	{ PART("name=f; filename=x", "Content-Type: application/octet-stream\r\n"), XLSX_TYPE },
	{ PART("name=f; filename=x", "Content-Type: application/vnd.ms-excel\r\n"), XLSX_TYPE },
	{ PART("name=f; filename=x", "Content-Type: " XLSX_TYPE "; header=present\r\n"), XLSX_TYPE "; header=present" },
};
/* clang-format on */

START_TEST(a_workbook_is_taken_and_read_as_it_was_sent)
{
	struct buf file = workbook_pack(fixture.mem, NULL, 0);
	struct response a = send_workbook(path(), workbook_heads[_i].head, &file);

	answered(a, 200);
	is(a, "/data/entries_status", "pending");
	ck_assert_str_eq(sql("SELECT mime_type FROM blobs"),
	    arena_printf(fixture.mem, "%s\n", workbook_heads[_i].stored));
	a = download(glossary, NULL);
	answered(a, 200);
	ck_assert_mem_eq(a.body, file.p, file.len);
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), XLSX_TYPE);
	ck_assert_pstr_eq(head_of(&a, "Content-Disposition"),
	    arena_printf(
		fixture.mem, "attachment; filename=\"glossary-%s.xlsx\"", glossary));
}
END_TEST

START_TEST(a_workbook_that_unpacks_to_too_much_is_413)
{
	size_t n = 64 << 20;
	const struct workbook_part bomb = { SHEET_PART, arena_alloc(fixture.mem, n),
		n };
	struct buf file = workbook_pack(fixture.mem, &bomb, 1);
	const char *before = everything();
	struct response a = send_workbook(path(), WORKBOOK_PART, &file);

	ck_assert_uint_lt(file.len, FILE_BYTES);
	refused(a, 413, "payload-too-large");
	is(a, "/errors/0/detail", "The workbook unpacks to more than 32 MiB.");
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(files(), 0);
}
END_TEST

START_TEST(the_rows_of_a_workbook_are_read_without_storing_it)
{
	struct buf file = workbook_pack(fixture.mem, NULL, 0),
		   csv = { .mem = fixture.mem };
	const char *route = "POST /saas/glossaries/rows", *before = everything();
	struct response a = send_workbook(route, WORKBOOK_PART, &file);

	answered(a, 200);
	ck_assert_str_eq(a.body, "heart,Herz\nlung,Lunge\n");
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "text/csv; charset=utf-8");
	buf_str(&csv, "a,b\n");
	a = send_workbook(route, FILE_PART, &csv);
	refused(a, 415, "unsupported-media-type");
	a = ask_bytes(route, "--B--", 5, HEADS(FORM_TYPE));
	refused(a, 422, "validation-error");
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(files(), 0);
}
END_TEST

static struct response
send_large(const char *id, int bytes, const char *end)
{
	struct buf form = { .mem = fixture.mem };

	buf_str(&form, FILE_PART);
	memset(buf_room(&form, (size_t)bytes), 'x', (size_t)bytes);
	form.len += (size_t)bytes;
	buf_str(&form, end);
	return upload_bytes(id, form.p, form.len);
}

START_TEST(a_file_has_at_most_a_million_bytes)
{
	const char *before = everything();
	struct response a = send_large(glossary, 1000001, FORM_END);

	refused(a, 413, "payload-too-large");
	is(a, "/errors/0/detail", "The file may have at most 1000000 bytes.");
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(files(), 0);
	a = send_large(glossary, 1000000, FORM_END);
	answered(a, 200);
	ck_assert_int_eq(number("SELECT bytes FROM blobs"), 1000000);
}
END_TEST

/* ---- order ---- */

/* Faults of the body are reported for any glossary; other faults are not. */
START_TEST(checks_come_in_the_order_of_the_contract)
{
	const char *nobodys = id_new(fixture.mem),
		   *two = FILE_PART "a\r\n" FILE_PART FORM_END;
	struct response a;

	a = ask_with(
	    arena_printf(fixture.mem, "POST /saas/glossary/%s/upload", nobodys), "{}",
	    HEADS("Content-Type: application/json"));
	answered(a, 415);
	a = send_large(nobodys, 1000100, "");
	answered(a, 413);
	a = upload_bytes(nobodys, "--B", 3);
	answered(a, 400);
	a = upload_bytes(nobodys, two, strlen(two));
	answered(a, 404);
	set_glossary(glossary, "status = 'pending'");
	fixture.app.conf.blob_reserve_bytes = INT64_MAX;
	a = send_form(two);
	answered(a, 422);
	a = upload(glossary, "a,b");
	answered(a, 409);
	set_glossary(glossary, "status = 'none'");
	a = upload(glossary, "a,b");
	refused(a, 507, "insufficient-storage");
	ck_assert_int_eq(number("SELECT count(*) FROM blobs"), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
	ck_assert_int_eq(files(), 0);
}
END_TEST

/* ---- states ---- */

static const struct {
	const char *status;
	bool takes;
} states[] = {
	{ "none", true },
	{ "pending", false },
	{ "ready", false },
	{ "failed", true },
};

START_TEST(the_state_says_whether_a_file_may_arrive)
{
	const char *before;
	struct response a;

	set_glossary(
	    glossary, arena_printf(fixture.mem,
			  "status = '%s', faults = '1' ||"
			  " char(9, 9) || 'csv-no-entries' || char(9) || 'None.' ||"
			  " char(10)",
			  states[_i].status));
	before = everything();
	a = upload(glossary, "a,b");
	if (states[_i].takes) {
		answered(a, 200);
		is(a, "/data/entries_errors", "[]");
		return;
	}
	refused(a, 409, "glossary-already-uploaded");
	is(a, "/errors/0/detail", "Glossary file was already uploaded");
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(files(), 0);
}
END_TEST

START_TEST(a_second_file_takes_the_place_of_one_that_failed)
{
	struct response a;

	upload(glossary, "a,b\nc");
	set_glossary(glossary, "status = 'failed'");
	sql("DELETE FROM jobs");
	a = upload(glossary, "new,neu\n");
	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v3\"");
	a = download(glossary, NULL);
	assert_same_body(a.body, "new,neu\n");
	ck_assert_str_eq(sql("SELECT b.state, b.id = g.blob FROM blobs b, glossaries g"
			     " ORDER BY 1"),
	    "checked|1\ngone|0\n");
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 1);
}
END_TEST

/* Simulates another upload between the two reads of the glossary. */
START_TEST(of_two_uploads_at_once_the_later_is_refused)
{
	struct upload u = { .stored = OK };
	struct request rq = { .mem = fixture.wire,
		.app = &fixture.app,
		.conf = &fixture.app.conf,
		.db = fixture.app.db,
		.param = wire_param };

	rq.common.mem = rq.head.mem = rq.out.mem = fixture.wire;
	rq.wire = &(struct wire){ 0 };
	rq.id = ID_NIL;
	ck_assert_int_eq(
	    glossary_get(rq.db, fixture.mem, fixture.account, glossary, &u.glossary),
	    OK);
	ck_assert_int_eq(blob_begin(rq.conf, rq.mem, 0, &u.in), OK);
	ck_assert_int_eq(blob_put(u.in, "a", 1), OK);
	set_glossary(glossary, "status = 'pending'");
	ck_assert_int_eq(store_file(&rq, &u).status, 409);
	ck_assert(db_idle(rq.db));
	ck_assert_int_eq(number("SELECT count(*) FROM blobs"), 0);
	ck_assert_int_eq(files(), 0);
}
END_TEST

/* ---- reading ---- */

START_TEST(the_file_is_read_as_it_was_sent)
{
	static const char sent[] = FILE_PART "\xef\xbb\xbf"
					     "a\0,\xff\r\n\r\n" FORM_END;
	const char *id = glossary;
	struct response a = upload_bytes(id, sent, sizeof(sent) - 1);

	answered(a, 200);
	a = download(id, NULL);
	answered(a, 200);
	ck_assert_mem_eq(a.body,
	    "\xef\xbb\xbf"
	    "a\0,\xff\r\n\r\n",
	    11);
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "text/csv; charset=utf-8");
	ck_assert_pstr_eq(head_of(&a, "Content-Disposition"),
	    arena_printf(fixture.mem, "attachment; filename=\"glossary-%s.csv\"", id));
	ck_assert_pstr_eq(head_of(&a, "ETag"), arena_printf(fixture.mem, "\"%s\"",
						   hash_hex(fixture.mem,
						       "\xef\xbb\xbf"
						       "a\0,\xff\r\n\r\n",
						       11)));
	ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "no-store");
	a = download(id,
	    HEADS(arena_printf(fixture.mem, "If-None-Match: %s", head_of(&a, "ETag"))));
	answered(a, 304);
	a = download(id, HEADS("If-None-Match: \"v2\""));
	answered(a, 200);
}
END_TEST

START_TEST(no_file_yet_is_404)
{
	struct response a = download(glossary, NULL);

	refused(a, 404, "resource-not-found");
}
END_TEST

START_TEST(a_file_that_is_lost_is_a_fault_of_ours)
{
	struct response a;

	upload(glossary, "a,b");
	sql("UPDATE blobs SET file = 'nothing'");
	a = download(glossary, NULL);
	refused(a, 500, "internal-server-error");
	sql("DELETE FROM blobs");
	a = download(glossary, NULL);
	refused(a, 500, "internal-server-error");
}
END_TEST

START_TEST(the_file_is_no_blob_of_the_account)
{
	const char *id;
	struct blob b;

	upload(glossary, "a,b");
	id = arena_printf(fixture.mem, "%.36s", sql("SELECT id FROM blobs"));
	ck_assert_int_eq(blob_own(fixture.app.db, fixture.mem, fixture.account, id, &b),
	    ERR_NOT_FOUND);
	ck_assert_int_eq(blob_get(fixture.app.db, fixture.mem, id, &b), OK);
	ck_assert_int_eq(blob_drop(fixture.app.db, &b), ERR_STALE);
	ck_assert_int_eq(
	    blob_drop_glossary(fixture.app.db, fixture_account(), id), ERR_NOT_FOUND);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM blobs WHERE state = 'checked'"), 1);
}
END_TEST

/* ---- chaos ---- */

static const struct {
	const char *method, *path, *body;
	int left; /* number of files after success */
} calls[] = {
	{ "POST", "/glossary",
	    "{\"data\":{\"name\":\"Some\",\"glossary_type\":\"asr_hot\","
	    "\"source_lang\":\"en\"}}",
	    1 },
	{ "GET", "/glossary/$", NULL, 1 },
	{ "POST", "/glossary/$", "{\"data\":{\"name\":\"Berta\"}}", 1 },
	{ "DELETE", "/glossary/$", NULL, 1 }, /* the janitor deletes it */
	{ "GET", "/glossary/$/upload", NULL, 1 },
	{ "POST", "/glossary/$/upload", FILE_PART "a,b" FORM_END, 2 },
	{ "GET", "/glossaries", NULL, 1 },
};

static const struct {
	enum err with;
	int status;
	const char *type;
} failures[] = {
	{ ERR_BUSY, 503, "https://speech.example.org/problems/service-busy" },
	{ ERR_FAILED, 500,
	    "https://speech.example.org/problems/internal-server-error" },
	{ ERR_FULL, 507, "https://speech.example.org/problems/insufficient-storage" },
};

static struct response
call(int i)
{
	const char *at = strchr(calls[i].path, '$');
	size_t n = at != NULL ? (size_t)(at - calls[i].path) : strlen(calls[i].path);
	const char *what =
	    arena_printf(fixture.mem, "%s /saas%.*s%s%s", calls[i].method, (int)n,
		calls[i].path, at != NULL ? glossary : "", at != NULL ? at + 1 : "");

	return ask_with(what, calls[i].body,
	    HEADS("Idempotency-Key: k",
		calls[i].left == 2 ? FORM_TYPE : "Content-Type: application/json"));
}

START_TEST(a_statement_that_fails_leaves_nothing_half_done)
{
	int i = _i / COUNT(failures), f = _i % COUNT(failures), n;
	struct response a = { .status = 0 };
	const char *before;

	upload(glossary, "a,b");
	set_glossary(glossary, "status = 'failed'");
	sql("DELETE FROM jobs");
	before = everything();
	for (n = 1; n < 30; n++) {
		db_fault(fixture.app.db, n, failures[f].with);
		a = call(i);
		if (a.status == 200)
			break;
		ck_assert_int_eq(a.status, failures[f].status);
		is(a, "/errors/0/type", failures[f].type);
		ck_assert_str_eq(everything(), before);
	}
	ck_assert_int_gt(n, 2);
	answered(a, 200);
	db_fault(fixture.app.db, 0, OK);
	/* after a failed commit, the audit's statement included, the janitor deletes
	   the file */
	ck_assert_int_ge(files(), calls[i].left);
	ck_assert_int_le(files(), calls[i].left + 2 * (calls[i].left == 2));
	if (strcmp(calls[i].method, "GET") == 0)
		ck_assert_str_eq(everything(), before);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("glossary upload");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, an_upload_makes_the_glossary_pending_and_queues_its_import);
	tcase_add_loop_test(t, the_file_is_kept_with_what_its_first_row_is, 0, 3);
	tcase_add_loop_test(t, one_file_under_any_name_is_taken, 0, COUNT(taken));
	tcase_add_loop_test(
	    t, a_body_that_is_no_such_form_is_refused, 0, COUNT(refusals));
	tcase_add_test(t, an_encoded_body_is_415);
	tcase_add_loop_test(
	    t, a_workbook_is_taken_and_read_as_it_was_sent, 0, COUNT(workbook_heads));
	tcase_add_test(t, a_workbook_that_unpacks_to_too_much_is_413);
	tcase_add_test(t, the_rows_of_a_workbook_are_read_without_storing_it);
	tcase_add_test(t, a_file_has_at_most_a_million_bytes);
	tcase_add_test(t, checks_come_in_the_order_of_the_contract);
	tcase_add_loop_test(
	    t, the_state_says_whether_a_file_may_arrive, 0, COUNT(states));
	tcase_add_test(t, a_second_file_takes_the_place_of_one_that_failed);
	tcase_add_test(t, of_two_uploads_at_once_the_later_is_refused);
	tcase_add_test(t, the_file_is_read_as_it_was_sent);
	tcase_add_test(t, no_file_yet_is_404);
	tcase_add_test(t, a_file_that_is_lost_is_a_fault_of_ours);
	tcase_add_test(t, the_file_is_no_blob_of_the_account);
	tcase_add_loop_test(t, a_statement_that_fails_leaves_nothing_half_done, 0,
	    COUNT(calls) * COUNT(failures));
	suite_add_tcase(s, t);
	return unit_run(s);
}
