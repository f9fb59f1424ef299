/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The language model of a decoder with the words of an event.
 */
#include "speech/asr_pocketsphinx_words.h"

#include <math.h>
#include <pocketsphinx.h>
#include <sphinxbase/ckd_alloc.h>
#include <sphinxbase/ngram_model.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "speech/arpabet.h"
#include "speech/builtin_voices.h"
#include "speech/synth.h"

/* ---- a small language model in the ARPA format ---- */

#define OTHER 1e-5 /* probability of <UNK>, and of the ends of a sentence */
#define PAIRED 0.9 /* total probability of the pairs after a word that begins pairs */

static void
put_words(struct buf *b, const struct ngram_word *w, size_t n, const size_t *followers)
{
	static const char *const others[] = { "<UNK>", "<s>", "</s>" };

	buf_str(b, "\n\\1-grams:\n");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		buf_printf(b, "%.4f %s 0\n", log10(OTHER), others[i]);
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%.4f %s %.4f\n", log10(w[i].p), w[i].text,
		    followers[i] > 0 ? log10(1 - PAIRED) : 0);
}

const char *
ngram_text(struct arena *mem, const struct list *words, const struct list *pairs)
{
	const struct ngram_word *w = words->items;
	const struct ngram_pair *p = pairs->items;
	size_t *followers = arena_alloc(mem, (words->n + 1) * sizeof(*followers));
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < pairs->n; i++)
		followers[p[i].first]++;
	buf_printf(&b, "\\data\\\nngram 1=%zu\nngram 2=%zu\n", words->n + 3, pairs->n);
	put_words(&b, w, words->n, followers);
	buf_str(&b, "\n\\2-grams:\n");
	for (size_t i = 0; i < pairs->n; i++)
		buf_printf(&b, "%.4f %s %s\n",
		    log10(PAIRED / (double)followers[p[i].first]), w[p[i].first].text,
		    w[p[i].second].text);
	buf_str(&b, "\n\\end\\\n");
	return buf_text(&b);
}

/* ---- both models in a decoder ---- */

#define OWN_SHARE 0.1F /* weight of the small model in the interpolation */
#define LIKELY 0.03    /* the highest probability of a word in the small model */
/* probability of a word that must not become more likely by itself */
#define HARDLY 1e-5
/* least phones of a word; shorter ones would be recognized everywhere */
#define PHONES_LEAST 3
/* words that the package's model finds more probable than this need no help */
#define COMMON 3e-4
#define PAIRS_MAX VOCABULARY_WORDS

struct word {
	const char *key, *text; /* text: as it is spelt in the dictionary */
	int phones;             /* number of phones; 0: it cannot be pronounced */
	bool known;             /* true if the package's dictionary contains it */
	bool common;
};

struct words {
	struct arena *mem;
	ps_decoder_t *ps;
	struct word w[VOCABULARY_WORDS];
	size_t n;
	struct ngram_pair pairs[PAIRS_MAX];
	size_t n_pairs;
};

static int
count_phones(const char *s)
{
	int n = 1;

	for (; (s = strchr(s, ' ')) != NULL; s++)
		n++;
	return n;
}

/* Returns the number of phones of a word in the dictionary; 0: not found. */
static int
look_up(ps_decoder_t *ps, const char *key)
{
	char *phones = ps_lookup_word(ps, key);
	int n = phones != NULL ? count_phones(phones) : 0;

	ckd_free(phones);
	return n;
}

/* Find the word with that key, or append it. */
static size_t
find_word(struct words *to, const struct vocabulary_word *v)
{
	size_t i = 0;

	while (i < to->n && strcmp(to->w[i].key, v->key) != 0)
		i++;
	if (i == to->n) {
		int phones = look_up(to->ps, v->key);

		to->w[to->n++] = (struct word){ v->key, phones > 0 ? v->key : v->text,
			phones, phones > 0, false };
	}
	return i;
}

static void
add_pair(struct words *to, size_t first, size_t second)
{
	for (size_t i = 0; i < to->n_pairs; i++)
		if (to->pairs[i].first == first && to->pairs[i].second == second)
			return;
	to->pairs[to->n_pairs++] = (struct ngram_pair){ first, second };
}

/* True if half of the words of a title are in the dictionary: the title is English. */
static bool
is_english(ps_decoder_t *ps, const struct vocabulary_term *t, size_t n)
{
	size_t of = t->of, known = 0, all = 0;

	for (; n-- > 0 && t->of == of; t++)
		for (size_t k = 0; k < t->n; k++, all++)
			known += look_up(ps, t->words[k].key) > 0;
	return 2 * known >= all;
}

static void
add_term(struct words *to, const struct vocabulary_term *t)
{
	size_t last = 0;

	for (size_t k = 0; k < t->n; k++) {
		size_t i = find_word(to, &t->words[k]);

		if (k > 0)
			add_pair(to, last, i);
		last = i;
	}
}

static void
add_terms(struct words *to, const struct list *terms)
{
	const struct vocabulary_term *t = terms->items;
	size_t title = 0;
	bool english = true;

	for (size_t i = 0; i < terms->n; i++) {
		if (t[i].of != title)
			english = is_english(to->ps, &t[i], terms->n - i);
		title = t[i].of;
		if (title == 0 || english)
			add_term(to, &t[i]);
	}
}

