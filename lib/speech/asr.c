/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/asr.h"

#include <string.h>

#include "base/lang.h"

/* The first code of the settings; English if there is none. */
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

	if (!lang_is_auto(want->lang))
		return en->knows(at, want->lang) ? arena_str(mem, want->lang) : NULL;
	for (size_t i = 0; i < want->candidates.n; i++)
		if (!lang_is_auto(c[i]) && en->knows(at, c[i]))
			return arena_str(mem, c[i]);
	return en->knows(at, first) ? first : NULL;
}

struct list
asr_candidates(struct arena *mem, const struct asr_engine *en,
    const struct engine_at *at, const struct list *from)
{
	const char *const *c = from->items;
	const char **to = arena_alloc(mem, (from->n + 1) * sizeof(*to));
	size_t n = 0;

	for (size_t i = 0; i < from->n; i++)
		if (!lang_is_auto(c[i]) && en->knows(at, c[i]))
			to[n++] = arena_str(mem, c[i]);
	return (struct list){ to, n };
}
