/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/repair.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/text.h"

#define WORDS 512 /* longest text in words; a longer one is unchanged */

/* A word, with the marks before and after it. */
struct word {
	const char *small;              /* in small letters, without marks */
	const char *head, *body, *tail; /* "¿", "Tengo", "," */
};

struct words {
	struct arena *mem;
	struct word w[WORDS];
	size_t n;
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *
small(struct arena *mem, const char *s)
{
	struct buf b = { .mem = mem };
	char to[4];
	uint32_t cp;

	while (*s != '\0') {
		s = text_next(s, &cp);
		buf_put(&b, to, text_put(to, text_small(cp)));
	}
	return buf_text(&b);
}

static struct word
read_word(struct arena *mem, const char *s, const char *end)
{
	const char *from = s, *to = s, *next;
	uint32_t cp;
	bool begun = false;
	struct word w;

	for (const char *at = s; at < end; at = next) {
		next = text_next(at, &cp);
		if (!text_is_word(cp))
			continue;
		if (!begun)
			from = at;
		begun = true;
		to = next;
	}
	w.head = arena_dup(mem, s, (size_t)(from - s));
	w.body = arena_dup(mem, from, (size_t)(to - from));
	w.tail = arena_dup(mem, to, (size_t)(end - to));
	w.small = small(mem, w.body);
	return w;
}

static struct words *
split(struct arena *mem, const char *s)
{
	struct words *t = arena_alloc(mem, sizeof(*t));

	t->mem = mem;
	while (*(s += strspn(s, " ")) != '\0') {
		size_t n = strcspn(s, " ");

		if (t->n == WORDS)
			return NULL;
		t->w[t->n++] = read_word(mem, s, s + n);
		s += n;
	}
	return t;
}

static const char *
join(const struct words *t)
{
	struct buf b = { .mem = t->mem };

	for (size_t i = 0; i < t->n; i++) {
		const struct word *w = &t->w[i];

		if (*w->head == '\0' && *w->body == '\0' && *w->tail == '\0')
			continue;
		buf_printf(
		    &b, "%s%s%s%s", b.len > 0 ? " " : "", w->head, w->body, w->tail);
	}
	return buf_text(&b);
}

static bool
is(const struct words *t, size_t i, const char *word)
{
	return i < t->n && strcmp(t->w[i].small, word) == 0;
}

static bool
is_any(const struct words *t, size_t i, const char *set)
{
	return i < t->n && text_has_word(set, t->w[i].small);
}

/* True if there is no mark between the i-th word and the next. */
static bool
goes_on(const struct words *t, size_t i)
{
	return i + 1 < t->n && *t->w[i].tail == '\0' && *t->w[i + 1].head == '\0';
}

/* Write the word with another text, and keep its capital. */
static void
put(struct words *t, size_t i, const char *text)
{
	struct word *w = &t->w[i];
	char title[4];
	uint32_t cp;
	bool upper;
	const char *rest;

	text_next(w->body, &cp);
	upper = text_is_upper(cp);
	w->small = text;
	w->body = text;
	if (upper && *text != '\0') {
		rest = text_next(text, &cp);
		w->body = arena_printf(t->mem, "%.*s%s",
		    (int)text_put(title, text_title(cp)), title, rest);
	}
}

static bool
ends(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n >= m && strcmp(s + n - m, tail) == 0;
}

static const char *
with_tail(struct arena *mem, const char *s, size_t off, const char *tail)
{
	return arena_printf(mem, "%.*s%s", (int)(strlen(s) - off), s, tail);
}

/* ---- to Spanish: "me dije" for "he told me" ---- */

/* Endings of the first person and the third, the longest first. */
static const struct ending {
	const char *first, *third;
} endings[] = {
	{ "duje", "dujo" },
	{ "dije", "dijo" },
	{ "traje", "trajo" },
	{ "puse", "puso" },
	{ "uve", "uvo" },
	{ "ise", "iso" },
	{ "hice", "hizo" },
	{ "upe", "upo" },
	{ "pude", "pudo" },
	{ "vine", "vino" },
	{ "jimos", "jeron" },
	{ "aímos", "ayeron" },
	{ "eímos", "eyeron" },
	{ "imos", "ieron" },
	{ "amos", "aron" },
	{ "emos", "en" },
	{ "aí", "ayó" },
	{ "eí", "eyó" },
	{ "í", "ió" },
	{ "digo", "dice" },
	{ "pido", "pide" },
	{ "hago", "hace" },
	{ "permito", "permite" },
	{ "sorprendo", "sorprende" },
	{ "quiero", "quiere" },
	{ "conozco", "conoce" },
	{ "parezco", "parece" },
	{ "sigo", "sigue" },
	{ "veo", "ve" },
	{ "oigo", "oye" },
	{ "doy", "da" },
	{ "enseño", "enseña" },
	{ "ayudo", "ayuda" },
	{ "muestro", "muestra" },
	{ "asomo", "asoma" },
	{ "pregunto", "pregunta" },
	{ "recuerdo", "recuerda" },
	{ "necesito", "necesita" },
	{ "llamo", "llama" },
	{ "dejo", "deja" },
	{ "cuesto", "cuesta" },
};
/*
 * Returns the third person; NULL for the future or an ambiguous form: "haré",
 * "preparé".
 */
static const char *const future[] = { "aré", "eré", "iré", "dré" };

static const char *
third_person(struct arena *mem, const char *verb)
{
	if (strcmp(verb, "fui") == 0)
		return "fue";
	if (strcmp(verb, "di") == 0)
		return "dio";
	if (strcmp(verb, "vi") == 0)
		return "vio";
	for (size_t i = 0; i < COUNT(endings); i++)
		if (ends(verb, endings[i].first))
			return with_tail(
			    mem, verb, strlen(endings[i].first), endings[i].third);
	for (size_t i = 0; i < COUNT(future); i++)
		if (ends(verb, future[i]))
			return NULL;
	if (ends(verb, "gué"))
		return with_tail(mem, verb, strlen("ué"), "ó");
	if (ends(verb, "qué") && strlen(verb) > strlen("qué"))
		return with_tail(mem, verb, strlen("qué"), "có");
	return ends(verb, "é") ? with_tail(mem, verb, strlen("é"), "ó") : NULL;
}

#define MYSELF " i i'm i've i'd i'll "
#define OURSELVES " we we're we've we'd we'll let "

/* True if the object at the i-th word has one of these subjects shortly before it. */
static bool
has_subject(const struct words *source, size_t i, const char *subjects)
{
	for (size_t k = i; k > 0 && i - k < 4; k--)
		if (is_any(source, k - 1, subjects))
			return true;
	return false;
}

/* The engine makes a verb agree with its object: "told us" becomes "nos dije". */
static void
mend_person(struct words *t, size_t i, const struct words *source, const char *subjects,
    const char *object)
{
	const char *verb = third_person(t->mem, t->w[i].small);

	for (size_t k = 0; verb != NULL && k < source->n; k++)
		if (is(source, k, object) && !has_subject(source, k, subjects)) {
			put(t, i, verb);
			return;
		}
}

/* ---- to Spanish: the other mistakes ---- */

#define NEGATIVES " no nunca jamás nadie nada ninguno ninguna ni sin tampoco apenas "
#define CLITICS " me te se lo la los las le les nos os "
/* Words that may be between a verb and its "nada". */
#define PERSONS " yo él ella usted nosotros ellos ellas ustedes y pero que si "
#define NO_VERB                                                                        \
	" de a sin para por con o y e u que como casi en sobre entre hasta desde "     \
	"pero si más "

/* "Tengo nada" lacks a "no" before the verb that begins its clause. */
static void
mend_negation(struct words *t, size_t i)
{
	size_t verb;

	if (i == 0 || !goes_on(t, i - 1) || is_any(t, i - 1, NO_VERB NEGATIVES))
		return;
	for (verb = i - 1; verb > 0 && is_any(t, verb - 1, CLITICS);)
		verb--;
	if (verb > 0 && goes_on(t, verb - 1) && !is_any(t, verb - 1, PERSONS))
		return;
	put(t, verb, arena_printf(t->mem, "no %s", t->w[verb].small));
}

/* A verb that the dictionary prefers, and the common verb for it. */
static const struct lexis {
	const char *of; /* the English verb's forms */
	const char *stem, *common;
	/* endings, and forms that are not the common verb's stem + ending */
	const char *other[9][2];
} verbs[] = {
	{ " work works worked working ", "obr", "trabaj", { { NULL } } },
	{ " show shows showed shown showing ", "asom", "mostr",
	    { { "o", "muestro" }, { "a", "muestra" }, { "as", "muestras" },
		{ "an", "muestran" }, { "e", "muestre" }, { "en", "muestren" },
		{ "es", "muestres" } } },
	{ " meet meets met meeting ", "cumpl", "conoc",
	    { { "ir", "conocer" }, { "o", "conozco" }, { "a", "conozca" },
		{ "an", "conozcan" }, { "amos", "conozcamos" } } },
};
#define ENDINGS                                                                           \
	" ar amos áis é aste ó asteis aron ado ando aba abas ábamos aban aré arás " \
	"ará aremos arán aría arías aríamos arían ara aran emos ados ada adas í "  \
	"iste ió imos ieron ido iendo ía íamos ían e en es o a as an "
/* Forms that are also nouns: "obra" is a work of art. */
#define NOUNS " o a as e es "

static const char *
common_verb(struct arena *mem, const struct lexis *v, const char *word, bool noun)
{
	const char *ending = word + strlen(v->stem);

	if (strncmp(word, v->stem, strlen(v->stem)) != 0 ||
	    (noun && text_has_word(NOUNS, ending)))
		return NULL;
	for (size_t i = 0; i < COUNT(v->other) && v->other[i][0] != NULL; i++)
		if (strcmp(ending, v->other[i][0]) == 0)
			return v->other[i][1];
	return text_has_word(ENDINGS, ending)
		   ? arena_printf(mem, "%s%s", v->common, ending)
		   : NULL;
}

/* After these words "obra" is a work of art. */
#define ARTICLES                                                                       \
	" el la los las un una unos unas de en mi tu su sus mis esta este estas "      \
	"estos "                                                                       \
	"aquella nuestra nuestras cada otra otras primera última gran "

static bool
has_any(const struct words *t, const char *set)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_any(t, i, set))
			return true;
	return false;
}

