#include "speech/speak.h"

#include <string.h>
#include <strings.h>

#define CODE_BYTES 16

static const struct speak_engine *const engines[] = { &speak_espeak, &speak_openai,
	&speak_http, &speak_script };

const struct speak_engine *
speak_find(const char *kind)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (strcmp(engines[i]->kind, kind) == 0)
			return engines[i];
	return NULL;
}

static void
spell(char *code)
{
	for (char *s = code; *s != '\0'; s++)
		if (*s == '_')
			*s = '-';
		else if (*s >= 'A' && *s <= 'Z')
			*s = (char)(*s - 'A' + 'a');
}

const char *
speak_code(struct arena *mem, const char *code)
{
	char *copy = arena_str(mem, code);

	spell(copy);
	return copy;
}

/* Whether one of n bytes is the code or its base. */
static bool
covers(const char *one, size_t n, const char *code)
{
	return strncasecmp(one, code, n) == 0 && (code[n] == '\0' || code[n] == '-');
}

static bool
allowed(const char *list, const char *code)
{
	if (list == NULL)
		return true;
	for (size_t n; *list != '\0'; list += n) {
		list += strspn(list, " ,");
		n = strcspn(list, " ,");
		if (n > 0 && covers(list, n, code))
			return true;
	}
	return false;
}

bool
speak_knows(const struct speak_engine *en, const struct engine_at *at, const char *lang)
{
	char code[CODE_BYTES];

	if (strlen(lang) >= sizeof(code))
		return false;
	strncpy(code, lang, sizeof(code));
	spell(code);
	return strcmp(code, "auto") != 0 && allowed(at->languages, code) &&
	       en->speaks(code);
}
