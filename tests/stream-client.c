/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A streaming client for the shell. It sends a recording in real time, prints texts as
 * they arrive, and writes the speech in the first target language to a WAV file.
 *
 *	stream-client URL FILE.wav SOURCE TARGET[,TARGET...] OUT.wav
 *	stream-client URL OUT.wav
 *
 * URL is a session's or channel's with ?token=.  FILE is 16-bit PCM, mono.  Without
 * FILE it only listens, in the language of its token, until eos.  A break of a channel
 * does not end the program, because translations of earlier speech may still arrive.
 *
 * The last line, here in two, has the delay of words until their translation, in s:
 *
 *	words N unheard N delay N.N p95 N.N played N.N queue N.N left-out N
 *	phrase N.N p95 N.N
 *
 * delay and p95 are the median and the 95th percentile of the time from the end of a
 * spoken word to the first sound of its phrase's translation at the client.  played is
 * the 95th percentile until that sound is played, after the sound that arrived earlier.
 * unheard counts words without translated sound, queue is the longest delay that the
 * gateway reported, left-out counts its warnings about speech that was left out.
 * phrase and its p95 are the delay of phrases, from the sending of the chunk that has
 * the end of the last word.
 */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audio/wav.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "ws.h"

#define CHUNK_MS 320
#define OUT_HZ 24000
#define EOS_S 3
#define READY_S 30
#define LISTEN_S (8 * 3600)
#define PHRASES 16 /* phrases whose sound has not arrived yet */
#define WORDS 4096

/* A phrase that was recognized and whose translated sound has not arrived yet. */
struct waiting {
	char id[17];
	int first, n; /* first of its words, and their number */
};

struct delays {
	struct waiting phrases[PHRASES];
	int n_phrases;        /* number of all phrases */
	double ends_s[WORDS]; /* end of each word since the stream began */
	double here_s[WORDS], played_s[WORDS], phrase_s[WORDS];
	int n_words, n_heard, n_phrases_heard;
	int64_t played_us; /* time when all received sound is played */
	double queue_s;
	int left_out;
};

struct talk {
	struct arena *mem;
	struct ws *ws;
	const char *source, *targets;
	/* the target language that is written to the file; NULL: all */
	const char *first;
	struct buf wav, out;
	size_t head; /* offset of the samples */
	unsigned hz;
	int64_t begun_us;
	int translations;
	struct delays delays;
};

static _Noreturn void
die(const char *what, const char *more)
{
	fprintf(stderr, "stream-client: %s%s\n", what, more);
	exit(EXIT_FAILURE);
}

/* ---- files ---- */

static void
read_file(struct buf *b, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 0;

	while (n >= 0 && (n = read(fd, buf_room(b, 65536), 65536)) > 0)
		b->len += (size_t)n;
	if (n < 0)
		die("cannot read ", name);
	close(fd);
}

static unsigned
get_le(const char *p, int bytes)
{
	unsigned v = 0;

	while (bytes-- > 0)
		v = v << 8 | (unsigned char)p[bytes];
	return v;
}

/* Reads a WAV file, mono, 16 bits, as `ffmpeg` and `sox` write it. */
static void
read_wav(struct talk *t, const char *name)
{
	const char *p, *data;

	read_file(&t->wav, name);
	p = t->wav.p;
	data = t->wav.len > 44 ? memmem(p + 36, t->wav.len - 36, "data", 4) : NULL;
	if (data == NULL || memcmp(p, "RIFF", 4) != 0 || get_le(p + 20, 2) != 1 ||
	    get_le(p + 22, 2) != 1 || get_le(p + 34, 2) != 16)
		die("no mono WAV of 16 bits: ", name);
	t->hz = get_le(p + 24, 4);
	t->head = (size_t)(data + 8 - p);
}

