/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PocketSphinx recognizes recordings of people: lib/speech/asr_pocketsphinx*.c. */
#include <pthread.h>
#include <time.h>

#include "speech/engine.h"
#include "tests/unit/asr_prompts.h"

#define CHUNK 5120 /* samples in 320 ms */
#define SPHINX (&asr_pocketsphinx)
#define THROUGH 8 /* number of prompts per test; docs/speech.md measures more */
#define PHRASES 2 /* phrases of a stream */
#define MODEL "/usr/share/pocketsphinx/model/en-us/"

static struct arena *mem;
static const struct engine_at at = { .id = "pocketsphinx", .kind = "pocketsphinx" };
static const struct asr_want english = { .lang = "en" };

static void
setup(void)
{
	(void)fixture;
	mem = arena_new();
}

static void
teardown(void)
{
	asr_free_idle();
	arena_free(mem);
}

static struct asr *
opened(void)
{
	struct asr *a;

	ck_assert_int_eq(SPHINX->open(&at, &english, &a), OK);
	return a;
}

static void
feed(struct asr *a, struct sound s, size_t chunk)
{
	for (size_t some; s.n > 0; s.s += some, s.n -= some) {
		some = s.n < chunk ? s.n : chunk;
		ck_assert_int_eq(SPHINX->feed(a, s.s, some), OK);
	}
}

static const char *
text_of(struct asr *a, struct arena *to, struct sound s, size_t chunk)
{
	struct asr_result h;

	feed(a, s, chunk);
	ck_assert_int_eq(SPHINX->finish(a, to, &h), OK);
	return h.text;
}

static double
cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double
resident_mb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all, resident;

	ck_assert_int_eq(fscanf(f, "%ld %ld", &all, &resident), 2);
	fclose(f);
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
print_times(const char *what, double *ms, int n)
{
	qsort(ms, (size_t)n, sizeof(*ms), compare);
	printf("asr %s: p50 %.0f ms, p95 %.0f ms, worst %.0f ms\n", what, ms[n / 2],
	    ms[n * 95 / 100], ms[n - 1]);
}

/* Checks that a final text is a sentence, and that its words lie within the phrase. */
static void
check_shape(const struct asr_result *h, size_t samples)
{
	const struct asr_word *w = h->words.items;
	struct buf b = { .mem = mem };
	int64_t last = 0;

	for (size_t i = 0; i < h->words.n; i++) {
		ck_assert_int_ge(w[i].start_us, last);
		ck_assert_int_gt(w[i].end_us, w[i].start_us);
		last = w[i].end_us;
		ck_assert_uint_eq(strcspn(w[i].text, "<[(+ "), strlen(w[i].text));
		buf_printf(&b, "%s%s", i > 0 ? " " : "", w[i].text);
	}
	ck_assert_int_le(last, (int64_t)samples * 1000000 / ASR_RATE_HZ + 20000);
	ck_assert_uint_gt(h->words.n, 0);
	buf_str(&b, ".");
	b.p[0] = (char)toupper((unsigned char)b.p[0]);
	ck_assert_str_eq(h->text, buf_text(&b));
	ck_assert_str_eq(h->lang, "en");
}

START_TEST(people_are_understood)
{
	static double fed[2000], ended[COUNT(prompts)];
	int errors = 0, words = 0, nfed = 0, n = 0;
	double total_ms = 0, sound_s = 0, start_ms, before_mb;
	struct asr *a;
	struct sound s;
	struct asr_result h;

	asr_free_idle();
	before_mb = resident_mb();
	a = opened();
	printf("asr memory: %.0f MB a decoder\n", resident_mb() - before_mb);
	for (int i = 0; i < COUNT(prompts); i += THROUGH, n++) {
		s = prompt_sound(mem, &prompts[i]);
		sound_s += (double)s.n / ASR_RATE_HZ;
		for (size_t k = 0; k < s.n; k += CHUNK, total_ms += fed[nfed++]) {
			start_ms = cpu_ms();
			feed(a,
			    (struct sound){
				s.s + k, s.n - k < CHUNK ? s.n - k : CHUNK },
			    CHUNK);
			fed[nfed] = cpu_ms() - start_ms;
		}
		start_ms = cpu_ms();
		ck_assert_int_eq(SPHINX->finish(a, mem, &h), OK);
		ended[n] = cpu_ms() - start_ms;
		total_ms += ended[n];
		check_shape(&h, s.n);
		errors += word_errors(
		    arena_str(mem, prompts[i].text), arena_str(mem, h.text), &words);
	}
	printf("asr words: %d of %d wrong, %.1f %%; CPU / sound %.3f\n", errors, words,
	    100.0 * errors / words, total_ms / 1e3 / sound_s);
	print_times("feed of 320 ms", fed, nfed);
	print_times("finish", ended, n);
	printf("asr memory: %.0f MB after %.0f s of sound\n", resident_mb() - before_mb,
	    sound_s);
	ck_assert_int_lt(errors * 100, words * 45);
	SPHINX->close(a);
}
END_TEST

