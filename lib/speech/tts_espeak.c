/*
 * The built-in synthesiser.  The longest part of a phrase is spoken after 30 ms, so
 * there is nothing to gain from sound in pieces or from processes that wait.
 */
#include "speech/builtin.h"
#include "speech/language.h"
#include "speech/utterance.h"

static bool
speaks(const char *lang)
{
	return language_voice(lang) != NULL;
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *text,
    tts_sink *sink, void *to)
{
	struct tts_text t = *text;

	/* Softened and not eSpeak's variants, of which hardly a word is understood. */
	if (t.voice == NULL && !t.sample)
		t.voice = builtin_voices[t.high ? 1 : 0].voice;
	return utterance_synthesize(at, mem, &t, UTTERANCE_RATE_HZ, sink, to);
}

const struct tts_engine tts_espeak = { TTS_CLONE | TTS_RATE | TTS_PROFILE, speaks,
	synthesize };
