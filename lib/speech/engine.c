/* The kinds of engines, and the sections of the settings that make engines of them. */
#include "speech/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND(...) { __VA_ARGS__ },
#define ASR(table) .asr = &table,
#define MT(table) .mt = &table,
#define TTS(table) .tts = &table,
#define CLONE(table) .clone = &table,

const struct engine_kind engine_kinds[] = { ENGINE_KINDS{ NULL } };

#define PARALLEL 32
#define TIMEOUT_MS 10000 /* of a section that does not set it */

const struct engine_kind *
engine_find(const char *name)
{
	const struct engine_kind *k = engine_kinds;

	while (k->name != NULL && strcmp(k->name, name) != 0)
		k++;
	return k->name != NULL ? k : NULL;
}

/* The kind that needs no section, by its name. */
static const struct engine_kind *
find_preset(const char *id, size_t n)
{
	const struct engine_kind *k = engine_kinds;

	while (k->name != NULL && (k->timeout_ms == 0 || strlen(k->name) != n ||
				      memcmp(k->name, id, n) != 0))
		k++;
	return k->name != NULL ? k : NULL;
}

bool
engine_section(const struct conf *c, const char *id, size_t n, struct conf_engine *to)
{
	const struct conf_engine *en = conf_engine_find(c, id, n);
	const struct engine_kind *preset = find_preset(id, n);

	if (en == NULL && preset == NULL)
		return false;
	*to = en != NULL ? *en : conf_engine_none(preset->name);
	if (*to->kind == '\0' && preset != NULL)
		to->kind = preset->name;
	if (to->timeout_ms == 0)
		to->timeout_ms = preset != NULL ? preset->timeout_ms : TIMEOUT_MS;
	to->next = NULL;
	return true;
}

static const char *
copy(struct arena *mem, const char *text)
{
	return *text != '\0' ? arena_str(mem, text) : NULL;
}

struct engine_at
engine_at_section(struct arena *mem, const struct conf *c, const struct conf_engine *en)
{
	return (struct engine_at){
		.id = arena_str(mem, en->id),
		.kind = arena_str(mem, en->kind),
		.url = copy(mem, en->url),
		.key = copy(mem, en->key),
		.model = copy(mem, en->model),
		.languages = copy(mem, en->languages),
		.lines = copy(mem, en->lines),
		.bin_dir = arena_str(mem, c->bin_dir),
		.protocol = copy(mem, en->protocol),
		.detect = copy(mem, en->detect),
		.library = copy(mem, en->library),
		.parallel = *en->parallel != '\0'  ? atoi(en->parallel)
			    : *en->library != '\0' ? 1
						   : PARALLEL,
		.threads = *en->threads != '\0' ? atoi(en->threads) : 1,
		.timeout_ms = (int)en->timeout_ms,
		.pivot = c->speech_pivot,
		.allow_private = true,
	};
}

/* The setting of that name, n bytes. */
static const char *
value_of(const struct conf_engine *en, const char *name, size_t n)
{
	const struct conf_engine_key *k = conf_engine_keys;

	while (strlen(k->name) != n || memcmp(k->name, name, n) != 0)
		k++;
	return *(const char *const *)(const void *)((const char *)en + k->at);
}

const char *
engine_lacks(struct arena *mem, const struct conf_engine *en, bool *later)
{
	const struct engine_kind *k = engine_find(en->kind);
	const char *files[][2] = { { "library", en->library }, { "model", en->model } };

	*later = false;
	for (const char *s = k->settings; (s = strchr(s, '!')) != NULL;) {
		size_t n = strcspn(++s, " ");

		if (*value_of(en, s, n) == '\0')
			return arena_printf(mem, "%.*s: is missing", (int)n, s);
	}
	*later = true;
	for (size_t i = 0; *en->library != '\0' && i < 2; i++)
		if (access(files[i][1], R_OK) != 0)
			return arena_printf(mem, "%s: %s: %s", files[i][0], files[i][1],
			    strerror(errno));
	return NULL;
}
