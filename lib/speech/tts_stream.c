#include "speech/tts_stream.h"

#include "speech/http_engine.h"

#define SAMPLE_MOST_HZ 192000

static bool
hear(void *ear, const void *p, size_t n)
{
	return audio_reader_take(ear, p, n);
}

static void
note_type(void *ear, const char *type)
{
	((struct audio_reader *)ear)->type = type;
}

/* An answer that is kept has come whole. */
static void
hear_whole(struct audio_reader *ear, const struct http_answer *a)
{
	ear->most_hz = SAMPLE_MOST_HZ;
	ear->type = a->content_type;
	audio_reader_take(ear, a->body, a->body_len);
}

enum err
tts_ask(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    const struct tts_request *r, tts_sink *sink, void *to)
{
	struct audio_reader ear = { .sink = sink, .to = to, .rate_hz = r->rate_hz };
	struct engine_call en = engine_start(at, mem, r->auth);
	struct http_call call = {
		.method = "POST", .body = r->body->p, .body_len = r->body->len
	};
	struct http_answer a = { 0 };
	enum err e;

	if (!t->sample) {
		call.take = hear;
		call.typed = note_type;
		call.arg = &ear;
		call.first_ms = TTS_FIRST_MS;
	}
	e = engine_ask(&en, call, r->path, &a);
	if (r->status != NULL)
		*r->status = a.status;
	if (e != OK || (e = engine_verdict(&en, r->path, &a)) != OK)
		return e;
	if (t->sample)
		hear_whole(&ear, &a);
	if (audio_reader_done(&ear))
		return OK;
	return engine_refuse(&en, r->path,
	    arena_printf(mem, "the answer is no %s: %s%s",
		r->rate_hz > 0 ? "16-bit PCM" : "WAV",
		ear.coded != NULL ? "it is " : ear.why,
		ear.coded != NULL ? ear.coded : ""));
}
