/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/model_loader.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "speech/model_message.h"

#define FAULT_BYTES 512

struct model_loader {
	struct model_loader *next;
	const char *key;
	struct child_socket child;
};

static struct {
	pthread_mutex_t lock;
	struct arena *mem; /* arena of the list, which is short */
	struct model_loader *all;
} loaders = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct model_loader *
model_loader_get(const char *key)
{
	struct model_loader *l;

	pthread_mutex_lock(&loaders.lock);
	for (l = loaders.all; l != NULL && strcmp(l->key, key) != 0;)
		l = l->next;
	if (l == NULL) {
		if (loaders.mem == NULL)
			loaders.mem = arena_new();
		l = arena_alloc(loaders.mem, sizeof(*l));
		*l = (struct model_loader){ .next = loaders.all,
			.key = arena_str(loaders.mem, key),
			.child.fd = -1 };
		loaders.all = l;
	}
	pthread_mutex_unlock(&loaders.lock);
	return l;
}

/* Send MODEL_FORK with the end of a socket. */
static bool
send_end(int to, int end)
{
	struct model_head head = { .kind = MODEL_FORK, .n = 1 };
	char byte = 0;
	struct iovec part = { &byte, 1 };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = "" };
	struct msghdr m = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(end));
	memcpy(CMSG_DATA(c), &end, sizeof(end));
	return send(to, &head, sizeof(head), MSG_NOSIGNAL | MSG_DONTWAIT) ==
		   (ssize_t)sizeof(head) &&
	       sendmsg(to, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

static bool
has_ended(const struct model_loader *l)
{
	struct pollfd f = { .fd = l->child.fd };

	return l->child.pid > 0 && poll(&f, 1, 0) == 1 && (f.revents & POLLHUP) != 0;
}

enum err
model_loader_fork(struct model_loader *l, const struct child *how, int *fd)
{
	int ends[2];
	bool sent;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return ERR_FAILED;
	pthread_mutex_lock(&loaders.lock);
	if (has_ended(l))
		child_socket_stop(&l->child, how->argv[0]);
	if (l->child.pid <= 0 && child_socket_start(how, &l->child) != OK)
		l->child = (struct child_socket){ .fd = -1 };
	sent = l->child.pid > 0 && send_end(l->child.fd, ends[1]);
	pthread_mutex_unlock(&loaders.lock);
	close(ends[1]);
	if (!sent)
		close(ends[0]);
	*fd = sent ? ends[0] : -1;
	return sent ? OK : ERR_FAILED;
}

const pid_t *
model_loader_pid(const struct model_loader *l)
{
	return &l->child.pid;
}

/* Log the reason that the loader has sent; false: it has sent none. */
static bool
report_fault(const struct model_loader *l, const char *name)
{
	struct model_head head;
	char text[FAULT_BYTES];
	ssize_t n;

	while (recv(l->child.fd, &head, sizeof(head), MSG_DONTWAIT) ==
	       (ssize_t)sizeof(head)) {
		if (head.kind != MODEL_FAULT)
			continue;
		n = recv(l->child.fd, text, sizeof(text) - 1, MSG_DONTWAIT);
		text[n > 0 ? n : 0] = '\0';
		for (char *c = text; *c != '\0'; c++)
			if (*c < ' ' || *c > '~')
				*c = ' ';
		log_warn("engine %s: %s", name, text);
		return true;
	}
	return false;
}

bool
model_loader_failed(struct model_loader *l, const char *name, bool kill)
{
	bool fault = false;

	pthread_mutex_lock(&loaders.lock);
	if (l->child.pid > 0)
		fault = report_fault(l, name);
	if (l->child.pid > 0 && (kill || fault || has_ended(l)))
		child_socket_stop(&l->child, name);
	pthread_mutex_unlock(&loaders.lock);
	return fault;
}

void
model_loader_end_all(void)
{
	pthread_mutex_lock(&loaders.lock);
	for (struct model_loader *l = loaders.all; l != NULL; l = l->next)
		child_socket_stop(&l->child, "loader");
	pthread_mutex_unlock(&loaders.lock);
}
