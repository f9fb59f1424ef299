#ifndef TESTS_ENGINE_MT_H
#define TESTS_ENGINE_MT_H

/*
 * How engine-server.c translates: "<es> TEXT".  A word of the text makes it lose
 * the letter Q, whatever is marked with it: "drop", "split", "twice"; "drop-es" does
 * when that is the target.  "fail-es" is refused for that target, "wait" takes 400 ms.
 */
#include <string.h>
#include <unistd.h>

#include "engine-http.h"

/* Whether the text has that word, for that target or for any. */
static bool
has_word(struct request *rq, const char *text, const char *word, const char *target)
{
	const char *at = strstr(text, word);

	return at != NULL &&
	       (at[strlen(word)] != '-' ||
		   strstr(text, arena_printf(rq->mem, "%s-%s ", word, target)) != NULL);
}

static const char *
translated(struct request *rq, const char *text, const char *target)
{
	struct buf b = { .mem = rq->mem };
	bool drops = has_word(rq, text, "drop", target);

	if (strstr(text, "wait") != NULL)
		usleep(400000);
	buf_printf(&b, "<%s> ", target);
	for (const char *s = text; *s != '\0'; s++) {
		if (*s != 'Q' || !drops)
			buf_put(&b, s, 1);
		if (*s == 'Q' && strstr(text, "split") != NULL)
			buf_str(&b, " ");
	}
	if (strstr(text, "twice") != NULL)
		buf_printf(&b, " %s", text);
	return buf_text(&b);
}

static bool
reply_member(struct request *rq, const char *name, const char *value)
{
	struct buf b = { .mem = rq->mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_text(&j, name, value);
	jw_close(&j);
	return reply_json(rq, 200, buf_text(&b));
}

/* LibreTranslate: which pairs there are. */
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

/* The generic kind. */
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
