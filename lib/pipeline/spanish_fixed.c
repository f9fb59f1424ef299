/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/spanish_fixed.h"

#include <string.h>

#include "base/text.h"
#include "pipeline/spanish_clause.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Words that the engine gets wrong.  `put`: the words for the engine; `before`: one of
   these stands before, "#" for digits, NULL for anything. */
static const struct fixed {
	const char *words, *put, *target, *before;
} fixed[] = {
	{ "el año pasado", "ayer", "last year", NULL },
	{ "el mes pasado", "ayer", "last month", NULL },
	{ "la semana pasada", "ayer", "last week", NULL },
	{ "el verano pasado", "ayer", "last summer", NULL },
	{ "el invierno pasado", "ayer", "last winter", NULL },
	{ "el próximo año", "mañana", "next year", NULL },
	{ "el año que viene", "mañana", "next year", NULL },
	{ "el mes que viene", "mañana", "next month", NULL },
	{ "la semana que viene", "mañana", "next week", NULL },
	{ "el próximo mes", "mañana", "next month", NULL },
	{ "la próxima semana", "mañana", "next week", NULL },
	{ "el próximo lunes", "mañana", "next Monday", NULL },
	{ "el próximo martes", "mañana", "next Tuesday", NULL },
	{ "el próximo miércoles", "mañana", "next Wednesday", NULL },
	{ "el próximo jueves", "mañana", "next Thursday", NULL },
	{ "el próximo viernes", "mañana", "next Friday", NULL },
	{ "el próximo sábado", "mañana", "next Saturday", NULL },
	{ "el próximo domingo", "mañana", "next Sunday", NULL },
	{ "un día", "ayer", "one day", NULL },
	{ "una vez", "ayer", "once", NULL },
	{ "dos veces", "ayer", "twice", NULL },
	{ "por semana", "ayer", "a week", NULL },
	{ "por hora", "ayer", "an hour", NULL },
	{ "por día", "ayer", "a day", NULL },
	{ "por año", "ayer", "a year", NULL },
	{ "por mes", "ayer", "a month", NULL },
	{ "a la semana", "ayer", "a week", NULL },
	{ "al año", "ayer", "a year", NULL },
	{ "al mes", "ayer", "a month", NULL },
	{ "al día", "ayer", "a day",
	    " veces vez euros horas # personas kilos litros " },
	{ "por paciente", "ayer", "per patient", NULL },
	{ "por persona", "ayer", "per person", NULL },
	{ "por cada", "cada", "for every", NULL },
	{ "al lado de", "en", "next to", NULL },
	{ "al lado del", "en el", "next to the", NULL },
	{ "planta baja", "casa", "ground floor", NULL },
	{ "más alto", "bien", "louder", " poco hablar habla hable hablen " },
	{ "más fuerte", "bien", "louder", " poco hablar habla hable hablen " },
	{ "más despacio", "bien", "more slowly", NULL },
	{ "de otra manera", "bien", "differently", NULL },
	{ "de otra forma", "bien", "differently", NULL },
	{ "de manera diferente", "bien", "differently", NULL },
	{ "de esta manera", "así", "in this way", NULL },
	{ "al principio", "ayer", "at first", NULL },
	{ "al final", "ayer", "in the end", NULL },
	{ "de repente", "ayer", "suddenly", NULL },
	{ "a veces", "ayer", "sometimes", NULL },
	{ "muchas veces", "ayer", "many times", NULL },
	{ "a menudo", "ayer", "often", NULL },
	{ "de nuevo", "ayer", "again", NULL },
	{ "otra vez", "ayer", "again", NULL },
	{ "por fin", "ayer", "finally", NULL },
	{ "poco a poco", "ayer", "little by little", NULL },
	{ "hoy en día", "hoy", "nowadays", NULL },
	{ "al menos", "solo", "at least", NULL },
	{ "por lo menos", "solo", "at least", NULL },
	{ "a pesar de", "en", "in spite of", NULL },
	{ "a través de", "en", "through", NULL },
	{ "además de", "en", "besides", NULL },
	{ "en vez de", "en", "instead of", NULL },
	{ "en lugar de", "en", "instead of", NULL },
	{ "desde hace", "en", "for", NULL },
	{ "todo el mundo", "alguien", "everyone", NULL },
	{ "todos los días", "hoy", "every day", NULL },
	{ "todas las semanas", "hoy", "every week", NULL },
	{ "todos los meses", "hoy", "every month", NULL },
	{ "todos los años", "hoy", "every year", NULL },
	{ "todas las mañanas", "hoy", "every morning", NULL },
	{ "esta mañana", "hoy", "this morning", NULL },
	{ "esta tarde", "hoy", "this afternoon", NULL },
	{ "esta noche", "hoy", "tonight", NULL },
	{ "por la mañana", "hoy", "in the morning", NULL },
	{ "por la tarde", "hoy", "in the afternoon", NULL },
	{ "por la noche", "hoy", "at night", NULL },
	{ "la gente", "las personas", "people", NULL },
	{ "mientras tanto", "hoy", "in the meantime", NULL },
	{ "sobre todo", "hoy", "above all", NULL },
	{ "sin embargo", "hoy", "however", NULL },
	{ "en realidad", "hoy", "in fact", NULL },
	{ "por eso", "entonces", "that is why", NULL },
	{ "así que", "y", "so", NULL },
	{ "lo que", NULL, "what", NULL },
	{ "lo mismo", "eso", "the same", NULL },
	{ "lo más importante", "la cosa", "the most important thing", NULL },
	{ "lo mejor", "la cosa", "the best thing", NULL },
	{ "todo lo que", "lo que", "everything that", NULL },
	{ "no solo", "también", "not only", NULL },
	{ "cada uno", "alguien", "each one", NULL },
	{ "por qué", "cuándo", "why", NULL },
	{ "algo más", "algo", "something else", NULL },
	{ "alguien más", "alguien", "someone else", NULL },
	{ "nadie más", "nadie", "nobody else", NULL },
	{ "cuanto antes", "hoy", "as soon as possible", NULL },
	{ "ahora mismo", "ahora", "right now", NULL },
	{ "a tiempo", "hoy", "on time", NULL },
	{ "en casa", "aquí", "at home", NULL },
	{ "desde casa", "aquí", "from home", NULL },
	{ "a casa", "aquí", "home", NULL },
	{ "en el trabajo", "aquí", "at work", NULL },
	{ "los que", "ellos que", "those who", NULL },
	{ "las que", "ellas que", "those who", " y son de para con en a por " },
	{ "cerca de", "en", "near", NULL },
	{ "cerca del", "en el", "near the", NULL },
	{ "lejos de", "en", "far from", NULL },
	{ "lejos del", "en el", "far from the", NULL },
	{ "delante de", "en", "in front of", NULL },
	{ "delante del", "en el", "in front of the", NULL },
	{ "detrás de", "en", "behind", NULL },
	{ "detrás del", "en el", "behind the", NULL },
	{ "dentro de", "en", "in", NULL },
	{ "fuera de", "en", "outside", NULL },
	{ "alrededor de", "en", "around", NULL },
	{ "en contra de", "en", "against", NULL },
	{ "a favor de", "en", "in favour of", NULL },
	{ "en contra", "aquí", "against it", NULL },
	{ "fuera", "aquí", "outside", " café está están hay comida agua ahí allí " },
	{ "fuera", "aquí", "out",
	    " queda quedan quede queden quedar quedó quedaron quedado deja dejado "
	    "dejar " },
	{ "muy corta", "grande", "very short", NULL },
	{ "muy cortas", "grandes", "very short", NULL },
	{ "cada vez más gente", "mucha gente", "more and more people", NULL },
	{ "entradas", "casas", "tickets", NULL },
	{ "estudio", "libro", "study",
	    " el del al este un nuestro su otro primer nuevo " },
	{ "niños", "perros", "children", NULL },
	{ "hijos", "perros", "children", NULL },
	{ "deberes", "libros", "homework", " los sus mis " },
	{ "historias", "casas", "stories", NULL },
	{ "historia", "casa", "story", " una esta otra corta " },
	{ "médicos", "perros", "doctors", NULL },
	{ "médicas", "casas", "doctors", NULL },
	{ "médico", "perro", "doctor", " un el al del ningún otro cada mi su " },
	{ "médica", "casa", "doctor", " una la otra cada mi su " },
	{ "presupuesto", "libro", "budget", NULL },
	{ "cocina", "casa", "kitchen", " la en mi una " },
	{ "perdón", "hoy", "sorry", NULL },
	{ "de verdad", "hoy", "really", NULL },
	{ "mucha suerte", "agua", "good luck", NULL },
	{ "eso", "esto", "that", NULL },
	{ "reunión", "casa", "meeting", NULL },
	{ "reuniones", "casas", "meetings", NULL },
	{ "un treinta por ciento", "treinta", "thirty percent", NULL },
	{ "ordenador", "coche", "computer", NULL },
	{ "ponencia", "casa", "talk", NULL },
	{ "charla", "casa", "talk", NULL },
	{ "propuesta", "casa", "proposal", NULL },
	{ "invitada", "ciudad", "guest", " primera nuestra la una mi segunda última " },
	{ "invitado", "perro", "guest", " primer nuestro el un mi segundo último " },
	{ "invitados", "perros", "guests", " los nuestros mis " },
	{ "tienda", "ciudad", "shop", NULL },
	{ "tiendas", "ciudades", "shops", NULL },
	{ "queridos", "buenos", "dear", NULL },
	{ "querido", "buen", "dear", NULL },
	{ "querida", "buena", "dear", NULL },
	{ "demasiado", "muy", "too", " es era está son eran están fue estaba parece " },
	{ "agradecido", "feliz", "grateful", NULL },
	{ "agradecida", "feliz", "grateful", NULL },
	{ "la mitad", "la ciudad", "half", NULL },
	{ "la culpa", "la ciudad", "the fault", NULL },
	{ "edificio", "perro", "building", NULL },
	{ "el dinero", "agua", "money", NULL },
	{ "la vida", "agua", "life", NULL },
	{ "cada día", "hoy", "every day", NULL },
	{ "cada semana", "hoy", "every week", NULL },
	{ "cada año", "hoy", "every year", NULL },
	{ "cada mes", "hoy", "every month", NULL },
	{ "solo", "así", "alone",
	    " vive vivir vivo viven vivía vivió vivían vivimos está estaba trabaja " },
	{ "sola", "así", "alone",
	    " vive vivir vivo viven vivía vivió vivían está estaba trabaja " },
	{ "la mano", "la mano", "your hand", " levanten levante " },
	{ "la mano", "la mano", "his hand", " levantó " },
	{ "mujer", "hija", "wife", " su mi tu " },
	{ "equipo", "grupo", "team", NULL },
	{ "equipos", "grupos", "teams", NULL },
	{ "compañeros", "amigos", "colleagues", NULL },
	{ "compañera", "amiga", "colleague", NULL },
	{ "compañero", "amigo", "colleague", NULL },
	{ "consejos", "libros", "advice", " más menos muchos algunos unos sus los " },
	{ "broma", "casa", "joke", NULL },
	{ "pastilla", "casa", "pill", NULL },
	{ "pastillas", "casas", "pills", NULL },
	{ "consulta", "casa", "practice", " mi su la nuestra " },
	{ "urgencias", "Madrid", "the emergency room", " a en de por " },
	{ "el tiempo", "el tiempo", "time", NULL },
	{ "de todo", "de eso", "of everything", NULL },
	{ "más del doble", "mucho", "more than twice as much", NULL },
	{ "sino también", "y", "but also", NULL },
	{ "sino", "y", "but", NULL },
	{ "desde que", "cuando", "since", NULL },
	{ "ya que", "porque", "since", NULL },
	{ "para que", "porque", "so that", NULL },
	{ "hasta que", "cuando", "until", NULL },
	{ "antes de que", "cuando", "before", NULL },
	{ "después de que", "cuando", "after", NULL },
	{ "siempre que", "cuando", "whenever", NULL },
	{ "cada vez que", "cuando", "every time", NULL },
	{ "en cuanto", "cuando", "as soon as", NULL },
};

