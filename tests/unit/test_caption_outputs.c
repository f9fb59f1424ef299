/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel posts final texts to a streaming server. */
#include "channel/caption_internal.h"
#include "channel/caption_outputs.h"
#include "channel/channel_internal.h"
#include "service/caption_post.h"
#include "tests/ingest-server.h"
#include "tests/unit/channel_session_fixture.h"

#define SAID "hello world" /* the script engine's text for every phrase */

static void
open_all(void)
{
	gateway_open();
	fixture.app.conf.captions_allow_private = true;
	ingest_open();
}

static void
close_all(void)
{
	ingest.hangs = false;
	gateway_empty();
	if (gateway.caption_pool != NULL)
		pool_stop(gateway.caption_pool);
	ck_assert_int_eq(gateway.captions_untrusted, 0);
	gateway_close();
}

static const char *
address(const char *key)
{
	return arena_printf(
	    fixture.mem, "http://127.0.0.1:%d/closedcaption?cid=%s", ingest.port, key);
}

static const char *
output(const char *language, const char *url)
{
	return arena_printf(fixture.mem,
	    "{\"protocol\":\"captions_push\",\"lang_code\":\"%s\",\"url\":\"%s\"}",
	    language, url);
}

static void
set_outputs(const char *channel, const char *outputs)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE channels SET outputs = '[{\"protocol\":\"webrtc_push\"},%s]'"
	    " WHERE id = '%s'",
	    outputs, channel));
}

static const char *
channel_to(const char *outputs)
{
	const char *id = new_channel("[\"es\"]");

	set_outputs(id, outputs);
	return id;
}

static const char *
row(const char *what)
{
	return sql(arena_printf(fixture.mem, "SELECT %s FROM channel_outputs", what));
}

/* A speaker's connection, with the channel's outputs already read. */
static struct websocket *
speaker(const char *channel)
{
	struct websocket *s = connect_to(channel, true, NULL);

	gateway_await(s->connection->session->channel->captions != NULL);
	return s;
}

static struct caption_feed *
feed_of_speaker(const struct websocket *s)
{
	return s->connection->session->channel->captions;
}

/* Closes all connections, as when the gateway restarts. */
static void
start_anew(const struct websocket *s)
{
	let_it_end(s);
	gateway_empty();
}

START_TEST(texts_of_a_language_are_posted)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);

	send_24k(s);
	gateway_await(ingest_count() == 1);
	ck_assert_str_eq(ingest.texts[0], "[es] " SAID);
	send_24k(s);
	gateway_await(ingest_count() == 2);
	ck_assert_int_ge(ingest.said_us[1], ingest.said_us[0]);
	gateway_await(
	    strcmp(row("seq, runtime, error IS NULL, dropped"), "2|active|1|0\n") == 0);
	ck_assert_int_eq(ingest.gaps, 0);
	ck_assert_ptr_null(ingest.refused);
	let_it_end(s);
}
END_TEST

START_TEST(what_was_said_is_posted_as_original)
{
	struct websocket *s =
	    speaker(channel_to(output("original", address(INGEST_KEY))));

	send_24k(s);
	gateway_await(ingest_count() == 1);
	ck_assert_str_eq(ingest.texts[0], SAID);
	let_it_end(s);
}
END_TEST

/* The language has no translation: it is the original. */
START_TEST(a_language_that_is_no_target_is_posted_as_it_is_said)
{
	struct websocket *s = speaker(channel_to(output("EN", address(INGEST_KEY))));

	send_24k(s);
	gateway_await(ingest_count() == 1);
	ck_assert_str_eq(ingest.texts[0], SAID);
	let_it_end(s);
}
END_TEST

START_TEST(numbers_go_on_after_a_restart)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);

	send_24k(s);
	gateway_await(ingest_count() == 1);
	start_anew(s);
	s = speaker(id);
	send_24k(s);
	gateway_await(ingest_count() == 2);
	let_it_end(s);
	ck_assert_int_eq(ingest.seq, 2);
	ck_assert_int_eq(ingest.again + ingest.gaps, 0);
	ck_assert_ptr_null(ingest.refused);
}
END_TEST

/*
 * A body keeps its number in every try, and texts that arrive meanwhile go into the
 * next body.
 */
