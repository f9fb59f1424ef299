/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/phrases.h"

#include <pthread.h>
#include <string.h>

#include "base/lang.h"
#include "pipeline/glossary.h"

/*
 * A row has a phrase in English, Spanish, French, Italian, Portuguese; NULL: no
 * translation. A NOUN takes articles and adjectives in its sentence; a PHRASE is
 * independent of them.
 */
enum { NOUN, PHRASE }; /* values of `phrase` in struct phrase */

/* clang-format off */
const struct phrase phrases_list[] = {
	/* the event */
	{ NOUN, { "speaker", "ponente", "intervenant", "relatore", "orador" } },
	{ NOUN, { "speakers", "ponentes", "intervenants", "relatori", "oradores" } },
	{ NOUN, { "keynote speaker", "ponente principal", "intervenant principal", "relatore principale", "orador principal" } },
	{ NOUN, { "keynote", "ponencia inaugural", "conférence inaugurale", "discorso di apertura", "palestra inaugural" } },
	{ NOUN, { "chairperson", "presidente", "président", "presidente", "presidente" } },
	{ NOUN, { "moderator", "moderador", "modérateur", "moderatore", "moderador" } },
	{ NOUN, { "interpreter", "intérprete", "interprète", "interprete", "intérprete" } },
	{ NOUN, { "interpreters", "intérpretes", "interprètes", "interpreti", "intérpretes" } },
	{ NOUN, { "attendees", "asistentes", "participants", "partecipanti", "participantes" } },
	{ NOUN, { "stakeholders", "partes interesadas", "parties prenantes", "parti interessate", "partes interessadas" } },
	{ NOUN, { "slide", "diapositiva", "diapositive", "diapositiva", "diapositivo" } },
	{ NOUN, { "slides", "diapositivas", "diapositives", "diapositive", "diapositivos" } },
	{ NOUN, { "question", "pregunta", "question", "domanda", "pergunta" } },
	{ NOUN, { "questions", "preguntas", "questions", "domande", "perguntas" } },
	{ NOUN, { "handout", "folleto", "document", "dispensa", "folheto" } },
	{ NOUN, { "handouts", "folletos", "documents", "dispense", "folhetos" } },
	{ NOUN, { "headset", "auricular", "casque", "cuffia", "auricular" } },
	{ NOUN, { "headsets", "auriculares", "casques", "cuffie", "auriculares" } },
	{ NOUN, { "headphones", "auriculares", "écouteurs", "cuffie", "auscultadores" } },
	{ NOUN, { "badge", "acreditación", "badge", "tesserino", "crachá" } },
	{ NOUN, { "badges", "acreditaciones", "badges", "tesserini", "crachás" } },
	{ NOUN, { "venue", "sede", "lieu", "sede", "local" } },
	{ NOUN, { "registration desk", "mesa de inscripción", "bureau d'accueil", "banco di registrazione", "mesa de inscrição" } },
	{ NOUN, { "coffee break", "pausa para el café", "pause café", "pausa caffè", "pausa para café" } },
	{ NOUN, { "lunch break", "pausa para el almuerzo", "pause déjeuner", "pausa pranzo", "pausa para almoço" } },
	{ NOUN, { "round table", "mesa redonda", "table ronde", "tavola rotonda", "mesa redonda" } },
	{ NOUN, { "workshop", "taller", "atelier", "laboratorio", "oficina" } },
	{ NOUN, { "workshops", "talleres", "ateliers", "laboratori", "oficinas" } },
	{ NOUN, { "abstract", "resumen", "résumé", "riassunto", "resumo" } },
	{ NOUN, { "website", "sitio web", "site web", "sito web", "sítio web" } },
	{ NOUN, { "background", "contexto", "contexte", "contesto", "contexto" } },
	/* greetings */
	{ PHRASE, { "good morning", "buenos días", "bonjour", "buongiorno", "bom dia" } },
	{ PHRASE, { "good afternoon", "buenas tardes", "bonjour", "buon pomeriggio", "boa tarde" } },
	{ PHRASE, { "good evening", "buenas tardes", "bonsoir", "buonasera", "boa noite" } },
	{ PHRASE, { "hello everyone", "hola a todos", "bonjour à tous", "ciao a tutti", "olá a todos" } },
	{ PHRASE, { "hello, everyone", "hola a todos", "bonjour à tous", "ciao a tutti", "olá a todos" } },
	{ PHRASE, { "good morning everyone", "buenos días a todos", "bonjour à tous", "buongiorno a tutti", "bom dia a todos" } },
	{ PHRASE, { "good morning, everyone", "buenos días a todos", "bonjour à tous", "buongiorno a tutti", "bom dia a todos" } },
	{ PHRASE, { "ladies and gentlemen", "señoras y señores", "mesdames et messieurs", "signore e signori", "senhoras e senhores" } },
	{ PHRASE, { "dear colleagues", "estimados colegas", "chers collègues", "cari colleghi", "caros colegas" } },
	{ PHRASE, { "dear friends", "queridos amigos", "chers amis", "cari amici", "caros amigos" } },
	{ PHRASE, { "welcome", "bienvenidos", "bienvenue", "benvenuti", "bem-vindos" } },
	{ PHRASE, { "welcome back", "bienvenidos de nuevo", "bon retour", "bentornati", "bem-vindos de volta" } },
	{ PHRASE, { "my name is", "me llamo", "je m'appelle", "mi chiamo", "chamo-me" } },
	{ PHRASE, { "see you tomorrow", "hasta mañana", "à demain", "a domani", "até amanhã" } },
	{ PHRASE, { "see you later", "hasta luego", "à plus tard", "a più tardi", "até logo" } },
	{ PHRASE, { "have a nice day", "que tengan un buen día", "bonne journée", "buona giornata", "tenham um bom dia" } },
	{ PHRASE, { "enjoy your lunch", "buen provecho", "bon appétit", "buon appetito", "bom apetite" } },
	{ PHRASE, { "enjoy your meal", "buen provecho", "bon appétit", "buon appetito", "bom apetite" } },
	/* thanks and apologies */
	{ PHRASE, { "please", "por favor", "s'il vous plaît", "per favore", "por favor" } },
	{ PHRASE, { "thank you", "gracias", "merci", "grazie", "obrigado" } },
	{ PHRASE, { "thank you very much", "muchas gracias", "merci beaucoup", "grazie mille", "muito obrigado" } },
	{ PHRASE, { "thank you so much", "muchas gracias", "merci beaucoup", "grazie mille", "muito obrigado" } },
	{ PHRASE, { "thank you for", "gracias por", "merci pour", "grazie per", "obrigado por" } },
	{ PHRASE, { "thank you very much for", "muchas gracias por", "merci beaucoup pour", "grazie mille per", "muito obrigado por" } },
	{ PHRASE, { "thank you for coming", "gracias por venir", "merci d'être venus", "grazie per essere venuti", "obrigado por terem vindo" } },
	{ PHRASE, { "thank you very much for coming", "muchas gracias por venir", "merci beaucoup d'être venus", "grazie mille per essere venuti", "muito obrigado por terem vindo" } },
	{ PHRASE, { "thank you for your attention", "gracias por su atención", "merci de votre attention", "grazie per l'attenzione", "obrigado pela vossa atenção" } },
	{ PHRASE, { "thank you very much for your attention", "muchas gracias por su atención", "merci beaucoup de votre attention", "grazie mille per l'attenzione", "muito obrigado pela vossa atenção" } },
	{ PHRASE, { "you're welcome", "de nada", "je vous en prie", "prego", "de nada" } },
	{ PHRASE, { "excuse me", "disculpe", "excusez-moi", "mi scusi", "desculpe" } },
	{ PHRASE, { "i'm sorry", "lo siento", "je suis désolé", "mi dispiace", "lamento" } },
	{ PHRASE, { "i am sorry", "lo siento", "je suis désolé", "mi dispiace", "lamento" } },
	{ PHRASE, { "sorry for the delay", "perdón por el retraso", "désolé pour le retard", "scusate il ritardo", "desculpem o atraso" } },
	{ PHRASE, { "i would like to thank", "quisiera dar las gracias a", "je voudrais remercier", "vorrei ringraziare", "gostaria de agradecer a" } },
	{ PHRASE, { "it's a pleasure", "es un placer", "c'est un plaisir", "è un piacere", "é um prazer" } },
	{ PHRASE, { "it is a pleasure", "es un placer", "c'est un plaisir", "è un piacere", "é um prazer" } },
	{ PHRASE, { "i'm very happy", "estoy muy contento", "je suis très heureux", "sono molto felice", "estou muito contente" } },
	{ PHRASE, { "i am very happy", "estoy muy contento", "je suis très heureux", "sono molto felice", "estou muito contente" } },
	{ PHRASE, { "i'm very happy to be here", "estoy muy contento de estar aquí", "je suis très heureux d'être ici", "sono molto felice di essere qui", "estou muito contente por estar aqui" } },
	{ PHRASE, { "i'm happy to be here", "estoy contento de estar aquí", "je suis heureux d'être ici", "sono felice di essere qui", "estou contente por estar aqui" } },
	/* questions */
	{ PHRASE, { "any questions", "alguna pregunta", "des questions", "ci sono domande", "alguma pergunta" } },
	{ PHRASE, { "are there any questions", "hay preguntas", "y a-t-il des questions", "ci sono domande", "há perguntas" } },
	{ PHRASE, { "do you have any questions", "tienen alguna pregunta", "avez-vous des questions", "avete domande", "têm alguma pergunta" } },
	{ PHRASE, { "if you have any questions", "si tienen alguna pregunta", "si vous avez des questions", "se avete domande", "se tiverem alguma pergunta" } },
	{ PHRASE, { "if you have a question", "si tienen una pregunta", "si vous avez une question", "se avete una domanda", "se tiverem uma pergunta" } },
	{ PHRASE, { "does anyone have a question", "alguien tiene una pregunta", "quelqu'un a-t-il une question", "qualcuno ha una domanda", "alguém tem uma pergunta" } },
	{ PHRASE, { "can you hear me", "me oyen", "m'entendez-vous", "mi sentite", "conseguem ouvir-me" } },
	{ PHRASE, { "can everybody hear me", "me oyen todos", "tout le monde m'entend", "mi sentite tutti", "todos conseguem ouvir-me" } },
	{ PHRASE, { "can everyone hear me", "me oyen todos", "tout le monde m'entend", "mi sentite tutti", "todos conseguem ouvir-me" } },
	{ PHRASE, { "can you see", "pueden ver", "voyez-vous", "potete vedere", "conseguem ver" } },
	{ PHRASE, { "can you", "pueden", "pouvez-vous", "potete", "podem" } },
	{ PHRASE, { "could you", "podría", "pourriez-vous", "potrebbe", "poderia" } },
	{ PHRASE, { "could you repeat", "podría repetir", "pourriez-vous répéter", "potrebbe ripetere", "poderia repetir" } },
	{ PHRASE, { "could you speak", "podría hablar", "pourriez-vous parler", "potrebbe parlare", "poderia falar" } },
	{ PHRASE, { "would you", "podría", "pourriez-vous", "potrebbe", "poderia" } },
	{ PHRASE, { "can i", "puedo", "puis-je", "posso", "posso" } },
	{ PHRASE, { "may i", "puedo", "puis-je", "posso", "posso" } },
	{ PHRASE, { "can we", "podemos", "pouvons-nous", "possiamo", "podemos" } },
	{ PHRASE, { "do you have", "tienen", "avez-vous", "avete", "têm" } },
	{ PHRASE, { "do you know", "saben", "savez-vous", "sapete", "sabem" } },
	{ PHRASE, { "do you think", "creen", "pensez-vous", "pensate", "acham" } },
	{ PHRASE, { "what time", "a qué hora", "à quelle heure", "a che ora", "a que horas" } },
	{ PHRASE, { "what time is it", "qué hora es", "quelle heure est-il", "che ore sono", "que horas são" } },
	{ PHRASE, { "what is the", "cuál es el", NULL, "qual è il", "qual é o" } },
	{ PHRASE, { "where is", "dónde está", "où est", "dov'è", "onde está" } },
	{ PHRASE, { "where are", "dónde están", "où sont", "dove sono", "onde estão" } },
	{ PHRASE, { "how are you", "cómo están", "comment allez-vous", "come state", "como estão" } },
	{ PHRASE, { "anyone else", "alguien más", "quelqu'un d'autre", "qualcun altro", "mais alguém" } },
	{ PHRASE, { "anybody else", "alguien más", "quelqu'un d'autre", "qualcun altro", "mais alguém" } },
	{ PHRASE, { "that is a good question", "es una buena pregunta", "c'est une bonne question", "è una buona domanda", "é uma boa pergunta" } },
	{ PHRASE, { "that is a very good question", "esa es una muy buena pregunta", "c'est une très bonne question", "è un'ottima domanda", "é uma ótima pergunta" } },
	{ PHRASE, { "that's a very good question", "esa es una muy buena pregunta", "c'est une très bonne question", "è un'ottima domanda", "é uma ótima pergunta" } },
	/* requests */
	{ PHRASE, { "raise your hand", "levanten la mano", "levez la main", "alzate la mano", "levantem a mão" } },
	{ PHRASE, { "raise your hands", "levanten la mano", "levez la main", "alzate la mano", "levantem a mão" } },
	{ PHRASE, { "take a seat", "tomen asiento", "asseyez-vous", "accomodatevi", "sentem-se" } },
	{ PHRASE, { "take your seats", "tomen asiento", "asseyez-vous", "accomodatevi", "sentem-se" } },
	{ PHRASE, { "have a seat", "tomen asiento", "asseyez-vous", "accomodatevi", "sentem-se" } },
	{ PHRASE, { "sit down", "siéntense", "asseyez-vous", "sedetevi", "sentem-se" } },
	{ PHRASE, { "be quiet", "guarden silencio", "gardez le silence", "fate silenzio", "façam silêncio" } },
	{ PHRASE, { "switch off", "apaguen", "éteignez", "spegnete", "desliguem" } },
	{ PHRASE, { "turn off", "apaguen", "éteignez", "spegnete", "desliguem" } },
	{ PHRASE, { "please use", "por favor, usen", "veuillez utiliser", "si prega di usare", "por favor, usem" } },
	{ PHRASE, { "please raise your hand", "por favor, levanten la mano", "veuillez lever la main", "per favore, alzate la mano", "por favor, levantem a mão" } },
	{ PHRASE, { "please take a seat", "por favor, tomen asiento", "veuillez vous asseoir", "prego, accomodatevi", "por favor, sentem-se" } },
	{ PHRASE, { "please take your seats", "por favor, tomen asiento", "veuillez vous asseoir", "prego, accomodatevi", "por favor, sentem-se" } },
	{ PHRASE, { "please be quiet", "por favor, guarden silencio", "silence, s'il vous plaît", "silenzio, per favore", "silêncio, por favor" } },
	{ PHRASE, { "please switch off", "por favor, apaguen", "veuillez éteindre", "si prega di spegnere", "por favor, desliguem" } },
	{ PHRASE, { "please turn off", "por favor, apaguen", "veuillez éteindre", "si prega di spegnere", "por favor, desliguem" } },
	{ PHRASE, { "please wait", "por favor, esperen", "veuillez attendre", "attendere prego", "por favor, aguardem" } },
	{ PHRASE, { "please speak", "por favor, hable", "veuillez parler", "per favore, parli", "por favor, fale" } },
	{ PHRASE, { "one moment please", "un momento, por favor", "un instant, s'il vous plaît", "un momento, per favore", "um momento, por favor" } },
	{ PHRASE, { "one moment, please", "un momento, por favor", "un instant, s'il vous plaît", "un momento, per favore", "um momento, por favor" } },
	{ PHRASE, { "next slide", "siguiente diapositiva", "diapositive suivante", "prossima diapositiva", "próximo diapositivo" } },
	{ PHRASE, { "a little louder", "un poco más alto", "un peu plus fort", "un po' più forte", "um pouco mais alto" } },
	{ PHRASE, { "a little slower", "un poco más despacio", "un peu plus lentement", "un po' più lentamente", "um pouco mais devagar" } },
	{ PHRASE, { "let me", "permítanme", "permettez-moi de", "permettetemi di", "permitam-me" } },
	{ PHRASE, { "let me show you", "permítanme mostrarles", "permettez-moi de vous montrer", "permettetemi di mostrarvi", "permitam-me mostrar-vos" } },
	{ PHRASE, { "let's begin", "empecemos", "commençons", "cominciamo", "comecemos" } },
	{ PHRASE, { "let's start", "empecemos", "commençons", "cominciamo", "comecemos" } },
	{ PHRASE, { "let's continue", "continuemos", "continuons", "continuiamo", "continuemos" } },
	{ PHRASE, { "let's move on", "sigamos adelante", "passons à la suite", "andiamo avanti", "avancemos" } },
	{ PHRASE, { "let's take a break", "hagamos una pausa", "faisons une pause", "facciamo una pausa", "façamos uma pausa" } },
	{ PHRASE, { "let's talk about", "hablemos de", "parlons de", "parliamo di", "falemos de" } },
	{ PHRASE, { "let's look at", "veamos", "regardons", "guardiamo", "vejamos" } },
	/* transitions */
	{ PHRASE, { "of course", "por supuesto", "bien sûr", "certo", "claro" } },
	{ PHRASE, { "first of all", "en primer lugar", "tout d'abord", "prima di tutto", "em primeiro lugar" } },
	{ PHRASE, { "for example", "por ejemplo", "par exemple", "per esempio", "por exemplo" } },
	{ PHRASE, { "by the way", "por cierto", "au fait", "a proposito", "a propósito" } },
	{ PHRASE, { "in other words", "en otras palabras", "en d'autres termes", "in altre parole", "por outras palavras" } },
	{ PHRASE, { "in my opinion", "en mi opinión", "à mon avis", "secondo me", "na minha opinião" } },
	{ PHRASE, { "on the other hand", "por otra parte", "d'autre part", "d'altra parte", "por outro lado" } },
	{ PHRASE, { "in conclusion", "en conclusión", "en conclusion", "in conclusione", "em conclusão" } },
	{ PHRASE, { "as you can see", "como pueden ver", "comme vous pouvez le voir", "come potete vedere", "como podem ver" } },
	{ PHRASE, { "as you know", "como saben", "comme vous le savez", "come sapete", "como sabem" } },
	{ PHRASE, { "as i said", "como he dicho", "comme je l'ai dit", "come ho detto", "como disse" } },
	{ PHRASE, { "i agree", "estoy de acuerdo", "je suis d'accord", "sono d'accordo", "concordo" } },
	{ PHRASE, { "i don't agree", "no estoy de acuerdo", "je ne suis pas d'accord", "non sono d'accordo", "não concordo" } },
	{ PHRASE, { "with you", "con ustedes", "avec vous", "con voi", "convosco" } },
	{ PHRASE, { "i don't know", "no sé", "je ne sais pas", "non so", "não sei" } },
	{ PHRASE, { "doesn't work", "no funciona", "ne fonctionne pas", "non funziona", "não funciona" } },
	{ PHRASE, { "does not work", "no funciona", "ne fonctionne pas", "non funziona", "não funciona" } },
	{ PHRASE, { "is not working", "no funciona", "ne fonctionne pas", "non funziona", "não funciona" } },
	{ PHRASE, { "isn't working", "no funciona", "ne fonctionne pas", "non funziona", "não funciona" } },
	{ PHRASE, { "o'clock", "en punto", NULL, "in punto", "em ponto" } },
	{ PHRASE, { "online", "en línea", "en ligne", "online", "online" } },
	/* times */
	{ NOUN, { "first time", "primera vez", "première fois", "prima volta", "primeira vez" } },
	{ NOUN, { "second time", "segunda vez", "deuxième fois", "seconda volta", "segunda vez" } },
	{ NOUN, { "third time", "tercera vez", "troisième fois", "terza volta", "terceira vez" } },
	{ NOUN, { "fourth time", "cuarta vez", "quatrième fois", "quarta volta", "quarta vez" } },
	{ NOUN, { "fifth time", "quinta vez", "cinquième fois", "quinta volta", "quinta vez" } },
	{ NOUN, { "sixth time", "sexta vez", "sixième fois", "sesta volta", "sexta vez" } },
	{ NOUN, { "seventh time", "séptima vez", "septième fois", "settima volta", "sétima vez" } },
	{ NOUN, { "eighth time", "octava vez", "huitième fois", "ottava volta", "oitava vez" } },
	{ NOUN, { "ninth time", "novena vez", "neuvième fois", "nona volta", "nona vez" } },
	{ NOUN, { "tenth time", "décima vez", "dixième fois", "decima volta", "décima vez" } },
	{ NOUN, { "next time", "próxima vez", "prochaine fois", "prossima volta", "próxima vez" } },
	{ NOUN, { "last time", "última vez", "dernière fois", "ultima volta", "última vez" } },
	{ NOUN, { "only time", "única vez", "seule fois", "unica volta", "única vez" } },
	{ PHRASE, { "this time", "esta vez", "cette fois", "questa volta", "desta vez" } },
	{ PHRASE, { "one more time", "una vez más", "encore une fois", "ancora una volta", "mais uma vez" } },
	{ PHRASE, { "at the same time", "al mismo tiempo", "en même temps", "allo stesso tempo", "ao mesmo tempo" } },
	{ PHRASE, { "all the time", "todo el tiempo", "tout le temps", "tutto il tempo", "o tempo todo" } },
	{ PHRASE, { "how many times", "cuántas veces", "combien de fois", "quante volte", "quantas vezes" } },
	{ PHRASE, { "many times", "muchas veces", "souvent", "molte volte", "muitas vezes" } },
	{ PHRASE, { "last week", "la semana pasada", "la semaine dernière", "la settimana scorsa", "na semana passada" } },
	{ PHRASE, { "last month", "el mes pasado", "le mois dernier", "il mese scorso", "no mês passado" } },
	{ PHRASE, { "last year", "el año pasado", "l'année dernière", "l'anno scorso", "no ano passado" } },
	{ PHRASE, { "last summer", "el verano pasado", "l'été dernier", "l'estate scorsa", "no verão passado" } },
	{ PHRASE, { "last winter", "el invierno pasado", "l'hiver dernier", "l'inverno scorso", "no inverno passado" } },
	{ PHRASE, { "last spring", "la primavera pasada", "le printemps dernier", "la primavera scorsa", "na primavera passada" } },
	{ PHRASE, { "last autumn", "el otoño pasado", "l'automne dernier", "l'autunno scorso", "no outono passado" } },
	{ PHRASE, { "last century", "el siglo pasado", "le siècle dernier", "il secolo scorso", "no século passado" } },
	{ PHRASE, { "next week", "la semana que viene", "la semaine prochaine", "la settimana prossima", "na próxima semana" } },
	{ PHRASE, { "next month", "el mes que viene", "le mois prochain", "il mese prossimo", "no próximo mês" } },
	{ PHRASE, { "next year", "el año que viene", "l'année prochaine", "l'anno prossimo", "no próximo ano" } },
	{ PHRASE, { "next summer", "el próximo verano", "l'été prochain", "la prossima estate", "no próximo verão" } },
	{ PHRASE, { "next winter", "el próximo invierno", "l'hiver prochain", "il prossimo inverno", "no próximo inverno" } },
	/* quantities and negations */
	{ PHRASE, { "half of", "la mitad de", NULL, NULL, NULL } },
	{ PHRASE, { "neither of", "ninguno de", "aucun de", NULL, NULL } },
	{ PHRASE, { "not all", "no todos", "pas tous", "non tutti", "nem todos" } },
	{ PHRASE, { "no one", "nadie", "personne", "nessuno", "ninguém" } },
	/* requests and questions, once more */
	{ PHRASE, { "let us know", "háganos saber", "faites-le-nous savoir", "fateci sapere", "avisem-nos" } },
	{ PHRASE, { "let us begin", "empecemos", "commençons", "cominciamo", "comecemos" } },
	{ PHRASE, { "let us start", "empecemos", "commençons", "cominciamo", "comecemos" } },
	{ PHRASE, { "let us look at", "veamos", "regardons", "guardiamo", "vejamos" } },
	{ PHRASE, { "let us talk about", "hablemos de", "parlons de", "parliamo di", "falemos de" } },
	{ PHRASE, { "let us move on", "sigamos adelante", "passons à la suite", "andiamo avanti", "avancemos" } },
	{ PHRASE, { "let us take a break", "hagamos una pausa", "faisons une pause", "facciamo una pausa", "façamos uma pausa" } },
	{ PHRASE, { "let us continue", "continuemos", "continuons", "continuiamo", "continuemos" } },
	{ PHRASE, { "let us see", "veamos", "voyons", "vediamo", "vejamos" } },
	{ PHRASE, { "let's see", "veamos", "voyons", "vediamo", "vejamos" } },
	{ PHRASE, { "let us think about", "pensemos en", "pensons à", "pensiamo a", "pensemos em" } },
	{ PHRASE, { "let's think about", "pensemos en", "pensons à", "pensiamo a", "pensemos em" } },
	{ PHRASE, { "let us imagine", "imaginemos", "imaginons", "immaginiamo", "imaginemos" } },
	{ PHRASE, { "let's imagine", "imaginemos", "imaginons", "immaginiamo", "imaginemos" } },
	{ PHRASE, { "are there any", "hay", "y a-t-il des", "ci sono", "há" } },
	{ PHRASE, { "is there any", "hay", "y a-t-il", "c'è", "há" } },
	{ PHRASE, { "is there a", "hay un", "y a-t-il un", "c'è un", "há um" } },
	{ PHRASE, { "are there", "hay", "y a-t-il", "ci sono", "há" } },
	{ PHRASE, { "how long have you been", "cuánto tiempo llevan", NULL, NULL, NULL } },
	{ PHRASE, { "please welcome", "por favor, demos la bienvenida a", "veuillez accueillir", "diamo il benvenuto a", "deem as boas-vindas a" } },
	{ PHRASE, { "i would like to", "quisiera", "je voudrais", "vorrei", "gostaria de" } },
	{ PHRASE, { "i'd like to", "quisiera", "je voudrais", "vorrei", "gostaria de" } },
	{ PHRASE, { "we would like to", "quisiéramos", "nous voudrions", "vorremmo", "gostaríamos de" } },
	{ PHRASE, { "i want to show you", "quiero mostrarles", "je veux vous montrer", "voglio mostrarvi", "quero mostrar-vos" } },
	{ PHRASE, { "i want to tell you", "quiero contarles", "je veux vous dire", "voglio dirvi", "quero dizer-vos" } },
	{ NOUN, { "goal", "objetivo", "objectif", "obiettivo", "objetivo" } },
	{ NOUN, { "goals", "objetivos", "objectifs", "obiettivi", "objetivos" } },
	{ NOUN, { "pictures", "imágenes", "images", "immagini", "imagens" } },
	{ NOUN, { "chart", "gráfico", "graphique", "grafico", "gráfico" } },
	{ NOUN, { "charts", "gráficos", "graphiques", "grafici", "gráficos" } },
	{ NOUN, { "stage", "escenario", "scène", "palco", "palco" } },
	{ PHRASE, { NULL } },
};

/* From Spanish to English.  An opening begins a sentence, or what follows a comma. */
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
static struct arena *all_mem; /* for the life of the process */
/* Read only after they were built. */
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
		for (size_t i = 0; i < TARGETS; i++)
			put_row(&rows, "en", targets[i].lang, p->in[PHRASE_EN],
			    p->in[PHRASE_ES + i], p->phrase);
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
 * True if the words are a verb or its subject here and so no phrase: "You cannot please
 * everyone", "we question this", "Thank you is not enough".
 */
/* True for the beginning of a sentence, or of what follows a mark or an "and". */
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
		return mt_translate(e, at, mem, text, out, guarded);
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
	/* a term was lost: try again with only the terms of the task */
	*guarded = text->nterms == 0;
	return *guarded ? OK : mt_translate(e, at, mem, text, out, guarded);
}
