/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speech to text for clients that send growing files, in every format. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/conf.h"
#include "cases.h"
#include "stream.h"

#define LENGTH_S 7.1
#define PIECE_S 0.32
#define FINALS_MOST 8
#define WAIT_S 30 /* seconds for an immediate answer */

static struct account me;

/* A key for each case, because a key may connect twenty times a minute. */
static void
before(void)
{
	me = account_new("stt formats");
	account_plan(&me, "--parallel_sessions", "0");
}

/* ---- files that grow ---- */

/* Three phrases of a tone over faint noise, so that the file grows evenly with time. */
#define TONES                                                                          \
	"sine=frequency=300:sample_rate=16000:duration=7.1,volume=3*(between(t\\,0.5"  \
	"\\,1.7)+between(t\\,2.9\\,3.7)+between(t\\,4.8\\,5.9)):eval=frame[a];"        \
	"anoisesrc=amplitude=0.001:sample_rate=16000:duration=7.1:seed=1[b];"          \
	"[a][b]amix=inputs=2:normalize=0"

/* clang-format off */
static const struct {
	const char *format, *codec, *muxer, *more;
} forms[] = {
	{ "pcm_s16le", "pcm_s16le",  "s16le", NULL },
	{ "wav",       "pcm_s16le",  "wav",   NULL },
	{ "aac",       "aac",        "adts",  NULL },
	{ "flac",      "flac",       "flac",  NULL },
	{ "mp3",       "libmp3lame", "mp3",   NULL },
	{ "ogg",       "libopus",    "ogg",   NULL },
	{ "ogg",       "libvorbis",  "ogg",   NULL },
	{ "webm",      "libopus",    "webm",  "-live" },
	{ "webm",      "libvorbis",  "webm",  NULL },
};
/* clang-format on */

static struct bytes
tones(int i)
{
	const char *argv[24] = { "ffmpeg", "-nostdin", "-v", "error", "-filter_complex",
		TONES, "-c:a", forms[i].codec, "-page_duration", "200000", "-f",
		forms[i].muxer };
	int n = 12;

	if (strcmp(forms[i].muxer, "ogg") != 0) {
		argv[8] = "-ac";
		argv[9] = "1";
	}
	if (forms[i].more != NULL) {
		argv[n++] = forms[i].more;
		argv[n++] = "1";
	}
	argv[n] = "pipe:1";
	return run(argv);
}

/* ---- a socket ---- */

struct final {
	const char *text;
	double start_s, end_s;
};

struct stt {
	struct ws *ws;
	struct bytes file;
	size_t sent;
	/* share of the file sent before the first text came; 1: none came */
	double partial_at;
	int errors, n;
	struct final finals[FINALS_MOST];
	bool fin; /* the answer to finalize has arrived */
};

static const char *
stt_url(const char *format)
{
	const char *base = strstr(settings()->stream_public_url, "://");

	return text("ws%s/asr/v1/speech-to-text/stream?format=%s&language=en&token=%s",
	    base, format, me.api_key);
}

static struct stt
stt_open(const char *format, struct bytes file)
{
	return (struct stt){
		.ws = stream_call(stt_url(format), NULL), .file = file, .partial_at = 1
	};
}

static void
take(struct stt *s, const struct ws_message *m)
{
	json_t *j = json_loadb(m->p, m->n, 0, NULL);
	const char *type, *said;

	ck_assert_msg(m->kind == WS_TEXT && j != NULL, "kind %d: %s", m->kind, m->p);
	type = text_at(j, "message_type");
	if (strcmp(type, "error") == 0) {
		ck_assert_str_eq(text_at(j, "data.code"), "VALIDATION_ERROR");
		s->errors++;
	}
	if (strcmp(type, "transcription") != 0)
		return;
	said = text_at(j, "segment.text");
	if (!json_is_true(at(j, "is_eos"))) {
		s->partial_at =
		    fmin(s->partial_at, (double)s->sent / (double)s->file.n);
		return;
	}
	s->fin |= strstr(said, "<fin>") != NULL;
	if (strcmp(said, "<fin>") == 0)
		return;
	ck_assert_int_lt(s->n, FINALS_MOST);
	s->finals[s->n++] =
	    (struct final){ said, json_number_value(at(j, "segment.start_time")),
		    json_number_value(at(j, "segment.end_time")) };
}

/* Receives for so many seconds, or until the answer to finalize. */
static void
listen(struct stt *s, double wait_s)
{
	double end = seconds() + wait_s;
	struct ws_message m;

	while (
	    !s->fin &&
	    (m = ws_next(s->ws, memory(), fmax(end - seconds(), 0))).kind != WS_SILENCE)
		take(s, &m);
}

