/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The changes in the database when a file arrives. If the database fails, nothing may
 * change.
 */
#include "blobs.h"

#define PENDING "SELECT count(*) FROM voices WHERE status = 'pending'"
#define JOBS_OF(kind, ref)                                                             \
	"SELECT count(*) FROM jobs WHERE kind = '" kind "' AND ref = '" ref "'"

START_TEST(a_voices_sample_makes_it_pending)
{
	grant(SAMPLE, now_us());
	ck_assert_int_eq(post().status, 201);
	ck_assert_int_eq(number(PENDING), 1);
	ck_assert_int_eq(number(JOBS_OF("voice.clone", VOICE)), 1);
	ck_assert_int_eq(jobs(), 1);
	give(77);
	ck_assert_int_eq(post().status, 201);
	ck_assert_int_eq(row(SAMPLE).bytes, 77);
	ck_assert_int_eq(number(JOBS_OF("voice.clone", VOICE)), 1);
	ck_assert_int_eq(files(), 1);
}
END_TEST

/*
 * The 1st, 2nd, 3rd ... statement fails, until none does. The answer must be S3's error
 * without an effect, or 201. Only after a failed commit the file is kept, because the
 * commit may have been done.
 */
static void
chaos(const char *blob_id, enum err e, int status)
{
	struct call c = { .status = 0 };
	int n, left = 0;

	grant(blob_id, now_us());
	for (n = 1; n < 20 && c.status != 201; n++) {
		db_fault(fixture.app.db, n, e);
		c = post();
		db_fault(fixture.app.db, 0, OK);
		ck_assert(db_idle(fixture.app.db));
		left = files() - (c.status == 201);
		ck_assert_int_ge(left, 0);
		ck_assert_int_le(left, 1);
		ck_assert_int_eq(stored(), c.status == 201 ? MIN : 0);
		ck_assert_int_eq(jobs(), c.status == 201);
		ck_assert_str_eq(
		    row(blob_id).state, c.status == 201 ? "stored" : "awaiting");
		if (c.status != 201) {
			ck_assert_int_eq(c.status, status);
			ck_assert_int_eq(number(PENDING), 0);
		}
	}
	ck_assert_int_eq(left, 1);
	ck_assert_int_ge(n, 9);
	ck_assert_int_lt(n, 20);
}

START_TEST(a_failing_database_leaves_no_trace)
{
	const char *const ids[] = { BLOB, SAMPLE };

	chaos(ids[_i % 2], _i < 2 ? ERR_BUSY : ERR_FAILED, _i < 2 ? 503 : 500);
}
END_TEST

/* Simulates a commit that succeeded although its answer was lost. */
START_TEST(a_file_that_the_row_names_is_kept)
{
	struct upload_received again;
	struct blob b;

	ck_assert_int_eq(post().status, 201);
	sql("UPDATE blobs SET state = 'checked' WHERE id = '" BLOB "'");
	b = row(BLOB);
	again = (struct upload_received){ BLOB, ACCOUNT, b.file, b.bytes, b.sha256, 0 };
	ck_assert_int_eq(upload_received_record(
			     fixture.app.db, fixture.mem, &fixture.app.conf, &again),
	    OK);
	ck_assert_int_eq(files(), 1);
	ck_assert_int_eq(stored(), MIN);
}
END_TEST

START_TEST(a_file_is_kept_when_the_database_fails)
{
	const char *file = blob_name(fixture.mem, BLOB);
	struct upload_received a = { BLOB, ACCOUNT, file, MIN, "x", 0 };
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&fixture.app.conf, fixture.mem, 0, &in), OK);
	ck_assert_int_eq(blob_end(in, file, &facts), OK);
	sql("ALTER TABLE blobs RENAME TO elsewhere");
	ck_assert_int_eq(
	    upload_received_record(fixture.app.db, fixture.mem, &fixture.app.conf, &a),
	    ERR_FAILED);
	ck_assert_int_eq(files(), 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("arrival");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, blobs_open_form, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_voices_sample_makes_it_pending);
	tcase_add_loop_test(t, a_failing_database_leaves_no_trace, 0, 4);
	tcase_add_test(t, a_file_that_the_row_names_is_kept);
	tcase_add_test(t, a_file_is_kept_when_the_database_fails);
	suite_add_tcase(s, t);
	return unit_run(s);
}
