/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Glossaries, joins, the end of events, channels, and the rows of deleted events, while
 * the workers for all of these are killed with -9 again and again.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/db.h"
#include "killing.h"

/* number of rounds; each has a glossary, a join, and every other one an event */
#define ROUNDS 20
#define ENDED (ROUNDS / 2)
#define WRONG (ROUNDS / 4)
#define UNDONE (ROUNDS / 2)
#define LARGE 60000 /* rows of a glossary */

static struct account me;

static const char *
event_new(const char *end)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = text("{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
			 "\"utc_start_dt\":\"2020-01-01T08:00:00Z\","
			 "\"utc_end_dt\":\"%s\"}}",
		end));

	EXPECT(a, 201);
	return text_at(a.json, "data.event_id");
}

static void
event_drop(const char *event, int status)
{
	struct answer a = ASK(.method = "DELETE",
	    .path = text("/saas/v2/event/%s", event), .as = &me);

	EXPECT(a, status);
}

static const char *
channel_new(const char *event)
{
	struct answer a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"name\":\"Hall\",\"type\":\"event\",\"event_id\":"
			 "\"%s\",\"target_languages\":[\"de\",\"fr\"]}}",
		event));

	EXPECT(a, 201);
	return text_at(a.json, "data.channel_id");
}

/* ---- work for the workers ---- */

static struct bytes
large_file(void)
{
	struct buf b = { .mem = memory() };

	for (int i = 0; i < LARGE; i++)
		buf_printf(&b, "%07d\n", i);
	return (struct bytes){ b.p, b.len };
}

static void
upload_glossary(struct bytes file)
{
	struct answer a = ASK(.path = "/saas/glossary", .as = &me,
	    .json = "{\"data\":{\"name\":\"Terms\",\"glossary_type\":\"asr_hot\","
		    "\"source_lang\":\"en\",\"target_lang\":\"de\"}}");
	struct form f = { .n = 1,
		.part = { { "glossary", "terms.csv", "text/csv", file } } };

	EXPECT(a, 200);
	a = ASK(.path = text(
		    "/saas/glossary/%s/upload", text_at(a.json, "data.glossary_id")),
	    .as = &me, .type = FORM_TYPE, .body = form_bytes(&f));
	EXPECT(a, 200);
}

static void
join(const char *event, const char *language)
{
	struct answer a = ASK(.path = text("/saas/v2/event/public/%s/join", event),
	    .json = text("{\"data\":{\"language\":\"%s\"}}", language));

	EXPECT(a, 201);
}

/* Leaves a channel as a program does that dies while creating it. */
static void
leave_channel_undone(const char *event)
{
	static const struct sql undone = { "undone",
		"UPDATE channels SET lifecycle = 'creating', broadcast = NULL,"
		" runtime = NULL WHERE id = $1",
		NULL };
	static const struct sql left = { "left",
		"INSERT INTO jobs (id, kind, account, ref, state, due_us, tries,"
		" created_us) SELECT id, 'channel.create', account, id, 'leased', 1,"
		" 1, 1 FROM channels WHERE id = $1",
		NULL };
	const char *id = channel_new(event);

	change_db(&undone, id);
	change_db(&left, id);
}

static void
drop_event_with_channels(void)
{
	const char *event = event_new("2036-12-02T08:00:00Z");

	channel_new(event);
	channel_new(event);
	event_drop(event, 202);
}

static void
drop_event_with_many_joins(const char *event)
{
	static const struct sql joined = { "joined",
		"INSERT INTO joins (event, listener, language)"
		" WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k"
		" WHERE i < 300000) SELECT CAST($1 AS TEXT), 'listener ' || i, 'de'"
		" FROM k",
		NULL };

	change_db(&joined, event);
	event_drop(event, 200);
}

static const char *const languages[] = { "de", "fr", "original", "de" };

