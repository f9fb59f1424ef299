/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

static const char *program = "dragoman";
static _Thread_local const char *id;

void
log_program(const char *name)
{
	program = name;
}

void
log_id(const char *now)
{
	id = now;
}

/* Writes each line by one write(2), so that lines of several processes do not mix. */
void
log_line(const char *level, const char *fmt, ...)
{
	char line[2048], when[TIME_TEXT];
	va_list ap;
	size_t n;

	snprintf(line, sizeof(line), "%s %s %s[%ld]%s%s: ", level,
	    time_text(now_us(), when), program, (long)getpid(), id != NULL ? " " : "",
	    id != NULL ? id : "");
	n = strlen(line);
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - n, fmt, ap);
	va_end(ap);
	n += strcspn(line + n, "\r\n");
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 127)
			line[i] = ' '; /* a terminal may interpret this */
	if (n == sizeof(line) - 1)
		n--;
	line[n] = '\n';
	if (write(STDERR_FILENO, line, n + 1) < 0)
		return; /* the error cannot be reported */
}

/* ---- outcomes ---- */

const char *
err_name(enum err e)
{
	static const char *const names[] = {
		[OK] = "ok",
		[ERR_NOT_FOUND] = "not found",
		[ERR_CONFLICT] = "conflict",
		[ERR_STALE] = "stale",
		[ERR_LIMIT] = "limit reached",
		[ERR_BUSY] = "busy",
		[ERR_FULL] = "disk full",
		[ERR_UNSUPPORTED] = "unsupported",
		[ERR_REFUSED] = "refused",
		[ERR_TIMEOUT] = "timed out",
		[ERR_FAILED] = "failed",
	};

	return names[e];
}
