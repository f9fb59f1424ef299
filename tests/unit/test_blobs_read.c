/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading and deleting files: every rule of the interface.
 */
#include "blobs.h"

/* ---- GET and HEAD /blobs/{blob_id} ---- */

/* Authorization of the account, of another account, and without the scope. */
static const char *owner, *stranger, *speaker;

static void
setup_stored(void)
{
	blobs_open_form();
	owner = fixture_bearer(ACCOUNT, "uploads:write");
	stranger = fixture_bearer(OTHER, "uploads:write");
	speaker = fixture_bearer(ACCOUNT, "voices:write");
	give(1000);
	ck_assert_int_eq(post().status, 201);
}

static const char *
signed_target(const char *id, int64_t at)
{
	return signed_url_make(&fixture.app.conf, fixture.mem, id, at) +
	       strlen(fixture.app.conf.server_base_url);
}

static struct call
get(const char *target)
{
	struct call c = { .status = 0 };

	send(&c, "GET", target);
	return c;
}

static struct call
with(const char *bearer, const char *method, const char *target)
{
	struct call c = { .status = 0 };

	fixture.bearer = bearer;
	send(&c, method, target);
	fixture.bearer = NULL;
	return c;
}

/* A GET request with one more header. */
static struct call
get_with(const char *line)
{
	struct call c = { .heads = HEADS(line) };

	send(&c, "GET", signed_target(BLOB, now_us()));
	return c;
}

static const char *
problem_of(const struct call *c)
{
	const char *why;
	const struct json *v =
	    json_get(json_read(fixture.mem, c->out, c->out_len, &why), "errors");

	ck_assert_ptr_nonnull(v);
	return json_get_text(v->kids, "type") +
	       strlen("https://speech.example.org/problems/");
}

START_TEST(a_signed_link_reads)
{
	struct call c = get(signed_target(BLOB, now_us()));

	ck_assert_int_eq(c.status, 200);
	ck_assert_uint_eq(c.out_len, 1000);
	ck_assert_mem_eq(c.out, form.file, 1000);
	ck_assert_str_eq(header_of(&c, "Content-Type"), "audio/wav");
	ck_assert_str_eq(header_of(&c, "Content-Disposition"), "attachment");
	ck_assert_str_eq(header_of(&c, "Content-Security-Policy"), "sandbox");
	ck_assert_str_eq(header_of(&c, "X-Content-Type-Options"), "nosniff");
	ck_assert_str_eq(header_of(&c, "Accept-Ranges"), "bytes");
	ck_assert_str_eq(
	    header_of(&c, "ETag"), arena_printf(fixture.mem, "\"%s\"",
				       hash_hex(fixture.mem, form.file, 1000)));
	ck_assert_int_eq(
	    strncmp(header_of(&c, "Cache-Control"), "private, max-age=3", 18), 0);
	c = get(signed_target(BLOB, now_us() - 3500 * S_US));
	ck_assert_int_eq(
	    strncmp(header_of(&c, "Cache-Control"), "private, max-age=", 17), 0);
	ck_assert_int_le(atoi(header_of(&c, "Cache-Control") + 17), 100);
}
END_TEST

START_TEST(a_link_of_a_suspended_account_is_refused)
{
	struct call c;

	sql("UPDATE accounts SET status = 'suspended' WHERE id = '" ACCOUNT "'");
	c = get(signed_target(BLOB, now_us()));
	ck_assert_int_eq(c.status, 403);
	ck_assert_str_eq(problem_of(&c), "link-invalid");
	sql("UPDATE accounts SET status = 'active'");
	c = get(signed_target(BLOB, now_us()));
	ck_assert_int_eq(c.status, 200);
}
END_TEST

START_TEST(a_head_is_a_get_without_the_body)
{
	struct call c = { .heads = HEADS("Range: bytes=0-1") };

	ck_assert_int_eq(send(&c, "HEAD", signed_target(BLOB, now_us())), 200);
	ck_assert_uint_eq(c.out_len, 1000); /* the body is not sent with HEAD */
	ck_assert_ptr_nonnull(header_of(&c, "ETag"));
}
END_TEST

