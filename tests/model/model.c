/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../e2e/client.h"

/* ---- records ---- */

static void
set(json_t *to, const char *name, json_t *value)
{
	json_object_set_new(to, name, value);
}

/* Sets the member as it was sent, or its default. */
static void
given(json_t *to, const json_t *data, const char *name, json_t *otherwise)
{
	json_t *v = json_object_get(data, name);

	if (v != NULL && !json_is_null(v))
		set(to, name, json_deep_copy(v));
	else if (otherwise != NULL)
		set(to, name, json_incref(otherwise));
	json_decref(otherwise);
}

static json_t *
times(json_t *to)
{
	set(to, "utc_created_at", unknown());
	set(to, "utc_updated_at", unknown());
	return to;
}

json_t *
model_glossary(const json_t *data, const char *user)
{
	json_t *g =
	    json_pack("{s:s, s:s, s:s, s:i, s:[]}", "glossary_id", "?", "user_id", user,
		"entries_status", "none", "entries_count", 0, "entries_errors");

	given(g, data, "name", NULL);
	given(g, data, "is_enabled", json_true());
	given(g, data, "glossary_type", NULL);
	given(g, data, "source_lang", NULL);
	given(g, data, "target_lang", json_null());
	return times(g);
}

/* Known labels are accepted in any case and stored in one case. */
static void
label(json_t *to, const json_t *from, const char *name)
{
	static const char *const all[] = { "Male", "Female", "Neutral", "Young",
		"Middle-aged", "Old", "Happy", "Sad", "Angry", "Calm", "Energetic" };
	const json_t *v = json_object_get(from, name);

	if (v != NULL)
		set(to, name, json_deep_copy(v));
	for (size_t i = 0; v != NULL && i < sizeof(all) / sizeof(all[0]); i++)
		if (json_is_string(v) && !strcasecmp(all[i], json_string_value(v)))
			set(to, name, json_string(all[i]));
}

static void
labels(json_t *to, const json_t *from)
{
	label(to, from, "gender");
	label(to, from, "age_group");
	label(to, from, "mood");
}

json_t *
model_voice(const json_t *data, const char *user)
{
	json_t *v = json_pack("{s:s, s:s, s:s, s:s, s:{s:[], s:[]}, s:{s:n, s:n, s:n},"
			      " s:b, s:b}",
	    "voice_id", "?", "user_id", user, "voice_type", "instantly_cloned",
	    "processing_status", "created", "processing_result", "warnings", "errors",
	    "labels", "gender", "age_group", "mood", "has_external_voice", 0,
	    "is_favorite", 0);

	given(v, data, "name", NULL);
	given(v, data, "description", NULL);
	given(v, data, "attributes", json_array());
	given(v, at(data, "samples.0"), "lang_code", NULL);
	labels(json_object_get(v, "labels"), json_object_get(data, "labels"));
	return times(v);
}

json_t *
model_session(void)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "id", "?", "created_at", "?",
	    "updated_at", "?", "expires_at", "?");
}

/* ---- events ---- */

/* Stages of the new list, with the ids of the old list, which may be NULL. */
static json_t *
stages_of(const json_t *list, const json_t *old)
{
	json_t *all = json_array(), *in, *stage, *was;
	size_t i, k;

	json_array_foreach(list, i, in)
	{
		const json_t *id = json_object_get(in, "stage_id");

		stage = json_pack("{s:s, s:s, s:s, s:s, s:s}", "stage_id", "?",
		    "event_id", "?", "qr_code_url", "?", "utc_created_at", "?",
		    "utc_updated_at", "?");
		json_array_foreach(
		    old, k, was) if (id != NULL &&
				     json_equal(id, json_object_get(was, "stage_id")))
		{
			json_object_update(stage, was);
			set(stage, "utc_updated_at", unknown());
		}
		given(stage, in, "name", NULL);
		given(stage, in, "greenscreen_settings", json_null());
		json_array_append_new(all, stage);
	}
	return all;
}

static int
by_start(const void *a, const void *b)
{
	return strcmp(text_at(*(json_t *const *)a, "utc_start_dt"),
	    text_at(*(json_t *const *)b, "utc_start_dt"));
}

/* The agenda sorted by start; an item names its stage by the stage's index. */
static json_t *
agenda_of(const json_t *list, const json_t *stages)
{
	json_t *item[500], *all = json_array(), *in;
	size_t i;

	json_array_foreach(list, i, in)
	{
		json_int_t place =
		    json_integer_value(json_object_get(in, "stage_index"));

		item[i] = json_pack("{s:s, s:O}", "session_id", "?", "stage_id",
		    json_object_get(json_array_get(stages, (size_t)place), "stage_id"));
		given(item[i], in, "title", NULL);
		given(item[i], in, "description", NULL);
		given(item[i], in, "utc_start_dt", NULL);
		given(item[i], in, "utc_end_dt", NULL);
		given(item[i], in, "speakers", json_array());
	}
	qsort(item, json_array_size(list), sizeof(item[0]), by_start);
	for (i = 0; i < json_array_size(list); i++)
		json_array_append_new(all, item[i]);
	return all;
}

