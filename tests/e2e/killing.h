/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_KILLING_H
#define E2E_KILLING_H

#include "cases.h"

#define KILLS 10 /* least number of kills of each program */

/* Signal every process of ours that is this worker; how many there were. */
int worker_signal(const char *name, int sig);
/* Find processes of this program behind the web server. */
int program_signal(const char *name, int sig);
/* Jobs that a killed one had and the next took over, as it logs them. */
int worker_takeovers(const char *name);
double random_between(double least, double most);
void nap_between(double least_s, double most_s);

/* The cases of workers that clone no voices. */
void kill_rest(TCase *);

#endif
