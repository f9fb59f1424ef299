#ifndef BASE_CHILD_SOCKET_H
#define BASE_CHILD_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/child.h"

/*
 * A program that stays, and is talked with over a socket: its standard input and
 * output are one end, ours is the other.  It is started as child_run() starts one,
 * in a process group of its own, and its standard error goes nowhere.  It dies with
 * the thread that started it, so that must be one that lasts.
 */
struct child_socket {
	pid_t pid; /* 0: there is none */
	int fd;    /* blocks, unless it is of packets; only we have it */
};

/*
 * Of struct child only argv, memory_bytes, reads, tcp and timeout_ms (of CPU; 0:
 * without end) count.  ERR_FAILED: it could not be started; logged.  That the program
 * is not there shows when it has ended.
 */
enum err child_socket_start(const struct child *, struct child_socket *) MUST_CHECK;
/* The same over messages (SOCK_SEQPACKET); our end does not block. */
enum err child_socket_start_packets(
    const struct child *, struct child_socket *) MUST_CHECK;
/*
 * Kill it with what it started, wait until all are gone, close our end.  Logged if
 * it had ended by itself.  Any thread may call; nothing happens if there is none.
 */
void child_socket_stop(struct child_socket *, const char *name);
/* The same in two steps.  True: it had ended by itself, *status is that of waitpid(2).
 */
bool child_socket_reap(struct child_socket *, int *status);
void child_socket_log(const char *name, int status);

#endif
