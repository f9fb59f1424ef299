/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *	words -> runs with a capital, over "de la" -> without titles -> terms
 *
 * A run with a word of TRANSLATED is left to the engine: "the United States".
 */
#include "pipeline/names.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"

#define WORDS 512 /* longest text in words; in a longer text no names are found */
#define WORD_BYTES 40

/* Names that have a form of their own in each language, and words of such names. */
#define TRANSLATED                                                                       \
	" monday tuesday wednesday thursday friday saturday sunday january february "    \
	"march april may june july august september october november december "          \
	"english spanish french german italian portuguese dutch greek russian "          \
	"chinese japanese arabic turkish polish swedish danish norwegian finnish "       \
	"latin european american british african asian mexican canadian indian "         \
	"brazilian irish scottish catalan basque galician christian catholic jewish "    \
	"muslim swiss austrian belgian hungarian romanian ukrainian korean "             \
	"vietnamese australian europe africa asia america oceania england britain "      \
	"scotland wales ireland spain france germany italy netherlands holland "         \
	"belgium switzerland austria greece turkey russia ukraine poland sweden "        \
	"norway denmark finland iceland hungary romania bulgaria croatia serbia "        \
	"slovenia slovakia china japan korea india egypt morocco tunisia algeria "       \
	"brazil mexico peru canada lebanon syria iraq iran israel jordan libya "         \
	"philippines london paris rome athens lisbon brussels vienna geneva warsaw "     \
	"moscow prague berlin munich cologne milan turin florence venice naples "        \
	"seville catalonia andalusia galicia mediterranean atlantic pacific states "     \
	"kingdom union nations north south east west new old saint city river sea "      \
	"ocean mountains island islands republic commission parliament council "         \
	"university institute ministry minister government bank court department "       \
	"committee school hospital church congress senate house office agency "          \
	"association foundation museum library center centre park street avenue "        \
	"square earth god internet christmas easter eu un usa us uk who "                \
	"europa asia áfrica américa inglaterra bretaña escocia irlanda españa "      \
	"francia alemania italia holanda bélgica suiza austria grecia turquía rusia "  \
	"ucrania polonia suecia noruega dinamarca finlandia islandia hungría rumanía " \
	"bulgaria croacia china japón corea egipto marruecos brasil méxico perú "     \
	"canadá líbano londres parís roma atenas bruselas viena ginebra varsovia "    \
	"moscú praga berlín múnich colonia milán turín florencia venecia nápoles " \
	"sevilla cataluña andalucía mediterráneo atlántico pacífico unidos reino "  \
	"unión naciones norte sur este oeste nueva nuevo san santa ciudad río mar "    \
	"república comisión parlamento consejo universidad instituto ministerio "      \
	"ministro gobierno banco tribunal departamento comité escuela hospital "        \
	"iglesia congreso senado casa oficina agencia asociación fundación museo "     \
	"biblioteca centro parque calle avenida plaza tierra dios navidad ue onu "       \
	"eeuu estado "
/* The words above that are names of people or parks when another word follows. */
#define EITHER                                                                         \
	" april may june august christian jordan florence milan west park church "     \
	"victoria holland israel "
/* Titles are translated; a name follows them. */
#define TITLES                                                                           \
	" mr mrs ms miss dr doctor professor prof president senator sir lady lord "      \
	"king queen director mayor bishop pope captain señor señora señorita sr sra " \
	"don doña doctora profesor profesora presidente presidenta senador rey reina "  \
	"directora alcalde alcaldesa obispo papa capitán "
/* Words that begin a sentence and are not part of a name that follows. */
#define FIRST                                                                                \
	" a an the this that these those my your his her our their its i we you he "         \
	"she it they in on at to from by with for of as and but or so if when while "        \
	"where what who why how which there here now then today tomorrow yesterday "         \
	"tonight thanks thank dear hello hi good yes no not only even also after "           \
	"before since until because although though both neither either every each "         \
	"all some many most our is are was were do does did can could will would has "       \
	"have had may might let please welcome ask call see meet like unlike under "         \
	"over between behind near without during about against ladies first last "           \
	"next finally later once maybe perhaps when's that's it's i'm don't "                \
	"el la los las un una unos unas este esta ese esa mi tu su nuestro nuestra "         \
	"yo nosotros en a de del al desde por para con sin según como y pero o si "         \
	"cuando mientras donde qué quién cómo cuándo dónde por qué aquí allí ahora " \
	"hoy mañana ayer gracias querido querida hola buenos buenas sí no solo "           \
	"también después antes hasta porque aunque cada todos todas muchos es son "        \
	"fue era hay que entre sobre bajo durante contra señoras primero luego "            \
	"finalmente ni conocí vi llamé pregunten le les me nos se lo "
/* Particles connect the words of one name. */
#define PARTICLES " de del la las los da do dos das di della van von der den "

struct word {
	size_t at, len;
	char small[WORD_BYTES]; /* in small letters; "" for a long word */
	bool capital, starts;   /* starts: the word begins a sentence */
	bool joined;            /* only a blank precedes it */
};

