/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Channels: their fields and statements.  Their state machine is in service/channel.c.
 */
#include "store/channels.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"
#include "base/problem.h"
#include "base/text.h"
#include "store/events.h"
#include "store/nodes.h"
#include "store/served.h"

/* The language and channel that a listener's request asks for. */
struct wish {
	const char *event, *channel, *language; /* channel "": any */
	const char *status;                     /* lifecycle of the event, now */
};

static const char *
region_check(const char *s)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	return s[strspn(s, allowed)] == '\0' ? NULL : "may have a-z, 0-9 and - only";
}

static const char *
blocked_check(const char *s)
{
	return text_first_word(s) != 0 ? NULL : "must have a letter or a digit";
}

/* A check that refuses every value. */
static const char *
fixed_check(const char *s)
{
	(void)s;
	return "cannot be changed";
}

static const char *const types[] = { "event", "standalone", NULL };
static const char *const protocols[] = { "webrtc_push", "rtmp_push", "srt_push",
	"hls_pull", NULL };
static const char *const out_protocols[] = { "webrtc_push", "rtmp_push", "srt_push",
	"hls_pull", "icecast_push", "captions_push", "recording", NULL };
static const char *const record_formats[] = { "ogg", "wav", "mp4", NULL };
static const char *const attendees[] = { "when_full", "first", NULL };

/* clang-format off */
#define NAME     { "name",             F_TEXT, MEMBER(channel, name), 1, 100, F_IO | F_REQUIRED | F_KEPT }
#define SOURCE   { "source_language",  F_ENUM, MEMBER(channel, source_language), .flags = F_IO | F_NOCASE | F_KEPT, \
                   .names = lang_spoken }
/* The other fields that clients set and read unchanged. */
#define SAID                                                                             \
	{ "region",           F_TEXT, MEMBER(channel, region),       1, 32, F_IO | F_KEPT, region_check }, \
	{ "ignore_video",     F_BOOL, MEMBER(channel, ignore_video), 0, 0,  F_IO | F_KEPT },          \
	{ "original_delay_seconds", F_REAL, MEMBER(channel, original_delay_s), 0, CHANNEL_DELAY_S_MOST, F_IO | F_KEPT,  \
	                      .column = "original_delay_s" },                            \
	{ "original_ducked_volume", F_REAL, MEMBER(channel, original_volume),  0, 1,  F_IO | F_KEPT,  \
	                      .column = "original_volume" },                             \
	{ "keep_transcript",  F_BOOL, MEMBER(channel, keep_transcript), 0, 0, F_IO | F_KEPT,          \
	                      .help = "For a standalone channel; other channels follow their event." }, \
	{ "hold_seconds",     F_INT,  MEMBER(channel, hold_s),       0, CHANNEL_HOLD_S_MOST, F_IO | F_KEPT, \
	                      .column = "hold_s",                                        \
	                      .help = "Final texts, their translations and their speech wait so long." }, \
	{ "audio_settings",   F_JSON, MEMBER(channel, audio_settings), 0, 16384, F_IO | F_NULLABLE | F_KEPT }
#define PIPELINE { "translation_pipeline", F_JSON, MEMBER(channel, pipeline), 0, 65536, F_IO | F_NULLABLE | F_KEPT, \
                   .column = "pipeline" }

