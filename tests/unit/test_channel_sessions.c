/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Channels at a Janus: the gateway serves them without a socket. */
#include "channel/channel_sessions.h"
#include "tests/unit/channel_session_fixture.h"
#include "tests/unit/rtp_bridge_fixture.h"

/* ---- a channel, and what its worker makes ---- */

static const char *
name_of(const char *id)
{
	return arena_printf(fixture.mem, "%s-1", id);
}

static struct broadcast
broadcast_of(const char *id, const char *targets)
{
	return (struct broadcast){ .name = name_of(id),
		.input = "webrtc_push",
		.source_language = "en",
		.target_languages = targets,
		.outputs = "[]" };
}

/* Creates the room at Janus, as the channel's worker does. */
static void
make_room(const char *id, const char *targets)
{
	const struct broadcast b = broadcast_of(id, targets);

	ck_assert_int_eq(
	    broadcast_janus.create(&fixture.app.conf, fixture.mem, &b), OK);
}

static void
drop_room(const char *id)
{
	ck_assert_int_eq(
	    broadcast_janus.destroy(&fixture.app.conf, fixture.mem, name_of(id)), OK);
}

static const char *
channel_at_janus(const char *targets)
{
	const char *id = new_channel(targets);

	make_room(id, targets);
	return id;
}

/* ---- its session ---- */

/* Makes the database thread poll now. */
static void
look(void)
{
	gateway.channels_polled_us = 0;
	channel_sessions_poll(&gateway);
	gateway_wait(20);
}

static struct session *
session_of(const char *id)
{
	struct session *s = gateway.sessions;

	while (s != NULL &&
	       (strcmp(s->id, id) != 0 || *sink_state(s, &bridge_sink) == NULL))
		s = s->next;
	return s;
}

/* Waits until the channel's sound arrives here and its languages are open. */
static void
await_session(const char *id)
{
	gateway_await(session_of(id) != NULL && sinks_are_ready(session_of(id)));
}

/* Closes all sessions and removes the workers' objects. */
static void
teardown(void)
{
	sql("UPDATE channels SET lifecycle = 'deleting'");
	look();
	gateway_await(bridge_api_of(&gateway)->rooms == NULL);
	for (const struct json *v = janus_all("audiobridge")->kids; v != NULL;
	     v = v->next)
		ck_assert_int_eq(broadcast_janus.destroy(&fixture.app.conf, fixture.mem,
				     json_get_text(v, "room")),
		    OK);
	rtp_bridge_close_gateway();
}

/* ---- cases ---- */

START_TEST(speech_in_a_room_begins_its_task)
{
	const char *id = channel_at_janus("[\"es\"]");
	const char *es = arena_printf(fixture.mem, "%s-es", name_of(id));
	struct websocket *l;
	uint16_t first;

	look();
	await_session(id);
	await_row(id, "runtime", "pending\n");
	ck_assert_int_eq(session_of(id)->state, STATE_NONE);
	l = connect_to(id, false, "es");
	first = record("start", es);
	play_tone(name_of(id));
	await_seen(l, "\"translated_transcription\"", "[es] hello world", 1);
	await_seen(l, "output_audio_data", "\"last_chunk\":true", 1);
	await_row(id, "runtime", "active\n");
	ck_assert_int_ne(session_of(id)->meter.since_us, 0);
	check_recorded(es, first, 960);
	hang_up(l);
	gateway_wait(100);
	ck_assert_ptr_nonnull(session_of(id));
	channel_session_tick(session_of(id), monotonic_us() + 11 * S_US);
	ck_assert_int_eq(session_of(id)->meter.since_us, 0);
	channel_session_tick(session_of(id), monotonic_us() + 61 * S_US);
	await_row(id, "runtime", "stopped\n");
	ck_assert_int_eq(session_of(id)->state, STATE_NONE);
}
END_TEST

