/* Channels on the air: their task, who speaks and listens, and what is paid. */
#include "gateway/busy.h"
#include "tests/unit/gateway_house.h"

#define CHUNK "\"output_audio_data\""

/* ---- a pipeline ---- */

static const char *
pipeline(const char *own, const char *targets)
{
	const struct channel c = {
		.source_language = "en", .target_languages = targets, .pipeline = own
	};

	return onair_pipeline(house.mem, &c);
}

static const struct {
	const char *own, *targets, *is;
} pipelines[] = {
	{ NULL, "[]",
	    "{\"transcription\":{\"source_language\":\"en\"},\"translations\":[]}" },
	{ NULL, "[\"es\",\"fr\"]",
	    "{\"transcription\":{\"source_language\":\"en\"},\"translations\":["
	    "{\"target_language\":\"es\"},{\"target_language\":\"fr\"}]}" },
	{ "{\"preprocessing\":{\"enable_vad\":false},"
	  "\"transcription\":{\"source_language\":\"de\",\"asr_model\":\"x\"},"
	  "\"translations\":[{\"target_language\":\"fr\",\"speech_generation\":null},"
	  "{\"target_language\":\"it\"}]}",
	    "[\"es\",\"fr\"]",
	    "{\"preprocessing\":{\"enable_vad\":false},"
	    "\"transcription\":{\"asr_model\":\"x\",\"source_language\":\"en\"},"
	    "\"translations\":[{\"target_language\":\"es\"},"
	    "{\"speech_generation\":null,\"target_language\":\"fr\"}]}" },
	{ "{\"transcription\":7,\"translations\":{}}", "[\"es\"]",
	    "{\"transcription\":{\"source_language\":\"en\"},\"translations\":["
	    "{\"target_language\":\"es\"}]}" },
};

START_TEST(its_languages_win_over_its_own_pipeline)
{
	ck_assert_str_eq(
	    pipeline(pipelines[_i].own, pipelines[_i].targets), pipelines[_i].is);
}
END_TEST

/* ---- on the air ---- */

static void
send_24k(struct socket *s)
{
	for (int i = 0; i < 2; i++) {
		size_t n = i == 0 ? 14400 : 24000;
		int16_t *pcm = arena_alloc(house.mem, n * sizeof(*pcm));

		for (size_t k = 0; i == 0 && k < n; k++)
			pcm[k] =
			    (int16_t)(8000 * sin(2 * M_PI * 300 * (double)k / 24000));
		tell(s, "input_audio_data",
		    arena_printf(house.mem, "{\"data\":\"%s\"}",
			base64(house.mem, pcm, n * sizeof(*pcm))));
	}
}

/* Four seconds later: by then its row is looked at. */
static void
look_again(const struct socket *s)
{
	onair_turn(s->client->room, monotonic_us() + 4 * S_US);
	gate_wait(100);
}

/* A minute of silence, at once. */
static void
let_it_end(const struct socket *s)
{
	struct room *r = s->client->room;

	onair_turn(r, monotonic_us() + 61 * S_US);
	gate_wait(50);
}

static int64_t
used_micro(void)
{
	return number("SELECT -sum(amount_micro) FROM ledger WHERE amount_micro < 0");
}

START_TEST(the_first_sound_begins_it)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL),
		      *es = connect_to(id, false, NULL);

	tell(s, "get_task", "{}");
	await_seen(s, "NOT_FOUND", "", 1);
	ck_assert_str_eq(channel_row(id, "runtime"), "pending\n");
	send_24k(s);
	await_seen(s, FINAL, "hello world", 1);
	await_seen(es, "[es] hello world", "", 1);
	await_seen(es, CHUNK, "\"last_chunk\":true", 1);
	await_row(id, "runtime", "active\n");
	ck_assert_int_eq(count_seen(es, FINAL, ""), 0);
	let_it_end(s);
	await_row(id, "runtime", "stopped\n");
	ck_assert_int_eq(es->code, 1000);
	ck_assert_str_eq(es->said[es->n - 1], "{\"message_type\":\"eos\",\"data\":{}}");
	ck_assert_int_eq(s->code, 0);
	ck_assert_int_gt(used_micro(), 0);
	ck_assert_str_eq(sql("SELECT DISTINCT substr(reference, 1, 10) FROM ledger "
			     "WHERE amount_micro < 0"),
	    "broadcast:\n");
}
END_TEST

