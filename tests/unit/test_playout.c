/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups and chunks with every order of arrival, muting and ending. */
#include "pipeline/pipeline_internal.h"
#include "tests/unit/gateway_fixture.h"

#define GROUPS 40
#define ROUNDS 300

/* A pipeline whose events the test makes. */
static struct websocket *out;
static struct session *session;
static struct pipeline_slot *slot;
static struct pipeline pipeline;
static int made, freed; /* letters */

static bool
knows(void *arg, const char *source)
{
	(void)arg, (void)source;
	return true;
}

static bool
pairs(void *arg, const char *source, const char *target)
{
	(void)arg, (void)source, (void)target;
	return true;
}

static struct pipeline_config *
make_want(void)
{
	static const char text[] = TASK(TO("es") "," TO("fr"), "");
	struct arena *mem = arena_new();
	struct pipeline_config *w = arena_alloc(mem, sizeof(*w));
	const struct task_engines any = { NULL, knows, pairs, false };
	struct validation_errors errors = { .mem = mem };
	const char *why;

	w->mem = mem;
	ck_assert(task_read(
	    mem, json_read(mem, text, strlen(text), &why), &any, &w->task, &errors));
	return w;
}

static void
count_freed(void *arg)
{
	(void)arg;
	freed++;
}

static void
setup(void)
{
	struct arena *mem;

	gateway_open();
	out = connect_writer();
	session = out->connection->session;
	mem = arena_new();
	slot = arena_alloc(mem, sizeof(*slot));
	pipeline = (struct pipeline){ .host = { .conf = gateway.conf,
					  .pool = gateway.pool,
					  .events = gateway.to_event_loop,
					  .report = slot_report },
		.session = session,
		.config = make_want(),
		.leaving = true };
	*slot = (struct pipeline_slot){
		.mem = mem, .session = session, .pipeline = &pipeline, .left = true
	};
	session->slots = slot;
	session->refs++;
	gateway.tasks++;
	made = freed = 0;
}

/* Ends the pipeline, and checks that all its events were freed. */
static void
teardown(void)
{
	ck_assert_ptr_null(session->slots);
	ck_assert_int_eq(freed, made);
	gateway_close();
}

static struct pipeline_event *
say(enum pipeline_event_kind kind, int target, const char *text)
{
	struct pipeline_payload with = pipeline_payload_of(fixture.mem);
	struct pipeline_event *s;

	buf_str(&with.text, text);
	s = pipeline_event_with(&pipeline, kind, target, &with);
	s->starred = -1;
	s->generation = pipeline_generation(&pipeline, target >= 0 ? target : 0);
	arena_defer(s->call.message.mem, count_freed, NULL);
	made++;
	return s;
}

static void
pass(struct pipeline_event *s)
{
	s->call.run(&gateway, &s->call);
}

static struct pipeline_event *
open_group(int target, int n)
{
	struct pipeline_event *g = say(PIPELINE_GROUP, target,
	    arena_printf(fixture.mem, "group %d.%d end", target, n));

	pass(g);
	return g;
}

static void
add_chunk(struct pipeline_event *group, int target, int n, bool last)
{
	struct pipeline_event *c = say(PIPELINE_CHUNK, target,
	    arena_printf(
		fixture.mem, "group %d.%d %s", target, n, last ? "last" : "more"));

	c->of = group;
	c->chunk.us = 200000;
	c->chunk.last = last;
	pass(c);
}

static void
gone(void)
{
	pass(say(PIPELINE_GONE, -1, ""));
}

START_TEST(what_waits_is_played_though_the_run_has_gone)
{
	struct pipeline_event *g = open_group(0, 1);

	for (int i = 0; i < 20; i++)
		add_chunk(g, 0, 1, i == 19);
	gone();
	ck_assert(playout_tick(session, slot, monotonic_us()));
	ck_assert_int_eq(count_seen(out, "more", ""), 15);
	ck_assert(playout_tick(session, slot, monotonic_us()));
	ck_assert_int_eq(count_seen(out, "more", ""), 15);
	ck_assert(!playout_tick(session, slot, monotonic_us() + 10 * S_US));
	ck_assert_int_eq(count_seen(out, "more", ""), 19);
	ck_assert_int_eq(count_seen(out, "last", ""), 1);
}
END_TEST

START_TEST(a_group_ends_early_and_its_chunks_come_late)
{
	struct pipeline_event *g = open_group(0, 1);

	add_chunk(g, 0, 1, false);
	playout_tick(session, slot, monotonic_us());
	playout_flush(slot, NULL);
	playout_tick(session, slot, monotonic_us());
	ck_assert_int_eq(count_seen(out, "group 0.1 end", ""), 1);
	add_chunk(g, 0, 1, false);
	add_chunk(g, 0, 1, true);
	gone();
	playout_tick(session, slot, monotonic_us());
	ck_assert_int_eq(out->n, 2);
}
END_TEST

START_TEST(what_was_flushed_on_its_way_is_not_heard)
{
	struct pipeline_event *text = say(PIPELINE_TEXT, 0, "text"),
			      *g = say(PIPELINE_GROUP, 0, "end");

	pipeline_flush(&pipeline, 0);
	pass(text);
	pass(g);
	add_chunk(g, 0, 1, false);
	add_chunk(g, 0, 1, true);
	gone();
	playout_tick(session, slot, monotonic_us());
	ck_assert_int_eq(out->n, 1);
	ck_assert_str_eq(out->said[0], "end");
}
END_TEST

