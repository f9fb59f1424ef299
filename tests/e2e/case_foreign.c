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
}

/* Header lines that may differ: time, and how much of the rate is left. */
static const char *
steady(const struct answer *a)
{
	const char *s = a->head, *kept = "";
	size_t n;

	for (; *s != '\0'; s += n) {
		n = strcspn(s, "\n");
		n += s[n] == '\n';
		if (strncasecmp(s, "Date:", 5) != 0 &&
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
	const char *hole = strchr(r->path, '{');

	return ASK(.method = r->method, .as = &me,
	    .path = text("%.*s%s%s%s", (int)(hole - r->path), r->path, id,
		strchr(hole, '}') + 1, query),
	    .headers = { "X-Request-Id: 11111111-2222-4333-8444-555555555555",
		"Idempotency-Key: curious" },
	    .json = strcmp(r->method, "POST") == 0 ? sent : NULL);
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

		if (strstr(r.path, "_id}") == NULL)
			continue;
		compare(&r, "");
		compared++;
		if (strcmp(r.method, "GET") != 0)
			continue;
		memcpy(r.method, "HEAD", 5);
		compare(&r, "");
	}
	ck_assert_int_ge(compared, 8);
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
}
END_TEST

START_TEST(lists_hold_nothing_of_others)
{
	static const char *const lists[] = { "/saas/voice?page_size=100",
		"/saas/voice/hidden", "/saas/voice/sample/tts" };
	struct answer a = ASK(.path = lists[_i], .as = &me);

	ck_assert_int_eq(count_at(a.json, "data.items"), 0);
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
	tcase_add_loop_test(t, lists_hold_nothing_of_others, 0, 3);
	tcase_add_test(t, a_form_for_somebody_elses_file_is_refused);
	return s;
}
