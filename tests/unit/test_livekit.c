/*
 * Broadcasts as rooms of LiveKit, played by tests/livekit-server.  What holds for
 * every backend is tried in test_broadcast.c.
 */
#include "base/token.h"
#include "broadcast/broadcast.h"
#include "tests/unit/livekit_fixture.h"
#include "tests/unit/unit.h"

#define ONE "0b0b0b0b-b099-4bcf-a0ec-6db25097c040-1"
#define TWO "5df6f817-b099-4bcf-a0ec-6db25097c040-1"

static struct arena *mem;
static struct conf conf;
static const struct broadcast_driver *const driver = &broadcast_livekit;

static void
setup(void)
{
	mem = arena_new();
	conf = (struct conf){ .backend_timeout_ms = 3000, .master = "of this one" };
	livekit_fixture.start(&conf);
}

static void
teardown(void)
{
	livekit_fixture.stop();
	arena_free(mem);
}

static struct broadcast
channel(const char *name, const char *targets)
{
	return (struct broadcast){ .name = name,
		.input = "webrtc_push",
		.source_language = "en",
		.target_languages = targets,
		.region = "local",
		.outputs = "[]" };
}

static enum err
create(const char *name, const char *targets)
{
	const struct broadcast b = channel(name, targets);

	return driver->create(&conf, mem, &b);
}

static enum err
change(const char *name, const char *targets)
{
	const struct broadcast b = channel(name, targets);

	return driver->change(&conf, mem, &b);
}

/* "NAME: de fr\n" of all that list() shows. */
static const char *
listed(void)
{
	struct buf b = { .mem = mem };
	struct list all;

	ck_assert_int_eq(driver->list(&conf, mem, &all), OK);
	for (size_t i = 0; i < all.n; i++) {
		const struct broadcast_seen *s = (struct broadcast_seen *)all.items + i;
		const char *const *lang = s->languages.items;

		buf_printf(&b, "%s:", s->name);
		for (size_t k = 0; k < s->languages.n; k++)
			buf_printf(&b, " %s", lang[k]);
		buf_str(&b, "\n");
	}
	return buf_text(&b);
}

/* A call of the service's that is not the driver's. */
static const struct json *
call(const char *method, const char *grant, const char *body)
{
	const char *token =
	    service_token_make(mem, conf.session_jwt_keys, now_us(), 60, grant, NULL);
	const struct http_call http = {
		.method = "POST",
		.url = arena_printf(mem,
		    "http://127.0.0.1:%d/twirp/livekit.RoomService/%s", livekit.port,
		    method),
		.headers = HEADS("Content-Type: application/json",
		    arena_printf(mem, "Authorization: Bearer %s", token)),
		.body = body,
		.body_len = strlen(body),
		.timeout_ms = 3000,
		.max_bytes = 1 << 20,
		.allow_private = true,
	};
	struct http_answer a;
	const char *why;

	ck_assert_int_eq(http_do(mem, &http, &a), OK);
	ck_assert_msg(a.status == 200, "%s: %s", method, a.body);
	return json_read(mem, a.body, a.body_len, &why);
}

/* The only room that there is. */
static const struct json *
the_room(void)
{
	const struct json *rooms =
	    json_get(call("ListRooms", "roomList", "{}"), "rooms");

	ck_assert_uint_eq(rooms->n, 1);
	return rooms->kids;
}

static void
put_room(const char *name, const char *metadata)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_text(&j, "name", name);
	jw_text(&j, "metadata", metadata);
	jw_close(&j);
	call("CreateRoom", "roomCreate", buf_text(&b));
}

/* ---- rooms ---- */

START_TEST(a_room_waits_for_years)
{
	double years = 365 * 86400;

	ck_assert_int_eq(create(ONE, "[\"de\"]"), OK);
	ck_assert(json_get_real(the_room(), "empty_timeout", 0) > 2 * years);
	ck_assert(json_get_real(the_room(), "departure_timeout", 0) > 2 * years);
}
END_TEST

START_TEST(a_room_says_whose_it_is_and_what_it_carries)
{
	ck_assert_int_eq(create(ONE, "[\"de\",\"fr\"]"), OK);
	ck_assert_str_eq(json_get_text(the_room(), "metadata"),
	    arena_printf(mem,
		"{\"dragoman\":\"%s\",\"source_language\":\"en\","
		"\"target_languages\":[\"de\",\"fr\"]}",
		broadcast_mark(&conf, mem)));
	ck_assert_int_eq(change(ONE, "[\"it\"]"), OK);
	ck_assert_str_eq(listed(), ONE ": it\n");
	ck_assert_int_eq(change(TWO, "[\"it\"]"), ERR_NOT_FOUND);
	ck_assert_str_eq(livekit_fixture.names(), ONE "\n");
}
END_TEST

