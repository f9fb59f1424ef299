/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/change_watch.h"

#include <stddef.h>
#include <sys/inotify.h>
#include <unistd.h>

void
change_watch_open(struct change_watch *w)
{
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	w->armed = false;
}

void
change_watch_close(struct change_watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
}

bool
change_watch_arm(struct change_watch *w, const char *path)
{
	if (!w->armed && w->fd >= 0 && path != NULL)
		w->armed = inotify_add_watch(w->fd, path, IN_MODIFY | IN_ONESHOT) >= 0;
	return w->armed;
}

void
change_watch_drain(struct change_watch *w)
{
	char events[4096];

	while (read(w->fd, events, sizeof(events)) > 0)
		w->armed = false;
}
