/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/english_senses.h"

#include <string.h>

#include "base/text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- "ser" and "estar" ---- */

#define PLACES                                                                         \
	" in at near under behind inside outside upstairs downstairs away back "       \
	"between above across here there beside around among within with without "     \
	"against next out down up home "
#define STATES                                                                         \
	" ready tired busy sick ill sure happy sad angry worried married dead alive "  \
	"full empty closed open broken available lost alone proud glad pleased "       \
	"interested excited nervous surprised located connected prepared satisfied "   \
	"convinced based included missing asleep awake wrong sorry grateful "          \
	"delighted willing ashamed scared frightened confused involved committed "     \
	"aware safe fine okay ok better worse wet dry dirty clean drunk gone done "    \
	"finished ill pregnant present absent free responsible finished covered "      \
	"written made surrounded disappointed "
#define NO_STATES                                                                      \
	" free responsible written made better worse safe present clean dry open "
#define CALENDAR                                                                       \
	" monday tuesday wednesday thursday friday saturday sunday january february "  \
	"march april may june july august september october november december spring " \
	"summer autumn winter "
#define VERY                                                                           \
	" very so too still also not really quite now always never all more already "
#define NUMBERS                                                                        \
	" one two three four five six seven eight nine ten eleven twelve half noon "   \
	"midnight quarter "

bool
english_stays(const struct english *e, size_t i)
{
	const char *next, *then;

	while (text_has_word(VERY, english_next(e, i)))
		i++;
	next = english_next(e, i);
	then = english_next(e, i + 1);
	if (text_has_word(STATES, next))
		return !text_has_word(NO_STATES, next) || strcmp(next, "open") == 0;
	/* "is melting", a verb that is not in the list */
	if (strlen(next) > 5 && strcmp(next + strlen(next) - 3, "ing") == 0 &&
	    !text_has_word(" interesting surprising amazing boring exciting nothing "
			   "something anything everything evening morning building "
			   "worrying shocking convincing meeting challenging tiring ",
		next))
		return true;
	if (strcmp(next, "on") == 0)
		return !text_has_word(CALENDAR, then) &&
		       !(word_is_digits(then) ||
			   text_has_word(CALENDAR, english_next(e, i + 2)));
	if (!text_has_word(PLACES, next))
		return false;
	if (text_has_word(" at in ", next) &&
	    (word_is_digits(then) ||
		text_has_word(NUMBERS CALENDAR " spanish english ", then)))
		return false;
	return *then != '\0' || text_has_word(" here there home away back upstairs "
					      "downstairs inside outside out down up ",
				    next);
}

/* ---- persons and things ---- */

#define PERSONS                                                                        \
	" head chief people person man men woman women child children boy boys girl "  \
	"girls "                                                                       \
	"friend friends mother father parents brother sister son daughter wife "       \
	"husband doctor doctors nurse nurses patient patients teacher teachers "       \
	"student students pupil pupils farmer farmers engineer engineers worker "      \
	"workers employee employees colleague colleagues neighbour neighbours "        \
	"neighbor neighbors volunteer volunteers president mayor minister director "   \
	"manager speaker speakers team family families police boss customer "          \
	"customers client clients citizen citizens expert experts scientist "          \
	"scientists researcher researchers priest bishop pastor everyone everybody "   \
	"someone somebody nobody anyone anybody who others staff council company "     \
	"companies government committee uncle aunt grandmother grandfather guest "     \
	"guests driver drivers professor journalist artist artists player players "    \
	"member members visitor visitors refugee refugees we they you i he she baby "  \
	"many most some all both few "

bool
english_is_thing(const struct english *e, size_t i)
{
	struct english_subject s = english_subject(e, i);
	uint32_t cp;

	if (i == 0)
		return false;
	if (english_is(e, i - 1, " that which "))
		return i < 2 || !english_is(e, i - 2, PERSONS);
	if (!s.found)
		return false;
	for (size_t k = s.from; k < i; k++) {
		text_next(e->words->text + e->w[k].at, &cp);
		if (english_is(e, k, PERSONS) ||
		    (k > 0 && text_is_upper(cp) && !english_starts(e, k)))
			return false;
		if (english_is(e, k, EN_PREPOSITIONS))
			break;
	}
	return true;
}