START_TEST(a_wrong_link_is_refused)
{
	const char *good = signed_target(BLOB, now_us());
	const char *absent = signed_target(VOICE, now_us());
	const char *const bad[] = {
		arena_printf(fixture.mem, "%sx", good),
		arena_dup(fixture.mem, good, strlen(good) - 1),
		arena_printf(fixture.mem, "/blobs/" SAMPLE "%s", strchr(good, '?')),
		"/blobs/" BLOB "?expires=9999999999&signature=AAAA",
		"/blobs/" BLOB "?expires=9999999999",
		"/blobs/" BLOB "?signature=AAAA",
		"/blobs/" BLOB "?expires=&signature=",
		"/blobs/" BLOB "?expires=",
		"/blobs/" VOICE "?expires=9999999999&signature=AAAA",
		signed_target(BLOB, now_us() - 3600 * S_US),
		signed_target(VOICE, now_us() - 3600 * S_US),
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct call c = get(bad[i]);

		ck_assert_int_eq(c.status, 403);
		ck_assert_str_eq(problem_of(&c), "link-invalid");
	}
	ck_assert_int_eq(get(absent).status, 404);
	ck_assert_int_eq(
	    get(arena_printf(fixture.mem, "%s&expires=1", good)).status, 422);
	ck_assert_int_eq(get("/blobs/no-id").status, 404);
	ck_assert_int_eq(get("/blobs").status, 405);
}
END_TEST

static const struct {
	const char *sql;
	int status;
} states[] = {
	{ "UPDATE blobs SET state = 'checked'", 200 },
	{ "UPDATE blobs SET state = 'rejected'", 404 },
	{ "UPDATE blobs SET state = 'awaiting', file = NULL", 404 },
	{ "UPDATE blobs SET state = 'gone'", 404 },
};

START_TEST(what_state_it_is_in)
{
	sql(states[_i].sql);
	ck_assert_int_eq(get(signed_target(BLOB, now_us())).status, states[_i].status);
	ck_assert_int_eq(with(owner, "GET", "/blobs/" BLOB).status, states[_i].status);
}
END_TEST

START_TEST(the_owner_reads_with_a_credential)
{
	struct call c = with(owner, "GET", "/blobs/" BLOB);

	ck_assert_int_eq(c.status, 200);
	ck_assert_uint_eq(c.out_len, 1000);
	ck_assert_str_eq(header_of(&c, "Cache-Control"), "private, max-age=0");
	c = get("/blobs/" BLOB);
	ck_assert_int_eq(c.status, 401);
	ck_assert_str_eq(problem_of(&c), "unauthorized");
	ck_assert_int_eq(with("Bearer dgm_unknown", "GET", "/blobs/" BLOB).status, 401);
	ck_assert_int_eq(with(owner, "GET", "/blobs/" SAMPLE).status, 404);
	ck_assert_int_eq(with(owner, "GET", "/blobs/" VOICE).status, 404);
	ck_assert_int_eq(with(stranger, "GET", "/blobs/" BLOB).status, 404);
	c = with(speaker, "GET", "/blobs/" BLOB);
	ck_assert_int_eq(c.status, 403);
	ck_assert_str_eq(problem_of(&c), "insufficient-scope");
}
END_TEST

START_TEST(a_client_that_has_the_file_gets_no_bytes)
{
	const char *etag =
	    arena_printf(fixture.mem, "\"%s\"", hash_hex(fixture.mem, form.file, 1000));
	const char *const same[] = { etag, "*", arena_printf(fixture.mem, "W/%s", etag),
		arena_printf(fixture.mem, "\"x\", %s", etag) };
	struct call c;

	for (int i = 0; i < 4; i++) {
		c = get_with(arena_printf(fixture.mem, "If-None-Match: %s", same[i]));
		ck_assert_int_eq(c.status, 304);
		ck_assert_uint_eq(c.out_len, 0);
		ck_assert_str_eq(header_of(&c, "ETag"), etag);
		ck_assert_ptr_nonnull(strstr(c.head, "private, max-age="));
	}
	ck_assert_int_eq(get_with("If-None-Match: \"x\"").status, 200);
}
END_TEST

/* A file as large as a recording, whose bytes must not be read. */
START_TEST(a_file_without_a_hash_is_told_from_others_all_the_same)
{
	struct call c;
	const char *etag;

	sql("UPDATE blobs SET sha256 = NULL");
	c = get(signed_target(BLOB, now_us()));
	ck_assert_int_eq(c.status, 200);
	etag = header_of(&c, "ETag");
	ck_assert_str_eq(etag, arena_printf(fixture.mem, "\"%s\"", row(BLOB).file));
	c = get_with(arena_printf(fixture.mem, "If-None-Match: %s", etag));
	ck_assert_int_eq(c.status, 304);
}
END_TEST

