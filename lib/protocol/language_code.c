/*
 * Language codes of the sockets.  Only their syntax is checked here; engines decide
 * which languages they support.
 */
#include "protocol/language_code.h"

#include <stdint.h>
#include <string.h>

#include "base/lang.h"

bool
language_code_any(bool (*fn)(void *, const char *), void *arg)
{
	const char *const *const lists[] = { lang_spoken, lang_voice, lang_target,
		lang_glossary_any };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const char *const *code = lists[i]; *code != NULL; code++)
			if (strcmp(*code, "auto") != 0 && fn(arg, *code))
				return true;
	return false;
}

static bool
is_code(void *code, const char *other)
{
	return strcmp(code, other) == 0;
}

bool
language_code_known(const char *code)
{
	return language_code_any(is_code, (void *)(uintptr_t)code);
}

bool
language_code_is_no_target(const char *code)
{
	return strcmp(code, "original") == 0 || strcmp(code, "all") == 0;
}
