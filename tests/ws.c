/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ws.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"

#define FIN 0x80
#define MASKED 0x80
#define PIECE 65536
#define MOST (64u << 20) /* most bytes of a message */

struct ws {
	int fd;
	struct buf in; /* received bytes that were not read yet */
	bool lost;
	const char *key; /* bytes of the handshake */
	int pings;
	enum ws_kind
	    joining; /* kind of a message that comes in several frames; WS_MORE: none */
	struct buf joined;
};

/* ---- bytes ---- */

static int64_t
end_of(double s)
{
	return monotonic_us() + (int64_t)(s * S_US);
}

/* Receives until n bytes are there. */
static bool
fill(struct ws *w, size_t n, int64_t until_us)
{
	while (w->in.len < n) {
		struct pollfd p = { .fd = w->fd, .events = POLLIN };
		int64_t left_us = until_us - monotonic_us();
		ssize_t got;

		if (poll(&p, 1, left_us > 0 ? (int)(left_us / 1000) + 1 : 0) <= 0)
			return false;
		got = recv(w->fd, buf_room(&w->in, PIECE), PIECE, 0);
		w->lost = got <= 0;
		if (w->lost)
			return false;
		w->in.len += (size_t)got;
	}
	return true;
}

static void
eat(struct ws *w, size_t n)
{
	w->in.len -= n;
	memmove(w->in.p, w->in.p + n, w->in.len);
}

static bool
send_all(struct ws *w, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(w->fd, p, n, MSG_NOSIGNAL);

		if (sent < 0)
			return false;
		p += sent;
		n -= (size_t)sent;
	}
	return true;
}

/* ---- the handshake ---- */

