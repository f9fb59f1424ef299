/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_TOY_H
#define TESTS_UNIT_TOY_H

/*
 * A program for tests: one route for every flag, one field for every type.  It writes
 * rows of the table workers.
 */
#include "tests/unit/unit.h"
#include "work/queue.h"

#define TOY_ID "11111111-2222-4333-8444-555555555555" /* the only toy */
#define TOY "/toys/" TOY_ID
#define TOY_VERSION 3

struct toy_part {
	const char *name;
	int64_t count;
};

struct toy {
	const char *name, *colour, *extra, *maker;
	int64_t size, born_us;
	double weight;
	bool loud, boxed;
	struct {
		const char *street, *city;
	} home;
	struct list tags;  /* const char * */
	struct list parts; /* struct toy_part */
	int64_t serial;
};

struct toy_query {
	struct page page;
	const char *word, *colour, *state;
	int64_t size;
	bool loud;
	struct list tags;
};

static const char *
toy_no_space(const char *s)
{
	return strchr(s, ' ') == NULL ? NULL : "must be one word";
}

static const char *const toy_colours[] = { "Red", "Green", NULL };

/* clang-format off */
#define AT(m) offsetof(struct toy_part, m)
static const struct field	 toy_part_fields[] = {
	{ "name",  F_TEXT, AT(name),  1, 5, F_IO | F_REQUIRED },
	{ "count", F_INT,  AT(count), 1, 9, F_IO | F_OPT },
	FIELDS_END,
};
#undef AT
#define AT(m) (offsetof(struct toy, m) - offsetof(struct toy, home))
static const struct field	 toy_home_fields[] = {
	{ "street", F_TEXT, AT(home.street), 0, 0, F_IO | F_NULLABLE },
	{ "city",   F_TEXT, AT(home.city),   2, 9, F_IO | F_NULLABLE },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct toy, m)
static const struct field	 toy_tag[] = { { "", F_TEXT, 0, 1, 4, F_IO } };
static const struct field	 toy_fields[] = {
	{ "name",   F_TEXT, AT(name),    3, 8,       F_IO | F_REQUIRED, toy_no_space },
	{ "colour", F_ENUM, AT(colour),  0, 0,       F_IO | F_OPT | F_NOCASE, .names = toy_colours },
	{ "size",   F_INT,  AT(size),    1, 100,     F_IO | F_OPT | F_NULLABLE },
	{ "weight", F_REAL, AT(weight),  0, 10,      F_IO | F_OPT | F_NULLABLE },
	{ "born",   F_TIME, AT(born_us), 0, 0,       F_IO | F_OPT | F_NULLABLE },
	{ "loud",   F_BOOL, AT(loud),    0, 0,       F_IO },
	{ "boxed",  F_BOOL, AT(boxed),   0, 0,       F_IO | F_TRUE },
	{ "extra",  F_JSON, AT(extra),   0, 16384,   F_IO | F_OPT | F_NULLABLE },
	{ "home",   F_OBJ,  AT(home),    0, 0,       F_IO | F_NULLABLE, .of = toy_home_fields },
	{ "tags",   F_LIST, AT(tags),    0, 3,       F_IO, .of = toy_tag, .size = sizeof(const char *) },
	{ "parts",  F_LIST, AT(parts),   0, 100,     F_IO | F_OPT, .of = toy_part_fields,
	            .size = sizeof(struct toy_part) },
	{ "serial", F_INT,  AT(serial),  0, 0,       F_OUT | F_OPT },
	FIELDS_END,
};
#undef AT
#define AT(m) offsetof(struct toy_query, m)
static const struct field	 toy_query_fields[] = {
	PAGE_FIELDS,
	{ "word",   F_TEXT, AT(word),   2, 100, F_IO | F_OPT },
	{ "colour", F_ENUM, AT(colour), 0, 0,   F_IO | F_OPT, .names = toy_colours },
	{ "state",  F_TEXT, AT(state),  0, 0,   F_IO | F_OPT },
	{ "size",   F_INT,  AT(size),   1, 100, F_IO | F_OPT },
	{ "loud",   F_BOOL, AT(loud),   0, 0,   F_IO },
	{ "tags",   F_LIST, AT(tags),   0, 0,   F_IO | F_OPT, .of = toy_tag, .size = sizeof(const char *) },
	FIELDS_END,
};
#undef AT
/* clang-format on */

