/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_EBUR128_H
#define TESTS_UNIT_EBUR128_H

#include <stdlib.h>
#include <string.h>

#include "audio/pcm.h"
#include "base/child.h"
#include "tests/unit/suite.h"

/*
 * Returns the last value of `key`, such as "lavfi.r128.I=", that FFmpeg's ebur128
 * reports for the sound.
 */
static inline double
ebur128_says(struct arena *to, const struct pcm *p, const char *key)
{
	const char *const argv[] = { "/usr/bin/ffmpeg", "-v", "error", "-f", "f32le",
		"-ar", arena_printf(to, "%d", p->rate_hz), "-ac", "1", "-i", "-", "-af",
		"ebur128=metadata=1:peak=true,ametadata=print:file=-", "-f", "null",
		"-", NULL };
	struct child c = { .argv = argv,
		.in = p->s,
		.in_len = p->n * sizeof(float),
		.timeout_ms = 20000,
		.memory_bytes = (size_t)2 << 30,
		.out_bytes = 16 << 20 };
	const char *found = NULL;
	struct child_end end;

	ck_assert_int_eq(child_run(&c, to, &end), OK);
	ck_assert_int_eq(end.status, 0);
	for (const char *s = arena_dup(to, end.out, end.out_len);
	     (s = strstr(s, key)) != NULL; s++)
		found = s + strlen(key);
	ck_assert_ptr_nonnull(found);
	return atof(found);
}

#endif
