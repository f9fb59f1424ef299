/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DB_STATEMENT_H
#define DB_STATEMENT_H

#include "db/driver.h"

/*
 * Write the statement's text for a database, with the columns from its tables of fields
 * and numbered parameters, and bind its :names to members.  ERR_REFUSED: the table has
 * no such column.
 */
enum err statement_write(
    struct stmt *, struct arena *scratch, const struct db_driver *) MUST_CHECK;

/* Bind the columns of its rows, const char *, to members.  ERR_REFUSED: the table and
   the statement do not have the same columns. */
enum err statement_fit(
    struct stmt *, struct arena *scratch, const struct list *columns) MUST_CHECK;

#endif