static void
send_bytes(struct stt *s, struct bytes b)
{
	ck_assert(ws_send(s->ws, WS_BINARY, b.p, b.n));
}

/* Sends the part of the file that has been spoken after so many seconds. */
static void
send_until(struct stt *s, double at_s)
{
	size_t to = (size_t)((double)s->file.n * fmin(at_s / LENGTH_S, 1));

	if (to > s->sent)
		send_bytes(s, (struct bytes){ s->file.p + s->sent, to - s->sent });
	s->sent = to;
}

/*
 * Sends finalize, to get the texts of all sent sound. With several sockets, all send it
 * before one is waited for, because a socket without data for ten seconds is closed.
 */
static void
finalize(struct stt *s)
{
	s->fin = false;
	say_text(s->ws, "{\"message_type\":\"finalize\"}");
}

static void
await_fin(struct stt *s)
{
	listen(s, WAIT_S);
	ck_assert(s->fin);
}

static void
send_file(struct stt *s)
{
	s->sent = 0;
	send_until(s, LENGTH_S);
	finalize(s);
}

/* Waits until one of n sockets has received an error. */
static void
await_error(struct stt *const *s, int n)
{
	double end = seconds() + WAIT_S;
	int errors = 0;

	while (errors == 0 && seconds() < end)
		for (int i = 0; i < n; i++) {
			listen(s[i], 0.05);
			errors += s[i]->errors;
		}
	ck_assert_int_eq(errors, 1);
}

/* ---- processes ---- */

/* Counts the decoders of this instance; *one is one of them. */
static int
decoders(int *one)
{
	const char *program = text("%s/dragoman-decode", settings()->bin_dir);
	DIR *d = opendir("/proc");
	int n = 0, pid;

	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		char line[600] = "";
		FILE *f;

		if (sscanf(e->d_name, "%d", &pid) != 1 ||
		    (f = fopen(text("/proc/%d/cmdline", pid), "r")) == NULL)
			continue;
		if (fgets(line, sizeof(line), f) != NULL &&
		    strcmp(line, program) == 0) {
			*one = pid;
			n++;
		}
		fclose(f);
	}
	closedir(d);
	return n;
}

static bool
decoders_are(const void *n)
{
	int pid;

	return decoders(&pid) == *(const int *)n;
}

static void
await_decoders(int n)
{
	int pid;

	if (!becomes(decoders_are, &n, WAIT_S))
		ck_abort_msg("%d decoders, not %d", decoders(&pid), n);
}

/* ---- cases ---- */

START_TEST(every_format_is_heard_while_it_comes_and_says_the_same)
{
	/* made first, so that no socket has to wait for them */
	struct bytes files[ROWS(forms)];
	struct stt s[ROWS(forms)];
	double begun;

	for (int i = 0; i < ROWS(forms); i++)
		files[i] = tones(i);
	for (int i = 0; i < ROWS(forms); i++)
		s[i] = stt_open(forms[i].format, files[i]);
	begun = seconds();
	for (double at_s = PIECE_S; at_s < LENGTH_S + PIECE_S; at_s += PIECE_S) {
		for (int i = 0; i < ROWS(forms); i++)
			send_until(&s[i], at_s);
		for (int i = 0; i < ROWS(forms); i++)
			listen(&s[i], 0.001);
		nap(fmax(begun + at_s - seconds(), 0));
	}
	for (int i = 0; i < ROWS(forms); i++)
		finalize(&s[i]);
	for (int i = 0; i < ROWS(forms); i++) {
		const char *name = text("%s of %s", forms[i].format, forms[i].codec);

		await_fin(&s[i]);
		ck_assert_msg(s[i].partial_at < 1, "%s: no partial in time", name);
		ck_assert_msg(
		    s[i].n == 3 && s[i].errors == 0, "%s: %d finals", name, s[i].n);
		for (int k = 0; k < 3; k++) {
			const struct final *was = &s[0].finals[k];
			const struct final *is = &s[i].finals[k];

			ck_assert_str_eq(is->text, was->text);
			ck_assert_msg(fabs(is->start_s - was->start_s) < 0.15 &&
					  fabs(is->end_s - was->end_s) < 0.15,
			    "%s: %g to %g, not %g to %g", name, is->start_s, is->end_s,
			    was->start_s, was->end_s);
		}
		ws_drop(s[i].ws);
	}
	await_decoders(0);
}
END_TEST

static const int coded[] = { 2, 3, 4, 5, 7 };

START_TEST(noise_is_told_of_and_the_socket_goes_on)
{
	struct bytes noise = wav_of(300000), file = tones(coded[_i]);
	struct stt s = stt_open(forms[coded[_i]].format, file);

	send_bytes(&s, (struct bytes){ noise.p + 100, noise.n - 100 });
	await_error((struct stt *[]){ &s }, 1);
	send_file(&s);
	await_fin(&s);
	ck_assert_int_eq(s.n, 3);
}
END_TEST

