/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LibreTranslate. A server is asked for its pairs when a caller wants them and the last
 * answer is five minutes old, or half a minute after a failure. No sentence waits for
 * the answer, except the first one at a server that was not asked before.
 */
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/text.h"
#include "speech/engine_call.h"
#include "speech/placeholders.h"

#define SERVERS_MAX 64
#define NO_KEY NULL /* the key is a member of the body, not a header */
/* must be shorter than the five minutes between two requests */
#define KEEP_US (290 * S_US)
#define RETRY_US (30 * S_US)

/* The server's code of a language, if it differs from ours. */
static const struct alias {
	const char *code, *theirs;
} aliases[] = {
	/* clang-format off */
	{ "zh",      "zh-Hans" }, { "zh-hans", "zh" },
	{ "zh-hant", "zt" },      { "no",      "nb" },
	{ "pt-br",   "pb" },      { "fil",     "tl" },
	/* clang-format on */
};

/* A pair, spelt as by the server. */
struct pair {
	const char *from, *to;
};

struct server {
	const char *id, *url;
	pthread_mutex_t lock; /* guards the following members */
	struct arena *mem;    /* arena of pairs */
	struct pair *pairs;
	size_t n;
	int64_t until_us; /* when to ask again, monotonic; 0: never asked */
};

static struct server servers[SERVERS_MAX];
static size_t nservers;
static struct arena *servers_mem; /* arena of ids and addresses */
static pthread_mutex_t servers_lock = PTHREAD_MUTEX_INITIALIZER;

static struct server *
find_server(const struct engine_at *at)
{
	struct server *s = servers, *end;

	pthread_mutex_lock(&servers_lock);
	end = servers + nservers;
	while (s < end && (strcmp(s->id, at->id) != 0 || strcmp(s->url, at->url) != 0))
		s++;
	if (s == end && nservers < SERVERS_MAX) {
		if (servers_mem == NULL)
			servers_mem = arena_new();
		*s = (struct server){ .id = arena_str(servers_mem, at->id),
			.url = arena_str(servers_mem, at->url) };
		pthread_mutex_init(&s->lock, NULL);
		end = servers + ++nservers;
	}
	pthread_mutex_unlock(&servers_lock);
	return s < end ? s : NULL;
}

static size_t
count_targets(const struct json *languages)
{
	const struct json *targets;
	size_t n = 0;

	for (const struct json *l = languages->kids; l != NULL; l = l->next)
		if ((targets = json_get_list(l, "targets")) != NULL)
			n += targets->n;
	return n;
}

static void
keep_pairs(struct server *s, const struct json *languages)
{
	struct arena *mem = arena_new();
	struct pair *p = arena_alloc(mem, (count_targets(languages) + 1) * sizeof(*p));
	const struct json *targets;
	const char *from;

	arena_free(s->mem);
	s->mem = mem;
	s->pairs = p;
	s->n = 0;
	for (const struct json *l = languages->kids; l != NULL; l = l->next) {
		if ((from = arena_str(mem, json_get_text(l, "code"))) == NULL ||
		    (targets = json_get_list(l, "targets")) == NULL)
			continue;
		for (const struct json *t = targets->kids; t != NULL; t = t->next)
			if (t->type == JSON_TEXT)
				p[s->n++] =
				    (struct pair){ from, arena_str(mem, t->u.s) };
	}
}

static enum err
ask_pairs(struct server *s, struct arena *mem, const struct engine_at *at)
{
	struct engine_call en = engine_start(at, mem, NO_KEY);
	const struct http_call call = { .method = "GET" };
	const struct json *v;
	struct http_answer a;
	const char *why;
	enum err e;

	if ((e = engine_ask(&en, call, "/languages", &a)) != OK ||
	    (e = engine_verdict(&en, "/languages", &a)) != OK)
		return e;
	v = json_read(mem, a.body, a.body_len, &why);
	if (v == NULL || v->type != JSON_LIST)
		return engine_refuse(&en, "/languages", "the answer is not a list");
	keep_pairs(s, v);
	return OK;
}

/*
 * Returns the server, locked; NULL: too many servers. fresh: with pairs that are not
 * old, if it answers.
 */
