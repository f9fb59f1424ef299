/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on glossaries, voices, uploads and sessions. */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "play.h"

static json_t *
name_new(struct client *c)
{
	static const char *const words[] = { "Anna", "Émile", "west hall", "Übung",
		"Ωμέγα", "medical-terms" };

	return json_sprintf("%s c%d.%d", ONE_OF(c, words), c->number, c->made);
}

/* ---- glossaries ---- */

static void
add_glossary(struct client *c)
{
	static const char *const kinds[] = { "translation", "asr", "asr_hot" };
	const char *kind = ONE_OF(c, kinds);
	json_t *data = json_pack("{s:o, s:s, s:s}", "name", name_new(c),
	    "glossary_type", kind, "source_lang", "en");

	if (kind[0] == 't')
		json_object_set_new(data, "target_lang", json_string("de"));
	else if (strcmp(kind, "asr") == 0)
		json_object_set_new(data, "target_lang", json_string("en"));
	if (CHANCE(c, 40))
		json_object_set_new(data, "is_enabled", json_boolean(CHANCE(c, 50)));
	make(c, GLOSSARY, data, model_glossary(data, c->as.user_id));
}

static void
edit_glossary(struct client *c)
{
	struct thing *t = pick(c, GLOSSARY);
	json_t *data = json_object();

	if (t == NULL)
		return;
	if (CHANCE(c, 60))
		json_object_set_new(data, "name", name_new(c));
	if (CHANCE(c, 60))
		json_object_set_new(data, "is_enabled", json_boolean(CHANCE(c, 50)));
	change(c, t, data);
}

static void
edit_glossary_badly(struct client *c)
{
	struct thing *t = pick(c, GLOSSARY);

	if (t != NULL)
		change_badly(c, t,
		    json_pack("{s:s, s:b}", "name", "?!", "is_enabled", 0), 422,
		    "validation-error");
}

static const struct {
	const char *text;
	int columns, terms, wrong_row;
} files[] = {
	{ "heart\n \nlung\n", 1, 2, 0 },
	{ "heart\nheart\nlung\n", 1, 0, 2 },
	{ "heart,Herz\n\"lung\",Lunge\r\n\nhand,Hand\n", 2, 3, 0 },
	{ "heart,Herz\nlung,Lunge\nheart,Hand\n", 2, 0, 3 },
};

static bool
is_failed(const json_t *glossary)
{
	return strcmp(text_at(glossary, "entries_status"), "failed") == 0;
}

/* Accepted when there is no import yet, or a failed one; a worker reads the file. */
static void
import(struct client *c)
{
	struct thing *t = pick(c, GLOSSARY);
	bool asr_hot, taken, again = false;
	struct form f = { .n = 1 };
	struct answer a;
	json_t *now;
	unsigned i;

	if (t == NULL || (t->then != NULL && is_failed(t->then)))
		return; /* it may have failed by now */
	asr_hot = strcmp(text_at(t->is, "glossary_type"), "asr_hot") == 0;
	i = roll(c, 2) + (asr_hot ? 0 : 2);
	f.part[0] = (struct part){ "file", "t.csv", "text/csv",
		{ files[i].text, strlen(files[i].text) } };
	taken = t->then == NULL && (now = json_object_get(t->is, "entries_status")) &&
		strchr("nf", json_string_value(now)[0]) != NULL;
	a = insist(c, t,
	    &(const struct ask){ .path = text("%s/upload", path_of(t)),
		.as = &c->as,
		.type = FORM_TYPE,
		.body = form_bytes(&f) },
	    &again);
	if (!taken || (again && a.status == 409))
		must(c, t, &a, 409, "glossary-already-uploaded");
	else
		must(c, t, &a, 200, NULL);
	if (!taken)
		return;
	now = json_deep_copy(t->is);
	json_object_update_new(
	    now, json_pack("{s:s, s:i, s:[]}", "entries_status", "pending",
		     "entries_count", 0, "entries_errors"));
	await_worker(t, now, model_imported(now, files[i].terms, files[i].wrong_row));
	t->file = files[i].text;
}

