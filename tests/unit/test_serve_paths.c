/* SPDX-License-Identifier: GPL-3.0-or-later */
#define UNIT_TEST
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/suite.h"
#include "workers/dragoman-serve.c"

#define IS(symbol, text) const struct program symbol##_routes_program = { text }
IS(balance, "balance");
IS(blob, "blobs");
IS(channel, "channels");
IS(event, "events");
IS(glossary, "glossaries");
IS(key, "keys");
IS(listener, "listeners");
IS(recording, "recordings");
IS(request, "requests");
IS(sample, "samples");
IS(session, "sessions");
IS(sign_in, "sign_ins");
IS(system, "system");
IS(transcript, "transcripts");
IS(upload, "uploads");
IS(voice, "voices");
IS(webhook, "webhooks");

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/* Returns the name of the program or "gateway". */
static const char *
at(const char *target)
{
	const struct serve_path *p = serve_path_find(mem, paths, target);

	return p->program != NULL ? p->program->name : "gateway";
}

/* Each {...} of a route becomes a segment that no row names. */
static const char *
filled(const char *path)
{
	struct buf b = { .mem = mem };

	for (; *path != '\0'; path += *path == '{' ? strcspn(path, "}") + 1 : 1)
		buf_str(&b, *path == '{' ? "x7" : arena_dup(mem, path, 1));
	return buf_text(&b);
}

/* The routes of all programs, as their --routes print them. */
START_TEST(each_route_leads_to_its_program)
{
	FILE *f = fopen("tests/golden/routes.txt", "r");
	char line[256], program[64] = "", method[16], path[200];
	int n = 0;

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%15s %199s", method, path) == 2) {
			ck_assert_msg(strcmp(at(filled(path)), program) == 0,
			    "%s of %s leads to %s", path, program, at(filled(path)));
			n++;
		} else
			sscanf(line, "%63[^:]", program);
	}
	fclose(f);
	ck_assert_int_gt(n, 100);
}
END_TEST

/* clang-format off */
static const struct {
	const char *target, *program;
} odd[] = {
	{ "/saas/%76oice",        "voices" },
	{ "/saas/voices",         "system" },
	{ "/saas/voice?a=/blobs", "voices" },
	{ "/saas%2Fvoice",        "system" },
	{ "//saas/voice",         "system" },
	{ "/saas/voice/m//tts-sample", "voices" },
	{ "/blobs",               "blobs" },
	{ "/blobsx",              "system" },
	{ "/",                    "system" },
	{ "/%zz",                 "system" },
};
/* clang-format on */

START_TEST(a_path_is_compared_segment_by_segment)
{
	ck_assert_str_eq(at(odd[_i].target), odd[_i].program);
}
END_TEST

/* clang-format off */
static const struct {
	const char *target;
	bool waits;
} hls[] = {
	{ "/hls/0f/es-7p0.m4s",                true },
	{ "/hls/0f/picture-7p47.m4s",          true },
	{ "/hls/0f/es-audio.m3u8?_HLS_msn=7",  true },
	{ "/hls/0f/es-audio.m3u8?a=1&_HLS_skip=YES", true },
	{ "/hls/0f/es-7.m4s",                  false },
	{ "/hls/0f/es-7.m4s?_HLS_msn=7",       false },
	{ "?_HLS_msn=7",                       false },
	{ "/hls/0f/es-7p.m4s",                 false },
	{ "/hls/0f/es-audio.m3u8?a_HLS_msn=7", false },
	{ "/hls/0f/es-init-0.mp4",             false },
	{ ".m4s",                              false },
};
/* clang-format on */

START_TEST(parts_and_playlists_to_come_wait_in_the_gateway)
{
	ck_assert(hls_files_must_wait(hls[_i].target) == hls[_i].waits);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("serve_paths");
	TCase *t = tcase_create("paths");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, each_route_leads_to_its_program);
	tcase_add_loop_test(t, a_path_is_compared_segment_by_segment, 0, COUNT(odd));
	tcase_add_loop_test(
	    t, parts_and_playlists_to_come_wait_in_the_gateway, 0, COUNT(hls));
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
