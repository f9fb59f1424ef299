/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joining an event: the listener's channel and token, and the count. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"

/* A driver whose listeners need only a token. */
static const char *
open_url(const struct conf *c, struct arena *mem)
{
	(void)c, (void)mem;
	return "wss://live.example.org";
}

static bool
has_webrtc(const struct conf *c)
{
	(void)c;
	return true;
}

static const struct broadcast_driver open_driver = {
	.name = "open", .webrtc = has_webrtc, .webrtc_url = open_url
};

#define TEST_DRIVER open_driver
#include "lib/broadcast/broadcast.c"

#define ANNA "5df6f817-b099-4bcf-a0ec-6db25097c040"
#define BERT "0b0b0b0b-b099-4bcf-a0ec-6db25097c040"
#define ABSENT "11111111-1111-4111-8111-111111111111"

static struct response
join(const char *members)
{
	return at_event("POST", "/join", data_of(members, NULL));
}

static struct response
join_as(const char *listener, const char *language)
{
	return join(arena_printf(fixture.mem,
	    "\"listener_id\":\"%s\",\"language\":\"%s\"", listener, language));
}

static const char *
counts(void)
{
	return sql("SELECT language, participants FROM heard ORDER BY 1;"
		   "SELECT participants FROM event_stats");
}

/* ---- the answer ---- */

START_TEST(the_answer_has_the_members_of_the_example)
{
	struct response a = join_as(ANNA, "DE");

	answered(a, 201);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"listener_id\":\"" ANNA "\",\"event_id\":"
		"\"%s\",\"stage_id\":\"%s\",\"channel_id\":\"%s\",\"language\":\"de\","
		"\"token\":\"%s\",\"expires_at\":\"%s\",\"webrtc_url\":"
		"\"https://speech.example.org/streaming-api/webrtc\","
		"\"webrtc_room_name\":\"%s-1\",\"ws_url\":\"wss://speech.example.org/"
		"streaming-api/%.8s/v1/speech-to-speech/stream\",\"hls_url\":null}}",
		event, stage, channel, said(&a, "/data/token"),
		said(&a, "/data/expires_at"), channel, channel));
}
END_TEST

/* Returns a part of a token: 0 its head, 1 its claims. */
static struct response
part_of(const char *token, int part)
{
	struct response to = { 0 };
	const char *why;
	size_t n;

	for (; part > 0; part--)
		token = strchr(token, '.') + 1;
	to.body =
	    (const char *)base64_read(fixture.mem, token, strcspn(token, "."), &n);
	ck_assert_ptr_nonnull(to.body);
	to.json = json_read(fixture.mem, to.body, n, &why);
	ck_assert_ptr_nonnull(to.json);
	return to;
}

/* True if the first key made the signature. */
static bool
is_signed(const char *token)
{
	const char *key = strchr(fixture.app.conf.session_jwt_keys, ':') + 1;
	const char *dot = strrchr(token, '.');
	unsigned char sum[SHA256_BYTES];

	hmac(key, strcspn(key, " "), token, (size_t)(dot - token), sum);
	return strcmp(dot + 1, base64url(fixture.mem, sum, sizeof(sum))) == 0;
}

START_TEST(the_token_names_the_listener_and_the_language)
{
	struct response a, claims, head;
	int64_t expires_us;

	fixture.app.conf.session_jwt_keys = "k2:0123456789abcdef0123456789abcdef k1:x";
	fixture.app.conf.listener_token_s = 77;
	set_event(event, "code_version = 3");
	a = join_as(ANNA, "fr");
	ck_assert(is_signed(said(&a, "/data/token")));
	head = part_of(said(&a, "/data/token"), 0);
	claims = part_of(said(&a, "/data/token"), 1);
	is(head, "/alg", "HS256");
	is(head, "/kid", "k2");
	is(claims, "/iss", "k2");
	is(claims, "/aud", "stream");
	is(claims, "/sid", channel);
	is(claims, "/role", "subscriber");
	is(claims, "/scope", "[\"s2s\"]");
	is(claims, "/video/room", arena_printf(fixture.mem, "%s-1", channel));
	is(claims, "/video/canPublish", "false");
	is(claims, "/video/canSubscribe", "true");
	is(claims, "/dgm/role", "listener");
	is(claims, "/dgm/event_id", event);
	is(claims, "/dgm/code_version", "3");
	is(claims, "/dgm/listener_id", ANNA);
	is(claims, "/dgm/language", "fr");
	ck_assert(time_parse(said(&a, "/data/expires_at"), &expires_us));
	ck_assert_int_eq(atoll(said(&claims, "/exp")), expires_us / S_US);
	ck_assert_int_eq(
	    atoll(said(&claims, "/exp")) - atoll(said(&claims, "/nbf")), 77);
}
END_TEST

