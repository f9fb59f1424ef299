/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/english_fixed.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define MONTHS                                                                         \
	" january february march april may june july august september october "        \
	"november december "
#define DAYS " monday tuesday wednesday thursday friday saturday sunday "
#define NUMBERS                                                                        \
	" two three four five six seven eight nine ten twelve fifteen twenty thirty "  \
	"forty fifty hundred thousand "
#define DIGITS " # "
#define END " . "
#define INVERTED " do does did are is can could will would should must was were "
#define AFTER_THAT                                                                     \
	" from to by with of about once in on at for when because and but so again "   \
	"today now "
#define AFTER_THIS " from to by with of about once " EVERY
#define EVERY " every in on at for when because and but so again today now "
#define NAME " ^ "

/*
 * Small words that the engine gets wrong.  `next`: the word after must be one of
 * these; "#" stands for digits, "^" for a
 * capital, "." for the end of the clause, NULL for anything.
 * `put`: the words for the engine, NULL: the same.
 */
static const struct fixed {
	const char *words, *put, *target;
	const char *next, *before;
	enum { ANYWHERE, STATEMENT, QUESTION, WITHIN, START } where;
} fixed[] = {
	{ "that is why", "therefore", "por eso", NULL, NULL, ANYWHERE },
	{ "this is why", "therefore", "por eso", NULL, NULL, ANYWHERE },
	{ "which is why", "therefore", "por eso", NULL, NULL, ANYWHERE },
	{ "out of", "of", "de cada", NUMBERS DIGITS, NULL, WITHIN },
	{ "for free", "freely", "gratis", NULL, NULL, ANYWHERE },
	{ "all of you", "people", "todos ustedes", NULL, NULL, ANYWHERE },
	{ "all of us", "people", "todos nosotros", NULL, NULL, ANYWHERE },
	{ "all of them", "people", "todos ellos", NULL, NULL, ANYWHERE },
	{ "both of them", "people", "los dos", NULL, NULL, ANYWHERE },
	{ "both of us", "people", "los dos", NULL, NULL, ANYWHERE },
	{ "most of us", "people", "la mayoría de nosotros", NULL, NULL, ANYWHERE },
	{ "most of you", "people", "la mayoría de ustedes", NULL, NULL, ANYWHERE },
	{ "most of them", "people", "la mayoría de ellos", NULL, NULL, ANYWHERE },
	{ "some of you", "people", "algunos de ustedes", NULL, NULL, ANYWHERE },
	{ "some of us", "people", "algunos de nosotros", NULL, NULL, ANYWHERE },
	{ "some of them", "people", "algunos de ellos", NULL, NULL, ANYWHERE },
	{ "many of you", "people", "muchos de ustedes", NULL, NULL, ANYWHERE },
	{ "many of us", "people", "muchos de nosotros", NULL, NULL, ANYWHERE },
	{ "many of them", "people", "muchos de ellos", NULL, NULL, ANYWHERE },
	{ "how many of you", "who", "cuántos de ustedes", NULL, NULL, ANYWHERE },
	{ "how many of us", "who", "cuántos de nosotros", NULL, NULL, ANYWHERE },
	{ "how many of them", "who", "cuántos de ellos", NULL, NULL, ANYWHERE },
	{ "half of that", "that", "la mitad de eso", NULL, NULL, ANYWHERE },
	{ "half of this", "this", "la mitad de esto", NULL, NULL, ANYWHERE },
	{ "half of it", "this", "la mitad", NULL, NULL, ANYWHERE },
	{ "half of them", "people", "la mitad de ellos", NULL, NULL, ANYWHERE },
	{ "half of us", "people", "la mitad de nosotros", NULL, NULL, ANYWHERE },
	{ "half of you", "people", "la mitad de ustedes", NULL, NULL, ANYWHERE },
	{ "each of you", "people", "cada uno de ustedes", NULL, NULL, ANYWHERE },
	{ "each of us", "people", "cada uno de nosotros", NULL, NULL, ANYWHERE },
	{ "each of them", "people", "cada uno de ellos", NULL, NULL, ANYWHERE },
	{ "the others", "they", "los demás", NULL, NULL, ANYWHERE },
	{ "on the left", "here", "a la izquierda", NULL, NULL, ANYWHERE },
	{ "on the right", "here", "a la derecha", NULL, NULL, ANYWHERE },
	{ "on your left", "here", "a su izquierda", NULL, NULL, ANYWHERE },
	{ "on your right", "here", "a su derecha", NULL, NULL, ANYWHERE },
	{ "every single", "every", "cada", NULL, NULL, ANYWHERE },
	{ "a month", "monthly", "al mes", NULL,
	    " euros dollars pounds hours times once twice people days # kilos tonnes ",
	    WITHIN },
	{ "a year", "yearly", "al año", NULL,
	    " euros dollars pounds hours times once twice people days # kilos tonnes "
	    "million ",
	    WITHIN },
	{ "a week", "weekly", "a la semana", NULL,
	    " euros dollars pounds hours times once twice people days # kilos tonnes ",
	    WITHIN },
	{ "a day", "daily", "al día", NULL,
	    " euros dollars pounds hours times once twice people days # kilos tonnes "
	    "litres ",
	    WITHIN },
	{ "an hour", "hourly", "por hora", NULL,
	    " euros dollars pounds kilometres miles people # ", WITHIN },
	{ "per year", "yearly", "al año", NULL, NULL, ANYWHERE },
	{ "and year", NULL, "y año", NULL, " person ", WITHIN },
	{ "since", "from", "desde", MONTHS DAYS DIGITS " last this then yesterday ",
	    NULL, ANYWHERE },
	{ "until", "to", "hasta",
	    MONTHS DAYS DIGITS NUMBERS
	    " the now last this next then tomorrow today noon midnight ",
	    NULL, ANYWHERE },
	{ "till", "to", "hasta",
	    MONTHS DAYS DIGITS NUMBERS
	    " the now last this next then tomorrow today noon midnight ",
	    NULL, ANYWHERE },
	{ "since march", "then", "desde marzo", NULL, NULL, ANYWHERE },
	{ "until march", "then", "hasta marzo", NULL, NULL, ANYWHERE },
	{ "in march", "then", "en marzo", NULL, NULL, ANYWHERE },
	{ "last march", "then", "en marzo pasado", NULL, NULL, ANYWHERE },
	{ "in may", "then", "en mayo", NULL, NULL, ANYWHERE },
	{ "too long", "here", "demasiado tiempo", NULL, NULL, WITHIN },
	{ "before", "now", "antes", END, NULL, WITHIN },
	{ "on paper", "here", "en papel", NULL, NULL, ANYWHERE },
	{ "what surprised me most", "this", "lo que más me sorprendió", NULL, NULL,
	    ANYWHERE },
	{ "what surprised us most", "this", "lo que más nos sorprendió", NULL, NULL,
	    ANYWHERE },
	{ "upstairs", "here", "de arriba", NULL, " room rooms office offices hall ",
	    WITHIN },
	{ "downstairs", "here", "de abajo", NULL, " room rooms office offices hall ",
	    WITHIN },
	{ "before", "from", "antes del", DAYS, NULL, ANYWHERE },
	{ "before", "from", "antes de", MONTHS DIGITS " noon midnight ", NULL,
	    ANYWHERE },
	{ "near", "in", "cerca de", NAME, NULL, WITHIN },
	{ "near", "in", "cerca de", " the this that my your our his her their a an ",
	    NULL, ANYWHERE },
	{ "left", "more", "más", END,
	    " money minutes hours days seats places euros questions weeks months years "
	    "time "
	    "tickets minute hour day ",
	    WITHIN },
	{ "in the north of", "in", "en el norte de", NULL, NULL, ANYWHERE },
	{ "in the south of", "in", "en el sur de", NULL, NULL, ANYWHERE },
	{ "in the east of", "in", "en el este de", NULL, NULL, ANYWHERE },
	{ "in the west of", "in", "en el oeste de", NULL, NULL, ANYWHERE },
	{ "thank you all for coming", "thanks", "gracias a todos por venir", NULL, NULL,
	    ANYWHERE },
	{ "thank you all", "thanks", "gracias a todos", NULL, NULL, ANYWHERE },
	{ "thank you everyone", "thanks", "gracias a todos", NULL, NULL, ANYWHERE },
	{ "i am sorry", "now", "lo siento", NULL, NULL, ANYWHERE },
	{ "we are sorry", "now", "lo sentimos", NULL, NULL, ANYWHERE },
	{ "i am so sorry", "now", "lo siento mucho", NULL, NULL, ANYWHERE },
	{ "i am very sorry", "now", "lo siento mucho", NULL, NULL, ANYWHERE },
	{ "good luck", "luck", "buena suerte", NULL, NULL, ANYWHERE },
	{ "see you", "we know", "nos vemos", NULL, NULL, START },
	{ "first", "now", "primero", END, NULL, WITHIN },
	{ "who", NULL, "quién", NULL,
	    " know knows knew ask asked see wonder decide tell remember forget and "
	    "said about ",
	    WITHIN },
	{ "a quarter of", "part of", "una cuarta parte de", NULL, NULL, ANYWHERE },
	{ "1st time", "city", "primera vez", NULL, NULL, ANYWHERE },
	{ "2nd time", "city", "segunda vez", NULL, NULL, ANYWHERE },
	{ "3rd time", "city", "tercera vez", NULL, NULL, ANYWHERE },
	{ "thank you for listening", "thanks", "gracias por escuchar", NULL, NULL,
	    ANYWHERE },
	{ "sorry", "now", "perdón", END, NULL, START },
	{ "how old", "how many years", "cuántos años", NULL, NULL, ANYWHERE },
	{ "pupils", "students", "alumnos", NULL, NULL, WITHIN },
	{ "pupil", "student", "alumno", NULL, NULL, WITHIN },
	{ "whose fault it is", "that", "de quién es la culpa", NULL, NULL, ANYWHERE },
	{ "a bit", "some", "un poco", NULL, NULL, WITHIN },
	{ "about us", "here", "sobre nosotros", NULL, NULL, WITHIN },
	{ "about me", "here", "sobre mí", NULL, NULL, WITHIN },
	{ "about him", "here", "sobre él", NULL, NULL, WITHIN },
	{ "about them", "here", "sobre ellos", NULL, NULL, WITHIN },
	{ "about it", "here", "sobre eso", NULL, NULL, WITHIN },
	{ "that is right", "yes", "así es", NULL, NULL, ANYWHERE },
	{ "so", NULL, "así que", EN_SUBJECTS " if when ", NULL, START },
	{ "until", "when", "hasta que", EN_SUBJECTS, NULL, ANYWHERE },
	{ "out of work", "here", "sin trabajo", NULL, NULL, ANYWHERE },
	{ "short story", "story", "historia corta", NULL, NULL, ANYWHERE },
	{ "short stories", "stories", "historias cortas", NULL, NULL, ANYWHERE },
	{ "main hall", "room", "sala principal", NULL, NULL, ANYWHERE },
	{ "this is", "he is", "este es", NAME, NULL, ANYWHERE },
	{ "who", NULL, "que", NULL, NULL, WITHIN },
	{ "when", NULL, "cuándo", NULL, NULL, QUESTION },
	{ "when", NULL, "cuando", NULL, NULL, STATEMENT },
	{ "what", NULL, "qué", " to ", NULL, ANYWHERE },
	{ "what", NULL, "lo que", NULL, NULL, STATEMENT },
	{ "how to", "how to", "cómo", NULL, NULL, STATEMENT },
	{ "this", NULL, "esto", END, NULL, ANYWHERE },
	{ "that", NULL, "eso", END, NULL, ANYWHERE },
	{ "this", NULL, "esto", AFTER_THIS, NULL, WITHIN },
	{ "that", NULL, "eso", AFTER_THAT, NULL, WITHIN },
	{ "too", "also", "también", END, NULL, WITHIN },
	{ "as well", "also", "también", END, NULL, WITHIN },
	{ "a little", "some", "un poco de",
	    " patience help time money water luck more courage work practice salt "
	    "sugar bit ",
	    NULL, ANYWHERE },
	{ "a bit of", "some", "un poco de", NULL, NULL, ANYWHERE },
	{ "only", NULL, "solo", NULL, NULL, ANYWHERE },
	{ "just", "only", "solo",
	    EN_DETERMINERS DIGITS NUMBERS " like for to in at on by with ", NULL,
	    ANYWHERE },
	{ "years old", "years", "años", NULL, NULL, WITHIN },
	{ "yet", NULL, "todavía", END, NULL, WITHIN },
	{ "at all", "here", "en absoluto", NULL, NULL, WITHIN },
	{ "right now", "now", "ahora mismo", NULL, NULL, ANYWHERE },
	{ "so far", "now", "hasta ahora", NULL, NULL, ANYWHERE },
	{ "these days", "now", "hoy en día", NULL, NULL, ANYWHERE },
	{ "at least", "only", "al menos", NULL, NULL, ANYWHERE },
	{ "at home", "here", "en casa", NULL, NULL, ANYWHERE },
	{ "at work", "here", "en el trabajo", NULL, NULL, ANYWHERE },
	{ "at school", "here", "en la escuela", NULL, NULL, ANYWHERE },
	{ "in order to", "to", "para", NULL, NULL, WITHIN },
	{ "over there", "there", "allí", NULL, NULL, ANYWHERE },
	{ "what else", NULL, "qué más", NULL, NULL, ANYWHERE },
	{ "each other", "here", "mutuamente", NULL, NULL, WITHIN },
	{ "one another", "here", "mutuamente", NULL, NULL, WITHIN },
	{ "a lot", "here", "mucho",
	    END " about in on at when because and but from with for ", NULL, WITHIN },
	{ "lots of", "many", "muchos", NULL, NULL, ANYWHERE },
	{ "half an hour", "an hour", "media hora", NULL, NULL, ANYWHERE },
	{ "the only", NULL, "el único", END, NULL, ANYWHERE },
	{ "as soon as possible", "soon", "lo antes posible", NULL, NULL, ANYWHERE },
	{ "as soon as", "when", "en cuanto", NULL, NULL, ANYWHERE },
	{ "once", "when", "una vez que", EN_SUBJECTS, NULL, START },
	{ "so that", "because", "para que", NULL, NULL, WITHIN },
	{ "even though", "although", "aunque", NULL, NULL, ANYWHERE },
	{ "even if", "although", "aunque", NULL, NULL, ANYWHERE },
	{ "by the way", "now", "por cierto", NULL, NULL, ANYWHERE },
	{ "in the end", "now", "al final", NULL, NULL, ANYWHERE },
	{ "at the end", "now", "al final", NULL, NULL, ANYWHERE },
	{ "at the beginning", "now", "al principio", NULL, NULL, ANYWHERE },
	{ "at first", "now", "al principio", NULL, NULL, ANYWHERE },
	{ "at last", "now", "por fin", NULL, NULL, ANYWHERE },
	{ "in the morning", "now", "por la mañana", NULL, NULL, ANYWHERE },
	{ "in the afternoon", "now", "por la tarde", NULL, NULL, ANYWHERE },
	{ "in the evening", "now", "por la tarde", NULL, NULL, ANYWHERE },
	{ "at night", "now", "por la noche", NULL, NULL, ANYWHERE },
	{ "on time", "now", "a tiempo", NULL, NULL, ANYWHERE },
	{ "in time", "now", "a tiempo", NULL, NULL, ANYWHERE },
	{ "of course", "now", "por supuesto", NULL, NULL, ANYWHERE },
	{ "every day", "daily", "todos los días", NULL, NULL, ANYWHERE },
	{ "every year", "yearly", "todos los años", NULL, NULL, ANYWHERE },
	{ "every week", "weekly", "todas las semanas", NULL, NULL, ANYWHERE },
	{ "every month", "monthly", "todos los meses", NULL, NULL, ANYWHERE },
	{ "every morning", "daily", "todas las mañanas", NULL, NULL, ANYWHERE },
	{ "every night", "daily", "todas las noches", NULL, NULL, ANYWHERE },
	{ "tonight", NULL, "esta noche", NULL, NULL, ANYWHERE },
	{ "you", "them", "ustedes", NULL,
	    " of to from by with for about without between like than ", WITHIN },
};

