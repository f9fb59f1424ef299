/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings: moved from their folder to the store, and read over HTTP. */
#define UNIT_TEST
#include "cgi-bin/recordings.c"

#include <sys/file.h>
#include <sys/stat.h>

#include "blob/blob.h"
#include "service/recording_store.h"
#include "store/events.h"
#include "tests/unit/transcript_rows.h"

#define FORMAT(...) arena_printf(fixture.mem, __VA_ARGS__)

static const char *channel, *folder;

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, blob_sql, event_sql,
		stage_sql, recording_sql, NULL };

	fixture_open("recordings", recording_routes, prepared);
	fixture.app.conf.blob_reserve_bytes = 0;
	channel = put_speaking(fixture.account, NULL, NULL);
	folder = recording_folder(&fixture.app.conf, fixture.mem, channel);
	ck_assert_int_eq(access(folder, W_OK), 0);
}

/* ---- what there is ---- */

static void
put_file(const char *at, const char *name, const char *content)
{
	unit_write(FORMAT("%s/%s", at, name), content);
}

/* Makes a finished recording of two languages, 61 s long. */
static void
put_run(const char *at)
{
	put_file(at, "es.ogg", "OggS Spanish");
	put_file(at, "original.ogg", "OggS what was said");
	put_file(at, "run", "61000\n");
}

static int taken; /* number of folders so far */

static enum err
try_to_collect(int *n)
{
	bool is;
	enum err e =
	    recording_collect(&fixture.app.conf, fixture.app.db, fixture.mem, &is, n);

	taken += is;
	return e;
}

static int
collect(void)
{
	int n;

	ck_assert_int_eq(try_to_collect(&n), OK);
	return n;
}

static bool
is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static int
stored(void)
{
	return number(FORMAT(
	    "SELECT stored_bytes FROM accounts WHERE id = '%s'", fixture.account));
}

static struct response
get(const char *more)
{
	return ask(FORMAT("GET /saas/channel/%s/recordings%s", channel, more), NULL);
}

/* ---- into the store ---- */

START_TEST(a_finished_run_is_kept_once)
{
	struct response a;
	struct blob_file f;
	char bytes[32] = "";

	put_run(folder);
	ck_assert_int_eq(collect(), 2);
	ck_assert(!is_there(folder));
	ck_assert_int_eq(collect(), 0);
	ck_assert_int_eq(stored(), 12 + 18);
	a = get("?sort=asc");
	answered(a, 200);
	is(a, "/data/count", "2");
	is(a, "/data/items/0/channel_id", channel);
	is(a, "/data/items/0/format", "ogg");
	is(a, "/data/items/0/duration_ms", "61000");
	ck_assert_str_eq(sql("SELECT group_concat(language || ' ' || bytes, ',') FROM"
			     " (SELECT * FROM recordings ORDER BY language)"),
	    "es 12,original 18\n");
	ck_assert_int_eq(
	    blob_open(&fixture.app.conf, fixture.mem,
		FORMAT("%.*s", 45, sql("SELECT file FROM blobs WHERE bytes = 12")), &f),
	    OK);
	ck_assert_int_eq(read(f.fd, bytes, sizeof(bytes)), 12);
	ck_assert_str_eq(bytes, "OggS Spanish");
	ck_assert_str_eq(
	    sql("SELECT DISTINCT kind || ' ' || state || ' ' || mime_type FROM blobs"),
	    "recording checked audio/ogg\n");
}
END_TEST

START_TEST(an_mp4_has_no_language_of_its_own)
{
	struct response a;

	put_file(folder, "all.mp4", "....ftyp");
	put_file(folder, "run", "5000\n");
	ck_assert_int_eq(collect(), 1);
	a = get("");
	is(a, "/data/items/0/language", "null");
	is(a, "/data/items/0/format", "mp4");
	is(a, "/data/items/0/size_bytes", "8");
	ck_assert_str_eq(sql("SELECT mime_type FROM blobs"), "video/mp4\n");
}
END_TEST

START_TEST(a_wav_is_sound)
{
	struct response a;

	put_file(folder, "es.wav", "RIFF");
	put_file(folder, "run", "5000\n");
	ck_assert_int_eq(collect(), 1);
	a = get("");
	is(a, "/data/items/0/format", "wav");
	ck_assert_str_eq(sql("SELECT mime_type FROM blobs"), "audio/wav\n");
}
END_TEST

