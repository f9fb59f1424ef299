/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models are downloaded from a local server, checked, unpacked, configured and removed.
 * Each fault is reported by a sentence and leaves no files.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sys/file.h>

#include "base/file.h"
#include "base/hash.h"
#include "models/fetch.h"
#include "models/install.h"
#include "service/cli_models.h"
#include "tests/http-server.h"
#include "tests/unit/conf_fixture.h"

#define SIZE 200000

static struct models m;
static struct buf reported;
static char content[SIZE];

/* ---- the server ---- */

static struct {
	int listener, port;
	pthread_t thread;
	size_t cut;       /* bytes sent before the connection breaks; 0: all */
	bool whole;       /* ignore Range */
	const char *type; /* Content-Type */
	const void *body;
	size_t n;
	int requests;
	char range[64]; /* Range of the last request */
} server;

static void
answer(int fd, const struct http_message *r)
{
	struct arena *a = arena_new();
	const char *range = header_of(a, r->head, "Range");
	size_t from = range != NULL ? strtoul(range + strlen("bytes="), NULL, 10) : 0;
	size_t end = server.cut > 0 && server.cut < server.n ? server.cut : server.n;
	const char *head;

	snprintf(server.range, sizeof(server.range), "%s", range != NULL ? range : "");
	server.requests++;
	if (server.whole)
		from = 0;
	head = strcmp(r->target, "/there") == 0 ? arena_printf(a,
						      "HTTP/1.1 302 Found\r\nLocation: "
						      "http://127.0.0.1:%d/file\r\n"
						      "Content-Length: 0\r\n\r\n",
						      server.port)
	       : strcmp(r->target, "/missing") == 0
		   ? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
		   : arena_printf(a,
			 "HTTP/1.1 %s\r\nContent-Type: %s\r\n"
			 "Content-Length: %zu\r\nConnection: close\r\n\r\n",
			 from > 0 ? "206 Partial Content" : "200 OK", server.type,
			 server.n - from);
	if (send_all(fd, head, strlen(head)) && strstr(head, "Content-Type") != NULL &&
	    from < end)
		send_all(fd, (const char *)server.body + from, end - from);
	arena_free(a);
}

static void *
serve_connections(void *arg)
{
	struct arena *a = arena_new();
	struct http_message r;
	int fd;

	(void)arg;
	while ((fd = accept(server.listener, NULL, NULL)) >= 0) {
		if (receive(fd, a, 65536, &r))
			answer(fd, &r);
		close(fd);
	}
	arena_free(a);
	return NULL;
}

static void
collect(const char *line)
{
	buf_printf(&reported, "%s\n", line);
}

/* ---- catalogues ---- */

static const char *
sum(const void *p, size_t n)
{
	return hash_hex(mem, p, n);
}

/* Writes a catalogue of one row with these sources. */
static void
write_catalogue(const char *sources)
{
	unit_write(below("share/models/catalogue"),
	    arena_printf(mem,
		"[{\"name\":\"ear\",\"for\":\"recognize\",\"languages\":\"en\","
		"\"size_mb\":1,\"licence\":\"MIT\",\"licence_url\":\"https://x\","
		"\"list\":\"speech.asr\",\"settings\":{\"kind\":\"whisper\","
		"\"library\":\"/lib/x.so\",\"model\":\"@/ear.bin\"},"
		"\"sources\":[%s]}]",
		sources));
	ck_assert_msg(models_open(&m, mem, &c), "%s", m.why);
	m.say = collect;
	ck_assert(models_lock(&m));
}

static const char *
source(const char *path, const char *sha, const char *take)
{
	return arena_printf(mem,
	    "{\"by\":\"https\",\"parts\":[{\"from\":\"http://127.0.0.1:%d%s\","
	    "\"sha256\":\"%s\",\"take\":[%s]}]}",
	    server.port, path, sha, take);
}

#define PLAIN "\"\",\"ear.bin\""

