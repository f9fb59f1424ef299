/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in a bucket, which ../s3-server.c plays in a child process. */
#include <sys/wait.h>

#define UNIT_TEST
#include "../s3-server.c"

#include "blob/policy.h"
#include "net/http.h"
#include "stores.h"

static int bucket_port, bucket_stop[2];
static pid_t bucket;

static void
setup(void)
{
	stores_open();
	conf.blob_store = "s3";
	conf.blob_endpoint = arena_printf(mem, "http://127.0.0.1:%d", bucket_port);
}

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
stop_bucket(void)
{
	close(bucket_stop[1]);
	waitpid(bucket, NULL, 0);
}

static int
call(const char *method, const char *url, const char *body)
{
	struct http_call c = { .method = method,
		.url = url,
		.body = body,
		.body_len = body != NULL ? strlen(body) : 0,
		.timeout_ms = 5000,
		.max_bytes = 1 << 20,
		.allow_private = true };
	struct http_answer a;

	ck_assert_int_eq(http_do(mem, &c, &a), OK);
	return a.status;
}

START_TEST(a_link_is_good_for_what_it_says_and_no_more)
{
	const char *url, *other;

	store("u/a b/" ID, "x");
	url = blob_link(&conf, mem, "u/a b/" ID, "audio/wav", now_us(), 60);
	ck_assert_ptr_nonnull(strstr(url, "/media/u/a%20b/" ID "?X-Amz-Algorithm="));
	ck_assert_ptr_nonnull(strstr(url, "&X-Amz-Expires=60&"));
	ck_assert_ptr_nonnull(
	    strstr(url, "&response-content-disposition=attachment"
			"&response-content-type=audio%2Fwav&X-Amz-Signature="));
	ck_assert_int_eq(call("GET", url, NULL), 200);
	ck_assert_int_eq(call("DELETE", url, NULL), 403);
	ck_assert_int_eq(call("GET", arena_printf(mem, "%s0", url), NULL), 403);
	other = blob_link(&conf, mem, "u/a b/" ID, "text/html", now_us(), 1 << 30);
	ck_assert_ptr_nonnull(strstr(other, "&X-Amz-Expires=604800&"));
}
END_TEST

START_TEST(a_form_is_good_at_the_bucket)
{
	const struct sigv4 v = blob_signer(&conf);
	struct policy_grant g = { "media", "u/a/b", "audio/wav", 1, 10, now_us(), 60 };
	struct policy_field f[FORM_FIELDS];
	struct http_part parts[FORM_FIELDS + 1];
	struct http_call c = { .method = "POST",
		.url = blob_bucket_url(&conf, mem),
		.parts = parts,
		.nparts = FORM_FIELDS + 1,
		.timeout_ms = 5000,
		.max_bytes = 1 << 20,
		.allow_private = true };
	struct http_answer a;

	policy_form(mem, &v, &g, f);
	for (int i = 0; i < FORM_FIELDS; i++)
		parts[i] = (struct http_part){
			.name = f[i].name, .data = f[i].value, .len = strlen(f[i].value)
		};
	parts[FORM_FIELDS] = (struct http_part){
		.name = "file", .data = "sound", .len = 5, .filename = "x"
	};
	ck_assert_int_eq(http_do(mem, &c, &a), OK);
	ck_assert_int_eq(a.status, 201);
	ck_assert_str_eq(fetch("u/a/b"), "sound");
	parts[FORM_SIGNATURE] = parts[FORM_KEY];
	parts[FORM_SIGNATURE].name = f[FORM_SIGNATURE].name;
	ck_assert_int_eq(http_do(mem, &c, &a), OK);
	ck_assert_int_eq(a.status, 403);
}
END_TEST

static const struct {
	const char *endpoint, *addressing, *url;
} places[] = {
	{ "https://s3.example.org", "", "https://s3.example.org/media" },
	{ "https://s3.example.org", "path", "https://s3.example.org/media" },
	{ "https://s3.example.org", "host", "https://media.s3.example.org" },
	{ "https://s3.example.org:9000/x", "", "https://s3.example.org:9000/x/media" },
	{ "https://files.example.org", "own", "https://files.example.org" },
	{ "https://media.example.org", "path", "https://media.example.org/media" },
	{ "https://mediathek.org", "", "https://mediathek.org/media" },
	/* in an earlier spelling */
	{ "https://media.s3.example.org", "", "https://media.s3.example.org" },
	{ "http://127.0.0.1:9000/media", "", "http://127.0.0.1:9000/media" },
};

START_TEST(the_bucket_is_apart_from_the_address)
{
	conf.blob_endpoint = places[_i].endpoint;
	conf.blob_addressing = places[_i].addressing;
	ck_assert_str_eq(blob_bucket_url(&conf, mem), places[_i].url);
}
END_TEST

static const struct {
	const char *bucket, *secret, *path, *addressing, *fault;
} wrongs[] = {
	{ "media", "secret", "", "", NULL },
	{ "media", "secret", "/media", "own", NULL },
	{ "media", "secret", "/media", "", NULL }, /* in an earlier spelling */
	{ "medium", "secret", "", "",
	    "There is no such bucket: blob.bucket, or blob.addressing." },
	{ "media", "wrong", "", "",
	    "The key is wrong: blob.access_key, blob.secret_key." },
	{ "media", "secret", "", "own",
	    "The address is not a bucket's: blob.addressing." },
	{ "other", "secret", "/media", "own",
	    "Another bucket answers: blob.bucket, or blob.addressing." },
	{ "media", "secret", "/nowhere", "path",
	    "There is no such bucket: blob.bucket, or blob.addressing." },
};

