/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accounts with records of every kind, and the places of their ids in routes. */
#include "owner.h"

#include <string.h>

#include "db/db.h"

/* ---- accounts ---- */

static struct answer
post(const struct owner *o, const char *path, const char *data)
{
	return ASK(.path = path, .as = &o->as, .json = text("{\"data\":{%s}}", data));
}

#define TIMES                                                                          \
	"\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"                    \
	"\"2036-12-02T08:00:00Z\""

/* A line of the channel's transcript, as if it had been spoken. */
static const char *
line_of(const struct owner *o, const char *channel)
{
	static const struct sql said = { "said",
		"INSERT INTO transcript_lines (id, account, channel, event, stage,"
		" segment, part, language, original, text, start_us, end_us, public)"
		" SELECT coalesce((SELECT max(id) FROM transcript_lines), "
		"1795000000000000) + 1,"
		" account, id, event, stage, 'a', 0, 'en', 1, 'Welcome',"
		" 4102444800000000, 4102444801000000, 1 FROM channels WHERE id = $1",
		NULL };
	struct answer a;

	change_db(&said, channel);
	a = ASK(.path = text("/saas/channel/%s/transcript", channel), .as = &o->as);
	return text("%lld", (long long)int_at(a.json, "data.items.0.line_id"));
}

/* A text of the channel that waits, as if it had been spoken. */
static const char *
held_of(const char *channel)
{
	static const struct sql held = { "held",
		"INSERT INTO held_lines (channel, segment, owner, language, text,"
		" start_us, end_us, held_us, due_us) SELECT id, substr(id, 1, 8) ||"
		" substr(id, 25, 8), 'a',"
		" 'en', 'Welcome', 4102444800000000, 4102444801000000,"
		" 4102444801000000, 4102444811000000 FROM channels WHERE id = $1",
		NULL };

	change_db(&held, channel);
	return text("%.8s%.8s", channel, channel + 24);
}

/* A recording of the channel, with one of the account's files. */
static const char *
recording_of(const struct owner *o, const char *channel)
{
	static const struct sql recorded = { "recorded",
		"INSERT INTO recordings (id, account, channel, event, language, format,"
		" start_us, duration_ms, bytes, blob) SELECT substr(c.id, 1, 24) ||"
		" '000000000001', c.account, c.id, c.event, 'fr', 'ogg',"
		" 4102444800000000, 1000, 8000, (SELECT min(b.id) FROM blobs b WHERE"
		" b.account = c.account AND b.kind = 'upload' AND b.file IS NOT NULL)"
		" FROM channels c WHERE c.id = $1",
		NULL };
	struct answer a;

	change_db(&recorded, channel);
	a = ASK(.path = text("/saas/channel/%s/recordings", channel), .as = &o->as);
	return text_at(a.json, "data.items.0.recording_id");
}

/* An event with a stage, an item, a request, a channel and a listener. */
static void
hold_event(struct owner *o)
{
	struct answer a = post(o, "/saas/v2/event",
	    "\"title\":\"Forum\",\"event_type\":\"online\",\"transcript\":"
	    "\"public\"," TIMES ",\"sessions\":"
	    "[{\"title\":\"Opening\"," TIMES "}]");
	const char *public;

	o->thing[EVENT] = text_at(a.json, "data.event_id");
	o->thing[STAGE] = text_at(a.json, "data.stages.0.stage_id");
	o->thing[ITEM] = text_at(a.json, "data.sessions.0.session_id");
	public = text("/saas/v2/event/public/%s", o->thing[EVENT]);
	a = post(o, text("%s/requests", public),
	    "\"type\":\"add_language\",\"payload\":{\"language\":\"de\"}");
	o->thing[REQUEST] = text_at(a.json, "data.request_id");
	a = post(o, "/saas/channel",
	    text("\"type\":\"event\",\"name\":\"Hall\",\"event_id\":\"%s\",\"target_"
		 "languages\":[\"fr\"]",
		o->thing[EVENT]));
	o->thing[CHANNEL] = text_at(a.json, "data.channel_id");
	o->thing[LINE] = line_of(o, o->thing[CHANNEL]);
	o->thing[HELD] = held_of(o->thing[CHANNEL]);
	o->thing[RECORDING] = recording_of(o, o->thing[CHANNEL]);
	a = post(o, text("%s/join", public), "\"language\":\"original\"");
	o->thing[LISTENER] = text_at(a.json, "data.listener_id");
}

