/* An HTTP server of the operator's own making: text in, a WAV file out. */
#include <math.h>

#include "base/json_writer.h"
#include "base/lang.h"
#include "speech/tts_stream.h"

#define LOW "default_low"
#define HIGH "default_high"

static bool
speaks(const char *lang)
{
	(void)lang; /* engine_at.languages tells */
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
