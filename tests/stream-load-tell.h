/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_STREAM_LOAD_TELL_H
#define TESTS_STREAM_LOAD_TELL_H

#include <stdint.h>

/* Figures and counts of loads, their output, and their open files. */

/* One more of these. */
void figure_always(const char *name, int64_t us);
void count(const char *name, int64_t more);
int64_t counted(const char *name);
/* A line each: "figure", name, number, ms that half, 95 % and all took at most. */
void tell_figures(void);
void tell_counts(const char *head);

/* As many open files as may be: every client is one. */
void allow_files(void);

#endif
