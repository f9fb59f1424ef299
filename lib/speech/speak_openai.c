/*
 * Servers that speak the way of OpenAI's /v1/audio/speech.  They send bare
 * samples as they make them.
 */
#include <math.h>

#include "base/json_writer.h"
#include "base/lang.h"
#include "speech/speak_stream.h"
#include "speech/tts.h"

#define PATH "/v1/audio/speech"
#define RATE_HZ 24000
#define LOW "onyx"
#define HIGH "nova"

static bool
speaks(const char *lang)
{
	return tts_openai.speaks(lang);
}

static enum err
speak(const struct engine_at *at, struct arena *mem, const struct speak_text *t,
    speak_sink *sink, void *to)
{
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };

	if (!speaks(lang_fold(mem, t->lang)))
		return ERR_UNSUPPORTED;
	jw_open(&j, NULL);
	jw_text(&j, "model", at->model != NULL ? at->model : "tts-1");
	jw_text(&j, "input", t->text);
	jw_text(&j, "voice", t->voice != NULL ? t->voice : t->high ? HIGH : LOW);
	jw_text(&j, "response_format", "pcm");
	jw_real(&j, "speed", round(t->rate * 1000) / 1000);
	jw_close(&j);
	return speak_stream(at, PATH, &body, RATE_HZ, sink, to);
}

const struct speak_engine speak_openai = { "openai", SPEAK_RATE, speaks, speak };
