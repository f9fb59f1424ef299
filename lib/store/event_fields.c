/*
 * What events are made of, as their owner and as everybody sees them.
 */
#include "base/id.h"
#include "base/lang.h"
#include "base/zone.h"
#include "store/events.h"

const char *const event_statuses[] = { "setup_required", "upcoming", "ready", "live",
	"finished", NULL };
const char *const event_types[] = { "in-person", "online", NULL };
const char *const event_modes[] = { "off", "approval", "auto", NULL };
static const char *const transcripts[] = { "off", "organizer", "public", NULL };

/* Pages show it as a picture. */
static const char *
url_check(const char *s)
{
	return strncmp(s, "https://", 8) == 0 || strncmp(s, "http://", 7) == 0
		   ? NULL
		   : "must be an http or https address";
}

static const char *
key_check(const char *s)
{
	static const char allowed[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz/._-";

	if (s[strspn(s, allowed)] != '\0')
		return "may have letters of ASCII, digits and / . _ - only";
	for (size_t n; *s != '\0'; s += s[n] == '/' ? n + 1 : n) {
		n = strcspn(s, "/");
		if (n == 2 && strncmp(s, "..", 2) == 0)
			return "must not have the segment \"..\"";
	}
	return NULL;
}

static const char *
code_check(const char *s)
{
	for (; *s != '\0'; s++)
		if (*s <= ' ' || *s > '~')
			return "may have visible characters of ASCII only";
	return NULL;
}

/* clang-format off */
#define CHANNEL_ID { "channel_id",       F_TEXT, MEMBER(event_channel, id),               .flags = F_OUT, .column = "id" }
#define STAGE_ID   { "stage_id",         F_TEXT, MEMBER(event_channel, stage),            .flags = F_OUT, .column = "stage" }
#define BROADCAST  { "broadcast_id",     F_TEXT, MEMBER(event_channel, broadcast),        .flags = F_OUT | F_NULLABLE, .column = "broadcast" }
#define NAME       { "name",             F_TEXT, MEMBER(event_channel, name),             .flags = F_OUT }
#define INPUT      { "input_type",       F_TEXT, MEMBER(event_channel, input_type),       .flags = F_OUT }
#define RUNTIME    { "runtime_status",   F_TEXT, MEMBER(event_channel, runtime),          .flags = F_OUT | F_NULLABLE, .column = "runtime" }
#define SOURCE     { "source_language",  F_TEXT, MEMBER(event_channel, source_language),  .flags = F_OUT }
#define TARGETS    { "target_languages", F_JSON, MEMBER(event_channel, target_languages), .flags = F_OUT }

const struct field	 event_channel_fields[] = FIELDS(
	CHANNEL_ID, STAGE_ID, BROADCAST, NAME, INPUT,
	{ "lifecycle_status", F_TEXT, MEMBER(event_channel, lifecycle), .flags = F_OUT, .column = "lifecycle" },
	RUNTIME, SOURCE, TARGETS,
	{ "nth",              F_INT,  MEMBER(event_channel, nth),       .flags = 0, .column = "v.column1 AS nth" },
	{ "unserved",         F_TEXT, MEMBER(event_channel, unserved),  .flags = 0 },
	{ "created_us",       F_INT,  MEMBER(event_channel, created_us), .flags = 0 }
);
static const struct field	 public_channel_fields[] = FIELDS(
	CHANNEL_ID, STAGE_ID, BROADCAST, NAME, INPUT, RUNTIME, SOURCE, TARGETS
);

#define STAGE_NAME { "name", F_TEXT, MEMBER(stage, name), 1, 100, F_IO | F_REQUIRED | F_KEPT }
/* What else organisers say of a stage. */
#define STAGE_SAID                                                                       \
	{ "greenscreen_settings", F_JSON, MEMBER(stage, greenscreen), 0, 16384,                     \
	                    F_IO | F_NULLABLE | F_KEPT, .column = "greenscreen", .help = "Any object." }
#define STAGE(channels_as)                                                               \
	{ "stage_id",       F_TEXT, MEMBER(stage, id),       .flags = F_OUT | F_ADD, .column = "id" }, \
	{ "event_id",       F_TEXT, MEMBER(stage, event),    .flags = F_OUT | F_ADD, .column = "event" }, \
	STAGE_NAME,                                                                      \
	{ "status",         F_TEXT, MEMBER(stage, status),   .flags = F_OUT, .column = NO_COLUMN },  \
	{ "qr_code_url",    F_TEXT, MEMBER(stage, qr_url),   .flags = F_OUT, .column = NO_COLUMN }, \
	STAGE_SAID,                                                                      \
	{ "utc_created_at", F_TIME, MEMBER(stage, created_us), .flags = F_OUT | F_ADD, .column = "created_us" }, \
	{ "utc_updated_at", F_TIME, MEMBER(stage, updated_us), .flags = F_OUT | F_KEPT, .column = "updated_us" }, \
	{ "nth",            F_INT,  MEMBER(stage, nth),      .flags = 0, .column = "v.column1 AS nth" }, \
	{ "position",       F_INT,  MEMBER(stage, position), .flags = 0 },                         \
	{ "channels",       F_LIST, MEMBER(stage, channels), .flags = F_OUT, .of = channels_as,     \
	                    .size = sizeof(struct event_channel) }
const struct field	 stage_fields[] = FIELDS(STAGE(event_channel_fields));
static const struct field	 public_stage_fields[] = FIELDS(STAGE(public_channel_fields));
const struct field	 stage_in_fields[] = FIELDS(
	{ "stage_id",       F_TEXT, MEMBER(stage, id),       0, 0, F_IN | F_NULLABLE, id_check },
	STAGE_NAME, STAGE_SAID
);

#define EVENT_ID   { "event_id",         F_TEXT, MEMBER(event, id),               .flags = F_OUT | F_ADD, .column = "id" }
#define TITLE      { "title",            F_TEXT, MEMBER(event, title),       3, 100,  F_IO | F_REQUIRED | F_KEPT }
#define DESCRIPTION { "description",     F_TEXT, MEMBER(event, description), 0, 2000, F_IO | F_OPT | F_NULLABLE | F_KEPT }
#define TYPE       { "event_type",       F_ENUM, MEMBER(event, type),        0, 0,    F_IO | F_REQUIRED | F_KEPT, \
                     .names = event_types, .column = "type" }
