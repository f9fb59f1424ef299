/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of a glossary in a bucket, which tests/s3-server plays in a child process.
 */
#include <signal.h>
#include <sys/wait.h>

#define UNIT_TEST
#include "tests/unit/glossary_fixture.h"

static struct {
	pid_t pid;
	int to, from; /* descriptors of its standard input and output */
} bucket;

static int
bucket_start(void)
{
	const char *build = getenv("BUILD");
	char path[512], line[16] = "";
	int in[2], out[2];

	snprintf(path, sizeof(path), "%s/tests/s3-server", build ? build : "build");
	ck_assert(pipe(in) == 0 && pipe(out) == 0);
	ck_assert_int_ge(bucket.pid = fork(), 0);
	if (bucket.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		execl(path, path, "secret", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	bucket.to = in[1];
	bucket.from = out[0];
	ck_assert_int_gt(read(bucket.from, line, sizeof(line) - 1), 0);
	return atoi(line);
}

static void
bucket_stop(void)
{
	if (bucket.pid == 0)
		return;
	close(bucket.to);
	close(bucket.from);
	waitpid(bucket.pid, NULL, 0);
	bucket.pid = 0;
}

static void
setup(void)
{
	struct conf *c;

	glossary_fixture();
	c = &fixture.app.conf;
	c->blob_store = "s3";
	c->blob_endpoint =
	    arena_printf(fixture.mem, "http://127.0.0.1:%d", bucket_start());
	c->blob_bucket = "media";
	c->blob_region = "us-east-1";
	c->blob_access_key = "AK";
	c->blob_secret_key = "secret";
}

static void
teardown(void)
{
	bucket_stop();
	fixture_close();
}

START_TEST(a_file_in_a_bucket_is_read_here)
{
	const char *id = put_glossary(fixture.account, "Anna", 1);
	struct response a = upload(id, "a,b\r\n");

	answered(a, 200);
	ck_assert_int_eq(files(), 0);
	a = download(id, NULL);
	answered(a, 200);
	assert_same_body(a.body, "a,b\r\n");
	ck_assert_pstr_eq(head_of(&a, "Location"), NULL);
	ck_assert_pstr_eq(head_of(&a, "ETag"),
	    arena_printf(fixture.mem, "\"%s\"", hash_hex(fixture.mem, "a,b\r\n", 5)));
}
END_TEST

START_TEST(a_bucket_that_is_silent_is_busy)
{
	const char *id = put_glossary(fixture.account, "Anna", 1), *before;
	struct response a;

	upload(id, "a,b");
	set_glossary(id, "status = 'failed'");
	before = everything();
	bucket_stop();
	a = upload(id, "c,d");
	refused(a, 503, "service-busy");
	is(a, "/errors/0/detail", "The store of files does not answer; try again.");
	ck_assert_pstr_eq(head_of(&a, "Retry-After"), "1");
	a = download(id, NULL);
	refused(a, 503, "service-busy");
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(files(), 0);
}
END_TEST

START_TEST(a_bucket_that_refuses_is_a_fault_of_ours)
{
	const char *id = put_glossary(fixture.account, "Anna", 1), *before;
	struct response a;

	upload(id, "a,b");
	set_glossary(id, "status = 'failed'");
	before = everything();
	fixture.app.conf.blob_secret_key = "another";
	a = upload(id, "c,d");
	refused(a, 500, "internal-server-error");
	a = download(id, NULL);
	refused(a, 500, "internal-server-error");
	ck_assert_str_eq(everything(), before);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("glossary s3");
	TCase *t = tcase_create("all");

	signal(SIGPIPE, SIG_IGN);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_file_in_a_bucket_is_read_here);
	tcase_add_test(t, a_bucket_that_is_silent_is_busy);
	tcase_add_test(t, a_bucket_that_refuses_is_a_fault_of_ours);
	suite_add_tcase(s, t);
	return unit_run(s);
}
