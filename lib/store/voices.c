/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Voices: their fields, their statements, and how they are processed. */
#include "store/voices.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"
#include "base/mime.h"
#include "base/problem.h"
#include "base/text.h"
#include "store/blobs.h"

static const char *const genders[] = { "Male", "Female", "Neutral", NULL };
static const char *const ages[] = { "Young", "Middle-aged", "Old", NULL };
static const char *const moods[] = { "Neutral", "Happy", "Sad", "Angry", "Calm",
	"Energetic", NULL };

static const char *
name_check(const char *s)
{
	return text_only(s, "_-. ()")
		   ? NULL
		   : "may have letters, digits, space and _ - . ( ) only";
}

/* clang-format off */
#define LABEL 1, 64, F_IO | F_NULLABLE | F_KEPT
const struct field	 label_fields[] = FIELDS(
	{ "gender",    F_TEXT, MEMBER(labels, gender),    LABEL, .names = genders },
	{ "age_group", F_TEXT, MEMBER(labels, age_group), LABEL, .names = ages },
	{ "mood",      F_TEXT, MEMBER(labels, mood),      LABEL, .names = moods }
);
#define ALONE(of) { { "", F_TEXT, 0, 1, 64, F_IO, .names = of } }
const struct field	 gender_label[] = ALONE(genders);
const struct field	 age_label[] = ALONE(ages);
const struct field	 mood_label[] = ALONE(moods);
static const struct field	 audio_fields[] = FIELDS(
	{ "format",    F_TEXT, MEMBER(tts_sample, audio.format)     - MEMBER(tts_sample, audio), .flags = F_OUT, .column = "s.format" },
	{ "codec",     F_TEXT, MEMBER(tts_sample, audio.codec)      - MEMBER(tts_sample, audio), .flags = F_OUT, .column = "s.codec" },
	{ "duration",  F_REAL, MEMBER(tts_sample, audio.duration_s) - MEMBER(tts_sample, audio), .flags = F_OUT, .column = "s.duration_s" },
	{ "mime_type", F_TEXT, MEMBER(tts_sample, audio.mime_type)  - MEMBER(tts_sample, audio), .flags = F_OUT, .column = "s.mime_type" }
);
static const struct field	 text_fields[] = FIELDS(
	{ "content", F_TEXT, MEMBER(tts_sample, text.content) - MEMBER(tts_sample, text), .flags = F_OUT, .column = "s.content" },
	{ "lang",    F_TEXT, MEMBER(tts_sample, text.lang)    - MEMBER(tts_sample, text), .flags = F_OUT, .column = "s.lang AS sample_lang" }
);
const struct field	 sample_fields[] = FIELDS(
	{ "voice_id",       F_TEXT, MEMBER(tts_sample, voice),        .flags = F_OUT, .column = "s.voice AS sample_voice" },
	{ "user_id",        F_TEXT, MEMBER(tts_sample, account),      .flags = F_OUT, .column = "coalesce(s.account, '" ID_NIL "') AS sample_account" },
	{ "provider",       F_TEXT, MEMBER(tts_sample, provider),     .flags = F_OUT, .column = "s.provider" },
	{ "blob_id",        F_TEXT, MEMBER(tts_sample, blob),         .flags = F_OUT, .column = "s.id AS blob" },
	{ "url",            F_TEXT, MEMBER(tts_sample, url),          .flags = F_OUT, .column = "s.id AS blob" },
	{ "audio_metadata", F_OBJ,  MEMBER(tts_sample, audio),        .flags = F_OUT, .of = audio_fields },
	{ "text",           F_OBJ,  MEMBER(tts_sample, text),         .flags = F_OUT, .of = text_fields },
	{ "model",          F_TEXT, MEMBER(tts_sample, model),        .flags = F_OUT, .column = "s.model" },
	{ "filename",       F_TEXT, MEMBER(tts_sample, filename),     .flags = F_OUT, .column = "s.filename" },
	{ "mime_type",      F_TEXT, MEMBER(tts_sample, mime_type),    .flags = F_OUT, .column = "s.mime_type" },
	{ "display_name",   F_TEXT, MEMBER(tts_sample, display_name), .flags = F_OUT, .column = "v.name AS display_name" },
	{ "utc_created_at", F_TIME, MEMBER(tts_sample, created_us),   .flags = F_OUT, .column = "s.created_us AS sample_created_us" }
);
#define PROBLEM_LIST .flags = F_OUT, .of = problem_fields, .size = sizeof(struct problem_document)
static const struct field	 result_fields[] = FIELDS(
	{ "warnings", F_LIST, MEMBER(voice, result.warnings) - MEMBER(voice, result), PROBLEM_LIST },
	{ "errors",   F_LIST, MEMBER(voice, result.errors)   - MEMBER(voice, result), PROBLEM_LIST }
);
#define NAME        { "name", F_TEXT, MEMBER(voice, name), 3, 64, F_IO | F_REQUIRED | F_KEPT, name_check }
#define DESCRIPTION { "description", F_TEXT, MEMBER(voice, description), 0, 2000, F_IO | F_OPT | F_NULLABLE | F_KEPT }
const struct field	 voice_fields[] = FIELDS(
	{ "voice_id",          F_TEXT, MEMBER(voice, id),          .flags = F_OUT | F_ADD, .column = "id" },
	{ "user_id",           F_TEXT, MEMBER(voice, account),     .flags = F_OUT | F_OPT | F_ADD, .column = "account" },
	{ "utc_created_at",    F_TIME, MEMBER(voice, created_us),  .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "utc_updated_at",    F_TIME, MEMBER(voice, updated_us),  .flags = F_OUT | F_KEPT, .column = "updated_us" },
	NAME,
	DESCRIPTION,
	{ "voice_type",        F_TEXT, MEMBER(voice, type),        .flags = F_OUT,
	                       .column = "CASE WHEN v.account IS NULL THEN 'instantly_cloned_builtin' ELSE 'instantly_cloned' END AS type" },
	{ "processing_status", F_TEXT, MEMBER(voice, status),      .flags = F_OUT | F_ADD, .column = "status" },
	{ "processing_result", F_OBJ,  MEMBER(voice, result),      .flags = F_OUT, .of = result_fields },
	{ "labels",            F_OBJ,  MEMBER(voice, labels),      .flags = F_OUT, .of = label_fields },
	{ "lang_code",         F_TEXT, MEMBER(voice, lang),        .flags = F_OUT | F_ADD, .column = "lang" },
	{ "has_external_voice", F_BOOL, MEMBER(voice, external),   .flags = F_OUT,
	                       .column = "CASE WHEN v.external_voice IS NULL THEN 0 ELSE 1 END AS external" },
	{ "attributes",        F_JSON, MEMBER(voice, attributes),  .flags = F_OUT | F_KEPT },
	{ "is_favorite",       F_BOOL, MEMBER(voice, favorite),    .flags = F_OUT,
	                       .column = "CASE WHEN f.voice IS NULL THEN 0 ELSE 1 END AS favorite" },
	{ "tts_sample",        F_OBJ,  MEMBER(voice, sample),      .flags = F_OUT | F_OPT, .of = sample_fields },
	{ "warnings",          F_TEXT, MEMBER(voice, warnings),    .flags = 0 },
	{ "errors",            F_TEXT, MEMBER(voice, errors),      .flags = 0 },
	{ "version",           F_INT,  MEMBER(voice, version),     .flags = 0 }
);
static const struct field	 rest_fields[] = FIELDS(
	{ "created_us", F_INT, MEMBER(voice, created_us) },
	{ "id", F_TEXT, MEMBER(voice, id) }
);
static const struct field	 sample_in_fields[] = FIELDS(
	{ "filename",     F_TEXT, MEMBER(sample_in, filename),     3, 255,  F_IN | F_REQUIRED, filename_check },
	{ "mime_type",    F_ENUM, MEMBER(sample_in, mime_type),    0, 0,    F_IN | F_REQUIRED | F_NOCASE,
	                  .names = mime_clone },
	{ "lang_code",    F_ENUM, MEMBER(sample_in, lang),         0, 0,    F_IN | F_REQUIRED | F_NOCASE,
	                  .names = lang_voice },
	{ "display_name", F_TEXT, MEMBER(sample_in, display_name), 1, 255,  F_IN },
	{ "description",  F_TEXT, MEMBER(sample_in, description),  0, 2000, F_IN },
	{ "item_id",      F_TEXT, MEMBER(sample_in, item_id),      1, 36,   F_IN },
	{ "denoise",      F_BOOL, MEMBER(sample_in, denoise),      0, 0,    F_IN },
	{ "speech_normalization", F_BOOL, MEMBER(sample_in, normalise), 0, 0, F_IN | F_TRUE }
);
static const struct field	 attribute[] = {
	{ "", F_TEXT, 0, 1, 64, F_IN },
};
#define LABELS      { "labels", F_OBJ, MEMBER(voice, labels), 0, 0, F_IN | F_NULLABLE, .of = label_fields }
#define ATTRIBUTES  { "attributes", F_LIST, MEMBER(voice_in, attributes), 0, 20, F_IN | F_NULLABLE, .of = attribute, \
                      .size = sizeof(const char *) }

