/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/chunked_body.h"

#include <check.h>
#include <string.h>

#include "tests/unit/suite.h"

/* clang-format off */
static const struct {
	const char *sent, *decoded;
	int state;
} bodies[] = {
	{ "0\r\n\r\n",                              "",           CHUNKS_DONE },
	{ "5\r\nhello\r\n0\r\n\r\n",                "hello",      CHUNKS_DONE },
	{ "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",      "hello!",     CHUNKS_DONE },
	{ "a\r\n0123456789\r\n0\r\n\r\n",           "0123456789", CHUNKS_DONE },
	{ "00A\r\n0123456789\r\n00\r\n\r\n",        "0123456789", CHUNKS_DONE },
	{ "2;x=\"y\"\r\n\r\n\r\n0;z\r\n\r\n",       "\r\n",       CHUNKS_DONE },
	{ "2 \r\nab\r\n0\r\nA: b\r\nC:\r\n\r\n",    "ab",         CHUNKS_DONE },
	{ "2\r\nab\r\n0\r\n\r\nGET / HTTP/1.1\r\n", "ab",         CHUNKS_DONE },
	/* a part of a body */
	{ "",                                       "",           CHUNKS_SIZE },
	{ "5\r\nhel",                               "hel",        CHUNKS_DATA },
	{ "3\r\nhel",                               "hel",        CHUNKS_END },
	{ "3\r\nhel\r\n0\r\n",                      "hel",        CHUNKS_TRAILER },
	{ "3\r\nhel\r\n0\r\nA: b\r\n",              "hel",        CHUNKS_TRAILER },
	/* malformed */
	{ "\r\n",                                   "",           CHUNKS_BAD },
	{ "x\r\n",                                  "",           CHUNKS_BAD },
	{ "-1\r\n",                                 "",           CHUNKS_BAD },
	{ " 1\r\na\r\n",                            "",           CHUNKS_BAD },
	{ "0x1\r\na\r\n",                           "",           CHUNKS_BAD },
	{ "123456789\r\n",                          "",           CHUNKS_BAD },
	{ "1\na\n0\n\n",                            "",           CHUNKS_BAD },
	{ "1;a\rb\r\na\r\n",                        "",           CHUNKS_BAD },
	{ "1\r\nab\r\n0\r\n\r\n",                   "a",          CHUNKS_BAD },
	{ "1\r\na\n0\r\n\r\n",                      "a",          CHUNKS_BAD },
	{ "1\r\na\r\r\n0\r\n\r\n",                  "a",          CHUNKS_BAD },
	{ "1\r\na\r\n\r\n0\r\n\r\n",                "a",          CHUNKS_BAD },
	{ "0\r\nA: b\n\r\n",                        "",           CHUNKS_BAD },
	{ "0\r\nA: b\rc\r\n\r\n",                   "",           CHUNKS_BAD },
};
/* clang-format on */

START_TEST(a_body_is_decoded_whatever_its_pieces)
{
	const char *sent = bodies[_i].sent;
	size_t n = strlen(sent);

	for (size_t piece = 1; piece <= n + 1; piece++) {
		char bytes[100], decoded[100];
		struct chunked_body k = { 0 };
		size_t got = 0;

		for (size_t at = 0; at < n; at += piece) {
			size_t here = n - at < piece ? n - at : piece, part;

			memcpy(bytes, sent + at, here);
			part = chunked_body_decode(&k, bytes, here);
			ck_assert_uint_le(part, here);
			memcpy(decoded + got, bytes, part);
			got += part;
		}
		decoded[got] = '\0';
		ck_assert_str_eq(decoded, bodies[_i].decoded);
		ck_assert_int_eq((int)k.state, bodies[_i].state);
	}
}
END_TEST

/* Decodes the beginning, then a line of n bytes. */
static int
state_after(const char *begin, char c, int n)
{
	struct chunked_body k = { 0 };
	char bytes[100];

	strcpy(bytes, begin);
	chunked_body_decode(&k, bytes, strlen(begin));
	while (n-- > 0)
		chunked_body_decode(&k, &c, 1);
	return (int)k.state;
}

START_TEST(extensions_and_trailers_have_an_end)
{
	ck_assert_int_eq(state_after("1;", 'x', 200), CHUNKS_REST);
	ck_assert_int_eq(state_after("1;", 'x', 300), CHUNKS_BAD);
	ck_assert_int_eq(state_after("0\r\n", 'x', 8000), CHUNKS_TRAILER);
	ck_assert_int_eq(state_after("0\r\n", 'x', 8200), CHUNKS_BAD);
	ck_assert_int_eq(state_after("", '0', 9), CHUNKS_BAD);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("chunked_body");
	TCase *t = tcase_create("chunked_body");

	tcase_add_loop_test(t, a_body_is_decoded_whatever_its_pieces, 0, COUNT(bodies));
	tcase_add_test(t, extensions_and_trailers_have_an_end);
	suite_add_tcase(s, t);
	return unit_run(s);
}
