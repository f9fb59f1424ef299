#ifndef DB_STATEMENT_H
#define DB_STATEMENT_H

#include "db/driver.h"

/*
 * Write the statement's text for a database, with columns from its tables and
 * parameters by number, and say which members its :names are.  ERR_REFUSED: one
 * is no column of the table.
 */
enum err statement_write(
    struct stmt *, struct arena *scratch, const struct db_driver *) MUST_CHECK;

/*
 * Find the member of each column, const char *, of its rows.  ERR_REFUSED: the
 * table has a column that is not among them, or has not one of them.
 */
enum err statement_fit(
    struct stmt *, struct arena *scratch, const struct list *columns) MUST_CHECK;

#endif
