/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ENGINE_MT_H
#define TESTS_ENGINE_MT_H

/*
 * Translation by engine-server.c: "<es> TEXT".  Some words of the text make the answer
 * lose the letter Q, which marks terms, in each form of marking: "drop", "split",
 * "twice"; "drop-es" only if that is the target.  "fail-es" is refused for that target,
 * "wait" takes 400 ms.
 */
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "engine-http.h"

/* True if the text has that word, for that target or for any. */
static bool
has_word(struct request *rq, const char *text, const char *word, const char *target)
{
	const char *at = strstr(text, word);

	return at != NULL &&
	       (at[strlen(word)] != '-' ||
		   strstr(text, arena_printf(rq->mem, "%s-%s ", word, target)) != NULL);
}

/* mark: the letter of tokens, or the first letters of elements */
static const char *
translated_marked(struct request *rq, const char *text, const char *target, char mark)
{
	struct buf b = { .mem = rq->mem };
	bool drops = has_word(rq, text, "drop", target);

	if (strstr(text, "wait") != NULL)
		usleep(400000);
	buf_printf(&b, mark == '<' ? "&lt;%s&gt; " : "<%s> ", target);
	for (const char *s = text; *s != '\0'; s++) {
		if (*s != mark || !drops)
			buf_put(&b, s, 1);
		if (*s == mark && strstr(text, "split") != NULL)
			buf_str(&b, " ");
	}
	if (strstr(text, "twice") != NULL)
		buf_printf(&b, " %s", text);
	return buf_text(&b);
}

static const char *
translated(struct request *rq, const char *text, const char *target)
{
	return translated_marked(rq, text, target, 'Q');
}

static bool
reply_member(struct request *rq, const char *name, const char *value)
{
	return reply_json(rq, 200, object_of(rq, name, value));
}

/* LibreTranslate: the list of language pairs. */
static bool
libre_languages(struct request *rq)
{
	return reply_json(rq, 200,
	    "[{\"code\":\"en\",\"name\":\"English\",\"targets\":"
	    "[\"en\",\"es\",\"zh-Hans\",\"zt\",\"nb\",\"pb\"]},"
	    "{\"code\":\"es\",\"name\":\"Spanish\",\"targets\":[\"en\",\"es\"]}]");
}

static bool
libre_translate(struct request *rq)
{
	const char *text = member(rq, "q"), *to = member(rq, "target");
	const char *format = member(rq, "format"), *key = member(rq, "api_key");

	if (key == NULL || strcmp(key, "test-key") != 0)
		return reply_error(rq, 403, "Invalid API key");
	if (text == NULL || to == NULL || member(rq, "source") == NULL ||
	    format == NULL || strcmp(format, "text") != 0)
		return reply_error(rq, 400, "a field is missing");
	if (has_word(rq, text, "fail", to))
		return reply_error(rq, 500, "as was asked for");
	return reply_member(rq, "translatedText", translated(rq, text, to));
}

/* ---- chat models ---- */

/* Returns the quoted text after these words; "" if there is none. */
static const char *
quoted_after(struct request *rq, const char *text, const char *words)
{
	const char *at = text != NULL ? strstr(text, words) : NULL;

	at = at != NULL ? at + strlen(words) : "";
	return arena_dup(rq->mem, at, strcspn(at, "\""));
}

/* Answers of models that are no translations; the last ones resemble one. */
static const struct {
	const char *word, *answer;
} moods[] = {
	{ "be-empty", "  \n" },
	{ "be-long",
	    "This is an essay, and it goes on.  This is an essay, and it goes on. "
	    " This is an essay, and it goes on.  This is an essay, and it goes "
	    "on.  This is an essay, and it goes on.  And on." },
	{ "be-sorry", "I'm sorry, but I can't assist with that." },
	{ "be-russian", "Это совсем не по-испански, извините." },
	{ "be-quoted", "\"Hola\"" },
	{ "be-thoughtful", "<think>It is a greeting.</think>\n\nHola" },
};

static const char *
chat_answer(struct request *rq, const char *text, const char *target)
{
	for (size_t i = 0; i < sizeof(moods) / sizeof(moods[0]); i++)
		if (strstr(text, moods[i].word) != NULL)
			return moods[i].answer;
	return translated(rq, text, target);
}

