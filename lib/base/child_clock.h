#ifndef BASE_CHILD_CLOCK_H
#define BASE_CHILD_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * How child processes get on with a question, by what they have used since: processor
 * time, not the wall clock's.  On a host that is busy, or that grants a share of a
 * processor only, a question takes longer and is not lost.
 */
#define CHILD_TICK_MS 100
#define CHILD_IDLE_MS 3000 /* without a sign of life */

struct child_clock {
	const pid_t *pid; /* children of ours that have not been reaped */
	size_t n;
	int most_ms; /* of processor time, all of them together, for one question */
	int64_t began_us,
	    used_us;     /* processor time, when it began and at the last tick */
	int64_t tick_us; /* the next one, monotonic_us() */
	int idle;        /* ticks in a row in which none was used */
};

enum child_pace {
	CHILD_WORKS,  /* or waits for a processor */
	CHILD_SPENT,  /* it has used all its time */
	CHILD_ASLEEP, /* all of them have slept for CHILD_IDLE_MS: no answer will come
		       */
	CHILD_STOPPED /* none has done anything for so long, but one does not sleep: it
			 was stopped by a signal, or waits for a disk; it may go on
			 later */
};

/* A question begins; the processes stay where they are, at pid. */
void child_clock_begin(struct child_clock *, const pid_t *pid, size_t n, int most_ms);
/* How long to wait at most before the next look, in ms; above 0. */
int child_clock_wait_ms(const struct child_clock *);
/*
 * To be asked at least every CHILD_TICK_MS; more often does no harm.  What counts are
 * looks, not the time between them: if we did not run ourselves, neither did they.
 */
enum child_pace child_clock_look(struct child_clock *);
/* Processor time of a child that has not been reaped; 0: that is not known. */
int64_t child_clock_used_us(pid_t);

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
