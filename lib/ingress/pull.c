#include "ingress/pull.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

bool
pull_rest(const struct pull *p, int64_t us)
{
	struct pollfd out = { .fd = p->to }; /* tells of errors only */

	return poll(&out, 1, (int)(us / 1000)) == 0;
}

bool
pull_is_left(void *arg)
{
	return !pull_rest(arg, 0);
}

bool
pull_put(struct pull *p, const void *bytes, size_t n)
{
	const char *at = bytes;

	p->plays = true;
	for (ssize_t did; n > 0; at += did, n -= (size_t)did)
		if ((did = TEMP_FAILURE_RETRY(write(p->to, at, n))) <= 0)
			return false;
	return true;
}
