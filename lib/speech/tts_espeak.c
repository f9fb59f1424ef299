/*
 * The built-in synthesiser.  The longest part of a phrase is spoken after 30 ms, so
 * there is nothing to gain from sound in pieces or from processes that wait.
 */
#include "speech/language.h"
#include "speech/utterance.h"

/* Softened and not eSpeak's variants, of which hardly a word is understood. */
#define LOW "{\"f0_hz\":100,\"f0_low_hz\":85,\"f0_high_hz\":125}"
#define HIGH                                                                           \
	"{\"f0_hz\":190,\"f0_low_hz\":160,\"f0_high_hz\":235,\"formant_scale\":1.08}"

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

	if (t.voice == NULL && !t.sample)
		t.voice = t.high ? HIGH : LOW;
	return utterance_synthesize(at, mem, &t, UTTERANCE_RATE_HZ, sink, to);
}

const struct tts_engine tts_espeak = { TTS_CLONE | TTS_RATE | TTS_PROFILE, speaks,
	synthesize };