#define LOCATION   { "location",         F_TEXT, MEMBER(event, location),    0, 255,  F_IO | F_OPT | F_NULLABLE | F_KEPT }
#define TIMEZONE   { "timezone",         F_TEXT, MEMBER(event, timezone),    1, 64,   F_IO | F_OPT | F_NULLABLE | F_KEPT, \
                     zone_check }
#define START      { "utc_start_dt",     F_TIME, MEMBER(event, start_us),    0, 0,    F_IO | F_REQUIRED | F_KEPT, .column = "start_us" }
#define END        { "utc_end_dt",       F_TIME, MEMBER(event, end_us),      0, 0,    F_IO | F_REQUIRED | F_KEPT, .column = "end_us" }
#define RECURRING  { "is_recurring",     F_BOOL, MEMBER(event, recurring),   0, 0,    F_IO | F_KEPT, .column = "recurring" }
#define COVER_KEY  { "cover_image_key",  F_TEXT, MEMBER(event, cover_key),   1, 1024, F_IO | F_OPT | F_NULLABLE | F_KEPT, \
                     key_check, .column = "cover_key" }
#define COVER      { "cover_image_url",  F_TEXT, MEMBER(event, cover_url),        .flags = F_OUT | F_OPT, .column = "b.id AS cover_url" }
#define QR_CODE    { "qr_code_url",      F_TEXT, MEMBER(event, qr_url),           .flags = F_OUT, .column = NO_COLUMN }
#define STATUS     { "lifecycle_status", F_TEXT, MEMBER(event, lifecycle),        .flags = F_OUT, \
                     .column = EVENT_LIFECYCLE("$1") " AS lifecycle" }
#define CODE       { "access_code",      F_TEXT, MEMBER(event, access_code), 4, 64,   F_IO | F_OPT | F_NULLABLE | F_KEPT | F_SEALED, code_check }
#define LANGUAGES  { "target_languages", F_JSON, MEMBER(event, languages),        .flags = F_OUT | F_KEPT, .column = "languages" }
#define MODE       { "listener_language_mode", F_ENUM, MEMBER(event, listener_mode), .flags = F_IO | F_KEPT, \
                     .names = event_modes, .column = "listener_mode" }
#define TRANSCRIPT { "transcript",       F_ENUM, MEMBER(event, transcript),       .flags = F_IO | F_KEPT, \
                     .names = transcripts, .help = "Who may read what is said from now on: nobody, as it is not kept; the organizer; everybody." }
#define SUFFIX     { "room_name_suffix", F_TEXT, MEMBER(event, room_suffix),      .flags = F_OUT | F_ADD, .column = "room_suffix" }
#define STAGES(as) { "stages",           F_LIST, MEMBER(event, stages),           .flags = F_OUT, .of = as, \
                     .size = sizeof(struct stage) }
#define SESSIONS   { "sessions",         F_JSON, MEMBER(event, agenda),           .flags = F_OUT | F_KEPT, .column = "agenda" }

