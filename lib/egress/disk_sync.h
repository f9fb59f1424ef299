#ifndef EGRESS_DISK_SYNC_H
#define EGRESS_DISK_SYNC_H

#include <stdbool.h>
#include <stddef.h>

#include "egress/egress_wire.h"

/*
 * Brings files to the disk while they grow, and waits for it beside the caller: in a
 * process of its own.  A thread would not do: a process ends when the last sync of its
 * threads has ended, and the gateway waits for the end of a child.
 */
struct disk_sync {
	int fd;                               /* to the process; -1: none */
	int files[EGRESS_LANGUAGES_MOST + 2]; /* descriptors, the caller's */
	size_t n;
};

/* Begin with the files that are there; the descriptors stay open until the end.  The
   process has no other descriptor of the caller.  False: there is no process. */
bool disk_sync_begin(struct disk_sync *);
/* What was written until now goes to the disk, soon.  A process that was killed is
   followed by another. */
void disk_sync_now(struct disk_sync *);
/* The errno of a sync that failed since the last call; 0: none did. */
int disk_sync_error(struct disk_sync *);
/* The process ends when all that was written is on the disk; so it does when this one
   ends.  Nothing is waited for. */
void disk_sync_end(struct disk_sync *);

#endif
