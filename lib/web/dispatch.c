/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns a request into an answer.  The order of the steps is the policy of the whole
 * service.  It is defined once, in policy():
 *
 *	size of the head -> route -> credential, scope, rate -> size and type of the
 *	body -> idempotency -> syntax -> object in the path -> access code -> page
 *	token -> fields -> objects in the body -> If-Match -> handler -> audit ->
 *	transaction settled
 */
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/network.h"
#include "web/metrics.h"
#include "web/policy.h"
#include "web/request_log.h"
#include "web/static_page.h"

#define LINE_BYTES 8192
#define HEADER_BYTES 16384

static bool
same_segment(struct request *rq, const char *seg, size_t n, const char *pat, size_t m)
{
	const char *s;

	if (memchr(seg, '%', n) == NULL)
		return n == m && memcmp(seg, pat, n) == 0;
	s = percent_decode(rq->mem, seg, n);
	return s != NULL && strlen(s) == m && memcmp(s, pat, m) == 0;
}

/* Match "/saas/voice/m/{voice_id}" against the path, segment by segment. */
static bool
match(struct request *rq, const struct route *r)
{
	const char *s = rq->target, *pat = r->path;
	size_t n, m;
	int arg = 0;

	while (*s == '/' && *pat == '/') {
		n = strcspn(++s, "/?");
		m = strcspn(++pat, "/");
		if (*pat != '{' && !same_segment(rq, s, n, pat, m))
			return false;
		if (*pat == '{' &&
		    (n == 0 || !(rq->args[arg++] = percent_decode(rq->mem, s, n))))
			return false;
		if (*pat == '{' && r->flags & DIGITS && strspn(s, "0123456789") != n)
			return false;
		s += n;
		pat += m;
	}
	return *pat == '\0' && (*s == '\0' || *s == '?');
}

/*
 * True if the route is for this path. A path that is a route's without parameters
 * belongs to no route with some: "/auth/passkey/options" names no passkey.
 */
static bool
is_at(struct request *rq, const struct route *r)
{
	const struct route *fixed = rq->app->routes;

	if (!match(rq, r) || strchr(r->path, '{') == NULL)
		return match(rq, r);
	while (fixed->method != NULL &&
	       (strchr(fixed->path, '{') != NULL || !match(rq, fixed)))
		fixed++;
	return fixed->method == NULL;
}

/* A GET route also serves HEAD; transmit() drops the body. */
static bool
serves(const struct route *r, const char *method)
{
	return strcmp(r->method, method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(r->method, "GET") == 0);
}

static const char *
allowed(struct request *rq)
{
	struct buf b = { .mem = rq->mem };

	for (const struct route *r = rq->app->routes; r->method != NULL; r++)
		if (is_at(rq, r))
			buf_printf(&b, "%s, %s", r->method,
			    strcmp(r->method, "GET") == 0 ? "HEAD, " : "");
	buf_str(&b, "OPTIONS");
	return buf_text(&b);
}

static struct reply
answer_options(struct request *rq, const char *methods)
{
	if (rq->param(rq, "HTTP_ACCESS_CONTROL_REQUEST_METHOD") != NULL)
		return cors_preflight(rq, methods);
	header(rq, "Allow", "%s", methods);
	return reply_empty(rq, 204);
}

/*
 * The page of a path with a missing or an additional last slash: links lose it when
 * they are sent through chats.  The address is relative, so that a prefix of the path
 * is kept and browsers keep the fragment.  NULL: there is no such page.
 */
static const char *
page_beside(struct request *rq)
{
	size_t n = strcspn(rq->target, "?"), len;

	for (const struct route *r = rq->app->routes; r->method != NULL; r++) {
		len = strlen(r->path);
		if (r->shape != A_FILE || !(r->flags & UNLIMITED) || len < 2 ||
		    !serves(r, rq->method) ||
		    strncmp(r->path, rq->target, n < len ? n : len) != 0)
			continue;
		if (len == n + 1 && r->path[n] == '/')
			return r->path + 1;
		if (n == len + 1 && rq->target[len] == '/' && r->path[len - 1] != '/')
			return arena_printf(rq->mem, "..%s", r->path);
	}
	return NULL;
}

/* True if a browser asks for a page of the program that has the pages. */
static bool
wants_page(struct request *rq)
{
	const struct route *r = rq->app->routes;

	if (strcmp(rq->method, "GET") != 0 ||
	    !accept_prefers(
		rq->param(rq, "HTTP_ACCEPT"), "text/html", "application/json"))
		return false;
	while (r->method != NULL && strcmp(r->path, "/") != 0)
		r++;
	return r->method != NULL;
}

struct reply
reply_no_page(struct request *rq)
{
	static const struct page_policy policy = { NULL };

	return wants_page(rq) ? static_page_lost(rq, "/", &policy)
			      : problem(rq, P_NOT_FOUND, "No such resource.");
}