const struct field	 channel_fields[] = FIELDS(
	{ "channel_id",       F_TEXT, MEMBER(channel, id),               .flags = F_OUT | F_ADD, .column = "id" },
	{ "type",             F_TEXT, MEMBER(channel, type),             .flags = F_OUT | F_ADD },
	{ "event_id",         F_TEXT, MEMBER(channel, event),            .flags = F_OUT | F_NULLABLE | F_ADD, .column = "event" },
	{ "stage_id",         F_TEXT, MEMBER(channel, stage),            .flags = F_OUT | F_NULLABLE | F_ADD, .column = "stage" },
	{ "broadcast_id",     F_TEXT, MEMBER(channel, broadcast),        .flags = F_OUT | F_NULLABLE | F_PUT, .column = "broadcast" },
	{ "id",               F_TEXT, MEMBER(channel, broadcast_too),    .flags = F_OUT | F_NULLABLE, .column = "broadcast" },
	{ "lifecycle_status", F_TEXT, MEMBER(channel, lifecycle),        .flags = F_OUT | F_KEPT, .column = "lifecycle" },
	{ "runtime_status",   F_TEXT, MEMBER(channel, runtime),          .flags = F_OUT | F_NULLABLE | F_PUT, .column = "runtime" },
	{ "status",           F_TEXT, MEMBER(channel, runtime_too),      .flags = F_OUT | F_NULLABLE, .column = "runtime" },
	NAME,
	{ "title",            F_TEXT, MEMBER(channel, title),            .flags = F_OUT, .column = "name" },
	{ "user",             F_TEXT, MEMBER(channel, account),          .flags = F_OUT | F_ADD, .column = "account" },
	{ "input_type",       F_TEXT, MEMBER(channel, input_type),       .flags = F_OUT | F_ADD },
	SOURCE,
	{ "target_languages", F_JSON, MEMBER(channel, target_languages), .flags = F_OUT | F_KEPT },
	{ "room_name_suffix", F_TEXT, MEMBER(channel, room_suffix),      .flags = F_OUT | F_NULLABLE | F_ADD, .column = "room_suffix" },
	SAID,
	{ "blocked_words",    F_JSON, MEMBER(channel, blocked_words),    .flags = F_OUT | F_KEPT },
	{ "outputs",          F_JSON, MEMBER(channel, outputs),          .flags = F_OUT | F_KEPT | F_SEALED },
	PIPELINE,
	{ "input",            F_JSON, MEMBER(channel, input),            .flags = F_OUT | F_NULLABLE, .column = NO_COLUMN },
	{ "input_bitrate",    F_REAL, MEMBER(channel, input_bitrate),    .flags = F_OUT | F_NULLABLE | F_PUT },
	{ "error",            F_TEXT, MEMBER(channel, error),            .flags = F_OUT | F_NULLABLE | F_PUT },
	{ "warnings",         F_LIST, MEMBER(channel, warnings),         .flags = F_OUT, .of = problem_fields, .size = sizeof(struct problem_document) },
	{ "utc_stopped_at",   F_TIME, MEMBER(channel, stopped_us),       .flags = F_OUT | F_NULLABLE | F_KEPT, .column = "stopped_us",
	                      .help = "Null unless the channel was stopped and not resumed." },
	{ "utc_created_at",   F_TIME, MEMBER(channel, created_us),       .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "utc_updated_at",   F_TIME, MEMBER(channel, updated_us),       .flags = F_OUT | F_KEPT, .column = "updated_us" },
	{ "input_url",        F_TEXT, MEMBER(channel, input_url),        .flags = F_ADD | F_SEALED },
	{ "stream_key",       F_TEXT, MEMBER(channel, stream_key),       .flags = F_KEPT | F_SEALED },
	{ "output_processes", F_INT,  MEMBER(channel, output_processes), .flags = F_KEPT },
	{ "srt_port",         F_INT,  MEMBER(channel, srt_port),         .flags = F_KEPT },
	{ "attempt",          F_INT,  MEMBER(channel, attempt),          .flags = F_KEPT },
	{ "held",             F_BOOL, MEMBER(channel, held),             .flags = F_KEPT },
	{ "version",          F_INT,  MEMBER(channel, version),          .flags = F_PUT },
	{ "speaker_version",  F_INT,  MEMBER(channel, speaker_version),  .flags = 0 },
	{ "speaker_made",     F_INT,  MEMBER(channel, speaker_made_us),  .flags = F_OPT, .column = "speaker_made_us" },
	{ "speaker_link",     F_TEXT, MEMBER(channel, speaker_link),     .flags = 0 },
	{ "code_version",     F_INT,  MEMBER(channel, code_version),     .flags = F_OPT, .column = "(SELECT v.code_version FROM events v WHERE v.id = channels.event) AS code_version" },
	{ "node",             F_TEXT, MEMBER(channel, node),             .flags = F_ADD },
	{ "handed_to",        F_TEXT, MEMBER(channel, handed_to),        .flags = 0 },
	{ "node_url",         F_TEXT, MEMBER(channel, node_url),         .flags = 0, .column = "(SELECT n.public_url FROM nodes n WHERE n.id = channels.node) AS node_url" },
	{ "node_ingest_host", F_TEXT, MEMBER(channel, node_ingest_host), .flags = 0, .column = "(SELECT n.ingest_host FROM nodes n WHERE n.id = channels.node) AS node_ingest_host" },
	{ "unserved",         F_TEXT, MEMBER(channel, unserved),         .flags = F_KEPT },
	{ "text_only",        F_TEXT, MEMBER(channel, text_only),        .flags = F_KEPT }
);
static const struct field	 heard[] = FIELDS( { "", F_ENUM, 0, 0, 0, F_IO | F_NOCASE, .names = lang_listenable } };
static const struct field	 target[] = { { "", F_ENUM, 0, 0, 0, F_IN | F_NOCASE, .names = lang_target } };
const struct field	 output_in_fields[] = {
	{ "protocol",   F_ENUM, MEMBER(output_in, protocol),   0, 0,    F_IO | F_REQUIRED, .names = out_protocols },
	{ "lang_code",  F_ENUM, MEMBER(output_in, lang_code),  0, 0,    F_IO | F_OPT | F_NOCASE, .names = lang_listenable },
	{ "server",     F_TEXT, MEMBER(output_in, server),     1, 2083, F_IO | F_OPT },
	{ "stream_key", F_TEXT, MEMBER(output_in, stream_key), 1, 1024, F_IO | F_OPT },
	{ "stream_id",  F_TEXT, MEMBER(output_in, stream_id),  1, 512,  F_IO | F_OPT },
	{ "mount",      F_TEXT, MEMBER(output_in, mount),      1, 255,  F_IO | F_OPT },
	{ "url",        F_TEXT, MEMBER(output_in, url),        1, 2083, F_IO | F_OPT },
	{ "lang_codes", F_LIST, MEMBER(output_in, lang_codes), 1, 67,   F_IO | F_OPT, .of = heard,
	                .size = sizeof(const char *) },
	{ "format",     F_ENUM, MEMBER(output_in, format),     0, 0,    F_IO | F_OPT | F_NOCASE, .names = record_formats },
	{ "attendees",  F_ENUM, MEMBER(output_in, attendees),  0, 0,    F_IO | F_OPT, .names = attendees }
);
static const struct field	 blocked[] = { { "", F_TEXT, 0, 1, CHANNEL_BLOCKED_CHARACTERS, F_IN, blocked_check } };
#define OTHERS                                                                           \
	SOURCE,                                                                          \
	{ "target_languages", F_LIST, MEMBER(channel_in, languages), 0, 66, F_IN | F_NULLABLE,           \
	                      .of = target, .size = sizeof(const char *) },              \
	SAID,                                                                            \
	{ "blocked_words",    F_LIST, MEMBER(channel_in, blocked), 0, CHANNEL_BLOCKED_MOST, F_IN | F_NULLABLE, \
	                      .of = blocked, .size = sizeof(const char *),               \
	                      .help = "Whole words, masked in texts and left out of speech; case and accents do not count." }, \
	{ "outputs",          F_LIST, MEMBER(channel_in, outputs),   0, 20, F_IN | F_NULLABLE,           \
	                      .of = output_in_fields, .size = sizeof(struct output_in) }, \
	PIPELINE
