/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libcurl with strict options, all set again for every call.  An address is checked
 * twice: before the connection is opened, so that a forbidden one is not even
 * contacted, and before the request is sent, for a connection kept from a call that
 * was allowed more.
 */
#include "net/http.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/address.h"
#include "net/libcurl.h"

#define CHECK_MS 30         /* time between two checks whether the call is over */
#define REFUSAL_BYTES 65536 /* longest other body, if call.take receives good ones */

/*
 * ---- handles ----
 *
 * libcurl's handles between calls, with the connections that they keep: a list of idle
 * ones, the one used last first.  A handle serves one call at a time.  Threads share
 * the list, so a connection that one thread has opened serves the next call of any
 * other.
 */

struct http_handle {
	struct http_handle *next;
	struct arena *mem; /* arena of the handle */
	CURL *easy;
	CURLM *multi; /* keeps the connections */
	/* origin of its last call: scheme, user, host and port, cut */
	char origin[256];
};

#define IDLE 64 /* the most idle handles */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	struct http_handle *first;
	int n;
	pid_t owner;
	struct http_handle *parents; /* handles of the parent process; never touched */
} idle;

/* Scheme, authority: all before the path. */
static size_t
origin_length(const char *url)
{
	const char *host = strstr(url, "://");
	size_t n = host != NULL ? (size_t)(host - url) + 3 : 0;

	n += strcspn(url + n, "/?#");
	return n < sizeof(((struct http_handle *)0)->origin) ? n : 0;
}

static void
free_handle(struct http_handle *h)
{
	curl_easy_cleanup(h->easy);
	curl_multi_cleanup(h->multi);
	arena_free(h->mem);
}

/* Called with the lock. A forked process begins without handles. */
static void
check_owner(void)
{
	static bool registered;

	if (!registered)
		atexit(http_close);
	registered = true;
	if (idle.owner == getpid())
		return;
	idle.parents = idle.first;
	idle.first = NULL;
	idle.n = 0;
	idle.owner = getpid();
}

/* Called with the lock. */
static struct http_handle *
unlink_handle(struct http_handle **at)
{
	struct http_handle *h = *at;

	*at = h->next;
	idle.n--;
	return h;
}

static struct http_handle *
find_handle(const char *url, size_t n)
{
	struct http_handle **at, *h = NULL;

	pthread_mutex_lock(&lock);
	check_owner();
	at = &idle.first;
	while (*at != NULL &&
	       (strlen((*at)->origin) != n || memcmp((*at)->origin, url, n) != 0))
		at = &(*at)->next;
	if (*at != NULL)
		h = unlink_handle(at);
	pthread_mutex_unlock(&lock);
	return h;
}

static struct http_handle *
new_handle(void)
{
	struct arena *mem = arena_small(sizeof(struct http_handle));
	struct http_handle *h = arena_alloc(mem, sizeof(*h));

	h->mem = mem;
	h->easy = curl_easy_init();
	h->multi = curl_multi_init();
	if (h->easy != NULL && h->multi != NULL)
		return h;
	free_handle(h);
	return NULL;
}

/* The handle used last for the URL's origin, or another one; NULL: out of memory. */
static struct http_handle *
acquire_handle(const char *url)
{
	size_t n = origin_length(url);
	struct http_handle *h = find_handle(url, n);

	if (h == NULL && (h = new_handle()) == NULL)
		return NULL;
	memcpy(h->origin, url, n);
	h->origin[n] = '\0';
	return h;
}

/* Keep it for the next call: reset its options, but keep its connections. */
static void
release_handle(struct http_handle *h)
{
	struct http_handle **last = &idle.first, *dropped = NULL;

	curl_easy_reset(h->easy);
	pthread_mutex_lock(&lock);
	check_owner();
	h->next = idle.first;
	idle.first = h;
	if (++idle.n > IDLE) {
		while ((*last)->next != NULL)
			last = &(*last)->next;
		dropped = unlink_handle(last);
	}
	pthread_mutex_unlock(&lock);
	if (dropped != NULL)
		free_handle(dropped);
}

