/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A quiet point: all clients have paused and written down their expected records. All
 * records of the accounts must match.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play.h"

static const struct account *as; /* number of the account that is checked */
static struct run *run_;
static json_t *known; /* records of all clients of the account */

/* clang-format off */
static const struct {
	enum kind kind;
	const char *path, *items, *id, *next, *token;
} lists[] = {
	{ GLOSSARY, "/saas/glossaries?page_size=5", "data.items", "glossary_id", "data.next", "token" },
	{ VOICE, "/saas/voice?page_size=3", "data.items", "voice_id", "data.next", "token" },
	{ VOICE, "/saas/voice/hidden?page_size=3", "data.items", "voice_id", "data.next", "token" },
	{ EVENT, "/saas/v2/events?", "data", "event_id", "pagination_token", "pagination_token" },
	{ CHANNEL, "/saas/channels?", "data", "channel_id", "none", "none" },
	{ SESSION, "/session-storage/sessions?page_size=2", "data", "id", "next_page_token", "page_token" },
};
/* clang-format on */

static void
wrong(const json_t *thing, const struct answer *a, const char *what)
{
	json_t *line;
	size_t i;

	fprintf(stderr, "model: at a quiet point, SEED=%llu: %s\n",
	    (unsigned long long)run_->seed, what);
	if (a != NULL)
		fprintf(stderr, "seen: %s\n", shown(a));
	if (thing != NULL)
		fprintf(stderr, "the last of what was done:\n");
	json_array_foreach(json_object_get(thing, "past"), i, line)
	    fprintf(stderr, "\t%s\n", json_string_value(line));
	_exit(EXIT_FAILURE);
}

/* No program is killed now, but some may still be starting. */
static struct answer
get(const char *path)
{
	double end = seconds() + 20;
	struct answer a;

	while ((a = ASK(.path = path, .as = as)).status >= 500 && seconds() < end)
		nap(0.05);
	if (a.status != 200 && a.status != 404)
		wrong(NULL, &a, path);
	return a;
}

static json_t *
thing_of(const char *id)
{
	json_t *t;
	size_t i;

	json_array_foreach(known, i, t) if (strcmp(text_at(t, "id"), id) == 0) return t;
	return NULL;
}

static enum kind
kind_of(const json_t *thing)
{
	return (enum kind)int_at(thing, "kind");
}

/* Reads the record until workers are done with it. */
static json_t *
settled(const json_t *thing)
{
	json_t *then = json_object_get(thing, "then");

	return json_is_object(then) ? then : json_object_get(thing, "is");
}

/*
 * Returns an event's channels as they must be; *open: a worker still has to change one.
 */
static json_t *
channels_known(const char *event, bool *open)
{
	json_t *all = json_array(), *t, *is, *of;
	size_t i;

	*open = false;
	json_array_foreach(known, i, t)
	{
		is = settled(t);
		of = json_object_get(is, "event_id");
		if (kind_of(t) != CHANNEL || !json_is_string(of) ||
		    json_is_true(json_object_get(t, "fading")) ||
		    strcmp(json_string_value(of), event) != 0)
			continue;
		json_array_append(all, is);
		*open |= is != json_object_get(t, "is");
	}
	return all;
}

/*
 * True if the record matches. A worker's pending change may be visible, and must be
 * after a while.
 */
static bool
is_settled(const json_t *t, const json_t *seen, const struct answer *a)
{
	json_t *is = json_object_get(t, "is"), *then = settled(t), *channels;
	bool open = is != then;
	const char *where;

	if (kind_of(t) == EVENT) {
		channels = channels_known(text_at(t, "id"), &open);
		model_gather(is, channels);
		json_decref(channels);
	}
	if (model_agrees(then, seen, &where))
		return true;
	if (!open || (is != then && !model_agrees(is, seen, &where)))
		wrong(t, a,
		    text("%s of %s is not as it must be\nwanted: %s\nor: %s", where,
			text_at(t, "id"), json_dumps(is, 0), json_dumps(then, 0)));
	return false;
}

