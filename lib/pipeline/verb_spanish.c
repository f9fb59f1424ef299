/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *	irregular verb, or one that ends as one -> its own forms
 *	other verbs: stem, with its change -> spelling -> ending
 */
#include "pipeline/verb_spanish.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A list of six forms has blanks between them; one word is a stem; NULL: regular. */
static const struct irregular {
	const char *verb;
	bool suffix; /* also for verbs that end so: "mantener" */
	const char *present, *imperfect, *preterite, *future, *subjunctive;
	const char *participle, *gerund;
} irregulars[] = {
	{ "ser", false, "soy eres es somos sois son", "era eras era éramos erais eran",
	    "fui fuiste fue fuimos fuisteis fueron", NULL, "se", NULL, NULL },
	{ "ir", false, "voy vas va vamos vais van", "iba ibas iba íbamos ibais iban",
	    "fui fuiste fue fuimos fuisteis fueron", NULL, "vay", "ido", "yendo" },
	{ "estar", false, "estoy estás está estamos estáis están", NULL, "estuv", NULL,
	    "esté estés esté estemos estéis estén", NULL, NULL },
	{ "haber", false, "he has ha hemos habéis han", NULL, "hub", "habr", "hay",
	    NULL, NULL },
	{ "tener", true, "tengo tienes tiene tenemos tenéis tienen", NULL, "tuv",
	    "tendr", "teng", NULL, NULL },
	{ "venir", true, "vengo vienes viene venimos venís vienen", NULL, "vin",
	    "vendr", "veng", NULL, "viniendo" },
	{ "poner", true, "pongo pones pone ponemos ponéis ponen", NULL, "pus", "pondr",
	    "pong", "puesto", NULL },
	{ "salir", true, "salgo sales sale salimos salís salen", NULL, NULL, "saldr",
	    "salg", NULL, NULL },
	{ "hacer", true, "hago haces hace hacemos hacéis hacen", NULL,
	    "hice hiciste hizo hicimos hicisteis hicieron", "har", "hag", "hecho",
	    NULL },
	{ "decir", true, "digo dices dice decimos decís dicen", NULL, "dij", "dir",
	    "dig", "dicho", "diciendo" },
	{ "poder", false, "puedo puedes puede podemos podéis pueden", NULL, "pud",
	    "podr", "pueda puedas pueda podamos podáis puedan", NULL, "pudiendo" },
	{ "querer", false, "quiero quieres quiere queremos queréis quieren", NULL,
	    "quis", "querr", "quiera quieras quiera queramos queráis quieran", NULL,
	    NULL },
	{ "saber", false, "sé sabes sabe sabemos sabéis saben", NULL, "sup", "sabr",
	    "sep", NULL, NULL },
	{ "traer", true, "traigo traes trae traemos traéis traen", NULL, "traj", NULL,
	    "traig", "traído", "trayendo" },
	{ "dar", false, "doy das da damos dais dan", NULL,
	    "di diste dio dimos disteis dieron", NULL, "dé des dé demos deis den", NULL,
	    NULL },
	{ "ver", false, "veo ves ve vemos veis ven",
	    "veía veías veía veíamos veíais veían", "vi viste vio vimos visteis vieron",
	    NULL, "ve", "visto", NULL },
	{ "oír", false, "oigo oyes oye oímos oís oyen", NULL,
	    "oí oíste oyó oímos oísteis oyeron", "oir", "oig", "oído", "oyendo" },
	{ "caer", true, "caigo caes cae caemos caéis caen", NULL,
	    "caí caíste cayó caímos caísteis cayeron", NULL, "caig", "caído",
	    "cayendo" },
	{ "caber", false, "quepo cabes cabe cabemos cabéis caben", NULL, "cup", "cabr",
	    "quep", NULL, NULL },
	{ "reír", true, "río ríes ríe reímos reís ríen",
	    "reía reías reía reíamos reíais reían",
	    "reí reíste rio reímos reísteis rieron", "reir",
	    "ría rías ría riamos riais rían", "reído", "riendo" },
	{ "oler", false, "huelo hueles huele olemos oléis huelen", NULL, NULL, NULL,
	    "huela huelas huela olamos oláis huelan", NULL, NULL },
	{ "abrir", true, NULL, NULL, NULL, NULL, NULL, "abierto", NULL },
	{ "cubrir", true, NULL, NULL, NULL, NULL, NULL, "cubierto", NULL },
	{ "escribir", true, NULL, NULL, NULL, NULL, NULL, "escrito", NULL },
	{ "romper", true, NULL, NULL, NULL, NULL, NULL, "roto", NULL },
	{ "volver", true, NULL, NULL, NULL, NULL, NULL, "vuelto", NULL },
	{ "resolver", true, NULL, NULL, NULL, NULL, NULL, "resuelto", NULL },
	{ "morir", true, NULL, NULL, NULL, NULL, NULL, "muerto", NULL },
	{ "imprimir", false, NULL, NULL, NULL, NULL, NULL, "impreso", NULL },
};