START_TEST(it_begins_again_with_more_sound)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL);

	send_24k(s);
	await_seen(s, FINAL, "", 1);
	let_it_end(s);
	send_24k(s);
	await_seen(s, FINAL, "", 2);
	await_row(id, "runtime", "active\n");
	let_it_end(s);
}
END_TEST

START_TEST(a_task_sets_its_input_and_nothing_else)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL);

	tell(s, "set_task", TASK(TO("fr"), ""));
	for (int i = 0; i < 500 && s->client->room->state != STATE_RUNNING; i++)
		gate_turn();
	tell(s, "get_task", "{}");
	await_seen(s, "current_task", "\"sample_rate\":16000", 1);
	ck_assert_int_eq(count_seen(s, "\"target_language\":\"es\"", ""), 1);
	ck_assert_int_eq(count_seen(s, "\"target_language\":\"fr\"", ""), 0);
	ck_assert_str_eq(
	    channel_row(id, "runtime"), "pending\n"); /* nothing is said yet */
	send_phrase(s);
	await_seen(s, "[es] hello world", "", 1);
	let_it_end(s);
}
END_TEST

START_TEST(it_goes_on_whoever_speaks)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *a = connect_to(id, true, NULL), *b,
		      *es = connect_to(id, false, "es");

	send_24k(a);
	await_seen(a, FINAL, "", 1);
	tell(a, "input_audio_data", "{\"data\":\"AA==\"}"); /* half a sample */
	hang_up(a);
	gate_wait(50);
	ck_assert_int_eq(es->code, 0);
	b = connect_to(id, true, NULL);
	send_24k(b);
	await_seen(b, FINAL, "", 1);
	await_seen(es, "[es]", "", 2);
	a = connect_to(id, true, NULL);
	ck_assert_int_eq(b->code, 1008);
	ck_assert_str_eq(b->reason, "replaced");
	send_24k(a);
	await_seen(es, "[es]", "", 3);
	let_it_end(a);
}
END_TEST

START_TEST(what_is_changed_is_heard_soon)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL),
		      *all = connect_to(id, false, "all");

	send_24k(s);
	await_seen(all, "[es] hello world", "", 1);
	sql(arena_printf(house.mem,
	    "UPDATE channels SET target_languages = '[\"es\",\"fr\"]' WHERE id = '%s'",
	    id));
	look_again(s);
	send_24k(s);
	await_seen(all, "[fr] hello world", "", 1);
	await_seen(all, "[es] hello world", "", 2);
	let_it_end(s);
}
END_TEST

START_TEST(what_cannot_be_translated_fails)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s;

	sql("UPDATE channels SET pipeline ="
	    " '{\"preprocessing\":{\"vad_threshold\":7}}'");
	s = connect_to(id, true, NULL);
	send_24k(s);
	await_row(id, "runtime", "failed\n");
	ck_assert_ptr_nonnull(strstr(channel_row(id, "error"), "vad_threshold"));
	await_seen(s, "VALIDATION_ERROR", "vad_threshold", 1);
	ck_assert_int_eq(count_seen(s, "VALIDATION_ERROR", ""), 1);
}
END_TEST

START_TEST(a_channel_that_is_gone_ends)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL),
		      *es = connect_to(id, false, "es");

	send_24k(s);
	await_seen(es, "[es] hello world", "", 1);
	sql("DELETE FROM channels");
	look_again(s);
	await_end(s, 1008);
	await_end(es, 1008);
	ck_assert_int_eq(count_seen(s, "SESSION_CLOSED", ""), 1);
}
END_TEST