static enum err
toy_find(struct request *rq)
{
	struct toy *t = rq->it = arena_alloc(rq->mem, sizeof(*t));

	if (strcmp(rq->args[0], TOY_ID) != 0)
		return ERR_NOT_FOUND;
	field_clear(toy_fields, t);
	t->name = "Bear";
	t->size = 7;
	t->serial = 42;
	t->home.city = "Bern";
	rq->version = TOY_VERSION;
	return OK;
}

static struct reply
toy_echo(struct request *rq)
{
	return reply_one(rq, 200, toy_fields, rq->in, 0);
}

static struct reply
toy_echo_query(struct request *rq)
{
	return reply_one(rq, 200, toy_query_fields, rq->query, 0);
}

static struct reply
toy_get(struct request *rq)
{
	rq->cache = "private, max-age=60";
	return reply_one(rq, 200, toy_fields, rq->it, rq->version);
}

/* Adds a row and returns the toy as it came. */
static struct reply
toy_add(struct request *rq)
{
	const struct toy *t = rq->in;
	enum err e;

	if ((e = db_begin(rq->db, DB_ALL)) != OK ||
	    (e = worker_seen(rq->db, "", t->name, 0)) != OK)
		return problem_err(rq, e);
	header(rq, "Location", "%s/toys/%s", rq->conf->server_base_url, t->name);
	if (strcmp(t->name, "Broken") == 0)
		return problem(rq, P_LOCKED, "It broke on the way.");
	return reply_one(rq, 201, toy_fields, t, 1);
}

static struct reply
toy_edit(struct request *rq)
{
	input_over(rq, rq->it);
	return reply_one(rq, 200, toy_fields, rq->it, rq->version);
}

/* Contains every possible refusal in one place. */
static struct reply
toy_judge(struct request *rq)
{
	const struct toy_query *q = rq->query;
	enum err e;

	if (q->state != NULL)
		return problem(rq, P_STAGE_IN_USE, "The toy is in use.");
	if ((e = db_begin(rq->db, DB_ALL)) != OK)
		return problem_err(rq, e);
	return reply_null(rq, 200);
}

static struct reply
toy_done(struct request *rq)
{
	return reply_null(rq, 200);
}

static struct reply
toy_maybe(struct request *rq)
{
	return reply_text(rq, 200, "text/plain", rq->data != NULL ? "data" : "none");
}

/* clang-format off */
#define TOY_BODY  BODY(toy_fields, struct toy)
#define TOY_QUERY QUERY(toy_query_fields, struct toy_query)
static const struct route	 toy_routes[] = {
	{ "POST",   "/toys", toy_add, "toys:write", JSON_BODY | IDEMPOTENT, TOY_BODY },
	{ "GET",    "/toys", toy_echo_query, "toys:read", TOY_QUERY },
	{ "POST",   "/toys/echo", toy_echo, "toys:read", JSON_BODY, TOY_BODY },
	{ "GET",    "/toys/{toy_id}", toy_get, "toys:read", 0, toy_find },
	{ "PATCH",  "/toys/{toy_id}", toy_edit, "toys:write",
	  JSON_BODY | PARTIAL | IF_MATCH | LOCKED, toy_find, TOY_BODY },
	{ "DELETE", "/toys/{toy_id}", toy_done, "toys:write", IF_MATCH | LOCKED, toy_find },
	{ "POST",   "/judge/{toy_id}", toy_judge, "toys:write", JSON_BODY | IDEMPOTENT | IF_MATCH,
	  toy_find, TOY_BODY, TOY_QUERY, .token = "token" },
	{ "POST",   "/maybe", toy_maybe, "toys:read", JSON_BODY | OPTIONAL_BODY | PARTIAL,
	  TOY_BODY },
	{ "POST",   "/bare", toy_done, "toys:write" },
	{ "GET",    "/public", toy_done, NULL, PUBLIC },
	{ "GET",    "/open", toy_done, NULL, UNLIMITED },
	{ "GET",    "/old", toy_done, "toys:read", .successor = "/new" },
	{ "GET",    "/named/{name}", toy_done, "toys:read" },
	ROUTES_END,
};
/* clang-format on */

static inline void
toy_setup(void)
{
	static const struct sql *const prepared[] = { account_sql, queue_sql, NULL };

	fixture_open("toys", toy_routes, prepared);
}

#endif
