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

/* What a program is made of; the same for all its requests. */
struct app {
	const char *name; /* "voices" */
	const struct route *routes;
	struct conf conf;
	struct db *db;                     /* NULL while it cannot be opened */
	const struct sql *const *prepared; /* tables of statements, NULL-terminated */
	struct limits *limits;             /* shared by all programs; see ratelimit.h */
	struct credential_cache *credentials; /* of this process, or NULL */
	struct metrics *metrics;              /* see metrics.h */
	unsigned char page_key[SHA256_BYTES];
};

/*
 * A request as handlers see it.  Built by fcgi.c from the wire, or by a test
 * from a few strings; everything in it lives in mem and dies with it.
 */
struct request {
	struct arena *mem;
	struct app *app;
	const struct conf *conf; /* the app's */
	struct db *db;           /* the app's */

	/* The wire. */
	const char *method;
	const char *target;              /* as it was sent, "/saas/voice?sort=asc" */
	const char *peer;                /* client's address */
	const char *network;             /* what limits count it by; network_of(peer) */
	int64_t content_length;          /* bytes of the body; -1: unknown */
	size_t line_bytes, header_bytes; /* of the request line; of all headers */
	/* A CGI variable such as HTTP_IF_MATCH, or NULL. */
	const char *(*param)(const struct request *, const char *name);
	bool cut; /* the body ended before its length */
	/* The next bytes of the body; 0 at its end.  For routes with RAW_BODY. */
	size_t (*read)(struct request *, void *, size_t);
	void *wire; /* belongs to those two */

	/* What the policy found out, in this order. */
	const char *id; /* X-Request-Id, a uuid */
	const struct route *route;
	const char *args[4];      /* what {...} in the route matched */
	const struct caller *who; /* NULL on open routes */
	const char *body;         /* as sent; NUL behind it */
	size_t body_len;
	const struct json *data;     /* the body's payload; NULL: none */
	void *it;                    /* the object named in the path; find() sets it */
	int64_t version;             /* of it; find() sets it; 0: it has none */
	void *in;                    /* a struct of the route's, valid */
	void *query;                 /* likewise */
	const char *replaces;        /* If-Match, or NULL */
	const char *idempotency_key; /* or NULL */

	/* The answer so far. */
	int status;
	const char *cache; /* Cache-Control; NULL: no-store */
	struct buf common; /* headers that every answer has, problems too */
	struct buf head;   /* headers of this answer */
	struct buf out;    /* body */
	int file;          /* instead of out: bytes of this file; -1: none */
	off_t file_at, file_bytes;
};

/*
 * How a handler ends.  Only reply_*() and problem_*() make one, so a handler
 * that forgets to answer does not compile.
 */
struct reply {
	int status;
};

#define JSON_BODY 0x001     /* {"data": ...} is required and read by .body */
#define OPTIONAL_BODY 0x002 /* with JSON_BODY: may be empty or without data */
#define RAW_BODY 0x004      /* the handler reads the body by rq->read() */
#define PARTIAL 0x008       /* an update: what is absent stays as it is */
#define IDEMPOTENT 0x010    /* Idempotency-Key is honoured */
#define IF_MATCH 0x020      /* If-Match is honoured */
#define PUBLIC 0x040        /* no credential; counted per address */
#define UNLIMITED 0x080     /* no credential; never counted */
#define LOCKED 0x100        /* the write lock is taken before find() */
#define NO_DB 0x200         /* can answer while the database cannot be opened */
#define MAY_KNOW 0x400      /* with PUBLIC: a credential that is sent is judged */

#define ANY_SCOPE "any" /* route.needs: a credential, whatever its scopes */

/* What kind of answer a success is, for the documentation. */
enum shape { A_NULL, A_ONE, A_PAGE, A_LIST, A_EMPTY, A_FILE };