const struct field	 voice_clone_fields[] = FIELDS(
	NAME, DESCRIPTION, LABELS, ATTRIBUTES,
	{ "samples", F_LIST, MEMBER(voice_in, samples), 1, 1, F_IN | F_REQUIRED, .of = sample_in_fields,
	             .size = sizeof(struct sample_in) },
	{ "skip_external_voice", F_BOOL, MEMBER(voice_in, hidden), 0, 0, F_IN }
);
const struct field	 voice_edit_fields[] = FIELDS(NAME, DESCRIPTION, LABELS, ATTRIBUTES);
static const struct field	 copy_fields[] = FIELDS(
	{ "own",      F_TEXT, MEMBER(voice_copy, own),
	              .column = "CASE WHEN substr(own_voice, 1, 1) = '{' THEN NULL ELSE own_voice END AS own" },
	{ "external", F_TEXT, MEMBER(voice_copy, external), .column = "external_voice" }
);
const struct field	 voice_limit_fields[] = FIELDS(
	{ "created",   F_INT, MEMBER(voice_limits, created),   .flags = F_OUT },
	{ "pending",   F_INT, MEMBER(voice_limits, pending),   .flags = F_OUT },
	{ "ready",     F_INT, MEMBER(voice_limits, ready),     .flags = F_OUT },
	{ "failed",    F_INT, MEMBER(voice_limits, failed),    .flags = F_OUT },
	{ "total",     F_INT, MEMBER(voice_limits, total),     .flags = F_OUT },
	{ "limit",     F_INT, MEMBER(voice_limits, limit),     .flags = F_OUT },
	{ "remaining", F_INT, MEMBER(voice_limits, remaining), .flags = F_OUT }
);

