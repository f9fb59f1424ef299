/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on records of all kinds, and on state that clients share. */
#include <stdlib.h>
#include <string.h>

#include "play.h"

static struct thing *
any(struct client *c)
{
	return c->things > 0 ? pick(c, c->thing[roll(c, (unsigned)c->things)].kind)
			     : NULL;
}

static void
look_at_one(struct client *c)
{
	struct thing *t = any(c);

	if (t != NULL)
		look(c, t);
}

static void
drop_one(struct client *c)
{
	struct thing *t = any(c);

	/* else a language that is being added could go to another channel */
	if (t != NULL && (t->kind != CHANNEL || t->then == NULL))
		drop(c, t);
}

static void
look_at_gone(struct client *c)
{
	struct answer a;

	if (c->gones == 0)
		return;
	a = CALL(
	    c, NULL, .path = c->gone[roll(c, c->gones < 8 ? (unsigned)c->gones : 8)]);
	/* a channel may wait for a worker to remove it */
	if (!lost(c, &a) && !(a.status == 200 && strstr(a.body, "\"deleting\"")))
		must(c, NULL, &a, 404, "resource-not-found");
}

/* ---- lists ---- */

static const struct list {
	enum kind kind;
	const char *path, *items, *id, *next, *token, *size;
} lists[] = {
	{ GLOSSARY, "/saas/glossaries?", "data.items", "glossary_id", "data.next",
	    "token", "page_size" },
	{ VOICE, "/saas/voice?", "data.items", "voice_id", "data.next", "token",
	    "page_size" },
	{ VOICE, "/saas/voice/hidden?", "data.items", "voice_id", "data.next", "token",
	    "page_size" },
	{ VOICE, "/saas/voice?gender=female,Male", "data.items", "voice_id",
	    "data.next", "token", "page_size" },
	{ VOICE, "/saas/voice?is_favorite=true", "data.items", "voice_id", "data.next",
	    "token", "page_size" },
	{ EVENT, "/saas/v2/events?", "data", "event_id", "pagination_token",
	    "pagination_token", NULL },
	{ EVENT, "/saas/v2/events?status=setup_required", "data", "event_id",
	    "pagination_token", "pagination_token", NULL },
	{ EVENT, "/saas/v2/events?q=FORUM%20OF", "data", "event_id", "pagination_token",
	    "pagination_token", NULL },
	{ SESSION, "/session-storage/sessions?", "data", "id", "next_page_token",
	    "page_token", "page_size" },
};

static bool
is_text(const struct thing *t, const char *member, const char *one)
{
	json_t *v = at(t->is, member);

	return json_is_string(v) && strcmp(json_string_value(v), one) == 0;
}

/* True if the list contains the record, by the model. */
static bool
belongs(const struct list *l, const struct thing *t)
{
	json_t *about = json_object_get(t->is, "description");

	if (t->kind != l->kind)
		return false;
	if (t->kind == VOICE && t->hidden != (strstr(l->path, "hidden") != NULL))
		return false;
	if (strstr(l->path, "gender") != NULL)
		return is_text(t, "labels.gender", "Female") ||
		       is_text(t, "labels.gender", "Male");
	if (strstr(l->path, "favorite") != NULL)
		return json_is_true(at(t->is, "is_favorite"));
	if (strstr(l->path, "status") != NULL)
		return is_text(t, "lifecycle_status", "setup_required");
	if (strstr(l->path, "q=") != NULL)
		return about != NULL;
	return true;
}

/* Checks one page: the client's own records must be right, and are marked as seen. */
static void
tick(struct client *c, const struct list *l, const struct answer *a, json_t *seen)
{
	json_t *one;
	size_t i;

	must(c, NULL, a, 200, NULL);
	json_array_foreach(at(a->json, l->items), i, one)
	{
		const char *id = text_at(one, l->id);

		if (json_object_get(seen, id) != NULL)
			disagree(c, NULL, a, "%s is listed twice", id);
		json_object_set_new(seen, id, json_true());
		for (int k = 0; k < c->things; k++)
			if (strcmp(c->thing[k].id, id) == 0)
				compare(c, &c->thing[k], a, model_seen(l->kind, one));
	}
}