static struct reply
answer_unknown(struct request *rq)
{
	const char *page = page_beside(rq);

	if (page == NULL)
		return reply_no_page(rq);
	header(rq, "Location", "%s%s", page, rq->target + strcspn(rq->target, "?"));
	return reply_empty(rq, 307);
}

static bool
find_route(struct request *rq, struct reply *no)
{
	bool known = false;
	const char *methods;

	for (const struct route *r = rq->app->routes; r->method != NULL; r++)
		if (is_at(rq, r)) {
			known = true;
			if (serves(r, rq->method)) {
				rq->route = r;
				return true;
			}
		}
	if (!known) {
		*no = answer_unknown(rq);
		return false;
	}
	methods = allowed(rq);
	if (strcmp(rq->method, "OPTIONS") == 0) {
		*no = answer_options(rq, methods);
		return false;
	}
	*no = problem(rq, P_METHOD, "This path allows %s.", methods);
	header(rq, "Allow", "%s", methods);
	return false;
}

static bool
check_caller(struct request *rq, struct reply *no)
{
	if (rq->route->flags & UNLIMITED)
		return true;
	if (rq->route->flags & MAY_KNOW && auth_tried(rq))
		return auth_pass(rq, ANY_SCOPE, no);
	if (rq->route->flags & PUBLIC)
		return auth_public(rq, no);
	assert(rq->route->needs != NULL);
	return auth_pass(rq, rq->route->needs, no);
}

/* True for an entity tag, a list of them or "*", as RFC 9110 §8.8.3 defines them. */
static bool
well_formed_tags(const char *s)
{
	if (strcmp(s, "*") == 0)
		return true;
	do {
		s += strspn(s, " \t,");
		s += strncmp(s, "W/", 2) == 0 ? 2 : 0;
		if (*s++ != '"')
			return false;
		s += strcspn(s, "\"");
		if (*s++ != '"')
			return false;
		s += strspn(s, " \t");
	} while (*s == ',');
	return *s == '\0';
}

static bool
read_if_match(struct request *rq, struct reply *no)
{
	if (!(rq->route->flags & IF_MATCH))
		return true;
	rq->replaces = rq->param(rq, "HTTP_IF_MATCH");
	if (rq->replaces == NULL || well_formed_tags(rq->replaces))
		return true;
	*no = problem_at(
	    rq, P_BAD_REQUEST, NULL, "If-Match", "If-Match is no list of entity tags.");
	return false;
}

/* True if the path parameter is a uuid; a line of a transcript has a number. */
static bool
names_uuid(const char *name, size_t n)
{
	return n > 3 && strncmp(name + n - 3, "_id", 3) == 0 &&
	       strncmp(name, "line_id", n) != 0 &&
	       strncmp(name, "transcription_id", n) != 0;
}

/* Normalise the uuids in the path.  False: one is malformed. */
static bool
read_ids(struct request *rq)
{
	const char *pat = rq->route->path;

	for (int i = 0; (pat = strchr(pat, '{')) != NULL; i++) {
		size_t n = strcspn(++pat, "}");

		if (names_uuid(pat, n) &&
		    (rq->args[i] = id_read(rq->mem, rq->args[i])) == NULL)
			return false;
		pat += n;
	}
	return true;
}

static bool
find_object(struct request *rq, struct reply *no)
{
	enum err e = read_ids(rq) ? OK : ERR_NOT_FOUND;

	if (e == OK && rq->route->flags & LOCKED)
		e = db_begin(rq->db, rq->who->account);
	if (e == OK && rq->route->find != NULL)
		e = rq->route->find(rq);
	if (e != OK)
		*no = problem_err(rq, e);
	return e == OK && (rq->route->admit == NULL || rq->route->admit(rq, no));
}

static bool
still_matches(struct request *rq, struct reply *no)
{
	long long v = rq->version;

	if (rq->replaces == NULL || rq->version == 0 ||
	    etag_listed(rq->replaces, arena_printf(rq->mem, "\"v%lld\"", v)))
		return true;
	*no = problem_at(rq, P_STALE, NULL, "If-Match",
	    "The record is at version v%lld, which If-Match does not name.", v);
	return false;
}

static bool
has_database(struct request *rq, struct reply *no)
{
	if (rq->db != NULL || rq->route->flags & NO_DB)
		return true;
	*no = problem(rq, P_BUSY, "The database cannot be opened now.");
	return false;
}

/* The web servers' own limits are at least these; see apache.conf. */
static bool
fits(struct request *rq, struct reply *no)
{
	if (rq->line_bytes > LINE_BYTES)
		*no = problem(rq, P_URI_TOO_LONG, "The request line is over %d bytes.",
		    LINE_BYTES);
	else if (rq->header_bytes > HEADER_BYTES)
		*no = problem(rq, P_HEADERS_TOO_LARGE, "The headers are over %d bytes.",
		    HEADER_BYTES);
	else
		return true;
	return false;
}