/* $1 is the caller.  Joins the latest sample that fits the condition. */
#define VOICE_OF(voices, fits, rest)                                                   \
	"SELECT {v.*} FROM " voices " v LEFT JOIN favorites f ON f.account = $1"       \
	" AND f.voice = v.id LEFT JOIN tts_samples s ON s.id = (SELECT t.id"           \
	" FROM tts_samples t WHERE t.voice = v.id" fits                                \
	" ORDER BY t.created_us DESC, t.id DESC LIMIT 1)" rest
#define VOICE(fits, rest) VOICE_OF("voices", fits, rest), ROWS_OF(voice_fields, struct voice)
#define SAMPLE(rest)                                                                   \
	"SELECT {s.*} FROM tts_samples s JOIN voices v ON v.id = s.voice"              \
	" WHERE s.account = $1 AND (s.created_us, s.id) " rest " LIMIT $4",            \
	    ROWS_OF(sample_fields, struct tts_sample)

#define IS_AFTER " AND (v.created_us, v.id) > ($2, $3)"
#define IS_BEFORE " AND (v.created_us, v.id) < ($2, $3)"
#define UP " ORDER BY v.created_us, v.id LIMIT "
#define DOWN " ORDER BY v.created_us DESC, v.id DESC LIMIT "
#define AFTER IS_AFTER UP "$4"
#define BEFORE IS_BEFORE DOWN "$4"
/* The last voice that a page with filters reads, $4 the one that hidden voices have. */
#define SOME_MOST "1000"
#define REST(part)                                                                     \
	"SELECT {v.*} FROM voices v WHERE v.account = $1 AND v.hidden = $4" part       \
	"1 OFFSET " SOME_MOST " - 1",                                                  \
	    ROWS_OF(rest_fields, struct voice)
