/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uploads with signed forms, and all answers to them. */
#include <string.h>

#include "base/id.h"
#include "cases.h"
#include "db/db.h"

static struct account me;
static struct bytes file; /* a good one */

static void
before(void)
{
	me = account_new("uploads");
	file = wav_of(200000);
}

static const struct sql is_checked = { "e2e.is_checked",
	"SELECT count(*) FROM blobs WHERE id = $1 AND state = 'checked'", NULL };
static const struct sql stored_bytes = { "e2e.stored_bytes",
	"SELECT stored_bytes FROM accounts WHERE id = $1", NULL };

static bool
checked(const void *id)
{
	return count_in_db(&is_checked, id) == 1;
}

static struct answer
read_own(const char *id)
{
	return ASK(.path = text("/blobs/%s", id), .as = &me);
}

/* ---- one row of the table each ---- */

static void
field(struct form *f, const char *name, const char *value)
{
	form_add(f, name, value);
	form_first(f, name);
}

static void
nothing(struct form *f)
{
	(void)f;
}

static void
no_file(struct form *f)
{
	form_drop(f, "file");
}

static void
wrong_type(struct form *f)
{
	form_set(f, "Content-Type", "audio/mpeg");
}

static void
no_type(struct form *f)
{
	form_drop(f, "Content-Type");
}

static void
other_part_head(struct form *f)
{
	f->part[f->n - 1].type = "text/html";
	f->part[f->n - 1].filename = "../../etc/passwd";
}

static void
ignored_field(struct form *f)
{
	field(f, "x-ignore-colour", "blue");
}

static void
later_fields(struct form *f)
{
	form_add(f, "submit", "Upload");
	form_add(f, "x-amz-meta-late", "1");
}

static void
names_in_capitals(struct form *f)
{
	for (struct part *p = f->part; p < f->part + f->n; p++) {
		char *s = arena_str(memory(), p->name);

		for (p->name = s; *s != '\0'; s++)
			*s = *s >= 'a' && *s <= 'z' ? (char)(*s - 32) : *s;
	}
}

static void
other_key(struct form *f)
{
	form_set(f, "key", text("u/%s/%s", me.user_id, id_new(memory())));
}

static void
climbing_key(struct form *f)
{
	form_set(f, "key", text("u/%s/../%s", me.user_id, id_new(memory())));
}

static void
undeclared_field(struct form *f)
{
	field(f, "acl", "public-read");
}

static void
meta_field(struct form *f)
{
	field(f, "x-amz-meta-colour", "blue");
}

static void
other_status(struct form *f)
{
	form_set(f, "success_action_status", "200");
}

static void
other_bucket(struct form *f)
{
	form_set(f, "bucket", "elsewhere");
}

static void
other_signature(struct form *f)
{
	char *s = arena_str(memory(), form_value(f, "X-Amz-Signature"));

	s[5] = s[5] == '0' ? '1' : '0';
	form_set(f, "X-Amz-Signature", s);
}

static void
other_policy(struct form *f)
{
	char *s = arena_str(memory(), form_value(f, "Policy"));

	s[30] = s[30] == 'A' ? 'B' : 'A';
	form_set(f, "Policy", s);
}

static void
other_access_key(struct form *f)
{
	const char *s = form_value(f, "X-Amz-Credential");

	form_set(f, "X-Amz-Credential", text("AKIAELSEWHERE0000001%s", strchr(s, '/')));
}

static void
no_policy(struct form *f)
{
	static const char *const names[] = { "Policy", "X-Amz-Signature", "X-Amz-Date",
		"X-Amz-Credential", "X-Amz-Algorithm" };

	for (int i = 0; i < ROWS(names); i++)
		form_drop(f, names[i]);
}

static void
no_signature(struct form *f)
{
	form_drop(f, "X-Amz-Signature");
}

static void
file_first(struct form *f)
{
	form_first(f, "file");
}

/* clang-format off */
static const struct {
	const char *what;
	void (*spoil)(struct form *);
	int status;
	const char *code;
} rows[] = {
	{ "a whole form",              nothing,           201, NULL },
	{ "names in capitals",         names_in_capitals, 201, NULL },
	{ "the part's own head lies",  other_part_head,   201, NULL },
	{ "x-ignore-colour",           ignored_field,     201, NULL },
	{ "fields behind the file",    later_fields,      201, NULL },
	{ "no file",                   no_file,           400, "EntityTooSmall" },
	{ "wrong Content-Type",        wrong_type,        403, "AccessDenied" },
	{ "no Content-Type",           no_type,           403, "AccessDenied" },
	{ "another key",               other_key,         403, "AccessDenied" },
	{ "a key with ../",            climbing_key,      403, "AccessDenied" },
	{ "an undeclared field",       undeclared_field,  403, "AccessDenied" },
	{ "x-amz-meta-colour",         meta_field,        403, "AccessDenied" },
	{ "another status",            other_status,      403, "AccessDenied" },
	{ "another bucket",            other_bucket,      403, "AccessDenied" },
	{ "another signature",         other_signature,   403, "SignatureDoesNotMatch" },
	{ "another policy",            other_policy,      403, "SignatureDoesNotMatch" },
	{ "an unknown access key",     other_access_key,  403, "InvalidAccessKeyId" },
	{ "no policy at all",          no_policy,         403, "AccessDenied" },
	{ "no signature",              no_signature,      400, "InvalidArgument" },
	{ "the file in front",         file_first,        400, "InvalidArgument" },
};
/* clang-format on */