static void
make_work(const char *event, struct bytes large)
{
	static const char good[] = "heart\nlung\n", wrong[] = "heart,lung\n";

	for (int i = 0; i < ROUNDS; i++) {
		struct bytes small = { i % 4 == 1 ? wrong : good,
			strlen(i % 4 == 1 ? wrong : good) };

		upload_glossary(i % 4 == 2 ? large : small);
		join(event, languages[i % ROWS(languages)]);
		if (i % 2 == 0)
			event_new("2020-01-02T08:00:00Z");
		else
			leave_channel_undone(event);
		if (i % 4 == 3)
			drop_event_with_channels();
		nap(0.2);
	}
}

/* ---- killing ---- */

#define AT_WORK(kind)                                                                  \
	{                                                                              \
		"at_work",                                                             \
		    "SELECT count(*) FROM jobs WHERE account = $1 AND state ="         \
		    " 'leased' AND due_us > 1 AND kind LIKE '" kind ".%'",             \
		    NULL                                                               \
	}

static const struct {
	const char *name;
	struct sql at_work;
} workers[] = {
	{ "glossary_import", AT_WORK("glossary") },
	{ "stats_export", AT_WORK("event") },
	{ "channel_retry", AT_WORK("channel") },
};

static const struct sql awaited = { "awaited",
	"SELECT count(*) FROM event_stats s JOIN events e ON e.id = s.event"
	" WHERE e.account = $1 AND s.noticed_us > 5 AND s.final_us IS NULL",
	NULL };
static const struct sql not_final = { "not_final",
	"SELECT count(*) FROM event_stats s JOIN events e ON e.id = s.event"
	" WHERE e.account = $1 AND e.end_us < 2000000000000000 AND (s.final IS NULL"
	" OR s.final_us IS NULL OR e.finished_us IS NULL OR e.finished_us <> e.end_us)",
	NULL };

/* Moves the time at which events were found to be finished into the past. */
static void
skip_the_wait(void)
{
	static const struct sql long_ago = { "long_ago",
		"UPDATE event_stats SET noticed_us = 5 WHERE noticed_us IS NOT NULL AND"
		" final_us IS NULL AND event IN (SELECT id FROM events WHERE account ="
		" $1)",
		NULL };

	if (count_in_db(&awaited, me.user_id) > 0)
		change_db(&long_ago, me.user_id);
}

/* Kills a worker while it has a job, if it gets one soon, else at any moment. */
static int
kill_worker(int i)
{
	double end = seconds() + 0.3;

	while (seconds() < end && count_in_db(&workers[i].at_work, me.user_id) == 0)
		nap(0.001);
	return worker_signal(workers[i].name, SIGKILL) > 0;
}

/* Kills workers until the client is done; returns its status. */
static int
kill_workers(pid_t client, int kills[])
{
	int status = 0, least;

	do {
		nap_between(0, 0.3);
		skip_the_wait();
		least = KILLS;
		for (int i = 0; i < ROWS(workers); i++) {
			kills[i] += kill_worker(i);
			least = kills[i] < least ? kills[i] : least;
		}
		if (client > 0 && waitpid(client, &status, WNOHANG) == client)
			client = 0;
	} while (client > 0 || least < KILLS);
	return status;
}

/* ---- what is left ---- */

static const struct sql pending = { "pending",
	"SELECT count(*) FROM glossaries WHERE account = $1 AND status = 'pending'",
	NULL };
static const struct sql ready = { "ready",
	"SELECT count(*) FROM glossaries g WHERE account = $1 AND status = 'ready'"
	" AND faults = '' AND entries IN (2, 60000) AND (SELECT count(*) FROM"
	" glossary_terms t WHERE t.glossary = g.id) = 1",
	NULL };
static const struct sql failed = { "failed",
	"SELECT count(*) FROM glossaries g WHERE account = $1 AND status = 'failed'"
	" AND faults <> '' AND entries = 0 AND NOT EXISTS (SELECT 1 FROM"
	" glossary_terms t WHERE t.glossary = g.id)",
	NULL };
static const struct sql jobs = { "jobs", "SELECT count(*) FROM jobs WHERE account = $1",
	NULL };
static const struct sql not_exported = { "not_exported",
	"SELECT count(*) FROM event_stats s JOIN events e ON e.id = s.event"
	" WHERE e.account = $1 AND (s.changed_us IS NOT NULL OR (s.csv IS NULL AND"
	" s.participants > 0))",
	NULL };
