/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the recipes of docs/contributing.md: every output of a channel and every type
 * of webhook message has all its parts.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "service/channel_outputs.h"
#include "store/channels.h"
#include "store/webhooks.h"
#include "tests/unit/suite.h"

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

static const char *
text_of(const char *path)
{
	static char text[256 * 1024];
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_msg(f != NULL, "there is no %s", path);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return arena_str(mem, text);
}

/* True if one of these files, except one, has the text. */
static bool
stands_in(const char *pattern, const char *but, const char *text)
{
	bool found = false;
	glob_t files;

	ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; !found && i < files.gl_pathc; i++)
		found = strcmp(files.gl_pathv[i], but) != 0 &&
			strstr(text_of(files.gl_pathv[i]), text) != NULL;
	globfree(&files);
	return found;
}

/* webrtc_push is made by the backend's driver, and captions need no child. */
START_TEST(each_output_is_made_by_something)
{
	const char *const *protocol = output_in_fields[0].names;

	for (; *protocol != NULL; protocol++) {
		const char *text =
			       arena_printf(mem, "{\"protocol\":\"%s\"}", *protocol),
			   *why;

		if (strcmp(*protocol, "webrtc_push") == 0 ||
		    strcmp(*protocol, "captions_push") == 0)
			continue;
		ck_assert_msg(
		    channel_outputs_makes(json_read(mem, text, strlen(text), &why)),
		    "channel_outputs_makes() does not know %s", *protocol);
		ck_assert_msg(stands_in("lib/egress/*.c", "lib/egress/egress.c",
				  arena_printf(mem, "\"%s\"", *protocol)),
		    "no file of lib/egress has a sink for %s", *protocol);
	}
}
END_TEST

START_TEST(each_sink_has_its_row)
{
	const char *rows = text_of("lib/egress/egress.c");
	static const char head[] = "\nconst struct egress_sink ";
	glob_t files;

	ck_assert_int_eq(glob("lib/egress/*.c", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *s = text_of(files.gl_pathv[i]);

		while ((s = strstr(s, head)) != NULL) {
			s += strlen(head);
			ck_assert_msg(
			    strstr(rows, arena_printf(mem, "&%.*s",
					     (int)strcspn(s, " "), s)) != NULL,
			    "sinks of lib/egress/egress.c lacks that of %s",
			    files.gl_pathv[i]);
		}
	}
	globfree(&files);
}
END_TEST

START_TEST(each_type_of_webhooks_is_sent_by_something)
{
	for (int i = 0; webhook_events[i][0] != '*'; i++) {
		const char *quoted = arena_printf(mem, "\"%s\"", webhook_events[i]);

		ck_assert_msg(stands_in("lib/*/*.c", "lib/store/webhooks.c", quoted) ||
				  stands_in("cgi-bin/*.c", "", quoted) ||
				  stands_in("workers/*.c", "", quoted),
		    "nothing sends %s", quoted);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("recipes");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, each_output_is_made_by_something);
	tcase_add_test(t, each_sink_has_its_row);
	tcase_add_test(t, each_type_of_webhooks_is_sent_by_something);
	suite_add_tcase(s, t);
	return unit_run(s);
}
