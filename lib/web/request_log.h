/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_REQUEST_LOG_H
#define WEB_REQUEST_LOG_H

#include "base/field.h"
#include "db/db.h"

/*
 * The last requests with each API key or client pair, and with tokens made from one:
 * the folder "requests" below the folder of the state has a file of fixed size for each
 * key, which all programs of this host map, so that a request costs neither a write to
 * the database nor a system call.
 */
struct request_log;

struct request_line {
	int64_t at_us;
	const char *method, *route;
	int64_t status;
	const char *slug; /* the kind of problem; NULL: the answer is none */
	const char *request_id;
	int64_t ms;
};

#define REQUEST_LOG_DAYS 7 /* days for which lines are listed, and files kept */

extern const struct field request_line_fields[];

struct request_log *request_log_open(struct arena *, const char *state_dir);
void request_log_close(struct request_log *); /* NULL is allowed, also below */
/*
 * Add a request with this credential, unless it is a member's.  If there is no room for
 * a file, nothing is added, and the file is tried again every few seconds.
 */
void request_log_add(struct request_log *, struct db *, const char *credential,
    const struct request_line *);
/* Read the lines of a key of the last days, the newest first. */
enum err request_log_read(
    struct arena *, const char *state_dir, const char *key, struct list *) MUST_CHECK;
/* Remove the file of a key. */
void request_log_remove(struct arena *, const char *state_dir, const char *key);
/* Remove the files of keys that are revoked, or were not used in the last days. */
enum err request_log_sweep(
    struct db *, struct arena *, const char *state_dir) MUST_CHECK;

#endif