#define FIXED(name, m) { name, F_TEXT, MEMBER(channel, m), 0, 0, F_IN, fixed_check }
const struct field	 channel_new_fields[] = FIELDS(
	{ "type",       F_ENUM, MEMBER(channel, type),       0, 0, F_IN | F_REQUIRED, .names = types },
	NAME,
	{ "event_id",   F_TEXT, MEMBER(channel, event),      0, 0, F_IN, id_check },
	{ "stage_id",   F_TEXT, MEMBER(channel, stage),      0, 0, F_IN, id_check },
	{ "input_type", F_ENUM, MEMBER(channel, input_type), 0, 0, F_IN, .names = protocols },
	{ "input_url",  F_TEXT, MEMBER(channel, input_url),  0, 0, F_IN },
	OTHERS
);
const struct field	 channel_edit_fields[] = FIELDS(
	{ "channel_id", F_TEXT, MEMBER(channel, id),         0, 0, F_IN },
	FIXED("type", type), NAME, FIXED("event_id", event), FIXED("stage_id", stage),
	FIXED("input_type", input_type), FIXED("input_url", input_url),
	OTHERS
);
static const struct field	 wish_fields[] = FIELDS(
	{ "event",    F_TEXT, MEMBER(wish, event) },
	{ "channel",  F_TEXT, MEMBER(wish, channel) },
	{ "language", F_TEXT, MEMBER(wish, language) },
	{ "status",   F_TEXT, MEMBER(wish, status) }
);

