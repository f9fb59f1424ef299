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
#include "base/child.h"
#include "base/log.h"

/* ---- the pronunciation of words, by a child process ---- */

#define MEMORY_BYTES ((size_t)512 << 20)
#define TIMEOUT_MS 20000
#define OF_A_LETTER 16 /* most bytes of phones for a letter */

/* Read the lines of the answer; false: there is not one line for each word. */
static bool
read_lines(char *s, size_t bytes, const char **phones, size_t n)
{
	char *end;

	for (size_t i = 0; i < n; i++, bytes -= (size_t)(end + 1 - s), s = end + 1) {
		if ((end = memchr(s, '\n', bytes)) == NULL)
			return false;
		*end = '\0';
		phones[i] = *s != '\0' ? s : NULL;
	}
	return bytes == 0;
}

enum err
pronunciation_ask(struct arena *mem, const char *bin_dir, const struct list *words,
    const char **phones)
{
	const char *const *w = words->items;
	struct buf in = { .mem = mem };
	struct child c = { .timeout_ms = TIMEOUT_MS, .memory_bytes = MEMORY_BYTES };
	const char *argv[] = { arena_printf(mem, "%s/dragoman-speech", bin_dir),
		"--phones", NULL };
	struct child_end end;
	enum err e;

	for (size_t i = 0; i < words->n; i++)
		buf_printf(&in, "%s\n", w[i]);
	if (in.len == 0 || in.len > PRONUNCIATION_BYTES)
		return in.len == 0 ? OK : ERR_LIMIT;
	c.argv = argv;
	c.in = in.p;
	c.in_len = in.len;
	c.out_bytes = OF_A_LETTER * in.len;
	if ((e = child_run(&c, mem, &end)) != OK)
		return e;
	if (end.status == 0 && read_lines(end.out, end.out_len, phones, words->n))
		return OK;
	log_warn("speech: %zu words could not be pronounced", words->n);
	return ERR_FAILED;
}

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
pronounce(struct words *to, const char *bin_dir)
{
	const char *texts[VOCABULARY_WORDS], *phones[VOCABULARY_WORDS];
	struct word *of[VOCABULARY_WORDS];
	struct list list = { texts, 0 };
	enum err e;

	for (size_t i = 0; i < to->n; i++)
		if (!to->w[i].known) {
			of[list.n] = &to->w[i];
			texts[list.n++] = to->w[i].text;
		}
	if ((e = pronunciation_ask(to->mem, bin_dir, &list, phones)) != OK)
		return e;
	for (size_t i = 0; i < list.n; i++)
		if (phones[i] != NULL &&
		    ps_add_word(to->ps, texts[i], phones[i], FALSE) >= 0)
			of[i]->phones = count_phones(phones[i]);
	return OK;
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

/* Add both models to the decoder. It holds the lock only for short parts, so that
   loading a decoder without words need not wait. */
static enum err
add_models(struct words *to, const char *model, pthread_mutex_t *loading)
{
	ngram_model_t *all, *own = NULL;
	bool any = false, ok;

	pthread_mutex_lock(loading);
	all = ngram_model_read(ps_get_config(to->ps),
	    arena_printf(to->mem, "%s/en-us.lm.bin", model), NGRAM_BIN,
	    ps_get_logmath(to->ps));
	pthread_mutex_unlock(loading);
	if (all != NULL) {
		find_common(to, all);
		pthread_mutex_lock(loading);
		own = read_text(to->mem, to->ps, model_text(to, &any));
		pthread_mutex_unlock(loading);
	}
	ok = any && own != NULL && set_models(to->ps, all, own);
	ngram_model_free(own);
	ngram_model_free(all);
	return ok ? OK : all != NULL && !any ? ERR_NOT_FOUND : ERR_FAILED;
}

enum err
words_add(struct decoder *d, const char *bin_dir, const struct vocabulary *v,
    pthread_mutex_t *loading)
{
	struct arena *mem = arena_new();
	struct words *w = arena_alloc(mem, sizeof(*w));
	enum err e;

	*w = (struct words){ .mem = mem, .ps = d->ps };
	add_terms(w, &v->terms);
	if ((e = pronounce(w, bin_dir)) == OK)
		e = add_models(w, d->model, loading);
	arena_free(mem);
	return e;
}
