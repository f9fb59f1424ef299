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
/* clang-format on */

const char *
lang_base(struct arena *mem, const char *code)
{
	return arena_dup(mem, code, strcspn(code, "-"));
}
