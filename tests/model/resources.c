/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on records of any kind, and their required results. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "play.h"

/* clang-format off */
static const struct {
	const char *path, *make, *change, *id;
	int made, dropped;
} kinds[KINDS] = {
	[GLOSSARY] = { "/saas/glossary/", "/saas/glossary", "POST", "glossary_id", 200, 200 },
	[VOICE] = { "/saas/voice/m/", "/saas/voice/clone", "POST", "voice_id", 200, 200 },
	[EVENT] = { "/saas/v2/event/", "/saas/v2/event", "PATCH", "event_id", 201, 200 },
	[CHANNEL] = { "/saas/channel/", "/saas/channel", "PATCH", "channel_id", 201, 200 },
	[SESSION] = { "/session-storage/sessions/", "/session-storage/session", NULL, "id", 201, 204 },
	[UPLOAD] = { "/blobs/", NULL, NULL, NULL, 200, 200 },
};
/* clang-format on */

const char *
path_of(const struct thing *t)
{
	return text("%s%s", kinds[t->kind].path, t->id);
}

static const char *
sent(json_t *data)
{
	json_t *j = json_pack("{s:o}", "data", data);
	char *s = json_dumps(j, JSON_COMPACT);
	const char *copy = text("%s", s);

	free(s);
	json_decref(j);
	return copy;
}

/* ---- reading ---- */

static bool
is_of(const struct thing *channel, const struct thing *event)
{
	json_t *of = json_object_get(channel->is, "event_id");

	return channel->kind == CHANNEL && json_is_string(of) &&
	       strcmp(json_string_value(of), event->id) == 0;
}

json_t *
channels_of(const struct client *c, const struct thing *event)
{
	json_t *all = json_array();

	for (int i = 0; i < c->things; i++)
		if (is_of(&c->thing[i], event) && !c->thing[i].fading)
			json_array_append(all, c->thing[i].is);
	return all;
}

void
gather(const struct client *c, struct thing *event)
{
	json_t *channels = channels_of(c, event);

	model_gather(event->is, channels);
	json_decref(channels);
}

static void
replace(json_t **old, json_t *by)
{
	json_decref(*old);
	*old = by;
}

/* A version must grow when, and only when, the record changed. */
static void
check_version(
    struct client *c, struct thing *t, const struct answer *a, bool grew, bool may_grow)
{
	const char *tag = header_of(a, "ETag");
	int v = 0;

	if (t->kind == SESSION || t->kind == UPLOAD)
		return;
	if (tag == NULL || sscanf(tag, "\"v%d\"", &v) != 1)
		disagree(c, t, a, "an ETag \"v<number>\" should be there");
	if (t->version > 0 && (grew ? v <= t->version : v < t->version))
		disagree(c, t, a, "the version should grow beyond %d", t->version);
	if (t->version > 0 && !grew && !may_grow && v != t->version)
		disagree(c, t, a, "the version should stay at %d", t->version);
	t->version = v;
}

/* Marks a worker's job as done. */
static void
settle(struct thing *t)
{
	replace(&t->is, t->then);
	t->then = NULL;
	t->version = 0;
}

/* True if an event shows that a worker has finished one of its channels. */
static bool
settles_channel(struct client *c, struct thing *t, const json_t *seen)
{
	const char *where;

	for (int i = 0; i < c->things; i++) {
		struct thing *one = &c->thing[i];
		json_t *was = one->is;

		if (one->then == NULL || !is_of(one, t))
			continue;
		one->is = one->then;
		gather(c, t);
		one->is = was;
		if (model_agrees(t->is, seen, &where)) {
			settle(one);
			return true;
		}
		gather(c, t);
	}
	return false;
}

/* True if the record is as before a worker's change. */
static bool
stands(struct client *c, struct thing *t, const json_t *seen, const char **where)
{
	if (t->kind == EVENT)
		gather(c, t);
	return model_agrees(t->is, seen, where) ||
	       (t->kind == EVENT && settles_channel(c, t, seen));
}

void
compare(struct client *c, struct thing *t, const struct answer *a, json_t *seen)
{
	const char *where, *also = "";
	bool done = !stands(c, t, seen, &where);

	if (done && (t->then == NULL || !model_agrees(t->then, seen, &also)))
		disagree(c, t, a, "%s %s is not as it must be\nwanted: %s%s%s", where,
		    also, json_dumps(t->is, JSON_COMPACT), t->then ? "\nor: " : "",
		    t->then ? json_dumps(t->then, JSON_COMPACT) : "");
	if (done)
		settle(t);
	json_decref(seen);
}

static json_t *
seen_of(struct client *c, struct thing *t, const struct answer *a)
{
	struct bytes b = { a->body, a->n };

	if (t->kind == UPLOAD && a->status == 404)
		return json_pack("{s:b}", "gone", 1);
	must(c, t, a, 200, NULL);
	if (t->kind == UPLOAD)
		return json_pack("{s:s}", "sha256", sha256_of(b));
	return model_seen(t->kind, at(a->json, "data"));
}

