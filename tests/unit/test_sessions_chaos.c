/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of rooms for any output of the random generator. Calls during which the
 * database fails must leave no rows.
 */
#define UNIT_TEST
#include "base/hash.h"

static const unsigned char *script; /* output of the generator; NULL: the real one */
static int drawn;                   /* bytes of it that were used */

static void
scripted_bytes(void *to, size_t n)
{
	if (script == NULL) {
		random_bytes(to, n);
		return;
	}
	for (unsigned char *p = to; n > 0; n--)
		*p++ = script[drawn++];
}

#define random_bytes scripted_bytes
#include "lib/store/sessions.c"
#undef random_bytes
#undef AT
#include "tests/unit/session_fixture.h"

#define A8 "\0\0\0\0\0\0\0\0"

static void
draw(const char *bytes)
{
	script = (const unsigned char *)bytes;
	drawn = 0;
}

static void
setup(void)
{
	script = NULL;
	session_fixture();
}

/* ---- rooms ---- */

/*
 * Of 256 byte values, four give each letter, and the values 62 and 63 of six bits give
 * none.
 */
START_TEST(each_letter_is_as_likely_as_another)
{
	static unsigned char all[256 + 8];
	int seen[128] = { 0 };

	for (int i = 0; i < COUNT(all); i++)
		all[i] = (unsigned char)i;
	draw((const char *)all);
	for (int i = 0; i < 4 * 62 / 8; i++)
		for (const char *s = new_room(fixture.mem); *s != '\0'; s++)
			seen[(int)*s]++;
	ck_assert_int_ge(drawn, 254);
	for (int c = 0; c < 128; c++)
		ck_assert_int_eq(seen[c], isalnum(c) ? 4 : 0);
}
END_TEST

START_TEST(a_room_has_eight_letters)
{
	set_plan(fixture.account, 0);
	for (int i = 0; i < 20; i++) {
		struct response a = ask(NEW, NULL);
		const char *room = said(&a, "/data/webrtc_room_name");

		answered(a, 201);
		for (int k = 0; k < 8; k++)
			ck_assert(isalnum((unsigned char)room[k]));
		ck_assert_int_eq(room[8], '\0');
	}
	ck_assert_int_eq(number("SELECT count(DISTINCT room) FROM sessions"), 20);
}
END_TEST

/* A name is in use while a row has it, in any account and also after its expiry. */
START_TEST(a_room_that_is_taken_cannot_be_taken_again)
{
	struct response a;

	set_session(put_session(fixture_account(), 0, -1), "room = 'AAAAAAAA'");
	set_session(put_session(fixture_account(), 0, 60), "room = 'AAAAAAAB'");
	draw(A8 "\0\0\0\0\0\0\0\1" A8 "\x1a\x33\x34\x3d\x3e\x3f\xff\0\0\0\0");
	a = ask(NEW, NULL);
	answered(a, 201);
	is(a, "/data/webrtc_room_name", "az09AAAA");
	ck_assert_str_eq(claim(said(&a, "/data/publisher"), "/video/room"), "az09AAAA");
	ck_assert_int_eq(
	    number("SELECT count(*) FROM sessions WHERE room = 'az09AAAA'"), 1);
	ck_assert_int_eq(sessions(), 3);
}
END_TEST

START_TEST(a_generator_that_is_stuck_makes_no_session)
{
	static const char zeros[8 * ROOM_TRIES + 1];
	struct response a;

	set_session(put_session(fixture.account, 0, 60), "room = 'AAAAAAAA'");
	draw(zeros);
	a = ask(NEW, NULL);
	refused(a, 500, "internal-server-error");
	ck_assert_int_eq(drawn, 8 * ROOM_TRIES);
	ck_assert_int_eq(sessions(), 1);
}
END_TEST

/* ---- chaos ---- */

static const struct {
	const char *call, *body; /* %s: a session's id */
	int good, least;         /* status of a success; least number of statements */
} calls[] = {
	{ NEW, NULL, 201, 4 },
	{ NEW, DATA("\"subscriber_count\":2"), 201, 4 },
	{ OLD, "{}", 200, 4 },
	{ LIST "?page_size=1", NULL, 200, 1 },
	{ "GET /session-storage/sessions/%s", NULL, 200, 1 },
	{ "POST /session-storage/sessions/%s?ttl_seconds=60", NULL, 204, 2 },
	{ "DELETE /session-storage/sessions/%s", NULL, 204, 1 },
};

static const struct {
	enum err with;
	int status;
	const char *type;
} failures[] = {
	{ ERR_BUSY, 503, "https://speech.example.org/problems/service-busy" },
	{ ERR_FAILED, 500,
	    "https://speech.example.org/problems/internal-server-error" },
	{ ERR_FULL, 507, "https://speech.example.org/problems/insufficient-storage" },
};

START_TEST(a_statement_that_fails_leaves_nothing_half_done)
{
	int i = _i / COUNT(failures), f = _i % COUNT(failures), n;
	const char *id = put_session(fixture.account, 0, 60);
	const char *call = arena_printf(fixture.mem, calls[i].call, id);
	struct response a = { .status = 0 };
	const char *before;

	put_session(fixture_account(), 0, 60);
	before = everything();
	for (n = 1; n < 30; n++) {
		db_fault(fixture.app.db, n, failures[f].with);
		a = ask_with(call, calls[i].body,
		    strncmp(call, "POST", 4) == 0 ? HEADS("Idempotency-Key: k") : NULL);
		if (a.status == calls[i].good)
			break;
		ck_assert_int_eq(a.status, failures[f].status);
		is(a, "/errors/0/type", failures[f].type);
		ck_assert_str_eq(everything(), before);
	}
	ck_assert_int_gt(n, calls[i].least);
	db_fault(fixture.app.db, 0, OK);
	answered(a, calls[i].good);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sessions' chaos");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, each_letter_is_as_likely_as_another);
	tcase_add_test(t, a_room_has_eight_letters);
	tcase_add_test(t, a_room_that_is_taken_cannot_be_taken_again);
	tcase_add_test(t, a_generator_that_is_stuck_makes_no_session);
	tcase_add_loop_test(t, a_statement_that_fails_leaves_nothing_half_done, 0,
	    COUNT(calls) * COUNT(failures));
	suite_add_tcase(s, t);
	return unit_run(s);
}
