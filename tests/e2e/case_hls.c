/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HLS with low latency through the web server: playlists and parts that come soon. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "talk.h"

#define OUTPUT                                                                         \
	",\"outputs\":[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\","             \
	"\"original\"]}]"

static const char *folder; /* "/hls/…/" */

/* Reads a file of the channel's HLS; query: with "?", or "". */
static struct answer
file(const char *name, const char *query)
{
	return ASK(.path = text("%s%s%s", folder, name, query));
}

static bool
has_index(const void *none)
{
	(void)none;
	return file("index.m3u8", "").status == 200;
}

/* Someone says a phrase, and HLS begins. */
static void
open_hls(void)
{
	struct talk h = talk_open(OUTPUT);
	struct answer a = ASK(.path = h.path, .as = &h.owner);
	const char *url = strstr(text_at(a.json, "data.outputs.0.url"), "/hls/");

	ck_assert_ptr_nonnull(url);
	folder = text("%.*s", (int)(strrchr(url, '/') + 1 - url), url);
	talk_say(&h);
	ck_assert(becomes(has_index, NULL, 30));
}

/* The end of a playlist. */
struct end {
	long segment; /* number of its last segment */
	int parts;    /* number of parts of the next segment */
	const char *hint;
};

static struct end
end_of(const struct answer *a)
{
	const char *at = strstr(a->body, "#EXT-X-MEDIA-SEQUENCE:");
	struct end e = { .hint = "" };

	EXPECT(*a, 200);
	ck_assert_ptr_nonnull(at);
	e.segment = atol(strchr(at, ':') + 1) - 1;
	for (at = strchr(at, '\n') + 1; *at != '\0'; at = strchr(at, '\n') + 1)
		if (strncmp(at, "#EXT-X-PART:", 12) == 0)
			e.parts++;
		else if (strncmp(at, "#EXT-X-PRELOAD-HINT:", 20) == 0)
			e.hint = strstr(at, "URI=\"") + 5;
		else if (*at != '#') {
			e.segment++;
			e.parts = 0;
		}
	e.hint = text("%.*s", (int)strcspn(e.hint, "\""), e.hint);
	return e;
}

static void
check_head(const struct answer *a, const char *type, const char *cache)
{
	EXPECT(*a, 200);
	ck_assert_str_eq(header_of(a, "Content-Type"), type);
	ck_assert_str_eq(header_of(a, "Cache-Control"), cache);
	ck_assert_str_eq(header_of(a, "Access-Control-Allow-Origin"), "*");
}

#define LIST "application/vnd.apple.mpegurl"
#define FOR_EVER "public, max-age=86400, immutable"

START_TEST(a_playlist_to_come_is_waited_for)
{
	struct answer a;
	struct end was, is;
	double began;

	open_hls();
	a = file("es-audio.m3u8", "");
	check_head(&a, LIST, "public, max-age=1");
	was = end_of(&a);
	began = seconds();
	for (int i = 0; i < 6; i++) {
		a = file("es-audio.m3u8",
		    text("?_HLS_msn=%ld&_HLS_part=%d", was.segment + 1, was.parts));
		check_head(&a, LIST, "public, max-age=4");
		is = end_of(&a);
		ck_assert(is.segment > was.segment || is.parts > was.parts);
		was = is;
	}
	ck_assert(seconds() > began + 1 && seconds() < began + 20);
	a = file("es-text.m3u8", "");
	was = end_of(&a);
	a = file("es-text.m3u8", text("?_HLS_msn=%ld", was.segment + 2));
	check_head(&a, LIST, "public, max-age=4");
	ck_assert_int_ge(end_of(&a).segment, was.segment + 2);
	a = file("es-audio.m3u8", "?_HLS_skip=YES");
	check_head(&a, LIST, "public, max-age=1");
}
END_TEST

START_TEST(the_announced_part_is_waited_for)
{
	struct answer a;
	const char *first, *name;

	open_hls();
	a = file("es-audio.m3u8", "");
	first = name = end_of(&a).hint;
	for (int i = 0; i < 4; i++) {
		a = file(name, "");
		check_head(&a, "video/mp4", FOR_EVER);
		ck_assert_uint_gt(a.n, 100); /* silence is short */
		a = file("es-audio.m3u8", "?_HLS_skip=YES");
		name = end_of(&a).hint;
	}
	a = file(first, "");
	check_head(&a, "video/mp4", FOR_EVER);
	a = file("es-audio.m3u8", "");
	a = file(text("es-%ld.m4s", end_of(&a).segment), "");
	check_head(&a, "video/mp4", FOR_EVER);
	a = file("es-init-0.mp4", "");
	check_head(&a, "video/mp4", "public, max-age=60");
}
END_TEST