/*
 * True if the column is a line of a text of choice(). It compares lengths: without that
 * line the text is shorter.
 */
#define ONE_OF(arg, column)                                                            \
	" AND (CAST(" arg " AS TEXT) IS NULL OR replace(lower(" arg "),"               \
	" '\n' || lower(" column ") || '\n', '') <> lower(" arg "))"
#define FITS                                                                           \
	ONE_OF("$10", "t.provider")                                                    \
	" AND (CAST($11 AS TEXT) IS NULL OR t.lang = $11)"
#define FILTERS                                                                        \
	" AND (CAST($6 AS TEXT) IS NULL OR v.folded LIKE $6 ESCAPE '\\')"              \
	ONE_OF("$7", "v.gender") ONE_OF("$8", "v.age_group") ONE_OF("$9", "v.mood")    \
	" AND ((CAST($10 AS TEXT) IS NULL AND CAST($11 AS TEXT) IS NULL)"              \
	" OR s.id IS NOT NULL) AND (CAST($12 AS INTEGER) IS NULL OR"                   \
	" CASE WHEN f.voice IS NULL THEN 0 ELSE 1 END = $12)"
/*
 * $13 and $14 are the position of the last voice to look at. With two ends PostgreSQL
 * would look for these times among the voices of all accounts.
 */
#define SOME(from, order, to)                                                          \
	VOICE_OF("voices", FITS, OWN FILTERS from                                      \
	    " AND (v.created_us, v.id) " to " ($13, $14)" order "$4"),                 \
	    VOICE_OF("(SELECT * FROM voices v" OWN from order SOME_MOST ")", FITS,     \
		" WHERE (v.created_us, v.id) " to " ($13, $14)" FILTERS order "$4"),   \
	    ROWS_OF(voice_fields, struct voice)
#define OWN " WHERE v.account = $1 AND v.hidden = $5"
#define BUILTIN " WHERE v.account IS NULL AND v.hidden = $5"

enum {
	ADD, COUNT, GET, ALL_UP, ALL_DOWN, SOME_UP, SOME_DOWN, REST_UP, REST_DOWN, BUILTIN_UP, BUILTIN_DOWN,
	PUT, DROP, DROP_ALL, LIMITS, MARK, UNMARK, SAMPLES_UP, SAMPLES_DOWN, COPIES, SPOKEN, SQL_END
};

