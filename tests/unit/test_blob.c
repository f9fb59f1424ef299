/*
 * Where bytes live: on disk, in a bucket, and the XML the latter talks in.
 */
#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#define UNIT_TEST
#include "../s3-server.c"

#include "base/clock.h"
#include "base/xml.h"
#include "blob/blob.h"
#include "blob/link.h"
#include "blob/policy.h"
#include "net/http.h"

#define ID "ec7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define NAME ID "-0123abcd"

static struct arena *mem;
static struct conf conf;
static char *root; /* a folder of this test's own */
static int bucket_port, bucket_stop[2];
static pid_t bucket;

static void
setup(void)
{
	mem = arena_new();
	root = arena_str(mem, "/tmp/test_blob.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	conf = (struct conf){
		.server_base_url = "https://speech.example.org",
		.blob_store = "disk",
		.blob_dir = arena_printf(mem, "%s/blobs", root),
		.blob_url_s = 3600,
		.blob_region = "us-east-1",
		.blob_access_key = "AK",
		.blob_secret_key = "secret",
		.blob_endpoint = arena_printf(mem, "http://127.0.0.1:%d", bucket_port),
		.engine_timeout_ms = 5000,
	};
}

static void
setup_s3(void)
{
	setup();
	conf.blob_store = "s3";
}

static int nfiles;

static int
count_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path, (void)st, (void)at;
	nfiles += type == FTW_F;
	return 0;
}

static int
remove_it(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void
teardown(void)
{
	nftw(root, remove_it, 16, FTW_DEPTH | FTW_PHYS);
	arena_free(mem);
}

/* Below blob.dir, temporary ones too. */
static int
files(void)
{
	nfiles = 0;
	nftw(root, count_file, 16, FTW_PHYS);
	return nfiles;
}

static void
store(const char *name, const char *text)
{
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	ck_assert_int_eq(blob_put(in, text, strlen(text)), OK);
	ck_assert_int_eq(blob_end(in, name, &facts), OK);
}

static const char *
fetch(const char *name)
{
	struct blob_file f;
	char *to;

	if (blob_open(&conf, mem, name, &f) != OK)
		return NULL;
	to = arena_alloc(mem, (size_t)f.bytes + 1);
	ck_assert_int_eq(read(f.fd, to, (size_t)f.bytes), f.bytes);
	close(f.fd);
	return to;
}

/* ---- both stores ---- */

START_TEST(what_was_stored_is_there_until_it_is_removed)
{
	struct blob_facts facts;

	store(NAME, "hello");
	ck_assert_str_eq(fetch(NAME), "hello");
	ck_assert_int_eq(blob_look(&conf, mem, NAME, &facts), OK);
	ck_assert_int_eq(facts.bytes, 5);
	ck_assert_int_eq(blob_remove(&conf, mem, NAME), OK);
	ck_assert_ptr_null(fetch(NAME));
	ck_assert_int_eq(blob_look(&conf, mem, NAME, &facts), ERR_NOT_FOUND);
	ck_assert_int_eq(blob_remove(&conf, mem, NAME), OK);
}
END_TEST

START_TEST(size_and_hash_are_told)
{
	char piece[1000];
	struct sha256 *h = sha256_new(mem);
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&conf, mem, 1000000, &in), OK);
	for (int i = 0; i < 1000; i++) {
		memset(piece, i, sizeof(piece));
		ck_assert_int_eq(blob_put(in, piece, sizeof(piece)), OK);
		sha256_put(h, piece, sizeof(piece));
	}
	ck_assert_int_eq(blob_end(in, NAME, &facts), OK);
	ck_assert_int_eq(facts.bytes, 1000000);
	ck_assert_str_eq(facts.sha256, sha256_hex(mem, h));
	ck_assert_int_eq(blob_look(&conf, mem, NAME, &facts), OK);
	ck_assert_int_eq(facts.bytes, 1000000);
}
END_TEST

START_TEST(an_empty_file_is_a_file)
{
	store(NAME, "");
	ck_assert_str_eq(fetch(NAME), "");
}
END_TEST

START_TEST(an_aborted_file_leaves_nothing)
{
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	ck_assert_int_eq(blob_put(in, "x", 1), OK);
	ck_assert_int_eq(files(), 1);
	blob_abort(in);
	ck_assert_int_eq(files(), 0);
	blob_abort(in);
}
END_TEST

