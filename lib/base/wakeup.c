#include "base/wakeup.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"

bool
wakeup_open(struct wakeup *w)
{
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return w->fd >= 0;
}

void
wakeup_close(struct wakeup *w)
{
	close(w->fd);
}

void
wakeup_wake(void *arg)
{
	const struct wakeup *w = arg;
	uint64_t one = 1;

	if (write(w->fd, &one, sizeof(one)) < 0)
		log_error("a thread cannot be woken: %s", strerror(errno));
}

/* Without a wake-up there is nothing to read: that is no error. */
void
wakeup_drain(struct wakeup *w)
{
	uint64_t count;

	if (read(w->fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		log_error("a wakeup cannot be read: %s", strerror(errno));
}

bool
wakeup_wait(struct wakeup *w, int fd, int timeout_ms)
{
	struct pollfd p[] = { { .fd = w->fd, .events = POLLIN },
		{ .fd = fd, .events = POLLIN } };

	if (poll(p, 2, timeout_ms) < 0 && errno != EINTR)
		abort();
	if (p[0].revents != 0)
		wakeup_drain(w);
	return p[1].revents != 0;
}