/* Reads all pages; false: workers are not done yet. */
static bool
check_list(int i, json_t *seen)
{
	const char *path = lists[i].path;
	bool settled = true;
	struct answer a;
	json_t *one, *t, *next;
	size_t k;

	do {
		a = get(path);
		json_array_foreach(at(a.json, lists[i].items), k, one)
		{
			const char *id = text_at(one, lists[i].id);

			if (json_object_get(seen, id) != NULL)
				wrong(NULL, &a, text("%s is listed twice", id));
			json_object_set_new(seen, id, json_true());
			if ((t = thing_of(id)) == NULL)
				wrong(NULL, &a, text("no client made %s", id));
			if (json_is_true(json_object_get(t, "fading"))) {
				settled = false;
			} else
				settled &=
				    is_settled(t, model_seen(lists[i].kind, one), &a);
		}
		next = at(a.json, lists[i].next);
		if (json_is_string(next))
			path = text("%s&%s=%s",
			    strncmp(lists[i].path, "/saas/v2", 8)
				? text("%.*s?", (int)strcspn(lists[i].path, "?"),
				      lists[i].path)
				: lists[i].path,
			    lists[i].token, json_string_value(next));
	} while (json_is_string(next));
	return settled;
}

static bool
check_lists(void)
{
	json_t *seen = json_object(), *t;
	bool settled = true;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		settled &= check_list((int)i, seen);
	json_array_foreach(
	    known, i, t) if (kind_of(t) != UPLOAD &&
			     !json_is_true(json_object_get(t, "fading")) &&
			     json_object_get(seen, text_at(t, "id")) == NULL)
	    wrong(t, NULL, text("%s is listed nowhere", text_at(t, "id")));
	json_decref(seen);
	return settled;
}

static bool
check_uploads(void)
{
	bool settled = true;
	json_t *t, *seen;
	struct answer a;
	size_t i;

	json_array_foreach(known, i, t)
	{
		if (kind_of(t) != UPLOAD)
			continue;
		a = get(text("/blobs/%s", text_at(t, "id")));
		seen = a.status == 404 ? json_pack("{s:b}", "gone", 1)
				       : json_pack("{s:s}", "sha256",
					     sha256_of((struct bytes){ a.body, a.n }));
		settled &= is_settled(t, seen, NULL);
		json_decref(seen);
	}
	return settled;
}

/* ---- figures ---- */

static void
expect_figures(const json_t *t, const char *path, json_t *want)
{
	struct answer a = get(path);
	const char *where, *name;
	json_t *got = at(a.json, "data"), *picked = json_object(), *v;

	json_object_foreach(want, name, v)
	    json_object_set(picked, name, json_object_get(got, name));
	if (!model_agrees(want, picked, &where))
		wrong(t, &a, text("%s: %s of %s", path, where, json_dumps(want, 0)));
	json_decref(picked);
	json_decref(want);
}

static void
check_voices(int limit)
{
	int n[4] = { 0 }, total = 0;
	static const char *const status[] = { "created", "pending", "ready", "failed" };
	json_t *t, *is;
	size_t i;

	json_array_foreach(known, i, t)
	{
		is = settled(t);
		if (kind_of(t) != VOICE)
			continue;
		for (int k = 0; k < 4; k++)
			n[k] += !strcmp(text_at(is, "processing_status"), status[k]);
		total++;
	}
	expect_figures(NULL, "/saas/voice/limits",
	    json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "created", n[0], "pending", n[1],
		"ready", n[2], "failed", n[3], "total", total, "limit", limit,
		"remaining", limit - total));
}

static void
check_balance(int credits)
{
	expect_figures(
	    NULL, "/payments/v2/balance", json_pack("{s:i}", "credits", credits));
	expect_figures(NULL, "/billing/balance",
	    json_pack("{s:o}", "minutes_left", json_sprintf("%d.00", credits * 2)));
}

