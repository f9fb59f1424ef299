/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_TIMER_WHEEL_H
#define RTC_TIMER_WHEEL_H

#include <stdint.h>

/*
 * Timers in great numbers: setting, cancelling and expiring take constant time (hashed
 * timing wheel, Varghese and Lauck 1987, scheme 6). A timer expires at the first
 * multiple of TIMER_STEP_US after its due time.
 */
#define TIMER_STEP_US INT64_C(10000)
#define TIMER_SLOTS 256

/* Zero-initialised: not set.  Must not move while it is set. */
struct timer {
	struct timer *next, *prev;
	int64_t due_us;
};

struct timer_wheel {
	int64_t step; /* the last step whose slot is empty */
	struct timer slots[TIMER_SLOTS];
};

void timer_wheel_start(struct timer_wheel *, int64_t now_us);
void timer_wheel_set(struct timer_wheel *, struct timer *, int64_t due_us);
void timer_wheel_cancel(struct timer *);
/* Returns a timer that is due and no longer set. NULL: none is due. */
struct timer *timer_wheel_next(struct timer_wheel *, int64_t now_us);
/*
 * Time from which timer_wheel_next() may return a timer, or sets one again that is due
 * later; INT64_MAX: none is set.
 */
int64_t timer_wheel_due_us(const struct timer_wheel *);

#endif
