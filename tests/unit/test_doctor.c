/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `dragoman doctor`, check by check: a healthy part is ok, and each fault is named. */
#include "tests/unit/doctor_fixture.h"

#include <errno.h>
#include <libgen.h>
#include <openssl/x509v3.h>
#include <sys/statvfs.h>

/* ---- what is well, and what is broken ---- */

static void
answer_html(void)
{
	web.health = "200 OK|text/html|<h1>It works</h1>";
}

static void
answer_down(void)
{
	web.health =
	    "503 No|application/json|{\"errors\":[{\"detail\":\"The key file.\"}],"
	    "\"data\":{\"status\":\"down\"}}";
}

static void
answer_degraded(void)
{
	web.health = healthy("degraded", VERSION);
}

static void
answer_as_older(void)
{
	web.health = healthy("ok", "0.0.9");
}

static void
be_another(void)
{
	conf->node = "0b1c0de0-0000-4000-8000-000000000000";
}

static void
hide_header(void)
{
	web.me =
	    "401 No|application/json|{\"errors\":[{\"detail\":\"This route needs a "
	    "credential.\"}]}";
}

static void
have_no_name(void)
{
	conf->server_base_url = "http://nowhere.invalid";
}

static void
have_no_page(void)
{
	web.listen = "404 No|text/html|";
}

static void
have_no_gateway(void)
{
	conf->stream_listen = "127.0.0.1:1";
}

static void
pass_no_socket(void)
{
	conf->stream_public_url = "http://127.0.0.1:1";
}

static void
pass_no_playlist(void)
{
	web.list = "200 OK|application/vnd.apple.mpegurl|#EXTM3U";
}

static void
pass_no_part(void)
{
	web.part = "404 No|text/html|<h1>Not Found</h1>";
}

static void
have_no_low_latency(void)
{
	pass_no_part();
	conf->hls_low_latency = "no";
}

static void
hear_no_datagram(void)
{
	port_close();
}

static void
have_another_key(void)
{
	conf->master[0] ^= 1;
}

/* RFC 5737: an address of documentation, which no host has. */
static void
be_behind_nat(void)
{
	conf->rtc_address = "192.0.2.1";
}

static void
have_no_webrtc(void)
{
	conf->rtc_port = 0;
}

static void
have_turn(const char *url)
{
	conf->rtc_ice_servers = url;
	conf->rtc_turn_secret = "secret";
}

static void
have_no_turn(void)
{
	have_turn("turns:127.0.0.1:1");
}

static void
have_malformed_turn(void)
{
	have_turn("turns:turn.example.org?transport=udp");
}

/* A web server is there. It closes the connection. */
static void
have_web_for_turn(void)
{
	have_turn(
	    arena_printf(fixture.mem, "turn:127.0.0.1:%d?transport=tcp", web.port));
}

static void
have_no_secret_of_turn(void)
{
	have_web_for_turn();
	conf->rtc_turn_secret = "";
}

static void
stop_a_worker(void)
{
	sql("UPDATE workers SET last_run_us = last_run_us - 301000000"
	    " WHERE name = 'janitor'");
}

static void
never_start_a_worker(void)
{
	sql("DELETE FROM workers WHERE name = 'gateway'");
}

static void
give_a_job_up(void)
{
	struct job jb;

	ck_assert_int_eq(queue_add(fixture.app.db, fixture.mem, "a", NULL, "b"), OK);
	ck_assert_int_eq(
	    queue_lease(fixture.app.db, fixture.mem, "a", "holder", 9, &jb), OK);
	ck_assert_int_eq(queue_dead(fixture.app.db, &jb, "of a test"), OK);
}

static void
be_before_migration(void)
{
	sql(arena_printf(fixture.mem, "DELETE FROM schema_versions WHERE version = %d",
	    SCHEMA_VERSION));
}

static void
be_after_migration(void)
{
	sql("INSERT INTO schema_versions VALUES (9999, 'x', 0, 9999)");
}

static void
have_no_database(void)
{
	conf->db_url = "sqlite:/nonexistent/dragoman.db";
}

/* Uses a database file of its own, because the fixture's is open. */
static const char *
copied_database(void)
{
	const char *path = arena_printf(fixture.mem, "%s/copy.db", fixture.dir);

	ck_assert_int_eq(db_backup(fixture.app.db, path), OK);
	conf->db_url = arena_printf(fixture.mem, "sqlite:%s", path);
	return path;
}

