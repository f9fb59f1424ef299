/*
 * flite, for English where it is installed: its voices are made of recordings of
 * people, and far more of them is understood than of eSpeak.  It speaks in a child
 * process as espeak does: a library that reads text of strangers, and that ends its
 * process over an error, has no place in the gateway.  A sentence of 4 s takes 55 ms.
 */
#include <string.h>

#include "base/lang.h"
#include "base/log.h"
#include "speech/synth_flite.h"
#include "speech/utterance.h"

#define LOW "rms"
#define HIGH "slt"
#define MAX_BYTES 2048 /* of text; it works for 2 s, and begins when it is done */

static bool
speaks(const char *lang)
{
	return lang_same_base(lang, "en") && synth_flite_is_installed();
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *text,
    tts_sink *sink, void *to)
{
	struct tts_text t = *text;

	if (!speaks(lang_fold(mem, t.lang)))
		return ERR_UNSUPPORTED;
	if (strlen(t.text) > MAX_BYTES) {
		log_warn("engine %s: %zu bytes of text", at->id, strlen(t.text));
		return ERR_REFUSED;
	}
	t.voice = arena_printf(mem, UTTERANCE_FLITE "%s",
	    t.voice != NULL ? t.voice
	    : t.high        ? HIGH
			    : LOW);
	return utterance_synthesize(at, mem, &t, UTTERANCE_FLITE_HZ, sink, to);
}

const struct tts_engine tts_flite = { TTS_RATE, speaks, synthesize };