static void
read_file(struct client *c)
{
	struct thing *t = pick(c, GLOSSARY);
	struct answer a;

	if (t == NULL)
		return;
	a = CALL(c, t, .path = text("%s/upload", path_of(t)));
	if (lost(c, &a))
		return;
	if (t->file == NULL)
		must(c, t, &a, 404, "resource-not-found");
	else if (a.status != 200 || strcmp(a.body, t->file) != 0)
		disagree(c, t, &a, "the file as it was sent: %s", t->file);
}

/* ---- voices ---- */

static json_t *
labels_new(struct client *c)
{
	static const char *const genders[] = { "female", "Male", "NEUTRAL" },
				 *const moods[] = { "calm", "Happy" };
	json_t *l = json_object();

	if (CHANCE(c, 60))
		json_object_set_new(l, "gender", json_string(ONE_OF(c, genders)));
	if (CHANCE(c, 40))
		json_object_set_new(l, "mood",
		    CHANCE(c, 30) ? json_null() : json_string(ONE_OF(c, moods)));
	return l;
}

static void
add_voice(struct client *c)
{
	json_t *data = json_pack("{s:o, s:[{s:s, s:s, s:s}], s:o}", "name", name_new(c),
	    "samples", "filename", "anna.wav", "mime_type", "audio/wav", "lang_code",
	    "en-us", "labels", labels_new(c));
	bool hidden = CHANCE(c, 30);
	struct thing *t;

	json_object_set_new(data, "skip_external_voice", json_boolean(hidden));
	if (CHANCE(c, 40))
		json_object_set_new(data, "description", json_string("keynote voice"));
	t = make(c, VOICE, data, model_voice(data, c->as.user_id));
	if (t != NULL)
		t->hidden = hidden;
}

static bool
has_status(const struct thing *t, const char *member, const char *status)
{
	return strcmp(text_at(t->is, member), status) == 0;
}

/* Send the sample that a voice waits for; a worker then clones the voice. */
static void
send_sample(struct client *c)
{
	struct thing *t = pick(c, VOICE);
	bool good = CHANCE(c, 30), again = false;
	struct bytes sample = recording(good ? "speech-12s.wav" : "page.html");
	struct answer a;
	struct form f;
	json_t *now;

	for (int i = 0; i < c->things; i++) /* cloning takes a while */
		if (c->thing[i].kind == VOICE && c->thing[i].then != NULL)
			return;
	if (t == NULL || t->then != NULL ||
	    !has_status(t, "processing_status", "created"))
		return;
	f = form_of(t->target, sample);
	a = insist(c, t,
	    &(const struct ask){
		.path = f.url, .type = FORM_TYPE, .body = form_bytes(&f) },
	    &again);
	if (!again || a.status != 409) /* a worker may already be checking it */
		must(c, t, &a, 201, NULL);
	now = json_deep_copy(t->is);
	json_object_set_new(now, "processing_status", json_string("pending"));
	await_worker(t, now, model_cloned(now, good));
	t->bytes = good ? (int)sample.n : 0;
}

static void
edit_voice(struct client *c)
{
	struct thing *t = pick(c, VOICE);
	json_t *data = json_object();

	if (t == NULL)
		return;
	if (CHANCE(c, 50))
		json_object_set_new(data, "name", name_new(c));
	if (CHANCE(c, 40))
		json_object_set_new(data, "description",
		    CHANCE(c, 40) ? json_null() : json_string("for the keynote"));
	if (CHANCE(c, 40))
		json_object_set_new(data, "labels", labels_new(c));
	if (CHANCE(c, 40))
		json_object_set_new(
		    data, "attributes", json_pack("[s, s]", "keynote", "warm"));
	change(c, t, data);
}

/* Marking a favourite does not change the record's version. */
static void
mark(struct client *c)
{
	struct thing *t = pick(c, VOICE);
	bool on = CHANCE(c, 60);
	struct answer a;

	if (t == NULL)
		return;
	a = insist(c, t,
	    &(const struct ask){ .method = on ? "POST" : "DELETE",
		.as = &c->as,
		.path = text("%s/favorite", path_of(t)) },
	    NULL);
	must(c, t, &a, 200, NULL);
	if (json_boolean_value(at(a.json, "data.is_favorite")) != on)
		disagree(c, t, &a, "is_favorite should be %d", on);
	json_object_set_new(t->is, "is_favorite", json_boolean(on));
	if (t->then != NULL)
		json_object_set_new(t->then, "is_favorite", json_boolean(on));
}

