/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `dragoman doctor` at a bucket, which ../s3-server.c plays in a child process: each
 * way of using it is tried, and a fault is named.
 */
#include <sys/wait.h>

#define UNIT_TEST
#include "../s3-server.c"

#include "doctor/doctor.h"
#include "stores.h"

static int bucket_port, bucket_stop[2];
static pid_t bucket;
static struct buf findings;

static void
start_bucket(void)
{
	int listener = listen_on(&bucket_port);

	if (pipe(bucket_stop) != 0 || (bucket = fork()) < 0)
		abort();
	if (bucket == 0) {
		close(bucket_stop[1]);
		serve(listener, bucket_stop[0]);
		_exit(1);
	}
	close(listener);
	close(bucket_stop[0]);
}

static void
setup(void)
{
	stores_open();
	findings = (struct buf){ .mem = mem };
	conf.hls_store = "disk";
	public = NULL;
	is_made = true;
}

static void
teardown(void)
{
	close(bucket_stop[1]);
	waitpid(bucket, NULL, 0);
	stores_close();
}

/* Start the bucket as it is set up, and examine it. */
static void
examine(void)
{
	const struct doctor_check *c = doctor_checks;

	start_bucket();
	conf.blob_store = "s3";
	conf.blob_endpoint = arena_printf(mem, "http://127.0.0.1:%d", bucket_port);
	conf.hls_public_url = arena_printf(mem, "%s/media/hls", conf.blob_endpoint);
	while (strcmp(c->name, "bucket") != 0)
		c++;
	doctor_run(&conf, c, &findings);
}

/* The findings, a line each. */
static const char *
found(void)
{
	const struct finding *f = (const void *)findings.p;
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < findings.len / sizeof(*f); i++)
		buf_printf(&b, "%s %s: %s\n", f[i].result, f[i].looked, f[i].found);
	return buf_text(&b);
}

static void
be_good(void)
{
}

static void
hold_hls(void)
{
	conf.hls_store = "bucket";
	public = strdup("hls/");
}

static void
hide_hls(void)
{
	conf.hls_store = "bucket";
}

static void
be_missing(void)
{
	is_made = false;
}

static void
have_another_key(void)
{
	conf.blob_secret_key = "wrong";
}

static void
have_no_disk(void)
{
	conf.blob_dir = "/proc/none";
}

static const struct {
	void (*spoil)(void);
	const char *found;
	int failures;
} rows[] = {
	{ be_good, "ok the bucket: upload forms: works", 0 },
	{ be_good, "ok the bucket: files of upload forms: works", 0 },
	{ be_good, "ok the bucket: writing: works", 0 },
	{ be_good, "ok the bucket: reading: works", 0 },
	{ be_good, "ok the bucket: links: works", 0 },
	{ be_good, "ok the bucket: removing: works", 0 },
	{ hold_hls, "ok the bucket: HLS, as players read it: works", 0 },
	{ hide_hls, "fail the bucket: HLS, as players read it: is refused", 1 },
	{ be_missing, "fail the bucket: There is no such bucket", 1 },
	{ have_another_key, "fail the bucket: The key is wrong", 1 },
	{ have_no_disk, "fail the bucket: writing", 2 },
};

START_TEST(each_way_of_using_a_bucket_is_tried)
{
	int failures = 0;

	rows[_i].spoil();
	examine();
	ck_assert_msg(strstr(found(), rows[_i].found) != NULL, "%s", found());
	for (const char *s = found(); (s = strstr(s, "fail ")) != NULL; s++)
		failures++;
	ck_assert_msg(failures == rows[_i].failures, "%s", found());
}
END_TEST

START_TEST(without_a_bucket_nothing_is_found)
{
	examine();
	findings.len = 0;
	conf.blob_store = "disk";
	doctor_run(&conf, &(const struct doctor_check){ "bucket", check_bucket, 10 },
	    &findings);
	ck_assert_str_eq(found(), "");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("doctor bucket");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, each_way_of_using_a_bucket_is_tried, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(t, without_a_bucket_nothing_is_found);
	suite_add_tcase(s, t);
	return unit_run(s);
}