START_TEST(a_forgotten_file_ends_with_the_arena)
{
	struct arena *job = arena_new();
	struct blob_in *in;
	struct blob_file f;

	store(NAME, "x");
	ck_assert_int_eq(blob_begin(&conf, job, 0, &in), OK);
	ck_assert_int_eq(blob_open(&conf, job, NAME, &f), OK);
	ck_assert_int_eq(access(f.path, R_OK), 0);
	close(f.fd);
	ck_assert_int_ge(files(), 2);
	arena_free(job);
	ck_assert_int_eq(files(), 1); /* S3: the copy that was sent, until teardown */
}
END_TEST

/* ---- disk ---- */

START_TEST(files_on_disk_stand_where_they_should)
{
	struct stat st;

	store(NAME, "x");
	ck_assert_int_eq(
	    stat(arena_printf(mem, "%s/ec/%s", conf.blob_dir, NAME), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(files(), 1);
	ck_assert_ptr_null(blob_link(&conf, mem, NAME, "audio/wav", 0, 60));
}
END_TEST

static const char *const odd_names[] = { "", "..", "../x", "ab/../../etc/passwd",
	"/etc/passwd", "ab/cd", "ab.cd", "a", "tmp/abcd" };

START_TEST(names_that_are_no_names_are_not_found)
{
	struct blob_facts facts;
	struct blob_file f;

	ck_assert_int_eq(blob_open(&conf, mem, odd_names[_i], &f), ERR_NOT_FOUND);
	ck_assert_int_eq(blob_look(&conf, mem, odd_names[_i], &facts), ERR_NOT_FOUND);
	ck_assert_int_eq(blob_remove(&conf, mem, odd_names[_i]), OK);
}
END_TEST

START_TEST(names_are_unique_per_arrival)
{
	const char *a = blob_name(mem, ID), *b = blob_name(mem, ID);

	ck_assert_uint_eq(strlen(a), 45);
	ck_assert_int_eq(strncmp(a, ID "-", 37), 0);
	ck_assert_str_ne(a, b);
}
END_TEST

START_TEST(the_reserve_is_left_alone)
{
	struct statvfs at;
	struct blob_in *in;
	int64_t free_bytes;

	store(NAME, "x"); /* make the folders */
	ck_assert_int_eq(statvfs(conf.blob_dir, &at), 0);
	free_bytes = (int64_t)(at.f_bavail * at.f_frsize);
	conf.blob_reserve_bytes = free_bytes / 2;
	ck_assert_int_eq(blob_begin(&conf, mem, free_bytes, &in), ERR_FULL);
	ck_assert_int_eq(blob_begin(&conf, mem, 1000, &in), OK);
	conf.blob_reserve_bytes = free_bytes * 2;
	ck_assert_int_eq(blob_put(in, "x", 1), ERR_FULL);
	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), ERR_FULL);
	ck_assert_int_eq(files(), 1);
}
END_TEST

START_TEST(a_disk_that_takes_no_more_is_full)
{
	struct rlimit few = { 100, 100 };
	struct blob_in *in;
	char some[200] = "";

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &few), 0);
	ck_assert_int_eq(blob_put(in, some, sizeof(some)), ERR_FULL);
	ck_assert_int_eq(files(), 0);
}
END_TEST

START_TEST(a_folder_that_cannot_be_is_a_failure)
{
	struct blob_in *in;

	conf.blob_dir = "/proc/nowhere/blobs";
	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), ERR_FAILED);
	conf.blob_store = "tape";
	ck_assert_int_eq(blob_remove(&conf, mem, NAME), ERR_UNSUPPORTED);
}
END_TEST

#define OTHER "ab7ac8ad-1b2b-406b-aae1-2c972399d29d-00000000"

static bool
is_other(void *asked, const char *name)
{
	++*(int *)asked;
	return strcmp(name, OTHER) == 0;
}

static void
make_old(const char *path)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
}

