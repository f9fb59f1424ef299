/* SPDX-License-Identifier: GPL-3.0-or-later */
/* POST /saas/upload: requests, forms, and limits. */
#define UNIT_TEST
#include <fcntl.h>
#include <sys/statvfs.h>

#include "cgi-bin/uploads.c"
#include "tests/unit/unit.h"

#define WAV "\"filename\":\"talk.wav\",\"mime_type\":\"audio/wav\""

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, blob_sql, NULL };

	fixture_open("uploads", upload_routes, prepared);
}

static struct response
upload(const char *items)
{
	return ask(
	    "POST /saas/upload", arena_printf(fixture.mem, "{\"data\":[%s]}", items));
}

static int asked_disk, asked_in_transaction;

/* Replaces the C library's function, to count when the disk is checked. */
int
statvfs(const char *path, struct statvfs *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fstatvfs(fd, to);

	asked_disk++;
	asked_in_transaction += !db_idle(fixture.app.db);
	close(fd);
	return rc;
}

static int
blobs(void)
{
	return number("SELECT count(*) FROM blobs");
}

START_TEST(each_item_gets_a_target_in_its_order)
{
	struct response a = upload("{" WAV ",\"item_id\":\"item-7\"},{" WAV "}");

	answered(a, 200);
	is(a, "/ok", "true");
	is(a, "/data/0/url", "https://speech.example.org/blobs");
	is(a, "/data/0/item_id", "item-7");
	ck_assert_ptr_nonnull(id_read(fixture.mem, said(&a, "/data/1/item_id")));
	ck_assert_ptr_nonnull(id_read(fixture.mem, said(&a, "/data/1/blob_id")));
	ck_assert_str_ne(said(&a, "/data/0/blob_id"), said(&a, "/data/1/blob_id"));
	is(a, "/data/2", "(none)");
	ck_assert_str_eq(
	    sql("SELECT DISTINCT account, kind, state, mime_type, filename, "
		"display_name,"
		" description, voice, min_bytes, max_bytes, file, bytes FROM blobs"),
	    arena_printf(fixture.mem,
		"%s|upload|awaiting|audio/wav|talk.wav|NULL|NULL|NULL|100001|9999999|"
		"NULL|NULL\n",
		fixture.account));
	ck_assert_int_eq(blobs(), 2);
}
END_TEST

START_TEST(members_come_in_the_order_of_the_example)
{
	static const char *const order[] = { "\"url\":", "\"item_id\":", "\"blob_id\":",
		"\"form_data\":{\"key\":", "\"Content-Type\":",
		"\"success_action_status\":", "\"bucket\":", "\"X-Amz-Algorithm\":",
		"\"X-Amz-Credential\":", "\"X-Amz-Date\":", "\"Policy\":",
		"\"X-Amz-Signature\":" };
	struct response a = upload("{" WAV "}");
	const char *at = strstr(a.body, "{\"ok\":true,\"data\":[{");

	for (int i = 0; i < COUNT(order); i++) {
		ck_assert_msg(at != NULL, "%s is out of order", order[i - 1]);
		at = strstr(at, order[i]);
	}
	ck_assert_ptr_nonnull(at);
}
END_TEST

START_TEST(the_form_binds_account_and_blob)
{
	struct response a = upload("{" WAV "}");

	is(a, "/data/0/form_data/key",
	    arena_printf(
		fixture.mem, "u/%s/%s", fixture.account, said(&a, "/data/0/blob_id")));
	is(a, "/data/0/form_data/Content-Type", "audio/wav");
	is(a, "/data/0/form_data/success_action_status", "201");
	is(a, "/data/0/form_data/bucket", "media");
}
END_TEST