START_TEST(a_room_that_is_there_is_described_anew)
{
	put_room(ONE, "");
	ck_assert_str_eq(listed(), "");
	ck_assert_int_eq(create(ONE, "[\"de\"]"), OK);
	ck_assert_str_eq(listed(), ONE ": de\n");
	ck_assert_int_eq(create(ONE, "[\"fr\",\"pt-br\"]"), OK);
	ck_assert_str_eq(listed(), ONE ": fr pt-br\n");
	ck_assert_str_eq(livekit_fixture.names(), ONE "\n");
}
END_TEST

START_TEST(rooms_of_others_are_not_shown)
{
	static const char *const foreign[] = { "", "hello", "[]", "7",
		"{\"dragoman\":7}", "{\"dragoman\":\"0123456789abcdef\"}" };
	struct conf other = conf;
	struct list all;

	for (int i = 0; i < COUNT(foreign); i++)
		put_room(arena_printf(mem, "foreign %d", i), foreign[i]);
	ck_assert_int_eq(create(ONE, "[]"), OK);
	ck_assert_int_eq(create(TWO, "[\"de\"]"), OK);
	ck_assert_str_eq(listed(), ONE ":\n" TWO ": de\n");
	other.master[0] ^= 1;
	ck_assert_int_eq(driver->list(&other, mem, &all), OK);
	ck_assert_uint_eq(all.n, 0);
}
END_TEST

/* ---- what may go wrong ---- */

enum { CREATE = 1, CHANGE = 2, DESTROY = 4, LIST = 8, ALL = 15 };

/* of: which operations the fault meets; the others succeed. */
static const struct {
	const char *fault;
	int of;
	enum err answer;
} faults[] = {
	{ "twirp:unavailable", ALL, ERR_TIMEOUT },
	{ "twirp:deadline_exceeded", ALL, ERR_TIMEOUT },
	{ "twirp:internal", ALL, ERR_TIMEOUT },
	{ "twirp:resource_exhausted", ALL, ERR_TIMEOUT },
	{ "twirp:aborted", ALL, ERR_TIMEOUT },
	{ "twirp:unauthenticated", ALL, ERR_REFUSED },
	{ "twirp:permission_denied", ALL, ERR_REFUSED },
	{ "twirp:invalid_argument", ALL, ERR_REFUSED },
	{ "twirp:bad_route", ALL, ERR_REFUSED },
	{ "twirp:malformed", ALL, ERR_REFUSED },
	{ "twirp:not_found", CREATE | LIST, ERR_TIMEOUT },
	{ "twirp:not_found", CHANGE, ERR_NOT_FOUND },
	{ "twirp:not_found", DESTROY, OK },
	{ "twirp:not_found-UpdateRoomMetadata", CREATE, ERR_TIMEOUT },
	{ "twirp:internal-UpdateRoomMetadata", CREATE | CHANGE, ERR_TIMEOUT },
	{ "twirp:internal-UpdateRoomMetadata", DESTROY | LIST, OK },
	{ "status:500", ALL, ERR_TIMEOUT },
	{ "status:502", ALL, ERR_TIMEOUT },
	{ "status:429", ALL, ERR_TIMEOUT },
	{ "status:404", ALL, ERR_REFUSED }, /* no LiveKit's, so no room's either */
	{ "status:301", ALL, ERR_REFUSED },
	{ "text:401", ALL, ERR_REFUSED },
	{ "status:200", ALL, ERR_TIMEOUT },
	{ "garbage", ALL, ERR_TIMEOUT },
	{ "cut", ALL, ERR_TIMEOUT },
	{ "list", CREATE | LIST, ERR_TIMEOUT },
	{ "empty", CREATE, ERR_TIMEOUT },
	{ "empty", LIST, OK },
	{ "lost", ALL, ERR_TIMEOUT },
};

static enum err
operate(int which)
{
	struct list all;

	switch (which) {
	case CREATE:
		return create(ONE, "[\"fr\"]");
	case CHANGE:
		return change(ONE, "[\"fr\"]");
	case DESTROY:
		return driver->destroy(&conf, mem, ONE);
	}
	return driver->list(&conf, mem, &all);
}

