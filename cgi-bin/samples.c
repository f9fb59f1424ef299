/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /saas/voice/m/{voice_id}/tts-sample: makes a voice speak its sample sentence again.
 * Speech takes time; a separate program keeps requests that only read from waiting.
 */
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "blob/signed_url.h"
#include "service/speech.h"
#include "store/idempotent_responses.h"
#include "store/voices.h"
#include "web/web.h"

#define LOCK_US (120 * S_US) /* longest time for one sample */

struct lang_in {
	const char *lang;
};

/* clang-format off */
static const struct field	 lang_fields[] = FIELDS(
	{ "lang_code", F_ENUM, 0, 0, 0, F_IN | F_REQUIRED | F_NOCASE, .names = lang_voice }
);
/* clang-format on */

static enum err
find_voice(struct request *rq)
{
	rq->it = arena_alloc(rq->mem, sizeof(struct voice));
	return voice_get(rq->db, rq->mem, rq->who->account, rq->args[0], rq->it);
}

static const char *
language_of(const struct voice_processing *m, const char *asked)
{
	if (strcmp(asked, "auto") != 0)
		return asked;
	return strcmp(m->lang, "auto") != 0 ? m->lang : "en";
}

/* A lock that is released when the request ends, even after an error. */
struct lock {
	struct db *db;
	const char *voice;
	int64_t until_us;
};

static void
unlock(void *arg)
{
	const struct lock *l = arg;

	if (voice_unlock(l->db, l->voice, l->until_us) != OK)
		log_warn("voice %s stays locked for a while", l->voice);
}

static enum err
lock(struct request *rq, const char *voice)
{
	struct lock *l = arena_alloc(rq->mem, sizeof(*l));
	enum err e;

	*l = (struct lock){ rq->db, voice, now_us() + LOCK_US };
	if ((e = voice_lock(rq->db, voice, l->until_us)) == OK)
		arena_defer(rq->mem, unlock, l);
	return e;
}

static struct reply
make_sample(struct request *rq)
{
	const struct voice *v = rq->it;
	const struct lang_in *in = rq->in;
	struct tts_sample s;
	struct voice_processing m;
	enum err e;

	if (v->account == NULL)
		return problem(rq, P_READ_ONLY, "Built-in voices cannot be changed.");
	if (strcmp(v->status, "ready") != 0)
		return problem(
		    rq, P_VOICE_NOT_READY, "The voice is %s, not ready.", v->status);
	if ((e = voice_making(rq->db, rq->mem, v->id, &m)) != OK)
		return problem_err(rq, e);
	if ((e = lock(rq, v->id)) == ERR_CONFLICT)
		return problem(
		    rq, P_LOCKED, "A TTS sample of this voice is being made.");
	if (e != OK || (e = speech_replace(rq->db, rq->mem, rq->conf, &m,
			    language_of(&m, in->lang), &s)) != OK)
		return problem_err(rq, e);
	s.url = signed_url_make(rq->conf, rq->mem, s.blob, now_us());
	return reply_one(rq, 200, sample_fields, &s, 0);
}

/* clang-format off */
const struct route	 sample_routes[] = {
	{ "POST", "/saas/voice/m/{voice_id}/tts-sample", make_sample, "voices:write",
	  JSON_BODY | IDEMPOTENT, find_voice, BODY(lang_fields, struct lang_in),
	  .summary = "Make the TTS sample again", .shape = A_ONE, .out = sample_fields,
	  .also = "409 502 504 507" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("samples", sample_routes, account_sql, idempotent_response_sql, blob_sql,
    voice_sql, voice_processing_sql)