START_TEST(nobody_pays_for_silence)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL);
	struct room *r = s->client->room;

	send_24k(s);
	await_seen(s, FINAL, "", 1);
	ck_assert_int_ne(r->metered_us, 0);
	onair_turn(r, monotonic_us() + 11 * S_US);
	ck_assert_int_eq(r->metered_us, 0);
	ck_assert_int_eq(r->state, STATE_RUNNING);
	send_24k(s);
	ck_assert_int_ne(r->metered_us, 0);
	let_it_end(s);
}
END_TEST

START_TEST(after_a_crash_nothing_is_active)
{
	const char *id = put_channel("[]"), *other = put_channel("[]");

	sql(arena_printf(
	    house.mem, "UPDATE channels SET runtime = 'active' WHERE id = '%s'", id));
	ck_assert_int_eq(onair_reset(gate.app.db, house.mem), OK);
	ck_assert_str_eq(channel_row(id, "runtime"), "stopped\n");
	ck_assert_str_eq(channel_row(other, "runtime"), "pending\n");
}
END_TEST

/* ---- who listens ---- */

START_TEST(a_phrase_is_heard_to_its_end)
{
	const char *id = put_channel("[\"es\",\"fr\"]");
	struct socket *s = connect_to(id, true, NULL), *l = connect_to(id, false, "es"),
		      *fr = connect_to(id, false, "fr"), *late;

	send_24k(s);
	await_seen(l, CHUNK, "\"language\":\"es\"", 1);
	await_seen(fr, CHUNK, "\"language\":\"fr\"", 1);
	late = connect_to(id, false, "es");
	tell(l, "set_language", "{\"language\":\"FR\"}");
	tell(l, "set_language", "{\"language\":\"es\"}");
	tell(l, "set_language", "{\"language\":\"fr\"}");
	await_seen(l, CHUNK, "\"last_chunk\":true", 1);
	ck_assert_int_eq(count_seen(l, CHUNK, "\"language\":\"fr\""), 0);
	ck_assert_int_eq(count_seen(late, CHUNK, ""), 0);
	send_24k(s);
	await_seen(l, CHUNK, "\"last_chunk\":true", 2);
	ck_assert_int_eq(count_seen(l, "[fr]", ""), 1);
	await_seen(late, CHUNK, "\"last_chunk\":true", 1);
	let_it_end(s);
}
END_TEST

START_TEST(a_language_that_is_not_there_is_refused)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL), *l = connect_to(id, false, "es");

	send_24k(s);
	await_seen(l, "[es]", "", 1);
	tell(l, "set_language", "{\"language\":\"fr\"}");
	await_seen(l, "VALIDATION_ERROR", "language: is no target of the task", 1);
	tell(l, "set_language", "{\"language\":\"es-MX\"}");
	send_24k(s);
	await_seen(l, "[es]", "", 2);
	let_it_end(s);
}
END_TEST

START_TEST(the_original_is_heard_as_it_was_said)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL),
		      *l = connect_to(id, false, "original");

	send_24k(s);
	await_seen(l, FINAL, "hello world", 1);
	gate_wait(50); /* somebody wants it: that is known a turn later */
	send_24k(s);
	await_seen(l, CHUNK, "\"language\":\"original\"", 7);
	ck_assert_int_eq(count_seen(l, "[es]", ""), 0);
	ck_assert_int_eq(count_seen(l, CHUNK, "\"language\":\"es\""), 0);
	ck_assert_int_eq(count_seen(s, CHUNK, "\"language\":\"original\""), 0);
	let_it_end(s);
	ck_assert_int_eq(l->code, 1000);
	ck_assert_ptr_nonnull(strstr(l->said[l->n - 2], "\"last_chunk\":true"));
	ck_assert_int_eq(count_seen(l, "\"original\"", "\"last_chunk\":true"), 1);
}
END_TEST

START_TEST(who_leaves_the_original_is_told_its_end)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL),
		      *all = connect_to(id, false, "all"),
		      *l = connect_to(id, false, "original");

	send_24k(s);
	gate_wait(50);
	send_24k(s);
	await_seen(l, CHUNK, "\"language\":\"original\"", 1);
	tell(l, "set_language", "{\"language\":\"es\"}");
	send_24k(s);
	await_seen(l, "\"original\"", "\"last_chunk\":true", 1);
	ck_assert_int_eq(count_seen(all, "\"original\"", "\"last_chunk\":true"), 0);
	let_it_end(s);
}
END_TEST

