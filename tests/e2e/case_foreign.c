/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of another account do not exist for a caller.  On every route, for every id
 * in it, the answer to an id of another account equals that to an unknown id to the
 * byte, and no record of the other account changes.  The programs print their routes
 * and ids; see owner.h.
 */
#include <string.h>
#include <strings.h>

#include "base/id.h"
#include "cases.h"
#include "owner.h"
#include "stream.h"

static struct owner me, victim;
static const char *unknown[2];     /* an id, or the key of a file */
static const char *before_, *keys; /* the victim's records before the requests */

static const char *
keys_of(const struct owner *o)
{
	return steadied(DRAGOMAN("key", "list", o->as.user_id), false);
}

/* Returns the rest of an account's rate, and the seconds for which it holds. */
struct rate {
	int left, s;
	double ends; /* the minute of the count, as of seconds() */
};
static struct rate rate;

static struct rate
rate_of(const struct owner *o)
{
	struct answer a = ASK(.path = "/saas/voice/limits", .as = &o->as);
	struct rate r = { 0 };

	ck_assert_int_eq(
	    sscanf(header_of(&a, "RateLimit"), "\"account\";r=%d;t=%d", &r.left, &r.s),
	    2);
	r.ends = seconds() + r.s;
	return r;
}

static void
before(void)
{
	me = owner_new("curious", false);
	victim = owner_new("victim", true);
	victim.thing[COVER_TAKEN] =
	    text("u/%s/%s", me.as.user_id, victim.thing[FILE_STORED]);
	unknown[0] = id_new(memory());
	unknown[1] = text("u/%s/%s", victim.as.user_id, unknown[0]);
	before_ = all_shown(&victim);
	keys = keys_of(&victim);
	rate = rate_of(&victim);
}

/* ---- two answers ---- */

/*
 * Header lines that may differ: the time, the remaining rate, and the end of the
 * connection.
 */
static const char *
steady_head(const struct answer *a)
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

/* Sent text may be repeated in the answer; other text of the victim may not. */
static void
expect_no_word(const struct answer *a, const char *sent, const char *what)
{
	for (int i = 0; i < NO_THING; i++)
		ck_assert_msg(strcmp(victim.thing[i], sent) == 0 ||
				  strstr(sent, victim.thing[i]) != NULL ||
				  strstr(a->body, victim.thing[i]) == NULL,
		    "%s tells thing %d: %s", what, i, shown(a));
}

/*
 * Expects equal answers, except for the id itself. A created record (2xx) has ids and
 * times of its own; everything else must be equal to the byte.
 */
static void
expect_alike(const struct answer *a, const struct answer *none, const char *what)
{
	bool made = none->status < 300;

	ck_assert_msg(
	    a->status == none->status && a->n == none->n &&
		!strcmp(steadied(a->body, made), steadied(none->body, made)) &&
		!strcmp(
		    steadied(steady_head(a), made), steadied(steady_head(none), made)),
	    "%s differs:\n%s\n%s", what, shown(a), shown(none));
}

/* ---- every route ---- */

/* The JSON pointer to the id's place, such as "/data/event_id". */
static const char *
pointer_of(const char *name)
{
	char *s = arena_dup(memory(), name, strlen(name));

	for (char *c = s; *c != '\0'; c++)
		*c = *c == '.' ? '/' : *c;
	return text("/%s", s);
}

/*
 * True for answers that may equal that for an unknown id: lists of its parts are empty,
 * a listener chooses its own name, and a cover may be stored elsewhere.
 */
static bool
may_be_unknown(const struct hole *h)
{
	return h->place == IN_QUERY || h->first == LISTENER || h->first == COVER;
}

/* Expects that the request was refused because of the id, not before. */
static void
expect_looked_for(const struct hole *h, const struct answer *a, const char *what)
{
	bool pointed = false;
	json_t *one;
	size_t i;

	if (h->place == IN_PATH) {
		ck_assert_msg(a->status == 404, "%s: %s", what, shown(a));
		return;
	}
	json_array_foreach(at(a->json, "errors"), i, one) pointed |=
	    strcmp(json_string_value(json_object_get(one, "pointer")) ?: "",
		pointer_of(h->name)) == 0;
	ck_assert_msg(
	    (a->status < 300 && may_be_unknown(h)) || a->status == 404 || pointed,
	    "%s: what else is wrong there? %s", what, shown(a));
}

