/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PocketSphinx in processes that share its model:
 * lib/speech/asr_pocketsphinx_process.c. */
#include <libgen.h>
#include <signal.h>
#include <sys/resource.h>

#include "speech/asr_pocketsphinx_phrase.h"
#include "speech/engine.h"
#include "speech/model_process.h"
#include "tests/unit/asr_prompts.h"
#include "tests/unit/hear_processes.h"

#define CHUNK 5120 /* samples in 320 ms */
#define SPHINX (&asr_pocketsphinx)
#define STREAMS 3

static struct arena *mem;
static struct engine_at at, local; /* with child programs, and without */
static const struct asr_want english = { .lang = "en" };

static void
setup(void)
{
	char self[1024] = "";

	(void)fixture;
	mem = arena_new();
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	local = at = (struct engine_at){ .id = "pocketsphinx",
		.kind = "pocketsphinx",
		.threads = 1,
		.timeout_ms = 10000 };
	at.bin_dir = arena_printf(mem, "%s/../bin", dirname(self));
}

static void
teardown(void)
{
	asr_free_idle();
	model_end_idle();
	arena_free(mem);
}

static struct asr *
opened(const struct engine_at *from)
{
	struct asr *a;

	ck_assert_int_eq(SPHINX->open(from, &english, &a), OK);
	return a;
}

static struct asr_result
heard(struct asr *a, struct sound s)
{
	struct asr_result h;

	for (size_t some; s.n > 0; s.s += some, s.n -= some) {
		some = s.n < CHUNK ? s.n : CHUNK;
		ck_assert_int_eq(SPHINX->feed(a, s.s, some), OK);
	}
	ck_assert_int_eq(SPHINX->finish(a, mem, &h), OK);
	return h;
}

/* Memory of a process in KiB; shared pages count in proportion. */
static long
pss_of(pid_t pid)
{
	FILE *f = fopen(arena_printf(mem, "/proc/%d/smaps_rollup", (int)pid), "r");
	char line[256];
	long kib = 0;

	ck_assert_ptr_nonnull(f);
	while (
	    fgets(line, sizeof(line), f) != NULL && sscanf(line, "Pss: %ld", &kib) != 1)
		;
	fclose(f);
	return kib;
}

START_TEST(a_process_hears_what_a_decoder_of_ours_hears)
{
	struct asr *there = opened(&at), *here = opened(&local);

	for (int i = 0; i < 3; i++) {
		struct sound s = prompt_sound(mem, &prompts[i]);
		struct asr_result a = heard(there, s), b = heard(here, s);
		const struct asr_word *v = a.words.items, *w = b.words.items;

		ck_assert_str_eq(a.text, b.text);
		ck_assert_uint_gt(a.words.n, 2);
		ck_assert_uint_eq(a.words.n, b.words.n);
		for (size_t k = 0; k < a.words.n; k++) {
			ck_assert_str_eq(v[k].text, w[k].text);
			ck_assert_int_eq(v[k].start_us, w[k].start_us);
			ck_assert_int_eq(v[k].end_us, w[k].end_us);
		}
		ck_assert(a.confidence == b.confidence && a.confidence > 0);
		ck_assert(a.misfit == b.misfit && a.misfit > 0);
	}
	SPHINX->close(there);
	SPHINX->close(here);
}
END_TEST

START_TEST(a_text_grows_and_may_be_dropped)
{
	struct sound s = prompt_sound(mem, &prompts[0]);
	struct asr *a = opened(&at);
	struct asr_result h;

	ck_assert_int_eq(SPHINX->partial(a, mem, &h), OK);
	ck_assert_str_eq(h.text, "");
	ck_assert_int_eq(SPHINX->feed(a, s.s, s.n / 2), OK);
	ck_assert_int_eq(SPHINX->partial(a, mem, &h), OK);
	ck_assert_uint_gt(h.words.n, 0);
	SPHINX->drop(a);
	ck_assert_int_eq(SPHINX->partial(a, mem, &h), OK);
	ck_assert_str_eq(h.text, "");
	ck_assert_str_eq(heard(a, s).text, "Your call cannot be completed as dialed.");
	SPHINX->close(a);
}
END_TEST

