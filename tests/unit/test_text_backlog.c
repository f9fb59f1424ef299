/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A listener that reconnects gets the final texts that it missed. */
#include "base/id.h"
#include "channel/text_backlog.h"
#include "tests/unit/gateway_fixture.h"

static const char *session;
static struct websocket *speaker;

static void
begin(void)
{
	gateway_open();
	session = new_session();
	speaker = connect_as(session, true, true, NULL);
	tell(speaker, "set_task", TASK(TO("es") "," TO("fr"), ""));
	await_state(speaker, STATE_RUNNING);
}

/* Connects again with ?since= in its query. */
static struct websocket *
come_back(const char *since, const char *language)
{
	struct connection_request *v = THREAD_CALL(struct connection_request);
	struct arena *mem = v->call.message.mem;
	struct websocket *s = arena_alloc(fixture.mem, sizeof(*s));

	v->kind = SOCKET_S2S;
	v->account = arena_str(mem, fixture.account);
	v->stream = arena_str(mem, session);
	v->credential = v->stream;
	v->listens = v->audio = true;
	v->since = arena_str(mem, since);
	v->language = arena_str(mem, language);
	/* as the database thread does for an admitted connection */
	gateway.connections++;
	s->connection = session_owner.opened(&gateway, s, v);
	return s;
}

/* Adds the texts of a segment to the backlog, as its pipeline does. */
static void
add(const char *id, int target, bool final)
{
	struct pipeline_event *e = ACTOR_MESSAGE(struct pipeline_event);

	e->target = target;
	e->final = final;
	e->times.id = id;
	e->text = arena_printf(e->call.message.mem, "%d %s", target, id);
	e->n = strlen(e->text);
	text_backlog_add(speaker->connection->session,
	    pipeline_task(speaker->connection->session->now->pipeline), e);
	arena_free(e->call.message.mem);
}

static const char *
all_said(const struct websocket *s)
{
	struct buf b = { .mem = fixture.mem };

	for (int i = 0; i < s->n; i++)
		buf_printf(&b, "%s%s", i > 0 ? "|" : "", s->said[i]);
	return buf_text(&b);
}

/* clang-format off */
static const struct { const char *since, *language, *texts; } missed[] = {
	{ "a", "es", "0 b|0 b|0 c" },
	{ "b", "es", "0 c" },
	{ "c", "es", "" },
	{ "z", "es", "0 a|0 b|0 b|0 c" },
	{ "b", "fr", "1 c" },
	{ "b", NULL, "0 c" },
	{ "a", "original", "-1 b|-1 c" },
	{ "b", "all", "-1 c|0 c|1 c" },
	{ NULL, "es", "" },
};
/* clang-format on */

START_TEST(missed_texts_come_first)
{
	add("a", -1, true);
	add("a", 0, true);
	add("a", 1, true);
	add("b", -1, true);
	add("b", 0, false);
	add("b", 0, true);
	add("b", 0, true); /* two parts */
	add("c", -1, true);
	add("c", 0, true);
	add("c", 1, true);
	ck_assert_str_eq(all_said(come_back(missed[_i].since, missed[_i].language)),
	    missed[_i].texts);
}
END_TEST

/* Another owner sent the last text to this listener alone. */
START_TEST(an_unknown_text_counts_by_its_time)
{
	const int64_t now = now_us();
	const char *ids[3];

	for (int i = 0; i < 3; i++)
		ids[i] = id_of_phrase(fixture.mem, now - (30 - 10 * i) * S_US);
	add(ids[0], 0, true);
	add(ids[2], 0, true);
	ck_assert_str_eq(all_said(come_back(ids[1], "es")),
	    arena_printf(fixture.mem, "0 %s", ids[2]));
	ck_assert_str_eq(
	    all_said(come_back(id_of_phrase(fixture.mem, now - S_US), "es")), "");
	ck_assert_str_eq(
	    all_said(come_back(id_of_phrase(fixture.mem, now + 600 * S_US), "es")),
	    arena_printf(fixture.mem, "0 %s|0 %s", ids[0], ids[2]));
}
END_TEST

START_TEST(no_more_than_fifty_of_a_language_are_kept)
{
	struct websocket *es, *all;

	for (int i = 0; i < 120; i++) {
		add(arena_printf(fixture.mem, "%d", i), 0, true);
		if (i == 60)
			add("source", -1, true);
	}
	es = come_back("-", "es");
	ck_assert_int_eq(es->n, TEXT_BACKLOG_MOST);
	ck_assert_str_eq(es->said[0], "0 70");
	ck_assert_str_eq(es->said[TEXT_BACKLOG_MOST - 1], "0 119");
	all = come_back("-", "all");
	ck_assert_int_eq(all->n, TEXT_BACKLOG_MOST);
	ck_assert_str_eq(all->said[0], "0 70");
	ck_assert_str_eq(all_said(come_back("-", "original")), "-1 source");
}
END_TEST

START_TEST(texts_of_the_pipeline_are_kept)
{
	struct websocket *back;
	const char *id;

	send_phrase(speaker);
	await_seen(speaker, "translated_transcription", "[es]", 1);
	id = strstr(speaker->said[speaker->n - 1], "\"transcription_id\":\"");
	ck_assert_ptr_nonnull(id);
	back = come_back("0000000000000000", "es");
	ck_assert_int_eq(back->n, 1);
	ck_assert_int_eq(count_seen(back, "translated_transcription", "[es]"), 1);
	id = arena_dup(fixture.mem, id + strlen("\"transcription_id\":\""), 16);
	back = come_back(id, "es");
	ck_assert_int_eq(back->n, 0);
	send_phrase(speaker);
	await_seen(back, "translated_transcription", "[es]", 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("text_backlog");
	TCase *t = tcase_create("backlog");

	tcase_add_checked_fixture(t, begin, gateway_close);
	tcase_add_loop_test(t, missed_texts_come_first, 0, COUNT(missed));
	tcase_add_test(t, an_unknown_text_counts_by_its_time);
	tcase_add_test(t, no_more_than_fifty_of_a_language_are_kept);
	tcase_add_test(t, texts_of_the_pipeline_are_kept);
	suite_add_tcase(s, t);
	return unit_run(s);
}
