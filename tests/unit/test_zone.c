/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of time zones, in this system's database and in others. */
#include "base/clock.h"
#include "tests/unit/unit.h"

#define NO_NAME "must be the name of a time zone, such as Europe/Vienna"
#define NO_ZONE "is not a time zone of the IANA database"

static struct arena *mem;
static const char *folder;

static void
setup(void)
{
	mem = arena_new();
	folder = unit_folder(mem);
}

static void
teardown(void)
{
	unit_folder_drop(folder);
	arena_free(mem);
}

static const struct {
	const char *name, *fault; /* NULL: a zone */
} names[] = {
	{ "Europe/Vienna", NULL },
	{ "UTC", NULL },
	{ "Etc/GMT+3", NULL },
	{ "America/Argentina/Ushuaia", NULL },
	{ "America/Port-au-Prince", NULL },
	{ "Asia/Calcutta", NULL }, /* a link */
	{ "US/Eastern", NULL },
	{ "posixrules", NO_ZONE },
	{ "localtime", NO_ZONE },
	{ "right/Europe/Vienna", NO_ZONE },
	{ "posix/Europe/Vienna", NO_ZONE },
	{ "Europe", NO_ZONE },
	{ "europe/vienna", NO_ZONE },
	{ "Europe/Vien", NO_ZONE },
	{ "Europe/Viennax", NO_ZONE },
	{ "tzdata", NO_ZONE },
	{ "", NO_NAME },
	{ "/UTC", NO_NAME },
	{ "UTC/", NO_NAME },
	{ "Europe//Vienna", NO_NAME },
	{ "../zoneinfo/UTC", NO_NAME },
	{ "tzdata.zi", NO_NAME },
	{ "Europe/Vienna 1", NO_NAME },
	{ "AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDDDEEEEEEEEEEFFFFFFFFFFGGGGG",
	    NO_NAME },
};

START_TEST(only_names_of_the_database_are_zones)
{
	ck_assert_pstr_eq(zone_check(names[_i].name), names[_i].fault);
}
END_TEST

static void
put(const char *name, const char *text)
{
	unit_write(arena_printf(mem, "%s/%s", folder, name), text);
}

START_TEST(a_list_of_the_zones_decides_over_their_files)
{
	put("tzdata.zi", "# version 1\nR A 1916 o - Jun 14 23s 1 S\n"
			 "Z Land/City 1 - LMT 1912\n0 A GMT\nL Land/City Land/Town\n"
			 "Z Last");
	put("UTC", "TZif2");
	put("Other", "TZif2");
	ck_assert_ptr_null(zone_check_in(folder, "Land/City"));
	ck_assert_ptr_null(zone_check_in(folder, "Land/Town"));
	ck_assert_ptr_null(zone_check_in(folder, "Last"));
	ck_assert_pstr_eq(zone_check_in(folder, "Other"), NO_ZONE);
	ck_assert_pstr_eq(zone_check_in(folder, "A"), NO_ZONE);
	ck_assert_pstr_eq(zone_check_in(folder, "1"), NO_ZONE);
	ck_assert_pstr_eq(zone_check_in(folder, "Land"), NO_ZONE);
}
END_TEST

START_TEST(without_a_list_the_files_are_looked_at)
{
	static const char *const copies[] = { "localtime", "posixrules", "right/UTC",
		"posix/UTC" };

	mkdir(arena_printf(mem, "%s/right", folder), 0700);
	mkdir(arena_printf(mem, "%s/posix", folder), 0700);
	put("UTC", "TZif2");
	put("text", "# tz zone descriptions");
	for (int i = 0; i < COUNT(copies); i++) {
		put(copies[i], "TZif2");
		ck_assert_pstr_eq(zone_check_in(folder, copies[i]), NO_ZONE);
	}
	ck_assert_ptr_null(zone_check_in(folder, "UTC"));
	ck_assert_pstr_eq(zone_check_in(folder, "text"), NO_ZONE);
	ck_assert_pstr_eq(zone_check_in(folder, "right"), NO_ZONE);
	ck_assert_pstr_eq(zone_check_in(folder, "None"), NO_ZONE);
}
END_TEST

START_TEST(without_a_database_the_form_is_all_there_is)
{
	ck_assert_ptr_null(zone_check_in(folder, "Europe/Vienna"));
	ck_assert_ptr_null(zone_check_in(folder, "No/Where"));
	ck_assert_pstr_eq(zone_check_in(folder, "No Where"), NO_NAME);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("zone");
	TCase *t = tcase_create("all");

	(void)fixture_open, (void)fixture_close;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, only_names_of_the_database_are_zones, 0, COUNT(names));
	tcase_add_test(t, a_list_of_the_zones_decides_over_their_files);
	tcase_add_test(t, without_a_list_the_files_are_looked_at);
	tcase_add_test(t, without_a_database_the_form_is_all_there_is);
	suite_add_tcase(s, t);
	return unit_run(s);
}