/*
 * With that credential, or none: the answers must be the same for each record of the
 * victim.
 */
static void
compare(const struct route_line *r, const struct hole *h, const struct account *as,
    const char *method)
{
	const char *nothing = unknown[h->first == COVER];
	struct ask q = request_with(r, h, &me, nothing);
	const char *what = text("%s %s, %s", method, r->path, h->name);
	bool bare = strcmp(method, r->method) != 0;
	struct answer none, a;

	for (int i = (int)h->first - 1; i <= (int)h->last; i++) {
		if (i >= (int)h->first)
			q = request_with(r, h, &me, victim.thing[i]);
		q.as = as;
		q.method = method;
		q.json = bare ? NULL : q.json;
		q.body = bare ? (struct bytes){ NULL, 0 } : q.body;
		a = ask(&q);
		if (i < (int)h->first)
			none = a;
		else
			expect_alike(&a, &none, what);
		expect_no_word(&a, i < (int)h->first ? nothing : victim.thing[i], what);
	}
	if (!bare && as == &me.as)
		expect_looked_for(h, &none, what);
}

/* True if any client may know the id: ids of public events. */
static bool
is_everybodys(const struct route_line *r, const struct hole *h)
{
	return h->place == IN_PATH && strcmp(r->needs, "public") == 0 &&
	       h->first == EVENT;
}

static const char *
other_scope(const char *needs)
{
	return strcmp(needs, "balance:read") == 0 ? "sessions:read" : "balance:read";
}

static void
compare_as_all(const struct route_line *r, const struct hole *h)
{
	static struct {
		char needs[40];
		struct account only, other;
	} with[20];
	int i = 0;

	compare(r, h, &me.as, r->method);
	compare(r, h, NULL, r->method);
	if (strchr(r->needs, ':') == NULL)
		return;
	while (with[i].needs[0] != '\0' && strcmp(with[i].needs, r->needs) != 0)
		ck_assert_int_lt(++i, 20);
	if (with[i].needs[0] == '\0') {
		memcpy(with[i].needs, r->needs, sizeof(with[i].needs));
		with[i].only = account_limited(&me.as, r->needs);
		with[i].other = account_limited(&me.as, other_scope(r->needs));
	}
	compare(r, h, &with[i].only, r->method);
	compare(r, h, &with[i].other, r->method);
}

START_TEST(no_route_tells_a_foreign_id_from_an_unknown_one)
{
	static const char *const bare[] = { "OPTIONS", "PUT", "HEAD" };
	struct routes all = routes_of_instance();
	int compared = 0;

	for (size_t i = 0; i < all.n; i++) {
		const struct route_line *r = &all.r[i];
		struct holes holes = holes_of(r);

		for (int k = 0; k < holes.n; k++) {
			if (is_everybodys(r, &holes.hole[k]))
				continue;
			compare_as_all(r, &holes.hole[k]);
			compared++;
			for (int b = 0; b < (strcmp(r->method, "GET") ? 2 : 3); b++)
				if (holes.hole[k].place != IN_BODY)
					compare(r, &holes.hole[k], &me.as, bare[b]);
		}
	}
	ck_assert_int_ge(compared, 45);
}
END_TEST

/* Creates the parts of an event when the event itself does not exist yet. */
static bool
is_still_to_come(const struct route_line *r, const struct hole *h)
{
	return strcmp(r->path, "/saas/v2/event") == 0 &&
	       (h->first == STAGE || h->first == ITEM);
}

/*
 * The request must succeed with an own id in the same place, so that the refusal was
 * about the id.
 */
START_TEST(ones_own_ids_are_found)
{
	struct routes all = routes_of_instance();

	for (size_t i = 0; i < all.n; i++) {
		const struct route_line *r = &all.r[i];
		struct holes holes = holes_of(r);

		for (int k = 0; k < holes.n && strcmp(r->method, "DELETE"); k++) {
			const struct hole *h = &holes.hole[k];
			struct ask q = request_with(r, h, &me, me.thing[h->first]);
			struct answer a = ask(&q);

			if (is_still_to_come(r, h))
				continue;
			ck_assert_msg(a.status != 404 && a.status < 500,
			    "%s %s, %s: %s", r->method, r->path, h->name, shown(&a));
		}
	}
}
END_TEST

