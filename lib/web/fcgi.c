/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only file that uses FastCGI and CGI. A process serves one request at a time.
 * Only caches survive a request: the database handle, its prepared statements, API keys
 * valid a second ago, tokens of channels, and the arena's first chunk.
 */
#include <errno.h>
#include <fcgiapp.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "db/places.h"
#include "web/chunked_body.h"
#include "web/credential_cache.h"
#include "web/metrics.h"
#include "web/openapi.h"
#include "web/ratelimit.h"
#include "web/request_log.h"
#include "web/web.h"

#define LISTENER 0  /* the socket on which FastCGI programs are called */
#define PIECE 65536 /* bytes of a file sent at a time */
#define LONG_ANSWER (256 * 1024)
#define BODY_START_S 10 /* seconds until a body must begin */
#define BODY_RATE 2000  /* bytes of the body that extend this by a second */
#define LINGER_S 2      /* seconds that input is ignored after the answer */
#define LINGER_PIECES 1024
#define SILENCE_S 20 /* seconds that a FastCGI server may be silent */
#define IDLE_MS 2000 /* a process without requests closes its connection then */
#define PAUSE_MS 100 /* between two looks whether another process needs its place */

/* The connection of a request and its answer. */
struct wire {
	FCGX_Request *fcgi; /* NULL: plain CGI on stdin and stdout */
	int64_t left;       /* bytes left of the body; -1: unknown */
	int64_t until_us;   /* deadline for more bytes; monotonic_us() */
	bool
	    whole; /* plain CGI on the client's connection: the answer is all of HTTP */
	struct chunked_body *chunks; /* the same, and the body is sent in chunks */
};

/* The variables, NAME=VALUE, ending with NULL. */
static char **
params(const struct wire *w)
{
	return w->fcgi != NULL ? w->fcgi->envp : environ;
}

static const char *
param(const struct request *rq, const char *name)
{
	size_t n = strlen(name);

	for (char **p = params(rq->wire); *p != NULL; p++)
		if ((*p)[0] == name[0] && strncmp(*p, name, n) == 0 && (*p)[n] == '=')
			return *p + n + 1;
	return NULL;
}

/* Read a part of the body. Under plain CGI it arrives as the client sends it, and a
   client may be slow on purpose. Returns 0 at the end, or if the client is too slow. */
static ssize_t
read_input(struct wire *w, void *to, size_t n)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t left_us = w->until_us - monotonic_us();

	if (left_us <= 0 || poll(&p, 1, (int)(left_us / 1000) + 1) <= 0)
		return 0;
	return read(STDIN_FILENO, to, n);
}

/* As read_input(), from a body in chunks; *cut: it ended before its last chunk. */
static ssize_t
read_chunks(struct wire *w, void *to, size_t n, bool *cut)
{
	size_t got = 0;
	ssize_t raw;

	while (got == 0 && w->chunks->state < CHUNKS_DONE) {
		if ((raw = read_input(w, to, n)) <= 0)
			break;
		got = chunked_body_decode(w->chunks, to, (size_t)raw);
	}
	*cut |= got == 0 && w->chunks->state != CHUNKS_DONE;
	return (ssize_t)got;
}

static size_t
read_body(struct request *rq, void *to, size_t n)
{
	struct wire *w = rq->wire;
	ssize_t got;

	if (w->left >= 0 && (int64_t)n > w->left)
		n = (size_t)w->left;
	if (n == 0)
		return 0;
	if (n > PIECE)
		n = PIECE;
	if (w->fcgi != NULL)
		got = FCGX_GetStr(to, (int)n, w->fcgi->in);
	else if (w->chunks != NULL)
		got = read_chunks(w, to, n, &rq->cut);
	else
		got = read_input(w, to, n);
	rq->cut |= got <= 0 && w->left > 0;
	if (got <= 0)
		return 0;
	w->until_us += (int64_t)got * S_US / BODY_RATE;
	w->left -= w->left >= 0 ? got : 0;
	return (size_t)got;
}

