/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing the address of a server that a stream is pushed to. */
#include <netdb.h>

static int given_addresses(
    const char *, const char *, const struct addrinfo *, struct addrinfo **);

#define getaddrinfo given_addresses
#include "egress/stream_push.c"
#undef getaddrinfo

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#include "tests/unit/suite.h"

static const char *const *given;

static int
given_addresses(const char *host, const char *port, const struct addrinfo *want,
    struct addrinfo **to)
{
	struct addrinfo numbers = *want;

	(void)host, (void)port;
	numbers.ai_flags |= AI_NUMERICHOST;
	for (const char *const *ip = given; *ip != NULL; ip++, to = &(*to)->ai_next)
		ck_assert_int_eq(getaddrinfo(*ip, NULL, &numbers, to), 0);
	return 0;
}

static const struct {
	const char *ips[4];
	bool any;
	const char *to;
} names[] = {
	{ { "8.8.8.8", "2001:4860:4860::8888" }, false, "8.8.8.8" },
	{ { "2001:4860:4860::8888", "8.8.8.8" }, false, "2001:4860:4860::8888" },
	{ { "8.8.8.8", "10.1.2.3" }, false, NULL },
	{ { "10.1.2.3", "8.8.8.8" }, false, NULL },
	{ { "8.8.8.8", "::1" }, false, NULL },
	{ { "10.1.2.3", "8.8.8.8" }, true, "10.1.2.3" },
};

START_TEST(all_addresses_of_a_name_are_public)
{
	struct arena *mem = arena_new();
	const struct destination at = { .host = "push.example.org" };
	const char *why, *to;

	given = names[_i].ips;
	to = resolve(mem, &at, names[_i].any, &why);
	ck_assert_pstr_eq(to, names[_i].to);
	if (to == NULL)
		ck_assert_str_eq(why, "The server's address is not a public one.");
	arena_free(mem);
}
END_TEST

/* ---- a name whose address changes after it was checked ---- */

static int
listen_at(const char *ip, in_port_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = *port };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(inet_pton(AF_INET, ip, &at.sin_addr), 1);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, n), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	*port = at.sin_port;
	return fd;
}

/* Accepts a connection, reads its first bytes and closes it. */
static void *
take_call(void *arg)
{
	static char bytes[4096];
	int fd = accept(*(const int *)arg, NULL, NULL);

	ck_assert_int_gt(recv(fd, bytes, sizeof(bytes), 0), 0);
	close(fd);
	return bytes;
}

/* libavformat itself finds 127.0.0.1 for this name. */
START_TEST(the_address_that_was_checked_is_called)
{
	static const char *const schemes[] = { "rtmps", "rtmp" };
	static const char *const checked[] = { "127.0.0.2", NULL };
	struct arena *mem = arena_new();
	in_port_t port = 0;
	int is = listen_at(checked[0], &port), other = listen_at("127.0.0.1", &port);
	struct pollfd calls = { .fd = other, .events = POLLIN };
	const struct egress_order order = { .server = arena_printf(mem,
						"%s://localhost:%d/live", schemes[_i],
						ntohs(port)),
		.stream_key = "k",
		.allow_private = true };
	AVCodecContext *encoder = avcodec_alloc_context3(NULL);
	struct stream_push s = { .order = &order, .encoder = encoder, .muxer = "flv" };
	pthread_t thread;
	void *hello;

	given = checked;
	ck_assert_int_eq(pthread_create(&thread, NULL, take_call, &is), 0);
	ck_assert_pstr_ne(try_connect(&s, &ways[0]), NULL);
	ck_assert_int_eq(poll(&calls, 1, 0), 0);
	pthread_join(thread, &hello);
	if (_i == 0) /* the server's name, for checking its certificate */
		ck_assert_ptr_nonnull(memmem(hello, 4096, "localhost", 9));
	close(is);
	close(other);
	avcodec_free_context(&encoder);
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream_push");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, all_addresses_of_a_name_are_public, 0, COUNT(names));
	tcase_add_loop_test(t, the_address_that_was_checked_is_called, 0, 2);
	suite_add_tcase(s, t);
	return unit_run(s);
}