/* True if the word after the i-th of the clause is of the set. */
static bool
fits(const struct english *e, size_t i, const char *set)
{
	const char *next = english_next(e, i);

	if (set == NULL)
		return true;
	if (*next == '\0')
		return text_has_word(set, ".");
	if (text_has_word(set, "^"))
		return isupper((unsigned char)e->words->text[e->w[i].at]) &&
		       strcmp(next, "i") != 0;
	return text_has_word(set, next) ||
	       (word_is_digits(next) && text_has_word(set, "#"));
}

static bool
stands(const struct english *e, size_t i, const struct fixed *f)
{
	bool starts = english_starts(e, i);

	if (f->before != NULL && (starts || !(english_is(e, i - 1, f->before) ||
						(word_is_digits(e->w[i - 1].s) &&
						    text_has_word(f->before, "#")))))
		return false;
	if (f->where == WITHIN)
		return i > 0 && (!starts || strcmp(f->words, "who") == 0) &&
		       !(strcmp(f->words, "who") == 0 && f->before == NULL &&
			   english_is(e, i - 1,
			       EN_PREPOSITIONS " know knows ask asked see and "));
	if (f->where == QUESTION)
		return starts && english_asks(e, i) &&
		       !english_is(e, i + 1, EN_SUBJECTS EN_DETERMINERS);
	if (f->where == START)
		return starts;
	if (strcmp(f->words, "what") == 0 && english_is(e, i + 1, INVERTED) &&
	    (starts || english_is(e, i - 1, " so and but then ")))
		return f->where == ANYWHERE;
	return f->where == ANYWHERE || !english_asks(e, i) ||
	       (!starts && !english_is(e, i - 1, " and so but ") &&
		   strcmp(f->words, "when") == 0);
}

