/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine flite: lib/speech/tts_flite.c, synth_flite.c. */
#include <libgen.h>

#include "speech/engine.h"
#include "tests/unit/unit.h"

static struct arena *mem;
static struct engine_at at;
static size_t samples, pieces; /* number of received samples and pieces */

static bool
hear(void *arg, const struct pcm *pcm)
{
	ck_assert_ptr_eq(arg, &samples);
	ck_assert_int_eq(pcm->rate_hz, 16000);
	samples += pcm->n;
	pieces++;
	return true;
}

static void
setup(void)
{
	char self[1024] = "";

	(void)fixture;
	mem = arena_new();
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	at = (struct engine_at){ .id = "it",
		.bin_dir = arena_printf(mem, "%s/../bin", dirname(self)),
		.timeout_ms = 20000 };
}

static void
teardown(void)
{
	arena_free(mem);
}

static enum err
say(struct tts_text t)
{
	t.lang = t.lang != NULL ? t.lang : "en";
	t.rate = 1;
	samples = pieces = 0;
	return tts_flite.synthesize(&at, mem, &t, hear, &samples);
}

#define SAY(...) say((struct tts_text){ __VA_ARGS__ })

static double
seconds(void)
{
	return (double)samples / 16000;
}

START_TEST(flite_speaks_english_alone)
{
	static const char *const codes[] = { "en", "EN_gb", "en-us", "en-au" };

	for (int i = 0; i < COUNT(codes); i++) {
		ck_assert(tts_knows(&tts_flite, &at, codes[i]));
		ck_assert_int_eq(SAY(.text = "Hi.", .lang = codes[i]), OK);
		ck_assert_double_gt(seconds(), 0.1);
	}
	ck_assert(!tts_knows(&tts_flite, &at, "es"));
	ck_assert(!tts_knows(&tts_flite, &at, "auto"));
	ck_assert_int_eq(SAY(.text = "Si.", .lang = "es"), ERR_UNSUPPORTED);
}
END_TEST

static double
flite_seconds(const char *text)
{
	ck_assert_int_eq(SAY(.text = text), OK);
	return seconds();
}

/* Unknown letters are spoken as the letters that they derive from. */
START_TEST(flite_reads_what_is_no_ascii)
{
	ck_assert_double_eq(flite_seconds("Ren\xc3\xa9 doesn\xe2\x80\x99t"),
	    flite_seconds("Rene doesn't"));
	ck_assert_double_gt(flite_seconds("\xe2\x82\xac 5"), flite_seconds("5") + 0.1);
	ck_assert_double_gt(flite_seconds("<b>&amp;</b> \x01 \xff\xc3 yes"), 0.1);
	ck_assert_int_eq(SAY(.text = "\xe4\xbd\xa0"), ERR_REFUSED);
	ck_assert_int_eq(SAY(.text = "?!"), ERR_REFUSED);
	ck_assert_uint_eq(pieces, 0);
}
END_TEST

START_TEST(what_flite_cannot_say_is_refused)
{
	char *much = arena_alloc(mem, 4096);

	memset(much, 'a', 4095);
	ck_assert_int_eq(SAY(.text = much), ERR_REFUSED);
	ck_assert_int_eq(SAY(.text = "a", .voice = "nobody"), ERR_REFUSED);
	ck_assert_int_eq(SAY(.text = "a", .voice = "../rms"), ERR_REFUSED);
	ck_assert_int_eq(SAY(.text = "a", .voice = "{}"), ERR_REFUSED);
	at.bin_dir = "/nowhere";
	ck_assert_int_eq(SAY(.text = "a"), ERR_FAILED);
	ck_assert_uint_eq(pieces, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("flite");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, flite_speaks_english_alone);
	tcase_add_test(t, flite_reads_what_is_no_ascii);
	tcase_add_test(t, what_flite_cannot_say_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
