/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public view of an event: made, cached and read. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"

#include "blob/signed_url.h"
/* ETags differ between programs and are not compared */
#include "service/public_view.c"

#define BASE "https://speech.example.org"
#define VIEW BASE "/saas/v2/event/public/"

static void
setup(void)
{
	listener_fixture();
}

/* ---- the view ---- */

/*
 * The contract's members, in the order of the contract except that members that change
 * with time come first.
 */
START_TEST(the_view_is_that_of_the_example)
{
	struct response a;

	set_event(event,
	    "description = 'Two days', type = 'in-person', location = 'Vienna',"
	    " timezone = 'Europe/Vienna', start_us = 1796112000000000,"
	    " end_us = 1796227200000000, languages = '[\"de\",\"fr\"]',"
	    " access_code = 'FORUM26', agenda = '[{\"session_id\":\"x\"}]'");
	set_channel(channel, "runtime = 'active'");
	a = at_event("GET", "?code=FORUM26", NULL);
	answered(a, 200);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"lifecycle_status\":\"live\","
		"\"captcha_required\":false,\"event_id\":\"%s\",\"title\":"
		"\"Health Forum\",\"description\":\"Two days\",\"event_type\":"
		"\"in-person\",\"location\":\"Vienna\",\"timezone\":"
		"\"Europe/Vienna\",\"utc_start_dt\":\"2026-12-01T08:00:00Z\","
		"\"utc_end_dt\":\"2026-12-02T16:00:00Z\",\"qr_code_url\":\"" VIEW
		"%s/qr.svg\",\"target_languages\":[\"de\",\"fr\"],"
		"\"listener_language_mode\":\"approval\",\"transcript\":\"off\",\"room_"
		"name_suffix\":"
		"\"k3v9q2xa\",\"stages\":[{\"stage_id\":\"%s\",\"event_id\":\"%s\","
		"\"name\":\"Main stage\",\"status\":\"live\",\"qr_code_url\":\"" VIEW
		"%s/qr.svg?stage=%s\",\"greenscreen_settings\":null,"
		"\"utc_created_at\":\"2026-11-20T10:18:44Z\",\"utc_updated_at\":"
		"\"2026-11-20T10:18:44Z\",\"channels\":[{\"channel_id\":\"%s\","
		"\"stage_id\":\"%s\",\"broadcast_id\":\"%s-1\",\"name\":"
		"\"Main hall\",\"input_type\":\"webrtc_push\",\"runtime_status\":"
		"\"active\",\"source_language\":\"en\",\"target_languages\":[\"de\","
		"\"fr\"]}]}],\"sessions\":[{\"session_id\":\"x\"}]}}",
		event, event, stage, event, event, stage, channel, stage, channel));
	ck_assert_pstr_eq(head_of(&a, "Cache-Control"), "no-store");
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "application/json");
}
END_TEST

START_TEST(members_without_a_value_are_left_out)
{
	struct response a = view();

	is(a, "/data/description", "(none)");
	is(a, "/data/location", "(none)");
	is(a, "/data/timezone", "(none)");
	is(a, "/data/cover_image_url", "(none)");
	is(a, "/data/sessions", "[]");
	is(a, "/data/captcha_required", "false");
}
END_TEST

static const struct {
	const char *channel, *status, *seen;
} channels[] = {
	{ "lifecycle = 'ready'", "ready", "Main hall" },
	{ "lifecycle = 'ready', runtime = 'active'", "live", "Main hall" },
	{ "lifecycle = 'creating', broadcast = NULL", "setup_required", "(none)" },
	{ "lifecycle = 'failed'", "setup_required", "(none)" },
	{ "lifecycle = 'deleting'", "setup_required", "(none)" },
};

START_TEST(only_what_can_be_listened_to_is_shown)
{
	struct response a;

	set_channel(channel, channels[_i].channel);
	a = view();
	is(a, "/data/stages/0/status", channels[_i].status);
	is(a, "/data/stages/0/channels/0/name", channels[_i].seen);
	is(a, "/data/stages/0/channels/0/lifecycle_status", "(none)");
	is(a, "/data/stages/0/channels/1", "(none)");
}
END_TEST

