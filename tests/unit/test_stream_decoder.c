/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The real child decodes streams while they arrive: their sound, pieces of any size,
 * and broken streams.
 */
#include "data/media/files.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "media/stream_decoder.h"
#include "media/stream_decoder_wire.h"
#include "tests/unit/suite.h"

#define LATE_S 0.25 /* a frame of FLAC has 0.2 s */
#define MOST (60 * LIVE_HZ)
#define WAIT_MS 10000
#define TINY_BYTES 4096 /* the header of a file and some frames */

static char decoder[600];
static struct stream_decoder *live;
static struct buf heard; /* the whole sound */

static void
setup_live(void)
{
	setup();
	snprintf(decoder, sizeof(decoder), "%s/bin/dragoman-decode", build);
	heard = (struct buf){ .mem = mem };
	live = NULL;
}

/* Returns the number of child processes; *one is one of them. */
static int
children(pid_t *one)
{
	DIR *d = opendir("/proc");
	int n = 0;

	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		char path[300];
		int pid, parent = 0;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		if (sscanf(e->d_name, "%d", &pid) != 1 ||
		    (f = fopen(path, "r")) == NULL)
			continue;
		if (fscanf(f, "%*d (%*[^)]) %*c %d", &parent) == 1 &&
		    parent == (int)getpid()) {
			*one = pid;
			n++;
		}
		fclose(f);
	}
	closedir(d);
	return n;
}

static int
descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

static void
teardown_live(void)
{
	pid_t pid;

	stream_decoder_stop(live);
	ck_assert_int_eq(children(&pid), 0);
	teardown();
}

static void
start(const char *format)
{
	live = stream_decoder_start(mem, decoder, format);
	ck_assert_ptr_nonnull(live);
}

static enum err
feed(const void *p, size_t n)
{
	return stream_decoder_feed(live, p, n, &heard, MOST, WAIT_MS);
}

static double
heard_s(void)
{
	return (double)heard.len / sizeof(int16_t) / LIVE_HZ;
}

static char *
file(const char *name, size_t *n)
{
	return read_file(mem, path_of(name), n);
}

/* Decodes the whole stream, in pieces of this many bytes. */
static void
feed_pieces(const char *p, size_t n, size_t piece)
{
	for (size_t i = 0; i < n; i += piece)
		ck_assert_int_eq(feed(p + i, n - i < piece ? n - i : piece), OK);
}

static void
feed_file(const char *name, size_t piece)
{
	size_t n;
	const char *p = file(name, &n);

	feed_pieces(p, n, piece);
}

/* clang-format off */
static const struct {
	const char *name, *format;
} files[] = {
	{ "plain.mp3",   "mp3" },
	{ "id3.mp3",     "mp3" },
	{ "adts.aac",    "aac" },
	{ "sound.flac",  "flac" },
	{ "sound.webm",  "webm" },
	{ "live.webm",   "webm" },
	{ "vorbis.webm", "webm" },
	{ "film.webm",   "webm" },
	{ "sound.ogg",   "ogg" },
	{ "vorbis.ogg",  "ogg" },
	{ "flac.ogg",    "ogg" },
	{ "opposite.mp3", "mp3" },
	{ "cut.mp3",     "mp3" },
	{ "small-tag.mp3", "mp3" },
};
/* clang-format on */

/*
 * Returns the similarity of two sounds by each step-th sample, 1 if equal, where b is
 * later by lag.
 */
static double
likeness_at(const int16_t *a, size_t n, const struct pcm *b, int lag, size_t step)
{
	double ab = 0, aa = 1e-9, bb = 1e-9;

	for (size_t i = 1600; i + 1600 < n && i + 1600 < b->n; i += step) {
		double x = a[i] / 32768.0, y = b->s[(long)i + lag];

		ab += x * y;
		aa += x * x;
		bb += y * y;
	}
	return ab / sqrt(aa * bb);
}

/*
 * Finds the lag within 0.1 s with the greatest similarity: first with few samples, then
 * with more.
 */
static double
likeness(const int16_t *a, size_t n, const struct pcm *b)
{
	double best = -1;
	int best_lag = 0;

	for (int lag = -1600; lag <= 1600; lag++) {
		double l = likeness_at(a, n, b, lag, 101);

		if (l > best) {
			best = l;
			best_lag = lag;
		}
	}
	return likeness_at(a, n, b, best_lag, 3);
}

START_TEST(a_stream_sounds_like_the_file_it_is)
{
	start(files[_i].format);
	feed_file(files[_i].name, 4096);
	decode(files[_i].name, (struct media_want){ .rate_hz = LIVE_HZ });
	ck_assert_double_eq_tol(heard_s(), (double)pcm.n / LIVE_HZ, 0.11);
	ck_assert_double_gt(likeness((const int16_t *)(void *)heard.p,
				heard.len / sizeof(int16_t), &pcm),
	    0.98);
}
END_TEST