START_TEST(what_is_dropped_is_not_heard)
{
	struct pipeline_event *g = open_group(0, 1);

	add_chunk(g, 0, 1, false);
	playout_drop(slot);
	add_chunk(g, 0, 1, true);
	pass(say(PIPELINE_TEXT, -1, "text"));
	playout_tick(session, slot, monotonic_us());
	gone();
	playout_tick(session, slot, monotonic_us());
	ck_assert_int_eq(out->n, 0);
}
END_TEST

START_TEST(too_much_of_it_is_left_out)
{
	struct pipeline_event *g;

	for (int n = 0; n < 3; n++) {
		g = open_group(0, n);
		for (int i = 0; i < 60; i++)
			add_chunk(g, 0, n, i == 59);
		playout_tick(session, slot, monotonic_us());
	}
	ck_assert_int_eq(count_seen(out, "QUEUE_OVERFLOW", ""), 1);
	gone();
	for (int i = 1; session->slots != NULL && i < 100; i++)
		playout_tick(session, slot, monotonic_us() + i * S_US);
	ck_assert_int_eq(count_seen(out, "group 0.0 more", ""), 59);
	ck_assert_int_eq(count_seen(out, "group 0.1 more", ""), 0);
	ck_assert_int_eq(count_seen(out, "group 0.1 end", ""), 1);
	ck_assert_int_eq(count_seen(out, "group 0.2 more", ""), 40);
	ck_assert_int_eq(count_seen(out, "group 0.2 end", ""), 1);
}
END_TEST

/* Groups are opened, filled and ended in random order, with flushes in between. */
static int
play_at_random(int64_t *now)
{
	struct pipeline_event *open[2] = { NULL, NULL };
	int groups = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int target = rand() % 2;
		struct pipeline_event **g = &open[target];
		int n = groups / 2;

		if (*g == NULL && groups < GROUPS) {
			*g = open_group(target, i);
			(*g)->times.spoken_us = i;
			groups++;
		} else if (*g != NULL && rand() % 8 > 0) {
			bool last = rand() % 5 == 0;

			n = (int)(*g)->times.spoken_us;
			add_chunk(*g, target, n, last);
			*g = last ? NULL : *g;
		}
		if (rand() % 20 == 0)
			playout_flush(slot, rand() % 2 ? NULL : "es");
		*now += rand() % 400000;
		playout_tick(session, slot, *now);
	}
	for (int t = 0; t < 2; t++)
		if (open[t] != NULL)
			add_chunk(open[t], t, (int)open[t]->times.spoken_us, true);
	return groups;
}

START_TEST(every_group_ends_once_and_nothing_comes_behind_its_end)
{
	int64_t now = monotonic_us();
	int groups, ends;

	srand((unsigned)_i);
	groups = play_at_random(&now);
	gone();
	for (int i = 0; session->slots != NULL && i < 1000; i++)
		playout_tick(session, slot, now += S_US);
	ends = count_seen(out, "group", "last") + count_seen(out, "group", "end");
	ck_assert_int_eq(ends, groups);
	for (int i = 0; i < out->n; i++) {
		const char *name = arena_dup(
		    fixture.mem, out->said[i], strcspn(out->said[i] + 6, " ") + 7);
		int at = i + 1;

		if (strstr(out->said[i], "more") == NULL)
			ck_assert_ptr_null(seen_from(out, &at, name, "group"));
	}
}
END_TEST

START_TEST(a_pipeline_behind_drops_one_thing_after_the_other)
{
	static const struct {
		int64_t us;
		bool translations, partials, speech;
	} at[] = { { 0, false, false, false }, { 3 * S_US, false, false, false },
		{ 3 * S_US + 1, true, false, false }, { 5 * S_US, true, true, false },
		{ 7 * S_US, true, true, true } };

	for (int i = 0; i < COUNT(at); i++) {
		pipeline_behind(&pipeline, at[i].us);
		ck_assert(pipeline_drops(&pipeline, DROP_PARTIAL_TRANSLATIONS) ==
			  at[i].translations);
		ck_assert(pipeline_drops(&pipeline, DROP_PARTIALS) == at[i].partials);
		ck_assert(pipeline_drops(&pipeline, DROP_SPEECH) == at[i].speech);
	}
	gone();
	playout_tick(session, slot, monotonic_us());
}
END_TEST

START_TEST(a_pipeline_behind_a_speaker_in_time_is_overloaded)
{
	int64_t now = monotonic_us();

	session->now = slot;
	pipeline.received_us = 4 * S_US; /* and no speech was recognised */
	session->in.pacing = (struct input_pacing){
		.has_first = true, .first_us = now, .sound_us = 4 * S_US
	};
	input_behind(session, now);
	ck_assert_int_eq(out->n, 0); /* all chunks came at once */
	input_behind(session, now + 4 * S_US);
	input_behind(session, now + 5 * S_US);
	ck_assert_int_eq(count_seen(out, "warning", "OVERLOADED"), 1);
	ck_assert(pipeline_drops(&pipeline, DROP_PARTIAL_TRANSLATIONS));
	session->now = NULL;
	gone();
	playout_tick(session, slot, monotonic_us());
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("gateway_play");
	TCase *t = tcase_create("play");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, what_waits_is_played_though_the_run_has_gone);
	tcase_add_test(t, a_group_ends_early_and_its_chunks_come_late);
	tcase_add_test(t, what_was_flushed_on_its_way_is_not_heard);
	tcase_add_test(t, what_is_dropped_is_not_heard);
	tcase_add_test(t, too_much_of_it_is_left_out);
	tcase_add_loop_test(
	    t, every_group_ends_once_and_nothing_comes_behind_its_end, 0, 10);
	tcase_add_test(t, a_pipeline_behind_drops_one_thing_after_the_other);
	tcase_add_test(t, a_pipeline_behind_a_speaker_in_time_is_overloaded);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
