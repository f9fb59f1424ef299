/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages for browsers: their policy, their caching, and missing files. */
#include <sys/stat.h>

#include "tests/unit/unit.h"
#include "web/static_page.h"

static const char *const others[] = { "https://b.example.org/live",
	"http://127.0.0.1:81" };
static const struct list streams = { (void *)(uintptr_t)others, 2 };
static struct page_policy policy;

static struct reply
get_page(struct request *rq)
{
	return static_page(rq, rq->route->path, &policy);
}

static struct reply
get_file(struct request *rq)
{
	return static_page_file(rq, arena_printf(rq->mem, "/web/%s", rq->args[0]));
}

/* clang-format off */
static const struct route	 routes[] = {
	{ "GET", "/", get_page, NULL, UNLIMITED | NO_DB },
	{ "GET", "/listen/", get_page, NULL, UNLIMITED | NO_DB },
	{ "GET", "/web/{file}", get_file, NULL, UNLIMITED | NO_DB },
	ROUTES_END,
};
/* clang-format on */

static void
put_file(const char *name, const char *text)
{
	unit_write(
	    arena_printf(fixture.mem, "%s/share/web/%s", fixture.dir, name), text);
}

static void
setup(void)
{
	static const struct sql *const prepared[] = { NULL };

	fixture_open("pages", routes, prepared);
	policy = (struct page_policy){ NULL };
	ck_assert_int_eq(
	    mkdir(arena_printf(fixture.mem, "%s/share/web", fixture.dir), 0700), 0);
	put_file("table", "v1\n"
			  "/web/main.js listen.js text/javascript; charset=utf-8\n"
			  "/web/gone.js gone.js text/javascript; charset=utf-8\n"
			  "/listen/ listen.html text/html; charset=utf-8\n");
	put_file("listen.html", "<!doctype html>listen");
	put_file("listen.js", "listen()");
}

START_TEST(each_path_is_its_file)
{
	struct response a;

	a = ask("GET /listen/", NULL);
	ck_assert_int_eq(a.status, 200);
	assert_same_body(a.body, "<!doctype html>listen");
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "text/html; charset=utf-8");
	ck_assert_pstr_eq(head_of(&a, "Referrer-Policy"), "no-referrer");
	ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "no-cache");
	a = ask("GET /web/main.js", NULL);
	assert_same_body(a.body, "listen()");
	ck_assert_pstr_eq(
	    head_of(&a, "Content-Type"), "text/javascript; charset=utf-8");
}
END_TEST

START_TEST(a_file_is_kept_for_good_by_its_version_alone)
{
	static const char *const paths[] = { "GET /web/main.js?v=v1",
		"GET /web/main.js?v=v0", "GET /web/main.js",
		"GET /web/main.js?v=v1&v=v1" };

	for (size_t i = 0; i < COUNT(paths); i++) {
		struct response a = ask(paths[i], NULL);

		ck_assert_int_eq(a.status, 200);
		ck_assert_pstr_eq(head_of(&a, "Cache-Control"),
		    i == 0 ? "public, max-age=31536000, immutable" : "no-cache");
	}
}
END_TEST

START_TEST(what_the_table_does_not_name_is_not_found)
{
	static const char *const paths[] = { "GET /web/table", "GET /web/listen.js",
		"GET /web/listen.html", "GET /web/gone.js", "GET /web/main.j",
		"GET /web/..%2Ftable", "GET /web/main.js%20listen.js",
		"GET /web/gone.js%20gone.js%20text%0A/listen/" };

	for (size_t i = 0; i < COUNT(paths); i++) {
		struct response a = ask(paths[i], NULL);

		ck_assert_msg(a.status == 404, "%s: %d", paths[i], a.status);
		ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "no-store");
	}
}
END_TEST

