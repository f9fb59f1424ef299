/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_DATA_MEDIA_FILES_H
#define TESTS_UNIT_DATA_MEDIA_FILES_H

#include <check.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "media/media.h"
#include "media/sniff.h"

/*
 * Shared by the tests of media: the real child, and the files that ./make writes in the
 * directory of the build.
 */

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))
#define DATA "tests/unit/data/media/"

static char build[512]; /* the directory above this program's */
static char program[600];
static struct media_at at = { .program = program, .timeout_ms = 20000 };
static struct arena *mem;
static struct media_info info;
static struct pcm pcm;

static inline void
setup(void)
{
	mem = arena_new();
}

static inline void
teardown(void)
{
	arena_free(mem);
}

static inline const char *
path_of(const char *file)
{
	return arena_printf(mem, "%s/media-test/%s", build, file);
}

static inline void
write_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(p, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static inline char *
read_file(struct arena *a, const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *p;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	p = arena_alloc(a, (size_t)st.st_size + 1);
	*n = fread(p, 1, (size_t)st.st_size, f);
	fclose(f);
	return p;
}

static inline void
decode(const char *file, struct media_want want)
{
	if (want.rate_hz == 0)
		want.rate_hz = 24000;
	ck_assert_int_eq(media_decode(&at, mem, path_of(file), &want, &pcm, &info), OK);
	ck_assert_uint_eq(pcm.n > 0, info.verdict == MEDIA_FINE);
}

/* True if its bytes are those of the type: a child's answer without a child. */
static inline bool
has_form(const char *file, const char *mime_type)
{
	int fd = open(path_of(file), O_RDONLY | O_CLOEXEC);
	const char *found;
	int64_t from;
	bool has;

	ck_assert_int_ge(fd, 0);
	has = sniff(fd, mime_type, &from, &found) != NULL;
	close(fd);
	return has;
}

static inline double
level_db(const struct pcm *p, double from_s, double to_s)
{
	size_t from = (size_t)(from_s * p->rate_hz), to = (size_t)(to_s * p->rate_hz);
	double sum = 0;

	ck_assert_uint_le(to, p->n);
	for (size_t i = from; i < to; i++)
		sum += (double)p->s[i] * p->s[i];
	return 10 * log10(sum / (double)(to - from) + 1e-12);
}

static const char *const types[] = {
	"audio/wav",
	"audio/x-wav",
	"audio/mpeg",
	"audio/mp3",
	"audio/aac",
	"audio/webm",
	"video/webm",
	"video/mp4",
	"audio/x-m4a",
	"video/mpeg",
	"audio/flac",
	"audio/ogg",
	"image/png",
	"image/jpeg",
	"image/webp",
};

/* Find the build, and see to its files; false: they cannot be made. */
static inline bool
prepare(const char *argv0)
{
	char *copy = strdup(argv0);
	int status = -1;
	pid_t pid;

	snprintf(build, sizeof(build), "%s", dirname(dirname(copy)));
	free(copy);
	snprintf(program, sizeof(program), "%s/media-test", build);
	if ((pid = fork()) == 0) {
		execl(DATA "make", "make", program, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	snprintf(program, sizeof(program), "%s/bin/dragoman-media", build);
	return status == 0;
}

static inline int
run_case(const char *name, TCase *t)
{
	Suite *s = suite_create(name);
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}

#endif
