/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STORES_H
#define TESTS_UNIT_STORES_H

/*
 * Shared by the tests of both blob stores: settings, a folder, and the tests that apply
 * to every store.
 */
#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "blob/blob.h"
#include "tests/unit/suite.h"

#define ID "ec7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define NAME ID "-0123abcd"

static struct arena *mem;
static struct conf conf;
static char *root; /* a folder of this test's own */

static inline void
stores_open(void)
{
	mem = arena_new();
	root = arena_str(mem, "/tmp/test_blob.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	conf = (struct conf){
		.server_base_url = "https://speech.example.org",
		.blob_store = "disk",
		.blob_dir = arena_printf(mem, "%s/blobs", root),
		.blob_url_s = 3600,
		.blob_bucket = "media",
		.blob_addressing = "",
		.blob_region = "us-east-1",
		.blob_access_key = "AK",
		.blob_secret_key = "secret",
		.engine_timeout_ms = 5000,
	};
}

static int nfiles;

static inline int
count_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path, (void)st, (void)at;
	nfiles += type == FTW_F;
	return 0;
}

static inline int
remove_it(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static inline void
stores_close(void)
{
	nftw(root, remove_it, 16, FTW_DEPTH | FTW_PHYS);
	arena_free(mem);
}

/* Below blob.dir, temporary ones too. */
static inline int
files(void)
{
	nfiles = 0;
	nftw(root, count_file, 16, FTW_PHYS);
	return nfiles;
}

static inline void
store(const char *name, const char *text)
{
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	ck_assert_int_eq(blob_put(in, text, strlen(text)), OK);
	ck_assert_int_eq(blob_end(in, name, &facts), OK);
}

static inline const char *
fetch(const char *name)
{
	struct blob_file f;
	char *to;

	if (blob_open(&conf, mem, name, &f) != OK)
		return NULL;
	to = arena_alloc(mem, (size_t)f.bytes + 1);
	ck_assert_int_eq(read(f.fd, to, (size_t)f.bytes), f.bytes);
	return to;
}

#define OTHER "ab7ac8ad-1b2b-406b-aae1-2c972399d29d-00000000"

static inline bool
is_other(void *asked, const char *name)
{
	++*(int *)asked;
	return strcmp(name, OTHER) == 0;
}

static inline void
make_old(const char *path)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
}

/* ---- what holds for both ---- */

START_TEST(a_stored_file_is_there_until_it_is_removed)
{
	struct blob_facts facts;

	store(NAME, "hello");
	ck_assert_str_eq(fetch(NAME), "hello");
	ck_assert_int_eq(blob_stat(&conf, mem, NAME, &facts), OK);
	ck_assert_int_eq(facts.bytes, 5);
	ck_assert_int_eq(blob_remove(&conf, mem, NAME), OK);
	ck_assert_ptr_null(fetch(NAME));
	ck_assert_int_eq(blob_stat(&conf, mem, NAME, &facts), ERR_NOT_FOUND);
	ck_assert_int_eq(blob_remove(&conf, mem, NAME), OK);
}
END_TEST

START_TEST(size_and_hash_are_told)
{
	char piece[1000];
	struct sha256 *h = sha256_new(mem);
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&conf, mem, 1000000, &in), OK);
	for (int i = 0; i < 1000; i++) {
		memset(piece, i, sizeof(piece));
		ck_assert_int_eq(blob_put(in, piece, sizeof(piece)), OK);
		sha256_put(h, piece, sizeof(piece));
	}
	ck_assert_int_eq(blob_end(in, NAME, &facts), OK);
	ck_assert_int_eq(facts.bytes, 1000000);
	ck_assert_str_eq(facts.sha256, sha256_hex(mem, h));
	ck_assert_int_eq(blob_stat(&conf, mem, NAME, &facts), OK);
	ck_assert_int_eq(facts.bytes, 1000000);
}
END_TEST

START_TEST(an_empty_file_is_a_file)
{
	store(NAME, "");
	ck_assert_str_eq(fetch(NAME), "");
}
END_TEST

START_TEST(an_aborted_file_leaves_nothing)
{
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	ck_assert_int_eq(blob_put(in, "x", 1), OK);
	ck_assert_int_eq(files(), 1);
	blob_abort(in);
	ck_assert_int_eq(files(), 0);
	blob_abort(in);
}
END_TEST

START_TEST(a_forgotten_file_ends_with_the_arena)
{
	struct arena *job = arena_new();
	struct blob_in *in;
	struct blob_file f;

	store(NAME, "x");
	ck_assert_int_eq(blob_begin(&conf, job, 0, &in), OK);
	ck_assert_int_eq(blob_open(&conf, job, NAME, &f), OK);
	ck_assert_int_eq(access(f.path, R_OK), 0);
	ck_assert_int_ge(files(), 2);
	arena_free(job);
	ck_assert_int_eq(files(), 1); /* S3: the copy that was sent, until teardown */
}
END_TEST

static inline void
stores_both(TCase *t)
{
	tcase_add_test(t, a_stored_file_is_there_until_it_is_removed);
	tcase_add_test(t, size_and_hash_are_told);
	tcase_add_test(t, an_empty_file_is_a_file);
	tcase_add_test(t, an_aborted_file_leaves_nothing);
	tcase_add_test(t, a_forgotten_file_ends_with_the_arena);
}

static inline int
stores_run(const char *name, TCase *t)
{
	Suite *s = suite_create(name);

	suite_add_tcase(s, t);
	return unit_run(s);
}

#endif
