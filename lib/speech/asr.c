/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/asr.h"

#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"

#define HINT_CHARACTERS 800

/* Returns the first code of the settings; English if there is none. */
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

const char *
asr_join_hints(struct arena *mem, const struct list *hints)
{
	const char *const *h = hints->items;
	struct buf b = { .mem = mem };
	size_t used = 0;

	for (size_t i = 0; i < hints->n; i++) {
		size_t more = text_length(h[i]) + (used > 0 ? 2 : 0);

		if (used + more > HINT_CHARACTERS)
			break;
		buf_printf(&b, "%s%s", used > 0 ? ", " : "", h[i]);
		used += more;
	}
	return buf_text(&b);
}

void
asr_store_before(char before[ASR_BEFORE_BYTES], const char *text)
{
	size_t n = strlen(text);

	if (n >= ASR_BEFORE_BYTES) {
		text += n - ASR_BEFORE_BYTES + 1;
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	if (*text != '\0')
		memcpy(before, text, strlen(text) + 1);
}

const char *
asr_prompt(struct arena *mem, const char *hints, const char *before)
{
	if (*hints == '\0' || *before == '\0')
		return *hints == '\0' ? before : hints;
	return arena_printf(mem, "%s. %s", hints, before);
}