START_TEST(a_sweep_removes_what_is_old_and_unknown)
{
	const char *known = arena_printf(mem, "%s/ec/%s", conf.blob_dir, NAME);
	const char *stray = arena_printf(mem, "%s/ab/%s", conf.blob_dir, OTHER);
	const char *tmp = arena_printf(mem, "%s/tmp/stale", conf.blob_dir);
	int64_t removed, hour_ago = now_us() - 3600 * S_US;
	int asked = 0;

	store(NAME, "known");
	store(OTHER, "stray");
	close(open(tmp, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(
	    blob_sweep(&conf, mem, hour_ago, is_other, &asked, &removed), OK);
	ck_assert_int_eq(removed, 0); /* all are young */
	ck_assert_int_eq(asked, 0);
	make_old(known);
	make_old(stray);
	make_old(tmp);
	ck_assert_int_eq(
	    blob_sweep(&conf, mem, hour_ago, is_other, &asked, &removed), OK);
	ck_assert_int_eq(removed, 2);
	ck_assert_int_eq(asked, 2);
	ck_assert_int_eq(access(known, F_OK), 0);
	ck_assert_int_eq(files(), 1);
}
END_TEST

START_TEST(a_sweep_of_nothing)
{
	int64_t removed;

	ck_assert_int_eq(
	    blob_sweep(&conf, mem, now_us(), is_other, NULL, &removed), OK);
	ck_assert_int_eq(removed, 0);
}
END_TEST

/* ---- S3 ---- */

static void
start_bucket(void)
{
	int listener = listen_somewhere(&bucket_port);

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
	ck_assert_ptr_nonnull(strstr(url, "/u/a%20b/" ID "?X-Amz-Algorithm="));
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
		.url = conf.blob_endpoint,
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

START_TEST(a_look_tells_size_and_etag)
{
	struct blob_facts facts;

	store("u/a/c", "hello");
	ck_assert_int_eq(blob_look(&conf, mem, "u/a/c", &facts), OK);
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

/* ---- links of our own ---- */

#define AT (1795169924 * S_US)

START_TEST(a_signed_link)
{
	const char *url = link_make(&conf, mem, ID, AT);
	const char *sig = strstr(url, "&signature=");
	const char *until = "1795173524";

	ck_assert_int_eq(
	    strncmp(url,
		"https://speech.example.org/blobs/" ID "?expires=1795173524&signature=",
		101 - 8),
	    0);
	sig += 11;
	ck_assert_uint_eq(strlen(sig), 43);
	ck_assert_int_eq(link_left(&conf, mem, ID, until, sig, AT), 3600);
	ck_assert_int_eq(
	    link_left(&conf, mem, ID, until, sig, AT + 3599 * S_US + 999999), 1);
	ck_assert_int_eq(link_left(&conf, mem, ID, until, sig, AT + 3600 * S_US), 0);
	ck_assert_int_eq(link_left(&conf, mem, ID, "1795173525", sig, AT), 0);
	ck_assert_int_eq(link_left(&conf, mem, ID, "01795173524", sig, AT), 0);
	ck_assert_int_eq(link_left(&conf, mem, ID, "", sig, AT), 0);
	ck_assert_int_eq(link_left(&conf, mem, ID, "-1", sig, AT), 0);
	ck_assert_int_eq(link_left(&conf, mem, ID, NULL, sig, AT), 0);
	ck_assert_int_eq(link_left(&conf, mem, ID, until, NULL, AT), 0);
	ck_assert_int_eq(link_left(&conf, mem, ID, until, "", AT), 0);
	ck_assert_int_eq(link_left(&conf, mem, ID, until, sig + 1, AT), 0);
	ck_assert_int_eq(link_left(&conf, mem, "ab7ac8ad", until, sig, AT), 0);
	conf.master[0]++;
	ck_assert_int_eq(link_left(&conf, mem, ID, until, sig, AT), 0);
}
END_TEST

/* ---- XML ---- */

START_TEST(xml_is_written_with_its_own_characters_escaped)
{
	const struct xml_text texts[] = {
		{ "Code", "A&B" },
		{ "Message", "<\"\x01\xef\xbf\xbe\xc3\xbc" },
		{ "Empty", "" },
	};

	ck_assert_str_eq(xml_write(mem, "Error", texts, 3),
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>A&amp;B</Code>"
	    "<Message>&lt;&quot;?\?\?\?\xc3\xbc</Message><Empty></Empty></Error>\n");
}
END_TEST

static const struct {
	const char *xml;
	bool whole;
	const char *code, *key; /* NULL: not there */
} documents[] = {
	{ "<Error><Code>NoSuchKey</Code><Key>a</Key></Error>", true, "NoSuchKey", "a" },
	{ "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error xmlns=\"urn:x\">\n"
	  " <Code>N&amp;&#65;<![CDATA[<x>]]></Code>\n</Error>\n",
	    true, "N&A<x>", NULL },
	{ "<Error><a><Code>deep</Code></a><Code>1</Code><Code>2</Code></Error>", true,
	    "1", NULL },
	{ "<Error><Code>a<b>c</b>d</Code></Error>", true, "ad", NULL },
	{ "<Error><Code/></Error>", true, "", NULL },
	{ "<Code>root</Code>", true, NULL, NULL },
	{ "<Error><Code>cut", false, NULL, NULL },
	{ "<Error><Code>a</Code>", false, "a", NULL },
	{ "", false, NULL, NULL },
	{ "{\"Code\":1}", false, NULL, NULL },
	{ "<!DOCTYPE Error><Error><Code>a</Code></Error>", false, NULL, NULL },
	{ "<!DOCTYPE Error SYSTEM \"file:///etc/passwd\"><Error><Code>a</Code></Error>",
	    false, NULL, NULL },
	{ "<!DOCTYPE e [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
	  "<e><Code>&x;</Code></e>",
	    false, NULL, NULL },
	{ "<!DOCTYPE e [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
	  "<e><Code>&b;</Code></e>",
	    false, NULL, NULL },
	{ "<e><Code>&undefined;</Code></e>", false, "", NULL },
};

START_TEST(xml_of_strangers)
{
	struct xml_text got[] = { { "Code", "old" }, { "Key", "old" } };

	ck_assert(xml_read(mem, documents[_i].xml, strlen(documents[_i].xml), got, 2) ==
		  documents[_i].whole);
	if (documents[_i].whole) {
		ck_assert_pstr_eq(got[0].text, documents[_i].code);
		ck_assert_pstr_eq(got[1].text, documents[_i].key);
	}
}
END_TEST

START_TEST(xml_that_is_too_long)
{
	char *s = arena_alloc(mem, XML_READ_BYTES + 2);
	struct xml_text got = { "Code", NULL };

	memset(s, ' ', XML_READ_BYTES + 1);
	memcpy(s, "<e><Code>1</Code></e>", 21);
	ck_assert(xml_read(mem, s, XML_READ_BYTES, &got, 1));
	ck_assert(!xml_read(mem, s, XML_READ_BYTES + 1, &got, 1));
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static void
both(TCase *t)
{
	tcase_add_test(t, what_was_stored_is_there_until_it_is_removed);
	tcase_add_test(t, size_and_hash_are_told);
	tcase_add_test(t, an_empty_file_is_a_file);
	tcase_add_test(t, an_aborted_file_leaves_nothing);
	tcase_add_test(t, a_forgotten_file_ends_with_the_arena);
}

static TCase *
disk(void)
{
	TCase *t = tcase_create("disk");

	tcase_add_checked_fixture(t, setup, teardown);
	both(t);
	tcase_add_test(t, files_on_disk_stand_where_they_should);
	tcase_add_loop_test(
	    t, names_that_are_no_names_are_not_found, 0, COUNT(odd_names));
	tcase_add_test(t, names_are_unique_per_arrival);
	tcase_add_test(t, the_reserve_is_left_alone);
	tcase_add_test(t, a_disk_that_takes_no_more_is_full);
	tcase_add_test(t, a_folder_that_cannot_be_is_a_failure);
	tcase_add_test(t, a_sweep_removes_what_is_old_and_unknown);
	tcase_add_test(t, a_sweep_of_nothing);
	tcase_add_test(t, a_signed_link);
	tcase_add_test(t, xml_is_written_with_its_own_characters_escaped);
	tcase_add_loop_test(t, xml_of_strangers, 0, COUNT(documents));
	tcase_add_test(t, xml_that_is_too_long);
	return t;
}

static TCase *
s3(void)
{
	TCase *t = tcase_create("s3");

	tcase_add_unchecked_fixture(t, start_bucket, stop_bucket);
	tcase_add_checked_fixture(t, setup_s3, teardown);
	both(t);
	tcase_add_test(t, a_link_is_good_for_what_it_says_and_no_more);
	tcase_add_test(t, a_form_is_good_at_the_bucket);
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
	Suite *s = suite_create("blob");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, disk());
	suite_add_tcase(s, s3());
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