void
http_close(void)
{
	struct http_handle *h, *next;

	pthread_mutex_lock(&lock);
	check_owner();
	h = idle.first;
	idle.first = NULL;
	idle.n = 0;
	pthread_mutex_unlock(&lock);
	for (; h != NULL; h = next) {
		next = h->next;
		free_handle(h);
	}
}

/* ---- the answer, as libcurl has it ---- */

/* libcurl accepts any number; unknown to HTTP, it counts as 5xx (RFC 9110, 15). */
static int
known_status(long status)
{
	return status >= 100 && status <= 599 ? (int)status : 500;
}

static enum err
meaning(CURLcode rc)
{
	switch (rc) {
	case CURLE_OK:
		return OK;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return ERR_TIMEOUT;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_OUT_OF_MEMORY: /* or an answer with a header over libcurl's limits */
		return ERR_REFUSED;
	default:
		return ERR_FAILED;
	}
}

static const char *
words(CURLcode rc)
{
	return rc == CURLE_PEER_FAILED_VERIFICATION ? "the certificate is not valid"
						    : curl_easy_strerror(rc);
}

/* A folded value (RFC 9112, 5.2) still contains line ends, and counts as absent. */
static const char *
one_line(struct arena *mem, const char *value)
{
	return value == NULL || strpbrk(value, "\r\n") != NULL ? NULL
							       : arena_str(mem, value);
}

static int64_t
read_time(const char *text)
{
	time_t s = text != NULL ? curl_getdate(text, NULL) : -1;

	return s < 0 ? NULL_INT : (int64_t)s * S_US;
}

/* Expiry of the server's own certificate, as libcurl writes it. */
static int64_t
certificate_end(CURL *easy)
{
	static const char name[] = "Expire date:";
	struct curl_certinfo *all = NULL;
	struct curl_slist *line = NULL;

	if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &all) == CURLE_OK &&
	    all != NULL && all->num_of_certs > 0)
		line = all->certinfo[0];
	for (; line != NULL; line = line->next)
		if (strncmp(line->data, name, strlen(name)) == 0)
			return read_time(line->data + strlen(name));
	return NULL_INT;
}

static void
read_answer(CURL *easy, struct arena *mem, struct http_answer *to)
{
	struct curl_header *etag = NULL, *date = NULL;
	curl_off_t length = -1, retry_after_s = 0;
	char *type = NULL, *location = NULL;
	long status = 0;

	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &location);
	curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after_s);
	curl_easy_header(easy, "ETag", 0, CURLH_HEADER, -1, &etag);
	curl_easy_header(easy, "Date", 0, CURLH_HEADER, -1, &date);
	*to = (struct http_answer){
		.status = known_status(status),
		.content_type = one_line(mem, type),
		.location = one_line(mem, location),
		.etag = one_line(mem, etag != NULL ? etag->value : NULL),
		.content_bytes = length,
		.retry_after_s = retry_after_s,
		.date_us = read_time(date != NULL ? date->value : NULL),
		.certificate_until_us = certificate_end(easy),
	};
}

enum err
http_verdict(int status)
{
	if (status >= 200 && status < 300)
		return OK;
	return status == 408 || status == 429 || status >= 500 ? ERR_BUSY : ERR_REFUSED;
}

/* ---- a call ---- */

/* A call under way. */
struct http_exchange {
	const struct http_call *call;
	struct http_handle *handle; /* NULL: there is none */
	bool runs;                  /* the handle does */
	CURL *easy;                 /* the handle's */
	struct curl_slist *headers;
	curl_mime *mime;
	struct buf body;
	size_t len;   /* bytes of the body so far */
	bool enough;  /* the rest is not wanted */
	bool dropped; /* the body is not wanted */
	int64_t first_until_us;
	int64_t head_us; /* time at which the header was complete; 0: not yet */
	const char *why; /* reason why this program ended the call; or NULL */
	enum err end;    /* the call's result in that case */
};

