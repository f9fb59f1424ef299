/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ADEQUACY_H
#define TESTS_ADEQUACY_H

#include <stdio.h>
#include <string.h>

#include "pipeline/glossary.h"
#include "pipeline/phrases.h"
#include "speech/engine.h"
#include "speech/sentence.h"

/*
 * An English conference sentence as the recognizer returns it, with the Spanish
 * translations that count as good and as understandable.
 */
struct adequacy_sentence {
	const char *text;
	const char *good; /* accepted translations, separated by | */
	/* texts that make a translation understandable; NULL: none */
	const char *understood;
};

/* A term of a glossary, a sentence that contains it, and its right Spanish form. */
struct adequacy_term {
	const char *source, *target;
	const char *text;
	const char *there; /* the term with its article */
};

/* clang-format off */
static const struct adequacy_term adequacy_terms[] = {
	{ "budget", "presupuesto", "The budget is too small.", "el presupuesto" },
	{ "slide", "diapositiva", "The slide shows the results.", "la diapositiva" },
	{ "keynote", "ponencia inaugural", "The keynote begins at nine.", "la ponencia inaugural" },
	{ "coffee break", "pausa para el café", "The coffee break is at eleven.", "la pausa para el café" },
	{ "dashboard", "cuadro de mando", "We looked at the dashboard yesterday.", "el cuadro de mando" },
	{ "round table", "mesa redonda", "The round table was very interesting.", "la mesa redonda" },
	{ "annual report", "informe anual", "I read the annual report this morning.", "el informe anual" },
	{ "data protection", "protección de datos", "We talk about the data protection today.", "la protección de datos" },
	{ "stakeholder", "parte interesada", "Every stakeholder can read it.", "parte interesada" },
	{ "stakeholders", "partes interesadas", "The stakeholders are here.", "las partes interesadas" },
	{ "machine learning", "aprendizaje automático", "The machine learning is the future.", "el aprendizaje automático" },
	{ "neural network", "red neuronal", "We have a neural network.", "una red neuronal" },
	{ "neural networks", "redes neuronales", "The neural networks are big.", "las redes neuronales" },
	{ "open source", "código abierto", "The open source is important.", "el código abierto" },
	{ "supply chain", "cadena de suministro", "The supply chain is broken.", "la cadena de suministro" },
	{ "climate change", "cambio climático", "The climate change is a problem.", "el cambio climático" },
	{ "carbon footprint", "huella de carbono", "We want to reduce the carbon footprint.", "la huella de carbono" },
	{ "renewable energy", "energía renovable", "The renewable energy is cheap.", "la energía renovable" },
	{ "power grid", "red eléctrica", "The power grid is old.", "la red eléctrica" },
	{ "heat pump", "bomba de calor", "I have a heat pump.", "una bomba de calor" },
	{ "heat pumps", "bombas de calor", "The heat pumps are expensive.", "las bombas de calor" },
	{ "European Parliament", "Parlamento Europeo", "The European Parliament is in Brussels.", "el Parlamento Europeo" },
	{ "Board of Directors", "Consejo de Administración", "The board of directors has decided.", "el Consejo de Administración" },
	{ "user experience", "experiencia de usuario", "The user experience is better now.", "la experiencia de usuario" },
	{ "cloud computing", "computación en la nube", "The cloud computing has changed our work.", "la computación en la nube" },
	{ "roadmap", "hoja de ruta", "This is the roadmap for the year.", "la hoja de ruta" },
	{ "milestone", "hito", "We have reached the milestone.", "el hito" },
	{ "milestones", "hitos", "The milestones are clear.", "los hitos" },
	{ "workshop", "taller", "The workshop is in the afternoon.", "el taller" },
	{ "panel", "mesa de expertos", "The panel begins now.", "la mesa de expertos" },
	{ "handout", "folleto", "I have the handout here.", "el folleto" },
	{ "venue", "sede", "The venue is near the station.", "la sede" },
	{ "badge", "acreditación", "You need the badge.", "la acreditación" },
	{ "registration desk", "mesa de inscripción", "The registration desk is closed.", "la mesa de inscripción" },
	{ "headset", "auriculares", "The headset is on the table.", "los auriculares" },
	{ "interpreter", "intérprete", "We need an interpreter.", "un intérprete" },
	{ "white paper", "libro blanco", "The white paper explains the idea.", "el libro blanco" },
	{ "case study", "estudio de caso", "I show you a case study.", "un estudio de caso" },
	{ "market share", "cuota de mercado", "The market share is growing.", "la cuota de mercado" },
	{ "interest rate", "tipo de interés", "The interest rate is high.", "el tipo de interés" },
	{ "interest rates", "tipos de interés", "The interest rates are high.", "los tipos de interés" },
	{ "clinical trial", "ensayo clínico", "The clinical trial has begun.", "el ensayo clínico" },
	{ "side effects", "efectos secundarios", "The side effects are small.", "los efectos secundarios" },
	{ "vaccine", "vacuna", "The new vaccine is safe.", "la vacuna" },
	{ "health care", "atención sanitaria", "The health care is free.", "la atención sanitaria" },
	{ "blood pressure", "tensión arterial", "The blood pressure is normal.", "la tensión arterial" },
	{ "court ruling", "sentencia judicial", "We wait for the court ruling.", "la sentencia judicial" },
	{ "Acme Cloud", "Acme Cloud", "We use Acme Cloud every day.", "Acme Cloud" },
	{ "software", "programa informático", "The software is old.", "el programa informático" },
	{ "water supply", "abastecimiento de agua", "The water supply is safe.", "el abastecimiento de agua" },
};