START_TEST(streams_share_the_model)
{
	struct sound s = prompt_sound(mem, &prompts[LONGEST]);
	pid_t pids[STREAMS + 2];
	struct asr *a[STREAMS];
	long one, all = 0;

	a[0] = opened(&local);
	heard(a[0], s);
	one = pss_of(getpid());
	SPHINX->close(a[0]);
	for (int i = 0; i < STREAMS; i++) {
		a[i] = opened(&at);
		heard(a[i], s);
	}
	/* the one that forks them is another one */
	ck_assert_int_eq(hear_processes(mem, pids, STREAMS + 2), STREAMS + 1);
	for (int i = 0; i <= STREAMS; i++)
		all += pss_of(pids[i]);
	printf("asr memory: %ld KiB for one of ours, %ld KiB for %d that share\n", one,
	    all, STREAMS);
	ck_assert_int_lt(all, 2 * one);
	for (int i = 0; i <= STREAMS; i++)
		ck_assert_int_gt(getpriority(PRIO_PROCESS, (id_t)pids[i]),
		    getpriority(PRIO_PROCESS, 0));
	for (int i = 0; i < STREAMS; i++)
		SPHINX->close(a[i]);
	ck_assert_int_eq(hear_processes(mem, pids, STREAMS + 2), 1);
}
END_TEST

START_TEST(a_process_that_dies_fails_its_stream_alone)
{
	struct sound s = prompt_sound(mem, &prompts[0]);
	struct asr *a, *b;
	struct asr_result h;
	pid_t pids[3];
	int before;

	ck_assert_int_eq(asr_warm(&at, 1), OK);
	before = hear_processes(mem, pids, 3);
	ck_assert_int_eq(before, 1);
	a = opened(&at);
	ck_assert_int_eq(hear_processes(mem, pids + 1, 2), 2);
	kill(pids[1] == pids[0] ? pids[2] : pids[1], SIGKILL);
	ck_assert_int_ne(SPHINX->feed(a, s.s, s.n), OK);
	ck_assert_int_ne(SPHINX->finish(a, mem, &h), OK);
	b = opened(&at);
	ck_assert_str_eq(heard(b, s).text, "Your call cannot be completed as dialed.");
	SPHINX->close(a);
	SPHINX->close(b);
}
END_TEST

START_TEST(a_model_that_is_missing_is_of_no_use)
{
	struct engine_at bare = at;
	struct asr *a;

	bare.model = "/nonexistent";
	ck_assert_int_eq(asr_warm(&bare, 1), ERR_UNSUPPORTED);
	ck_assert_int_eq(SPHINX->open(&bare, &english, &a), ERR_UNSUPPORTED);
}
END_TEST

/* Words from another process are not trusted. */
START_TEST(broken_answers_are_refused)
{
	struct asr_word words[] = { { "good", 0, 10000 }, { "day", 20000, 30000 } };
	const struct asr_result said = { .words = { words, 2 }, .confidence = 0.5 };
	struct decoder_mean mean = { .frames = 7 };
	struct buf b = { .mem = mem };
	struct asr_result r;

	heard_write(&b, &said, &mean);
	mean.frames = 0;
	ck_assert(heard_read(mem, b.p, b.len, &r, &mean));
	ck_assert_uint_eq(r.words.n, 2);
	ck_assert_str_eq(((const struct asr_word *)r.words.items)[1].text, "day");
	ck_assert_int_eq(mean.frames, 7);
	for (size_t n = 0; n < b.len; n++)
		ck_assert(!heard_read(mem, arena_dup(mem, b.p, n), n, &r, &mean));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("asr_process");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_process_hears_what_a_decoder_of_ours_hears);
	tcase_add_test(t, a_text_grows_and_may_be_dropped);
	tcase_add_test(t, streams_share_the_model);
	tcase_add_test(t, a_process_that_dies_fails_its_stream_alone);
	tcase_add_test(t, a_model_that_is_missing_is_of_no_use);
	tcase_add_test(t, broken_answers_are_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
