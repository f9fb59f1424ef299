/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/unit/suite.h"
#include "web/multipart.h"

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/* A body that arrives in pieces of this many bytes. */
struct body {
	const char *p;
	size_t n, piece;
};

static size_t
give(void *src, void *to, size_t n)
{
	struct body *b = src;

	if (n > b->piece)
		n = b->piece;
	if (n > b->n)
		n = b->n;
	memcpy(to, b->p, n);
	b->p += n;
	b->n -= n;
	return n;
}

static const char *
name_of(enum err e)
{
	return e == ERR_NOT_FOUND     ? "END"
	       : e == ERR_REFUSED     ? "BROKEN"
	       : e == ERR_LIMIT       ? "LIMIT"
	       : e == ERR_UNSUPPORTED ? "OTHER"
				      : "?";
}

/* Reads parts with a filename in blocks, others as text. */
static enum err
read_part(struct multipart *m, const struct multipart_part *part, struct buf *to)
{
	const char *p;
	enum err e;
	size_t n;

	if (part->filename == NULL) {
		if ((e = multipart_text(m, &p, &n)) == OK)
			buf_put(to, p, n);
		return e;
	}
	while ((e = multipart_bytes(m, &p, &n)) == OK && n > 0)
		buf_put(to, p, n);
	return e;
}

/* The events as text: "a=1|b(x.txt,text/plain)=22|END" */
static const char *
told(const char *type, const char *p, size_t n, size_t piece)
{
	struct body src = { p, n, piece };
	struct buf to = { .mem = mem };
	struct multipart_part part;
	struct multipart *m;
	enum err e;

	if ((e = multipart_open(mem, type, give, &src, &m)) != OK)
		return name_of(e);
	while ((e = multipart_next(m, &part)) == OK) {
		buf_str(&to, part.name);
		if (part.filename != NULL || part.type != NULL)
			buf_printf(&to, "(%s,%s)",
			    part.filename != NULL ? part.filename : "-",
			    part.type != NULL ? part.type : "-");
		buf_str(&to, "=");
		if ((e = read_part(m, &part, &to)) != OK)
			break;
		buf_str(&to, "|");
	}
	ck_assert_int_eq(multipart_next(m, &part), e); /* it stays so */
	buf_str(&to, name_of(e));
	return buf_text(&to);
}

#define FORM "multipart/form-data; boundary=B"
#define CD "Content-Disposition: form-data; "
#define A "--B\r\n" CD "name=\"a\"\r\n\r\n1\r\n"
#define F                                                                              \
	"--B\r\n" CD                                                                   \
	"name=\"f\"; filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\n"
#define END "--B--\r\n"

