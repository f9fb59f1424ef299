/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages and addresses of a TURN client; `make turn-test` has a server. */
#include "rtc/stun_message.h"
#include "rtc/turn.h"
#include "tests/unit/stun_fixture.h"

/* ---- credentials ---- */

/* RFC 5769, 2.4: the username is in Japanese, and the password after SASLprep. */
static const char vector_long_term[] =
    "\x00\x01\x00\x60\x21\x12\xa4\x42\x78\xad\x34\x33\xc6\xad\x72\xc0\x29\xda\x41\x2e"
    "\x00\x06\x00\x12\xe3\x83\x9e\xe3\x83\x88\xe3\x83\xaa\xe3\x83\x83\xe3\x82\xaf\xe3"
    "\x82\xb9\x00\x00"
    "\x00\x15\x00\x1c\x66\x2f\x2f\x34\x39\x39\x6b\x39\x35\x34\x64\x36\x4f\x4c\x33\x34"
    "\x6f\x4c\x39\x46\x53\x54\x76\x79\x36\x34\x73\x41"
    "\x00\x14\x00\x0b\x65\x78\x61\x6d\x70\x6c\x65\x2e\x6f\x72\x67\x00"
    "\x00\x08\x00\x14\xf6\x70\x24\x65\x6d\xd6\x4a\x3e\x02\xb8\xe0\x71\x2e\x85\xc9\xa2"
    "\x8c\xa8\x96\x66";

START_TEST(the_key_is_that_of_rfc_5769)
{
	static const char text[] = "\u30de\u30c8\u30ea\u30c3\u30af\u30b9:"
				   "example.org:TheMatrIX";
	const size_t integrity = sizeof(vector_long_term) - 1 - 24;
	unsigned char key[MD5_BYTES];

	hash_md5(text, strlen(text), key);
	ck_assert(stun_message_is_from(
	    (const void *)vector_long_term, integrity, key, sizeof(key)));
	key[0] ^= 1;
	ck_assert(!stun_message_is_from(
	    (const void *)vector_long_term, integrity, key, sizeof(key)));
}
END_TEST

static unsigned char answer[600];

/* Make an answer to the latest request; returns its length. */
static size_t
answer_to(const struct turn_client *c, unsigned type, int code, const char *nonce)
{
	struct stun_message m = stun_message(answer, type, c->id);
	unsigned char *v;

	if (code > 0) {
		v = stun_message_put(&m, STUN_ERROR_CODE, 4);
		v[2] = (unsigned char)(code / 100);
		v[3] = (unsigned char)(code % 100);
	}
	if (nonce != NULL) {
		memcpy(stun_message_put(&m, STUN_REALM, 7), "example", 7);
		memcpy(stun_message_put(&m, STUN_NONCE, strlen(nonce)), nonce,
		    strlen(nonce));
	}
	return m.n;
}

START_TEST(a_request_is_signed_once_the_realm_is_known)
{
	static const char text[] = "1790000000:it:example:secret";
	struct turn_client c = { .username = "1790000000:it", .password = "secret" };
	unsigned char out[TURN_ROOM], key[MD5_BYTES];
	size_t first = turn_write_allocate(&c, out), n;

	n = answer_to(&c, 0x113, 401, "abc");
	ck_assert_int_eq(turn_read_answer(&c, answer, n), 401);
	ck_assert_str_eq(c.realm, "example");
	ck_assert_str_eq(c.nonce, "abc");
	n = turn_write_allocate(&c, out);
	ck_assert_uint_gt(n, first);
	ck_assert_uint_eq(turn_message_bytes(out, n), n);
	hash_md5(text, strlen(text), key);
	ck_assert(stun_message_is_from(out, n - 24, key, sizeof(key)));
}
END_TEST