START_TEST(a_fault_is_what_it_is)
{
	const char *at = arena_printf(
	    mem, "http://127.0.0.1:%d/%s/", livekit.port, faults[_i].fault);

	for (int which = CREATE; which <= LIST; which *= 2) {
		enum err e;

		if (!(faults[_i].of & which))
			continue;
		put_room(ONE, "");
		conf.livekit_api_url = at;
		e = operate(which);
		ck_assert_msg(e == faults[_i].answer, "%s, operation %d: %s",
		    faults[_i].fault, which, err_name(e));
		conf.livekit_api_url = "";
	}
}
END_TEST

START_TEST(what_was_done_without_an_answer_is_done_again)
{
	conf.livekit_api_url =
	    arena_printf(mem, "http://127.0.0.1:%d/lost", livekit.port);
	ck_assert_int_eq(create(ONE, "[\"de\"]"), ERR_TIMEOUT);
	conf.livekit_api_url = "";
	ck_assert_str_eq(livekit_fixture.names(), ONE "\n");
	ck_assert_int_eq(create(ONE, "[\"de\"]"), OK);
	ck_assert_str_eq(livekit_fixture.names(), ONE "\n");
	conf.livekit_api_url =
	    arena_printf(mem, "http://127.0.0.1:%d/lost", livekit.port);
	ck_assert_int_eq(driver->destroy(&conf, mem, ONE), ERR_TIMEOUT);
	conf.livekit_api_url = "";
	ck_assert_str_eq(livekit_fixture.names(), "");
	ck_assert_int_eq(driver->destroy(&conf, mem, ONE), OK);
}
END_TEST

/* One deadline, over both calls of a creation as well. */
static const char *const silences[] = { "silent", "silent-UpdateRoomMetadata", "late" };

START_TEST(silence_ends_in_time)
{
	int64_t begin;

	put_room(ONE, "");
	conf.backend_timeout_ms = 300;
	conf.livekit_api_url =
	    arena_printf(mem, "http://127.0.0.1:%d/%s", livekit.port, silences[_i]);
	begin = monotonic_us();
	ck_assert_int_eq(create(ONE, "[\"de\"]"), ERR_TIMEOUT);
	ck_assert_int_ge(monotonic_us() - begin, 290000);
	ck_assert_int_lt(monotonic_us() - begin, 900000);
}
END_TEST

START_TEST(a_server_that_was_killed_has_no_rooms_and_takes_new_ones)
{
	ck_assert_int_eq(create(ONE, "[\"de\"]"), OK);
	livekit_fixture.kill();
	ck_assert_int_eq(create(TWO, "[\"de\"]"), ERR_TIMEOUT);
	livekit_fixture.start(&conf);
	ck_assert_str_eq(listed(), "");
	ck_assert_int_eq(change(ONE, "[\"de\"]"), ERR_NOT_FOUND);
	ck_assert_int_eq(create(TWO, "[\"de\"]"), OK); /* over a kept connection */
	livekit_fixture.kill();
	livekit_fixture.start(&conf);
	ck_assert_int_eq(create(ONE, "[\"fr\"]"), OK);
	ck_assert_str_eq(listed(), ONE ": fr\n");
}
END_TEST

static const char *const wrong_keys[] = {
	LIVEKIT_KEY ":another-secret-of-livekit-in-the-house",
	"APIother:" LIVEKIT_SECRET,
};

START_TEST(a_wrong_key_is_refused)
{
	ck_assert_int_eq(create(ONE, "[\"de\"]"), OK);
	conf.session_jwt_keys = wrong_keys[_i];
	for (int which = CREATE; which <= LIST; which *= 2)
		ck_assert_int_eq(operate(which), ERR_REFUSED);
	ck_assert_str_eq(livekit_fixture.names(), ONE "\n");
}
END_TEST

START_TEST(the_first_key_is_livekits)
{
	conf.session_jwt_keys = LIVEKIT_KEY ":" LIVEKIT_SECRET " old:secret";
	ck_assert_int_eq(create(ONE, "[\"de\"]"), OK);
	ck_assert_str_eq(listed(), ONE ": de\n");
}
END_TEST

/* What the log says of a call. */
static const char *
logged(int which)
{
	int pipe_to[2], was = dup(STDERR_FILENO);
	char *text = arena_alloc(mem, 4096);

	ck_assert_int_eq(pipe(pipe_to), 0);
	dup2(pipe_to[1], STDERR_FILENO);
	ck_assert_int_ne(operate(which), OK);
	dup2(was, STDERR_FILENO);
	close(was);
	close(pipe_to[1]);
	ck_assert_int_gt(read(pipe_to[0], text, 4095), 0);
	close(pipe_to[0]);
	return text;
}

