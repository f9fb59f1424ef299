/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No row of the database ends a gateway, whatever its columns say. */
#include "channel/channel_session.h"
#include "channel/channel_sessions.h"
#include "server/heartbeat.h"
#include "tests/unit/admission_fixture.h"
#include "tests/unit/event_rows.h"
#include "tests/unit/voice_rows.h"

#define STT "/asr/v1/speech-to-text/stream"
#define TTS "/tts-api/v1/text-to-speech/stream"
#define OUTPUTS                                                                        \
	"[{\"protocol\":\"webrtc_push\"},{\"protocol\":\"captions_push\","             \
	"\"lang_code\":\"es\",\"url\":\"http://127.0.0.1:9/c\"},{\"protocol\":"        \
	"\"hls_pull\",\"lang_codes\":[\"es\"]},{\"protocol\":\"rtmp_push\","           \
	"\"lang_code\":\"es\",\"server\":\"rtmp://127.0.0.1/a\",\"stream_key\":"       \
	"\"k\"},{\"protocol\":\"icecast_push\",\"lang_code\":\"es\",\"server\":"       \
	"\"http://127.0.0.1:9\",\"mount\":\"/a\",\"stream_key\":\"k\"},"               \
	"{\"protocol\":\"recording\",\"format\":\"ogg\",\"lang_codes\":[\"es\"]}]"

static const char *channel, *pulled, *session, *voice, *key;
static sqlite3 *kept; /* copy of the intact database */

/* ---- the installation ---- */

static void
copy_database(sqlite3 *to, sqlite3 *from)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");

	ck_assert_ptr_nonnull(b);
	ck_assert_int_eq(sqlite3_backup_step(b, -1), SQLITE_DONE);
	ck_assert_int_eq(sqlite3_backup_finish(b), SQLITE_OK);
}

static void
put_rows(void)
{
	const char *event = put_event(fixture.account, "Talk", 7);
	const char *stage = put_stage(event, "Main stage");

	sql(arena_printf(fixture.mem,
	    "UPDATE channels SET type = 'event', event = '%s', stage = '%s', "
	    "outputs = '" OUTPUTS "', pipeline = '{\"transcription\":{}}'"
	    " WHERE id = '%s';"
	    "UPDATE channels SET input_type = 'rtmp_push', stream_key = 'key'"
	    " WHERE id = '%s';"
	    "UPDATE sessions SET room = 'ROOM1234';"
	    "UPDATE events SET agenda = '[{\"title\":\"Opening\",\"stage_id\":"
	    "\"%s\",\"speakers\":[{\"name\":\"A B\"}]}]';"
	    "INSERT INTO channel_outputs (channel, output, seq, runtime, dropped,"
	    " updated_us) VALUES ('%s', 'x', 1, 'active', 0, 1);"
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name,"
	    " enabled, type, source_lang, target_lang, status, entries) VALUES ('g',"
	    " '%s', 1, 1, 'Terms', 1, 'translation', 'en', 'es', 'ready', 1);"
	    "INSERT INTO glossary_terms (glossary, terms) VALUES ('g',"
	    " 'hello' || char(31) || 'hola' || char(30))",
	    event, stage, channel, pulled, stage, channel, fixture.account));
}

static void
setup(void)
{
	sqlite3 *h;

	gateway_open();
	fixture.app.conf.session_jwt_keys = "k1:0123456789abcdef0123456789abcdef";
	fixture.app.conf.rate_auth_failures_per_min = 1000000;
	fixture.app.conf.broadcast_max_children = 0;
	fixture.app.conf.hls_dir = arena_printf(fixture.mem, "%s/hls", fixture.dir);
	channel = new_channel("[\"es\"]");
	pulled = new_channel("[\"es\"]");
	session = new_session();
	voice = put_voice(fixture.account, "Berta", 1);
	key = fixture_key(fixture.account, "*");
	put_rows();
	ck_assert_int_eq(sqlite3_open(":memory:", &kept), SQLITE_OK);
	copy_database(kept, h = unit_database());
	sqlite3_close(h);
}

static void
teardown(void)
{
	sqlite3_close(kept);
	gateway_close();
}

/* ---- what a gateway reads ---- */

static struct websocket *
enter(const char *path, const char *credential)
{
	const char *text = arena_printf(fixture.mem,
	    "GET %s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
	    "Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n"
	    "Authorization: Bearer %s\r\n\r\n",
	    path, credential);
	struct buf answer = { .mem = fixture.mem };
	struct connection_request *v;
	struct http_head h;

	ck_assert(http_head_read(fixture.mem, text, strlen(text), &h));
	v = http_routes_answer(&gateway, fixture.mem, &h, "127.0.0.1", &answer);
	return v != NULL ? open_for(v) : NULL;
}

static void
speak(struct websocket *s)
{
	if (s == NULL)
		return;
	tell(s, "set_task",
	    TASK("{\"target_language\":\"es\",\"speech_generation\":{\"voice_id\":"
		 "\"default_low\"}}",
		""));
	send_sound(s, 200, true);
}