START_TEST(what_is_changed_to_no_task_is_told_and_changes_nothing)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL),
		      *es = connect_to(id, false, "es");

	send_24k(s);
	await_seen(es, "[es]", "", 1);
	sql("UPDATE channels SET pipeline ="
	    " '{\"preprocessing\":{\"vad_threshold\":7}}'");
	look_again(s);
	send_24k(s);
	await_seen(es, "[es]", "", 2);
	ck_assert_str_eq(channel_row(id, "runtime"), "active\n");
	ck_assert_ptr_nonnull(strstr(channel_row(id, "error"), "vad_threshold"));
	sql("UPDATE channels SET pipeline = NULL");
	look_again(s); /* seen, */
	look_again(s); /* and said */
	ck_assert_str_eq(channel_row(id, "error"), "NULL\n");
	let_it_end(s);
}
END_TEST

START_TEST(who_comes_to_speak_is_not_read_like_who_went)
{
	const char *id = put_channel("[\"es\"]");
	struct socket *s = connect_to(id, true, NULL);

	tell(s, "set_task",
	    "{\"input_stream\":{\"source\":{\"type\":\"ws\",\"format\":\"opus\"}}}");
	for (int i = 0; i < 500 && s->client->room->state != STATE_RUNNING; i++)
		gate_turn();
	hang_up(s);
	s = connect_to(id, true, NULL);
	send_24k(s); /* while what can read it begins */
	gate_wait(200);
	send_24k(s);
	await_seen(s, FINAL, "hello world", 1);
	let_it_end(s);
}
END_TEST

START_TEST(so_many_may_listen)
{
	struct visitor v = { .kind = SOCKET_S2S, .stream = "a" };

	gate.app.conf.stream_max_listeners = 2;
	for (int i = 0; i < 2; i++) {
		ck_assert(!busy_is(&gate, &v));
		busy_add(&gate, &v);
	}
	ck_assert(busy_is(&gate, &v));
	v.writes = true;
	ck_assert(!busy_is(&gate, &v));
	v = (struct visitor){ .kind = SOCKET_S2S, .stream = "b" };
	ck_assert(!busy_is(&gate, &v));
	v.stream = "a";
	busy_leave(&gate, &v);
	gate_turn();
	ck_assert(!busy_is(&gate, &v));
	busy_leave(&gate, &v);
	gate_turn();
	ck_assert_ptr_null(gate.busy);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: channels");
	TCase *air = tcase_create("air");

	tcase_add_checked_fixture(air, gate_open, gate_close);
	tcase_set_timeout(air, 30);
	tcase_add_loop_test(air, its_languages_win_over_its_own_pipeline, 0,
	    sizeof(pipelines) / sizeof(*pipelines));
	tcase_add_test(air, the_first_sound_begins_it);
	tcase_add_test(air, it_begins_again_with_more_sound);
	tcase_add_test(air, a_task_sets_its_input_and_nothing_else);
	tcase_add_test(air, it_goes_on_whoever_speaks);
	tcase_add_test(air, what_is_changed_is_heard_soon);
	tcase_add_test(air, what_cannot_be_translated_fails);
	tcase_add_test(air, a_channel_that_is_gone_ends);
	tcase_add_test(air, nobody_pays_for_silence);
	tcase_add_test(air, after_a_crash_nothing_is_active);
	tcase_add_test(air, a_phrase_is_heard_to_its_end);
	tcase_add_test(air, a_language_that_is_not_there_is_refused);
	tcase_add_test(air, the_original_is_heard_as_it_was_said);
	tcase_add_test(air, who_leaves_the_original_is_told_its_end);
	tcase_add_test(air, what_is_changed_to_no_task_is_told_and_changes_nothing);
	tcase_add_test(air, who_comes_to_speak_is_not_read_like_who_went);
	tcase_add_test(air, so_many_may_listen);
	suite_add_tcase(s, air);
	return unit_run(s);
}
