/*
 * What belongs to somebody else does not exist: on every route that names an
 * object, somebody else's id is answered as one that was never given out, to
 * the byte.
 */
#include <string.h>
#include <strings.h>

#include "base/id.h"
#include "cases.h"
#include "routes.h"

static struct account me, victim;

enum {
	VOICE_READY,
	VOICE_CREATED,
	VOICE_HIDDEN,
	VOICE_FAILED,
	FILE_STORED,
	FILE_AWAITED,
	FILE_SAMPLE,
	FILE_SPOKEN,
	GLOSSARY,
	EVENT,
	STAGE,
	REQUEST,
	CHANNEL,
	SESSION,
	THINGS
};

static const char *thing[THINGS]; /* the victim's */
static const char *unknown;

static const char *
draft(const char *more)
{
	struct answer a = CLONE(.as = &victim, .more = more);

	return text_at(a.json, "data.voice_id");
}

static struct answer
post(const char *path, const char *data)
{
	return ASK(.path = path, .as = &victim, .json = text("{\"data\":{%s}}", data));
}

/* An event with a stage, a request and a channel; a session. */
static void
hold_event(void)
{
	struct answer a = post("/saas/v2/event",
	    "\"title\":\"Forum\",\"event_type\":\"online\",\"utc_start_dt\":"
	    "\"2036-12-01T08:00:00Z\",\"utc_end_dt\":\"2036-12-02T08:00:00Z\"");

	thing[EVENT] = text_at(a.json, "data.event_id");
	thing[STAGE] = text_at(a.json, "data.stages.0.stage_id");
	a = post(text("/saas/v2/event/public/%s/requests", thing[EVENT]),
	    "\"type\":\"add_language\",\"payload\":{\"language\":\"de\"}");
	thing[REQUEST] = text_at(a.json, "data.request_id");
	a = post("/saas/channel",
	    text("\"type\":\"event\",\"name\":\"Hall\",\"event_id\":\"%s\"",
		thing[EVENT]));
	thing[CHANNEL] = text_at(a.json, "data.channel_id");
	a = post("/session-storage/session", "");
	thing[SESSION] = text_at(a.json, "data.id");
}

static void
before(void)
{
	struct answer a;

	me = account_new("curious");
	victim = account_new("victim");
	unknown = id_new(memory());
	a = CLONE(.as = &victim);
	thing[VOICE_CREATED] = text_at(a.json, "data.voice_id");
	thing[FILE_SAMPLE] = text_at(a.json, "data.samples.0.blob_id");
	thing[VOICE_HIDDEN] = draft(",\"skip_external_voice\":true");
	thing[VOICE_FAILED] =
	    clone_with(&(struct clone){ .as = &victim }, recording("page.html"));
	voice_await(&victim, thing[VOICE_FAILED], "failed");
	thing[VOICE_READY] = voice_made(&victim);
	a = voice_read(&victim, thing[VOICE_READY]);
	thing[FILE_SPOKEN] = text_at(a.json, "data.tts_sample.blob_id");
	thing[FILE_STORED] = upload(&victim, "audio/wav", wav_of(200000));
	thing[FILE_AWAITED] = text_at(target_new(&victim, "audio/wav"), "blob_id");
	a = post("/saas/glossary", "\"name\":\"Terms\",\"glossary_type\":\"asr_hot\","
				   "\"source_lang\":\"en\"");
	thing[GLOSSARY] = text_at(a.json, "data.glossary_id");
	hold_event();
}

/* Header lines that may differ: time, how much of the rate is left, and that
   the server has had enough of this connection. */
static const char *
steady(const struct answer *a)
{
	const char *s = a->head, *kept = "";
	size_t n;

	for (; *s != '\0'; s += n) {
		n = strcspn(s, "\n");
		n += s[n] == '\n';
		if (strncasecmp(s, "Date:", 5) != 0 &&
		    strncasecmp(s, "Connection:", 11) != 0 &&
		    strncasecmp(s, "RateLimit:", 10) != 0)
			kept = text("%s%.*s", kept, (int)n, s);
	}
	return kept;
}

