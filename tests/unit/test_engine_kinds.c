/*
 * The table of the kinds of engines: what each row lacks is named.
 */
#include "speech/engine.h"
#include "tests/unit/unit.h"

#define HAS(ops, what)                                                                 \
	ck_assert_msg((ops)->what != NULL, "%s lacks " #ops "." #what, k->name)

static void
check_asr(const struct engine_kind *k, const struct asr_engine *asr)
{
	HAS(asr, knows);
	HAS(asr, open);
	HAS(asr, feed);
	HAS(asr, partial);
	HAS(asr, finish);
	HAS(asr, drop);
	HAS(asr, close);
}

static void
check_mt(const struct engine_kind *k, const struct mt_engine *mt)
{
	HAS(mt, pairs);
	HAS(mt, translate);
	HAS(mt, list);
}

START_TEST(every_row_is_whole)
{
	for (const struct engine_kind *k = engine_kinds; k->name != NULL; k++) {
		ck_assert_msg(k->asr != NULL || k->mt != NULL || k->tts != NULL ||
				  k->speak != NULL || k->clone != NULL,
		    "%s can nothing", k->name);
		ck_assert_ptr_eq(engine_find(k->name), k);
		if (k->asr != NULL)
			check_asr(k, k->asr);
		if (k->mt != NULL)
			check_mt(k, k->mt);
	}
	ck_assert_ptr_null(engine_find("babel"));
	ck_assert_ptr_null(engine_find("none"));
	ck_assert_ptr_null(engine_find(""));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("engine kinds");
	TCase *t = tcase_create("all");

	tcase_add_test(t, every_row_is_whole);
	suite_add_tcase(s, t);
	return unit_run(s);
}
