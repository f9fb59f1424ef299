/*
 * Whether a final text was spoken, or is what the engine made of a noise.
 * Engines that do not tell their confidence are believed.  The limits are from
 * recordings of people (studio, telephone, music, white noise) and of an office:
 * docs/speech.md.
 */
#include "pipeline/recognizer_internal.h"

#include <string.h>

#define FEW_WORDS 2
#define FEW_CONFIDENCE 0.5   /* of so few words */
#define FEW_VOICED 0.45      /* share of their sound that has a pitch */
#define FEW_VOICED_MOST 0.98 /* a tone has more */
#define VOICED 0.3           /* of more words */
#define SURE 0.6             /* confidence, from which on slow talk is believed */
#define LEAST 0.1            /* confidence of more words */
#define NOISES 3             /* this part of the words or more are noises: no speech */
#define SLOW_FEW 1.1
#define SLOW 1.2 /* words a second */
#define SLOW_UNSURE 1.8

/* What PocketSphinx makes of hum, coughs and squeaks. */
static const char noises[] = " ah aha ha hah heh hey hm hmm hoo huh mm mhm oh oo ooh "
			     "op uh um whoa whoop wow woo ";

static bool
is_noise(const char *word)
{
	size_t n = strlen(word);

	for (const char *s = noises; s[1] != '\0'; s = strchr(s + 1, ' '))
		if (strncmp(s + 1, word, n) == 0 && s[n + 1] == ' ')
			return true;
	return false;
}

static size_t
count_noises(const struct list *words)
{
	const struct heard_word *w = words->items;
	size_t n = 0;

	for (size_t i = 0; i < words->n; i++)
		n += is_noise(w[i].text);
	return n;
}

static bool
believes_few(const struct recognizer *r, const struct heard *h)
{
	return h->confidence >= FEW_CONFIDENCE && r->voiced >= FEW_VOICED &&
	       r->voiced <= FEW_VOICED_MOST;
}

/* Words a second that a speaker has at least. */
static double
slowest(const struct heard *h)
{
	if (h->words.n <= FEW_WORDS)
		return SLOW_FEW;
	return h->confidence >= SURE ? SLOW : SLOW_UNSURE;
}

/* Whether the words may be talk that lasts until then. */
static bool
is_talk(const struct recognizer *r, const struct heard *h, int64_t end_us, double slow)
{
	double s = (double)(end_us - r->start_us) / 1e6;
	size_t n = h->words.n, noise = count_noises(&h->words);

	return NOISES * noise < n && (double)(n - noise) >= s * slow;
}

bool
recognizer_believes(const struct recognizer *r, const struct heard *h, int64_t end_us)
{
	size_t n = h->words.n;

	if (h->confidence <= 0 || n == 0)
		return true;
	if (!is_talk(r, h, end_us, slowest(h)))
		return false;
	return n <= FEW_WORDS ? believes_few(r, h)
			      : h->confidence >= LEAST && r->voiced >= VOICED;
}

bool
recognizer_believes_partial(
    const struct recognizer *r, const struct heard *h, int64_t at_us)
{
	if ((r->engine->asr->can & ASR_SURE) == 0)
		return true;
	return h->words.n > FEW_WORDS && r->voiced >= VOICED &&
	       is_talk(r, h, at_us, SLOW_UNSURE);
}