static void
break_off(struct http_exchange *x, enum err e, const char *why)
{
	x->end = e;
	x->why = why;
}

static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct http_exchange *x = arg;
	const char *ip = (const char *)&to->addr;

	(void)purpose;
	ip += to->family == AF_INET ? offsetof(struct sockaddr_in, sin_addr)
				    : offsetof(struct sockaddr_in6, sin6_addr);
	if (!x->call->allow_private && !address_is_public(to->family, ip)) {
		break_off(x, ERR_REFUSED, "the address is not a public one");
		return CURL_SOCKET_BAD;
	}
	x->why = NULL;
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static int
check_peer(void *arg, char *ip, char *local_ip, int port, int local_port)
{
	struct http_exchange *x = arg;
	int family = strchr(ip, ':') != NULL ? AF_INET6 : AF_INET;
	struct in6_addr raw;

	(void)local_ip, (void)port, (void)local_port;
	if (x->call->allow_private ||
	    (inet_pton(family, ip, &raw) == 1 && address_is_public(family, &raw))) {
		x->why = NULL; /* the name now has another, forbidden address */
		return CURL_PREREQFUNC_OK;
	}
	break_off(x, ERR_REFUSED, "the address is not a public one");
	return CURL_PREREQFUNC_ABORT;
}

/* Receive a piece of a good body; false: stop. */
static bool
hand_over(struct http_exchange *x, const char *p, size_t n)
{
	const struct http_call *call = x->call;
	struct http_answer a;

	if (call->typed != NULL && x->len == n) {
		read_answer(x->easy, x->body.mem, &a);
		call->typed(call->arg, a.content_type);
	}
	return call->take(call->arg, p, n);
}

/* Returns less than n to break off. */
static size_t
receive_body(char *p, size_t size, size_t n, void *arg)
{
	struct http_exchange *x = arg;
	long status = 0;

	n *= size;
	if (n > x->call->max_bytes - x->len && !x->call->cut) {
		break_off(x, ERR_REFUSED, "the answer is too large");
		return 0;
	}
	if (n > x->call->max_bytes - x->len) {
		n = x->call->max_bytes - x->len;
		x->enough = true;
	}
	x->len += n;
	curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	if (x->call->take == NULL || http_verdict(known_status(status)) != OK) {
		buf_put(&x->body, p, n);
		x->enough |= x->call->take != NULL && x->len > REFUSAL_BYTES;
	} else if (!hand_over(x, p, n))
		x->enough = true;
	return x->enough ? 0 : n;
}

/* Read a line of a header; an empty line ends it. Headers of 1xx answers come first. */
static size_t
receive_head(char *p, size_t size, size_t n, void *arg)
{
	struct http_exchange *x = arg;
	long status = 0;

	n *= size;
	curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	if (n > 0 && (p[0] == '\r' || p[0] == '\n') && status >= 200 && x->head_us == 0)
		x->head_us = monotonic_us();
	return n;
}

#define SET(option, value) (curl_easy_setopt(x->easy, option, value) == CURLE_OK)

