/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading and removing files, and the check of their real types. */
#include <string.h>

#include "base/clock.h"
#include "base/conf.h"
#include "base/id.h"
#include "blob/signed_url.h"
#include "cases.h"
#include "db/db.h"

static struct account me, other;
static struct bytes file;
static const char *blob; /* id of my blob with that file */

static void
before(void)
{
	me = account_new("blobs");
	other = account_new("another one");
	file = wav_of(200000);
	blob = upload(&me, "audio/wav", file);
}

static const struct sql is_checked = { "e2e.is_checked",
	"SELECT count(*) FROM blobs WHERE id = $1 AND state = 'checked'", NULL };
static const struct sql stored_bytes = { "e2e.stored_bytes",
	"SELECT stored_bytes FROM accounts WHERE id = $1", NULL };

static const char *
path_of(const char *id)
{
	return text("/blobs/%s", id);
}

/* A link that was made some seconds ago. */
static const char *
link_of(const char *id, int age_s)
{
	return signed_url_make(settings(), memory(), id, now_us() - age_s * S_US);
}

/* ---- reading ---- */

static void
expect_file(const struct answer *a, int64_t most_s)
{
	long long age = -1;

	EXPECT(*a, 200);
	ck_assert_str_eq(header_of(a, "Content-Type"), "audio/wav");
	ck_assert_str_eq(header_of(a, "Content-Disposition"), "attachment");
	ck_assert_str_eq(header_of(a, "Content-Security-Policy"), "sandbox");
	ck_assert_str_eq(header_of(a, "X-Content-Type-Options"), "nosniff");
	ck_assert_str_eq(header_of(a, "Accept-Ranges"), "bytes");
	ck_assert_str_eq(header_of(a, "ETag"), text("\"%s\"", sha256_of(file)));
	ck_assert_int_eq(
	    sscanf(header_of(a, "Cache-Control"), "private, max-age=%lld", &age), 1);
	ck_assert_int_ge(age, 0);
	ck_assert_int_le(age, most_s);
}

START_TEST(its_owner_reads_a_file)
{
	struct answer a = ASK(.path = path_of(blob), .as = &me);

	expect_file(&a, 3600);
	ck_assert_int_eq(a.n, file.n);
	ck_assert_int_eq(memcmp(a.body, file.p, a.n), 0);
}
END_TEST

START_TEST(a_signed_address_reads_a_file)
{
	struct answer a = ASK(.path = link_of(blob, 600));

	expect_file(&a, 3000);
	ck_assert_int_eq(a.n, file.n);
	ck_assert_int_eq(memcmp(a.body, file.p, a.n), 0);
	a = ASK(.path = link_of(id_new(memory()), 0));
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

START_TEST(head_tells_what_get_would)
{
	struct answer get = ASK(.path = path_of(blob), .as = &me);
	struct answer a = ASK(.method = "HEAD", .path = path_of(blob), .as = &me);

	expect_file(&a, 3600);
	ck_assert_int_eq(a.n, 0);
	ck_assert_str_eq(
	    header_of(&a, "Content-Length"), header_of(&get, "Content-Length"));
}
END_TEST

START_TEST(a_client_that_has_the_file_is_not_sent_it_again)
{
	const char *tag = text("If-None-Match: \"%s\"", sha256_of(file));
	struct answer a = ASK(.path = path_of(blob), .as = &me, .headers = { tag });

	EXPECT(a, 304);
	ck_assert_int_eq(a.n, 0);
	ck_assert_str_eq(header_of(&a, "ETag"), text("\"%s\"", sha256_of(file)));
	a = ASK(.path = link_of(blob, 0), .headers = { tag });
	EXPECT(a, 304);
	a = ASK(.path = path_of(blob), .as = &me,
	    .headers = { "If-None-Match: \"another\"" });
	EXPECT(a, 200);
}
END_TEST

/* clang-format off */
static const struct {
	const char *range;
	int status;
	size_t first, last;
} ranges[] = {
	{ "bytes=0-0",            206, 0,      0 },
	{ "bytes=0-",             206, 0,      199999 },
	{ "bytes=0-99",           206, 0,      99 },
	{ "bytes=1000-65999",     206, 1000,   65999 },
	{ "bytes=199999-",        206, 199999, 199999 },
	{ "bytes=150000-999999",  206, 150000, 199999 },
	{ "bytes=-500",           206, 199500, 199999 },
	{ "bytes=200000-",        416, 0, 0 },
	{ "bytes=5-4",            416, 0, 0 },
	{ "bytes=-0",             416, 0, 0 },
	{ "bytes=0-1,5-6",        200, 0, 199999 },
	{ "pages=1-2",            200, 0, 199999 },
};
/* clang-format on */

START_TEST(a_part_of_a_file_can_be_asked_for)
{
	struct answer a = ASK(.path = _i % 2 ? path_of(blob) : link_of(blob, 0),
	    .as = _i % 2 ? &me : NULL,
	    .headers = { text("Range: %s", ranges[_i].range) });
	size_t n = ranges[_i].last - ranges[_i].first + 1;

	if (ranges[_i].status == 416) {
		expect_problem(&a, 416, "range-not-satisfiable");
		ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), "Range");
		ck_assert_str_eq(header_of(&a, "Content-Range"), "bytes */200000");
		return;
	}
	EXPECT(a, ranges[_i].status);
	ck_assert_int_eq(a.n, n);
	ck_assert_int_eq(memcmp(a.body, file.p + ranges[_i].first, n), 0);
	if (a.status == 206)
		ck_assert_str_eq(header_of(&a, "Content-Range"),
		    text("bytes %zu-%zu/200000", ranges[_i].first, ranges[_i].last));
}
END_TEST

