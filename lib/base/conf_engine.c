/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sections [engine.ID]: one for each engine that differs from the defaults of its
 * kind.  lib/speech knows the kinds and their requirements.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/conf_parts.h"
#include "base/log.h"

#define SECTION "engine."
#define VOICE "voice."
#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789-"
#define ID_LENGTH 32
#define UUID_LENGTH 36
#define TIMEOUT_LEAST_MS 100
#define TIMEOUT_MOST_MS 60000
#define PARALLEL_MOST 1000
#define THREADS_MOST 64

#define AT(m) offsetof(struct conf_engine, m)

/* clang-format off */
const struct conf_engine_key conf_engine_keys[] = {
	{ "kind",      AT(kind),      "Its kind; empty: the section's ID." },
	{ "url",       AT(url),       "Address of an engine behind HTTP or a WebSocket; it may be a private one." },
	{ "key",       AT(key),       "Its credential.", .secret = true },
	{ "model",     AT(model),     "Its model; empty: its default." },
	{ "languages", AT(languages), "Its language codes, separated by blanks; empty: all that it supports." },
	{ "protocol",  AT(protocol),  "Of a websocket: vosk, sherpa, deepgram, openai_realtime; empty: vosk." },
	{ "detect",    AT(detect),    "Language to send when it must be detected; empty: none." },
	{ "parallel",  AT(parallel),  "Requests at a time, 1 to 1000; empty: 32, of a library 1, of whisper as many as processors have room for." },
	{ "partial",   AT(partial),   "Partial texts: yes, no, auto; auto and empty: not of a server with parallel = 1." },
	{ "command",   AT(command),   "Of a process: a program and its arguments, separated by blanks; no shell reads it." },
	{ "library",   AT(library),   "Path of a shared library; only child processes load it." },
	{ "threads",   AT(threads),   "Of one process of the library, 1 to 64; empty: 1, of whisper one per processor, 4 at most." },
	{ "lines",     AT(lines),     "Texts that a script recognizes, separated by |; several add up." },
	{ NULL },
};
/* clang-format on */

static const char **
text_of(struct conf_engine *en, const struct conf_engine_key *m)
{
	return (const char **)(void *)((char *)en + m->at);
}

/* True if n bytes contain only those characters. */
static bool
is_name(const char *s, size_t n, const char *of, size_t most)
{
	return n > 0 && n <= most && strspn(s, of) >= n;
}

const struct conf_engine *
conf_engine_find(const struct conf *c, const char *id, size_t n)
{
	const struct conf_engine *en = c->engines;

	while (en != NULL && (strlen(en->id) != n || memcmp(en->id, id, n) != 0))
		en = en->next;
	return en;
}

struct conf_engine
conf_engine_none(const char *id)
{
	struct conf_engine en = { .id = id };

	for (const struct conf_engine_key *k = conf_engine_keys; k->name != NULL; k++)
		*text_of(&en, k) = "";
	return en;
}

struct conf_engine *
conf_engine_ensure(struct arena *mem, struct conf *c, const char *id, size_t n)
{
	struct conf_engine **en = &c->engines;

	while (*en != NULL && (strlen((*en)->id) != n || memcmp((*en)->id, id, n) != 0))
		en = &(*en)->next;
	if (*en == NULL) {
		*en = arena_alloc(mem, sizeof(**en));
		**en = conf_engine_none(arena_dup(mem, id, n));
	}
	return *en;
}

const char *
conf_int(const char *text, int64_t min, int64_t max, int64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoll(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0)
		return "must be an integer";
	return *to < min || *to > max ? "is out of range" : NULL;
}

/* True if it can be a voice_id and has no other meaning. */
static bool
is_voice(const char *id)
{
	return strcmp(id, "default_low") == 0 || strcmp(id, "default_high") == 0 ||
	       (strlen(id) == UUID_LENGTH &&
		   strspn(id, "0123456789abcdef-") == UUID_LENGTH);
}

