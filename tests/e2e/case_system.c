/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Information of the service about itself. */
#include <string.h>

#include "base/version.h"
#include "cases.h"
#include "routes.h"
#include "service/workers.h"

static struct account me;

static void
before(void)
{
	me = account_new("system");
}

static bool
all_is_well(const void *nothing)
{
	struct answer a = ASK(.path = "/health");

	(void)nothing;
	return a.status == 200 && strcmp(text_at(a.json, "data.status"), "ok") == 0;
}

START_TEST(health_is_well_with_every_worker)
{
	struct answer a;

	ck_assert(becomes(all_is_well, NULL, 20));
	a = ASK(.path = "/health");
	ck_assert_str_eq(text_at(a.json, "data.version"), VERSION);
	ck_assert_str_eq(text_at(a.json, "data.database"), "ok");
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++)
		ck_assert_ptr_nonnull(
		    strstr(a.body, text("{\"name\":\"%s\"", w->name)));
	ck_assert_ptr_null(strstr(a.body, "silent"));
	ck_assert_ptr_null(header_of(&a, "RateLimit"));
}
END_TEST

/* ---- metrics ---- */

static const char *const gauges[] = { "dragoman_requests_total{route=",
	"dragoman_request_seconds_bucket{", "dragoman_request_seconds_sum",
	"dragoman_request_seconds_count", "# TYPE dragoman_request_seconds histogram",
	"# TYPE dragoman_requests_total counter",
	"dragoman_worker_last_run_timestamp_seconds{worker=\"voice_clone\"}",
	"dragoman_job_failures_total{queue=", "# TYPE dragoman_jobs gauge",
	"dragoman_blob_bytes ", "dragoman_sessions_open ",
	"dragoman_channels{lifecycle_status=\"deleting\"} ", "dragoman_db_busy_total",
	"dragoman_webhook_deliveries{status=\"pending\"} ",
	"dragoman_webhook_deliveries{status=\"failed\"} " };

