/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A libwebsockets context and its thread, started with the first connection and never
 * ended.  Other threads leave their requests under a lock and wake it; libwebsockets
 * itself is only called on that thread.
 */
#include "net/websocket_client.h"

#include <libwebsockets.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "net/http.h"

struct outgoing {
	struct outgoing *next;
	struct arena *mem; /* arena of the client */
	bool text;
	size_t n;
	unsigned char bytes[]; /* LWS_PRE, then n */
};

struct websocket_client {
	struct websocket_client *next; /* protected by clients_lock */
	struct arena *mem;
	struct websocket_client_call call;
	const char *host, *path;
	int port;
	bool tls;
	pthread_mutex_t lock; /* guards the following members; held during callbacks */
	struct outgoing *first, **last;
	size_t queued;
	bool stands, ended, closed;
	enum websocket_client_end how; /* the end to report, once known */
	/* Used by the thread only: */
	struct lws *wsi;
	bool asked;
	struct buf in;
};

static pthread_mutex_t clients_lock = PTHREAD_MUTEX_INITIALIZER;
static struct websocket_client *clients;
static struct lws_context *context;

/* Called with the client's lock. */
static void
report_end(struct websocket_client *c)
{
	if (!c->ended && !c->closed)
		c->call.ended(c->call.arg, c->how);
	c->ended = true;
}

/* wsi: its connection, which passes no more calls to the client; or NULL. */
static void
end(struct websocket_client *c, struct lws *wsi)
{
	if (wsi != NULL)
		lws_set_wsi_user(wsi, NULL);
	pthread_mutex_lock(&c->lock);
	report_end(c);
	c->wsi = NULL;
	pthread_mutex_unlock(&c->lock);
	lws_cancel_service(context);
}

/* ---- libwebsockets calls ---- */

static int
add_header(struct lws *wsi, const struct websocket_client_call *call,
    unsigned char **at, size_t room)
{
	const unsigned char *name = (const unsigned char *)call->header;
	const unsigned char *value = (const unsigned char *)call->value;

	if (call->header == NULL)
		return 0;
	return lws_add_http_header_by_name(
		   wsi, name, value, (int)strlen(call->value), at, *at + room) != 0
		   ? -1
		   : 0;
}

/* Take the next message out of the queue; *more: there is another. */
static struct outgoing *
pop_first(struct websocket_client *c, bool *more)
{
	struct outgoing *o;

	pthread_mutex_lock(&c->lock);
	if ((o = c->first) != NULL) {
		if ((c->first = o->next) == NULL)
			c->last = &c->first;
		c->queued -= o->n;
	}
	*more = c->first != NULL;
	pthread_mutex_unlock(&c->lock);
	return o;
}

static int
write_next(struct lws *wsi, struct websocket_client *c)
{
	bool more;
	struct outgoing *o = pop_first(c, &more);
	int n;

	if (o == NULL)
		return 0;
	n = lws_write(
	    wsi, o->bytes + LWS_PRE, o->n, o->text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY);
	if (n >= (int)o->n && more)
		lws_callback_on_writable(wsi);
	n = n >= (int)o->n ? 0 : -1;
	arena_free(o->mem);
	return n;
}

static int
receive_piece(struct lws *wsi, struct websocket_client *c, const void *p, size_t n)
{
	if (c->in.len + n > WEBSOCKET_CLIENT_MESSAGE) {
		log_warn("websocket: %s sends too large a message", c->host);
		return -1;
	}
	buf_put(&c->in, p, n);
	if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0)
		return 0;
	pthread_mutex_lock(&c->lock);
	if (!c->closed)
		c->call.message(c->call.arg, buf_text(&c->in), c->in.len);
	pthread_mutex_unlock(&c->lock);
	c->in.len = 0;
	return 0;
}

static void
begin(struct lws *wsi, struct websocket_client *c)
{
	pthread_mutex_lock(&c->lock);
	c->stands = true;
	pthread_mutex_unlock(&c->lock);
	lws_callback_on_writable(wsi);
}

