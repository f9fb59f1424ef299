/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sending files to /blobs: every rule of the interface.
 */
#include "blobs.h"

#define JOBS_OF(kind, ref)                                                             \
	"SELECT count(*) FROM jobs WHERE kind = '" kind "' AND ref = '" ref "'"

/* Checks that the request had no effect and that the form can be used again. */
static void
assert_untouched(void)
{
	ck_assert_int_eq(files(), 0);
	ck_assert_int_eq(stored(), 0);
	ck_assert_int_eq(jobs(), 0);
	ck_assert_str_eq(row(BLOB).state, "awaiting");
}

static void
assert_refused(int status, const char *code)
{
	struct call c = post();

	ck_assert_int_eq(c.status, status);
	ck_assert_str_eq(xml_of(&c, "Code"), code);
	ck_assert_int_ge((int)strlen(xml_of(&c, "Message")), 5);
	ck_assert_str_eq(xml_of(&c, "RequestId"), header_of(&c, "X-Request-Id"));
	ck_assert_str_eq(header_of(&c, "Access-Control-Allow-Origin"), "*");
	ck_assert_str_eq(header_of(&c, "Cache-Control"), "no-store");
}

static void
assert_taken(void)
{
	struct call c = post();

	ck_assert_int_eq(c.status, 201);
	ck_assert_int_eq(files(), 1);
	ck_assert_int_eq(stored(), (int64_t)form.bytes);
	ck_assert_str_eq(row(BLOB).state, "stored");
}

/* ---- POST /blobs ---- */

START_TEST(a_valid_form_is_taken)
{
	struct call c = post();
	const char *sum = hash_hex(fixture.mem, form.file, form.bytes);
	struct blob b = row(BLOB);

	ck_assert_int_eq(c.status, 201);
	ck_assert_str_eq(
	    xml_of(&c, "Location"), "https://speech.example.org/blobs/" BLOB);
	ck_assert_str_eq(xml_of(&c, "Bucket"), "media");
	ck_assert_str_eq(xml_of(&c, "Key"), "u/" ACCOUNT "/" BLOB);
	ck_assert_str_eq(xml_of(&c, "ETag"), arena_printf(fixture.mem, "\"%s\"", sum));
	ck_assert_str_eq(header_of(&c, "ETag"), xml_of(&c, "ETag"));
	ck_assert_str_eq(header_of(&c, "Location"), xml_of(&c, "Location"));
	ck_assert_str_eq(header_of(&c, "Access-Control-Allow-Origin"), "*");
	ck_assert_str_eq(b.state, "stored");
	ck_assert_int_eq(b.bytes, MIN);
	ck_assert_str_eq(b.sha256, sum);
	ck_assert_int_eq(strncmp(b.file, BLOB "-", 37), 0);
	ck_assert_int_eq(stored(), MIN);
	ck_assert_int_eq(number(JOBS_OF("blob.check", BLOB)), 1);
	ck_assert_int_eq(files(), 1);
}
END_TEST

static const struct {
	size_t bytes;
	const char *code; /* NULL: 201 */
} sizes[] = {
	{ 0, "EntityTooSmall" },
	{ MIN - 1, "EntityTooSmall" },
	{ MIN, NULL },
	{ 65536, NULL },
	{ MAX, NULL },
	{ MAX + 1, "EntityTooLarge" },
	{ 3 * MAX, "EntityTooLarge" },
};

START_TEST(the_sizes_of_the_form)
{
	give(sizes[_i].bytes);
	if (sizes[_i].code == NULL)
		assert_taken();
	else {
		assert_refused(400, sizes[_i].code);
		assert_untouched();
	}
}
END_TEST

START_TEST(a_form_without_a_file_is_too_small)
{
	form.file = NULL;
	assert_refused(400, "EntityTooSmall");
	assert_untouched();
}
END_TEST

