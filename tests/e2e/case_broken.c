/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies that are not forms, or incomplete forms: they must have no effect. */
#include <string.h>

#include "base/buf.h"
#include "cases.h"
#include "db/db.h"

static struct account me;
static struct bytes file; /* a good one */

static void
before(void)
{
	me = account_new("broken");
	file = wav_of(200000);
}

static const struct sql stored_bytes = { "e2e.stored_bytes",
	"SELECT stored_bytes FROM accounts WHERE id = $1", NULL };

static struct answer
read_own(const char *id)
{
	return ASK(.path = text("/blobs/%s", id), .as = &me);
}

static const struct {
	const char *what, *type;
	const char *body; /* NULL: the first half of a good form */
} broken[] = {
	{ "JSON", "application/json", "{\"data\":[]}" },
	{ "urlencoded", "application/x-www-form-urlencoded", "key=a&file=b" },
	{ "no boundary", "multipart/form-data", "--x\r\n\r\n--x--\r\n" },
	{ "another boundary", "multipart/form-data; boundary=other", "--x\r\n\r\n" },
	{ "no end", FORM_TYPE, NULL },
	{ "nothing at all", FORM_TYPE, "" },
};

START_TEST(a_body_that_is_no_form_is_malformed)
{
	json_t *target = target_new(&me, "audio/wav");
	struct form f = form_of(target, file);
	struct bytes b = form_bytes(&f);
	struct answer a;

	b.n /= 2;
	if (broken[_i].body != NULL)
		b = (struct bytes){ broken[_i].body, strlen(broken[_i].body) };
	a = ASK(.path = "/blobs", .method = "POST", .type = broken[_i].type, .body = b);
	expect_s3(&a, 400, "MalformedPOSTRequest");
	a = read_own(text_at(target, "blob_id"));
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

static struct bytes
request(const char *more, struct bytes body)
{
	struct buf b = { .mem = memory() };

	buf_printf(&b,
	    "POST /blobs HTTP/1.1\r\n%s\r\nConnection: close\r\n"
	    "Content-Type: %s\r\n%s\r\n\r\n",
	    host_line(), FORM_TYPE, more);
	buf_put(&b, body.p, body.n);
	return (struct bytes){ b.p, b.len };
}

START_TEST(a_body_of_unknown_length_is_refused)
{
	json_t *target = target_new(&me, "audio/wav");
	struct form f = form_of(target, file);
	struct bytes b = form_bytes(&f);
	struct buf chunked = { .mem = memory() };
	struct answer a;

	buf_printf(&chunked, "%zx\r\n", b.n);
	buf_put(&chunked, b.p, b.n);
	buf_str(&chunked, "\r\n0\r\n\r\n");
	a = raw(request(
	    "Transfer-Encoding: chunked", (struct bytes){ chunked.p, chunked.len }));
	expect_s3(&a, 411, "MissingContentLength");
	a = raw(request("X-Nothing: 1", (struct bytes){ "", 0 }));
	/* lighttpd refuses the request before it looks at the path */
	if (a.json != NULL)
		expect_problem(&a, 411, "length-required");
	else
		expect_s3(&a, 411, "MissingContentLength");
	a = read_own(text_at(target, "blob_id"));
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

START_TEST(a_cut_connection_leaves_nothing_and_the_form_stays_good)
{
	json_t *target = target_new(&me, "audio/wav");
	const char *id = text_at(target, "blob_id");
	struct form f = form_of(target, file);
	struct bytes b = form_bytes(&f);
	const char *length = text("Content-Length: %zu", b.n);
	int64_t before_bytes = count_in_db(&stored_bytes, me.user_id);
	struct answer a;

	for (size_t part = 1; part < 4; part++)
		raw_and_cut(request(length, (struct bytes){ b.p, b.n * part / 4 }));
	raw_and_cut(request(length, (struct bytes){ b.p, b.n - 1 }));
	nap(0.3);
	a = read_own(id);
	expect_problem(&a, 404, "resource-not-found");
	ck_assert_int_eq(count_in_db(&stored_bytes, me.user_id), before_bytes);
	a = form_send(&f);
	EXPECT(a, 201);
	a = read_own(id);
	ck_assert_int_eq(a.n, file.n);
}
END_TEST

Suite *
broken_suite(void)
{
	TCase *t;
	Suite *s = suite_of("broken", before, &t);

	tcase_add_loop_test(t, a_body_that_is_no_form_is_malformed, 0, ROWS(broken));
	tcase_add_test(t, a_body_of_unknown_length_is_refused);
	tcase_add_test(t, a_cut_connection_leaves_nothing_and_the_form_stays_good);
	return s;
}
