/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs are killed with -9 while they work. Acknowledged changes exist, others are
 * not half done, nothing is done twice, and no job is stuck.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/hash.h"
#include "cases.h"
#include "db/db.h"
#include "killing.h"

/* ---- files on disk against rows ---- */

static struct {
	int files, strays;
	bool age;         /* make the strays look old */
	const char *last; /* a stray file, and its pretended age */
} seen;

static int
look_at(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	static const struct sql known = { "e2e.known",
		"SELECT count(*) FROM blobs WHERE file = $1", NULL };
	struct timespec old[2] = { { .tv_sec = st->st_mtime - 7200 },
		{ .tv_sec = st->st_mtime - 7200 } };

	if (kind != FTW_F || where->level < 2 || strstr(path, "/lost/") != NULL)
		/* a folder, the store's own file store.id, or a file put aside */
		return 0;
	seen.files++;
	if (strstr(path, "/tmp/") == path + strlen(settings()->blob_dir) ||
	    count_in_db(&known, path + where->base) == 0) {
		seen.strays++;
		seen.last = text(
		    "%s, %lld s old", path, (long long)(time(NULL) - st->st_mtime));
		if (seen.age)
			utimensat(AT_FDCWD, path, old, 0);
	}
	return 0;
}

static int
count_strays(bool age)
{
	seen.files = seen.strays = 0;
	seen.age = age;
	ck_assert_int_eq(nftw(settings()->blob_dir, look_at, 16, FTW_PHYS), 0);
	return seen.strays;
}

static bool
no_strays(const void *nothing)
{
	(void)nothing;
	return count_strays(false) == 0;
}

static const struct sql forget_sweep = { "e2e.forget_sweep",
	"DELETE FROM chores WHERE name = $1", NULL };

/*
 * A sweep deletes strays older than an hour. A new janitor, which knows of no earlier
 * sweep, starts one at once.
 */
static void
expect_swept(void)
{
	int strays = count_strays(true), files = seen.files;

	change_db(&forget_sweep, "janitor: sweep files");
	worker_signal("janitor", SIGTERM);
	ck_assert_msg(becomes(no_strays, NULL, 30), "%d strays stay, the last is %s",
	    seen.strays, seen.last);
	printf("kill: %d files on disk, %d of them strays, which the sweep took\n",
	    files, strays);
}

static const struct sql bytes_apart = { "e2e.bytes_apart",
	"SELECT stored_bytes - (SELECT CAST(coalesce(sum(bytes), 0) AS INTEGER) FROM"
	" blobs WHERE account = $1 AND state IN ('stored', 'checked'))"
	" FROM accounts WHERE id = $1",
	NULL };

/* ---- the worker ---- */

#define CLONES 25

static const struct sql open_voices = { "e2e.open_voices",
	"SELECT count(*) FROM voices WHERE account = $1"
	" AND status NOT IN ('ready', 'failed')",
	NULL };
static const struct sql ready_voices = { "e2e.ready_voices",
	"SELECT count(*) FROM voices WHERE account = $1 AND status = 'ready'", NULL };
static const struct sql failed_voices = { "e2e.failed_voices",
	"SELECT count(*) FROM voices WHERE account = $1 AND status = 'failed'"
	" AND errors <> ''",
	NULL };
static const struct sql jobs_left = { "e2e.jobs_left",
	"SELECT count(*) FROM jobs WHERE account = $1", NULL };
/* Counts ready voices that do not have exactly one sample and one blob of it. */
static const struct sql not_one_row = { "e2e.not_one_row",
	"SELECT count(*) FROM voices WHERE account = $1 AND status = 'ready' AND"
	" (SELECT count(*) FROM tts_samples WHERE voice = voices.id) <> 1",
	NULL };
static const struct sql not_one_blob = { "e2e.not_one_blob",
	"SELECT count(*) FROM voices WHERE account = $1 AND status = 'ready' AND"
	" (SELECT count(*) FROM blobs WHERE voice = voices.id"
	" AND kind = 'tts_sample') <> 1",
	NULL };
static const struct sql samples_elsewhere = { "e2e.samples_elsewhere",
	"SELECT count(*) FROM blobs WHERE account = $1 AND kind = 'tts_sample' AND"
	" voice NOT IN (SELECT id FROM voices WHERE status = 'ready')",
	NULL };