static const char *
set_voice(struct arena *mem, struct conf_engine *en, const char *id, const char *value)
{
	struct conf_voice **v = &en->voices;

	if (!is_voice(id))
		return "is no setting";
	if (*value == '\0')
		return "must name a voice of the engine";
	while (*v != NULL && strcmp((*v)->id, id) != 0)
		v = &(*v)->next;
	if (*v == NULL) {
		*v = arena_alloc(mem, sizeof(**v));
		(*v)->id = arena_str(mem, id);
	}
	(*v)->name = arena_str(mem, value);
	return NULL;
}

static const char *
set_url(struct arena *mem, const char **to, const char *value)
{
	size_t n = strlen(value);

	if (n > 0 && strncmp(value, "http://", 7) != 0 &&
	    strncmp(value, "https://", 8) != 0 && strncmp(value, "ws://", 5) != 0 &&
	    strncmp(value, "wss://", 6) != 0)
		return "must begin with http://, https://, ws:// or wss://";
	while (n > 0 && value[n - 1] == '/')
		n--;
	*to = arena_dup(mem, value, n);
	return NULL;
}

static void
add_lines(struct arena *mem, const char **to, const char *value)
{
	char *more = arena_printf(mem, "%s%s%s", *to, **to != '\0' ? "\n" : "", value);

	if (*value == '\0')
		return;
	for (char *s = more; *s != '\0'; s++)
		if (*s == '|')
			*s = '\n';
	*to = more;
}

static const char *
set_text(struct arena *mem, const char *name, const char **to, const char *value)
{
	const char *why;
	int64_t n;

	if (strcmp(name, "url") == 0)
		return set_url(mem, to, value);
	if (strcmp(name, "parallel") == 0 && *value != '\0' &&
	    (why = conf_int(value, 1, PARALLEL_MOST, &n)) != NULL)
		return why;
	if (strcmp(name, "threads") == 0 && *value != '\0' &&
	    (why = conf_int(value, 1, THREADS_MOST, &n)) != NULL)
		return why;
	if (strcmp(name, "partial") == 0 && *value != '\0' &&
	    strcmp(value, "yes") != 0 && strcmp(value, "no") != 0 &&
	    strcmp(value, "auto") != 0)
		return "must be yes, no or auto";
	if (strcmp(name, "lines") == 0)
		add_lines(mem, to, value);
	else
		*to = arena_str(mem, value);
	return NULL;
}

static const char *
set(struct arena *mem, struct conf_engine *en, const char *key, const char *value)
{
	if (strncmp(key, VOICE, strlen(VOICE)) == 0)
		return set_voice(mem, en, key + strlen(VOICE), value);
	if (strcmp(key, "timeout_ms") == 0)
		return conf_int(
		    value, TIMEOUT_LEAST_MS, TIMEOUT_MOST_MS, &en->timeout_ms);
	for (const struct conf_engine_key *k = conf_engine_keys; k->name != NULL; k++)
		if (strcmp(k->name, key) == 0)
			return set_text(mem, key, text_of(en, k), value);
	return "is no setting";
}

const char *
conf_engine_set(struct arena *mem, struct conf *c, const char *name, const char *value)
{
	const char *id = name + strlen(SECTION);
	size_t n;

	if (strncmp(name, SECTION, strlen(SECTION)) != 0)
		return "is no setting";
	n = strcspn(id, ".");
	if (id[n] == '\0' || !is_name(id, n, LOWER, ID_LENGTH))
		return "is no setting";
	return set(mem, conf_engine_ensure(mem, c, id, n), id + n + 1, value);
}

/* ---- the environment ---- */

const char *
conf_variable(struct arena *mem, const char *setting)
{
	char *name = arena_printf(mem, "DRAGOMAN_%s", setting);

	for (char *c = name; *c != '\0'; c++)
		if (*c == '.')
			*c = '_';
		else if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	return name;
}

/*
 * In the environment, ID and key are in capitals, and all characters but letters and
 * digits are replaced by _.
 */