/* The sound received so far equals that of a file that ends there. */
START_TEST(sound_comes_out_as_it_goes_in)
{
	size_t n, sent = 0;
	const char *p = file(files[_i].name, &n);
	const char *cut = path_of(arena_printf(mem, "cut-%d-%d", _i, (int)getpid()));

	start(files[_i].format);
	for (int i = 3; i < 8; i += 2) {
		size_t to = n * (size_t)i / 8;

		ck_assert_int_eq(feed(p + sent, to - sent), OK);
		sent = to;
		write_file(cut, p, to);
		decode(
		    strrchr(cut, '/') + 1, (struct media_want){ .rate_hz = LIVE_HZ });
		if (i > 3) /* a quarter may be less than a page of Ogg */
			ck_assert_int_eq(info.verdict, MEDIA_FINE);
		ck_assert_double_gt(heard_s() + LATE_S, (double)pcm.n / LIVE_HZ);
	}
	unlink(cut);
}
END_TEST

START_TEST(how_a_stream_is_cut_makes_no_difference)
{
	size_t n, head;
	const char *p = file(files[_i].name, &n);
	struct buf whole;

	head = n < TINY_BYTES ? n : TINY_BYTES;
	start(files[_i].format);
	ck_assert_int_eq(feed(p, n), OK);
	whole = heard;
	heard = (struct buf){ .mem = mem };
	stream_decoder_stop(live);
	start(files[_i].format);
	feed_pieces(p, head, _i % 2 == 0 ? 3 : 61);
	feed_pieces(p + head, n - head, 997);
	ck_assert_uint_eq(heard.len, whole.len);
	ck_assert_mem_eq(heard.p, whole.p, whole.len);
}
END_TEST

/* A tag whose content looks like the head of a frame. */
#define TAG "ID3\3\0\0\0\0\0\12\xff\xfb\x90\x64\0\0\0\0\0\0"
#define TAG_BYTES (sizeof(TAG) - 1)

/* The first piece may end inside a tag or at its end: the sound is the same. */
START_TEST(a_tag_costs_no_frame)
{
	static const size_t cuts[] = { 3, 10, TAG_BYTES };
	size_t n, whole;
	const char *p = file("plain.mp3", &n);
	char *tagged = arena_alloc(mem, TAG_BYTES + n);

	memcpy(tagged, TAG, TAG_BYTES);
	memcpy(tagged + TAG_BYTES, p, n);
	start("mp3");
	ck_assert_int_eq(feed(p, n), OK);
	whole = heard.len;
	stream_decoder_stop(live);
	heard.len = 0;
	start("mp3");
	ck_assert_int_eq(feed(tagged, cuts[_i]), OK);
	ck_assert_int_eq(feed(tagged + cuts[_i], TAG_BYTES + n - cuts[_i]), OK);
	ck_assert_uint_eq(heard.len, whole);
}
END_TEST

START_TEST(behind_a_file_there_may_be_another)
{
	start(files[_i].format);
	feed_file(files[_i].name, 5000);
	decode(files[_i].name, (struct media_want){ .rate_hz = LIVE_HZ });
	feed_file(files[_i].name, 5000);
	ck_assert_double_eq_tol(heard_s(), 2.0 * (double)pcm.n / LIVE_HZ, 0.25);
}
END_TEST

/* Each page begins like a file, except for a flag. */
START_TEST(pages_of_ogg_may_come_one_by_one)
{
	size_t n, i = 0;
	const char *p = file("sound.ogg", &n);

	start("ogg");
	while (i < n) {
		const char *next = memmem(p + i + 1, n - i - 1, "OggS", 4);
		size_t some = next != NULL ? (size_t)(next - p) - i : n - i;

		ck_assert_int_eq(feed(p + i, some), OK);
		i += some;
	}
	decode("sound.ogg", (struct media_want){ .rate_hz = LIVE_HZ });
	ck_assert_double_eq_tol(heard_s(), (double)pcm.n / LIVE_HZ, 0.11);
}
END_TEST

/* ---- what makes no sense ---- */

static unsigned
next_random(unsigned *seed)
{
	*seed = *seed * 1103515245U + 12345U;
	return *seed >> 16;
}

static char *
noise(size_t n)
{
	char *p = arena_alloc(mem, n);
	unsigned seed = 7;

	for (size_t i = 0; i < n; i++)
		p[i] = (char)next_random(&seed);
	return p;
}

