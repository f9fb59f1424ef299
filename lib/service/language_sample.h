/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_LANGUAGE_SAMPLE_H
#define SERVICE_LANGUAGE_SAMPLE_H

#include <stdint.h>

#include "base/conf.h"
#include "speech/registry.h"

/* An open MP3 file. */
struct language_sample {
	int fd;
	int64_t bytes;
};

/*
 * Open a sentence of the language, in the low voice of the engine with which streams
 * speak it.  The file is made when it is asked for first, one at a time on this host,
 * and again after a change of that engine's settings.  ERR_NOT_FOUND: no engine speaks
 * the language, or there is no sentence in it.  Other errors are those of
 * registry_speak(), and ERR_FAILED for the file, which is logged.
 */
enum err language_sample(const struct conf *, struct arena *, struct registry *,
    const char *language, struct language_sample *) MUST_CHECK;

#endif
