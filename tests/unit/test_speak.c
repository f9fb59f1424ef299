/*
 * Speech while somebody waits: the engines of lib/speech/tts*.c.
 */
#include <libgen.h>
#include <math.h>
#include <signal.h>

#include "speech/engine.h"
#include "speech/engine_facts.h"
#include "speech/voice_analysis.h"
#include "tests/engine-server.h"
#include "tests/unit/unit.h"

static struct arena *mem;
static struct engine_at at;
static struct engine_server server;

/* What was heard, and how. */
static struct {
	struct buf samples;          /* float */
	int rate_hz, pieces, wanted; /* pieces until it is enough; 0: all */
	int64_t first_us, last_us;
} heard;

static bool
hear(void *arg, const struct pcm *pcm)
{
	ck_assert_ptr_eq(arg, &heard);
	ck_assert_uint_gt(pcm->n, 0);
	ck_assert(heard.pieces == 0 || heard.rate_hz == pcm->rate_hz);
	heard.last_us = monotonic_us();
	if (heard.pieces++ == 0)
		heard.first_us = heard.last_us;
	heard.rate_hz = pcm->rate_hz;
	buf_put(&heard.samples, pcm->s, pcm->n * sizeof(*pcm->s));
	return heard.wanted == 0 || heard.pieces < heard.wanted;
}

static void
setup(void)
{
	char self[1024] = "";

	(void)fixture;
	mem = arena_new();
	memset(&heard, 0, sizeof(heard));
	heard.samples.mem = mem;
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	at = (struct engine_at){
		.id = "it",
		.key = "test-key",
		.bin_dir = arena_printf(mem, "%s/../bin", dirname(self)),
		.timeout_ms = 3000,
		.allow_private = true,
	};
}

/* Threads that nobody waits for are given the time to end. */
static void
teardown(void)
{
	struct stat st;

	for (int i = 0; i < 50; i++)
		if (stat("/proc/self/task", &st) != 0 || st.st_nlink > 3)
			usleep(10000); /* . and .. and us are 3 */
	arena_free(mem);
}

static enum err
say(const char *kind, struct tts_text t)
{
	t.lang = t.lang != NULL ? t.lang : "en";
	t.rate = t.rate > 0 ? t.rate : 1;
	at.kind = kind;
	return engine_find(kind)->tts->synthesize(&at, mem, &t, hear, &heard);
}

#define SAY(kind, ...) say(kind, (struct tts_text){ __VA_ARGS__ })

static void
at_server(const char *path)
{
	at.url = arena_printf(mem, "http://127.0.0.1:%d%s", server.port, path);
}

static struct pcm
sound(void)
{
	return (struct pcm){ .s = (float *)(void *)heard.samples.p,
		.n = heard.samples.len / sizeof(float),
		.rate_hz = heard.rate_hz };
}

static double
seconds(void)
{
	return (double)sound().n / sound().rate_hz;
}

/* Of a sine. */
static double
sine_hz(void)
{
	struct pcm p = sound();
	int rises = 0;

	for (size_t i = 1; i < p.n; i++)
		rises += p.s[i - 1] < 0 && p.s[i] >= 0;
	return rises / seconds();
}

static void
forget(void)
{
	heard.samples.len = 0;
	heard.pieces = 0;
}

/* ---- espeak, flite ---- */

static const char *const kinds[] = { "espeak", "flite" };

#define SENTENCE "The session starts in five minutes. Please take your seats."

static double
median_hz(const char *kind, struct tts_text t)
{
	struct voice_profile p;
	struct pcm pcm;

	forget();
	ck_assert_int_eq(say(kind, t), OK);
	pcm = sound();
	ck_assert_int_eq(voice_analysis_profile(mem, &pcm, &p), OK);
	return p.f0_hz;
}

START_TEST(the_low_voice_is_low_and_the_high_one_high)
{
	const struct tts_text down = { .text = SENTENCE },
			      up = { .text = SENTENCE, .high = true };
	double low = median_hz(kinds[_i], down), high = median_hz(kinds[_i], up);

	ck_assert_double_gt(low, 60);
	ck_assert_double_lt(low, 140);
	ck_assert_double_gt(high, 150);
	ck_assert_double_lt(high, 300);
	ck_assert_double_gt(high / low, 1.5);
}
END_TEST

START_TEST(a_cloned_voice_speaks_with_its_profile)
{
	double hz = median_hz("espeak",
	    (struct tts_text){ .text = SENTENCE,
		.voice = "{\"f0_hz\":150,\"f0_low_hz\":128,\"f0_high_hz\":178}" });

	ck_assert_double_eq_tol(hz, 150, 12);
}
END_TEST

