#ifndef WEB_METRICS_H
#define WEB_METRICS_H

#include <stdint.h>

#include "base/buf.h"

/*
 * Counts of answers by route and status, and a histogram of their times, kept
 * in a mapped file that all processes of a program share.
 */
struct route;
struct metrics;

/*
 * While the file cannot be mapped, as on a full disk, nothing is counted, and
 * counting tries it again every few seconds.  The routes outlive it.
 */
struct metrics *metrics_open(
    struct arena *, const char *state_dir, const char *program, const struct route *);
void metrics_close(struct metrics *);
/* route: row of the table, -1: none matched.  NULL metrics are fine. */
void metrics_count(struct metrics *, int route, int status, int64_t took_us);
/*
 * The server closed a socket.  kind and reason: of a small fixed set, without quotes;
 * beyond 96 different ones nothing is counted.  Of one thread of one process only.
 */
void metrics_closed(struct metrics *, const char *kind, int code, const char *reason);
/* The lock of the database was not obtained so many times. */
void metrics_busy(struct metrics *, int64_t times);
/* The files of all programs, in Prometheus' text format 0.0.4. */
void metrics_write(struct buf *, const char *state_dir);

#endif
