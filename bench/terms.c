/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: terms DATABASE
 *
 * Builds the search index again from the rows that fill.sql and spread.sql have put
 * into event_texts, because sqlite3 lacks the SQL function that makes terms from a
 * text.
 */
#include <stdio.h>

#include "db/db.h"

static const char anew[] =
    "BEGIN; INSERT INTO event_terms (event_terms) VALUES ('delete-all');"
    "INSERT INTO event_terms (rowid, terms) SELECT rowid, grams(account, folded, 1)"
    " FROM event_texts ORDER BY rowid; COMMIT";

int
main(int argc, char **argv)
{
	struct db *db;
	enum err e;

	if (argc != 2 || db_open(&db, argv[1], 5000, false) != OK)
		return 2;
	e = db_script(db, anew);
	db_close(db);
	return e == OK ? 0 : 1;
}
