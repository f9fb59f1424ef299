/* The settings as text, in the form of dragoman.conf, with the sections [engine.ID]. */
#include <inttypes.h>
#include <string.h>

#include "speech/engine.h"

static const char *
value_of(const struct conf_engine *en, const struct conf_engine_key *k)
{
	return *(const char *const *)(const void *)((const char *)en + k->at);
}

static bool
reads(const struct engine_kind *kind, const char *key)
{
	const char *found = kind != NULL ? strstr(kind->settings, key) : NULL;

	return strcmp(key, "kind") == 0 || strcmp(key, "languages") == 0 ||
	       (found != NULL && strchr(" ", found[strlen(key)]) != NULL);
}

/* Of lines each is a setting. */
static void
print_text(const char *start, const char *name, const char *value, FILE *to)
{
	size_t n;

	do {
		n = strcspn(value, "\n");
		fprintf(
		    to, "%s%s =%s%.*s\n", start, name, n > 0 ? " " : "", (int)n, value);
		value += n + (value[n] != '\0');
	} while (*value != '\0');
}

/* start: what its lines begin with. */
static void
print_section(const char *start, const struct conf_engine *en, FILE *to)
{
	const struct engine_kind *kind = engine_find(en->kind);
	struct arena *mem = arena_new();
	const char *lacks = NULL;
	bool later;

	fprintf(to, "\n[engine.%s]\n", en->id);
	if (kind != NULL && (lacks = engine_lacks(mem, en, &later)) != NULL)
		fprintf(to, "; wrong: %s\n", lacks);
	arena_free(mem);
	for (const struct conf_engine_key *k = conf_engine_keys; k->name != NULL; k++) {
		const char *value = value_of(en, k);

		if (*value == '\0' && !reads(kind, k->name))
			continue;
		if (k->secret && *start == '\0')
			print_text("; ", k->name, *value != '\0' ? "********" : "", to);
		else
			print_text(start, k->name, value, to);
	}
	fprintf(to, "%stimeout_ms = %" PRId64 "\n", start, en->timeout_ms);
	for (struct conf_voice *v = en->voices; v != NULL; v = v->next)
		fprintf(to, "%svoice.%s = %s\n", start, v->id, v->name);
}

static void
print_meanings(char mark, FILE *to)
{
	fprintf(to, "\n%c Engines, a section [engine.ID] each:\n", mark);
	for (const struct conf_engine_key *s = conf_engine_keys; s->name != NULL; s++)
		fprintf(to, "%c %s: %s\n", mark, s->name, s->meaning);
	fprintf(to,
	    "%c timeout_ms: Milliseconds that one call may take. Default: 10000\n"
	    "%c voice.ID: What it calls a voice: default_low, default_high, a uuid.\n"
	    "%c Kinds:\n",
	    mark, mark, mark);
	for (const struct engine_kind *k = engine_kinds; k->name != NULL; k++)
		fprintf(to, "%c   %s: %s\n", mark, k->name, k->help);
}

/* The sections that need not be written, and then the others. */
static void
print_sections(const char *start, const struct conf *c, FILE *to)
{
	const struct engine_kind *k;
	struct conf_engine en;

	for (k = engine_kinds; k->name != NULL; k++)
		if (k->timeout_ms > 0 &&
		    engine_section(c, k->name, strlen(k->name), &en))
			print_section(start, &en, to);
	for (const struct conf_engine *own = c->engines; own != NULL; own = own->next)
		if (((k = engine_find(own->id)) == NULL || k->timeout_ms == 0) &&
		    engine_section(c, own->id, strlen(own->id), &en))
			print_section(start, &en, to);
}

void
engine_conf_print(const struct conf *c, FILE *to)
{
	conf_print(c, to);
	print_meanings(';', to);
	print_sections("", c, to);
}

void
engine_conf_print_example(FILE *to)
{
	const struct conf none = { .engines = NULL };

	conf_print_example(to);
	print_meanings('#', to);
	print_sections(";", &none, to);
}