static const struct {
	const char *range;
	int status;
	int first, last;
} ranges[] = {
	{ "bytes=0-0", 206, 0, 0 },
	{ "bytes=0-499", 206, 0, 499 },
	{ "bytes=500-", 206, 500, 999 },
	{ "bytes=999-", 206, 999, 999 },
	{ "bytes=990-5000", 206, 990, 999 },
	{ "Bytes=1-99999999999999999999999", 206, 1, 999 },
	{ "bytes=-1", 206, 999, 999 },
	{ "bytes=-999", 206, 1, 999 },
	{ "bytes=0-999", 206, 0, 999 },
	{ "bytes=0-", 206, 0, 999 },
	{ "bytes=-1000", 206, 0, 999 },
	{ "bytes=-5000", 206, 0, 999 },
	{ "bytes=0-1,5-6", 200, 0, 999 },
	{ "items=0-1", 200, 0, 999 },
	{ "bytes=1000-", 416, 0, 0 },
	{ "bytes=1000-2000", 416, 0, 0 },
	{ "bytes=99999999999999999999999-", 416, 0, 0 },
	{ "bytes=-0", 416, 0, 0 },
	{ "bytes=-", 416, 0, 0 },
	{ "bytes=", 416, 0, 0 },
	{ "bytes=5-2", 416, 0, 0 },
	{ "bytes=a-b", 416, 0, 0 },
	{ "bytes=1-2x", 416, 0, 0 },
	{ "bytes=1--2", 416, 0, 0 },
};

START_TEST(a_range)
{
	struct call c =
	    get_with(arena_printf(fixture.mem, "Range: %s", ranges[_i].range));
	int first = ranges[_i].first, last = ranges[_i].last;

	ck_assert_int_eq(c.status, ranges[_i].status);
	if (c.status == 416) {
		ck_assert_str_eq(header_of(&c, "Content-Range"), "bytes */1000");
		ck_assert_str_eq(problem_of(&c), "range-not-satisfiable");
		return;
	}
	ck_assert_uint_eq(c.out_len, (size_t)(last - first + 1));
	ck_assert_mem_eq(c.out, form.file + first, c.out_len);
	ck_assert_pstr_eq(header_of(&c, "Content-Range"),
	    c.status == 200
		? NULL
		: arena_printf(fixture.mem, "bytes %d-%d/1000", first, last));
}
END_TEST

START_TEST(a_range_of_what_has_changed_is_all_of_it)
{
	struct call c = { .heads = HEADS("Range: bytes=0-1", "If-Range: \"x\"") };
	const char *same =
	    arena_printf(fixture.mem, "If-Range: \"%s\"", row(BLOB).sha256);

	ck_assert_int_eq(send(&c, "GET", signed_target(BLOB, now_us())), 200);
	c.heads = HEADS("Range: bytes=0-1", same);
	ck_assert_int_eq(send(&c, "GET", signed_target(BLOB, now_us())), 206);
}
END_TEST

START_TEST(no_bytes_have_no_range)
{
	int64_t first, last;

	ck_assert_int_eq(range_read(NULL, 0, &first, &last), RANGE_NONE);
	ck_assert_int_eq(last - first + 1, 0);
	ck_assert_int_eq(range_read("bytes=0-", 0, &first, &last), RANGE_BAD);
	ck_assert_int_eq(range_read("bytes=-1", 0, &first, &last), RANGE_BAD);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_our_fault)
{
	struct blob b = row(BLOB);
	struct call c;

	ck_assert_int_eq(blob_remove(&fixture.app.conf, fixture.mem, b.file), OK);
	c = get(signed_target(BLOB, now_us()));
	ck_assert_int_eq(c.status, 500);
	ck_assert_str_eq(header_of(&c, "Cache-Control"), "no-store");
}
END_TEST

START_TEST(a_file_replaced_while_it_is_opened)
{
	struct request rq = {
		.mem = fixture.mem, .conf = &fixture.app.conf, .db = fixture.app.db
	};
	struct blob before = row(BLOB);
	struct blob_file f;

	give(500);
	ck_assert_int_eq(post().status, 201);
	ck_assert_int_eq(open_file(&rq, &before, &f), OK);
	ck_assert_int_eq(f.bytes, 500);
	ck_assert_str_eq(before.sha256, row(BLOB).sha256);
}
END_TEST