static const struct {
	const char *body, *told;
} bodies[] = {
	{ A END, "a=1|END" },
	{ A F "22\r\n" END, "a=1|f(x.txt,text/plain)=22|END" },
	{ END, "END" },
	{ "--B--", "END" },
	{ A "--B--", "a=1|END" },
	{ A "--B--junk that follows\r\n--B\r\n", "a=1|END" },
	{ "preamble\r\n" A END, "a=1|END" },
	{ "\r\n" A END, "a=1|END" },
	{ "--B \t\r\n" CD "name=a\r\n\r\n1\r\n--B--", "a=1|END" },
	/* contents that resemble delimiters */
	{ F "\r\n" END, "f(x.txt,text/plain)=|END" },
	{ F "\r\n\r\n\r\n" END, "f(x.txt,text/plain)=\r\n\r\n|END" },
	{ F "\r\n--A\r\n-B\r\n--\r\n" END,
	    "f(x.txt,text/plain)=\r\n--A\r\n-B\r\n--|END" },
	{ F "--B\r\n" END, "f(x.txt,text/plain)=--B|END" },
	{ F "\r\r\n--B--", "f(x.txt,text/plain)=\r|END" },
	{ F "\r\n\r\n--\r\n--\r\n--B--", "f(x.txt,text/plain)=\r\n\r\n--\r\n--|END" },
	/* headers */
	{ "--B\r\ncontent-disposition:form-data;name=a\r\n\r\n1\r\n" END, "a=1|END" },
	{ "--B\r\n" CD "filename=x; name=a;\r\nX-Other: y\r\n\r\n1\r\n" END,
	    "a(x,-)=1|END" },
	{ "--B\r\n" CD "name=a\r\nContent-Type: Text/HTML; charset=x\r\n\r\n1\r\n" END,
	    "a(-,text/html)=1|END" },
	{ "--B\r\n" CD "name=\"\"\r\n\r\n1\r\n" END, "=1|END" },
	{ "--B\r\n" CD "name=\"a;b=c\"\r\n\r\n1\r\n" END, "a;b=c=1|END" },
	{ "--B\r\n" CD "name=\"\xc3\xbc\"\r\n\r\n1\r\n" END, "\xc3\xbc=1|END" },
	/* browsers write %22 and a plain backslash; curl writes \" and \\ */
	{ "--B\r\n" CD "name=\"a%22b\"\r\n\r\n1\r\n" END, "a\"b=1|END" },
	{ "--B\r\n" CD "name=\"a\\\"b\\\\\"\r\n\r\n1\r\n" END, "a\"b\\=1|END" },
	{ "--B\r\n" CD "name=a; filename=\"C:\\dir\\x.txt\"\r\n\r\n1\r\n" END,
	    "a(C:\\dir\\x.txt,-)=1|END" },
	{ "--B\r\n" CD "name=a; filename*=UTF-8''y; filename=\"x\"\r\n\r\n1\r\n" END,
	    "a(x,-)=1|END" },
	/* broken delimiters */
	{ "", "BROKEN" },
	{ "--B", "BROKEN" },
	{ "--B-", "BROKEN" },
	{ "--B\r\n", "BROKEN" },
	{ "--B\n" CD "name=a\n\n1\n--B--", "BROKEN" },
	{ "--C\r\n" CD "name=a\r\n\r\n1\r\n--C--", "BROKEN" },
	{ A, "a=BROKEN" },
	{ A "--B", "a=1|BROKEN" },
	{ A "--B\r\n" CD "name=b", "a=1|BROKEN" },
	{ "--B\r\n" CD "name=\"a\"\r\n\r\n1", "a=BROKEN" },
	{ F "22\r\n--", "f(x.txt,text/plain)=22BROKEN" },
	{ A "--Bx\r\n" CD "name=b\r\n\r\n1\r\n" END, "a=1|BROKEN" },
	/* broken headers */
	{ "--B\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\nContent-Type: text/plain\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\n" CD "\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\n" CD "filename=a\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\n" CD "name=\"a\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\n" CD "name=\"a\" b\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\n" CD "name=a; name=b\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\n" CD "name=a\r\n" CD "name=b\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\n" CD "name=a\r\n folded\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\nno colon here\r\n" CD "name=a\r\n\r\n1\r\n" END, "BROKEN" },
	{ "--B\r\n" CD "name\r\n\r\n1\r\n" END, "BROKEN" },
};

START_TEST(a_body_in_pieces_of_any_size)
{
	const char *p = bodies[_i].body;

	for (size_t piece = 1; piece <= strlen(p) + 1; piece++)
		ck_assert_str_eq(told(FORM, p, strlen(p), piece), bodies[_i].told);
}
END_TEST

/* A cut at any byte before the last boundary is broken, never a wrong success. */
START_TEST(a_cut_body_is_broken)
{
	static const char body[] = A F "some\r\n--bytes\r\n" A "--B--";

	for (size_t n = 0; n < sizeof(body) - 1; n++)
		ck_assert_ptr_nonnull(strstr(told(FORM, body, n, 7), "BROKEN"));
	ck_assert_str_eq(told(FORM, body, sizeof(body) - 1, 7),
	    "a=1|f(x.txt,text/plain)=some\r\n--bytes|a=1|END");
}
END_TEST

static const struct {
	const char *type;
	const char *told;
} types[] = {
	{ "multipart/form-data; boundary=B", "a=1|END" },
	{ " Multipart/Form-Data ; charset=utf-8; BOUNDARY=\"B\"; x=y", "a=1|END" },
	{ "multipart/form-data;boundary=B;", "a=1|END" },
	{ NULL, "OTHER" },
	{ "", "OTHER" },
	{ "application/json", "OTHER" },
	{ "multipart/mixed; boundary=B", "OTHER" },
	{ "multipart/form-datax; boundary=B", "OTHER" },
	{ "multipart/form-data", "BROKEN" },
	{ "multipart/form-data;", "BROKEN" },
	{ "multipart/form-data; boundary=", "BROKEN" },
	{ "multipart/form-data; boundary=\"\"", "BROKEN" },
	{ "multipart/form-data; boundary=\"B", "BROKEN" },
	{ "multipart/form-data; boundary=\"B \"", "BROKEN" },
	{ "multipart/form-data; boundary=\"a\\\"b\"", "BROKEN" },
	{ "multipart/form-data; boundary=" /* 71 */
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	    "BROKEN" },
};