void
look(struct client *c, struct thing *t)
{
	const char *tag = NULL;
	struct answer a;

	if (t->version > 0 && t->then == NULL && CHANCE(c, 20))
		tag = text("If-None-Match: \"v%d\"", t->version);
	a = CALL(c, t, .path = path_of(t), .headers = { tag });
	if (lost(c, &a))
		return;
	if (tag != NULL && a.status == 304)
		return;
	if (tag != NULL)
		disagree(c, t, &a, "it has not changed: 304");
	compare(c, t, &a, seen_of(c, t, &a));
	check_version(c, t, &a, false, t->then != NULL);
}

/* ---- making ---- */

struct thing *
thing_new(struct client *c, enum kind kind, const char *id)
{
	struct thing *t = &c->thing[c->things++];

	memset(t, 0, sizeof(*t));
	t->kind = kind;
	t->asked = json_object();
	t->heard = json_object();
	t->born = seconds();
	snprintf(t->id, sizeof(t->id), "%s", id);
	return t;
}

static struct thing *
adopt(struct client *c, enum kind kind, const struct answer *a, json_t *is)
{
	json_t *seen = model_seen(kind, at(a->json, "data"));
	struct thing *t = thing_new(c, kind, text_at(seen, kinds[kind].id));

	t->is = is;
	t->target = json_incref(at(a->json, "data.samples.0"));
	t->past = c->past;
	if (kind == SESSION) /* its times are learnt when it is read */
		json_decref(seen);
	else
		compare(c, t, a, seen);
	if (kind != SESSION)
		check_version(c, t, a, false, true);
	return t;
}

/*
 * Repeats a request with its Idempotency-Key: the answer must be the same, and no
 * second record may exist.
 */
static void
repeat(struct client *c, const struct ask *q, const struct answer *first)
{
	struct answer a = call(c, NULL, q);
	const char *said;

	if (lost(c, &a))
		return;
	said = header_of(&a, "Idempotency-Replayed");
	if (a.status != first->status || a.n != first->n ||
	    memcmp(a.body, first->body, a.n) != 0 || said == NULL ||
	    strcmp(said, "true") != 0)
		disagree(
		    c, NULL, &a, "the same as before, told as such: %s", shown(first));
	c->run->replayed++;
}

static void
reuse(struct client *c, struct ask q)
{
	struct answer a;

	q.json = text("%s ", q.json);
	a = call(c, NULL, &q);
	if (!lost(c, &a))
		must(c, NULL, &a, 422, "idempotency-key-reused");
}

static const char *
key_new(struct client *c)
{
	if (!c->run->deadly && CHANCE(c, 30))
		return NULL;
	return text("Idempotency-Key: \"%d-%d-%08x\"", c->number, c->made,
	    (unsigned)c->run->seed);
}

struct thing *
make_at_path(
    struct client *c, enum kind kind, const char *path, json_t *data, json_t *is)
{
	struct ask q = { .path = path,
		.as = &c->as,
		.headers = { key_new(c) },
		.json = sent(data) };
	bool old = strcmp(path, "/session-storage/sessions") == 0;
	int quota = quota_of(kind), status = old ? 200 : kinds[kind].made;
	struct span span;
	struct answer a;
	struct thing *t;

	c->made++;
	if (quota >= 0)
		span = place_asked(c, (enum quota)quota);
	a = insist(c, NULL, &q, NULL);
	if (quota >= 0)
		place_answered(c, (enum quota)quota, &span, &a, a.status == status);
	if (quota >= 0 && a.status != status)
		return NULL;
	must(c, NULL, &a, status, NULL);
	t = adopt(c, kind, &a, is);
	if (q.headers[0] != NULL && CHANCE(c, 25))
		repeat(c, &q, &a);
	if (q.headers[0] != NULL && CHANCE(c, 10))
		reuse(c, q);
	return t;
}

struct thing *
make(struct client *c, enum kind kind, json_t *data, json_t *is)
{
	if (c->things == THINGS)
		return NULL;
	return make_at_path(c, kind, kinds[kind].make, data, is);
}

void
refused(struct client *c, const char *path, json_t *data, int status, const char *slug)
{
	struct answer a = CALL(c, NULL, .path = path, .json = sent(data));

	if (!lost(c, &a))
		must(c, NULL, &a, status, slug);
}

/* ---- changing ---- */

/* The time of a change must lie between two moments. */
static void
check_time(struct client *c, struct thing *t, const struct answer *a, time_t since)
{
	time_t v = time_at(t->is, "utc_updated_at");

	if (v < since || v > (time_t)(now_us() / S_US))
		disagree(c, t, a, "utc_updated_at should be now");
}

/*
 * The answer to a change was lost: read the record to find out whether the change
 * happened.
 */
static void
find_out(struct client *c, struct thing *t, json_t *after, json_t *later)
{
	struct answer a =
	    insist(c, t, &(const struct ask){ .path = path_of(t), .as = &c->as }, NULL);
	json_t *seen = seen_of(c, t, &a);
	const char *where;

	t->version = 0;
	if (stands(c, t, seen, &where) ||
	    (t->then != NULL && model_agrees(t->then, seen, &where))) {
		json_decref(after);
		json_decref(later);
	} else {
		replace(&t->is, after);
		replace(&t->then, later);
	}
	compare(c, t, &a, seen);
}

