/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/conf.h"
#include "base/json_writer.h"
#include "base/problem.h"
#include "db/db.h"
#include "store/accounts.h"

struct multipart;
struct limit;

/* A program; the same for all its requests. */
struct app {
	const char *name; /* "voices" */
	const struct route *routes;
	struct conf conf;
	struct db *db;                     /* NULL while it cannot be opened */
	const struct sql *const *prepared; /* tables of statements, NULL-terminated */
	bool is_ready;                     /* all of them have been prepared */
	struct limits *limits;             /* shared by all programs; see ratelimit.h */
	struct credential_cache *credentials; /* cache of this process, or NULL */
	struct metrics *metrics;              /* see metrics.h */
	struct request_log *requests;         /* see request_log.h; or NULL */
	unsigned char page_key[SHA256_BYTES];
};

/* A request as handlers see it. fcgi.c builds it from the connection, tests from a few
   strings.  Everything in it lives in mem. */
struct request {
	struct arena *mem;
	struct app *app;
	const struct conf *conf; /* the app's */
	struct db *db;           /* the app's */

	/* Members from the connection: */
	const char *method;
	const char *target;     /* target as sent, "/saas/voice?sort=asc" */
	const char *peer;       /* client's address */
	const char *network;    /* network_of(peer), for limits */
	int64_t content_length; /* bytes of the body; -1: unknown */
	/* length of the request line; of all headers */
	size_t line_bytes, header_bytes;
	/* A CGI variable such as HTTP_IF_MATCH, or NULL. */
	const char *(*param)(const struct request *, const char *name);
	bool cut; /* the body ended before its length */
	/* The next bytes of the body; 0 at its end.  For routes with RAW_BODY. */
	size_t (*read)(struct request *, void *, size_t);
	void *wire; /* data of param() and read() */

	/* Set by the policy, in this order. */
	const char *id; /* X-Request-Id, a uuid */
	const struct route *route;
	const char *args[4];      /* the values of {...} in the route */
	const struct caller *who; /* NULL on open routes */
	const char *body;         /* body as sent, terminated by NUL */
	size_t body_len;
	const struct json *data;     /* the body's payload; NULL: none */
	void *it;                    /* the object named in the path; set by find() */
	int64_t version;             /* version of the object; set by find(); 0: none */
	void *in;                    /* the route's struct, valid */
	void *query;                 /* the struct of the query, valid */
	const char *replaces;        /* If-Match, or NULL */
	const char *idempotency_key; /* or NULL */
	/* Id of the record that the handler makes, if it commits before it answers. */
	const char *made;

	/* The answer so far. */
	int status;
	const char *slug;  /* the kind of the last problem, or NULL */
	const char *cache; /* Cache-Control; NULL: no-store */
	struct buf common; /* headers of every answer, also of problems */
	struct buf head;   /* headers of this answer */
	struct buf out;    /* body */
	int file;          /* instead of out: bytes of this file; -1: none */
	off_t file_at, file_bytes;
};

/* The result of a handler.  Only reply_*() and problem_*() create one, so a handler
   that forgets to answer does not compile. */
struct reply {
	int status;
};

#define JSON_BODY 0x001     /* {"data": ...} is required and read by .body */
#define OPTIONAL_BODY 0x002 /* with JSON_BODY: body or data may be missing */
#define RAW_BODY 0x004      /* the handler reads the body by rq->read() */
#define PARTIAL 0x008       /* an update: absent members do not change */
#define IDEMPOTENT 0x010    /* Idempotency-Key is honoured */
#define IF_MATCH 0x020      /* If-Match is honoured */
#define PUBLIC 0x040        /* needs no credential; rate limit per address */
#define UNLIMITED 0x080     /* needs no credential; no rate limit */
#define LOCKED 0x100        /* the write lock is taken before find() */
#define NO_DB 0x200         /* works without a database */
#define MAY_KNOW 0x400      /* with PUBLIC: a credential, if sent, is checked */
#define DIGITS 0x800        /* the arguments in the path are digits */
#define UNLOGGED 0x1000     /* clients ask often: not in the request log of the key */

