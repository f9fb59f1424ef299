/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settings: file, environment, defaults, and the key file.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/conf_parts.h"
#include "speech/engine.h"
#include "tests/unit/conf_fixture.h"

START_TEST(without_a_file_everything_has_its_default)
{
	ck_assert_int_eq(conf_read(mem, &c), OK);
	ck_assert_str_eq(c.prefix, dir);
	ck_assert_str_eq(c.server_base_url, "http://127.0.0.1:8080");
	ck_assert_str_eq(
	    c.db_url, arena_printf(mem, "sqlite:%s", below("var/dragoman.db")));
	ck_assert_str_eq(c.state_dir, below("var/state"));
	ck_assert_int_eq(c.plan_voices, 30);
	ck_assert_int_eq(c.plan_storage_bytes, INT64_C(5000000000));
	ck_assert_int_eq(c.plan_upload_min_bytes, 100001);
	ck_assert_int_eq(c.plan_upload_max_bytes, 9999999);
	ck_assert_int_eq(c.plan_requests_per_min, 60000);
	ck_assert_int_eq(c.rate_public_per_min, 6000);
	ck_assert_int_eq(c.rate_auth_failures_per_min, 600);
	ck_assert_int_eq(c.idempotency_keep_s, 86400);
	ck_assert_int_eq(c.voice_sample_wait_s, 86400);
	ck_assert_int_eq(c.db_busy_ms, 5000);
	ck_assert_str_eq(c.cors_origins, "*");
	ck_assert_str_eq(c.deprecation_sunset, "2027-12-31");
	ck_assert_int_eq(c.engine_allow_private, false);
}
END_TEST

START_TEST(the_file_wins_over_defaults_and_the_environment_over_the_file)
{
	const char *text = "[plan]\nvoices = 5 ; a remark\nglossaries=6\n"
			   "[server]\nbase_url = https://a.example\n";

	ck_assert_int_eq(read_conf(text), OK);
	ck_assert_int_eq(c.plan_voices, 5);
	ck_assert_int_eq(c.plan_glossaries, 6);
	ck_assert_str_eq(c.server_base_url, "https://a.example");
	setenv("DRAGOMAN_PLAN_VOICES", "7", 1);
	setenv("DRAGOMAN_SERVER_BASE_URL", "https://b.example", 1);
	ck_assert_int_eq(read_conf(text), OK);
	ck_assert_int_eq(c.plan_voices, 7);
	ck_assert_str_eq(c.server_base_url, "https://b.example");
}
END_TEST

static const char *const wrong[] = { "[plan]\nvoices = many\n", "[plan]\nvoices = 5x\n",
	"[plan]\nvoices = -1\n", "[plan]\nvoices =\n", "[plan]\nvoice = 5\n",
	"[plans]\nvoices = 5\n", "voices = 5\n", "[db]\nbusy_ms = 60001\n",
	"[plan]\nvoices = 99999999999999999999\n", "[engine]\nallow_private = true\n",
	"[plan\nvoices = 5\n", "nonsense\n", "[plan]\nupload_min_bytes = 0\n",
	"[server]\nbase_url = example.org\n", "[server]\nbase_url = \"http://a\"\n",
	"[server]\nbase_url = https://a.example/\n", "[server]\nbase_url =\n",
	"[broadcast]\ndriver = livekit\n", "[broadcast]\ndriver = carrier-pigeon\n" };

START_TEST(a_wrong_setting_refuses_the_start)
{
	ck_assert_int_eq(read_conf(wrong[_i]), ERR_REFUSED);
}
END_TEST

START_TEST(a_section_livekit_is_ignored)
{
	ck_assert_int_eq(
	    read_conf("[livekit]\nurl = wss://a.example\napi_url = http://b:7880\n"),
	    OK);
}
END_TEST

