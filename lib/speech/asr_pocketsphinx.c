/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PocketSphinx in this process: English only. A recognizer has its own decoder while it
 * is open, so that the cepstral mean adapts to the stream. `model` may name a folder
 * with the layout of the package's folder.
 *
 * A stream with hints, names or titles requests a second decoder that knows these
 * words. It recognizes all phrases that begin after it is loaded. The first decoder is
 * kept, and is used again if the host is too slow for the second.
 */
#include <pocketsphinx.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/asr_pocketsphinx_adapted.h"
#include "speech/asr_pocketsphinx_decoder.h"
#include "speech/engine.h"

#define FRAME_US 10000
#define PIECE (ASR_RATE_HZ / 10) /* samples that are decoded at a time */

struct asr {
	struct arena *mem;
	struct decoder *d;     /* the decoder in use: plain, or the one of adapted */
	struct decoder *plain; /* the decoder from the pool */
	struct adapted_decoder *adapted; /* NULL: not requested, or given back */
	struct vocabulary *words;        /* NULL: no words to learn, or given up */
	const struct engine_at *at;
	const char *id, *lang;
	bool begun;      /* a phrase has begun */
	size_t heard;    /* samples of the phrase */
	int64_t took_us; /* time that decoding the phrase took */
};

static bool
knows(const struct engine_at *at, const char *lang)
{
	return lang_is_auto(lang) ||
	       (lang_covered("en en-us", lang) && lang_covered(at->languages, lang));
}

/* ---- the words of an event ---- */

static void
use_decoder(struct asr *a, struct decoder *d)
{
	if (a->d == d)
		return;
	decoder_follow(d, a->d);
	a->d = d;
}

static void
release_adapted(struct asr *a)
{
	use_decoder(a, a->plain);
	adapted_release(a->adapted);
	a->adapted = NULL;
	a->words = NULL;
}

/* Choose the decoder for the next phrase. */
static void
choose_decoder(struct asr *a)
{
	struct decoder *d;
	enum err e;

	if (a->words == NULL || a->d != a->plain)
		return;
	if (a->adapted == NULL &&
	    (a->adapted = adapted_request(a->at, a->words)) == NULL)
		return;
	if ((e = adapted_poll(a->adapted, &d)) == OK)
		use_decoder(a, d);
	else if (e != ERR_BUSY)
		release_adapted(a);
}

/* Give up the second decoder if it was too slow for the phrase. */
static void
judge_decoder(struct asr *a)
{
	int64_t sound_us = (int64_t)a->heard * 1000000 / ASR_RATE_HZ;

	if (a->d == a->plain || !adapted_too_slow(a->took_us, sound_us))
		return;
	log_warn("engine %s: the host is too slow for the words of an event", a->id);
	release_adapted(a);
}

/* ---- a stream ---- */

static enum err
open_one(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	struct arena *mem = arena_new();
	struct asr *a = arena_alloc(mem, sizeof(*a));
	enum err e = ERR_UNSUPPORTED;

	a->mem = mem;
	a->at = at;
	a->id = at->id;
	a->lang = asr_choose(mem, &asr_pocketsphinx, at, want);
	if (a->lang == NULL ||
	    (e = decoder_acquire(at, want->instead, &a->plain)) != OK) {
		arena_free(mem);
		return e;
	}
	a->d = a->plain;
	a->words = vocabulary_new(mem, &want->hints, &want->names, &want->titles);
	choose_decoder(a);
	*to = a;
	return OK;
}

static bool
decode(struct asr *a, const int16_t *s, size_t n)
{
	int64_t began = monotonic_us();
	bool ok = true;

	for (size_t some; ok && n > 0; s += some, n -= some) {
		some = n < PIECE ? n : PIECE;
		ok = ps_process_raw(a->d->ps, s, some, FALSE, FALSE) >= 0;
	}
	a->took_us += monotonic_us() - began;
	return ok;
}

static enum err
feed(struct asr *a, const int16_t *s, size_t n)
{
	size_t room = ASR_PHRASE_MAX_S * ASR_RATE_HZ - a->heard;

	if (n == 0)
		return OK;
	if (!a->begun) {
		choose_decoder(a);
		if (ps_start_utt(a->d->ps) < 0)
			return ERR_FAILED;
	}
	a->begun = true;
	n = n < room ? n : room;
	a->heard += n;
	if (decode(a, s, n))
		return OK;
	log_warn("engine %s: a phrase cannot be decoded", a->id);
	return ERR_FAILED;
}

/*
 * "the(2)" is a pronunciation of "the"; "<sil>", "[NOISE]" and "++UM++" are not words.
 */
static const char *
clean_word(struct arena *mem, const char *word)
{
	if (word == NULL || strchr("<[+", word[0]) != NULL)
		return NULL;
	return arena_dup(mem, word, strcspn(word, "("));
}

/* Read the times of the words. Frames count from the stream's beginning; the phrase
   begins with its first segment. */
