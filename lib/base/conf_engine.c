/*
 * The sections [engine.ID]: one for each engine of the real-time interfaces.
 * What kinds there are and what each needs is the affair of lib/speech.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf_parts.h"
#include "base/log.h"

#define SECTION "engine."
#define VOICE "voice."
#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789-"
#define ID_LENGTH 32
#define UUID_LENGTH 36
#define TIMEOUT_MS 10000
#define TIMEOUT_LEAST_MS 100
#define TIMEOUT_MOST_MS 60000

#define AT(m) offsetof(struct conf_engine, m)

/* clang-format off */
static const struct member {
	const char *name;
	size_t at;
	const char *meaning;
} members[] = {
	{ "kind",      AT(kind),      "pocketsphinx, apertium, espeak, openai, libretranslate, http or script." },
	{ "url",       AT(url),       "Address of an HTTP engine; it may be a private one." },
	{ "key",       AT(key),       "Its credential." },
	{ "model",     AT(model),     "Its model, of apertium its modes with blanks between; empty: its default." },
	{ "languages", AT(languages), "Codes it is used for, with blanks between; empty: all it can." },
	{ "lines",     AT(lines),     "What a script hears, parted by |; several add up." },
};

/* Those that every installation has, of the kind of that name. */
static const struct {
	const char *id;
	int64_t timeout_ms;
} presets[] = {
	{ "pocketsphinx", 5000 },
	{ "apertium",     3000 },
	{ "espeak",       4000 },
	{ "script",       TIMEOUT_MS },
};
/* clang-format on */

#define MEMBERS (sizeof(members) / sizeof(members[0]))
#define PRESETS (sizeof(presets) / sizeof(presets[0]))

static const char **
text_of(struct conf_engine *en, const struct member *m)
{
	return (const char **)(void *)((char *)en + m->at);
}

/* n bytes, only of those characters. */
static bool
is_name(const char *s, size_t n, const char *of, size_t most)
{
	return n > 0 && n <= most && strspn(s, of) >= n;
}

static struct conf_engine *
find(const struct conf *c, const char *id, size_t n)
{
	struct conf_engine *en = c->engines;

	while (en != NULL && (strlen(en->id) != n || memcmp(en->id, id, n) != 0))
		en = en->next;
	return en;
}

static struct conf_engine *
add(struct arena *mem, struct conf *c, const char *id)
{
	struct conf_engine *en = arena_alloc(mem, sizeof(*en)), **end = &c->engines;

	while (*end != NULL)
		end = &(*end)->next;
	*en = (struct conf_engine){ .id = id, .timeout_ms = TIMEOUT_MS };
	for (size_t i = 0; i < MEMBERS; i++)
		*text_of(en, &members[i]) = "";
	return *end = en;
}

void
conf_engine_presets(struct arena *mem, struct conf *c)
{
	c->engines = NULL;
	for (size_t i = 0; i < PRESETS; i++) {
		struct conf_engine *en = add(mem, c, presets[i].id);

		en->kind = presets[i].id;
		en->timeout_ms = presets[i].timeout_ms;
	}
}

static const char *
set_timeout(struct conf_engine *en, const char *value)
{
	char *end;
	long long ms;

	errno = 0;
	ms = strtoll(value, &end, 10);
	if (end == value || *end != '\0' || errno != 0)
		return "must be an integer";
	if (ms < TIMEOUT_LEAST_MS || ms > TIMEOUT_MOST_MS)
		return "is out of range";
	en->timeout_ms = ms;
	return NULL;
}

/* What can be a voice_id and is not looked for elsewhere. */
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
	    strncmp(value, "https://", 8) != 0)
		return "must begin with http:// or https://";
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
	if (strcmp(name, "url") == 0)
		return set_url(mem, to, value);
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
		return set_timeout(en, value);
	for (size_t i = 0; i < MEMBERS; i++)
		if (strcmp(members[i].name, key) == 0)
			return set_text(mem, key, text_of(en, &members[i]), value);
	return "is no setting";
}

