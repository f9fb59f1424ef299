/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on events and channels. */
#include <stdlib.h>
#include <string.h>

#include "play.h"

static const char *const languages[] = { LANGUAGE_CODES };
static const char *const modes[] = { "off", "approval", "approval", "auto" };
static const char *const begins[] = { "2020-01-01T08:00:00Z", "2036-01-01T08:00:00Z" };

static json_t *
languages_new(struct client *c, unsigned most)
{
	json_t *all = json_array();
	unsigned first = roll(c, 6), n = roll(c, most + 1);

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(all, json_string(languages[(first + i) % 6]));
	return all;
}

static json_t *
agenda_new(struct client *c)
{
	json_t *all = json_array();

	for (unsigned i = roll(c, 4); i > 0; i--)
		json_array_append_new(
		    all, json_pack("{s:o, s:o, s:o, s:[{s:s}]}", "title",
			     json_sprintf("Talk %u", i), "utc_start_dt",
			     json_sprintf("2036-02-0%uT08:00:00Z", i), "utc_end_dt",
			     json_sprintf("2036-02-0%uT09:00:00Z", i), "speakers",
			     "name", "Dr. Maier"));
	return all;
}

static void
decorate(struct client *c, json_t *data)
{
	if (CHANCE(c, 40))
		json_object_set_new(data, "description",
		    json_sprintf("forum of c%d %u", c->number, roll(c, 100)));
	if (CHANCE(c, 30))
		json_object_set_new(data, "location", json_string("Wien, Große Halle"));
	if (CHANCE(c, 40))
		json_object_set_new(
		    data, "listener_language_mode", json_string(ONE_OF(c, modes)));
	if (CHANCE(c, 30))
		json_object_set_new(data, "sessions", agenda_new(c));
	if (CHANCE(c, 30))
		json_object_set_new(
		    data, "utc_start_dt", json_string(ONE_OF(c, begins)));
}

static json_t *
title_new(const struct client *c)
{
	return json_sprintf("Forum c%d.%d", c->number, c->made);
}

static void
add_event(struct client *c)
{
	json_t *data = json_pack("{s:o, s:s, s:s, s:s, s:o}", "title", title_new(c),
	    "event_type", "online", "utc_start_dt", begins[1], "utc_end_dt",
	    "2036-12-31T08:00:00Z", "target_languages", languages_new(c, LANGUAGES));

	if (count_of(c, EVENT) > 8) {
		json_decref(data);
		return;
	}
	decorate(c, data);
	if (CHANCE(c, 30))
		json_object_set_new(data, "stages",
		    json_pack("[{s:s}, {s:s, s:{s:i}}]", "name", "East", "name", "West",
			"greenscreen_settings", "x", 1));
	make(c, EVENT, data, model_event(data));
}

static void
add_event_of_too_many_languages(struct client *c)
{
	json_t *data = json_pack("{s:o, s:s, s:s, s:s, s:[s,s,s,s,s]}", "title",
	    title_new(c), "event_type", "online", "utc_start_dt", begins[1],
	    "utc_end_dt", "2036-12-31T08:00:00Z", "target_languages", "de", "fr", "es",
	    "it", "pt");

	refused(c, "/saas/v2/event", data, 403, "language-limit-reached");
}

static void
edit_event(struct client *c)
{
	struct thing *t = pick(c, EVENT);
	json_t *data = json_object();

	if (t == NULL)
		return;
	if (CHANCE(c, 40))
		json_object_set_new(data, "title", title_new(c));
	if (CHANCE(c, 30))
		json_object_set_new(
		    data, "target_languages", languages_new(c, LANGUAGES));
	decorate(c, data);
	change(c, t, data);
}

static void
edit_event_badly(struct client *c)
{
	struct thing *t = pick(c, EVENT);

	if (t != NULL)
		change_badly(c, t,
		    json_pack("{s:s, s:s}", "title", "never seen", "utc_end_dt",
			"2019-01-01T00:00:00Z"),
		    422, "validation-error");
}

static bool
in_use(const struct client *c, const struct thing *event, const char *stage)
{
	json_t *all = channels_of(c, event), *one;
	bool used = false;
	size_t i;

	json_array_foreach(all, i, one) used |=
	    strcmp(text_at(one, "stage_id"), stage) == 0;
	json_decref(all);
	return used;
}

/* Keeps or removes the first stage, renames the last, adds one. */
static void
edit_stages(struct client *c)
{
	struct thing *t = pick(c, EVENT);
	json_t *list, *stage, *data;
	bool keep_first = CHANCE(c, 70), used = false;
	size_t i, n;

	if (t == NULL)
		return;
	list = json_array();
	n = json_array_size(at(t->is, "stages"));
	json_array_foreach(at(t->is, "stages"), i, stage)
	{
		const char *id = text_at(stage, "stage_id");

		if (i == 0 && !keep_first) {
			used = in_use(c, t, id);
			continue;
		}
		json_array_append_new(
		    list, json_pack("{s:s, s:o}", "stage_id", id, "name",
			      i + 1 < n ? json_incref(json_object_get(stage, "name"))
					: json_sprintf("Hall %u", roll(c, 9))));
	}
	if (n < 4)
		json_array_append_new(list, json_pack("{s:s}", "name", "New hall"));
	data = json_pack("{s:o}", "stages", list);
	if (json_array_size(list) == 0)
		change_badly(c, t, data, 422, "validation-error");
	else if (used)
		change_badly(c, t, data, 409, "stage-in-use");
	else
		change(c, t, data);
}

