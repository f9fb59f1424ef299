/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_KILLING_H
#define E2E_KILLING_H

#include "cases.h"

#define KILLS 10 /* least number of kills of each program */

/* Signals every process of this worker; returns their number. */
int worker_signal(const char *name, int sig);
/* Finds processes of this program, started by the web server. */
int program_signal(const char *name, int sig);
/* Number of jobs that a worker took over from a killed one, by the log. */
int worker_takeovers(const char *name);
double random_between(double least, double most);
void nap_between(double least_s, double most_s);

/* Cases that kill workers other than the voices'. */
void kill_rest(TCase *);

#endif