static void
mend_verb(struct words *t, size_t i, const struct words *source)
{
	bool noun = i > 0 && is_any(t, i - 1, ARTICLES);

	for (size_t k = 0; k < COUNT(verbs); k++) {
		const char *verb = common_verb(t->mem, &verbs[k], t->w[i].small, noun);

		if (verb != NULL && has_any(source, verbs[k].of)) {
			put(t, i, verb);
			return;
		}
	}
}

/* "de les": the pronoun of a verb after a preposition. */
static void
mend_pronoun(struct words *t, size_t i)
{
	bool last = !goes_on(t, i);

	if (!is_any(t, i - 1, " de a para por con sin sobre en entre hacia "))
		return;
	if (is(t, i, "les"))
		put(t, i, "ellos");
	else if (last && is(t, i, "lo"))
		put(t, i, "eso");
	else if (last && is(t, i, "nos"))
		put(t, i, "nosotros");
}

/* "de el" and "a el" become one word, except before a name ("El País"). */
static void
mend_article(struct words *t, size_t i)
{
	static const char nothing[] = "";

	if (!goes_on(t, i) || strcmp(t->w[i + 1].body, "el") != 0)
		return;
	put(t, i, is(t, i, "de") ? "del" : "al");
	t->w[i].tail = t->w[i + 1].tail;
	t->w[i + 1] = (struct word){ nothing, nothing, nothing, nothing };
}

