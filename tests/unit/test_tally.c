/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters under names that clients choose. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "lib/gateway/tally.c"
#include "tests/unit/suite.h"

START_TEST(each_name_is_counted)
{
	struct arena *mem = arena_new();
	struct tally *t = tally_new(mem);
	char name[16];

	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "%d", i % 5000);
		tally_add(t, name);
	}
	ck_assert_int_eq(tally_of(t, "4999"), 2);
	ck_assert_int_eq(tally_of(t, "5000"), 0);
	tally_remove(t, "4999");
	ck_assert_int_eq(tally_of(t, "4999"), 1);
	tally_remove(t, "4999");
	ck_assert_int_eq(tally_of(t, "4999"), 0);
	arena_free(mem);
}
END_TEST

/* Returns the slot in which a separate process stores a name. */
static unsigned
place(void)
{
	unsigned at = 0;
	int to[2];
	pid_t pid;

	ck_assert_int_eq(pipe(to), 0);
	if ((pid = fork()) == 0) {
		struct tally *t = tally_new(arena_new());

		tally_add(t, "192.0.2.7");
		at = find(t, "192.0.2.7")->hh.hashv;
		_exit(write(to[1], &at, sizeof(at)) != sizeof(at));
	}
	ck_assert_int_eq(read(to[0], &at, sizeof(at)), sizeof(at));
	waitpid(pid, NULL, 0);
	return at;
}

START_TEST(a_name_is_kept_elsewhere_in_each_process)
{
	ck_assert_uint_ne(place(), place());
}
END_TEST

/* The test vector of SipHash-2-4's authors: bytes 0 to 14 with the key 0 to 15. */
START_TEST(a_keyed_hash_is_siphash)
{
	unsigned char key[SIPHASH_KEY_BYTES];

	for (int i = 0; i < SIPHASH_KEY_BYTES; i++)
		key[i] = (unsigned char)i;
	ck_assert_uint_eq(hash_keyed(key, key, 0), UINT64_C(0x726fdb47dd0e0e31));
	ck_assert_uint_eq(hash_keyed(key, key, 8), UINT64_C(0x93f5f5799a932462));
	ck_assert_uint_eq(hash_keyed(key, key, 15), UINT64_C(0xa129ca6149be45e5));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tally");
	TCase *t = tcase_create("all");

	tcase_add_test(t, each_name_is_counted);
	tcase_add_test(t, a_name_is_kept_elsewhere_in_each_process);
	tcase_add_test(t, a_keyed_hash_is_siphash);
	suite_add_tcase(s, t);
	return unit_run(s);
}
