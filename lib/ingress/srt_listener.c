/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <netinet/in.h>
#include <srt/access_control.h>
#include <srt/srt.h>
#include <stdatomic.h>
#include <string.h>

#include "ingress/stream_source.h"

#define SENDER_GONE_MS 5000 /* silence until a sender is considered dead */

struct srt_listener {
	SRTSOCKET listener, sender; /* SRT_INVALID_SOCK: none */
	int epoll;
	const char *stream_id;
	/* Set on a thread of libsrt: */
	atomic_bool unknown; /* a sender with another stream id was refused */
	atomic_int known; /* the last sender with our stream id, until it is accepted */
	bool locked_out;  /* the sender had a wrong passphrase */
};

/* Admits a sender or not. Runs on a thread of libsrt, before the passphrase is
   compared. */
static int
admit(void *arg, SRTSOCKET sender, int version, const struct sockaddr *from,
    const char *stream_id)
{
	struct srt_listener *l = arg;

	(void)version, (void)from;
	if (stream_id != NULL && strcmp(stream_id, l->stream_id) == 0) {
		l->known = sender;
		return 0;
	}
	l->unknown = true;
	srt_setrejectreason(sender, SRT_REJX_NOTFOUND);
	return -1;
}

static bool
set(SRTSOCKET s, SRT_SOCKOPT what, const void *to, int n)
{
	return srt_setsockflag(s, what, to, n) == 0;
}

static bool
set_up(struct srt_listener *l, const struct ingress_order *o)
{
	static const int key_bytes = 16, gone_ms = SENDER_GONE_MS;
	static const bool no = false;

	return set(l->listener, SRTO_PASSPHRASE, o->passphrase,
		   (int)strlen(o->passphrase)) &&
	       set(l->listener, SRTO_PBKEYLEN, &key_bytes, sizeof(key_bytes)) &&
	       set(l->listener, SRTO_PEERIDLETIMEO, &gone_ms, sizeof(gone_ms)) &&
	       set(l->listener, SRTO_RCVSYN, &no, sizeof(no)) &&
	       srt_listen_callback(l->listener, admit, l) == 0;
}

/* Bind to all addresses, IPv4 and IPv6; without IPv6, to IPv4 alone. */
static bool
bind_any(SRTSOCKET s, int64_t port)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)port),
		.sin6_addr = IN6ADDR_ANY_INIT };
	const struct sockaddr_in any4 = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port) };
	static const int both = 0;

	return (set(s, SRTO_IPV6ONLY, &both, sizeof(both)) &&
		   srt_bind(s, (const struct sockaddr *)&any, sizeof(any)) == 0) ||
	       srt_bind(s, (const struct sockaddr *)&any4, sizeof(any4)) == 0;
}

static bool
watch(struct srt_listener *l, SRTSOCKET s)
{
	static const int in = SRT_EPOLL_IN | SRT_EPOLL_ERR;

	return srt_epoll_add_usock(l->epoll, s, &in) == 0;
}

static enum err
open_listener(
    struct arena *mem, const struct ingress_order *o, void **to, const char **why)
{
	struct srt_listener *l = arena_alloc(mem, sizeof(*l));

	*to = l;
	srt_startup();
	srt_setloglevel(0); /* LOG_EMERG: its lines name stream ids */
	l->sender = SRT_INVALID_SOCK;
	l->known = SRT_INVALID_SOCK;
	l->listener = srt_create_socket();
	l->epoll = srt_epoll_create();
	l->stream_id = o->stream_id;
	*why = NULL;
	if (l->listener == SRT_INVALID_SOCK || l->epoll < 0 || !set_up(l, o))
		*why = "SRT cannot be received with this stream key.";
	else if (!bind_any(l->listener, o->port) || srt_listen(l->listener, 1) != 0 ||
		 !watch(l, l->listener))
		*why = "The port for SRT is in use by another program.";
	return *why == NULL ? OK : ERR_REFUSED;
}

static void
close_socket(struct srt_listener *l, SRTSOCKET *s)
{
	if (*s == SRT_INVALID_SOCK)
		return;
	srt_epoll_remove_usock(l->epoll, *s);
	srt_close(*s);
	*s = SRT_INVALID_SOCK;
}

/* Accept the first sender and stop listening. */
static void
accept_sender(struct srt_listener *l)
{
	l->known = SRT_INVALID_SOCK;
	l->sender = srt_accept(l->listener, NULL, NULL);
	if (l->sender == SRT_INVALID_SOCK)
		return;
	close_socket(l, &l->listener);
	if (!watch(l, l->sender))
		close_socket(l, &l->sender);
}

/*
 * libsrt does not report a wrong passphrase; it only closes the socket. After a
 * successful handshake the socket waits to be accepted.
 */
static void
find_locked_out(struct srt_listener *l)
{
	SRTSOCKET one = l->known;

	if (one == SRT_INVALID_SOCK || srt_getsockstate(one) < SRTS_BROKEN)
		return;
	l->known = SRT_INVALID_SOCK;
	l->locked_out = true;
}

static enum err
read_message(void *source, char to[STREAM_SOURCE_BYTES], size_t *n)
{
	struct srt_listener *l = source;
	SRT_EPOLL_EVENT event;
	int got;

	*n = 0;
	if (l->sender == SRT_INVALID_SOCK && l->listener == SRT_INVALID_SOCK)
		return ERR_FAILED;
	if (srt_epoll_uwait(l->epoll, &event, 1, STREAM_SOURCE_WAIT_MS) <= 0) {
		find_locked_out(l);
		return OK;
	}
	if (l->sender == SRT_INVALID_SOCK) {
		accept_sender(l);
		return OK;
	}
	got = srt_recvmsg(l->sender, to, STREAM_SOURCE_BYTES);
	if (got > 0)
		*n = (size_t)got;
	else if (srt_getlasterror(NULL) != SRT_EASYNCRCV)
		return ERR_FAILED;
	return OK;
}

static bool
has_sender(const void *source)
{
	return ((const struct srt_listener *)source)->sender != SRT_INVALID_SOCK;
}

static const char *
refusal(void *source)
{
	struct srt_listener *l = source;
	bool locked_out = l->locked_out;

	l->locked_out = false;
	if (atomic_exchange(&l->unknown, false))
		return "A sender was refused: its stream id is another one.";
	return locked_out ? "A sender was refused: its passphrase is another one."
			  : NULL;
}

static void
close_listener(void *source)
{
	struct srt_listener *l = source;

	close_socket(l, &l->sender);
	close_socket(l, &l->listener);
	srt_cleanup();
}

const struct stream_source srt_listener = { .protocol = "srt_push",
	.demuxer = "mpegts",
	.open = open_listener,
	.read = read_message,
	.admitted = has_sender,
	.refused = refusal,
	.close = close_listener };
