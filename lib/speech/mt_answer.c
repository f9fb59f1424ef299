/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A language model may answer with anything: nothing, an essay, a refusal, the text in
 * another language. These checks work for all languages.
 */
#include "speech/mt_answer.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/lang.h"
#include "base/text.h"

#define LONGER 5       /* longest answer: this many times the text's characters */
#define LONGER_MORE 80 /* plus this many */
#define LETTERS 12     /* an answer with fewer letters does not show its script */
#define BLANK " \t\r\n"

struct range {
	uint32_t first, last;
};

/*
 * Scripts by their Unicode blocks. An answer must contain the first one; others may
 * occur.
 */
static const struct script {
	const char *languages;
	struct range in[4];
} scripts[] = {
	/* clang-format off */
	{ "ru uk bg be mk kk ky mn ba tt tg", { { 0x400, 0x52f } } },
	{ "ar fa ur ps",                { { 0x600, 0x77f }, { 0xfb50, 0xfeff } } },
	{ "el",                         { { 0x370, 0x3ff }, { 0x1f00, 0x1fff } } },
	{ "he yi",                      { { 0x590, 0x5ff } } },
	{ "hy",                         { { 0x530, 0x58f } } },
	{ "ka",                         { { 0x10a0, 0x10ff } } },
	{ "hi mr ne",                   { { 0x900, 0x97f } } },
	{ "bn",                         { { 0x980, 0x9ff } } },
	{ "ta",                         { { 0xb80, 0xbff } } },
	{ "te",                         { { 0xc00, 0xc7f } } },
	{ "th",                         { { 0xe00, 0xe7f } } },
	{ "ko",                         { { 0xac00, 0xd7af }, { 0x1100, 0x11ff } } },
	{ "ja",                         { { 0x3040, 0x30ff }, { 0x4e00, 0x9fff } } },
	{ "zh yue",                     { { 0x3400, 0x9fff }, { 0x20000, 0x3134f } } },
	/* clang-format on */
};

#define SCRIPTS (sizeof(scripts) / sizeof(scripts[0]))

static bool
is_in(const struct script *s, uint32_t cp)
{
	for (int i = 0; i < 4; i++)
		if (s->in[i].last > 0 && cp >= s->in[i].first && cp <= s->in[i].last)
			return true;
	return false;
}

static bool
is_in_any(uint32_t cp)
{
	size_t i = 0;

	while (i < SCRIPTS && !is_in(&scripts[i], cp))
		i++;
	return i < SCRIPTS;
}

/* True if the answer is in a wrong script. Languages that are not in the table use
   Latin letters, or several scripts. */
static bool
is_wrong_script(const char *to, const char *answer)
{
	const struct script *its = NULL;
	size_t letters = 0, right = 0;
	uint32_t cp;

	for (size_t i = 0; i < SCRIPTS; i++)
		if (lang_covered(scripts[i].languages, to))
			its = &scripts[i];
	if (its == NULL && lang_covered("sr az uz kk", to))
		return false;
	while (*answer != '\0') {
		answer = text_next(answer, &cp);
		if (cp < 'A' || !text_is_word(cp))
			continue;
		letters++;
		right += its != NULL ? is_in(its, cp) : !is_in_any(cp);
	}
	return letters >= LETTERS && 3 * right < letters;
}

static const char *const refusals[] = { "i'm sorry, but i", "i’m sorry, but i",
	"i am sorry, but i", "sorry, but i can", "i can't assist", "i can’t assist",
	"i cannot assist", "i can't help with", "i cannot help with", "as an ai " };

/*
 * True if the answer has a phrase of a refusal. If a speaker says such a phrase, the
 * text begins with it, too.
 */
static bool
is_refusal(const char *text, const char *answer)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		size_t n = strlen(refusals[i]);

		if (strncasecmp(answer, refusals[i], n) == 0)
			return strncasecmp(text, refusals[i], n) != 0;
	}
	return false;
}

const char *
mt_answer_fault(const char *text, const char *to, const char *answer)
{
	if (*answer == '\0')
		return "the answer is empty";
	if (text_length(answer) > LONGER * text_length(text) + LONGER_MORE)
		return "the answer is far longer than the text";
	if (is_refusal(text, answer))
		return "the answer is a refusal";
	return is_wrong_script(to, answer) ? "the answer is in another script" : NULL;
}

/* Quotation marks that only the answer has around it. */
static const struct {
	const char *open, *close;
} quotes[] = { { "\"", "\"" }, { "“", "”" }, { "«", "»" }, { "„", "“" },
	{ "「", "」" } };

