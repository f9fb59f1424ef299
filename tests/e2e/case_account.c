/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The deletion of an account: all its data is deleted, and its streams end. */
#include <string.h>

#include "base/conf.h"
#include "cases.h"
#include "db/db.h"
#include "owner.h"
#include "store/account_data.h"
#include "stream.h"

static struct owner me, other;

static void
before(void)
{
	me = owner_new("leaving", true);
	other = owner_new("staying", false);
}

/* ---- looking everywhere ---- */

static bool
over_postgres(void)
{
	return strncmp(settings()->db_url, "postgres", 8) == 0;
}

/* Returns "id LIKE $1 OR ..." of each column, as SQLite lists them. */
static const char *
any_column(const char *table)
{
	const char *query = text("SELECT name FROM pragma_table_info('%s')", table);
	struct sql columns = { text("columns of %s", table), query };
	const char *any = "0";
	struct rows rs;
	struct db *db;

	ck_assert_int_eq(db_open(&db, settings()->db_url, 20000, false), OK);
	rs = db_query(db, &columns, ARGS());
	while (db_next(&rs))
		any = text("%s OR CAST(\"%s\" AS TEXT) LIKE '%%' || $1 || '%%'", any,
		    row_text(&rs, 0, memory()));
	ck_assert_int_eq(db_done(&rs), OK);
	db_close(db);
	return any;
}

/* Counts the rows with this id, in any column of any table. */
static int64_t
rows_with(const char *id)
{
	int64_t n = 0;

	for (const struct account_table *t = account_tables; t->name != NULL; t++) {
		bool pg = over_postgres();
		const char *where;
		struct sql count;

		if (strcmp(t->name, "event_terms") == 0)
			/* an index of event_texts, which stores no text itself */
			continue;
		where = pg ? text("CAST(x.* AS TEXT) LIKE '%%' || $1 || '%%'")
			   : any_column(t->name);
		count = (struct sql){ text("rows of %s", t->name),
			text("SELECT count(*) FROM %s x WHERE %s", t->name, where) };
		n += count_in_db(&count, id);
	}
	return n;
}

static bool
has_file(const char *blob)
{
	return run((const char *const[]){ "/usr/bin/find", settings()->blob_dir,
		       "-name", text("%s*", blob), NULL })
		   .n > 0;
}

static bool
is_gone(const void *id)
{
	return strstr(DRAGOMAN("account", "list"), id) == NULL;
}

START_TEST(nothing_is_left_of_a_deleted_account)
{
	struct ws *ws = stream_begin(&me.as, TASK);
	struct answer a;

	ck_assert_int_gt(rows_with(me.as.user_id), 10);
	ck_assert(has_file(me.thing[FILE_STORED]) && has_file(me.thing[FILE_SPOKEN]));
	DRAGOMAN("account", "delete", me.as.user_id);
	a = ASK(.path = "/auth/me", .as = &me.as);
	expect_problem(&a, 401, "unauthorized");
	a = ASK(.path = text("/saas/v2/event/public/%s", me.thing[EVENT]));
	expect_problem(&a, 404, "resource-not-found");
	hear_close(ws, 1008, 10, NULL);
	ck_assert_msg(becomes(is_gone, me.as.user_id, 45), "%lld rows",
	    (long long)rows_with(me.as.user_id));
	ck_assert_int_eq(rows_with(me.as.user_id), 0);
	for (int i = 0; i < NO_THING; i++)
		if (i != COVER && i != COVER_TAKEN)
			ck_assert_msg(rows_with(me.thing[i]) == 0, "thing %d", i);
	for (int i = FILE_STORED; i <= FILE_SPOKEN; i++)
		ck_assert_msg(!has_file(me.thing[i]), "file of thing %d", i);
	a = ASK(.path = text("/saas/v2/event/%s", other.thing[EVENT]), .as = &other.as);
	EXPECT(a, 200);
	ck_assert(has_file(other.thing[FILE_STORED]));
}
END_TEST

Suite *
account_suite(void)
{
	TCase *t;
	Suite *s = suite_of("account", before, &t);

	tcase_set_timeout(t, 300);
	tcase_add_test(t, nothing_is_left_of_a_deleted_account);
	return s;
}