/* ---- events ---- */

/* Sorts by number of listeners, highest first, then by code. */
static int
by_listeners(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	json_int_t d = int_at(y, "participants") - int_at(x, "participants");

	return d != 0 ? (d > 0 ? 1 : -1)
		      : strcmp(text_at(x, "language"), text_at(y, "language"));
}

static json_t *
distribution(const json_t *heard, int *listeners)
{
	json_t *count = json_object(), *all = json_array(), *v, *one[100];
	const char *key;
	int n = 0;

	*listeners = 0;
	json_object_foreach((json_t *)(uintptr_t)heard, key, v)
	{
		const char *language = json_string_value(v);

		if (language == NULL)
			++*listeners;
		else
			json_object_set_new(count, language,
			    json_integer(1 + json_integer_value(
						 json_object_get(count, language))));
	}
	json_object_foreach(count, key, v) one[n++] =
	    json_pack("{s:s, s:O}", "language", key, "participants", v);
	qsort(one, (size_t)n, sizeof(one[0]), by_listeners);
	for (int i = 0; i < n; i++)
		json_array_append_new(all, one[i]);
	json_decref(count);
	return all;
}

static void
check_stats(const json_t *t, const json_t *channels)
{
	int listeners;
	json_t *by = distribution(json_object_get(t, "heard"), &listeners);
	json_t *in = model_languages(channels, "source_language");
	json_t *out = model_languages(channels, "target_languages");

	expect_figures(t, text("/saas/v2/event/%s/stats", text_at(t, "id")),
	    json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:b}",
		"stages_count", (int)json_array_size(at(t, "is.stages")),
		"channels_count", (int)json_array_size(channels), "channels_live_count",
		0, "translations_count", (int)json_array_size(out), "input_languages",
		in, "output_languages", out, "event_time_minutes", 0,
		"participants_count", listeners, "consumed_languages_count",
		(int)json_array_size(by), "credits_used", 0, "language_distribution",
		by, "is_finalized", 0));
}

static void
check_requests(const json_t *t, int used)
{
	const char *path = text("/saas/v2/event/%s/requests", text_at(t, "id")), *key;
	struct answer a = get(path);
	json_t *r, *one, *asked = json_object_get(t, "asked");
	size_t i, pending = 0;

	json_array_foreach(at(a.json, "data.requests"), i, one)
	{
		r = json_object_get(asked, text_at(one, "payload.language"));
		if (r == NULL || strcmp(text_at(r, "status"), "pending") != 0 ||
		    (size_t)int_at(one, "request_count") !=
			json_object_size(json_object_get(r, "by")))
			wrong(t, &a, "these are not the pending requests");
	}
	json_object_foreach(asked, key, r) pending +=
	    strcmp(text_at(r, "status"), "pending") == 0;
	if (pending != count_at(a.json, "data.requests"))
		wrong(t, &a, text("%zu requests are pending", pending));
	expect_figures(t, path,
	    json_pack("{s:{s:i, s:i, s:i}}", "language_capacity", "limit", LANGUAGES,
		"used", used, "remaining", used < LANGUAGES ? LANGUAGES - used : 0));
}

static void
check_events(void)
{
	json_t *t, *channels, *view, *set;
	const char *where;
	bool open;
	struct answer a;
	size_t i;

	json_array_foreach(known, i, t)
	{
		if (kind_of(t) != EVENT)
			continue;
		channels = channels_known(text_at(t, "id"), &open);
		model_gather(json_object_get(t, "is"), channels);
		a = get(text("/saas/v2/event/public/%s%s%s", text_at(t, "id"),
		    at(t, "is.access_code") ? "?code=" : "",
		    at(t, "is.access_code") ? text_at(t, "is.access_code") : ""));
		view = model_public(json_object_get(t, "is"));
		if (!model_agrees(view, at(a.json, "data"), &where))
			wrong(t, &a, text("the public view: %s", where));
		set = model_languages(channels, "target_languages");
		check_stats(t, channels);
		check_requests(t, (int)json_array_size(set));
		json_decref(set);
		json_decref(view);
		json_decref(channels);
	}
}