json_t *
model_event(const json_t *data)
{
	static const char *const plain[] = { "title", "description", "event_type",
		"location", "timezone", "utc_start_dt", "utc_end_dt", "access_code" };
	json_t *e =
	    json_pack("{s:s, s:s, s:s, s:s, s:s}", "event_id", "?", "qr_code_url", "?",
		"room_name_suffix", "?", "join_code", "?", "transcript", "off");
	json_t *one = json_pack("[{s:s}]", "name", "Main stage");
	json_t *stages = json_object_get(data, "stages");

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		given(e, data, plain[i], NULL);
	given(e, data, "is_recurring", json_false());
	given(e, data, "target_languages", json_array());
	given(e, data, "listener_language_mode", json_string("approval"));
	set(e, "stages", stages_of(stages != NULL ? stages : one, NULL));
	set(e, "sessions",
	    agenda_of(json_object_get(data, "sessions"), json_object_get(e, "stages")));
	json_decref(one);
	return times(e);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

json_t *
model_languages(const json_t *channels, const char *member)
{
	json_t *set_of = json_object(), *all = json_array(), *c, *v, *one;
	const char *names[100], *key;
	size_t i, k, n = 0;

	json_array_foreach(channels, i, c)
	{
		v = json_object_get(c, member);
		if (json_is_string(v))
			set(set_of, json_string_value(v), json_null());
		json_array_foreach(v, k, one)
		    set(set_of, json_string_value(one), json_null());
	}
	json_object_foreach(set_of, key, v) names[n++] = key;
	qsort(names, n, sizeof(names[0]), by_text);
	for (i = 0; i < n; i++)
		json_array_append_new(all, json_string(names[i]));
	json_decref(set_of);
	return all;
}

/* Collects a stage's channels; returns whether one is ready. */
static bool
gather_stage(json_t *stage, const json_t *channels)
{
	static const char *const shown_here[] = { "channel_id", "stage_id",
		"broadcast_id", "name", "input_type", "lifecycle_status",
		"runtime_status", "source_language", "target_languages" };
	json_t *all = json_array(), *c, *one;
	bool ready = false;
	size_t i;

	json_array_foreach(channels, i, c)
	{
		if (!json_equal(json_object_get(c, "stage_id"),
			json_object_get(stage, "stage_id")))
			continue;
		one = json_object();
		for (size_t k = 0; k < sizeof(shown_here) / sizeof(char *); k++)
			set(one, shown_here[k],
			    json_deep_copy(json_object_get(c, shown_here[k])));
		json_array_append_new(all, one);
		ready |= !strcmp(text_at(c, "lifecycle_status"), "ready");
	}
	set(stage, "channels", all);
	set(stage, "status", json_string(ready ? "ready" : "setup_required"));
	return ready;
}

/* The model's events are never over or live. */
void
model_gather(json_t *event, const json_t *channels)
{
	bool ready = false, begun = strcmp(text_at(event, "utc_start_dt"), "2026") < 0;
	json_t *stage;
	size_t i;

	json_array_foreach(json_object_get(event, "stages"), i, stage) ready |=
	    gather_stage(stage, channels);
	set(event, "input_languages", model_languages(channels, "source_language"));
	set(event, "output_languages", model_languages(channels, "target_languages"));
	set(event, "lifecycle_status",
	    json_string(!ready  ? "setup_required"
			: begun ? "ready"
				: "upcoming"));
}

json_t *
model_public(const json_t *event)
{
	static const char *const hidden[] = { "access_code", "is_recurring",
		"input_languages", "output_languages", "utc_created_at",
		"utc_updated_at" };
	json_t *e = json_deep_copy(event), *stage, *c;
	size_t i, k;

	for (i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		json_object_del(e, hidden[i]);
	set(e, "captcha_required", json_false());
	json_array_foreach(json_object_get(e, "stages"), i, stage)
	{
		json_t *ready = json_array();

		json_array_foreach(json_object_get(stage, "channels"), k, c)
		{
			if (strcmp(text_at(c, "lifecycle_status"), "ready") == 0)
				json_array_append(ready, c);
			json_object_del(c, "lifecycle_status");
		}
		set(stage, "channels", ready);
	}
	return e;
}

/* ---- channels ---- */

json_t *
model_channel(const json_t *data, const char *user, const json_t *event)
{
	json_t *in = json_object_get(data, "input_type");
	bool good = in == NULL || !strcmp(json_string_value(in), "webrtc_push");
	json_t *c =
	    good ? json_pack("{s:s, s:s, s:s, s:s, s:{s:s, s:s, s:s}, s:n, s:s}",
		       "broadcast_id", "?", "id", "?", "runtime_status", "pending",
		       "status", "pending", "input", "protocol", "webrtc_push", "url",
		       "?", "whip_url", "?", "error", "lifecycle_status", "ready")
		 : json_pack("{s:n, s:n, s:n, s:n, s:n, s:s, s:s}", "broadcast_id",
		       "id", "runtime_status", "status", "input", "error", "?",
		       "lifecycle_status", "failed");

	set(c, "channel_id", unknown());
	set(c, "user", json_string(user));
	given(c, data, "type", NULL);
	given(c, data, "name", NULL);
	given(c, data, "event_id", json_null());
	given(c, data, "stage_id",
	    event == NULL ? json_null()
			  : json_deep_copy(at(event, "stages.0.stage_id")));
	set(c, "title", json_deep_copy(json_object_get(c, "name")));
	given(c, data, "input_type", json_string("webrtc_push"));
	given(c, data, "source_language", json_string("auto"));
	given(c, data, "target_languages",
	    event == NULL ? json_array()
			  : json_deep_copy(at(event, "target_languages")));
	set(c, "room_name_suffix",
	    event == NULL ? json_null()
			  : json_deep_copy(at(event, "room_name_suffix")));
	set(c, "region", unknown());
	given(c, data, "ignore_video", json_false());
	given(c, data, "original_delay_seconds", json_integer(3));
	given(c, data, "original_ducked_volume", json_real(0.2));
	given(c, data, "keep_transcript", json_false());
	given(c, data, "hold_seconds", json_integer(0));
	given(c, data, "blocked_words", json_array());
	given(c, data, "audio_settings", json_null());
	given(c, data, "outputs", json_array());
	given(c, data, "translation_pipeline", json_null());
	set(c, "input_bitrate", json_null());
	set(c, "utc_stopped_at", json_null());
	set(c, "warnings", json_array());
	return times(c);
}

/* ---- changes ---- */

/* Removes the agenda items of removed stages. */
static void
drop_items(json_t *event)
{
	json_t *items = json_object_get(event, "sessions"), *item, *stage;
	size_t i = 0, k;
	bool on;

	while ((item = json_array_get(items, i)) != NULL) {
		on = false;
		json_array_foreach(json_object_get(event, "stages"), k, stage) on |=
		    json_equal(json_object_get(stage, "stage_id"),
			json_object_get(item, "stage_id"));
		if (on)
			i++;
		else
			json_array_remove(items, i);
	}
}

json_t *
model_changed(enum kind kind, const json_t *is, const json_t *data)
{
	json_t *to = json_deep_copy(is), *value;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)data, name, value)
	{
		if (kind == VOICE && strcmp(name, "labels") == 0)
			labels(json_object_get(to, name), value);
		else if (kind == EVENT && strcmp(name, "stages") == 0)
			set(to, name, stages_of(value, json_object_get(is, name)));
		else if (kind == EVENT && strcmp(name, "sessions") == 0)
			set(to, name, agenda_of(value, json_object_get(is, "stages")));
		else if (kind != CHANNEL && json_is_null(value))
			json_object_del(to, name); /* left out when it has no value */
		else
			set(to, name, json_deep_copy(value));
		if (kind == CHANNEL && strcmp(name, "name") == 0)
			set(to, "title", json_deep_copy(value));
		if (kind == EVENT && strcmp(name, "stages") == 0)
			drop_items(to);
	}
	return to;
}

json_t *
model_imported(const json_t *glossary, int terms, int wrong_row)
{
	json_t *to = json_deep_copy(glossary);
	bool good = wrong_row == 0;

	set(to, "entries_status", json_string(good ? "ready" : "failed"));
	set(to, "entries_count", json_integer(good ? terms : 0));
	set(to, "entries_errors",
	    good ? json_array()
		 : json_pack("[{s:i, s:i, s:s}]", "row", wrong_row, "column", 1,
		       "problem", "csv-duplicate-term"));
	return to;
}

json_t *
model_cloned(const json_t *voice, bool good)
{
	json_t *to = json_deep_copy(voice);

	set(to, "processing_status", json_string(good ? "ready" : "failed"));
	set(to, "processing_result",
	    good ? json_pack("{s:[s], s:[]}", "warnings", "sample-short", "errors")
		 : json_pack(
		       "{s:[], s:[s]}", "warnings", "errors", "sample-type-mismatch"));
	return to;
}