START_TEST(a_bucket_is_where_to_go)
{
	struct call c;

	fixture.app.conf.blob_store = "s3";
	ck_assert_int_ge(get(signed_target(BLOB, now_us())).status, 500);
	fixture.app.conf.blob_endpoint = "https://media.s3.example.org";
	c = get(signed_target(BLOB, now_us() - 3500 * S_US));
	ck_assert_int_eq(c.status, 307);
	ck_assert_int_eq(strncmp(header_of(&c, "Location"),
			     "https://media.s3.example.org/" BLOB "-", 66),
	    0);
	ck_assert_ptr_nonnull(strstr(header_of(&c, "Location"), "X-Amz-Expires="));
	ck_assert_ptr_nonnull(strstr(
	    header_of(&c, "Location"), "response-content-disposition=attachment"));
	ck_assert_int_eq(with(owner, "GET", "/blobs/" BLOB).status, 307);
}
END_TEST

START_TEST(reading_from_a_failing_database)
{
	const enum err errs[] = { ERR_BUSY, ERR_FAILED };

	db_fault(fixture.app.db, 1, errs[_i]);
	ck_assert_int_eq(
	    get(signed_target(BLOB, now_us())).status, _i == 0 ? 503 : 500);
}
END_TEST

/* ---- DELETE /blobs/{blob_id} ---- */

START_TEST(an_upload_is_deleted_by_its_owner)
{
	struct call c = with(owner, "DELETE", "/blobs/" BLOB);

	ck_assert_int_eq(c.status, 200);
	ck_assert_str_eq(c.out, "{\"ok\":true,\"data\":null}");
	ck_assert_int_eq(stored(), 0);
	ck_assert_int_eq(get(signed_target(BLOB, now_us())).status, 404);
	ck_assert_int_eq(with(owner, "DELETE", "/blobs/" BLOB).status, 404);
	ck_assert_int_eq(post().status, 403); /* the form has expired */
}
END_TEST

START_TEST(what_cannot_be_deleted)
{
	struct call c;

	c = (struct call){ .status = 0 };
	ck_assert_int_eq(send(&c, "DELETE", signed_target(BLOB, now_us())), 401);
	ck_assert_int_eq(with(stranger, "DELETE", "/blobs/" BLOB).status, 404);
	ck_assert_int_eq(with(owner, "DELETE", "/blobs/" SAMPLE).status, 404);
	ck_assert_int_eq(with(owner, "DELETE", "/blobs/" VOICE).status, 404);
	grant(SAMPLE, now_us());
	ck_assert_int_eq(post().status, 201);
	c = with(owner, "DELETE", "/blobs/" SAMPLE);
	ck_assert_int_eq(c.status, 409);
	ck_assert_str_eq(problem_of(&c), "blob-in-use");
	ck_assert_int_eq(stored(), 1000 + MIN);
}
END_TEST

START_TEST(deleting_in_a_failing_database)
{
	int n, status = 0;

	for (n = 1; n < 20 && status != 200; n++) {
		db_fault(fixture.app.db, n, ERR_BUSY);
		status = with(owner, "DELETE", "/blobs/" BLOB).status;
		db_fault(fixture.app.db, 0, OK);
		ck_assert(status == 200 || status == 503);
		ck_assert_int_eq(stored(), status == 200 ? 0 : 1000);
	}
	ck_assert_int_ge(n, 6);
}
END_TEST

static TCase *
reading(void)
{
	TCase *t = tcase_create("GET and DELETE");

	tcase_add_checked_fixture(t, setup_stored, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_signed_link_reads);
	tcase_add_test(t, a_link_of_a_suspended_account_is_refused);
	tcase_add_test(t, a_head_is_a_get_without_the_body);
	tcase_add_test(t, a_wrong_link_is_refused);
	tcase_add_loop_test(t, what_state_it_is_in, 0, COUNT(states));
	tcase_add_test(t, the_owner_reads_with_a_credential);
	tcase_add_test(t, a_client_that_has_the_file_gets_no_bytes);
	tcase_add_test(t, a_file_without_a_hash_is_told_from_others_all_the_same);
	tcase_add_loop_test(t, a_range, 0, COUNT(ranges));
	tcase_add_test(t, a_range_of_what_has_changed_is_all_of_it);
	tcase_add_test(t, no_bytes_have_no_range);
	tcase_add_test(t, a_file_that_is_not_there_is_our_fault);
	tcase_add_test(t, a_file_replaced_while_it_is_opened);
	tcase_add_test(t, a_bucket_is_where_to_go);
	tcase_add_loop_test(t, reading_from_a_failing_database, 0, 2);
	tcase_add_test(t, an_upload_is_deleted_by_its_owner);
	tcase_add_test(t, what_cannot_be_deleted);
	tcase_add_test(t, deleting_in_a_failing_database);
	return t;
}

int
main(void)
{
	Suite *s = suite_create("blobs, read");

	suite_add_tcase(s, reading());
	return unit_run(s);
}