START_TEST(a_server_that_is_away_gets_all_when_it_is_back)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);

	ingest.status = 503;
	send_24k(s);
	gateway_await(ingest_tries() >= 1);
	gateway_await(
	    strcmp(row("runtime, error"), "failed|The server answered 503.\n") == 0);
	send_24k(s);
	send_24k(s);
	await_seen(s, "translated_transcription", "[es] " SAID, 3);
	ingest.status = 0;
	gateway_await(ingest_count() == 3);
	ck_assert_int_eq(ingest.seq, 2);
	ck_assert_int_eq(ingest.bodies[1], 2);
	ck_assert_int_eq(ingest.bodies[2], 2);
	gateway_await(strcmp(row("seq, runtime, dropped"), "2|active|0\n") == 0);
	ck_assert_ptr_null(ingest.refused);
	let_it_end(s);
}
END_TEST

static const struct {
	int status;
	const char *key, *error;
} refusals[] = {
	{ 0, "another", "The server answered 403." },
	{ 400, INGEST_KEY, "The server answered 400." },
	{ 302, INGEST_KEY, "The server answered 302." },
};

START_TEST(what_is_refused_is_dropped_and_counted)
{
	const char *id = channel_to(output("es", address(refusals[_i].key)));
	struct websocket *s = speaker(id);

	ingest.status = refusals[_i].status;
	send_24k(s);
	gateway_await(
	    strcmp(row("seq, runtime, error, dropped"),
		arena_printf(fixture.mem, "1|failed|%s|1\n", refusals[_i].error)) == 0);
	ck_assert_int_eq(ingest_tries(), 1);
	ck_assert_int_eq(ingest_count(), 0);
	let_it_end(s);
}
END_TEST

START_TEST(a_private_address_is_not_even_knocked_at)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);

	fixture.app.conf.captions_allow_private = false;
	send_24k(s);
	gateway_await(strstr(row("error"), "not a public one") != NULL);
	ck_assert_str_eq(row("runtime, dropped"), "failed|1\n");
	ck_assert_int_eq(ingest_tries(), 0);
	let_it_end(s);
}
END_TEST

START_TEST(the_version_grows_with_what_is_seen_only)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);
	const char *version;

	send_24k(s);
	await_row(id, "runtime", "active\n");
	gateway_await(strcmp(row("runtime"), "active\n") == 0);
	version = channel_row(id, "version");
	send_24k(s);
	gateway_await(strcmp(row("seq"), "2\n") == 0);
	ck_assert_str_eq(channel_row(id, "version"), version);
	ingest.status = 400;
	send_24k(s);
	gateway_await(strcmp(row("runtime"), "failed\n") == 0);
	ck_assert_str_ne(channel_row(id, "version"), version);
	let_it_end(s);
}
END_TEST

/* The first body is refused; the answer contains the server's time. */
START_TEST(times_follow_the_servers_clock)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);

	ingest.ahead_us = 7200 * S_US;
	send_24k(s);
	gateway_await(strcmp(row("dropped"), "1\n") == 0);
	ck_assert_str_eq(ingest.refused, "a time that is not now");
	send_24k(s);
	gateway_await(ingest_count() == 1);
	ck_assert_int_gt(ingest.said_us[0], now_us() + 7000 * S_US);
	let_it_end(s);
}
END_TEST

static void
put(struct caption_feed *f, const char *text)
{
	struct arena *mem = arena_new();

	caption_feed_put(f, mem, arena_str(mem, text), now_us(), monotonic_us());
}

/* Phrases may overlap. */
START_TEST(times_never_go_back)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct caption_feed *f = feed_of_speaker(speaker(id));
	int64_t now = now_us();

	for (int i = 0; i < 5; i++) {
		struct arena *mem = arena_new();

		caption_feed_put(f, mem, arena_str(mem, "text"),
		    now - i * INT64_C(300000), monotonic_us());
		caption_feed_step(f, monotonic_us());
	}
	gateway_await(ingest_count() == 5);
	ck_assert_ptr_null(ingest.refused);
	ck_assert_int_eq(ingest.said_us[4], ingest.said_us[0]);
}
END_TEST

START_TEST(what_waits_has_a_bound)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct caption_feed *f = feed_of_speaker(speaker(id));

	f->due_us = INT64_MAX;
	for (int i = 0; i < CAPTION_WAITING_MOST + 7; i++)
		put(f, arena_printf(fixture.mem, "%d", i));
	ck_assert_int_eq(f->n, CAPTION_WAITING_MOST);
	ck_assert_int_eq(f->is.dropped, 7);
	f->due_us = 0;
	caption_feed_step(f, monotonic_us());
	gateway_await(ingest_count() == CAPTION_WAITING_MOST);
	ck_assert_str_eq(ingest.texts[0], "7"); /* the oldest texts were dropped */
	ck_assert_int_eq(ingest.seq, CAPTION_WAITING_MOST / CAPTION_POST_CAPTIONS);
	gateway_await(strcmp(row("dropped"), "7\n") == 0);
}
END_TEST