/* ---- channels ---- */

size_t
languages_with(
    const struct client *c, const struct thing *event, const json_t *old, json_t *new)
{
	json_t *all = json_array(), *now = event ? channels_of(c, event) : json_array();
	json_t *one, *set;
	size_t i, n;

	json_array_foreach(now, i, one) if (one != old) json_array_append(all, one);
	if (new != NULL)
		json_array_append(all, new);
	set = model_languages(all, "target_languages");
	n = json_array_size(set);
	json_decref(set);
	json_decref(all);
	json_decref(now);
	return n;
}

struct thing *
event_of(struct client *c, const json_t *channel)
{
	const char *id = json_string_value(json_object_get(channel, "event_id"));

	for (int i = 0; id != NULL && i < c->things; i++)
		if (c->thing[i].kind == EVENT && strcmp(c->thing[i].id, id) == 0)
			return &c->thing[i];
	return NULL;
}

bool
has_worker(struct client *c, const struct thing *event)
{
	for (int i = 0; i < c->things; i++)
		if (c->thing[i].kind == CHANNEL && c->thing[i].then != NULL &&
		    event_of(c, c->thing[i].is) == event)
			return true;
	return false;
}

static void
add_channel(struct client *c)
{
	struct thing *event = CHANCE(c, 75) ? pick(c, EVENT) : NULL;
	json_t *data, *is;

	if (event != NULL && has_worker(c, event))
		return; /* the request that comes first takes the last place */
	data = json_pack("{s:s, s:o}", "type", event != NULL ? "event" : "standalone",
	    "name", title_new(c));
	if (event != NULL)
		json_object_set_new(data, "event_id", json_string(event->id));
	if (CHANCE(c, 20))
		json_object_set_new(data, "input_type", json_string("rtmp_push"));
	if (CHANCE(c, 50))
		json_object_set_new(data, "source_language", json_string("en"));
	if (CHANCE(c, 70))
		json_object_set_new(data, "target_languages", languages_new(c, 3));
	is = model_channel(data, c->as.user_id, event != NULL ? event->is : NULL);
	if (count_of(c, CHANNEL) > 12) {
		json_decref(data);
	} else if (languages_with(c, event, NULL, is) > LANGUAGES) {
		refused(c, "/saas/channel", data, 403, "language-limit-reached");
	} else {
		make(c, CHANNEL, data, is);
		return;
	}
	json_decref(is);
}

static void
edit_channel(struct client *c)
{
	struct thing *t = pick(c, CHANNEL), *event;
	json_t *data = json_object(), *after;
	size_t before, then;

	if (t == NULL || t->then != NULL)
		return;
	event = event_of(c, t->is);
	if (event != NULL && has_worker(c, event))
		return;
	if (CHANCE(c, 40))
		json_object_set_new(data, "name", title_new(c));
	if (CHANCE(c, 40))
		json_object_set_new(
		    data, "original_delay_seconds", json_integer((int)roll(c, 31)));
	if (CHANCE(c, 60))
		json_object_set_new(data, "target_languages", languages_new(c, 5));
	after = model_changed(CHANNEL, t->is, data);
	before = languages_with(c, event, event ? NULL : t->is, event ? NULL : t->is);
	then = languages_with(c, event, t->is, after);
	json_decref(after);
	if (then > LANGUAGES && then > before)
		change_badly(c, t, data, 403, "language-limit-reached");
	else
		change(c, t, data);
}

/* Retrying leaves a ready channel as it is, and refuses a refused one again. */
static void
retry_channel(struct client *c)
{
	struct thing *t = pick(c, CHANNEL);
	struct answer a;

	if (t == NULL || t->then != NULL)
		return;
	if (strcmp(text_at(t->is, "lifecycle_status"), "failed") == 0) {
		json_object_set_new(t->is, "utc_updated_at", unknown());
		t->version = 0;
	}
	a = insist(c, t,
	    &(const struct ask){
		.method = "POST", .as = &c->as, .path = text("%s/retry", path_of(t)) },
	    NULL);
	must(c, t, &a, 200, NULL);
	compare(c, t, &a, model_seen(CHANNEL, at(a.json, "data")));
}

static void
list_channels(struct client *c)
{
	struct thing *t = pick(c, EVENT);
	json_t *all, *one;
	struct answer a;
	size_t i;

	if (t == NULL)
		return;
	a = CALL(c, t, .path = text("/saas/channels?event_id=%s", t->id));
	if (lost(c, &a))
		return;
	must(c, t, &a, 200, NULL);
	all = channels_of(c, t);
	if (count_at(a.json, "data") != json_array_size(all))
		disagree(c, t, &a, "it has %zu channels", json_array_size(all));
	json_array_foreach(
	    all, i, one) if (strcmp(text_at(one, "channel_id"),
				 text_at(a.json, text("data.%zu.channel_id", i))) != 0)
	    disagree(c, t, &a, "%s should be the %zu.", text_at(one, "channel_id"), i);
	json_decref(all);
}

const struct deed deeds_of_events[] = {
	{ add_event, 3 },
	{ add_event_of_too_many_languages, 1 },
	{ edit_event, 6 },
	{ edit_event_badly, 1 },
	{ edit_stages, 3 },
	{ add_channel, 5 },
	{ edit_channel, 5 },
	{ retry_channel, 2 },
	{ list_channels, 2 },
	{ NULL },
};
