/*
 * ElevenLabs, and servers that speak its way: POST /v1/text-to-speech/{voice}, for a
 * listener /v1/text-to-speech/{voice}/stream, which sends sound while it is made.
 * Raw PCM is asked for, its rate is in the request.
 */
#include <string.h>

#include "base/json_writer.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/http_engine.h"
#include "speech/tts_stream.h"

#define RATE_HZ 22050
#define FORMAT "pcm_22050"
#define MODEL "eleven_multilingual_v2"
#define LOW "JBFqnCBsd6RMkjVDRZzb"  /* the one its own examples use */
#define HIGH "EXAVITQu4vr4xnSDxMaL" /* another of those that every account has */

/* The 29 languages documented for MODEL. */
static const char languages[] = "ar bg cs da de el en es fi fil fr hi hr id it ja ko "
				"ms nl pl pt ro ru sk sv ta tr uk zh";

static bool
speaks(const char *lang)
{
	return lang_covered(languages, lang);
}

/* MODEL hears the language from the text and used to refuse being told. */
static bool
takes_language(const char *model)
{
	size_t n = strlen(model);

	return n > 5 && strcmp(model + n - 5, "_v2_5") == 0;
}

static const char *
choose_voice(const struct tts_text *t)
{
	if (t->voice != NULL)
		return t->voice;
	return t->high && !t->sample ? HIGH : LOW;
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	const char *model = at->model != NULL ? at->model : MODEL;
	const char *voice = choose_voice(t);
	const char *lang = lang_fold(mem, t->lang);
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	const struct tts_request r = {
		.path =
		    arena_printf(mem, "/v1/text-to-speech/%s%s?output_format=" FORMAT,
			voice, t->sample ? "" : "/stream"),
		.auth = "xi-api-key: ",
		.body = &body,
		.rate_hz = RATE_HZ
	};

	if (!speaks(lang))
		return ERR_UNSUPPORTED;
	if (!engine_name_ok(voice)) {
		log_warn("engine %s: the voice's name is not one", at->id);
		return ERR_REFUSED;
	}
	jw_open(&j, NULL);
	jw_text(&j, "text", t->text);
	jw_text(&j, "model_id", model);
	if (takes_language(model))
		jw_textn(&j, "language_code", lang, strcspn(lang, "-"));
	jw_close(&j);
	return tts_ask(at, mem, t, &r, sink, to);
}

const struct tts_engine tts_elevenlabs = { 0, speaks, synthesize };