/* ---- uploads ---- */

static void
add_upload(struct client *c)
{
	struct bytes file = wav_of(100001 + roll(c, 40000));
	bool good = CHANCE(c, 80);
	struct ask q = { .path = "/saas/upload",
		.as = &c->as,
		.json = "{\"data\":[{\"filename\":\"talk.wav\",\"mime_type\":"
			"\"audio/wav\"}]}" };
	struct answer a;
	struct thing *t;
	struct form f;

	if (c->things == THINGS || count_of(c, UPLOAD) > 8)
		return;
	if (!good)
		memset((char *)(uintptr_t)file.p, 'x', 44);
	a = insist(c, NULL, &q, NULL);
	must(c, NULL, &a, 200, NULL);
	f = form_of(at(a.json, "data.0"), file);
	t = thing_new(c, UPLOAD, text_at(a.json, "data.0.blob_id"));
	t->is = json_pack("{s:s}", "sha256", sha256_of(file));
	t->then = good ? NULL : json_pack("{s:b}", "gone", 1);
	t->bytes = good ? (int)file.n : 0;
	a = insist(c, t,
	    &(const struct ask){
		.path = f.url, .type = FORM_TYPE, .body = form_bytes(&f) },
	    NULL);
	if (a.status != 409 && (good || a.status != 403))
		must(c, t, &a, 201, NULL);
}

/* ---- sessions ---- */

static void
add_session(struct client *c)
{
	json_t *data = json_pack("{s:i, s:s}", "subscriber_count", (int)roll(c, 3),
	    "intent", CHANCE(c, 50) ? "api" : "desktop");
	static const char *const paths[] = { "/session-storage/session",
		"/session-storage/sessions" };
	int old = CHANCE(c, 20);

	if (c->things < THINGS)
		make_at_path(c, SESSION, paths[old], data, model_session());
}

/* The expiry is in whole seconds, and the answer took some time. */
static void
extend(struct client *c)
{
	struct thing *t = pick(c, SESSION);
	int ttl = 60 + (int)roll(c, 1000000);
	time_t since = (time_t)(now_us() / S_US), until;
	struct answer a;

	if (t == NULL)
		return;
	a = insist(c, t,
	    &(const struct ask){ .method = "POST",
		.as = &c->as,
		.path = text("%s?ttl_seconds=%d", path_of(t), ttl) },
	    NULL);
	must(c, t, &a, 204, NULL);
	json_object_set_new(t->is, "expires_at", unknown());
	json_object_set_new(t->is, "updated_at", unknown());
	a = insist(c, t, &(const struct ask){ .path = path_of(t), .as = &c->as }, NULL);
	must(c, t, &a, 200, NULL);
	compare(c, t, &a, model_seen(SESSION, at(a.json, "data")));
	until = time_at(t->is, "expires_at");
	if (until < since + ttl || until > (time_t)(now_us() / S_US) + ttl)
		disagree(c, t, &a, "it should live %d s from now", ttl);
}

/* An unused session frees its place after 10 minutes; these tests end sooner. */
static void
drop_old_session(struct client *c)
{
	struct thing *t = pick(c, SESSION);

	if (t != NULL && seconds() - t->born > 300)
		drop(c, t);
}

const struct deed deeds_of_things[] = {
	{ add_glossary, 6 },
	{ edit_glossary, 6 },
	{ edit_glossary_badly, 1 },
	{ import, 5 },
	{ read_file, 2 },
	{ add_voice, 6 },
	{ send_sample, 2 },
	{ edit_voice, 6 },
	{ mark, 4 },
	{ add_upload, 2 },
	{ add_session, 4 },
	{ extend, 2 },
	{ drop_old_session, 1 },
	{ NULL },
};