/*
 * The connection was not established. The server's answer to the upgrade decides
 * whether a retry may help.
 */
static void
fail(struct lws *wsi, struct websocket_client *c)
{
	unsigned status = lws_http_client_http_response(wsi);

	if (http_verdict((int)status) == ERR_REFUSED && status >= 400)
		c->how = WEBSOCKET_CLIENT_REFUSED;
	end(c, wsi);
}

/* ---- requests of other threads ---- */

static void
connect_client(struct websocket_client *c)
{
	const struct lws_client_connect_info how = { .context = context,
		.address = c->host,
		.port = c->port,
		.path = c->path,
		.host = c->host,
		.ssl_connection = c->tls ? LCCSCF_USE_SSL : 0,
		.alpn = "http/1.1",
		.ietf_version_or_minus_one = -1,
		.userdata = c,
		.pwsi = &c->wsi };

	c->asked = true;
	if (lws_client_connect_via_info(&how) == NULL)
		end(c, NULL);
}

static void
free_client(struct websocket_client *c)
{
	for (struct outgoing *o = c->first, *next; o != NULL; o = next) {
		next = o->next;
		arena_free(o->mem);
	}
	pthread_mutex_destroy(&c->lock);
	arena_free(c->mem);
}

/* Do what is due for a client. False: close the connection. */
static bool
tend(struct websocket_client *c)
{
	bool closed, writes;

	if (!c->asked)
		connect_client(c);
	pthread_mutex_lock(&c->lock);
	closed = c->closed;
	writes = c->stands && c->first != NULL;
	pthread_mutex_unlock(&c->lock);
	if (closed && c->wsi == NULL)
		return false;
	if (closed)
		lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
	else if (c->wsi != NULL && writes)
		lws_callback_on_writable(c->wsi);
	return true;
}

/* New clients are added at the front; only this thread changes the rest of the list. */
static void
tend_all(void)
{
	struct websocket_client *c, *gone = NULL;

	pthread_mutex_lock(&clients_lock);
	for (struct websocket_client **at = &clients; (c = *at) != NULL;) {
		if (tend(c)) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		c->next = gone;
		gone = c;
	}
	pthread_mutex_unlock(&clients_lock);
	for (; gone != NULL; gone = c) {
		c = gone->next;
		free_client(gone);
	}
}

static int
on_event(struct lws *wsi, enum lws_callback_reasons why, void *user, void *p, size_t n)
{
	/* destruction is reported without its user data */
	struct websocket_client *c =
	    why == LWS_CALLBACK_WSI_DESTROY ? lws_wsi_user(wsi) : user;

	if (why == LWS_CALLBACK_EVENT_WAIT_CANCELLED)
		tend_all();
	if (c == NULL)
		return 0;
	switch (why) {
	case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
		return add_header(wsi, &c->call, p, n);
	case LWS_CALLBACK_CLIENT_ESTABLISHED:
		begin(wsi, c);
		return 0;
	case LWS_CALLBACK_CLIENT_WRITEABLE:
		return write_next(wsi, c);
	case LWS_CALLBACK_CLIENT_RECEIVE:
		return receive_piece(wsi, c, p, n);
	case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
		log_warn("websocket: %s:%d: %.*s", c->host, c->port,
		    p != NULL ? (int)n : 0, p != NULL ? (const char *)p : "");
		fail(wsi, c);
		return 0;
	case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
		c->how = WEBSOCKET_CLIENT_CLOSED;
		return 0;
	case LWS_CALLBACK_CLIENT_CLOSED:
		if (c->how != WEBSOCKET_CLIENT_CLOSED && !c->closed)
			log_warn(
			    "websocket: %s:%d closed the connection", c->host, c->port);
		end(c, wsi);
		return 0;
	/* some events come without one of these two */
	case LWS_CALLBACK_WSI_DESTROY:
		end(c, wsi);
		return 0;
	default:
		return 0;
	}
}