static void
mend_century(struct words *t, size_t i)
{
	struct word *w = &t->w[i];
	char *upper;

	if (w->body[0] == '\0' || w->body[strspn(w->body, "ivxIVX")] != '\0')
		return;
	upper = arena_str(t->mem, w->body);
	for (char *s = upper; *s != '\0'; s++)
		*s = (char)toupper((unsigned char)*s);
	w->body = upper;
}

/* Words that no talk uses, and the common words for them. */
static const struct plain {
	const char *word, *plain;
	const char *of; /* the source has one of these; NULL: not needed */
} plain_words[] = {
	{ "aquello", "eso", NULL },
	{ "aquel", "ese", NULL },
	{ "aquella", "esa", NULL },
	{ "aquellos", "esos", NULL },
	{ "aquellas", "esas", NULL },
	{ "vuestro", "su", " your " },
	{ "vuestra", "su", " your " },
	{ "vuestros", "sus", " your " },
	{ "vuestras", "sus", " your " },
	{ "tu", "su", " your " },
	{ "tus", "sus", " your " },
};

static void
mend_register(struct words *t, size_t i, const struct words *source)
{
	for (size_t k = 0; k < COUNT(plain_words); k++)
		if (is(t, i, plain_words[k].word) &&
		    (plain_words[k].of == NULL || has_any(source, plain_words[k].of))) {
			put(t, i, plain_words[k].plain);
			return;
		}
	/* "noventa y un." */
	if (i > 0 && is(t, i, "un") && is(t, i - 1, "y") && !goes_on(t, i))
		put(t, i, "uno");
}

