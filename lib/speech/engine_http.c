/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine kind http: a server that the operator provides. */
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/lang.h"
#include "base/text.h"
#include "speech/asr_remote.h"
#include "speech/engine.h"
#include "speech/engine_call.h"
#include "speech/placeholders.h"
#include "speech/tts_stream.h"

/* ---- recognition: POST {url}?language=en, a WAV file -> {"text"} ---- */

static bool
knows(const struct engine_at *at, const char *lang)
{
	return lang_is_auto(lang) ||
	       (engine_name_ok(lang) && lang_covered(at->languages, lang));
}

static enum err
ask(const struct asr *a, const struct engine_call *en, struct asr_result *to)
{
	static const char *const type[] = { "Content-Type: audio/wav", NULL };
	const char *query = arena_printf(en->mem, "%clanguage=%s",
	    strchr(a->at->url, '?') != NULL ? '&' : '?',
	    a->detect ? "auto" : text_lower(en->mem, a->lang));
	struct http_part wav = asr_remote_wav(a, en->mem);
	struct http_call call = { .method = "POST",
		.body = wav.data,
		.body_len = wav.len,
		.headers = type,
		.max_bytes = ASR_ANSWER_BYTES };
	struct http_answer answer;
	enum err e;

	if ((e = engine_ask(en, call, query, &answer)) != OK ||
	    (e = engine_verdict(en, query, &answer)) != OK)
		return e;
	return asr_remote_read(a, en, query, &answer, to);
}

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	enum err e = asr_remote_open(&asr_http, at, want, to);

	if (e == OK)
		(*to)->ask = ask;
	return e;
}

const struct asr_engine asr_http = { ASR_STREAM | ASR_DETECT, knows, open_one,
	asr_remote_feed, asr_remote_partial, asr_remote_finish, asr_remote_drop,
	asr_remote_close };

/* ---- translation: {"text","source","target"} -> {"text"} ---- */

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	(void)from;
	(void)to;
	return at->url != NULL;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	struct engine_at where = *at;
	struct engine_call en;
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	struct http_answer a;
	const char *text;
	enum err e;

	where.timeout_ms = mt_time_ms(at, t);
	en = engine_start(&where, mem, "Authorization: Bearer ");
	jw_open(&j, NULL);
	jw_text(&j, "text", mt_tokens(mem, t));
	jw_text(&j, "source", t->from);
	jw_text(&j, "target", t->to);
	jw_close(&j);
	if ((e = engine_ask_sound(&en, "", &body, &a)) != OK ||
	    (e = engine_verdict(&en, "", &a)) != OK)
		return e;
	if ((text = json_get_text(engine_object(&en, &a), "text")) == NULL)
		return engine_refuse(&en, "", "the answer has no text");
	*out = mt_fill(mem, t, mt_untoken(mem, t, text));
	*guarded = *out != NULL;
	return OK;
}

const struct mt_engine mt_http = { false, false, pairs, translate, mt_list_any, NULL };

/* ---- speech: {"text","language","voice","rate","sample_url"} -> a WAV file ---- */

#define LOW "default_low"
#define HIGH "default_high"

static bool
speaks(const char *lang)
{
	(void)lang; /* engine_at.languages decides */
	return true;
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	const struct tts_request r = {
		.path = "", .auth = "Authorization: Bearer ", .body = &body
	};

	jw_open(&j, NULL);
	jw_text(&j, "text", t->text);
	jw_text(&j, "language", lang_fold(mem, t->lang));
	jw_text(&j, "voice", t->voice != NULL ? t->voice : t->high ? HIGH : LOW);
	jw_real(&j, "rate", t->sample ? 1 : round(t->rate * 1000) / 1000);
	jw_text(&j, "sample_url", t->sample_url);
	jw_close(&j);
	return tts_ask(at, mem, t, &r, sink, to);
}

const struct tts_engine tts_http = { TTS_CLONE | TTS_RATE, speaks, synthesize };