static void
read_words(struct asr *a, struct arena *mem, struct list *to)
{
	struct buf b = { .mem = mem };
	struct asr_word w;
	int first = -1, from, end;

	for (ps_seg_t *s = ps_seg_iter(a->d->ps); s != NULL; s = ps_seg_next(s)) {
		ps_seg_frames(s, &from, &end);
		first = first < 0 ? from : first;
		if ((w.text = clean_word(mem, ps_seg_word(s))) == NULL)
			continue;
		w.start_us = (int64_t)(from - first) * FRAME_US;
		w.end_us = (int64_t)(end + 1 - first) * FRAME_US;
		buf_put(&b, &w, sizeof(w));
	}
	*to = (struct list){ b.p, b.len / sizeof(w) };
}

static const char *
join(struct arena *mem, const struct list *words)
{
	const struct asr_word *w = words->items;
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < words->n; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", w[i].text);
	return buf_text(&b);
}

/*
 * Calculate the confidence of a finished phrase, which is the mean posterior
 * probability of the words in the lattice, and their misfit.  Acoustic scores are
 * relative to the best sound of each frame, whatever word that is in: words that were
 * spoken are 3 to 4 nats below it, also by telephone; words that the decoder made of
 * another language are 5.
 */
static void
judge(ps_decoder_t *ps, struct asr_result *to)
{
	logmath_t *log = ps_get_logmath(ps);
	double sum = 0, worse = 0;
	int n = 0, frames = 0, from, end;
	int32 score;

	ps_get_prob(ps);
	for (ps_seg_t *s = ps_seg_iter(ps); s != NULL; s = ps_seg_next(s)) {
		if (strchr("<[+", ps_seg_word(s)[0]) != NULL)
			continue;
		sum += logmath_exp(log, ps_seg_prob(s, &score, NULL, NULL));
		worse -= logmath_log_to_ln(log, score);
		ps_seg_frames(s, &from, &end);
		frames += end + 1 - from;
		n++;
	}
	to->confidence = n > 0 ? sum / n : 0;
	to->misfit = frames > 0 ? worse / frames : 0;
}

static void
read_text(struct asr *a, struct arena *mem, struct asr_result *to)
{
	*to = (struct asr_result){ .lang = arena_str(mem, a->lang) };
	if (a->begun)
		read_words(a, mem, &to->words);
	to->text = join(mem, &to->words);
}

static enum err
partial(struct asr *a, struct arena *mem, struct asr_result *to)
{
	read_text(a, mem, to);
	return OK;
}

static bool
end_utterance(struct asr *a)
{
	int64_t began = monotonic_us();
	bool ok = !a->begun || ps_end_utt(a->d->ps) == 0;

	a->took_us += monotonic_us() - began;
	return ok;
}

static void
end(struct asr *a)
{
	judge_decoder(a);
	a->begun = false;
	a->heard = 0;
	a->took_us = 0;
}

static void
drop(struct asr *a)
{
	end_utterance(a);
	end(a);
}

/* Write the text as a sentence: "hello world" -> "Hello world." */
static const char *
sentence(struct arena *mem, const char *text)
{
	char *s;

	if (*text == '\0')
		return text;
	s = arena_dup(mem, text, strlen(text) + 1);
	s[0] = (char)(s[0] >= 'a' && s[0] <= 'z' ? s[0] - 'a' + 'A' : s[0]);
	s[strlen(text)] = '.';
	return s;
}

static size_t
sample_at(int64_t us)
{
	return (size_t)(us * ASR_RATE_HZ / 1000000);
}

/* Keep the words before the boundary that is nearest to *at, and set *at to that
   boundary. */
static void
keep_words(struct list *words, size_t *at)
{
	const struct asr_word *w = words->items;
	size_t n = words->n, wanted = *at, best = SIZE_MAX;

	for (size_t i = 1; i <= n; i++) {
		size_t from = sample_at(w[i - 1].end_us);
		size_t to = i < n ? sample_at(w[i].start_us) : wanted;
		size_t middle = to > from ? from + (to - from) / 2 : from;
		size_t off = middle > wanted ? middle - wanted : wanted - middle;

		if (off >= best)
			continue;
		best = off;
		words->n = i;
		*at = middle;
	}
}

/* End the phrase; at *at if at is not NULL. */
static enum err
end_phrase(struct asr *a, size_t *at, struct arena *mem, struct asr_result *to)
{
	bool ended = end_utterance(a);

	read_text(a, mem, to);
	if (a->begun && ended)
		judge(a->d->ps, to);
	if (at != NULL)
		keep_words(&to->words, at);
	to->text = sentence(mem, join(mem, &to->words));
	end(a);
	if (!ended)
		log_warn("engine %s: a phrase cannot be ended", a->id);
	return ended ? OK : ERR_FAILED;
}

static enum err
finish(struct asr *a, struct arena *mem, struct asr_result *to)
{
	return end_phrase(a, NULL, mem, to);
}

static enum err
finish_at(struct asr *a, size_t *at, struct arena *mem, struct asr_result *to)
{
	return end_phrase(a, at, mem, to);
}

static void
close_one(struct asr *a)
{
	if (a == NULL)
		return;
	drop(a);
	adapted_release(a->adapted);
	decoder_release(a->plain);
	arena_free(a->mem);
}

void
asr_free_idle(void)
{
	decoder_free_idle();
	adapted_free_idle();
}

const struct asr_engine asr_pocketsphinx = { ASR_STREAM | ASR_WORDS | ASR_SURE |
						 ASR_HINTS,
	knows, open_one, feed, partial, finish, drop, close_one, finish_at };