/* Simulates a crash between the row and the removal of the file. */
START_TEST(what_was_kept_already_is_not_kept_again)
{
	const char *file;

	put_run(folder);
	ck_assert_int_eq(collect(), 2);
	file = sql("SELECT file FROM blobs ORDER BY id");
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	put_run(folder);
	collect();
	ck_assert(!is_there(folder));
	ck_assert_str_eq(sql("SELECT file FROM blobs ORDER BY id"), file);
	ck_assert_int_eq(stored(), 12 + 18);
	ck_assert_int_eq(number("SELECT count(*) FROM recordings"), 2);
}
END_TEST

START_TEST(a_run_that_is_written_is_left_alone)
{
	int fd;

	put_run(folder);
	fd = open(FORMAT("%s/run", folder), O_RDWR);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_assert_int_eq(collect(), 0);
	ck_assert(is_there(FORMAT("%s/es.ogg", folder)));
	close(fd);
	ck_assert_int_eq(collect(), 2);
}
END_TEST

/* A young folder may belong to a child that is starting; after half a minute it does
   not. */
START_TEST(a_folder_without_a_run_is_removed_later)
{
	const char *old = FORMAT("%s/%s.%lld", fixture.app.conf.recordings_dir, channel,
	    (long long)(now_us() - 31 * S_US));

	ck_assert_int_eq(mkdir(old, 0700), 0);
	taken = 0;
	ck_assert_int_eq(collect(), 0);
	ck_assert(!is_there(old));
	/* so that the janitor continues with the next one */
	ck_assert_int_eq(taken, 1);
	ck_assert_int_eq(collect(), 0);
	ck_assert(is_there(folder));
	ck_assert_int_eq(taken, 1);
}
END_TEST

START_TEST(what_a_channel_recorded_that_is_gone_is_removed)
{
	put_run(folder);
	sql("DELETE FROM channels");
	ck_assert_int_eq(collect(), 0);
	ck_assert(!is_there(folder));
	ck_assert_int_eq(number("SELECT count(*) FROM blobs"), 0);
}
END_TEST

/* One of the folders contains a folder in place of a file, which cannot be read. */
START_TEST(one_that_cannot_be_kept_stops_no_other)
{
	const char *other = recording_folder(&fixture.app.conf, fixture.mem, channel);
	int n;

	put_run(other);
	put_file(folder, "run", "1000\n");
	ck_assert_int_eq(mkdir(FORMAT("%s/es.ogg", folder), 0700), 0);
	for (int i = 0; i < 2; i++)
		(void)!try_to_collect(&n);
	ck_assert(!is_there(other));
	ck_assert_int_eq(number("SELECT count(*) FROM recordings"), 2);
	ck_assert_int_eq(rmdir(FORMAT("%s/es.ogg", folder)), 0);
}
END_TEST

static ino_t
file_at(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_ino;
}

static const char *
stored_at(const char *language)
{
	const char *file =
	    sql(FORMAT("SELECT file FROM blobs b JOIN recordings r ON r.blob = b.id"
		       " WHERE language = '%s'",
		language));

	return FORMAT("%s/%.2s/%.45s", fixture.app.conf.blob_dir, file, file);
}

/* A hard link needs no space, so it works on a full disk. */
START_TEST(within_a_file_system_nothing_is_copied)
{
	ino_t was;

	put_run(folder);
	was = file_at(FORMAT("%s/es.ogg", folder));
	fixture.app.conf.blob_reserve_bytes = INT64_C(1) << 60;
	ck_assert_int_eq(collect(), 2);
	ck_assert_int_eq(file_at(stored_at("es")), was);
	ck_assert_str_eq(sql("SELECT count(*) FROM blobs WHERE sha256 IS NULL"), "2\n");
	ck_assert(!is_there(folder));
}
END_TEST

/* An old recording after a pause of the janitor: the file's time is that of its row. */
START_TEST(what_was_just_kept_is_not_old)
{
	const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat st;

	put_run(folder);
	ck_assert_int_eq(utimensat(AT_FDCWD, FORMAT("%s/es.ogg", folder), old, 0), 0);
	ck_assert_int_eq(collect(), 2);
	ck_assert_int_eq(stat(stored_at("es"), &st), 0);
	ck_assert_int_gt(st.st_mtime, now_us() / S_US - 60);
}
END_TEST