START_TEST(the_content_type)
{
	ck_assert_str_eq(
	    told(types[_i].type, A END, sizeof(A END) - 1, 100), types[_i].told);
}
END_TEST

START_TEST(the_longest_boundary)
{
	const char *b =
	    "0123456789012345678901234567890123456789012345678901234567890'()+,";
	const char *type, *body;

	b = arena_printf(mem, "%s_-./", b);
	b = arena_dup(mem, b, 70);
	type = arena_printf(mem, "multipart/form-data; boundary=\"%s\"", b);
	body = arena_printf(mem, "--%s\r\n" CD "name=a\r\n\r\n1\r\n--%s--", b, b);
	ck_assert_str_eq(told(type, body, strlen(body), 11), "a=1|END");
}
END_TEST

/* A file around the size of the window, so that delimiters straddle its end. */
START_TEST(a_delimiter_across_the_windows_edge)
{
	struct buf b = { .mem = mem };
	const char *got;
	size_t n = 65536 - 200 + (size_t)_i;

	buf_str(&b, F);
	memset(buf_room(&b, n), 'x', n);
	b.len += n;
	buf_str(&b, "\r\n" END);
	got = told(FORM, b.p, b.len, 1 << 20);
	ck_assert_uint_eq(strlen(got), strlen("f(x.txt,text/plain)=|END") + n);
	ck_assert_ptr_nonnull(strstr(got, "x|END"));
}
END_TEST

START_TEST(bytes_of_all_values_pass_through)
{
	struct buf b = { .mem = mem };
	struct multipart_part part;
	struct multipart *m;
	const char *p;
	size_t n, seen = 0;
	struct body src;

	buf_str(&b, F);
	for (int i = 0; i < 300000; i++)
		buf_put(&b, &(char){ (char)(i * 7 + i / 256) }, 1);
	buf_str(&b, "\r\n" END);
	src = (struct body){ b.p, b.len, 5000 };
	ck_assert_int_eq(multipart_open(mem, FORM, give, &src, &m), OK);
	ck_assert_int_eq(multipart_next(m, &part), OK);
	do {
		ck_assert_int_eq(multipart_bytes(m, &p, &n), OK);
		ck_assert_int_eq(memcmp(p, b.p + strlen(F) + seen, n), 0);
		seen += n;
	} while (n > 0);
	ck_assert_uint_eq(seen, 300000);
	ck_assert_int_eq(multipart_next(m, &part), ERR_NOT_FOUND);
}
END_TEST

START_TEST(parts_not_read_are_passed_over)
{
	static const char body[] = A F "bytes\r\n" A END;
	struct body src = { body, sizeof(body) - 1, 3 };
	struct multipart_part part;
	struct multipart *m;

	ck_assert_int_eq(multipart_open(mem, FORM, give, &src, &m), OK);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(multipart_next(m, &part), OK);
	ck_assert_str_eq(part.name, "a");
	ck_assert_int_eq(multipart_next(m, &part), ERR_NOT_FOUND);
}
END_TEST

static void
put_parts(struct buf *b, int n, size_t value)
{
	for (int i = 0; i < n; i++) {
		buf_printf(b, "--B\r\n" CD "name=a%d\r\n\r\n", i);
		memset(buf_room(b, value), 'v', value);
		b->len += value;
		buf_str(b, "\r\n");
	}
	buf_str(b, END);
}

static const struct {
	int parts;
	size_t value;
	bool fits;
} limits[] = {
	{ MULTIPART_PARTS, 1, true },
	{ MULTIPART_PARTS + 1, 1, false },
	{ 1, MULTIPART_TEXT_BYTES, true },
	{ 1, MULTIPART_TEXT_BYTES + 1, false },
	{ 2, MULTIPART_TEXT_BYTES / 2, true },
	{ 2, MULTIPART_TEXT_BYTES / 2 + 1, false },
};

START_TEST(limits_of_parts_and_texts)
{
	struct buf b = { .mem = mem };
	const char *got;

	put_parts(&b, limits[_i].parts, limits[_i].value);
	got = told(FORM, b.p, b.len, 65536);
	ck_assert_str_eq(got + strlen(got) - 5, limits[_i].fits ? "v|END" : "LIMIT");
}
END_TEST

