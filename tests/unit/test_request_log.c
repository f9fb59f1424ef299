/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last requests with a key, in files that all programs map. */
#define UNIT_TEST
#include "tests/unit/keys_fixture.h"

#include "store/accounts.h"
#include "web/request_log.h"

#define DAY_US (86400 * S_US)

static const char *key_id, *key, *owner_bearer;

static const char *
text_of(const char *statement)
{
	const char *s = sql(statement);

	return arena_dup(fixture.mem, s, strcspn(s, "\n"));
}

static void
setup(void)
{
	struct response a;

	keys_setup();
	a = ask("POST /saas/key",
	    "{\"data\":{\"name\":\"App\",\"scopes\":[\"keys:read\"]}}");
	answered(a, 201);
	key_id = kept(&a, "/data/key_id");
	key = FORMAT("Bearer %s", kept(&a, "/data/api_key"));
	owner_bearer = fixture.bearer;
	sql("UPDATE credentials SET used_us = 9000000000000000");
}

/* One request with the key. */
static struct response
with_key(const char *what)
{
	struct response a;

	fixture.bearer = key;
	a = ask(what, NULL);
	fixture.bearer = owner_bearer;
	return a;
}

static struct response
listed(void)
{
	struct response a = ask(FORMAT("GET /saas/key/%s/requests", key_id), NULL);

	answered(a, 200);
	return a;
}

static int
count(const struct response *a)
{
	const struct json *data = json_get(a->json, "data");

	return (int)data->n;
}

static const char *
file_of(const char *credential)
{
	return FORMAT("%s/requests/%s", fixture.app.conf.state_dir, credential);
}

static bool
is_there(const char *credential)
{
	return access(file_of(credential), F_OK) == 0;
}

static int
bytes_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return (int)st.st_size;
}

START_TEST(requests_are_listed_the_newest_first)
{
	struct response a = with_key("GET /saas/keys?page_size=5"), b;

	b = with_key("GET /saas/audit");
	refused(b, 403, "insufficient-scope");
	with_key("GET /saas/keys?page_size=none");
	with_key(FORMAT("GET /saas/key/%s/requests", fixture.account));
	with_key("GET /saas/unknown"); /* no route, no caller */
	b = listed();
	ck_assert_int_eq(count(&b), 4);
	is(b, "/data/0/route", "/saas/key/{key_id}/requests");
	is(b, "/data/0/slug", "resource-not-found");
	is(b, "/data/1/slug", "validation-error");
	is(b, "/data/1/status", "422");
	is(b, "/data/2/slug", "insufficient-scope");
	is(b, "/data/3/method", "GET");
	is(b, "/data/3/route", "/saas/keys");
	is(b, "/data/3/status", "200");
	is(b, "/data/3/slug", "null");
	is(b, "/data/3/request_id", head_of(&a, "X-Request-Id"));
	ck_assert_int_lt(atoi(said(&b, "/data/3/ms")), 1000);
}
END_TEST

START_TEST(the_last_two_hundred_are_kept)
{
	struct response a;
	const char *first;
	int bytes;

	a = with_key("GET /auth/me");
	first = kept(&a, "/data/user_id");
	ck_assert_str_eq(first, fixture.account);
	bytes = bytes_of(file_of(key_id));
	for (int i = 0; i < 250; i++)
		a = with_key("GET /saas/keys");
	first = head_of(&a, "X-Request-Id");
	a = listed();
	ck_assert_int_eq(count(&a), 200);
	is(a, "/data/0/request_id", first);
	is(a, "/data/199/route", "/saas/keys");
	ck_assert_int_eq(bytes_of(file_of(key_id)), bytes);
	ck_assert_int_lt(bytes, 50000);
}
END_TEST

START_TEST(a_request_writes_no_database)
{
	const char *before;

	with_key("GET /saas/keys");
	before = everything();
	for (int i = 0; i < 10; i++)
		with_key("GET /saas/keys");
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq((int)db_busy_count(fixture.app.db), 0);
}
END_TEST