START_TEST(a_form_is_answered_as_the_table_says)
{
	json_t *target = target_new(&me, "audio/wav");
	const char *id = text_at(target, "blob_id");
	struct form f = form_of(target, file);
	struct answer a;

	rows[_i].spoil(&f);
	a = form_send(&f);
	ck_assert_msg(a.status == rows[_i].status, "%s: wanted %d, got %s",
	    rows[_i].what, rows[_i].status, shown(&a));
	if (rows[_i].code == NULL) {
		a = read_own(id);
		EXPECT(a, 200);
		return;
	}
	expect_s3(&a, rows[_i].status, rows[_i].code);
	a = read_own(id); /* nothing was stored, and the form is still valid */
	expect_problem(&a, 404, "resource-not-found");
	f = form_of(target, file);
	a = form_send(&f);
	EXPECT(a, 201);
}
END_TEST

START_TEST(an_upload_is_told_in_xml_and_there_with_every_byte)
{
	json_t *target = target_new(&me, "audio/wav");
	const char *id = text_at(target, "blob_id"), *etag, *place;
	struct form f = form_of(target, file);
	struct answer a = form_send(&f);

	EXPECT(a, 201);
	etag = text("\"%s\"", sha256_of(file));
	place = text("%s/blobs/%s", instance()->base_url, id);
	ck_assert_str_eq(header_of(&a, "ETag"), etag);
	ck_assert_str_eq(header_of(&a, "Location"), place);
	ck_assert_ptr_nonnull(strstr(
	    a.body, text("<PostResponse><Location>%s"
			 "</Location><Bucket>%s</Bucket><Key>u/%s/%s</Key><ETag>",
			place, form_value(&f, "bucket"), me.user_id, id)));
	ck_assert_ptr_nonnull(strstr(a.body, sha256_of(file)));
	a = read_own(id);
	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "audio/wav");
	ck_assert_str_eq(header_of(&a, "ETag"), etag);
	ck_assert_int_eq(a.n, file.n);
	ck_assert_int_eq(memcmp(a.body, file.p, file.n), 0);
}
END_TEST

/* ---- sizes ---- */

/* clang-format off */
static const struct {
	size_t bytes;
	int status;
	const char *code;
} sizes[] = {
	{ 100000,   400, "EntityTooSmall" },
	{ 100001,   201, NULL },
	{ 9999999,  201, NULL },
	{ 10000000, 400, "EntityTooLarge" },
};
/* clang-format on */

START_TEST(both_bounds_of_the_size_are_allowed_and_no_more)
{
	json_t *target = target_new(&me, "audio/wav");
	struct form f = form_of(target, wav_of(sizes[_i].bytes));
	struct answer a = form_send(&f);

	if (sizes[_i].code != NULL) {
		expect_s3(&a, sizes[_i].status, sizes[_i].code);
		return;
	}
	EXPECT(a, sizes[_i].status);
	a = read_own(text_at(target, "blob_id"));
	ck_assert_int_eq(a.n, sizes[_i].bytes);
}
END_TEST

START_TEST(the_plan_says_how_large_a_file_may_be)
{
	static const size_t n[] = { 999, 1000, 2000, 2001 };
	struct account small = account_new("small files");

	account_plan(&small, "--upload_min_bytes", "1000");
	account_plan(&small, "--upload_max_bytes", "2000");
	for (int i = 0; i < 4; i++) {
		struct form f = form_of(target_new(&small, "audio/wav"), wav_of(n[i]));
		struct answer a = form_send(&f);

		ck_assert_msg(a.status == (i == 1 || i == 2 ? 201 : 400),
		    "%zu bytes: %s", n[i], shown(&a));
	}
}
END_TEST