static void
send_bytes(const struct wire *w, const void *p, size_t n)
{
	if (w->fcgi != NULL)
		FCGX_PutStr(p, (int)n, w->fcgi->out);
	else
		fwrite(p, 1, n, stdout);
}

static void
send_file(const struct request *rq)
{
	off_t at = rq->file_at, left = rq->file_bytes;
	char *piece = arena_alloc(rq->mem, PIECE);
	ssize_t n;

	while (left > 0) {
		n = pread(rq->file, piece, left < PIECE ? (size_t)left : PIECE, at);
		if (n <= 0)
			/*
			 * the client notices from Content-Length that the answer was
			 * cut
			 */
			break;
		send_bytes(rq->wire, piece, (size_t)n);
		at += n;
		left -= n;
	}
}

static void
transmit(struct request *rq)
{
	struct buf head = { .mem = rq->mem };
	const struct wire *w = rq->wire;
	bool body;

	reply_begin_head(&head, rq, w->whole ? "close" : NULL);
	body = reply_end_head(&head, rq);
	send_bytes(w, head.p, head.len);
	if (!body)
		return;
	if (rq->file >= 0)
		send_file(rq);
	else
		send_bytes(rq->wire, rq->out.p, rq->out.len);
}

/*
 * End the client's connection: while it sends what is not read, closing would lose the
 * answer. Time and bytes are limited.
 */
static void
linger(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t until_us = monotonic_us() + LINGER_S * S_US, left_us;
	char piece[PIECE];

	shutdown(STDOUT_FILENO, SHUT_WR);
	for (int i = 0; i < LINGER_PIECES; i++)
		if ((left_us = until_us - monotonic_us()) <= 0 ||
		    poll(&p, 1, (int)(left_us / 1000) + 1) <= 0 ||
		    read(STDIN_FILENO, piece, sizeof(piece)) <= 0)
			return;
}

/*
 * Shut down the input. Under plain CGI, stdin and stdout may be the same socket: if it
 * had unread bytes at the end, Apache would treat the connection as broken and lose the
 * answer. After the shutdown no more bytes arrive, and Apache discards the rest, so a
 * slow client cannot keep this process.
 */
static void
hang_up(const struct wire *w)
{
	char piece[4096];

	if (w->fcgi != NULL)
		return;
	fflush(stdout);
	if (w->whole) {
		linger();
		return;
	}
	if (shutdown(STDIN_FILENO, SHUT_RD) == 0)
		while (recv(STDIN_FILENO, piece, sizeof(piece), MSG_DONTWAIT) > 0)
			continue;
}

/* Apache passes on the absolute form of a target (RFC 9112 3.2.2). */
static const char *
without_host(const char *target)
{
	const char *host = target[0] != '/' ? strstr(target, "://") : NULL;
	const char *path = host != NULL ? strchr(host + 3, '/') : NULL;

	return path != NULL ? path : target;
}

/* Approximate size of all header fields on the wire. */
static size_t
header_bytes(const struct wire *w)
{
	size_t n = 0;

	for (char **p = params(w); *p != NULL; p++)
		if (strncmp(*p, "HTTP_", 5) == 0)
			n += strlen(*p) - strlen("HTTP_=") + strlen(": \r\n");
	return n;
}

static void
receive(struct request *rq)
{
	const char *target = param(rq, "REQUEST_URI"), *peer = param(rq, "REMOTE_ADDR");
	const char *length = param(rq, "CONTENT_LENGTH");
	const char *method = param(rq, "REQUEST_METHOD");
	const char *coding = param(rq, "HTTP_TRANSFER_ENCODING");
	struct wire *w = rq->wire;

	rq->method = method != NULL ? method : "GET";
	rq->target = target != NULL ? target : "/";
	rq->line_bytes = strlen(rq->method) + strlen(rq->target) + strlen("  HTTP/1.1");
	rq->header_bytes = header_bytes(w);
	rq->target = target_below(rq->conf, without_host(rq->target));
	rq->peer = peer != NULL ? peer : "";
	rq->content_length = -1;
	if (length != NULL && length[0] != '\0')
		rq->content_length = strtoll(length, NULL, 10);
	else if (coding == NULL)
		rq->content_length = 0;
	else if (w->whole)
		w->chunks = arena_alloc(rq->mem, sizeof(*w->chunks));
	w->left = rq->content_length;
	w->until_us = monotonic_us() + BODY_START_S * S_US;
}

