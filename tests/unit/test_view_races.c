/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the public view of an event while others write. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"

/* ETags differ between programs and are not compared */
#include "service/public_view.c"

static void
setup(void)
{
	setenv("DRAGOMAN_DB_BUSY_MS", "5000", 1);
	listener_fixture();
}

static struct cached_view
find_bundle(void)
{
	struct cached_view b;

	ck_assert_int_eq(
	    public_view_cache_get(fixture.app.db, fixture.mem, event, now_us(), &b),
	    OK);
	return b;
}

static enum err
get(struct cached_view *b, struct public_view *v)
{
	return public_view_get(
	    fixture.app.db, fixture.mem, &fixture.app.conf, b, now_us(), v);
}

/* ---- other processes ---- */

START_TEST(a_reader_does_not_wait_for_a_writer)
{
	pid_t writer = writer_begin();
	struct response a = view();
	const char *tag;

	answered(a, 200);
	is(a, "/data/title", "Health Forum");
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
	writer_end(writer);
	tag = head_of(&a, "ETag");
	a = view();
	ck_assert_pstr_eq(head_of(&a, "ETag"), tag);
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 1);
}
END_TEST

START_TEST(what_another_process_made_meanwhile_is_told)
{
	struct public_view v;
	struct cached_view b = find_bundle();
	const char *kept;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO bundles VALUES ('%s', '%s', '0123', '\"title\":\"its\"')",
	    event, maker(fixture.mem, &fixture.app.conf)));
	kept = everything();
	ck_assert_int_eq(get(&b, &v), OK);
	assert_same_body(v.body, "\"title\":\"its\"");
	ck_assert_str_eq(everything(), kept);
}
END_TEST

/* ---- a change between the look at the code and the view ---- */

static const struct {
	const char *before, *then;
	enum err e;
} changes[] = {
	{ "access_code = NULL", "UPDATE events SET access_code = 'A234'", ERR_STALE },
	{ "access_code = 'A234'", "UPDATE events SET access_code = 'B234'", ERR_STALE },
	{ "access_code = 'A234'", "UPDATE events SET access_code = NULL", ERR_STALE },
	{ "access_code = 'A234'", "DELETE FROM events", ERR_NOT_FOUND },
	{ "access_code = 'A234'", "UPDATE events SET title = 'New'", OK },
	{ "access_code = NULL", "UPDATE events SET title = 'New'", OK },
};

START_TEST(a_view_is_told_to_whom_the_code_was_judged)
{
	struct public_view v = { 0 };
	struct cached_view b;

	set_event(event, changes[_i].before);
	b = find_bundle();
	sql(changes[_i].then);
	ck_assert_int_eq(get(&b, &v), changes[_i].e);
	ck_assert(db_idle(fixture.app.db));
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), changes[_i].e == OK);
	ck_assert_int_eq(v.body != NULL, changes[_i].e == OK);
}
END_TEST

static const struct {
	const char *query, *meanwhile;
	int status;
} lates[] = {
	{ "?code=A234", "UPDATE events SET title = 'New'", 200 },
	{ "?code=A234", "UPDATE events SET access_code = NULL", 200 },
	{ "?code=A234", "UPDATE events SET access_code = 'B234'", 403 },
	{ "?code=A234", "DELETE FROM events", 404 },
};

START_TEST(an_admitted_listener_is_checked_anew)
{
	struct response a;

	set_event(event, "access_code = 'A234'");
	fixture.app.routes = late_routes;
	meanwhile = lates[_i].meanwhile;
	a = at_event("GET", lates[_i].query, NULL);
	answered(a, lates[_i].status);
	if (a.status == 403)
		refused(a, 403, "access-code-required");
	if (a.status != 200)
		ck_assert_ptr_null(strstr(a.body, "Health Forum"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("view races");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_reader_does_not_wait_for_a_writer);
	tcase_add_test(t, what_another_process_made_meanwhile_is_told);
	tcase_add_loop_test(
	    t, a_view_is_told_to_whom_the_code_was_judged, 0, COUNT(changes));
	tcase_add_loop_test(t, an_admitted_listener_is_checked_anew, 0, COUNT(lates));
	suite_add_tcase(s, t);
	return unit_run(s);
}