static void
mend_spanish(struct words *t, const struct words *source)
{
	for (size_t i = 0; i < t->n; i++) {
		mend_verb(t, i, source);
		mend_register(t, i, source);
		if (i > 0 && goes_on(t, i - 1))
			mend_pronoun(t, i);
		if (is_any(t, i, " nada nadie "))
			mend_negation(t, i);
		if (is_any(t, i, " de a "))
			mend_article(t, i);
		if (i > 0 && is(t, i - 1, "siglo"))
			mend_century(t, i);
		if (i > 0 && is(t, i - 1, "me") && goes_on(t, i - 1))
			mend_person(t, i, source, MYSELF, "me");
		if (i > 0 && is(t, i - 1, "nos") && goes_on(t, i - 1))
			mend_person(t, i, source, OURSELVES, "us");
	}
}

/* ---- to English: persons ---- */

/*
 * Verbs whose subject is a person. Spanish leaves the subject out, and the engine
 * writes "it".
 */
#define PERSONAL                                                                       \
	" asked asks said says wrote writes told tells thought thinks wanted wants "   \
	"knew knows believed believes decided explained answered studied lives lived " \
	"spoke speaks "
#define DONE                                                                           \
	" asked said written told thought wanted known decided explained answered "    \
	"studied lived spoken read "

static void
mend_person_in_english(struct words *t, size_t i)
{
	if (is_any(t, i + 1, PERSONAL) ||
	    (is_any(t, i + 1, " has had ") && is_any(t, i + 2, DONE)) ||
	    (is(t, i + 1, "was") && is(t, i + 2, "born")))
		put(t, i, "he");
}

/* ---- to English: questions ---- */

#define SUBJECTS                                                                       \
	" i you he she it we they there somebody someone anybody anyone everybody "    \
	"everyone nobody this that "
#define AUXILIARIES                                                                    \
	" is are was were am can could will would should must may might has have had " \
	"does do did "
#define ASKING " what where when why how who which "

static void
swap(struct words *t, size_t i, size_t k)
{
	struct word a = t->w[i], b = t->w[k];
	const char *first = b.small, *second = a.small;

	if (strcmp(second, "i") == 0)
		second = "I";
	if (strcmp(first, "i") == 0)
		first = "I";
	put(t, i, first);
	t->w[k].body = second;
	t->w[k].small = small(t->mem, second);
}

/*
 * "They can see it?" and "Where it is the room?": the verb must come before its
 * subject.
 */
static void
mend_question(struct words *t, size_t from, size_t end)
{
	size_t i = from;

	if (i < end && is_any(t, i, ASKING) && goes_on(t, i))
		i++;
	if (i + 2 >= end || !goes_on(t, i) || !is_any(t, i, SUBJECTS) ||
	    !is_any(t, i + 1, AUXILIARIES))
		return;
	/* "has a question", "does it": here it is a full verb */
	if (is_any(t, i + 1, " has have had do did does ") &&
	    is_any(t, i + 2, " a an the some any to my your his her their our "))
		return;
	if (i > from && is(t, i, "it") && is_any(t, i + 1, " is was ") &&
	    is_any(t, i + 2, " the a my your his her their our ")) {
		put(t, i, t->w[i + 1].small); /* the subject already follows the verb */
		t->w[i + 1] = (struct word){ "", "", "", "" };
		return;
	}
	swap(t, i, i + 1);
}

static void
mend_english(struct words *t)
{
	size_t from = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (is(t, i, "it") && goes_on(t, i))
			mend_person_in_english(t, i);
		if (strpbrk(t->w[i].tail, ".?!") == NULL)
			continue;
		for (size_t k = i; k > from && strchr(t->w[i].tail, '?') != NULL; k--)
			if (strchr(t->w[k - 1].tail, ',') != NULL) {
				from = k;
				break;
			}
		if (strchr(t->w[i].tail, '?') != NULL)
			mend_question(t, from, i + 1);
		from = i + 1;
	}
}

const char *
repair(struct arena *mem, const char *from, const char *source, const char *to,
    const char *text)
{
	bool spanish = lang_same_base("es", to) && lang_same_base("en", from);
	bool english = lang_same_base("en", to) && lang_same_base("es", from);
	struct words *t = spanish || english ? split(mem, text) : NULL;
	struct words *s = spanish ? split(mem, source) : NULL;

	if (t == NULL || (spanish && s == NULL))
		return text;
	if (spanish)
		mend_spanish(t, s);
	else
		mend_english(t);
	return join(t);
}