static const struct field	 stop_fields[] = FIELDS(
	{ "id",        F_TEXT, MEMBER(channel_stop, id) },
	{ "version",   F_INT,  MEMBER(channel_stop, version) }
);
static const struct field	 standing_fields[] = FIELDS(
	{ "id",        F_TEXT, MEMBER(standing, id) },
	{ "account",   F_TEXT, MEMBER(standing, account) },
	{ "lifecycle", F_TEXT, MEMBER(standing, lifecycle) },
	{ "broadcast", F_TEXT, MEMBER(standing, broadcast) },
	{ "target_languages", F_TEXT, MEMBER(standing, target_languages) },
	{ "attempt",   F_INT,  MEMBER(standing, attempt) }
);

#define CHANNEL(where) "SELECT {*} FROM channels WHERE " where, ROWS_OF(channel_fields, struct channel)
#define FIRST_MADE " ORDER BY created_us, id"

/* True for a channel whose event is not finished, and for a standalone one. */
#define UNFINISHED(now) "coalesce((SELECT " EVENT_LIFECYCLE(now)                         \
	" FROM events e WHERE e.id = channels.event), '') <> 'finished'"

enum {
	ADD, GET, ON_AIR, RUNNING, TOPIC, ALL_ON_AIR, ACTIVE, ALL, OF_EVENT, PUT, DROP, VOID_TOKENS, PUT_LINK, BY_LINK, LANGUAGES,
	WISH, WAKE, STANDING, STANDS, AFTER, TOTAL, SRT_PORTS, REVISION, FREE_SRT_PORTS,
	STREAMING, STOPPED, SQL_END
};