bool
english_is_person(const struct english *e, size_t i)
{
	uint32_t cp;

	if (i >= e->n || !e->w[i].joined)
		return false;
	text_next(e->words->text + e->w[i].at, &cp);
	if (text_is_upper(cp) && !english_is(e, i,
				     " i monday tuesday wednesday thursday friday "
				     "saturday sunday english spanish french german "))
		return english_is(e, i, " mr mrs dr doctor professor ") ||
		       (i + 1 < e->n &&
			   text_is_upper(
			       (unsigned char)e->words->text[e->w[i + 1].at]));
	if (english_is(
		e, i, " everyone everybody someone somebody anyone anybody nobody "))
		return true;
	if (!english_is(e, i, " the my your our his her their this these those all "))
		return false;
	for (size_t k = i + 1; k < i + 4 && k < e->n && e->w[k].joined; k++) {
		if (english_is(e, k, EN_PREPOSITIONS EN_OPENERS))
			return false;
		if (english_is(e, k, PERSONS " them us "))
			return !english_is(
				   e, k, " company companies government team ") &&
			       !e->w[k].possessive;
	}
	return false;
}

bool
english_has_noun_group(const struct english *e, size_t i)
{
	size_t n;

	for (size_t k = i; *english_next(e, k) != '\0'; k++) {
		const struct verb_reading *r =
		    english_verb(e, k, 1U << EN_S | 1U << EN_PAST, &n);

		if (english_is(e, k,
			EN_SUBJECTS EN_DETERMINERS EN_BE EN_MODALS
			" do does did has have had "))
			return k > i && english_is(e, k - 1, EN_PREPOSITIONS);
		if (r != NULL && !verb_is(r->verb, 'N'))
			return false;
		if (english_is(e, k, EN_PREPOSITIONS EN_OPENERS " and "))
			return k > i;
	}
	return true;
}

/* ---- chains ---- */

static const struct chain chains[] = {
	{ "start", "empezar a", false, false },
	{ "begin", "empezar a", false, false },
	{ "keep", "seguir", true, false },
	{ "continue", "seguir", true, false },
	{ "continue", "seguir", true, true },
	{ "stop", "dejar de", false, false },
	{ "quit", "dejar de", false, false },
	{ "give up", "dejar de", false, false },
	{ "finish", "terminar de", false, false },
	{ "avoid", "evitar", false, false },
	{ "enjoy", "disfrutar", true, false },
	{ "consider", "considerar", false, false },
	{ "recommend", "recomendar", false, false },
	{ "suggest", "sugerir", false, false },
	{ "prefer", "preferir", false, false },
	{ "imagine", "imaginar", false, false },
	{ "hate", "odiar", false, false },
	{ "try", "intentar", false, false },
	{ "remember", "recordar", false, false },
	{ "have", "tener que", false, true },
};

const struct chain *
english_chain(const struct english *e, size_t i, size_t words, const struct verb *v)
{
	size_t n;

	for (size_t k = 0; k < COUNT(chains); k++) {
		const struct chain *c = &chains[k];
		size_t at = i + words + c->to;

		if (strcmp(c->en, v->en) != 0 || *english_next(e, at) == '\0')
			continue;
		if (c->to ? strcmp(english_next(e, at - 1), "to") == 0 &&
				(english_verb(e, at, 1 << EN_BASE, &n) != NULL ||
				    english_is(e, at, " be "))
			  : english_verb(e, at, 1 << EN_ING, &n) != NULL)
			return c;
	}
	return NULL;
}

/* ---- senses ---- */

#define CLAUSE " that how what why where if whether who when which "
#define SUBJECT " i we he she they you it there "
/* NULL: any; `next`: the word after the verb or its pronoun; `near`: one of the four
   words behind it. */