START_TEST(metrics_are_for_this_host)
{
	struct answer a = ASK(.path = "/metrics");

	EXPECT(a, 200);
	ck_assert_str_eq(
	    header_of(&a, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
	for (int i = 0; i < ROWS(gauges); i++)
		ck_assert_msg(strstr(a.body, gauges[i]) != NULL, "no %s", gauges[i]);
	a = ASK(.path = "/metrics", .headers = { "X-Forwarded-For: 192.0.2.1" });
	expect_problem(&a, 401, "unauthorized");
	a = ASK(.path = "/metrics", .headers = { "Forwarded: for=192.0.2.1" });
	expect_problem(&a, 401, "unauthorized");
	a = ASK(.path = "/metrics", .as = &me);
	expect_problem(&a, 403, "insufficient-scope");
}
END_TEST

static size_t
series_at(const char *line) /* bytes of its name and labels */
{
	size_t n = strcspn(line, "\n");

	while (*line != '#' && n > 0 && line[n] != ' ')
		n--;
	return n;
}

/* A scraper accepts no metric twice and no invalid line. */
START_TEST(every_series_is_told_once)
{
	struct answer a;
	const char *s, *t, *next;
	double v;

	/* no two programs may have the same route */
	ASK(.path = "/saas/voice/nowhere", .as = &me);
	ASK(.path = "/nowhere");
	a = ASK(.path = "/metrics");
	ck_assert_int_eq(a.body[a.n - 1], '\n');
	for (s = a.body; *s != '\0'; s = next) {
		next = strchr(s, '\n') + 1;
		if (*s != '#')
			ck_assert_msg(
			    sscanf(s + series_at(s), " %lf\n", &v) == 1, "%.200s", s);
		for (t = next; *t != '\0'; t = strchr(t, '\n') + 1)
			if (series_at(s) == series_at(t) &&
			    memcmp(s, t, series_at(s)) == 0)
				ck_abort_msg("twice: %.200s", s);
	}
}
END_TEST

START_TEST(requests_are_counted_by_route_and_not_by_path)
{
	struct answer a;

	voice_read(&me, "00000000-1111-4222-8333-444444444444");
	ASK(.path = "/surely-not-there-4711");
	a = ASK(.path = "/metrics");
	ck_assert_ptr_nonnull(strstr(a.body, "route=\"/saas/voice/m/{voice_id}\""));
	ck_assert_ptr_null(strstr(a.body, "surely-not-there-4711"));
	ck_assert_ptr_null(strstr(a.body, "00000000-1111"));
}
END_TEST

/* ---- the page to listen with ---- */

START_TEST(the_page_to_listen_with_is_at_the_address_of_qr_codes)
{
	struct answer a = ASK(.path = "/listen/?e=x&s=y");

	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "text/html; charset=utf-8");
	ck_assert_ptr_nonnull(
	    strstr(header_of(&a, "Content-Security-Policy"), "default-src 'none'"));
	ck_assert_ptr_nonnull(strstr(a.body, "<!doctype html>"));
	a = ASK(.path = "/listen/?e=x",
	    .headers = { text("If-None-Match: %s", header_of(&a, "ETag")) });
	EXPECT(a, 304);
	a = ASK(.path = "/streaming-api/listener?e=x");
	EXPECT(a, 302);
	ck_assert_ptr_nonnull(strstr(header_of(&a, "Location"), "/listen/?e=x"));
	ck_assert_ptr_null(strstr(header_of(&a, "Location"), "/streaming-api/"));
	a = ASK(.path = "/streaming-api/speaker");
	EXPECT(a, 302);
	ck_assert_ptr_nonnull(strstr(header_of(&a, "Location"), "/speak/"));
}
END_TEST

START_TEST(an_unknown_short_address_is_a_page_and_404)
{
	static const char *const paths[] = { "/999999", "/s/aaaaaaaaaa" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct answer a = ASK(.path = paths[i]);

		EXPECT(a, 404);
		ck_assert_str_eq(
		    header_of(&a, "Content-Type"), "text/html; charset=utf-8");
		ck_assert_str_eq(header_of(&a, "Cache-Control"), "no-store");
	}
}
END_TEST

START_TEST(a_link_to_a_page_may_lack_its_slash_or_have_one_too_many)
{
	static const char *const asked[][2] = {
		{ "/listen?e=x&s=y", "listen/?e=x&s=y" },
		{ "/speak", "speak/" },
		{ "/screen?e=x", "screen/?e=x" },
		{ "/console", "console/" },
		{ "/docs/?a=b", "../docs?a=b" },
	};
	static const char *const unknown[] = { "/listen/x", "/listener",
		"/saas/voices/" };

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct answer a = ASK(.path = asked[i][0]);

		EXPECT(a, 307);
		ck_assert_str_eq(header_of(&a, "Location"), asked[i][1]);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		struct answer a = ASK(.path = unknown[i]);

		EXPECT(a, 404);
	}
}
END_TEST

/* ---- pages ---- */

/* The first address below /web/ in a page, with the version that all of them have. */
static const char *
first_file(const char *page)
{
	const char *at = strstr(page, "web/shared/");

	ck_assert_ptr_nonnull(at);
	return text("/%.*s", (int)strcspn(at, "\""), at);
}

START_TEST(a_page_and_its_files_are_kept_as_long_as_they_are_good)
{
	static const char *const pages[] = { "/", "/console/", "/docs",
		"/docs/guides/install", "/listen/?e=x", "/speak/" };
	struct answer a, file, again;

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		a = ASK(.path = pages[i]);
		EXPECT(a, 200);
		ck_assert_str_eq(header_of(&a, "Cache-Control"), "no-cache");
		ck_assert_ptr_nonnull(strstr(
		    header_of(&a, "Content-Security-Policy"), "script-src 'self';"));
		file = ASK(.path = first_file(a.body));
		EXPECT(file, 200);
		ck_assert_str_eq(header_of(&file, "Cache-Control"),
		    "public, max-age=31536000, immutable");
		again = ASK(.path = first_file(a.body),
		    .headers = { text("If-None-Match: %s", header_of(&file, "ETag")) });
		EXPECT(again, 304);
		again = ASK(.path = first_file(a.body),
		    .headers = { "Accept-Encoding: gzip" });
		EXPECT(again, 200);
		ck_assert_str_eq(header_of(&again, "Content-Encoding"), "gzip");
		ck_assert_uint_lt(again.n, file.n);
	}
	a = ASK(.path = "/web/table");
	EXPECT(a, 404);
	a = ASK(.path = "/web/shared/none.js");
	EXPECT(a, 404);
	a = ASK(.path = "/web/i18n/home.fa.json");
	EXPECT(a, 200);
}
END_TEST