START_TEST(a_full_account_is_refused_and_nothing_stays)
{
	struct account full = account_new("full");
	json_t *first = target_new(&full, "audio/wav");
	json_t *second = target_new(&full, "audio/wav");
	struct form f = form_of(first, file);
	struct answer a;

	account_plan(&full, "--storage_bytes", "300000");
	a = form_send(&f);
	EXPECT(a, 201);
	f = form_of(second, file);
	a = form_send(&f);
	expect_s3(&a, 403, "QuotaExceeded");
	a = ASK(.path = text("/blobs/%s", text_at(second, "blob_id")), .as = &full);
	expect_problem(&a, 404, "resource-not-found");
	ck_assert_int_eq(count_in_db(&stored_bytes, full.user_id), 200000);
	a = ASK(.path = "/saas/upload", .as = &full,
	    .json =
		"{\"data\":[{\"filename\":\"a.wav\",\"mime_type\":\"audio/wav\"}]}");
	expect_problem(&a, 403, "storage-limit-reached"); /* 300,001 bytes */
}
END_TEST

/* ---- forms in time ---- */

START_TEST(an_expired_form_is_refused)
{
	json_t *target = target_new(&me, "audio/wav");
	struct form f = form_aged(me.user_id, text_at(target, "blob_id"), 3590);
	struct answer a;

	a = form_send(&f);
	EXPECT(a, 201);
	f = form_aged(me.user_id, text_at(target, "blob_id"), 3601);
	a = form_send(&f);
	expect_s3(&a, 403, "AccessDenied");
}
END_TEST

START_TEST(a_form_of_a_deleted_blob_is_refused)
{
	json_t *target = target_new(&me, "audio/wav");
	struct form f = form_of(target, file);
	struct answer a = form_send(&f);

	EXPECT(a, 201);
	a = ASK(.method = "DELETE", .as = &me,
	    .path = text("/blobs/%s", text_at(target, "blob_id")));
	EXPECT(a, 200);
	a = form_send(&f);
	expect_s3(&a, 403, "AccessDenied");
}
END_TEST

/* The worker may have checked the file before the second upload; then try again. */
START_TEST(the_same_form_overwrites_until_the_file_is_checked)
{
	struct bytes other = wav_of(150000);
	struct answer a = { 0 };
	json_t *target;
	struct form f;

	for (int i = 0; i < 40 && a.status != 201; i++) {
		target = target_new(&me, "audio/wav");
		f = form_of(target, file);
		a = form_send(&f);
		EXPECT(a, 201);
		f = form_of(target, other);
		a = form_send(&f);
		ck_assert_msg(a.status == 201 || a.status == 409, "%s", shown(&a));
	}
	EXPECT(a, 201);
	a = read_own(text_at(target, "blob_id"));
	ck_assert_int_eq(a.n, other.n);
	ck_assert_str_eq(header_of(&a, "ETag"), text("\"%s\"", sha256_of(other)));
	ck_assert(becomes(checked, text_at(target, "blob_id"), 10));
	f = form_of(target, file);
	a = form_send(&f);
	expect_s3(&a, 409, "OperationAborted");
	a = read_own(text_at(target, "blob_id"));
	ck_assert_int_eq(a.n, other.n);
}
END_TEST

/* clang-format off */
static const struct {
	const char *bound;
	int status;
	bool body;
} statuses[] = {
	{ "200", 200, false }, { "204", 204, false }, { NULL, 204, false },
	{ "201", 201, true },
};
/* clang-format on */

START_TEST(the_policy_says_which_status_a_success_has)
{
	struct form f =
	    form_status(target_new(&me, "audio/wav"), file, statuses[_i].bound);
	struct answer a = form_send(&f);

	EXPECT(a, statuses[_i].status);
	ck_assert_int_eq(a.n > 0, statuses[_i].body);
	ck_assert_ptr_nonnull(header_of(&a, "ETag"));
	if (a.status != 200) /* a path that servers would answer with a redirect */
		ck_assert_ptr_nonnull(header_of(&a, "Location"));
}
END_TEST

Suite *
uploads_suite(void)
{
	TCase *t;
	Suite *s = suite_of("uploads", before, &t);

	tcase_add_loop_test(t, a_form_is_answered_as_the_table_says, 0, ROWS(rows));
	tcase_add_test(t, an_upload_is_told_in_xml_and_there_with_every_byte);
	tcase_add_loop_test(
	    t, both_bounds_of_the_size_are_allowed_and_no_more, 0, ROWS(sizes));
	tcase_add_test(t, the_plan_says_how_large_a_file_may_be);
	tcase_add_test(t, a_full_account_is_refused_and_nothing_stays);
	tcase_add_test(t, an_expired_form_is_refused);
	tcase_add_test(t, a_form_of_a_deleted_blob_is_refused);
	tcase_add_test(t, the_same_form_overwrites_until_the_file_is_checked);
	tcase_add_loop_test(
	    t, the_policy_says_which_status_a_success_has, 0, ROWS(statuses));
	return s;
}