static void
hold_voices(struct owner *o, bool every_state)
{
	struct answer a = CLONE(.as = &o->as);
	const char *id = text_at(a.json, "data.voice_id");

	o->thing[VOICE_CREATED] = id;
	o->thing[FILE_SAMPLE] = text_at(a.json, "data.samples.0.blob_id");
	a = CLONE(.as = &o->as, .more = ",\"skip_external_voice\":true");
	o->thing[VOICE_HIDDEN] = text_at(a.json, "data.voice_id");
	o->thing[VOICE_FAILED] = o->thing[VOICE_READY] = id;
	o->thing[FILE_SPOKEN] = o->thing[FILE_SAMPLE];
	if (!every_state)
		return;
	o->thing[VOICE_FAILED] =
	    clone_with(&(struct clone){ .as = &o->as }, recording("page.html"));
	voice_await(&o->as, o->thing[VOICE_FAILED], "failed");
	o->thing[VOICE_READY] = voice_made(&o->as);
	a = voice_read(&o->as, o->thing[VOICE_READY]);
	o->thing[FILE_SPOKEN] = text_at(a.json, "data.tts_sample.blob_id");
}

/* A disabled webhook and a message that waits for it. */
static void
hold_webhook(struct owner *o)
{
	struct answer a = post(o, "/saas/webhook",
	    "\"url\":\"https://example.org/\",\"events\":[\"webhook.test\"],"
	    "\"is_enabled\":false");

	o->thing[WEBHOOK] = text_at(a.json, "data.webhook_id");
	a = ASK(.method = "POST", .as = &o->as,
	    .path = text("/saas/webhook/%s/test", o->thing[WEBHOOK]));
	o->thing[DELIVERY] = text_at(a.json, "data.delivery_id");
}

/* A member that has signed in a browser. */
static void
hold_member(struct owner *o)
{
	struct answer a = post(o, "/saas/member", "\"name\":\"Ada\",\"role\":\"desk\"");

	o->thing[PERSON] = text_at(a.json, "data.member_id");
	a = ASK(.path = "/auth/token",
	    .json = text("{\"data\":{\"invite\":\"%s\",\"remember\":true}}",
		strchr(text_at(a.json, "data.link"), '=') + 1));
	EXPECT(a, 201);
	a = ASK(.path = "/auth/sign-ins", .as = &o->as);
	EXPECT(a, 200);
	o->thing[SIGN_IN] = text_at(a.json, "data.0.sign_in_id");
}

struct owner
owner_new(const char *name, bool every_state)
{
	struct owner o = { .as = account_new(name) };
	struct answer a;

	hold_voices(&o, every_state);
	o.thing[FILE_STORED] = upload(&o.as, "audio/wav", wav_of(200000));
	o.thing[FILE_AWAITED] = text_at(target_new(&o.as, "audio/wav"), "blob_id");
	o.thing[COVER] = o.thing[COVER_TAKEN] =
	    text("u/%s/%s", o.as.user_id, o.thing[FILE_STORED]);
	a = post(&o, "/saas/glossary",
	    "\"name\":\"Terms\",\"glossary_type\":\"asr_hot\",\"source_lang\":\"en\"");
	o.thing[GLOSSARY] = text_at(a.json, "data.glossary_id");
	hold_event(&o);
	a = post(&o, "/session-storage/session", "");
	o.thing[SESSION] = text_at(a.json, "data.id");
	hold_webhook(&o);
	a = post(&o, "/saas/key", "\"name\":\"App\",\"scopes\":[\"tts\"]");
	o.thing[KEY] = text_at(a.json, "data.key_id");
	hold_member(&o);
	return o;
}

/* ---- the description of the routes ---- */

