/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client's requests, and its reaction to lost or wrong answers. */
#include "play.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- at random ---- */

/* splitmix64, Steele, Lea and Flood 2014. */
unsigned
roll(struct client *c, unsigned n)
{
	uint64_t z = c->dice += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (unsigned)((z ^ (z >> 31)) >> 32) % n;
}

int
count_of(const struct client *c, enum kind kind)
{
	int n = 0;

	for (int i = 0; i < c->things; i++)
		n += c->thing[i].kind == kind && !c->thing[i].fading;
	return n;
}

struct thing *
pick(struct client *c, enum kind kind)
{
	int n = count_of(c, kind), k = n > 0 ? (int)roll(c, (unsigned)n) : -1;

	for (int i = 0; n > 0 && i < c->things; i++)
		if (c->thing[i].kind == kind && !c->thing[i].fading && k-- == 0)
			return &c->thing[i];
	return NULL;
}

/* ---- what was done ---- */

static void
note(struct past *past, const char *line)
{
	char *to = past->line[past->n++ % PAST];

	snprintf(to, sizeof(past->line[0]), "%s", line);
}

static void
print_past(const char *whose, const struct past *past)
{
	int n = past->n < PAST ? past->n : PAST;

	fprintf(stderr, "the last of what was done %s:\n", whose);
	for (int i = past->n - n; i < past->n; i++)
		fprintf(stderr, "\t%s\n", past->line[i % PAST]);
}

void
disagree(const struct client *c, const struct thing *t, const struct answer *a,
    const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "model: client %d, SEED=%llu: ", c->number,
	    (unsigned long long)c->run->seed);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	if (a != NULL)
		fprintf(stderr, "seen: %s\n", shown(a));
	if (t != NULL)
		print_past(text("to %s", path_of(t)), &t->past);
	print_past("by this client", &c->past);
	_exit(EXIT_FAILURE);
}

/* ---- asking ---- */

static const char *
told(const struct ask *q, const struct answer *a)
{
	return text("%.1f %s %s %s %.80s -> %d", seconds(),
	    q->method != NULL                      ? q->method
	    : q->json != NULL || q->body.p != NULL ? "POST"
						   : "GET",
	    q->path, q->headers[0] != NULL ? q->headers[0] : "",
	    q->json != NULL ? q->json : "", a->status);
}

struct answer
call(struct client *c, struct thing *t, const struct ask *q)
{
	struct ask how = *q;
	struct answer a;

	how.may_break = c->run->deadly;
	a = ask(&how);
	if (a.json != NULL)
		json_array_append_new(c->read, a.json);
	note(&c->past, told(q, &a));
	if (t != NULL)
		note(&t->past, told(q, &a));
	c->run->asked++;
	return a;
}

bool
lost(struct client *c, const struct answer *a)
{
	if (a->status < 500)
		return false;
	if (!c->run->deadly)
		disagree(c, NULL, a, "nothing is killed that could make it fail");
	c->run->lost++;
	return true;
}

static bool
refused_as(const struct answer *a, const char *slug)
{
	const char *type = json_string_value(at(a->json, "errors.0.type"));

	return type != NULL && strcmp(strrchr(type, '/') + 1, slug) == 0;
}

/* A killed program's connection closes a moment before its lock is released. */
static bool
is_dying(const struct answer *a, bool once_lost)
{
	return once_lost && refused_as(a, "request-in-progress");
}

struct answer
insist(struct client *c, struct thing *t, const struct ask *q, bool *again)
{
	double end = seconds() + 30;
	bool once_lost = false;
	struct answer a;

	while (a = call(c, t, q), lost(c, &a) || is_dying(&a, once_lost)) {
		once_lost = true;
		if (again != NULL)
			*again = true;
		if (seconds() > end)
			disagree(c, t, &a, "no answer for 30 s");
		nap(0.05);
	}
	return a;
}

void
must(struct client *c, struct thing *t, const struct answer *a, int status,
    const char *slug)
{
	if (a->status != status)
		disagree(c, t, a, "it should be answered %d", status);
	if (slug == NULL)
		return;
	if (!refused_as(a, slug))
		disagree(c, t, a, "it should be refused as %s", slug);
	c->run->refused++;
}