static void
write_wav(const struct talk *t, const char *name)
{
	char head[WAV_HEADER];
	FILE *f = fopen(name, "wb");

	wav_header_write(head, OUT_HZ, t->out.len);
	if (f == NULL || fwrite(head, 1, sizeof(head), f) != sizeof(head) ||
	    fwrite(t->out.p, 1, t->out.len, f) != t->out.len || fclose(f) != 0)
		die("cannot write ", name);
}

/* ---- out ---- */

static void
say(struct talk *t, const char *type, const char *data)
{
	const char *s =
	    arena_printf(t->mem, "{\"message_type\":\"%s\",\"data\":%s}", type, data);

	if (!ws_send(t->ws, WS_TEXT, s, strlen(s)))
		die("the connection is broken", "");
}

static void
set_task(struct talk *t)
{
	struct buf b = { .mem = t->mem };
	const char *code = t->targets;

	buf_printf(&b,
	    "{\"input_stream\":{\"content_type\":\"audio\",\"source\":{\"type\":\"ws\","
	    "\"format\":\"pcm_s16le\",\"sample_rate\":%u,\"channels\":1}},"
	    "\"output_stream\":{\"content_type\":\"audio\",\"target\":{\"type\":\"ws\","
	    "\"format\":\"pcm_s16le\"}},\"pipeline\":{\"transcription\":"
	    "{\"source_language\":\"%s\"},\"translations\":[",
	    t->hz, t->source);
	while (*code != '\0') {
		size_t n = strcspn(code, ",");

		buf_printf(&b, "%s{\"target_language\":\"%.*s\"}",
		    code == t->targets ? "" : ",", (int)n, code);
		code += n + (code[n] == ',');
	}
	buf_str(&b, "],\"allowed_message_types\":[\"partial_transcription\","
		    "\"validated_transcription\",\"translated_transcription\","
		    "\"tts_buffer_stats\"]}}");
	say(t, "set_task", buf_text(&b));
}

/* Handles all events due at this time; returns the offset after them. */
static size_t
send_chunk(struct talk *t, size_t at)
{
	size_t n = (size_t)t->hz * 2 * CHUNK_MS / 1000, left = t->wav.len - at;
	const char *data;

	n = n < left ? n : left;
	data = base64(t->mem, t->wav.p + at, n);
	say(t, "input_audio_data", arena_printf(t->mem, "{\"data\":\"%s\"}", data));
	return at + n;
}

/* ---- in ---- */

static const char *
text_of(const json_t *j, const char *name)
{
	const char *s = json_string_value(json_object_get(j, name));

	return s != NULL ? s : "";
}

/* ---- delays ---- */

static void
wait_for_sound(struct delays *d, const json_t *it)
{
	const json_t *segment = json_array_get(json_object_get(it, "segments"), 0), *w;
	struct waiting *phrase = &d->phrases[d->n_phrases++ % PHRASES];
	size_t i;

	*phrase = (struct waiting){ .first = d->n_words };
	strncpy(phrase->id, text_of(it, "transcription_id"), sizeof(phrase->id) - 1);
	json_array_foreach(json_object_get(segment, "words"), i, w)
	{
		if (d->n_words < WORDS)
			d->ends_s[d->n_words++] =
			    json_number_value(json_object_get(w, "end"));
	}
	/* If an engine reports no times of words, the phrase counts as one word. */
	if (i == 0 && segment != NULL && d->n_words < WORDS)
		d->ends_s[d->n_words++] =
		    json_number_value(json_object_get(segment, "end"));
	phrase->n = d->n_words - phrase->first;
}

/* Returns the time when the chunk with this moment of the recording is sent. */
static double
chunk_end_s(double at_s)
{
	return ceil(at_s * 1000 / CHUNK_MS) * CHUNK_MS / 1000;
}

