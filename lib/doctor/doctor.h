/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "base/buf.h"
#include "doctor/check.h"
#include "service/cli.h"

/* A check of `dragoman doctor`.  They run one after the other. */
struct doctor_check {
	const char *name;
	void (*run)(struct check *);
	int timeout_s; /* time after which it is killed and reported */
};

extern const struct doctor_check doctor_checks[]; /* ends with a NULL name */

/* Run a check in its own process, so that it cannot block or crash the caller.  Its
   findings, struct finding, are appended and live in the arena of the buffer. */
void doctor_run(const struct conf *, const struct doctor_check *, struct buf *findings);

/*
 * The command `dragoman doctor`.  Returns 0: nothing must be done, 1: a finding is
 * `fail`, 2: it could not run.  Reads the settings itself, because it must not create
 * files.
 */
int doctor_command(struct cli *);

#endif
