/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/paths.h"

#include <string.h>

static bool
is_segment(struct arena *mem, const char *seg, size_t n, const char *pattern, size_t m)
{
	const char *s;

	if (m == 1 && *pattern == '*')
		return n > 0;
	if (memchr(seg, '%', n) == NULL)
		return n == m && memcmp(seg, pattern, n) == 0;
	s = percent_decode(mem, seg, n);
	return s != NULL && strlen(s) == m && memcmp(s, pattern, m) == 0;
}

static bool
is_below(struct arena *mem, const char *target, const char *path)
{
	size_t n, m;

	for (; *path != '\0'; path += m, target += n) {
		if (*target != '/')
			return false;
		n = strcspn(++target, "/?");
		m = strcspn(++path, "/$");
		if (m > 0 && !is_segment(mem, target, n, path, m))
			return false;
		if (m == 0) /* "/": all */
			return true;
		if (path[m] == '$')
			return target[n] != '/';
	}
	return true;
}

const struct serve_path *
serve_path_find(struct arena *mem, const struct serve_path *p, const char *target)
{
	while (p[1].path != NULL && !is_below(mem, target, p->path))
		p++;
	return p;
}