size_t
english_has_words(const struct english *e, size_t i, const char *words)
{
	size_t n = 0;

	while (*words != '\0') {
		size_t k = strcspn(words, " ");
		const char *next = n == 0 ? english_at(e, i) : english_next(e, i + n);

		n++;
		if (strlen(next) != k || strncmp(next, words, k) != 0)
			return 0;
		words += k + (words[k] == ' ');
	}
	return n;
}

size_t
english_put_fixed(struct english *e, size_t i)
{
	const struct fixed *best = NULL;
	size_t most = 0, n;
	char *put;

	for (size_t k = 0; k < COUNT(fixed); k++)
		if ((n = english_has_words(e, i, fixed[k].words)) > most &&
		    fits(e, i + n, fixed[k].next) && stands(e, i, &fixed[k])) {
			best = &fixed[k];
			most = n;
		}
	if (best == NULL)
		return 0;
	put = best->put != NULL ? arena_str(e->words->mem, best->put)
				: arena_dup(e->words->mem, e->words->text + e->w[i].at,
				      e->w[i + most - 1].end - e->w[i].at);
	if (english_starts(e, i) && i == 0 && *put >= 'a' && *put <= 'z' &&
	    e->words->text[e->w[i].at] <= 'Z')
		*put = (char)(*put - 'a' + 'A');
	words_put_term(e->words, e->w[i].at, e->w[i + most - 1].end - e->w[i].at, put,
	    best->target);
	return most;
}