static void
begin(void)
{
	setup();
	mkdir(below("share"), 0755);
	mkdir(below("share/models"), 0755);
	ck_assert_int_eq(read_conf("# mine\n[speech]\nasr = pocketsphinx\n"), OK);
	for (int i = 0; i < SIZE; i++)
		content[i] = (char)(i * 7 + i / 251);
	reported = (struct buf){ .mem = mem };
	m = (struct models){ .lock = -1 };
	memset(&server, 0, sizeof(server));
	server.type = "application/octet-stream";
	server.body = content;
	server.n = SIZE;
	server.listener = listen_on(&server.port);
	ck_assert_int_eq(
	    pthread_create(&server.thread, NULL, serve_connections, NULL), 0);
}

static void
end(void)
{
	models_unlock(&m);
	shutdown(server.listener, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.listener);
	teardown();
}

static const struct model_row *
row(void)
{
	return &m.catalogue.rows[0];
}

static bool
there(const char *path)
{
	return access(below(path), F_OK) == 0;
}

#define assert_why(text)                                                               \
	ck_assert_msg(m.why != NULL && strstr(m.why, text) != NULL, "%s", m.why)

/* Expects a refusal with this sentence, and no model. */
#define assert_refused(text)                                                           \
	do {                                                                           \
		ck_assert(!models_install(&m, row()));                                 \
		assert_why(text);                                                      \
		ck_assert(!there("var/models/ear"));                                   \
		ck_assert(!there("var/models/downloads/new-ear"));                     \
	} while (0)

static const char *
text_of(const char *path)
{
	static char text[100000];
	FILE *f = fopen(path, "r");
	size_t n = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f != NULL)
		fclose(f);
	return text;
}

/* ---- fetching ---- */

START_TEST(a_model_is_fetched_and_checked)
{
	write_catalogue(source("/file", sum(content, SIZE), PLAIN));
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
	ck_assert(models_has(&m, row()));
	ck_assert_str_eq(
	    fetch_sum(mem, below("var/models/ear/ear.bin")), sum(content, SIZE));
	ck_assert(models_verify(&m, row()));
	unit_write(below("var/models/ear/ear.bin"), "damaged");
	ck_assert(!models_verify(&m, row()));
	assert_why("ear.bin is missing or not what was installed");
}
END_TEST

START_TEST(a_redirect_is_followed_but_not_to_another_host_of_this_network)
{
	write_catalogue(source("/there", sum(content, SIZE), PLAIN));
	assert_refused("the address is not a public one");
}
END_TEST

START_TEST(a_wrong_sum_is_refused_and_nothing_of_it_stays)
{
	write_catalogue(source("/file", sum("x", 1), PLAIN));
	assert_refused("its sum is");
	ck_assert_ptr_null(strstr(text_of(below("var/models/known-sums")), "file"));
}
END_TEST

START_TEST(an_unknown_sum_is_shown_and_kept_and_must_stay_the_same)
{
	write_catalogue(source("/file", "", PLAIN));
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
	ck_assert_ptr_nonnull(strstr(buf_text(&reported), sum(content, SIZE)));
	ck_assert(models_remove(&m, row()));
	content[5] ^= 1;
	assert_refused("its sum is");
}
END_TEST

START_TEST(an_interrupted_download_is_continued)
{
	write_catalogue(source("/file", sum(content, SIZE), PLAIN));
	server.cut = 150000;
	ck_assert(!models_install(&m, row()));
	server.cut = 0;
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
	ck_assert_str_eq(server.range, "bytes=150000-");
	ck_assert_int_eq(server.requests, 2);
}
END_TEST

START_TEST(a_server_that_cannot_continue_sends_it_from_the_beginning)
{
	write_catalogue(source("/file", sum(content, SIZE), PLAIN));
	server.cut = 150000;
	ck_assert(!models_install(&m, row()));
	server.cut = 0;
	server.whole = true;
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
}
END_TEST

START_TEST(a_proxy_that_answers_a_page_is_refused)
{
	write_catalogue(source("/file", sum(content, SIZE), PLAIN));
	server.type = "text/html; charset=utf-8";
	assert_refused("a web page instead of the file");
	server.type = "application/octet-stream";
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
	ck_assert_str_eq(server.range, "");
}
END_TEST

START_TEST(a_refusal_is_reported_with_its_status)
{
	write_catalogue(source("/missing", "", PLAIN));
	assert_refused("it answers 404");
}
END_TEST