struct words {
	struct word w[WORDS];
	size_t n;
	const char *text;
};

static bool
is_inside(const char *s, uint32_t cp)
{
	uint32_t next;

	if (text_is_word(cp))
		return true;
	if (cp != '\'' && cp != 0x2019 && cp != '-' && cp != '&')
		return false;
	text_next(s, &next);
	return *s != '\0' && text_is_word(next);
}

/* Reads the word at s, which begins with a letter or digit; returns the word's end. */
static const char *
read_word(struct word *w, const char *s)
{
	const char *end = s, *next;
	size_t n = 0;
	uint32_t cp;

	text_next(s, &cp);
	w->capital = text_is_upper(cp);
	for (; *end != '\0'; end = next) {
		next = text_next(end, &cp);
		if (!is_inside(next, cp))
			break;
		if (n + 5 < WORD_BYTES)
			n += text_put(w->small + n, text_small(cp));
	}
	w->small[n] = '\0';
	w->len = (size_t)(end - s);
	return end;
}

static bool
split(struct words *t)
{
	const char *s = t->text;
	bool starts = true, joined = false;
	uint32_t cp;

	while (*s != '\0') {
		const char *next = text_next(s, &cp);

		if (!text_is_word(cp)) {
			/* "Mr." does not end a sentence */
			starts |= strchr(".?!:\"", (int)cp) != NULL && cp < 0x80 &&
				  !(cp == '.' && t->n > 0 &&
				      text_has_word(TITLES, t->w[t->n - 1].small));
			joined &= cp == ' ' || (cp == '.' && !starts);
			s = next;
			continue;
		}
		if (t->n == WORDS)
			return false;
		t->w[t->n] = (struct word){
			.at = (size_t)(s - t->text), .starts = starts, .joined = joined
		};
		s = read_word(&t->w[t->n++], s);
		starts = false;
		joined = true;
	}
	return true;
}

/* False if all words have capitals, as in a heading.  A sentence, which ends with a
   mark, may consist of names but for one word. */
static bool
has_small_words(const struct words *t)
{
	size_t n = strlen(t->text), small = 0, inside = 0;
	bool ends = n > 0 && strchr(".?!", t->text[n - 1]) != NULL;

	for (size_t i = 0; i < t->n; i++) {
		small += !t->w[i].capital;
		inside += !t->w[i].starts;
	}
	return inside == 0 || (ends ? small > 0 : small * 3 >= inside);
}

/* True if the i-th word is part of a name by its capital. */
static bool
is_name(const struct words *t, size_t i)
{
	const struct word *w = &t->w[i];
	bool i_pronoun = w->small[0] == 'i' && (w->len == 1 || w->small[1] == '\'');

	if (!w->capital || i_pronoun || text_has_word(TITLES, w->small) ||
	    (i > 0 && strcmp(t->w[i - 1].small, "siglo") == 0))
		return false;
	return !w->starts ||
	       (i + 1 < t->n && t->w[i + 1].capital && t->w[i + 1].joined &&
		   !text_has_word(FIRST, w->small) && t->w[i + 1].small[1] != '\0');
}

/* "of" is part of an institution's name, not of a person's: "Bank of England". */
static bool
is_particle(const struct words *t, size_t i)
{
	const struct word *w = &t->w[i];

	if (!w->joined || w->capital)
		return false;
	return strcmp(w->small, "of") == 0
		   ? text_has_word(TRANSLATED, t->w[i - 1].small)
		   : text_has_word(PARTICLES, w->small);
}

/* The end of the sequence of names that begins with the i-th word. */
static size_t
end_of_run(const struct words *t, size_t i)
{
	size_t end = i + 1, k;

	for (;;) {
		for (k = end; k < t->n && k < end + 2 && is_particle(t, k);)
			k++;
		if (k >= t->n || !t->w[k].joined || t->w[k].starts || !is_name(t, k))
			return end;
		end = k + 1;
	}
}

static bool
is_translated_word(const struct word *w)
{
	char bare[WORD_BYTES];
	size_t n = strcspn(w->small, "'-");

	memcpy(bare, w->small, n);
	bare[n] = '\0';
	if (text_has_word(TRANSLATED, w->small) || text_has_word(TRANSLATED, bare))
		return true;
	/* "Saturdays", "Germans"; but "Banks" */
	if (n < 5 ||
	    (strcmp(bare + n - 4, "days") != 0 && strcmp(bare + n - 3, "ans") != 0))
		return false;
	bare[n - 1] = '\0';
	return text_has_word(TRANSLATED, bare);
}

static bool
is_translated(const struct words *t, size_t from, size_t end)
{
	size_t either = 0, n = 0;

	for (size_t i = from; i < end; i++) {
		n += is_translated_word(&t->w[i]);
		either += text_has_word(EITHER, t->w[i].small);
	}
	return n > 0 && !(n == 1 && either == 1 && end - from == 2);
}

