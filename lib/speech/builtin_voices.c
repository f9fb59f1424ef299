/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/builtin_voices.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* A profile made of the numbers that distinguish voices; see voice_profile.h. */
#define SPEAKER(median, low, high, scale, rate)                                        \
	"{\"f0_hz\":" #median ",\"f0_low_hz\":" #low ",\"f0_high_hz\":" #high          \
	",\"formant_scale\":" #scale ",\"syllables_s\":" #rate "}"
/* As SPEAKER, with the timbre of one of eSpeak's variants. */
#define VARIANT(name, median, low, high, rate)                                         \
	"{\"variant\":\"" name "\",\"f0_hz\":" #median ",\"f0_low_hz\":" #low          \
	",\"f0_high_hz\":" #high ",\"syllables_s\":" #rate "}"

/* clang-format off */
const struct builtin_voice builtin_voices[] = {
	{ "b43f9a12-9bbe-4ceb-ab71-60722e462278", BUILTIN_LOW,
	  "The low voice of the engine that speaks.",
	  "Male",   "Middle-aged", "Neutral", "auto",    "{\"f0_hz\":100,\"f0_low_hz\":85,\"f0_high_hz\":125}" },
	{ "b3ba4db8-b208-4e7d-b339-768ff2af00b6", BUILTIN_HIGH,
	  "The high voice of the engine that speaks.",
	  "Female", "Middle-aged", "Neutral", "auto",
	  "{\"f0_hz\":190,\"f0_low_hz\":160,\"f0_high_hz\":235,\"formant_scale\":1.08}" },
	{ "f559e0ff-ce02-41fe-882b-307b81ebfcd1", "Clara",
	  "A clear, even voice for announcements, American English.",
	  "Female", "Middle-aged", "Neutral", "en-us",   SPEAKER(190, 165, 220, 1.15, 4.6) },
	{ "81c2c467-56df-475e-a50e-517a0be41303", "Martin",
	  "A calm, low voice, American English.",
	  "Male",   "Middle-aged", "Calm",    "en-us",   SPEAKER( 98,  84, 115, 0.98, 4.2) },
	{ "0db4d59e-036f-4e43-b02e-2cc99bb7f395", "Harold",
	  "A deep, unhurried old voice, British English.",
	  "Male",   "Old",         "Calm",    "en-gb",   SPEAKER( 82,  70, 104, 0.88, 3.9) },
	{ "50637a34-6662-4669-80cd-4f3618f2770f", "Daisy",
	  "A bright young voice with much melody, British English.",
	  "Female", "Young",       "Happy",   "en-gb",   VARIANT("f2", 245, 195, 330, 5.0) },
	{ "e1948a22-d428-4e3a-807e-2114eb5d7758", "Lucia",
	  "A warm voice, Spanish of Spain.",
	  "Female", "Middle-aged", "Happy",   "es",      SPEAKER(205, 165, 260, 1.2, 5.0) },
	{ "819ac0c3-386d-4a47-9e28-16beae6035d0", "Diego",
	  "A lively voice, Spanish of Mexico.",
	  "Male",   "Young",       "Energetic", "es-mx", SPEAKER(135, 105, 185, 1.04, 5.4) },
	{ "294b4f0a-fb1c-4cb6-b78c-a61c9c8d10b2", "Amelie",
	  "A soft, breathy voice, French.",
	  "Female", "Young",       "Calm",    "fr",      VARIANT("f5", 210, 180, 245, 4.4) },
	{ "1c05f5a3-2614-4810-8458-2bebb01552f6", "Konrad",
	  "A firm voice with little melody, German.",
	  "Male",   "Middle-aged", "Neutral", "de",      SPEAKER(112, 101, 124, 1.0, 4.6) },
	{ "fe38a02a-8930-4ad9-9a38-a950722475fd", "Giulio",
	  "A lively announcer, Italian.",
	  "Male",   "Middle-aged", "Energetic", "it",    SPEAKER(155, 115, 215, 1.02, 5.2) },
	{ "c79e1477-85d1-473b-b5aa-30c65a67f604", "Beatriz",
	  "A friendly voice, Portuguese of Brazil.",
	  "Female", "Middle-aged", "Happy",   "pt-br",   SPEAKER(220, 178, 275, 1.17, 4.9) },
	{ "9254215e-a950-4b89-bbf6-0a01589bd6b3", "Sergei",
	  "A low voice, Russian.",
	  "Male",   "Middle-aged", "Neutral", "ru",      VARIANT("m3", 105, 88, 128, 4.7) },
	{ "82e8cb91-05ee-4cc2-a02e-1a6a816af416", "Babcia Zofia",
	  "The slow voice of an old woman, Polish.",
	  "Female", "Old",         "Calm",    "pl",      SPEAKER(170, 140, 205, 1.08, 3.8) },
	{ "e7f9a851-c6d6-4ff7-8493-c4b8c72a83ac", "Robin",
	  "A voice between high and low, English.",
	  "Neutral", "Young",      "Neutral", "en",      SPEAKER(150, 128, 178, 1.08, 4.8) },
	{ NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
/* clang-format on */

const struct builtin_voice *
builtin_find(const char *id)
{
	for (const struct builtin_voice *v = builtin_voices; v->id != NULL; v++)
		if (strcasecmp(v->id, id) == 0)
			return v;
	return NULL;
}

/* ---- languages ---- */

/*
 * The API's lists also contain Galician, Filipino and Mongolian, for which eSpeak NG
 * 1.51 has no voice. eSpeak's voice "cmn" pronounces the pinyin of characters as
 * English; the voice for pinyin pronounces it as Chinese. English without a region is
 * American, which is easier to understand.
 */
/* clang-format off */
static const struct language {
	const char *code;
	const char *voice;
	const char *sample; /* NULL: the sample of the base */
} languages[] = {
	{ "ar",    "sem/ar",     "أَهْلًا وَسَهْلًا بِكُمْ فِي المُؤْتَمَر." },
	{ "az",    "trk/az",     "Konfransa xoş gəlmisiniz." },
	{ "ba",    "trk/ba",     "Конференцияға рәхим итегеҙ." },
	{ "be",    "zle/be",     "Вітаем вас на канферэнцыі." },
	{ "bg",    "zls/bg",     "Добре дошли на конференцията." },
	{ "bn",    "inc/bn",     "সম্মেলনে আপনাকে স্বাগতম।" },
	{ "bs",    "zls/bs",     "Dobro došli na konferenciju." },
	{ "ca",    "roa/ca",     "Us donem la benvinguda a la conferència." },
	{ "cs",    "zlw/cs",     "Vítejte na naší konferenci." },
	{ "cy",    "cel/cy",     "Croeso cynnes i'r gynhadledd." },
	{ "da",    "gmq/da",     "Velkommen til konferencen." },
	{ "de",    "gmw/de",     "Herzlich willkommen zu unserer Konferenz." },
	{ "el",    "grk/el",     "Καλώς ήρθατε στο συνέδριο." },
	{ "en",    "gmw/en-US",  "Welcome to the conference." },
	{ "en-au", "gmw/en",     NULL },
	{ "en-gb", "gmw/en",     NULL },
	{ "eo",    "art/eo",     "Bonvenon al la konferenco." },
	{ "es",    "roa/es",     "Les damos la bienvenida a la conferencia." },
	{ "es-ar", "roa/es-419", NULL },
	{ "es-ch", "roa/es-419", NULL },
	{ "es-co", "roa/es-419", NULL },
	{ "es-la", "roa/es-419", NULL },
	{ "es-mx", "roa/es-419", NULL },
	{ "et",    "urj/et",     "Tere tulemast konverentsile." },
	{ "eu",    "eu",         "Ongi etorri gure biltzarrera." },
	{ "fa",    "ira/fa",     "به همایش ما خوش آمدید." },
	{ "fi",    "urj/fi",     "Tervetuloa konferenssiin." },
	{ "fr",    "roa/fr",     "Bienvenue à notre conférence." },
	{ "ga",    "cel/ga",     "Fáilte romhaibh chuig an gcomhdháil." },
	{ "he",    "sem/he",     "ברוכים הבאים לכנס." },
	{ "hi",    "inc/hi",     "सम्मेलन में आपका स्वागत है।" },
	{ "hr",    "zls/hr",     "Dobro došli na našu konferenciju." },
	{ "hu",    "urj/hu",     "Üdvözöljük önöket a konferencián." },
	{ "hy",    "ine/hy",     "Բարի գալուստ համաժողով։" },
	{ "ia",    "art/ia",     "Benvenite al conferentia." },
	{ "id",    "poz/id",     "Selamat datang di konferensi kami." },
	{ "is",    "gmq/is",     "Verið velkomin á ráðstefnuna." },
	{ "it",    "roa/it",     "Benvenuti alla nostra conferenza." },
	{ "ja",    "jpx/ja",     "みなさま、ようこそおこしくださいました。" },
	{ "kk",    "trk/kk",     "Конференцияға қош келдіңіздер." },
	{ "ko",    "ko",         "회의에 오신 것을 환영합니다." },
	{ "lt",    "bat/lt",     "Sveiki atvykę į konferenciją." },
	{ "lv",    "bat/lv",     "Laipni lūdzam konferencē." },
	{ "mk",    "zls/mk",     "Добредојдовте на конференцијата." },
	{ "mr",    "inc/mr",     "परिषदेत आपले स्वागत आहे." },
	{ "ms",    "poz/ms",     "Selamat datang ke persidangan kami." },
	{ "mt",    "sem/mt",     "Merħba għall-konferenza." },
	{ "nl",    "gmw/nl",     "Hartelijk welkom op de conferentie." },
	{ "no",    "gmq/nb",     "Velkommen til konferansen." },
	{ "pl",    "zlw/pl",     "Witamy państwa na konferencji." },
	{ "pt",    "roa/pt",     "Sejam bem-vindos à conferência." },
	{ "pt-br", "roa/pt-BR",  "Sejam todos bem-vindos à nossa conferência." },
	{ "ro",    "roa/ro",     "Bine ați venit la conferință." },
	{ "ru",    "zle/ru",     "Добро пожаловать на конференцию." },
	{ "sk",    "zlw/sk",     "Vitajte na našej konferencii." },
	{ "sl",    "zls/sl",     "Dobrodošli na konferenci." },
	{ "sr",    "zls/sr",     "Добро дошли на конференцију." },
	{ "sv",    "gmq/sv",     "Varmt välkomna till konferensen." },
	{ "sw",    "bnt/sw",     "Karibuni kwenye mkutano wetu." },
	{ "ta",    "dra/ta",     "மாநாட்டிற்கு உங்களை வரவேற்கிறோம்." },
	{ "th",    "tai/th",     "ยินดีต้อนรับสู่การประชุม" },
	{ "tr",    "trk/tr",     "Konferansımıza hoş geldiniz." },
	{ "ug",    "trk/ug",     "يىغىنغا خۇش كەپسىز." },
	{ "uk",    "zle/uk",     "Ласкаво просимо на конференцію." },
	{ "ur",    "inc/ur",     "کانفرنس میں خوش آمدید۔" },
	{ "vi",    "aav/vi",     "Chào mừng quý vị đến với hội nghị." },
	{ "yue",   "sit/yue",    "歡迎各位出席今日嘅會議。" },
	{ "zh",    "sit/cmn-Latn-pinyin",   "欢迎各位参加今天的会议。" },
	{ "zh-hant", "sit/cmn-Latn-pinyin","歡迎各位參加今天的會議。" },
};
/* clang-format on */

static const struct language *
find_language(const char *code, size_t n)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (strlen(languages[i].code) == n &&
		    strncasecmp(languages[i].code, code, n) == 0)
			return &languages[i];
	return NULL;
}

static const struct language *
find_base(const char *code)
{
	if (strcmp(code, "auto") == 0)
		code = "en";
	return find_language(code, strcspn(code, "-"));
}

const char *
builtin_voice_file(const char *code)
{
	const struct language *l = find_language(code, strlen(code));

	if (l == NULL)
		l = find_base(code);
	return l != NULL ? l->voice : NULL;
}

const char *
speech_sample_text(const char *code)
{
	const struct language *l = find_language(code, strlen(code));

	if (l == NULL || l->sample == NULL)
		l = find_base(code);
	return l != NULL ? l->sample : NULL;
}