/* Five clients start voices at once; three of the recordings are invalid. */
static void
queue_clones(const struct account *as)
{
	struct bytes good = recording("speech-12s.wav"), bad = recording("page.html");
	int status;

	for (int i = 0; i < 5; i++)
		if (fork() == 0) {
			for (int k = i * 5; k < i * 5 + 5; k++)
				clone_with(&(struct clone){ .as = as,
					       .name = text("Voice %d", k) },
				    k % 8 == 7 ? bad : good);
			_exit(0);
		}
	for (int i = 0; i < 5; i++) {
		wait(&status);
		ck_assert_msg(status == 0, "a client failed");
	}
}

static int
kill_the_worker(const struct account *as)
{
	int kills = 0;

	while (kills < KILLS && count_in_db(&open_voices, as->user_id) > 0) {
		nap_between(0.05, 0.7);
		kills += worker_signal("voice_clone", SIGKILL) > 0;
	}
	return kills;
}

static bool
all_made(const void *account)
{
	return count_in_db(&open_voices, account) == 0 &&
	       count_in_db(&jobs_left, account) == 0;
}

static void
expect_every_voice_once(const char *account)
{
	int64_t ready = count_in_db(&ready_voices, account);
	int64_t failed = count_in_db(&failed_voices, account);

	printf("kill: %d ready, %d failed with a reason\n", (int)ready, (int)failed);
	ck_assert_int_eq(ready + failed, CLONES);
	ck_assert_int_eq(failed, 3);
	ck_assert_int_eq(count_in_db(&not_one_row, account), 0);
	ck_assert_int_eq(count_in_db(&not_one_blob, account), 0);
	ck_assert_int_eq(count_in_db(&samples_elsewhere, account), 0);
	ck_assert_int_eq(count_in_db(&jobs_left, account), 0);
	ck_assert_int_eq(count_in_db(&bytes_apart, account), 0);
}

int
worker_takeovers(const char *name)
{
	FILE *f = fopen(text("%s/var/log/%s.log", instance()->dir, name), "r");
	static const char said[] = " jobs of a killed worker";
	char line[1024], *s;
	int n = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if ((s = strstr(line, said)) == NULL)
			continue;
		while (s > line && s[-1] >= '0' && s[-1] <= '9')
			s--;
		n += atoi(s);
	}
	if (f != NULL)
		fclose(f);
	return n;
}

START_TEST(clones_survive_their_worker_being_killed)
{
	struct account me = account_new("kill");
	double start = seconds();
	pid_t clients;
	int kills;

	account_plan(&me, "--voices", "0");
	if ((clients = fork()) == 0) {
		queue_clones(&me);
		_exit(0);
	}
	while (count_in_db(&open_voices, me.user_id) < CLONES / 2)
		nap(0.01);
	kills = kill_the_worker(&me);
	waitpid(clients, NULL, 0);
	ck_assert_msg(becomes(all_made, me.user_id, 240), "%d voices are stuck",
	    (int)count_in_db(&open_voices, me.user_id));
	printf("kill: %d clones, %d kills, %d tries, %.1f s\n", CLONES, kills,
	    CLONES + worker_takeovers("voice_clone"), seconds() - start);
	ck_assert_int_ge(kills, KILLS);
	expect_every_voice_once(me.user_id);
	expect_swept();
}
END_TEST

/* ---- the web server's programs ---- */

/* An upload, as its client reports it. */
struct tried {
	char blob[40], sha256[72];
	int status;
};

#define CLIENTS 4

static void
upload_until_told(const struct account *as, int to, const char *stop)
{
	while (access(stop, F_OK) != 0) {
		struct bytes file = wav_of((size_t)random_between(200000, 4000000));
		json_t *target = target_new(as, "audio/wav");
		struct form f = form_of(target, file);
		struct answer a = form_send(&f);
		struct tried t = { .status = a.status };

		if (a.status != 201)
			ck_assert_msg(
			    strstr(a.body, "<Error><Code>") != NULL, "%s", shown(&a));
		snprintf(t.blob, sizeof(t.blob), "%s", text_at(target, "blob_id"));
		snprintf(t.sha256, sizeof(t.sha256), "%s", sha256_of(file));
		ck_assert_int_eq(write(to, &t, sizeof(t)), sizeof(t));
	}
}