const struct field	 event_fields[] = FIELDS(
	EVENT_ID, TITLE, DESCRIPTION, TYPE, LOCATION, TIMEZONE, START, END, RECURRING,
	COVER_KEY, COVER, QR_CODE, STATUS,
	{ "finished_at",      F_TIME, MEMBER(event, finished_us),      .flags = F_OUT | F_OPT | F_PUT, .column = "finished_us" },
	CODE,
	{ "input_languages",  F_JSON, MEMBER(event, input_languages),  .flags = F_OUT, .column = NO_COLUMN },
	{ "output_languages", F_JSON, MEMBER(event, output_languages), .flags = F_OUT, .column = NO_COLUMN },
	LANGUAGES, MODE, TRANSCRIPT, SUFFIX, STAGES(stage_fields), SESSIONS,
	{ "utc_created_at",   F_TIME, MEMBER(event, created_us),       .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "utc_updated_at",   F_TIME, MEMBER(event, updated_us),       .flags = F_OUT | F_KEPT, .column = "updated_us" },
	{ "account",          F_TEXT, MEMBER(event, account),          .flags = F_ADD },
	{ "version",          F_INT,  MEMBER(event, version),          .flags = 0 },
	{ "seq",              F_INT,  MEMBER(event, seq),              .flags = F_ADD }
);

static const struct field	 language[] = FIELDS( { "", F_ENUM, 0, 0, 0, F_IN | F_NOCASE, .names = lang_target } };
const struct field	 event_in_fields[] = {
	TITLE, DESCRIPTION, TYPE, LOCATION, TIMEZONE, START, END, RECURRING, COVER_KEY, CODE,
	{ "target_languages", F_LIST, MEMBER(event_in, languages),   0, 66,  F_IN | F_NULLABLE, .of = language,
	                      .size = sizeof(const char *) },
	MODE, TRANSCRIPT,
	{ "stages",           F_LIST, MEMBER(event_in, stages),      1, 50,  F_IN, .of = stage_in_fields,
	                      .size = sizeof(struct stage) },
	{ "sessions",         F_LIST, MEMBER(event_in, sessions),    0, 500, F_IN | F_NULLABLE, .of = session_fields,
	                      .size = sizeof(struct session) }
);

#define PUBLIC                                                                           \
	EVENT_ID, TITLE, DESCRIPTION, TYPE, LOCATION, TIMEZONE, START, END, QR_CODE,     \
	LANGUAGES, MODE, TRANSCRIPT, SUFFIX, STAGES(public_stage_fields), SESSIONS

/* What time alone changes, the status and the address of the cover, is not among them. */
const struct field	 event_public_fields[] = FIELDS(PUBLIC);
/* With it, for the documentation. */
const struct field	 event_view_fields[] = FIELDS(
	PUBLIC, STATUS, COVER, { "captcha_required", F_BOOL, .flags = F_OUT }
);

static const struct field	 speaker_fields[] = FIELDS(
	{ "name",      F_TEXT, MEMBER(speaker, name),      1, 255,  F_IO | F_REQUIRED },
	{ "title",     F_TEXT, MEMBER(speaker, title),     0, 255,  F_IO | F_OPT | F_NULLABLE },
	{ "photo_url", F_TEXT, MEMBER(speaker, photo_url), 1, 2083, F_IO | F_OPT | F_NULLABLE, url_check }
);
const struct field	 session_fields[] = FIELDS(
	{ "session_id",   F_TEXT, MEMBER(session, id),          0, 0,    F_IO | F_OPT | F_NULLABLE, id_check },
	{ "stage_id",     F_TEXT, MEMBER(session, stage),       0, 0,    F_IO | F_OPT | F_NULLABLE, id_check },
	{ "stage_index",  F_INT,  MEMBER(session, stage_index), 0, 49,   F_IN | F_OPT | F_NULLABLE },
	{ "title",        F_TEXT, MEMBER(session, title),       1, 200,  F_IO | F_REQUIRED },
	{ "description",  F_TEXT, MEMBER(session, description), 0, 2000, F_IO | F_OPT | F_NULLABLE },
	{ "utc_start_dt", F_TIME, MEMBER(session, start_us),    0, 0,    F_IO | F_REQUIRED },
	{ "utc_end_dt",   F_TIME, MEMBER(session, end_us),      0, 0,    F_IO | F_REQUIRED },
	{ "speakers",     F_LIST, MEMBER(session, speakers),    0, 50,   F_IO | F_NULLABLE, .of = speaker_fields,
	                  .size = sizeof(struct speaker) }
);
/* clang-format on */