static const struct adequacy_sentence adequacy_sentences[] = {
	{ "good morning everyone.", "Buenos días a todos.|Buenos días, a todos.|Buenos días, todo el mundo.|Buenos días, todos." },
	{ "good afternoon ladies and gentlemen.", "Buenas tardes, señoras y señores.|Buenas tardes, damas y caballeros.",
	  "Tarde buena, señoras y señores." },
	{ "welcome to the conference.", "Bienvenidos a la conferencia.|Bienvenidos al congreso.|Bienvenido a la conferencia." },
	{ "thank you very much for coming.", "Muchas gracias por venir." },
	{ "thank you for your attention.", "Gracias por su atención.|Gracias por vuestra atención.",
	  "Gracias para vuestra atención." },
	{ "please raise your hand if you have a question.", "Por favor, levanten la mano si tienen una pregunta.|Por favor levante la mano si tiene una pregunta.|Por favor, levante la mano si tiene una pregunta." },
	{ "are there any questions.", "¿Hay preguntas?|¿Hay alguna pregunta?" },
	{ "any questions.", "¿Alguna pregunta?|¿Preguntas?" },
	{ "can everybody hear me.", "¿Me oyen todos?|¿Me oye todo el mundo?|¿Puede oírme todo el mundo?" },
	{ "can you see the screen.", "¿Pueden ver la pantalla?|¿Ven la pantalla?|¿Puede ver la pantalla?|¿Puedes ver la pantalla?" },
	{ "please use the microphone.", "Por favor, use el micrófono.|Por favor, utilice el micrófono.|Por favor use el micrófono.|Por favor, utilicen el micrófono.|Por favor, usen el micrófono." },
	{ "the next speaker is from the university of madrid.", "El próximo ponente es de la universidad de Madrid.|El ponente próximo es de la universidad de Madrid.|El siguiente ponente es de la universidad de Madrid." },
	{ "the coffee break is at eleven o'clock.", "La pausa para el café es a las once.|La pausa del café es a las once.",
	  "La pausa para el café es en once en punto.|La pausa de café es en once en punto." },
	{ "lunch is served on the first floor.", "El almuerzo se sirve en el primer piso.|El almuerzo se sirve en la primera planta.|La comida se sirve en el primer piso.|La comida está servida en el primer piso." },
	{ "we will start in five minutes.", "Empezaremos en cinco minutos.|Comenzaremos en cinco minutos.|Empezamos en cinco minutos." },
	{ "the session starts in five minutes.", "La sesión empieza en cinco minutos.|La sesión comienza en cinco minutos." },
	{ "what time does the session start.", "¿A qué hora empieza la sesión?|¿A qué hora comienza la sesión?",
	  "¿A qué hora hace el inicio de sesión?" },
	{ "where is the registration desk.", "¿Dónde está la mesa de inscripción?|¿Dónde está el mostrador de inscripción?",
	  "¿Dónde es el escritorio de inscripción?" },
	{ "please switch off your phones.", "Por favor, apaguen sus teléfonos.|Por favor, apague su teléfono.|Por favor, apaguen los teléfonos.",
	  "Por favor, apaguen vuestros teléfonos." },
	{ "next slide please.", "La siguiente diapositiva, por favor.|Siguiente diapositiva, por favor.|Diapositiva próxima, por favor.|Próxima diapositiva, por favor." },
	{ "this slide shows the results of our study.", "Esta diapositiva muestra los resultados de nuestro estudio.",
	  "Esta diapositiva asoma los resultados de nuestro estudio.|Este deslizamiento asoma los resultados de nuestro estudio." },
	{ "i think this is a very important point.", "Creo que este es un punto muy importante.|Pienso que este es un punto muy importante.|Pienso que esto es un punto muy importante.|Creo que esto es un punto muy importante." },
	{ "i'm very happy to be here today.", "Estoy muy feliz de estar aquí hoy.|Me alegro mucho de estar aquí hoy.|Estoy muy contento de estar aquí hoy.",
	  "Soy muy feliz de ser aquí hoy." },
	{ "i would like to thank the organizers.", "Me gustaría agradecer a los organizadores.|Quisiera dar las gracias a los organizadores.|Me gustaría dar las gracias a los organizadores.",
	  "Me gustarían dar las gracias a los organizadores." },
	{ "let me show you an example.", "Déjenme mostrarles un ejemplo.|Permítanme mostrarles un ejemplo.|Déjeme mostrarle un ejemplo." },
	{ "for example we can use less energy.", "Por ejemplo, podemos usar menos energía.|Por ejemplo, podemos utilizar menos energía." },
	{ "first of all we need more data.", "Ante todo, necesitamos más datos.|En primer lugar, necesitamos más datos.|Primero de todo, necesitamos más datos.",
	  "En primer lugar, necesitamos más dato.|Ante todo, necesitamos más dato." },
	{ "in conclusion the results are very good.", "En conclusión, los resultados son muy buenos.|En conclusión los resultados son muy buenos." },
	{ "the results are on the next page.", "Los resultados están en la página siguiente.|Los resultados están en la próxima página.|Los resultados están en la página próxima.",
	  "Los resultados son en la página próxima." },
	{ "we have three problems.", "Tenemos tres problemas." },
	{ "the first problem is the price.", "El primer problema es el precio." },
	{ "the second problem is the weather.", "El segundo problema es el tiempo.|El segundo problema es el clima." },
	{ "our company was founded in nineteen ninety.", "Nuestra empresa fue fundada en mil novecientos noventa.|Nuestra compañía fue fundada en mil novecientos noventa.",
	  "Nuestra empresa estuvo fundada en diecinueve noventa." },
	{ "we work with many universities in europe.", "Trabajamos con muchas universidades en Europa.",
	  "Obramos con muchas universidades en Europa." },
	{ "the water in the river is clean.", "El agua en el río es limpia.|El agua en el río está limpia.|El agua del río está limpia." },
	{ "the price of energy has increased this year.", "El precio de la energía ha aumentado este año.|El precio de la energía ha subido este año.",
	  "El precio de energía ha aumentado este año." },
	{ "the new law protects the children.", "La nueva ley protege a los niños.|La ley nueva protege a los niños.|La ley nueva protege los niños." },
	{ "do you have any questions about this.", "¿Tienen alguna pregunta sobre esto?|¿Tienes alguna pregunta sobre esto?|¿Tiene alguna pregunta sobre esto?|¿Tienen preguntas sobre esto?",
	  "¿Tienen alguna pregunta sobre este?" },
	{ "how many people work here.", "¿Cuántas personas trabajan aquí?|¿Cuánta gente trabaja aquí?" },
	{ "who wants to speak.", "¿Quién quiere hablar?" },
	{ "why is this important.", "¿Por qué es esto importante?|¿Por qué es importante esto?|¿Por qué esto es importante?",
	  "¿Por qué es este importante?" },
	{ "what is the next step.", "¿Cuál es el siguiente paso?|¿Cuál es el próximo paso?|¿Cuál es el paso próximo?",
	  "¿Qué es el paso próximo?" },
	{ "could you repeat the question please.", "¿Podría repetir la pregunta, por favor?" },
	{ "could you speak a little louder.", "¿Podría hablar un poco más alto?|¿Podría hablar un poco más fuerte?" },
	{ "that is a very good question.", "Esa es una muy buena pregunta.|Esa es una pregunta muy buena.|Eso es una pregunta muy buena.",
	  "Aquello es una cuestión muy buena." },
	{ "i don't know the answer.", "No sé la respuesta.|No conozco la respuesta." },
	{ "i agree with you.", "Estoy de acuerdo con usted.|Estoy de acuerdo contigo.|Estoy de acuerdo con vosotros.|Estoy de acuerdo con ustedes." },
	{ "we don't have much time.", "No tenemos mucho tiempo." },
	{ "let's take a break.", "Hagamos una pausa.|Tomemos un descanso.|Vamos a hacer una pausa." },
	{ "see you tomorrow.", "Hasta mañana.|Nos vemos mañana." },
	{ "please take a seat.", "Por favor, tomen asiento.|Por favor, tome asiento." },
	{ "please be quiet.", "Por favor, guarden silencio.|Silencio, por favor.|Por favor, silencio." },
	{ "the presentation will be available online.", "La presentación estará disponible en línea.|La presentación será disponible en línea.",
	  "La presentación será disponible on-line." },
	{ "you can download the slides from our website.", "Pueden descargar las diapositivas de nuestro sitio web.|Puede descargar las diapositivas de nuestro sitio web.|Puedes descargar las diapositivas de nuestro sitio web.|Pueden descargar las diapositivas de nuestra web." },
	{ "the microphone doesn't work.", "El micrófono no funciona." },
	{ "my name is anna and i work for a small company.", "Me llamo Anna y trabajo para una pequeña empresa.|Mi nombre es anna y trabajo para una empresa pequeña.|Me llamo anna y trabajo para una empresa pequeña.|Mi nombre es Anna y trabajo para una empresa pequeña." },
	{ "on monday we will visit the museum.", "El lunes visitaremos el museo." },
	{ "the train leaves at six in the evening.", "El tren sale a las seis de la tarde." },
	{ "yes i agree but it's too expensive.", "Sí, estoy de acuerdo, pero es demasiado caro.|Sí, estoy de acuerdo, pero es demasiado caro." },
	{ "thank you and goodbye.", "Gracias y adiós." },
};
/* clang-format on */

