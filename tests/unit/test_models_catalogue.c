/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The catalogue of models: reading it, and reports of its faults. */
#include "models/catalogue.h"

#include "tests/unit/conf_fixture.h"

static void
begin(void)
{
	setup();
	mkdir(below("share"), 0755);
	mkdir(below("share/models"), 0755);
}

#define ROW(more)                                                                      \
	"[{\"name\":\"x\",\"licence\":\"MIT\",\"licence_url\":\"u\",\"size_mb\":"      \
	"1" more "}]"
#define FROM(part) ",\"sources\":[{\"by\":\"pip\",\"parts\":[{" part "}]}]"

static const struct {
	const char *text, *why;
} faults[] = {
	{ "[", "is not valid JSON" },
	{ "{}", "is not a list of models" },
	{ "[{}]", "has no name" },
	{ "[{\"name\":\"A b\"}]", "has no name" },
	{ "[{\"name\":\"x\"}]", "has no licence" },
	{ "[{\"name\":\"x\",\"for\":\"bundle\"}]", "is a bundle of nothing" },
	{ ROW(""), "has no sources" },
	{ ROW(",\"sources\":[{\"by\":\"ftp\"}]"), "not by https, pip or npm" },
	{ ROW(FROM("\"take\":[]")), "without \"from\"" },
	{ ROW(FROM("\"from\":\"x\",\"sha256\":\"12\"")), "not 64 digits" },
	{ ROW(FROM("\"from\":\"x\",\"take\":[\"a\"]")), "without pairs of names" },
	{ ROW(FROM("\"from\":\"x\",\"take\":[\"a\",\"../b\"]")), "leads elsewhere" },
	{ ROW(",\"needs\":[\"y\"]" FROM("\"from\":\"x\",\"take\":[\"a\",\"b\"]")),
	    "needs a model that is not there" },
};

START_TEST(a_wrong_catalogue_is_refused_with_its_fault)
{
	struct catalogue all;
	const char *why = NULL;

	unit_write(below("share/models/catalogue"), faults[_i].text);
	ck_assert_int_eq(
	    catalogue_read(mem, below("share/models/catalogue"), &all, &why),
	    ERR_REFUSED);
	ck_assert_msg(strstr(why, faults[_i].why) != NULL, "%s", why);
}
END_TEST

/* True if every part of at least one source has a checksum. */
static bool
has_sums(const struct model_row *r)
{
	for (size_t i = 0; i < r->nsources; i++) {
		bool all = true;

		for (size_t k = 0; k < r->sources[i].nparts; k++)
			all &= *r->sources[i].parts[k].sha256 != '\0';
		if (all)
			return true;
	}
	return false;
}

/*
 * Firefox's models may have checksums without having been tried, because Mozilla's
 * repository lists checksums.
 */
START_TEST(each_model_of_the_catalogue_that_was_tried_has_its_sums)
{
	struct catalogue all;
	const char *why;

	ck_assert_msg(
	    catalogue_read(mem, "share/models/catalogue", &all, &why) == OK, "%s", why);
	ck_assert_uint_gt(all.n, 1);
	for (size_t i = 0; i < all.n; i++)
		ck_assert_msg(strcmp(all.rows[i].purpose, "bundle") == 0 ||
				  has_sums(&all.rows[i]) ==
				      (all.rows[i].tried || strncmp(all.rows[i].name,
								"firefox-", 8) == 0),
		    "%s: %s", all.rows[i].name,
		    all.rows[i].tried ? "tried, and a sum is missing"
				      : "has sums, and was not tried");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("models catalogue");
	TCase *t = tcase_create("models catalogue");

	(void)c, (void)read_conf;
	tcase_add_checked_fixture(t, begin, teardown);
	tcase_add_loop_test(
	    t, a_wrong_catalogue_is_refused_with_its_fault, 0, COUNT(faults));
	tcase_add_test(t, each_model_of_the_catalogue_that_was_tried_has_its_sums);
	suite_add_tcase(s, t);
	return unit_run(s);
}
