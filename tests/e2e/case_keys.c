/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys over REST, tokens for browsers, and links that sign a browser in. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("keys");
}

static const char *
bearer(const char *s)
{
	return text("Authorization: Bearer %s", s);
}

static struct answer
key_new(const char *scopes)
{
	struct answer a = ASK(.path = "/saas/key", .as = &me,
	    .json = text("{\"data\":{\"name\":\"Console\",\"scopes\":[%s]}}", scopes));

	EXPECT(a, 201);
	return a;
}

static struct answer
token_new(const char *key)
{
	return ASK(.path = "/auth/token", .headers = { bearer(key) },
	    .json = "{\"data\":{\"ttl_s\":3600}}");
}

static struct answer
get_me(const char *secret)
{
	return ASK(.path = "/auth/me", .headers = { bearer(secret) });
}

struct refusal {
	const char *secret;
};

static bool
is_refused(const void *arg)
{
	struct answer a = get_me(((const struct refusal *)arg)->secret);

	return a.status == 401;
}

/*
 * After deletion of the key its token is refused, and the socket that it opened is
 * closed.
 */
START_TEST(a_key_revoked_while_the_console_is_open)
{
	struct answer key = key_new("\"*\""), a;
	const char *secret = text_at(key.json, "data.api_key"), *token;
	struct ws *ws;

	a = token_new(secret);
	EXPECT(a, 201);
	token = text_at(a.json, "data.token");
	a = get_me(token);
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.user_id"), me.user_id);
	ck_assert_str_eq(text_at(a.json, "data.credential.name"), "Console");
	ws = stream_call(
	    stream_url("x", ""), (const char *const[]){ bearer(token), NULL });
	start_task(ws, TASK);
	a = ASK(.method = "DELETE", .as = &me,
	    .path = text("/saas/key/%s", text_at(key.json, "data.key_id")));
	EXPECT(a, 200);
	ck_assert(becomes(is_refused, &(struct refusal){ secret }, 1));
	a = get_me(token);
	expect_problem(&a, 401, "unauthorized");
	hear_error(ws, "SESSION_CLOSED", 5);
	hear_close(ws, 1008, 1, NULL);
}
END_TEST

START_TEST(a_key_gives_no_more_than_it_has)
{
	struct answer a = key_new("\"keys:write\",\"voices:read\"");
	const char *secret = text_at(a.json, "data.api_key");

	a = ASK(.path = "/saas/key", .headers = { bearer(secret) },
	    .json = "{\"data\":{\"name\":\"More\",\"scopes\":[\"voices:write\"]}}");
	expect_problem(&a, 403, "insufficient-scope");
	a = ASK(.path = "/auth/token", .headers = { bearer(secret) },
	    .json = "{\"data\":{\"scope\":\"voices:write\"}}");
	expect_problem(&a, 403, "insufficient-scope");
	a = token_new(secret);
	a = ASK(.path = "/saas/voice/limits",
	    .headers = { bearer(text_at(a.json, "data.token")) });
	EXPECT(a, 200);
	a = ASK(.path = "/saas/glossaries", .headers = { bearer(secret) });
	expect_problem(&a, 403, "insufficient-scope");
}
END_TEST

START_TEST(the_last_full_key_stays)
{
	struct account one = account_new("last key");
	struct answer a = ASK(.path = "/saas/keys?sort=asc", .as = &one);

	EXPECT(a, 200);
	ck_assert_int_eq(count_at(a.json, "data.items"), 2); /* with the pair */
	a = ASK(.method = "DELETE", .as = &one,
	    .path = text("/saas/key/%s", one.client_id));
	EXPECT(a, 200);
	a = ASK(.path = "/saas/keys", .as = &one);
	ck_assert_int_eq(count_at(a.json, "data.items"), 1);
	a = ASK(.method = "DELETE", .as = &one,
	    .path = text("/saas/key/%s", text_at(a.json, "data.items.0.key_id")));
	expect_problem(&a, 409, "last-key");
	a = get_me(one.api_key);
	EXPECT(a, 200);
}
END_TEST

/* ---- members ---- */

static struct answer
by_invitation(const char *link)
{
	return ASK(.path = "/auth/token",
	    .json = text("{\"data\":{\"invite\":\"%s\",\"remember\":true}}",
		strchr(link, '=') + 1));
}