START_TEST(a_room_that_is_not_there_just_now_bears_the_channels_name)
{
	struct response a, claims;

	set_channel(channel, "broadcast = NULL");
	a = join_as(ANNA, "fr");
	answered(a, 201);
	claims = part_of(said(&a, "/data/token"), 1);
	is(claims, "/video/room", channel);
}
END_TEST

START_TEST(with_a_media_server_a_listener_is_told_its_room)
{
	const char *room = arena_printf(fixture.mem, "%s-1", channel);
	struct response a, claims;

	fixture.app.conf.broadcast_driver = "open";
	a = join_as(ANNA, "fr");
	answered(a, 201);
	is(a, "/data/webrtc_url", "wss://live.example.org");
	is(a, "/data/webrtc_room_name", room);
	claims = part_of(said(&a, "/data/token"), 1);
	is(claims, "/video/room", room);
	/* the driver also requires a pin */
	fixture.app.conf.broadcast_driver = "janus";
	a = join_as(ANNA, "fr");
	is(a, "/data/webrtc_url", "null");
	fixture.app.conf.broadcast_driver = "open";
	set_channel(channel, "broadcast = NULL");
	a = join_as(ANNA, "fr");
	answered(a, 200);
	is(a, "/data/webrtc_url", "null");
	is(a, "/data/webrtc_room_name", "null");
	ck_assert_str_ne(said(&a, "/data/ws_url"), "null");
}
END_TEST

START_TEST(a_listener_without_a_name_gets_one)
{
	struct response a = join("\"language\":\"de\""),
			b = join("\"language\":\"de\"");

	answered(a, 201);
	answered(b, 201);
	ck_assert_ptr_nonnull(id_read(fixture.mem, said(&a, "/data/listener_id")));
	ck_assert_str_ne(said(&a, "/data/listener_id"), said(&b, "/data/listener_id"));
	ck_assert_str_eq(counts(), "de|2\n2\n");
	a = join_as(said(&a, "/data/listener_id"), "de");
	answered(a, 200);
}
END_TEST

/* ---- which channel ---- */

/*
 * $1 the stage, $2 another one, $3 one of another event; channels: $4 de fr, the
 * oldest; $5 fr es-mx, the same stage; $6 de it, the other stage; $7 not ready, pt;
 * $8 being deleted, pl; $9 of another event.
 */