START_TEST(a_part_of_another_version_is_not_sent)
{
	const char *stale = "If-Range: \"another\"", *range = "Range: bytes=0-9";
	const char *fresh = text("If-Range: \"%s\"", sha256_of(file));
	struct answer a =
	    ASK(.path = path_of(blob), .as = &me, .headers = { range, stale });

	EXPECT(a, 200);
	a = ASK(.path = path_of(blob), .as = &me, .headers = { range, fresh });
	EXPECT(a, 206);
}
END_TEST

/* ---- links that are none ---- */

static const char *
bad_link(int i)
{
	const char *good = link_of(blob, 0), *sign = strstr(good, "&signature=");
	const char *query = strchr(good, '?') + 1;
	const char *here = text("%s/blobs/%s", instance()->base_url, blob);

	switch (i) {
	case 0:
		return text("%.*s", (int)(sign - good), good); /* no signature */
	case 1:
		return text("%s?%s", here, sign + 1); /* no time */
	case 2:
		return text("%s0", good);
	case 3:
		return text("%.*s&signature=AAAA", (int)(sign - good), good);
	case 4:
		return link_of(blob, 3700); /* expired */
	case 5:
		return text("%s/blobs/%s?%s", instance()->base_url, id_new(memory()),
		    query); /* another's */
	case 6:
		return text("%s?expires=99999999999%s", here, sign);
	default:
		return text("%s?expires=&signature=", here);
	}
}

START_TEST(a_wrong_link_is_refused_whether_or_not_the_file_exists)
{
	struct answer a = ASK(.path = bad_link(_i), .as = &me);

	expect_problem(&a, 403, "link-invalid");
}
END_TEST

START_TEST(a_file_without_link_or_credential_is_not_read)
{
	struct account limited = account_limited(&me, "voices:write");
	struct answer a = ASK(.path = path_of(blob));

	expect_problem(&a, 401, "unauthorized");
	a = ASK(.path = path_of(blob), .as = &limited);
	expect_problem(&a, 403, "insufficient-scope");
	a = ASK(.path = path_of(blob), .as = &other);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = path_of(id_new(memory())), .as = &me);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = "/blobs/no-uuid", .as = &me);
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

/* ---- removing ---- */

