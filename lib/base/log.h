/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LOG_H
#define BASE_LOG_H

/* Nouns: err. */

/*
 * Each call writes one line to standard error, which is the web server's error log or
 * the worker's log file: LEVEL TIME PROGRAM[PID] [ID]: TEXT, the time in UTC. TEXT must
 * never contain a secret.
 */
void log_program(const char *); /* name must stay valid */
void log_id(const char *);      /* request or job id; NULL: none; borrowed */
void log_line(const char *level, const char *, ...)
    __attribute__((format(printf, 2, 3)));
#define log_error(...) log_line("error", __VA_ARGS__)
#define log_warn(...) log_line("warn", __VA_ARGS__)
#define log_info(...) log_line("info", __VA_ARGS__)

#endif