static bool
set_rules(struct http_exchange *x)
{
	return SET(CURLOPT_PROTOCOLS_STR, "http,https") &&
	       /* no Content-Type: do not guess it */
	       SET(CURLOPT_DEFAULT_PROTOCOL, "none") &&
	       SET(CURLOPT_FOLLOWLOCATION, 0L) && SET(CURLOPT_PROXY, "") &&
	       SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) &&
	       SET(CURLOPT_SSL_VERIFYPEER, x->call->unverified ? 0L : 1L) &&
	       SET(CURLOPT_SSL_VERIFYHOST, x->call->unverified ? 0L : 2L) &&
	       SET(CURLOPT_CERTINFO, (long)x->call->unverified) &&
	       SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) &&
	       SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_HTTP09_ALLOWED, 0L) &&
	       SET(CURLOPT_HTTP_CONTENT_DECODING, 0L) &&
	       /* a resolver that hangs must not block beyond the deadline */
	       SET(CURLOPT_QUICK_EXIT, 1L) &&
	       SET(CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
	       SET(CURLOPT_OPENSOCKETDATA, x) &&
	       SET(CURLOPT_PREREQFUNCTION, check_peer) && SET(CURLOPT_PREREQDATA, x) &&
	       SET(CURLOPT_HEADERFUNCTION, receive_head) &&
	       SET(CURLOPT_HEADERDATA, x) && SET(CURLOPT_WRITEFUNCTION, receive_body) &&
	       SET(CURLOPT_WRITEDATA, x);
}

/* A reset keeps these two options. */
static bool
set_cookies(struct http_exchange *x, struct http_cookies *to)
{
	return SET(CURLOPT_SHARE, (CURLSH *)to) &&
	       SET(CURLOPT_COOKIEFILE, to != NULL ? "" : NULL);
}

static bool
set_limits(struct http_exchange *x)
{
	const struct http_call *call = x->call;
	int connect_ms = call->connect_ms > 0 ? call->connect_ms : call->timeout_ms;

	x->first_until_us = monotonic_us() + call->first_ms * INT64_C(1000);
	return SET(CURLOPT_FRESH_CONNECT, (long)call->once) &&
	       SET(CURLOPT_FORBID_REUSE, (long)call->once) &&
	       SET(CURLOPT_DNS_CACHE_TIMEOUT, call->once ? 0L : 60L) &&
	       SET(CURLOPT_TIMEOUT_MS, (long)call->timeout_ms) &&
	       SET(CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
}

static bool
has_header(const struct http_call *call, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; call->headers != NULL && call->headers[i] != NULL; i++)
		if (strncasecmp(call->headers[i], name, n) == 0)
			return true;
	return false;
}

/* True for a POST or PUT; without a body it has a body of no bytes. */
static bool
carries_bytes(const struct http_call *call)
{
	return call->body != NULL || strcmp(call->method, "POST") == 0 ||
	       strcmp(call->method, "PUT") == 0;
}

static bool
add_header(struct http_exchange *x, const char *line)
{
	struct curl_slist *more;

	if (strpbrk(line, "\r\n") != NULL) {
		break_off(x, ERR_REFUSED, "a header has a line break");
		return false;
	}
	if ((more = curl_slist_append(x->headers, line)) == NULL)
		return false;
	x->headers = more;
	return true;
}

/*
 * Send the caller's headers, and as few of curl's own as possible. A body of unknown
 * length is sent as it comes, after the server has asked for it.
 */
static bool
set_headers(struct http_exchange *x)
{
	const char *const *line = x->call->headers;

	if (!add_header(x, x->call->give != NULL ? "Transfer-Encoding:" : "Expect:"))
		return false;
	if (x->call->nparts == 0 && carries_bytes(x->call) &&
	    !has_header(x->call, "Content-Type:") &&
	    !add_header(x, "Content-Type: application/octet-stream"))
		return false;
	for (; line != NULL && *line != NULL; line++)
		if (!add_header(x, *line))
			return false;
	return SET(CURLOPT_HTTPHEADER, x->headers) &&
	       SET(CURLOPT_USERAGENT, "Dragoman");
}

static bool
add_part(curl_mime *mime, const struct http_part *p)
{
	curl_mimepart *part = curl_mime_addpart(mime);

	return part != NULL && curl_mime_name(part, p->name) == CURLE_OK &&
	       curl_mime_data(part, p->data, p->len) == CURLE_OK &&
	       curl_mime_filename(part, p->filename) == CURLE_OK &&
	       curl_mime_type(part, p->mime_type) == CURLE_OK;
}

