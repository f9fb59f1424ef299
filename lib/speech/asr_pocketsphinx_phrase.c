/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/asr_pocketsphinx_phrase.h"

#include <pocketsphinx.h>
#include <string.h>

#define FRAME_US 10000
#define PIECE (ASR_RATE_HZ / 10) /* samples that are decoded at a time */

bool
phrase_feed(struct phrase *p, const int16_t *s, size_t n)
{
	bool ok = p->begun || ps_start_utt(p->d->ps) == 0;

	p->begun |= ok;
	for (size_t some; ok && n > 0; s += some, n -= some) {
		some = n < PIECE ? n : PIECE;
		ok = ps_process_raw(p->d->ps, s, some, FALSE, FALSE) >= 0;
	}
	return ok;
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

/* Frames count from the stream's beginning; the phrase begins with its first segment.
 */
void
phrase_words(const struct phrase *p, struct arena *mem, struct list *to)
{
	struct buf b = { .mem = mem };
	struct asr_word w;
	int first = -1, from, end;

	*to = (struct list){ NULL, 0 };
	if (!p->begun)
		return;
	for (ps_seg_t *s = ps_seg_iter(p->d->ps); s != NULL; s = ps_seg_next(s)) {
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

bool
phrase_end(struct phrase *p, struct arena *mem, struct asr_result *to)
{
	bool ended = !p->begun || ps_end_utt(p->d->ps) == 0;

	phrase_words(p, mem, &to->words);
	if (p->begun && ended)
		judge(p->d->ps, to);
	p->begun = false;
	return ended;
}

void
phrase_drop(struct phrase *p)
{
	if (p->begun)
		ps_end_utt(p->d->ps);
	p->begun = false;
}

/* ---- between processes ---- */

struct heard {
	double confidence, misfit;
	struct decoder_mean mean;
	size_t words;
};

struct heard_word {
	int64_t start_us, end_us;
	size_t bytes; /* length of the text, which follows */
};

void
heard_write(struct buf *b, const struct asr_result *r, const struct decoder_mean *mean)
{
	const struct heard head = { r->confidence, r->misfit, *mean, r->words.n };
	const struct asr_word *w = r->words.items;

	buf_put(b, &head, sizeof(head));
	for (size_t i = 0; i < r->words.n; i++) {
		const struct heard_word word = { w[i].start_us, w[i].end_us,
			strlen(w[i].text) };

		buf_put(b, &word, sizeof(word));
		buf_put(b, w[i].text, word.bytes);
	}
}

static bool
take(const char **p, const char *end, void *to, size_t n)
{
	if ((size_t)(end - *p) < n)
		return false;
	memcpy(to, *p, n);
	*p += n;
	return true;
}

bool
heard_read(struct arena *mem, const char *p, size_t n, struct asr_result *to,
    struct decoder_mean *mean)
{
	const char *end = p + n;
	struct heard_word word;
	struct asr_word *w;
	struct heard head;

	if (!take(&p, end, &head, sizeof(head)) || head.words > n)
		return false;
	w = arena_alloc(mem, (head.words + 1) * sizeof(*w));
	for (size_t i = 0; i < head.words; i++) {
		if (!take(&p, end, &word, sizeof(word)) ||
		    word.bytes > (size_t)(end - p))
			return false;
		w[i] = (struct asr_word){ arena_dup(mem, p, word.bytes), word.start_us,
			word.end_us };
		p += word.bytes;
	}
	to->words = (struct list){ w, head.words };
	to->confidence = head.confidence;
	to->misfit = head.misfit;
	*mean = head.mean;
	return p == end;
}