/* Each link of a guide to another page leads there, and its anchor is a heading. */
START_TEST(guides_link_to_one_another)
{
	static const char *const guides[] = { "architecture", "operators-guide",
		"settings", "webhooks" };
	struct answer a, other;
	const char *s, *to;

	for (size_t i = 0; i < sizeof(guides) / sizeof(*guides); i++) {
		a = ASK(.path = text("/docs/guides/%s", guides[i]));
		EXPECT(a, 200);
		for (s = a.body; (s = strstr(s, "href=\"")) != NULL;) {
			s += strlen("href=\"");
			to = text("%.*s", (int)strcspn(s, "\"#"), s);
			if (*to == '\0' || strstr(to, ":") != NULL || *to == '.')
				continue;
			other = ASK(.path = text("/docs/guides/%s", to));
			EXPECT(other, 200);
			to = text("%.*s", (int)strcspn(s, "\""), s);
			if ((to = strchr(to, '#')) != NULL)
				ck_assert_msg(strstr(other.body,
						  text(" id=\"%s\"", to + 1)) != NULL,
				    "%s: %s", guides[i], to);
		}
	}
	a = ASK(.path = "/docs/guides/none");
	EXPECT(a, 404);
}
END_TEST

/* A part imports the page's script by the address in the page. */
START_TEST(a_part_of_a_page_is_kept_as_the_page_s_script_is)
{
	struct answer page = ASK(.path = "/console/"), script, part;
	const char *named = strstr(page.body, "console/main.js"), *at;

	ck_assert_ptr_nonnull(named);
	named = text("%.*s", (int)strcspn(named, "\""), named);
	script = ASK(.path = text("/web/%s", named));
	EXPECT(script, 200);
	at = strstr(script.body, "import(\"./");
	ck_assert_ptr_nonnull(at);
	at += strlen("import(\"./");
	part = ASK(.path = text("/web/console/%.*s", (int)strcspn(at, "\""), at));
	EXPECT(part, 200);
	ck_assert_str_eq(
	    header_of(&part, "Cache-Control"), "public, max-age=31536000, immutable");
	ck_assert_str_eq(
	    header_of(&part, "Content-Type"), "text/javascript; charset=utf-8");
	ck_assert_ptr_nonnull(
	    strstr(part.body, text("\"./%s\"", named + strlen("console/"))));
}
END_TEST

/* ---- languages ---- */

START_TEST(languages_need_a_credential)
{
	struct account limited = account_limited(&me, "balance:read");
	struct answer a = ASK(.path = "/languages");

	expect_problem(&a, 401, "unauthorized");
	a = ASK(.path = "/languages", .as = &limited);
	EXPECT(a, 200);
	ck_assert_ptr_nonnull(strstr(a.body, "\"source\":[{\"code\":\""));
	ck_assert_ptr_nonnull(
	    strstr(a.body, "\"voices\":[\"default_low\",\"default_high\"]"));
	ck_assert_ptr_nonnull(
	    strstr(a.body, "{\"source\":\"en\",\"target\":\"es\",\"engine\":\""));
	ck_assert_int_gt(count_at(a.json, "data.pairs"), 0);
}
END_TEST

/* ---- documentation ---- */