#define ADEQUACY_SENTENCES (sizeof(adequacy_sentences) / sizeof(adequacy_sentences[0]))
#define ADEQUACY_TERMS (sizeof(adequacy_terms) / sizeof(adequacy_terms[0]))

static const struct engine_at adequacy_at = {
	.id = "apertium", .kind = "apertium", .model = "eng-spa spa-eng"
};

static inline struct glossary_index *
glossary_of(struct arena *mem)
{
	const struct glossary_target es = { .lang = "es" };
	const struct glossary_task task = {
		.source = "en", .targets = &es, .ntargets = 1
	};
	struct glossary_term rows[ADEQUACY_TERMS];
	bool truncated;

	for (size_t i = 0; i < ADEQUACY_TERMS; i++)
		rows[i] = (struct glossary_term){ GLOSSARY_TRANSLATION, "", "en", "es",
			adequacy_terms[i].source, adequacy_terms[i].target };
	return glossary_index_new(mem, &task, rows, ADEQUACY_TERMS, &truncated);
}

static const char *
spanish(struct arena *mem, const struct glossary_index *g, const char *text)
{
	struct mt_text t = {
		.text = sentence_source(mem, "en", text), .from = "en", .to = "es"
	};
	const char *out = "";
	bool guarded;

	if (g != NULL)
		t.terms = glossary_terms(g, mem, "en", "es", t.text, &t.nterms);
	if (phrases_translate(&mt_apertium, &adequacy_at, mem, &t, &out, &guarded) !=
	    OK)
		return "(no translation)";
	return out;
}