static const struct sql final = { "final",
	"SELECT count(*) FROM event_stats s JOIN events e ON e.id = s.event"
	" WHERE e.account = $1 AND s.final_us IS NOT NULL",
	NULL };
static const struct sql left_behind = { "left_behind",
	"SELECT count(*) FROM joins WHERE event = $1", NULL };
static const struct sql miscounted = { "miscounted",
	"SELECT count(*) FROM heard h WHERE event = $1 AND participants <> (SELECT"
	" count(*) FROM joins j WHERE j.event = h.event AND j.language = h.language)",
	NULL };
static const struct sql channels_made = { "channels_made",
	"SELECT count(*) FROM channels WHERE account = $1 AND lifecycle = 'ready'"
	" AND broadcast = id || '-' || attempt",
	NULL };
static const struct sql channels = { "channels",
	"SELECT count(*) FROM channels WHERE account = $1", NULL };

static const char *
what_is_left(const char *dropped)
{
	return text("%d glossaries, %d jobs, %d exports, %d ends, %d joins",
	    (int)count_in_db(&pending, me.user_id), (int)count_in_db(&jobs, me.user_id),
	    (int)count_in_db(&not_exported, me.user_id),
	    (int)count_in_db(&not_final, me.user_id),
	    (int)count_in_db(&left_behind, dropped));
}

static bool
all_done(const void *dropped)
{
	skip_the_wait();
	return strcmp(what_is_left(dropped),
		   "0 glossaries, 0 jobs, 0 exports, 0 ends, 0 joins") == 0;
}

static void
expect_export(const char *event)
{
	struct answer a =
	    ASK(.path = text("/saas/v2/event/%s/stats", event), .as = &me);
	const char *csv = "language,participants\r\n";
	const json_t *one;
	size_t i;

	EXPECT(a, 200);
	ck_assert_int_eq(int_at(a.json, "data.participants_count"), ROUNDS);
	json_array_foreach(at(a.json, "data.language_distribution"), i, one) csv =
	    text("%s%s,%d\r\n", csv, text_at(one, "language"),
		(int)int_at(one, "participants"));
	a = ASK(.path = text("/saas/v2/event/%s/stats/export", event), .as = &me);
	EXPECT(a, 200);
	ck_assert_str_eq(a.body, csv);
	ck_assert_int_eq(count_in_db(&miscounted, event), 0);
}

START_TEST(the_rest_survives_its_workers_being_killed)
{
	const char *event, *dropped;
	struct bytes large = large_file();
	int kills[ROWS(workers)] = { 0 };
	double start = seconds();
	pid_t client;

	me = account_new("kill the rest");
	account_plan(&me, "--glossaries", "0");
	event = event_new("2036-12-02T08:00:00Z");
	channel_new(event);
	dropped = event_new("2036-12-02T08:00:00Z");
	if ((client = fork()) == 0) {
		drop_event_with_many_joins(dropped);
		make_work(event, large);
		_exit(0);
	}
	ck_assert_msg(kill_workers(client, kills) == 0, "a client failed");
	ck_assert_msg(
	    becomes(all_done, dropped, 60), "left: %s", what_is_left(dropped));
	for (int i = 0; i < ROWS(workers); i++)
		printf("kill: %s killed %d times, %d jobs taken over\n",
		    workers[i].name, kills[i], worker_takeovers(workers[i].name));
	printf("kill: the rest was done after %.1f s\n", seconds() - start);
	ck_assert_int_eq(count_in_db(&ready, me.user_id), ROUNDS - WRONG);
	ck_assert_int_eq(count_in_db(&failed, me.user_id), WRONG);
	ck_assert_int_eq(count_in_db(&channels_made, me.user_id), UNDONE + 1);
	ck_assert_int_eq(count_in_db(&channels, me.user_id), UNDONE + 1);
	ck_assert_int_eq(count_in_db(&final, me.user_id), ENDED);
	expect_export(event);
}
END_TEST

void
kill_rest(TCase *t)
{
	tcase_add_test(t, the_rest_survives_its_workers_being_killed);
}