static bool
set_parts(struct http_exchange *x)
{
	if ((x->mime = curl_mime_init(x->easy)) == NULL)
		return false;
	for (size_t i = 0; i < x->call->nparts; i++)
		if (!add_part(x->mime, &x->call->parts[i]))
			return false;
	return SET(CURLOPT_MIMEPOST, x->mime);
}

/* Bytes are borrowed, not copied. */
static bool
set_bytes(struct http_exchange *x)
{
	const struct http_call *call = x->call;

	return SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body_len) &&
	       SET(CURLOPT_POSTFIELDS, call->body != NULL ? call->body : "");
}

static size_t
supply_body(char *to, size_t size, size_t n, void *arg)
{
	struct http_exchange *x = arg;
	size_t did = x->call->give(x->call->arg, to, size * n);

	return did > 0 ? did : CURL_READFUNC_PAUSE;
}

static bool
set_endless(struct http_exchange *x)
{
	return SET(CURLOPT_UPLOAD, 1L) && SET(CURLOPT_READFUNCTION, supply_body) &&
	       SET(CURLOPT_READDATA, x) &&
	       SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
}

static bool
set_body(struct http_exchange *x)
{
	if (x->call->give != NULL)
		return set_endless(x);
	if (x->call->nparts > 0)
		return set_parts(x);
	return !carries_bytes(x->call) || set_bytes(x);
}

static bool
set_request(struct http_exchange *x)
{
	const struct http_call *call = x->call;

	if (!SET(CURLOPT_URL, call->url))
		return false;
	if (strcmp(call->method, "HEAD") == 0)
		return SET(CURLOPT_NOBODY, 1L);
	return set_body(x) && SET(CURLOPT_CUSTOMREQUEST, call->method);
}

/* True if the answer counts even when its body is incomplete. */
static bool
head_is_enough(const struct http_exchange *x)
{
	return x->call->body_ms > 0 && x->head_us != 0;
}

/* True if the call must end before the answer. */
static bool
is_over(struct http_exchange *x)
{
	const struct http_call *call = x->call;

	if (call->unwanted != NULL && call->unwanted(call->arg)) {
		x->dropped = true;
		break_off(x, ERR_BUSY, "the answer is no longer wanted");
		return true;
	}
	if (head_is_enough(x) && monotonic_us() > x->head_us + call->body_ms * 1000)
		return true;
	if (call->first_ms == 0 || x->len > 0 || monotonic_us() < x->first_until_us)
		return false;
	break_off(x, ERR_TIMEOUT, "nothing came in time");
	return true;
}

struct http_cookies *
http_cookies_new(void)
{
	CURLSH *to = curl_share_init();

	if (to != NULL && curl_share_setopt(to, CURLSHOPT_SHARE,
			      CURL_LOCK_DATA_COOKIE) != CURLSHE_OK) {
		curl_share_cleanup(to);
		to = NULL;
	}
	return (struct http_cookies *)to;
}

void
http_cookies_free(struct http_cookies *c)
{
	curl_share_cleanup((CURLSH *)c);
}

struct http_exchange *
http_begin(struct arena *mem, const struct http_call *call)
{
	struct http_exchange *x = arena_alloc(mem, sizeof(*x));

	assert(call->timeout_ms > 0 && call->max_bytes > 0);
	assert(call->body == NULL || call->nparts == 0);
	assert(!call->unverified || call->once);
	*x = (struct http_exchange){ .call = call, .body.mem = mem };
	if ((x->handle = acquire_handle(call->url)) == NULL)
		return x;
	x->easy = x->handle->easy;
	x->runs = set_rules(x) && set_cookies(x, call->cookies) && set_limits(x) &&
		  set_headers(x) && set_request(x) &&
		  curl_multi_add_handle(x->handle->multi, x->easy) == CURLM_OK;
	return x;
}

