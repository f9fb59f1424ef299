/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tracks of the translator: when they are announced, offered and sent. */
#include "tests/unit/participant_fixture.h"

/* Sets a task with these targets; its messages to clients come in the same turn. */
static struct client *
with_task(const char *task)
{
	struct client *c = settle(come_as("anna"));

	send_json(c, "set_task", task);
	await_running(c);
	return c;
}

/* Returns the sid of the translator's track with this name in an update; NULL: none. */
static const char *
sid_of(struct buf update, const char *name)
{
	int n = count_at(&update, "5.1.4");

	for (int i = 0; i < n; i++)
		if (strcmp(text_at(&update, arena_printf(fixture.mem, "5.1.4#%d.3", i)),
			name) == 0)
			return text_at(
			    &update, arena_printf(fixture.mem, "5.1.4#%d.1", i));
	return NULL;
}

START_TEST(a_task_is_told_before_its_tracks_are_offered)
{
	struct client *c = settle(come_as("anna"));
	struct buf update, offer;
	const struct sdp *sdp;

	send_json(c, "set_task", WEBRTC_TASK(TO("es") "," TO("de")));
	update = await_of(c, GOT_UPDATE);
	ck_assert_int_ne(session_of(c)->state, STATE_RUNNING);
	ck_assert_int_eq(count_at(&update, "5.1"), 1);
	ck_assert_int_eq(count_at(&update, "5.1.4"), 2);
	ck_assert_str_eq(text_at(&update, "5.1.4.11"), "audio/opus");
	ck_assert_int_eq(number_at(&update, "5.1.4.9"), 2);
	offer = next_of(c, GOT_OFFER);
	ck_assert_str_eq(tracks_offered(offer),
	    arena_printf(fixture.mem, "%s %s ", sid_of(update, "translation_es"),
		sid_of(update, "translation_de")));
	sdp = description_of(offer);
	ck_assert_uint_eq(sdp->n, 3);
	ck_assert_int_eq(sdp->sections[1].direction, SDP_SENDONLY);
	ck_assert_uint_ne(sdp->sections[1].ssrc, sdp->sections[2].ssrc);
	answer(c, offer);
	await_running(c);
	expect_nothing(c);
	send_json(c, "get_task", "{}");
	gateway_tick();
	ck_assert_ptr_nonnull(waiting_json(c, "current_task"));
}
END_TEST

/* Lets this time pass without a packet. */
static void
pass_time(const struct client *c, int64_t us)
{
	session_of(c)->in.pacing.chunk_us -= us;
	gateway_tick();
}

START_TEST(a_microphone_that_falls_silent_is_told_unless_it_is_muted)
{
	struct client *c = settle(come_as("anna"));

	send_json(c, "set_task", WEBRTC_TASK(TO("es")));
	await_running(c);
	pass_time(c, 6 * S_US); /* no track is published */
	ck_assert_ptr_null(waiting_json(c, "AUDIO_STREAM_STALLED"));
	add_track(c, microphone);
	send_switch(c, MUTE, participant_of(c)->microphone_sid, true);
	pass_time(c, 6 * S_US);
	ck_assert_ptr_null(waiting_json(c, "AUDIO_STREAM_STALLED"));
	send_switch(c, MUTE, participant_of(c)->microphone_sid, false);
	pass_time(c, 4 * S_US);
	ck_assert_ptr_null(waiting_json(c, "AUDIO_STREAM_STALLED"));
	pass_time(c, 2 * S_US);
	ck_assert_ptr_nonnull(waiting_json(c, "AUDIO_STREAM_STALLED"));
}
END_TEST

START_TEST(a_task_with_the_source_of_sockets_is_taken)
{
	struct client *c = with_task(TASK(TO("es"), ""));

	ck_assert_str_eq(kinds_of(c), "5 3 ");
	ck_assert_int_eq(session_of(c)->source, TASK_WEBRTC);
}
END_TEST

START_TEST(a_language_that_stays_keeps_its_track)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es")));
	struct buf first = next_of(c, GOT_UPDATE), second;
	struct buf offer = next_of(c, GOT_OFFER);
	uint32_t ssrc = description_of(offer)->sections[1].ssrc;

	answer(c, offer);
	send_json(c, "set_task", WEBRTC_TASK(TO("de") "," TO("es")));
	second = await_of(c, GOT_UPDATE);
	ck_assert_str_eq(
	    sid_of(first, "translation_es"), sid_of(second, "translation_es"));
	ck_assert_int_gt(number_at(&second, "5.1.10"), number_at(&first, "5.1.10"));
	offer = next_of(c, GOT_OFFER);
	ck_assert_str_eq(tracks_offered(offer),
	    arena_printf(fixture.mem, "%s %s ", sid_of(second, "translation_es"),
		sid_of(second, "translation_de")));
	ck_assert_uint_eq(description_of(offer)->sections[1].ssrc, ssrc);
}
END_TEST