/* Length in bytes of the words [from, end) without a final "'s". */
static size_t
length_of(const struct words *t, size_t from, size_t end)
{
	const struct word *last = &t->w[end - 1];
	size_t n = last->at + last->len - t->w[from].at;
	const char *s = t->text + t->w[from].at;

	if (n > 2 && s[n - 1] == 's' && s[n - 2] == '\'')
		return n - 2;
	return n > 4 && s[n - 1] == 's' && strncmp(s + n - 4, "’", 3) == 0 ? n - 4 : n;
}

static void
put_name(struct buf *b, const char *text, size_t at, size_t len)
{
	const struct mt_term t = { .at = at,
		.len = len,
		.target = arena_dup(b->mem, text + at, len),
		.name = true };

	buf_put(b, &t, sizeof(t));
}

static void
find_runs(struct buf *b, const struct words *t)
{
	for (size_t i = 0, end; i < t->n; i = end) {
		end = i + 1;
		if (!is_name(t, i))
			continue;
		end = end_of_run(t, i);
		if (!is_translated(t, i, end))
			put_name(b, t->text, t->w[i].at, length_of(t, i, end));
	}
}

/* The number of words at the i-th word that are the speaker's name, or 0. */
static size_t
match_speaker(const struct words *t, size_t i, const char *name)
{
	struct word w = { 0 };
	size_t n = 0;
	uint32_t cp;

	while (*name != '\0') {
		const char *next = text_next(name, &cp);

		if (!text_is_word(cp)) {
			name = next;
			continue;
		}
		name = read_word(&w, name);
		if (i + n >= t->n || strcmp(t->w[i + n].small, w.small) != 0)
			return 0;
		n++;
	}
	/* a single word in small letters may be an ordinary one */
	return n > 1 || (n == 1 && t->w[i].capital) ? n : 0;
}

/* Speakers are written as the event spells them. */
static void
find_speakers(struct buf *b, const struct words *t, const struct list *speakers)
{
	const char *const *names = speakers->items;

	for (size_t i = 0, most; i < t->n; i += most) {
		struct mt_term term = { .at = t->w[i].at, .name = true };

		most = 1;
		for (size_t k = 0; k < speakers->n; k++) {
			size_t n = match_speaker(t, i, names[k]);

			if (n == 0 || (n < most && term.target != NULL))
				continue;
			term.target = names[k];
			most = n;
		}
		if (term.target == NULL)
			continue;
		term.len = t->w[i + most - 1].at + t->w[i + most - 1].len - term.at;
		buf_put(b, &term, sizeof(term));
	}
}

static bool
is_touched(const struct buf *b, const struct mt_term *t)
{
	const struct mt_term *all = (const void *)b->p;

	for (size_t i = 0; i < b->len / sizeof(*all); i++)
		if (t->at < all[i].at + all[i].len && all[i].at < t->at + t->len)
			return true;
	return false;
}

static bool
has_capitals(const char *lang)
{
	static const char *const codes[] = { "en", "es", "fr", "it", "pt", "ca", "gl" };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (lang_same_base(codes[i], lang))
			return true;
	return false;
}

static const struct mt_term *
merge(struct arena *mem, const struct buf *speakers, const struct buf *runs, size_t *n)
{
	const struct mt_term *a = (const void *)speakers->p, *r = (const void *)runs->p;
	size_t na = speakers->len / sizeof(*a), nr = runs->len / sizeof(*r);
	struct mt_term *to = arena_alloc(mem, (na + nr + 1) * sizeof(*to));

	*n = 0;
	for (size_t i = 0; i < nr; i++) {
		while (na > 0 && a->at < r[i].at) {
			to[(*n)++] = *a++;
			na--;
		}
		if (!is_touched(speakers, &r[i]))
			to[(*n)++] = r[i];
	}
	while (na-- > 0)
		to[(*n)++] = *a++;
	return to;
}

const struct mt_term *
names_terms(struct arena *mem, const char *from, const struct list *speakers,
    const char *text, size_t *n)
{
	struct words *t = arena_alloc(mem, sizeof(*t));
	struct buf known = { .mem = mem }, runs = { .mem = mem };

	*n = 0;
	t->text = text;
	if (!split(t))
		return NULL;
	find_speakers(&known, t, speakers);
	if (has_capitals(from) && has_small_words(t))
		find_runs(&runs, t);
	return merge(mem, &known, &runs, n);
}

bool
names_kept(const struct mt_term *names, size_t n, const char *to, const char *text)
{
	static const char *const keeps[] = { "en", "es", "fr", "it", "pt", "ca", "gl",
		"nl", "de", "sv", "da", "no" };
	size_t k = 0;

	while (k < sizeof(keeps) / sizeof(keeps[0]) && !lang_same_base(keeps[k], to))
		k++;
	if (k == sizeof(keeps) / sizeof(keeps[0]))
		return true;
	for (size_t i = 0; i < n; i++)
		if (strcasestr(text, names[i].target) == NULL)
			return false;
	return true;
}
