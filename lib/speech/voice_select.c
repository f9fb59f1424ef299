/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/voice_select.h"

#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/id.h"
#include "speech/builtin_voices.h"
#include "speech/engine.h"

/*
 * Returns the engine's own low or high voice for the two ids that mean them; other ids
 * are unchanged.
 */
static const char *
called(const char *id)
{
	for (int i = 0; i < 2; i++)
		if (strcasecmp(id, builtin_voices[i].id) == 0)
			return builtin_voices[i].name;
	return id;
}

static struct voice_chosen
one_of_two(const struct registry_engine *en, const char *id)
{
	bool high = strcmp(id, BUILTIN_HIGH) == 0;
	struct voice_chosen v = { .voice = registry_voice(en, id), .high = high };

	if (v.voice == NULL && (en->tts->can & TTS_NAMED) != 0) {
		v.voice = registry_voice(en, high ? BUILTIN_LOW : BUILTIN_HIGH);
		v.other = v.voice != NULL;
	}
	return v;
}

/*
 * Use a profile with engines that shape speech; other engines get the voice's id as its
 * name.
 */
static bool
clone(const struct registry_engine *en, const char *id, const struct voice_found *found,
    struct voice_chosen *to)
{
	const struct builtin_voice *built_in = builtin_find(id);

	if ((en->tts->can & TTS_CLONE) == 0)
		return false;
	if ((en->tts->can & TTS_PROFILE) == 0)
		to->voice = id;
	else
		to->voice = built_in != NULL ? built_in->voice : found->voice;
	return to->voice != NULL && (to->voice == id || to->voice[0] == '{');
}

/* Returns the voice's name at the engine's server; NULL: unknown there. */
static const char *
name_at(const struct registry_engine *en, const struct voice_found *found)
{
	if (en->holds_external && found->external != NULL)
		return found->external;
	return en->holds_own && found->voice != NULL && found->voice[0] != '{'
		   ? found->voice
		   : NULL;
}

static bool
find(const struct registry_engine *en, const char *id, voice_finder *find_voice,
    void *arg, struct voice_chosen *to)
{
	struct voice_found found = { NULL };

	if (!find_voice(arg, id, &found) && builtin_find(id) == NULL)
		return false;
	*to = (struct voice_chosen){ .voice = registry_voice(en, id),
		.sample_url = found.sample_url };
	if (to->voice == NULL)
		to->voice = name_at(en, &found);
	return to->voice != NULL || clone(en, id, &found, to);
}

struct voice_chosen
voice_instead(struct arena *mem, const struct registry_engine *en, const char *id)
{
	struct voice_chosen v = one_of_two(en, BUILTIN_LOW);

	v.warning = arena_printf(
	    mem, "Voice ID '%s' is not available, using default voice", id);
	return v;
}

struct voice_chosen
voice_choose(struct arena *mem, const struct registry_engine *en, const char *id,
    voice_finder *find_voice, void *arg)
{
	const char *uuid = id_read(mem, id);
	struct voice_chosen v;

	id = called(id);
	if (strcmp(id, BUILTIN_LOW) == 0 || strcmp(id, BUILTIN_HIGH) == 0)
		return one_of_two(en, id);
	if (uuid != NULL && find(en, uuid, find_voice, arg, &v))
		return v;
	return voice_instead(mem, en, id);
}

bool
voice_clones_at(const struct registry_engine *en)
{
	const struct engine_kind *k = engine_find(en->at.kind);

	return (en->holds_own || en->holds_external) && en->at.url != NULL &&
	       k->clone != NULL;
}

static bool
is_live(const struct registry_engine *en, const char *server)
{
	if ((en->tts->can & TTS_PROFILE) != 0)
		return true;
	return server != NULL && voice_clones_at(en) &&
	       (*server == '\0' || strcmp(en->at.id, server) == 0);
}

const struct registry_engine *
voice_live_engine(
    struct registry *reg, const char *lang, const char *model, const char *server)
{
	struct registry_want which = { model, NULL, monotonic_us() };
	const struct registry_engine *en = registry_tts(reg, lang, &which);
	bool named = en != NULL && model != NULL && strcmp(en->at.id, model) == 0;

	while (en != NULL && !is_live(en, server)) {
		which.after = en;
		en = named ? NULL : registry_tts(reg, lang, &which);
	}
	return en;
}

const char *
voice_model(struct arena *mem, struct registry *reg, const struct voice_wish *wish,
    voice_finder *find_voice, void *arg)
{
	struct registry_want which = { wish->model, NULL, monotonic_us() };
	const struct registry_engine *en = registry_tts(reg, wish->lang, &which);
	const char *instead = NULL; /* an engine with the other voice of two */

	if (en == NULL || (wish->model != NULL && strcmp(en->at.id, wish->model) == 0))
		return wish->model;
	for (; en != NULL; en = registry_tts(reg, wish->lang, &which)) {
		struct voice_chosen v =
		    voice_choose(mem, en, wish->id, find_voice, arg);

		if (instead != NULL && (en->tts->can & TTS_PROFILE) != 0)
			break;
		if (v.warning == NULL && !v.other)
			return en->at.id;
		if (v.warning == NULL && instead == NULL)
			instead = en->at.id;
		which.after = en;
	}
	return instead != NULL ? instead : wish->model;
}