const struct sql	 voice_sql[SQL_END + 1] = {
	[ADD] = { "voice.add",
	    "INSERT INTO voices ({names}, folded, hidden, denoise, normalise, sample, own_voice)"
	    " VALUES ({values}, $1, $2, $3, $4, $5, $6)", .from = voice_fields },
	[COUNT] = { "voice.count", "SELECT count(*) FROM voices WHERE account = $1" },
	[GET] = { "voice.get",
	    VOICE("", " WHERE v.id = $2 AND (v.account = $1 OR v.account IS NULL)") },
	[ALL_UP] = { "voice.all_up", VOICE("", OWN AFTER) },
	[ALL_DOWN] = { "voice.all_down", VOICE("", OWN BEFORE) },
	[SOME_UP] = { "voice.some_up", SOME(IS_AFTER, UP, "<=") },
	[SOME_DOWN] = { "voice.some_down", SOME(IS_BEFORE, DOWN, ">=") },
	[REST_UP] = { "voice.rest_up", REST(IS_AFTER UP) },
	[REST_DOWN] = { "voice.rest_down", REST(IS_BEFORE DOWN) },
	[BUILTIN_UP] = { "voice.builtin_up", VOICE(FITS, BUILTIN FILTERS AFTER) },
	[BUILTIN_DOWN] = { "voice.builtin_down", VOICE(FITS, BUILTIN FILTERS BEFORE) },
	[PUT] = { "voice.put",
	    "UPDATE voices SET {changes}, folded = $1, version = version + 1"
	    " WHERE id = :id AND account = :account AND version = $2", .from = voice_fields },
	[DROP] = { "voice.drop", "DELETE FROM voices WHERE id = $2 AND account = $1" },
	[DROP_ALL] = { "voice.drop_all", "DELETE FROM voices WHERE account = $1" },
	[LIMITS] = { "voice.limits",
	    "SELECT status, count(*) FROM voices WHERE account = $1 GROUP BY status" },
	[MARK] = { "voice.mark",
	    "INSERT INTO favorites (account, voice) VALUES ($1, $2) ON CONFLICT DO NOTHING" },
	[UNMARK] = { "voice.unmark", "DELETE FROM favorites WHERE account = $1 AND voice = $2" },
	[SAMPLES_UP] = { "sample.list_up", SAMPLE("> ($2, $3) ORDER BY s.created_us, s.id") },
	[SAMPLES_DOWN] = { "sample.list_down",
	    SAMPLE("< ($2, $3) ORDER BY s.created_us DESC, s.id DESC") },
	[COPIES] = { "voice.copies",
	    "SELECT {*} FROM voices WHERE account = $1 AND coalesce(external_voice, own_voice)"
	    " IS NOT NULL AND (CAST($2 AS TEXT) IS NULL OR id = $2)", ROWS_OF(copy_fields, struct voice_copy) },
	[SPOKEN] = { "voice.spoken",
	    "SELECT own_voice, external_voice FROM voices WHERE id = $2 AND (account = $1 OR account IS NULL)"
	    " AND status = 'ready'" },
};
/* clang-format on */

void
voice_fill_view(struct arena *mem, struct voice *v, const char *base_url)
{
	v->result.warnings = problem_lines(mem, v->warnings, base_url, v->id);
	v->result.errors = problem_lines(mem, v->errors, base_url, v->id);
}

static const char *
folded(struct arena *mem, const char *name, const char *description)
{
	return text_fold(mem,
	    arena_printf(mem, "%s\n%s", name, description != NULL ? description : ""));
}

enum err
voice_add(struct db *db, struct arena *mem, struct voice_new *v)
{
	v->voice.updated_us = v->voice.created_us;
	return db_save(db, &voice_sql[ADD], &v->voice,
	    ARGS(TEXT(folded(mem, v->voice.name, v->voice.description)), INT(v->hidden),
		INT(v->denoise), INT(v->normalise), TEXT(v->sample),
		TEXT(v->own_voice)),
	    ERR_CONFLICT);
}

enum err
voice_count(struct db *db, const char *account, int64_t *n)
{
	return db_number(db, &voice_sql[COUNT], ARGS(TEXT(account)), n);
}

enum err
voice_get(struct db *db, struct arena *mem, const char *account, const char *id,
    struct voice *v)
{
	return db_one(db, &voice_sql[GET], ARGS(TEXT(account), TEXT(id)), mem, v);
}

