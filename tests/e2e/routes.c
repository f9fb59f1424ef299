/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes, as the programs themselves print them. */
#include "routes.h"

#include <dirent.h>
#include <string.h>

#include "base/buf.h"

static void
add_lines(struct buf *b, const char *out)
{
	struct route_line r;
	int n = 0;

	while (sscanf(out, "%7s %79s %39s\n%n", r.method, r.path, r.needs, &n) == 3) {
		buf_put(b, &r, sizeof(r));
		out += n;
	}
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
			add_lines(&b,
			    run((const char *const[]){
				    text("%s/%s", dir, e->d_name), "--routes", NULL })
				.p);
	closedir(d);
	ck_assert_int_gt(b.len, 0);
	return (struct routes){ (struct route_line *)(void *)b.p,
		b.len / sizeof(struct route_line) };
}
