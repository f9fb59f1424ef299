/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <libwebsockets.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "web/http_head.h"

#define PIECE 65536
#define PACKET (1 << 20) /* most bytes of one send(2) */

_Static_assert(WRITER_BEFORE >= LWS_PRE, "room for libwebsockets");

struct writing {
	struct arena *mem;
	int fd; /* our copy of the connection, which libwebsockets closes */
	int file;
	off_t at, left;
	bool whole, closed;
};

struct writer {
	struct lws_context *lws;
	int nothing; /* /dev/null */
	/* while a connection is being adopted, else NULL: */
	struct writing *coming;
	const struct answer *answer;
	char piece[LWS_PRE + PIECE];
};

/* ---- sending ---- */

/* False: the connection is broken, or the file is shorter than announced. */
static bool
send_piece(struct writer *w, struct writing *it, struct lws *wsi)
{
	size_t most = it->left < PIECE ? (size_t)it->left : PIECE;
	ssize_t n = pread(it->file, w->piece + LWS_PRE, most, it->at);

	if (n <= 0)
		return false;
	it->at += n;
	it->left -= n;
	return lws_write(wsi, (unsigned char *)w->piece + LWS_PRE, (size_t)n,
		   LWS_WRITE_HTTP) >= 0;
}

/*
 * Send what the client reads now. Nonzero: all was sent, or the connection is broken.
 * libwebsockets then shuts down and closes its descriptor, which is no longer the
 * connection.
 */
static int
send_more(struct writer *w, struct writing *it, struct lws *wsi)
{
	while (it->left > 0 && !lws_partial_buffered(wsi))
		if (!send_piece(w, it, wsi))
			return -1;
	if (it->left > 0 || lws_partial_buffered(wsi)) {
		lws_callback_on_writable(wsi);
		return 0;
	}
	it->whole = dup2(w->nothing, it->fd) >= 0;
	return -1;
}

static int
send_first(struct writer *w, struct writing *it, struct lws *wsi)
{
	const struct buf *b = &w->answer->bytes;
	unsigned char *p = (unsigned char *)b->p + WRITER_BEFORE;
	size_t n = b->len - WRITER_BEFORE;

	lws_set_opaque_user_data(wsi, it);
	if (lws_write(wsi, p, n, LWS_WRITE_HTTP) < (int)n)
		return -1;
	return send_more(w, it, wsi);
}

static int
on_event(struct lws *wsi, enum lws_callback_reasons why, void *user, void *in, size_t n)
{
	struct writer *w = wsi != NULL ? lws_context_user(lws_get_context(wsi)) : NULL;
	struct writing *it;

	(void)user, (void)in, (void)n;
	if (w == NULL || w->lws == NULL) /* during lws_create_context() */
		return 0;
	it = w->coming != NULL ? w->coming : lws_get_opaque_user_data(wsi);
	if (it == NULL)
		return 0;
	if (why == LWS_CALLBACK_HTTP)
		return send_first(w, it, wsi);
	if (why == LWS_CALLBACK_HTTP_WRITEABLE)
		return send_more(w, it, wsi);
	if (why == LWS_CALLBACK_WSI_DESTROY)
		it->closed = true;
	return 0;
}

static enum writer_state
state_of(struct writing *it)
{
	enum writer_state is = it->whole ? WRITER_DONE : WRITER_FAILED;

	if (!it->closed)
		return WRITER_BUSY;
	if (it->file >= 0)
		close(it->file);
	arena_free(it->mem);
	return is;
}

enum writer_state
writer_send(struct writer *w, int fd, const struct buf *head,
    const struct answer *answer, struct writing **to)
{
	struct arena *mem = arena_small(sizeof(struct writing));
	struct writing *it = arena_alloc(mem, sizeof(*it));

	*it = (struct writing){
		.mem = mem, .file = answer->file, .at = answer->at, .left = answer->left
	};
	*to = it;
	if ((it->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0) {
		log_error("an answer was not sent: %s", strerror(errno));
		it->closed = true;
		return state_of(it);
	}
	w->coming = it;
	w->answer = answer;
	if (lws_adopt_socket_readbuf(w->lws, it->fd, head->p, head->len) == NULL)
		it->closed = true;
	w->coming = NULL;
	w->answer = NULL;
	return state_of(it);
}

enum writer_state
writer_go_on(struct writer *w, struct writing *it, bool broken)
{
	struct lws_pollfd p = { .fd = it->fd,
		.events = LWS_POLLOUT,
		.revents = broken ? LWS_POLLHUP : LWS_POLLOUT };

	lws_service_fd(w->lws, &p);
	return state_of(it);
}

/* ---- opening ---- */

static const struct lws_protocols protocols[] = {
	{ "http", on_event, 0, 0, 0, NULL, PACKET },
	{ NULL, NULL, 0, 0, 0, NULL, 0 },
};

static void
on_log(int level, const char *line)
{
	(void)level;
	log_warn("HTTP: %.*s", (int)strcspn(line, "\n"), line);
}

struct writer *
writer_open(struct arena *mem, int files)
{
	struct writer *w = arena_alloc(mem, sizeof(*w));
	const struct lws_context_creation_info how = {
		.port = CONTEXT_PORT_NO_LISTEN_SERVER,
		.protocols = protocols,
		.gid = (gid_t)-1,
		.uid = (uid_t)-1,
		.user = w,
		.fd_limit_per_thread = (unsigned int)files,
		.max_http_header_data = HTTP_HEAD_BYTES,
	};

	/* it logs each head that is read already as an error */
	lws_set_log_level(LLL_WARN, on_log);
	w->nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	w->lws = lws_create_context(&how);
	return w->lws != NULL && w->nothing >= 0 ? w : NULL;
}