START_TEST(a_language_that_comes_back_has_another_track)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es") "," TO("de")));
	struct buf first = next_of(c, GOT_UPDATE), offer = next_of(c, GOT_OFFER);
	struct buf gone, back;
	uint32_t ssrc = description_of(offer)->sections[1].ssrc;

	answer(c, offer);
	send_json(c, "set_task", WEBRTC_TASK(TO("de")));
	gone = await_of(c, GOT_UPDATE);
	ck_assert_ptr_null(sid_of(gone, "translation_es"));
	offer = next_of(c, GOT_OFFER);
	ck_assert_str_eq(tracks_offered(offer),
	    arena_printf(fixture.mem, "- %s ", sid_of(first, "translation_de")));
	ck_assert_int_eq(description_of(offer)->sections[1].direction, SDP_INACTIVE);
	answer(c, offer);
	await_running(c);
	send_json(c, "set_task", WEBRTC_TASK(TO("es") "," TO("de")));
	back = await_of(c, GOT_UPDATE);
	ck_assert_str_ne(
	    sid_of(first, "translation_es"), sid_of(back, "translation_es"));
	offer = next_of(c, GOT_OFFER);
	ck_assert_str_eq(tracks_offered(offer),
	    arena_printf(fixture.mem, "%s %s ", sid_of(back, "translation_es"),
		sid_of(first, "translation_de")));
	ck_assert_uint_ne(description_of(offer)->sections[1].ssrc, ssrc);
}
END_TEST

START_TEST(one_offer_is_outstanding_at_a_time)
{
	struct client *c = come_as("anna");
	struct buf first;

	next_of(c, GOT_JOIN);
	first = next_of(c, GOT_OFFER);
	send_json(c, "set_task", WEBRTC_TASK(TO("es")));
	await_running(c);
	next_of(c, GOT_UPDATE);
	expect_nothing(c);
	answer(c, first);
	first = next_of(c, GOT_OFFER);
	ck_assert_int_eq(number_at(&first, "3.3"), 2);
	ck_assert_uint_eq(description_of(first)->n, 2);
	answer(c, first);
	expect_nothing(c);
}
END_TEST

START_TEST(listeners_are_told_of_a_task_too)
{
	struct client *anna = settle(come_as("anna"));
	struct client *ben = settle(come_listener("ben"));
	struct buf update;

	send_json(anna, "set_task", WEBRTC_TASK(TO("es") "," TO("de")));
	update = await_of(ben, GOT_UPDATE);
	ck_assert_int_eq(count_at(&update, "5.1.4"), 2);
	ck_assert_str_eq(tracks_offered(await_of(ben, GOT_OFFER)),
	    arena_printf(fixture.mem, "%s ", sid_of(update, "translation_es")));
}
END_TEST

/* Links of one session have different track threads. */
START_TEST(listeners_are_shared_out)
{
	struct webrtc_thread *m = gateway.webrtc_thread;
	int before[2] = { 0 };

	ck_assert_int_eq(m->n_senders, 2);
	for (int i = 0; i < 6; i++) {
		struct client *c =
		    settle(come_listener(arena_printf(fixture.mem, "l%d", i)));

		before[participant_of(c)->subscriber.link->sender - m->senders]++;
	}
	ck_assert_int_eq(before[0], 3);
	ck_assert_int_eq(before[1], 3);
}
END_TEST

START_TEST(a_publisher_without_listening_is_told_of_a_task_and_offered_nothing)
{
	struct client *c = come(token_of("anna", STREAM_PUBLISHER, true), NEW);
	struct buf update;

	next_of(c, GOT_JOIN);
	ck_assert(!participant_of(c)->params->subscribes);
	send_json(c, "set_task", WEBRTC_TASK(TO("es")));
	update = await_of(c, GOT_UPDATE);
	ck_assert_ptr_nonnull(sid_of(update, "translation_es"));
	await_running(c);
	expect_nothing(c);
}
END_TEST

/* ---- what clients choose ---- */