START_TEST(a_member_signs_in_stays_and_is_removed)
{
	struct answer a = ASK(.path = "/saas/member", .as = &me,
	    .json = "{\"data\":{\"name\":\"Ada\",\"role\":\"desk\"}}");
	const char *member, *link, *cookie, *token;

	EXPECT(a, 201);
	member = text_at(a.json, "data.member_id");
	link = text_at(a.json, "data.link");
	a = by_invitation(link);
	EXPECT(a, 201);
	cookie = header_of(&a, "Set-Cookie");
	ck_assert_ptr_nonnull(strstr(cookie, "HttpOnly; SameSite=Strict"));
	cookie = text("Cookie: %.*s", (int)strcspn(cookie, ";"), cookie);
	a = ASK(.path = "/auth/refresh", .headers = { cookie },
	    .json = text("{\"data\":{\"refresh_token\":\"%s\"}}",
		text_at(a.json, "data.refresh_token")));
	EXPECT(a, 201);
	token = text_at(a.json, "data.token");
	a = get_me(token);
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.member.role"), "desk");
	a = ASK(.path = "/saas/v2/events", .headers = { bearer(token) });
	EXPECT(a, 200);
	a = ASK(.path = "/saas/keys", .headers = { bearer(token) });
	expect_problem(&a, 403, "insufficient-scope");
	a = by_invitation(link);
	expect_problem(&a, 409, "link-used");
	a = ASK(.method = "DELETE", .as = &me, .path = text("/saas/member/%s", member));
	EXPECT(a, 200);
	ck_assert(becomes(is_refused, &(struct refusal){ token }, 5));
	a = ASK(.path = "/saas/members", .as = &me);
	EXPECT(a, 200);
	ck_assert_int_eq(count_at(a.json, "data.items"), 1);
	a = ASK(.method = "DELETE", .as = &me,
	    .path = text("/saas/member/%s", text_at(a.json, "data.items.0.member_id")));
	expect_problem(&a, 409, "last-owner");
}
END_TEST

/* ---- links ---- */

static const char *
link_new(const struct account *of)
{
	json_t *j =
	    json_loads(DRAGOMAN("account", "link", "--account", of->user_id), 0, NULL);
	const char *link = text_at(j, "link");
	const char *start = text("%s/console/#link=", instance()->base_url);

	ck_assert_int_eq(strncmp(link, start, strlen(start)), 0);
	return link + strlen(start);
}

static struct answer
exchange(const char *link, const char *from)
{
	return ASK(.path = "/auth/token", .from = from,
	    .json = text("{\"data\":{\"link\":\"%s\"}}", link));
}

/* Two browsers use the link at once: one is signed in, the other refused. */
START_TEST(a_link_signs_one_browser_in)
{
	int in = 0, out = 0, status;
	const char *link = link_new(&me);
	struct answer a;

	for (int i = 0; i < 6; i++)
		if (fork() == 0) {
			a = exchange(link, NULL);
			_exit(a.status == 201 ? 0 : a.status == 409 ? 1 : 2);
		}
	while (wait(&status) > 0) {
		in += WIFEXITED(status) && WEXITSTATUS(status) == 0;
		out += WIFEXITED(status) && WEXITSTATUS(status) == 1;
	}
	ck_assert_int_eq(in, 1);
	ck_assert_int_eq(out, 5);
	a = exchange(link, NULL);
	expect_problem(&a, 409, "link-used");
	a = exchange(link_new(&me), NULL);
	EXPECT(a, 201);
	a = get_me(text_at(a.json, "data.token"));
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.user_id"), me.user_id);
}
END_TEST

/* From an address of its own, so that other cases are not limited. */
START_TEST(guesses_of_links_end_in_429)
{
	struct answer a = { 0 };
	int guesses = 0;

	while (a.status != 429 && guesses++ < 1300) {
		a = exchange("guess", "127.0.0.4");
		ck_assert_msg(a.status == 401 || a.status == 429, "%s", shown(&a));
	}
	expect_problem(&a, 429, "rate-limited");
	ck_assert_ptr_nonnull(header_of(&a, "Retry-After"));
	ck_assert_int_gt(guesses, 600);
	a = exchange(link_new(&me), "127.0.0.4");
	EXPECT(a, 201);
}
END_TEST

/* Two programs write the log of a key, and a third reads it. */
START_TEST(requests_to_all_programs_are_in_the_log_of_the_key)
{
	struct answer key = key_new("\"*\""), a;
	const char *secret = text_at(key.json, "data.api_key");
	const char *wanted = "GET /saas/glossaries 200\nGET /saas/voice/limits 200\n"
			     "GET /saas/channel/{channel_id} 404\n",
		   *told = "";

	ASK(.path = text("/saas/channel/%s", me.user_id),
	    .headers = { bearer(secret) });
	ASK(.path = "/saas/voice/limits", .headers = { bearer(secret) });
	ASK(.path = "/saas/glossaries?token=", .as = &me);
	ASK(.path = "/saas/glossaries?page_size=1", .headers = { bearer(secret) });
	a = ASK(.as = &me,
	    .path = text("/saas/key/%s/requests", text_at(key.json, "data.key_id")));
	EXPECT(a, 200);
	for (size_t i = 0; i < count_at(a.json, "data"); i++)
		told = text("%s%s %s %lld\n", told,
		    text_at(a.json, text("data.%zu.method", i)),
		    text_at(a.json, text("data.%zu.route", i)),
		    (long long)int_at(a.json, text("data.%zu.status", i)));
	ck_assert_str_eq(told, wanted);
}
END_TEST

