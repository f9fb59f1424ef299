/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Nouns: monotonic, now, time, zone. */

#define S_US INT64_C(1000000) /* microseconds in a second */
#define TIME_TEXT 32          /* bytes that time_text() needs */

/* Times are microseconds since the epoch, UTC; NULL_INT is no time. */
int64_t now_us(void);       /* calendar time */
int64_t monotonic_us(void); /* for measuring durations; never goes back */

/*
 * RFC 3339 and a little more: any offset, none is UTC, a space or any case of
 * T and Z, fractions dropped.  Dates that do not exist are refused.
 */
bool time_parse(const char *, int64_t *);
/* "2026-11-20T10:18:44Z" in to; NULL for NULL_INT. */
const char *time_text(int64_t, char to[TIME_TEXT]);
/* "Fri, 20 Nov 2026 10:18:44 GMT" in to, as HTTP has it. */
const char *time_http(int64_t, char to[TIME_TEXT]);

/*
 * NULL if the text names a time zone of the IANA database, "Europe/Vienna"; otherwise
 * the error. On a system without that database only the form is checked.
 */
const char *zone_check(const char *);
/* As zone_check(), with the database in that folder. */
const char *zone_check_in(const char *folder, const char *);

#endif