static const struct {
	const char *name, *value;
	int status;
	const char *code;
} changes[] = {
	{ "Content-Type", "text/html", 403, "AccessDenied" },
	{ "Content-Type", NULL, 403, "AccessDenied" },
	{ "key", "u/" ACCOUNT "/" SAMPLE, 403, "AccessDenied" },
	{ "key", "../../etc/passwd", 403, "AccessDenied" },
	{ "acl", "public-read", 403, "AccessDenied" },
	{ "x-amz-meta-a", "b", 403, "AccessDenied" },
	{ "bucket", "other", 403, "AccessDenied" },
	{ "success_action_status", "200", 403, "AccessDenied" },
	{ "X-Amz-Date", "20200101T000000Z", 403, "AccessDenied" },
	{ "X-Amz-Signature", "00", 403, "SignatureDoesNotMatch" },
	{ "Policy", "e30=", 403, "SignatureDoesNotMatch" },
	{ "X-Amz-Credential", "XX/20261120/us-east-1/s3/aws4_request", 403,
	    "InvalidAccessKeyId" },
	{ "X-Amz-Signature", NULL, 400, "InvalidArgument" },
	{ "POLICY", "e30=", 400, "InvalidArgument" },
};

START_TEST(a_changed_form_is_refused)
{
	set(changes[_i].name, changes[_i].value);
	assert_refused(changes[_i].status, changes[_i].code);
	assert_untouched();
}
END_TEST

START_TEST(what_a_form_may_have_besides)
{
	set("x-ignore-this", "and that");
	form.file_head = "filename=\"other.exe\"\r\nContent-Type: text/html";
	form.tail = (struct policy_field){ "submit", "Send" };
	assert_taken();
}
END_TEST

START_TEST(names_of_fields_in_any_case)
{
	for (size_t i = 0; i < form.n; i++)
		form.f[i].name = text_lower(fixture.mem, form.f[i].name);
	assert_taken();
}
END_TEST

START_TEST(without_any_policy_field)
{
	form.n = 0;
	assert_refused(403, "AccessDenied");
	form.n = 2; /* fields key and type */
	assert_refused(403, "AccessDenied");
	form.file = NULL;
	form.n = 0;
	assert_refused(403, "AccessDenied");
	assert_untouched();
}
END_TEST

START_TEST(a_file_in_front_of_the_fields)
{
	form.file_first = true;
	assert_refused(400, "InvalidArgument");
	assert_untouched();
}
END_TEST

START_TEST(a_field_behind_the_file_does_not_count)
{
	set("Content-Type", NULL);
	form.tail = (struct policy_field){ "Content-Type", "audio/wav" };
	assert_refused(400, "InvalidArgument");
	assert_untouched();
}
END_TEST

START_TEST(an_expired_form)
{
	grant(BLOB, now_us() - 3601 * S_US);
	assert_refused(403, "AccessDenied");
	grant(BLOB, now_us() - 3590 * S_US);
	assert_taken();
}
END_TEST

static const struct {
	const char *sql;
	int status;
	const char *code;
} meanwhile[] = {
	{ "UPDATE blobs SET state = 'gone'", 403, "AccessDenied" },
	{ "DELETE FROM blobs", 403, "AccessDenied" },
	{ "UPDATE blobs SET account = '" OTHER "'", 403, "AccessDenied" },
	{ "UPDATE blobs SET account = NULL", 403, "AccessDenied" },
	{ "UPDATE accounts SET status = 'suspended'", 403, "AccessDenied" },
	{ "UPDATE blobs SET state = 'checked', file = 'f', bytes = 1, sha256 = 'x'",
	    409, "OperationAborted" },
	{ "UPDATE blobs SET state = 'rejected'", 409, "OperationAborted" },
};