/* ---- beside the ids of things ---- */

START_TEST(a_signed_link_tells_nothing)
{
	static const char query[] = "?expires=2000000000&signature=abc";
	struct answer none = ASK(.path = text("/blobs/%s%s", unknown[0], query)), a;

	expect_problem(&none, 403, "link-invalid");
	for (int i = FILE_STORED; i <= FILE_SPOKEN; i++) {
		a = ASK(.path = text("/blobs/%s%s", victim.thing[i], query));
		expect_problem(&a, 403, "link-invalid");
		ck_assert_uint_eq(a.n, none.n);
	}
}
END_TEST

START_TEST(a_client_id_is_told_by_its_secret_only)
{
	const char *const id[] = { "dgc_0000000000000000", victim.as.client_id };
	struct answer a[2];

	for (int i = 0; i < 2; i++)
		a[i] = ASK(.path = "/saas/voice/limits",
		    .headers = { text("ClientID: %s", id[i]),
			text("ClientSecret: %s", me.as.client_secret),
			"X-Request-Id: 11111111-2222-4333-8444-555555555555" });
	EXPECT(a[0], 401);
	expect_alike(&a[1], &a[0], "a client's id");
}
END_TEST

/* A page token is valid only for the account that received it. */
START_TEST(a_page_token_of_another_is_none)
{
	static const char *const token[][3] = {
		{ "/saas/voice", "token", "data.next" },
		{ "/session-storage/sessions", "page_token", "next_page_token" },
	};
	struct answer a = ASK(.as = &victim.as, .method = "POST",
			  .path = "/session-storage/session"),
		      b;

	EXPECT(a, 201);
	for (int i = 0; i < ROWS(token); i++) {
		const char *theirs;

		a = ASK(.path = text("%s?page_size=1", token[i][0]), .as = &victim.as);
		theirs = text_at(a.json, token[i][2]);
		a = ASK(.path = text("%s?%s=%s", token[i][0], token[i][1], theirs),
		    .as = &me.as);
		expect_problem(&a, 400, "invalid-page-token");
		b = ASK(.path = text("%s?%s=%.*sxx", token[i][0], token[i][1],
			    (int)strlen(theirs) - 2, theirs),
		    .as = &me.as);
		expect_problem(&b, 400, "invalid-page-token");
		ck_assert_uint_eq(a.n, b.n);
	}
}
END_TEST

START_TEST(an_idempotency_key_is_ones_own)
{
	static const char *const key = "Idempotency-Key: \"shared\"";
	static const char *const body = "{\"data\":[{\"filename\":\"talk.wav\","
					"\"mime_type\":\"audio/wav\"}]}";
	struct answer theirs = ASK(.path = "/saas/upload", .as = &victim.as,
			  .headers = { key }, .json = body),
		      mine = ASK(.path = "/saas/upload", .as = &me.as,
			  .headers = { key }, .json = body);

	EXPECT(mine, 200);
	ck_assert_ptr_null(header_of(&mine, "Idempotency-Replayed"));
	ck_assert_ptr_null(strstr(mine.body, text_at(theirs.json, "data.0.blob_id")));
}
END_TEST

#define REQUEST_ID "X-Request-Id: 11111111-2222-4333-8444-555555555555"

/* A session's id in the address of a socket, or in place of a token, must not admit. */
START_TEST(a_socket_tells_no_session)
{
	static const char *const sockets[] = {
		"/streaming-api/%s/v1/speech-to-speech/stream?token=%s",
		"/streaming-api/%.8s/v1/speech-to-speech/stream",
		"/asr/v1/speech-to-text/stream?token=%s",
		"/tts-api/v1/text-to-speech/stream?token=%s",
	};
	const char *const id[] = { unknown[0], victim.thing[SESSION] };
	const char *path, *base = strstr(instance()->base_url, "://");
	struct answer plain[2], upgrade[2];

	for (int i = 0; i < ROWS(sockets); i++) {
		for (int k = 0; k < 2; k++) {
			path = text(sockets[i], id[k], id[k]);
			plain[k] =
			    ASK(.path = path, .as = &me.as, .headers = { REQUEST_ID });
			upgrade[k] = stream_refused(
			    text("ws%s%s", base, path), REQUEST_ID, NULL);
		}
		ck_assert_int_ge(plain[0].status, 400);
		EXPECT(upgrade[0], 401);
		expect_alike(&plain[1], &plain[0], sockets[i]);
		expect_alike(&upgrade[1], &upgrade[0], sockets[i]);
	}
}
END_TEST