/* Clients that cause a row to be read: of the channel, the session, or the key. */
static int
speaker_of(const char *table)
{
	static const char *const of_channels[] = { "channels", "events", "stages",
		"channel_outputs" };

	for (int i = 0; i < COUNT(of_channels); i++)
		if (strcmp(table, of_channels[i]) == 0)
			return 0;
	return strcmp(table, "sessions") == 0 ? 1 : 2;
}

static void
read_all(int speaker)
{
	const char *room = arena_printf(fixture.mem, "%s-1", channel);
	struct websocket *speakers[] = {
		enter(S2S, session_token(channel, room, STREAM_PUBLISHER)),
		enter(S2S, session_token(session, "ROOM1234", STREAM_PUBLISHER)),
		enter(S2S, key),
	};

	enter(S2S, listener_token(channel, "anna"));
	enter(S2S, session_token(session, "ROOM1234", STREAM_SUBSCRIBER));
	enter(STT, key);
	enter(TTS, key);
	gateway.channels_polled_us = gateway.beat_us = 0;
	channel_sessions_poll(&gateway);
	gateway_tick();
	speak(speakers[speaker]);
	for (struct session *s = gateway.sessions; s != NULL; s = s->next)
		if (s->channel != NULL)
			channel_session_tick(s, monotonic_us() + 4 * S_US);
	heartbeat(&gateway, fixture.mem);
	(void)!channel_row_reset(gateway.app.db, fixture.mem, gateway.conf, true);
	for (int i = 0; i < 8; i++)
		gateway_tick();
}

static void
leave_all(void)
{
	for (struct session *s = gateway.sessions; s != NULL; s = s->next)
		lifecycle_event(s, EVENT_END_FORCE);
	sql("DELETE FROM channels");
	gateway.channels_polled_us = 0;
	channel_sessions_poll(&gateway);
	gateway_empty();
}

/* ---- hostile rows ---- */

static const char *const texts[] = { "''", "'x'", "'[1]'", "'{\"a\":1}'",
	"'[{},null,[]]'", "'{\"transcription\":7,\"translations\":{\"a\":[]}}'",
	"'[{\"protocol\":7},{\"protocol\":\"hls_pull\"},{\"protocol\":\"rtmp_push\"},"
	"{\"protocol\":\"recording\",\"lang_codes\":[7,[]]},{\"protocol\":\"icecast_"
	"push\","
	"\"lang_code\":[]},{\"protocol\":\"captions_push\",\"url\":\"\"}]'",
	"CAST(x'ff27' AS TEXT)", "hex(zeroblob(40000))",
	"char(31) || char(30) || char(31)", "'hello' || char(30)", "'asr'", "NULL" };
static const char *const integers[] = { "-1", "0", "9223372036854775807",
	"-9223372036854775808", "NULL" };
static const char *const reals[] = { "-1e308", "1e308", "9e999", "-9e999", "NULL" };

static void
spoil(const char *table, const char *column, const char *value)
{
	sqlite3 *h = unit_database();
	bool changed;

	copy_database(h, kept);
	sqlite3_exec(h, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL);
	changed = sqlite3_exec(h,
		      arena_printf(fixture.mem,
			  "UPDATE %s SET \"%s\" = %s WHERE \"%s\" IS NOT %s", table,
			  column, value, column, value),
		      NULL, NULL, NULL) == SQLITE_OK &&
		  sqlite3_changes(h) > 0;
	sqlite3_close(h);
	/* The schema refused the value, or the value is the old one. */
	if (!changed)
		return;
	gateway.limiter = NULL;
	fprintf(stderr, "%s.%s = %s\n", table, column, value);
	read_all(speaker_of(table));
	leave_all();
}

static void
spoil_column(const char *table, const char *column, const char *type)
{
	bool text = strcmp(type, "TEXT") == 0, real = strcmp(type, "REAL") == 0;
	const char *const *values = text ? texts : real ? reals : integers;
	int n = text ? COUNT(texts) : real ? COUNT(reals) : COUNT(integers);

	for (int i = 0; i < n; i++)
		spoil(table, column, values[i]);
}

static const char *const tables[] = { "accounts", "credentials", "channels", "events",
	"stages", "sessions", "nodes", "glossaries", "glossary_terms", "voices",
	"channel_outputs" };

START_TEST(no_column_ends_a_gateway)
{
	const char *columns = sql(arena_printf(fixture.mem,
	    "SELECT name || ' ' || type FROM pragma_table_info('%s')", tables[_i]));

	read_all(speaker_of(tables[_i]));
	ck_assert_int_ge(gateway.connections, 7);
	leave_all();
	for (size_t n; *columns != '\0'; columns += n + 1) {
		size_t name = strcspn(columns, " ");

		n = strcspn(columns, "\n");
		spoil_column(tables[_i], arena_dup(fixture.mem, columns, name),
		    arena_dup(fixture.mem, columns + name + 1, n - name - 1));
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("database_rows");
	TCase *t = tcase_create("rows");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, no_column_ends_a_gateway, 0, COUNT(tables));
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
