/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XML of an unknown server is accepted or refused. An accepted document is written, and
 * must be read and written again unchanged.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define N 3

/* Readers normalise line ends (XML 1.0, 2.11), so "\r" may change. */
static bool
same(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || strchr(a, '\r') != NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct xml_text told[N] = { { "Code" }, { "Message" }, { "ETag" } };
	struct xml_text again[N] = { { "Code" }, { "Message" }, { "ETag" } };
	const char *text;

	if (xml_read(mem, (const char *)data, size, told, N)) {
		for (int i = 0; i < N; i++) {
			if (told[i].text == NULL)
				told[i].text = "";
			if (!text_valid(told[i].text, strlen(told[i].text)))
				abort();
		}
		text = xml_write(mem, "Error", told, N);
		if (strlen(text) <= XML_READ_BYTES &&
		    !xml_read(mem, text, strlen(text), again, N))
			abort();
		for (int i = 0; i < N && again[i].text != NULL; i++)
			if (!same(told[i].text, again[i].text))
				abort();
	}
	arena_free(mem);
	return 0;
}
