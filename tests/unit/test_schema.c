/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of a database, and its upgrade. */
#include <dirent.h>
#include <unistd.h>

#include "store/channels.h"
#include "store/events.h"
#include "store/glossaries.h"
#include "store/schema.h"
#include "store/webhooks.h"
#include "tests/unit/unit.h"

static struct arena *mem;
static const char *dir;
static struct db *db;

static void
setup(void)
{
	int applied;

	(void)fixture;
	mem = arena_new();
	dir = unit_folder(mem);
	ck_assert_int_eq(
	    db_open(&db, arena_printf(mem, "sqlite:%s/test.db", dir), 0, true), OK);
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, SCHEMA_VERSION);
}

static void
teardown(void)
{
	db_close(db);
	unit_folder_drop(dir);
	arena_free(mem);
}

static int64_t
version(void)
{
	int64_t v;

	ck_assert_int_eq(schema_version(db, &v), OK);
	return v;
}

START_TEST(what_is_up_to_date_is_left_as_it_is)
{
	int applied;

	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, 0);
	ck_assert_int_eq(version(), SCHEMA_VERSION);
}
END_TEST

/* Makes a folder with the first n files of schema/. */
static const char *
first_files(int n)
{
	const char *to = arena_printf(mem, "%s/first", dir);
	char *here = realpath("schema", NULL);
	struct dirent **files;
	int all = scandir(here, &files, NULL, alphasort), taken = 0;

	ck_assert_int_eq(mkdir(to, 0700), 0);
	for (int i = 0; i < all; free(files[i++]))
		if (files[i]->d_name[0] == '0' && taken++ < n)
			ck_assert_int_eq(
			    symlink(arena_printf(mem, "%s/%s", here, files[i]->d_name),
				arena_printf(mem, "%s/%s", to, files[i]->d_name)),
			    0);
	free(files);
	free(here);
	return to;
}

/* Makes a database of schema version n with these rows, and opens it as db. */
static void
old_database(int n, const char *rows)
{
	int applied;

	db_close(db);
	ck_assert_int_eq(
	    db_open(&db, arena_printf(mem, "sqlite:%s/old.db", dir), 0, true), OK);
	ck_assert_int_eq(schema_migrate(db, mem, first_files(n), &applied), OK);
	ck_assert_int_eq(applied, n);
	ck_assert_int_eq(
	    db_script(db, "INSERT INTO accounts (id, name, status, created_us)"
			  " VALUES ('a', 'A', 'active', 1);"),
	    OK);
	ck_assert_int_eq(db_script(db, rows), OK);
}

START_TEST(terms_stored_as_csv_are_read_after_migrating)
{
	const struct glossary_row *row;
	struct list l;
	int applied;

	old_database(7,
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name,"
	    " enabled, type, source_lang, target_lang, status) VALUES"
	    " ('g', 'a', 1, 1, 'g', 1, 'translation', 'en', 'de', 'ready'),"
	    " ('h', 'a', 2, 2, 'h', 1, 'asr_hot', 'en', NULL, 'ready');"
	    "INSERT INTO glossary_terms (glossary, csv) VALUES"
	    " ('g', 'one,eins\n\"a \"\"b\"\", c\",\"d\ne\"\n'),"
	    " ('h', 'hot\n')");
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, SCHEMA_VERSION - 7);
	ck_assert_int_eq(glossary_used(db, mem, "a", 100, &l), OK);
	ck_assert_uint_eq(l.n, 3);
	row = l.items;
	ck_assert_str_eq(row[0].replacement, "eins");
	ck_assert_str_eq(row[1].term, "a \"b\", c");
	ck_assert_str_eq(row[1].replacement, "d\ne");
	ck_assert_str_eq(row[1].target, "de");
	ck_assert_str_eq(row[2].term, "hot");
	ck_assert_ptr_null(row[2].replacement);
	ck_assert_str_eq(row[2].type, "asr_hot");
}
END_TEST