/* Verbs whose stem changes when it is stressed, and those on -ir in other forms, too.
 */
#define E_TO_IE                                                                        \
	" pensar empezar comenzar cerrar entender perder defender despertar sentar "   \
	"recomendar encender calentar gobernar tender atender extender negar regar "   \
	"enterrar apretar acertar sentir preferir mentir sugerir referir requerir "    \
	"convertir divertir invertir advertir herir manifestar "
#define O_TO_UE                                                                        \
	" contar encontrar mostrar volver recordar costar mover morir dormir probar "  \
	"resolver devolver acordar soñar volar almorzar demostrar colgar llover "     \
	"aprobar comprobar promover sonar apostar doler morder acostar rogar "         \
	"reforzar envolver "
#define E_TO_I                                                                         \
	" pedir servir seguir repetir medir elegir vestir derretir conseguir "         \
	"despedir "                                                                    \
	"corregir competir impedir perseguir rendir "
#define ACCENTS                                                                        \
	" enviar guiar criar ampliar confiar variar actuar continuar evaluar vaciar "  \
	"esquiar situar graduar reunir prohibir "

static const char *const present[][ES_PERSONS] = {
	{ "o", "as", "a", "amos", "áis", "an" },
	{ "o", "es", "e", "emos", "éis", "en" },
	{ "o", "es", "e", "imos", "ís", "en" },
};
static const char *const imperfect[][ES_PERSONS] = {
	{ "aba", "abas", "aba", "ábamos", "abais", "aban" },
	{ "ía", "ías", "ía", "íamos", "íais", "ían" },
};
static const char *const preterite[][ES_PERSONS] = {
	{ "é", "aste", "ó", "amos", "asteis", "aron" },
	{ "í", "iste", "ió", "imos", "isteis", "ieron" },
	{ "e", "iste", "o", "imos", "isteis", "ieron" },  /* "tuve" */
	{ "e", "iste", "o", "imos", "isteis", "eron" },   /* "dije" */
	{ "í", "íste", "yó", "ímos", "ísteis", "yeron" }, /* "leí" */
};
static const char *const future[ES_PERSONS] = { "é", "ás", "á", "emos", "éis", "án" };
static const char *const subjunctive[][ES_PERSONS] = {
	{ "e", "es", "e", "emos", "éis", "en" },
	{ "a", "as", "a", "amos", "áis", "an" },
};
static const char *const past_subjunctive[ES_PERSONS] = { "ra", "ras", "ra", "ramos",
	"rais", "ran" };

/* A verb that is conjugated. */
struct verb {
	struct arena *mem;
	const char *infinitive, *stem;
	int kind; /* 0: -ar, 1: -er, 2: -ir */
	const struct irregular *own;
	const char *prefix; /* before the irregular verb: "man" */
};

static bool
ends(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n >= m && strcmp(s + n - m, tail) == 0;
}

static const char *
cut(struct arena *mem, const char *s, size_t n)
{
	return arena_dup(mem, s, strlen(s) - n);
}

static void
find_irregular(struct verb *v)
{
	v->prefix = "";
	for (size_t i = 0; i < COUNT(irregulars); i++) {
		const char *verb = irregulars[i].verb;

		if (strcmp(v->infinitive, verb) != 0 &&
		    !(irregulars[i].suffix && ends(v->infinitive, verb)))
			continue;
		v->own = &irregulars[i];
		v->prefix = cut(v->mem, v->infinitive, strlen(verb));
		return;
	}
}

static struct verb
read_verb(struct arena *mem, const char *infinitive)
{
	struct verb v = { .mem = mem, .infinitive = infinitive };
	size_t off = ends(infinitive, "ír") ? strlen("ír") : 2;

	v.kind = ends(infinitive, "ar") ? 0 : ends(infinitive, "er") ? 1 : 2;
	v.stem = cut(mem, infinitive, off < strlen(infinitive) ? off : 0);
	find_irregular(&v);
	return v;
}