START_TEST(tokens_of_the_key_are_in_its_log_and_browsers_in_none)
{
	struct response a;
	const char *token;

	fixture.bearer = key;
	a = ask(TOKEN, "{\"data\":{}}");
	answered(a, 201);
	token = FORMAT("Bearer %s", kept(&a, "/data/token"));
	fixture.bearer = token;
	ask("GET /auth/me", NULL);
	fixture.bearer = NULL;
	a = ask(TOKEN, FORMAT("{\"data\":{\"link\":\"%s\"}}", link_new("*")));
	fixture.bearer = FORMAT("Bearer %s", kept(&a, "/data/token"));
	answered(ask("GET /auth/me", NULL), 200);
	ck_assert(
	    !is_there(text_of("SELECT id FROM credentials WHERE kind = 'browser'")));
	fixture.bearer = owner_bearer;
	a = listed();
	is(a, "/data/0/route", "/auth/me");
	is(a, "/data/1/route", "/auth/token");
	is(a, "/data/2", "(none)");
}
END_TEST

START_TEST(others_read_none_and_a_revoked_key_has_none)
{
	struct response a;

	with_key("GET /saas/keys");
	ck_assert(is_there(key_id));
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = ask(FORMAT("GET /saas/key/%s/requests", key_id), NULL);
	refused(a, 404, "resource-not-found");
	fixture.bearer = owner_bearer;
	answered(ask(FORMAT("DELETE /saas/key/%s", key_id), NULL), 200);
	ck_assert(!is_there(key_id));
	a = ask(FORMAT("GET /saas/key/%s/requests", key_id), NULL);
	refused(a, 404, "resource-not-found");
	a = with_key("GET /saas/keys");
	refused(a, 401, "unauthorized");
	ck_assert(!is_there(key_id));
}
END_TEST

static void
add_at(int64_t at_us)
{
	request_log_add(fixture.app.requests, fixture.app.db, key_id,
	    &(struct request_line){ at_us, "GET", "/saas/keys", 200, NULL,
		"00000000-0000-4000-8000-000000000000", 1 });
}

static void
sweep(void)
{
	ck_assert_int_eq(
	    request_log_sweep(fixture.app.db, fixture.mem, fixture.app.conf.state_dir),
	    OK);
}

START_TEST(lines_end_after_a_week_and_then_the_file)
{
	struct response a;

	add_at(now_us() - 6 * DAY_US);
	add_at(now_us() - 8 * DAY_US);
	a = listed();
	ck_assert_int_eq(count(&a), 1);
	sweep();
	ck_assert(!is_there(key_id));
	/* this process has mapped the removed file, and begins a new one */
	with_key("GET /saas/keys");
	sweep();
	ck_assert(is_there(key_id));
	a = listed();
	ck_assert_int_eq(count(&a), 1);
}
END_TEST

/* The operator's command revokes keys without knowing the files. */
START_TEST(files_of_revoked_keys_and_others_are_swept)
{
	with_key("GET /saas/keys");
	unit_write(file_of("other"), "x");
	sql(FORMAT("UPDATE credentials SET revoked_us = 1 WHERE id = '%s'", key_id));
	sweep();
	ck_assert(!is_there(key_id));
	ck_assert(!is_there("other"));
	ck_assert(is_there(text_of("SELECT id FROM credentials WHERE revoked_us IS NULL"
				   " AND label = 'of a test'")));
}
END_TEST

START_TEST(a_request_is_answered_without_room_for_the_file)
{
	struct response a;

	fixture.app.conf.state_dir = FORMAT("%s/none", fixture.dir);
	fixture.app.requests =
	    request_log_open(fixture.mem, fixture.app.conf.state_dir);
	a = with_key("GET /saas/keys");
	answered(a, 200);
	a = listed();
	ck_assert_int_eq(count(&a), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("request log");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, requests_are_listed_the_newest_first);
	tcase_add_test(t, the_last_two_hundred_are_kept);
	tcase_add_test(t, a_request_writes_no_database);
	tcase_add_test(t, tokens_of_the_key_are_in_its_log_and_browsers_in_none);
	tcase_add_test(t, others_read_none_and_a_revoked_key_has_none);
	tcase_add_test(t, lines_end_after_a_week_and_then_the_file);
	tcase_add_test(t, files_of_revoked_keys_and_others_are_swept);
	tcase_add_test(t, a_request_is_answered_without_room_for_the_file);
	suite_add_tcase(s, t);
	return unit_run(s);
}