static const struct sense {
	const char *en, *next, *near;
	enum { ANY, THING, PERSON, NOTHING } subject; /* NOTHING: no word follows */
	const char *es;                               /* "": leave it to the engine */
} senses[] = {
	{ "work", NULL, NULL, THING, "funcionar" },
	{ "run", EN_DETERMINERS, NULL, PERSON, "dirigir" },
	{ "run", NULL, NULL, THING, "funcionar" },
	{ "leave", EN_DETERMINERS EN_OBJECTS,
	    " room house building country city town office school ", ANY, "salir de" },
	{ "leave", EN_DETERMINERS EN_OBJECTS, NULL, ANY, "dejar" },
	{ "know", " him her them me us you each ", NULL, ANY, "conocer" },
	{ "know", EN_DETERMINERS,
	    " answer truth name names number difference reason reasons that language "
	    "result results ",
	    ANY, "saber" },
	{ "know", " the a an this these my your our his their every many each ", NULL,
	    ANY, "conocer" },
	{ "ask", " to ", NULL, ANY, "pedir" },
	{ "ask", NULL, " question questions ", ANY, "hacer" },
	{ "tell", " to not ", NULL, ANY, "decir" },
	{ "tell", NULL, " to ", ANY, "decir" },
	{ "tell", CLAUSE SUBJECT, NULL, ANY, "decir" },
	{ "tell", NULL, " truth name ", ANY, "decir" },
	{ "think", CLAUSE SUBJECT " so the this these our my not most people every ",
	    NULL, ANY, "creer" },
	{ "feel", EN_DETERMINERS " that ", NULL, ANY, "sentir" },
	{ "feel", "", NULL, NOTHING, "sentir" },
	{ "feel", NULL, NULL, ANY, "sentirse" },
	{ "take", NULL,
	    " minute minutes hour hours day days week weeks month months year years "
	    "time long ",
	    THING, "llevar" },
	{ "take", NULL, " photo photos picture pictures ", ANY, "tomar" },
	{ "move", " to out here there house home ", NULL, ANY, "mudarse" },
	{ "move", "", NULL, NOTHING, "moverse" },
	{ "fail", NULL, " exam test exams tests ", ANY, "suspender" },
	{ "save", NULL, " hour hours day days money time energy water euros paper ",
	    ANY, "ahorrar" },
	{ "spend", NULL,
	    " time hour hours day days week weeks month months year years evening "
	    "night ",
	    ANY, "pasar" },
	{ "become", EN_DETERMINERS, NULL, ANY, "convertirse en" },
	{ "become", NULL, NULL, ANY, "volverse" },
	{ "mean", NULL, NULL, PERSON, "querer decir" },
	{ "meet", "", NULL, NOTHING, "reunirse" },
	{ "meet", " again here at on every in tomorrow once ", NULL, ANY, "reunirse" },
	{ "get", EN_DETERMINERS, NULL, ANY, "conseguir" },
	{ "get", " more less enough help money ", NULL, ANY, "conseguir" },
	{ "get", " here home there ", NULL, ANY, "llegar" },
	{ "get", NULL, NULL, ANY, "" },
	{ "play", " the a ", " piano guitar violin music drums ", ANY, "tocar" },
	{ "play", " a an the ", " role part ", ANY, "desempeñar" },
	{ "see", EN_OBJECTS, NULL, ANY, "ver" },
	{ "raise", NULL, " money funds euros ", ANY, "recaudar" },
	{ "pass", NULL, " law budget motion exam test ", ANY, "aprobar" },
	{ "hold", NULL, " meeting meetings conference event elections ", ANY,
	    "celebrar" },
	{ "draw", NULL, " conclusion conclusions ", ANY, "sacar" },
	{ "pay", " attention ", NULL, ANY, "prestar" },
	{ "change", " trains ", NULL, ANY, "cambiar de" },
	{ "go", " to ", NULL, ANY, "ir" },
	{ "go", " home ", NULL, ANY, "irse a casa" },
	{ "grow", EN_DETERMINERS, " food vegetables tomatoes plants trees fruit ", ANY,
	    "cultivar" },
	{ "cost", NULL, NULL, PERSON, "" },
	{ "turn", " right left around ", NULL, ANY, "girar" },
	{ "call", EN_OBJECTS " the this a ", NULL, ANY, "llamar" },
	{ "love", " me you him her us them ", NULL, ANY, "amar" },
	{ "love", NULL, NULL, ANY, "" },
	{ "make", " sense ", NULL, ANY, "tener" },
	{ "make", NULL, " decision decisions ", ANY, "tomar" },
	{ "make", NULL, " mistake mistakes ", ANY, "cometer" },
	{ "look", " after for at forward into like ", NULL, ANY, "" },
	{ "look",
	    " good bad nice like beautiful different strange tired easy difficult "
	    "great ",
	    NULL, ANY, "parecer" },
	{ "look", NULL, NULL, ANY, "mirar" },
	{ "stand", " in at on by near here there ", NULL, ANY, "estar" },
	{ "come", " from ", NULL, ANY, "venir" },
	{ "start", " with ", NULL, ANY, "empezar" },
	{ "ride", " a the ", NULL, ANY, "montar en" },
	{ "wait", "", NULL, NOTHING, "esperar" },
};

static bool
is_near(const struct english *e, size_t i, const char *set)
{
	for (size_t k = i; k < i + 5 && *english_next(e, k) != '\0'; k++)
		if (english_is(e, k, set))
			return true;
	return false;
}