START_TEST(the_rate_is_words_per_minute)
{
	static const double rates[] = { 0.5, 1.25, 1.5, 2 };
	double once, times;

	ck_assert_int_eq(SAY(kinds[_i], .text = SENTENCE), OK);
	once = seconds();
	for (int i = 0; i < COUNT(rates); i++) {
		forget();
		ck_assert_int_eq(
		    SAY(kinds[_i], .text = SENTENCE, .rate = rates[i]), OK);
		times = once / seconds();
		ck_assert_msg(fabs(times / rates[i] - 1) < 0.15, "%.2f: %.2f times",
		    rates[i], times);
	}
}
END_TEST

START_TEST(languages_are_spelt_in_any_way)
{
	static const char *const codes[] = { "es", "es-mx", "ES_mx", "es-ch", "pt-BR" };

	ck_assert(tts_knows(&tts_espeak, &at, codes[_i]));
	ck_assert_int_eq(SAY("espeak", .text = "Hola.", .lang = codes[_i]), OK);
	ck_assert_double_gt(seconds(), 0.1);
}
END_TEST

START_TEST(a_language_that_espeak_lacks_is_not_spoken)
{
	ck_assert(!tts_knows(&tts_espeak, &at, "gl"));
	ck_assert(!tts_knows(&tts_espeak, &at, "auto"));
	ck_assert(!tts_knows(&tts_espeak, &at, "a-code-longer-than-any"));
	ck_assert_int_eq(SAY("espeak", .text = "Ola.", .lang = "gl"), ERR_UNSUPPORTED);
}
END_TEST

static const struct {
	const char *languages, *code;
	bool allowed;
} narrowed[] = {
	{ "en es-mx", "en", true },
	{ "en es-mx", "en-gb", true },
	{ "en es-mx", "es-MX", true },
	{ "en,es_mx", "es", false },
	{ "en es-mx", "es", false },
	{ "en es-mx", "fr", false },
	{ "e", "en", false },
};

START_TEST(the_settings_narrow_what_is_spoken)
{
	at.languages = narrowed[_i].languages;
	ck_assert_int_eq(
	    tts_knows(&tts_espeak, &at, narrowed[_i].code), narrowed[_i].allowed);
	ck_assert_int_eq(
	    tts_knows(&tts_script, &at, narrowed[_i].code), narrowed[_i].allowed);
}
END_TEST

START_TEST(the_first_sound_of_a_sentence_comes_soon)
{
	int64_t best = INT64_MAX, begin, us;

	for (int i = 0; i < 8; i++) {
		forget();
		begin = monotonic_us();
		ck_assert_int_eq(SAY("espeak", .text = SENTENCE), OK);
		us = heard.first_us - begin;
		best = us < best ? us : best;
	}
	ck_assert_double_lt((double)best / S_US, seconds() / 3); /* of its own length */
}
END_TEST

START_TEST(what_espeak_cannot_say_is_refused)
{
	char *much = arena_alloc(mem, 70000);

	memset(much, 'a', 69999);
	ck_assert_int_eq(SAY("espeak", .text = much), ERR_REFUSED);
	ck_assert_int_eq(SAY("espeak", .text = "a", .voice = "m3"), ERR_REFUSED);
	at.bin_dir = "/nowhere";
	ck_assert_int_eq(SAY("espeak", .text = "a"), ERR_FAILED);
	ck_assert_int_eq(heard.pieces, 0);
}
END_TEST

/* ---- script ---- */

START_TEST(the_script_tells_its_voice_by_the_pitch)
{
	const struct tts_text t[] = { { .text = "Grüße" },
		{ .text = "Grüße", .high = true }, { .text = "Grüße", .voice = "x" } };
	static const int hz[] = { 220, 440, 330 };

	ck_assert_int_eq(say("script", t[_i]), OK);
	ck_assert_int_eq(heard.rate_hz, 24000);
	ck_assert_uint_eq(sound().n, 5 * 1440);
	ck_assert_double_eq_tol(sine_hz(), hz[_i], 4);
}
END_TEST

START_TEST(the_script_fails_when_told_to)
{
	ck_assert_int_eq(SAY("script", .text = "now fault-tts please"), ERR_FAILED);
	ck_assert_int_eq(heard.pieces, 0);
}
END_TEST

START_TEST(nobody_speaks_on_when_it_is_enough)
{
	heard.wanted = 2;
	ck_assert_int_eq(SAY("script", .text = SENTENCE), OK);
	ck_assert_int_eq(heard.pieces, 2);
}
END_TEST

/* ---- over HTTP ---- */

