/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/spanish_clause.h"

#include <string.h>

#include "base/text.h"

bool
spanish_is(const struct words *t, size_t i, const char *set)
{
	return i < t->n && text_has_word(set, t->w[i].small);
}

bool
spanish_starts(const struct words *t, size_t i)
{
	return i == 0 || !t->w[i].joined;
}

const char *
spanish_next(const struct words *t, size_t i)
{
	return i < t->n && t->w[i].joined ? t->w[i].small : "";
}

/* ---- forms ---- */

/* Forms that are another word more often. */
#define NO_VERBS                                                                        \
	" como nada entre sobre para una uno este esta casa casas cara bajo cerca "     \
	"fuera hombre parte partes traje cómo ante media medio río ríos sal fuerte " \
	"cuanto solo sola sino según tanto tras sed era? "
/* Nouns, too: no verbs after "y" and "o". */
#define NOUNS                                                                          \
	" trabajo cuenta cuentas paso pasos ayuda ayudas pregunta preguntas gusto "    \
	"uso "                                                                         \
	"usos cambio cambios prueba pruebas práctica visita visitas compra compras "  \
	"muestra muestras busca falta faltas espera lucha marcha sueño sueños duda " \
	"dudas firma marca marcas medida medidas vino vinos viaje viajes baile canto " \
	"lista vista cura curas forma formas planta plantas carga cargas venta "       \
	"tienda tiendas rezo toma llamada entrada salida causa causas cocina copia "   \
	"copias limpia cubierta estudio estudios examen ensayo ensayos sentido "       \
	"hecho hechos dicho puesto puestos gasto gastos ahorro ahorros apoyo control " \
	"corte cortes regreso reserva reservas abrazo beso besos juego juegos "        \
	"respeto crea sonido cierre cruce envío pago pagos entrega entregas cena "    \
	"cenas "

static bool
agrees(const char *clitic, int person)
{
	static const char *const own[ES_PERSONS] = { "me", "te", "se", "nos", "os",
		"se" };

	return strcmp(own[person], clitic) == 0;
}

static bool
is_reflexive(const struct verb *v)
{
	size_t n = strcspn(v->es, " ");

	return n > 2 && strncmp(v->es + n - 2, "se", 2) == 0;
}

/* The number of words of the rest that follow the i-th word; -1: others do. */
static int
count_rest(const struct words *t, size_t i, const char *rest)
{
	int n = 0;

	while (*rest != '\0') {
		size_t k = strcspn(rest, " ");
		const char *next = spanish_next(t, i + 1 + (size_t)n);

		bool joined = rest[k] == '\0' &&
			      ((strcmp(rest, "de") == 0 && strcmp(next, "del") == 0) ||
				  (strcmp(rest, "a") == 0 && strcmp(next, "al") == 0));

		if (!joined && (strlen(next) != k || strncmp(next, rest, k) != 0))
			return -1;
		n++;
		rest += k + (rest[k] == ' ');
	}
	return n;
}

/* The better of two readings has more words, fits its pronoun, and is no wish. */
static int
score(const struct words *t, size_t i, const struct verb_reading *r, const char *clitic,
    bool past)
{
	int rest = count_rest(t, i, r->rest), s = 0;

	if (rest < 0)
		return -1;
	s += 8 * rest;
	if (is_reflexive(r->verb)) {
		if (!agrees(clitic, r->person))
			return -1;
		s += 8;
	}
	if (r->form != ES_SUBJUNCTIVE && r->form != ES_PAST_SUBJUNCTIVE)
		s += 4;
	if (r->form == (past ? ES_PRETERITE : ES_PRESENT) || r->form == ES_IMPERFECT)
		s += 2;
	/* "fue a": go, not be */
	if (verb_is(r->verb, 'A') && strcmp(r->verb->es, "ser") == 0 &&
	    strcmp(spanish_next(t, i + 1), "a") == 0 &&
	    strchr("f", t->w[i].small[0]) != NULL)
		s -= 4;
	else if (verb_is(r->verb, 'A'))
		s += 1;
	if (r->person != ES_2S && r->person != ES_2P)
		s += 2;
	if (r->person == ES_3S)
		s += 1;
	return s;
}

static const struct verb_reading *
best_reading(const struct words *t, size_t i, const char *clitic, bool past)
{
	const struct verb_reading *best = NULL;
	int most = -1, s;

	for (const struct verb_reading *r = verbs_spanish(t->w[i].small); r != NULL;
	     r = r->next)
		if (r->form < ES_TENSES && (s = score(t, i, r, clitic, past)) > most) {
			best = r;
			most = s;
		}
	return best;
}

