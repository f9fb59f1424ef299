/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_METRICS_H
#define WEB_METRICS_H

#include <stdint.h>

#include "base/buf.h"

/* Counts of answers by route and status and a histogram of their times, in a mapped
   file that all processes of a program share. */
struct route;
struct metrics;

/* While the file cannot be mapped, as on a full disk, nothing is counted, and counting
   tries to map it every few seconds.  The routes must outlive the result. */
struct metrics *metrics_open(
    struct arena *, const char *state_dir, const char *program, const struct route *);
void metrics_close(struct metrics *);
/* Count an answer. route: row of the table, -1: no route.  NULL metrics are allowed. */
void metrics_count(struct metrics *, int route, int status, int64_t took_us);
/*
 * Count a socket that the server closed. kind and reason: from small fixed sets,
 * without quotes; at most 96 combinations are counted.  Call this from only one thread
 * of one process.
 */
void metrics_closed(struct metrics *, const char *kind, int code, const char *reason);
/* Set the number of requests of HLS that wait, and count those that were refused. */
void metrics_hls(struct metrics *, int64_t held, int64_t refused);
/* Count ERR_BUSY results of the database. */
void metrics_busy(struct metrics *, int64_t times);
/* Write the counts of all programs in Prometheus' text format 0.0.4. */
void metrics_write(struct buf *, const char *state_dir);

#endif
