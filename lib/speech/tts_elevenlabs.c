/*
 * ElevenLabs, and servers that speak its way: POST /v1/text-to-speech/{voice}.
 * Raw PCM is asked for, its rate is in the request.
 */
#include <string.h>
#include <strings.h>

#include "speech/http_engine.h"

#define RATE_HZ 22050
#define FORMAT "pcm_22050"
#define MODEL "eleven_multilingual_v2"
#define VOICE "JBFqnCBsd6RMkjVDRZzb" /* the one its own examples use */

/* The 29 languages documented for MODEL. */
static const char *const languages[] = { "ar", "bg", "cs", "da", "de", "el", "en", "es",
	"fi", "fil", "fr", "hi", "hr", "id", "it", "ja", "ko", "ms", "nl", "pl", "pt",
	"ro", "ru", "sk", "sv", "ta", "tr", "uk", "zh", NULL };

static bool
speaks(const char *lang)
{
	return engine_speaks(languages, lang);
}

/* MODEL hears the language from the text and used to refuse being told. */
static bool
takes_language(const char *model)
{
	size_t n = strlen(model);

	return n > 5 && strcmp(model + n - 5, "_v2_5") == 0;
}

static void
put_body(struct buf *body, const char *model, const struct tts_text *text)
{
	struct json_writer j = { .out = body };

	jw_open(&j, NULL);
	jw_text(&j, "text", text->text);
	jw_text(&j, "model_id", model);
	if (takes_language(model))
		jw_textn(&j, "language_code", text->lang, strcspn(text->lang, "-"));
	jw_close(&j);
}

static bool
is_sound(const struct http_answer *a)
{
	return a->content_type != NULL &&
	       (strncasecmp(a->content_type, "audio/", 6) == 0 ||
		   strncasecmp(a->content_type, "application/octet-stream", 24) == 0);
}

static enum err
speak(const struct tts_at *at, struct arena *mem, const struct tts_text *text,
    struct pcm *to)
{
	struct engine en = engine_start(at, mem, "xi-api-key: ");
	const char *voice = text->voice != NULL ? text->voice : VOICE;
	const char *path =
	    arena_printf(mem, "/v1/text-to-speech/%s?output_format=" FORMAT, voice);
	struct buf body = { .mem = mem };
	struct http_answer a;
	enum err e;

	if (!speaks(text->lang))
		return ERR_UNSUPPORTED;
	if (!engine_name_ok(voice))
		return engine_refuse(
		    &en, "/v1/text-to-speech", "the voice's name is not one");
	put_body(&body, at->model != NULL ? at->model : MODEL, text);
	if ((e = engine_ask_sound(&en, path, &body, &a)) != OK ||
	    (e = engine_verdict(&en, path, &a)) != OK)
		return e;
	if (!is_sound(&a) || !engine_pcm16(mem, a.body, a.body_len, 1, RATE_HZ, to))
		return engine_refuse(&en, path, "the answer is no 16-bit PCM");
	return OK;
}

const struct tts_engine tts_elevenlabs = { "elevenlabs", speaks, speak };
