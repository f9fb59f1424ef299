/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine kind process: a program of the operator translates. It reads a line of
 * JSON for each sentence and writes a line for each answer.  docs/engines.md describes
 * the lines, mt_line.h how it runs.
 */
#include "speech/mt_process.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/model_process.h"
#include "speech/mt_answer.h"
#include "speech/mt_line.h"
#include "speech/placeholders.h"

#define WORDS 32 /* words of a command at most */
/* memory in addition to three times the size of its files */
#define MEMORY_BYTES ((size_t)2 << 30)
#define START_CPU_MS 60000 /* processor time until the program's first line */
#define FIRST_BYTES (64 * 1024)
#define ANSWER_BYTES (16 * MT_TEXT_BYTES)
#define CONTEXT 2            /* most texts before the sentence */
#define IDLE_US (600 * S_US) /* time without use after which the program is ended */
#define RETRY_US (30 * S_US) /* time from a failed start to the next */
#define SHOWN 200            /* characters of the program's own messages in the log */

/* ---- the command ---- */

/* The next word of a command, without its quotes; NULL: there is none. */
static const char *
next_word(struct arena *mem, const char **command)
{
	const char *s = *command + strspn(*command, " ");
	bool quoted = *s == '"';
	size_t n;

	if (*s == '\0')
		return NULL;
	s += quoted;
	n = strcspn(s, quoted ? "\"" : " ");
	*command = s + n + (quoted && s[n] == '"');
	return arena_dup(mem, s, n);
}

const char *
mt_process_program(struct arena *mem, const char *command)
{
	static const char *const folders[] = { "/usr/local/bin", "/usr/bin", "/bin" };
	const char *name = next_word(mem, &command);
	const char *path = name != NULL ? name : (name = "");

	for (size_t i = 0; strchr(name, '/') == NULL && i < 3; i++) {
		path = arena_printf(mem, "%s/%s", folders[i], name);
		if (access(path, X_OK) == 0)
			break;
	}
	return path;
}

/* Split the command into words; NULL: there are too many. */
static const char **
split(struct arena *mem, const char *command)
{
	const char **word = arena_alloc(mem, (WORDS + 1) * sizeof(*word));
	const char *one;
	size_t n = 0;

	while ((one = next_word(mem, &command)) != NULL) {
		if (n == WORDS)
			return NULL;
		word[n++] = one;
	}
	return word;
}

/*
 * List the files and folders that the program may read: those named by its command and,
 * for a virtual environment of Python, the file that marks it.
 */
static const char *const *
readable(struct arena *mem, const char *const *argv)
{
	const char **path = arena_alloc(mem, (WORDS + 4) * sizeof(*path));
	const char *slash = strrchr(argv[0], '/');
	size_t n = 0;

	for (size_t i = 1; argv[i] != NULL; i++)
		if (*argv[i] == '/')
			path[n++] = argv[i];
	path[n++] =
	    arena_printf(mem, "%.*s/../pyvenv.cfg", (int)(slash - argv[0]), argv[0]);
	path[n++] = "/proc/cpuinfo";
	path[n++] = "/sys/devices/system/cpu";
	return path;
}

static enum err
plan(struct arena *mem, const char *key, struct child_pipe_plan *to)
{
	const char *command = key + strcspn(key, " ") + 1;
	const char **argv = split(mem, command);
	const char *const **stage = arena_alloc(mem, sizeof(*stage));

	to->name = arena_printf(mem, "engine %s", to->name);
	if (argv == NULL) {
		log_warn("%s: its command has more than %d words", to->name, WORDS);
		return ERR_FAILED;
	}
	argv[0] = mt_process_program(mem, command);
	if (access(argv[0], X_OK) != 0) {
		log_warn("%s: %s: %s", to->name, argv[0], strerror(errno));
		return ERR_FAILED;
	}
	stage[0] = argv;
	to->stage = stage;
	to->n = 1;
	to->lines = true;
	to->reads = readable(mem, argv);
	to->memory_bytes = MEMORY_BYTES;
	for (size_t i = 0; to->reads[i] != NULL; i++)
		to->memory_bytes += 3 * model_size(mem, to->reads[i]);
	return OK;
}

/* ---- its pairs ---- */

/* The content of the program's first line; never freed. */
struct known {
	struct known *next;
	const char *key;
	struct arena *mem; /* arena of pairs; NULL: the program was not started yet */
	struct list pairs; /* struct mt_pair */
	bool any;          /* the program names no pairs */
	/* monotonic: earliest time of the next start to learn its pairs */
	int64_t retry_us;
};

