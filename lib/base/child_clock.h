/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CHILD_CLOCK_H
#define BASE_CHILD_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Measures the progress of child processes with a question by their processor time, not
 * by the wall clock. So on a busy host, or with only a share of a processor, a question
 * takes longer but does not fail.
 */
#define CHILD_TICK_MS 100
/* time without any processor time after which processes count as asleep */
#define CHILD_IDLE_MS 3000

struct child_clock {
	const pid_t *pid; /* our children that have not been reaped */
	size_t n;
	int most_ms; /* processor time of all children together for one question */
	int64_t began_us,
	    /*
	     * processor time of the children, at the question's begin and at the last
	     * tick
	     */
	    used_us;
	int64_t tick_us;  /* time of the next tick, monotonic_us() */
	int64_t ready_us; /* ticks at which a child ran, or waited for a processor */
	int idle;         /* successive ticks without any processor time */
};

enum child_pace {
	CHILD_WORKS, /* the children work, or wait for a processor */
	CHILD_SPENT, /* the children have used all their time */
	/* all children have slept for CHILD_IDLE_MS: no answer will come */
	CHILD_ASLEEP,
	/*
	 * no child has run for this time, but one does not sleep: a signal stopped it,
	 * or it waits for a disk; it may continue later
	 */
	CHILD_STOPPED
};

/* Begin a question. The array at pid is borrowed until the question ends. */
void child_clock_begin(struct child_clock *, const pid_t *pid, size_t n, int most_ms);
/* The longest time to wait before the next child_clock_check(), in ms; above 0. */
int child_clock_wait_ms(const struct child_clock *);
/*
 * Check the children. Call it at least every CHILD_TICK_MS; more often is harmless. The
 * function counts calls, not the time between them: while this process does not run,
 * the children do not run either.
 */
enum child_pace child_clock_check(struct child_clock *);
/* Processor time of a child that has not been reaped; 0: unknown. */
int64_t child_clock_used_us(pid_t);

/*
 * Processor time of a child that keeps running: a token bucket (RFC 2697, section 3,
 * has one) that fills with a share of the passing time.  A child that empties it is
 * ended by SIGXCPU.  The kernel does that (RLIMIT_CPU), so it also works while the
 * parent is busy, or waits for this child.
 */
struct child_cpu {
	int64_t percent;          /* limit in percent of one processor; 0: no limit */
	int64_t full_s;           /* capacity of the bucket, which begins full */
	int64_t left_us, used_us; /* values at the last call */
	int64_t at_us;            /* monotonic; 0: none yet */
};

/*
 * Set the limit of processor time. Call it once the child has started, and then every
 * second or two while the child runs.
 */
void child_cpu_allow(struct child_cpu *, pid_t);
/*
 * True if the child ended because it had used up its processor time. status: from
 * waitpid(2).
 */
bool child_cpu_spent(int status);

#endif