const struct sql	 channel_sql[SQL_END + 1] = {
	[ADD] = { "channel.add",
	    "INSERT INTO channels ({names}) VALUES ({values})", .from = channel_fields },
	[GET] = { "channel.get", CHANNEL("id = $2 AND account = $1") },
	[ON_AIR] = { "channel.on_air",
	    CHANNEL("id = $1 AND lifecycle = 'ready' AND EXISTS (SELECT 1 FROM accounts a"
	    " WHERE a.id = channels.account AND a.status = 'active')") },
	[RUNNING] = { "channel.running",
	    CHANNEL("id = $1 AND runtime = 'active' AND coalesce(node, $2) = $2") },
	[TOPIC] = { "channel.topic",
	    "SELECT coalesce(e.title, c.name), e.agenda, c.stage FROM channels c"
	    " LEFT JOIN events e ON e.id = c.event WHERE c.id = $1" },
	[ALL_ON_AIR] = { "channel.all_on_air",
	    CHANNEL("lifecycle = 'ready' AND CASE WHEN input_type = 'webrtc_push' THEN $1 = 1"
	    " ELSE " UNFINISHED("$2") " END AND EXISTS (SELECT 1"
	    " FROM accounts a WHERE a.id = channels.account AND a.status = 'active')") },
	[ACTIVE] = { "channel.active",
	    CHANNEL("lifecycle = 'ready' AND runtime = 'active'"
	    " AND (lease_until_us BETWEEN 1 AND $2 OR (lease_until_us = 0 AND epoch > 0)"
	    " OR CASE WHEN node IS NULL OR node = $1 THEN $3 = 1 ELSE NOT EXISTS"
	    " (SELECT 1 FROM nodes n WHERE n.id = channels.node AND n.seen_us > $2) END)") },
	[ALL] = { "channel.all",
	    CHANNEL("account = $1 AND (CAST($2 AS TEXT) IS NULL OR stage = $2)" FIRST_MADE) },
	[OF_EVENT] = { "channel.of_event",
	    CHANNEL("account = $1 AND event = $3"
	    " AND (CAST($2 AS TEXT) IS NULL OR stage = $2)" FIRST_MADE) },
	[PUT] = { "channel.put",
	    "UPDATE channels SET {changes} WHERE id = :id AND account = :account"
	    " AND version = $1 AND attempt = $2", .from = channel_fields },
	[DROP] = { "channel.drop", "DELETE FROM channels WHERE id = $2 AND account = $1" },
	[VOID_TOKENS] = { "channel.void_tokens",
	    "UPDATE channels SET speaker_version = speaker_version + 1, version = version + 1,"
	    " updated_us = $4, speaker_made_us = NULL, speaker_link = NULL"
	    " WHERE id = $2 AND account = $1 AND version = $3" },
	[PUT_LINK] = { "channel.put_speaker_link",
	    "UPDATE channels SET speaker_made_us = $3, speaker_link = $4"
	    " WHERE id = $2 AND account = $1" },
	[BY_LINK] = { "channel.by_speaker_link",
	    CHANNEL("speaker_link = $1 AND lifecycle <> 'deleting' AND EXISTS (SELECT 1"
	    " FROM accounts a WHERE a.id = channels.account AND a.status = 'active')") },
	[LANGUAGES] = { "channel.languages",
	    "SELECT target_languages FROM channels WHERE account = $1 AND event = $2"
	    " AND lifecycle <> 'deleting' AND (CAST($3 AS TEXT) IS NULL OR id <> $3)" },
	[WISH] = { "channel.wish",
	    "SELECT r.event, r.channel, r.language, " EVENT_LIFECYCLE("$3")
	    " AS status FROM requests r JOIN events e ON e.id = r.event"
	    " WHERE r.id = $2 AND e.account = $1", ROWS_OF(wish_fields, struct wish) },
	/* "<> 'dead'" matches the condition of the jobs' index. */
	[WAKE] = { "channel.wake",
	    "UPDATE jobs SET due_us = $3 WHERE kind = 'channel.language_later'"
	    " AND state <> 'dead' AND state = 'ready' AND account = $1"
	    " AND ref IN (SELECT id FROM requests WHERE event = $2)" },
	[STANDING] = { "channel.standing",
	    "SELECT {*} FROM channels WHERE held = 1 ORDER BY id", ROWS_OF(standing_fields, struct standing) },
	[STANDS] = { "channel.stands",
	    "SELECT 1 FROM channels WHERE id = $1 AND held = 1"
	    " AND (attempt = $3 OR broadcast = $2)" },
	[AFTER] = { "channel.after",
	    CHANNEL("id > $1 AND lifecycle <> 'deleting' ORDER BY id LIMIT $2") },
	[SRT_PORTS] = { "channel.srt_ports",
	    "SELECT srt_port FROM channels WHERE srt_port > 0 ORDER BY srt_port" },
	[REVISION] = { "channel.revision",
	    "SELECT CAST(coalesce(sum(version), 0) AS BIGINT) FROM channels"
	    " WHERE lifecycle = 'ready'" },
	[FREE_SRT_PORTS] = { "channel.free_srt_ports",
	    "UPDATE channels SET srt_port = 0, version = version + 1, updated_us = $1"
	    " WHERE srt_port > 0 AND NOT " UNFINISHED("$1") },
	[STREAMING] = { "channel.streaming",
	    "SELECT coalesce(sum(CASE input_type WHEN 'webrtc_push' THEN 0 ELSE 1 END"
	    " + output_processes), 0) FROM channels"
	    " WHERE account = $1 AND id <> $2 AND lifecycle <> 'deleting' AND " UNFINISHED("$3") },
	[STOPPED] = { "channel.stopped",
	    "SELECT {*} FROM channels WHERE stopped_us IS NOT NULL AND lifecycle = 'ready'",
	    ROWS_OF(stop_fields, struct channel_stop) },
	[TOTAL] = { "channel.total", "SELECT count(*) FROM channels WHERE lifecycle = $1" },
};
/* clang-format on */

enum err
channel_get(struct db *db, struct arena *mem, const char *account, const char *id,
    struct channel *c)
{
	return db_one(db, &channel_sql[GET], ARGS(TEXT(account), TEXT(id)), mem, c);
}

enum err
channel_on_air(struct db *db, struct arena *mem, const char *id, struct channel *c)
{
	return db_one(db, &channel_sql[ON_AIR], ARGS(TEXT(id)), mem, c);
}

enum err
channel_running(struct db *db, struct arena *mem, const char *id, const char *node,
    struct channel *c)
{
	return db_one(db, &channel_sql[RUNNING], ARGS(TEXT(id), TEXT(node)), mem, c);
}

enum err
channel_topic(
    struct db *db, struct arena *mem, const char *id, struct channel_topic *to)
{
	struct rows rs = db_query(db, &channel_sql[TOPIC], ARGS(TEXT(id)));