static const struct {
	const char *items, *faults;
} wrong[] = {
	{ "", "/data: data must have 1 to 10 items." },
	{ "{}", "/data/0/filename: filename is required.\n"
		"/data/0/mime_type: mime_type is required." },
	{ "{" WAV "},5", "/data/1: item 1 must be an object." },
	{ "{\"filename\":\"ab\",\"mime_type\":\"audio/wav\"}",
	    "/data/0/filename: filename must have 3 to 255 characters." },
	{ "{\"filename\":\"a/b.wav\",\"mime_type\":\"audio/wav\"}",
	    "/data/0/filename: filename may have letters, digits, space and _ - . ' \" "
	    "( ) "
	    "only." },
	{ "{\"filename\":\"a\\nb.wav\",\"mime_type\":\"audio/wav\"}",
	    "/data/0/filename: filename may have letters, digits, space and _ - . ' \" "
	    "( ) "
	    "only." },
	{ "{\"filename\":\"\xf0\x9f\x98\x80.wav\",\"mime_type\":\"audio/wav\"}",
	    "/data/0/filename: filename may have letters, digits, space and _ - . ' \" "
	    "( ) "
	    "only." },
	{ "{\"filename\":\"a.wav\",\"mime_type\":\"audio/x-wav\"}",
	    "/data/0/mime_type: mime_type is not in the list." },
	{ "{\"filename\":\"a.wav\",\"mime_type\":\"audio/wav; x=1\"}",
	    "/data/0/mime_type: mime_type is not in the list." },
	{ "{\"filename\":\"a.wav\",\"mime_type\":null}",
	    "/data/0/mime_type: mime_type is required." },
	{ "{" WAV ",\"display_name\":\"\"}",
	    "/data/0/display_name: display_name must have 1 to 255 characters." },
	{ "{" WAV ",\"item_id\":\"\"}",
	    "/data/0/item_id: item_id must have 1 to 36 characters." },
	{ "{" WAV ",\"item_id\":\"1234567890123456789012345678901234567\"}",
	    "/data/0/item_id: item_id must have 1 to 36 characters." },
	{ "{" WAV ",\"item_id\":7}", "/data/0/item_id: item_id must be a string." },
	{ "{" WAV ",\"item_id\":\"a\"},{" WAV "},{" WAV ",\"item_id\":\"a\"}",
	    "/data/2/item_id: item_id occurs twice in the request." },
	{ "{" WAV ",\"item_id\":\"a\"},{" WAV ",\"item_id\":7},"
	  "{" WAV ",\"item_id\":\"a\"},{" WAV ",\"item_id\":\"a\"}",
	    "/data/1/item_id: item_id must be a string.\n"
	    "/data/2/item_id: item_id occurs twice in the request.\n"
	    "/data/3/item_id: item_id occurs twice in the request." },
};

START_TEST(one_bad_item_refuses_all)
{
	struct response a = upload(wrong[_i].items);

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i].faults);
	ck_assert_int_eq(blobs(), 0);
}
END_TEST

static const char *const good[] = {
	"\"filename\":\"abc\",\"mime_type\":\"audio/mpeg\"",
	"\"filename\":\"\xc3\x9c"
	"ber (1) 'a' \\\"b\\\" _-.mp3\",\"mime_type\":\"audio/aac\"",
	"\"filename\":\"\xd0\xb9\xd0\xb9\xd9\xa3\",\"mime_type\":\"AUDIO/Wav\"",
	"\"filename\":\"e\xcc\x81.a\",\"mime_type\":\"audio/webm\"",
	"\"filename\":\"a.a\",\"mime_type\":\"audio/mp3\"",
	"\"filename\":\"a.a\",\"mime_type\":\"video/webm\"",
	"\"filename\":\"a.a\",\"mime_type\":\"video/mp4\"",
	"\"filename\":\"a.a\",\"mime_type\":\"video/mpeg\",\"description\":\"\"",
	WAV ",\"item_id\":\"A\",\"display_name\":null,\"description\":null",
};

START_TEST(values_within_the_rules_are_taken)
{
	struct response a = upload(arena_printf(fixture.mem, "{%s}", good[_i]));

	answered(a, 200);
	ck_assert_int_eq(blobs(), 1);
}
END_TEST

START_TEST(a_type_is_stored_as_it_is_listed)
{
	struct response a =
	    upload("{\"filename\":\"a.wav\",\"mime_type\":\"AUDIO/WAV\"}");

	is(a, "/data/0/form_data/Content-Type", "audio/wav");
	ck_assert_str_eq(sql("SELECT mime_type FROM blobs"), "audio/wav\n");
}
END_TEST

static const char *
items(int n)
{
	struct buf b = { .mem = fixture.mem };

	for (int i = 0; i < n; i++)
		buf_str(&b, i == 0 ? "{" WAV "}" : ",{" WAV "}");
	return buf_text(&b);
}

START_TEST(up_to_ten_items_are_taken)
{
	struct response a = upload(items(10));

	answered(a, 200);
	ck_assert_int_eq(blobs(), 10);
	a = upload(items(11));
	refused(a, 422, "validation-error");
	a = ask("POST /saas/upload", "{\"data\":{\"0\":{}}}");
	refused(a, 422, "validation-error");
	is(a, "/errors/0/pointer", "/data");
}
END_TEST

static const struct {
	long long stored, capacity;
	int n, status;
} capacities[] = {
	{ 0, 100001, 1, 200 }, { 0, 100000, 1, 403 }, { 1, 100001, 1, 403 },
	{ 0, 200002, 2, 200 }, { 0, 200001, 2, 403 },
	{ 5000000000 - 100001, 5000000000, 1, 200 }, { 5000000000, 5000000000, 1, 403 },
	{ 5000000000, 0, 10, 200 }, /* no limit */
};

