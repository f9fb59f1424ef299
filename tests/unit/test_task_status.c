/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answers to commands. */
#include "tests/unit/gateway_fixture.h"

#define STATUS(command, event, status)                                                 \
	"\"command\":\"" command "\",\"event\":\"" event                               \
	"\",\"task_status\":\"" status "\""

/* Clients of generation 2.2 wait for these answers and do not poll. */
START_TEST(each_command_is_answered_by_its_status)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	await_seen(s, "task_status", STATUS("set_task", "started", "running"), 1);
	tell(s, "set_task", TASK(TO("es"), ""));
	await_seen(s, "task_status", STATUS("set_task", "unchanged", "running"), 1);
	tell(s, "set_task", TASK(TO("es") "," TO("fr"), ""));
	await_seen(s, "task_status", STATUS("set_task", "updated", "running"), 1);
	tell(s, "tts_task", "{\"text\":\"hello\",\"language\":\"es\"}");
	await_seen(s, "task_status",
	    STATUS("tts_task", "queued", "running") ",\"transcription_id\":\"", 1);
	tell(s, "interrupt_task", "{\"languages\":[\"global\"],\"pause_task\":false}");
	await_seen(
	    s, "task_status", STATUS("interrupt_task", "interrupted", "running"), 1);
	tell(s, "flush_task", "{\"pause_task\":true}");
	await_seen(s, "task_status", STATUS("flush_task", "interrupted", "paused"), 1);
	tell(s, "pause_task", "{}");
	await_seen(s, "task_status", STATUS("pause_task", "paused", "paused"), 1);
	tell(s, "set_task", TASK(TO("es"), ""));
	await_seen(s, "task_status", STATUS("set_task", "resumed", "running"), 1);
	gateway_wait(300);
	ck_assert_int_eq(count_seen(s, "task_status", "set_task"), 4);
	tell(s, "end_task", "{}");
	await_by(gateway_tick(), s->code != 0);
	ck_assert_int_eq(count_seen(s, "task_status", "end_task"), 0);
	ck_assert_int_eq(count_seen(s, "\"end_of_stream\"", ""), 1);
	ck_assert_int_eq(count_seen(s, "\"eos\"", ""), 1);
}
END_TEST

START_TEST(a_command_that_is_refused_has_no_status)
{
	struct websocket *s = connect_writer();

	tell(s, "pause_task", "{}");
	tell(s, "interrupt_task", "{}");
	tell(s, "tts_task", "{\"text\":\"hello\",\"language\":\"es\"}");
	tell(s, "set_task", "{\"input_stream\":{}}");
	ck_assert_int_eq(count_seen(s, "task_status", ""), 0);
	ck_assert_int_eq(count_seen(s, "\"error\"", ""), 4);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("task_status");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_add_test(t, each_command_is_answered_by_its_status);
	tcase_add_test(t, a_command_that_is_refused_has_no_status);
	suite_add_tcase(s, t);
	return unit_run(s);
}