static struct known *all_known;
static struct arena *known_mem;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER; /* guards all members */

/* Find the known content of a program's first line. Called with the lock held. */
static struct known *
find_known(const char *key)
{
	struct known *k = all_known;

	while (k != NULL && strcmp(k->key, key) != 0)
		k = k->next;
	if (k != NULL)
		return k;
	if (known_mem == NULL)
		known_mem = arena_new();
	k = arena_alloc(known_mem, sizeof(*k));
	*k = (struct known){ .next = all_known, .key = arena_str(known_mem, key) };
	return all_known = k;
}

/* Read a pair. False: it is not a list of two codes. */
static bool
read_pair(struct arena *mem, const struct json *v, struct mt_pair *to)
{
	char from[LANG_BYTES], target[LANG_BYTES];

	if (v->type != JSON_LIST || v->n != 2 || v->kids->type != JSON_TEXT ||
	    v->kids->next->type != JSON_TEXT || !lang_spell(v->kids->u.s, from) ||
	    !lang_spell(v->kids->next->u.s, target))
		return false;
	*to = (struct mt_pair){ arena_str(mem, from), arena_str(mem, target) };
	return !lang_same_base(from, target);
}

static void
keep_pairs(const char *key, const struct json *pairs)
{
	struct arena *mem = arena_new();
	struct mt_pair *p =
	    arena_alloc(mem, (pairs != NULL ? pairs->n + 1 : 1) * sizeof(*p));
	struct known *k;
	size_t n = 0;

	for (const struct json *v = pairs != NULL ? pairs->kids : NULL; v != NULL;
	     v = v->next)
		n += read_pair(mem, v, &p[n]);
	pthread_mutex_lock(&known_lock);
	k = find_known(key);
	arena_free(k->mem);
	k->mem = mem;
	k->pairs = (struct list){ p, n };
	k->any = pairs == NULL;
	pthread_mutex_unlock(&known_lock);
}

/* ---- its lines ---- */

/* Read a line as an object; NULL: it is not one, which was logged. */
static const struct json *
read_object(struct arena *mem, const char *name, const struct buf *line)
{
	const char *why = "is no object";
	const struct json *v = json_read(mem, line->p, line->len, &why);

	if (v != NULL && v->type == JSON_OBJ)
		return v;
	log_warn("engine %s: a line of its program %s, killed", name, why);
	return NULL;
}

static enum err
begin(struct mt_line_programs *p, struct arena *mem)
{
	struct buf line = { .mem = mem };
	const struct json *v;
	const char *error;
	enum err e = mt_line_exchange(p, NULL, FIRST_BYTES, START_CPU_MS, &line);

	if (e != OK)
		return e;
	if ((v = read_object(mem, p->name, &line)) == NULL)
		return ERR_FAILED;
	if ((error = json_get_text(v, "error")) != NULL) {
		log_warn("engine %s: its program says: %.*s", p->name, SHOWN, error);
		return ERR_FAILED;
	}
	keep_pairs(p->key, json_get_list(v, "pairs"));
	return OK;
}

/* Ask a question; text: its members except the id. */
static enum err
ask(struct mt_line_programs *p, const char *text, int cpu_ms, struct buf *answer)
{
	const char *in = arena_printf(answer->mem, "{\"id\":%u,%s", ++p->asked, text);
	enum err e = mt_line_exchange(p, in, ANSWER_BYTES, cpu_ms, answer);
	const struct json *v;

	if (e != OK)
		return e == ERR_TIMEOUT ? e : ERR_FAILED;
	if ((v = read_object(answer->mem, p->name, answer)) == NULL)
		return ERR_FAILED;
	if (json_get_int(v, "id", 0) == p->asked)
		return OK;
	log_warn("engine %s: its program answers another question, killed", p->name);
	return ERR_FAILED;
}

static const struct mt_line_kind process_line = { "engine", IDLE_US, plan, begin, ask };

/* ---- the engine ---- */

static const char *
key_of(struct arena *mem, const struct engine_at *at)
{
	return arena_printf(mem, "%s %s", at->id, at->command);
}

/*
 * Start the program if its pairs are not known, and wait for its first line. again:
 * start it even if it failed before. False: the pairs are not known.
 */