static struct reply
policy(struct request *rq)
{
	struct reply no;

	if (!fits(rq, &no) || !find_route(rq, &no) || !has_database(rq, &no) ||
	    !check_caller(rq, &no) || !input_receive(rq, &no) ||
	    !idempotency_begin(rq, &no) || !input_parse(rq, &no) ||
	    !read_if_match(rq, &no) || !find_object(rq, &no) || !input_check(rq, &no) ||
	    (rq->route->named != NULL && !rq->route->named(rq, &no)) ||
	    !still_matches(rq, &no))
		return no;
	if (rq->route->method[0] != 'G')
		audit_begin(rq);
	return rq->route->run(rq);
}

/* Commit the transaction after a success, else roll it back. */
static struct reply
settle(struct request *rq, struct reply rep)
{
	enum err e;

	if (rq->db == NULL)
		return rep;
	if (rep.status < 400 && db_writing(rq->db)) {
		e = idempotency_store(rq);
		if (e == ERR_CONFLICT && rq->idempotency_key != NULL)
			rep = problem(rq, P_IN_PROGRESS,
			    "The first request with this key is still running.");
		else if (e != OK || (e = db_commit(rq->db)) != OK)
			rep = problem_err(rq, e);
	}
	db_rollback(rq->db);
	if (rq->route != NULL && rq->route->method[0] != 'G')
		db_on_commit(rq->db, NULL, NULL);
	return rep;
}

static void
common_headers(struct request *rq)
{
	const char *id = rq->param(rq, "HTTP_X_REQUEST_ID");

	rq->id = id != NULL ? id_read(rq->mem, id) : NULL;
	if (rq->id == NULL)
		rq->id = id_new(rq->mem);
	buf_str(&rq->common, "X-Request-Id: ");
	buf_str(&rq->common, rq->id);
	buf_str(&rq->common, "\r\nX-Content-Type-Options: nosniff\r\n");
	cors_headers(rq);
}

/* The successor of a deprecated route.  Without a route for the method: of the path, if
   all its routes are deprecated. */
static const char *
successor_of(struct request *rq)
{
	const char *to = NULL;

	if (rq->route != NULL)
		return rq->route->successor;
	for (const struct route *r = rq->app->routes; r->method != NULL; r++)
		if (match(rq, r) && (to = r->successor) == NULL)
			return NULL;
	return to;
}

/* RFC 9745, RFC 8594. */
static void
deprecation_headers(struct request *rq, const char *successor)
{
	char date[TIME_TEXT];
	int64_t day_us;

	buf_printf(&rq->common,
	    "Deprecation: @1767225600\r\n"
	    "Link: <%s%s>; rel=\"successor-version\"\r\n",
	    rq->conf->server_base_url, successor);
	if (time_parse(
		arena_printf(rq->mem, "%sT23:59:59Z", rq->conf->deprecation_sunset),
		&day_us))
		buf_printf(&rq->common, "Sunset: %s\r\n", time_http(day_us, date));
}

/* Add the request to the log of its key. */
static void
log_request(struct request *rq, int64_t took_us)
{
	if (rq->who == NULL || rq->route->flags & UNLOGGED)
		return;
	request_log_add(rq->app->requests, rq->db, rq->who->credential,
	    &(struct request_line){ .at_us = now_us(),
		.method = rq->method,
		.route = rq->route->path,
		.status = rq->status,
		.slug = rq->status >= 400 ? rq->slug : NULL,
		.request_id = rq->id,
		.ms = took_us / 1000 });
}

void
dispatch(struct request *rq)
{
	int64_t start_us = monotonic_us(), took_us;
	int64_t busy = rq->db != NULL ? db_busy_count(rq->db) : 0;
	const char *successor;

	rq->file = -1;
	rq->network = network_of(rq->mem, rq->peer);
	common_headers(rq);
	log_id(rq->id);
	settle(rq, policy(rq));
	if ((successor = successor_of(rq)) != NULL)
		deprecation_headers(rq, successor);
	buf_str(&rq->common, "Cache-Control: ");
	buf_str(&rq->common,
	    rq->cache != NULL && rq->status < 400 ? rq->cache : "no-store");
	buf_str(&rq->common, "\r\n");
	took_us = monotonic_us() - start_us;
	metrics_count(rq->app->metrics,
	    rq->route != NULL ? (int)(rq->route - rq->app->routes) : -1, rq->status,
	    took_us);
	log_request(rq, took_us);
	log_id(NULL);
	if (rq->db != NULL)
		metrics_busy(rq->app->metrics, db_busy_count(rq->db) - busy);
	assert(rq->db == NULL || db_idle(rq->db));
}
