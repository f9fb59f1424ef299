#include "store/languages.h"

#include <string.h>

bool
languages_have(const struct list *l, const char *language)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(((const char *const *)l->items)[i], language) == 0)
			return true;
	return false;
}

bool
languages_fit(const struct list *l, const char *language, int64_t most)
{
	return most == 0 || (int64_t)l->n < most || languages_have(l, language);
}

void
languages_add(struct arena *mem, struct list *to, const struct list *more)
{
	const char **items = arena_alloc(mem, (to->n + more->n) * sizeof(*items));

	if (to->n > 0)
		memcpy(items, to->items, to->n * sizeof(*items));
	to->items = items;
	for (size_t i = 0; i < more->n; i++) {
		const char *language = ((const char *const *)more->items)[i];

		if (!languages_have(to, language))
			items[to->n++] = language;
	}
}
