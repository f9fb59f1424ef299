/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/handover.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"

/* One descriptor, as unix(7) sends it. */
union rights {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static bool
address_of(const char *path, struct sockaddr_un *to)
{
	*to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(to->sun_path))
		return false;
	memcpy(to->sun_path, path, strlen(path));
	return true;
}

int
handover_open(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un at;

	errno = ENAMETOOLONG;
	if (fd >= 0 && address_of(path, &at)) {
		unlink(path);
		if (bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0)
			return fd;
	}
	log_error("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int
handover_receive(int socket)
{
	union rights rights;
	char byte;
	struct iovec bytes = { &byte, 1 };
	struct msghdr m = { .msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = rights.bytes,
		.msg_controllen = sizeof(rights.bytes) };
	const struct cmsghdr *c;
	int fd;

	if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC) < 0 ||
	    (c = CMSG_FIRSTHDR(&m)) == NULL || c->cmsg_level != SOL_SOCKET ||
	    c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int)))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static enum handover
send_right(int socket, const struct sockaddr_un *to, int fd)
{
	union rights rights = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
				    .cmsg_level = SOL_SOCKET,
				    .cmsg_type = SCM_RIGHTS } };
	struct sockaddr_un at = *to;
	struct iovec bytes = { &(char){ 0 }, 1 };
	struct msghdr m = { .msg_name = &at,
		.msg_namelen = sizeof(at),
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = rights.bytes,
		.msg_controllen = sizeof(rights.bytes) };

	memcpy(CMSG_DATA(&rights.head), &fd, sizeof(fd));
	if (sendmsg(socket, &m, MSG_NOSIGNAL) >= 0)
		return HANDOVER_SENT;
	return errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS
		   ? HANDOVER_FULL
		   : HANDOVER_GONE;
}

enum handover
handover_send(const char *path, int fd)
{
	int by = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	enum handover is = HANDOVER_GONE;
	struct sockaddr_un to;

	if (by < 0)
		return HANDOVER_FULL;
	if (address_of(path, &to))
		is = send_right(by, &to, fd);
	close(by);
	return is;
}