	*to = (struct channel_topic){ 0 };
	if (db_next(&rs))
		*to = (struct channel_topic){ row_text(&rs, 0, mem),
			row_text(&rs, 1, mem), row_text(&rs, 2, mem) };
	return db_done_one(&rs);
}

enum err
channels_on_air(struct db *db, struct arena *mem, bool rooms, struct list *to)
{
	return db_list(
	    db, &channel_sql[ALL_ON_AIR], ARGS(INT(rooms), INT(now_us())), mem, to);
}

enum err
channels_stopped(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &channel_sql[STOPPED], ARGS(), mem, to);
}

enum err
channels_revision(struct db *db, int64_t *to)
{
	return db_number(db, &channel_sql[REVISION], ARGS(), to);
}

enum err
channel_srt_ports(struct db *db, bool (*take)(void *arg, int64_t port), void *arg)
{
	struct rows rs = db_query(db, &channel_sql[SRT_PORTS], ARGS());

	while (db_next(&rs) && take(arg, row_int(&rs, 0)))
		;
	return db_done(&rs);
}

enum err
channels_free_srt_ports(struct db *db, int64_t *n)
{
	return db_exec(db, &channel_sql[FREE_SRT_PORTS], ARGS(INT(now_us())), n);
}

enum err
channels_streaming(struct db *db, const char *account, const char *but, int64_t *n)
{
	return db_number(db, &channel_sql[STREAMING],
	    ARGS(TEXT(account), TEXT(but != NULL ? but : ""), INT(now_us())), n);
}

enum err
channels_active(
    struct db *db, struct arena *mem, const char *node, bool begins, struct list *to)
{
	return db_list(db, &channel_sql[ACTIVE],
	    ARGS(TEXT(node), INT(now_us() - NODE_SILENT_US), INT(begins)), mem, to);
}

enum err
channel_list(struct db *db, struct arena *mem, const char *account, const char *event,
    const char *stage, struct list *to)
{
	return event == NULL
		   ? db_list(db, &channel_sql[ALL], ARGS(TEXT(account), TEXT(stage)),
			 mem, to)
		   : db_list(db, &channel_sql[OF_EVENT],
			 ARGS(TEXT(account), TEXT(stage), TEXT(event)), mem, to);
}

int64_t
channel_output_processes(struct arena *mem, const char *outputs)
{
	const char *why, *protocol;
	const struct json *o = json_read(mem, outputs, strlen(outputs), &why);
	int64_t n = 0;

	for (o = o != NULL ? o->kids : NULL; o != NULL; o = o->next) {
		protocol = json_get_text(o, "protocol");
		n += protocol != NULL && strcmp(protocol, "webrtc_push") != 0 &&
		     strcmp(protocol, "captions_push") != 0;
	}
	return n;
}

enum err
channel_add(struct db *db, struct arena *mem, struct channel *c)
{
	enum err e = served_judge(db, mem, c);

	c->updated_us = c->created_us;
	c->output_processes = channel_output_processes(mem, c->outputs);
	if (e == OK)
		e = db_save(db, &channel_sql[ADD], c, ARGS(), ERR_CONFLICT);
	if (e == OK && c->event != NULL)
		e = db_exec(db, &channel_sql[WAKE],
		    ARGS(TEXT(c->account), TEXT(c->event), INT(c->created_us)), NULL);
	return e != OK ? e : event_channels_changed(db, c->event);
}

/*
 * True if clients see no difference. Warnings depend on unserved and text_only. The bit
 * rate is ignored, as an If-Match would otherwise almost never match during a stream.
 */
static bool
same(struct arena *mem, const struct channel *a, const struct channel *b)
{
	struct channel was = *a;

	was.input_bitrate = b->input_bitrate;
	return a->srt_port == b->srt_port && strcmp(a->unserved, b->unserved) == 0 &&
	       strcmp(a->text_only, b->text_only) == 0 &&
	       field_same(mem, channel_fields, &was, b);
}

enum err
channel_put(
    struct db *db, struct arena *mem, const struct channel *was, struct channel *now)
{
	enum err e = served_judge(db, mem, now);

	if (e != OK)
		return e;
	now->version = was->version;
	now->output_processes = channel_output_processes(mem, now->outputs);
	if (!same(mem, was, now)) {
		now->version = db_next_version(was->version);
		now->updated_us = now_us();
	}
	e = db_save(db, &channel_sql[PUT], now,
	    ARGS(INT(was->version), INT(was->attempt)), ERR_STALE);
	return e != OK ? e : event_channels_changed(db, now->event);
}

