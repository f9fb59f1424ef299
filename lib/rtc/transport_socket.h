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

/* Where a datagram came from.  Two paths are equal when their bytes are. */
struct transport_path {
	unsigned char ip[16]; /* in network order; IPv4 as ::ffff:a.b.c.d */
	/* Ours that it was sent to, and answers come from; 0: that of our socket. */
	unsigned char local[16];
	uint16_t port;
	uint16_t tcp;  /* 1: a TCP connection */
	uint32_t link; /* number of our socket, or of the TCP connection */
};

/* Address and port. */
void transport_path_read(struct transport_path *, const struct sockaddr_storage *);
socklen_t transport_address(const struct transport_path *, struct sockaddr_storage *);

/* Of an address as text.  0: it is none. */
socklen_t transport_address_read(const char *, int port, struct sockaddr_storage *);

/*
 * A socket that does not block, of SOCK_DGRAM with large buffers or of SOCK_STREAM that
 * listens; of IPv6 alone where the address is.  -1: see errno.
 */
int transport_socket_bound(int type, const struct sockaddr_storage *, socklen_t);
int transport_socket_port(int fd);
/* If the address is a wildcard: learn of each datagram which address it was sent to. */
void transport_socket_learn(int fd, const struct sockaddr_storage *);

/*
 * Hands on what has come, up to some hundred datagrams, which may be changed in place.
 * Longer ones than TRANSPORT_MOST have a byte more.  False: no more of them.
 */
void transport_socket_receive(int fd,
    bool (*datagram)(void *arg, struct transport_path *from, unsigned char *, size_t n),
    void *arg);

/* Room for the address that a datagram was sent to, or is to be sent from. */
struct local_control {
	alignas(struct cmsghdr) char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};
/* Have a message sent from path.local. */
void transport_socket_from(
    struct msghdr *, struct local_control *, const struct transport_path *);

#endif