START_TEST(a_removed_file_is_gone_at_once_and_its_bytes_are_free)
{
	const char *id = upload(&other, "audio/wav", file);
	const char *link = link_of(id, 0);
	struct answer a = ASK(.method = "DELETE", .path = link);

	expect_problem(&a, 401, "unauthorized"); /* the link allows only reading */
	a = ASK(.method = "DELETE", .path = path_of(id), .as = &me);
	expect_problem(&a, 404, "resource-not-found");
	ck_assert_int_eq(count_in_db(&stored_bytes, other.user_id), (int64_t)file.n);
	a = ASK(.method = "DELETE", .path = path_of(id), .as = &other);
	EXPECT(a, 200);
	ck_assert_str_eq(a.body, "{\"ok\":true,\"data\":null}");
	ck_assert_int_eq(count_in_db(&stored_bytes, other.user_id), 0);
	a = ASK(.path = link);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.method = "DELETE", .path = path_of(id), .as = &other);
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

/* ---- what files really are ---- */

static const struct kind {
	const char *type, *file; /* file: NULL: there is no such blob */
} good[] = {
	{ "audio/wav", "speech.wav" },
	{ "audio/mpeg", "speech.mp3" },
	{ "audio/mp3", "speech.mp3" },
	{ "audio/aac", "speech.aac" },
	{ "audio/aac", "cut.aac" },
	{ "audio/webm", "speech.webm" },
	{ "video/webm", "film.webm" },
	{ "video/mp4", "film.mp4" },
	{ "video/mpeg", "film.mpg" },
};

static bool
checked(const void *id)
{
	return count_in_db(&is_checked, id) == 1;
}

START_TEST(a_real_recording_stays_readable)
{
	const char *id = upload(&me, good[_i].type, recording(good[_i].file));
	struct answer a;

	ck_assert_msg(becomes(checked, id, 15), "%s is not accepted", good[_i].file);
	a = ASK(.path = path_of(id), .as = &me);
	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), good[_i].type);
}
END_TEST

static const struct kind bad[] = {
	{ "audio/wav", "page.html" },
	{ "audio/mpeg", "noise.bin" },
	{ "audio/aac", "noise.bin" },
	{ "audio/wav", "header.wav" },
	{ "audio/mp3", "script.sh" },
	{ "audio/webm", "speech.mp3" },
	{ "video/mp4", "picture.png" },
	{ "video/webm", "film.mp4" },
	{ "video/mpeg", "page.html" },
	{ "audio/wav", "zeros.bin" },
};

static bool
unreadable(const void *id)
{
	struct answer a = ASK(.path = path_of(id), .as = &other);

	return a.status == 404;
}

START_TEST(what_is_not_what_it_was_said_to_be_becomes_unreadable)
{
	double start = seconds();
	const char *id = upload(&other, bad[_i].type, recording(bad[_i].file));
	const char *link = link_of(id, 0);
	struct answer a;

	ck_assert_msg(
	    becomes(unreadable, id, 15), "%s passes as %s", bad[_i].file, bad[_i].type);
	ck_assert_msg(seconds() - start < 60, "it took %.1f s", seconds() - start);
	a = ASK(.path = link);
	expect_problem(&a, 404, "resource-not-found");
	ck_assert_int_eq(count_in_db(&stored_bytes, other.user_id), 0);
}
END_TEST

Suite *
blobs_suite(void)
{
	TCase *t;
	Suite *s = suite_of("blobs", before, &t);

	tcase_add_test(t, its_owner_reads_a_file);
	tcase_add_test(t, a_signed_address_reads_a_file);
	tcase_add_test(t, head_tells_what_get_would);
	tcase_add_test(t, a_client_that_has_the_file_is_not_sent_it_again);
	tcase_add_loop_test(t, a_part_of_a_file_can_be_asked_for, 0, ROWS(ranges));
	tcase_add_test(t, a_part_of_another_version_is_not_sent);
	tcase_add_loop_test(
	    t, a_wrong_link_is_refused_whether_or_not_the_file_exists, 0, 8);
	tcase_add_test(t, a_file_without_link_or_credential_is_not_read);
	tcase_add_test(t, a_removed_file_is_gone_at_once_and_its_bytes_are_free);
	tcase_add_loop_test(t, a_real_recording_stays_readable, 0, ROWS(good));
	tcase_add_loop_test(
	    t, what_is_not_what_it_was_said_to_be_becomes_unreadable, 0, ROWS(bad));
	return s;
}