/* Pronounce the words missing from the dictionary, and add them to it. */
static enum err
pronounce(struct words *to)
{
	const struct synth english = {
		.lang = builtin_voice_file("en-us"), .lines = "", .rate_wpm = 175
	};
	enum err e = synth_open(to->mem, &english);

	for (size_t i = 0; e == OK && i < to->n; i++) {
		struct word *w = &to->w[i];
		const char *phones = w->known ? NULL
					      : arpabet_phones(to->mem,
						    synth_phonemes(to->mem, w->text));

		if (phones != NULL && ps_add_word(to->ps, w->text, phones, FALSE) >= 0)
			w->phones = count_phones(phones);
	}
	return e;
}

/* Mark the words that are frequent in the package's model of English. */
static void
find_common(struct words *to, ngram_model_t *all)
{
	logmath_t *log = ps_get_logmath(to->ps);

	for (size_t i = 0; i < to->n; i++) {
		const char *word = to->w[i].text;

		to->w[i].common = to->w[i].known &&
				  ngram_wid(all, word) != ngram_unknown_wid(all) &&
				  logmath_exp(log, ngram_prob(all, &word, 1)) > COMMON;
	}
}

/* Write the small model in the ARPA format. *any: it makes a word more likely. */
static const char *
model_text(const struct words *from, bool *any)
{
	struct ngram_word w[VOCABULARY_WORDS];
	struct ngram_pair pairs[PAIRS_MAX];
	struct list words = { w, 0 }, pair_list = { pairs, 0 };
	size_t number[VOCABULARY_WORDS];
	double p = LIKELY < 0.9 / (double)from->n ? LIKELY : 0.9 / (double)from->n;

	for (size_t i = 0; i < from->n; i++) {
		const struct word *f = &from->w[i];
		bool helped = !f->common && f->phones >= PHONES_LEAST;

		number[i] = words.n;
		*any |= helped;
		if (f->phones > 0)
			w[words.n++] =
			    (struct ngram_word){ f->text, helped ? p : HARDLY };
	}
	for (size_t i = 0; i < from->n_pairs; i++) {
		const struct ngram_pair *q = &from->pairs[i];
		const struct word *a = &from->w[q->first], *b = &from->w[q->second];

		if (a->phones > 0 && b->phones > 0 && !(a->common && b->common))
			pairs[pair_list.n++] =
			    (struct ngram_pair){ number[q->first], number[q->second] };
	}
	*any |= pair_list.n > 0;
	return ngram_text(from->mem, &words, &pair_list);
}

/* Load a model from text. The library reads models from files only, so this uses a file
   without a name. */
static ngram_model_t *
read_text(struct arena *mem, ps_decoder_t *ps, const char *text)
{
	int fd = memfd_create("words", MFD_CLOEXEC);
	ngram_model_t *m = NULL;

	if (fd < 0)
		return NULL;
	if (write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		m = ngram_model_read(ps_get_config(ps),
		    arena_printf(mem, "/proc/self/fd/%d", fd), NGRAM_ARPA,
		    ps_get_logmath(ps));
	close(fd);
	return m;
}

/* Interpolate both models, and use the result in the decoder. */
static bool
set_models(ps_decoder_t *ps, ngram_model_t *all, ngram_model_t *own)
{
	ngram_model_t *models[] = { all, own }, *set;
	char all_name[] = "all", own_name[] = "own", *names[] = { all_name, own_name };
	const char *const_names[] = { all_name, own_name };
	const float32 weights[] = { 1 - OWN_SHARE, OWN_SHARE };
	bool ok;

	set = ngram_model_set_init(ps_get_config(ps), models, names, weights, 2);
	if (set == NULL)
		return false;
	ok = ngram_model_set_interp(set, const_names, weights) != NULL &&
	     ps_set_lm(ps, "words", set) == 0 && ps_set_search(ps, "words") == 0;
	ngram_model_free(set);
	return ok;
}

/*
 * Take the language model out of a decoder: with it, a word that is added to the
 * dictionary is added to the model, too, and the library crashes later.
 */
static ngram_model_t *
take_model(ps_decoder_t *ps)
{
	const char *name = ps_get_search(ps);
	ngram_model_t *set = ps_get_lm(ps, name), *m = NULL;
	ngram_model_set_iter_t *i = set != NULL ? ngram_model_set_iter(set) : NULL;

	if (i == NULL)
		return NULL;
	m = ngram_model_retain(ngram_model_set_iter_model(i, NULL));
	ngram_model_set_iter_free(i);
	ps_unset_search(ps, name);
	return m;
}

static enum err
add_models(struct words *to, ngram_model_t *all)
{
	ngram_model_t *own;
	bool any = false, ok;

	find_common(to, all);
	own = read_text(to->mem, to->ps, model_text(to, &any));
	ok = any && own != NULL && set_models(to->ps, all, own);
	ngram_model_free(own);
	return ok ? OK : any ? ERR_FAILED : ERR_NOT_FOUND;
}

enum err
words_add(struct decoder *d, const struct vocabulary *v)
{
	struct arena *mem = arena_new();
	struct words *w = arena_alloc(mem, sizeof(*w));
	ngram_model_t *all = take_model(d->ps);
	enum err e = all != NULL ? OK : ERR_FAILED;

	*w = (struct words){ .mem = mem, .ps = d->ps };
	add_terms(w, &v->terms);
	if (e == OK && (e = pronounce(w)) == OK)
		e = add_models(w, all);
	ngram_model_free(all);
	arena_free(mem);
	return e;
}