static void
have_a_large_wal(void)
{
	const char *wal = arena_printf(fixture.mem, "%s-wal", copied_database());

	unit_write(wal, "");
	ck_assert_int_eq(truncate(wal, 300000000), 0);
	/*
	 * SQLite deletes the file with its last connection, unless another user owns
	 * it.
	 */
	ck_assert_int_eq(chmod(wal, 0400), 0);
}

static void
break_a_page(void)
{
	FILE *f = fopen(copied_database(), "r+b");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(
	    fseek(f,
		(number("SELECT rootpage FROM sqlite_master WHERE name = 'voices'") -
		    1) *
		    4096L,
		SEEK_SET),
	    0);
	ck_assert_int_gt(fputs("this is no page of a tree", f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static void
have_a_journal(void)
{
	sqlite3 *h;

	ck_assert_int_eq(sqlite3_open(copied_database(), &h), SQLITE_OK);
	ck_assert_int_eq(
	    sqlite3_exec(h, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(h);
}

static int64_t
room(void)
{
	struct statvfs v;

	ck_assert_int_eq(statvfs(conf->blob_dir, &v), 0);
	return (int64_t)v.f_bavail * (int64_t)v.f_frsize;
}

static void
fill_the_disk(void)
{
	conf->blob_reserve_bytes = INT64_MAX / 2;
}

static void
almost_fill_the_disk(void)
{
	conf->blob_reserve_bytes = room() / 4 * 3;
}

static void
have_no_folder(void)
{
	conf->blob_dir = "/nonexistent";
}

static void
show_the_key(void)
{
	ck_assert_int_eq(chmod(fixture.dir, 0755), 0);
	ck_assert_int_eq(
	    chmod(arena_printf(fixture.mem, "%s/var", fixture.dir), 0755), 0);
	ck_assert_int_eq(chmod(conf->state_dir, 0755), 0);
	ck_assert_int_eq(
	    chmod(arena_printf(fixture.mem, "%s/secret.key", conf->state_dir), 0644),
	    0);
}

/* Adds a node whose last heartbeat was that long ago by its clock. */
static void
have_node(const char *version, int age_s)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO nodes (id, public_url, connections, tasks, load, seen_us,"
	    " version, schema_version) VALUES ('b', 'http://b', 0, 0, 0, %lld, '%s', "
	    "0)",
	    (long long)(now_us() - age_s * S_US), version));
}

static void
have_a_node(void)
{
	have_node(VERSION, 3);
}

static void
have_an_older_node(void)
{
	have_node("0.8", 3);
}

static void
have_a_node_ahead(void)
{
	have_node(VERSION, -600);
}

static void
have_a_dead_node(void)
{
	have_node(VERSION, 600);
}

static void
live_in_2001(void)
{
	web.date = "Mon, 01 Jan 2001 00:00:00 GMT";
}

static void
live_in_2091(void)
{
	web.date = "Mon, 01 Jan 2091 00:00:00 GMT";
}

static void
have_no_recognizer(void)
{
	conf->speech_asr = "";
}

static void
have_no_translator(void)
{
	conf->speech_mt = "";
}

static void
have_no_voice(void)
{
	conf->speech_tts = "";
}

static void
name_no_engine(void)
{
	conf->speech_asr = "whisper";
}

static void
have_whisper(const char *library, const char *uses)
{
	static struct conf_engine whisper;

	whisper = conf_engine_none("ear");
	whisper.kind = "whisper";
	whisper.library = library;
	whisper.model = "/etc/passwd";
	whisper.next = conf->engines;
	conf->engines = &whisper;
	setenv("MODEL_LIBRARY_INFO", uses, 1);
}

static const char *
our_library(void)
{
	char path[1024] = "";

	ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	return arena_printf(fixture.mem, "%s/model-library.so", dirname(path));
}

static void
have_a_fast_library(void)
{
	have_whisper(our_library(), "CPU : SSE3 = 1 | AVX = 1 | AVX2 = 1 | ");
}

static void
have_a_slow_library(void)
{
	have_whisper(our_library(), "CPU : SSE3 = 1 | ");
}

static void
have_another_library(void)
{
	have_whisper("/etc/passwd", "");
}

static void
have_no_network(void)
{
	conf->vad_library = conf->vad_model = "/etc/passwd";
}

/* The check must ask the engine for its pairs. */
static void
have_a_silent_engine(void)
{
	static struct conf_engine gone;

	gone = conf_engine_none("gone");
	gone.kind = "libretranslate";
	gone.url = "http://127.0.0.1:1";
	conf->engines = &gone;
	conf->speech_mt = "gone";
}

/* ---- a web server's files ---- */

static void
put(const char *folder, const char *name, const char *text)
{
	FILE *f;

	if (mkdir(folder, 0755) != 0)
		ck_assert_int_eq(errno, EEXIST);
	f = fopen(arena_printf(fixture.mem, "%s/%s", folder, name), "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* Configuration files as Debian has them. */
static void
serve_by_apache(const char *mpm, const char *before)
{
	const char *folder = arena_printf(fixture.mem, "%s/apache2", fixture.dir);
	const char *etc = arena_printf(fixture.mem, "%s/etc", fixture.dir);

	conf->prefix = fixture.dir;
	put(etc, "apache.conf",
	    "<IfDefine !DRAGOMAN_SOCKETS>\n\tDefine DRAGOMAN_SOCKETS "
	    "22\n</IfDefine>\n");
	put(folder, "apache2.conf",
	    arena_printf(fixture.mem,
		"IncludeOptional mods-enabled/*.conf\n<VirtualHost *>\n  %s\n"
		"  Include \"%s/apache.conf\"\n</VirtualHost>\n",
		before, etc));
	put(arena_printf(fixture.mem, "%s/mods-enabled", folder), "mpm_event.conf",
	    mpm);
	ck_assert_int_eq(setenv("APACHE_CONFDIR", folder, 1), 0);
}

static void
hold_enough_by_apache(void)
{
	serve_by_apache("ThreadsPerChild 300\nMaxRequestWorkers 2400\n",
	    "Define DRAGOMAN_SOCKETS 264");
}

static void
hold_few_by_apache(void)
{
	serve_by_apache("\tThreadsPerChild\t25\n\tMaxRequestWorkers\t  150\n", "");
}

static void
keep_no_thread(void)
{
	serve_by_apache("ThreadsPerChild 16\nMaxRequestWorkers 4096\n", "");
}

static const struct {
	const char *check;
	void (*spoil)(void);
	const char *result, *text;
} rows[] = {
	{ "web", NULL, "ok", "the programs answer" },
	{ "web", NULL, "ok", "reaches the programs" },
	{ "web", web_close, "fail", "no answer" },
	{ "web", answer_html, "fail", "not from a program" },
	{ "web", answer_down, "fail", "The key file." },
	{ "web", answer_degraded, "warn", "degraded" },
	{ "web", answer_as_older, "warn", "0.0.9" },
	{ "web", be_another, "fail", "another installation" },
	{ "web", hide_header, "fail", "Authorization" },
	{ "links", NULL, "ok", "the page to listen with" },
	{ "links", NULL, "warn", "leads nowhere from other machines" },
	{ "links", have_no_name, "fail", "is not https" },
	{ "links", have_no_name, "fail", "no answer" },
	{ "links", have_no_page, "fail", "status 404" },
	{ "certificate", NULL, "ok", "not https" },
	{ "gateway", NULL, "ok", "the gateway answers" },
	{ "gateway", have_no_gateway, "fail", "no answer" },
	{ "gateway", pass_no_socket, "ok", "the gateway answers" },
	{ "gateway", pass_no_socket, "fail", "127.0.0.1:1/streaming-api" },
	{ "gateway", NULL, "ok", "low-latency HLS" },
	{ "gateway", pass_no_playlist, "fail", "_HLS_msn=1" },
	{ "gateway", pass_no_part, "fail", "es-1p10.m4s" },
	{ "gateway", have_no_low_latency, "ok", "the gateway answers" },
	{ "webrtc", NULL, "ok", "UDP port" },
	{ "webrtc", NULL, "ok", "TCP port" },
	{ "webrtc", NULL, "warn", "none is a public one" },
	{ "webrtc", hear_no_datagram, "fail", "UDP port" },
	{ "webrtc", hear_no_datagram, "fail", "TCP port" },
	{ "webrtc", have_another_key, "fail", "UDP port" },
	{ "webrtc", be_behind_nat, "warn", "UDP port" },
	{ "webrtc", have_no_webrtc, "ok", "is off" },
	{ "turn", NULL, "ok", "no TURN server is in use" },
	{ "turn", have_no_turn, "fail", "no connection: " },
	{ "turn", have_malformed_turn, "fail", "malformed" },
	{ "turn", have_web_for_turn, "fail", "does not answer" },
	{ "turn", have_no_secret_of_turn, "fail", "no credentials" },
	{ "workers", NULL, "ok", "janitor" },
	{ "workers", NULL, "ok", "given up" },
	{ "workers", stop_a_worker, "fail", "janitor" },
	{ "workers", stop_a_worker, "ok", "gateway" },
	{ "workers", never_start_a_worker, "fail", "gateway" },
	{ "workers", give_a_job_up, "warn", "1 jobs" },
	{ "workers", have_no_database, "fail", "cannot be opened" },
	{ "database", NULL, "ok", "as it should be" },
	{ "database", NULL, "ok", "written back" },
	{ "database", be_before_migration, "fail", "version of the schema" },
	{ "database", be_after_migration, "fail", "9999" },
	{ "database", have_no_database, "fail", "cannot be opened" },
	{ "database", have_a_large_wal, "warn", "MB" },
	{ "integrity", NULL, "ok", "is sound" },
	{ "integrity", break_a_page, "fail", "file" },
	{ "integrity", have_a_journal, "warn", "WAL" },
	{ "disk", NULL, "ok", "MB free" },
	{ "disk", fill_the_disk, "fail", "blob.reserve_bytes" },
	{ "disk", almost_fill_the_disk, "warn", "MB free" },
	{ "disk", have_no_folder, "fail", "/nonexistent" },
	{ "permissions", NULL, "ok", "secret.key" },
	{ "permissions", NULL, "ok", "can be written" },
	{ "permissions", show_the_key, "fail", "secret.key" },
	{ "nodes", have_a_node, "ok", "is alive and runs" },
	{ "nodes", have_an_older_node, "warn", "runs 0.8" },
	{ "nodes", have_a_node_ahead, "fail", "ahead of the database's" },
	{ "nodes", have_a_dead_node, "warn", "its last heartbeat was 60" },
	{ "clock", NULL, "ok", "database" },
	{ "clock", NULL, "ok", "state" },
	{ "clock", live_in_2001, "fail", "behind" },
	{ "clock", live_in_2091, "fail", "ahead" },
	{ "places", NULL, "ok", "100 sockets for one address" },
	{ "places", hold_enough_by_apache, "ok", "Apache holds 2112 sockets" },
	{ "places", hold_few_by_apache, "warn", "Apache holds 132 sockets (150 " },
	{ "places", keep_no_thread, "warn", "all 16 threads of each process" },
	{ "engines", NULL, "ok", "recognition by script" },
	{ "engines", NULL, "ok", "speech.mt" },
	{ "engines", NULL, "ok", "speech by script" },
	{ "engines", NULL, "ok", "by the level" },
	{ "engines", have_no_network, "fail", "/etc/passwd cannot be used" },
#ifdef __x86_64__
	{ "engines", have_a_fast_library, "ok", "uses AVX2" },
	{ "engines", have_a_slow_library, "warn", "does not use AVX:" },
	{ "engines", have_another_library, "fail", "/etc/passwd is no library" },
#endif
	{ "engines", have_no_recognizer, "fail", "speech.asr" },
	{ "engines", have_no_translator, "fail", "speech.mt" },
	{ "engines", have_no_voice, "fail", "speech.tts" },
	{ "engines", name_no_engine, "fail", "cannot be used" },
	{ "engines", have_a_silent_engine, "fail", "does not answer" },
};

START_TEST(what_is_broken_is_named_and_what_is_well_is_not)
{
	if (rows[_i].spoil != NULL)
		rows[_i].spoil();
	examine(rows[_i].check);
	ck_assert_msg(has(rows[_i].result, rows[_i].text), "%s", all_found());
	if (rows[_i].spoil == NULL)
		ck_assert_msg(!has("fail", ""), "%s", all_found());
}
END_TEST

/* The check runs as another user, because root may write everywhere. */
static void
check_as_a_stranger(struct check *k)
{
	if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
		return;
	check_permissions(k);
}

START_TEST(a_folder_that_cannot_be_written_is_named)
{
	static const struct doctor_check c = { "permissions", check_as_a_stranger, 10 };

	show_the_key(); /* the folder is accessible, */
	if (geteuid() != 0)
		ck_assert_int_eq(chmod(conf->state_dir, 0555), 0);
	doctor_run(conf, &c, &findings); /* and belongs to another user */
	if (geteuid() != 0)
		ck_assert_int_eq(chmod(conf->state_dir, 0755), 0);
	ck_assert_msg(has("fail", "Permission denied"), "%s", all_found());
}
END_TEST

/* ---- clocks of nodes ---- */

/* Sends the next heartbeat of the node. */
static void *
beat(void *arg)
{
	sleep(1);
	ck_assert_int_eq(
	    db_script(arg, "UPDATE nodes SET seen_us = seen_us + 5000000"), OK);
	db_close(arg);
	return NULL;
}

/* Within this process: a forked one would not see a change of SQLite's file. */
START_TEST(a_node_whose_clock_is_behind_is_told_from_a_dead_one)
{
	char text[4096] = "";
	pthread_t thread;
	struct db *db;
	int ends[2];

	have_node(VERSION, 600);
	ck_assert_int_eq(db_open(&db, conf->db_url, 5000, false), OK);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, beat, db), 0);
	check_nodes(&(struct check){ "nodes", fixture.mem, conf, ends[1], NULL });
	pthread_join(thread, NULL);
	ck_assert_int_gt(read(ends[0], text, sizeof(text) - 1), 0);
	close(ends[0]);
	close(ends[1]);
	ck_assert_msg(strstr(text, "s behind the database's") != NULL, "%s", text);
}
END_TEST

/* ---- certificates ---- */

static void
certify(int days)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *x = X509_new();

	X509_set_version(x, 2);
	X509_gmtime_adj(X509_getm_notBefore(x), -90 * 86400L);
	X509_gmtime_adj(X509_getm_notAfter(x), days * 86400L + 3600);
	X509_set_pubkey(x, key);
	ck_assert_int_gt(X509_sign(x, key, EVP_sha256()), 0);
	web.tls = SSL_CTX_new(TLS_server_method());
	SSL_CTX_use_certificate(web.tls, x);
	SSL_CTX_use_PrivateKey(web.tls, key);
	X509_free(x);
	EVP_PKEY_free(key);
	conf->server_base_url =
	    arena_printf(fixture.mem, "https://127.0.0.1:%d", web.port);
}

static const struct {
	int days;
	const char *result, *text;
} certificates[] = {
	{ 60, "ok", "60 days" },
	{ 20, "warn", "20 days" },
	{ 6, "fail", "6 days" },
	{ -1, "fail", "has expired" },
};

START_TEST(the_end_of_a_certificate_is_told_before_it_comes)
{
	certify(certificates[_i].days);
	examine("certificate");
	ck_assert_msg(
	    has(certificates[_i].result, certificates[_i].text), "%s", all_found());
}
END_TEST

static const struct {
	/* programs that the unit starts, below the prefix */
	const char *start, *remedy;
} supervisors[] = {
	{ "%s/bin/gateway", "systemctl enable --now dragoman.target" },
	{ "%s/other/bin/gateway", "crontab" },
};

START_TEST(a_remedy_names_what_starts_the_programs)
{
	FILE *f = fopen(
	    arena_printf(fixture.mem, "%s/dragoman-gateway.service", fixture.dir), "w");

	ck_assert_ptr_nonnull(f);
	fputs("[Service]\nExecStart=", f);
	fprintf(f, supervisors[_i].start, conf->prefix);
	fputs("\n", f);
	fclose(f);
	ck_assert_int_eq(setenv("SYSTEMD_UNIT_PATH", fixture.dir, 1), 0);
	never_start_a_worker();
	examine("workers");
	ck_assert_ptr_nonnull(strstr(all_found(), supervisors[_i].remedy));
	web.gateway = "404 No|text/plain|";
	examine("gateway");
	ck_assert_ptr_nonnull(strstr(all_found(), supervisors[_i].remedy));
}
END_TEST

START_TEST(an_untrusted_certificate_is_reported)
{
	certify(60);
	examine("web");
	ck_assert_msg(has("fail", "no answer"), "%s", all_found());
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("doctor");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, what_is_broken_is_named_and_what_is_well_is_not, 0, COUNT(rows));
	tcase_add_test(t, a_folder_that_cannot_be_written_is_named);
	tcase_add_test(t, a_node_whose_clock_is_behind_is_told_from_a_dead_one);
	tcase_add_loop_test(t, the_end_of_a_certificate_is_told_before_it_comes, 0,
	    COUNT(certificates));
	tcase_add_loop_test(
	    t, a_remedy_names_what_starts_the_programs, 0, COUNT(supervisors));
	tcase_add_test(t, an_untrusted_certificate_is_reported);
	suite_add_tcase(s, t);
	return unit_run(s);
}