START_TEST(a_listener_that_changes_its_language_is_offered_that)
{
	struct client *anna = with_task(WEBRTC_TASK(TO("es") "," TO("de")));
	struct buf update = next_of(anna, GOT_UPDATE);
	struct client *ben = settle(come_listener("ben"));

	expect_nothing(ben);
	send_json(ben, "set_language", "{\"language\":\"de\"}");
	ck_assert_str_eq(tracks_offered(await_of(ben, GOT_OFFER)),
	    arena_printf(fixture.mem, "%s ", sid_of(update, "translation_de")));
}
END_TEST

START_TEST(a_subscription_changes_what_is_offered)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es") "," TO("de")));
	struct buf update = next_of(c, GOT_UPDATE), offer = next_of(c, GOT_OFFER);
	const char *es = sid_of(update, "translation_es");
	const char *de = sid_of(update, "translation_de");

	answer(c, offer);
	send_switch(c, SUBSCRIPTION, es, false);
	offer = next_of(c, GOT_OFFER);
	ck_assert_str_eq(tracks_offered(offer), arena_printf(fixture.mem, "- %s ", de));
	answer(c, offer);
	send_switch(c, SUBSCRIPTION, es, false);
	send_switch(c, SUBSCRIPTION, "TR_ofsomebody", true);
	expect_nothing(c);
	send_switch(c, SUBSCRIPTION, es, true);
	offer = next_of(c, GOT_OFFER);
	ck_assert_str_eq(
	    tracks_offered(offer), arena_printf(fixture.mem, "%s %s ", es, de));
}
END_TEST

START_TEST(a_listener_without_auto_subscribe_asks_for_a_track)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es") "," TO("de")));
	struct buf update = next_of(c, GOT_UPDATE), b = { .mem = fixture.mem };
	const char *de = sid_of(update, "translation_de");
	struct client *ben = settle(
	    come(token_of("ben", STREAM_SUBSCRIBER, false), NEW "&auto_subscribe=0"));
	size_t begun = protobuf_begin(&b, SUBSCRIPTION), tracks;

	expect_nothing(ben);
	tracks = protobuf_begin(&b, 3); /* participant_tracks */
	protobuf_write_text(&b, 1, "PA_x");
	protobuf_write_text(&b, 2, de);
	protobuf_end(&b, tracks);
	protobuf_write_number(&b, 2, true);
	protobuf_end(&b, begun);
	send_bytes(ben, &b);
	ck_assert_str_eq(tracks_offered(next_of(ben, GOT_OFFER)),
	    arena_printf(fixture.mem, "%s ", de));
}
END_TEST

START_TEST(a_disabled_track_is_not_sent_and_not_negotiated)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es")));
	struct buf update = next_of(c, GOT_UPDATE);
	const char *es = sid_of(update, "translation_es");
	const struct participant_section *s = participant_of(c)->sections;

	ck_assert(!s->sends);
	answer(c, next_of(c, GOT_OFFER));
	ck_assert(s->sends);
	send_switch(c, TRACK_SETTING, es, true);
	ck_assert(!s->sends);
	send_switch(c, TRACK_SETTING, es, false);
	ck_assert(s->sends);
	expect_nothing(c);
}
END_TEST

START_TEST(a_section_that_is_refused_is_not_sent)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es")));
	struct sdp *sdp;

	next_of(c, GOT_UPDATE);
	sdp = description_of(next_of(c, GOT_OFFER));
	sdp->sections[1].direction = SDP_INACTIVE;
	send_description(c, ANSWER, answer_text(sdp, "active"), 2);
	ck_assert(!participant_of(c)->sections[0].sends);
	expect_nothing(c);
}
END_TEST

/* The answer belongs to the track that had the section before. */
START_TEST(an_older_answer_accepts_no_track_that_took_the_section)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es")));
	const struct participant_section *section = participant_of(c)->sections;
	struct buf update = next_of(c, GOT_UPDATE), offer = next_of(c, GOT_OFFER);

	send_switch(c, SUBSCRIPTION, sid_of(update, "translation_es"), false);
	send_json(c, "set_task", WEBRTC_TASK(TO("de")));
	update = await_of(c, GOT_UPDATE);
	ck_assert_str_eq(section->track->sid, sid_of(update, "translation_de"));
	answer(c, offer);
	ck_assert(!section->sends);
	offer = next_of(c, GOT_OFFER);
	ck_assert_str_eq(tracks_offered(offer),
	    arena_printf(fixture.mem, "%s ", section->track->sid));
	answer(c, offer);
	ck_assert(section->sends);
}
END_TEST