START_TEST(limits_of_names_and_headers)
{
	char *s = arena_alloc(mem, 8192), *body;

	memset(s, 'n', MULTIPART_NAME_BYTES + 1);
	body = arena_printf(mem, "--B\r\n" CD "name=%s\r\n\r\n1\r\n" END, s + 1);
	ck_assert_ptr_nonnull(strstr(told(FORM, body, strlen(body), 99), "=1|END"));
	body = arena_printf(mem, "--B\r\n" CD "name=%s\r\n\r\n1\r\n" END, s);
	ck_assert_str_eq(told(FORM, body, strlen(body), 99), "LIMIT");
	memset(s, 'h', 8191);
	body = arena_printf(mem, "--B\r\n" CD "name=a\r\nX: %s\r\n\r\n1\r\n" END, s);
	ck_assert_str_eq(told(FORM, body, strlen(body), 99), "LIMIT");
	memset(s, 'f', 3000);
	s[3000] = '\0';
	body =
	    arena_printf(mem, "--B\r\n" CD "name=a; filename=%s\r\n\r\n1\r\n" END, s);
	ck_assert_ptr_nonnull(strstr(told(FORM, body, strlen(body), 99), "=1|END"));
}
END_TEST

START_TEST(a_nul_in_the_headers_is_broken_but_not_in_a_text)
{
	static const char bad[] = "--B\r\n" CD "name=\"a\0b\"\r\n\r\n1\r\n" END;
	static const char good[] = "--B\r\n" CD "name=a\r\n\r\n1\0002\r\n" END;
	struct body src = { good, sizeof(good) - 1, 64 };
	struct multipart_part part;
	struct multipart *m;
	const char *text;
	size_t n;

	ck_assert_str_eq(told(FORM, bad, sizeof(bad) - 1, 64), "BROKEN");
	ck_assert_int_eq(multipart_open(mem, FORM, give, &src, &m), OK);
	ck_assert_int_eq(multipart_next(m, &part), OK);
	ck_assert_int_eq(multipart_text(m, &text, &n), OK);
	ck_assert_uint_eq(n, 3);
	ck_assert_mem_eq(text, "1\0002", 4);
}
END_TEST

#define TYPED(value) "--B\r\n" CD "name=a\r\nContent-Type:" value "\r\n\r\n1\r\n" END

static const struct {
	const char *body, *type, *charset;
	bool more;
	const char *header;
} part_types[] = {
	{ A END, NULL, NULL, false },
	{ TYPED("text/csv"), "text/csv", NULL, false },
	{ TYPED(" Text/CSV ;; "), "text/csv", NULL, false },
	{ TYPED(" text/csv; charset=UTF-8"), "text/csv", "utf-8", false },
	{ TYPED(" text/csv;CHARSET=\"utf-8\";"), "text/csv", "utf-8", false },
	{ TYPED(" text/csv; charset="), "text/csv", "", false },
	{ TYPED(" text/csv; charset=a; charset=b"), "text/csv", "a", true },
	{ TYPED(" text/csv; header=Absent"), "text/csv", NULL, false, "absent" },
	{ TYPED(" text/csv; header=a; charset=a"), "text/csv", "a", false, "a" },
	{ TYPED(" text/csv; header=a; header=b"), "text/csv", NULL, true, "a" },
	{ TYPED(" text/csv; other=a"), "text/csv", NULL, true },
	{ TYPED(" text/csv; charset"), "text/csv", NULL, true },
	{ TYPED(" text/csv charset=a"), "text/csv", NULL, true },
	{ TYPED(" text/csv; charset=\"a"), "text/csv", NULL, true },
	/* of two types the last counts, with its own parameters */
	{ TYPED(" text/a; charset=a; b=c\r\nContent-Type: text/csv"), "text/csv", NULL,
	    false },
};

START_TEST(a_part_has_the_type_and_charset_that_it_says)
{
	struct body src = { part_types[_i].body, strlen(part_types[_i].body), 1000 };
	struct multipart_part part;
	struct multipart *m;

	ck_assert_int_eq(multipart_open(mem, FORM, give, &src, &m), OK);
	ck_assert_int_eq(multipart_next(m, &part), OK);
	ck_assert_pstr_eq(part.type, part_types[_i].type);
	ck_assert_pstr_eq(part.charset, part_types[_i].charset);
	ck_assert_pstr_eq(part.header, part_types[_i].header);
	ck_assert_int_eq(part.more, part_types[_i].more);
}
END_TEST

/* ---- Content-Transfer-Encoding ---- */