/* One row says everything about a route. */
struct route {
	const char *method;
	const char *path; /* "/saas/voice/m/{voice_id}"; ..._id must be a uuid */
	struct reply (*run)(struct request *);
	const char *needs; /* scope; NULL with PUBLIC or UNLIMITED: open */
	unsigned flags;
	/* Load the object named in the path into rq->it; ERR_NOT_FOUND is 404. */
	enum err (*find)(struct request *);
	/* Right after it: may this client see it?  False: *no is the refusal. */
	bool (*admit)(struct request *, struct reply *no);
	const struct field *body; /* of data, or of its items; one without a name is
				     data itself */
	size_t body_size;
	const struct field *query; /* a list's begins with PAGE_FIELDS */
	size_t query_size;
	/* Faults over several fields, for 422; called whatever the tables found. */
	struct fault *(*rules)(struct request *);
	/* Objects named in the body; false: *no is the 404 with its pointer. */
	bool (*named)(struct request *, struct reply *no);
	const char *token; /* lists: name of the page token's parameter */
	int64_t page_size; /* lists: items in a page; 0: the query says, or PAGE_SIZE */
	const char *successor; /* deprecated: the path that replaces it */
	/* Problems in another form than the envelope; NULL: the envelope. */
	struct reply (*problem)(struct request *, enum problem, const char *detail);

	const char *summary; /* for the documentation */
	enum shape shape;
	int status;              /* of a success; 0: 200 */
	const struct field *out; /* of the record, or of the items */
	const char *also;        /* further statuses, "403 409" */
};

#define ROUTES_END                                                                     \
	{                                                                              \
		.method = NULL                                                         \
	}
#define BODY(fields, type) .body = (fields), .body_size = sizeof(type)
#define QUERY(fields, type) .query = (fields), .query_size = sizeof(type)

/* ---- answers (reply.c) ---- */

