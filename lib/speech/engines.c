/* Every engine there is, by the name it has in the settings. */
#include <string.h>

#include "speech/clone.h"
#include "speech/tts.h"

static const struct tts_engine *const speakers[] = { &tts_espeak, &tts_openai,
	&tts_elevenlabs };

static const struct clone_engine *const cloners[] = { &clone_profile, &clone_openai,
	&clone_elevenlabs };

const struct tts_engine *
tts_find(const char *name)
{
	for (size_t i = 0; i < sizeof(speakers) / sizeof(speakers[0]); i++)
		if (strcmp(speakers[i]->name, name) == 0)
			return speakers[i];
	return NULL;
}

const struct clone_engine *
clone_find(const char *name)
{
	for (size_t i = 0; i < sizeof(cloners) / sizeof(cloners[0]); i++)
		if (strcmp(cloners[i]->name, name) == 0)
			return cloners[i];
	return NULL;
}