static bool
learn(const char *key, bool again)
{
	const struct mt_line_sentence start = { .key = key };
	struct arena *mem;
	struct known *k;
	bool known, due;

	pthread_mutex_lock(&known_lock);
	k = find_known(key);
	known = k->mem != NULL;
	due = k->retry_us == 0 || (again && monotonic_us() >= k->retry_us);
	if (!known && due)
		k->retry_us = monotonic_us() + RETRY_US;
	pthread_mutex_unlock(&known_lock);
	if (known || !due)
		return known;
	mem = arena_new();
	known = mt_line_ask(&process_line, &start, &(struct buf){ .mem = mem }) == OK;
	arena_free(mem);
	return known;
}

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	const char *key = key_of(mem, at);
	const struct mt_pair *p;
	const struct known *k;
	bool has;

	learn(key, false);
	pthread_mutex_lock(&known_lock);
	k = find_known(key);
	p = k->pairs.items;
	has = k->any && at->languages != NULL;
	for (size_t i = 0; !has && i < k->pairs.n; i++)
		has = strcmp(p[i].from, from) == 0 && strcmp(p[i].to, to) == 0;
	pthread_mutex_unlock(&known_lock);
	arena_free(mem);
	return has;
}

static enum err
list(const struct engine_at *at, struct arena *mem, struct list *to)
{
	const char *key = key_of(mem, at);
	const struct mt_pair *p;
	const struct known *k;
	struct mt_pair *copy;
	bool any;

	*to = (struct list){ 0 };
	if (!learn(key, true))
		return ERR_TIMEOUT;
	pthread_mutex_lock(&known_lock);
	k = find_known(key);
	p = k->pairs.items;
	any = k->any;
	copy = to->items = arena_alloc(mem, (k->pairs.n + 1) * sizeof(*copy));
	for (; to->n < k->pairs.n; to->n++)
		copy[to->n] = (struct mt_pair){ arena_str(mem, p[to->n].from),
			arena_str(mem, p[to->n].to) };
	pthread_mutex_unlock(&known_lock);
	if (any && at->languages != NULL)
		return mt_list_any(at, mem, to);
	if (to->n == 0)
		log_warn(
		    "engine %s: its program names no pairs: set languages", at->id);
	return OK;
}

/* Write the members of a question except the id, which is put before them. */
static const char *
question(struct arena *mem, const struct mt_text *t)
{
	const char *const *said = t->before.items;
	size_t n = t->before.n, first = n > CONTEXT ? n - CONTEXT : 0;
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_text(&j, "text", mt_tokens(mem, t));
	jw_text(&j, "source", t->from);
	jw_text(&j, "target", t->to);
	if (n > 0) {
		jw_list(&j, "context");
		for (size_t i = first; i < n; i++)
			jw_text(&j, NULL, said[i]);
		jw_close(&j);
	}
	jw_close(&j);
	return buf_text(&b) + 1;
}

static enum err
refuse(const struct engine_at *at, const char *why)
{
	log_warn("engine %s: %.*s", at->id, SHOWN, why);
	return ERR_REFUSED;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	const struct mt_line_sentence s = { .key = key_of(mem, at),
		.text = question(mem, t),
		.cpu_ms = at->timeout_ms,
		.timeout_ms = t->timeout_ms,
		.unwanted = t->unwanted,
		.arg = t->arg };
	struct buf answer = { .mem = mem };
	const char *text, *why = NULL;
	const struct json *v;
	enum err e;

	if ((e = mt_line_ask(&process_line, &s, &answer)) != OK)
		return e;
	v = json_read(mem, answer.p, answer.len, &why);
	if ((why = json_get_text(v, "error")) != NULL)
		return refuse(at, why);
	if ((text = json_get_text(v, "text")) == NULL)
		return refuse(at, "the answer has no text");
	if ((why = mt_answer_fault(t->text, t->to, text)) != NULL)
		return refuse(at, why);
	*out = mt_fill(mem, t, mt_untoken(mem, t, text));
	*guarded = *out != NULL;
	return OK;
}

static void
warm(const struct engine_at *at, const char *from, const char *to,
    void (*warmed)(void *), void *arg)
{
	struct arena *mem = arena_new();

	(void)from, (void)to;
	mt_line_warm(&process_line, key_of(mem, at), warmed, arg);
	arena_free(mem);
}

const struct mt_engine mt_process = { .waits = true,
	.own_time = true,
	.pairs = pairs,
	.translate = translate,
	.list = list,
	.warm = warm };
