#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * Helper programs that work on input of strangers.  The parent runs one
 * with child_run(); the helper's own main() calls child_sandbox() once it has
 * opened all it needs.  Any thread may call; SIGCHLD must not be ignored and
 * no other thread may wait for pids in general, waitpid(-1).
 */
struct child {
	const char *const *argv; /* NULL-terminated; argv[0] is the program's path */
	const void *in;          /* its standard input ... */
	size_t in_len;
	int in_fd;           /* ... or, above 0, this descriptor instead */
	int fd;              /* above 0: the child's descriptor 3 */
	int timeout_ms;      /* of wall clock; then it is killed */
	size_t memory_bytes; /* of address space it may have */
	size_t out_bytes;    /* of standard output it may write */
	/* Files and folders it may open for reading, beside the system's programs,
	   libraries and shared data; NULL-terminated; NULL: none. */
	const char *const *reads;
	const char
	    *writes; /* a folder where it may write and remove files; NULL: none */
	bool tcp; /* it may use TCP, which Landlock denies to others on newer kernels */
};

struct child_end {
	char *out; /* what it wrote, aligned for any type, in the arena */
	size_t out_len;
	int status; /* what it handed to exit(3) */
};

/*
 * Run a program and wait for its end.  It starts with an empty environment but
 * for PATH and LC_ALL, descriptors 0 to 2 (and 3, see fd) and no others, no
 * ignored or blocked signals, no privileges to gain, limits on memory, CPU
 * time (the wall clock's), output and descriptors, it can open no files but those
 * of reads (with Landlock; see child_sandbox_parts()), and it dies with the thread
 * that called.  Its processes, all of them, are gone when this returns.
 * Standard error ends up in our log, if the child fails.
 *
 * OK: it called exit(3), look at status; ERR_TIMEOUT: its time was over;
 * ERR_LIMIT: it wrote more than out_bytes; ERR_FAILED: it could not be started
 * or a signal ended it.  All but OK with status 0 were logged.
 */
enum err child_run(const struct child *, struct arena *, struct child_end *) MUST_CHECK;

/*
 * Give up for good what a pure computation does without: other programs,
 * processes and threads, the network, signals to anyone, executable memory,
 * files but for the descriptors that are open, and for reading those below the
 * paths named (NULL-terminated; NULL: none).  Done with rlimits, Landlock and
 * seccomp.  What the kernel lacks is left out; ERR_FAILED, logged: what it has did
 * not take effect, and the caller must not go on.
 */
enum err child_sandbox(const char *const *reads) MUST_CHECK;
/*
 * The same for a program that is going to load a library of its operator's, which must
 * be below one of the paths: it may also map code from there, and start threads.
 */
enum err child_sandbox_library(const char *const *reads) MUST_CHECK;

/* What this kernel has of it. */
struct child_sandbox_parts {
	bool landlock; /* without: children may open every file that the user may */
	bool seccomp;  /* without: they may make every system call */
};

struct child_sandbox_parts child_sandbox_parts(void);

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