static void
serve_one(struct app *app, struct arena *mem, struct wire *w)
{
	bool open = app->db != NULL || app_connect(app) == OK;

	struct request rq = { .mem = mem,
		.app = app,
		.conf = &app->conf,
		.db = open ? app->db : NULL,
		.param = param,
		.read = read_body,
		.wire = w,
		.common.mem = mem,
		.head.mem = mem,
		.out.mem = mem };

	receive(&rq);
	dispatch(&rq);
	transmit(&rq);
	hang_up(w);
	arena_reset(mem);
	if (rq.out.len > LONG_ANSWER)
		/* malloc_trim(): SQLite's cache lies above the freed memory */
		malloc_trim(0);
}

/*
 * Wait for a request. A connection to a database server is closed after IDLE_MS, or
 * earlier if another process of the node needs its place.
 */
static void
await_request(const struct app *app, const FCGX_Request *fr)
{
	struct pollfd p = { fr->ipcFd >= 0 ? fr->ipcFd : LISTENER, POLLIN, 0 };

	if (app->db == NULL || !db_is_server(app->db))
		return;
	db_rest(app->db, false);
	for (int ms = 0; ms < IDLE_MS; ms += PAUSE_MS) {
		if (poll(&p, 1, PAUSE_MS) != 0)
			return;
		db_rest(app->db, places_wanted());
	}
	db_rest(app->db, true);
	poll(&p, 1, -1);
}

/* False: the process ends. */
static bool
accept_request(const struct app *app, FCGX_Request *fr)
{
	int e;

	do {
		await_request(app, fr);
		e = FCGX_Accept_r(fr);
	} while (e == -EAGAIN);
	return e == 0;
}

static bool
serve_all(struct app *app, struct arena *mem)
{
	const struct timeval silence = { SILENCE_S, 0 };
	FCGX_Request fr;
	struct wire w = { .fcgi = &fr };

	/* another process may accept the connection that poll() reports */
	if (app->db != NULL && db_is_server(app->db))
		fcntl(LISTENER, F_SETFL, O_NONBLOCK);
	FCGX_InitRequest(&fr, LISTENER, 0);
	while (accept_request(app, &fr)) {
		setsockopt(
		    fr.ipcFd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence));
		serve_one(app, mem, &w);
		FCGX_Finish_r(&fr);
		if (app->db != NULL && !app->is_ready && !app_check(app))
			return false;
	}
	return true;
}

static int
run(struct app *app, struct arena *mem)
{
	struct wire cgi = { .whole = getenv("DRAGOMAN_WHOLE_ANSWER") != NULL };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!FCGX_IsCGI())
		return serve_all(app, mem) ? EXIT_SUCCESS : EXIT_FAILURE;
	serve_one(app, mem, &cgi);
	return EXIT_SUCCESS;
}

int
serve(const struct program *is, int argc, char **argv)
{
	struct arena *mem = arena_new(), *kept;
	int end = EXIT_FAILURE;
	struct app app;

	log_program(is->name);
	/* CGI servers turn a query without "=" into arguments. */
	if (argc > 1 && getenv("GATEWAY_INTERFACE") == NULL)
		return routes_print(mem, is->routes, argv[1]);
	if (is->may_start != NULL && !is->may_start())
		return EXIT_FAILURE;
	process_protect_memory();
	kept = arena_new();
	FCGX_Init(); /* SIGTERM, SIGUSR1: finish the request, then exit */
	if (app_begin(&app, kept, is) == OK) {
		app_open_db(&app);
		end = run(&app, mem);
		app_close(&app);
	}
	arena_free(mem);
	arena_free(kept);
	return end;
}