START_TEST(its_languages_follow_its_row)
{
	const char *id = channel_at_janus("[\"es\"]");
	const char *fr = arena_printf(fixture.mem, "%s-fr", name_of(id));
	const struct broadcast b = broadcast_of(id, "[\"es\",\"fr\"]");
	uint16_t first;

	look();
	await_session(id);
	ck_assert_int_eq(
	    broadcast_janus.change(&fixture.app.conf, fixture.mem, &b), OK);
	sql("UPDATE channels SET target_languages = '[\"es\",\"fr\"]'");
	look();
	await_session(id);
	first = record("start", fr);
	play_tone(name_of(id));
	check_recorded(fr, first, 960);
}
END_TEST

START_TEST(one_that_is_lost_waits_for_its_next_room)
{
	const char *id = new_channel("[\"es\"]");

	look(); /* its room does not exist */
	gateway_wait(300);
	ck_assert_ptr_nonnull(session_of(id));
	ck_assert(!sinks_are_ready(session_of(id)));
	make_room(id, "[\"es\"]");
	await_session(id);
	drop_room(id);
	sql("UPDATE channels SET broadcast = id || '-2', attempt = 2");
	ck_assert_int_eq(
	    broadcast_janus.create(&fixture.app.conf, fixture.mem,
		&(struct broadcast){ .name = arena_printf(fixture.mem, "%s-2", id),
		    .input = "webrtc_push",
		    .target_languages = "[\"es\"]",
		    .outputs = "[]" }),
	    OK);
	look();
	await_session(id);
	ck_assert_str_eq(bridge_api_of(&gateway)->rooms->name,
	    arena_printf(fixture.mem, "%s-2", id));
}
END_TEST

static const char *const ends[] = {
	"UPDATE channels SET lifecycle = 'deleting'",
	"UPDATE accounts SET status = 'suspended'", "DELETE FROM channels",
	NULL, /* nothing was charged */
};

START_TEST(a_session_closes)
{
	const char *id = channel_at_janus("[\"es\"]");

	look();
	await_session(id);
	if (ends[_i] != NULL)
		sql(ends[_i]);
	else
		gateway_pay(INT64_C(-200) * MICRO);
	look();
	gateway_await(bridge_api_of(&gateway)->rooms == NULL);
	gateway_await(gateway.sessions == NULL);
	/* the worker removes the room */
	ck_assert_ptr_nonnull(strstr(janus_names(), name_of(id)));
	look();
	ck_assert_ptr_null(gateway.sessions);
}
END_TEST

START_TEST(a_fault_of_the_database_closes_nothing)
{
	const char *id = channel_at_janus("[\"es\"]");

	look();
	await_session(id);
	for (int n = 1; n < 6; n++) {
		db_fault(gateway.app.db, n, ERR_FAILED);
		look();
		db_fault(gateway.app.db, 0, OK);
		ck_assert_ptr_nonnull(session_of(id));
	}
}
END_TEST

START_TEST(halls_close_when_the_gateway_ends)
{
	const char *id = channel_at_janus("[\"es\"]");

	look();
	await_session(id);
	play_tone(name_of(id));
	await_row(id, "runtime", "active\n");
	gateway.stopping = true;
	for (struct session *s = gateway.sessions; s != NULL; s = s->next)
		lifecycle_event(s, EVENT_END);
	look();
	gateway_await(gateway.sessions == NULL);
	ck_assert_ptr_null(bridge_api_of(&gateway)->rooms);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("gateway_halls");
	TCase *t = tcase_create("halls");

	tcase_add_unchecked_fixture(t, rtp_bridge_fixture_begin, janus_stop);
	tcase_add_checked_fixture(t, rtp_bridge_open_gateway, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, speech_in_a_room_begins_its_task);
	tcase_add_test(t, its_languages_follow_its_row);
	tcase_add_test(t, one_that_is_lost_waits_for_its_next_room);
	tcase_add_loop_test(t, a_session_closes, 0, COUNT(ends));
	tcase_add_test(t, a_fault_of_the_database_closes_nothing);
	tcase_add_test(t, halls_close_when_the_gateway_ends);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
