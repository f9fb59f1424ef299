/*
 * Servers that speak the way of OpenAI's /v1/audio/speech.  WAV is asked for,
 * not bare PCM: models differ in their rate, and WAV says which it is.
 */
#include "speech/http_engine.h"

#define PATH "/v1/audio/speech"

/* The languages OpenAI documents for its models, as far as they are in L1. */
static const char *const languages[] = { "ar", "az", "be", "bg", "bs", "ca", "cs", "cy",
	"da", "de", "el", "en", "es", "et", "fa", "fi", "fil", "fr", "gl", "he", "hi",
	"hr", "hu", "id", "is", "it", "ja", "kk", "ko", "lt", "lv", "mk", "mr", "ms",
	"nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "th",
	"tr", "uk", "ur", "vi", "zh", NULL };

static bool
speaks(const char *lang)
{
	return engine_speaks(languages, lang);
}

static enum err
speak(const struct tts_at *at, struct arena *mem, const struct tts_text *text,
    struct pcm *to)
{
	struct engine en = engine_start(at, mem, "Authorization: Bearer ");
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	struct http_answer a;
	enum err e;

	if (!speaks(text->lang))
		return ERR_UNSUPPORTED;
	jw_open(&j, NULL);
	jw_text(&j, "model", at->model != NULL ? at->model : "tts-1");
	jw_text(&j, "input", text->text);
	jw_text(&j, "voice", text->voice != NULL ? text->voice : "alloy");
	jw_text(&j, "response_format", "wav");
	jw_close(&j);
	if ((e = engine_ask_sound(&en, PATH, &body, &a)) != OK ||
	    (e = engine_verdict(&en, PATH, &a)) != OK)
		return e;
	if (!engine_wav(mem, a.body, a.body_len, to))
		return engine_refuse(&en, PATH, "the answer is no 16-bit WAV");
	return OK;
}

const struct tts_engine tts_openai = { "openai", speaks, speak };
