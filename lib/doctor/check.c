/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doctor/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json_writer.h"

/* clang-format off */
const struct field	 finding_fields[] = FIELDS(
	{ "check",     F_TEXT, MEMBER(finding, check),  .flags = F_OUT },
	{ "looked_at", F_TEXT, MEMBER(finding, looked), .flags = F_OUT },
	{ "result",    F_TEXT, MEMBER(finding, result), .flags = F_OUT },
	{ "found",     F_TEXT, MEMBER(finding, found),  .flags = F_OUT },
	{ "remedy",    F_TEXT, MEMBER(finding, remedy), .flags = F_OUT | F_NULLABLE },
	{ "because",   F_TEXT, MEMBER(finding, because), .flags = F_OUT | F_NULLABLE }
);
/* clang-format on */

/*
 * Write a finding as a line of JSON. If the reader has exited there is nothing to do.
 */
static void
report(struct check *k, struct finding f, const char *fmt, va_list ap)
{
	struct buf line = { .mem = k->mem };
	struct json_writer j = { .out = &line };
	va_list again;
	char *found;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	found = arena_alloc(k->mem, (size_t)n + 1);
	vsnprintf(found, (size_t)n + 1, fmt, ap);
	f.check = k->name;
	f.found = found;
	f.because = k->because;
	k->because = NULL;
	field_write(&j, NULL, finding_fields, &f);
	buf_str(&line, "\n");
	if (!file_write(k->fd, line.p, line.len))
		return;
}

void
check_ok(struct check *k, const char *looked, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(k, (struct finding){ .looked = looked, .result = "ok" }, fmt, ap);
	va_end(ap);
}

void
check_warn(
    struct check *k, const char *looked, const char *remedy, const char *fmt, ...)
{
	const struct finding f = {
		.looked = looked, .result = "warn", .remedy = remedy
	};
	va_list ap;

	va_start(ap, fmt);
	report(k, f, fmt, ap);
	va_end(ap);
}

void
check_fail(
    struct check *k, const char *looked, const char *remedy, const char *fmt, ...)
{
	const struct finding f = {
		.looked = looked, .result = "fail", .remedy = remedy
	};
	va_list ap;

	va_start(ap, fmt);
	report(k, f, fmt, ap);
	va_end(ap);
}

void
check_because(struct check *k, const char *check)
{
	k->because = check;
}

/* ---- systemd ---- */

/* True if the folder has a unit that starts the gateway of this installation. */
static bool
has_unit(const struct check *k, const char *folder)
{
	const char *start =
	    arena_printf(k->mem, "ExecStart=%s/bin/gateway\n", k->conf->prefix);
	FILE *f =
	    fopen(arena_printf(k->mem, "%s/dragoman-gateway.service", folder), "re");
	char line[4096];
	bool has = false;

	if (f == NULL)
		return false;
	while (!has && fgets(line, sizeof(line), f) != NULL)
		has = strcmp(line, start) == 0;
	fclose(f);
	return has;
}

bool
check_is_systemd(const struct check *k)
{
	const char *folder = getenv("SYSTEMD_UNIT_PATH"); /* systemd reads it too */

	if (folder != NULL)
		return has_unit(k, folder);
	return has_unit(k, "/etc/systemd/system") || has_unit(k, "/lib/systemd/system");
}