static json_t *
description(void)
{
	static struct answer a;

	if (a.json == NULL)
		a = ASK(.path = "/openapi.json");
	return a.json;
}

/* Returns the schema that a "$ref" names, or the first alternative. */
static json_t *
meant(json_t *what)
{
	json_t *one = json_object_get(what, "$ref");
	const char *path;

	if (one == NULL)
		return at(what, "anyOf") != NULL ? meant(at(what, "anyOf.0")) : what;
	path = json_string_value(one);
	one = description();
	for (path += 2; *path != '\0'; path += strcspn(path, "/")) {
		path += *path == '/';
		one = json_object_get(one, text("%.*s", (int)strcspn(path, "/"), path));
	}
	return one;
}

static json_t *
operation_of(const struct route_line *r)
{
	char method[8] = "";
	json_t *o;

	for (int i = 0; r->method[i] != '\0'; i++)
		method[i] = (char)(r->method[i] | ' ');
	o = json_object_get(
	    json_object_get(at(description(), "paths"), r->path), method);
	ck_assert_msg(o != NULL, "%s %s is not described", r->method, r->path);
	return o;
}

static json_t *
body_of(const struct route_line *r)
{
	json_t *content = at(operation_of(r), "requestBody.content");

	return json_object_get(json_object_get(content, "application/json"), "schema");
}

/* clang-format off */
static const struct {
	const char *name;
	int place; /* -1: any */
	enum thing_kind first, last;
} names[] = {
	{ "voice_id",        -1,      VOICE_READY, VOICE_FAILED },
	{ "blob_id",         -1,      FILE_STORED, FILE_SPOKEN },
	{ "glossary_id",     -1,      GLOSSARY,    GLOSSARY },
	{ "event_id",        -1,      EVENT,       EVENT },
	{ "stage_id",        -1,      STAGE,       STAGE },
	{ "stage",           -1,      STAGE,       STAGE },
	{ "request_id",      -1,      REQUEST,     REQUEST },
	{ "listener_id",     -1,      LISTENER,    LISTENER },
	{ "channel_id",      -1,      CHANNEL,     CHANNEL },
	{ "line_id",         IN_PATH, LINE,        LINE },
	{ "transcription_id", IN_PATH, HELD,       HELD },
	{ "recording_id",    -1,      RECORDING,   RECORDING },
	{ "session_id",      IN_PATH, SESSION,     SESSION },
	{ "session_id",      IN_BODY, ITEM,        ITEM },
	{ "webhook_id",      -1,      WEBHOOK,     WEBHOOK },
	{ "delivery_id",     -1,      DELIVERY,    DELIVERY },
	{ "key_id",          -1,      KEY,         KEY },
	{ "member_id",       -1,      PERSON,      PERSON },
	{ "passkey_id",      IN_PATH, NO_THING,    NO_THING },
	{ "sign_in_id",      -1,      SIGN_IN,     SIGN_IN },
	{ "cover_image_key", IN_BODY, COVER,       COVER_TAKEN },
	/* an id that names no record */
	{ "slug",            IN_PATH, NO_THING,    NO_THING },
	{ "join_code",       IN_PATH, NO_THING,    NO_THING },
	{ "speaker_code",    IN_PATH, NO_THING,    NO_THING },
	{ "guide",           IN_PATH, NO_THING,    NO_THING },
	{ "language",        IN_PATH, NO_THING,    NO_THING },
	{ "folder",          IN_PATH, NO_THING,    NO_THING },
	{ "file",            IN_PATH, NO_THING,    NO_THING },
	{ "item_id",         IN_BODY, NO_THING,    NO_THING },
	{ "lease_key",       IN_BODY, NO_THING,    NO_THING },
	{ "stream_key",      IN_BODY, NO_THING,    NO_THING },
	{ "stream_id",       IN_BODY, NO_THING,    NO_THING },
};
/* clang-format on */

static bool
ends(const char *s, const char *with)
{
	size_t n = strlen(s), k = strlen(with);

	return n >= k && strcmp(s + n - k, with) == 0;
}