static const struct {
	const char *members;
	int status;
	const char *pointer, *value;
} choices[] = {
	{ "\"language\":\"de\"", 201, "/data/channel_id", "$4" },
	{ "\"language\":\"fr\"", 201, "/data/channel_id", "$4" },
	{ "\"language\":\"es-mx\"", 201, "/data/channel_id", "$5" },
	{ "\"language\":\"ES-MX\"", 201, "/data/language", "es-mx" },
	{ "\"language\":\"it\"", 201, "/data/stage_id", "$2" },
	{ "\"language\":\"original\"", 201, "/data/channel_id", "$4" },
	{ "\"language\":\"Original\"", 201, "/data/language", "original" },
	{ "\"language\":\"de\",\"stage_id\":\"$2\"", 201, "/data/channel_id", "$6" },
	{ "\"language\":\"original\",\"stage_id\":\"$2\"", 201, "/data/channel_id",
	    "$6" },
	{ "\"language\":\"de\",\"stage_id\":\"$1\"", 201, "/data/channel_id", "$4" },
	{ "\"language\":\"fr\",\"channel_id\":\"$5\"", 201, "/data/channel_id", "$5" },
	{ "\"language\":\"fr\",\"channel_id\":\"$5\",\"stage_id\":\"$1\"", 201,
	    "/data/channel_id", "$5" },
	{ "\"language\":\"original\",\"channel_id\":\"$5\"", 201, "/data/channel_id",
	    "$5" },
	{ "\"language\":\"de\",\"stage_id\":null,\"channel_id\":null", 201,
	    "/data/channel_id", "$4" },
	/* unknown ids */
	{ "\"language\":\"es\"", 409, NULL, "language-not-available" },
	{ "\"language\":\"ja\"", 409, NULL, "language-not-available" },
	{ "\"language\":\"fr\",\"stage_id\":\"$2\"", 409, NULL,
	    "language-not-available" },
	{ "\"language\":\"de\",\"channel_id\":\"$5\"", 409, NULL,
	    "language-not-available" },
	{ "\"language\":\"pt\"", 409, NULL, "language-not-available" },
	{ "\"language\":\"pl\"", 409, NULL, "language-not-available" },
	{ "\"language\":\"sv\"", 409, NULL, "language-not-available" },
	{ "\"language\":\"pt\",\"channel_id\":\"$7\"", 409, NULL,
	    "language-not-available" },
	{ "\"language\":\"original\",\"channel_id\":\"$7\"", 409, NULL,
	    "language-not-available" },
	/* missing records */
	{ "\"language\":\"de\",\"stage_id\":\"$3\"", 404, "/data/stage_id", NULL },
	{ "\"language\":\"de\",\"stage_id\":\"" ABSENT "\"", 404, "/data/stage_id",
	    NULL },
	{ "\"language\":\"de\",\"channel_id\":\"" ABSENT "\"", 404, "/data/channel_id",
	    NULL },
	{ "\"language\":\"sv\",\"channel_id\":\"$9\"", 404, "/data/channel_id", NULL },
	{ "\"language\":\"pl\",\"channel_id\":\"$8\"", 404, "/data/channel_id", NULL },
	{ "\"language\":\"de\",\"channel_id\":\"$4\",\"stage_id\":\"$2\"", 404,
	    "/data/channel_id", NULL },
	{ "\"language\":\"de\",\"channel_id\":\"$9\",\"stage_id\":\"$3\"", 404,
	    "/data/stage_id", NULL },
	/* invalid languages and ids */
	{ "\"language\":\"xx\"", 422, "/data/language",
	    "language is not in the list." },
	{ "\"language\":\"\"", 422, "/data/language", "language is not in the list." },
	{ "\"stage_id\":null", 422, "/data/language", "language is required." },
	{ "\"language\":\"de\",\"stage_id\":\"x\"", 422, "/data/stage_id",
	    "stage_id must be a uuid." },
	{ "\"language\":\"de\",\"channel_id\":\"$4x\"", 422, "/data/channel_id",
	    "channel_id must be a uuid." },
	{ "\"language\":\"de\",\"listener_id\":\"\"", 422, "/data/listener_id",
	    "listener_id must be a uuid." },
	{ "\"language\":\"de\",\"listener_id\":7", 422, "/data/listener_id",
	    "listener_id must be a string." },
};

static const char *
others(const char *ids[9])
{
	const char *foreign = put_event(fixture.account, "Other", MADE_US + 9);
	const char *a = fixture.account;

	ids[0] = stage;
	ids[1] = put_stage(event, "Side stage");
	ids[2] = put_stage(foreign, "Theirs");
	ids[3] = channel;
	ids[4] = put_channel(a, stage, "B", "[\"fr\",\"es-mx\"]", MADE_US + 2);
	ids[5] = put_channel(a, ids[1], "C", "[\"de\",\"it\"]", MADE_US + 3);
	ids[6] = put_channel(a, stage, "D", "[\"pt\",\"de\"]", MADE_US);
	ids[7] = put_channel(a, stage, "E", "[\"pl\",\"de\"]", MADE_US);
	ids[8] = put_channel(a, ids[2], "F", "[\"sv\",\"de\"]", MADE_US);
	set_channel(ids[6], "lifecycle = 'creating', broadcast = NULL");
	set_channel(ids[7], "lifecycle = 'deleting'");
	return everything();
}

