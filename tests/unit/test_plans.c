/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The query plans of all statements in SQLite. None reads a whole table or sorts,
 * except those listed here. `test_plans print` writes the plans, which tests/golden/run
 * compares with the stored ones.
 */
#include "tests/unit/statements.h"
#include "tests/unit/unit.h"

static const struct {
	const char *statement, *reason;
} excused[] = {
	{ "channel.standing", "a worker's: nearly all channels are wanted" },
	{ "account.any", "one row ends it" },
	{ "account.list", "the operator's command, all accounts are wanted" },
	{ "account_data.dead_jobs", "jobs are removed when done" },
	{ "account_data.jobs", "jobs are removed when done" },
	{ "account_data.left", "while an account is deleted" },
	{ "blob.total", "for metrics: one row an account, and an index would cost" },
	{ "chore.list", "two dozen rows, at the start of a worker" },
	{ "audit.expire", "one step an account, of a worker" },
	{ "event.ended", "those that no worker has marked yet" },
	{ "job.counts", "for metrics: jobs are removed when done" },
	{ "webhook_delivery.pending", "for metrics: an index of those that wait" },
	{ "webhook_delivery.failed", "for metrics: an index of those that failed" },
	{ "job.deads", "for the operator: jobs are removed when done" },
	{ "stage.list", "one row an id of the page, which are not of a table" },
	{ "stage.channels", "likewise" },
	{ "served.list", "one row a language that can be spoken" },
	{ "worker.list", "one row a worker" },
	{ "lease.take", "one row a host" },
	{ "lease.renew", "likewise" },
	{ "node.list", "one row a host" },
	{ "node.summaries", "for the command line alone" },
	{ "node.alive", "one row a host" },
	{ "node.any_joined", "one row a host" },
	{ "node.choose", "one row a host" },
	{ "node.forget", "one row a host" },
	{ "node.forget_workers", "one row a worker" },
	{ "node.release", "for the operator, while a host is drained" },
	{ "node.channels", "likewise" },
	{ "schema.oldest", "one row a version" },
	{ "join.add", "one row a join that it adds" },
	{ "fingerprint.list", "three rows" },
	{ "transcript.languages_channel", "of a file, which reads all these lines" },
	{ "transcript.languages_event", "likewise" },
	{ "transcript.expire", "of the table's rows as many as it may remove" },
	{ "transcript.sweep", "one step a channel, of a worker" },
	{ "recording.left", "a worker's: one row a file" },
	{ "usage.by_day_up", "sums a range of one account's hours, not its entries" },
	{ "usage.by_day_down", "sums a range of one account's hours, not its entries" },
	{ "usage.by_kind_up", "sums a range of one account's hours, not its entries" },
	{ "usage.by_kind_down",
	    "sums a range of one account's hours, not its entries" },
	{ "usage.by_event_up", "sums a range of one account's hours, not its entries" },
	{ "usage.by_event_down",
	    "sums a range of one account's hours, not its entries" },
	{ "usage.by_channel_up",
	    "sums a range of one account's hours, not its entries" },
	{ "usage.by_channel_down",
	    "sums a range of one account's hours, not its entries" },
	{ "listening.over", "one row an event whose minutes are kept" },
	{ "listening.series", "sorts one answer, of 1,440 steps at most" },
	{ "voice.limits", "sorts the voices of one account, which the plan bounds" },
	{ "blob.of_account",
	    "an export, which is rare, sorts the files of one account" },
	{ "holdings.accounts", "for the operator, once before a restore" },
	{ "holdings.events", "likewise" },
	{ "ledger.after", "sorts the entries of one moment" },
};

/* one connection for all, because opening one takes the most time */
static sqlite3 *database;

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, NULL };

	fixture_open("plans", none, prepared);
	database = unit_database();
}

static void
teardown(void)
{
	sqlite3_close(database);
	fixture_close();
}

static const char *
plan(const struct sql *s)
{
	const char *rows =
	    unit_query(database, arena_printf(fixture.mem, "EXPLAIN QUERY PLAN %s",
				     db_text(fixture.app.db, s)));
	struct buf b = { .mem = fixture.mem };

	/* id|parent|notused|detail */
	for (size_t n; *rows != '\0'; rows += n + (rows[n] == '\n')) {
		for (int bars = 0; bars < 3; rows++)
			bars += *rows == '|';
		n = strcspn(rows, "\n");
		buf_printf(&b, "\t%.*s\n", (int)n, rows);
	}
	return buf_text(&b);
}

static const char *
reason(const struct sql *s)
{
	for (int i = 0; i < COUNT(excused); i++)
		if (strcmp(excused[i].statement, s->name) == 0)
			return excused[i].reason;
	return NULL;
}

/*
 * FTS5 reports every access as a scan: "INDEX 0:=" is one row, "0:" is all rows. A
 * constant row belongs to no table.
 */
static bool
scans(const char *plan)
{
	for (const char *s = plan; (s = strstr(s, "\tSCAN ")) != NULL; s++) {
		const char *line = arena_dup(fixture.mem, s, strcspn(s, "\n"));
		const char *index = strstr(line, " VIRTUAL TABLE INDEX ");

		if (strcmp(line, "\tSCAN CONSTANT ROW") == 0)
			continue;
		if (index == NULL || strchr(index, ':')[1] == '\0')
			return true;
	}
	return false;
}

static bool
is_slow(const char *plan)
{
	return scans(plan) || strstr(plan, "TEMP B-TREE") != NULL;
}

START_TEST(no_statement_reads_a_whole_table_or_sorts)
{
	for (const struct sql *s = statements[_i]; s->name != NULL; s++)
		ck_assert_msg(s->text == NULL || !is_slow(plan(s)) || reason(s) != NULL,
		    "%s:\n%s", s->name, plan(s));
}
END_TEST

/* Returns the statement of that name, or NULL. */
static const struct sql *
named(const char *name)
{
	for (int i = 0; i < COUNT(statements); i++)
		for (const struct sql *s = statements[i]; s->name != NULL; s++)
			if (strcmp(s->name, name) == 0)
				return s;
	return NULL;
}

START_TEST(nothing_is_excused_without_need)
{
	const struct sql *s = named(excused[_i].statement);

	ck_assert_msg(
	    s != NULL && is_slow(plan(s)), "%s needs no excuse", excused[_i].statement);
}
END_TEST

START_TEST(no_two_statements_have_one_name)
{
	for (int i = 0; i < COUNT(statements); i++)
		for (const struct sql *s = statements[i]; s->name != NULL; s++)
			ck_assert_msg(named(s->name) == s, "%s", s->name);
}
END_TEST

START_TEST(plans_are_written_where_asked)
{
	const char *path = getenv("PLANS");
	FILE *to = path != NULL ? fopen(path, "w") : NULL;

	if (to == NULL)
		return;
	for (int i = 0; i < COUNT(statements); i++)
		for (const struct sql *s = statements[i]; s->name != NULL; s++)
			if (s->text != NULL)
				fprintf(to, "%s%s%s\n%s", s->name,
				    reason(s) ? "  -- " : "",
				    reason(s) ? reason(s) : "", plan(s));
	ck_assert_int_eq(fclose(to), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("plans");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60); /* every statement is prepared */
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, no_statement_reads_a_whole_table_or_sorts, 0, COUNT(statements));
	tcase_add_loop_test(t, nothing_is_excused_without_need, 0, COUNT(excused));
	tcase_add_test(t, no_two_statements_have_one_name);
	tcase_add_test(t, plans_are_written_where_asked);
	suite_add_tcase(s, t);
	return unit_run(s);
}
