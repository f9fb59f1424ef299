/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks of a gateway whose recognizer is a process with a model that works or fails:
 * tests/model-library.c.
 */
#include <libgen.h>

#include "speech/engine.h"
#include "speech/model_process.h"
#include "tests/unit/children.h"
#include "tests/unit/gateway_fixture.h"

#define PARTLY "{\"message_type\":\"partial_transcription\""

static const char *model;

static void
setup(void)
{
	gateway_open();
	model = unit_folder(fixture.mem);
}

static void
teardown(void)
{
	unit_folder_drop(model);
	gateway_close();
	model_end_idle();
	ck_assert_int_eq(count_children(), 0);
}

/* Uses a model that behaves like that, followed by a script engine. */
static void
use(const char *what)
{
	char self[1024] = "";

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	dirname(self);
	for (const char *const *f =
		 HEADS("encoder-1.int8.onnx", "decoder-1.onnx", "joiner-1.onnx");
	     *f != NULL; f++)
		unit_write(arena_printf(fixture.mem, "%s/%s", model, *f), "");
	unit_write(arena_printf(fixture.mem, "%s/tokens.txt", model), what);
	gateway_engines(arena_printf(fixture.mem,
	    "[bin]\ndir = %s/../bin\n[speech]\nasr = ear script\nmt = script\n"
	    "tts = script\n[engine.ear]\nkind = sherpa\nlibrary = %s/model-library.so\n"
	    "model = %s\nlanguages = en\nthreads = 2\n",
	    self, self, model));
}

START_TEST(a_phrase_is_heard_in_a_process)
{
	struct websocket *s;

	use("count");
	s = start_task(TASK(TO("es"), ALL_TYPES));
	for (int i = 0; i < 30 && count_seen(s, PARTLY, "") == 0; i++) {
		int64_t until_us = monotonic_us() + S_US / 3;

		send_talk(s);
		while (monotonic_us() < until_us)
			gateway_tick();
	}
	await_seen(s, PARTLY, "", 1);
	send_sound(s, 1000, false);
	await_seen(s, FINAL, "", 1);
	await_seen(s, "translated_transcription", "[es]", 1);
	/* text of the script engine */
	ck_assert_int_eq(count_seen(s, FINAL, "hello world"), 0);
	ck_assert_int_eq(count_children(), 1);
}
END_TEST

/* The next engine gets that phrase and all later ones. */
START_TEST(a_process_that_crashes_costs_no_phrase)
{
	struct websocket *s;

	use("crash");
	s = start_task(TASK(TO("es"), ""));
	for (int i = 1; i <= 2; i++) {
		send_phrase(s);
		await_seen(s, FINAL, "hello world", i);
	}
	ck_assert_int_eq(count_seen(s, "\"error\"", ""), 0);
	tell(s, "end_task", "{\"force\":true}");
	gateway_await(count_children() == 0);
}
END_TEST

START_TEST(a_model_that_cannot_be_loaded_is_passed_over)
{
	struct websocket *s;

	use("exit");
	s = start_task(TASK(TO("es"), ""));
	send_phrase(s);
	await_seen(s, FINAL, "hello world", 1);
	ck_assert_int_eq(count_children(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("pipeline models");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_phrase_is_heard_in_a_process);
	tcase_add_test(t, a_process_that_crashes_costs_no_phrase);
	tcase_add_test(t, a_model_that_cannot_be_loaded_is_passed_over);
	suite_add_tcase(s, t);
	return unit_run(s);
}