/* True if the text is a list of alternatives, separated by |. */
static inline bool
is_listed(const char *list, const char *text)
{
	size_t n = strlen(text);

	for (const char *at = list, *bar; at != NULL;
	     at = bar != NULL ? bar + 1 : NULL) {
		bar = strchr(at, '|');
		if (strncmp(at, text, n) == 0 && (at[n] == '|' || at[n] == '\0'))
			return true;
	}
	return false;
}

static inline bool
has_small_i(const char *text)
{
	return strncmp(text, "i ", 2) == 0 || strstr(text, " i ") != NULL;
}

static inline bool
lacks_inverted(const char *text)
{
	return strchr(text, '?') != NULL && strstr(text, "¿") == NULL;
}

struct adequacy_counts {
	int good, understood, small_i, uninverted;
	int lost, stray, article;
};

static inline void
judge_sentences(struct arena *mem, struct adequacy_counts *c, bool verbose)
{
	for (size_t i = 0; i < ADEQUACY_SENTENCES; i++) {
		const struct adequacy_sentence *s = &adequacy_sentences[i];
		const char *out = spanish(mem, NULL, s->text);
		bool good = is_listed(s->good, out);
		bool understood = !good && is_listed(s->understood, out);

		c->good += good;
		c->understood += understood;
		c->small_i += has_small_i(out);
		c->uninverted += lacks_inverted(out);
		if (verbose)
			printf("%c %s => %s\n",
			    good         ? '+'
			    : understood ? '~'
					 : '-',
			    s->text, out);
	}
}

/* "de" beside a term, where the English has no "of" */
static inline bool
has_stray(struct arena *mem, const char *out, const char *target)
{
	const char *behind = strstr(out, arena_printf(mem, "%s de", target));

	return strstr(out, arena_printf(mem, "de %s", target)) != NULL ||
	       (behind != NULL && strchr(" .", behind[strlen(target) + 3]) != NULL);
}

static inline void
judge_terms(struct arena *mem, struct adequacy_counts *c, bool verbose)
{
	struct glossary_index *g = glossary_of(mem);

	for (size_t i = 0; i < ADEQUACY_TERMS; i++) {
		const struct adequacy_term *t = &adequacy_terms[i];
		const char *out = spanish(mem, g, t->text);
		bool lost = strcasestr(out, t->target) == NULL;
		bool stray = has_stray(mem, out, t->target);
		bool article = strcasestr(out, t->there) == NULL;

		c->lost += lost;
		c->stray += stray;
		c->article += article;
		if (verbose)
			printf("%s%s%s %s => %s\n", lost ? "L" : "", stray ? "D" : "",
			    article ? "A" : "", t->text, out);
	}
}

#endif