START_TEST(what_is_late_is_dropped)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct caption_feed *f = feed_of_speaker(speaker(id));

	ingest.status = 503;
	put(f, "first");
	caption_feed_step(f, monotonic_us());
	gateway_await(f->body != NULL && !f->under_way);
	put(f, "second");
	f->due_us = INT64_MAX;
	caption_feed_step(f, monotonic_us() + CAPTION_LATE_US + S_US);
	ck_assert_ptr_null(f->body);
	ck_assert_ptr_null(f->first);
	ck_assert_int_eq(f->is.dropped, 2);
	gateway_await(strcmp(row("dropped"), "2\n") == 0);
}
END_TEST

/* The server keeps the connection open for seconds; no other output waits for it. */
START_TEST(a_server_that_hangs_delays_no_other)
{
	int port = 0, mute = listen_on(&port);
	const char *hangs =
	    arena_printf(fixture.mem, "http://127.0.0.1:%d/?cid=%s", port, INGEST_KEY);
	const char *id = channel_to(arena_printf(fixture.mem, "%s,%s",
	    output("original", hangs), output("es", address(INGEST_KEY))));
	struct websocket *s = speaker(id);

	for (int i = 1; i <= 3; i++) {
		send_24k(s);
		gateway_await(ingest_count() == i);
	}
	gateway_await(strstr(row("error"), "The server was not reached: ") != NULL);
	let_it_end(s);
	close(mute);
}
END_TEST

START_TEST(tries_that_may_be_in_vain_get_half_of_the_threads)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct caption_feed *f = feed_of_speaker(speaker(id));

	gateway.captions_untrusted = CAPTION_UNTRUSTED;
	put(f, "one");
	caption_feed_step(f, monotonic_us());
	ck_assert(!f->under_way);
	gateway.captions_untrusted = 0; /* one request has ended */
	gateway_await(ingest_count() == 1);
	gateway.captions_untrusted = CAPTION_UNTRUSTED;
	gateway_await(strcmp(f->is.runtime, "active") == 0);
	put(f, "two");
	gateway_await(ingest_count() == 2); /* by now the server's clock is known */
	gateway.captions_untrusted = 0;
}
END_TEST

START_TEST(an_output_that_is_left_out_gets_nothing_more)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);

	send_24k(s);
	gateway_await(ingest_count() == 1);
	set_outputs(id, output("de", address(INGEST_KEY)));
	look_again(s);
	gateway_await(strcmp(feed_of_speaker(s)->language, "de") == 0);
	send_24k(s);
	await_seen(s, "translated_transcription", "[es] " SAID, 2);
	gateway_wait(100);
	ck_assert_int_eq(ingest_count(), 1);
	let_it_end(s);
}
END_TEST

/* The answer to a body of a removed output is ignored. */
START_TEST(an_answer_may_come_when_its_output_is_gone)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);
	struct session *session = s->connection->session;

	ingest.hangs = true;
	put(session->channel->captions, "one");
	caption_feed_step(session->channel->captions, monotonic_us());
	gateway_await(ingest_tries() == 1);
	caption_outputs_free(session);
	ck_assert_ptr_null(session->channel->captions);
	gateway_await(gateway.captions_untrusted == 0);
	ck_assert_str_eq(row("seq"), "1\n");
}
END_TEST

/* A text that makes two captions, the first with two rows. */
static void
take_long_text(const struct websocket *s)
{
	const struct task t = { .n_targets = 0 };
	struct pipeline_event *e = ACTOR_MESSAGE(struct pipeline_event);

	*e = (struct pipeline_event){ .call = e->call,
		.target = -1,
		.line = { .text = "One sentence that is somewhat longer than a row,\r\n"
				  "and  another that follows it. The third one.",
		    .language = "es",
		    .start_us = now_us(),
		    .end_us = now_us() + 5 * S_US } };
	caption_outputs_add(s->connection->session, &t, e);
	gateway_await(ingest_count() == 2);
	arena_free(e->call.message.mem);
}

