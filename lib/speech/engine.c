/* The kinds of engines. */
#include "speech/engine.h"

#include <string.h>

/* clang-format off */
const struct engine_kind engine_kinds[] = {
	{ "pocketsphinx",   .asr = &asr_pocketsphinx },
	{ "apertium",       .mt = &mt_apertium },
	{ "espeak",         .speak = &speak_espeak, .tts = &tts_espeak },
	{ "openai",         .asr = &asr_openai, .speak = &speak_openai, .tts = &tts_openai, .clone = &clone_openai },
	{ "elevenlabs",     .tts = &tts_elevenlabs, .clone = &clone_elevenlabs },
	{ "libretranslate", .mt = &mt_libretranslate },
	{ "http",           .asr = &asr_http, .mt = &mt_http, .speak = &speak_http },
	{ "profile",        .clone = &clone_profile },
	{ "script",         .asr = &asr_script, .mt = &mt_script, .speak = &speak_script },
	{ NULL },
};
/* clang-format on */

const struct engine_kind *
engine_find(const char *name)
{
	const struct engine_kind *k = engine_kinds;

	while (k->name != NULL && strcmp(k->name, name) != 0)
		k++;
	return k->name != NULL ? k : NULL;
}