/* The person's word of a list of six, or NULL if it is a stem. */
static const char *
listed(const struct verb *v, const char *forms, int person)
{
	const char *s = forms;

	if (strchr(forms, ' ') == NULL)
		return NULL;
	for (; person > 0; person--)
		s = strchr(s, ' ') + 1;
	return arena_printf(v->mem, "%s%.*s", v->prefix, (int)strcspn(s, " "), s);
}

/* ---- stems ---- */

/* The stem with another text for its last `vowel`. */
static const char *
change(const struct verb *v, char vowel, const char *to)
{
	const char *at = strrchr(v->stem, vowel);

	return at == NULL ? v->stem
			  : arena_printf(v->mem, "%.*s%s%s", (int)(at - v->stem),
				v->stem, to, at + 1);
}

/* The stem where it is stressed. */
static const char *
stressed(const struct verb *v)
{
	const char *s = v->infinitive;

	if (text_has_word(E_TO_IE, s))
		return change(v, 'e', "ie");
	if (text_has_word(O_TO_UE, s))
		return change(v, 'o', "ue");
	if (strcmp(s, "jugar") == 0)
		return "jueg";
	if (text_has_word(E_TO_I, s))
		return change(v, 'e', "i");
	if (text_has_word(ACCENTS, s))
		return ends(s, "uar") || ends(s, "unir") ? change(v, 'u', "ú")
							 : change(v, 'i', "í");
	return ends(s, "uir") && !ends(s, "guir") ? arena_printf(v->mem, "%sy", v->stem)
						  : v->stem;
}

/* The stem of verbs on -ir in "pidió", "pidiendo", "pidamos". */
static const char *
weak(const struct verb *v)
{
	if (v->kind != 2)
		return v->stem;
	if (text_has_word(E_TO_I, v->infinitive) ||
	    text_has_word(E_TO_IE, v->infinitive))
		return change(v, 'e', "i");
	return text_has_word(O_TO_UE, v->infinitive) ? change(v, 'o', "u") : v->stem;
}

/* Spelling of a last consonant before another kind of vowel. */
static const struct spelling {
	const char *verb, *from, *to;
	bool before_e; /* else before "a" and "o" */
} spellings[] = {
	{ "car", "c", "qu", true },
	{ "gar", "g", "gu", true },
	{ "zar", "z", "c", true },
	{ "ger", "g", "j", false },
	{ "gir", "g", "j", false },
	{ "guir", "gu", "g", false },
	{ "ncer", "c", "z", false },
	{ "rcer", "c", "z", false },
	{ "cer", "c", "zc", false },
	{ "cir", "c", "zc", false },
};

static const char *
spell(const struct verb *v, const char *stem, const char *ending)
{
	bool e = *ending == 'e' || strncmp(ending, "é", strlen("é")) == 0;
	bool a =
	    *ending == 'a' || *ending == 'o' || strncmp(ending, "á", strlen("á")) == 0;

	for (size_t i = 0; i < COUNT(spellings); i++) {
		const struct spelling *s = &spellings[i];

		if (ends(v->infinitive, s->verb) && (s->before_e ? e : a) &&
		    ends(stem, s->from)) {
			stem = arena_printf(
			    v->mem, "%s%s", cut(v->mem, stem, strlen(s->from)), s->to);
			break;
		}
	}
	return arena_printf(v->mem, "%s%s", stem, ending);
}

/* ---- tenses ---- */

static bool
is_stressed(int person)
{
	return person != ES_1P && person != ES_2P;
}

static const char *
in_present(const struct verb *v, int person)
{
	const char *ending = present[v->kind][person];

	/* the vowel of the ending keeps -car and the like as they are */
	return spell(v, is_stressed(person) ? stressed(v) : v->stem, ending);
}

static const char *
in_subjunctive(const struct verb *v, int person)
{
	const char *ending = subjunctive[v->kind > 0][person];
	bool y = ends(v->infinitive, "uir") && !ends(v->infinitive, "guir");

	if (v->own != NULL && v->own->subjunctive != NULL)
		return arena_printf(
		    v->mem, "%s%s%s", v->prefix, v->own->subjunctive, ending);
	return spell(v,
	    is_stressed(person) || y || text_has_word(E_TO_I, v->infinitive)
		? stressed(v)
		: weak(v),
	    ending);
}