START_TEST(an_openai_server_speaks)
{
	double low;

	at_server("");
	ck_assert_int_eq(SAY("openai", .text = "Ten bytes."), OK);
	ck_assert_int_eq(heard.rate_hz, 24000);
	ck_assert_double_eq_tol(seconds(), 0.5, 0.001);
	low = sine_hz();
	forget();
	ck_assert_int_eq(SAY("openai", .text = "Ten bytes.", .high = true), OK);
	ck_assert_double_gt(fabs(sine_hz() - low), 5);
	ck_assert_int_eq(SAY("openai", .text = "a", .voice = "nobody"), ERR_REFUSED);
	ck_assert_int_eq(SAY("openai", .text = "a", .lang = "gl"), OK);
	ck_assert_int_eq(SAY("openai", .text = "a", .lang = "eu"), ERR_UNSUPPORTED);
}
END_TEST

/* The bytes that were taken for sound. */
static const char *
as_text(void)
{
	struct pcm p = sound();
	char *text = arena_alloc(mem, 2 * p.n + 1);

	for (size_t i = 0; i < p.n; i++) {
		int v = (int)lrintf(p.s[i] * 32768);

		text[2 * i] = (char)(v & 0xff);
		text[2 * i + 1] = (char)(v >> 8 & 0xff);
	}
	return text;
}

/* An echo is no sound, but one that consists of whole samples passes for it. */
START_TEST(what_is_asked_of_an_openai_server)
{
	const char *text = "a \"b\"", *body;

	at_server("/echo?");
	engine_keep_fact(&at, "pcm");
	if (SAY("openai", .text = text, .voice = "x", .rate = 1.25) != OK) {
		forget();
		text = "aa \"b\"";
		ck_assert_int_eq(
		    SAY("openai", .text = text, .voice = "x", .rate = 1.25), OK);
	}
	body = strstr(as_text(), "\r\n{");
	ck_assert_ptr_nonnull(body);
	ck_assert_ptr_nonnull(strstr(body, "\"voice"));
	ck_assert_str_eq(strstr(body, "\"voice"),
	    "\"voice\":\"x\",\"response_format\":\"pcm\",\"speed\":1.25}");
	ck_assert_ptr_nonnull(strstr(body, "{\"model\":\"tts-1\",\"input\":\"a"));
	ck_assert_ptr_nonnull(strstr(as_text(), "Authorization: Bearer test-key\r\n"));
}
END_TEST

static int
requests(void)
{
	return engine_server_count(&server, mem, "requests");
}

START_TEST(a_server_that_refuses_wav_is_asked_for_bare_samples_from_then_on)
{
	int before;

	at_server("");
	at.model = "pcm-only";
	before = requests();
	for (int i = 0; i < 3; i++) {
		forget();
		ck_assert_int_eq(SAY("openai", .text = "Ten bytes."), OK);
		ck_assert_int_eq(heard.rate_hz, 24000);
		ck_assert_uint_eq(heard.samples.len / sizeof(float), 12000);
	}
	ck_assert_int_eq(requests() - before, 3 + 1 + 1); /* one to count */
}
END_TEST

START_TEST(a_server_of_the_operators_own_speaks)
{
	double voice;

	at_server("/say");
	ck_assert_int_eq(SAY("http", .text = "Ten bytes."), OK);
	ck_assert_int_eq(heard.rate_hz, 24000);
	ck_assert_double_eq_tol(seconds(), 0.5, 0.001);
	forget();
	ck_assert_int_eq(SAY("http", .text = "Ten bytes.", .voice = "v"), OK);
	voice = sine_hz();
	forget();
	ck_assert_int_eq(
	    SAY("http", .text = "Ten bytes.", .voice = "v", .sample_url = "/voice.wav"),
	    OK);
	ck_assert_double_gt(fabs(sine_hz() - voice), 5);
	at.key = NULL;
	ck_assert_int_eq(SAY("http", .text = "a"), ERR_REFUSED);
}
END_TEST

START_TEST(sound_is_heard_while_it_is_made)
{
	int64_t begin = monotonic_us();

	at_server("");
	ck_assert_int_eq(SAY("openai", .text = SENTENCE, .voice = "slow"), OK);
	ck_assert_double_eq_tol(seconds(), strlen(SENTENCE) / 20.0, 0.001);
	ck_assert_int_gt(
	    heard.last_us - heard.first_us, 400000); /* it takes a second */
	ck_assert_int_gt(heard.last_us - begin, 900000);
	for (size_t i = 0; i < sound().n; i++)
		ck_assert_float_le(fabsf(sound().s[i]), 0.25f);
}
END_TEST

