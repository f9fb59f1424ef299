/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hls_file.h"

#include <string.h>

#define FOLDER_DIGITS 32
#define NAME_MOST 100
#define FOR_GOOD "public, max-age=86400, immutable"

/* clang-format off */
static const struct hls_file kinds[] = {
	{ ".m3u8", "application/vnd.apple.mpegurl", "public, max-age=1", true },
	{ ".mp4",  "video/mp4",                     "public, max-age=60", false },
	{ ".m4s",  "video/mp4",                     FOR_GOOD, false },
	{ ".vtt",  "text/vtt",                      FOR_GOOD, false },
};
/* clang-format on */

const struct hls_file *
hls_file_of(const char *name)
{
	const char *ending = strrchr(name, '.');

	for (size_t i = 0; ending != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(ending, kinds[i].ending) == 0)
			return &kinds[i];
	return NULL;
}

const struct hls_file *
hls_file_at(const char *folder, const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
	const struct hls_file *f = hls_file_of(name + n);

	return strlen(folder) == FOLDER_DIGITS &&
		       strspn(folder, "0123456789abcdef") == FOLDER_DIGITS && n > 0 &&
		       n < NAME_MOST && f != NULL && strcmp(name + n, f->ending) == 0
		   ? f
		   : NULL;
}
