/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine of kind "script", for tests. Its settings and the text decide its results.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/lang.h"
#include "base/log.h"
#include "base/text.h"
#include "speech/engine.h"
#include "speech/placeholders.h"

/* ---- recognition ---- */

/*
 * The n-th finished phrase has the n-th line of engine_at.lines as its text; when the
 * lines are used up, the last one. Frames from -40 dBFS up are speech. The partial text
 * has a word for every 150 ms of speech; the final text is the whole line. A phrase
 * without speech uses no line. The language of a line with "foreign-it" is Italian.
 */
#define FRAME (ASR_RATE_HZ / 50)
#define LOUD (32768 / 100.0) /* -40 dBFS as root mean square */
#define WORD_MS 150
#define FRAME_MS 20
#define WORDS_MAX 256 /* most words of a line, with their times */

struct asr {
	struct arena *mem;
	const char *id, *lang;
	const char *line;  /* the text of the phrase, up to a newline */
	double square;     /* sum of the squares of the incomplete frame */
	int64_t samples;   /* samples of the phrase */
	int64_t first_us;  /* time of its first frame that is speech */
	int64_t speech_ms; /* its speech so far */
};

static bool
knows(const struct engine_at *at, const char *lang)
{
	return lang_is_auto(lang) || lang_covered(at->languages, lang);
}

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	struct arena *mem = arena_new();
	struct asr *a = arena_alloc(mem, sizeof(*a));

	a->mem = mem;
	a->id = at->id;
	a->line = at->lines != NULL && *at->lines != '\0' ? at->lines : "hello world";
	if ((a->lang = asr_choose(mem, &asr_script, at, want)) == NULL) {
		arena_free(mem);
		return ERR_UNSUPPORTED;
	}
	*to = a;
	return OK;
}

static void
end_frame(struct asr *a)
{
	if (sqrt(a->square / FRAME) >= LOUD) {
		if (a->speech_ms == 0)
			a->first_us = (a->samples - FRAME) * 1000000 / ASR_RATE_HZ;
		a->speech_ms += FRAME_MS;
	}
	a->square = 0;
}

static enum err
feed(struct asr *a, const int16_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		a->square += (double)s[i] * s[i];
		if (++a->samples % FRAME == 0)
			end_frame(a);
	}
	return OK;
}

/* Go to the next line, if there is one. */
static void
turn_line(struct asr *a)
{
	const char *end = a->line + strcspn(a->line, "\n");

	if (*end != '\0' && end[1] != '\0')
		a->line = end + 1;
}

static struct asr_word
word_at(const struct asr *a, size_t i, const char *text)
{
	int64_t end_us = a->samples * 1000000 / ASR_RATE_HZ;
	int64_t from = a->first_us + (int64_t)i * WORD_MS * 1000;
	int64_t to = from + (int64_t)WORD_MS * 1000;

	return (struct asr_word){ text, from < end_us ? from : end_us,
		to < end_us ? to : end_us };
}

/* Return the first `most` words of the line. */
static void
write_words(const struct asr *a, struct arena *mem, size_t most, struct asr_result *to)
{
	struct asr_word *w = arena_alloc(mem, WORDS_MAX * sizeof(*w));
	const char *p = a->line, *end = p;
	size_t n = 0;

	for (size_t len; n < most && n < WORDS_MAX; n++, end = p += len) {
		p += strspn(p, " ");
		if ((len = strcspn(p, " \n")) == 0)
			break;
		w[n] = word_at(a, n, arena_dup(mem, p, len));
	}
	*to = (struct asr_result){
		.text = arena_dup(mem, a->line, (size_t)(end - a->line)),
		.lang = arena_str(mem, a->lang),
		.words = { w, n },
	};
}

static enum err
read_line(const struct asr *a, struct arena *mem, size_t most, struct asr_result *to)
{
	size_t n = strcspn(a->line, "\n");

	if (a->speech_ms > 0 && memmem(a->line, n, "fault-asr", 9) != NULL) {
		log_warn("engine %s: fails, as its line asks", a->id);
		return ERR_FAILED;
	}
	write_words(a, mem, most, to);
	if (memmem(a->line, n, "foreign-it", 10) != NULL)
		to->foreign = "it";
	return OK;
}

static enum err
partial(struct asr *a, struct arena *mem, struct asr_result *to)
{
	return read_line(a, mem, (size_t)(a->speech_ms / WORD_MS), to);
}

static void
drop(struct asr *a)
{
	a->square = 0;
	a->samples = a->first_us = a->speech_ms = 0;
}

static enum err
finish(struct asr *a, struct arena *mem, struct asr_result *to)
{
	enum err e = read_line(a, mem, a->speech_ms > 0 ? WORDS_MAX : 0, to);

	if (a->speech_ms > 0)
		turn_line(a);
	drop(a);
	return e;
}

static void
close_one(struct asr *a)
{
	if (a != NULL)
		arena_free(a->mem);
}

const struct asr_engine asr_script = { ASR_STREAM | ASR_WORDS, knows, open_one, feed,
	partial, finish, drop, close_one };

/* ---- translation ---- */

#define SLOW_MS 5000

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	(void)at;
	(void)from;
	(void)to;
	return true;
}

static enum err
wait_slowly(int timeout_ms)
{
	int ms = timeout_ms < SLOW_MS ? timeout_ms : SLOW_MS;
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
	if (ms == SLOW_MS)
		return OK;
	log_warn("script: no translation within %d ms", timeout_ms);
	return ERR_TIMEOUT;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	enum err e;

	if (strcasestr(t->text, "slow-mt") != NULL &&
	    (e = wait_slowly(mt_time_ms(at, t))) != OK)
		return e;
	if (strcasestr(t->text, "fault-mt") != NULL) {
		log_warn("script: fault-mt");
		return ERR_FAILED;
	}
	*out = arena_printf(mem, "[%s] %s", t->to, mt_fill(mem, t, mt_slots(mem, t)));
	*guarded = true;
	return OK;
}

const struct mt_engine mt_script = { false, false, pairs, translate, mt_list_any,
	NULL };

/* ---- speech ---- */

/*
 * Speaks a sine for every character; its pitch depends on the voice. A text with the
 * word fault-tts fails.
 */
#define RATE_HZ 24000
#define CHARACTER (RATE_HZ * 60 / 1000) /* samples of a character */
#define BLOCK (RATE_HZ / 5)
#define LOUDNESS 0.25f

static bool
speaks(const char *lang)
{
	(void)lang;
	return true;
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	int hz = t->voice != NULL ? 330 : t->high ? 440 : 220;
	size_t n = text_length(t->text) * CHARACTER;
	struct pcm block = { .s = arena_alloc(mem, BLOCK * sizeof(float)),
		.rate_hz = RATE_HZ };

	if (strstr(t->text, "fault-tts") != NULL) {
		log_warn("engine %s: fails, as the text asks", at->id);
		return ERR_FAILED;
	}
	for (size_t done = 0; done < n; done += block.n) {
		block.n = n - done < BLOCK ? n - done : BLOCK;
		for (size_t i = 0; i < block.n; i++)
			block.s[i] =
			    LOUDNESS *
			    sinf((float)(2 * M_PI * hz *
					 (double)((done + i) % RATE_HZ) / RATE_HZ));
		if (!sink(to, &block))
			break;
	}
	return OK;
}

const struct tts_engine tts_script = { TTS_CLONE, speaks, synthesize };