START_TEST(a_listener_gets_the_oldest_channel_that_fits)
{
	const char *ids[9], *before = others(ids), *want = choices[_i].value;
	struct response a =
	    at_event("POST", "/join", data_of(choices[_i].members, ids));

	answered(a, choices[_i].status);
	if (a.status == 201) {
		is(a, choices[_i].pointer, *want == '$' ? ids[want[1] - '1'] : want);
		return;
	}
	ck_assert_str_eq(everything(), before);
	if (a.status == 409)
		refused(a, 409, "language-not-available");
	else
		is(a, "/errors/0/pointer", choices[_i].pointer);
	if (a.status == 422)
		is(a, "/errors/0/detail", want);
}
END_TEST

START_TEST(ids_of_a_body_are_taken_in_any_case)
{
	char *big = arena_printf(fixture.mem,
	    "\"language\":\"de\",\"listener_id\":\"" ANNA
	    "\",\"stage_id\":\"%s\",\"channel_id\":\"%s\"",
	    stage, channel);
	struct response a = join(big);

	answered(a, 201);
	for (char *s = big; (s = strchr(s, ':')) != NULL;)
		for (; *s != ',' && *s != '\0'; s++)
			*s = (char)toupper((unsigned char)*s);
	a = join(big);
	answered(a, 200);
	is(a, "/data/listener_id", ANNA);
}
END_TEST

/* ---- when ---- */

static const struct {
	const char *event, *channel;
	int status;
	const char *slug;
} times[] = {
	{ "end_us = 2", "name = name", 409, "event-finished" },
	{ "finished_us = 2", "name = name", 409, "event-finished" },
	{ "finished_us = 2", "target_languages = '[]'", 409, "event-finished" },
	{ "end_us = 2, finished_us = 2", "runtime = 'active'", 201, NULL },
	{ "start_us = 9000000000000000", "name = name", 201, NULL },
	{ "start_us = 1", "name = name", 201, NULL },
};

START_TEST(an_event_can_be_joined_until_it_is_over)
{
	struct response a;

	set_event(event, times[_i].event);
	set_channel(channel, times[_i].channel);
	a = join_as(ANNA, "de");
	answered(a, times[_i].status);
	if (times[_i].slug != NULL)
		refused(a, 409, "event-finished");
	ck_assert_int_eq(number("SELECT count(*) FROM joins"), a.status == 201);
}
END_TEST

/* ---- counting ---- */

static const struct {
	const char *listener, *language;
	int status;
	const char *counts; /* after it */
} steps[] = {
	{ ANNA, "de", 201, "de|1\n1\n" },
	{ ANNA, "de", 200, "de|1\n1\n" },
	{ ANNA, "fr", 200, "de|1\nfr|1\n1\n" },
	{ BERT, "fr", 201, "de|1\nfr|2\n2\n" },
	{ ANNA, "original", 200, "de|1\nfr|2\noriginal|1\n2\n" },
	{ ANNA, "fr", 200, "de|1\nfr|2\noriginal|1\n2\n" },
	{ BERT, "original", 200, "de|1\nfr|2\noriginal|2\n2\n" },
};

START_TEST(everybody_is_counted_once_in_each_language)
{
	for (int i = 0; i < COUNT(steps); i++) {
		struct response a = join_as(steps[i].listener, steps[i].language);

		answered(a, steps[i].status);
		ck_assert_str_eq(counts(), steps[i].counts);
	}
	ck_assert_int_eq(number("SELECT count(*) FROM joins"), 5);
}
END_TEST

START_TEST(the_last_join_and_the_first_that_the_export_lacks_are_known)
{
	int64_t begin = now_us();
	const char *first, *second;

	ck_assert_str_eq(
	    sql("SELECT active_us, changed_us FROM event_stats"), "NULL|NULL\n");
	join_as(ANNA, "de");
	ck_assert_int_ge(atoll(sql("SELECT active_us FROM event_stats")), begin);
	first = sql("SELECT changed_us FROM event_stats");
	ck_assert_int_ge(atoll(first), begin);
	usleep(10);
	join_as(BERT, "de");
	ck_assert_str_eq(sql("SELECT changed_us FROM event_stats"), first);
	second = sql("SELECT active_us FROM event_stats");
	ck_assert_int_gt(atoll(second), atoll(first));
	usleep(10);
	join_as(BERT, "de"); /* nothing new */
	ck_assert_str_eq(sql("SELECT active_us FROM event_stats"), second);
}
END_TEST

