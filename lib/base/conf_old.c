/*
 * Settings of earlier versions, which one release still reads and names in the log.
 * The sections [tts], [clone] and [external] each stand for an engine of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/conf_parts.h"
#include "base/log.h"

/* clang-format off */
static const struct old_section {
	const char *name;
	const char *engine;  /* ID of the section that takes its place */
	const char *kind;    /* of that engine, where nothing else is said */
	const char *instead; /* the setting that names the engine */
	size_t at;           /* of that in struct conf */
} sections[] = {
	{ "tts.",      "old-tts",      "espeak",  "speech.sample",   offsetof(struct conf, speech_sample) },
	{ "clone.",    "old-clone",    "profile", "speech.clone",    offsetof(struct conf, speech_clone) },
	{ "external.", "old-external", "none",    "speech.external", offsetof(struct conf, speech_external) },
};

static const struct {
	const char *name;
	size_t at; /* of struct conf_engine */
} keys[] = {
	{ "engine", offsetof(struct conf_engine, kind) },
	{ "url",    offsetof(struct conf_engine, url) },
	{ "key",    offsetof(struct conf_engine, key) },
	{ "model",  offsetof(struct conf_engine, model) },
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The engine that the section stands for. */
static struct conf_engine *
take(struct arena *mem, struct conf *c, const struct old_section *s)
{
	bool new = conf_engine_find(c, s->engine, strlen(s->engine)) == NULL;
	struct conf_engine *en = conf_engine_take(mem, c, s->engine, strlen(s->engine));

	if (new) {
		log_info("the section [%.*s] is an old spelling: name an engine in %s, "
			 "and set it in a section [engine.ID]",
		    (int)strlen(s->name) - 1, s->name, s->instead);
		en->kind = s->kind;
	}
	*(const char **)(void *)((char *)c + s->at) = s->engine;
	return en;
}

bool
conf_old_set(struct arena *mem, struct conf *c, const char *name, const char *value)
{
	for (size_t i = 0; i < COUNT(sections); i++)
		for (size_t k = 0; k < COUNT(keys); k++) {
			size_t n = strlen(sections[i].name);

			if (strncmp(name, sections[i].name, n) != 0 ||
			    strcmp(name + n, keys[k].name) != 0)
				continue;
			*(const char **)(void *)((char *)take(mem, c, &sections[i]) +
						 keys[k].at) = arena_str(mem, value);
			return true;
		}
	if (strcmp(name, "livekit.url") != 0 && strcmp(name, "livekit.api_url") != 0)
		return false;
	log_info("%s is ignored: there is no driver for LiveKit", name);
	return true;
}

void
conf_old_environment(struct arena *mem, struct conf *c)
{
	for (size_t i = 0; i < COUNT(sections); i++)
		for (size_t k = 0; k < COUNT(keys); k++) {
			const char *name =
			    arena_printf(mem, "%s%s", sections[i].name, keys[k].name);
			const char *value = getenv(conf_variable(mem, name));

			if (value != NULL)
				(void)conf_old_set(mem, c, name, value);
		}
}