/* inih reads 200 bytes of a line and silently takes the rest for the next line. */
START_TEST(a_line_is_read_whole)
{
	char value[5000];
	size_t n = (size_t)_i;

	memset(value, 'x', n);
	value[n] = '\0';
	ck_assert_int_eq(
	    read_conf(arena_printf(mem,
		"; %s = %s\n[janus]\nadmin_key = %s ; %s\n[plan]\nvoices = 5", value,
		value, value, value)),
	    OK);
	ck_assert_str_eq(c.janus_admin_key, value);
	ck_assert_int_eq(c.plan_voices, 5);
	ck_assert_int_eq(
	    read_conf(arena_printf(mem, "[server]\nbase_url = http://a/%s/\n", value)),
	    ERR_REFUSED);
}
END_TEST

static const char *
told(const char *text, size_t n)
{
	FILE *f = fopen(file, "w"), *log = tmpfile();
	int err = dup(2);
	char *said = arena_alloc(mem, 1000);

	ck_assert(f != NULL && log != NULL && fwrite(text, 1, n, f) == n);
	fclose(f);
	fflush(stderr);
	dup2(fileno(log), 2);
	ck_assert_int_eq(conf_read(mem, &c), ERR_REFUSED);
	dup2(err, 2);
	close(err);
	rewind(log);
	said[fread(said, 1, 999, log)] = '\0';
	fclose(log);
	return said;
}

START_TEST(what_would_be_cut_is_refused_with_its_line)
{
	static const char nul[] =
	    "[plan]\nvoices = 5\n[janus]\nadmin_key = hush\0hush\n";
	size_t n = 1048577;
	char *large = arena_alloc(mem, n);

	ck_assert_ptr_nonnull(
	    strstr(told(nul, sizeof(nul) - 1), "dragoman.conf: line 4 has a NUL byte"));
	memset(large, '\n', n);
	ck_assert_ptr_nonnull(
	    strstr(told(large, n), "dragoman.conf: has more than 1048576 bytes"));
}
END_TEST

START_TEST(paths_are_below_the_prefix_or_absolute)
{
	ck_assert_int_eq(read_conf("[blob]\ndir = /srv/blobs\n[share]\ndir = s\n"
				   "[db]\nurl = sqlite:/srv/d.db\n"),
	    OK);
	ck_assert_str_eq(c.blob_dir, "/srv/blobs");
	ck_assert_str_eq(c.share_dir, below("s"));
	ck_assert_str_eq(c.db_url, "sqlite:/srv/d.db");
	ck_assert_int_eq(read_conf("[db]\nurl = postgresql://h/d\n"), OK);
	ck_assert_str_eq(c.db_url, "postgresql://h/d");
	ck_assert_int_eq(read_conf("[db]\nurl = sqlite::memory:\n"), OK);
	ck_assert_str_eq(c.db_url, "sqlite::memory:");
}
END_TEST

/* Returns the output of one of the printing functions. */
static const char *
printed(bool example)
{
	char *text;
	size_t n;
	FILE *to = open_memstream(&text, &n);
	const char *kept;

	ck_assert_ptr_nonnull(to);
	if (example)
		engine_conf_print_example(to);
	else
		engine_conf_print(&c, to);
	fclose(to);
	kept = arena_dup(mem, text, n);
	free(text);
	return kept;
}

START_TEST(the_example_changes_nothing_commented_out_or_not)
{
	const char *example, *defaults;
	struct buf bare = { .mem = mem };
	int n = 0;

	ck_assert_int_eq(read_conf(""), OK);
	example = printed(true);
	defaults = printed(false);
	ck_assert_int_eq(read_conf(example), OK);
	ck_assert_str_eq(printed(false), defaults);
	for (const char *s = example; *s != '\0'; s++)
		if (*s == ';' && s[-1] == '\n')
			n++;
		else
			buf_put(&bare, s, 1);
	for (const struct setting *s = conf_settings; s->name != NULL; s++)
		n--;
	ck_assert_int_ge(n, 0); /* the engines have more settings than these */
	ck_assert_int_eq(read_conf(buf_text(&bare)), OK);
	ck_assert_str_eq(printed(false), defaults);
}
END_TEST