/* Reads all pages of a list; other clients may change their records meanwhile. */
static void
walk(struct client *c)
{
	const struct list *l = &ONE_OF(c, lists);
	const char *page =
	    l->size != NULL ? text("&%s=%u", l->size, 1 + roll(c, 7)) : "";
	const char *path = text("%s%s%s", l->path, page,
	    strcmp(l->token, "token") == 0 && CHANCE(c, 50) ? "&sort=asc" : "");
	json_t *seen = json_object(), *next;
	struct answer a;

	for (int i = 0; i < c->things; i++)
		if (c->thing[i].kind == EVENT)
			gather(c, &c->thing[i]);
	for (;;) {
		a = insist(
		    c, NULL, &(const struct ask){ .path = path, .as = &c->as }, NULL);
		tick(c, l, &a, seen);
		next = at(a.json, l->next);
		if (!json_is_string(next))
			break;
		path = text("%s&%s=%s", l->path, l->token, json_string_value(next));
	}
	for (int i = 0; i < c->things; i++)
		if (belongs(l, &c->thing[i]) !=
		    (json_object_get(seen, c->thing[i].id) != NULL))
			disagree(c, &c->thing[i], &a, "%s: it should %sbe there",
			    l->path, belongs(l, &c->thing[i]) ? "" : "not ");
	json_decref(seen);
}

static void
walk_badly(struct client *c)
{
	const struct list *l = &ONE_OF(c, lists);
	struct answer a =
	    CALL(c, NULL, .path = text("%s&%s=abcdef", l->path, l->token));

	if (!lost(c, &a))
		must(c, NULL, &a, 400, "invalid-page-token");
}

/* ---- what is common ---- */

/* All clients count in the name of one glossary; no step may be lost. */
static void
count(struct client *c)
{
	const char *path = text("/saas/glossary/%s", c->team->counter), *tag;
	struct answer a = CALL(c, NULL, .path = path);
	int n;

	if (lost(c, &a))
		return;
	must(c, NULL, &a, 200, NULL);
	tag = header_of(&a, "ETag");
	n = atoi(strchr(text_at(a.json, "data.name"), ' ') + 1);
	a = CALL(c, NULL, .path = path, .headers = { text("If-Match: %s", tag) },
	    .json = text("{\"data\":{\"name\":\"Counter %d\"}}", n + 1));
	if (a.status == 412)
		c->run->stale++;
	else if (lost(c, &a))
		c->team->doubtful++;
	else {
		must(c, NULL, &a, 200, NULL);
		c->team->counted++;
	}
}

/* Each client writes a field of its own in one event, without If-Match. */
static const char *const fields[CLIENTS_EACH] = { "description", "location",
	"access_code" };

static void
write_own(struct client *c)
{
	const char *path = text("/saas/v2/event/%s", c->team->forum);
	const char *field = fields[c->number % CLIENTS_EACH];
	const char *value = text("c%d-%u", c->number, roll(c, 1000000));
	struct answer a = CALL(c, NULL, .method = "PATCH", .path = path,
	    .json = text("{\"data\":{\"%s\":\"%s\"}}", field, value));
	const char *said;

	c->own_lost = lost(c, &a);
	if (!c->own_lost)
		must(c, NULL, &a, 200, NULL);
	if (!c->own_lost)
		snprintf(c->own, sizeof(c->own), "%s", value);
	a = insist(c, NULL, &(const struct ask){ .path = path, .as = &c->as }, NULL);
	must(c, NULL, &a, 200, NULL);
	said = json_string_value(json_object_get(at(a.json, "data"), field));
	if (said != NULL && c->own_lost && strcmp(said, value) == 0)
		snprintf(c->own, sizeof(c->own), "%s", value);
	if (strcmp(said != NULL ? said : "", c->own) != 0)
		disagree(c, NULL, &a, "this client wrote %s: \"%s\"", field, c->own);
}

/* Records of another account must not be found. */
static void
look_at_foreign(struct client *c)
{
	const struct team *other =
	    &c->run->team[(c->number / CLIENTS_EACH + 1) % ACCOUNTS];
	struct answer a = CALL(c, NULL, .method = CHANCE(c, 50) ? "DELETE" : "GET",
	    .path = text("/saas/glossary/%s", other->counter));

	if (!lost(c, &a))
		must(c, NULL, &a, 404, "resource-not-found");
}

const struct deed deeds_of_all[] = {
	{ look_at_one, 10 },
	{ drop_one, 5 },
	{ look_at_gone, 2 },
	{ walk, 5 },
	{ walk_badly, 1 },
	{ count, 5 },
	{ write_own, 4 },
	{ look_at_foreign, 1 },
	{ NULL },
};
