/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mime.h"

#include <stddef.h>

#include "base/text.h"

const char *const mime_upload[] = { "audio/mpeg", "audio/aac", "audio/wav",
	"audio/webm", "audio/mp3", "video/webm", "video/mp4", "video/mpeg", NULL };

const char *const mime_clone[] = { "audio/x-wav", "audio/wav", "audio/mp3",
	"audio/x-m4a", "audio/mpeg", "audio/flac", "video/webm", "video/mp4",
	"video/mpeg", "image/png", "image/jpeg", "image/webp", NULL };

const char *
filename_check(const char *s)
{
	return text_only(s, "_-. '\"()")
		   ? NULL
		   : "may have letters, digits, space and _ - . ' \" ( ) only";
}
