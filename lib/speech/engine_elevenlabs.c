/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine kind elevenlabs: ElevenLabs, and servers with its interface. */
#include <string.h>

#include "base/json_writer.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/engine.h"
#include "speech/engine_call.h"
#include "speech/tts_stream.h"

/* ---- speech ---- */

/*
 * POST /v1/text-to-speech/{voice}; for a listener /v1/text-to-speech/{voice}/stream,
 * which sends sound while it is synthesized. The request asks for raw PCM of RATE_HZ.
 */
#define RATE_HZ 22050
#define FORMAT "pcm_22050"
#define MODEL "eleven_multilingual_v2"
#define LOW "JBFqnCBsd6RMkjVDRZzb"  /* the voice in its own examples */
#define HIGH "EXAVITQu4vr4xnSDxMaL" /* another voice that every account has */

/* The 29 languages documented for MODEL. */
static const char languages[] = "ar bg cs da de el en es fi fil fr hi hr id it ja ko "
				"ms nl pl pt ro ru sk sv ta tr uk zh";

static bool
speaks(const char *lang)
{
	return lang_covered(languages, lang);
}

/* False for MODEL: it detects the language of the text and used to refuse the
   parameter. */
static bool
takes_language(const char *model)
{
	size_t n = strlen(model);

	return n > 5 && strcmp(model + n - 5, "_v2_5") == 0;
}

static const char *
choose_voice(const struct tts_text *t)
{
	if (t->voice != NULL)
		return t->voice;
	return t->high && !t->sample ? HIGH : LOW;
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	const char *model = at->model != NULL ? at->model : MODEL;
	const char *voice = choose_voice(t);
	const char *lang = lang_fold(mem, t->lang);
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };
	const struct tts_request r = {
		.path =
		    arena_printf(mem, "/v1/text-to-speech/%s%s?output_format=" FORMAT,
			voice, t->sample ? "" : "/stream"),
		.auth = "xi-api-key: ",
		.body = &body,
		.rate_hz = RATE_HZ
	};

	if (!speaks(lang))
		return ERR_UNSUPPORTED;
	if (!engine_name_ok(voice)) {
		log_warn("engine %s: the voice's name is invalid", at->id);
		return ERR_REFUSED;
	}
	jw_open(&j, NULL);
	jw_text(&j, "text", t->text);
	jw_text(&j, "model_id", model);
	if (takes_language(model))
		jw_textn(&j, "language_code", lang, strcspn(lang, "-"));
	jw_close(&j);
	return tts_ask(at, mem, t, &r, sink, to);
}

const struct tts_engine tts_elevenlabs = { 0, speaks, synthesize };

/* ---- cloning ---- */

/*
 * Every POST /v1/voices/add makes a new voice, whatever its name. So the name contains
 * our id, and each attempt first searches for that name: it finds the voice of an
 * earlier attempt whose answer was lost.
 */
#define PATH "/v1/voices"
#define AUTH "xi-api-key: "
#define DESCRIPTION_BYTES 500 /* longest description that it accepts, in bytes */

/* Find a voice by name; *voice is NULL when there is none. */
static enum err
find(const struct engine_call *en, const char *name, const char **voice)
{
	const char *path = arena_printf(en->mem, PATH "?search=%s", name);
	struct http_call call = { .method = "GET" };
	const struct json *list;
	struct http_answer a;
	enum err e;

	*voice = NULL;
	if ((e = engine_ask(en, call, path, &a)) != OK ||
	    (e = engine_verdict(en, PATH, &a)) != OK)
		return e;
	if ((list = json_get_list(engine_object(en, &a), "voices")) == NULL)
		return engine_refuse(en, PATH, "the answer is not a list of voices");
	for (const struct json *v = list->kids; v != NULL && *voice == NULL;
	     v = v->next) {
		const char *its = json_get_text(v, "name");

		if (its != NULL && strcmp(its, name) == 0)
			*voice = json_get_text(v, "voice_id");
	}
	return OK;
}

/* Get the name and the description without our id. */
static const char *
description(struct arena *mem, const struct clone_sample *s)
{
	char *text = s->description == NULL
			 ? arena_str(mem, s->name)
			 : arena_printf(mem, "%s: %s", s->name, s->description);
	size_t n = DESCRIPTION_BYTES;

	if (strlen(text) > n) {
		while (((unsigned char)text[n] & 0xc0) == 0x80)
			n--; /* do not cut a character */
		text[n] = '\0';
	}
	return text;
}

static const char *
labels(struct arena *mem, const struct clone_sample *s)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_text(&j, "language", s->lang);
	jw_close(&j);
	return buf_text(&b);
}

static struct http_part
field(const char *name, const char *text)
{
	return (struct http_part){ .name = name, .data = text, .len = strlen(text) };
}

static enum err
add(const struct engine_call *en, const struct clone_sample *s, const char *name,
    const char **voice)
{
	const char *path = PATH "/add";
	const struct http_part parts[] = {
		field("name", name),
		field("description", description(en->mem, s)),
		field("labels", labels(en->mem, s)),
		engine_sample_part(en->mem, "files", &s->pcm),
	};
	struct http_call call = {
		.method = "POST", .parts = parts, .nparts = 4, .once = true
	};
	struct http_answer a;
	enum err e;

	if ((e = engine_ask(en, call, path, &a)) != OK ||
	    (e = engine_verdict(en, path, &a)) != OK)
		return e;
	*voice = json_get_text(engine_object(en, &a), "voice_id");
	if (*voice == NULL || !engine_name_ok(*voice))
		return engine_refuse(en, path, "the answer has no voice_id");
	return OK;
}

static enum err
clone(const struct engine_at *at, struct arena *mem, const struct clone_sample *sample,
    const char **voice)
{
	struct engine_call en = engine_start(at, mem, AUTH);
	const char *name = engine_voice_name(mem, sample->ref);
	enum err e;

	if ((e = find(&en, name, voice)) != OK || *voice != NULL)
		return e;
	return add(&en, sample, name, voice);
}

/* True if there is no such voice: 404, or 400 with the reason in the body. */
static bool
is_gone(const struct engine_call *en, const struct http_answer *a)
{
	const char *why = NULL;

	if (a->status == 400)
		why = json_get_text(json_get(engine_object(en, a), "detail"), "status");
	return a->status == 404 ||
	       (why != NULL && (strcmp(why, "voice_not_found") == 0 ||
				   strcmp(why, "voice_does_not_exist") == 0));
}

static bool
is_ours(const char *name)
{
	return strncmp(name, CLONE_NAME, strcspn(CLONE_NAME, "%")) == 0;
}

static enum err
drop(const struct engine_at *at, struct arena *mem, const char *voice)
{
	struct engine_call en = engine_start(at, mem, AUTH);
	enum err e = OK;

	if (engine_name_ok(voice) && is_ours(voice))
		e = find(&en, voice, &voice);
	return e != OK || voice == NULL ? e : engine_delete(&en, PATH, voice, is_gone);
}

const struct clone_engine clone_elevenlabs = { clone, drop };