static size_t
has_words(const struct words *t, size_t i, const char *words)
{
	size_t n = 0;

	while (*words != '\0') {
		size_t k = strcspn(words, " ");
		const char *next = n == 0 ? word_at(t, i) : spanish_next(t, i + n);

		n++;
		if (strlen(next) != k || strncmp(next, words, k) != 0)
			return 0;
		words += k + (words[k] == ' ');
	}
	return n;
}

/* "hace seis años": number and unit; 0: it is not. */
static size_t
put_ago(struct words *t, size_t i)
{
	static const struct unit {
		const char *es, *en;
	} units[] = {
		{ "años|año", "year" },
		{ "meses|mes", "month" },
		{ "semanas|semana", "week" },
		{ "días|día", "day" },
		{ "horas|hora", "hour" },
		{ "minutos|minuto", "minute" },
		{ "siglos|siglo", "century" },
	}, numbers[] = {
		{ "un|una", "a" },
		{ "dos", "two" },
		{ "tres", "three" },
		{ "cuatro", "four" },
		{ "cinco", "five" },
		{ "seis", "six" },
		{ "siete", "seven" },
		{ "ocho", "eight" },
		{ "nueve", "nine" },
		{ "diez", "ten" },
		{ "doce", "twelve" },
		{ "quince", "fifteen" },
		{ "veinte", "twenty" },
		{ "treinta", "thirty" },
		{ "muchos|muchas", "many" },
		{ "unos|unas|algunos|algunas", "some" },
		{ "pocos|pocas", "a few" },
		{ "varios|varias", "several" },
	};
	const char *number = spanish_next(t, i + 1), *count = NULL;

	if (word_is_digits(number))
		count = number;
	for (size_t k = 0; k < COUNT(numbers); k++)
		if (word_is_listed(numbers[k].es, number))
			count = numbers[k].en;
	for (size_t k = 0; count != NULL && k < COUNT(units); k++)
		if (word_is_listed(units[k].es, spanish_next(t, i + 2))) {
			words_put_term(t, t->w[i].at, word_end(t, i + 2) - t->w[i].at,
			    i == 0 ? "Ayer" : "ayer",
			    arena_printf(t->mem, "%s %s%s ago", count, units[k].en,
				strcmp(count, "a") == 0 ? "" : "s"));
			return 3;
		}
	return 0;
}

