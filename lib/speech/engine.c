/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of engines, and how sections of the settings define engines. */
#include "speech/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "speech/model_message.h"
#include "speech/mt_process.h"

#define KIND(...) { __VA_ARGS__ },
#define ASR(table) .asr = &table,
#define MT(table) .mt = &table,
#define TTS(table) .tts = &table,
#define CLONE(table) .clone = &table,

const struct engine_kind engine_kinds[] = { ENGINE_KINDS{ NULL } };

#define PARALLEL 32
#define THREADS 4        /* largest default number of threads of a process */
#define TIMEOUT_MS 10000 /* time limit of an engine whose section sets none */

const struct engine_kind *
engine_find(const char *name)
{
	const struct engine_kind *k = engine_kinds;

	while (k->name != NULL && strcmp(k->name, name) != 0)
		k++;
	return k->name != NULL ? k : NULL;
}

/* Find the kind of that name that needs no section; NULL: none. */
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

/*
 * True for a server that serves one request at a time: it may continue an abandoned
 * partial request, and the final request would wait for it.
 */
static bool
has_no_partial(const struct conf_engine *en)
{
	if (strcmp(en->partial, "yes") == 0 || strcmp(en->partial, "no") == 0)
		return en->partial[0] == 'n';
	return *en->url != '\0' && strcmp(en->parallel, "1") == 0;
}

/* True if the processes of the library share the model's memory. */
static bool
shares_model(const struct conf_engine *en)
{
	return *en->library != '\0' && strcmp(en->kind, MODEL_FORKS) == 0;
}

static int
processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 1 ? (int)n : 1;
}

static int
threads_of(const struct conf_engine *en)
{
	if (*en->threads != '\0')
		return atoi(en->threads);
	if (!shares_model(en))
		return 1;
	return processors() < THREADS ? processors() : THREADS;
}

/*
 * Requests to a server, or processes of a library.  More threads than processors would
 * wait for one another.
 */
static int
parallel_of(const struct conf_engine *en)
{
	if (*en->parallel != '\0')
		return atoi(en->parallel);
	if (*en->library == '\0')
		return PARALLEL;
	return shares_model(en) && processors() > threads_of(en)
		   ? processors() / threads_of(en)
		   : 1;
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
		.command = copy(mem, en->command),
		.library = copy(mem, en->library),
		.parallel = parallel_of(en),
		.threads = threads_of(en),
		.timeout_ms = (int)en->timeout_ms,
		.no_partial = has_no_partial(en),
		.pivot = c->speech_pivot,
		.allow_private = true,
	};
}

/* Returns the value of a setting whose name has n bytes. */
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
	const char *program,
	    *files[][2] = { { "library", en->library }, { "model", en->model } };

	*later = false;
	for (const char *s = k->settings; (s = strchr(s, '!')) != NULL;) {
		size_t n = strcspn(++s, " ");

		if (*value_of(en, s, n) == '\0')
			return arena_printf(mem, "%.*s: is missing", (int)n, s);
	}
	*later = true;
	if (*en->command != '\0' &&
	    access(program = mt_process_program(mem, en->command), X_OK) != 0)
		return arena_printf(mem, "command: %s: %s", program, strerror(errno));
	for (size_t i = 0; *en->library != '\0' && i < 2; i++)
		if (access(files[i][1], R_OK) != 0)
			return arena_printf(mem, "%s: %s: %s", files[i][0], files[i][1],
			    strerror(errno));
	return NULL;
}

/* ---- the settings as text, in the form of dragoman.conf ---- */

static const char *
text_of(const struct conf_engine *en, const struct conf_engine_key *k)
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

/* Print each line of a text as a setting. */
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

/* start: text before each line. */
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
		const char *value = text_of(en, k);

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
	    "%c voice.ID: Its name for a voice: default_low, default_high, a uuid.\n"
	    "%c Kinds:\n",
	    mark, mark, mark);
	for (const struct engine_kind *k = engine_kinds; k->name != NULL; k++)
		fprintf(to, "%c   %s: %s\n", mark, k->name, k->help);
}

/* Print the optional sections, then the others. */
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
