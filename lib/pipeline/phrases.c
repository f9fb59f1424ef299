/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/phrases.h"

#include <pthread.h>
#include <string.h>

#include "base/lang.h"
#include "pipeline/glossary.h"
#include "pipeline/phrases_list.h"
#include "pipeline/phrases_sentences.h"

/* clang-format off */
/*
 * Phrases from Spanish to English. An opening stands at the beginning of a sentence or
 * after a comma.
 */
enum { WITHIN, OPENING };

static const struct spanish_phrase {
	const char *es, *en;
} spanish_phrases[][100] = {
	[WITHIN] = {
		{ "por favor", "please" }, { "gracias", "thank you" },
		{ "muchas gracias", "thank you very much" },
		{ "gracias por su", "thank you for your" },
		{ "gracias por el", "thank you for the" },
		{ "gracias por la", "thank you for the" },
		{ "gracias por los", "thank you for the" },
		{ "gracias por las", "thank you for the" },
		{ "gracias por todo", "thank you for everything" },
		{ "gracias por venir", "thank you for coming" },
		{ "muchas gracias por venir", "thank you very much for coming" },
		{ "gracias por estar aquí", "thank you for being here" },
		{ "esto importa", "this matters" }, { "no importa", "it does not matter" },
		{ "gracias por su atención", "thank you for your attention" },
		{ "gracias por su ayuda", "thank you for your help" },
		{ "gracias a", "thanks to" }, { "gracias a todos", "thank you all" },
		{ "dar las gracias a", "thank" },
		{ "buenos días a todos", "good morning, everyone" },
		{ "buenas tardes a todos", "good afternoon, everyone" },
		{ "buenas noches", "good evening" },
		{ "bienvenidos a", "welcome to" }, { "bienvenidas a", "welcome to" },
		{ "bienvenidos a todos", "welcome, everyone" },
		{ "señoras y señores", "ladies and gentlemen" },
		{ "me gustaría", "I would like to" },
		{ "nos gustaría", "we would like to" },
		{ "me gusta", "I like" }, { "nos gusta", "we like" },
		{ "no me gusta", "I don't like" },
		{ "me gustan", "I like" }, { "nos gustan", "we like" },
		{ "me llamo", "my name is" },
		{ "lo siento", "I'm sorry" }, { "lo siento mucho", "I'm very sorry" },
		{ "de nada.", "you're welcome." },
		{ "voy a", "I am going to" }, { "vamos a", "we are going to" },
		{ "no todos", "not all" }, { "no todas", "not all" },
		{ "ninguno de los dos", "neither of the two" },
		{ "la mitad de los", "half of the" }, { "la mitad de las", "half of the" },
		{ "la mitad de la", "half of the" }, { "la mitad del", "half of the" },
		{ "se trata de", "it is about" }, { "trata de la", "is about the" },
		{ "trata del", "is about the" }, { "trata sobre", "is about" },
		{ "por eso", "that is why" }, { "por supuesto", "of course" },
		{ "por ejemplo", "for example" }, { "por ciento", "percent" },
		{ "en primer lugar", "first of all" }, { "sobre todo", "above all" },
		{ "sin embargo", "however" },
		{ "estoy de acuerdo", "I agree" },
		{ "no estoy de acuerdo", "I don't agree" },
		{ "como pueden ver", "as you can see" }, { "como saben", "as you know" },
		{ "como ven", "as you can see" }, { "como ustedes saben", "as you know" },
		{ "si tienen alguna pregunta", "if you have any questions" },
		{ "cuanto más", "the more" }, { "cuanto menos", "the less" },
		{ "no hay", "there is no" },
		{ "que tengan un buen día", "have a nice day" },
		{ "hasta mañana", "see you tomorrow" }, { "hasta luego", "see you later" },
		{ "nos vemos", "see you" }, { "ponente", "speaker" },
		{ "ponentes", "speakers" }, { "diapositiva", "slide" },
		{ "diapositivas", "slides" },
		{ "levanten la mano", "raise your hand" },
		{ NULL, NULL },
	},
	[OPENING] = {
		{ "¿pueden", "can you" }, { "¿puede", "can you" },
		{ "¿podrían", "could you" }, { "¿podría", "could you" },
		{ "¿puedo", "can I" }, { "¿podemos", "can we" },
		{ "¿tienen", "do you have" }, { "¿tiene", "do you have" },
		{ "¿quieren", "do you want" }, { "¿quiere", "do you want" },
		{ "¿saben", "do you know" }, { "¿sabe", "do you know" },
		{ "¿conocen", "do you know" }, { "¿creen", "do you think" },
		{ "¿van a", "are you going to" }, { "¿me oyen", "can you hear me" },
		{ "¿hay", "is there" }, { "¿hay algún", "is there any" },
		{ "¿hay algún otro", "is there any other" },
		{ "¿hay alguna", "is there any" }, { "¿hay alguna otra", "is there any other" },
		{ "¿hay preguntas", "are there any questions" },
		{ "¿alguna pregunta", "any questions" },
		{ "¿alguien tiene", "does anyone have" },
		{ "¿alguien quiere", "does anyone want" },
		{ "¿alguien sabe", "does anyone know" },
		{ "¿alguien puede", "can anyone" },
		{ "¿dónde está", "where is" }, { "¿dónde están", "where are" },
		{ "¿qué es", "what is" }, { "¿cuál es", "what is" },
		{ "¿qué hora es", "what time is it" },
		{ "¿cuánto cuesta", "how much is" },
		{ "¿cómo se llama usted", "what is your name" },
		{ "¿cuánto tiempo llevan", "how long have you been" },
		{ "¿cuánto tiempo lleva", "how long have you been" },
		{ "miren", "look at" }, { "vean", "see" }, { "escuchen", "listen" },
		{ "recuerden", "remember" }, { "imaginen", "imagine" },
		{ "piensen en", "think about" }, { "apaguen", "turn off" },
		{ "apaguen sus", "turn off your" }, { "enciendan", "turn on" },
		{ "cierren", "close" }, { "abran", "open" }, { "esperen", "wait" },
		{ "tomen asiento", "take a seat" }, { "pongan", "put" },
		{ "vayan a", "go to" }, { "vengan a", "come to" }, { "usen", "use" },
		{ "hablen", "speak" }, { "dejen de", "stop" }, { "sigan", "follow" },
		{ "no toquen", "do not touch" }, { "no olviden", "do not forget" },
		{ "déjenme", "let me" }, { "permítanme", "let me" },
		{ "déjeme", "let me" }, { "permítame", "let me" },
		{ "veamos", "let us look at" }, { "empecemos", "let us begin" },
		{ "hablemos de", "let us talk about" }, { "pensemos en", "let us think about" },
		{ "pasemos a", "let us move on to" }, { "disculpen", "excuse me" },
		{ NULL, NULL },
	},
};
/* clang-format on */

