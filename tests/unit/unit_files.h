/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_UNIT_FILES_H
#define TESTS_UNIT_UNIT_FILES_H

/* Folders and files of a test. */
#include <check.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"

static inline int
unit_remove(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

/* Makes a new folder, in memory where the machine has a tmpfs. */
static inline const char *
unit_folder(struct arena *mem)
{
	char *dir =
	    arena_str(mem, access("/dev/shm", W_OK) == 0 ? "/dev/shm/unit.XXXXXX"
							 : "/tmp/unit.XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

static inline void
unit_folder_drop(const char *dir)
{
	nftw(dir, unit_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void
unit_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* Returns the content of a file, up to 8 KB; "": it does not exist. */
static inline const char *
unit_text(struct arena *mem, const char *path)
{
	char text[8192];
	FILE *f = fopen(path, "r");
	size_t n = f != NULL ? fread(text, 1, sizeof(text), f) : 0;

	if (f != NULL)
		fclose(f);
	return arena_dup(mem, text, n);
}

/* False: there is no such file. */
static inline bool
unit_copy(const char *from, const char *to)
{
	FILE *in = fopen(from, "rb"), *out;
	char some[65536];
	size_t n;

	if (in == NULL)
		return false;
	ck_assert_ptr_nonnull(out = fopen(to, "wb"));
	while ((n = fread(some, 1, sizeof(some), in)) > 0)
		ck_assert_uint_eq(fwrite(some, 1, n, out), n);
	ck_assert_int_eq(fclose(out) | fclose(in), 0);
	return true;
}

#endif
