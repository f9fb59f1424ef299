/*
 * Who is sent what: the writer what his task says, listeners what is of their
 * language, phrases as a whole.
 */
#include <string.h>

#include "base/clock.h"
#include "gateway/room.h"
#include "stream/say.h"

/* ---- languages ---- */

void
client_tune(struct client *c, const char *language)
{
	c->tuned = (struct tuned){ .since_us = monotonic_us() };
	if (language != NULL)
		strncpy(c->tuned.language, language, sizeof(c->tuned.language) - 1);
}

/* As the task spells it, if there is one. */
static const char *
task_language(const struct room *r, struct arena *mem, const char *said)
{
	const struct task_target *t;
	const char *code = code_fold(mem, said);

	if (r->now == NULL || code[0] == '\0' || code_is_no_target(code))
		return code;
	t = task_target(mem, run_task(r->now->run), code);
	return t != NULL ? t->language.code : NULL;
}

static void
tell_unknown(struct client *c, struct arena *mem)
{
	struct flaws flaws = { .mem = mem };
	const struct spot whole = spot_whole(NULL);
	const struct spot at = spot_member(&whole, "language");

	flaw_add(&flaws, &at, FLAW_ENUM, "is no target of the task");
	client_refuse(c, &flaws, false);
}

void
client_choose(struct client *c, const char *said)
{
	struct arena *mem = arena_new();
	const char *code = task_language(c->room, mem, said);

	if (code == NULL || strlen(code) >= sizeof(c->tuned.language))
		tell_unknown(c, mem);
	else if (strcmp(code, c->tuned.language) != 0) {
		client_tune(c, code);
		if (c->room->air != NULL)
			onair_joined(c);
	}
	arena_free(mem);
}

void
client_check_language(struct client *c)
{
	struct arena *mem = arena_new();
	const char *code = task_language(c->room, mem, c->tuned.language);

	if (code == NULL)
		tell_unknown(c, mem);
	else if (strcmp(code, c->tuned.language) != 0)
		client_tune(c, code);
	arena_free(mem);
}

void
room_check_languages(struct room *r)
{
	for (struct client *c = r->clients; c != NULL; c = c->next)
		if (!c->visitor->writes)
			client_check_language(c);
}

static bool
is_tuned(const struct client *c, const struct task *t, int target)
{
	const char *wanted = c->tuned.language;

	if (target < 0)
		return code_is_no_target(c->tuned.language);
	return strcmp(wanted, "all") == 0 ||
	       (wanted[0] == '\0'
		       ? target == 0
		       : strcmp(t->targets[target].language.code, wanted) == 0);
}

/* ---- texts ---- */

static bool
is_for(const struct client *c, const struct shift *s, int target, int starred)
{
	const struct task *t = run_task(s->run);

	if (!c->visitor->hears) /* no texts and no speech */
		return c == c->room->writer && starred < 0 && target < 0;
	if (c == c->room->writer)
		return starred < 0 || task_says(t, (enum task_say)starred);
	if (c->visitor->writes || starred > SAY_TRANSLATED)
		return false;
	return is_tuned(c, t, target);
}

void
room_say(struct room *r, const struct shift *s, int target, int starred,
    const char *text, size_t n)
{
	struct parcel *p = parcel_new(text, n);

	for (struct client *c = r->clients; c != NULL; c = c->next)
		if (is_for(c, s, target, starred))
			socket_send(c->socket, p, 0);
	parcel_drop(p);
}

/* ---- speech ---- */

/* What has begun is heard to its end, and nothing of which the beginning was missed. */
static bool
is_heard(struct client *c, const struct task *t, int target, int64_t since_us)
{
	if (!c->visitor->hears)
		return false;
	if (c == c->room->writer) /* he hears it as he speaks */
		return t->source != TASK_WEBRTC;
	if (c->visitor->writes || !c->visitor->audio)
		return false;
	if (since_us == c->hearing[target])
		return true;
	if (since_us < c->tuned.since_us || !is_tuned(c, t, target))
		return false;
	c->hearing[target] = since_us;
	return true;
}

void
room_play(struct room *r, const struct shift *s, int target, int64_t since_us,
    const char *text, size_t n)
{
	struct parcel *p = parcel_new(text, n);

	for (struct client *c = r->clients; c != NULL; c = c->next)
		if (is_heard(c, run_task(s->run), target, since_us))
			socket_send(c->socket, p, c == r->writer ? 0 : since_us);
	parcel_drop(p);
}

/* ---- the source's sound ---- */

static bool
wants_original(const struct client *c)
{
	const struct visitor *v = c->visitor;

	return !v->writes && v->hears && v->audio &&
	       code_is_no_target(c->tuned.language);
}

bool
room_wants_original(const struct room *r)
{
	const struct client *c = r->clients;

	while (c != NULL && !wants_original(c))
		c = c->next;
	return c != NULL;
}

void
client_end_original(struct client *c)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	const struct say_audio end = { .id = c->original,
		.language = "original",
		.last = true,
		.delta_ms = NULL_INT };

	if (c->original[0] != '\0' && say_audio(&b, &end))
		client_tell(c, &b);
	c->original[0] = '\0';
	arena_free(mem);
}

/* Each piece may be left out by itself, but for the last. */
void
room_say_original(struct room *r, const char *id, bool last, const char *text, size_t n)
{
	struct parcel *p = parcel_new(text, n);

	r->originals++;
	for (struct client *c = r->clients; c != NULL; c = c->next)
		if (!wants_original(c) || last)
			client_end_original(c);
		else {
			strncpy(c->original, id, sizeof(c->original) - 1);
			socket_send(c->socket, p, -r->originals);
		}
	parcel_drop(p);
}