START_TEST(the_text_grows_while_somebody_speaks)
{
	struct sound s = prompt_sound(mem, &prompts[LONGEST]);
	const char *words[WORDS_MAX];
	struct asr *a = opened();
	int n[4] = { 0 };
	struct asr_result h;

	for (size_t i = 0; i < 3; i++) {
		feed(a, (struct sound){ s.s + s.n / 3 * i, s.n / 3 }, CHUNK);
		ck_assert_int_eq(SPHINX->partial(a, mem, &h), OK);
		n[i] = words_of(arena_str(mem, h.text), words, WORDS_MAX);
		ck_assert_int_eq(n[i], (int)h.words.n);
		ck_assert_int_gt(n[i], i > 0 ? n[i - 1] + 2 : 2);
		ck_assert_ptr_null(strchr(h.text, '.'));
	}
	ck_assert_int_eq(SPHINX->finish(a, mem, &h), OK);
	ck_assert_int_ge(words_of(arena_str(mem, h.text), words, WORDS_MAX), n[2] - 2);
	SPHINX->close(a);
}
END_TEST

/* The phrases that one stream recognizes. */
struct stream {
	struct arena *mem;
	struct sound s[PHRASES];
	const char *text[PHRASES];
};

static void *
hear_stream(void *arg)
{
	struct stream *st = arg;
	struct asr *a = opened();

	for (int i = 0; i < PHRASES; i++)
		st->text[i] = text_of(a, st->mem, st->s[i], CHUNK);
	SPHINX->close(a);
	return NULL;
}

static struct stream
stream_of(int first)
{
	struct stream st = { .mem = arena_new() };

	for (int i = 0; i < PHRASES; i++)
		st.s[i] = prompt_sound(mem, &prompts[first + i]);
	return st;
}

static void
check_same(const struct stream *a, const struct stream *b)
{
	for (int i = 0; i < PHRASES; i++)
		ck_assert_str_eq(a->text[i], b->text[i]);
}

START_TEST(two_at_once_hear_what_each_hears_alone)
{
	struct stream alone[2] = { stream_of(0), stream_of(4) };
	struct stream both[2] = { alone[0], alone[1] };
	pthread_t thread[2];

	for (int i = 0; i < 2; i++) {
		hear_stream(&alone[i]);
		both[i].mem = arena_new();
	}
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(
		    pthread_create(&thread[i], NULL, hear_stream, &both[i]), 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		check_same(&alone[i], &both[i]);
		arena_free(alone[i].mem);
		arena_free(both[i].mem);
	}
}
END_TEST

START_TEST(a_decoder_forgets_one_stream_before_the_next)
{
	struct stream first = stream_of(23), again = first;

	again.mem = arena_new();
	hear_stream(&first);
	for (int i = 0; i < 2; i++)
		hear_stream(&again);
	check_same(&first, &again);
	arena_free(first.mem);
	arena_free(again.mem);
}
END_TEST

/* Returns another path to the model, which can be removed; loaded decoders stay. */
static const char *
model_folder(void)
{
	static const char *const parts[] = { "en-us", "en-us.lm.bin",
		"cmudict-en-us.dict" };
	const char *dir = unit_folder(mem);

	for (int i = 0; i < COUNT(parts); i++)
		ck_assert_int_eq(symlink(arena_printf(mem, MODEL "%s", parts[i]),
				     arena_printf(mem, "%s/%s", dir, parts[i])),
		    0);
	return dir;
}