size_t
spanish_put_fixed(struct words *t, size_t i)
{
	const struct fixed *best = NULL;
	size_t most = 0, n;
	char *put;

	if (spanish_is(t, i, " hace ") &&
	    !(i > 0 && t->w[i].joined && spanish_is(t, i - 1, " desde se no que ")) &&
	    (n = put_ago(t, i)) > 0)
		return n;
	/* "un treinta por ciento" */
	if (spanish_is(t, i, " un el ") && i + 3 < t->n &&
	    spanish_is(t, i + 2, " por ") && spanish_is(t, i + 3, " ciento ")) {
		words_cut(t, i);
		return 1;
	}
	for (size_t k = 0; k < COUNT(fixed); k++) {
		const struct fixed *f = &fixed[k];

		if ((n = has_words(t, i, f->words)) <= most)
			continue;
		if (f->before != NULL && (i == 0 || !t->w[i].joined ||
					     (!spanish_is(t, i - 1, f->before) &&
						 !(word_is_digits(t->w[i - 1].small) &&
						     text_has_word(f->before, "#")))))
			continue;
		best = f;
		most = n;
	}
	if (best == NULL)
		return 0;
	put = best->put != NULL ? arena_str(t->mem, best->put)
				: arena_dup(t->mem, t->text + t->w[i].at,
				      word_end(t, i + most - 1) - t->w[i].at);
	if (i == 0 && *put >= 'a' && *put <= 'z' && t->text[t->w[i].at] <= 'Z')
		*put = (char)(*put - 'a' + 'A');
	words_put_term(
	    t, t->w[i].at, word_end(t, i + most - 1) - t->w[i].at, put, best->target);
	return most;
}