START_TEST(noise_is_refused_and_a_file_behind_it_is_heard)
{
	const char *p = noise(300000);
	int refused = 0;

	start(files[_i].format);
	for (int i = 0; i < 300; i++) {
		enum err e = feed(p + i * 1000, 1000);

		ck_assert(e == OK || e == ERR_REFUSED);
		refused += e == ERR_REFUSED;
	}
	ck_assert_int_gt(refused, 0);
	ck_assert_double_lt(heard_s(), 0.5);
	heard.len = 0;
	feed_file(files[_i].name, 5000);
	decode(files[_i].name, (struct media_want){ .rate_hz = LIVE_HZ });
	ck_assert_double_eq_tol(heard_s(), (double)pcm.n / LIVE_HZ, 0.25);
}
END_TEST

START_TEST(bytes_that_are_spoilt_cost_their_surroundings)
{
	size_t n;
	char *p = file(files[_i].name, &n);
	unsigned seed = (unsigned)_i;

	for (int i = 0; i < 20; i++)
		p[n / 4 + next_random(&seed) % (n / 2)] ^= 0x55;
	start(files[_i].format);
	for (size_t i = 0; i < n; i += 2000) {
		enum err e = feed(p + i, n - i < 2000 ? n - i : 2000);

		ck_assert(e == OK || e == ERR_REFUSED);
	}
	ck_assert_double_gt(heard_s(), 0.5);
}
END_TEST

/* Simulates a gateway that has dropped sound because it came too fast. */
START_TEST(a_gap_costs_little_more_than_itself)
{
	size_t n;
	char *p = file(files[_i].name, &n);

	decode(files[_i].name, (struct media_want){ .rate_hz = LIVE_HZ });
	start(files[_i].format);
	for (size_t i = 0; i < n; i += 1000)
		if (i < n / 2 || i >= n / 2 + 4000)
			ck_assert_int_ne(
			    feed(p + i, n - i < 1000 ? n - i : 1000), ERR_FAILED);
	ck_assert_double_gt(
	    heard_s(), (double)pcm.n / LIVE_HZ * (1 - 4000.0 / (double)n) - 2.0);
}
END_TEST

START_TEST(more_sound_than_is_wanted_is_lost)
{
	size_t n;
	const char *p = file("sound.flac", &n);

	start("flac");
	ck_assert_int_eq(
	    stream_decoder_feed(live, p, n, &heard, LIVE_HZ, WAIT_MS), ERR_LIMIT);
	ck_assert_uint_eq(heard.len, LIVE_HZ * sizeof(int16_t));
	feed_file("sound.flac", n);
	ck_assert_double_gt(heard_s(), 5);
}
END_TEST

START_TEST(what_is_declared_is_what_it_must_be)
{
	size_t n;
	const char *p = file("sound.ogg", &n);

	start("webm");
	ck_assert_int_eq(feed(p, n), ERR_REFUSED);
	ck_assert_uint_eq(heard.len, 0);
	p = file("mute.webm", &n);
	ck_assert_int_eq(feed(p, n), ERR_REFUSED);
	ck_assert_int_eq(feed("", 0), OK);
}
END_TEST

/* ---- the child ---- */

START_TEST(a_child_that_is_killed_fails_and_another_takes_over)
{
	int before = descriptors();
	size_t n;
	const char *p = file("plain.mp3", &n);
	pid_t pid;

	start("mp3");
	ck_assert_int_eq(feed(p, n / 2), OK);
	ck_assert_int_eq(children(&pid), 1);
	kill(pid, SIGKILL);
	ck_assert_int_eq(feed(p + n / 2, 1000), ERR_FAILED);
	ck_assert_int_eq(feed(p + n / 2, 1000), ERR_FAILED);
	stream_decoder_stop(live);
	ck_assert_int_eq(descriptors(), before);
	start("mp3");
	ck_assert_int_eq(feed(p + n / 2, n - n / 2), OK);
	ck_assert_double_gt(heard_s(), 5.4);
}
END_TEST

START_TEST(a_child_that_does_not_answer_is_not_waited_for)
{
	pid_t pid;

	start("aac");
	ck_assert_int_eq(children(&pid), 1);
	kill(pid, SIGSTOP);
	ck_assert_int_eq(
	    stream_decoder_feed(live, noise(900000), 900000, &heard, MOST, 300),
	    ERR_TIMEOUT);
}
END_TEST