static char
fold(char c)
{
	return (char)(c >= 'A' && c <= 'Z'   ? c - 'A' + 'a'
		      : c == '_' || c == '.' ? '-'
					     : c);
}

/* True if the name, folded, is an ID and then the key; *id: length of the ID. */
static bool
ends_with(const char *name, const char *key, size_t *id)
{
	size_t n = strlen(name), k = strlen(key);

	if (n < k + 2 || name[n - k - 1] != '-')
		return false;
	*id = n - k - 1;
	for (size_t i = 0; i < k; i++)
		if (name[n - k + i] != fold(key[i]))
			return false;
	return true;
}

/* The key at the end of a name; NULL: it is not a setting of an engine. */
static const char *
find_key(struct arena *mem, const char *name, size_t *id)
{
	size_t n = strlen(name);
	const char *keys[] = { VOICE "default_low", VOICE "default_high", "timeout_ms",
		n > UUID_LENGTH ? arena_printf(mem, VOICE "%s", name + n - UUID_LENGTH)
				: "kind" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (ends_with(name, keys[i], id))
			return keys[i];
	for (const struct conf_engine_key *k = conf_engine_keys; k->name != NULL; k++)
		if (ends_with(name, k->name, id))
			return k->name;
	return NULL;
}

/* Read a variable of the environment, NAME=VALUE. */
static bool
override(struct arena *mem, struct conf *c, const char *said)
{
	char *name = arena_dup(mem, said, strcspn(said, "="));
	const char *value = said + strlen(name) + 1, *key, *what;
	struct conf_engine *en;
	size_t id;

	for (char *p = name; *p != '\0'; p++)
		*p = fold(*p);
	if ((key = find_key(mem, name, &id)) == NULL ||
	    !is_name(name, id, LOWER, ID_LENGTH))
		return true;
	en = conf_engine_ensure(mem, c, name, id);
	if (strcmp(key, "lines") == 0)
		en->lines = ""; /* the following lines replace those of the file */
	if ((what = set(mem, en, key, value)) == NULL)
		return true;
	log_error("environment: " SECTION "%s.%s %s", en->id, key, what);
	return false;
}

bool
conf_engine_environment(struct arena *mem, struct conf *c)
{
	static const char start[] = "DRAGOMAN_ENGINE_";
	bool good = true;

	for (char **e = environ; *e != NULL; e++)
		if (strncmp(*e, start, strlen(start)) == 0 && strchr(*e, '=') != NULL)
			good = override(mem, c, *e + strlen(start)) && good;
	return good;
}

/* ---- settings of earlier versions, each section for an engine of its own ---- */

/* clang-format off */
static const struct old_section {
	const char *name;
	const char *engine;  /* ID of the section that replaces it */
	const char *kind;    /* default kind of that engine */
	const char *instead; /* the setting that names the engine */
	size_t at;           /* offset of that member in struct conf */
} sections[] = {
	{ "tts.",      "old-tts",      "espeak",  "speech.sample",   offsetof(struct conf, speech_sample) },
	{ "clone.",    "old-clone",    "profile", "speech.clone",    offsetof(struct conf, speech_clone) },
	{ "external.", "old-external", "none",    "speech.external", offsetof(struct conf, speech_external) },
};

static const struct {
	const char *name;
	size_t at; /* offset in struct conf_engine */
} keys[] = {
	{ "engine", offsetof(struct conf_engine, kind) },
	{ "url",    offsetof(struct conf_engine, url) },
	{ "key",    offsetof(struct conf_engine, key) },
	{ "model",  offsetof(struct conf_engine, model) },
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Returns the engine that the section describes. */
static struct conf_engine *
engine_of_section(struct arena *mem, struct conf *c, const struct old_section *s)
{
	bool new = conf_engine_find(c, s->engine, strlen(s->engine)) == NULL;
	struct conf_engine *en =
	    conf_engine_ensure(mem, c, s->engine, strlen(s->engine));

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
			*(const char **)(void *)((char *)engine_of_section(
						     mem, c, &sections[i]) +
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