static const struct {
	const char *encoding, *body, *told; /* NULL: invalid */
} encodings[] = {
	{ "base64", "aGVsbG8gd29ybGQ=", "hello world" },
	{ "BASE64", "aGVs\r\nbG8g\r\n\r\nd29y bGQ", "hello world" },
	{ "base64", "/+8=", "\xff\xef" },
	{ "base64", "", "" },
	{ "base64", "\r\n\r\n", "" },
	{ "base64", "aGVsbG8*", NULL },
	{ "base64", "aGVsb", NULL },
	{ "base64", "aGVs=", NULL },
	{ "base64", "aG==Vs", NULL },
	{ "base64", "aG===", NULL },
	{ "base64", "=", NULL },
	{ "quoted-printable", "a=3Db=\r\nc=C3=a9\r\nd", "a=bc\xc3\xa9\r\nd" },
	{ "quoted-printable", "end=", "end" },
	{ "quoted-printable", "soft= \t\r\nend", "softend" },
	{ "quoted-printable", "a=3", NULL },
	{ "quoted-printable", "a=3=D", NULL },
	{ "quoted-printable", "a=g0", NULL },
	{ "binary", "a=g0", "a=g0" },
};

START_TEST(a_part_is_decoded_whatever_its_pieces)
{
	const char *text = arena_printf(mem,
	    "--B\r\n" CD "name=a\r\nContent-Transfer-Encoding: %s\r\n\r\n%s\r\n" END,
	    encodings[_i].encoding, encodings[_i].body);

	for (size_t piece = 1; piece <= strlen(text); piece++) {
		struct body src = { text, strlen(text), piece };
		struct multipart_part part;
		struct multipart *m;
		const char *told;
		size_t n;

		ck_assert_int_eq(multipart_open(mem, FORM, give, &src, &m), OK);
		ck_assert_int_eq(multipart_next(m, &part), OK);
		ck_assert(multipart_decode(m, &part));
		if (encodings[_i].told == NULL) {
			ck_assert_int_eq(multipart_text(m, &told, &n), ERR_REFUSED);
			ck_assert_int_eq(multipart_next(m, &part), ERR_REFUSED);
			continue;
		}
		ck_assert_int_eq(multipart_text(m, &told, &n), OK);
		ck_assert_uint_eq(n, strlen(encodings[_i].told));
		ck_assert_str_eq(told, encodings[_i].told);
		ck_assert_int_eq(multipart_next(m, &part), ERR_NOT_FOUND);
	}
}
END_TEST

START_TEST(without_the_wish_a_part_is_read_as_it_was_sent)
{
	static const char text[] =
	    "--B\r\n" CD "name=a\r\nContent-Transfer-Encoding:base64\r\n\r\naGk=\r\n" A
	    "--B\r\n" CD "name=b\r\nContent-Transfer-Encoding:x\r\n\r\naGk=\r\n" END;
	struct body src = { text, sizeof(text) - 1, 1000 };
	struct multipart_part part;
	struct multipart *m;
	const char *told;

	ck_assert_int_eq(multipart_open(mem, FORM, give, &src, &m), OK);
	ck_assert_int_eq(multipart_next(m, &part), OK);
	ck_assert_str_eq(part.encoding, "base64");
	ck_assert_int_eq(multipart_text(m, &told, NULL), OK);
	ck_assert_str_eq(told, "aGk=");
	ck_assert_int_eq(multipart_next(m, &part), OK);
	ck_assert_ptr_null(part.encoding);
	ck_assert_int_eq(multipart_next(m, &part), OK);
	ck_assert(!multipart_decode(m, &part));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("multipart");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60); /* limit for valgrind */
	tcase_add_loop_test(t, a_body_in_pieces_of_any_size, 0, COUNT(bodies));
	tcase_add_test(t, a_cut_body_is_broken);
	tcase_add_loop_test(t, the_content_type, 0, COUNT(types));
	tcase_add_test(t, the_longest_boundary);
	tcase_add_loop_test(t, a_delimiter_across_the_windows_edge, 0, 210);
	tcase_add_test(t, bytes_of_all_values_pass_through);
	tcase_add_test(t, parts_not_read_are_passed_over);
	tcase_add_loop_test(t, limits_of_parts_and_texts, 0, COUNT(limits));
	tcase_add_test(t, limits_of_names_and_headers);
	tcase_add_test(t, a_nul_in_the_headers_is_broken_but_not_in_a_text);
	tcase_add_loop_test(
	    t, a_part_has_the_type_and_charset_that_it_says, 0, COUNT(part_types));
	tcase_add_loop_test(
	    t, a_part_is_decoded_whatever_its_pieces, 0, COUNT(encodings));
	tcase_add_test(t, without_the_wish_a_part_is_read_as_it_was_sent);
	suite_add_tcase(s, t);
	return unit_run(s);
}
