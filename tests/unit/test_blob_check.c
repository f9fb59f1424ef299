/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker that checks files in a bucket. Here it refuses a sample. */
#include "tests/unit/voice_rows.h"

#include "base/clock.h"
#include "store/webhooks.h"

int worker_main(int argc, char **argv);
#define main worker_main
#include "workers/blob_check.c"
#undef main

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, blob_sql, voice_sql,
		voice_processing_sql, webhook_sql, NULL };

	fixture_open("blob_check", none, prepared);
}

START_TEST(a_sample_of_a_wrong_size_fails_its_voice_which_is_told)
{
	struct work w = { fixture.app.db, fixture.mem, &fixture.app.conf };
	const char *voice = put_voice(fixture.account, "Anna", 1);
	struct webhook hook = { .id = id_new(fixture.mem),
		.account = fixture.account,
		.url = "https://example.org/hook",
		.events = "[\"voice.failed\"]",
		.enabled = true,
		.created_us = now_us(),
		.updated_us = now_us(),
		.good_us = now_us(),
		.seed = "s" };
	struct blob b;

	ck_assert_int_eq(webhook_add(w.db, &hook), OK);
	sql(arena_printf(fixture.mem,
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename, voice,"
	    " min_bytes, max_bytes, created_us) VALUES ('b', '%s', 'voice_sample',"
	    " 'awaiting', 'audio/wav', 'a.wav', '%s', 1, 9, 1)",
	    fixture.account, voice));
	set_voice(voice, "status = 'pending', sample = 'b'");
	ck_assert_int_eq(blob_get(w.db, w.mem, "b", &b), OK);
	ck_assert_int_eq(refuse(&w, &b), OK);
	ck_assert_str_eq(sql("SELECT status FROM voices"), "failed\n");
	ck_assert_str_eq(sql("SELECT type FROM webhook_deliveries"), "voice.failed\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("blob_check");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_sample_of_a_wrong_size_fails_its_voice_which_is_told);
	suite_add_tcase(s, t);
	return unit_run(s);
}