/* True if the form at the i-th word, first of its group at `from`, is no verb here. */
static bool
is_noun(const struct words *t, size_t from, size_t i, const struct verb_reading *r)
{
	const char *w = t->w[i].small, *before = word_before(t, from);
	bool article = from < i && spanish_is(t, from, " la los las ") && from + 1 == i;
	bool nominal = (r->form == ES_PRESENT || r->form == ES_SUBJUNCTIVE) &&
		       (r->person == ES_1S || r->person == ES_3S || r->person == ES_2S);

	if (text_has_word(NO_VERBS, w))
		return true;
	if (article && nominal && !text_has_word(" no nunca ya quien ", before))
		return true;
	if (article && text_has_word(NOUNS, w))
		return true;
	if ((r->person == ES_2S || r->person == ES_2P) && nominal &&
	    !text_has_word(" tú no si que te ", before))
		return true;
	if (from < i)
		return false;
	if (strcmp(w, "vino") == 0 && *before != '\0' &&
	    text_has_word(" el un de con del y ", before))
		return true;
	if (text_has_word(ES_DETERMINERS ES_PREPOSITIONS, before) &&
	    !text_has_word(" todo todos ", before))
		return true;
	return text_has_word(" y o e ni ", before) && text_has_word(NOUNS, w);
}

bool
spanish_finite(const struct words *t, size_t i, bool past, struct spanish_verb *v)
{
	size_t k = i, n = 0;

	*v = (struct spanish_verb){ .from = i, .clitics = { "", "" } };
	while (k < t->n && n < 2 && (k == i || t->w[k].joined) &&
	       spanish_is(t, k, ES_CLITICS))
		v->clitics[n++] = t->w[k++].small;
	if (k >= t->n || (k > i && !t->w[k].joined))
		return false;
	v->reading = best_reading(t, k, v->clitics[0], past);
	if (v->reading == NULL || is_noun(t, i, k, v->reading))
		return false;
	v->end = k + 1 + (size_t)count_rest(t, k, v->reading->rest);
	v->article = v->end > k + 1 && spanish_is(t, v->end - 1, " del al ");
	if (is_reflexive(v->reading->verb)) {
		v->reflexive = true;
		v->clitics[0] = v->clitics[1];
		v->clitics[1] = "";
	}
	return true;
}

/* ---- forms with pronouns joined to them ---- */

static const char *const joined_clitics[] = { "melo", "mela", "selo", "sela", "noslo",
	"me", "te", "se", "lo", "la", "los", "las", "le", "les", "nos" };

static const char *
without_accent(struct arena *mem, const char *s)
{
	char *to = arena_str(mem, s), *p = to;
	uint32_t cp;

	while (*s != '\0') {
		s = text_next(s, &cp);
		cp = cp == 0xe1   ? 'a'
		     : cp == 0xe9 ? 'e'
		     : cp == 0xed ? 'i'
		     : cp == 0xf3 ? 'o'
		     : cp == 0xfa ? 'u'
				  : cp;
		p += text_put(p, cp);
	}
	*p = '\0';
	return to;
}

static const struct verb_reading *
reading_of(
    const struct words *t, size_t i, const char *word, int form, const char *clitic)
{
	const struct verb_reading *best = NULL;
	int most = -1, rest;

	for (const struct verb_reading *r = verbs_spanish(word); r != NULL;
	     r = r->next) {
		bool self = is_reflexive(r->verb);

		if (r->form != form || (rest = count_rest(t, i, r->rest)) < 0)
			continue;
		if (self != text_has_word(" me te se nos ", clitic) && self)
			continue;
		rest = rest * 2 + self;
		if (rest > most) {
			best = r;
			most = rest;
		}
	}
	return best;
}

/* Divide "enseñarles" into the verb and its pronouns. */
static bool
divide(const struct words *t, size_t i, enum spanish_tense form, struct spanish_verb *v)
{
	const char *w = t->w[i].small;
	size_t n = strlen(w);

	for (size_t k = 0; k < sizeof(joined_clitics) / sizeof(joined_clitics[0]);
	     k++) {
		const char *c = joined_clitics[k];
		size_t m = strlen(c);
		const char *verb, *own;

		if (n <= m + 1 || strcmp(w + n - m, c) != 0)
			continue;
		verb = arena_dup(t->mem, w, n - m);
		own = m > 3 ? arena_dup(t->mem, c, m - 2) : c;
		v->reading = reading_of(t, i, verb, form, own);
		if (v->reading == NULL)
			v->reading =
			    reading_of(t, i, without_accent(t->mem, verb), form, own);
		if (v->reading == NULL)
			continue;
		v->clitics[0] = m > 3 ? arena_dup(t->mem, c, m - 2) : c;
		v->clitics[1] = m > 3 ? c + m - 2 : "";
		return true;
	}
	return false;
}

