#include "speech/speak.h"

#include <string.h>

#include "base/lang.h"

bool
speak_knows(const struct speak_engine *en, const struct engine_at *at, const char *lang)
{
	char code[LANG_BYTES];

	return lang_spell(lang, code) && strcmp(code, "auto") != 0 &&
	       lang_covered(at->languages, code) && en->speaks(code);
}
