/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of listeners: joining, and requesting languages. */
#include <stdlib.h>
#include <string.h>

#include "play.h"

static const char *const languages[] = { LANGUAGE_CODES };

static struct thing *
channel_with(struct client *c, const struct thing *event, const char *language)
{
	for (int i = 0; i < c->things; i++) {
		struct thing *t = &c->thing[i];
		json_t *l;
		size_t k;

		if (t->kind != CHANNEL || t->fading || event_of(c, t->is) != event ||
		    (language != NULL &&
			strcmp(text_at(t->is, "lifecycle_status"), "ready") != 0))
			continue;
		if (language == NULL || strcmp(language, "original") == 0)
			return t;
		json_array_foreach(at(t->is, "target_languages"), k,
		    l) if (strcmp(json_string_value(l), language) == 0) return t;
	}
	return NULL;
}

static const char *
a_listener(struct client *c)
{
	return text("00000000-0000-4000-8000-%06u%06d", roll(c, 3), c->number);
}

static void
join(struct client *c)
{
	static const char *const wanted[] = { "de", "fr", "es", "original" };
	const char *language = ONE_OF(c, wanted), *key, *listener;
	struct thing *t = pick(c, EVENT), *channel;
	bool again = false, heard;
	struct answer a;

	if (t == NULL || has_worker(c, t))
		return;
	listener = a_listener(c);
	key = text("%s %s", listener, language);
	heard = json_object_get(t->heard, listener) != NULL;
	channel = channel_with(c, t, language);
	a = insist(c, t,
	    &(const struct ask){ .path = text("/saas/v2/event/public/%s/join", t->id),
		.json = text("{\"data\":{\"language\":\"%s\",\"listener_id\":\"%s\"}}",
		    language, listener) },
	    &again);
	if (channel == NULL) {
		must(c, t, &a, 409, "language-not-available");
		return;
	}
	if (!again || a.status != 200)
		must(c, t, &a, heard ? 200 : 201, NULL);
	if (strcmp(text_at(a.json, "data.channel_id"), channel->id) != 0)
		disagree(c, t, &a, "the oldest with %s is %s", language, channel->id);
	json_object_set_new(t->heard, listener, json_true());
	json_object_set_new(t->heard, key, json_string(language));
}

/* The result that a request must have; see the contract's table. */
static const char *
request_refusal(struct client *c, const struct thing *t, const char *language)
{
	const char *mode = text_at(t->is, "listener_language_mode");
	struct thing *first = channel_with(c, t, NULL);

	if (strcmp(mode, "off") == 0)
		return "listener-requests-off";
	for (int i = 0; i < c->things; i++) {
		json_t *l;
		size_t k;

		if (c->thing[i].kind == CHANNEL && !c->thing[i].fading &&
		    event_of(c, c->thing[i].is) == t)
			json_array_foreach(at(c->thing[i].is, "target_languages"), k,
			    l) if (strcmp(json_string_value(l), language) ==
				   0) return "language-already-available";
	}
	if (json_object_get(t->asked, language) == NULL && first != NULL &&
	    strcmp(mode, "auto") == 0 &&
	    languages_with(c, t, NULL, NULL) + 1 > LANGUAGES)
		return "language-limit-reached";
	return NULL;
}

/* An approved language is added by a worker to the oldest channel. */
static void
grant(struct thing *channel, const char *language)
{
	json_t *now = json_deep_copy(channel->is), *then = json_deep_copy(now);

	json_array_append_new(
	    json_object_get(then, "target_languages"), json_string(language));
	await_worker(channel, now, then);
}

/* The predicted request after this listener has asked. */
static json_t *
request_of(
    struct client *c, struct thing *t, const char *language, const char *listener)
{
	json_t *r = json_object_get(t->asked, language);
	bool is_auto = strcmp(text_at(t->is, "listener_language_mode"), "auto") == 0;

	if (r == NULL) {
		r = json_pack("{s:s, s:s, s:{}}", "request_id", "?", "status",
		    is_auto ? "approved" : "pending", "by");
		json_object_set_new(t->asked, language, r);
		if (is_auto)
			grant(channel_with(c, t, NULL), language);
	}
	json_object_set_new(json_object_get(r, "by"), listener, json_true());
	return r;
}

static void
expect_request(
    struct client *c, struct thing *t, const struct answer *a, const json_t *r)
{
	json_t *want = json_pack("{s:O, s:O, s:s, s:b, s:i}", "request_id",
	    json_object_get(r, "request_id"), "status", json_object_get(r, "status"),
	    "type", "add_language", "served", 1, "request_count",
	    (int)json_object_size(json_object_get(r, "by")));
	const char *where;

	if (!model_agrees(want, at(a->json, "data"), &where))
		disagree(c, t, a, "%s: the request is %s", where, json_dumps(want, 0));
	json_object_set(
	    (json_t *)(uintptr_t)r, "request_id", json_object_get(want, "request_id"));
	json_decref(want);
}

static void
ask_for_language(struct client *c)
{
	struct thing *t = pick(c, EVENT);
	const char *language = ONE_OF(c, languages), *refusal, *who = a_listener(c);
	bool again = false, known;
	struct answer a;
	json_t *r;

	if (t == NULL || has_worker(c, t) || channel_with(c, t, NULL) == NULL)
		return;
	refusal = request_refusal(c, t, language);
	known = json_object_get(t->asked, language) != NULL;
	a = insist(c, t,
	    &(const struct ask){
		.path = text("/saas/v2/event/public/%s/requests", t->id),
		.json = text("{\"data\":{\"type\":\"add_language\",\"listener_id\":"
			     "\"%s\",\"payload\":{\"language\":\"%s\"}}}",
		    who, language) },
	    &again);
	if (refusal != NULL) {
		must(c, t, &a, refusal[9] == 'a' ? 409 : 403, refusal);
		return;
	}
	r = request_of(c, t, language, who);
	if (again && a.status == 409 && has_worker(c, t))
		return; /* it was granted before the second request */
	if (!again || a.status != 200)
		must(c, t, &a, known ? 200 : 201, NULL);
	expect_request(c, t, &a, r);
}

/* The same decision may be repeated, the opposite one must be refused. */
static void
decide(struct client *c)
{
	struct thing *t = pick(c, EVENT);
	bool yes = CHANCE(c, 50), decided, as_before;
	const char *language, *id, *status = yes ? "approved" : "rejected";
	struct answer a;
	json_t *r;

	if (t == NULL || json_object_size(t->asked) == 0)
		return;
	language = json_object_iter_key(json_object_iter(t->asked));
	r = json_object_get(t->asked, language);
	id = text_at(r, "request_id");
	if (id[0] == '?')
		return;
	as_before = strcmp(text_at(r, "status"), status) == 0;
	decided = strcmp(text_at(r, "status"), "pending") != 0;
	a = insist(c, t,
	    &(const struct ask){ .method = "POST",
		.as = &c->as,
		.path = text(
		    "%s/requests/%s/%s", path_of(t), id, yes ? "approve" : "reject"),
		.json = yes ? NULL : "{\"data\":{\"reason\":\"no interpreter\"}}" },
	    NULL);
	if (decided && !as_before) {
		must(c, t, &a, 409, "request-already-decided");
		return;
	}
	must(c, t, &a, 200, NULL);
	if (strcmp(text_at(a.json, "data.status"), status) != 0)
		disagree(c, t, &a, "its status should be %s", status);
	json_object_set_new(r, "status", json_string(status));
}

const struct deed deeds_of_listeners[] = {
	{ join, 5 },
	{ ask_for_language, 6 },
	{ decide, 2 },
	{ NULL },
};