START_TEST(without_the_first_source_the_next_one_is_used)
{
	write_catalogue(arena_printf(mem,
	    "{\"by\":\"https\",\"parts\":[{\"from\":\"http://127.0.0.1:1/x\","
	    "\"take\":[" PLAIN "]}]},%s",
	    source("/file", sum(content, SIZE), PLAIN)));
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
}
END_TEST

START_TEST(without_a_network_every_source_is_named)
{
	write_catalogue(
	    "{\"by\":\"https\",\"parts\":[{\"from\":\"http://127.0.0.1:1/x\","
	    "\"take\":[" PLAIN "]}]}");
	assert_refused("ear cannot be had: https: ");
}
END_TEST

START_TEST(a_client_that_is_not_installed_is_named)
{
	setenv("PATH", "/nowhere", 1);
	write_catalogue(
	    "{\"by\":\"npm\",\"parts\":[{\"from\":\"x@1\",\"take\":[" PLAIN
	    "]}]},{\"by\":\"pip\",\"parts\":[{\"from\":\"x==1\",\"take\":[" PLAIN
	    "]}]}");
	assert_refused(
	    "npm: npm is not installed here; pip: pip is not installed here");
}
END_TEST

/* Writes a client that is a shell script with this text. */
static void
write_client(const char *name, const char *does)
{
	const char *client = below(arena_printf(mem, "client/%s", name));

	mkdir(below("client"), 0755);
	unit_write(client, arena_printf(mem, "#!/bin/sh\n%s\n", does));
	chmod(client, 0755);
	setenv("PATH", arena_printf(mem, "%s:/usr/bin:/bin", below("client")), 1);
}

START_TEST(the_last_words_of_a_client_that_fails_are_reported)
{
	write_client("pip3", "echo first; echo 'ERROR: no such package' >&2; exit 1");
	write_catalogue(
	    "{\"by\":\"pip\",\"parts\":[{\"from\":\"x==1\",\"take\":[" PLAIN "]}]}");
	assert_refused("pip says: ERROR: no such package");
}
END_TEST

START_TEST(a_source_for_another_machine_is_left_out)
{
	write_catalogue("{\"by\":\"https\",\"machine\":\"pdp11\",\"parts\":[{\"from\":"
			"\"http://127.0.0.1:1/x\",\"take\":[" PLAIN "]}]}");
	assert_refused("it is for pdp11, and this host is ");
}
END_TEST

/* ---- the host ---- */

START_TEST(too_little_room_is_found_before_anything_is_fetched)
{
	const struct model_row *r;

	write_catalogue(source("/file", "", PLAIN));
	r = row();
	ck_assert(models_has_room(&m, &r, 1));
	c.blob_reserve_bytes = INT64_MAX / 2;
	ck_assert(!models_has_room(&m, &r, 1));
	assert_why("MB of room; these models need");
	ck_assert_int_eq(server.requests, 0);
}
END_TEST

START_TEST(a_second_command_at_a_time_is_refused)
{
	struct models other = { .lock = -1, .conf = &c, .mem = mem };

	write_catalogue(source("/file", "", PLAIN));
	ck_assert(!models_lock(&other));
	ck_assert_ptr_nonnull(strstr(other.why, "is at work"));
	models_unlock(&m);
	ck_assert(models_lock(&other));
	models_unlock(&other);
}
END_TEST

START_TEST(a_processor_that_lacks_a_feature_is_refused_before_the_download)
{
	struct model_row r;

	write_catalogue(source("/file", "", PLAIN));
	r = *row();
	r.cpu = "avx9000";
	ck_assert(!models_install(&m, &r));
	assert_why("ear needs a processor with avx9000");
	ck_assert_int_eq(server.requests, 0);
}
END_TEST

/* ---- the command ---- */

static struct cli
command(const char *name)
{
	return (struct cli){ .mem = mem, .conf = c, .names = { name }, .nnames = 1 };
}

START_TEST(without_consent_to_the_licences_nothing_is_fetched)
{
	struct cli get = command("ear");

	write_catalogue(source("/file", "", PLAIN));
	models_unlock(&m);
	ck_assert_ptr_nonnull(freopen("/dev/null", "r", stdin));
	ck_assert_int_eq(cli_models_get(&get), EXIT_FAILURE);
	ck_assert_int_eq(server.requests, 0);
	ck_assert(!there("var/models/ear"));
}
END_TEST

