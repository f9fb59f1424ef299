#ifndef BASE_CHILD_FILES_H
#define BASE_CHILD_FILES_H

#include <stdbool.h>

#include "base/child.h"

/*
 * Which files a child may open, enforced by Landlock; private to lib/base/child*.c.
 * A rule set allows nothing but what was added to it.  Where the kernel is new
 * enough it also denies TCP, and signals and abstract sockets of other processes.
 */

/* Whether this kernel has Landlock, and it is switched on. */
bool child_files_known(void);
/*
 * A rule set for the calling process: the files and folders named, for reading,
 * and all below them.  NULL-terminated; what does not exist is left out.
 * *rules is a descriptor to close, or -1: the kernel has no Landlock.  ERR_FAILED:
 * it has, but the rules cannot be made; logged.
 */
enum err child_files_read(const char *const *paths, int *rules) MUST_CHECK;
/*
 * The same for a process that is going to be this program: also the program, and
 * the system's programs, libraries and shared data, for reading and execution.
 * What struct child says of it counts: reads, writes, tcp.
 */
enum err child_files_run(
    const char *program, const struct child *, int *rules) MUST_CHECK;
/*
 * From now on the rules hold for the calling thread, and for all that it starts.
 * It must have no_new_privs.  A system call and nothing else; false: errno.
 */
bool child_files_enter(int rules) MUST_CHECK;

#endif