/* The texts, each between line ends, for ONE_OF(); NULL: any value matches. */
static const char *
choice(struct arena *mem, const struct list *l)
{
	struct buf b = { .mem = mem };

	if (l->n == 0)
		return NULL;
	for (size_t i = 0; i < l->n; i++)
		buf_printf(&b, "\n%s\n", ((const char *const *)l->items)[i]);
	return buf_text(&b);
}

static bool
filtered(const struct voice_query *q)
{
	return q->search || q->gender.n || q->age_group.n || q->mood.n ||
	       q->provider.n || q->lang || q->favorite != NULL_INT;
}

static enum err
list_filtered(struct db *db, struct arena *mem, const char *account,
    const struct voice_query *q, const struct voice *last, struct list *to)
{
	int up = q->builtin ? BUILTIN_UP : SOME_UP;

	return db_list(db, &voice_sql[q->from.ascending ? up : up + 1],
	    ((const struct val[]){ { 0 }, TEXT(account), CURSOR(&q->from),
		INT(q->hidden), TEXT(q->search ? text_like(mem, q->search) : NULL),
		TEXT(choice(mem, &q->gender)), TEXT(choice(mem, &q->age_group)),
		TEXT(choice(mem, &q->mood)), TEXT(choice(mem, &q->provider)),
		TEXT(q->lang), INT(q->favorite), INT(last->created_us),
		TEXT(last->id) }),
	    q->builtin ? 12 : 14, mem, to);
}

/* Read own voices that fit the filters, from a part of all. */
static enum err
list_some(struct db *db, struct arena *mem, const char *account,
    const struct voice_query *q, struct voice_page *to)
{
	bool up = q->from.ascending;
	struct voice last;
	enum err e = db_one(db, &voice_sql[up ? REST_UP : REST_DOWN],
	    ARGS(TEXT(account), POSITION(&q->from), INT(q->hidden)), mem, &last);
	bool rest = e == OK;

	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	if (!rest)
		last = (struct voice){ .created_us = up ? INT64_MAX : INT64_MIN + 1,
			.id = "" };
	e = list_filtered(db, mem, account, q, &last, &to->voices);
	if (rest && to->voices.n < (size_t)q->from.limit) {
		to->rest_us = last.created_us;
		to->rest_id = last.id;
	}
	return e;
}

enum err
voice_list(struct db *db, struct arena *mem, const char *account,
    const struct voice_query *q, struct voice_page *to)
{
	*to = (struct voice_page){ .rest_us = NULL_INT };
	if (q->builtin)
		return list_filtered(
		    db, mem, account, q, &(struct voice){ .id = "" }, &to->voices);
	if (filtered(q))
		return list_some(db, mem, account, q, to);
	return db_list(db, &voice_sql[q->from.ascending ? ALL_UP : ALL_DOWN],
	    ARGS(TEXT(account), CURSOR(&q->from), INT(q->hidden)), mem, &to->voices);
}

enum err
voice_put(struct db *db, struct arena *mem, struct voice *v)
{
	int64_t before = v->version++;

	v->updated_us = now_us();
	return db_save(db, &voice_sql[PUT], v,
	    ARGS(TEXT(folded(mem, v->name, v->description)), INT(before)), ERR_STALE);
}

enum err
voice_drop(struct db *db, const char *account, const char *id)
{
	enum err e = blob_drop_of_voice(db, account, id);

	if (e != OK)
		return e;
	return db_change(
	    db, &voice_sql[DROP], ARGS(TEXT(account), TEXT(id)), ERR_NOT_FOUND);
}

enum err
voice_drop_all(struct db *db, const char *account)
{
	enum err e = blob_drop_of_voices(db, account);

	return e != OK ? e
		       : db_exec(db, &voice_sql[DROP_ALL], ARGS(TEXT(account)), NULL);
}

static void
put_count(struct voice_limits *to, const char *status, int64_t n)
{
	for (const struct field *f = voice_limit_fields; f->name != NULL; f++)
		if (strcmp(f->name, status) == 0)
			*(int64_t *)((char *)to + f->at) = n;
	to->total += n;
}