START_TEST(the_last_join_or_sound_does_not_go_back)
{
	sql("UPDATE event_stats SET active_us = 9000000000000000");
	join_as(ANNA, "de");
	ck_assert_str_eq(sql("SELECT participants, active_us, changed_us < active_us"
			     " FROM event_stats"),
	    "1|9000000000000000|1\n");
}
END_TEST

START_TEST(a_known_listener_waits_for_no_writer)
{
	struct response a = join_as(ANNA, "de");
	const char *before = everything();
	pid_t writer = writer_begin();

	a = join_as(ANNA, "DE");
	answered(a, 200);
	is(a, "/data/listener_id", ANNA);
	is(a, "/data/channel_id", channel);
	writer_end(writer);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_listener_is_counted_in_each_event)
{
	const char *other = put_event(fixture.account, "Other", MADE_US + 9);
	struct response a = join_as(ANNA, "de");

	put_channel(fixture.account, put_stage(other, "S"), "C", "[\"de\"]", 1);
	event = other;
	a = join_as(ANNA, "de");
	answered(a, 201);
	ck_assert_str_eq(sql("SELECT count(*) FROM joins GROUP BY event"), "1\n1\n");
}
END_TEST

START_TEST(a_join_of_an_event_that_went_meanwhile_is_left_out)
{
	const struct listener_join two[] = { { ABSENT, ANNA, "de" },
		{ event, ANNA, "de" } };

	ck_assert_int_eq(listener_joins_record(fixture.app.db, two, 2, 7), OK);
	ck_assert_str_eq(
	    sql("SELECT event FROM joins"), arena_printf(fixture.mem, "%s\n", event));
}
END_TEST

/* ---- when the database fails ---- */

static struct response
join_again(void)
{
	return join_as(ANNA, "de");
}

START_TEST(a_join_is_recorded_whole_or_not_at_all)
{
	static const struct {
		enum err with;
		int status;
	} faults[] = { { ERR_BUSY, 503 }, { ERR_FAILED, 500 }, { ERR_FULL, 507 } };

	fail_each(join_again,
	    "DELETE FROM joins; DELETE FROM heard; UPDATE event_stats"
	    " SET participants = 0, active_us = NULL, changed_us = NULL",
	    faults[_i].with, faults[_i].status);
	ck_assert_str_eq(counts(), "de|1\n1\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("joins");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, listener_fixture, fixture_close);
	tcase_add_test(t, the_answer_has_the_members_of_the_example);
	tcase_add_test(t, the_token_names_the_listener_and_the_language);
	tcase_add_test(t, a_room_that_is_not_there_just_now_bears_the_channels_name);
	tcase_add_test(t, with_a_media_server_a_listener_is_told_its_room);
	tcase_add_test(t, a_listener_without_a_name_gets_one);
	tcase_add_loop_test(
	    t, a_listener_gets_the_oldest_channel_that_fits, 0, COUNT(choices));
	tcase_add_test(t, ids_of_a_body_are_taken_in_any_case);
	tcase_add_loop_test(
	    t, an_event_can_be_joined_until_it_is_over, 0, COUNT(times));
	tcase_add_test(t, everybody_is_counted_once_in_each_language);
	tcase_add_test(t, the_last_join_and_the_first_that_the_export_lacks_are_known);
	tcase_add_test(t, the_last_join_or_sound_does_not_go_back);
	tcase_add_test(t, a_known_listener_waits_for_no_writer);
	tcase_add_test(t, a_listener_is_counted_in_each_event);
	tcase_add_test(t, a_join_of_an_event_that_went_meanwhile_is_left_out);
	tcase_add_loop_test(t, a_join_is_recorded_whole_or_not_at_all, 0, 3);
	suite_add_tcase(s, t);
	return unit_run(s);
}