START_TEST(long_texts_are_captions_of_two_rows)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));

	take_long_text(speaker(id));
	ck_assert_str_eq(ingest.texts[1], "The third one.");
	ck_assert_ptr_nonnull(strstr(ingest.texts[0], "<br>"));
	ck_assert_ptr_null(strchr(ingest.texts[0], '\r'));
	ck_assert_ptr_null(strstr(ingest.texts[0], "  "));
}
END_TEST

START_TEST(zoom_gets_the_text_alone)
{
	const char *to = arena_printf(
	    fixture.mem, "http://127.0.0.1:%d%s", ingest.port, INGEST_ZOOM);

	take_long_text(speaker(channel_to(output("es", to))));
	ck_assert_ptr_null(ingest.refused);
	ck_assert_str_eq(ingest.texts[0],
	    "One sentence that is somewhat longer\nthan a row, and another that "
	    "follows it.");
	ck_assert_str_eq(ingest.texts[1], "The third one.");
	ck_assert_int_eq(ingest.seq, 2);
	gateway_await(
	    strcmp(row("seq, runtime, error IS NULL, dropped"), "2|active|1|0\n") == 0);
}
END_TEST

/* Zoom's page recommends that every status be tried again, with the same number. */
static const struct {
	int status;
	const char *error;
} zoom_waits[] = {
	{ 400, "The server answered 400: the meeting has not started." },
	{ 403, "The server answered 403." },
	{ 405, "The server answered 405." },
};

START_TEST(a_meeting_that_has_not_started_gets_the_text_when_it_has)
{
	const char *to = arena_printf(
	    fixture.mem, "http://127.0.0.1:%d%s", ingest.port, INGEST_ZOOM);
	struct websocket *s = speaker(channel_to(output("es", to)));

	ingest.status = zoom_waits[_i].status;
	send_24k(s);
	gateway_await(strcmp(row("seq, runtime, error, dropped"),
			  arena_printf(fixture.mem, "1|failed|%s|0\n",
			      zoom_waits[_i].error)) == 0);
	ingest.status = 0;
	gateway_await(ingest_count() == 1);
	ck_assert_int_ge(ingest_tries(), 2);
	gateway_await(strcmp(row("seq, runtime, dropped"), "1|active|0\n") == 0);
	let_it_end(s);
}
END_TEST

START_TEST(the_database_may_be_away)
{
	const char *id = channel_to(output("es", address(INGEST_KEY)));
	struct websocket *s = speaker(id);

	sql("ALTER TABLE channel_outputs RENAME TO away");
	send_24k(s);
	gateway_await(ingest_count() == 1);
	gateway_await(feed_of_speaker(s)->unwritten);
	sql("ALTER TABLE away RENAME TO channel_outputs");
	gateway_await(strcmp(row("seq, runtime"), "1|active\n") == 0);
	let_it_end(s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("caption outputs");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, open_all, close_all);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, texts_of_a_language_are_posted);
	tcase_add_test(t, what_was_said_is_posted_as_original);
	tcase_add_test(t, a_language_that_is_no_target_is_posted_as_it_is_said);
	tcase_add_test(t, numbers_go_on_after_a_restart);
	tcase_add_test(t, a_server_that_is_away_gets_all_when_it_is_back);
	tcase_add_loop_test(
	    t, what_is_refused_is_dropped_and_counted, 0, COUNT(refusals));
	tcase_add_test(t, a_private_address_is_not_even_knocked_at);
	tcase_add_test(t, the_version_grows_with_what_is_seen_only);
	tcase_add_test(t, times_follow_the_servers_clock);
	tcase_add_test(t, times_never_go_back);
	tcase_add_test(t, what_waits_has_a_bound);
	tcase_add_test(t, what_is_late_is_dropped);
	tcase_add_test(t, a_server_that_hangs_delays_no_other);
	tcase_add_test(t, tries_that_may_be_in_vain_get_half_of_the_threads);
	tcase_add_test(t, an_output_that_is_left_out_gets_nothing_more);
	tcase_add_test(t, an_answer_may_come_when_its_output_is_gone);
	tcase_add_test(t, long_texts_are_captions_of_two_rows);
	tcase_add_test(t, zoom_gets_the_text_alone);
	tcase_add_loop_test(t, a_meeting_that_has_not_started_gets_the_text_when_it_has,
	    0, COUNT(zoom_waits));
	tcase_add_test(t, the_database_may_be_away);
	suite_add_tcase(s, t);
	return unit_run(s);
}
