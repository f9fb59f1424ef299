/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every cell of the document's table of states, and that a start causes no messages. */
#include "protocol/state.h"
#include "tests/unit/unit.h"

#define S INT64_C(1000000)

/* A cell: the action, its error, and the next state; "" stays. */
struct cell {
	enum state_action action;
	const char *error;
	enum state next;
};

#define NOT_FOUND ACT_ERROR, "NOT_FOUND"
#define CONFLICT ACT_ERROR, "CONFLICT"
#define INVALID ACT_ERROR, "VALIDATION_ERROR"
#define DIES ACT_STOP, "ENGINE_UNAVAILABLE", STATE_NONE
#define NO_EFFECT(state)                                                               \
	{                                                                              \
		ACT_NOTHING, NULL, STATE_##state                                       \
	}
#define DROPS(state)                                                                   \
	{                                                                              \
		ACT_DROP_OUTPUT, NULL, STATE_##state                                   \
	}
#define CLOSES                                                                         \
	{                                                                              \
		ACT_CLOSE, NULL, STATE_CLOSED                                          \
	}
#define CLOSES_NOW                                                                     \
	{                                                                              \
		ACT_CLOSE_NOW, NULL, STATE_CLOSED                                      \
	}
#define LEAVES                                                                         \
	{                                                                              \
		ACT_LEAVE, NULL, STATE_CLOSED                                          \
	}

/* The columns; HELD is a starting task that was paused. */
static const enum state columns[] = { STATE_NONE, STATE_STARTING, STATE_HELD,
	STATE_RUNNING, STATE_PAUSED, STATE_ENDING };

/* clang-format off */
static const struct {
	enum state_event event;
	struct cell cells[COUNT(columns)];
} rows[] = {
	{ EVENT_SET, {
		{ ACT_START, NULL, STATE_STARTING }, { ACT_RESTART, NULL, STATE_STARTING },
		{ ACT_RESTART, NULL, STATE_STARTING }, { ACT_REPLACE, NULL, STATE_RUNNING },
		{ ACT_RESUME, NULL, STATE_RUNNING }, { CONFLICT, STATE_ENDING } } },
	{ EVENT_SET_WRONG, {
		{ INVALID, STATE_NONE }, { INVALID, STATE_STARTING }, { INVALID, STATE_HELD },
		{ INVALID, STATE_RUNNING }, { INVALID, STATE_PAUSED },
		{ CONFLICT, STATE_ENDING } } },
	{ EVENT_GET, {
		{ NOT_FOUND, STATE_NONE }, { NOT_FOUND, STATE_STARTING },
		{ NOT_FOUND, STATE_HELD }, { ACT_NOTIFY, NULL, STATE_RUNNING },
		{ ACT_NOTIFY, NULL, STATE_PAUSED }, { ACT_NOTIFY, NULL, STATE_ENDING } } },
	{ EVENT_PAUSE, {
		{ NOT_FOUND, STATE_NONE }, NO_EFFECT(HELD), NO_EFFECT(HELD),
		{ ACT_PAUSE, NULL, STATE_PAUSED }, NO_EFFECT(PAUSED), NO_EFFECT(ENDING) } },
	{ EVENT_FLUSH, {
		{ NOT_FOUND, STATE_NONE }, NO_EFFECT(STARTING), NO_EFFECT(HELD),
		{ ACT_FLUSH, NULL, STATE_RUNNING }, DROPS(PAUSED), DROPS(ENDING) } },
	{ EVENT_FLUSH_PAUSE, {
		{ NOT_FOUND, STATE_NONE }, NO_EFFECT(STARTING), NO_EFFECT(HELD),
		{ ACT_FLUSH_PAUSE, NULL, STATE_PAUSED }, DROPS(PAUSED), DROPS(ENDING) } },
	{ EVENT_TTS, {
		{ NOT_FOUND, STATE_NONE }, { ACT_SPEAK_LATER, NULL, STATE_STARTING },
		{ CONFLICT, STATE_HELD }, { ACT_SPEAK, NULL, STATE_RUNNING },
		{ CONFLICT, STATE_PAUSED }, { CONFLICT, STATE_ENDING } } },
	{ EVENT_AUDIO, {
		{ NOT_FOUND, STATE_NONE }, { ACT_KEEP_AUDIO, NULL, STATE_STARTING },
		NO_EFFECT(HELD), { ACT_INGEST, NULL, STATE_RUNNING }, NO_EFFECT(PAUSED),
		{ ACT_INGEST, NULL, STATE_ENDING } } },
	{ EVENT_END, {
		CLOSES, CLOSES, CLOSES, { ACT_END, NULL, STATE_ENDING },
		{ ACT_END, NULL, STATE_ENDING }, NO_EFFECT(ENDING) } },
	{ EVENT_END_FORCE, {
		CLOSES_NOW, CLOSES_NOW, CLOSES_NOW, CLOSES_NOW, CLOSES_NOW, CLOSES_NOW } },
	{ EVENT_READY, {
		NO_EFFECT(NONE), { ACT_BEGIN, NULL, STATE_RUNNING },
		{ ACT_BEGIN_PAUSED, NULL, STATE_PAUSED }, NO_EFFECT(RUNNING),
		NO_EFFECT(PAUSED), NO_EFFECT(ENDING) } },
	{ EVENT_FAILED, {
		NO_EFFECT(NONE), { DIES }, { DIES }, { DIES }, NO_EFFECT(PAUSED),
		NO_EFFECT(ENDING) } },
	{ EVENT_SENT, {
		NO_EFFECT(NONE), NO_EFFECT(STARTING), NO_EFFECT(HELD), NO_EFFECT(RUNNING),
		NO_EFFECT(PAUSED), CLOSES } },
	{ EVENT_GONE, { LEAVES, LEAVES, LEAVES, LEAVES, LEAVES, LEAVES } },
};
/* clang-format on */