/* ---- its status ---- */

static const struct {
	const char *event, *status;
} statuses[] = {
	{ "title = title", "upcoming" },
	{ "start_us = 1", "ready" },
	{ "start_us = 1, end_us = 2", "finished" },
	{ "finished_us = 2", "finished" },
	{ "channels_ready = 0", "setup_required" },
	{ "channels_ready = 0, start_us = 1", "setup_required" },
	{ "channels_ready = 0, end_us = 2", "finished" },
	{ "channels_active = 1, end_us = 2, finished_us = 2", "live" },
};

/* Time passes without a write. */
START_TEST(the_status_is_that_of_the_moment_though_the_view_is_kept)
{
	const char *tag = tag_of_view(), *kept = sql("SELECT * FROM bundles");
	struct response a;
	struct event ev;

	sql(arena_printf(fixture.mem, "UPDATE events SET %s",
	    statuses[_i].event)); /* no set_event() */
	a = view();
	is(a, "/data/lifecycle_status", statuses[_i].status);
	ck_assert_int_eq(strcmp(head_of(&a, "ETag"), tag) != 0, _i > 0);
	ck_assert_str_eq(sql("SELECT * FROM bundles"), kept);
	ck_assert_int_eq(event_get_public(fixture.app.db, fixture.mem, event, &ev), OK);
	is(a, "/data/lifecycle_status", ev.lifecycle);
}
END_TEST

/* ---- how it is kept ---- */

START_TEST(a_view_is_made_once_and_then_read)
{
	struct response a;

	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
	view();
	ck_assert_str_eq(sql("SELECT maker FROM bundles"),
	    arena_printf(fixture.mem, BASE " " VERSION " 2 %s\n",
		fields_hash(fixture.mem, event_public_fields)));
	sql("UPDATE bundles SET body = '\"title\":\"as it was kept\"'");
	a = view();
	is(a, "/data/title", "as it was kept");
}
END_TEST

static const char *const makers[] = { BASE " 0.0.1", BASE, BASE " " VERSION,
	BASE " " VERSION " 2 0123456789abcdef" };

START_TEST(what_another_build_or_address_made_is_made_anew)
{
	const char *tag = tag_of_view();
	struct response a;

	sql(arena_printf(fixture.mem,
	    "UPDATE bundles SET body = '\"title\":\"x\"', maker = '%s'", makers[_i]));
	a = view();
	is(a, "/data/title", "Health Forum");
	fixture.app.conf.server_base_url = "https://other.example.org/x";
	a = view();
	is(a, "/data/qr_code_url",
	    arena_printf(fixture.mem,
		"https://other.example.org/x/saas/v2/event/public/%s/qr.svg", event));
	ck_assert_str_ne(head_of(&a, "ETag"), tag);
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 1);
}
END_TEST

#define INNER(n, name, flag)                                                           \
	static const struct field n[] = { { name, F_TEXT, .flags = flag }, FIELDS_END }
#define OUTER(n, name, type, inner)                                                    \
	static const struct field n[] = { { "id", F_TEXT, .flags = F_OUT },            \
		{ name, type, .flags = F_OUT, .of = inner }, FIELDS_END }

INNER(inner, "name", F_OUT);
INNER(inner_name, "title", F_OUT);
INNER(inner_flag, "name", F_OUT | F_NULLABLE);
OUTER(outer, "stages", F_LIST, inner);
OUTER(outer_name, "rooms", F_LIST, inner);
OUTER(outer_type, "stages", F_OBJ, inner);
OUTER(other_name, "stages", F_LIST, inner_name);
OUTER(other_flag, "stages", F_LIST, inner_flag);
OUTER(deep, "events", F_LIST, outer);
OUTER(deep_other, "events", F_LIST, other_name);

START_TEST(a_build_with_other_fields_is_another_maker)
{
	static const struct field *const all[] = { outer, outer_name, outer_type,
		other_name, other_flag, inner, deep, deep_other, outer + 1 };

	for (int i = 0; i < COUNT(all); i++)
		for (int j = 0; j < COUNT(all); j++)
			ck_assert_int_eq(strcmp(fields_hash(fixture.mem, all[i]),
					     fields_hash(fixture.mem, all[j])) == 0,
			    i == j);
}
END_TEST

