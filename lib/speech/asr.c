/* Which recognisers there are, and what they have in common: language codes. */
#include "speech/asr.h"

#include <string.h>

#include "speech/asr_internal.h"

static const struct asr_engine *const engines[] = { &asr_pocketsphinx, &asr_openai,
	&asr_http, &asr_script };

const struct asr_engine *
asr_find(const char *kind)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (strcmp(engines[i]->kind, kind) == 0)
			return engines[i];
	return NULL;
}

bool
asr_is_auto(const char *lang)
{
	return strcasecmp(lang, "auto") == 0;
}

static char
plain(char c)
{
	if (c == '_')
		return '-';
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool
asr_same(const char *lang, const char *code, size_t n)
{
	bool base = true;

	for (size_t i = 0; i < n; i++) {
		if (plain(lang[i]) != plain(code[i]))
			return false;
		base = base && plain(code[i]) != '-';
	}
	return lang[n] == '\0' || (base && plain(lang[n]) == '-');
}

bool
asr_listed(const char *codes, const char *lang)
{
	if (codes == NULL)
		return true;
	for (size_t n; *(codes += strspn(codes, " ,")) != '\0'; codes += n) {
		n = strcspn(codes, " ,");
		if (asr_same(lang, codes, n))
			return true;
	}
	return false;
}

/* The first code of the settings, or English: where nothing else is said. */
static const char *
first_code(struct arena *mem, const char *codes)
{
	if (codes == NULL || *(codes += strspn(codes, " ,")) == '\0')
		return "en";
	return arena_dup(mem, codes, strcspn(codes, " ,"));
}

const char *
asr_choose(struct arena *mem, const struct asr_engine *en, const struct engine_at *at,
    const struct asr_want *want)
{
	const char *const *c = want->candidates.items;
	const char *first = first_code(mem, at->languages);

	if (!asr_is_auto(want->lang))
		return en->knows(at, want->lang) ? arena_str(mem, want->lang) : NULL;
	for (size_t i = 0; i < want->candidates.n; i++)
		if (!asr_is_auto(c[i]) && en->knows(at, c[i]))
			return arena_str(mem, c[i]);
	return en->knows(at, first) ? first : NULL;
}