const char *
english_sense(
    const struct english *e, size_t i, size_t words, const struct verb *v, bool thing)
{
	size_t at = i + words, behind = at;

	if (words > 1)
		return v->es;
	if (english_is(e, at, EN_OBJECTS) && e->w[at].joined)
		behind++;
	for (size_t k = 0; k < COUNT(senses); k++) {
		const struct sense *s = &senses[k];

		if (strcmp(s->en, v->en) != 0 || (s->subject == THING && !thing) ||
		    (s->subject == PERSON && thing) ||
		    (s->subject == NOTHING && *english_next(e, at) != '\0'))
			continue;
		if (s->subject != NOTHING && s->next != NULL &&
		    !text_has_word(s->next, english_next(e, at)) &&
		    !text_has_word(s->next, english_next(e, behind)))
			continue;
		if (s->near != NULL && !is_near(e, at, s->near))
			continue;
		return *s->es != '\0' ? s->es : NULL;
	}
	return v->es;
}

/* ---- orders ---- */

/* Words that follow an order, and no noun or name. */
#define AFTER_ORDER                                                                    \
	" the a an this that these those my your our his her its their me us him "     \
	"them "                                                                        \
	"it you to in on at from for with about what how who where if up down out "    \
	"off "                                                                         \
	"back here there one two three all every some any no more another each as "    \
	"not carefully again now first forward yourself yourselves hands questions "   \
	"home together slowly quickly after before by into between both "
/* Words that are seldom orders at the beginning of a sentence. */
#define NO_ORDERS                                                                      \
	" like cost last mind need matter mean lack love own hope want thank welcome " \
	"respect see please love face cause name house present access water "

bool
english_orders(const struct english *e, size_t i, size_t words, const struct verb *v)
{
	const char *next = english_next(e, i + words);

	if (text_has_word(NO_ORDERS, v->en))
		return strcmp(v->en, "see") == 0 &&
		       text_has_word(" the what how if page ", next);
	if (words > 1 || !verb_is(v, 'N'))
		return !text_has_word(EN_BE EN_MODALS " has have ", next);
	if (i > 0 && e->w[i].joined &&
	    english_is(e, i - 1, " please not never always "))
		return true;
	return *next == '\0'
		   ? false
		   : text_has_word(AFTER_ORDER, next) &&
			 !text_has_word(" in on at for with to from of ", next);
}

/* ---- infinitives ---- */

#define BARE                                                                           \
	" how what where when who whether which it is was be easy easier hard harder " \
	"important possible impossible necessary better best good nice wonderful fun " \
	"useful interesting dangerous expensive cheap essential right wrong enough "   \
	"difficult not than able seems about honour honor pleasure privilege than "
#define TAKES_DE                                                                       \
	" chance opportunity right need way ways power ability possibility reason "    \
	"reasons happy glad pleased proud afraid tired capable time courage desire "   \
	"duty freedom responsibility permission honoured delighted "
#define TAKES_A " invited ready allowed forced obliged used prepared willing "

const char *
english_link(const struct english *e, size_t i)
{
	if (i == 0 || !e->w[i].joined)
		return "para";
	if (english_is(e, i - 1, BARE) && !(english_is(e, i - 1, " enough ")))
		return "";
	if (english_is(e, i - 1, TAKES_DE))
		return "de";
	if (english_is(e, i - 1, TAKES_A))
		return "a";
	if (english_is(e, i - 1, " and or but "))
		return "";
	return "para";
}

bool
english_past_is_clear(const struct verb_reading *r, int person)
{
	const struct verb *v = r->verb;

	return r->form == EN_PAST ||
	       (r->form == EN_BASE && person == ES_3S && v->past != NULL &&
		   strcmp(v->past, v->en) == 0);
}

/* ---- verbs with another subject than a pronoun ---- */

#define AFTER_VERB                                                                     \
	" at in on from to for with by about a an the my your our his her its their "  \
	"this that these those us me you him them it no every all both well hard "     \
	"early late now here there today tomorrow fast quickly ok better best more "   \
	"less much too very again only when if until how why what up down out off "    \
	"over like through between into under after before because so two three "      \
	"four five six seven eight nine ten different differently each one "           \
	"everything "                                                                  \
	"everyone something nothing together alone longer open closed later often "
#define NOT_BEFORE                                                                     \
	" the a an my your our his her its their every each no very more most less "   \
	"other same first second third new old big small good bad great long short "   \
	"whole next main many much how what few several to not be been being is are "  \
	"was were am have has had do does did will would can could shall should may "  \
	"might must of in on at from by with for about into over under between "       \
	"through during near without per than as "