static struct server *
open_server(const struct engine_at *at, bool fresh)
{
	struct server *s = at->url != NULL ? find_server(at) : NULL;
	struct arena *mem;

	if (s == NULL)
		return NULL;
	pthread_mutex_lock(&s->lock);
	if (fresh ? monotonic_us() >= s->until_us : s->until_us == 0) {
		mem = arena_new();
		s->until_us = ask_pairs(s, mem, at) == OK ? monotonic_us() + KEEP_US
							  : monotonic_us() + RETRY_US;
		arena_free(mem);
	}
	return s;
}

/* Returns the i-th spelling of a code, the first being the code itself; NULL: no more.
 */
static const char *
spelling(const char *code, int i)
{
	if (i == 0)
		return code;
	for (size_t k = 0; i == 1 && k < sizeof(aliases) / sizeof(aliases[0]); k++)
		if (strcmp(aliases[k].code, code) == 0)
			return aliases[k].theirs;
	return NULL;
}

static const struct pair *
find_pair(const struct server *s, const char *from, const char *to)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcasecmp(s->pairs[i].from, from) == 0 &&
		    strcasecmp(s->pairs[i].to, to) == 0)
			return &s->pairs[i];
	return NULL;
}

/* Spell codes as the server does, in the arena. */
static bool
spell(const struct engine_at *at, struct arena *mem, struct pair *p)
{
	struct server *s = open_server(at, false);
	const struct pair *has = NULL;
	const char *from, *to;

	if (s == NULL)
		return false;
	for (int i = 0; has == NULL && (from = spelling(p->from, i)) != NULL; i++)
		for (int k = 0; has == NULL && (to = spelling(p->to, k)) != NULL; k++)
			has = find_pair(s, from, to);
	if (has != NULL)
		*p =
		    (struct pair){ arena_str(mem, has->from), arena_str(mem, has->to) };
	pthread_mutex_unlock(&s->lock);
	return has != NULL;
}

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	bool has = spell(at, mem, &(struct pair){ from, to });

	arena_free(mem);
	return has;
}

static struct buf
question(struct arena *mem, const struct engine_at *at, const struct mt_text *t,
    const struct pair *p)
{
	struct buf body = { .mem = mem };
	struct json_writer j = { .out = &body };

	jw_open(&j, NULL);
	jw_text(&j, "q", mt_tokens(mem, t));
	jw_text(&j, "source", p->from);
	jw_text(&j, "target", p->to);
	jw_text(&j, "format", "text");
	if (at->key != NULL)
		jw_text(&j, "api_key", at->key);
	jw_close(&j);
	return body;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	struct engine_at where = *at;
	struct engine_call en;
	struct pair p = { t->from, t->to };
	struct http_answer a;
	const char *text;
	struct buf body;
	enum err e;

	where.timeout_ms = mt_time_ms(at, t);
	en = engine_start(&where, mem, NO_KEY);
	if (!spell(at, mem, &p))
		return ERR_UNSUPPORTED;
	body = question(mem, at, t, &p);
	if ((e = engine_ask_sound(&en, "/translate", &body, &a)) != OK ||
	    (e = engine_verdict(&en, "/translate", &a)) != OK)
		return e;
	text = json_get_text(engine_object(&en, &a), "translatedText");
	if (text == NULL)
		return engine_refuse(&en, "/translate", "the answer has no text");
	*out = mt_fill(mem, t, mt_untoken(mem, t, text));
	*guarded = *out != NULL;
	return OK;
}

/* Returns our code for the server's code. */
static const char *
our_code(struct arena *mem, const char *theirs)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcasecmp(aliases[i].theirs, theirs) == 0 &&
		    strcmp(aliases[i].code, "zh-hans") != 0)
			return aliases[i].code;
	return text_lower(mem, theirs);
}

static enum err
list(const struct engine_at *at, struct arena *mem, struct list *to)
{
	struct server *s = open_server(at, true);
	struct mt_pair *p;
	bool known;

	*to = (struct list){ 0 };
	if (s == NULL)
		return ERR_UNSUPPORTED;
	p = to->items = arena_alloc(mem, (s->n + 1) * sizeof(*p));
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->pairs[i].from, s->pairs[i].to) != 0)
			p[to->n++] = (struct mt_pair){ our_code(mem, s->pairs[i].from),
				our_code(mem, s->pairs[i].to) };
	known = s->mem != NULL;
	pthread_mutex_unlock(&s->lock);
	return known ? OK : ERR_TIMEOUT;
}

const struct mt_engine mt_libretranslate = { true, false, pairs, translate, list,
	NULL };
