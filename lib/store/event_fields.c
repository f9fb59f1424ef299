/*
 * What events are made of, as their owner and as everybody sees them.
 */
#include "base/id.h"
#include "store/events.h"

const char *const event_statuses[] = { "setup_required", "upcoming", "ready", "live",
	"finished", NULL };
const char *const event_types[] = { "in-person", "online", NULL };
const char *const event_modes[] = { "off", "approval", "auto", NULL };

/* Pages show it as a picture. */
static const char *
url_check(const char *s)
{
	return strncmp(s, "https://", 8) == 0 || strncmp(s, "http://", 7) == 0
		   ? NULL
		   : "must be an http or https address";
}

/* clang-format off */
#define AT(m) offsetof(struct event_channel, m)
#define CHANNEL_ID { "channel_id",       F_TEXT, AT(id),               .flags = F_OUT }
#define STAGE_ID   { "stage_id",         F_TEXT, AT(stage),            .flags = F_OUT }
#define BROADCAST  { "broadcast_id",     F_TEXT, AT(broadcast),        .flags = F_OUT | F_NULLABLE }
#define NAME       { "name",             F_TEXT, AT(name),             .flags = F_OUT }
#define INPUT      { "input_type",       F_TEXT, AT(input_type),       .flags = F_OUT }
#define RUNTIME    { "runtime_status",   F_TEXT, AT(runtime),          .flags = F_OUT | F_NULLABLE }
#define SOURCE     { "source_language",  F_TEXT, AT(source_language),  .flags = F_OUT }
#define TARGETS    { "target_languages", F_JSON, AT(target_languages), .flags = F_OUT }

const struct field	 event_channel_fields[] = {
	CHANNEL_ID, STAGE_ID, BROADCAST, NAME, INPUT,
	{ "lifecycle_status", F_TEXT, AT(lifecycle), .flags = F_OUT },
	RUNTIME, SOURCE, TARGETS,
	{ "event",            F_TEXT, AT(event),     .flags = 0 },
	{ "unserved",         F_TEXT, AT(unserved),  .flags = 0 },
	FIELDS_END,
};
static const struct field	 public_channel_fields[] = {
	CHANNEL_ID, STAGE_ID, BROADCAST, NAME, INPUT, RUNTIME, SOURCE, TARGETS,
	FIELDS_END,
};

#undef AT
#define AT(m) offsetof(struct stage, m)
#define STAGE(channels_as)                                                               \
	{ "stage_id",       F_TEXT, AT(id),       .flags = F_OUT },                      \
	{ "event_id",       F_TEXT, AT(event),    .flags = F_OUT },                      \
	{ "name",           F_TEXT, AT(name),     .flags = F_OUT },                      \
	{ "status",         F_TEXT, AT(status),   .flags = F_OUT },                      \
	{ "qr_code_url",    F_TEXT, AT(qr_url),   .flags = F_OUT },                      \
	{ "greenscreen_settings", F_JSON, AT(greenscreen), .flags = F_OUT | F_NULLABLE }, \
	{ "utc_created_at", F_TIME, AT(created_us), .flags = F_OUT },                    \
	{ "utc_updated_at", F_TIME, AT(updated_us), .flags = F_OUT },                    \
	{ "channels",       F_LIST, AT(channels), .flags = F_OUT, .of = channels_as,     \
	                    .size = sizeof(struct event_channel) },                      \
	FIELDS_END
const struct field	 stage_fields[] = { STAGE(event_channel_fields) };
static const struct field	 public_stage_fields[] = { STAGE(public_channel_fields) };

#undef AT
#define AT(m) offsetof(struct event, m)
#define EVENT_ID   { "event_id",         F_TEXT, AT(id),               .flags = F_OUT }
#define TITLE      { "title",            F_TEXT, AT(title),            .flags = F_OUT }
#define DESCRIPTION { "description",     F_TEXT, AT(description),      .flags = F_OUT | F_OPT }
#define TYPE       { "event_type",       F_TEXT, AT(type),             .flags = F_OUT }
#define LOCATION   { "location",         F_TEXT, AT(location),         .flags = F_OUT | F_OPT }
#define TIMEZONE   { "timezone",         F_TEXT, AT(timezone),         .flags = F_OUT | F_OPT }
#define START      { "utc_start_dt",     F_TIME, AT(start_us),         .flags = F_OUT }
#define END        { "utc_end_dt",       F_TIME, AT(end_us),           .flags = F_OUT }
#define COVER      { "cover_image_url",  F_TEXT, AT(cover_url),        .flags = F_OUT | F_OPT }
#define QR_CODE    { "qr_code_url",      F_TEXT, AT(qr_url),           .flags = F_OUT }
#define STATUS     { "lifecycle_status", F_TEXT, AT(lifecycle),        .flags = F_OUT }
#define LANGUAGES  { "target_languages", F_JSON, AT(languages),        .flags = F_OUT }
#define MODE       { "listener_language_mode", F_TEXT, AT(listener_mode), .flags = F_OUT }
#define SUFFIX     { "room_name_suffix", F_TEXT, AT(room_suffix),      .flags = F_OUT }
#define STAGES(as) { "stages",           F_LIST, AT(stages),           .flags = F_OUT, .of = as, \
                     .size = sizeof(struct stage) }