enum err
channel_drop(struct db *db, const struct channel *c)
{
	enum err e = db_change(
	    db, &channel_sql[DROP], ARGS(TEXT(c->account), TEXT(c->id)), ERR_NOT_FOUND);

	return e != OK ? e : event_channels_changed(db, c->event);
}

enum err
channel_void_tokens(struct db *db, struct channel *c)
{
	int64_t now = now_us();
	enum err e = db_change(db, &channel_sql[VOID_TOKENS],
	    ARGS(TEXT(c->account), TEXT(c->id), INT(c->version), INT(now)), ERR_STALE);

	c->speaker_version = db_next_version(c->speaker_version);
	c->version = db_next_version(c->version);
	c->updated_us = now;
	c->speaker_made_us = NULL_INT;
	c->speaker_link = NULL;
	return e;
}

enum err
channel_put_speaker_link(struct db *db, const struct channel *c)
{
	return db_change(db, &channel_sql[PUT_LINK],
	    ARGS(TEXT(c->account), TEXT(c->id), INT(c->speaker_made_us),
		TEXT(c->speaker_link)),
	    ERR_NOT_FOUND);
}

enum err
channel_by_speaker_link(
    struct db *db, struct arena *mem, const char *link, struct channel *c)
{
	return db_one(db, &channel_sql[BY_LINK], ARGS(TEXT(link)), mem, c);
}

/* ---- compared with the backend ---- */

enum err
channels_standing(struct db *db, struct arena *mem, struct list *to)
{
	return db_list(db, &channel_sql[STANDING], ARGS(), mem, to);
}

enum err
channel_stands(struct db *db, const char *id, const char *broadcast, int64_t attempt)
{
	return db_there(
	    db, &channel_sql[STANDS], ARGS(TEXT(id), TEXT(broadcast), INT(attempt)));
}

enum err
channels_after(struct db *db, struct arena *mem, const char *id, int n, struct list *to)
{
	return db_list(db, &channel_sql[AFTER], ARGS(TEXT(id), INT(n)), mem, to);
}

enum err
channel_total(struct db *db, const char *lifecycle, int64_t *n)
{
	return db_number(db, &channel_sql[TOTAL], ARGS(TEXT(lifecycle)), n);
}

/* ---- languages ---- */

enum err
channels_languages(struct db *db, struct arena *mem, const char *account,
    const char *event, const char *but, struct list *to)
{
	struct rows rs = db_query(
	    db, &channel_sql[LANGUAGES], ARGS(TEXT(account), TEXT(event), TEXT(but)));

	*to = (struct list){ 0 };
	while (db_next(&rs)) {
		struct list more = texts_read(mem, row_text(&rs, 0, mem));

		languages_add(mem, to, &more);
	}
	return db_done(&rs);
}

/* ---- listeners' requests ---- */

/* The oldest channel of the event that is not being deleted; its id is NULL if there is
   none. */
static enum err
first_channel(struct db *db, struct arena *mem, const char *account, const char *event,
    struct channel *c)
{
	const struct channel *of;
	struct list l;
	enum err e = channel_list(db, mem, account, event, NULL, &l);

	if (e != OK)
		return e;
	of = l.items;
	*c = (struct channel){ 0 };
	for (size_t i = 0; i < l.n && c->id == NULL; i++)
		if (strcmp(of[i].lifecycle, "deleting") != 0)
			*c = of[i];
	return OK;
}

enum err
channel_wanted(struct db *db, struct arena *mem, const char *account,
    const char *request, struct channel *c, const char **language)
{
	struct wish w;
	enum err e = db_one(db, &channel_sql[WISH],
	    ARGS(TEXT(account), TEXT(request), INT(now_us())), mem, &w);

	if (e != OK)
		return e;
	*language = w.language;
	if (w.channel[0] == '\0') {
		e = first_channel(db, mem, account, w.event, c);
		return e == OK && c->id == NULL && strcmp(w.status, "finished") == 0
			   ? ERR_NOT_FOUND
			   : e;
	}
	e = channel_get(db, mem, account, w.channel, c);
	return e == OK && (c->event == NULL || strcmp(c->event, w.event) != 0)
		   ? ERR_NOT_FOUND
		   : e;
}