START_TEST(a_change_of_the_event_or_its_channels_shows_at_once)
{
	struct event was, ev;
	struct response a;

	view();
	ck_assert_int_eq(
	    event_get(fixture.app.db, fixture.mem, fixture.account, event, &was), OK);
	ev = was;
	ev.title = "Another title";
	ck_assert_int_eq(db_begin(fixture.app.db, DB_ALL), OK);
	ck_assert_int_eq(event_put(fixture.app.db, fixture.mem, &was, &ev), OK);
	ck_assert_int_eq(db_commit(fixture.app.db), OK);
	a = view();
	is(a, "/data/title", "Another title");
	sql("UPDATE channels SET name = 'Side room'");
	ck_assert_int_eq(event_channels_changed(fixture.app.db, event), OK);
	a = view();
	is(a, "/data/stages/0/channels/0/name", "Side room");
}
END_TEST

/* ---- tags ---- */

START_TEST(a_client_that_has_the_view_gets_304)
{
	const char *tag = tag_of_view();
	const char *const known[] = { tag, arena_printf(fixture.mem, "W/%s", tag), "*",
		arena_printf(fixture.mem, "\"x\", %s", tag) };

	ck_assert_int_eq(tag[0], '"');
	for (int i = 0; i < COUNT(known); i++) {
		struct response a = view_unless(known[i]);

		answered(a, 304);
		ck_assert_pstr_eq(head_of(&a, "ETag"), tag);
	}
	ck_assert_int_eq(view_unless("\"x\"").status, 200);
	set_event(event, "title = 'Another'");
	ck_assert_int_eq(view_unless(tag).status, 200);
	ck_assert_str_ne(tag_of_view(), tag);
	set_event(event, "title = 'Health Forum', version = version + 1");
	ck_assert_str_eq(
	    tag_of_view(), tag); /* it says what exists, but not since when */
}
END_TEST

/* ---- covers ---- */

/* Uses a blob of the account as the event's cover. */
static const char *
put_cover(const char *account, const char *state)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename,"
	    " min_bytes, max_bytes, created_us) VALUES ('%s', '%s', 'upload', '%s',"
	    " 'image/png', 'a.png', 1, 9, 1)",
	    id, account, state));
	set_event(event,
	    arena_printf(fixture.mem, "cover_key = '%s', cover_blob = '%s'", id, id));
	return id;
}

/*
 * Returns the seconds for which the link is still valid, by the code that checks links.
 */
static int64_t
good_for(const char *url, const char *blob)
{
	const char *expires = strstr(url, "?expires=") + 9;
	const char *signature = strstr(url, "&signature=") + 11;

	return signed_url_left(&fixture.app.conf, fixture.mem, blob,
	    arena_dup(fixture.mem, expires, strcspn(expires, "&")), signature,
	    now_us());
}

START_TEST(a_cover_has_a_signed_link_that_stays_for_its_span)
{
	const char *blob = put_cover(fixture.account, "checked");
	const char *tag = tag_of_view(), *url;
	struct response a = view();

	url = said(&a, "/data/cover_image_url");
	ck_assert_int_eq(strncmp(url, BASE "/blobs/", strlen(BASE "/blobs/")), 0);
	ck_assert_int_ge(good_for(url, blob), fixture.app.conf.blob_url_s);
	ck_assert_int_le(good_for(url, blob), 2 * fixture.app.conf.blob_url_s);
	is(a, "/data/cover_image_key", "(none)");
	/* A span is an hour; the test might run across its end, but only once. */
	if (strcmp(tag, head_of(&a, "ETag")) != 0)
		tag = tag_of_view();
	ck_assert_str_eq(tag_of_view(), tag);
	sql("UPDATE blobs SET state = 'gone'");
	a = view();
	is(a, "/data/cover_image_url", "(none)");
	ck_assert_str_ne(head_of(&a, "ETag"), tag);
}
END_TEST