/* Sends two thirds of the file: two phrases and a part of the third. */
START_TEST(a_file_that_breaks_off_is_heard_as_far_as_it_goes)
{
	struct bytes file = tones(coded[_i]);
	struct stt s = stt_open(forms[coded[_i]].format, file);

	send_until(&s, LENGTH_S * 0.76);
	finalize(&s);
	await_fin(&s);
	ck_assert_int_eq(s.n, 3);
	ck_assert_double_lt(s.finals[2].end_s, 5.75);
	ck_assert_int_eq(s.errors, 0);
}
END_TEST

START_TEST(a_decoder_that_is_killed_is_replaced)
{
	struct bytes mp3 = tones(4), aac = tones(2);
	struct stt s = stt_open("mp3", mp3), other = stt_open("aac", aac);
	int first;

	send_until(&s, 2.5);
	listen(&s, 1);
	await_decoders(2);
	decoders(&first);
	kill(first, SIGKILL);
	nap(0.1);
	/* a zombie until the gateway waits for it */
	ck_assert_int_eq(kill(first, 0), 0);
	send_until(&s, 2.8);
	send_until(&other, 1);
	await_error((struct stt *[]){ &s, &other }, 2);
	await_decoders(1);
	for (int i = 0; i < 5; i++) { /* seconds, after which a new decoder runs */
		nap(1);
		send_bytes(&s, (struct bytes){ "", 0 });
		send_bytes(&other, (struct bytes){ "", 0 });
	}
	send_file(&s);
	send_file(&other);
	await_fin(&s);
	await_fin(&other);
	ck_assert_int_ge(s.n, 3);
	ck_assert_int_ge(other.n, 3);
	ws_drop(s.ws);
	ws_drop(other.ws);
	await_decoders(0);
}
END_TEST

START_TEST(twenty_sockets_at_once_leave_nothing_behind)
{
	struct bytes files[ROWS(coded)];
	struct stt s[20];

	for (int i = 0; i < ROWS(coded); i++)
		files[i] = tones(coded[i]);
	for (int i = 0; i < 20; i++) {
		int k = i % ROWS(coded);

		s[i] = stt_open(forms[coded[k]].format, files[k]);
		send_file(&s[i]);
	}
	await_decoders(20);
	for (int i = 0; i < 20; i++) {
		await_fin(&s[i]);
		ck_assert_msg(s[i].n == 3, "socket %d: %d finals, %d errors", i, s[i].n,
		    s[i].errors);
		ws_drop(s[i].ws);
	}
	await_decoders(0);
}
END_TEST

START_TEST(a_manual_socket_is_final_when_it_is_asked)
{
	struct bytes file = tones(0);
	struct stt s = { .ws = stream_call(
			     text("%s&finalization_mode=manual", stt_url("pcm_s16le")),
			     NULL),
		.file = file,
		.partial_at = 1 };
	double begun = seconds();
	struct answer a;

	for (double at_s = PIECE_S; at_s < LENGTH_S + PIECE_S; at_s += PIECE_S) {
		send_until(&s, at_s);
		listen(&s, 0.001);
		nap(fmax(begun + at_s - seconds(), 0));
	}
	listen(&s, 2);
	ck_assert_int_eq(s.n, 0);
	ck_assert_double_lt(s.partial_at, 0.5);
	finalize(&s);
	await_fin(&s);
	ck_assert_int_eq(s.n, 1);
	ck_assert_str_eq(s.finals[0].text, "hello world hello world hello world<fin>");
	ck_assert_double_lt(s.finals[0].start_s, 1);
	ck_assert_double_gt(s.finals[0].end_s, 5);
	a = stream_refused(
	    text("%s&finalization_mode=never", stt_url("pcm_s16le")), NULL, NULL);
	expect_problem(&a, 422, "validation-error");
}
END_TEST

Suite *
stt_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stt", NULL, &t);

	tcase_add_checked_fixture(t, before, NULL);
	tcase_add_test(t, every_format_is_heard_while_it_comes_and_says_the_same);
	tcase_add_loop_test(t, noise_is_told_of_and_the_socket_goes_on, 0, ROWS(coded));
	tcase_add_loop_test(
	    t, a_file_that_breaks_off_is_heard_as_far_as_it_goes, 0, ROWS(coded));
	tcase_add_test(t, a_manual_socket_is_final_when_it_is_asked);
	tcase_add_test(t, a_decoder_that_is_killed_is_replaced);
	tcase_add_test(t, twenty_sockets_at_once_leave_nothing_behind);
	return s;
}