static const char *
unquote(struct arena *mem, const char *text, const char *answer)
{
	for (size_t i = 0; i < sizeof(quotes) / sizeof(quotes[0]); i++) {
		size_t a = strlen(quotes[i].open), z = strlen(quotes[i].close);
		size_t n = strlen(answer);

		if (n >= a + z && strncmp(answer, quotes[i].open, a) == 0 &&
		    strcmp(answer + n - z, quotes[i].close) == 0 &&
		    strpbrk(text, "\"") == NULL && strstr(text, quotes[i].open) == NULL)
			return arena_dup(mem, answer + a, n - a - z);
	}
	return answer;
}

/* ---- additions of chat models to a translation ---- */

#define FENCE "```"

/* Remove the fences of a block of code, with or without a language after the first. */
static const char *
unfence(struct arena *mem, const char *text, const char *answer)
{
	size_t n = strlen(answer), fence = strlen(FENCE);
	const char *line = strchr(answer, '\n');

	if (strstr(text, FENCE) != NULL || n < 2 * fence ||
	    strncmp(answer, FENCE, fence) != 0 ||
	    strcmp(answer + n - fence, FENCE) != 0)
		return answer;
	if (line == NULL || line - answer >= (long)(n - fence))
		line = answer + fence - 1;
	return arena_dup(mem, line + 1, n - fence - (size_t)(line + 1 - answer));
}

/* Remove marks of emphasis around the whole answer. */
static const char *
unmark(struct arena *mem, const char *text, const char *answer)
{
	static const char *const marks[] = { "**", "__", "*" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t m = strlen(marks[i]), n = strlen(answer);

		if (strchr(text, marks[i][0]) == NULL && n > 2 * m &&
		    strncmp(answer, marks[i], m) == 0 &&
		    strstr(answer + m, marks[i]) == answer + n - m)
			return arena_dup(mem, answer + m, n - 2 * m);
	}
	return answer;
}

static size_t
colons(const char *s)
{
	size_t n = 0;

	for (; *s != '\0'; s++)
		n += *s == ':' || strncmp(s, "：", strlen("：")) == 0;
	return n;
}

/*
 * Remove the model's "Here is the translation:". If that is part of the speech, the
 * text has a colon, and the answer would have too few without it.
 */
static const char *
unannounce(const char *text, const char *answer)
{
	static const char *const openings[] = { "here is the translation",
		"here's the translation", "here’s the translation",
		"here is the translated", "here's the translated",
		"sure, here is the translation", "sure! here is the translation",
		"sure, here's the translation", "sure! here's the translation",
		"certainly! here is the translation",
		"certainly! here's the translation", "the translation is",
		"translation", "translated text" };
	const char *colon = strchr(answer, ':');

	if (colon == NULL || colon[1] == '\0' || colons(colon + 1) < colons(text) ||
	    memchr(answer, '\n', (size_t)(colon - answer)) != NULL)
		return answer;
	for (size_t i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
		size_t n = strlen(openings[i]);

		if (strncasecmp(answer, openings[i], n) == 0 &&
		    (answer[n] == ':' || answer[n] == ' ') && colon - answer <= 80)
			return colon + 1;
	}
	return answer;
}

/* Remove a remark after the translation, in brackets or on a separate line. */
static const char *
unremark(struct arena *mem, const char *text, const char *answer)
{
	static const char *const remarks[] = { "(Note:", "(Nota:", "(Anmerkung:",
		"(Hinweis:", "(Remarque:", "(Translator's note:", "(Translation note:",
		"\nNote:", "\n*Note:", "\n**Note:" };

	for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++) {
		const char *at = strcasestr(answer, remarks[i]);
		bool bracket = remarks[i][0] == '(';

		if (at == NULL || at == answer ||
		    (bracket && answer[strlen(answer) - 1] != ')') ||
		    strchr(text, '(') != NULL ||
		    (!bracket && strchr(text, ':') != NULL))
			continue;
		return arena_dup(mem, answer, (size_t)(at - answer));
	}
	return answer;
}

static const char *
unpack(struct arena *mem, const char *text, const char *answer)
{
	answer = unfence(mem, text, text_trim(mem, answer, BLANK));
	answer = unremark(mem, text, text_trim(mem, answer, BLANK));
	answer = unannounce(text, text_trim(mem, answer, BLANK));
	answer = unmark(mem, text, text_trim(mem, answer, BLANK));
	answer = unquote(mem, text, text_trim(mem, answer, BLANK));
	return text_trim(mem, answer, BLANK);
}

const char *
mt_answer_bare(struct arena *mem, const char *text, const char *answer)
{
	const char *thought = strstr(answer, "</think>"), *was;

	if (thought != NULL)
		answer = thought + strlen("</think>");
	answer = text_trim(mem, answer, BLANK);
	do {
		was = answer;
		answer = unpack(mem, text, was);
	} while (strlen(answer) < strlen(was));
	return answer;
}