START_TEST(a_name_that_is_not_in_the_catalogue_is_refused)
{
	struct cli get = command("nose"), forget = command("nose"),
		   none = command(NULL);

	none.nnames = 0;
	write_catalogue(source("/file", "", PLAIN));
	models_unlock(&m);
	ck_assert_int_eq(cli_models_get(&get), EXIT_FAILURE);
	ck_assert_int_eq(cli_models_remove(&forget), EXIT_FAILURE);
	ck_assert_int_eq(cli_models_get(&none), 2);
}
END_TEST

START_TEST(an_account_that_does_not_own_the_installation_is_refused)
{
	struct cli get = command("ear");

	if (geteuid() != 0)
		return;
	get.yes = true;
	write_catalogue(source("/file", "", PLAIN));
	models_unlock(&m);
	chmod(dir, 0755);
	chmod(below("var"), 0755);
	ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_eq(cli_models_get(&get), EXIT_FAILURE);
	ck_assert_int_eq(cli_models_remove(&get), EXIT_FAILURE);
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(server.requests, 0);
}
END_TEST

START_TEST(a_model_is_removed_with_its_settings)
{
	static const char was[] = "# mine\n[speech]\nasr = pocketsphinx\n";
	struct cli forget = command("ear");

	write_catalogue(source("/file", "", PLAIN));
	ck_assert(models_install(&m, row()));
	ck_assert(models_configure(&m, row(), true));
	ck_assert_int_eq(conf_read(mem, &c), OK);
	models_unlock(&m);
	forget.conf = c;
	ck_assert_int_eq(cli_models_remove(&forget), EXIT_SUCCESS);
	ck_assert(!there("var/models/ear"));
	ck_assert_str_eq(text_of(file), was);
	ck_assert_int_eq(cli_models_remove(&forget), EXIT_FAILURE);
}
END_TEST

START_TEST(a_library_that_a_model_needs_is_not_removed)
{
	struct cli forget = command("library");

	unit_write(below("share/models/catalogue"),
	    arena_printf(mem,
		"[{\"name\":\"library\",\"size_mb\":1,\"licence\":\"MIT\","
		"\"licence_url\":\"u\",\"sources\":[%s]},"
		"{\"name\":\"ear\",\"size_mb\":1,\"licence\":\"MIT\","
		"\"licence_url\":\"u\",\"needs\":[\"library\"],\"sources\":[%s]}]",
		source("/file", "", "\"\",\"x\""), source("/file", "", PLAIN)));
	ck_assert(models_open(&m, mem, &c));
	m.say = collect;
	ck_assert(models_lock(&m));
	ck_assert(models_install(&m, &m.catalogue.rows[0]));
	ck_assert(models_install(&m, &m.catalogue.rows[1]));
	models_unlock(&m);
	ck_assert_int_eq(cli_models_remove(&forget), EXIT_FAILURE);
	ck_assert(there("var/models/library"));
	forget.names[1] = "ear";
	forget.nnames = 2;
	ck_assert_int_eq(cli_models_remove(&forget), EXIT_SUCCESS);
	ck_assert(!there("var/models/library"));
}
END_TEST

/* ---- archives ---- */

/* Serves a zip archive with these files, as pairs of name and content. */
static void
serve_archive(const char *const *files)
{
	static char bytes[4000000];
	struct archive *a = archive_write_new();
	struct archive_entry *e;

	archive_write_set_format_zip(a);
	archive_write_open_memory(a, bytes, sizeof(bytes), &server.n);
	for (; *files != NULL; files += 2) {
		e = archive_entry_new();
		archive_entry_set_pathname(e, files[0]);
		archive_entry_set_size(e, (int64_t)strlen(files[1]));
		archive_entry_set_filetype(e, AE_IFREG);
		archive_entry_set_perm(e, 0644);
		archive_write_header(a, e);
		archive_write_data(a, files[1], strlen(files[1]));
		archive_entry_free(e);
	}
	archive_write_close(a);
	archive_write_free(a);
	server.body = bytes;
}