START_TEST(the_key_file_is_made_once_and_keeps_its_keys)
{
	unsigned char one[SHA256_BYTES], two[SHA256_BYTES], other[SHA256_BYTES];
	const char *key = below("var/state/secret.key"), *secret;
	struct stat st;

	ck_assert_int_eq(read_conf(""), OK);
	ck_assert_int_eq(stat(key, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(st.st_size, 32);
	conf_key(&c, "a", one);
	secret = c.token_secrets;
	ck_assert_int_eq(read_conf(""), OK);
	conf_key(&c, "a", two);
	conf_key(&c, "b", other);
	ck_assert_int_eq(memcmp(one, two, sizeof(one)), 0);
	ck_assert_int_ne(memcmp(one, other, sizeof(one)), 0);
	ck_assert_str_eq(c.token_secrets, secret);
	ck_assert_int_eq(strncmp(secret, "k1:", 3), 0);
	ck_assert_uint_ge(strlen(c.blob_secret_key), 40);
	unit_write(key, "short");
	ck_assert_int_eq(read_conf(""), ERR_FAILED);
}
END_TEST

/* Returns the files of the key, without its lock. */
static int
key_files(void)
{
	DIR *d = opendir(below("var/state"));
	const struct dirent *f;
	int n = 0;

	ck_assert_ptr_nonnull(d);
	while ((f = readdir(d)) != NULL)
		n += strncmp(f->d_name, "secret.key", 10) == 0 &&
		     strcmp(f->d_name, "secret.key.lock") != 0;
	closedir(d);
	return n;
}

START_TEST(a_half_written_key_is_replaced)
{
	struct stat st;

	unit_write(below("var/state/secret.key.new"),
	    "half, or as long as it likes: it is no key");
	ck_assert_int_eq(read_conf(""), OK);
	ck_assert_int_eq(stat(below("var/state/secret.key"), &st), 0);
	ck_assert_int_eq(st.st_size, 32);
	ck_assert_int_eq(key_files(), 1);
}
END_TEST

#define MAKERS 8

/* Each process prints the key that it found or made. */
static void
make_and_tell(int start, int to)
{
	char any;

	if (read(start, &any, 1) != 0 || conf_key_read(mem, &c, true) != OK)
		_exit(1);
	_exit(write(to, c.master, sizeof(c.master)) != sizeof(c.master));
}

/*
 * Starts processes and kills some at any moment; all must report the same key. Returns
 * the number of reports.
 */
static int
makers(int killed, int64_t after_us, unsigned char key[SHA256_BYTES])
{
	unsigned char next[SHA256_BYTES];
	int start[2], told[2], n = 0;
	pid_t pids[MAKERS];

	ck_assert(pipe(start) == 0 && pipe(told) == 0);
	for (int i = 0; i < MAKERS; i++)
		if ((pids[i] = fork()) == 0) {
			close(start[1]);
			make_and_tell(start[0], told[1]);
		}
	close(start[0]);
	close(start[1]);
	close(told[1]);
	for (int i = 0; i < killed; i++, usleep((useconds_t)after_us))
		kill(pids[i], SIGKILL);
	while (read(told[0], next, sizeof(next)) == sizeof(next)) {
		if (n++ == 0)
			memcpy(key, next, sizeof(next));
		ck_assert_int_eq(memcmp(key, next, sizeof(next)), 0);
	}
	close(told[0]);
	for (int i = 0; i < MAKERS; i++)
		waitpid(pids[i], NULL, 0);
	return n;
}

START_TEST(programs_that_start_at_once_make_one_key)
{
	unsigned char key[SHA256_BYTES];

	ck_assert_int_eq(read_conf(""), OK);
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(unlink(below("var/state/secret.key")), 0);
		ck_assert_int_ge(makers(i % 4, i, key), MAKERS - i % 4);
		ck_assert_int_eq(conf_key_read(mem, &c, true), OK);
		ck_assert_int_eq(memcmp(key, c.master, sizeof(key)), 0);
		ck_assert_int_eq(key_files(), 1);
	}
}
END_TEST

START_TEST(without_a_place_for_keys_there_is_no_start)
{
	ck_assert_int_eq(read_conf("[state]\ndir = /nowhere/at/all\n"), ERR_FAILED);
}
END_TEST

START_TEST(printed_settings_show_no_secret_and_read_the_same)
{
	char *text;
	size_t n;
	FILE *to;

	ck_assert_int_eq(
	    read_conf("[janus]\nadmin_key = hush-hush\n[plan]\nvoices = 3\n"), OK);
	to = open_memstream(&text, &n);
	conf_print(&c, to);
	fclose(to);
	ck_assert_ptr_null(strstr(text, "hush"));
	ck_assert_ptr_null(strstr(text, c.token_secrets));
	ck_assert_ptr_null(strstr(text, c.blob_secret_key));
	ck_assert_ptr_nonnull(strstr(text, "\n[janus]\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n; admin_key = ********\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nvoices = 3\n"));
	ck_assert_int_eq(read_conf(text), OK);
	ck_assert_int_eq(c.plan_voices, 3);
	free(text);
}
END_TEST

/* Settings of a store that cannot work are refused at the start. */
#define S3 "store = s3\nendpoint = https://s3.example.org\n"

static const struct {
	const char *settings;
	enum err e;
} stores[] = {
	{ "store = disk", OK },
	{ "store = s3\nendpoint = https://s3.example.org", OK },
	{ "store = s3\nendpoint = http://127.0.0.1:9000/x\naddressing = path", OK },
	{ "store = s3\nendpoint = https://s3.example.org\naddressing = host", OK },
	{ "store = s3\nendpoint = https://media.example.org\naddressing = own", OK },
	{ "store = s3", ERR_REFUSED },
	{ "store = s3\nendpoint = s3.example.org", ERR_REFUSED },
	{ "store = s3\nendpoint = https://", ERR_REFUSED },
	{ "store = s3\nendpoint = https://s3.example.org/", ERR_REFUSED },
	{ "store = s3\nendpoint = https://s3.example.org/?x", ERR_REFUSED },
	{ "store = s3\nendpoint = https://s3.example.org/x\naddressing = host",
	    ERR_REFUSED },
	{ "store = s3\nendpoint = https://s3.example.org\naddressing = virtual",
	    ERR_REFUSED },
	{ "store = s3\nendpoint = https://s3.example.org\nbucket = a/b", ERR_REFUSED },
	{ "store = tape", ERR_REFUSED },
	{ S3 "[hls]\nstore = bucket\npublic_url = https://cdn.example.org/hls", OK },
	{ S3 "[hls]\nstore = bucket\npublic_url = http://127.0.0.1:9000/media/hls",
	    OK },
	{ S3 "[hls]\nstore = bucket", ERR_REFUSED },
	{ S3 "[hls]\nstore = bucket\npublic_url = cdn.example.org/hls", ERR_REFUSED },
	{ S3 "[hls]\nstore = bucket\npublic_url = https://cdn.example.org/hls/",
	    ERR_REFUSED },
	{ "store = disk\n[hls]\nstore = bucket\npublic_url = https://cdn.example.org",
	    ERR_REFUSED },
	{ S3 "[hls]\nstore = s3\npublic_url = https://cdn.example.org", ERR_REFUSED },
	{ S3 "[hls]\nstore = disk", OK },
	{ "bucket =", ERR_REFUSED },
};

START_TEST(a_store_that_cannot_work_is_refused)
{
	ck_assert_int_eq(
	    read_conf(arena_printf(mem, "[blob]\n%s\n", stores[_i].settings)),
	    stores[_i].e);
}
END_TEST

static const struct {
	const char *settings;
	enum err e;
} clusters[] = {
	{ "nats =", OK },
	{ "nats = nats://127.0.0.1:4222", OK },
	{ "nats = nats://a.example.org,nats://[::1]:4222, nats://b", OK },
	{ "nats = tls://a.example.org:4222,tls://b.example.org:4222\nuser = u", OK },
	{ "nats = tls://a.example.org,nats://b.example.org", ERR_REFUSED },
	{ "nats = a.example.org:4222", ERR_REFUSED },
	{ "nats = nats://", ERR_REFUSED },
	{ "nats = nats://a,", ERR_REFUSED },
	{ "nats = nats://a, ,nats://b", ERR_REFUSED },
	{ "nats = nats://user:secret@a.example.org", ERR_REFUSED },
	{ "nats = nats://a/x", ERR_REFUSED },
	{ "prefix = two.words", ERR_REFUSED },
	{ "prefix = >", ERR_REFUSED },
	{ "prefix =", ERR_REFUSED },
	{ "user = u\ncredentials = /etc/nats.creds", ERR_REFUSED },
};

START_TEST(a_cluster_that_cannot_work_is_refused)
{
	ck_assert_int_eq(
	    read_conf(arena_printf(mem, "[cluster]\n%s\n", clusters[_i].settings)),
	    clusters[_i].e);
}
END_TEST

START_TEST(a_node_keeps_its_id)
{
	const char *id;

	ck_assert_int_eq(read_conf(""), OK);
	id = c.node;
	ck_assert_uint_eq(strlen(id), 36);
	ck_assert_int_eq(read_conf(""), OK);
	ck_assert_str_eq(c.node, id);
	ck_assert_int_eq(unlink(below("var/state/node.id")), 0);
	ck_assert_int_eq(read_conf(""), OK);
	ck_assert_str_ne(c.node, id);
	unit_write(below("var/state/node.id"), "node 1");
	ck_assert_int_eq(read_conf(""), ERR_FAILED);
	unit_write(below("var/state/node.id"), "this is as long as an id but it is no");
	ck_assert_int_eq(read_conf(""), ERR_FAILED);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("conf");
	TCase *t = tcase_create("all");

	(void)fixture;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, without_a_file_everything_has_its_default);
	tcase_add_test(
	    t, the_file_wins_over_defaults_and_the_environment_over_the_file);
	tcase_add_loop_test(t, a_wrong_setting_refuses_the_start, 0, COUNT(wrong));
	tcase_add_test(t, a_section_livekit_is_ignored);
	tcase_add_loop_test(t, a_line_is_read_whole, 150, 250);
	tcase_add_loop_test(t, a_line_is_read_whole, 4990, 5000);
	tcase_add_test(t, what_would_be_cut_is_refused_with_its_line);
	tcase_add_test(t, paths_are_below_the_prefix_or_absolute);
	tcase_add_test(t, the_example_changes_nothing_commented_out_or_not);
	tcase_add_test(t, the_key_file_is_made_once_and_keeps_its_keys);
	tcase_add_test(t, a_half_written_key_is_replaced);
	tcase_add_test(t, programs_that_start_at_once_make_one_key);
	tcase_add_test(t, without_a_place_for_keys_there_is_no_start);
	tcase_add_test(t, printed_settings_show_no_secret_and_read_the_same);
	tcase_add_loop_test(t, a_store_that_cannot_work_is_refused, 0, COUNT(stores));
	tcase_add_loop_test(
	    t, a_cluster_that_cannot_work_is_refused, 0, COUNT(clusters));
	tcase_add_test(t, a_node_keeps_its_id);
	suite_add_tcase(s, t);
	return unit_run(s);
}
