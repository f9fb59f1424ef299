/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROBLEM(name, ...) { __VA_ARGS__ },

const struct problem_kind problem_kinds[PROBLEMS] = { PROBLEM_KINDS };

/* clang-format off */
#define AT(m) offsetof(struct problem_document, m)
const struct field	 problem_fields[] = {
	{ "type",       F_TEXT, AT(type),       .flags = F_OUT },
	{ "status",     F_INT,  AT(status),     .flags = F_OUT },
	{ "title",      F_TEXT, AT(title),      .flags = F_OUT },
	{ "detail",     F_TEXT, AT(detail),     .flags = F_OUT },
	{ "instance",   F_TEXT, AT(instance),   .flags = F_OUT },
	{ "error_code", F_INT,  AT(error_code), .flags = F_OUT },
	{ "pointer",    F_TEXT, AT(pointer),    .flags = F_OUT | F_OPT },
	{ "parameter",  F_TEXT, AT(parameter),  .flags = F_OUT | F_OPT },
	FIELDS_END,
};
/* clang-format on */

struct problem_document
problem_describe(struct arena *mem, enum problem p, const char *base_url,
    const char *instance, const char *detail)
{
	const struct problem_kind *k = &problem_kinds[p];

	return (struct problem_document){
		.type = arena_printf(mem, "%s/problems/%s", base_url, k->slug),
		.status = k->status,
		.title = k->title,
		.detail = detail != NULL ? detail : k->description,
		.instance = arena_printf(mem, "urn:uuid:%s", instance),
		.error_code = k->error_code,
	};
}

const char *
problem_line(struct arena *mem, enum problem p, const char *fmt, ...)
{
	char detail[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	for (char *s = detail; *s != '\0'; s++)
		if (*s == '\n' || *s == '\r' || *s == '\t')
			*s = ' ';
	return arena_printf(mem, "%s\t%s\n", problem_kinds[p].slug, detail);
}

static enum problem
by_slug(const char *slug, size_t n)
{
	for (int p = 0; p < PROBLEMS; p++)
		if (strncmp(problem_kinds[p].slug, slug, n) == 0 &&
		    problem_kinds[p].slug[n] == '\0')
			return (enum problem)p;
	return P_INTERNAL;
}

struct list
problem_lines(
    struct arena *mem, const char *lines, const char *base_url, const char *instance)
{
	struct problem_document *told;
	struct list to = { 0 };
	size_t n = 0, slug, detail;

	for (const char *s = lines; *s != '\0'; s++)
		n += *s == '\n';
	to.items = told = arena_alloc(mem, n * sizeof(*told));
	for (; to.n < n; lines += slug + detail + 2) {
		slug = strcspn(lines, "\t");
		detail = strcspn(lines + slug + 1, "\n");
		told[to.n++] = problem_describe(mem, by_slug(lines, slug), base_url,
		    instance, arena_dup(mem, lines + slug + 1, detail));
	}
	return to;
}
