#include "speech/language.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/*
 * Galician, Filipino and Mongolian are in the API's lists and not here: eSpeak
 * NG 1.51 has no voice for them.  Its voice "cmn" reads the pinyin it makes of
 * characters as English; the one for pinyin reads it as Chinese.  English without
 * a region is American, which is understood better.
 */
/* clang-format off */
static const struct language {
	const char *code;
	const char *voice;
	const char *sample; /* NULL: that of the base */
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
find(const char *code, size_t n)
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
	return find(code, strcspn(code, "-"));
}

const char *
language_voice(const char *code)
{
	const struct language *l = find(code, strlen(code));

	if (l == NULL)
		l = find_base(code);
	return l != NULL ? l->voice : NULL;
}

const char *
speech_sample_text(const char *code)
{
	const struct language *l = find(code, strlen(code));

	if (l == NULL || l->sample == NULL)
		l = find_base(code);
	return l != NULL ? l->sample : NULL;
}
