/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_CLIENT_H
#define E2E_CLIENT_H

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * A client of the instance under test. It reads answers with a JSON reader other than
 * ours. A case is a short-lived process, so memory is never freed.
 */
struct account {
	const char *user_id, *api_key, *client_id, *client_secret;
};

/* The instance, as tests/instance printed it; read from $E2E_INSTANCE. */
struct instance {
	const char *base_url;
	const char *dir; /* folder of the instance; etc/dragoman.conf is below it */
	struct account me;
};
const struct instance *instance(void);

struct arena *memory(void); /* arena of this process */
#define text(...) arena_printf(memory(), __VA_ARGS__)

/* ---- calls ---- */

struct bytes {
	const char *p;
	size_t n;
};

struct ask {
	const char *method;       /* NULL: GET, or POST when there is a body */
	const char *path;         /* "/saas/voice", or a whole address */
	const struct account *as; /* sends its API key; NULL: no credential */
	const char *headers[8];   /* "Name: value" */
	const char *json;         /* the body, as application/json */
	const char *type;         /* Content-Type of .body; NULL: none is sent */
	struct bytes body;        /* instead of .json */
	const char *from;         /* local address; NULL: any */
	bool may_break; /* accept an answer that is cut off; its status is CUT_OFF */
};

#define CUT_OFF 599

struct answer {
	int status;
	const char *head; /* header lines as they came */
	const char *body; /* followed by a NUL */
	size_t n;
	json_t *json; /* JSON of the body, without duplicate members; NULL: none */
};

/* Sends a request. The case fails when no complete answer comes. */
struct answer ask(const struct ask *);
/* Prints every answer from now on; NULL: stops. */
void answers_tell(void (*)(const struct answer *));
#define ASK(...) ask(&(const struct ask){ __VA_ARGS__ })

/* The value of a header, or NULL. */
const char *header_of(const struct answer *, const char *name);
/* Sends raw bytes and reads until the server closes; 0: it sent nothing. */
struct answer raw(struct bytes);
/* As raw(), but closes the connection after sending. */
void raw_and_cut(struct bytes);
/* "Host: 127.0.0.1:8080", for raw requests. */
const char *host_line(void);

/* ---- reading answers ---- */

/* Finds a member, such as "data.items.0.name"; NULL when absent. */
json_t *at(const json_t *, const char *path);
/* The value at a path; the case fails if it is absent. */
const char *text_at(const json_t *, const char *path);
json_int_t int_at(const json_t *, const char *path);
size_t count_at(const json_t *, const char *path); /* number of items in a list */

/* The answer on a few lines, for messages. */
const char *shown(const struct answer *);
#define EXPECT(a, want)                                                                \
	ck_assert_msg((a).status == (want), "wanted %d, got %s", (want), shown(&(a)))
/* Expects exactly one problem of that kind, in the envelope and by all rules. */
void expect_problem(const struct answer *, int status, const char *slug);
/* Expects S3's XML with this code. */
void expect_s3(const struct answer *, int status, const char *code);

/* ---- time ---- */

double seconds(void); /* monotonic */
void nap(double s);

#endif
