#include "store/voice_processing.h"

#include "base/clock.h"
#include "store/blobs.h"

/* clang-format off */
static const struct field	 fields[] = FIELDS(
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

#define MADE ROWS_OF(fields, struct voice_processing)

enum {
	ARRIVED, MAKING, READY, FAILED, LATE, LOCK, UNLOCK, SAMPLE_ADD, SAMPLE_DROP, SQL_END
};

const struct sql	 voice_processing_sql[SQL_END + 1] = {
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
	/* Such a lock was set by a clock that has been set back since. */
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
