#include "base/lang.h"

#include <string.h>

/* clang-format off */
const char *const lang_voice[] = {
	"ar", "ar-ae", "ar-sa", "az", "be", "bg", "bs", "ca", "cs", "cy", "da", "de", "el",
	"en", "en-au", "en-ca", "en-gb", "en-us", "es", "es-mx", "es-co", "es-ar", "es-ch",
	"es-la", "et", "fi", "fil", "fr", "fr-ca", "gl", "he", "hi", "hr", "hu", "id", "is",
	"it", "ja", "kk", "ko", "lt", "lv", "mk", "ms", "nl", "no", "pl", "pt", "pt-br",
	"ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "th", "tr", "uk", "ur", "vi", "zh",
	"zh-hans", "zh-hant", "auto", "ba", "bn", "eo", "eu", "fa", "ga", "ia", "mn", "mr",
	"mt", "ug", "yue", NULL
};
const char *const	 lang_glossary_source[] = {
	"ar", "auto", "ba", "be", "bg", "bn", "ca", "cs", "cy", "da", "de", "el", "en",
	"eo", "es", "et", "eu", "fa", "fi", "fr", "ga", "gl", "he", "hi", "hr", "hu", "ia",
	"id", "it", "ja", "ko", "lt", "lv", "mn", "mr", "ms", "mt", "nl", "no", "pl", "pt",
	"ro", "ru", "sk", "sl", "sv", "sw", "ta", "th", "tr", "ug", "uk", "ur", "vi",
	"yue", "zh",
	NULL
};
const char *const	 lang_glossary_target[] = {
	"ar", "ar-ae", "ar-sa", "az", "be", "bg", "bs", "ca", "cs", "cy", "da", "de", "el",
	"en", "en-au", "en-ca", "en-gb", "en-us", "es", "es-mx", "et", "fi", "fil", "fr",
	"fr-ca", "gl", "he", "hi", "hr", "hu", "id", "is", "it", "ja", "kk", "ko", "lt",
	"lv", "mk", "ms", "nl", "no", "pl", "pt", "pt-br", "ro", "ru", "sk", "sl", "sr",
	"sv", "sw", "ta", "th", "tr", "uk", "ur", "vi", "zh", "zh-hans", "zh-hant",
	NULL
};
const char *const	 lang_glossary_any[] = {
	"ar", "ar-ae", "ar-sa", "auto", "az", "ba", "be", "bg", "bn", "bs", "ca", "cs",
	"cy", "da", "de", "el", "en", "en-au", "en-ca", "en-gb", "en-us", "eo", "es",
	"es-mx", "et", "eu", "fa", "fi", "fil", "fr", "fr-ca", "ga", "gl", "he", "hi",
	"hr", "hu", "ia", "id", "is", "it", "ja", "kk", "ko", "lt", "lv", "mk", "mn",
	"mr", "ms", "mt", "nl", "no", "pl", "pt", "pt-br", "ro", "ru", "sk", "sl", "sr",
	"sv", "sw", "ta", "th", "tr", "ug", "uk", "ur", "vi", "yue", "zh", "zh-hans",
	"zh-hant",
	NULL
};
const char *const	 lang_spoken[] = {
	"ar", "auto", "be", "bg", "bn", "ca", "cs", "cy", "da", "de", "el", "en", "es",
	"et", "eu", "fa", "fi", "fil", "fr", "ga", "gl", "he", "hi", "hr", "hu", "hy",
	"id", "it", "ja", "kk", "ko", "lt", "lv", "mk", "mn", "mr", "ms", "mt", "nl", "no",
	"pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "th", "tr", "ug", "uk",
	"ur", "vi", "yue", "zh",
	NULL
};
#define TARGETS \
	"ar", "ar-ae", "ar-sa", "az", "be", "bg", "bs", "ca", "cs", "cy", "da", "de", "el", \
	"en", "en-au", "en-ca", "en-gb", "en-us", "es", "es-ar", "es-ch", "es-co", "es-la", \
	"es-mx", "et", "fi", "fil", "fr", "fr-ca", "gl", "he", "hi", "hr", "hu", "hy", \
	"id", "is", "it", "ja", "kk", "ko", "lt", "lv", "mk", "ms", "nl", "no", "pl", "pt", \
	"pt-br", "ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "th", "tr", "uk", "ur", \
	"vi", "zh", "zh-hans", "zh-hant"

const char *const	 lang_target[] = { TARGETS, NULL };
const char *const	 lang_heard[] = { TARGETS, "original", NULL };
/* clang-format on */

bool
lang_in(const char *const *list, const char *code)
{
	while (*list != NULL && strcmp(*list, code) != 0)
		list++;
	return *list != NULL;
}

const char *
lang_base(struct arena *mem, const char *code)
{
	return arena_dup(mem, code, strcspn(code, "-"));
}