/* Received speech is played after the speech received before it. */
static void
play(struct talk *t, const char *id, size_t bytes)
{
	struct delays *d = &t->delays;
	int64_t now = monotonic_us(), at = now > d->played_us ? now : d->played_us;
	/* The gateway sends a chunk at its end, so speech began one chunk earlier. */
	int64_t begun_us = t->begun_us - CHUNK_MS * INT64_C(1000);

	d->played_us = at + (int64_t)bytes * S_US / (OUT_HZ * 2);
	for (int i = 0; i < PHRASES; i++) {
		struct waiting *phrase = &d->phrases[i];

		if (phrase->n == 0 || strcmp(phrase->id, id) != 0)
			continue;
		for (; phrase->n > 0; phrase->n--) {
			double end_s = d->ends_s[phrase->first++];

			d->here_s[d->n_heard] = (double)(now - begun_us) / S_US - end_s;
			d->played_s[d->n_heard++] =
			    (double)(at - begun_us) / S_US - end_s;
		}
		d->phrase_s[d->n_phrases_heard++] =
		    (double)(now - begun_us) / S_US -
		    chunk_end_s(d->ends_s[phrase->first - 1]);
	}
}

static void
take_stats(struct talk *t, const json_t *data)
{
	const json_t *of = json_object_get(json_object_get(data, "stats"), t->first);
	double ms = json_number_value(json_object_get(of, "current_queue_level_ms"));

	t->delays.queue_s =
	    ms / 1000 > t->delays.queue_s ? ms / 1000 : t->delays.queue_s;
}

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Returns the percentile for this share of the sorted numbers. */
static double
share(const double *of, int n, double part)
{
	return n > 0 ? of[(int)(part * (n - 1))] : 0;
}

static void
tell_delays(struct delays *d)
{
	int n = d->n_heard, phrases = d->n_phrases_heard;

	qsort(d->phrase_s, (size_t)phrases, sizeof(double), by_size);
	qsort(d->here_s, (size_t)n, sizeof(double), by_size);
	qsort(d->played_s, (size_t)n, sizeof(double), by_size);
	printf("words %d unheard %d delay %.2f p95 %.2f played %.2f queue %.1f "
	       "left-out %d phrase %.2f p95 %.2f\n",
	    d->n_words, d->n_words - n, share(d->here_s, n, 0.5),
	    share(d->here_s, n, 0.95), share(d->played_s, n, 0.95), d->queue_s,
	    d->left_out, share(d->phrase_s, phrases, 0.5),
	    share(d->phrase_s, phrases, 0.95));
}

/* ---- messages ---- */

static void
print(const struct talk *t, const char *mark, const char *language, const char *text)
{
	double s = (double)(monotonic_us() - t->begun_us) / S_US;

	printf("%6.2f s  %-4s %s %s\n", s, language, mark, text);
	fflush(stdout);
}

static void
take_transcript(struct talk *t, const char *type, const json_t *data)
{
	const json_t *it = json_object_get(data, "transcription");
	bool partial = strncmp(type, "partial_", 8) == 0;
	bool translated = strstr(type, "translated") != NULL;

	t->translations += translated && !partial;
	if (!translated && !partial)
		wait_for_sound(&t->delays, it);
	print(t,
	    partial      ? "..."
	    : translated ? "==>"
			 : "-->",
	    text_of(it, "language"), text_of(it, "text"));
}

static void
take_audio(struct talk *t, const json_t *data)
{
	const char *s = text_of(data, "data");
	size_t n = 0;
	unsigned char *p;

	if (t->first != NULL && strcmp(text_of(data, "language"), t->first) != 0)
		return;
	p = base64_read(t->mem, s, strlen(s), &n);
	if (p == NULL)
		die("speech that is no base64", "");
	buf_put(&t->out, p, n);
	play(t, text_of(data, "transcription_id"), n);
}

static void
take_warning(struct talk *t, const json_t *data)
{
	t->delays.left_out += strcmp(text_of(data, "code"), "QUEUE_OVERFLOW") == 0;
	print(t, "!", "", text_of(data, "message"));
}

