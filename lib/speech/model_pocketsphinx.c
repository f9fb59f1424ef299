/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PocketSphinx in a process of its own: asr_pocketsphinx_process.h is the other end. */
#include <string.h>

#include "speech/asr_pocketsphinx_phrase.h"
#include "speech/asr_pocketsphinx_words.h"
#include "speech/model_library.h"

static struct phrase phrase;

static void
recognize(struct arena *mem, const struct model_want *want)
{
	(void)mem;
	if (decoder_load(want->model, &phrase.d) != OK)
		model_fault("%s cannot be loaded", want->model);
}

static void
answer(struct buf *to, const struct asr_result *r)
{
	struct decoder_mean mean;

	decoder_mean(phrase.d, &mean);
	heard_write(to, r, &mean);
}

static void
begin(void)
{
	decoder_begin_stream(phrase.d);
}

static void
hear(struct buf *to, const int16_t *s, size_t n)
{
	struct asr_result r = { .text = "" };

	if (!phrase_feed(&phrase, s, n))
		model_fault("a phrase cannot be decoded");
	phrase_words(&phrase, to->mem, &r.words);
	answer(to, &r);
}

static void
end(struct buf *to)
{
	struct asr_result r = { .text = "" };

	if (!phrase_end(&phrase, to->mem, &r))
		model_fault("a phrase cannot be ended");
	answer(to, &r);
}

static void
drop(void)
{
	phrase_drop(&phrase);
}

static void
follow(const void *p, size_t n)
{
	struct decoder_mean mean;

	if (n != sizeof(mean))
		return;
	memcpy(&mean, p, n);
	decoder_follow(phrase.d, &mean);
}

static bool
learn(struct arena *mem, char *text)
{
	const struct vocabulary *words = vocabulary_read(mem, text);
	enum err e = words != NULL ? words_add(phrase.d, words) : ERR_FAILED;

	if (e != OK && e != ERR_NOT_FOUND)
		model_fault("the words of an event cannot be learnt");
	return e == OK;
}

const struct model_library model_pocketsphinx = { .name = "pocketsphinx",
	.recognize = recognize,
	.begin = begin,
	.hear = hear,
	.end = end,
	.drop = drop,
	.follow = follow,
	.learn = learn };
