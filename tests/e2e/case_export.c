/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `dragoman account export`: it writes the records of an account to files with the
 * contents of the routes' answers, and no data of another account.
 */
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/conf.h"
#include "cases.h"
#include "db/db.h"
#include "owner.h"
#include "store/account_data.h"

/* number of lines in the event's transcript, and in each translation */
#define LINES 10000

static struct owner me, other;
/* the exported account, with a key that may only read */
static struct account reader;
static const char *dir, *alone; /* alone: a channel without an event */

/* ---- an account with everything ---- */

static void
say_much(void)
{
	static const struct sql lines = { "lines",
		"INSERT INTO transcript_lines (id, account, channel, event, stage,"
		" segment, part, language, original, text, start_us, end_us)"
		" WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT)"
		" UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
		" SELECT (SELECT max(id) FROM transcript_lines) + 2 * i + l.o,"
		" c.account, c.id, c.event, c.stage, 's' || i, 0, l.code, l.o,"
		" l.code || ' ' || i, 4102444800000000 + i * 2000000,"
		" 4102444801000000 + i * 2000000 FROM n, channels c,"
		" (SELECT 'en' AS code, 1 AS o UNION ALL SELECT 'fr', 0) l"
		" WHERE c.id = $1" };
	static const struct sql one = { "one",
		"INSERT INTO transcript_lines (id, account, channel, segment, part,"
		" language, original, text, start_us, end_us) SELECT (SELECT max(id)"
		" FROM transcript_lines) + 1, account, id, 'a', 0, 'en', 1, 'Alone',"
		" 4102444800000000, 4102444801000000 FROM channels WHERE id = $1" };

	change_db(&lines, me.thing[CHANNEL]);
	change_db(&one, alone);
}

static void
listen_for_days(void)
{
	static const struct sql minutes = { "minutes",
		"INSERT INTO listening_minutes (event, at_us, language, channel,"
		" listeners) SELECT event, 1795000020000000, 'fr', id, 3 FROM channels"
		" WHERE id = $1 UNION ALL SELECT event, 1795600020000000, 'fr', id, 5"
		" FROM channels WHERE id = $1" };

	change_db(&minutes, me.thing[CHANNEL]);
}

static void
use_credits(void)
{
	static const struct sql used = { "used",
		"INSERT INTO usage_hours VALUES ($1, 1795000000000000, 's2s', '', '',"
		" 60, 0, 1500000)" };

	change_db(&used, me.as.user_id);
	DRAGOMAN("account", "credit", me.as.user_id, "--credits", "-1.5", "--reference",
	    text("of %s", me.as.user_id));
}

static void
mark_a_favorite(void)
{
	struct answer a = ASK(.path = "/saas/voice/builtin", .as = &me.as);

	if (count_at(a.json, "data.items") == 0)
		return; /* this host has no speech engine */
	a = ASK(.method = "POST", .as = &me.as,
	    .path = text(
		"/saas/voice/m/%s/favorite", text_at(a.json, "data.items.0.voice_id")));
	EXPECT(a, 200);
}

static bool
are_terms_ready(const void *unused)
{
	struct answer a =
	    ASK(.path = text("/saas/glossary/%s", me.thing[GLOSSARY]), .as = &me.as);

	(void)unused;
	EXPECT(a, 200);
	return strcmp(text_at(a.json, "data.entries_status"), "ready") == 0;
}

static void
upload_terms(void)
{
	static const char form[] =
	    "--x\r\nContent-Disposition: form-data; name=\"file\";"
	    " filename=\"f.csv\"\r\nContent-Type: text/csv\r\n\r\nForum\r\n--x--\r\n";
	struct answer a =
	    ASK(.path = text("/saas/glossary/%s/upload", me.thing[GLOSSARY]),
		.as = &me.as, .type = "multipart/form-data; boundary=x",
		.body = { form, sizeof(form) - 1 });

	ck_assert_msg(a.status / 100 == 2, "%s", shown(&a));
	/* the export must have the record as it stays */
	ck_assert(becomes(are_terms_ready, NULL, 20));
}

static void
before(void)
{
	struct answer a;

	me = owner_new("exporting", true);
	reader = account_limited(&me.as, "channels:read events:read glossaries:read "
					 "sessions:read voices:read webhooks:read");
	other = owner_new("staying out", false);
	a = ASK(.path = "/saas/channel", .as = &me.as,
	    .json = "{\"data\":{\"type\":\"standalone\",\"name\":\"Alone\","
		    "\"target_languages\":[\"fr\"],\"keep_transcript\":true}}");
	EXPECT(a, 201);
	alone = text_at(a.json, "data.channel_id");
	say_much();
	listen_for_days();
	use_credits();
	mark_a_favorite();
	upload_terms();
	dir = text("%s/var/export-%s", instance()->dir, me.as.user_id);
}

