/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/*
 * Results of fallible functions in lib/.  Expected outcomes have names; everything
 * else is ERR_FAILED, already logged where it happened.
 */
enum err {
	OK = 0,
	ERR_NOT_FOUND,   /* no such row, file or engine voice */
	ERR_CONFLICT,    /* a uniqueness or state rule refused it */
	ERR_STALE,       /* the row changed since the caller read it */
	ERR_LIMIT,       /* a plan value would be passed */
	ERR_BUSY,        /* try again soon; nothing was changed */
	ERR_FULL,        /* the disk is at its reserve */
	ERR_UNSUPPORTED, /* the operation is not supported */
	ERR_REFUSED,     /* an engine or backend refused it permanently */
	ERR_TIMEOUT,     /* no connection to an engine or backend, or no answer */
	ERR_FAILED,      /* an error of this program or machine */
};

#define MUST_CHECK __attribute__((warn_unused_result))

/* "not found", "conflict", ...; for logs. */
const char *err_name(enum err);

#endif