static const struct glossary_target targets[] = { { .lang = "es" }, { .lang = "fr" },
	{ .lang = "it" }, { .lang = "pt" } };
#define TARGETS (sizeof(targets) / sizeof(targets[0]))

static const struct glossary_target english = { .lang = "en" };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct arena *all_mem; /* never freed */
/* Only read after they were built. */
static struct glossary_index *from_english, *from_spanish[OPENING + 1];

static void
put_row(struct buf *rows, const char *from, const char *to, const char *a,
    const char *b, bool phrase)
{
	const struct glossary_term row = { .type = GLOSSARY_TRANSLATION,
		.glossary = "",
		.source = from,
		.target = to,
		.a = a,
		.b = b,
		.phrase = phrase };

	if (b != NULL)
		buf_put(rows, &row, sizeof(row));
}

static struct glossary_index *
index_of(const struct buf *rows, const char *from, const struct glossary_target *to,
    size_t n)
{
	const struct glossary_task task = {
		.source = from, .targets = to, .ntargets = n
	};
	bool truncated;

	return glossary_index_new(all_mem, &task, (const void *)rows->p,
	    rows->len / sizeof(struct glossary_term), &truncated);
}

static void
build(void)
{
	struct buf rows = { .mem = all_mem = arena_new() };

	for (const struct phrase *p = phrases_list; p->in[PHRASE_EN] != NULL; p++)
		for (size_t i = 0; i < TARGETS && p->kind != PHRASE_ALONE; i++)
			put_row(&rows, "en", targets[i].lang, p->in[PHRASE_EN],
			    p->in[PHRASE_ES + i], p->kind != PHRASE_NOUN);
	from_english = index_of(&rows, "en", targets, TARGETS);
	for (int i = WITHIN; i <= OPENING; i++) {
		rows = (struct buf){ .mem = all_mem };
		for (const struct spanish_phrase *p = spanish_phrases[i]; p->es != NULL;
		     p++)
			put_row(&rows, "es", "en", p->es, p->en, true);
		from_spanish[i] = index_of(&rows, "es", &english, 1);
	}
}