static struct answer
try(const struct route_line *r, const char *id, const char *query)
{
	static const char sent[] =
	    "{\"data\":{\"lang_code\":\"de\",\"name\":\"Mine\"}}";
	static const char form[] = "--x\r\nContent-Disposition: form-data; name=\"f\";"
				   " filename=\"f.csv\"\r\nContent-Type: text/csv"
				   "\r\n\r\na\r\n--x--\r\n";
	bool file = strstr(r->path, "/upload") != NULL;
	bool body = strcmp(r->method, "POST") == 0 || strcmp(r->method, "PATCH") == 0;
	struct ask a = { .method = r->method, .as = &me, .path = "" };

	/* the same id in every hole */
	for (const char *s = r->path, *hole; s != NULL; s = hole) {
		hole = strchr(s, '{');
		a.path = text("%s%.*s%s", a.path, (int)strcspn(s, "{"), s,
		    hole != NULL ? id : query);
		if (hole != NULL)
			hole = strchr(hole, '}') + 1;
	}
	a.headers[0] = "X-Request-Id: 11111111-2222-4333-8444-555555555555";
	a.headers[1] = "Idempotency-Key: curious";
	a.json = body && !file ? sent : NULL;
	if (body && file) {
		a.type = "multipart/form-data; boundary=x";
		a.body = (struct bytes){ form, sizeof(form) - 1 };
	}
	return ask(&a);
}

static void
compare(const struct route_line *r, const char *query)
{
	struct answer none = try(r, unknown, query), a;

	ck_assert_msg(
	    none.status == 404, "%s %s: %s", r->method, r->path, shown(&none));
	for (int i = 0; i < THINGS; i++) {
		a = try(r, thing[i], query);
		ck_assert_msg(a.status == none.status && a.n == none.n &&
				  memcmp(a.body, none.body, a.n) == 0 &&
				  strcmp(steady(&a), steady(&none)) == 0,
		    "%s %s tells thing %d: %s", r->method, r->path, i, shown(&a));
	}
}

START_TEST(no_route_tells_a_foreign_id_from_an_unknown_one)
{
	struct routes all = routes_of_instance();
	int compared = 0;

	for (size_t i = 0; i < all.n; i++) {
		struct route_line r = all.r[i];

		if (strstr(r.path, "_id}") == NULL || strstr(r.path, "/public/"))
			continue; /* events are anybody's there */
		compare(&r, "");
		compared++;
		if (strcmp(r.method, "GET") != 0)
			continue;
		memcpy(r.method, "HEAD", 5);
		compare(&r, "");
	}
	ck_assert_int_ge(compared, 20);
}
END_TEST

START_TEST(a_request_of_another_event_cannot_be_decided_from_ones_own)
{
	static const char *const how[] = { "approve", "reject" };
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = "{\"data\":{\"title\":\"Mine\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\"}}");
	const char *mine = text_at(a.json, "data.event_id");

	a = ASK(.path = text(
		    "/saas/v2/event/%s/requests/%s/%s", mine, thing[REQUEST], how[_i]),
	    .as = &me, .json = "{\"data\":{}}");
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = text("/saas/v2/event/%s/requests", thing[EVENT]),
	    .as = &victim);
	ck_assert_str_eq(text_at(a.json, "data.requests.0.status"), "pending");
}
END_TEST

static const struct {
	const char *path, *body;
	int hole; /* the thing whose id goes into the body */
	const char *pointer;
} in_bodies[] = {
	{ "/saas/channel",
	    "{\"data\":{\"type\":\"event\",\"name\":\"Hall\",\"event_id\":\"%s\"}}",
	    EVENT, "/data/event_id" },
	{ "/saas/v2/event",
	    "{\"data\":{\"title\":\"Mine\",\"event_type\":\"online\",\"utc_start_dt\":"
	    "\"2036-12-01T08:00:00Z\",\"utc_end_dt\":\"2036-12-02T08:00:00Z\","
	    "\"stages\":"
	    "[{\"name\":\"a\",\"stage_id\":\"%s\"}]}}",
	    STAGE, "/data/stages/0/stage_id" },
};