/* Add a header to this answer; line ends in the value cut it short. */
void header(struct request *, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
struct reply reply_empty(struct request *, int status);
struct reply reply_null(struct request *, int status); /* data is null */
/* One record under data, with its ETag when version > 0; 304 where that fits. */
struct reply reply_one(
    struct request *, int status, const struct field *, const void *, int64_t version);
/* {"ok":true,"data": is written; the handler writes data and what follows it. */
struct json_writer reply_open(struct request *);
struct reply reply_close(struct request *, struct json_writer *, int status);
struct reply reply_text(struct request *, int status, const char *type, const char *);
/* Bytes of an open file, closed with the request. */
struct reply reply_file(struct request *, int status, int fd, off_t at, off_t bytes);
/* Whether this reader has what the tag names already (If-None-Match). */
bool etag_known(const struct request *, const char *tag);
/*
 * Whether the tag is one of those the header lists, or the header is "*".  Tags that a
 * proxy marked as weak or with a coding ("v1-gzip") are what they were before.
 */
bool etag_listed(const char *header, const char *tag);

/* ---- problems (problem.c) ---- */

struct reply problem(struct request *, enum problem, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a place: a JSON Pointer, or the name of a parameter; or NULL. */
struct reply problem_at(struct request *, enum problem, const char *pointer,
    const char *parameter, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* 422 with every fault of the body and of the query. */
struct reply problem_faults(
    struct request *, const struct fault *body, const struct fault *query);
/* What an unexpected outcome of the store or an engine is to the client. */
struct reply problem_err(struct request *, enum err);
/*
 * Whether the account may have one more of what is counted: webhooks, say.  The rows
 * are counted only where there is a limit, most.  false: *no is the refusal.
 */
bool problem_within_limit(struct request *, int64_t most,
    enum err (*count)(struct db *, const char *account, int64_t *), enum problem,
    const char *nouns, struct reply *no);
/* Whether an Accept header ranks one media type above another. */
bool accept_prefers(const char *accept, const char *type, const char *over);

/* ---- input (input.c, query.c) ---- */

/* Whether the body has a Content-Encoding other than identity. */
bool input_encoded(const struct request *);
/* The body of a route with RAW_BODY as a form; see multipart_open(). */
enum err input_form(struct request *, struct multipart **) MUST_CHECK;
/* Lay the body over a stored record once more: what update handlers do. */
void input_over(const struct request *, void *);
/* Whether data has this member, whatever its value. */
bool input_has(const struct request *, const char *name);
/* The parameters of the query as an object of texts; repeated ones are lists. */
const struct json *query_read(struct request *);
/* Percent-decoded copy of n bytes; NULL when they are no text. */
const char *percent_decode(struct arena *, const char *, size_t n);

/* ---- lists (page.c) ---- */

/* How every list's query begins; the token itself is not among the fields. */
struct page {
	const char *sort;     /* asc, desc */
	int64_t size;         /* NULL_INT: PAGE_SIZE */
	int64_t after_us;     /* position: the last item of the page before; */
	const char *after_id; /* NULL_INT: the list's beginning */
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
/* Items in a page; a store is asked for one more. */
int64_t page_limit(const struct page *);
/* The token of the page after this item; also sets Link. */
const char *page_next(struct request *, int64_t last_us, const char *last_id);
/* Of the structs of a list: their size, and where the members are that order it. */
struct list_item {
	size_t bytes, time, id; /* id NO_ID: by time, or a number, alone */
};
#define NO_ID SIZE_MAX
#define ITEM(type, time, id)                                                           \
	((struct list_item){                                                           \
	    sizeof(struct type), MEMBER(type, time), MEMBER(type, id) })

/*
 * {items, page_size, count, next}.  With one item more than the page has there
 * is a next page.
 */
struct reply reply_page(
    struct request *, const struct field *, struct list items, struct list_item);
/* Cut the list to its page; the token of the next one, or NULL: it is the last. */
const char *page_cut(struct request *, struct list *items, struct list_item);
/*
 * data is the items; the token of the next page stands beside it, by that name; NULL:
 * the list has no pages.
 */
struct reply reply_listed(struct request *, const struct field *,
    const struct list *items, size_t item_bytes, const char *token, const char *next);

/* ---- policy (dispatch.c, auth.c) ---- */

/* The whole policy, in order.  The answer is in rq afterwards. */
void dispatch(struct request *);
/*
 * Credential, scope and rate limit, for a handler whose route is open but which
 * found that it needs one.  False: *no is the refusal.
 */
bool auth_pass(struct request *, const char *scope, struct reply *no);
/* Whether a credential was sent, in any form, good or not. */
bool auth_tried(struct request *);
/* The header Authorization, by whichever name it came; NULL: none did. */
const char *auth_sent(struct request *);
bool scope_has(const char *scopes, const char *needed);
/* 401 where none was sent that could do; 403 where it lacks this scope. */
struct reply auth_needed(struct request *, const char *why);
struct reply auth_no_scope(struct request *, const char *scope);
/*
 * The refusal of a credential that is no good, after it was judged: 401, or 429 once
 * the address has failed too often.  A good credential never comes here, so it passes
 * whatever its address did.
 */
struct reply auth_unknown(struct request *);
/*
 * For a handler that asks for a secret of its own, after a wrong one: count it for
 * (kind, key) against max a minute.  False: there were too many, *no is 429.
 */
bool auth_guess(
    struct request *, char kind, const char *key, int64_t max, struct reply *no);

/* The refusal of a guess that is over its limit: 429. */
struct reply auth_guessed(struct request *, const struct limit *, int64_t max);

/* ---- programs (fcgi.c) ---- */

/* The whole of a program's main(): FastCGI, plain CGI, --routes, --openapi. */
int serve(const char *name, const struct route *, const struct sql *const *prepared,
    int argc, char **argv);
/* That, with the statements that it uses; a unit test has a main() of its own. */
#ifdef UNIT_TEST
#define PROGRAM(name, routes, ...)
#else
#define PROGRAM(name, routes, ...)                                                     \
	int main(int argc, char **argv)                                                \
	{                                                                              \
		static const struct sql *const prepared[] = { __VA_ARGS__, NULL };     \
                                                                                       \
		return serve(name, routes, prepared, argc, argv);                      \
	}
#endif
/* A request's target without the path of server.base_url, which routes do not have. */
const char *target_below(const struct conf *, const char *target);
/*
 * What serve() sets up before the first request; the arena keeps what it reads.
 * OK with app->db NULL: the database cannot be opened now.  ERR_REFUSED: a table of
 * fields does not fit a statement.
 */
enum err app_open(struct app *, struct arena *, const char *name, const struct route *,
    const struct sql *const *prepared) MUST_CHECK;
void app_close(struct app *);

#endif