START_TEST(a_fault_of_a_bucket_is_told_before_it_is_needed)
{
	conf.blob_bucket = wrongs[_i].bucket;
	conf.blob_secret_key = wrongs[_i].secret;
	conf.blob_addressing = wrongs[_i].addressing;
	conf.blob_endpoint =
	    arena_printf(mem, "%s%s", conf.blob_endpoint, wrongs[_i].path);
	ck_assert_pstr_eq(blob_fault(&conf, mem), wrongs[_i].fault);
}
END_TEST

START_TEST(a_bucket_that_does_not_answer_is_told)
{
	conf.blob_endpoint = "http://127.0.0.1:1";
	ck_assert_pstr_eq(
	    blob_fault(&conf, mem), "The bucket does not answer: blob.endpoint.");
	conf.blob_store = "disk";
	ck_assert_ptr_null(blob_fault(&conf, mem));
}
END_TEST

START_TEST(a_look_tells_size_and_etag)
{
	struct blob_facts facts;

	store("u/a/c", "hello");
	ck_assert_int_eq(blob_stat(&conf, mem, "u/a/c", &facts), OK);
	ck_assert_int_eq(facts.bytes, 5);
	ck_assert_int_eq(facts.etag[0], '"');
	ck_assert_ptr_null(facts.sha256);
}
END_TEST

static const struct {
	const char *name;
	enum err e, removing;
} faults[] = {
	{ "fault-503", ERR_BUSY, ERR_BUSY },
	{ "fault-500", ERR_BUSY, ERR_BUSY },
	{ "fault-403", ERR_REFUSED, ERR_REFUSED },
	{ "fault-301", ERR_REFUSED, ERR_REFUSED },
	{ "fault-404", ERR_NOT_FOUND, OK },
	{ "fault-bucket", ERR_REFUSED, ERR_REFUSED },
};

START_TEST(an_answer_of_s3_is_an_error_of_ours)
{
	const char *name = faults[_i].name;
	struct blob_facts facts;
	struct blob_file f;
	struct blob_in *in;
	enum err e;

	ck_assert_int_eq(blob_open(&conf, mem, name, &f), faults[_i].e);
	ck_assert_int_eq(blob_remove(&conf, mem, name), faults[_i].removing);
	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	e = blob_end(in, name, &facts);
	ck_assert_int_eq(e, faults[_i].e == ERR_NOT_FOUND ? ERR_REFUSED : faults[_i].e);
}
END_TEST

START_TEST(another_secret_is_refused)
{
	struct blob_file f;

	conf.blob_secret_key = "wrong";
	ck_assert_int_eq(blob_open(&conf, mem, "u/a/b", &f), ERR_REFUSED);
}
END_TEST

START_TEST(no_bucket_at_all)
{
	struct blob_file f;

	conf.blob_endpoint = "http://127.0.0.1:1";
	ck_assert_int_eq(blob_open(&conf, mem, "u/a/b", &f), ERR_TIMEOUT);
	conf.blob_endpoint = "";
	ck_assert_int_eq(blob_open(&conf, mem, "u/a/b", &f), ERR_UNSUPPORTED);
}
END_TEST

START_TEST(a_sweep_of_a_bucket_is_one_of_temporary_files)
{
	int64_t removed;

	store("u/a/d", "x");
	make_old(arena_printf(mem, "%s/tmp", conf.blob_dir));
	close(open(arena_printf(mem, "%s/tmp/stale", conf.blob_dir), O_CREAT | O_WRONLY,
	    0600));
	make_old(arena_printf(mem, "%s/tmp/stale", conf.blob_dir));
	ck_assert_int_eq(
	    blob_sweep(&conf, mem, now_us() - 3600 * S_US, is_other, NULL, &removed),
	    OK);
	ck_assert_int_eq(removed, 1);
}
END_TEST

static TCase *
s3(void)
{
	TCase *t = tcase_create("s3");

	tcase_add_unchecked_fixture(t, start_bucket, stop_bucket);
	tcase_add_checked_fixture(t, setup, stores_close);
	stores_both(t);
	tcase_add_test(t, a_link_is_good_for_what_it_says_and_no_more);
	tcase_add_test(t, a_form_is_good_at_the_bucket);
	tcase_add_loop_test(t, the_bucket_is_apart_from_the_address, 0, COUNT(places));
	tcase_add_loop_test(
	    t, a_fault_of_a_bucket_is_told_before_it_is_needed, 0, COUNT(wrongs));
	tcase_add_test(t, a_bucket_that_does_not_answer_is_told);
	tcase_add_test(t, a_look_tells_size_and_etag);
	tcase_add_loop_test(t, an_answer_of_s3_is_an_error_of_ours, 0, COUNT(faults));
	tcase_add_test(t, another_secret_is_refused);
	tcase_add_test(t, no_bucket_at_all);
	tcase_add_test(t, a_sweep_of_a_bucket_is_one_of_temporary_files);
	return t;
}

int
main(void)
{
	return stores_run("s3", s3());
}