static const struct {
	const char *stream, *janus, *bucket, *reaches;
	const struct list *others;
} places[] = {
	{ "https://speech.example.org/api", "", NULL,
	    "connect-src 'self' https://speech.example.org wss://speech.example.org;" },
	{ "http://127.0.0.1:8080", "https://media.example.org:8089/janus?x", NULL,
	    "connect-src 'self' http://127.0.0.1:8080 ws://127.0.0.1:8080 "
	    "https://media.example.org:8089;" },
	{ "https://a.example.org", "wss://media.example.org; script-src *", NULL,
	    "connect-src 'self' https://a.example.org wss://a.example.org "
	    "wss://media.example.org;" },
	{ "https://a.example.org", "nonsense", "https://s3.example.org/media",
	    "connect-src 'self' https://a.example.org wss://a.example.org "
	    "https://s3.example.org;" },
	{ "https://a.example.org", "", NULL,
	    "connect-src 'self' https://a.example.org wss://a.example.org "
	    "https://b.example.org wss://b.example.org"
	    " http://127.0.0.1:81 ws://127.0.0.1:81;",
	    &streams },
};

START_TEST(a_page_reaches_what_the_settings_name_and_nothing_else)
{
	const char *is;
	struct response a;

	fixture.app.conf.stream_public_url = places[_i].stream;
	fixture.app.conf.janus_public_url = places[_i].janus;
	policy.bucket = places[_i].bucket;
	policy.streams = places[_i].others;
	a = ask("GET /listen/", NULL);
	is = head_of(&a, "Content-Security-Policy");
	ck_assert_ptr_nonnull(is);
	ck_assert_ptr_nonnull(strstr(is, "default-src 'none'; script-src 'self'; "
					 "style-src 'self'; img-src 'self' blob: "
					 "data:; media-src 'self' blob: http"));
	ck_assert_msg(strstr(is, places[_i].reaches) != NULL, "%s", is);
	if (policy.bucket != NULL) { /* recordings are played from there */
		const char *media = strstr(is, "media-src");

		ck_assert_ptr_nonnull(media);
		ck_assert_msg(
		    strcspn(media, ";") >
			(size_t)(strstr(media, "https://s3.example.org") - media),
		    "%s", is);
	}
	ck_assert_ptr_null(strstr(is, "script-src *"));
	ck_assert_ptr_null(strstr(is, "unsafe"));
}
END_TEST

/* The page's own addresses are those of the service, whatever the depth of the path. */
START_TEST(an_address_without_a_page_gets_the_first_one)
{
	struct response a;

	put_file("table", "v1\n/ first.html text/html; charset=utf-8\n");
	put_file("first.html", "<link href=\"web/a.css\"><img src=\"data:,\">");
	fixture.app.conf.server_base_url = "https://speech.example.org/x";
	a = ask_with("GET /none/at/all", NULL, HEADS("Accept: text/html,*/*;q=0.8"));
	ck_assert_int_eq(a.status, 404);
	assert_same_body(a.body,
	    "<link href=\"https://speech.example.org/x/web/a.css\">"
	    "<img src=\"data:,\">");
	ck_assert_ptr_nonnull(head_of(&a, "Content-Security-Policy"));
	ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "no-store");
	a = ask("GET /none/at/all", NULL);
	ck_assert_int_eq(a.status, 404);
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "application/json");
	a = ask_with("POST /none", NULL, HEADS("Accept: text/html"));
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "application/json");
}
END_TEST

START_TEST(covers_of_events_come_from_the_address_of_media)
{
	struct response a;

	fixture.app.conf.media_url = "https://cdn.example.org/covers?x; script-src *";
	a = ask("GET /listen/", NULL);
	ck_assert_ptr_nonnull(strstr(head_of(&a, "Content-Security-Policy"),
	    "img-src 'self' blob: data: https://cdn.example.org; media-src"));
}
END_TEST

static const struct {
	const char *sites, *ancestors;
} frames[] = {
	{ NULL, "frame-ancestors 'none';" },
	{ "", "frame-ancestors 'self';" },
	{ "  ", "frame-ancestors 'self';" },
	{ "https://a.example.org https://b.example.org",
	    "frame-ancestors 'self' https://a.example.org https://b.example.org;" },
	{ "https://a.example.org; script-src *", "frame-ancestors 'self';" },
};

START_TEST(a_page_is_framed_by_the_sites_of_the_settings_alone)
{
	const char *is;
	struct response a;

	policy.framed_by = frames[_i].sites;
	a = ask("GET /listen/", NULL);
	is = head_of(&a, "Content-Security-Policy");
	ck_assert_msg(strstr(is, frames[_i].ancestors) != NULL, "%s", is);
}
END_TEST

