/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-th statement of every route of voices fails, for every n. The answer must be
 * 503 or a success, nothing may be half done, and the repeated request must work.
 */
#define UNIT_TEST
#include "tests/unit/voice_fixture.h"

#define SAMPLE                                                                         \
	"{\"filename\":\"anna.wav\",\"mime_type\":\"audio/wav\",\"lang_code\":\"en\"}"
#define CLONE "{\"data\":{\"name\":\"Anna\",\"samples\":[" SAMPLE "]}}"

static const struct {
	const char *method, *path, *body;
} calls[] = {
	{ "POST", "/clone", CLONE },
	{ "GET", "/m/$", NULL },
	{ "POST", "/m/$", "{\"data\":{\"name\":\"Berta\"}}" },
	{ "DELETE", "/m/$", NULL },
	{ "POST", "/m/$/favorite", NULL },
	{ "DELETE", "/m/$/favorite", NULL },
	{ "DELETE", "", NULL },
	{ "GET", "", NULL },
	{ "GET", "?search=an&lang=en", NULL },
	{ "GET", "/hidden", NULL },
	{ "GET", "/builtin", NULL },
	{ "GET", "/sample/tts", NULL },
	{ "GET", "/limits", NULL },
};

static const char *voice;

static void
setup(void)
{
	voice_fixture();
	voice = put_voice(fixture.account, "Anna", 1);
	put_sample(voice, "own_provider", "en", 1);
	put_sample(voice, "own_provider", "de", 2);
	sql(arena_printf(fixture.mem, "INSERT INTO favorites VALUES ('%s', '%s')",
	    fixture.account, put_voice(fixture.account, "Carl", 3)));
}

static const char *
target(const char *path)
{
	const char *at = strchr(path, '$');

	if (at == NULL)
		return path;
	return arena_printf(
	    fixture.mem, "%.*s%s%s", (int)(at - path), path, voice, at + 1);
}

static struct response
call(int i)
{
	const char *what = arena_printf(
	    fixture.mem, "%s /saas/voice%s", calls[i].method, target(calls[i].path));

	return ask_with(what, calls[i].body, HEADS("Idempotency-Key: k"));
}

static void
fail_each(int i, enum err with, int status, const char *type)
{
	const char *before = everything();
	struct response a = { .status = 0 };
	int n;

	for (n = 1; n < 30; n++) {
		db_fault(fixture.app.db, n, with);
		a = call(i);
		if (a.status == 200)
			break;
		ck_assert_int_eq(a.status, status);
		is(a, "/errors/0/type", type);
		ck_assert_str_eq(everything(), before);
	}
	ck_assert_int_gt(n, 2);
	answered(a, 200);
	db_fault(fixture.app.db, 0, OK);
	if (strcmp(calls[i].method, "GET") == 0)
		ck_assert_str_eq(everything(), before);
}

START_TEST(a_busy_database_leaves_nothing_half_done)
{
	fail_each(
	    _i, ERR_BUSY, 503, "https://speech.example.org/problems/service-busy");
}
END_TEST

START_TEST(a_broken_database_leaves_nothing_half_done)
{
	fail_each(_i, ERR_FAILED, 500,
	    "https://speech.example.org/problems/internal-server-error");
}
END_TEST

START_TEST(a_full_disk_leaves_nothing_half_done)
{
	fail_each(_i, ERR_FULL, 507,
	    "https://speech.example.org/problems/insufficient-storage");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("voice chaos");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_loop_test(
	    t, a_busy_database_leaves_nothing_half_done, 0, COUNT(calls));
	tcase_add_loop_test(
	    t, a_broken_database_leaves_nothing_half_done, 0, COUNT(calls));
	tcase_add_loop_test(t, a_full_disk_leaves_nothing_half_done, 0, COUNT(calls));
	suite_add_tcase(s, t);
	return unit_run(s);
}