/* ---- the thread ---- */

static void
on_log(int level, const char *line)
{
	int n = (int)strcspn(line, "\n");

	if (level == LLL_ERR)
		log_error("websocket: %.*s", n, line);
	else
		log_warn("websocket: %.*s", n, line);
}

static void *
serve(void *arg)
{
	(void)arg;
	while (lws_service(context, 0) >= 0)
		continue;
	return NULL;
}

/* Start a thread that handles no signals: other threads do. */
static bool
start_thread(void)
{
	sigset_t all, was;
	pthread_t thread;
	int how;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &was);
	if ((how = pthread_create(&thread, NULL, serve, NULL)) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return how == 0;
}

/* Called with clients_lock. */
static bool
start(void)
{
	static const struct lws_protocols protocols[] = {
		{ "dragoman-client", on_event, 0, 65536, 0, NULL, 0 }, { .name = NULL }
	};
	const struct lws_context_creation_info how = { .port = CONTEXT_PORT_NO_LISTEN,
		.protocols = protocols,
		.gid = (gid_t)-1,
		.uid = (uid_t)-1,
		.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT };

	if (context != NULL)
		return true;
	lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
	if ((context = lws_create_context(&how)) != NULL && start_thread())
		return true;
	log_error("websocket: cannot start the thread for connections to engines");
	return false;
}

/* ---- other threads ---- */

static bool
read_url(struct websocket_client *c, const char *url)
{
	const char *scheme, *host, *path;
	char *copy = arena_str(c->mem, url);

	if (lws_parse_uri(copy, &scheme, &host, &c->port, &path) != 0 || *host == '\0')
		return false;
	c->tls = strcmp(scheme, "wss") == 0 || strcmp(scheme, "https") == 0;
	c->host = host;
	c->path = arena_printf(c->mem, "/%s", *path == '/' ? path + 1 : path);
	return c->tls || strcmp(scheme, "ws") == 0 || strcmp(scheme, "http") == 0;
}

static struct websocket_client *
new_client(const struct websocket_client_call *call)
{
	struct arena *mem = arena_new();
	struct websocket_client *c = arena_alloc(mem, sizeof(*c));

	c->mem = mem;
	c->in.mem = mem;
	c->call = *call;
	c->call.header = arena_str(mem, call->header);
	c->call.value = arena_str(mem, call->value);
	c->last = &c->first;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

struct websocket_client *
websocket_client_open(const struct websocket_client_call *call)
{
	struct websocket_client *c = new_client(call);
	bool up;

	if (!read_url(c, call->url)) {
		log_warn("websocket: the address of an engine is invalid");
		free_client(c);
		return NULL;
	}
	pthread_mutex_lock(&clients_lock);
	if ((up = start())) {
		c->next = clients;
		clients = c;
	}
	pthread_mutex_unlock(&clients_lock);
	if (!up) {
		free_client(c);
		return NULL;
	}
	lws_cancel_service(context);
	return c;
}

void
websocket_client_send(struct websocket_client *c, bool text, const void *p, size_t n)
{
	struct arena *mem = arena_small(sizeof(struct outgoing) + LWS_PRE + n);
	struct outgoing *o = arena_alloc(mem, sizeof(*o) + LWS_PRE + n);

	*o = (struct outgoing){ .mem = mem, .text = text, .n = n };
	memcpy(o->bytes + LWS_PRE, p, n);
	pthread_mutex_lock(&c->lock);
	if (c->queued + n > WEBSOCKET_CLIENT_QUEUE) {
		report_end(c);
		arena_free(mem);
	} else {
		*c->last = o;
		c->last = &o->next;
		c->queued += n;
	}
	pthread_mutex_unlock(&c->lock);
	lws_cancel_service(context);
}

void
websocket_client_close(struct websocket_client *c)
{
	if (c == NULL)
		return;
	pthread_mutex_lock(&c->lock);
	c->closed = true;
	pthread_mutex_unlock(&c->lock);
	lws_cancel_service(context);
}