static bool
reply_chat(struct request *rq, const char *text, bool cut)
{
	struct buf b = { .mem = rq->mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_list(&j, "choices");
	jw_open(&j, NULL);
	jw_text(&j, "finish_reason", cut ? "length" : "stop");
	jw_open(&j, "message");
	jw_text(&j, "role", "assistant");
	jw_text(&j, "content", text);
	jw_close(&j);
	jw_close(&j);
	jw_close(&j);
	jw_close(&j);
	return reply_json(rq, 200, buf_text(&b));
}

/* True if the text contains "context" or "follows" and the request has no context. */
static bool
lacks_context(const char *text, const char *context)
{
	if (strstr(text, "follows") != NULL)
		return context == NULL || strstr(context, "goes before") == NULL;
	return strstr(text, "context") != NULL &&
	       (context == NULL || strstr(context, "Annual meeting") == NULL ||
		   strstr(context, "The first.") == NULL ||
		   strstr(context, "The last.") == NULL);
}

/* Models "thinks-..." refuse a temperature; other models require 0. */
static bool
chat(struct request *rq)
{
	const char *why, *system, *text, *model = member(rq, "model");
	const struct json *v = json_read(rq->mem, rq->body, rq->body_len, &why);
	const struct json *list = json_get_list(v, "messages");
	const char *auth = header(rq, "Authorization");
	int64_t heat = json_get_int(v, "temperature", -1);

	if (auth == NULL || strcmp(auth, "Bearer test-key") != 0)
		return reply_error(rq, 401, "Incorrect API key provided");
	if (model == NULL || list == NULL || list->n != 2)
		return reply_error(rq, 400, "a field is missing");
	if (heat != (strncmp(model, "thinks-", 7) == 0 ? -1 : 0))
		return reply_error(rq, 400, "Unsupported value: 'temperature'");
	system = json_get_text(list->kids, "content");
	text = json_get_text(list->kids->next, "content");
	if (text == NULL || lacks_context(text, system))
		return reply_error(rq, 422, "the context is missing");
	if (has_word(rq, text, "fail", quoted_after(rq, system, "to language \"")))
		return reply_error(rq, 500, "as was asked for");
	if (strcmp(model, "scripted") == 0)
		return reply_chat(rq, scripted_chat, false);
	return reply_chat(rq,
	    chat_answer(rq, text, quoted_after(rq, system, "to language \"")),
	    strstr(text, "be-cut") != NULL);
}

/* ---- DeepL ---- */

/*
 * True for a code in upper case that is not EN or PT, which need a region as targets.
 */
static bool
is_deepl_language(const char *code, bool target)
{
	return code != NULL &&
	       strcspn(code, "abcdefghijklmnopqrstuvwxyz") == strlen(code) &&
	       strcmp(code, "NO") != 0 && strcmp(code, "FIL") != 0 &&
	       (target ? strcmp(code, "EN") != 0 && strcmp(code, "PT") != 0
		       : strchr(code, '-') == NULL);
}

static bool
deepl(struct request *rq)
{
	const char *why, *text, *to = member(rq, "target_lang");
	const struct json *v = json_read(rq->mem, rq->body, rq->body_len, &why);
	const struct json *list = json_get_list(v, "text");
	const char *auth = header(rq, "Authorization"),
		   *tags = member(rq, "tag_handling");
	struct buf b = { .mem = rq->mem };
	struct json_writer j = { .out = &b };

	if (auth == NULL || strcmp(auth, "DeepL-Auth-Key test-key") != 0)
		return reply_error(rq, 403, "Forbidden");
	if (list == NULL || list->n != 1 || !is_deepl_language(to, true) ||
	    !is_deepl_language(member(rq, "source_lang"), false) || tags == NULL ||
	    strcmp(tags, "xml") != 0 || json_get_list(v, "ignore_tags") == NULL)
		return reply_error(rq, 400, "Value for a field is not supported.");
	text = list->kids->u.s;
	if (lacks_context(text, member(rq, "context")))
		return reply_error(rq, 400, "no context");
	if (strstr(text, "quota") != NULL)
		return reply_error(rq, 456, "Quota Exceeded");
	jw_open(&j, NULL);
	jw_list(&j, "translations");
	jw_open(&j, NULL);
	jw_text(&j, "detected_source_language", member(rq, "source_lang"));
	jw_text(&j, "text", translated_marked(rq, text, text_lower(rq->mem, to), '<'));
	jw_close(&j);
	jw_close(&j);
	jw_close(&j);
	return reply_json(rq, 200, buf_text(&b));
}

/* The engine kind "http". */
static bool
http_translate(struct request *rq)
{
	const char *text = member(rq, "text"), *to = member(rq, "target");
	const char *auth = header(rq, "Authorization");

	if (auth == NULL || strcmp(auth, "Bearer test-key") != 0)
		return reply_error(rq, 401, "no key");
	if (text == NULL || to == NULL || member(rq, "source") == NULL)
		return reply_error(rq, 422, "a field is missing");
	return reply_member(rq, "text", translated(rq, text, to));
}

#endif