/* ---- audit ---- */

static struct account audited;

static struct answer
changed(const char *method, const char *path, const char *data)
{
	struct answer a = ASK(.method = method, .path = path, .as = &audited,
	    .json = data != NULL ? text("{\"data\":{%s}}", data) : NULL);

	ck_assert_msg(a.status < 300, "%s %s: %s", method, path, shown(&a));
	return a;
}

/* "create event", the oldest first. */
static const char *
audit_told(void)
{
	struct answer a =
	    ASK(.path = "/saas/audit?sort=asc&page_size=100", .as = &audited);
	const char *all = "";

	EXPECT(a, 200);
	for (size_t i = 0; i < count_at(a.json, "data.items"); i++)
		all = text("%s%s %s\n", all,
		    text_at(a.json, text("data.items.%zu.action", i)),
		    text_at(a.json, text("data.items.%zu.kind", i)));
	return all;
}

static bool
channel_is_ready(const void *path)
{
	struct answer a = ASK(.path = path, .as = &audited);

	return strcmp(text_at(a.json, "data.lifecycle_status"), "ready") == 0;
}

/* Workers settle the channel meanwhile; they and sessions leave no line. */
START_TEST(changes_of_all_programs_are_in_the_audit)
{
	static const char event[] =
	    "\"title\":\"Forum\",\"event_type\":\"online\",\"utc_start_dt\":"
	    "\"2036-12-01T08:00:00Z\",\"utc_end_dt\":\"2036-12-01T18:00:00Z\"";
	const char *path, *hall, *channel, *glossary;
	struct answer a;

	audited = account_new("audited");
	a = changed("POST", "/saas/v2/event", event);
	path = text("/saas/v2/event/%s", text_at(a.json, "data.event_id"));
	changed("PATCH", path, "\"title\":\"Congress\"");
	changed("PATCH", path, "\"title\":\"Congress\"");
	hall = text("\"type\":\"event\",\"name\":\"Hall\",\"event_id\":\"%s\","
		    "\"target_languages\":[\"fr\"]",
	    text_at(a.json, "data.event_id"));
	channel =
	    text_at(changed("POST", "/saas/channel", hall).json, "data.channel_id");
	channel = text("/saas/channel/%s", channel);
	ck_assert(becomes(channel_is_ready, channel, 30));
	changed("PATCH", channel, "\"name\":\"Foyer\"");
	changed("POST", text("%s/copy", path), NULL);
	a = changed("POST", "/saas/glossary",
	    "\"name\":\"Terms\",\"glossary_type\":\"asr_hot\",\"source_lang\":\"en\"");
	glossary = text_at(a.json, "data.glossary_id");
	a = changed("POST", "/session-storage/session", "");
	changed("DELETE",
	    text("/session-storage/sessions/%s", text_at(a.json, "data.id")), NULL);
	changed("DELETE", channel, NULL);
	changed("DELETE", path, NULL);
	ck_assert_str_eq(audit_told(),
	    "create event\nupdate event\ncreate channel\nupdate channel\n"
	    "copy event\ncreate glossary\n"
	    "delete channel\ndelete event\n");
	a = ASK(.path = "/saas/audit?page_size=3", .as = &audited);
	ck_assert_str_eq(text_at(a.json, "data.items.2.id"), glossary);
	ck_assert_str_eq(text_at(a.json, "data.items.0.summary"), "Congress");
	ck_assert_str_eq(text_at(a.json, "data.items.0.id"), strrchr(path, '/') + 1);
}
END_TEST

Suite *
keys_suite(void)
{
	TCase *t;
	Suite *s = suite_of("keys", before, &t);

	tcase_add_test(t, a_key_revoked_while_the_console_is_open);
	tcase_add_test(t, a_key_gives_no_more_than_it_has);
	tcase_add_test(t, the_last_full_key_stays);
	tcase_add_test(t, a_member_signs_in_stays_and_is_removed);
	tcase_add_test(t, a_link_signs_one_browser_in);
	tcase_add_test(t, requests_to_all_programs_are_in_the_log_of_the_key);
	tcase_add_test(t, changes_of_all_programs_are_in_the_audit);
	tcase_add_test(t, guesses_of_links_end_in_429);
	return s;
}