static const struct {
	const char *name, *query;
	int status;
} wrong[] = {
	{ "es-audio.m3u8", "?_HLS_msn=-1", 400 },
	{ "es-audio.m3u8", "?_HLS_msn=", 400 },
	{ "es-audio.m3u8", "?_HLS_msn=7x", 400 },
	{ "es-audio.m3u8", "?_HLS_msn=99999999999999999999", 400 },
	{ "es-audio.m3u8", "?_HLS_msn=7&_HLS_msn=8", 400 },
	{ "es-audio.m3u8", "?_HLS_msn=999999999999", 400 },
	{ "es-audio.m3u8", "?_HLS_msn=7&_HLS_part=1.5", 400 },
	{ "es-audio.m3u8", "?_HLS_part=1", 400 },
	{ "es-audio.m3u8", "?_HLS_skip=no", 400 },
	{ "none.m3u8", "?_HLS_msn=7", 404 },
	{ "es-7p1.m4s", "", 404 },
	{ "es-7p1.m4s", "?_HLS_msn=7", 404 },
	{ "../es-audio.m3u8", "?_HLS_msn=7", 404 },
	{ "..%2f..%2fetc%2fdragoman.conf", "?_HLS_msn=7", 404 },
	{ "../../etc/dragoman.conf", "?_HLS_msn=7", 404 },
	{ "%2e%2e/es-audio.m3u8", "?_HLS_msn=7", 404 },
	{ "es-audio.m3u8/..", "?_HLS_msn=7", 404 },
	{ ".es-audio.m3u8", "?_HLS_msn=7", 404 },
	{ "gone", "?_HLS_msn=7", 404 },
};

START_TEST(wrong_requests_are_refused)
{
	struct answer a;
	long last;

	open_hls();
	for (int i = 0; i < ROWS(wrong); i++) {
		a = file(wrong[i].name, wrong[i].query);
		expect_problem(&a, wrong[i].status,
		    wrong[i].status == 400 ? "bad-request" : "resource-not-found");
	}
	a = file("es-audio.m3u8", "");
	last = end_of(&a).segment;
	a = file("es-audio.m3u8", text("?_HLS_msn=%ld", last + 4));
	expect_problem(&a, 400, "bad-request");
	ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), "_HLS_msn");
	a = file("es-audio.m3u8", text("?_HLS_msn=%ld&_HLS_part=40", last + 2));
	expect_problem(&a, 400, "bad-request");
	ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), "_HLS_part");
	a = ASK(.method = "POST", .path = text("%ses-audio.m3u8?_HLS_msn=7", folder),
	    .json = "{}");
	expect_problem(&a, 405, "method-not-allowed");
}
END_TEST

/* The listener has a socket, too. */
static bool
has_two_listeners(const void *talk)
{
	const struct talk *h = talk;
	struct answer a =
	    ASK(.path = text("/saas/v2/event/%s/stats", h->event), .as = &h->owner);

	EXPECT(a, 200);
	return int_at(a.json, "data.now.listeners") == 2;
}

static struct answer
report(const char *query)
{
	return ASK(.method = "POST",
	    .path = text("/streaming-api/hls-listener%s", query));
}

/* A listener by HLS has no socket. */
START_TEST(listeners_report_and_are_counted)
{
	struct talk h = talk_open(OUTPUT);
	struct answer a = report("");

	expect_problem(&a, 401, "unauthorized");
	a = report("?token=none");
	expect_problem(&a, 401, "unauthorized");
	a = report(strchr(h.speaker_url, '?'));
	expect_problem(&a, 403, "insufficient-scope");
	a = report(text("?token=%s&language=tlh", h.token));
	expect_problem(&a, 422, "validation-error");
	a = report(text("?token=%s&language=original", h.token));
	EXPECT(a, 200);
	ck_assert_int_eq(int_at(a.json, "data.next_seconds"), 30);
	ck_assert(becomes(has_two_listeners, &h, 20));
}
END_TEST

Suite *
hls_suite(void)
{
	TCase *t;
	Suite *s = suite_of("hls", NULL, &t);

	tcase_add_test(t, a_playlist_to_come_is_waited_for);
	tcase_add_test(t, the_announced_part_is_waited_for);
	tcase_add_test(t, wrong_requests_are_refused);
	tcase_add_test(t, listeners_report_and_are_counted);
	return s;
}