static int64_t
expiry_at(int64_t now)
{
	const struct cached_view b = { .event = event,
		.cover_key = "k",
		.cover_blob = ID_NIL,
		.maker = maker(fixture.mem, &fixture.app.conf),
		.hash = "h",
		.body = "",
		.status = "live" };
	struct cached_view copy = b;
	struct public_view v;

	ck_assert_int_eq(public_view_get(fixture.app.db, fixture.mem, &fixture.app.conf,
			     &copy, now, &v),
	    OK);
	return atoll(strstr(v.cover_url, "?expires=") + 9);
}

START_TEST(the_link_of_a_cover_changes_once_a_span)
{
	int64_t span = fixture.app.conf.blob_url_s, begin = 1000 * span;

	ck_assert_int_eq(expiry_at(begin * S_US), begin + span);
	ck_assert_int_eq(expiry_at(begin * S_US + 1), begin + 2 * span);
	ck_assert_int_eq(expiry_at((begin + span) * S_US), begin + 2 * span);
	ck_assert_int_eq(expiry_at((begin + span) * S_US + 1), begin + 3 * span);
}
END_TEST

START_TEST(a_cover_that_is_no_stored_blob_is_below_the_media_address_or_nowhere)
{
	static const char *const states[] = { "awaiting", "rejected", "gone" };
	struct response a;

	put_cover(fixture_account(), "stored");
	a = view();
	is(a, "/data/cover_image_url", "(none)");
	for (int i = 0; i < COUNT(states); i++) {
		put_cover(fixture.account, states[i]);
		a = view();
		is(a, "/data/cover_image_url", "(none)");
	}
	put_cover(fixture.account, "checked");
	sql("UPDATE blobs SET kind = 'sample'");
	a = view();
	is(a, "/data/cover_image_url", "(none)");
	fixture.app.conf.media_url = "https://media.example.org";
	set_event(event, "cover_key = 'a/b.png', cover_blob = NULL");
	a = view();
	is(a, "/data/cover_image_url", "https://media.example.org/a/b.png");
	set_event(event, "cover_key = 'a/c.png'");
	ck_assert_str_ne(tag_of_view(), head_of(&a, "ETag"));
}
END_TEST

/* ---- when the database fails ---- */

START_TEST(a_view_that_cannot_be_kept_is_told_all_the_same)
{
	static const enum err with[] = { ERR_BUSY, ERR_FULL, ERR_FAILED };

	/* statements: read, begin, event, stages, channels, read again, put, commit */
	for (int n = 1; n < 10; n++) {
		struct response a;

		sql("DELETE FROM bundles");
		db_fault(fixture.app.db, n, with[_i]);
		a = view();
		db_fault(fixture.app.db, 0, OK);
		ck_assert_int_eq(a.status < 300, n == 2 || n > 6);
		ck_assert_int_eq(number("SELECT count(*) FROM bundles"), n == 9);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("public view");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, the_view_is_that_of_the_example);
	tcase_add_test(t, members_without_a_value_are_left_out);
	tcase_add_loop_test(
	    t, only_what_can_be_listened_to_is_shown, 0, COUNT(channels));
	tcase_add_loop_test(t, the_status_is_that_of_the_moment_though_the_view_is_kept,
	    0, COUNT(statuses));
	tcase_add_test(t, a_view_is_made_once_and_then_read);
	tcase_add_loop_test(
	    t, what_another_build_or_address_made_is_made_anew, 0, COUNT(makers));
	tcase_add_test(t, a_build_with_other_fields_is_another_maker);
	tcase_add_test(t, a_change_of_the_event_or_its_channels_shows_at_once);
	tcase_add_test(t, a_client_that_has_the_view_gets_304);
	tcase_add_test(t, a_cover_has_a_signed_link_that_stays_for_its_span);
	tcase_add_test(t, the_link_of_a_cover_changes_once_a_span);
	tcase_add_test(
	    t, a_cover_that_is_no_stored_blob_is_below_the_media_address_or_nowhere);
	tcase_add_loop_test(t, a_view_that_cannot_be_kept_is_told_all_the_same, 0, 3);
	suite_add_tcase(s, t);
	return unit_run(s);
}