START_TEST(the_smallest_files_asked_for_must_fit_the_capacity)
{
	struct response a;

	sql(arena_printf(fixture.mem,
	    "UPDATE accounts SET stored_bytes = %lld, plan_storage_bytes = %lld",
	    capacities[_i].stored, capacities[_i].capacity));
	a = upload(items(capacities[_i].n));
	answered(a, capacities[_i].status);
	if (a.status == 200)
		return;
	refused(a, 403, "storage-limit-reached");
	is(a, "/errors/0/error_code", "100050");
	is(a, "/errors/0/detail",
	    arena_printf(fixture.mem, "The plan allows %lld stored bytes.",
		capacities[_i].capacity));
	ck_assert_int_eq(blobs(), 0);
}
END_TEST

START_TEST(no_form_is_given_for_a_disk_at_its_reserve)
{
	struct response a;

	fixture.app.conf.blob_reserve_bytes = INT64_MAX / 2;
	a = upload("{" WAV "}");
	refused(a, 507, "insufficient-storage");
	ck_assert_int_eq(blobs(), 0);
	/* a bucket needs no free space on our disk */
	fixture.app.conf.blob_store = "s3";
	a = upload("{" WAV "}");
	answered(a, 200);
}
END_TEST

START_TEST(the_disk_is_asked_once_and_keeps_no_other_writer_waiting)
{
	struct response a = upload("{" WAV "},{" WAV "},{" WAV "}");

	answered(a, 200);
	ck_assert_int_eq(asked_disk, 1);
	ck_assert_int_eq(asked_in_transaction, 0);
}
END_TEST

START_TEST(the_plan_is_judged_before_the_disk)
{
	struct response a;

	fixture.app.conf.blob_reserve_bytes = INT64_MAX / 2;
	sql("UPDATE accounts SET plan_storage_bytes = 1");
	a = upload("{" WAV "}");
	refused(a, 403, "storage-limit-reached");
}
END_TEST

START_TEST(the_bounds_of_the_plan_are_in_the_form)
{
	const char *policy;
	struct response a;
	size_t n;

	sql("UPDATE accounts SET plan_upload_min_bytes = 5, plan_upload_max_bytes = "
	    "77");
	a = upload("{" WAV "}");
	policy = said(&a, "/data/0/form_data/Policy");
	policy = (const char *)base64_read(fixture.mem, policy, strlen(policy), &n);
	ck_assert_ptr_nonnull(strstr(policy, "[\"content-length-range\",5,77]"));
	ck_assert_str_eq(sql("SELECT min_bytes, max_bytes FROM blobs"), "5|77\n");
}
END_TEST

START_TEST(an_upload_needs_its_scope)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "voices:write");
	a = upload("{" WAV "}");
	refused(a, 403, "insufficient-scope");
	fixture.bearer = fixture_bearer(fixture.account, "uploads:write");
	a = upload("{" WAV "}");
	answered(a, 200);
}
END_TEST

START_TEST(the_same_key_gives_the_same_form)
{
	const char *const key[] = { "Idempotency-Key: k", NULL };
	const char *body = "{\"data\":[{" WAV "}]}";
	struct response a = ask_with("POST /saas/upload", body, key);
	struct response b = ask_with("POST /saas/upload", body, key);

	assert_same_body(a.body, b.body);
	ck_assert_int_eq(blobs(), 1);
}
END_TEST

START_TEST(a_failing_database_leaves_no_blob)
{
	struct response a = { .status = 0 };
	int n;

	for (n = 1; n < 20 && a.status != 200; n++) {
		db_fault(fixture.app.db, n, ERR_BUSY);
		a = upload(items(3));
		if (a.status != 200) {
			refused(a, 503, "service-busy");
			ck_assert_int_eq(blobs(), 0);
		}
	}
	/* statements: credential, begin, stored, three blobs, audit, commit */
	ck_assert_int_eq(n - 2, 8);
	ck_assert_int_eq(blobs(), 3);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("uploads");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, each_item_gets_a_target_in_its_order);
	tcase_add_test(t, members_come_in_the_order_of_the_example);
	tcase_add_test(t, the_form_binds_account_and_blob);
	tcase_add_loop_test(t, one_bad_item_refuses_all, 0, COUNT(wrong));
	tcase_add_loop_test(t, values_within_the_rules_are_taken, 0, COUNT(good));
	tcase_add_test(t, a_type_is_stored_as_it_is_listed);
	tcase_add_test(t, up_to_ten_items_are_taken);
	tcase_add_loop_test(t, the_smallest_files_asked_for_must_fit_the_capacity, 0,
	    COUNT(capacities));
	tcase_add_test(t, no_form_is_given_for_a_disk_at_its_reserve);
	tcase_add_test(t, the_disk_is_asked_once_and_keeps_no_other_writer_waiting);
	tcase_add_test(t, the_plan_is_judged_before_the_disk);
	tcase_add_test(t, the_bounds_of_the_plan_are_in_the_form);
	tcase_add_test(t, an_upload_needs_its_scope);
	tcase_add_test(t, the_same_key_gives_the_same_form);
	tcase_add_test(t, a_failing_database_leaves_no_blob);
	suite_add_tcase(s, t);
	return unit_run(s);
}
