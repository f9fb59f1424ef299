/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/lang.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

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
const char *const	 lang_listenable[] = { TARGETS, "original", NULL };
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

static char
plain(char c)
{
	if (c == '_')
		return '-';
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

const char *
lang_fold(struct arena *mem, const char *code)
{
	char *to = arena_str(mem, code);

	for (char *p = to; *p != '\0'; p++)
		*p = plain(*p);
	return to;
}

bool
lang_spell(const char *code, char to[LANG_BYTES])
{
	size_t n = strlen(code);

	if (n >= LANG_BYTES)
		return false;
	for (size_t i = 0; i <= n; i++)
		to[i] = plain(code[i]);
	return true;
}

bool
lang_same_base(const char *a, const char *b)
{
	size_t n = strcspn(a, "-");

	return n == strcspn(b, "-") && strncmp(a, b, n) == 0;
}

bool
lang_has_blanks(const char *lang)
{
	static const char *const without[] = { "zh", "yue", "ja", "th" };

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (lang_same_base(without[i], lang))
			return false;
	return true;
}

bool
lang_is_right_to_left(const char *lang)
{
	static const char *const right[] = { "ar", "fa", "he", "ug", "ur" };

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		if (lang_same_base(right[i], lang))
			return true;
	return false;
}

bool
lang_covers(const char *word, size_t n, const char *code)
{
	for (size_t i = 0; i < n; i++)
		if (plain(word[i]) != plain(code[i]))
			return false;
	return code[n] == '\0' || plain(code[n]) == '-';
}

bool
lang_covered(const char *words, const char *code)
{
	if (words == NULL)
		return true;
	for (size_t n; *(words += strspn(words, " ,")) != '\0'; words += n) {
		n = strcspn(words, " ,");
		if (lang_covers(words, n, code))
			return true;
	}
	return false;
}

bool
lang_is_auto(const char *code)
{
	return strcasecmp(code, "auto") == 0;
}

/* clang-format off */
static const char *const	 three_letters[][2] = {
	{ "ar", "ara" }, { "az", "aze" }, { "be", "bel" }, { "bg", "bul" }, { "bn", "ben" },
	{ "bs", "bos" }, { "ca", "cat" }, { "cs", "ces" }, { "cy", "cym" }, { "da", "dan" },
	{ "de", "deu" }, { "el", "ell" }, { "en", "eng" }, { "es", "spa" }, { "et", "est" },
	{ "eu", "eus" }, { "fa", "fas" }, { "fi", "fin" }, { "fil", "fil" }, { "fr", "fra" },
	{ "ga", "gle" }, { "gl", "glg" }, { "he", "heb" }, { "hi", "hin" }, { "hr", "hrv" },
	{ "hu", "hun" }, { "hy", "hye" }, { "id", "ind" }, { "is", "isl" }, { "it", "ita" },
	{ "ja", "jpn" }, { "kk", "kaz" }, { "ko", "kor" }, { "lt", "lit" }, { "lv", "lav" },
	{ "mk", "mkd" }, { "mn", "mon" }, { "mr", "mar" }, { "ms", "msa" }, { "mt", "mlt" },
	{ "nl", "nld" }, { "no", "nor" }, { "pl", "pol" }, { "pt", "por" }, { "ro", "ron" },
	{ "ru", "rus" }, { "sk", "slk" }, { "sl", "slv" }, { "sr", "srp" }, { "sv", "swe" },
	{ "sw", "swa" }, { "ta", "tam" }, { "th", "tha" }, { "tr", "tur" }, { "ug", "uig" },
	{ "uk", "ukr" }, { "ur", "urd" }, { "vi", "vie" }, { "yue", "yue" }, { "zh", "zho" },
};
/* Codes of ISO 639-2/B, and of languages that the codes above include. */
static const char *const	 other_letters[][2] = {
	{ "cs", "cze" }, { "cy", "wel" }, { "de", "ger" }, { "el", "gre" }, { "eu", "baq" },
	{ "fa", "per" }, { "fil", "tgl" }, { "fr", "fre" }, { "hy", "arm" }, { "is", "ice" },
	{ "mk", "mac" }, { "ms", "may" }, { "nl", "dut" }, { "no", "nno" }, { "no", "nob" },
	{ "ro", "rum" }, { "sk", "slo" }, { "zh", "chi" }, { "zh", "cmn" },
};
/* clang-format on */

const char *
lang_three_letters(const char *code)
{
	for (size_t i = 0;
	     code != NULL && i < sizeof(three_letters) / sizeof(three_letters[0]); i++)
		if (lang_same_base(three_letters[i][0], code))
			return three_letters[i][1];
	return "und";
}

static bool
names(const char *tag, const char *code)
{
	const char *three = lang_three_letters(code);

	if (lang_same_base(tag, code) ||
	    (strcmp(three, "und") != 0 && lang_same_base(tag, three)))
		return true;
	for (size_t i = 0; i < sizeof(other_letters) / sizeof(other_letters[0]); i++)
		if (lang_same_base(tag, other_letters[i][1]))
			return lang_same_base(other_letters[i][0], code);
	return false;
}

bool
lang_is_named(const char *tag, const char *code)
{
	char one[LANG_BYTES];

	for (size_t n; *tag != '\0'; tag += n + (tag[n] == ',')) {
		n = strcspn(tag, ",");
		if (n == 0 || n >= sizeof(one))
			continue;
		for (size_t i = 0; i < n; i++)
			one[i] = plain(tag[i]);
		one[n] = '\0';
		if (names(one, code))
			return true;
	}
	return false;
}

/* ---- codes of the sockets ---- */

bool
language_code_any(bool (*fn)(void *, const char *), void *arg)
{
	const char *const *const lists[] = { lang_spoken, lang_voice, lang_target,
		lang_glossary_any };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const char *const *code = lists[i]; *code != NULL; code++)
			if (strcmp(*code, "auto") != 0 && fn(arg, *code))
				return true;
	return false;
}

static bool
is_code(void *code, const char *other)
{
	return strcmp(code, other) == 0;
}

bool
language_code_known(const char *code)
{
	return language_code_any(is_code, (void *)(uintptr_t)code);
}

bool
language_code_is_no_target(const char *code)
{
	return strcmp(code, "original") == 0 || strcmp(code, "all") == 0;
}
