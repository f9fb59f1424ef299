/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes, as the programs themselves print them. */
#include "routes.h"

#include <dirent.h>
#include <string.h>

#include "base/buf.h"

static void
add_program(struct buf *b, const char *program)
{
	const char *out = run((const char *const[]){ program, "--routes", NULL }).p;
	struct route_line r;
	int n = 0;

	while (sscanf(out, "%7s %79s %39s\n%n", r.method, r.path, r.needs, &n) == 3) {
		buf_put(b, &r, sizeof(r));
		out += n;
	}
}

static struct routes
routes_in(const struct buf *b)
{
	return (struct routes){ (struct route_line *)(void *)b->p,
		b->len / sizeof(struct route_line) };
}

struct routes
routes_of_gateway(void)
{
	struct buf b = { .mem = memory() };

	add_program(&b, text("%s/bin/gateway", instance()->dir));
	return routes_in(&b);
}

struct routes
routes_of_instance(void)
{
	const char *dir = text("%s/cgi-bin", instance()->dir);
	struct buf b = { .mem = memory() };
	DIR *d = opendir(dir);
	struct dirent *e;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)) != NULL)
		if (strstr(e->d_name, ".fcgi") != NULL)
			add_program(&b, text("%s/%s", dir, e->d_name));
	closedir(d);
	ck_assert_int_gt(b.len, 0);
	return routes_in(&b);
}