enum err
voice_limits(struct db *db, struct arena *mem, const char *account, int64_t plan,
    struct voice_limits *to)
{
	struct rows rs = db_query(db, &voice_sql[LIMITS], ARGS(TEXT(account)));

	*to = (struct voice_limits){ .limit = plan > 0 ? plan : INT32_MAX };
	while (db_next(&rs))
		put_count(to, row_text(&rs, 0, mem), row_int(&rs, 1));
	to->remaining = to->total < to->limit ? to->limit - to->total : 0;
	return db_done(&rs);
}

enum err
voice_copies(struct db *db, struct arena *mem, const char *account, const char *id,
    struct list *to)
{
	return db_list(db, &voice_sql[COPIES], ARGS(TEXT(account), TEXT(id)), mem, to);
}

enum err
voice_favorite(struct db *db, const char *account, const char *id, bool on)
{
	return db_exec(
	    db, &voice_sql[on ? MARK : UNMARK], ARGS(TEXT(account), TEXT(id)), NULL);
}

enum err
sample_list(struct db *db, struct arena *mem, const char *account,
    const struct list_cursor *from, struct list *to)
{
	return db_list(db, &voice_sql[from->ascending ? SAMPLES_UP : SAMPLES_DOWN],
	    ARGS(TEXT(account), CURSOR(from)), mem, to);
}

enum err
voice_spoken(struct db *db, struct arena *mem, const char *account, const char *id,
    const char **own_voice, const char **external_voice)
{
	struct rows rs =
	    db_query(db, &voice_sql[SPOKEN], ARGS(TEXT(account), TEXT(id)));

	if (db_next(&rs)) {
		*own_voice = row_text(&rs, 0, mem);
		*external_voice = row_text(&rs, 1, mem);
	}
	return db_done_one(&rs);
}

/* ---- processing ---- */

/* clang-format off */
static const struct field	 processing_fields[] = FIELDS(
	{ "id",             F_TEXT, MEMBER(voice_processing, id),             .flags = 0 },
	{ "account",        F_TEXT, MEMBER(voice_processing, account),        .flags = 0 },
	{ "name",           F_TEXT, MEMBER(voice_processing, name),           .flags = 0 },
	{ "description",    F_TEXT, MEMBER(voice_processing, description),    .flags = 0 },
	{ "status",         F_TEXT, MEMBER(voice_processing, status),         .flags = 0 },
	{ "lang",           F_TEXT, MEMBER(voice_processing, lang),           .flags = 0 },
	{ "hidden",         F_BOOL, MEMBER(voice_processing, hidden),         .flags = 0 },
	{ "denoise",        F_BOOL, MEMBER(voice_processing, denoise),        .flags = 0 },
	{ "normalise",      F_BOOL, MEMBER(voice_processing, normalise),      .flags = 0 },
	{ "sample",         F_TEXT, MEMBER(voice_processing, sample),         .flags = 0 },
	{ "own_voice",      F_TEXT, MEMBER(voice_processing, own_voice),      .flags = 0 },
	{ "external_voice", F_TEXT, MEMBER(voice_processing, external_voice) },
	{ "warnings",       F_TEXT, MEMBER(voice_processing, warnings),       .flags = 0 }
);

#define CHANGED " updated_us = $2, version = version + 1 WHERE id = $1 AND "

#define MADE ROWS_OF(processing_fields, struct voice_processing)

enum {
	ARRIVED, MAKING, READY, FAILED, LATE, LOCK, UNLOCK, SAMPLE_ADD, SAMPLE_DROP, PROCESSING_END
};