bool
http_step(struct http_exchange *x)
{
	int running;

	if (x->runs && x->call->give != NULL)
		curl_easy_pause(x->easy, CURLPAUSE_CONT);
	return x->runs && curl_multi_perform(x->handle->multi, &running) == CURLM_OK &&
	       running > 0 && !is_over(x);
}

int
http_status(const struct http_exchange *x)
{
	long status = 0;

	if (x->runs)
		curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	return status > 0 ? known_status(status) : 0;
}

int64_t
http_content_bytes(const struct http_exchange *x)
{
	curl_off_t length = -1;

	if (x->runs)
		curl_easy_getinfo(x->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	return length;
}

/* libcurl's result; the handle is not running any more. */
static CURLcode
read_result(struct http_exchange *x)
{
	CURLcode rc = CURLE_ABORTED_BY_CALLBACK;
	CURLMsg *m;
	int left;

	if (!x->runs)
		return CURLE_FAILED_INIT;
	while ((m = curl_multi_info_read(x->handle->multi, &left)) != NULL)
		if (m->msg == CURLMSG_DONE)
			rc = m->data.result;
	curl_multi_remove_handle(x->handle->multi, x->easy);
	return rc;
}

static enum err
judge(struct http_exchange *x)
{
	CURLcode rc = read_result(x);

	if (rc == CURLE_OK || x->enough || head_is_enough(x))
		return OK;
	if (x->dropped)
		return x->end;
	if (x->why == NULL)
		break_off(x, meaning(rc), words(rc));
	if (x->call->why != NULL)
		*x->call->why = x->why;
	else
		log_warn("http: %s %s: %s", x->call->method,
		    http_loggable_url(x->body.mem, x->call->url), x->why);
	return x->end;
}

enum err
http_end(struct http_exchange *x, struct http_answer *to)
{
	enum err e;

	if (x->handle == NULL) {
		log_error("http: libcurl has no handle");
		return ERR_FAILED;
	}
	if ((e = judge(x)) == OK) {
		read_answer(x->easy, x->body.mem, to);
		to->body = buf_text(&x->body);
		to->body_len = x->len;
	}
	(void)set_cookies(x, NULL);
	release_handle(x->handle);
	curl_mime_free(x->mime);
	curl_slist_free_all(x->headers);
	return e;
}

enum err
http_do(struct arena *mem, const struct http_call *call, struct http_answer *to)
{
	struct http_exchange *x = http_begin(mem, call);
	bool asks = call->unwanted != NULL || call->first_ms > 0 || call->body_ms > 0;

	while (http_step(x))
		curl_multi_poll(
		    x->handle->multi, NULL, 0, asks ? CHECK_MS : 1000, NULL);
	return http_end(x, to);
}

/*
 * Returns the URL without secrets. libcurl parses it, as for the call: text that looks
 * like a path may be part of a password.
 */
const char *
http_loggable_url(struct arena *mem, const char *url)
{
	char *scheme = NULL, *host = NULL, *port = NULL, *path = NULL;
	const char *shown = "(no URL)";
	CURLU *u = curl_url();

	if (u != NULL && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_PATH, &path, 0) == CURLUE_OK)
		shown = arena_printf(mem, "%s://%s:%s%s", scheme, host, port, path);
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_free(path);
	curl_url_cleanup(u);
	return shown;
}

const char *
http_join(struct arena *mem, const char *base, const char *reference)
{
	char *whole = NULL;
	const char *to = NULL;
	CURLU *u = curl_url();

	if (u != NULL && curl_url_set(u, CURLUPART_URL, base, 0) == CURLUE_OK &&
	    curl_url_set(u, CURLUPART_URL, reference, CURLU_URLENCODE) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_URL, &whole, 0) == CURLUE_OK)
		to = arena_str(mem, whole);
	curl_free(whole);
	curl_url_cleanup(u);
	return to;
}