START_TEST(the_log_has_livekits_words_and_no_token)
{
	const char *said;

	conf.livekit_api_url =
	    arena_printf(mem, "http://127.0.0.1:%d/text:401", livekit.port);
	said = logged(CREATE);
	ck_assert_msg(strstr(said, "CreateRoom: 401") != NULL, "%s", said);
	ck_assert_msg(strstr(said, "eyJ") == NULL, "%s", said);
	conf.livekit_api_url = arena_printf(
	    mem, "http://127.0.0.1:%d/twirp:invalid_argument", livekit.port);
	said = logged(CREATE);
	ck_assert_msg(
	    strstr(said, "CreateRoom: 400 invalid_argument: asked for") != NULL, "%s",
	    said);
}
END_TEST

/* ---- settings ---- */

static const struct {
	const char *url, *api_url;
	bool good;
} addresses[] = {
	{ "wss://live.example.org", "", true },
	{ "ws://127.0.0.1:7880", "", true },
	{ "wss://live.example.org/path", "http://10.0.0.7:7880", true },
	{ "wss://live.example.org", "https://live.example.org/", true },
	{ "", "", false },
	{ "", "http://10.0.0.7:7880", false },
	{ "https://live.example.org", "", false },
	{ "wssx://live.example.org", "", false },
	{ "live.example.org", "", false },
	{ "wss://", "", false },
	{ "wss:///", "", false },
	{ "wss://live.example.org?a=b", "", false },
	{ "wss://live.example.org", "ws://10.0.0.7:7880", false },
	{ "wss://live.example.org", "10.0.0.7:7880", false },
};

START_TEST(addresses_are_looked_at_before_the_first_call)
{
	conf.livekit_url = addresses[_i].url;
	conf.livekit_api_url = addresses[_i].api_url;
	ck_assert(addresses[_i].good == (driver->lacks(&conf) == NULL));
	ck_assert_str_eq(driver->webrtc_url(&conf, mem), addresses[_i].url);
}
END_TEST

START_TEST(a_key_that_livekit_cannot_know_is_refused_at_the_start)
{
	const char *dir = unit_folder(mem);
	const char *file = arena_printf(mem, "%s/dragoman.conf", dir);
	struct conf c;

	setenv("DRAGOMAN_CONF", file, 1);
	setenv("DRAGOMAN_STATE_DIR", dir, 1);
	unit_write(file, "[livekit]\nurl = wss://live.example.org\n");
	ck_assert_int_eq(conf_read(mem, &c), OK);
	ck_assert_ptr_nonnull(strstr(driver->lacks(&c), "session.jwt_keys"));
	setenv("DRAGOMAN_SESSION_JWT_KEYS",
	    "dragoman:a-secret-that-the-operator-gave-to-both", 1);
	ck_assert_int_eq(conf_read(mem, &c), OK);
	ck_assert_ptr_null(driver->lacks(&c));
	setenv("DRAGOMAN_BROADCAST_DRIVER", "livekit", 1);
	ck_assert_int_eq(conf_read(mem, &c), ERR_REFUSED); /* it is not built yet */
	unit_folder_drop(dir);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("livekit");
	TCase *t = tcase_create("all");

	(void)fixture;
	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_room_waits_for_years);
	tcase_add_test(t, a_room_says_whose_it_is_and_what_it_carries);
	tcase_add_test(t, a_room_that_is_there_is_described_anew);
	tcase_add_test(t, rooms_of_others_are_not_shown);
	tcase_add_loop_test(t, a_fault_is_what_it_is, 0, COUNT(faults));
	tcase_add_test(t, what_was_done_without_an_answer_is_done_again);
	tcase_add_loop_test(t, silence_ends_in_time, 0, COUNT(silences));
	tcase_add_test(t, a_server_that_was_killed_has_no_rooms_and_takes_new_ones);
	tcase_add_loop_test(t, a_wrong_key_is_refused, 0, COUNT(wrong_keys));
	tcase_add_test(t, the_first_key_is_livekits);
	tcase_add_test(t, the_log_has_livekits_words_and_no_token);
	tcase_add_loop_test(
	    t, addresses_are_looked_at_before_the_first_call, 0, COUNT(addresses));
	tcase_add_test(t, a_key_that_livekit_cannot_know_is_refused_at_the_start);
	suite_add_tcase(s, t);
	return unit_run(s);
}
