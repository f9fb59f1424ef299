/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Behaviour that only the driver of Janus has. */
#include "tests/unit/cutting_proxy.h"
#include "tests/unit/shared_janus.h"

#include "broadcast/janus_object.h"

START_TEST(janus_wants_settings)
{
	struct conf c = blank_conf();

	c.janus_public_url = "wss://janus.example.org";
	ck_assert_str_eq(broadcast_janus.lacks(&c), "janus.admin_secret is not set.");
	c.janus_admin_secret = "secret";
	ck_assert_str_eq(broadcast_janus.lacks(&c), "janus.admin_key is not set.");
	c.janus_admin_key = "key";
	ck_assert_ptr_null(broadcast_janus.lacks(&c));
	ck_assert_str_eq(
	    broadcast_janus.webrtc_url(&c, mem), "wss://janus.example.org");
	c.janus_public_url = "";
	ck_assert_str_eq(broadcast_janus.lacks(&c), "janus.public_url is not set.");
}
END_TEST

static const char *
admission(const char *name, bool secrets)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	driver->admit(&conf, mem, name, secrets, &j);
	jw_close(&j);
	return buf_text(&b);
}

START_TEST(a_publisher_is_told_room_and_pin)
{
	const char *name = new_name(), *text, *why;
	const struct json *told;

	ck_assert_int_eq(create(name, "[]"), OK);
	text = admission(name, true);
	told = json_read(mem, text, strlen(text), &why);
	ck_assert_int_eq(told->n, 2);
	ck_assert_str_eq(json_get_text(told, "room"), name);
	ck_assert_int_eq(strlen(json_get_text(told, "pin")), 32);
	ck_assert_str_eq(admission(name, true), text);
	ck_assert_str_ne(admission(new_name(), true), text);
	random_bytes(conf.master, sizeof(conf.master));
	ck_assert_str_ne(admission(name, true), text);
}
END_TEST

START_TEST(without_the_right_to_speak_the_pin_is_null)
{
	const char *name = new_name();

	ck_assert_str_eq(admission(name, false),
	    arena_printf(mem, "{\"room\":\"%s\",\"pin\":null}", name));
}
END_TEST

START_TEST(rooms_and_mountpoints_of_janus_are_private)
{
	const char *name = new_name();
	const char *info = "\"request\":\"info\",\"id\":\"%s-es\"";
	const struct json *a;

	ck_assert_int_eq(create(name, "[\"es\"]"), OK);
	a = janus_told("audiobridge", "\"request\":\"list\"");
	ck_assert_int_eq(json_get(a, "list")->n, 0);
	a = janus_told("streaming", "\"request\":\"list\"");
	ck_assert_int_eq(json_get(a, "list")->n, 0);
	a = janus_all("audiobridge")->kids;
	ck_assert(json_get(a, "pin_required")->u.b);
	ck_assert_int_eq(json_get(a, "sampling_rate")->u.i, 48000);
	a = json_get(janus_told("streaming", arena_printf(mem, info, name)), "info");
	ck_assert_str_eq(json_get_text(a, "type"), "live");
	a = json_get(a, "media")->kids;
	ck_assert_str_eq(json_get_text(a, "codec"), "opus");
	ck_assert_int_eq(json_get(a, "pt")->u.i, 111);
}
END_TEST

START_TEST(a_name_of_another_installation_is_refused)
{
	const char *name = new_name();
	const struct conf ours = conf;

	ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
	random_bytes(conf.master, sizeof(conf.master));
	ck_assert_int_eq(create(name, "[\"es\"]"), ERR_REFUSED);
	ck_assert_int_eq(change(name, "[\"es\"]"), ERR_REFUSED);
	ck_assert_int_eq(destroy(name), ERR_REFUSED);
	lists("");
	conf = ours;
	lists(line(name, "es fr"));
}
END_TEST