START_TEST(a_foreign_id_in_a_body_is_as_unknown_as_none)
{
	const char *const id[] = { thing[in_bodies[_i].hole], unknown };

	for (int i = 0; i < 2; i++) {
		struct answer a = ASK(.path = in_bodies[_i].path, .as = &me,
		    .json = text(in_bodies[_i].body, id[i]));

		expect_problem(&a, 404, "resource-not-found");
		ck_assert_str_eq(
		    text_at(a.json, "errors.0.pointer"), in_bodies[_i].pointer);
	}
}
END_TEST

START_TEST(nothing_of_the_victim_was_touched)
{
	static const char *const status[] = { "ready", "created", "created", "failed" };
	struct answer a;

	for (int i = VOICE_READY; i <= VOICE_FAILED; i++) {
		a = voice_read(&victim, thing[i]);
		EXPECT(a, 200);
		ck_assert_str_eq(text_at(a.json, "data.name"), "Anna (stage)");
		ck_assert_str_eq(text_at(a.json, "data.processing_status"), status[i]);
	}
	a = voice_read(&victim, thing[VOICE_READY]);
	ck_assert_str_eq(
	    text_at(a.json, "data.tts_sample.blob_id"), thing[FILE_SPOKEN]);
	ck_assert(json_is_false(at(a.json, "data.is_favorite")));
	a = ASK(.path = text("/blobs/%s", thing[FILE_STORED]), .as = &victim);
	EXPECT(a, 200);
	a = ASK(.path = text("/session-storage/sessions/%s", thing[SESSION]),
	    .as = &victim);
	EXPECT(a, 200);
}
END_TEST

static const struct {
	const char *path, *items;
} lists[] = {
	{ "/saas/voice?page_size=100", "data.items" },
	{ "/saas/voice/hidden", "data.items" },
	{ "/saas/voice/sample/tts", "data.items" },
	{ "/saas/glossaries", "data.items" },
	{ "/saas/v2/events", "data" },
	{ "/saas/channels", "data" },
	{ "/session-storage/sessions", "data" },
};

START_TEST(lists_hold_nothing_of_others)
{
	struct account none = account_new("nobody");
	struct answer a = ASK(.path = lists[_i].path, .as = &none);

	ck_assert_int_eq(count_at(a.json, lists[_i].items), 0);
}
END_TEST

/* A form binds the account and the file. */
START_TEST(a_form_for_somebody_elses_file_is_refused)
{
	struct form f = form_aged(me.user_id, thing[FILE_AWAITED], 0);
	struct answer a = form_send(&f);

	expect_s3(&a, 403, "AccessDenied");
	f = form_aged(victim.user_id, unknown, 0);
	a = form_send(&f);
	expect_s3(&a, 403, "AccessDenied");
}
END_TEST

Suite *
foreign_suite(void)
{
	TCase *t;
	Suite *s = suite_of("foreign", before, &t);

	tcase_add_test(t, no_route_tells_a_foreign_id_from_an_unknown_one);
	tcase_add_test(t, nothing_of_the_victim_was_touched);
	tcase_add_loop_test(
	    t, a_request_of_another_event_cannot_be_decided_from_ones_own, 0, 2);
	tcase_add_loop_test(
	    t, a_foreign_id_in_a_body_is_as_unknown_as_none, 0, ROWS(in_bodies));
	tcase_add_loop_test(t, lists_hold_nothing_of_others, 0, ROWS(lists));
	tcase_add_test(t, a_form_for_somebody_elses_file_is_refused);
	return s;
}
