/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speech for a waiting listener, by remote engines. */
#include "net/http.h"
#include "speech/engine_call.h"
#include "tests/unit/speak_fixture.h"

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

/* The bytes that were accepted as sound. */
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

/* An echoed text is not sound, but passes if it consists of whole samples. */
START_TEST(what_is_asked_of_an_openai_server)
{
	const char *text = "a \"b\"", *body;

	at_server("/echo?");
	engine_store_fact(&at, "pcm");
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
	ck_assert_int_eq(requests() - before, 3 + 1 + 1); /* one request to count */
}
END_TEST

/* MP3 read as samples would be noise. */
START_TEST(a_server_that_knows_mp3_alone_is_heard)
{
	double hz;

	at_server("");
	ck_assert_int_eq(SAY("openai", .text = SENTENCE), OK);
	hz = sine_hz();
	forget();
	at.model = "mp3-only";
	ck_assert_int_eq(SAY("openai", .text = SENTENCE), OK);
	ck_assert_int_eq(heard.rate_hz, 24000);
	ck_assert_double_eq_tol(seconds(), strlen(SENTENCE) / 20.0, 0.1);
	for (size_t i = 0; i < sound().n; i++)
		ck_assert_float_le(fabsf(sound().s[i]), 0.3f);
	heard.samples.p += 4800 * sizeof(float); /* an encoder is noisy at both ends */
	heard.samples.len -= 9600 * sizeof(float);
	ck_assert_double_eq_tol(sine_hz(), hz, 3);
}
END_TEST

static const char *const codings[] = { "aiff-only", "noise-only", "mp3-only" };

/* mp3-only: the program that decodes MP3 is missing. */
START_TEST(a_server_whose_coding_is_not_decoded_is_refused_in_words)
{
	FILE *log = tmpfile();
	char lines[4096];
	size_t n;

	ck_assert_ptr_nonnull(log);
	dup2(fileno(log), STDERR_FILENO);
	at_server("");
	at.model = codings[_i];
	if (_i == 2)
		at.bin_dir = "/no/such/folder";
	ck_assert_int_eq(SAY("openai", .text = SENTENCE), ERR_REFUSED);
	ck_assert_int_eq(heard.pieces, 0);
	rewind(log);
	n = fread(lines, 1, sizeof(lines) - 1, log);
	lines[n] = '\0';
	fclose(log);
	ck_assert_ptr_nonnull(
	    strstr(lines, arena_printf(mem, "the answer is no 16-bit PCM: it is %s",
			      _i == 0 ? "AIFF" : "MP3")));
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

START_TEST(a_caller_that_has_enough_does_not_wait)
{
	int64_t begin = monotonic_us();

	at_server("");
	heard.wanted = 1;
	ck_assert_int_eq(SAY("openai", .text = SENTENCE, .voice = "slow"), OK);
	/* the whole sound takes a second */
	ck_assert_int_lt(monotonic_us() - begin, 900000);
	ck_assert_int_eq(heard.pieces, 1);
	/* the server finds the connection closed; this process must survive */
	usleep(1200000);
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
	{ "/flood", ANY_ERROR, ERR_REFUSED }, /* too large or too long */
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

START_TEST(a_missing_answer_is_a_timeout)
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

START_TEST(sentences_share_a_connection)
{
	static const char *const kinds[] = { "openai", "elevenlabs" };
	int before;

	at_server("");
	http_close();
	before = engine_server_count(&server, mem, "connections");
	http_close();
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(SAY(kinds[i % 2], .text = "Ten bytes."), OK);
		forget();
	}
	ck_assert_int_eq(engine_server_count(&server, mem, "connections"), before + 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("speak_http");
	TCase *t = tcase_create("all");
	int end;

	signal(SIGPIPE, SIG_DFL);
	server = engine_server_start();
	tcase_set_timeout(t, 20);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, an_openai_server_speaks);
	tcase_add_test(t, what_is_asked_of_an_openai_server);
	tcase_add_test(
	    t, a_server_that_refuses_wav_is_asked_for_bare_samples_from_then_on);
	tcase_add_test(t, a_server_that_knows_mp3_alone_is_heard);
	tcase_add_loop_test(t, a_server_whose_coding_is_not_decoded_is_refused_in_words,
	    0, COUNT(codings));
	tcase_add_test(t, a_server_of_the_operators_own_speaks);
	tcase_add_test(t, sound_is_heard_while_it_is_made);
	tcase_add_test(t, a_caller_that_has_enough_does_not_wait);
	tcase_add_loop_test(
	    t, a_server_that_misbehaves_is_told_from_one_that_cannot, 0, COUNT(faults));
	tcase_add_test(t, a_missing_answer_is_a_timeout);
	tcase_add_test(t, sentences_share_a_connection);
	suite_add_tcase(s, t);
	end = unit_run(s);
	engine_server_stop(&server);
	return end;
}