#define ANY_SCOPE "any" /* route.needs: a credential with any scopes */

/* The kind of a successful answer, for the documentation. */
enum shape { A_NULL, A_ONE, A_PAGE, A_LIST, A_EMPTY, A_FILE };

/* A route. */
struct route {
	const char *method;
	const char *path; /* "/saas/voice/m/{voice_id}"; ..._id must be a uuid */
	struct reply (*run)(struct request *);
	const char *needs; /* scope; NULL with PUBLIC or UNLIMITED: open */
	unsigned flags;
	/* Load the object named in the path into rq->it; ERR_NOT_FOUND is 404. */
	enum err (*find)(struct request *);
	/* Called after find(): check that this client may see the object.  False: *no
	   is the refusal. */
	bool (*admit)(struct request *, struct reply *no);
	/* fields of data, or of its items; a field without a name describes data itself
	 */
	const struct field *body;
	size_t body_size;
	/* parameters; for lists it begins with PAGE_FIELDS */
	const struct field *query;
	size_t query_size;
	/* Checks of several fields, for 422; called even after other faults. */
	struct fault *(*rules)(struct request *);
	/*
	 * Check the objects named in the body.  False: *no is the 404 with its pointer.
	 */
	bool (*named)(struct request *, struct reply *no);
	size_t called;     /* deletions: the member of rq->it with its name; 0: none */
	const char *token; /* lists: name of the page token's parameter */
	int64_t page_size; /* lists: items in a page; 0: page_size of the query */
	const char *successor; /* deprecated: the path that replaces it */
	/* Writes problems in another form; NULL: in the envelope. */
	struct reply (*problem)(struct request *, enum problem, const char *detail);

	const char *summary; /* summary for the documentation */
	enum shape shape;
	int status;              /* status of a success; 0: 200 */
	const struct field *out; /* fields of the record, or of the items */
	const char *also;        /* further statuses, "403 409" */
};

#define ROUTES_END                                                                     \
	{                                                                              \
		.method = NULL                                                         \
	}
#define BODY(fields, type) .body = (fields), .body_size = sizeof(type)
#define QUERY(fields, type) .query = (fields), .query_size = sizeof(type)

/* ---- answers (reply.c) ---- */

