/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings are synced to the disk while they grow. This file replaces fsync(2): it
 * records how much of each file would survive a power cut, can be slow, and can fail.
 */
#include "tests/unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "egress/egress.h"

#define FILES 4
#define SLOW_US (3 * S_US)
#define TICKS_A_SECOND 50
#define FRAGMENT_S 2

/* Counters of all processes. */
static struct disk {
	struct {
		atomic_ullong file, bytes; /* inode; bytes that are synced */
	} at[FILES];
	atomic_int slow_us, error, syncs;
	atomic_int process; /* the process that syncs */
} * disk;

static struct arena *mem;
static char folder[64];
static struct egress_order order;
static struct encoder encoders[2];
static const struct egress_sink *is;
static void *sink;
static int64_t now;

static void
note(unsigned long long file, unsigned long long bytes)
{
	for (int i = 0; i < FILES; i++)
		if (disk->at[i].file == file || disk->at[i].file == 0) {
			disk->at[i].file = file;
			disk->at[i].bytes = bytes;
			return;
		}
}

int
fsync(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	disk->process = (int)getpid();
	usleep((useconds_t)disk->slow_us);
	if ((errno = disk->error) != 0)
		return -1;
	if (S_ISREG(st.st_mode))
		note(st.st_ino, (unsigned long long)st.st_size);
	disk->syncs++;
	return 0;
}

static const char *
path_of(const char *name)
{
	return arena_printf(mem, "%s/%s", folder, name);
}

/* An existing file: its size, and the bytes that are synced. */
static unsigned long long
bytes_of(const char *name, unsigned long long *synced)
{
	struct stat st;

	*synced = 0;
	ck_assert_int_eq(stat(path_of(name), &st), 0);
	for (int i = 0; i < FILES; i++)
		if (disk->at[i].file == st.st_ino)
			*synced = disk->at[i].bytes;
	return (unsigned long long)st.st_size;
}

static void
begin(const struct egress_sink *which)
{
	const AVCodecContext *codecs[2];

	is = which;
	for (int i = 0; i < 2; i++) {
		ck_assert(encoder_open(&encoders[i], is->codec, 0));
		codecs[i] = encoders[i].codec;
	}
	ck_assert_int_eq(is->open(mem, &order, codecs, &sink), OK);
}

/*
 * Records this much, faster than real time; returns the longest tick in microseconds.
 */
static int64_t
record(int seconds)
{
	static const float s[EGRESS_TICK];
	int64_t most = 0;

	for (int i = 0; i < seconds * TICKS_A_SECOND; i++) {
		int64_t begun = monotonic_us(), took;

		now += EGRESS_TICK;
		for (size_t k = 0; k < 2; k++)
			encoder_put(&encoders[k], s, is->put, sink, k);
		is->step(sink, now);
		took = monotonic_us() - begun;
		most = took > most ? took : most;
	}
	return most;
}

static const char *
why(void)
{
	int64_t bytes;
	const char *text;

	is->status(sink, &bytes, &text);
	return text != NULL ? text : "";
}

/* True if all written bytes of every file are synced. */
static bool
is_synced(const char *a, const char *b)
{
	unsigned long long synced[3];

	return bytes_of(a, &synced[0]) == synced[0] && synced[0] > 0 &&
	       bytes_of(b, &synced[1]) == synced[1] && synced[1] > 0 &&
	       bytes_of("run", &synced[2]) == synced[2] && synced[2] > 0;
}

static void
setup(void)
{
	mem = arena_new();
	disk = mmap(NULL, sizeof(*disk), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(disk, MAP_FAILED);
	strcpy(folder, "/tmp/dragoman-sync-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	order = (struct egress_order){ .directory = folder,
		.max_bytes = 1000000000,
		.source = "en",
		.codes = { "es", "original" },
		.n = 2 };
	now = 0;
}

static void
teardown(void)
{
	signal(SIGCHLD, SIG_DFL); /* needed by system() */
	ck_assert_int_eq(system(arena_printf(mem, "rm -r %s", folder)), 0);
	/* mem is not freed: a sink is never closed, it ends with its process. */
}

static const struct {
	const struct egress_sink *is;
	const char *first, *second;
} kinds[] = { { &recording_ogg, "es.ogg", "original.ogg" },
	{ &recording_mp4, "all.mp4", "all.mp4" } };

START_TEST(what_was_written_is_on_the_disk_at_once)
{
	begin(kinds[_i].is);
	for (int i = 0; i < 3; i++) {
		record(FRAGMENT_S + 1);
		await(is_synced(kinds[_i].first, kinds[_i].second));
	}
	ck_assert_str_eq(why(), "");
}
END_TEST

START_TEST(a_slow_disk_keeps_no_tick_waiting)
{
	disk->slow_us = (int)SLOW_US;
	begin(&recording_ogg);
	for (int i = 0; i < 5; i++)
		ck_assert_int_lt(record(FRAGMENT_S), SLOW_US / 2);
	ck_assert_int_eq(disk->syncs, 0);
	disk->slow_us = 0;
	await(is_synced("es.ogg", "original.ogg"));
}
END_TEST

START_TEST(a_sync_that_fails_ends_the_recording)
{
	begin(&recording_ogg);
	disk->error = EIO;
	record(2 * FRAGMENT_S + 1);
	await((record(FRAGMENT_S), why()[0] != '\0'));
	ck_assert_str_eq(why(), "The recording cannot be written.");
}
END_TEST

START_TEST(the_process_that_syncs_is_followed_by_another)
{
	int first;

	begin(&recording_ogg);
	record(FRAGMENT_S + 1);
	await(is_synced("es.ogg", "original.ogg"));
	first = disk->process;
	ck_assert_int_ne(first, (int)getpid());
	ck_assert_int_eq(kill(first, SIGKILL), 0);
	await(kill(first, 0) != 0);
	record(FRAGMENT_S + 1);
	await(is_synced("es.ogg", "original.ogg"));
	ck_assert_int_ne(disk->process, first);
	ck_assert_str_eq(why(), "");
}
END_TEST

/* The process runs until the end of the recording, and no longer. */
START_TEST(the_process_that_syncs_ends_with_the_recording)
{
	begin(&recording_ogg);
	record(FRAGMENT_S + 1);
	await(is_synced("es.ogg", "original.ogg"));
	order.max_bytes = 1;
	record(FRAGMENT_S);
	ck_assert_str_ne(why(), "");
	await(kill(disk->process, 0) != 0);
	ck_assert(is_synced("es.ogg", "original.ogg"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("recording sync");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(
	    t, what_was_written_is_on_the_disk_at_once, 0, COUNT(kinds));
	tcase_add_test(t, a_slow_disk_keeps_no_tick_waiting);
	tcase_add_test(t, a_sync_that_fails_ends_the_recording);
	tcase_add_test(t, the_process_that_syncs_is_followed_by_another);
	tcase_add_test(t, the_process_that_syncs_ends_with_the_recording);
	suite_add_tcase(s, t);
	return unit_run(s);
}