static bool
call_from(int fd, const char *from)
{
	struct sockaddr_in at = { .sin_family = AF_INET };

	return from == NULL || (inet_pton(AF_INET, from, &at.sin_addr) == 1 &&
				   bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
}

static int
connect_to(struct arena *mem, const char *from, const char *url)
{
	const char *host = url + strlen("ws://"), *colon = strchr(host, ':');
	const char *name = arena_dup(mem, host, strcspn(host, ":/"));
	const char *path = host + strcspn(host, "/");
	const char *port = colon != NULL && colon < path
			       ? arena_dup(mem, colon + 1, strcspn(colon + 1, "/"))
			       : "80";
	struct addrinfo want = { .ai_socktype = SOCK_STREAM }, *at;
	int fd, on = 1;

	if (getaddrinfo(name, port, &want, &at) != 0)
		return -1;
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    (!call_from(fd, from) || connect(fd, at->ai_addr, at->ai_addrlen) != 0)) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(at);
	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static bool
ask(struct ws *w, struct arena *mem, const char *url, const char *const *headers,
    const char *key)
{
	const char *host = url + strlen("ws://");
	size_t n = strcspn(host, "/");
	struct buf b = { .mem = mem };

	buf_printf(&b,
	    "GET %s HTTP/1.1\r\nHost: %.*s\r\nUpgrade: websocket\r\n"
	    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
	    "Sec-WebSocket-Key: %s\r\n",
	    host[n] != '\0' ? host + n : "/", (int)n, host, key);
	for (; headers != NULL && *headers != NULL; headers++)
		buf_printf(&b, "%s\r\n", *headers);
	buf_str(&b, "\r\n");
	return send_all(w, b.p, b.len);
}

/* The server's answer to the key in Sec-WebSocket-Key. */
static const char *
accept_of(struct arena *mem, const char *key)
{
	const char *s =
	    arena_printf(mem, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int n = 0;

	EVP_Digest(s, strlen(s), digest, &n, EVP_sha1(), NULL);
	return base64(mem, digest, n);
}

static const char *
head_end(const struct buf *in)
{
	return in->len > 0 ? memmem(in->p, in->len, "\r\n\r\n", 4) : NULL;
}

/* True when head and body are complete, if the head has a Content-Length. */
static bool
is_whole(struct arena *mem, const struct buf *in)
{
	const char *end = head_end(in), *head, *length;

	if (end == NULL)
		return false;
	head = arena_dup(mem, in->p, (size_t)(end - in->p));
	length = strcasestr(head, "\r\nContent-Length: ");
	return length != NULL &&
	       in->len >= strlen(head) + 4 + strtoul(length + 18, NULL, 10);
}

/* Returns only the head of a 101, else all bytes received. */
static const char *
read_answer(struct ws *w, struct arena *mem, int64_t until_us)
{
	const char *end, *all;
	size_t n = 0;

	while ((end = head_end(&w->in)) == NULL && fill(w, w->in.len + 1, until_us))
		continue;
	if (end != NULL && w->in.len > 12 && memcmp(w->in.p + 9, "101", 3) == 0) {
		n = (size_t)(end - w->in.p) + 4;
	} else {
		while (!w->lost && !is_whole(mem, &w->in) &&
		       fill(w, w->in.len + 1, until_us))
			continue;
		n = w->in.len;
	}
	all = arena_dup(mem, w->in.p != NULL ? w->in.p : "", n);
	eat(w, n);
	return all;
}

static bool
is_upgraded(struct arena *mem, const char *answer, const char *key)
{
	const char *line =
	    arena_printf(mem, "\r\nSec-WebSocket-Accept: %s\r\n", accept_of(mem, key));

	return strncmp(answer, "HTTP/1.1 101 ", 13) == 0 &&
	       strcasestr(answer, line) != NULL &&
	       strcasestr(answer, "\r\nUpgrade: websocket\r\n") != NULL &&
	       strcasestr(answer, "\r\nSec-WebSocket-Extensions:") == NULL;
}

struct ws *
ws_call(
    struct arena *mem, const char *from, const char *url, const char *const *headers)
{
	struct ws *w = arena_alloc(mem, sizeof(*w));
	unsigned char seed[16];

	random_bytes(seed, sizeof(seed));
	*w = (struct ws){ .fd = connect_to(mem, from, url), .in.mem = mem };
	w->key = base64(mem, seed, sizeof(seed));
	if (w->fd >= 0 && ask(w, mem, url, headers, w->key))
		return w;
	if (w->fd >= 0)
		close(w->fd);
	return NULL;
}

struct ws *
ws_open(struct arena *mem, const char *url, const char *const *headers, double s,
    const char **answer)
{
	struct ws *w = ws_call(mem, NULL, url, headers);

	*answer = "";
	if (w == NULL)
		return NULL;
	*answer = read_answer(w, mem, end_of(s));
	if (is_upgraded(mem, *answer, w->key))
		return w;
	close(w->fd);
	return NULL;
}

enum ws_kind
ws_answered(struct ws *w, struct arena *mem, const char **answer)
{
	bool more = fill(w, w->in.len + 1, end_of(0));

	*answer = "";
	if (!w->lost && (!more || head_end(&w->in) == NULL))
		return WS_SILENCE;
	*answer = read_answer(w, mem, end_of(0));
	return is_upgraded(mem, *answer, w->key) ? WS_MORE : WS_WRONG;
}

/* ---- sending ---- */

/* Reads a frame of *n bytes; *n becomes the frame's length. */
static char *
write_frame(
    struct arena *mem, enum ws_kind kind, bool last, const void *p, size_t *size)
{
	size_t n = *size;
	unsigned char head[14] = { (unsigned char)((last ? FIN : 0) | (int)kind) };
	size_t h = n < 126 ? 2 : n < 65536 ? 4 : 10;
	char *frame;

	head[1] = (unsigned char)(MASKED | (n < 126 ? n : n < 65536 ? 126 : 127));
	for (size_t i = 2, shift = 8 * (h - 2); i < h; i++)
		head[i] = (unsigned char)((uint64_t)n >> (shift -= 8));
	random_bytes(head + h, 4);
	frame = arena_alloc(mem, h + 4 + n);
	memcpy(frame, head, h + 4);
	for (size_t i = 0; i < n; i++)
		frame[h + 4 + i] = (char)(((const char *)p)[i] ^ head[h + i % 4]);
	*size = h + 4 + n;
	return frame;
}

const void *
ws_frame(struct arena *mem, enum ws_kind kind, const void *p, size_t *n)
{
	return write_frame(mem, kind, true, p, n);
}

bool
ws_send_frame(struct ws *w, const void *frame, size_t n)
{
	return send_all(w, frame, n);
}

bool
ws_send_piece(struct ws *w, enum ws_kind kind, bool last, const void *p, size_t n)
{
	struct arena *mem = arena_new();
	const char *frame = write_frame(mem, kind, last, p, &n);
	bool sent = send_all(w, frame, n);

	arena_free(mem);
	return sent;
}

bool
ws_send(struct ws *w, enum ws_kind kind, const void *p, size_t n)
{
	return ws_send_piece(w, kind, true, p, n);
}

/* ---- receiving ---- */

struct frame {
	int head;
	size_t at, n; /* bytes of its payload in the buffer */
};

static struct ws_message
event(enum ws_kind kind)
{
	return (struct ws_message){ .kind = kind, .p = "" };
}

/* Reads a frame if it is complete; kind says what it was. */
static enum ws_kind
read_frame(struct ws *w, struct frame *f, int64_t until_us)
{
	const unsigned char *p;
	size_t more;

	if (!fill(w, 2, until_us))
		return w->lost ? WS_LOST : WS_SILENCE;
	p = (const unsigned char *)w->in.p;
	f->head = p[0];
	f->n = p[1] & 127;
	more = f->n == 126 ? 2 : f->n == 127 ? 8 : 0;
	f->at = 2 + more;
	if ((p[0] & 0x70) != 0 || (p[1] & MASKED) != 0)
		return WS_WRONG;
	if (!fill(w, f->at, until_us))
		return w->lost ? WS_LOST : WS_SILENCE;
	p = (const unsigned char *)w->in.p;
	if (more > 0)
		f->n = 0;
	for (size_t i = 2; i < f->at; i++)
		f->n = f->n << 8 | p[i];
	if (f->n > MOST || ((f->head & 8) != 0 && (f->n > 125 || !(f->head & FIN))))
		return WS_WRONG;
	if (!fill(w, f->at + f->n, until_us))
		return w->lost ? WS_LOST : WS_SILENCE;
	return WS_MORE;
}

static struct ws_message
take_close(struct ws *w, struct arena *mem, const char *p, size_t n)
{
	struct ws_message m = { .kind = WS_CLOSE, .code = 1005, .p = "" };

	ws_send(w, WS_CLOSE, p, n < 2 ? n : 2);
	if (n >= 2) {
		m.code = (unsigned char)p[0] << 8 | (unsigned char)p[1];
		m.n = n - 2;
		m.p = arena_dup(mem, p + 2, m.n);
	}
	return m;
}

/* Adds a frame to its message. WS_MORE: the message continues. */
static struct ws_message
join(struct ws *w, struct arena *mem, const struct frame *f, const char *p)
{
	enum ws_kind kind = (enum ws_kind)(f->head & 15);
	struct ws_message m;

	if (kind > WS_BINARY || (kind == WS_MORE) == (w->joining == WS_MORE))
		return event(WS_WRONG);
	if (kind != WS_MORE) {
		w->joining = kind;
		w->joined = (struct buf){ .mem = mem };
	}
	buf_put(&w->joined, p, f->n);
	if (!(f->head & FIN))
		return event(WS_MORE);
	m = (struct ws_message){
		.kind = w->joining, .p = buf_text(&w->joined), .n = w->joined.len
	};
	w->joining = WS_MORE;
	return m;
}

struct ws_message
ws_next(struct ws *w, struct arena *mem, double s)
{
	int64_t until_us = end_of(s);
	struct ws_message m = event(WS_MORE);

	while (m.kind == WS_MORE) {
		struct frame f;
		enum ws_kind kind = read_frame(w, &f, until_us);
		const char *p = w->in.p + f.at;

		if (kind != WS_MORE)
			return event(kind);
		switch (f.head & 15) {
		case WS_PING:
			w->pings++;
			ws_send(w, WS_PONG, p, f.n);
			break;
		case WS_PONG:
			m = (struct ws_message){
				.kind = WS_PONG, .p = arena_dup(mem, p, f.n), .n = f.n
			};
			break;
		case WS_CLOSE:
			m = take_close(w, mem, p, f.n);
			break;
		default:
			m = join(w, mem, &f, p);
		}
		eat(w, f.at + f.n);
	}
	return m;
}

int
ws_fd(const struct ws *w)
{
	return w->fd;
}

int
ws_pings(const struct ws *w)
{
	return w->pings;
}

void
ws_drop(struct ws *w)
{
	close(w->fd);
}
