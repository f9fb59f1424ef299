/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/channel_child.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

/* limit of address space; a child uses a tenth */
#define MEMORY_BYTES ((size_t)1 << 30)
#define AGAIN_US (S_US / 2)      /* time to the next start of a child that has worked */
#define AGAIN_LATE_US (5 * S_US) /* time after a child that sent nothing */
/* time after a child that used up its processor time */
#define AGAIN_SPENT_US (60 * S_US)
/* life after which a child counts as one that has worked */
#define LIVED_US (60 * S_US)
#define CHANGED 0.2 /* relative change of a bit rate that is stored */

/* A child may exit normally any number of times. Repeated crashes are logged once. */
static void
note_end(struct channel_child *c, const char *name, int status)
{
	bool lived = monotonic_us() > c->start_us + LIVED_US;

	if (status != 0 && (lived || status != c->ended))
		child_socket_log(name, status);
	c->ended = status;
}

void
channel_child_stop(struct gateway *g, struct channel_child *c, const char *name)
{
	int status;

	if (c->socket.pid > 0)
		g->children--;
	if (child_socket_reap(&c->socket, &status))
		note_end(c, name, status);
	c->start_us = 0;
}

enum err
channel_child_start(struct gateway *g, struct channel_child *c, const char *name,
    const struct child *what, int64_t cpu_percent, const char *order)
{
	struct arena *mem = arena_new();
	const char *const argv[] = { arena_printf(mem, "%s/%s", g->conf->bin_dir, name),
		NULL };
	struct child is = *what;
	int64_t now = monotonic_us();
	size_t n = strlen(order);
	enum err e = ERR_STALE;

	is.argv = argv;
	is.memory_bytes = MEMORY_BYTES;
	if (c->socket.pid <= 0 && now >= c->start_us) {
		c->start_us = now + AGAIN_LATE_US;
		e = g->children >= g->conf->broadcast_max_children
			? ERR_LIMIT
			: child_socket_start_packets(&is, &c->socket);
	}
	if (e == OK) {
		g->children++;
		c->told = false;
		c->cpu = (struct child_cpu){ .percent = cpu_percent,
			.full_s = CHANNEL_CHILD_CPU_S };
		child_cpu_allow(&c->cpu, c->socket.pid);
		if (send(c->socket.fd, order, n, MSG_NOSIGNAL) != (ssize_t)n) {
			channel_child_stop(g, c, name);
			c->start_us = now + AGAIN_LATE_US;
			e = ERR_FAILED;
		}
	}
	arena_free(mem);
	return e;
}

bool
channel_child_spent(const struct channel_child *c)
{
	return child_cpu_spent(c->ended);
}

ssize_t
channel_child_receive(
    struct gateway *g, struct channel_child *c, const char *name, char *to, size_t room)
{
	ssize_t n = c->socket.pid > 0 ? recv(c->socket.fd, to, room, 0) : 0;

	if (c->socket.pid > 0 && monotonic_us() > c->cpu.at_us + S_US)
		child_cpu_allow(&c->cpu, c->socket.pid);
	if (n > 0) {
		c->told = true;
		return n;
	}
	if (c->socket.pid <= 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return 0;
	channel_child_stop(g, c, name);
	c->start_us = monotonic_us() + (channel_child_spent(c) ? AGAIN_SPENT_US
					   : c->told           ? AGAIN_US
							       : AGAIN_LATE_US);
	return -1;
}

bool
channel_child_rate_is_far(double a, double b)
{
	return isnan(a) != isnan(b) || fabs(a - b) > CHANGED * fabs(b);
}