#define SESSIONS   { "sessions",         F_JSON, AT(agenda),           .flags = F_OUT }

const struct field	 event_fields[] = {
	EVENT_ID, TITLE, DESCRIPTION, TYPE, LOCATION, TIMEZONE, START, END,
	{ "is_recurring",     F_BOOL, AT(recurring),        .flags = F_OUT },
	{ "cover_image_key",  F_TEXT, AT(cover_key),        .flags = F_OUT | F_OPT },
	COVER, QR_CODE, STATUS,
	{ "finished_at",      F_TIME, AT(finished_us),      .flags = F_OUT | F_OPT },
	{ "access_code",      F_TEXT, AT(access_code),      .flags = F_OUT | F_OPT },
	{ "input_languages",  F_JSON, AT(input_languages),  .flags = F_OUT },
	{ "output_languages", F_JSON, AT(output_languages), .flags = F_OUT },
	LANGUAGES, MODE, SUFFIX, STAGES(stage_fields), SESSIONS,
	{ "utc_created_at",   F_TIME, AT(created_us),       .flags = F_OUT },
	{ "utc_updated_at",   F_TIME, AT(updated_us),       .flags = F_OUT },
	{ "account",          F_TEXT, AT(account),          .flags = 0 },
	{ "version",          F_INT,  AT(version),          .flags = 0 },
	{ "seq",              F_INT,  AT(seq),              .flags = 0 },
	FIELDS_END,
};

#define PUBLIC                                                                           \
	EVENT_ID, TITLE, DESCRIPTION, TYPE, LOCATION, TIMEZONE, START, END, QR_CODE,     \
	LANGUAGES, MODE, SUFFIX, STAGES(public_stage_fields), SESSIONS

/* What time alone changes, the status and the address of the cover, is not among them. */
const struct field	 event_public_fields[] = { PUBLIC, FIELDS_END };
/* With it, for the documentation. */
const struct field	 event_view_fields[] = {
	PUBLIC, STATUS, COVER, { "captcha_required", F_BOOL, .flags = F_OUT }, FIELDS_END,
};

#undef AT
#define AT(m) offsetof(struct speaker, m)
static const struct field	 speaker_fields[] = {
	{ "name",      F_TEXT, AT(name),      1, 255,  F_IO | F_REQUIRED },
	{ "title",     F_TEXT, AT(title),     0, 255,  F_IO | F_OPT | F_NULLABLE },
	{ "photo_url", F_TEXT, AT(photo_url), 1, 2083, F_IO | F_OPT | F_NULLABLE, url_check },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct session, m)
const struct field	 session_fields[] = {
	{ "session_id",   F_TEXT, AT(id),          0, 0,    F_IO | F_OPT | F_NULLABLE, id_check },
	{ "stage_id",     F_TEXT, AT(stage),       0, 0,    F_IO | F_OPT | F_NULLABLE, id_check },
	{ "stage_index",  F_INT,  AT(stage_index), 0, 49,   F_IN | F_OPT | F_NULLABLE },
	{ "title",        F_TEXT, AT(title),       1, 200,  F_IO | F_REQUIRED },
	{ "description",  F_TEXT, AT(description), 0, 2000, F_IO | F_OPT | F_NULLABLE },
	{ "utc_start_dt", F_TIME, AT(start_us),    0, 0,    F_IO | F_REQUIRED },
	{ "utc_end_dt",   F_TIME, AT(end_us),      0, 0,    F_IO | F_REQUIRED },
	{ "speakers",     F_LIST, AT(speakers),    0, 50,   F_IO | F_NULLABLE, .of = speaker_fields,
	                  .size = sizeof(struct speaker) },
	FIELDS_END,
};
/* clang-format on */