const struct sql	 voice_processing_sql[PROCESSING_END + 1] = {
	[ARRIVED] = { "voice.arrived",
	    "UPDATE voices SET status = 'pending'," CHANGED "status = 'created'" },
	[MAKING] = { "voice.making", "SELECT {*} FROM voices WHERE id = $1", MADE },
	[READY] = { "voice.ready",
	    "UPDATE voices SET status = 'ready', own_voice = $3, external_voice = $4,"
	    " warnings = $5," CHANGED "status = 'pending'" },
	[FAILED] = { "voice.failed",
	    "UPDATE voices SET status = 'failed', errors = $3," CHANGED
	    "status IN ('created', 'pending')" },
	[LATE] = { "voice.late",
	    "SELECT {*} FROM voices WHERE status = 'created' AND created_us < $1"
	    " ORDER BY created_us LIMIT $2", MADE },
	[LOCK] = { "voice.lock",
	    "UPDATE voices SET lock_us = $2 WHERE id = $1"
	    " AND (lock_us < $3 OR lock_us > $4)" },
	[UNLOCK] = { "voice.unlock",
	    "UPDATE voices SET lock_us = 0 WHERE id = $1 AND lock_us = $2" },
	[SAMPLE_ADD] = { "sample.add",
	    "INSERT INTO tts_samples (id, voice, account, created_us, provider, format,"
	    " codec, duration_s, mime_type, content, lang, model, filename) VALUES (:blob,"
	    " :sample_voice, :sample_account, :sample_created_us, :provider, :format, :codec,"
	    " :duration_s, :mime_type, :content, :sample_lang, :model, :filename)",
	    .from = sample_fields },
	[SAMPLE_DROP] = { "sample.drop_all", "DELETE FROM tts_samples WHERE voice = $1" },
};
/* clang-format on */

enum err
voice_arrived(struct db *db, const char *id)
{
	return db_change(db, &voice_processing_sql[ARRIVED],
	    ARGS(TEXT(id), INT(now_us())), ERR_NOT_FOUND);
}

enum err
voice_making(
    struct db *db, struct arena *mem, const char *id, struct voice_processing *m)
{
	return db_one(db, &voice_processing_sql[MAKING], ARGS(TEXT(id)), mem, m);
}

enum err
voice_ready(struct db *db, const struct voice_processing *m)
{
	return db_change(db, &voice_processing_sql[READY],
	    ARGS(TEXT(m->id), INT(now_us()), TEXT(m->own_voice),
		TEXT(m->external_voice), TEXT(m->warnings)),
	    ERR_NOT_FOUND);
}

enum err
voice_failed(struct db *db, const char *id, const char *errors)
{
	return db_change(db, &voice_processing_sql[FAILED],
	    ARGS(TEXT(id), INT(now_us()), TEXT(errors)), ERR_NOT_FOUND);
}

enum err
voice_late(struct db *db, struct arena *mem, int64_t before_us, int n, struct list *to)
{
	return db_list(
	    db, &voice_processing_sql[LATE], ARGS(INT(before_us), INT(n)), mem, to);
}

enum err
voice_lock(struct db *db, const char *id, int64_t until_us)
{
	int64_t now = now_us();
	/* a lock with a later end was set before a clock was set back */
	int64_t absurd = until_us + (until_us - now);

	return db_change(db, &voice_processing_sql[LOCK],
	    ARGS(TEXT(id), INT(until_us), INT(now), INT(absurd)), ERR_CONFLICT);
}

enum err
voice_unlock(struct db *db, const char *id, int64_t until_us)
{
	return db_exec(
	    db, &voice_processing_sql[UNLOCK], ARGS(TEXT(id), INT(until_us)), NULL);
}

enum err
sample_add(struct db *db, const struct tts_sample *s)
{
	return db_save(db, &voice_processing_sql[SAMPLE_ADD], s, ARGS(), ERR_CONFLICT);
}

enum err
sample_drop_all(struct db *db, const char *account, const char *voice)
{
	enum err e = blob_drop_samples(db, account, voice);

	return e != OK ? e
		       : db_exec(db, &voice_processing_sql[SAMPLE_DROP],
			     ARGS(TEXT(voice)), NULL);
}