/* Moves the recordings' folder to another file system; false: there is none. */
static bool
move_away(void)
{
	static char other[] = "/dev/shm/dragoman-recordings-XXXXXX";
	struct stat here, there;

	if (stat(fixture.dir, &here) != 0 || stat("/dev/shm", &there) != 0 ||
	    here.st_dev == there.st_dev)
		return false;
	ck_assert_ptr_nonnull(mkdtemp(other));
	fixture.app.conf.recordings_dir = other;
	folder = recording_folder(&fixture.app.conf, fixture.mem, channel);
	return true;
}

START_TEST(between_file_systems_it_is_copied_where_there_is_room)
{
	int n;

	if (!move_away())
		return;
	put_run(folder);
	fixture.app.conf.blob_reserve_bytes = INT64_C(1) << 60;
	ck_assert_int_eq(try_to_collect(&n), ERR_FULL);
	ck_assert(is_there(FORMAT("%s/es.ogg", folder)));
	ck_assert_int_eq(number("SELECT count(*) FROM blobs"), 0);
	fixture.app.conf.blob_reserve_bytes = 0;
	ck_assert_int_eq(collect(), 2);
	ck_assert(is_there(stored_at("es")));
	ck_assert_str_eq(
	    sql("SELECT count(*) FROM blobs WHERE length(sha256) = 64"), "2\n");
	ck_assert(!is_there(folder));
	ck_assert_int_eq(rmdir(fixture.app.conf.recordings_dir), 0);
}
END_TEST

START_TEST(no_folder_no_recordings)
{
	fixture.app.conf.recordings_dir = "";
	ck_assert_int_eq(collect(), 0);
	fixture.app.conf.recordings_dir = FORMAT("%s/none", fixture.dir);
	ck_assert_int_eq(collect(), 0);
}
END_TEST

START_TEST(a_plan_that_is_used_up_is_full)
{
	bool full;

	fixture.app.conf.plan_storage_bytes = 30;
	ck_assert_int_eq(recording_full(&fixture.app.conf, fixture.app.db, fixture.mem,
			     fixture.account, &full),
	    OK);
	ck_assert(!full);
	put_run(folder);
	ck_assert_int_eq(recording_full(&fixture.app.conf, fixture.app.db, fixture.mem,
			     fixture.account, &full),
	    OK);
	ck_assert(full); /* while the recording continues */
	ck_assert_int_eq(recording_full(&fixture.app.conf, fixture.app.db, fixture.mem,
			     fixture_account(), &full),
	    OK);
	ck_assert(!full);
	ck_assert_int_eq(collect(), 2);
	ck_assert_int_eq(recording_full(&fixture.app.conf, fixture.app.db, fixture.mem,
			     fixture.account, &full),
	    OK);
	ck_assert(full);
}
END_TEST

/* ---- over HTTP ---- */

START_TEST(pages_go_on_where_they_ended)
{
	struct response a;

	put_run(folder);
	collect();
	a = get("?page_size=1");
	is(a, "/data/count", "1");
	a = get(FORMAT("?token=%s", said(&a, "/data/next")));
	is(a, "/data/count", "1");
	is(a, "/data/next", "null");
	ck_assert_int_eq(strncmp(said(&a, "/data/items/0/url"),
			     "https://speech.example.org/blobs/", 33),
	    0);
}
END_TEST

static struct response
get_event(const char *event, const char *more)
{
	return ask(FORMAT("GET /saas/v2/event/%s/recordings%s", event, more), NULL);
}

static void
put_run_of(const char *of)
{
	put_run(recording_folder(&fixture.app.conf, fixture.mem, of));
	collect();
}

/* Also of a channel that is deleted, and none of other events. */
START_TEST(an_event_lists_those_of_all_its_halls)
{
	const char *event = put_event(fixture.account, "Forum", 1);
	const char *other = put_event(fixture.account, "Other", 2);
	const char *hall = put_stage(event, "Hall");
	const char *red = put_speaking(fixture.account, event, hall);
	const char *blue = put_speaking(fixture.account, event, hall);
	struct response a;

	put_run_of(red);
	put_run_of(blue);
	put_run_of(put_speaking(fixture.account, other, put_stage(other, "Hall")));
	sql(FORMAT("DELETE FROM channels WHERE id = '%s'", red));
	a = get_event(event, "?sort=asc");
	answered(a, 200);
	is(a, "/data/count", "4");
	is(a, "/data/items/0/channel_id", red);
	is(a, "/data/items/3/channel_id", blue);
	ck_assert_int_eq(strncmp(said(&a, "/data/items/0/url"),
			     "https://speech.example.org/blobs/", 33),
	    0);
	a = get_event(event, "?page_size=3");
	is(a, "/data/items/0/channel_id", blue);
	a = get_event(event, FORMAT("?token=%s", said(&a, "/data/next")));
	is(a, "/data/count", "1");
	is(a, "/data/items/0/channel_id", red);
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = get_event(event, "");
	refused(a, 404, "resource-not-found");
}
END_TEST

