/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

struct relay {
	int fds[2]; /* to the peer connection, to the server */
	struct sockaddr_storage to[2];
	socklen_t to_n[2]; /* the peer connection's address; port 0: unknown */
	int loss[2];       /* percent lost towards the peer connection, the server */
	uint64_t lost;
};

static int
bound(int family)
{
	struct sockaddr_storage at = { .ss_family = (sa_family_t)family };
	struct sockaddr_in *v4 = (void *)&at;
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (family == AF_INET)
		v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (void *)&at, sizeof(at)) != 0)
		return -1;
	return fd;
}

/* Returns the address family; 0: not an address. */
static int
address_read(const struct ice_candidate *c, struct sockaddr_storage *to, socklen_t *n)
{
	struct sockaddr_in *v4 = (void *)to;
	struct sockaddr_in6 *v6 = (void *)to;

	v4->sin_port = htons((uint16_t)c->port); /* at the same place in both structs */
	*n = sizeof(*v4);
	if (inet_pton(AF_INET, c->address, &v4->sin_addr) == 1)
		return to->ss_family = AF_INET;
	*n = sizeof(*v6);
	if (inet_pton(AF_INET6, c->address, &v6->sin6_addr) == 1)
		return to->ss_family = AF_INET6;
	return 0;
}

struct relay *
relay_open(struct arena *mem, struct ice_candidate *server, int loss_in, int loss_out)
{
	struct relay *r = arena_alloc(mem, sizeof(*r));
	struct sockaddr_in at;
	socklen_t n = sizeof(at);
	int family = address_read(server, &r->to[1], &r->to_n[1]);

	r->loss[0] = loss_in;
	r->loss[1] = loss_out;
	r->fds[0] = bound(AF_INET);
	r->fds[1] = bound(family);
	if (family == 0 || r->fds[0] < 0 || r->fds[1] < 0 ||
	    getsockname(r->fds[0], (void *)&at, &n) != 0)
		return NULL;
	snprintf(server->address, sizeof(server->address), "127.0.0.1");
	server->port = ntohs(at.sin_port);
	return r;
}

static void
pass(struct relay *r, int from, bool dark)
{
	int to = !from;
	struct sockaddr_storage source;
	socklen_t n = sizeof(source);
	char bytes[2000];
	ssize_t got;

	while ((got = recvfrom(
		    r->fds[from], bytes, sizeof(bytes), 0, (void *)&source, &n)) >= 0) {
		if (from == 0) {
			r->to[0] = source;
			r->to_n[0] = n;
		}
		n = sizeof(source);
		if (dark || random() % 100 < r->loss[to] || r->to_n[to] == 0)
			r->lost++;
		else if (sendto(r->fds[to], bytes, (size_t)got, 0, (void *)&r->to[to],
			     r->to_n[to]) < 0)
			r->lost++;
	}
}

void
relay_turn(struct relay *r, bool dark)
{
	pass(r, 0, dark);
	pass(r, 1, dark);
}

uint64_t
relay_lost(const struct relay *r)
{
	return r->lost;
}

int
relay_fd(const struct relay *r, int i)
{
	return r->fds[i];
}
