/* Which address of a server is called. */
#include <netdb.h>

static int given_addresses(
    const char *, const char *, const struct addrinfo *, struct addrinfo **);

#define getaddrinfo given_addresses
#include "egress/stream_push.c"
#undef getaddrinfo

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
	{ { "2001:4860:4860::8888", "8.8.8.8" }, false, "[2001:4860:4860::8888]" },
	{ { "8.8.8.8", "10.1.2.3" }, false, NULL },
	{ { "10.1.2.3", "8.8.8.8" }, false, NULL },
	{ { "8.8.8.8", "::1" }, false, NULL },
	{ { "10.1.2.3", "8.8.8.8" }, true, "10.1.2.3" },
};

START_TEST(all_addresses_of_a_name_are_public)
{
	struct arena *mem = arena_new();
	const struct place at = { .host = "push.example.org" };
	const char *why, *to;

	given = names[_i].ips;
	to = resolve(mem, &at, names[_i].any, &why);
	ck_assert_pstr_eq(to, names[_i].to);
	if (to == NULL)
		ck_assert_str_eq(why, "The server's address is not a public one.");
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream_push");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, all_addresses_of_a_name_are_public, 0, COUNT(names));
	suite_add_tcase(s, t);
	return unit_run(s);
}