START_TEST(what_happened_meanwhile)
{
	sql(meanwhile[_i].sql);
	assert_refused(meanwhile[_i].status, meanwhile[_i].code);
	ck_assert_int_eq(files(), 0);
	ck_assert_int_eq(stored(), 0);
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

static const char *const odd_types[] = { "X-Other: no type at all",
	"Content-Type: ", "Content-Type: application/json",
	"Content-Type: multipart/form-data",
	"Content-Type: multipart/form-data; boundary=OTHER",
	"Content-Type: multipart/mixed; boundary=BOUNDARY" };

START_TEST(what_is_no_form)
{
	struct call c = make_call();

	c.heads = HEADS(odd_types[_i], "Content-Length: given");
	ck_assert_int_eq(send(&c, "POST", "/blobs"), 400);
	ck_assert_str_eq(xml_of(&c, "Code"), "MalformedPOSTRequest");
	assert_untouched();
}
END_TEST

START_TEST(a_cut_connection_leaves_nothing)
{
	size_t all = make_call().len;

	for (size_t n = 0; n < all - 2; n += n + 40 < all ? 11 : 1) {
		struct call c = make_call();

		c.len = n;
		send(&c, "POST", "/blobs");
		ck_assert_int_eq(c.status, 400);
		ck_assert_str_eq(xml_of(&c, "Code"), "MalformedPOSTRequest");
		ck_assert_int_eq(files(), 0);
	}
	assert_untouched();
	assert_taken();
}
END_TEST

static const char *const lengthless[][3] = {
	{ NULL }, /* no length, as in chunked bodies */
	{ "Content-Length: given", "Dragoman-Chunked: 1" },
};

START_TEST(without_a_length)
{
	struct call c = make_call();

	c.heads = lengthless[_i];
	ck_assert_int_eq(send(&c, "POST", "/blobs"), 411);
	ck_assert_str_eq(xml_of(&c, "Code"), "MissingContentLength");
	c = (struct call){ 0 };
	ck_assert_int_eq(send(&c, "POST", "/blobs"), 411);
	assert_untouched();
}
END_TEST

START_TEST(too_much_in_front_of_the_file)
{
	for (int i = 0; i < 60; i++)
		set(arena_printf(fixture.mem, "x-ignore-%d", i), "");
	assert_refused(400, "MaxPostPreDataLengthExceeded");
	grant(BLOB, now_us());
	set("x-ignore-1", memset(arena_alloc(fixture.mem, 140001), 'x', 140000));
	assert_refused(400, "MaxPostPreDataLengthExceeded");
	assert_untouched();
}
END_TEST

START_TEST(the_same_form_again_overwrites)
{
	const char *first;
	struct call c;

	assert_taken();
	first = row(BLOB).file;
	give(500);
	c = post();
	ck_assert_int_eq(c.status, 201);
	ck_assert_str_ne(row(BLOB).file, first);
	ck_assert_int_eq(row(BLOB).bytes, 500);
	ck_assert_int_eq(stored(), 500);
	ck_assert_int_eq(files(), 1);
	ck_assert_int_eq(number(JOBS_OF("blob.check", BLOB)), 1);
	sql("UPDATE blobs SET state = 'checked' WHERE id = '" BLOB "'");
	assert_refused(409, "OperationAborted");
	ck_assert_int_eq(files(), 1);
	ck_assert_int_eq(stored(), 500);
}
END_TEST

START_TEST(the_capacity_of_the_account)
{
	sql("UPDATE accounts SET plan_storage_bytes = 100");
	give(101);
	assert_refused(403, "QuotaExceeded");
	assert_untouched();
	give(60);
	assert_taken();
	give(100); /* replaces the limit of 60 */
	assert_taken();
	give(101);
	assert_refused(403, "QuotaExceeded");
	ck_assert_int_eq(stored(), 100);
	ck_assert_int_eq(files(), 1);
}
END_TEST

START_TEST(the_disk_at_its_reserve)
{
	fixture.app.conf.blob_reserve_bytes = INT64_MAX / 2;
	assert_refused(507, "InsufficientStorage");
	assert_untouched();
}
END_TEST

START_TEST(a_disk_that_is_not_there)
{
	fixture.app.conf.blob_dir = "/proc/nowhere";
	assert_refused(500, "InternalError");
}
END_TEST

START_TEST(a_busy_database)
{
	struct call c;

	db_fault(fixture.app.db, 1, ERR_BUSY);
	c = post();
	ck_assert_int_eq(c.status, 503);
	ck_assert_str_eq(xml_of(&c, "Code"), "SlowDown");
	ck_assert_str_eq(header_of(&c, "Retry-After"), "1");
	assert_untouched();
	fixture.app.db = (db_close(fixture.app.db), NULL);
	c = post();
	ck_assert_int_eq(c.status, 503);
	ck_assert_str_eq(xml_of(&c, "Code"), "SlowDown");
	ck_assert_int_eq(files(), 0);
}
END_TEST

static const struct {
	const char *condition; /* condition on the status, or "" */
	const char *status;    /* value of the field, or NULL */
	int answer;
} statuses[] = {
	{ ",{\"success_action_status\":\"200\"}", "200", 200 },
	{ ",{\"success_action_status\":\"204\"}", "204", 204 },
	{ "", NULL, 204 },
};

START_TEST(the_status_that_the_policy_binds)
{
	const struct sigv4 v = blob_signer(&fixture.app.conf);
	const char *credential = sigv4_credential(fixture.mem, &v, "20261120"), *policy;
	struct call c;

	policy = arena_printf(fixture.mem,
	    "{\"expiration\":\"2999-01-01T00:00:00Z\",\"conditions\":[{\"key\":\"%s\"},"
	    "{\"X-Amz-Credential\":\"%s\"}%s]}",
	    upload_form_key(fixture.mem, ACCOUNT, BLOB), credential,
	    statuses[_i].condition);
	policy = base64(fixture.mem, policy, strlen(policy));
	form.n = 0;
	set("key", upload_form_key(fixture.mem, ACCOUNT, BLOB));
	set("Policy", policy);
	set("X-Amz-Credential", credential);
	set("X-Amz-Signature", sigv4_sign(fixture.mem, &v, "20261120", policy));
	if (statuses[_i].status != NULL)
		set("success_action_status", statuses[_i].status);
	c = post();
	ck_assert_int_eq(c.status, statuses[_i].answer);
	ck_assert_uint_eq(c.out_len, 0);
	ck_assert_ptr_nonnull(header_of(&c, "ETag"));
	ck_assert_int_eq(header_of(&c, "Location") != NULL, c.status != 200);
	ck_assert_int_eq(files(), 1);
}
END_TEST

START_TEST(a_key_that_names_no_blob)
{
	const struct upload_want w = { ACCOUNT, "not-a-blob", "i", "audio/wav", MIN,
		MAX };
	struct upload_form t =
	    upload_form_make(fixture.mem, &fixture.app.conf, &w, now_us());

	for (int i = 0; i < FORM_FIELDS; i++)
		form.f[i].value = t.form[i];
	assert_refused(403, "AccessDenied");
}
END_TEST

static TCase *
posting(void)
{
	TCase *t = tcase_create("POST");

	tcase_add_checked_fixture(t, blobs_open_form, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_valid_form_is_taken);
	tcase_add_loop_test(t, the_sizes_of_the_form, 0, COUNT(sizes));
	tcase_add_test(t, a_form_without_a_file_is_too_small);
	tcase_add_loop_test(t, a_changed_form_is_refused, 0, COUNT(changes));
	tcase_add_test(t, what_a_form_may_have_besides);
	tcase_add_test(t, names_of_fields_in_any_case);
	tcase_add_test(t, without_any_policy_field);
	tcase_add_test(t, a_file_in_front_of_the_fields);
	tcase_add_test(t, a_field_behind_the_file_does_not_count);
	tcase_add_test(t, an_expired_form);
	tcase_add_loop_test(t, what_happened_meanwhile, 0, COUNT(meanwhile));
	tcase_add_loop_test(t, what_is_no_form, 0, COUNT(odd_types));
	tcase_add_test(t, a_cut_connection_leaves_nothing);
	tcase_add_loop_test(t, without_a_length, 0, COUNT(lengthless));
	tcase_add_test(t, too_much_in_front_of_the_file);
	tcase_add_test(t, the_same_form_again_overwrites);
	tcase_add_test(t, the_capacity_of_the_account);
	tcase_add_test(t, the_disk_at_its_reserve);
	tcase_add_test(t, a_disk_that_is_not_there);
	tcase_add_test(t, a_busy_database);
	tcase_add_loop_test(t, the_status_that_the_policy_binds, 0, COUNT(statuses));
	tcase_add_test(t, a_key_that_names_no_blob);
	return t;
}

int
main(void)
{
	Suite *s = suite_create("blobs, sent");

	suite_add_tcase(s, posting());
	return unit_run(s);
}