START_TEST(only_an_answer_to_the_latest_request_counts)
{
	struct turn_client c = { .username = "a", .password = "b" };
	unsigned char out[TURN_ROOM];
	size_t n;

	turn_write_allocate(&c, out);
	n = answer_to(&c, 0x103, 0, NULL);
	ck_assert_int_eq(turn_read_answer(&c, answer, n), 0);
	for (size_t less = 0; less < n; less++)
		ck_assert_int_eq(turn_read_answer(&c, answer, less), -1);
	turn_write_allocate(&c, out);
	ck_assert_int_eq(turn_read_answer(&c, answer, n), -1);
	n = answer_to(&c, 0x118, 403, NULL);
	ck_assert_int_eq(turn_read_answer(&c, answer, n), 403);
	n = answer_to(&c, 0x113, 0, NULL); /* an error without its code */
	ck_assert_int_eq(turn_read_answer(&c, answer, n), -1);
}
END_TEST

START_TEST(a_nonce_that_is_too_long_is_refused)
{
	char nonce[TURN_TEXT + 1] = "";
	struct turn_client c = { .username = "a", .password = "b" };
	unsigned char out[TURN_ROOM];

	memset(nonce, 'n', TURN_TEXT);
	turn_write_allocate(&c, out);
	ck_assert_int_eq(
	    turn_read_answer(&c, answer, answer_to(&c, 0x113, 401, nonce)), 401);
	ck_assert_str_eq(c.nonce, "");
}
END_TEST

START_TEST(data_is_read_as_it_was_sent)
{
	const struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = 7 };
	struct turn_client c = { .username = "a", .password = "b" };
	unsigned char out[TURN_ROOM];
	size_t bytes = 0, n = turn_write_data(&c, (const void *)&peer, "hello", 5, out);
	const void *data;

	ck_assert_ptr_null(turn_read_data(out, n, &bytes)); /* it is from a client */
	out[1] = 0x17;
	data = turn_read_data(out, n, &bytes);
	ck_assert_uint_eq(bytes, 5);
	ck_assert_mem_eq(data, "hello", 5);
}
END_TEST

/* ---- addresses ---- */

static const struct {
	const char *url, *is; /* host, port, t: TCP, s: TLS; NULL: malformed */
} urls[] = {
	{ "turn:turn.example.org", "turn.example.org 3478 " },
	{ "turn:turn.example.org:80?transport=udp", "turn.example.org 80 " },
	{ "turn:192.0.2.1?transport=tcp", "192.0.2.1 3478 t" },
	{ "turns:turn.example.org", "turn.example.org 5349 ts" },
	{ "turns:turn.example.org:443?transport=tcp", "turn.example.org 443 ts" },
	{ "turns:[2001:db8::1]:443", "2001:db8::1 443 ts" },
	{ "turns:turn.example.org:443?transport=udp", NULL },
	{ "turn:turn.example.org?transport=sctp", NULL },
	{ "turn:turn.example.org:0", NULL },
	{ "turn:turn.example.org:65536", NULL },
	{ "turn:turn.example.org:80x", NULL },
	{ "turn:[2001:db8::1", NULL },
	{ "turn:", NULL },
	{ "stun:turn.example.org", NULL },
	{ "", NULL },
};

START_TEST(addresses_are_read)
{
	char is[300];
	struct turn_url to;
	bool read = turn_url_read(urls[_i].url, &to);

	ck_assert_msg(read == (urls[_i].is != NULL), "%s", urls[_i].url);
	if (!read)
		return;
	snprintf(is, sizeof(is), "%s %d %s%s", to.host, to.port, to.tcp ? "t" : "",
	    to.tls ? "s" : "");
	ck_assert_str_eq(is, urls[_i].is);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("turn");
	TCase *t = tcase_create("messages");

	tcase_add_test(t, the_key_is_that_of_rfc_5769);
	tcase_add_test(t, a_request_is_signed_once_the_realm_is_known);
	tcase_add_test(t, only_an_answer_to_the_latest_request_counts);
	tcase_add_test(t, a_nonce_that_is_too_long_is_refused);
	tcase_add_test(t, data_is_read_as_it_was_sent);
	tcase_add_loop_test(t, addresses_are_read, 0, sizeof(urls) / sizeof(urls[0]));
	suite_add_tcase(s, t);
	return unit_run(s);
}
