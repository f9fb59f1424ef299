/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DB_CHANGE_WATCH_H
#define DB_CHANGE_WATCH_H

#include <stdbool.h>

/*
 * Reports that another process has written to a file, by inotify(7): once after each
 * arming, so that a file that is written all the time costs its writers nothing more.
 */
struct change_watch {
	int fd; /* readable after a write; -1: not open */
	bool armed;
};

/* The file need not exist yet. */
void change_watch_open(struct change_watch *);
void change_watch_close(struct change_watch *);
/* Report the next write.  False: the file is not there, or the system has no inotify
   instances left; then the caller must poll. */
bool change_watch_arm(struct change_watch *, const char *path);
/* Forget what was reported. */
void change_watch_drain(struct change_watch *);

#endif
