#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "base/buf.h"
#include "doctor/check.h"
#include "service/cli.h"

/* What `dragoman doctor` looks at, one after the other. */
struct doctor_check {
	const char *name;
	void (*run)(struct check *);
	int timeout_s; /* then it is killed, and that is its last finding */
};

extern const struct doctor_check doctor_checks[]; /* up to one without a name */

/*
 * Run a check in a process of its own, so that nothing it meets can hold or end us; its
 * findings, struct finding, go behind the others, and live in the arena of the buffer.
 */
void doctor_run(const struct conf *, const struct doctor_check *, struct buf *findings);

/*
 * `dragoman doctor`: 0: nothing has to be done, 1: a finding is `fail`, 2: it could not
 * run.  Reads the settings itself, as it makes no file.
 */
int doctor_command(struct cli *);

#endif
