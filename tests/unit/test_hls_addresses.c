/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of HLS change with the access code, and end with the channel. */
#define UNIT_TEST
#include "base/json.h"
#include "service/channel_outputs.h"
#include "tests/unit/channel_fixture.h"

#define OUTPUTS "[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\"]}]"

static void
setup(void)
{
	(void)line;
	channel_fixture();
	fixture.app.conf.hls_dir = arena_printf(fixture.mem, "%s/hls", fixture.dir);
	fixture.app.conf.hls_store = "disk";
	fixture.app.conf.hls_public_url = "https://media.example.org/hls";
	ck_assert_int_eq(mkdir(fixture.app.conf.hls_dir, 0700), 0);
}

static const char *
address(const struct channel *c)
{
	return channel_outputs_hls_of(&fixture.app.conf, fixture.mem, c, "es");
}

static const struct json *
output(void)
{
	const char *why;

	return json_read(fixture.mem, OUTPUTS, strlen(OUTPUTS), &why)->kids;
}

/* Makes the folder of the channel's files, with a playlist. */
static const char *
folder_of(const struct channel *c)
{
	const char *path =
	    channel_outputs_folder(&fixture.app.conf, fixture.mem, c, output());

	ck_assert_int_eq(mkdir(path, 0700), 0);
	unit_write(arena_printf(fixture.mem, "%s/es.m3u8", path), "#EXTM3U\n");
	return path;
}

START_TEST(an_address_changes_with_the_access_code)
{
	struct channel c = { .id = "939ae232-588e-4bce-b71e-d78a1dc02e27",
		.outputs = OUTPUTS,
		.code_version = NULL_INT };
	const char *alone = address(&c), *of[3];

	for (int i = 0; i < COUNT(of); i++) {
		c.code_version = i;
		of[i] = address(&c);
	}
	ck_assert_str_eq(of[0], alone); /* players have known this address before */
	ck_assert_str_ne(of[1], of[0]);
	ck_assert_str_ne(of[2], of[1]);
	ck_assert_str_ne(of[2], of[0]);
}
END_TEST

START_TEST(files_of_the_code_before_are_found_no_more)
{
	struct channel c = { .id = "939ae232-588e-4bce-b71e-d78a1dc02e27",
		.outputs = OUTPUTS,
		.code_version = 1 };
	const char *before = folder_of(&c), *now;

	c.code_version = 2;
	now = folder_of(&c);
	channel_outputs_forget_older(&fixture.app.conf, fixture.mem, &c);
	ck_assert_int_ne(access(before, F_OK), 0);
	ck_assert_int_eq(access(now, F_OK), 0);
	channel_outputs_forget(&fixture.app.conf, fixture.mem, &c);
	ck_assert_int_ne(access(now, F_OK), 0);
	/* there is no playlist */
	channel_outputs_forget(&fixture.app.conf, fixture.mem, &c);
}
END_TEST

START_TEST(in_a_bucket_the_folder_stays_marked_until_that_is_clear)
{
	struct channel c = { .id = "939ae232-588e-4bce-b71e-d78a1dc02e27",
		.outputs = OUTPUTS };
	const char *folder = folder_of(&c);

	fixture.app.conf.hls_store = "bucket";
	channel_outputs_forget(&fixture.app.conf, fixture.mem, &c);
	ck_assert_int_eq(access(arena_printf(fixture.mem, "%s/gone", folder), F_OK), 0);
}
END_TEST

START_TEST(playlists_of_a_deleted_channel_end_with_it)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *folder;
	struct channel c;
	struct response a;

	set_channel(id, "outputs = '" OUTPUTS "'");
	ck_assert_int_eq(
	    channel_get(fixture.app.db, fixture.mem, fixture.account, id, &c), OK);
	folder = folder_of(&c);
	a = on("DELETE", id, NULL);
	answered(a, 200);
	ck_assert_int_ne(access(folder, F_OK), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("addresses of HLS");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, an_address_changes_with_the_access_code);
	tcase_add_test(t, files_of_the_code_before_are_found_no_more);
	tcase_add_test(t, in_a_bucket_the_folder_stays_marked_until_that_is_clear);
	tcase_add_test(t, playlists_of_a_deleted_channel_end_with_it);
	suite_add_tcase(s, t);
	return unit_run(s);
}