START_TEST(each_cell_is_as_documented)
{
	for (int i = 0; i < COUNT(columns); i++) {
		const struct cell *cell = &rows[_i].cells[i];
		struct state_step step = state_step(columns[i], rows[_i].event);

		ck_assert_msg(
		    step.action == cell->action, "event %d, column %d", _i, i);
		ck_assert_int_eq(step.next, cell->next);
		ck_assert_pstr_eq(step.error, cell->error);
		ck_assert_int_eq(step.once,
		    columns[i] == STATE_NONE && rows[_i].event == EVENT_AUDIO);
		ck_assert_int_eq(step.desc != NULL,
		    step.error != NULL && strcmp(step.error, "VALIDATION_ERROR") != 0);
	}
	ck_assert_int_eq(rows[_i].event, _i);
}
END_TEST

START_TEST(nothing_happens_to_what_is_closed)
{
	for (enum state_event e = 0; e < STATE_EVENTS; e++) {
		struct state_step step = state_step(STATE_CLOSED, e);

		ck_assert_int_eq(step.next, STATE_CLOSED);
		ck_assert_int_eq(step.action, ACT_NOTHING);
		ck_assert_ptr_null(step.error);
	}
}
END_TEST

START_TEST(what_is_told_is_running_or_paused)
{
	ck_assert_str_eq(state_status(STATE_RUNNING), "running");
	ck_assert_str_eq(state_status(STATE_PAUSED), "paused");
	ck_assert_str_eq(state_status(STATE_ENDING), "running");
}
END_TEST

START_TEST(a_start_is_quiet_for_30_s)
{
	struct state_startup s = { 0 };

	ck_assert(state_allows_error(&s, "RATE_LIMIT_EXCEEDED", false, 0));
	state_begins(&s, 5 * S);
	ck_assert(!state_allows_error(&s, "RATE_LIMIT_EXCEEDED", false, 5 * S));
	ck_assert(!state_allows_error(&s, "VALIDATION_ERROR", false, 5 * S));
	ck_assert(state_allows_error(&s, "VALIDATION_ERROR", true, 5 * S));
	ck_assert(state_allows_error(&s, "SESSION_CLOSED", true, 5 * S));
	ck_assert(state_allows_error(&s, "NOT_FOUND", false, 5 * S));
	ck_assert(state_allows_error(&s, "ENGINE_UNAVAILABLE", false, 5 * S));
	ck_assert(!state_allows_error(&s, "CONFLICT", false, 35 * S - 1));
	ck_assert(state_allows_error(&s, "CONFLICT", false, 35 * S));
}
END_TEST

START_TEST(a_current_task_ends_the_quiet_and_the_free_asking)
{
	struct state_startup s = { 0 };

	ck_assert(state_asks_freely(&s));
	state_begins(&s, S);
	ck_assert(state_asks_freely(&s));
	state_reported(&s);
	ck_assert(!state_asks_freely(&s));
	ck_assert(state_allows_error(&s, "CONFLICT", false, S));
	state_begins(&s, 2 * S);
	ck_assert(state_asks_freely(&s));
	ck_assert(!state_allows_error(&s, "CONFLICT", false, 2 * S));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream_state");
	TCase *t = tcase_create("all");

	(void)fixture_open, (void)fixture_close;
	_Static_assert(COUNT(rows) == STATE_EVENTS, "each event has a row");
	tcase_add_loop_test(t, each_cell_is_as_documented, 0, COUNT(rows));
	tcase_add_test(t, nothing_happens_to_what_is_closed);
	tcase_add_test(t, what_is_told_is_running_or_paused);
	tcase_add_test(t, a_start_is_quiet_for_30_s);
	tcase_add_test(t, a_current_task_ends_the_quiet_and_the_free_asking);
	suite_add_tcase(s, t);
	return unit_run(s);
}