static const char *
lower(const char *s)
{
	char *t = arena_str(memory(), s);

	for (char *c = t; *c != '\0'; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
	return t;
}

/* Each of the routes must be described. */
static void
expect_described(const struct answer *a, const struct routes *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct route_line *r = &all->r[i];
		json_t *operation = json_object_get(
		    json_object_get(at(a->json, "paths"), r->path), lower(r->method));

		ck_assert_msg(
		    operation != NULL, "%s %s is missing", r->method, r->path);
		ck_assert_int_ge(json_object_size(at(operation, "responses")), 2);
	}
}

START_TEST(the_description_names_every_route)
{
	struct answer a = ASK(.path = "/openapi.json");
	struct routes all = routes_of_instance(), gateway = routes_of_gateway();
	size_t described = 0;
	json_t *path, *operation;
	const char *name, *method;

	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "application/json");
	ck_assert_msg(a.json != NULL, "it is no JSON");
	ck_assert_int_eq(strncmp(text_at(a.json, "openapi"), "3.1", 3), 0);
	ck_assert_str_eq(text_at(a.json, "info.version"), VERSION);
	expect_described(&a, &all);
	expect_described(&a, &gateway);
	json_object_foreach(at(a.json, "paths"), name, path)
	    json_object_foreach(path, method, operation) described++;
	ck_assert_int_eq(described, all.n + gateway.n);
}
END_TEST

static const char *const descriptions[] = { "/openapi.json", "/asyncapi.json" };

/* Every "$ref" must lead to a place in the document. */
static void
follow(const json_t *all, const json_t *j)
{
	const char *name, *ref;
	json_t *v;
	size_t i;

	if ((ref = json_string_value(json_object_get(j, "$ref"))) != NULL) {
		char *s = arena_str(memory(), ref);

		for (char *c = s; *c != '\0'; c++)
			*c = *c == '/' ? '.' : *c;
		ck_assert_msg(at(all, s + 2) != NULL, "%s leads nowhere", ref);
	}
	json_object_foreach((json_t *)(uintptr_t)j, name, v) follow(all, v);
	json_array_foreach(j, i, v) follow(all, v);
}

START_TEST(every_reference_in_a_description_leads_somewhere)
{
	struct answer a = ASK(.path = descriptions[_i]);

	EXPECT(a, 200);
	follow(a.json, a.json);
}
END_TEST

START_TEST(the_description_of_sockets_has_channels_and_messages)
{
	static const char *const there[] = { "channels.speaker.messages.setTask",
		"channels.listener.messages.setLanguage",
		"channels.speechToText.messages.audio",
		"channels.textToSpeech.messages.error",
		"operations.getTask.reply.messages",
		"components.schemas.OutputAudioData.properties.data.properties.data" };
	struct answer a = ASK(.path = "/asyncapi.json");

	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "application/json");
	ck_assert_str_eq(text_at(a.json, "asyncapi"), "3.0.0");
	for (int i = 0; i < ROWS(there); i++)
		ck_assert_msg(at(a.json, there[i]) != NULL, "%s is missing", there[i]);
	ck_assert_ptr_null(at(a.json, "channels.listener.messages.setTask"));
}
END_TEST

/* Addresses that a browser requests by itself. */
START_TEST(the_documentation_loads_nothing_from_elsewhere)
{
	static const char *const ways[] = { "src=\"http", "src='http", "src=http",
		"src=\"//", "href=\"http", "href=\"//", "@import", "url(",
		"preconnect" };
	struct answer a = ASK(.path = "/docs");
	const char *s;

	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "text/html; charset=utf-8");
	ck_assert_ptr_nonnull(header_of(&a, "Content-Security-Policy"));
	for (int i = 0; i < ROWS(ways); i++)
		ck_assert_msg((s = strstr(a.body, ways[i])) == NULL, "%.80s", s);
	ck_assert_ptr_nonnull(
	    strstr(header_of(&a, "Content-Security-Policy"), "script-src 'self';"));
	ck_assert_ptr_nonnull(
	    strstr(header_of(&a, "Content-Security-Policy"), "frame-ancestors 'none'"));
}
END_TEST

/* ---- problems ---- */