bool
spanish_nonfinite(const struct words *t, size_t i, enum spanish_tense form,
    const char *clitic, struct spanish_verb *v)
{
	*v = (struct spanish_verb){ .from = i, .clitics = { "", "" } };
	if (i >= t->n)
		return false;
	v->reading = reading_of(t, i, t->w[i].small, form, clitic);
	if (v->reading == NULL && (form == ES_PARTICIPLE || !divide(t, i, form, v)))
		return false;
	v->end = i + 1 + (size_t)count_rest(t, i, v->reading->rest);
	v->article = v->end > i + 1 && spanish_is(t, v->end - 1, " del al ");
	if (is_reflexive(v->reading->verb)) {
		v->reflexive = true;
		v->clitics[0] = v->clitics[1];
		v->clitics[1] = "";
	}
	return true;
}

/* ---- subjects ---- */

#define TIMES                                                                            \
	" día días año años semana semanas mes meses tarde noche mañana vez veces " \
	"lunes martes miércoles jueves viernes sábado domingo hora horas momento "     \
	"verano invierno minuto minutos siglo "

/* True if a noun with an article begins after the first words of [from, end). */
static bool
has_second(const struct words *t, size_t from, size_t end)
{
	for (size_t i = from + 1; i < end; i++)
		if (spanish_is(t, i,
			" el la los las un una mi mis su sus nuestro nuestra nuestros "
			"nuestras este esta estos estas cada muchos muchas algunos "
			"algunas ") &&
		    !spanish_is(t, i - 1, ES_PREPOSITIONS ES_DETERMINERS " y o más "))
			return true;
	return false;
}

enum spanish_subject
spanish_subject(const struct words *t, size_t i)
{
	struct spanish_verb v;
	size_t from = i;

	while (from > 0 && t->w[from].joined &&
	       spanish_is(t, from - 1, ES_ADVERBS " por favor "))
		from--;
	if (from == 0 || !t->w[from].joined)
		return SUBJECT_NONE;
	i = from;
	if (spanish_is(t, i - 1,
		ES_PRONOUNS
		" esto eso nadie alguien nada algo quien quienes quién quiénes todo "))
		return spanish_is(t, i - 1, ES_PRONOUNS) &&
			       !(i > 1 && spanish_is(t, i - 2, ES_PREPOSITIONS))
			   ? SUBJECT_PRONOUN
			   : SUBJECT_NOUN;
	if (spanish_is(t, i - 1, " que "))
		return i > 1 && t->w[i - 1].joined &&
			       !spanish_is(t, i - 2,
				   ES_ADVERBS ES_CONJUNCTIONS ES_PREPOSITIONS
				   " tal ya ") &&
			       !spanish_finite(t, i - 2, false, &v) &&
			       !spanish_nonfinite(t, i - 2, ES_INFINITIVE, "", &v)
			   ? SUBJECT_RELATIVE
			   : SUBJECT_NONE;
	if (spanish_is(t, i - 1, ES_CONJUNCTIONS))
		return SUBJECT_NONE;
	while (from > 0 && t->w[from].joined &&
	       !spanish_is(t, from - 1, ES_CONJUNCTIONS) &&
	       !(from < i && spanish_finite(t, from - 1, false, &v) && v.end <= i))
		from--;
	if (from == i)
		return SUBJECT_NONE;
	while (from < i && spanish_is(t, from, ES_ADVERBS))
		from++;
	if (from == i)
		return SUBJECT_NONE;
	if (spanish_is(t, from, ES_PREPOSITIONS " hace "))
		return has_second(t, from + 1, i) ? SUBJECT_NOUN : SUBJECT_NONE;
	for (size_t k = from; k < i; k++) {
		if (spanish_is(t, k, ES_PREPOSITIONS))
			break;
		if (spanish_is(t, k, TIMES))
			return has_second(t, k, i) ? SUBJECT_NOUN : SUBJECT_NONE;
	}
	return SUBJECT_NOUN;
}

size_t
spanish_noun_end(const struct words *t, size_t i)
{
	struct spanish_verb v;
	size_t k = i;
	uint32_t cp;

	if (i >= t->n || !t->w[i].joined)
		return i;
	if (spanish_is(t, i, " esto eso usted ustedes "))
		return i + 1;
	text_next(t->text + t->w[i].at, &cp);
	if (!text_is_upper(cp) &&
	    !spanish_is(t, i,
		ES_DETERMINERS
		" gente nadie alguien doctor doctora profesor profesora "))
		return i;
	while (k < t->n && t->w[k].joined) {
		if (spanish_is(t, k, ES_CONJUNCTIONS ES_ADVERBS) ||
		    (spanish_is(t, k, ES_PREPOSITIONS) &&
			!spanish_is(t, k, " de del ")))
			break;
		if (k > i && !spanish_is(t, k - 1, ES_DETERMINERS " de ") &&
		    spanish_finite(t, k, false, &v))
			break;
		k++;
	}
	return k;
}
