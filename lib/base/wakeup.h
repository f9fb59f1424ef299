#ifndef BASE_WAKEUP_H
#define BASE_WAKEUP_H

#include <stdbool.h>

#include "base/err.h"

/* Wakes a thread that waits for descriptors with poll(2): an eventfd(2). */
struct wakeup {
	int fd; /* readable from wakeup_wake() to wakeup_drain() */
};

/* False: there are no descriptors; see errno. */
bool wakeup_open(struct wakeup *) MUST_CHECK;
void wakeup_close(struct wakeup *);
/* Any thread.  Takes a struct wakeup: for mailbox_new(). */
void wakeup_wake(void *);
/* What has woken the thread is done now. */
void wakeup_drain(struct wakeup *);
/*
 * Wait until the thread is woken, which is done then, fd is readable, or timeout_ms are
 * over; -1: without end.  Is fd readable, or broken?
 */
bool wakeup_wait(struct wakeup *, int fd, int timeout_ms);

#endif