/* True for an id: every parameter in a path is one; elsewhere the name or the format
   shows it. */
static bool
is_id(enum place place, const char *name, const json_t *schema)
{
	json_t *format = json_object_get(schema, "format");

	return place == IN_PATH || ends(name, "_id") || ends(name, "_ids") ||
	       ends(name, "_key") ||
	       (format != NULL && strcmp(json_string_value(format), "uuid") == 0);
}

static void
add_hole(struct holes *h, enum place place, const char *name, const char *path)
{
	int i = 0;

	while (i < (int)(sizeof(names) / sizeof(names[0])) &&
	       (strcmp(names[i].name, name) != 0 ||
		   (names[i].place >= 0 && names[i].place != (int)place)))
		i++;
	ck_assert_msg(i < (int)(sizeof(names) / sizeof(names[0])),
	    "%s: give it a line in tests/e2e/owner.c", path);
	if (names[i].first != NO_THING)
		h->hole[h->n++] =
		    (struct hole){ place, path, names[i].first, names[i].last };
	ck_assert_int_lt(h->n, 24);
}

static void
add_body(struct holes *h, json_t *described, const char *path)
{
	json_t *schema = meant(described), *one;
	json_t *items = json_object_get(schema, "items");
	const char *name;

	if (items != NULL)
		add_body(h, items, text("%s.0", path));
	json_object_foreach(json_object_get(schema, "properties"), name, one)
	{
		const char *here = path[0] != '\0' ? text("%s.%s", path, name) : name;

		if (is_id(IN_BODY, name, one))
			add_hole(h, IN_BODY, name, here);
		add_body(h, one, here);
	}
}

struct holes
holes_of(const struct route_line *r)
{
	json_t *parameters = at(operation_of(r), "parameters"), *one;
	struct holes h = { .n = 0 };
	size_t i;

	json_array_foreach(parameters, i, one)
	{
		json_t *p = meant(one);
		const char *name = text_at(p, "name"), *in = text_at(p, "in");
		enum place place = strcmp(in, "path") == 0 ? IN_PATH : IN_QUERY;

		if (strcmp(in, "header") != 0 &&
		    is_id(place, name, json_object_get(p, "schema")))
			add_hole(&h, place, name, name);
	}
	add_body(&h, body_of(r), "");
	return h;
}

/* ---- requests ---- */

static const char *
own_thing(const struct owner *own, const char *name, enum place place)
{
	struct holes h = { .n = 0 };

	add_hole(&h, place, name, name);
	return h.n > 0 ? own->thing[h.hole[0].first] : "internal-server-error";
}

/* A text that the field accepts. */
static const char *
sample_of(const json_t *schema, const char *path)
{
	/* clang-format off */
	static const char *const known[][2] = {
		{ "mime_type", "audio/wav" }, { "filename", "a.wav" },
		{ "lang_code", "en" }, { "payload.language", "de" }, { "language", "fr" }, { "source_lang", "en" },
		{ "utc_start_dt", "2036-12-01T08:00:00Z" },
		{ "utc_end_dt", "2036-12-02T08:00:00Z" },
		{ "url", "https://example.org/" },
	};
	/* clang-format on */
	json_t *all = json_object_get(schema, "enum");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (ends(path, known[i][0]))
			return known[i][1];
	return all != NULL ? json_string_value(json_array_get(all, 0)) : "Mine";
}

struct filling {
	const struct owner *own;
	/* the id's place, "data.event_id", and the value for it */
	const char *to, *value;
};

static json_t *fill(
    const struct filling *, json_t *described, const char *name, const char *path);

static bool
in_list(const json_t *list, const char *name)
{
	json_t *one;
	size_t i;

	json_array_foreach(
	    list, i, one) if (strcmp(json_string_value(one), name) == 0) return true;
	return false;
}

/*
 * Makes "data" with the required members, the members on the path to the id, and a
 * stage's event.
 */
