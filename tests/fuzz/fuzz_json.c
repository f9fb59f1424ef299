/* What JSON is read is written as JSON that reads and writes the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *
again(struct arena *mem, const char *text)
{
	const char *why;
	const struct json *v = json_read(mem, text, strlen(text), &why);

	if (v == NULL)
		abort();
	return json_text(mem, v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	const char *why, *text;
	const struct json *v = json_read(mem, (const char *)data, size, &why);

	if (v != NULL) {
		text = again(mem, json_text(mem, v)); /* -0.0 is 0 from here on */
		if (strcmp(again(mem, text), text) != 0)
			abort();
	}
	arena_free(mem);
	return 0;
}