/* The language of the table that matches a target; NULL: none does. */
static const char *
target_for(const char *to)
{
	for (size_t i = 0; i < TARGETS; i++)
		if (lang_same_base(targets[i].lang, to))
			return targets[i].lang;
	return NULL;
}

void
phrases_add(
    struct arena *mem, struct mt_text *t, const struct mt_term *phrases, size_t n)
{
	struct mt_term *to = arena_alloc(mem, (t->nterms + n + 1) * sizeof(*to));
	size_t nto = 0, i = 0, end = 0;

	for (size_t k = 0; k < n; k++) {
		while (
		    i < t->nterms && t->terms[i].at < phrases[k].at + phrases[k].len) {
			end = t->terms[i].at + t->terms[i].len;
			to[nto++] = t->terms[i++];
		}
		if (phrases[k].at >= end)
			to[nto++] = phrases[k];
	}
	while (i < t->nterms)
		to[nto++] = t->terms[i++];
	t->terms = to;
	t->nterms = nto;
}

/* ---- words that are verbs here, and phrases that are a subject ---- */

#define AUXILIARIES                                                                    \
	" to can can't cannot could couldn't must will won't would should may might "  \
	"not don't always "
#define SUBJECTS " i you we they "
#define OBJECTS                                                                        \
	" everyone everybody anyone anybody nobody you him her them us me all the a "  \
	"an your my our their his every both some "

static bool
is_in(const char *set, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = set; n > 0 && (s = strcasestr(s, word)) != NULL; s++)
		if (s > set && s[-1] == ' ' && s[n] == ' ')
			return true;
	return false;
}

static const char *
word_before(struct arena *mem, const char *text, size_t at)
{
	size_t end = at;

	while (end > 0 && text[end - 1] == ' ')
		end--;
	for (at = end; at > 0 && text[at - 1] != ' ';)
		at--;
	return arena_dup(mem, text + at, end - at);
}

static const char *
word_behind(struct arena *mem, const char *text, size_t at)
{
	const char *s = text + at + strspn(text + at, " ");

	return arena_dup(mem, s, strcspn(s, " ,.;:?!"));
}

/*
 * True if the words are a verb or its subject at this place and therefore no phrase:
 * "You cannot please everyone", "we question this", "Thank you is not enough".
 */
/* True at the beginning of a sentence, and after a punctuation mark or an "and". */
static bool
is_opening(struct arena *mem, const char *text, size_t at)
{
	const char *before = word_before(mem, text, at);
	size_t n = strlen(before);

	return n == 0 || strchr(",.:;?!\"", before[n - 1]) != NULL ||
	       is_in(" and y so but pero please ", before);
}

