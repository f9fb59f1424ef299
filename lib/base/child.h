/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * Helper programs that process untrusted input.  The parent runs one with child_run();
 * the helper's own main() calls child_sandbox() once it has opened all it needs.  Any
 * thread may call; SIGCHLD must not be ignored and no other thread may wait for pids
 * in general, waitpid(-1).
 */
struct child {
	const char *const *argv; /* NULL-terminated; argv[0] is the program's path */
	const void *in;          /* bytes of its standard input ... */
	size_t in_len;
	int in_fd;           /* ... or, above 0, this descriptor instead */
	int fd;              /* if above 0: becomes the child's descriptor 3 */
	int timeout_ms;      /* limit of wall-clock time; then it is killed */
	size_t memory_bytes; /* limit of its address space */
	size_t out_bytes;    /* limit of its standard output */
	/* Files and folders it may open for reading, besides the system's programs,
	   libraries and shared data; NULL-terminated; NULL: none. */
	const char *const *reads;
	const char
	    *writes; /* a folder where it may write and remove files; NULL: none */
	bool tcp;    /* true if it may use TCP; newer kernels deny it otherwise */
};

struct child_end {
	char *out; /* its standard output, aligned for any type, in the arena */
	size_t out_len;
	int status; /* exit status */
};

/*
 * Run a program and wait for its end.  It starts with an empty environment except PATH
 * and LC_ALL; descriptors 0 to 2 (and 3, see fd) and no others; no ignored or blocked
 * signals; no privileges to gain; and limits on memory, CPU time (as many seconds as
 * of wall-clock time), output and descriptors.  It can open no files except those of
 * reads (with Landlock; see child_sandbox_parts()), and dies with the calling thread.
 * All its processes are gone when this returns.  If the child fails, its standard
 * error is logged.
 *
 * OK: it called exit(3), see status; ERR_TIMEOUT: it took too long; ERR_LIMIT: it
 * wrote more than out_bytes; ERR_FAILED: it could not be started or a signal ended
 * it.  All but OK with status 0 are logged.
 */
enum err child_run(const struct child *, struct arena *, struct child_end *) MUST_CHECK;

/*
 * Give up permanently everything that a pure computation does not need: other programs,
 * processes and threads, the network, signals to other processes, executable memory,
 * and files, except open descriptors and, for reading, the paths named and all below
 * them (NULL-terminated; NULL: none).  Uses rlimits, Landlock and seccomp.  Mechanisms
 * that the kernel lacks are left out.  ERR_FAILED, logged: a mechanism that it has
 * failed, and the caller must not continue.
 */
enum err child_sandbox(const char *const *reads) MUST_CHECK;
/*
 * As child_sandbox(), for a program that will load a library of the operator's, which
 * must be below one of the paths: it may also map code from there, and start threads.
 */
enum err child_sandbox_library(const char *const *reads) MUST_CHECK;

/*
 * As child_sandbox_library(), for a program that loads data and then forks processes
 * that use it, by child_sandbox_fork().
 */
enum err child_sandbox_loader(const char *const *reads) MUST_CHECK;
/*
 * Fork a process, with the descriptor as its standard input and output, and under the
 * restrictions of child_sandbox_library(). Its parent is this program's parent, which
 * must wait for it. Call it while there is one thread. Returns 0 in the new process,
 * else its pid, or -1.
 */
pid_t child_sandbox_fork(int fd) MUST_CHECK;

/* The restrictions that this kernel supports. */
struct child_sandbox_parts {
	bool landlock; /* missing: children may open every file that the user may */
	bool seccomp;  /* missing: children may make every system call */
};

struct child_sandbox_parts child_sandbox_parts(void);

/*
 * A program that keeps running and communicates over a socket: its standard input and
 * output are one end, ours is the other. It is started as by child_run(), in its own
 * process group; its standard error is discarded. It dies with the thread that started
 * it, so that thread must live as long.
 */
struct child_socket {
	pid_t pid; /* 0: there is none */
	int fd;    /* blocking, unless it is of packets; close-on-exec */
};

/*
 * Uses only argv, memory_bytes, reads, tcp and timeout_ms (of CPU time; 0: no limit)
 * of struct child.  ERR_FAILED: it could not be started; logged.  If the program does
 * not exist, that shows when the child has ended.
 */
enum err child_socket_start(const struct child *, struct child_socket *) MUST_CHECK;
/* As child_socket_start(), with messages (SOCK_SEQPACKET); our end does not block. */
enum err child_socket_start_packets(
    const struct child *, struct child_socket *) MUST_CHECK;
/*
 * Kill it and all it started, wait until they are gone, close our end.  Logged if it
 * had ended by itself.  Any thread may call; does nothing if there is no program.
 */
void child_socket_stop(struct child_socket *, const char *name);
/* As child_socket_stop(), in two steps. True: it had ended by itself, with *status of
   waitpid(2). */
bool child_socket_reap(struct child_socket *, int *status);
void child_socket_log(const char *name, int status);

#endif