enum condition { NONE, CURRENT, ANY, STALE };

static const char *
condition(struct client *c, const struct thing *t, enum condition *kind)
{
	unsigned dice = roll(c, 100);
	bool known = t->version > 0 && t->then == NULL;

	*kind = dice < 50            ? NONE
		: dice < 70 && known ? CURRENT
		: dice < 80          ? ANY
		: t->version > 1     ? STALE
				     : NONE;
	switch (*kind) {
	case CURRENT:
		return text("If-Match: \"v%d\"", t->version);
	case ANY:
		return "If-Match: *";
	case STALE:
		return text("If-Match: \"v%d\"", t->version - 1);
	default:
		return NULL;
	}
}

/* The answer to a change becomes the predicted record. */
static void
take(struct client *c, struct thing *t, json_t *after, json_t *later, time_t since,
    const struct answer *a)
{
	bool same;

	if (t->kind == EVENT)
		gather(c, t);
	same = model_same(after, t->is) || t->kind == SESSION;
	if (!same)
		json_object_set_new(after, "utc_updated_at", unknown());
	replace(&t->is, after);
	replace(&t->then, later);
	compare(c, t, a, seen_of(c, t, a));
	check_version(c, t, a, !same, t->then != NULL || later != NULL);
	if (!same)
		check_time(c, t, a, since);
}

void
change(struct client *c, struct thing *t, json_t *data)
{
	json_t *after, *later = NULL;
	enum condition kind;
	const char *head = condition(c, t, &kind);
	time_t since = (time_t)(now_us() / S_US);
	struct answer a;

	if (t->kind == EVENT)
		gather(c, t);
	after = model_changed(t->kind, t->is, data);
	if (t->then != NULL)
		later = model_changed(t->kind, t->then, data);
	a = CALL(c, t, .method = kinds[t->kind].change, .path = path_of(t),
	    .headers = { head }, .json = sent(data));
	if (lost(c, &a)) {
		find_out(c, t, after, later);
	} else if (kind == STALE) {
		must(c, t, &a, 412, "stale-version");
		json_decref(after);
		json_decref(later);
		c->run->stale++;
	} else
		take(c, t, after, later, since, &a);
}

void
change_badly(
    struct client *c, struct thing *t, json_t *data, int status, const char *slug)
{
	struct answer a = CALL(c, t, .method = kinds[t->kind].change,
	    .path = path_of(t), .json = sent(data));

	if (!lost(c, &a))
		must(c, t, &a, status, slug);
}

void
await_worker(struct thing *t, json_t *now, json_t *then)
{
	replace(&t->is, now);
	replace(&t->then, then);
	json_object_set_new(t->is, "utc_updated_at", unknown());
	json_object_set_new(t->then, "utc_updated_at", unknown());
	t->version = 0;
}

/* ---- leaving ---- */

void
forget(struct client *c, struct thing *t)
{
	snprintf(c->gone[c->gones++ % 8], sizeof(c->gone[0]), "%s", path_of(t));
	json_decref(t->is);
	json_decref(t->then);
	json_decref(t->target);
	json_decref(t->asked);
	json_decref(t->heard);
	memmove(t, t + 1, (size_t)(&c->thing[--c->things] - t) * sizeof(*t));
}

/* The channels of a deleted event are deleted, too, possibly by a worker. */
static void
fade_channels(struct client *c, const struct thing *event)
{
	for (int i = 0; i < c->things; i++)
		if (is_of(&c->thing[i], event))
			c->thing[i].fading = true;
}

void
drop(struct client *c, struct thing *t)
{
	int quota = quota_of(t->kind), status = kinds[t->kind].dropped;
	bool again, known = t->version > 0 && t->then == NULL;
	const char *head = t->version > 1 && CHANCE(c, 15)
			       ? text("If-Match: \"v%d\"", t->version - 1)
			       : NULL;
	struct ask q = { .method = "DELETE",
		.path = path_of(t),
		.as = &c->as,
		.headers = { head } };
	struct answer a;

	if (head != NULL) {
		a = call(c, t, &q);
		if (!lost(c, &a))
			must(c, t, &a, 412, "stale-version");
		return;
	}
	if (known && CHANCE(c, 30) && !c->run->deadly)
		q.headers[0] = text("If-Match: \"v%d\"", t->version);
	if (quota >= 0)
		place_leaving(c, (enum quota)quota);
	again = t->kind == UPLOAD && t->bytes == 0; /* it may be rejected by now */
	a = insist(c, t, &q, &again);
	if (a.status != 404 || !again)
		if (t->kind != EVENT || a.status != 202)
			must(c, t, &a, status, NULL);
	if (quota >= 0)
		place_left(c, (enum quota)quota);
	if (t->kind == EVENT)
		fade_channels(c, t);
	forget(c, t);
}
