/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/timer_wheel.h"

#include <stddef.h>

static int64_t
step_at(int64_t us)
{
	return us / TIMER_STEP_US;
}

void
timer_wheel_start(struct timer_wheel *w, int64_t now_us)
{
	for (int i = 0; i < TIMER_SLOTS; i++)
		w->slots[i].next = w->slots[i].prev = &w->slots[i];
	w->step = step_at(now_us);
}

void
timer_wheel_cancel(struct timer *t)
{
	if (t->next == NULL)
		return;
	t->next->prev = t->prev;
	t->prev->next = t->next;
	t->next = t->prev = NULL;
}

/* A due time beyond the wheel's turn is checked again at the end of the turn. */
void
timer_wheel_set(struct timer_wheel *w, struct timer *t, int64_t due_us)
{
	int64_t step = step_at(due_us + TIMER_STEP_US - 1);
	struct timer *slot;

	timer_wheel_cancel(t);
	t->due_us = due_us;
	if (step > w->step + TIMER_SLOTS - 1)
		step = w->step + TIMER_SLOTS - 1;
	if (step <= w->step)
		step = w->step + 1;
	slot = &w->slots[step % TIMER_SLOTS];
	t->next = slot;
	t->prev = slot->prev;
	slot->prev->next = t;
	slot->prev = t;
}

struct timer *
timer_wheel_next(struct timer_wheel *w, int64_t now_us)
{
	int64_t last = step_at(now_us);

	if (w->step < last - TIMER_SLOTS)
		w->step = last - TIMER_SLOTS;
	for (; w->step < last; w->step++) {
		struct timer *slot = &w->slots[(w->step + 1) % TIMER_SLOTS], *t;

		while ((t = slot->next) != slot) {
			timer_wheel_cancel(t);
			if (t->due_us <= now_us)
				return t;
			timer_wheel_set(w, t, t->due_us);
		}
	}
	return NULL;
}

int64_t
timer_wheel_due_us(const struct timer_wheel *w)
{
	for (int64_t step = w->step + 1; step <= w->step + TIMER_SLOTS; step++) {
		const struct timer *slot = &w->slots[step % TIMER_SLOTS];

		if (slot->next != slot)
			return step * TIMER_STEP_US;
	}
	return INT64_MAX;
}