/* ---- storage ---- */

static int
bytes_of(const json_t *t)
{
	json_t *is = settled(t);
	struct answer a;
	int n = (int)json_integer_value(json_object_get(t, "bytes"));

	if (kind_of(t) == UPLOAD)
		return n;
	if (kind_of(t) != VOICE || strcmp(text_at(is, "processing_status"), "ready"))
		return kind_of(t) != VOICE ||
			       !strcmp(text_at(is, "processing_status"), "failed")
			   ? 0
			   : n;
	a = get(text("/saas/voice/m/%s", text_at(t, "id")));
	a = get(strstr(text_at(a.json, "data.tts_sample.url"), "/blobs/"));
	return n + (int)a.n;
}

/*
 * Stored bytes are exact: with room for one more smallest file a form is given, with a
 * byte less it is refused.
 */
static void
check_storage(void)
{
	static const char body[] = "{\"data\":[{\"filename\":\"talk.wav\","
				   "\"mime_type\":\"audio/wav\"}]}";
	int bytes = 100001;
	struct answer a;
	json_t *t;
	size_t i;

	json_array_foreach(known, i, t) bytes += bytes_of(t);
	for (int less = 0; less < 2; less++) {
		account_plan(as, "--storage_bytes", text("%d", bytes - less));
		a = ASK(.path = "/saas/upload", .as = as, .json = body);
		if (a.status != (less ? 403 : 200))
			wrong(NULL, &a,
			    text("%d bytes should be stored, of %d", bytes - 100001,
				bytes - less));
	}
	account_plan(as, "--storage_bytes", "default");
}

/* ---- all of it ---- */

/* Add state that clients share, as records without an owner. */
static void
add_common(const struct team *team)
{
	struct answer g = get(text("/saas/glossary/%s", team->counter)),
		      e = get(text("/saas/v2/event/%s", team->forum));
	int n = atoi(strchr(text_at(g.json, "data.name"), ' ') + 1);

	if (n < team->counted || n > team->counted + team->doubtful)
		wrong(NULL, &g,
		    text("%d steps were counted, %d more perhaps", team->counted,
			team->doubtful));
	json_array_append_new(known,
	    json_pack("{s:i, s:s, s:O, s:n, s:{}, s:{}}", "kind", GLOSSARY, "id",
		team->counter, "is", at(g.json, "data"), "then", "asked", "heard"));
	json_array_append_new(known,
	    json_pack("{s:i, s:s, s:O, s:n, s:{}, s:{}}", "kind", EVENT, "id",
		team->forum, "is", at(e.json, "data"), "then", "asked", "heard"));
}

static void
check_account(struct run *run, int account, int credits)
{
	double end = seconds() + 60;
	json_t *file;
	bool lists_done, uploads_done;

	known = json_array();
	for (int i = 0; i < CLIENTS_EACH; i++) {
		file = json_load_file(KNOWN_BY(account * CLIENTS_EACH + i), 0, NULL);
		ck_assert_ptr_nonnull(file);
		json_array_extend(known, file);
		json_decref(file);
	}
	add_common(&run->team[account]);
	do {
		lists_done = check_lists();
		uploads_done = check_uploads();
		if (seconds() > end)
			wrong(NULL, NULL, "workers do not come to an end");
		nap(lists_done && uploads_done ? 0 : 0.1);
	} while (!lists_done || !uploads_done);
	check_voices(run->team[account].places[VOICES].limit);
	check_balance(credits);
	check_events();
	check_storage();
	json_decref(known);
}

void
check_everything(struct run *run, const struct account *accounts, int credits)
{
	run_ = run;
	for (int i = 0; i < ACCOUNTS; i++) {
		as = &accounts[i];
		check_account(run, i, credits);
	}
}