/* Kills all receivers of uploads again and again, until no upload runs. */
static int
kill_the_receivers(const char *stop)
{
	int kills = 0, fd;

	while (kills < KILLS) {
		nap_between(0.1, 0.5);
		kills += program_signal("blobs", SIGKILL) > 0;
	}
	nap(1);
	fd = open(stop, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	return kills;
}

/* The web server needs a moment to start its programs again. */
static struct answer
patiently(const struct account *as, const char *path)
{
	double end = seconds() + 20;
	struct answer a;

	while ((a = ASK(.path = path, .as = as)).status >= 500 && seconds() < end)
		nap(0.1);
	return a;
}

/* The file must be complete, or absent; only an unanswered upload may be absent. */
static bool
is_there(const struct account *as, const struct tried *t)
{
	struct answer a = patiently(as, text("/blobs/%s", t->blob));

	if (a.status == 404 && t->status != 201)
		return false;
	ck_assert_msg(
	    a.status == 200, "%s was answered %d: %s", t->blob, t->status, shown(&a));
	ck_assert_str_eq(sha256_of((struct bytes){ a.body, a.n }), t->sha256);
	ck_assert_str_eq(header_of(&a, "ETag"), text("\"%s\"", t->sha256));
	return true;
}

static void
check_uploads(const struct account *as, int from)
{
	int good = 0, failed = 0, unanswered = 0;
	struct tried t;

	while (read(from, &t, sizeof(t)) == sizeof(t)) {
		bool there = is_there(as, &t);

		good += t.status == 201;
		failed += t.status != 201;
		unanswered += there && t.status != 201;
	}
	printf("kill: %d uploads acknowledged and there, %d failed, %d of these "
	       "there all the same\n",
	    good, failed, unanswered);
	ck_assert_int_gt(good, 10);
	ck_assert_int_eq(count_in_db(&bytes_apart, as->user_id), 0);
}

START_TEST(uploads_survive_their_programs_being_killed)
{
	struct account me = account_new("kill uploads");
	const char *stop = text("%s/var/e2e-stop", instance()->dir);
	int fd[2], kills, status;
	double start = seconds();

	ck_assert_int_eq(pipe(fd), 0);
	for (int i = 0; i < CLIENTS; i++)
		if (fork() == 0) {
			upload_until_told(&me, fd[1], stop);
			_exit(0);
		}
	close(fd[1]);
	kills = kill_the_receivers(stop);
	printf("kill: programs killed %d times in %.1f s\n", kills, seconds() - start);
	check_uploads(&me, fd[0]);
	unlink(stop);
	while (wait(&status) > 0)
		ck_assert_msg(status == 0, "a client failed");
	expect_swept();
}
END_TEST

static const struct sql let_go = { "e2e.let_go",
	"UPDATE voices SET lock_us = 0 WHERE id = $1", NULL };

/* Answers of the web server itself are in the envelope. */
START_TEST(a_program_killed_at_a_request_is_told_as_a_problem)
{
	struct account me = account_new("kill requests");
	const char *voice = voice_made(&me);
	int good = 0, told = 0;
	pid_t killer;

	for (int i = 0; i < KILLS; i++) {
		struct answer a = patiently(&me, "/saas/voice/limits");

		EXPECT(a, 200);
		if ((killer = fork()) == 0) {
			nap_between(0.01, 0.15);
			program_signal("samples", SIGKILL);
			_exit(0);
		}
		a = ASK(.path = text("/saas/voice/m/%s/tts-sample", voice), .as = &me,
		    .json = "{\"data\":{\"lang_code\":\"de\"}}");
		waitpid(killer, NULL, 0);
		good += a.status == 200;
		told += a.status != 200;
		/* the lease that a killed process held for 120 s */
		change_db(&let_go, voice);
		if (a.status != 200)
			expect_problem(&a, a.status,
			    strrchr(text_at(a.json, "errors.0.type"), '/') + 1);
	}
	printf(
	    "kill: of %d requests %d good, %d told as problems\n", KILLS, good, told);
	ck_assert_int_eq(count_in_db(&bytes_apart, me.user_id), 0);
	ck_assert_int_eq(count_in_db(&not_one_row, me.user_id), 0);
	expect_swept();
}
END_TEST

Suite *
kill_workers_suite(void)
{
	TCase *t;
	Suite *s = suite_of("kill-workers", NULL, &t);

	tcase_set_timeout(t, 400);
	tcase_add_test(t, clones_survive_their_worker_being_killed);
	kill_rest(t);
	return s;
}

Suite *
kill_uploads_suite(void)
{
	TCase *t;
	Suite *s = suite_of("kill-uploads", NULL, &t);

	tcase_set_timeout(t, 200);
	tcase_add_test(t, a_program_killed_at_a_request_is_told_as_a_problem);
	tcase_add_test(t, uploads_survive_their_programs_being_killed);
	return s;
}
