/*
 * Reference voices as OpenAI and vLLM-Omni take them: POST /v1/audio/voices
 * with a sample, then its name is a voice.  The name is made of our id, so a
 * second try meets the first one's voice and not a new one.
 */
#include <string.h>

#include "speech/http_engine.h"

#define PATH "/v1/audio/voices"
#define AUTH "Authorization: Bearer "

/* 409 is the plain way to say it, a 400 or 422 in words the usual one. */
static bool
already_exists(const struct http_answer *a)
{
	return a->status == 409 || ((a->status == 400 || a->status == 422) &&
				       strcasestr(a->body, "already exists") != NULL);
}

static enum err
check(const struct engine_call *en, const struct http_answer *a)
{
	const struct json *said, *success;
	enum err e;

	if (already_exists(a))
		return OK;
	if ((e = engine_verdict(en, PATH, a)) != OK)
		return e;
	if ((said = engine_object(en, a)) == NULL)
		return engine_refuse(en, PATH, "the answer is no JSON object");
	success = json_get(said, "success");
	if (success != NULL && success->type == JSON_BOOL && !success->u.b)
		return engine_refuse(en, PATH, "the answer is 2xx without success");
	return OK;
}

static enum err
clone(const struct engine_at *at, struct arena *mem, const struct clone_sample *sample,
    const char **voice)
{
	struct engine_call en = engine_start(at, mem, AUTH);
	const char *name = engine_voice_name(mem, sample->ref);
	const struct http_part parts[] = {
		{ .name = "name", .data = name, .len = strlen(name) },
		{ .name = "consent", .data = name, .len = strlen(name) },
		engine_sample_part(mem, "audio_sample", &sample->pcm),
	};
	struct http_call call = { .method = "POST", .parts = parts, .nparts = 3 };
	struct http_answer a;
	enum err e;

	if ((e = engine_ask(&en, call, PATH, &a)) != OK || (e = check(&en, &a)) != OK)
		return e;
	*voice = name;
	return OK;
}

static bool
is_gone(const struct engine_call *en, const struct http_answer *a)
{
	(void)en;
	return a->status == 404;
}

static enum err
drop(const struct engine_at *at, struct arena *mem, const char *voice)
{
	struct engine_call en = engine_start(at, mem, AUTH);

	return engine_delete(&en, PATH, voice, is_gone);
}

const struct clone_engine clone_openai = { clone, drop };