static json_t *
fill_object(const struct filling *f, const json_t *schema, const char *path)
{
	json_t *to = json_object(), *one, *must = json_object_get(schema, "required");
	const char *name;

	json_object_foreach(json_object_get(schema, "properties"), name, one)
	{
		const char *here = path[0] != '\0' ? text("%s.%s", path, name) : name;
		bool on_way = strncmp(f->to, here, strlen(here)) == 0 &&
			      strchr(".", f->to[strlen(here)]) != NULL;
		bool beside = strcmp(name, "event_id") == 0 &&
			      strcmp(f->to, text("%s.stage_id", path)) == 0;

		if (in_list(must, name) || on_way || beside || path[0] == '\0')
			json_object_set_new(to, name, fill(f, one, name, here));
	}
	return to;
}

static const char *
type_of(const json_t *schema)
{
	json_t *t = json_object_get(schema, "type");

	t = json_is_array(t) ? json_array_get(t, 0) : t;
	return t != NULL ? json_string_value(t) : "object";
}

static json_t *
fill(const struct filling *f, json_t *described, const char *name, const char *path)
{
	const json_t *schema = meant(described);
	const char *type = type_of(schema);

	if (strcmp(path, f->to) == 0)
		return json_string(f->value);
	if (strcmp(name, "event_id") == 0)
		return json_string(f->own->thing[EVENT]);
	if (strcmp(type, "object") == 0)
		return fill_object(f, schema, path);
	if (strcmp(type, "array") == 0)
		return json_pack("[o]", fill(f, json_object_get(schema, "items"), name,
					    text("%s.0", path)));
	if (strcmp(type, "boolean") == 0)
		return json_true();
	if (strcmp(type, "string") != 0)
		return json_integer(1);
	return json_string(sample_of(schema, path));
}

static const char *
path_with(const struct route_line *r, const struct hole *h, const struct owner *own,
    const char *value)
{
	const char *path = "";

	for (const char *s = r->path; *s != '\0';) {
		size_t n = strcspn(s, "{");
		const char *name;

		path = text("%s%.*s", path, (int)n, s);
		if (s[n] == '\0')
			break;
		name = text("%.*s", (int)strcspn(s + n, "}") - 1, s + n + 1);
		s += n + strlen(name) + 2;
		path = text("%s%s", path,
		    h != NULL && h->place == IN_PATH && strcmp(h->name, name) == 0
			? value
			: own_thing(own, name, IN_PATH));
	}
	return path;
}

static const char *
query_with(const struct route_line *r, const struct hole *h, const char *value)
{
	json_t *parameters = at(operation_of(r), "parameters"), *one;
	const char *query = "";
	size_t i;

	json_array_foreach(parameters, i, one)
	{
		json_t *p = meant(one);
		const char *name = text_at(p, "name");
		bool here = h != NULL && h->place == IN_QUERY && !strcmp(h->name, name);

		if (strcmp(text_at(p, "in"), "query") != 0 ||
		    (!here && !json_is_true(json_object_get(p, "required"))))
			continue;
		query = text("%s%c%s=%s", query, query[0] ? '&' : '?', name,
		    here ? value : "60");
	}
	return query;
}

struct ask
request_with(const struct route_line *r, const struct hole *h, const struct owner *own,
    const char *value)
{
	static const char form[] = "--x\r\nContent-Disposition: form-data; name=\"f\";"
				   " filename=\"f.csv\"\r\nContent-Type: text/csv"
				   "\r\n\r\na\r\n--x--\r\n";
	json_t *schema = body_of(r);
	struct filling f = { own, h != NULL && h->place == IN_BODY ? h->name : "?",
		value };
	struct ask q = { .method = r->method, .as = &own->as };

	q.path = text("%s%s", path_with(r, h, own, value), query_with(r, h, value));
	q.headers[0] = "X-Request-Id: 11111111-2222-4333-8444-555555555555";
	if (schema != NULL)
		q.json = json_dumps(fill(&f, schema, "", ""), JSON_COMPACT);
	else if (at(operation_of(r), "requestBody") != NULL) {
		q.type = "multipart/form-data; boundary=x";
		q.body = (struct bytes){ form, sizeof(form) - 1 };
	}
	return q;
}