/* Checks that n recognizers can be opened, and no more. */
static void
check_open(const struct engine_at *from, int n)
{
	struct asr *a[4];

	for (int i = 0; i < n; i++)
		ck_assert_int_eq(SPHINX->open(from, &english, &a[i]), OK);
	ck_assert_int_eq(SPHINX->open(from, &english, &a[n]), ERR_UNSUPPORTED);
	for (int i = 0; i < n; i++)
		SPHINX->close(a[i]);
}

START_TEST(as_many_decoders_are_kept_as_are_asked_for)
{
	struct engine_at linked = at;
	struct asr *a[3];

	asr_free_idle();
	linked.model = model_folder();
	ck_assert_int_eq(asr_warm(&linked, 2), OK);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(SPHINX->open(&linked, &english, &a[i]), OK);
	unit_folder_drop(linked.model);
	check_open(&linked, 0);
	for (int i = 0; i < 3; i++)
		SPHINX->close(a[i]);
	check_open(&linked, 2);
	ck_assert_int_eq(asr_warm(&linked, 2), OK);
	check_open(&linked, 2);
	asr_free_idle();
	check_open(&linked, 0);
}
END_TEST

START_TEST(more_recognisers_than_allowed_are_refused)
{
	struct asr_want instead = english;
	struct asr *a = opened(), *b, *c;

	asr_limit(2);
	b = opened();
	ck_assert_int_eq(SPHINX->open(&at, &english, &c), ERR_LIMIT);
	instead.instead = true;
	ck_assert_int_eq(SPHINX->open(&at, &instead, &c), OK);
	SPHINX->close(a);
	ck_assert_int_eq(SPHINX->open(&at, &english, &a), ERR_LIMIT);
	SPHINX->close(b);
	b = opened();
	/* a recognizer that failed to open occupies no place */
	SPHINX->close(c);
	ck_assert_int_eq(
	    SPHINX->open(&(struct engine_at){ .model = "/nonexistent" }, &english, &c),
	    ERR_UNSUPPORTED);
	a = opened();
	ck_assert_int_eq(SPHINX->open(&at, &english, &c), ERR_LIMIT);
	SPHINX->close(a);
	SPHINX->close(b);
	asr_limit(0);
}
END_TEST

START_TEST(sound_comes_in_any_pieces)
{
	struct sound s = prompt_sound(mem, &prompts[7]);
	struct asr *a = opened(), *b = opened();

	ck_assert_str_eq(text_of(a, mem, s, CHUNK), text_of(b, mem, s, 777));
	SPHINX->close(a);
	SPHINX->close(b);
}
END_TEST

START_TEST(silence_and_nothing_have_no_words)
{
	struct sound silence = { arena_alloc(mem, 64000), 32000 };
	struct asr *a = opened();
	struct asr_result h;

	ck_assert_int_eq(SPHINX->partial(a, mem, &h), OK);
	ck_assert_str_eq(h.text, "");
	ck_assert_str_eq(text_of(a, mem, (struct sound){ NULL, 0 }, CHUNK), "");
	ck_assert_str_eq(text_of(a, mem, silence, CHUNK), "");
	SPHINX->drop(a);
	SPHINX->close(a);
	SPHINX->close(NULL);
}
END_TEST

START_TEST(a_phrase_that_is_dropped_leaves_no_words)
{
	struct sound s = prompt_sound(mem, &prompts[0]);
	struct sound silence = { arena_alloc(mem, 64000), 32000 };
	struct asr *a = opened();
	struct asr_result h;

	feed(a, s, CHUNK);
	SPHINX->drop(a);
	ck_assert_int_eq(SPHINX->partial(a, mem, &h), OK);
	ck_assert_str_eq(h.text, "");
	ck_assert_str_eq(text_of(a, mem, silence, CHUNK), "");
	feed(a, s, CHUNK);
	SPHINX->close(a); /* in the middle of a phrase */
	a = opened();
	ck_assert_str_eq(text_of(a, mem, s, CHUNK), "Your call cannot be completed as "
						    "dialed.");
	SPHINX->close(a);
}
END_TEST