static bool
is_verb(struct arena *mem, const char *text, const struct mt_term *t)
{
	const char *own = arena_dup(mem, text + t->at, t->len);
	const char *before = word_before(mem, text, t->at);
	const char *behind = word_behind(mem, text, t->at + t->len);
	bool starts = is_in(AUXILIARIES, before);

	if (strcasecmp(own, "thank you") == 0)
		return is_in(" is isn't was wasn't will won't can can't cannot does "
			     "doesn't means ",
		    behind);
	if (strcasecmp(own, "please") == 0)
		return starts && is_in(OBJECTS, behind);
	if (strcasecmp(own, "welcome") == 0)
		return starts || is_in(SUBJECTS " are is be warmly ", before);
	/* "what would you do", "the last week of May" */
	if (strcasecmp(own, "would you") == 0 || strcasecmp(own, "could you") == 0 ||
	    strcasecmp(own, "is there a") == 0 || strcasecmp(own, "are there") == 0)
		return !is_opening(mem, text, t->at);
	if (strncasecmp(own, "last ", 5) == 0 || strncasecmp(own, "next ", 5) == 0)
		return is_in(" the our my your his her their its ", before) ==
		       (strcasestr(own, " time") == NULL);
	if (strcasecmp(own, "half of") == 0)
		return is_in(
		    " a one the first second last other this that my your our ",
		    before);
	if (is_in(" question slide abstract stage ", own))
		return starts || is_in(SUBJECTS, before);
	return is_in(" questions slides ", own) && is_in(" he she it ", before);
}

static const struct mt_term *
without_verbs(
    struct arena *mem, const char *text, const struct mt_term *phrases, size_t *n)
{
	struct mt_term *to = arena_alloc(mem, (*n + 1) * sizeof(*to));
	size_t found = *n;

	*n = 0;
	for (size_t i = 0; i < found; i++)
		if (!is_verb(mem, text, &phrases[i]))
			to[(*n)++] = phrases[i];
	return to;
}

static void
add_spanish(struct arena *mem, struct mt_text *t)
{
	size_t n, kept = 0;
	const struct mt_term *found =
	    glossary_terms(from_spanish[OPENING], mem, "es", "en", t->text, &n);
	struct mt_term *openings = arena_alloc(mem, (n + 1) * sizeof(*openings));

	for (size_t i = 0; i < n; i++)
		if (is_opening(mem, t->text, found[i].at))
			openings[kept++] = found[i];
	phrases_add(mem, t, openings, kept);
	found = glossary_terms(from_spanish[WITHIN], mem, "es", "en", t->text, &n);
	phrases_add(mem, t, found, n);
}

enum err
phrases_translate(const struct mt_engine *e, const struct engine_at *at,
    struct arena *mem, const struct mt_text *text, const char **out, bool *guarded)
{
	const char *target = target_for(text->to);
	struct mt_text t = *text;
	const struct mt_term *phrases;
	enum err err;
	size_t n;

	pthread_once(&once, build);
	if (!e->phrases)
		return phrases_by_sentences(e, at, mem, text, out, guarded);
	if (lang_same_base("en", t.from) && target != NULL) {
		phrases = glossary_terms(from_english, mem, "en", target, t.text, &n);
		phrases = without_verbs(mem, t.text, phrases, &n);
		phrases_add(mem, &t, phrases, n);
	} else if (lang_same_base("es", t.from) && lang_same_base("en", t.to))
		add_spanish(mem, &t);
	if (t.nterms == text->nterms)
		return mt_translate(e, at, mem, text, out, guarded);
	err = mt_translate(e, at, mem, &t, out, guarded);
	if (err != OK || *guarded)
		return err;
	/* a term was lost: try again with the terms of the task only */
	*guarded = text->nterms == 0;
	return *guarded ? OK : mt_translate(e, at, mem, text, out, guarded);
}