START_TEST(a_channel_of_another_account_has_none)
{
	struct response a;
	const char *id;

	put_run(folder);
	collect();
	a = get("");
	id = said(&a, "/data/items/0/recording_id");
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = get("");
	refused(a, 404, "resource-not-found");
	a = ask(FORMAT("DELETE /saas/channel/%s/recordings/%s", channel, id), NULL);
	refused(a, 404, "resource-not-found");
	ck_assert_int_eq(number("SELECT count(*) FROM recordings"), 2);
}
END_TEST

START_TEST(a_recording_is_deleted_with_its_file)
{
	struct response a;
	const char *path;

	put_run(folder);
	collect();
	path = FORMAT("DELETE /saas/channel/%s/recordings/%s", channel,
	    said((a = get(""), &a), "/data/items/0/recording_id"));
	a = ask(path, NULL);
	answered(a, 200);
	ck_assert_int_eq(number("SELECT count(*) FROM recordings"), 1);
	ck_assert_int_eq(number("SELECT count(*) FROM blobs WHERE state = 'gone'"), 1);
	ck_assert_int_eq(stored(), number("SELECT bytes FROM recordings"));
	a = ask(path, NULL);
	refused(a, 404, "resource-not-found");
}
END_TEST

/* ---- going ---- */

static int
expire(int64_t before_us)
{
	int64_t n;

	ck_assert_int_eq(recording_expire(fixture.app.db, before_us, 10, &n), OK);
	return (int)n;
}

START_TEST(old_ones_go)
{
	put_run(folder);
	collect();
	ck_assert_int_eq(expire(now_us() - 60 * S_US), 0);
	ck_assert_int_eq(expire(now_us()), 2);
	ck_assert_int_eq(number("SELECT count(*) FROM blobs WHERE state = 'gone'"), 2);
	ck_assert_int_eq(stored(), 0);
}
END_TEST

START_TEST(they_go_with_their_channel_but_stay_with_their_event)
{
	const char *event = put_event(fixture.account, "Forum", 1);
	struct response a;

	channel = put_speaking(fixture.account, event, put_stage(event, "Hall"));
	put_run(folder);
	put_run(recording_folder(&fixture.app.conf, fixture.mem, channel));
	collect();
	collect();
	ck_assert_int_eq(number("SELECT count(*) FROM recordings"), 4);
	ck_assert_int_eq(expire(INT64_MIN), 0);
	sql("DELETE FROM channels");
	ck_assert_int_eq(expire(INT64_MIN), 2);
	a = get("");
	is(a, "/data/count", "2");
	sql("DELETE FROM events");
	ck_assert_int_eq(expire(INT64_MIN), 2);
	a = get("");
	refused(a, 404, "resource-not-found");
	ck_assert_int_eq(stored(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("recordings");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_finished_run_is_kept_once);
	tcase_add_test(t, an_mp4_has_no_language_of_its_own);
	tcase_add_test(t, a_wav_is_sound);
	tcase_add_test(t, what_was_kept_already_is_not_kept_again);
	tcase_add_test(t, a_run_that_is_written_is_left_alone);
	tcase_add_test(t, a_folder_without_a_run_is_removed_later);
	tcase_add_test(t, what_a_channel_recorded_that_is_gone_is_removed);
	tcase_add_test(t, one_that_cannot_be_kept_stops_no_other);
	tcase_add_test(t, within_a_file_system_nothing_is_copied);
	tcase_add_test(t, what_was_just_kept_is_not_old);
	tcase_add_test(t, between_file_systems_it_is_copied_where_there_is_room);
	tcase_add_test(t, no_folder_no_recordings);
	tcase_add_test(t, a_plan_that_is_used_up_is_full);
	tcase_add_test(t, pages_go_on_where_they_ended);
	tcase_add_test(t, an_event_lists_those_of_all_its_halls);
	tcase_add_test(t, a_channel_of_another_account_has_none);
	tcase_add_test(t, a_recording_is_deleted_with_its_file);
	tcase_add_test(t, old_ones_go);
	tcase_add_test(t, they_go_with_their_channel_but_stay_with_their_event);
	suite_add_tcase(s, t);
	return unit_run(s);
}
