#ifndef BASE_CHILD_CPU_H
#define BASE_CHILD_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Processor time of a child that stays: a token bucket (RFC 2697, section 3, has one)
 * that fills with a share of the time that passes.  A child that has emptied it is
 * ended by SIGXCPU.  The kernel does that (RLIMIT_CPU), so it holds while the parent is
 * busy, or waits for this very child.
 */
struct child_cpu {
	int64_t percent;          /* of one processor; 0: no limit */
	int64_t full_s;           /* what the bucket holds; it begins full */
	int64_t left_us, used_us; /* at the last call */
	int64_t at_us;            /* monotonic; 0: none yet */
};

/* Once it has been started, and again while it runs: each second or two. */
void child_cpu_allow(struct child_cpu *, pid_t);
/* Whether it ended by that; status: as of waitpid(2). */
bool child_cpu_spent(int status);

#endif
