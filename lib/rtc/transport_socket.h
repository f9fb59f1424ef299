/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_TRANSPORT_SOCKET_H
#define RTC_TRANSPORT_SOCKET_H

#include <netinet/in.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Sockets and addresses of lib/rtc/transport.h. */

#define TRANSPORT_MOST 1500 /* bytes of a datagram, at most */

/* Room for one, aligned. */
struct datagram {
	alignas(16) unsigned char bytes[TRANSPORT_MOST + 36]; /* whole cache lines */
};

/* The source of a datagram.  Two paths are equal when their bytes are. */
struct transport_path {
	unsigned char ip[16]; /* IPv6 in network order; IPv4 as ::ffff:a.b.c.d */
	/* Our address to which it was sent, and from which answers are sent; 0: that of
	   our socket. */
	unsigned char local[16];
	uint16_t port;
	uint16_t tcp;  /* 1: a TCP connection */
	uint32_t link; /* number of our socket, or of the TCP connection */
};

/* Address and port. */
void transport_path_read(struct transport_path *, const struct sockaddr_storage *);
socklen_t transport_address(const struct transport_path *, struct sockaddr_storage *);

/* Parse an address. Returns its size; 0: invalid. */
socklen_t transport_address_read(const char *, int port, struct sockaddr_storage *);

/*
 * A non-blocking socket, of SOCK_DGRAM with large buffers or of SOCK_STREAM that
 * listens; an IPv6 address accepts IPv6 only. -1: see errno.
 */
int transport_socket_bound(int type, const struct sockaddr_storage *, socklen_t);
int transport_socket_port(int fd);
/* If the address is a wildcard: receive the destination address of each datagram. */
void transport_socket_want_destination(int fd, const struct sockaddr_storage *);

/*
 * Deliver received datagrams, up to some hundred; they may be changed in place.  Those
 * longer than TRANSPORT_MOST have one byte more.  The callback returns false to stop.
 * True: there may be more.
 */
bool transport_socket_receive(int fd,
    bool (*datagram)(void *arg, struct transport_path *from, unsigned char *, size_t n),
    void *arg);

/* Room for the address that a datagram was sent to, or must be sent from. */
struct local_control {
	alignas(struct cmsghdr) char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};
/* Set path.local as the source of a message. */
void transport_socket_from(
    struct msghdr *, struct local_control *, const struct transport_path *);

#endif
