/* What JSON is read is written as JSON that reads the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *why, *once;
	const struct json *v = json_read(mem, (const char *)data, size, &why);

	if (v != NULL && v->type != JSON_NONE) {
		once = json_text(mem, v);
		v = json_read(mem, once, strlen(once), &why);
		if (v == NULL || strcmp(json_text(mem, v), once) != 0)
			abort();
	}
	arena_free(mem);
	return 0;
}