START_TEST(a_room_that_is_missing_is_told_though_its_mountpoints_are_there)
{
	const char *name = new_name();
	struct janus at = janus_start(&conf, mem);
	struct janus_object room = janus_room(name);
	struct list all;

	ck_assert_int_eq(create(name, "[\"es\"]"), OK);
	ck_assert_int_eq(broadcast_janus.list(&conf, mem, &all), OK);
	ck_assert(((struct broadcast_seen *)all.items)->whole);
	ck_assert_int_eq(janus_drop(&at, &room), OK);
	ck_assert_int_eq(broadcast_janus.list(&conf, mem, &all), OK);
	ck_assert_int_eq(all.n, 1);
	ck_assert(!((struct broadcast_seen *)all.items)->whole);
}
END_TEST

START_TEST(a_wrong_admin_key_is_refused)
{
	const char *name = new_name();
	const struct conf ours = conf;

	conf.janus_admin_key = "wrong";
	ck_assert_int_eq(create(name, "[]"), ERR_REFUSED);
	conf = ours;
	has_no(name);
}
END_TEST

START_TEST(an_answer_without_its_part_is_none)
{
	all_told("200 OK", "{\"janus\":\"success\"}", ERR_TIMEOUT);
	all_told("200 OK", "{\"janus\":\"success\",\"response\":[]}", ERR_TIMEOUT);
	all_told("200 OK", "{\"janus\":\"error\"}", ERR_TIMEOUT);
	all_told("200 OK", "{\"janus\":\"error\",\"error\":{}}", ERR_REFUSED);
	all_told("200 OK", "{\"janus\":\"success\",\"response\":{\"error_code\":1}}",
	    ERR_REFUSED);
	all_told("404 Not Found", "", ERR_REFUSED);
}
END_TEST

/* Settings of a Janus that this test restarts. */
static const struct {
	const char *settings, *admin_key;
	enum err e;
} ways[] = {
	/* clang-format off */
	{ "string_ids = true, admin_key = \"key\"",  "key", OK },
	{ "string_ids = true",                       "key", ERR_REFUSED },
	{ "admin_key = \"key\"",                     "key", ERR_REFUSED },
	{ "string_ids = true, admin_key = \"key\", rtp_port_range = \"20990-20990\"",
	                                             "key", ERR_TIMEOUT },
	/* clang-format on */
};

static void
set_plugin(const char *plugin, const char *settings)
{
	const char *path =
	    arena_printf(mem, "%s/etc/janus.plugin.%s.jcfg", janus.dir, plugin);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fprintf(f, "general: { %s }\n", settings), 0);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(janus_is_set_up_in_ways)
{
	const char *name = new_name();

	set_plugin("audiobridge", ways[_i].settings);
	set_plugin("streaming", ways[_i].settings);
	janus_fixture.start(&conf);
	conf.janus_admin_key = ways[_i].admin_key;
	ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), ways[_i].e);
	ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), ways[_i].e);
	if (ways[_i].e == OK) {
		lists(line(name, "es fr"));
		ck_assert_int_eq(change(name, "[\"de\"]"), OK);
		lists(line(name, "de"));
	}
	if (ways[_i].e != ERR_REFUSED)
		ck_assert_int_eq(destroy(name), OK);
	lists("");
}
END_TEST

/* ---- the suite ---- */

static TCase *
shared(void)
{
	TCase *t = tcase_create("janus");

	tcase_set_timeout(t, 30);
	tcase_add_unchecked_fixture(t, open_fixture, janus_stop);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, janus_wants_settings);
	tcase_add_test(t, a_publisher_is_told_room_and_pin);
	tcase_add_test(t, without_the_right_to_speak_the_pin_is_null);
	tcase_add_test(t, rooms_and_mountpoints_of_janus_are_private);
	tcase_add_test(t, a_name_of_another_installation_is_refused);
	tcase_add_test(
	    t, a_room_that_is_missing_is_told_though_its_mountpoints_are_there);
	tcase_add_test(t, a_wrong_admin_key_is_refused);
	tcase_add_test(t, an_answer_without_its_part_is_none);
	return t;
}

static TCase *
own(void)
{
	TCase *t = tcase_create("own janus");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, open_fixture, janus_stop);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, janus_is_set_up_in_ways, 0, COUNT(ways));
	return t;
}

int
main(void)
{
	Suite *s = suite_create("broadcast janus");

	suite_add_tcase(s, shared());
	suite_add_tcase(s, own());
	return unit_run(s);
}
