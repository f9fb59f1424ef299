/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the data that a task needs before it starts: glossaries, voices, and the data
 * of the task owner, a channel for instance.
 */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "session/live_voice.h"
#include "session/session.h"
#include "store/glossaries.h"
#include "store/voices.h"

#define VOICES (2 * TASK_TARGETS)

struct prepare {
	struct thread_call call;
	struct session *session;        /* a reference is held */
	struct pipeline_config *config; /* owned */
	int number;                     /* number of the task */
};

static struct glossary_term
term_of(const struct glossary_row *r)
{
	enum glossary_type type = strcmp(r->type, "asr_hot") == 0 ? GLOSSARY_HOTWORD
				  : strcmp(r->type, "asr") == 0   ? GLOSSARY_CORRECTION
								: GLOSSARY_TRANSLATION;

	return (struct glossary_term){ .type = type,
		.glossary = r->glossary,
		.source = r->source,
		.target = r->target,
		.a = r->term,
		.b = r->replacement,
		.match_case = r->match_case };
}

static struct glossary_allow
allow(const struct task_glossaries *g)
{
	return (struct glossary_allow){ !g->allowed, g->ids.items, g->ids.n };
}

static struct glossary_index *
make_glossary(struct pipeline_config *w, const struct glossary_term *terms, size_t n)
{
	const struct task *t = &w->task;
	struct glossary_target targets[TASK_TARGETS];
	const struct glossary_task of = { t->language.code, allow(&t->hotwords),
		allow(&t->verification), targets, t->n_targets };

	for (size_t i = 0; i < t->n_targets; i++)
		targets[i] = (struct glossary_target){ t->targets[i].language.code,
			allow(&t->targets[i].glossaries) };
	return glossary_index_new(w->mem, &of, terms, n, &w->truncated);
}

static enum err
read_glossaries(struct db *db, struct pipeline_config *w)
{
	struct arena *mem = arena_new(); /* the index copies the terms */
	struct glossary_term *terms;
	struct list used;
	enum err e =
	    glossary_used(db, mem, w->account, 2 * GLOSSARY_ENTRIES + 1, &used);

	terms = arena_alloc(mem, used.n * sizeof(*terms));
	for (size_t i = 0; i < used.n; i++)
		terms[i] = term_of((const struct glossary_row *)used.items + i);
	if (e == OK && used.n > 0)
		w->glossary = make_glossary(w, terms, used.n);
	arena_free(mem);
	return e;
}

static enum err
read_voice(struct db *db, struct pipeline_config *w, const char *id)
{
	struct pipeline_voice *v = &w->voices[w->nvoices];
	const char *uuid = id_read(w->mem, id);
	enum err e;

	if (uuid == NULL)
		return OK;
	*v = (struct pipeline_voice){ .id = uuid };
	e = voice_spoken(
	    db, w->mem, w->account, uuid, &v->found.voice, &v->found.external);
	w->nvoices += e == OK;
	return e == ERR_NOT_FOUND ? OK : e;
}

static const char *
first_of(const struct list *ids)
{
	return ((const char **)ids->items)[0];
}

static enum err
read_voices(struct db *db, struct pipeline_config *w)
{
	enum err e = OK;

	w->voices = arena_alloc(w->mem, (VOICES + 1) * sizeof(*w->voices));
	for (size_t i = 0; e == OK && i < w->task.n_targets; i++) {
		const struct task_voice *v = &w->task.targets[i].voice;

		if (!v->timbre)
			e = read_voice(db, w, v->id);
		else if ((e = read_voice(db, w, first_of(&v->high))) == OK)
			e = read_voice(db, w, first_of(&v->low));
	}
	return e;
}

static void
prepared(struct gateway *g, struct thread_call *e)
{
	struct prepare *p = (struct prepare *)e;
	struct session *s = p->session;

	(void)g;
	if (s->asked == p->number && !s->closed)
		s->ops->start(s, p->config, p->number);
	else {
		registry_drop(p->config->registry);
		arena_free(p->config->mem);
	}
	arena_free(e->message.mem);
	session_unref(s);
}

static void
prepare(struct gateway *g, struct thread_call *e)
{
	struct prepare *p = (struct prepare *)e;

	if (g->app.db == NULL ||
	    p->session->owner->prepare(g, p->session, p->config) != OK ||
	    read_glossaries(g->app.db, p->config) != OK ||
	    read_voices(g->app.db, p->config) != OK ||
	    live_voice_reserve(g, p->config) != OK)
		log_warn("a task begins without its glossaries or voices");
	session_answer(g, e, prepared);
}

void
prepare_task(struct session *s, struct pipeline_config *w, int number)
{
	struct prepare *p = THREAD_CALL(struct prepare);

	p->call.run = prepare;
	p->session = s;
	p->config = w;
	p->number = number;
	session_ask(s, &p->call);
}
