/* A server of the operator's own: POST {url}?language=en, a WAV file -> {"text"}. */
#include <string.h>

#include "base/lang.h"
#include "base/text.h"
#include "speech/asr_remote.h"
#include "speech/engine.h"

static bool
knows(const struct engine_at *at, const char *lang)
{
	return lang_is_auto(lang) ||
	       (engine_name_ok(lang) && lang_covered(at->languages, lang));
}

static enum err
ask(const struct asr *a, const struct engine_call *en, struct heard *to)
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