/* Events that are public stay open; others do not become so. */
START_TEST(lines_kept_before_migrating_are_public_where_their_event_is)
{
	static const struct sql public_lines = { "public_lines",
		"SELECT sum(id) FROM transcript_lines WHERE public = 1" };
	int64_t ids;
	int applied;

	old_database(17,
	    "INSERT INTO events (seq, id, account, created_us, updated_us, title,"
	    " type, start_us, end_us, recurring, languages, listener_mode,"
	    " room_suffix, agenda, transcript) SELECT column1, column2, 'a', 1, 1,"
	    " 'Forum', 'online', 1, 2, 0, '[]', 'off', 'x', '[]', column3 FROM"
	    " (VALUES (1, 'open', 'public'), (2, 'closed', 'organizer'));"
	    "INSERT INTO transcript_lines (id, account, channel, event, segment,"
	    " part, language, original, text, start_us, end_us) SELECT column1,"
	    " 'a', 'c', column2, column1, 0, 'en', 1, 'Hello', 1, 2 FROM"
	    " (VALUES (1, 'open'), (2, 'closed'), (3, NULL))");
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(db_number(db, &public_lines, ARGS(), &ids), OK);
	ck_assert_int_eq(ids, 1);
}
END_TEST

START_TEST(each_event_gets_a_join_code_by_migrating)
{
	static const struct sql codes = { "codes",
		"SELECT count(DISTINCT c.code) FROM join_codes c JOIN events e ON"
		" e.join_code = c.code AND e.id = c.event WHERE length(c.code) = 6" };
	int64_t n;
	int applied;

	old_database(26,
	    "INSERT INTO events (seq, id, account, created_us, updated_us, title,"
	    " type, start_us, end_us, recurring, languages, listener_mode,"
	    " room_suffix, agenda) WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT"
	    " i + 1 FROM k WHERE i < 1000) SELECT i, 'event ' || i, 'a', 1, 1, 'Forum',"
	    " 'online', 1, i % 7, 0, '[]', 'off', 'x', '[]' FROM k");
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(db_number(db, &codes, ARGS(), &n), OK);
	ck_assert_int_eq(n, 1000);
}
END_TEST

/* As a program of version 40 does, also after the migration. */
#define OLD_EVENT(seq)                                                                 \
	"INSERT INTO event_texts (rowid, folded, account) VALUES (" seq                \
	", 'needle', 'a');"                                                            \
	"INSERT INTO event_terms (rowid, terms) SELECT rowid,"                         \
	" grams(account, folded, 1) FROM event_texts WHERE rowid = " seq ";"

START_TEST(events_of_older_programs_are_found_after_migrating)
{
	struct event_query q = { .before = INT64_MAX, .limit = 20, .q = "needle" };
	struct event_page page;
	size_t n = 0;
	int applied;

	old_database(40,
	    "INSERT INTO events (seq, id, account, created_us, updated_us, title,"
	    " type, start_us, end_us, recurring, languages, listener_mode,"
	    " room_suffix, agenda) WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT"
	    " i + 1 FROM k WHERE i < 1000) SELECT i, 'event ' || i, 'a', 1, 1, 'Forum',"
	    " 'online', 1, 2, 0, '[]', 'off', 'x', '[]' FROM k;"
	    "INSERT INTO event_texts (rowid, folded, account) SELECT seq, 'forum', 'a'"
	    " FROM events WHERE seq > 2;" OLD_EVENT("1"));
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(db_script(db, OLD_EVENT("2")), OK);
	for (page.rest = 0; page.rest != INT64_MIN; q.before = page.rest) {
		ck_assert_int_eq(event_list(db, mem, "a", &q, &page), OK);
		n += page.events.n;
	}
	ck_assert_uint_eq(n, 2);
}
END_TEST

static bool
has(const char *file, const char *secret)
{
	FILE *f = fopen(arena_printf(mem, "%s/%s", dir, file), "r");
	struct buf b = { .mem = mem };
	size_t n;

	while (f != NULL && (n = fread(buf_room(&b, 65536), 1, 65536, f)) > 0)
		b.len += n;
	if (f != NULL)
		fclose(f);
	return b.len > 0 && memmem(b.p, b.len, secret, strlen(secret)) != NULL;
}

