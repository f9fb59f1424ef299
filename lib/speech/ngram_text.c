#include "speech/ngram_text.h"

#include <math.h>

#include "base/buf.h"

#define OTHER 1e-5 /* <UNK>, and the ends of a sentence */
#define PAIRED 0.9 /* of what comes behind a word with pairs: one of these */

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