const char *
conf_engine_set(struct arena *mem, struct conf *c, const char *name, const char *value)
{
	const char *id = name + strlen(SECTION);
	struct conf_engine *en;
	size_t n;

	if (strncmp(name, SECTION, strlen(SECTION)) != 0)
		return "is no setting";
	n = strcspn(id, ".");
	if (id[n] == '\0' || !is_name(id, n, LOWER, ID_LENGTH))
		return "is no setting";
	if ((en = find(c, id, n)) == NULL)
		en = add(mem, c, arena_dup(mem, id, n));
	return set(mem, en, id + n + 1, value);
}

/* What the environment calls a setting: NULL when it says nothing of it. */
static const char *
said(struct arena *mem, const char *id, const char *key)
{
	char *name = arena_printf(mem, "DRAGOMAN_ENGINE_%s_%s", id, key);

	for (char *s = name; *s != '\0'; s++)
		if (*s >= 'a' && *s <= 'z')
			*s = (char)(*s - 'a' + 'A');
		else if (*s == '-' || *s == '.')
			*s = '_';
	return getenv(name);
}

static bool
override(struct arena *mem, struct conf_engine *en, const char *key)
{
	const char *value = said(mem, en->id, key), *what;

	if (value == NULL)
		return true;
	if (strcmp(key, "lines") == 0)
		en->lines = ""; /* these take the place of the file's */
	if ((what = set(mem, en, key, value)) == NULL)
		return true;
	log_error("environment: " SECTION "%s.%s %s", en->id, key, what);
	return false;
}

bool
conf_engine_environment(struct arena *mem, struct conf *c)
{
	bool good = true;

	for (struct conf_engine *en = c->engines; en != NULL; en = en->next) {
		for (size_t i = 0; i < MEMBERS; i++)
			good = override(mem, en, members[i].name) && good;
		for (struct conf_voice *v = en->voices; v != NULL; v = v->next)
			good =
			    override(mem, en, arena_printf(mem, VOICE "%s", v->id)) &&
			    good;
		good = override(mem, en, "timeout_ms") && good;
	}
	return good;
}

static void
print_lines(const char *lines, FILE *to)
{
	for (size_t n; *lines != '\0'; lines += n + (lines[n] != '\0')) {
		n = strcspn(lines, "\n");
		fprintf(to, "lines = %.*s\n", (int)n, lines);
	}
}

static void
print_member(const struct member *m, const char *value, FILE *to)
{
	bool secret = strcmp(m->name, "key") == 0;

	if (strcmp(m->name, "lines") == 0 && *value != '\0')
		print_lines(value, to);
	else if (secret)
		fprintf(to, "; key = %s\n", *value != '\0' ? "********" : "");
	else
		fprintf(to, "%s = %s\n", m->name, value);
}

static void
print_meanings(const char *mark, FILE *to)
{
	fprintf(to, "\n%s Engines of real-time streams, a section [engine.ID] each:\n",
	    mark);
	for (size_t i = 0; i < MEMBERS; i++)
		fprintf(to, "%s %s: %s\n", mark, members[i].name, members[i].meaning);
	fprintf(to,
	    "%s timeout_ms: Milliseconds that one call may take. Default: %d\n"
	    "%s voice.ID: What it calls a voice: default_low, default_high, a uuid.\n",
	    mark, TIMEOUT_MS, mark);
}

void
conf_engine_print_example(const struct conf *c, FILE *to)
{
	print_meanings("#", to);
	for (struct conf_engine *en = c->engines; en != NULL; en = en->next) {
		fprintf(to, "\n[engine.%s]\n", en->id);
		for (size_t i = 0; i < MEMBERS; i++) {
			const char *value = *text_of(en, &members[i]);

			fprintf(to, ";%s =%s%s\n", members[i].name,
			    *value != '\0' ? " " : "", value);
		}
		fprintf(to, ";timeout_ms = %" PRId64 "\n", en->timeout_ms);
	}
}

void
conf_engine_print(const struct conf *c, FILE *to)
{
	print_meanings(";", to);
	for (struct conf_engine *en = c->engines; en != NULL; en = en->next) {
		fprintf(to, "\n[engine.%s]\n", en->id);
		for (size_t i = 0; i < MEMBERS; i++)
			print_member(&members[i], *text_of(en, &members[i]), to);
		fprintf(to, "timeout_ms = %" PRId64 "\n", en->timeout_ms);
		for (struct conf_voice *v = en->voices; v != NULL; v = v->next)
			fprintf(to, "voice.%s = %s\n", v->id, v->name);
	}
}
