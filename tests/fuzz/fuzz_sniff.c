/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uploaded files before libav reads them. Any bytes may be taken for a media format,
 * except text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "media/sniff.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *const types[] = { "audio/wav", "audio/mpeg", "audio/mp4",
	"audio/webm", "audio/ogg", "audio/flac", "audio/aac", "video/mp4", "video/mpeg",
	"image/png", "text/html", NULL };

static int
file(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0 && (fd = memfd_create("fuzz", MFD_CLOEXEC)) < 0)
		abort();
	if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return fd;
}

static bool
is_text(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((data[i] < ' ' || data[i] > '~') && data[i] != '\n')
			return false;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = file(data, size);
	int64_t from = 0;
	const char *found;
	const struct sniff_kind *kind = sniff(fd, NULL, &from, &found);

	if (kind != NULL && (is_text(data, size) || from < 0 || from >= (int64_t)size))
		abort();
	for (const char *const *t = types; *t != NULL; t++) {
		const struct sniff_kind *of_type = sniff(fd, *t, &from, &found);

		if (of_type == NULL && found == NULL && kind != NULL)
			abort();
		if (of_type != NULL && (kind == NULL || of_type->name == NULL))
			abort();
	}
	return 0;
}