/* ---- exporting ---- */

/* Runs as the programs' user: as root, the instance has changed to www-data. */
static pid_t
start_export(const char *account, const char *to)
{
	static const char *const other_user[] = { "setpriv", "--reuid=www-data",
		"--regid=www-data", "--init-groups" };
	const char *argv[12];
	int n = 0;
	pid_t pid;

	for (; geteuid() == 0 && n < 4; n++)
		argv[n] = other_user[n];
	argv[n++] = text("%s/bin/dragoman", instance()->dir);
	argv[n++] = "account";
	argv[n++] = "export";
	argv[n++] = account;
	argv[n++] = to;
	argv[n] = NULL;
	if ((pid = fork()) == 0) {
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return pid;
}

static int
export_to(const char *account, const char *to)
{
	int status;
	pid_t pid = start_export(account, to);

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

static struct bytes
file(const char *name)
{
	const char *path = text("%s/%s", dir, name);
	struct buf b = { .mem = memory() };
	int fd = open(path, O_RDONLY | O_NOFOLLOW);
	ssize_t n;

	ck_assert_msg(fd >= 0, "there is no %s", path);
	while ((n = read(fd, buf_room(&b, 65536), 65536)) > 0)
		b.len += (size_t)n;
	close(fd);
	return (struct bytes){ buf_text(&b), b.len };
}

static json_t *
json_of(const char *name)
{
	json_t *j = json_loads(file(name).p, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_msg(j != NULL, "%s is no JSON", name);
	return j;
}

/* ---- what is there ---- */

static struct buf seen; /* Names and contents of all files except sounds. */
static int files;

static int
look_at(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	ck_assert_int_eq(st->st_mode & 07777, kind == FTW_F ? 0600 : 0700);
	ck_assert(kind == FTW_F || kind == FTW_D);
	if (kind == FTW_F) {
		struct bytes b = file(path + strlen(dir) + 1);

		files += strcmp(path + at->base, "manifest.json") != 0;
		buf_printf(&seen, "%s\n", path + strlen(dir));
		buf_put(&seen, b.p, b.n);
	}
	return 0;
}

static void
expect_manifest(void)
{
	json_t *m = json_of("manifest.json"), *f;
	size_t i;

	ck_assert_str_eq(text_at(m, "user_id"), me.as.user_id);
	ck_assert_int_eq(int_at(m, "missing"), 0);
	ck_assert_int_eq((int)count_at(m, "files"), files);
	json_array_foreach(at(m, "files"), i, f)
	{
		struct bytes b = file(text_at(f, "path"));

		ck_assert_int_eq(int_at(f, "bytes"), (json_int_t)b.n);
		ck_assert_str_eq(text_at(f, "sha256"), sha256_of(b));
	}
}

/* Expects a file with a record for each exported table. */
static void
expect_tables(void)
{
	for (const struct account_table *t = account_tables; t->name != NULL; t++) {
		glob_t found;
		bool some = false;

		if (t->exported == NULL)
			continue;
		ck_assert_msg(
		    glob(text("%s/%s", dir, t->exported), 0, NULL, &found) == 0,
		    "%s: there is no %s", t->name, t->exported);
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct bytes b = file(found.gl_pathv[i] + strlen(dir) + 1);

			some = some ||
			       (b.n > 3 && strcmp(b.p, "language,participants") != 0);
		}
		ck_assert_msg(some || strcmp(t->name, "favorites") == 0,
		    "%s: %s is empty", t->name, t->exported);
		globfree(&found);
	}
}

static bool
is_said(const char *word)
{
	return memmem(seen.p, seen.len, word, strlen(word)) != NULL;
}

static void
expect_own_things_alone(void)
{
	for (int i = 0; i < NO_THING; i++)
		ck_assert_msg(is_said(me.thing[i]) || i == LISTENER || i == HELD ||
				  i == COVER || i == COVER_TAKEN,
		    "thing %d", i);
	ck_assert(!is_said(other.as.user_id));
	for (int i = 0; i < NO_THING; i++)
		ck_assert_msg(i == LINE || !is_said(other.thing[i]), "other's %d", i);
	ck_assert(!is_said(me.as.api_key) && !is_said(me.as.client_secret));
}

/* Compares the record with this id in a list with its route's answer. */
static void
expect_record(const char *list, const char *member, const char *id, const char *path)
{
	struct answer a = ASK(.path = text(path, id), .as = &reader);
	json_t *all = json_of(list), *one;
	size_t i;

	EXPECT(a, 200);
	json_array_foreach(all, i, one) if (strcmp(text_at(one, member), id) == 0)
	{
		const char *is = json_dumps(one, JSON_SORT_KEYS);
		const char *told = json_dumps(at(a.json, "data"), JSON_SORT_KEYS);

		ck_assert_str_eq(steadied(is, false), steadied(told, false));
		return;
	}
	ck_abort_msg("%s has no %s", list, id);
}

static void
expect_records(void)
{
	expect_record("events.json", "event_id", me.thing[EVENT], "/saas/v2/event/%s");
	expect_record(
	    "channels.json", "channel_id", me.thing[CHANNEL], "/saas/channel/%s");
	expect_record(
	    "voices.json", "voice_id", me.thing[VOICE_READY], "/saas/voice/m/%s");
	expect_record(
	    "glossaries.json", "glossary_id", me.thing[GLOSSARY], "/saas/glossary/%s");
	expect_record(
	    "webhooks.json", "webhook_id", me.thing[WEBHOOK], "/saas/webhook/%s");
	expect_record(
	    "sessions.json", "id", me.thing[SESSION], "/session-storage/sessions/%s");
}

static void
expect_files(void)
{
	struct answer a =
	    ASK(.path = text("/saas/glossary/%s/upload", me.thing[GLOSSARY]),
		.as = &me.as);
	struct bytes terms = file(text("glossaries/%s/terms.csv", me.thing[GLOSSARY]));

	ck_assert_uint_eq(a.n, terms.n);
	ck_assert_mem_eq(a.body, terms.p, terms.n);
	ck_assert_uint_eq(file(text("files/%s", me.thing[FILE_STORED])).n, 200000);
	ck_assert_ptr_nonnull(strstr(
	    file("ledger.csv").p, text(",correction,-1.5,of %s,\r\n", me.as.user_id)));
	ck_assert_int_eq((int)json_array_size(
			     json_of(text("events/%s/series.json", me.thing[EVENT]))),
	    2);
}

/* ---- the transcript ---- */

static void
expect_lines(const char *language)
{
	json_t *all = json_of(
		   text("events/%s/transcript.%s.json", me.thing[EVENT], language)),
	       *one;
	const char *code = strcmp(language, "original") == 0 ? "en" : language;
	int n = 0;
	size_t i;

	json_array_foreach(
	    all, i, one) if (strcmp(text_at(one, "text"), "Welcome") != 0)
	    ck_assert_str_eq(text_at(one, "text"), text("%s %d", code, ++n));
	ck_assert_int_eq(n, LINES);
}

static void
expect_captions(const char *language)
{
	const char *name =
	    text("events/%s/transcript.%s.vtt", me.thing[EVENT], language);
	struct answer a =
	    ASK(.path = text("/saas/v2/event/%s/transcript?format=vtt&language=%s",
		    me.thing[EVENT], language),
		.as = &me.as);
	struct bytes b = file(name);

	ck_assert_int_eq(strncmp(b.p, "WEBVTT", 6), 0);
	ck_assert_uint_eq(a.n, b.n);
	ck_assert_mem_eq(a.body, b.p, b.n);
}

START_TEST(everything_of_an_account_is_exported_and_nothing_of_another)
{
	ck_assert_int_eq(export_to(me.as.user_id, dir), 0);
	seen.mem = memory();
	ck_assert_int_eq(nftw(dir, look_at, 16, FTW_PHYS), 0);
	expect_manifest();
	expect_tables();
	expect_own_things_alone();
	expect_records();
	expect_files();
	expect_lines("original");
	expect_lines("fr");
	expect_captions("original");
	expect_captions("fr");
	ck_assert_ptr_nonnull(strstr(
	    file(text("channels/%s/transcript.original.json", alone)).p, "\"Alone\""));
	ck_assert_int_ne(export_to(me.as.user_id, dir), 0); /* it is there */
	expect_manifest();
}
END_TEST

static bool
has_begun(const void *to)
{
	glob_t found;
	bool some =
	    glob(text("%s.part-*/events/*", (const char *)to), 0, NULL, &found) == 0;

	globfree(&found);
	return some;
}

START_TEST(an_export_that_is_killed_leaves_nothing_that_looks_whole)
{
	const char *to = text("%s-killed", dir);
	pid_t pid = start_export(me.as.user_id, to);
	struct stat st;
	glob_t found;
	int status;

	ck_assert(becomes(has_begun, to, 30));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status), "it was too fast");
	ck_assert_int_ne(lstat(to, &st), 0);
	ck_assert_int_ne(glob(text("%s.part-*/manifest.json", to), 0, NULL, &found), 0);
}
END_TEST

Suite *
export_suite(void)
{
	TCase *t;
	Suite *s = suite_of("export", before, &t);

	tcase_set_timeout(t, 300);
	tcase_add_test(t, everything_of_an_account_is_exported_and_nothing_of_another);
	tcase_add_test(t, an_export_that_is_killed_leaves_nothing_that_looks_whole);
	return s;
}