/* Selections of ended tracks use no memory. */
START_TEST(choices_are_kept_however_often_tracks_change)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es")));
	const struct participant_section *section = participant_of(c)->sections;

	answer(c, (next_of(c, GOT_UPDATE), next_of(c, GOT_OFFER)));
	for (int i = 0; i < PARTICIPANT_SECTIONS + 2; i++) {
		send_switch(c, SUBSCRIPTION, section->track->sid, false);
		ck_assert_msg(!section->sends, "%d", i);
		answer(c, next_of(c, GOT_OFFER));
		participant_of(c)->limits[LIMIT_SIGNAL] = (struct limit){ 0 };
		participant_of(c)->connection->limits[LIMIT_SET_TASK] =
		    (struct limit){ 0 };
		send_json(c, "set_task",
		    i % 2 == 0 ? WEBRTC_TASK(TO("de")) : WEBRTC_TASK(TO("es")));
		await_of(c, GOT_UPDATE); /* with the new track */
		answer(c, next_of(c, GOT_OFFER));
		ck_assert_msg(section->sends, "%d", i);
		await_of(c, GOT_UPDATE); /* without the old track */
		expect_nothing(c);
	}
}
END_TEST

/* ---- the end of tracks ---- */

#define PHRASE "012345678901234567890123456789012345678901234567890123456789"
#define PHRASE_US (36 * S_US / 10)

START_TEST(a_track_ends_when_its_last_phrase_was_played)
{
	struct client *c = with_task(WEBRTC_TASK(TO("es")));
	struct client *ben = settle(come_listener("ben")); /* the first target */
	struct buf update = next_of(c, GOT_UPDATE);
	const struct translator_track *es = translator_is(session_of(c))->tracks;
	const struct participant_section *section = participant_of(ben)->sections;
	int64_t begun_us = monotonic_us();
	const char *both;

	ck_assert_str_eq(es->sid, sid_of(update, "translation_es"));
	answer(c, next_of(c, GOT_OFFER));
	ck_assert(section->sends);
	send_json(c, "tts_task", "{\"text\":\"" PHRASE "\",\"language\":\"es\"}");
	send_json(c, "set_task", WEBRTC_TASK(TO("de")));
	update = await_of(c, GOT_UPDATE);
	ck_assert_int_eq(count_at(&update, "5.1.4"), 2);
	both = arena_printf(
	    fixture.mem, "%s %s ", es->sid, sid_of(update, "translation_de"));
	ck_assert_str_eq(tracks_offered(await_of(c, GOT_OFFER)), both);
	next_of(ben, GOT_UPDATE);
	ck_assert_str_eq(tracks_offered(await_of(ben, GOT_OFFER)), both);
	while (es->played_us == 0 || monotonic_us() < es->played_us) {
		ck_assert(section->track == es && section->sends);
		gateway_tick();
	}
	ck_assert_int_gt(es->played_us, begun_us + PHRASE_US);
	update = await_of(c, GOT_UPDATE);
	ck_assert_ptr_null(sid_of(update, "translation_es"));
	ck_assert_ptr_null(section->track);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("participant_tracks");
	TCase *t = tcase_create("participant_tracks");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, participants_setup, participants_teardown);
	tcase_add_test(t, a_task_is_told_before_its_tracks_are_offered);
	tcase_add_test(t, a_microphone_that_falls_silent_is_told_unless_it_is_muted);
	tcase_add_test(t, a_task_with_the_source_of_sockets_is_taken);
	tcase_add_test(t, a_language_that_stays_keeps_its_track);
	tcase_add_test(t, a_language_that_comes_back_has_another_track);
	tcase_add_test(t, one_offer_is_outstanding_at_a_time);
	tcase_add_test(t, listeners_are_told_of_a_task_too);
	tcase_add_test(t, listeners_are_shared_out);
	tcase_add_test(
	    t, a_publisher_without_listening_is_told_of_a_task_and_offered_nothing);
	tcase_add_test(t, a_listener_that_changes_its_language_is_offered_that);
	tcase_add_test(t, a_subscription_changes_what_is_offered);
	tcase_add_test(t, a_listener_without_auto_subscribe_asks_for_a_track);
	tcase_add_test(t, a_disabled_track_is_not_sent_and_not_negotiated);
	tcase_add_test(t, a_section_that_is_refused_is_not_sent);
	tcase_add_test(t, an_older_answer_accepts_no_track_that_took_the_section);
	tcase_add_test(t, choices_are_kept_however_often_tracks_change);
	tcase_add_test(t, a_track_ends_when_its_last_phrase_was_played);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
