/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DB_LOCAL_PULSE_H
#define DB_LOCAL_PULSE_H

#include <stdint.h>

/*
 * A counter in a file that all processes of a node map: it grows with each transaction
 * that one of them commits, and the file is written then.  It replaces polling the
 * database; changes of other nodes come by local_pulse_carry() alone.
 */

/* Map the file for this process; unset: the counter stays 0. */
void local_pulse_set(const char *path);
void local_pulse_raise(void);
/* Count a change of another node, also for this process. */
void local_pulse_carry(void);
/* The counter without the transactions of this process. */
int64_t local_pulse(void);
/* The file; NULL: none. */
const char *local_pulse_path(void);

#endif