START_TEST(of_an_archive_the_named_files_are_taken)
{
	serve_archive((const char *const[]){
	    "p/a.1", "one", "p/a.2", "two", "p/other", "x", "d/e/f", "deep", NULL });
	write_catalogue(source("/file", "",
	    "\"p/a.1\",\"ear.bin\",\"p/a.2\",\"ear.bin\",\"d/*\",\"data/\""));
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
	ck_assert_str_eq(text_of(below("var/models/ear/ear.bin")), "onetwo");
	ck_assert_str_eq(text_of(below("var/models/ear/data/e/f")), "deep");
	ck_assert(!there("var/models/ear/other"));
}
END_TEST

/* 13 bytes, compressed by gzip. */
static const char compressed[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xcb\x48\xcd\xc9\xc9\x57\x28"
    "\xcf\x2f\xca\x49\xe1\x02\x00\x2d\x3b\x08\xaf\x0c\x00\x00\x00";

START_TEST(what_gzip_has_compressed_is_unpacked)
{
	server.body = compressed;
	server.n = sizeof(compressed) - 1;
	write_catalogue(source("/file", "", "\".gz\",\"ear.bin\""));
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
	ck_assert_str_eq(text_of(below("var/models/ear/ear.bin")), "hello world\n");
	server.n -= 9;
	ck_assert(models_remove(&m, row()));
	unlink(below("var/models/known-sums"));
	assert_refused("truncated gzip input");
}
END_TEST

START_TEST(what_gzip_has_not_compressed_is_refused)
{
	write_catalogue(source("/file", "", "\".gz\",\"ear.bin\""));
	assert_refused("it is not a file of gzip");
}
END_TEST

START_TEST(an_archive_of_another_version_is_refused)
{
	serve_archive((const char *const[]){ "p/b", "one", NULL });
	write_catalogue(source("/file", "", "\"p/a\",\"ear.bin\""));
	assert_refused("the archive is of another version");
}
END_TEST

START_TEST(an_archive_whose_names_lead_elsewhere_is_refused)
{
	serve_archive((const char *const[]){ "p/../../../../x", "one", NULL });
	write_catalogue(source("/file", "", "\"p/*\",\"\""));
	assert_refused("a name that leads elsewhere");
}
END_TEST

START_TEST(a_download_that_is_no_archive_is_refused)
{
	write_catalogue(source("/file", "", "\"p/a\",\"ear.bin\""));
	assert_refused("it is not an archive that can be read");
}
END_TEST

START_TEST(an_archive_that_grows_beyond_its_size_is_refused)
{
	char *big = arena_alloc(mem, 3000001);

	memset(big, 'x', 3000000);
	serve_archive((const char *const[]){ "p/a", big, NULL });
	write_catalogue(source("/file", "", "\"p/a\",\"ear.bin\""));
	assert_refused("is larger than the catalogue says");
}
END_TEST

/* ---- settings ---- */

START_TEST(its_settings_are_written_and_taken_out_again)
{
	static const char was[] = "# mine\n[speech]\nasr = pocketsphinx\n";

	write_catalogue(source("/file", "", PLAIN));
	ck_assert(models_configure(&m, row(), true));
	ck_assert_str_eq(text_of(file),
	    arena_printf(mem,
		"# mine\n[speech]\nasr = ear pocketsphinx\n\n[engine.ear]\n"
		"kind = whisper\nlibrary = /lib/x.so\nmodel = %s/ear/ear.bin\n",
		c.models_dir));
	ck_assert_ptr_nonnull(strstr(
	    buf_text(&reported), "dragoman.conf: speech.asr = ear pocketsphinx"));
	ck_assert_int_eq(conf_read(mem, &c), OK);
	ck_assert(models_configure(&m, row(), true)); /* changes nothing */
	ck_assert_int_eq(conf_read(mem, &c), OK);
	ck_assert(models_configure(&m, row(), false));
	ck_assert_str_eq(text_of(file), was);
}
END_TEST

/* A voice is a setting of the engine, although its name has a dot. */
START_TEST(its_voices_are_settings_of_its_section)
{
	struct json voice = {
		.type = JSON_TEXT, .key = "voice.default_low", .u.s = "0"
	};
	struct json all = { .type = JSON_OBJ, .kids = &voice, .n = 1 };
	struct model_row r;

	write_catalogue(source("/file", "", PLAIN));
	r = *row();
	r.settings = &all;
	r.list = "";
	ck_assert(models_configure(&m, &r, true));
	ck_assert_ptr_nonnull(
	    strstr(text_of(file), "[engine.ear]\nvoice.default_low = 0\n"));
	ck_assert(models_configure(&m, &r, false));
	ck_assert_ptr_null(strstr(text_of(file), "voice"));
}
END_TEST

START_TEST(the_words_of_a_setting_name_folders)
{
	struct json words = { .type = JSON_TEXT,
		.key = "command",
		.u.s = "python3  -I @share/engines/x @library/ en a@b @nothing @ @/f" };
	struct json all = { .type = JSON_OBJ, .kids = &words, .n = 1 };
	struct model_row r;

	write_catalogue(source("/file", "", PLAIN));
	r = *row();
	r.settings = &all;
	ck_assert(models_configure(&m, &r, true));
	ck_assert_ptr_nonnull(strstr(text_of(file),
	    arena_printf(mem,
		"\ncommand = python3  -I %s/engines/x %s/library/ en a@b @nothing "
		"%s/ear %s/ear/f\n",
		c.share_dir, c.models_dir, c.models_dir, c.models_dir)));
	c.models_dir = "/my models";
	ck_assert(models_configure(&m, &r, true));
	ck_assert_ptr_nonnull(
	    strstr(text_of(file), " \"/my models/library/\" en a@b @nothing "));
}
END_TEST

/* ---- bundles ---- */

START_TEST(of_a_bundle_what_can_be_had_is_installed)
{
	struct cli get = command("all"), forget = command("all");

	unit_write(below("share/models/catalogue"),
	    arena_printf(mem,
		"[{\"name\":\"all\",\"for\":\"bundle\",\"needs\":[\"gone\",\"ear\"]},"
		"{\"name\":\"gone\",\"size_mb\":1,\"licence\":\"MIT\","
		"\"licence_url\":\"u\",\"sources\":[%s]},"
		"{\"name\":\"ear\",\"size_mb\":1,\"licence\":\"MIT\","
		"\"licence_url\":\"u\",\"sources\":[%s]}]",
		source("/missing", "", "\"\",\"x\""), source("/file", "", PLAIN)));
	get.yes = true;
	ck_assert_int_eq(cli_models_get(&get), EXIT_FAILURE);
	ck_assert(!there("var/models/gone"));
	ck_assert(there("var/models/ear"));
	ck_assert(!there("var/models/all"));
	ck_assert_int_eq(cli_models_remove(&forget), EXIT_SUCCESS);
	ck_assert(!there("var/models/ear"));
}
END_TEST

START_TEST(what_needs_a_model_that_cannot_be_had_is_not_installed)
{
	struct cli get = command("ear");

	unit_write(below("share/models/catalogue"),
	    arena_printf(mem,
		"[{\"name\":\"gone\",\"size_mb\":1,\"licence\":\"MIT\","
		"\"licence_url\":\"u\",\"sources\":[%s]},"
		"{\"name\":\"ear\",\"size_mb\":1,\"licence\":\"MIT\","
		"\"licence_url\":\"u\",\"needs\":[\"gone\"],\"sources\":[%s]}]",
		source("/missing", "", "\"\",\"x\""), source("/file", "", PLAIN)));
	get.yes = true;
	ck_assert_int_eq(cli_models_get(&get), EXIT_FAILURE);
	ck_assert(!there("var/models/ear"));
	ck_assert_int_eq(server.requests, 1);
}
END_TEST

/* ---- progress ---- */

static int64_t seen_bytes, seen_of;

static void
see_progress(void *arg, int64_t bytes, int64_t of)
{
	(void)arg;
	seen_bytes = bytes;
	seen_of = of;
}

START_TEST(progress_has_the_bytes_that_were_there_and_those_to_come)
{
	write_catalogue(source("/file", sum(content, SIZE), PLAIN));
	m.progress = see_progress;
	server.cut = SIZE / 2;
	ck_assert(!models_install(&m, row()));
	ck_assert_int_eq(seen_bytes, SIZE / 2);
	ck_assert_int_eq(seen_of, SIZE);
	server.cut = 0;
	ck_assert_msg(models_install(&m, row()), "%s", m.why);
	ck_assert_str_eq(server.range, "bytes=100000-");
	ck_assert_int_eq(seen_bytes, SIZE);
	ck_assert_int_eq(seen_of, SIZE);
}
END_TEST

START_TEST(progress_of_a_client_is_what_it_has_written)
{
	write_client("pip3", "head -c 70000 /dev/zero >\"$TMPDIR/piece\"; sleep 1;"
			     "rm \"$TMPDIR/piece\"; exit 1");
	write_catalogue(
	    "{\"by\":\"pip\",\"parts\":[{\"from\":\"x==1\",\"take\":[" PLAIN "]}]}");
	m.progress = see_progress;
	ck_assert(!models_install(&m, row()));
	ck_assert_int_ge(seen_bytes, 70000);
	ck_assert_int_eq(seen_of, -1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("models get");
	TCase *t = tcase_create("models get");

	tcase_add_checked_fixture(t, begin, end);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_model_is_fetched_and_checked);
	tcase_add_test(
	    t, a_redirect_is_followed_but_not_to_another_host_of_this_network);
	tcase_add_test(t, a_wrong_sum_is_refused_and_nothing_of_it_stays);
	tcase_add_test(t, an_unknown_sum_is_shown_and_kept_and_must_stay_the_same);
	tcase_add_test(t, an_interrupted_download_is_continued);
	tcase_add_test(t, a_server_that_cannot_continue_sends_it_from_the_beginning);
	tcase_add_test(t, a_proxy_that_answers_a_page_is_refused);
	tcase_add_test(t, a_refusal_is_reported_with_its_status);
	tcase_add_test(t, without_the_first_source_the_next_one_is_used);
	tcase_add_test(t, without_a_network_every_source_is_named);
	tcase_add_test(t, a_client_that_is_not_installed_is_named);
	tcase_add_test(t, the_last_words_of_a_client_that_fails_are_reported);
	tcase_add_test(t, a_source_for_another_machine_is_left_out);
	tcase_add_test(t, too_little_room_is_found_before_anything_is_fetched);
	tcase_add_test(t, a_second_command_at_a_time_is_refused);
	tcase_add_test(
	    t, a_processor_that_lacks_a_feature_is_refused_before_the_download);
	tcase_add_test(t, without_consent_to_the_licences_nothing_is_fetched);
	tcase_add_test(t, a_name_that_is_not_in_the_catalogue_is_refused);
	tcase_add_test(t, an_account_that_does_not_own_the_installation_is_refused);
	tcase_add_test(t, a_model_is_removed_with_its_settings);
	tcase_add_test(t, a_library_that_a_model_needs_is_not_removed);
	tcase_add_test(t, of_an_archive_the_named_files_are_taken);
	tcase_add_test(t, what_gzip_has_compressed_is_unpacked);
	tcase_add_test(t, what_gzip_has_not_compressed_is_refused);
	tcase_add_test(t, an_archive_of_another_version_is_refused);
	tcase_add_test(t, an_archive_whose_names_lead_elsewhere_is_refused);
	tcase_add_test(t, a_download_that_is_no_archive_is_refused);
	tcase_add_test(t, an_archive_that_grows_beyond_its_size_is_refused);
	tcase_add_test(t, its_settings_are_written_and_taken_out_again);
	tcase_add_test(t, its_voices_are_settings_of_its_section);
	tcase_add_test(t, the_words_of_a_setting_name_folders);
	tcase_add_test(t, of_a_bundle_what_can_be_had_is_installed);
	tcase_add_test(t, what_needs_a_model_that_cannot_be_had_is_not_installed);
	tcase_add_test(t, progress_has_the_bytes_that_were_there_and_those_to_come);
	tcase_add_test(t, progress_of_a_client_is_what_it_has_written);
	suite_add_tcase(s, t);
	return unit_run(s);
}
