#include "base/scope.h"

#include <string.h>

const char *const known_scopes[] = { "*", "balance:read", "channels:read",
	"channels:write", "events:read", "events:write", "glossaries:read",
	"glossaries:write", "keys:read", "keys:write", "sessions:read",
	"sessions:write", "uploads:write", "voices:read", "voices:write",
	"webhooks:read", "webhooks:write", "s2s", "stt", "tts", NULL };

bool
scope_known(const char *scope)
{
	int i = 0;

	while (known_scopes[i] != NULL && strcmp(known_scopes[i], scope) != 0)
		i++;
	return known_scopes[i] != NULL;
}

const char *
scope_unknown(struct arena *mem, const char *list)
{
	const char *one;
	size_t n;

	for (; *(list += strspn(list, " ")) != '\0'; list += n) {
		n = strcspn(list, " ");
		one = arena_dup(mem, list, n);
		if (!scope_known(one))
			return one;
	}
	return NULL;
}