START_TEST(the_library_is_silent)
{
	struct sound s = prompt_sound(mem, &prompts[0]);
	FILE *log = tmpfile();
	int was = dup(STDERR_FILENO);
	struct asr *a;

	asr_free_idle();
	dup2(fileno(log), STDERR_FILENO);
	a = opened();
	text_of(a, mem, s, CHUNK);
	SPHINX->close(a);
	dup2(was, STDERR_FILENO);
	ck_assert_int_eq(lseek(fileno(log), 0, SEEK_END), 0);
	fclose(log);
	close(was);
}
END_TEST

START_TEST(without_its_model_it_is_of_no_use)
{
	struct engine_at bare = at;
	struct asr *a;

	asr_free_idle();
	bare.model = "/nonexistent";
	ck_assert_int_eq(SPHINX->open(&bare, &english, &a), ERR_UNSUPPORTED);
	ck_assert_int_eq(asr_warm(&bare, 1), ERR_UNSUPPORTED);
	bare.model = unit_folder(mem);
	ck_assert_int_eq(SPHINX->open(&bare, &english, &a), ERR_UNSUPPORTED);
	unit_folder_drop(bare.model);
}
END_TEST

static const struct {
	const char *lang, *allowed;
	bool known;
} codes[] = {
	/* clang-format off */
	{ "en",    NULL,       true },
	{ "en-us", NULL,       true },
	{ "EN_US", NULL,       true },
	{ "en-gb", NULL,       true },
	{ "auto",  NULL,       true },
	{ "es",    NULL,       false },
	{ "e",     NULL,       false },
	{ "eng",   NULL,       false },
	{ "",      NULL,       false },
	{ "en",    "fr, en",   true },
	{ "en-gb", "EN",       true },
	{ "en",    "en-us",    false },
	{ "en_us", "fr en-US", true },
	{ "en",    "fr",       false },
	/* clang-format on */
};

START_TEST(which_languages_it_knows)
{
	struct engine_at one = at;
	struct asr_want want = { .lang = codes[_i].lang };
	struct asr *a;

	one.languages = codes[_i].allowed;
	ck_assert_int_eq(SPHINX->knows(&one, want.lang), codes[_i].known);
	if (!codes[_i].known)
		ck_assert_int_eq(SPHINX->open(&one, &want, &a), ERR_UNSUPPORTED);
}
END_TEST

START_TEST(auto_takes_the_first_candidate_that_it_knows)
{
	const char *some[] = { "auto", "es", "en-GB", "en" };
	struct asr_want want = { .lang = "auto", .candidates = { some, 4 } };
	struct asr_result h;
	struct asr *a;

	for (int i = 0; i < 2; i++, want.candidates.n = 0) {
		ck_assert_int_eq(SPHINX->open(&at, &want, &a), OK);
		ck_assert_int_eq(SPHINX->finish(a, mem, &h), OK);
		ck_assert_str_eq(h.lang, i == 0 ? "en-GB" : "en");
		SPHINX->close(a);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("asr");
	TCase *t = tcase_create("pocketsphinx");

	/* Each case is a fork that has these two loaded. */
	if (asr_warm(&at, 2) != OK)
		return EXIT_FAILURE;
	tcase_set_timeout(t, 300);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, people_are_understood);
	tcase_add_test(t, the_text_grows_while_somebody_speaks);
	tcase_add_test(t, two_at_once_hear_what_each_hears_alone);
	tcase_add_test(t, a_decoder_forgets_one_stream_before_the_next);
	tcase_add_test(t, as_many_decoders_are_kept_as_are_asked_for);
	tcase_add_test(t, more_recognisers_than_allowed_are_refused);
	tcase_add_test(t, sound_comes_in_any_pieces);
	tcase_add_test(t, silence_and_nothing_have_no_words);
	tcase_add_test(t, a_phrase_that_is_dropped_leaves_no_words);
	tcase_add_test(t, the_library_is_silent);
	tcase_add_test(t, without_its_model_it_is_of_no_use);
	tcase_add_loop_test(t, which_languages_it_knows, 0, COUNT(codes));
	tcase_add_test(t, auto_takes_the_first_candidate_that_it_knows);
	suite_add_tcase(s, t);
	return unit_run(s);
}
