/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_STREAM_LOAD_TELL_H
#define TESTS_STREAM_LOAD_TELL_H

#include <stdint.h>

/* Figures and counts of loads, their output, and their open files. */

/* Add a sample. */
void figure_always(const char *name, int64_t us);
void count(const char *name, int64_t more);
int64_t counted(const char *name);
/*
 * Prints a line for each figure: "figure", name, number, ms: median, 95th percentile,
 * maximum.
 */
void tell_figures(void);
void tell_counts(const char *head);

/* Raises the limit of open files, because each client needs one. */
void allow_files(void);

#endif