static bool
is_relative_word(const struct english *e, size_t i)
{
	return i > 0 && english_is(e, i, " who which that ");
}

/* Find the subject after the relative word, whose noun stands before. */
static void
find_antecedent(const struct english *e, size_t i, struct english_finite *f)
{
	f->relative = true;
	f->plural = false;
	f->thing = english_is_thing(e, i + 1);
	if (i > 0 && e->w[i].joined) {
		const char *noun = e->w[i - 1].s;
		size_t n = strlen(noun);

		f->plural =
		    english_subject(e, i).plural &&
		    (text_has_word(" people children men women those others ", noun) ||
			(n > 2 && noun[n - 1] == 's'));
	}
}

/* True for a verb that may be finite here. */
static bool
is_finite_form(const struct english *e, size_t i, size_t before,
    const struct verb_reading *r, size_t words, struct english_finite *f)
{
	const char *next = english_next(e, i + words);
	bool noun = verb_is(r->verb, 'N');

	if (r->form == EN_S) {
		f->plural = false;
		if (is_relative_word(e, before))
			return true;
		return !noun || (text_has_word(AFTER_VERB, next) || *next == '\0' ||
				    word_is_digits(next));
	}
	if (r->form == EN_BASE) {
		if (!f->plural &&
		    !(r->verb->past != NULL && strcmp(r->verb->past, r->verb->en) == 0))
			return false;
		return !noun || is_relative_word(e, before) ||
		       text_has_word(AFTER_VERB, next) || *next == '\0';
	}
	/* a participle: "the people invited by us" */
	if (strcmp(next, "by") == 0)
		return false;
	for (size_t k = i + words; k < e->n && e->w[k].joined && k < i + 8; k++) {
		if (english_is(e, k, EN_OPENERS " and "))
			break;
		if (english_is(e, k, EN_BE EN_MODALS " has have "))
			return r->verb->past != NULL && r->verb->participle != NULL &&
			       strcmp(r->verb->past, r->verb->participle) != 0;
	}
	return true;
}

bool
english_finite(const struct english *e, size_t i, int person, enum english_form form,
    struct english_finite *f)
{
	struct english_subject s;
	const struct verb_reading *r;
	size_t n, before = i;
	bool aux =
	    english_is(e, i, " is are was were has have had do does did " EN_MODALS);

	*f = (struct english_finite){ 0 };
	r = english_verb(e, i, 1U << EN_BASE | 1U << EN_S | 1U << EN_PAST, &n);
	if (i == 0 || !e->w[i].joined || (!aux && r == NULL))
		return false;
	while (before > 0 && e->w[before].joined &&
	       english_is(e, before - 1, EN_ADVERBS " not no longer "))
		before--;
	if (before == 0 || !e->w[before].joined)
		return false;
	before--;
	if (is_relative_word(e, before)) {
		find_antecedent(e, before, f);
		if (aux && english_is(e, i, " are were have do "))
			f->plural = true;
		if (strcmp(e->w[before].s, "that") == 0 &&
		    (before == 0 || english_starts(e, before)))
			f->relative = false, f->plural = false;
		return aux || is_finite_form(e, i, before, r, n, f);
	}
	if (english_is(e, before, " and or but ")) {
		f->continues = person >= 0;
		if (aux)
			return f->continues &&
			       english_is(e, i,
				   " is was has does can could will would must should "
				   "have are were had do did ");
		f->plural = person == ES_1P || person == ES_3P || person == ES_1S;
		return f->continues && (int)r->form == (int)form &&
		       is_finite_form(e, i, before, r, n, f);
	}
	if (english_is(e, before, " what who ") && !aux)
		return is_finite_form(e, i, before, r, n, f);
	if (english_is(e, before, " what who which ") && aux)
		return f->plural = english_is(e, i, " are were have do "), true;
	if (english_is(e, before, EN_OPENERS NOT_BEFORE) &&
	    !english_is(e, before, " as "))
		return false;
	s = english_subject(e, i);
	if (!s.found)
		return false;
	f->plural = s.plural;
	f->place = s.place;
	if (english_is(e, i, " are were have do "))
		f->plural = true;
	if (english_is(e, i, " is was has does "))
		f->plural = false;
	f->thing = english_is_thing(e, i);
	return aux || is_finite_form(e, i, before, r, n, f);
}
