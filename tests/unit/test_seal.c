/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets that are stored encrypted. */
#include "base/seal.h"
#include "tests/unit/suite.h"

START_TEST(what_is_sealed_is_opened_by_its_key_alone)
{
	unsigned char key[SHA256_BYTES] = { 1 }, other[SHA256_BYTES] = { 2 };
	const char *const texts[] = { "", "a", "whsec_ and more" };

	struct arena *mem = arena_new();

	for (int i = 0; i < COUNT(texts); i++) {
		char *sealed = arena_str(mem, seal_text(mem, key, texts[i]));

		ck_assert_str_eq(seal_open(mem, key, sealed), texts[i]);
		ck_assert_ptr_null(seal_open(mem, other, sealed));
		ck_assert_str_ne(seal_text(mem, key, texts[i]), sealed);
		for (size_t at = 0; sealed[at] != '\0'; at++) {
			char was = sealed[at];

			sealed[at] = was == 'A' ? '_' : 'A';
			ck_assert_ptr_null(seal_open(mem, key, sealed));
			sealed[at] = was;
		}
		sealed[20] = '\0';
		ck_assert_ptr_null(seal_open(mem, key, sealed));
	}
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("seal");
	TCase *t = tcase_create("all");

	tcase_add_test(t, what_is_sealed_is_opened_by_its_key_alone);
	suite_add_tcase(s, t);
	return unit_run(s);
}