START_TEST(a_child_that_waits_for_a_processor_is_waited_for)
{
	size_t n;
	const char *p = file("plain.mp3", &n);
	pid_t pid, waker;

	start("mp3");
	ck_assert_int_eq(children(&pid), 1);
	kill(pid, SIGSTOP);
	if ((waker = fork()) == 0) {
		usleep(1500000);
		kill(pid, SIGCONT);
		_exit(0);
	}
	ck_assert_int_eq(stream_decoder_feed(live, p, n, &heard, MOST, 1000), OK);
	ck_assert_int_eq(waitpid(waker, NULL, 0), waker);
	ck_assert_double_gt(heard_s(), 5.4);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_no_decoder)
{
	live = stream_decoder_start(mem, "/no/such/program", "mp3");
	ck_assert_ptr_nonnull(live);
	ck_assert_int_eq(feed("x", 1), ERR_FAILED);
}
END_TEST

/* Child programs that write nonsense; each copies its input to its output. */
START_TEST(a_child_is_not_believed)
{
	static const struct stream_decoder_answer lies[] = {
		{ LIVE_DONE + 1, 0 },
		{ LIVE_SOUND, 3 },
		{ LIVE_SOUND, LIVE_PIECE + 2 },
		{ LIVE_SOUND, 0xfffffffe },
	};

	live = stream_decoder_start(mem, "/bin/cat", "-");
	ck_assert_ptr_nonnull(live);
	ck_assert_int_eq(stream_decoder_feed(live, &lies[_i], sizeof(lies[_i]), &heard,
			     lies[_i].n == 3 ? 1 : MOST, 500),
	    ERR_FAILED);
	ck_assert_uint_eq(heard.len, 0);
}
END_TEST

static void *
stream_one(void *arg)
{
	struct arena *own = arena_new();
	struct buf to = { .mem = own };
	struct stream_decoder *l;
	size_t n;
	const char *name = files[*(int *)arg].name;
	char path[700];
	char *p;

	snprintf(path, sizeof(path), "%s/media-test/%s", build, name);
	p = read_file(own, path, &n);
	l = stream_decoder_start(own, decoder, files[*(int *)arg].format);
	for (size_t i = 0; l != NULL && i < n; i += 1000)
		if (stream_decoder_feed(
			l, p + i, n - i < 1000 ? n - i : 1000, &to, MOST, 30000) != OK)
			to.len = 0;
	stream_decoder_stop(l);
	n = to.len;
	arena_free(own);
	return n > (size_t)2 * LIVE_HZ ? arg : NULL;
}

START_TEST(twenty_at_once_leave_nothing_behind)
{
	int before = descriptors(), which[20];
	pthread_t threads[20];
	void *fine;
	pid_t pid;

	for (int i = 0; i < 20; i++) {
		which[i] = i % (int)NELEM(files);
		pthread_create(&threads[i], NULL, stream_one, &which[i]);
	}
	for (int i = 0; i < 20; i++) {
		pthread_join(threads[i], &fine);
		ck_assert_msg(fine != NULL, "%s", files[which[i]].name);
	}
	ck_assert_int_eq(children(&pid), 0);
	ck_assert_int_eq(descriptors(), before);
}
END_TEST

int
main(int argc, char **argv)
{
	TCase *t = tcase_create("live");
	Suite *s = suite_create("stream_decoder");
	int n = (int)NELEM(files);

	if (argc < 1 || !prepare(argv[0]))
		return 1;
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup_live, teardown_live);
	tcase_add_loop_test(t, a_stream_sounds_like_the_file_it_is, 0, n);
	tcase_add_loop_test(t, sound_comes_out_as_it_goes_in, 0, n);
	tcase_add_loop_test(t, how_a_stream_is_cut_makes_no_difference, 0, n);
	tcase_add_loop_test(t, a_tag_costs_no_frame, 0, 3);
	tcase_add_loop_test(t, behind_a_file_there_may_be_another, 0, n);
	tcase_add_test(t, pages_of_ogg_may_come_one_by_one);
	tcase_add_loop_test(t, noise_is_refused_and_a_file_behind_it_is_heard, 0, n);
	tcase_add_loop_test(t, bytes_that_are_spoilt_cost_their_surroundings, 0, n);
	tcase_add_loop_test(t, a_gap_costs_little_more_than_itself, 0, n);
	tcase_add_test(t, more_sound_than_is_wanted_is_lost);
	tcase_add_test(t, what_is_declared_is_what_it_must_be);
	tcase_add_test(t, a_child_that_is_killed_fails_and_another_takes_over);
	tcase_add_test(t, a_child_that_does_not_answer_is_not_waited_for);
	tcase_add_test(t, a_child_that_waits_for_a_processor_is_waited_for);
	tcase_add_test(t, a_program_that_is_not_there_is_no_decoder);
	tcase_add_loop_test(t, a_child_is_not_believed, 0, 4);
	tcase_add_test(t, twenty_at_once_leave_nothing_behind);
	suite_add_tcase(s, t);
	return unit_run(s);
}
