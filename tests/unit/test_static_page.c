/* Pages for browsers: what they may reach, and that they may be missing. */
#include "tests/unit/unit.h"
#include "web/static_page.h"

static const char *const others[] = { "https://b.example.org/live",
	"http://127.0.0.1:81" };
static const struct list streams = { (void *)(uintptr_t)others, 2 };
static bool with_others;

static struct reply
get_speaker(struct request *rq)
{
	return static_page(rq, "speaker.html", NULL);
}

static struct reply
get_listener(struct request *rq)
{
	return static_page(rq, "listener.html", with_others ? &streams : NULL);
}

/* clang-format off */
static const struct route	 routes[] = {
	{ "GET", "/speaker", get_speaker, NULL, UNLIMITED | NO_DB },
	{ "GET", "/listener", get_listener, NULL, UNLIMITED | NO_DB },
	ROUTES_END,
};
/* clang-format on */

static void
setup(void)
{
	static const struct sql *const prepared[] = { NULL };

	fixture_open("pages", routes, prepared);
}

static void
put_page(const char *name, const char *text)
{
	unit_write(arena_printf(fixture.mem, "%s/share/%s", fixture.dir, name), text);
}

START_TEST(each_page_is_its_file)
{
	struct response a;

	put_page("speaker.html", "<!doctype html>speak");
	put_page("listener.html", "<!doctype html>listen");
	a = ask("GET /speaker", NULL);
	ck_assert_int_eq(a.status, 200);
	assert_same_body(a.body, "<!doctype html>speak");
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "text/html; charset=utf-8");
	ck_assert_pstr_eq(head_of(&a, "Referrer-Policy"), "no-referrer");
	a = ask("GET /listener", NULL);
	assert_same_body(a.body, "<!doctype html>listen");
}
END_TEST

static const struct {
	const char *stream, *janus, *reaches;
} places[] = {
	{ "https://speech.example.org/api", "",
	    "connect-src 'self' https://speech.example.org wss://speech.example.org;" },
	{ "http://127.0.0.1:8080", "https://media.example.org:8089/janus?x",
	    "connect-src 'self' http://127.0.0.1:8080 ws://127.0.0.1:8080 "
	    "https://media.example.org:8089;" },
	{ "https://a.example.org", "wss://media.example.org; script-src *",
	    "connect-src 'self' https://a.example.org wss://a.example.org "
	    "wss://media.example.org;" },
	{ "https://a.example.org", "nonsense",
	    "connect-src 'self' https://a.example.org wss://a.example.org;" },
};

START_TEST(a_page_reaches_the_streams_of_other_nodes)
{
	struct response a;

	put_page("listener.html", "<!doctype html>listen");
	with_others = true;
	a = ask("GET /listener", NULL);
	ck_assert_ptr_nonnull(strstr(head_of(&a, "Content-Security-Policy"),
	    "connect-src 'self' https://speech.example.org wss://speech.example.org"
	    " https://b.example.org wss://b.example.org"
	    " http://127.0.0.1:81 ws://127.0.0.1:81;"));
}
END_TEST

START_TEST(a_page_reaches_this_service_and_its_janus_alone)
{
	struct response a;
	const char *policy;

	fixture.app.conf.stream_public_url = places[_i].stream;
	fixture.app.conf.janus_public_url = places[_i].janus;
	put_page("speaker.html", "x");
	a = ask("GET /speaker", NULL);
	policy = head_of(&a, "Content-Security-Policy");
	ck_assert_ptr_nonnull(policy);
	ck_assert_ptr_nonnull(strstr(policy, "default-src 'none';"));
	ck_assert_msg(strstr(policy, places[_i].reaches) != NULL, "%s", policy);
	ck_assert_ptr_null(strstr(policy, "script-src *"));
}
END_TEST

START_TEST(a_page_is_sent_again_only_when_it_changed)
{
	struct response a;
	const char *tag;

	put_page("listener.html", "<!doctype html>listen");
	a = ask("GET /listener", NULL);
	tag = arena_printf(fixture.mem, "If-None-Match: %s", head_of(&a, "ETag"));
	a = ask_with("GET /listener", NULL, HEADS(tag));
	ck_assert_int_eq(a.status, 304);
	assert_same_body(a.body, "");
	ck_assert_ptr_nonnull(head_of(&a, "Content-Security-Policy"));
	put_page("listener.html", "<!doctype html>hear");
	a = ask_with("GET /listener", NULL, HEADS(tag));
	ck_assert_int_eq(a.status, 200);
	assert_same_body(a.body, "<!doctype html>hear");
}
END_TEST

START_TEST(a_page_that_is_not_installed_is_not_found)
{
	struct response a = ask("GET /listener", NULL);

	ck_assert_int_eq(a.status, 404);
	ck_assert_ptr_null(head_of(&a, "Content-Security-Policy"));
	put_page("listener.html", "");
	a = ask("GET /listener", NULL);
	ck_assert_int_eq(a.status, 404);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("static_page");
	TCase *t = tcase_create("pages");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, each_page_is_its_file);
	tcase_add_test(t, a_page_reaches_the_streams_of_other_nodes);
	tcase_add_loop_test(
	    t, a_page_reaches_this_service_and_its_janus_alone, 0, COUNT(places));
	tcase_add_test(t, a_page_is_sent_again_only_when_it_changed);
	tcase_add_test(t, a_page_that_is_not_installed_is_not_found);
	suite_add_tcase(s, t);
	return unit_run(s);
}