/* Add a header to this answer; the value is cut at a line end. */
void header(struct request *, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
struct reply reply_empty(struct request *, int status);
struct reply reply_null(struct request *, int status); /* data is null */
/* Answer with a record in data, with an ETag if version > 0, or with 304. */
struct reply reply_one(
    struct request *, int status, const struct field *, const void *, int64_t version);
/* Begin {"ok":true; the handler writes data and the rest. */
struct json_writer reply_open(struct request *);
struct reply reply_close(struct request *, struct json_writer *, int status);
struct reply reply_text(struct request *, int status, const char *type, const char *);
/* Answer with bytes of an open file; it is closed with the request. */
struct reply reply_file(struct request *, int status, int fd, off_t at, off_t bytes);
/* Append the answer's head, up to its length. connection: as in the header of that
   name; NULL: for a web server, by CGI. */
void reply_begin_head(struct buf *, const struct request *, const char *connection);
/* Append the length, unless the status has none, and the end of the head. True: the
   body follows. */
bool reply_end_head(struct buf *, const struct request *);
/* True if If-None-Match contains the tag. */
bool etag_known(const struct request *, const char *tag);
/* True if the header lists the tag or is "*".  A tag that a proxy marked as weak or
   with a coding ("v1-gzip") matches the original. */
bool etag_listed(const char *header, const char *tag);

/* ---- problems (problem.c) ---- */

struct reply problem(struct request *, enum problem, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* As problem(), with a JSON Pointer or the name of a parameter, or NULL. */
struct reply problem_at(struct request *, enum problem, const char *pointer,
    const char *parameter, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* 422 with all faults of the body and the query. */
struct reply problem_faults(
    struct request *, const struct fault *body, const struct fault *query);
/* The problem for an error of the store or an engine. */
struct reply problem_err(struct request *, enum err);
/* Check that the account may have one more object, such as a webhook. count() is only
   called if there is a limit, most > 0.  False: *no is the refusal. */
bool problem_within_limit(struct request *, int64_t most,
    enum err (*count)(struct db *, const char *account, int64_t *), enum problem,
    const char *nouns, struct reply *no);
/* True if an Accept header ranks one media type above another. */
bool accept_prefers(const char *accept, const char *type, const char *over);

/* ---- input (input.c, query.c) ---- */

/* True if the body has a Content-Encoding other than identity. */
bool input_encoded(const struct request *);
/* The body of a route with RAW_BODY as a form; see multipart_open(). */
enum err input_form(struct request *, struct multipart **) MUST_CHECK;
/* Read the body once more, into a stored record: for update handlers. */
void input_over(const struct request *, void *);
/* True if data has this member, with any value. */
bool input_has(const struct request *, const char *name);
/* The parameters of the query as an object of texts; repeated ones are lists. */
const struct json *query_read(struct request *);
/* Percent-decode n bytes into a copy; NULL: not valid text. */
const char *percent_decode(struct arena *, const char *, size_t n);

/* ---- lists (page.c) ---- */

/* The first fields of every list's query; the token is not among them. */
struct page {
	const char *sort;     /* asc, desc */
	int64_t size;         /* NULL_INT: PAGE_SIZE */
	int64_t after_us;     /* the last item of the previous page; */
	const char *after_id; /* NULL_INT: start of the list */
};

#define PAGE_SIZE 10
#define PAGE_FIELDS                                                                    \
	{ "sort", F_ENUM, MEMBER(page, sort), .flags = F_IO | F_OPT,                   \
		.names = page_sorts },                                                 \
	{                                                                              \
		"page_size", F_INT, MEMBER(page, size), 1, 100, F_IO | F_OPT           \
	}

extern const char *const page_sorts[];

bool page_ascending(const struct page *);
/* Items in a page; read one more from the store. */
int64_t page_limit(const struct page *);
/* The token of the page after this item; also adds a Link header. */
const char *page_next(struct request *, int64_t last_us, const char *last_id);
/* The structs of a list: their size, and the members that determine the order. */
struct list_item {
	size_t bytes, time, id; /* id NO_ID: ordered by time or a number only */
};
#define NO_ID SIZE_MAX
#define ITEM(type, time, id)                                                           \
	((struct list_item){                                                           \
	    sizeof(struct type), MEMBER(type, time), MEMBER(type, id) })

/* Answer with {items, page_size, count, next}. If there is one item more than the page
   has, there is a next page. */
struct reply reply_page(
    struct request *, const struct field *, struct list items, struct list_item);
/* reply_page() of a list whose filters were applied to a part of it: without one item
   more, the next page begins after that part; rest_us NULL_INT: nothing is left. */
struct reply reply_page_part(struct request *, const struct field *, struct list items,
    struct list_item, int64_t rest_us, const char *rest_id);
/* Cut the list to a page; returns the token of the next page, or NULL. */
const char *page_cut(struct request *, struct list *items, struct list_item);
/* Answer with the items as data; the token of the next page is beside it, named
   `token`; NULL: the list has no pages. */
struct reply reply_listed(struct request *, const struct field *,
    const struct list *items, size_t item_bytes, const char *token, const char *next);

/* ---- policy (dispatch.c, auth.c) ---- */

/* Run the whole policy and the handler.  The answer is in rq afterwards. */
void dispatch(struct request *);
/* Check credential, scope and rate limit, for a handler whose open route needs a
   credential after all.  False: *no is the refusal. */
bool auth_pass(struct request *, const char *scope, struct reply *no);
/* True if a credential was sent, in any form, valid or not. */
bool auth_tried(struct request *);
/* The header Authorization, under any of its names, or NULL. */
const char *auth_sent(struct request *);
/* x:write includes x:run and x:read; * is all. */
bool scope_has(const char *scopes, const char *needed);
/* 401: no suitable credential was sent; 403: it lacks this scope. */
struct reply auth_needed(struct request *, const char *why);
struct reply auth_no_scope(struct request *, const char *scope);
/* Check that a caller with the scopes `had` may give all of `asked`.  False: *no is the
   refusal. */
bool auth_covers(
    struct request *, const char *had, const char *asked, struct reply *no);
/*
 * Answer with null after credentials were revoked in this transaction, unless that
 * failed.  The commit comes before the caches are cleared: otherwise another process
 * could cache a credential as valid again.
 */
struct reply auth_ended(struct request *, enum err);
/* The refusal of an invalid credential: 401, or 429 if the address has failed too
   often.  Valid credentials are never refused here, whatever their address did. */
struct reply auth_unknown(struct request *);
/* For a handler that checks a secret itself: count a wrong one for (kind, key) with at
   most max a minute. False: there were too many, and *no is 429. */
bool auth_guess(
    struct request *, char kind, const char *key, int64_t max, struct reply *no);

/* The refusal of a guess over the limit: 429. */
struct reply auth_guessed(struct request *, const struct limit *, int64_t max);

/* ---- programs (fcgi.c) ---- */

struct program {
	const char *name; /* "voices" */
	const struct route *routes;
	const struct sql *const *prepared; /* tables of statements, NULL-terminated */
	bool (*may_start)(void); /* false, and logged: not with these settings;
				    or NULL */
};

/* The main() of a program: FastCGI, plain CGI, --routes, --openapi. */
int serve(const struct program *, int argc, char **argv);
/*
 * Defines a program with the statements that it uses, such as voice_routes_program, and
 * its main(), which is weak: `dragoman serve` has all programs and its own.  Unit tests
 * have their own main(), too.
 */
#ifdef UNIT_TEST
#define PROGRAM(...)
#define PROGRAM_IF(...)
#else
#define PROGRAM(name, routes, ...) PROGRAM_IF(name, routes, NULL, __VA_ARGS__)
#define PROGRAM_IF(name, routes, may_start, ...)                                       \
	static const struct sql *const prepared[] = { __VA_ARGS__, NULL };             \
	const struct program routes##_program = { name, routes, prepared, may_start }; \
	__attribute__((weak)) int main(int argc, char **argv)                          \
	{                                                                              \
		return serve(&routes##_program, argc, argv);                           \
	}
#endif
/* Answer 404 where there is nothing: a browser gets the first page, which says so. */
struct reply reply_no_page(struct request *);
/* A request's target without the path of server.base_url, as routes have it. */
const char *target_below(const struct conf *, const char *target);

/* ---- data of programs (app.c) ---- */

/* Set up all of a program but its database; the arena holds its data. */
enum err app_begin(struct app *, struct arena *, const struct program *) MUST_CHECK;
/* Set up another program of this process: it shares all but its metrics. */
void app_add(
    struct app *, struct arena *, const struct app *first, const struct program *);
/* Open the database.  A failure is logged; app->db is NULL then. */
void app_open_db(struct app *app);
/*
 * Open the database and prepare all statements, before a request. ERR_REFUSED: a table
 * of fields does not fit a statement; after another error a later request may succeed.
 */
enum err app_connect(struct app *) MUST_CHECK;
/* Prepare the statements that no request has needed yet.  False: as ERR_REFUSED. */
bool app_check(struct app *);
/*
 * Set up a program before the first request; the arena holds its data.  OK with app->db
 * NULL: the database cannot be opened now.  ERR_REFUSED: a table of fields does not fit
 * a statement.
 */
enum err app_open(struct app *, struct arena *, const char *name, const struct route *,
    const struct sql *const *prepared) MUST_CHECK;
void app_close(struct app *);

#endif
