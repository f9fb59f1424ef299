/*
 * Servers that speak the way of OpenAI's /v1/audio/speech.  WAV is asked for: models
 * differ in their rate, and WAV says which it is.  A server that refuses it for a
 * stream is asked for bare samples, which are 24 kHz at OpenAI's.
 */
#include <math.h>

#include "base/json_writer.h"
#include "base/lang.h"
#include "speech/engine_facts.h"
#include "speech/tts_stream.h"

#define RATE_HZ 24000
#define BARE "pcm" /* the fact that it takes no WAV */
#define LOW "onyx"
#define HIGH "nova"
#define DEFAULT "alloy"

/* The languages OpenAI documents for its models, as far as they are in L1. */
static const char languages[] =
    "ar az be bg bs ca cs cy da de el en es et fa fi fil fr gl he hi hr hu id is it ja "
    "kk ko lt lv mk mr ms nl no pl pt ro ru sk sl sr sv sw ta th tr uk ur vi zh";

/* Where the sound goes, and the status that it came with. */
struct to_listener {
	tts_sink *sink;
	void *arg;
	int status;
};

static bool
speaks(const char *lang)
{
	return lang_covered(languages, lang);
}

static const char *
choose_voice(const struct tts_text *t)
{
	if (t->voice != NULL)
		return t->voice;
	return t->sample ? DEFAULT : t->high ? HIGH : LOW;
}

static enum err
ask(const struct engine_at *at, struct arena *mem, const struct tts_text *t, bool bare,
    struct to_listener *to)
{
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	const struct tts_request r = { .path = "/v1/audio/speech",
		.auth = "Authorization: Bearer ",
		.body = &body,
		.rate_hz = bare ? RATE_HZ : 0,
		.status = &to->status };

	jw_open(&j, NULL);
	jw_text(&j, "model", at->model != NULL ? at->model : "tts-1");
	jw_text(&j, "input", t->text);
	jw_text(&j, "voice", choose_voice(t));
	jw_text(&j, "response_format", bare ? "pcm" : "wav");
	if (!t->sample)
		jw_real(&j, "speed", round(t->rate * 1000) / 1000);
	jw_close(&j);
	return tts_ask(at, mem, t, &r, to->sink, to->arg);
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *arg)
{
	struct to_listener to = { .sink = sink, .arg = arg };
	bool bare = !t->sample && engine_has_fact(at, BARE);
	enum err e;

	if (!speaks(t->lang))
		return ERR_UNSUPPORTED;
	e = ask(at, mem, t, bare, &to);
	if (bare || t->sample || (to.status != 400 && to.status != 422))
		return e;
	if ((e = ask(at, mem, t, true, &to)) == OK)
		engine_keep_fact(at, BARE);
	return e;
}

const struct tts_engine tts_openai = { TTS_RATE, speaks, synthesize };