time_t
time_at(const json_t *record, const char *member)
{
	struct tm tm = { 0 };

	strptime(text_at(record, member), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return timegm(&tm);
}

/* ---- places of the plan ---- */

int
quota_of(enum kind kind)
{
	return kind == VOICE      ? VOICES
	       : kind == GLOSSARY ? GLOSSARIES
	       : kind == SESSION  ? SESSIONS
				  : -1;
}

struct span
place_asked(struct client *c, enum quota q)
{
	struct places *p = &c->team->places[q];
	struct span s;

	/*
	 * In this order, a client that is not yet in high is found in started
	 * afterwards.
	 */
	s.started = p->started;
	s.high = p->high++;
	p->started++;
	s.dropped = p->dropped;
	s.low = p->low;
	return s;
}

static const char *const refusals[] = { "voice-limit-reached", "glossary-limit-reached",
	"session-limit-reached" };

void
place_answered(struct client *c, enum quota q, const struct span *s,
    const struct answer *a, bool given)
{
	struct places *p = &c->team->places[q];
	int most = s->high + p->started - s->started - 1;
	int least = s->low - (p->dropped - s->dropped);

	if (given && least >= p->limit)
		disagree(c, NULL, a, "all %d places were taken", p->limit);
	if (given) {
		p->low++;
		return;
	}
	must(c, NULL, a, 403, refusals[q]);
	if (most < p->limit)
		disagree(
		    c, NULL, a, "at most %d of %d places were taken", most, p->limit);
	p->high--;
}

void
place_leaving(struct client *c, enum quota q)
{
	c->team->places[q].low--;
	c->team->places[q].dropped++;
}

void
place_left(struct client *c, enum quota q)
{
	c->team->places[q].high--;
}

/* ---- a client's life ---- */

static int
weight_of(const struct deed *d)
{
	int n = 0;

	for (; d->run != NULL; d++)
		n += d->weight;
	return n;
}

static void
do_one(struct client *c, const struct deed *d)
{
	int dice = (int)roll(c, (unsigned)weight_of(d));

	while ((dice -= d->weight) >= 0)
		d++;
	d->run(c);
}

void
play(struct client *c)
{
	static const struct deed *const all[] = { deeds_of_things, deeds_of_events,
		deeds_of_listeners, deeds_of_all };

	while (seconds() < c->run->until) {
		do_one(c, ONE_OF(c, all));
		json_array_clear(c->read);
		arena_reset(memory());
	}
}

static json_t *
lines_of(const struct past *past)
{
	json_t *all = json_array();

	for (int i = past->n > PAST ? past->n - PAST : 0; i < past->n; i++)
		json_array_append_new(all, json_string(past->line[i % PAST]));
	return all;
}

void
tell(const struct client *c)
{
	json_t *all = json_array(), *one;

	for (int i = 0; i < c->things; i++) {
		const struct thing *t = &c->thing[i];

		one = json_pack("{s:i, s:s, s:b, s:O, s:O?, s:O, s:O, s:o}", "kind",
		    t->kind, "id", t->id, "fading", t->fading, "is", t->is, "then",
		    t->then, "asked", t->asked, "heard", t->heard, "past",
		    lines_of(&t->past));
		json_object_set_new(one, "bytes", json_integer(t->bytes));
		json_array_append_new(all, one);
	}
	ck_assert_int_eq(json_dump_file(all, KNOWN_BY(c->number), 0), 0);
	json_decref(all);
}

/* Functions of the test library; here a failure ends the client. */
void
_mark_point(const char *file, int line)
{
	(void)file;
	(void)line;
}

void
_ck_assert_failed(const char *file, int line, const char *expr, const char *msg, ...)
{
	va_list ap;

	fprintf(stderr, "model: %s:%d: %s: ", file, line, expr);
	va_start(ap, msg);
	if (msg != NULL)
		vfprintf(stderr, msg, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	_exit(EXIT_FAILURE);
}