static struct ws *
speak_with(const char *voice)
{
	struct session s = session_new(&me.as, NULL);
	struct ws *ws = stream_open(&s, s.publisher);

	say(ws, "set_task",
	    text("{" SOURCE(16000) "," SINK ",\"pipeline\":{\"transcription\":"
				   "{\"source_language\":\"en\"},\"translations\":[{"
				   "\"target_language\":\"es\","
				   "\"speech_generation\":{\"voice_id\":\"%s\"}}]}}",
		voice));
	speak(ws, 0.6, 1.0);
	return ws;
}

/* The voice of another account is refused like a voice that never existed. */
START_TEST(a_stream_has_no_voice_of_another)
{
	const char *const id[] = { unknown[0], victim.thing[VOICE_READY] };
	const char *said[2];
	struct ws *ws[2];
	json_t *w;

	for (int k = 0; k < 2; k++)
		ws[k] = speak_with(id[k]);
	for (int k = 0; k < 2; k++) {
		w = hear(ws[k], "warning", 5);
		ck_assert_str_eq(text_at(w, "code"), "VOICE_NOT_FOUND");
		ck_assert_ptr_nonnull(strstr(text_at(w, "message"), id[k]));
		said[k] = steadied(json_dumps(w, 0), true);
	}
	ck_assert_str_eq(said[0], said[1]);
}
END_TEST

/* ---- afterwards ---- */

static bool
same_line(const char *a, const char *b, size_t *n)
{
	*n = strcspn(a, "\n");
	return strcspn(b, "\n") == *n && memcmp(a, b, *n) == 0;
}

START_TEST(nothing_of_the_victim_was_touched)
{
	const char *a = before_, *b, *now_keys = keys_of(&victim);
	struct rate now = rate_of(&victim);
	size_t n;

	ck_assert_str_eq(now_keys, keys);
	if (now.ends < rate.ends + 30) /* in the same minute */
		ck_assert_int_eq(now.left, rate.left - 1);
	b = all_shown(&victim);
	for (; *a != '\0'; a += n + (a[n] == '\n'), b += n + (b[n] == '\n'))
		ck_assert_msg(same_line(a, b, &n), "was: %.*s\nis: %.*s", (int)n, a,
		    (int)strcspn(b, "\n"), b);
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
	{ "/saas/webhooks", "data.items" },
	{ "/session-storage/sessions", "data" },
};

START_TEST(lists_hold_nothing_of_others)
{
	struct account none = account_new("nobody");
	struct answer a = ASK(.path = lists[_i].path, .as = &none);

	ck_assert_int_eq(count_at(a.json, lists[_i].items), 0);
}
END_TEST

/* A form is bound to its account and its file. */
START_TEST(a_form_for_somebody_elses_file_is_refused)
{
	struct form f = form_aged(me.as.user_id, victim.thing[FILE_AWAITED], 0);
	struct answer a = form_send(&f);

	expect_s3(&a, 403, "AccessDenied");
	f = form_aged(victim.as.user_id, unknown[0], 0);
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
	tcase_add_test(t, ones_own_ids_are_found);
	tcase_add_test(t, a_signed_link_tells_nothing);
	tcase_add_test(t, a_client_id_is_told_by_its_secret_only);
	tcase_add_test(t, a_socket_tells_no_session);
	tcase_add_test(t, a_stream_has_no_voice_of_another);
	tcase_add_loop_test(t, lists_hold_nothing_of_others, 0, ROWS(lists));
	tcase_add_test(t, a_form_for_somebody_elses_file_is_refused);
	tcase_add_test(t, nothing_of_the_victim_was_touched);
	tcase_add_test(t, a_page_token_of_another_is_none);
	tcase_add_test(t, an_idempotency_key_is_ones_own);
	return s;
}