/* Handles a message; returns its type. */
static const char *
take(struct talk *t, const struct ws_message *m)
{
	json_t *j = json_loadb(m->p, m->n, 0, NULL);
	const json_t *data = json_object_get(j, "data");
	const char *type = arena_str(t->mem, text_of(j, "message_type"));

	if (strstr(type, "transcription") != NULL)
		take_transcript(t, type, data);
	else if (strcmp(type, "output_audio_data") == 0)
		take_audio(t, data);
	else if (strcmp(type, "tts_buffer_stats") == 0)
		take_stats(t, data);
	else if (strcmp(type, "warning") == 0)
		take_warning(t, data);
	else if (strcmp(type, "error") == 0 &&
		 strcmp(text_of(data, "code"), "NOT_FOUND") != 0)
		die("error: ", text_of(data, "desc"));
	json_decref(j);
	return type;
}

/*
 * Reads messages for s seconds. True: the wanted one arrived, or the connection was
 * closed.
 */
static bool
listen_for(struct talk *t, double s, const char *wanted)
{
	int64_t until_us = monotonic_us() + (int64_t)(s * S_US), now;

	while ((now = monotonic_us()) < until_us) {
		double left = (double)(until_us - now) / S_US;
		struct ws_message m = ws_next(t->ws, t->mem, left);
		const char *type = "close";

		if (m.kind == WS_SILENCE)
			return false;
		if (m.kind == WS_TEXT)
			type = take(t, &m);
		else if (m.kind != WS_CLOSE || m.code != 1000)
			die("the connection ended: ", m.p);
		if (m.kind == WS_CLOSE || (wanted != NULL && strcmp(type, wanted) == 0))
			return true;
	}
	return false;
}

/* ---- the stream ---- */

static void
wait_until_ready(struct talk *t)
{
	int64_t end_us = monotonic_us() + READY_S * S_US;

	do {
		if (monotonic_us() > end_us)
			die("the task does not begin", "");
		say(t, "get_task", "{}");
	} while (!listen_for(t, 0.5, "current_task"));
}

static void
send_recording(struct talk *t)
{
	size_t at = t->head;

	t->begun_us = monotonic_us();
	for (int64_t i = 1; at < t->wav.len; i++) {
		int64_t due_us = t->begun_us + i * CHUNK_MS * 1000;

		at = send_chunk(t, at);
		listen_for(t, (double)(due_us - monotonic_us()) / S_US, NULL);
	}
}

static void
end_stream(struct talk *t)
{
	say(t, "end_task", arena_printf(t->mem, "{\"eos_timeout\":%d}", EOS_S));
	if (!listen_for(t, EOS_S + 31, "eos"))
		die("no end of the stream", "");
	if (!listen_for(t, 2, NULL))
		die("not closed after its end", "");
	tell_delays(&t->delays);
}

static void
speak(struct talk *t, char **argv)
{
	read_wav(t, argv[2]);
	t->source = argv[3];
	t->targets = argv[4];
	t->first = arena_dup(t->mem, argv[4], strcspn(argv[4], ","));
	set_task(t);
	wait_until_ready(t);
	send_recording(t);
	end_stream(t);
}

static void
listen_in(struct talk *t)
{
	t->begun_us = monotonic_us();
	if (!listen_for(t, LISTEN_S, "eos"))
		die("it does not end", "");
}

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();
	struct talk t = { .mem = mem, .wav.mem = mem, .out.mem = mem };
	const char *answer;

	if (argc != 6 && argc != 3)
		die("URL [FILE.wav SOURCE TARGET[,TARGET...]] OUT.wav", "");
	t.ws = ws_open(mem, argv[1], NULL, 10, &answer);
	if (t.ws == NULL)
		die("not connected: ", answer);
	if (argc == 6)
		speak(&t, argv);
	else
		listen_in(&t);
	write_wav(&t, argv[argc - 1]);
	ws_drop(t.ws);
	if (t.translations == 0 || t.out.len == 0)
		die("nothing was translated", "");
	arena_free(mem);
	return EXIT_SUCCESS;
}