#define PRELOADED ">; rel=preload; as=fetch; crossorigin"
#define SCRIPT "<../web/listen/main.js?v=v1>; rel=modulepreload"
#define SPANISH SCRIPT ", <../web/i18n/listen.es.json?v=v1" PRELOADED

static const struct {
	const char *languages, *reads, *link;
} links[] = {
	{ "Accept-Language: es-MX,es;q=0.9,en;q=0.8", NULL, SPANISH },
	{ "Accept-Language: xx, es", NULL, SPANISH },
	{ "Accept-Language: ,; ,-,*", NULL, SCRIPT },
	{ "Accept-Language: e s.json text", NULL, SCRIPT },
	{ "Accept: */*", "/saas/event", SCRIPT ", <../saas/event" PRELOADED },
	{ "Accept-Language: es", "/saas/event", SPANISH ", <../saas/event" PRELOADED },
};

START_TEST(what_a_page_reads_first_comes_with_its_script)
{
	struct response a;

	put_file("table", "v1\n"
			  "/listen/ listen.html text/html; charset=utf-8\n"
			  "/web/listen/main.js main.js text/javascript\n"
			  "/web/i18n/listen.es.json i18n/listen.es.json "
			  "application/json\n");
	policy.reads = links[_i].reads;
	a = ask_with("GET /listen/", NULL, HEADS(links[_i].languages));
	ck_assert_pstr_eq(head_of(&a, "Link"), links[_i].link);
}
END_TEST

START_TEST(a_page_is_sent_again_only_when_it_changed)
{
	struct response a;
	const char *tag;

	a = ask("GET /listen/", NULL);
	tag = arena_printf(fixture.mem, "If-None-Match: %s", head_of(&a, "ETag"));
	a = ask_with("GET /listen/", NULL, HEADS(tag));
	ck_assert_int_eq(a.status, 304);
	assert_same_body(a.body, "");
	ck_assert_ptr_nonnull(head_of(&a, "Content-Security-Policy"));
	put_file("listen.html", "<!doctype html>hear");
	a = ask_with("GET /listen/", NULL, HEADS(tag));
	ck_assert_int_eq(a.status, 200);
	assert_same_body(a.body, "<!doctype html>hear");
}
END_TEST

START_TEST(a_variant_has_a_tag_of_its_own)
{
	struct response plain, a;

	put_file("listen.html.gz", "squeezed");
	plain = ask("GET /listen/", NULL);
	a = ask_with("GET /listen/", NULL, HEADS("Accept-Encoding: gzip"));
	assert_same_body(a.body, "squeezed");
	ck_assert_pstr_eq(head_of(&a, "Content-Encoding"), "gzip");
	ck_assert_pstr_eq(head_of(&a, "Vary"), "Accept-Encoding");
	ck_assert_str_ne(head_of(&a, "ETag"), head_of(&plain, "ETag"));
}
END_TEST

START_TEST(a_page_that_is_not_installed_is_not_found)
{
	struct response a;

	put_file("listen.html", "");
	a = ask("GET /listen/", NULL);
	ck_assert_int_eq(a.status, 404);
	put_file("table", "");
	a = ask("GET /listen/", NULL);
	ck_assert_int_eq(a.status, 404);
	ck_assert_ptr_null(head_of(&a, "Content-Security-Policy"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("static_page");
	TCase *t = tcase_create("pages");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, each_path_is_its_file);
	tcase_add_test(t, a_file_is_kept_for_good_by_its_version_alone);
	tcase_add_test(t, what_the_table_does_not_name_is_not_found);
	tcase_add_test(t, an_address_without_a_page_gets_the_first_one);
	tcase_add_test(t, covers_of_events_come_from_the_address_of_media);
	tcase_add_loop_test(t, a_page_reaches_what_the_settings_name_and_nothing_else,
	    0, COUNT(places));
	tcase_add_loop_test(
	    t, a_page_is_framed_by_the_sites_of_the_settings_alone, 0, COUNT(frames));
	tcase_add_loop_test(
	    t, what_a_page_reads_first_comes_with_its_script, 0, COUNT(links));
	tcase_add_test(t, a_page_is_sent_again_only_when_it_changed);
	tcase_add_test(t, a_variant_has_a_tag_of_its_own);
	tcase_add_test(t, a_page_that_is_not_installed_is_not_found);
	suite_add_tcase(s, t);
	return unit_run(s);
}