START_TEST(who_has_had_enough_waits_for_nobody)
{
	int64_t begin = monotonic_us();

	at_server("");
	heard.wanted = 1;
	ck_assert_int_eq(SAY("openai", .text = SENTENCE, .voice = "slow"), OK);
	ck_assert_int_lt(monotonic_us() - begin, 900000); /* all of it takes a second */
	ck_assert_int_eq(heard.pieces, 1);
	usleep(1200000); /* the server finds the connection gone; we live */
	ck_assert_int_eq(engine_server_count(&server, mem, "voices"), 0);
}
END_TEST

#define ANY_ERROR OK

static const struct {
	const char *path;
	enum err pcm, wav;
} faults[] = {
	{ "/status-401", ERR_REFUSED, ERR_REFUSED },
	{ "/status-429", ERR_BUSY, ERR_BUSY },
	{ "/status-503", ERR_BUSY, ERR_BUSY },
	{ "/redirect", ERR_REFUSED, ERR_REFUSED },
	{ "/silent", ERR_TIMEOUT, ERR_TIMEOUT },
	{ "/cut", ERR_TIMEOUT, ERR_TIMEOUT },
	{ "/odd", ERR_REFUSED, ERR_REFUSED },
	{ "/empty", ERR_REFUSED, ERR_REFUSED },
	{ "/html", ERR_REFUSED, ERR_REFUSED },
	{ "/json", ERR_REFUSED, ERR_REFUSED },
	{ "/garbage", ERR_REFUSED, ERR_REFUSED },
	{ "/drip", ERR_TIMEOUT, ERR_TIMEOUT },
	{ "/flood", ANY_ERROR, ERR_REFUSED }, /* too much or too long */
	{ "/headers", ERR_REFUSED, ERR_REFUSED },
};

START_TEST(a_server_that_misbehaves_is_told_from_one_that_cannot)
{
	enum err e;

	at.timeout_ms = 1500;
	at_server(faults[_i].path);
	e = SAY("openai", .text = "Hello.");
	ck_assert_int_ne(e, OK);
	if (faults[_i].pcm != ANY_ERROR)
		ck_assert_int_eq(e, faults[_i].pcm);
	at_server(arena_printf(mem, "%s/say", faults[_i].path));
	ck_assert_int_eq(SAY("http", .text = "Hello."), faults[_i].wav);
}
END_TEST

START_TEST(nobody_answering_is_a_timeout)
{
	int64_t begin = monotonic_us();

	at.url = "http://127.0.0.1:1";
	ck_assert_int_eq(SAY("http", .text = "Hello."), ERR_TIMEOUT);
	at.timeout_ms = 60000;
	at_server("/silent/say");
	ck_assert_int_eq(SAY("http", .text = "Hello."), ERR_TIMEOUT);
	ck_assert_int_lt(monotonic_us() - begin, 30 * S_US); /* of sixty */
	ck_assert_int_gt(monotonic_us() - begin, 39 * S_US / 10);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("speak");
	TCase *t = tcase_create("all");
	int end;

	signal(SIGPIPE, SIG_DFL);
	server = engine_server_start();
	tcase_set_timeout(t, 20);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, the_low_voice_is_low_and_the_high_one_high, 0, COUNT(kinds));
	tcase_add_test(t, a_cloned_voice_speaks_with_its_profile);
	tcase_add_loop_test(t, the_rate_is_words_per_minute, 0, COUNT(kinds));
	tcase_add_loop_test(t, languages_are_spelt_in_any_way, 0, 5);
	tcase_add_test(t, a_language_that_espeak_lacks_is_not_spoken);
	tcase_add_loop_test(t, the_settings_narrow_what_is_spoken, 0, COUNT(narrowed));
	tcase_add_test(t, the_first_sound_of_a_sentence_comes_soon);
	tcase_add_test(t, what_espeak_cannot_say_is_refused);
	tcase_add_loop_test(t, the_script_tells_its_voice_by_the_pitch, 0, 3);
	tcase_add_test(t, the_script_fails_when_told_to);
	tcase_add_test(t, nobody_speaks_on_when_it_is_enough);
	tcase_add_test(t, an_openai_server_speaks);
	tcase_add_test(t, what_is_asked_of_an_openai_server);
	tcase_add_test(
	    t, a_server_that_refuses_wav_is_asked_for_bare_samples_from_then_on);
	tcase_add_test(t, a_server_of_the_operators_own_speaks);
	tcase_add_test(t, sound_is_heard_while_it_is_made);
	tcase_add_test(t, who_has_had_enough_waits_for_nobody);
	tcase_add_loop_test(
	    t, a_server_that_misbehaves_is_told_from_one_that_cannot, 0, COUNT(faults));
	tcase_add_test(t, nobody_answering_is_a_timeout);
	suite_add_tcase(s, t);
	end = unit_run(s);
	engine_server_stop(&server);
	return end;
}