static const char *
in_preterite(const struct verb *v, int person)
{
	bool third = person == ES_3S || person == ES_3P;
	size_t n = strlen(v->infinitive);

	if (v->own != NULL && v->own->preterite != NULL)
		return arena_printf(v->mem, "%s%s%s", v->prefix, v->own->preterite,
		    preterite[ends(v->own->preterite, "j") ? 3 : 2][person]);
	if (n > 5 && ends(v->infinitive, "ducir"))
		return arena_printf(
		    v->mem, "%sj%s", cut(v->mem, v->stem, 1), preterite[3][person]);
	if (ends(v->infinitive, "eer"))
		return arena_printf(v->mem, "%s%s", v->stem, preterite[4][person]);
	if (ends(v->infinitive, "uir") && !ends(v->infinitive, "guir") && third)
		return arena_printf(v->mem, "%s%s", v->stem, preterite[4][person]);
	return v->kind == 0 ? spell(v, v->stem, preterite[0][person])
			    : arena_printf(v->mem, "%s%s", third ? weak(v) : v->stem,
				  preterite[1][person]);
}

/* "supieron" -> "supiera", "supiéramos" */
static const char *
in_past_subjunctive(const struct verb *v, int person)
{
	const char *they = spanish_form(v->mem, v->infinitive, ES_PRETERITE, ES_3P);
	const char *stem = cut(v->mem, they, strlen("ron"));

	if (person == ES_1P)
		stem = arena_printf(
		    v->mem, "%s%s", cut(v->mem, stem, 1), ends(stem, "a") ? "á" : "é");
	return arena_printf(v->mem, "%s%s", stem, past_subjunctive[person]);
}

static const char *
in_future(const struct verb *v, const char *ending)
{
	if (v->own != NULL && v->own->future != NULL)
		return arena_printf(
		    v->mem, "%s%s%s", v->prefix, v->own->future, ending);
	return arena_printf(v->mem, "%s%s", v->infinitive, ending);
}

static bool
ends_in_vowel(const char *stem)
{
	return *stem != '\0' && strchr("aeo", stem[strlen(stem) - 1]) != NULL;
}

static const char *
without_person(const struct verb *v, enum spanish_tense tense)
{
	const char *own = v->own == NULL           ? NULL
			  : tense == ES_PARTICIPLE ? v->own->participle
						   : v->own->gerund;
	bool y = ends(v->infinitive, "uir") && !ends(v->infinitive, "guir");

	if (tense == ES_INFINITIVE)
		return v->infinitive;
	if (own != NULL)
		return arena_printf(v->mem, "%s%s", v->prefix, own);
	if (tense == ES_PARTICIPLE)
		return arena_printf(v->mem, "%s%s", v->stem,
		    v->kind == 0             ? "ado"
		    : ends_in_vowel(v->stem) ? "ído"
					     : "ido");
	return arena_printf(v->mem, "%s%s", weak(v),
	    v->kind == 0                  ? "ando"
	    : y || ends_in_vowel(v->stem) ? "yendo"
					  : "iendo");
}

/* The list of six that an irregular verb has for the tense, or NULL. */
static const char *
own_forms(const struct irregular *own, enum spanish_tense tense)
{
	return tense == ES_PRESENT       ? own->present
	       : tense == ES_IMPERFECT   ? own->imperfect
	       : tense == ES_PRETERITE   ? own->preterite
	       : tense == ES_SUBJUNCTIVE ? own->subjunctive
					 : NULL;
}

const char *
spanish_form(
    struct arena *mem, const char *infinitive, enum spanish_tense tense, int person)
{
	const struct verb v = read_verb(mem, infinitive);
	const char *own = v.own != NULL ? own_forms(v.own, tense) : NULL;

	if (own != NULL && (own = listed(&v, own, person)) != NULL)
		return own;
	switch (tense) {
	case ES_PRESENT:
		return in_present(&v, person);
	case ES_IMPERFECT:
		return arena_printf(mem, "%s%s", v.stem, imperfect[v.kind > 0][person]);
	case ES_PRETERITE:
		return in_preterite(&v, person);
	case ES_FUTURE:
		return in_future(&v, future[person]);
	case ES_CONDITIONAL:
		return in_future(&v, imperfect[1][person]);
	case ES_SUBJUNCTIVE:
		return in_subjunctive(&v, person);
	case ES_PAST_SUBJUNCTIVE:
		return in_past_subjunctive(&v, person);
	default:
		return without_person(&v, tense);
	}
}