/* The secrets keep their values, and the files contain none of their plain bytes. */
START_TEST(secrets_kept_in_clear_text_are_encrypted_by_migrating)
{
	static const char *const secrets[] = { "Kingfisher", "0123key9876",
		"pull-secret", "youtube-key", "hook-secret", "sent-secret" };
	struct conf conf = { .master = { 7 } };
	struct channel c;
	struct event ev;
	struct webhook w;
	int applied;

	old_database(25,
	    "INSERT INTO events (seq, id, account, created_us, updated_us, title,"
	    " type, start_us, end_us, recurring, languages, listener_mode,"
	    " room_suffix, agenda, access_code) SELECT column1, column2, 'a', 1, 1,"
	    " 'Forum', 'online', 1, 2, 0, '[]', 'off', 'x', '[]', column3 FROM"
	    " (VALUES (1, 'open', NULL), (2, 'closed', 'Kingfisher'));"
	    "INSERT INTO channels (id, account, created_us, updated_us, type,"
	    " lifecycle, name, input_type, input_url, stream_key, source_language,"
	    " target_languages, region, ignore_video, original_delay_s,"
	    " original_volume, outputs) VALUES ('c', 'a', 1, 1, 'standalone',"
	    " 'ready', 'C', 'srt_push', 'https://example.org/pull-secret',"
	    " '0123key9876', 'en', '[]', 'eu', 0, 0, 0,"
	    " '[{\"protocol\":\"webrtc_push\"},{\"protocol\":\"rtmp_push\","
	    "\"stream_key\":\"youtube-key\"}]');"
	    "INSERT INTO webhooks (id, account, created_us, updated_us, url, "
	    "events,"
	    " enabled, seed, failures, good_us, failing) VALUES ('w', 'a', 1, 1,"
	    " 'https://example.org/hook-secret', '[\"*\"]', 1, 's', 0, 1, 0);"
	    "INSERT INTO webhook_deliveries (id, webhook, account, message, type,"
	    " status, tries, created_us, body) VALUES ('d', 'w', 'a', 'm', 'x',"
	    " 'pending', 0, 1, 'sent-secret')");
	db_seal(db, &conf);
	ck_assert(has("old.db-wal", secrets[0]));
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(event_get(db, mem, "a", "closed", &ev), OK);
	ck_assert_str_eq(ev.access_code, "Kingfisher");
	ck_assert_int_eq(event_get(db, mem, "a", "open", &ev), OK);
	ck_assert_ptr_null(ev.access_code);
	ck_assert_int_eq(channel_get(db, mem, "a", "c", &c), OK);
	ck_assert_str_eq(c.stream_key, "0123key9876");
	ck_assert_str_eq(c.input_url, "https://example.org/pull-secret");
	ck_assert_ptr_nonnull(strstr(c.outputs, "\"stream_key\":\"youtube-key\""));
	ck_assert_int_eq(c.output_processes, 1);
	ck_assert_int_eq(webhook_get(db, mem, "a", "w", &w), OK);
	ck_assert_str_eq(w.url, "https://example.org/hook-secret");
	ck_assert_int_eq(db_backup(db, arena_printf(mem, "%s/copy.db", dir)), OK);
	for (int i = 0; i < COUNT(secrets); i++) {
		ck_assert_msg(!has("copy.db", secrets[i]), "%s", secrets[i]);
		ck_assert_msg(!has("old.db", secrets[i]), "%s", secrets[i]);
		ck_assert_msg(!has("old.db-wal", secrets[i]), "%s", secrets[i]);
	}
}
END_TEST

START_TEST(a_database_of_a_newer_program_is_refused)
{
	int64_t v;
	int applied;

	ck_assert_int_eq(
	    db_script(
		db, "INSERT INTO schema_versions VALUES (9999, 'later.sql', 1, 1)"),
	    OK);
	ck_assert_int_eq(schema_known(db, &v), ERR_REFUSED);
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), ERR_REFUSED);
	ck_assert_int_eq(applied, 0);
	ck_assert_int_eq(version(), 9999);
	ck_assert(db_idle(db));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("schema");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, what_is_up_to_date_is_left_as_it_is);
	tcase_add_test(t, terms_stored_as_csv_are_read_after_migrating);
	tcase_add_test(t, lines_kept_before_migrating_are_public_where_their_event_is);
	tcase_add_test(t, each_event_gets_a_join_code_by_migrating);
	tcase_add_test(t, events_of_older_programs_are_found_after_migrating);
	tcase_add_test(t, secrets_kept_in_clear_text_are_encrypted_by_migrating);
	tcase_add_test(t, a_database_of_a_newer_program_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
