/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/transport_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#define SOCKET_BYTES (4 << 20) /* asked for as buffers of UDP sockets */
#define BACKLOG 256
#define READ_BATCH 32   /* datagrams read by one call */
#define READ_BATCHES 16 /* calls, at most */

static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

void
transport_path_read(struct transport_path *to, const struct sockaddr_storage *from)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)from;

	if (from->ss_family == AF_INET6) {
		memcpy(to->ip, &v6->sin6_addr, sizeof(to->ip));
		to->port = ntohs(v6->sin6_port);
		return;
	}
	memcpy(to->ip, mapped, sizeof(mapped));
	memcpy(to->ip + sizeof(mapped), &v4->sin_addr, 4);
	to->port = ntohs(v4->sin_port);
}

socklen_t
transport_address(const struct transport_path *p, struct sockaddr_storage *to)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;

	if (memcmp(p->ip, mapped, sizeof(mapped)) == 0) {
		*v4 = (struct sockaddr_in){ .sin_family = AF_INET,
			.sin_port = htons(p->port) };
		memcpy(&v4->sin_addr, p->ip + sizeof(mapped), 4);
		return sizeof(*v4);
	}
	*v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
		.sin6_port = htons(p->port) };
	memcpy(&v6->sin6_addr, p->ip, sizeof(p->ip));
	return sizeof(*v6);
}

socklen_t
transport_address_read(const char *text, int port, struct sockaddr_storage *to)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;

	*to = (struct sockaddr_storage){ .ss_family = AF_INET };
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_port = htons((uint16_t)port);
		return sizeof(*v4);
	}
	to->ss_family = AF_INET6;
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) != 1)
		return 0;
	v6->sin6_port = htons((uint16_t)port);
	return sizeof(*v6);
}

int
transport_socket_bound(int type, const struct sockaddr_storage *at, socklen_t n)
{
	int fd = socket(at->ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, bytes = SOCKET_BYTES;

	if (fd < 0)
		return -1;
	if (at->ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (type == SOCK_STREAM) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	} else {
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	}
	if (bind(fd, (const struct sockaddr *)at, n) == 0 &&
	    (type != SOCK_STREAM || listen(fd, BACKLOG) == 0))
		return fd;
	close(fd);
	return -1;
}

int
transport_socket_port(int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	struct transport_path path;

	if (getsockname(fd, (struct sockaddr *)&at, &n) != 0)
		return 0;
	transport_path_read(&path, &at);
	return path.port;
}

/* ---- our address ---- */

void
transport_socket_want_destination(int fd, const struct sockaddr_storage *at)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)at;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)at;
	int on = 1;

	if (at->ss_family == AF_INET && v4->sin_addr.s_addr == INADDR_ANY)
		setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
	if (at->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr))
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
}

static void
read_local(struct transport_path *to, struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		struct in_pktinfo v4;
		struct in6_pktinfo v6;

		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			memcpy(&v4, CMSG_DATA(c), sizeof(v4));
			memcpy(to->local, mapped, sizeof(mapped));
			memcpy(to->local + sizeof(mapped), &v4.ipi_spec_dst, 4);
		}
		if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			memcpy(&v6, CMSG_DATA(c), sizeof(v6));
			memcpy(to->local, &v6.ipi6_addr, sizeof(to->local));
		}
	}
}

static void
put_local(struct msghdr *m, struct local_control *room, int level, int type,
    const void *info, size_t n)
{
	struct cmsghdr *c = (struct cmsghdr *)room->bytes;

	m->msg_control = room->bytes;
	m->msg_controllen = CMSG_SPACE(n);
	*c = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(n), .cmsg_level = level, .cmsg_type = type
	};
	memcpy(CMSG_DATA(c), info, n);
}

void
transport_socket_from(
    struct msghdr *m, struct local_control *room, const struct transport_path *path)
{
	static const unsigned char none[sizeof(path->local)];
	struct in_pktinfo v4 = { 0 };
	struct in6_pktinfo v6 = { 0 };

	if (memcmp(path->local, none, sizeof(none)) == 0)
		return;
	memcpy(&v4.ipi_spec_dst, path->local + sizeof(mapped), 4);
	memcpy(&v6.ipi6_addr, path->local, sizeof(path->local));
	if (memcmp(path->local, mapped, sizeof(mapped)) == 0)
		put_local(m, room, IPPROTO_IP, IP_PKTINFO, &v4, sizeof(v4));
	else
		put_local(m, room, IPPROTO_IPV6, IPV6_PKTINFO, &v6, sizeof(v6));
}

/* ---- datagrams ---- */

struct read_batch {
	struct datagram datagrams[READ_BATCH];
	struct sockaddr_storage from[READ_BATCH];
	struct local_control locals[READ_BATCH];
	struct iovec parts[READ_BATCH];
	struct mmsghdr heads[READ_BATCH];
};

static void
prepare(struct read_batch *b)
{
	for (int i = 0; i < READ_BATCH; i++) {
		b->parts[i] =
		    (struct iovec){ b->datagrams[i].bytes, TRANSPORT_MOST + 1 };
		b->heads[i].msg_hdr = (struct msghdr){ .msg_name = &b->from[i],
			.msg_namelen = sizeof(b->from[i]),
			.msg_iov = &b->parts[i],
			.msg_iovlen = 1,
			.msg_control = b->locals[i].bytes,
			.msg_controllen = sizeof(b->locals[i].bytes) };
	}
}

bool
transport_socket_receive(int fd,
    bool (*datagram)(void *arg, struct transport_path *from, unsigned char *, size_t n),
    void *arg)
{
	static struct read_batch b;
	int n = READ_BATCH;

	for (int k = 0; k < READ_BATCHES && n == READ_BATCH; k++) {
		prepare(&b);
		n = recvmmsg(fd, b.heads, READ_BATCH, MSG_DONTWAIT, NULL);
		for (int i = 0; i < n; i++) {
			struct transport_path from = { 0 };

			transport_path_read(&from, &b.from[i]);
			read_local(&from, &b.heads[i].msg_hdr);
			if (!datagram(
				arg, &from, b.datagrams[i].bytes, b.heads[i].msg_len))
				return false;
		}
	}
	return n == READ_BATCH;
}