START_TEST(every_kind_of_problem_has_its_page)
{
	struct answer list = ASK(.path = "/problems"), a;
	json_t *p;
	size_t i;

	EXPECT(list, 200);
	ck_assert_int_gt(count_at(list.json, "data"), 60);
	json_array_foreach(at(list.json, "data"), i, p)
	{
		a = ASK(.path = text_at(p, "type"));
		EXPECT(a, 200);
		ck_assert(json_equal(at(a.json, "data"), p));
		ck_assert_str_eq(text_at(p, "type"),
		    text("%s/problems/%s", instance()->base_url, text_at(p, "slug")));
		ck_assert_int_ge(strlen(text_at(p, "title")), 5);
		ck_assert_int_ge(strlen(text_at(p, "description")), 5);
	}
	a = ASK(.path = "/problems/bad-request", .headers = { "Accept: text/html" });
	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "text/html; charset=utf-8");
	a = ASK(.path = "/problems/nothing-such");
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

START_TEST(what_never_changes_may_be_kept_by_clients)
{
	static const char *const kept[] = { "/openapi.json", "/asyncapi.json", "/docs",
		"/problems", "/problems/bad-request" };
	struct answer a = ASK(.path = kept[_i]);

	EXPECT(a, 200);
	ck_assert_ptr_null(strstr(header_of(&a, "Cache-Control"), "no-store"));
}
END_TEST

START_TEST(what_never_changes_comes_compressed)
{
	static const char *const files[] = { "/openapi.json", "/asyncapi.json",
		"/docs" };
	struct answer plain = ASK(.path = files[_i]), small, again;

	small = ASK(.path = files[_i], .headers = { "Accept-Encoding: gzip" });
	EXPECT(plain, 200);
	EXPECT(small, 200);
	ck_assert_ptr_null(header_of(&plain, "Content-Encoding"));
	ck_assert_str_eq(header_of(&small, "Content-Encoding"), "gzip");
	ck_assert_ptr_nonnull(strstr(header_of(&small, "Vary"), "Accept-Encoding"));
	ck_assert_str_ne(header_of(&small, "ETag"), header_of(&plain, "ETag"));
	ck_assert_int_eq(memcmp(small.body, "\x1f\x8b", 2), 0);
	ck_assert_uint_lt(small.n, plain.n / 3 * 2);
	again = ASK(.path = files[_i],
	    .headers = { "Accept-Encoding: gzip",
		text("If-None-Match: %s", header_of(&small, "ETag")) });
	EXPECT(again, 304);
}
END_TEST

Suite *
system_suite(void)
{
	TCase *t;
	Suite *s = suite_of("system", before, &t);

	tcase_add_test(t, health_is_well_with_every_worker);
	tcase_add_test(t, metrics_are_for_this_host);
	tcase_add_test(t, every_series_is_told_once);
	tcase_add_test(t, requests_are_counted_by_route_and_not_by_path);
	tcase_add_test(t, the_page_to_listen_with_is_at_the_address_of_qr_codes);
	tcase_add_test(t, an_unknown_short_address_is_a_page_and_404);
	tcase_add_test(t, a_link_to_a_page_may_lack_its_slash_or_have_one_too_many);
	tcase_add_test(t, a_page_and_its_files_are_kept_as_long_as_they_are_good);
	tcase_add_test(t, guides_link_to_one_another);
	tcase_add_test(t, a_part_of_a_page_is_kept_as_the_page_s_script_is);
	tcase_add_test(t, languages_need_a_credential);
	tcase_add_test(t, the_description_names_every_route);
	tcase_add_loop_test(
	    t, every_reference_in_a_description_leads_somewhere, 0, ROWS(descriptions));
	tcase_add_test(t, the_description_of_sockets_has_channels_and_messages);
	tcase_add_test(t, the_documentation_loads_nothing_from_elsewhere);
	tcase_add_test(t, every_kind_of_problem_has_its_page);
	tcase_add_loop_test(t, what_never_changes_may_be_kept_by_clients, 0, 5);
	tcase_add_loop_test(t, what_never_changes_comes_compressed, 0, 3);
	return s;
}
