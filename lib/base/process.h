/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * For programs with keys in their memory: disables core files, and prevents processes
 * of the same user from reading the memory.
 */
void process_protect_memory(void);
/* Ends this process by SIGTERM when its parent ends, or at once if that has ended. */
void process_end_with(pid_t parent);
/* False, and logged: this is root, and the folder belongs to another user. */
bool process_may_write(const char *folder);

#endif
