/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idempotency-Key: any number of requests has one effect and one answer. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/toy.h"

#define BEAR "{\"data\":{\"name\":\"Bear\"}}"

static struct response
post(const char *key, const char *body)
{
	return ask_with("POST /toys", body,
	    HEADS(arena_printf(fixture.mem, "Idempotency-Key: %s", key)));
}

static int
kept(void)
{
	return number("SELECT count(*) FROM answers");
}

static int
made(void)
{
	return number("SELECT count(*) FROM workers");
}

/* Returns the head without fields that differ in each answer. */
static const char *
lasting(const struct response *a)
{
	const char *s = strstr(a->head, "Location:");

	return s != NULL ? s : "";
}

START_TEST(a_repeat_gets_the_first_answer_byte_for_byte)
{
	struct response first = post("k", BEAR), again = { 0 };
	const char *before = everything();

	answered(first, 201);
	ck_assert_ptr_null(head_of(&first, "Idempotency-Replayed"));
	for (int i = 0; i < 3; i++) {
		again = post("k", BEAR);
		answered(again, 201);
		assert_same_body(again.body, first.body);
		ck_assert_pstr_eq(head_of(&again, "Idempotency-Replayed"), "true");
		ck_assert_pstr_eq(head_of(&again, "ETag"), head_of(&first, "ETag"));
		ck_assert_pstr_eq(head_of(&again, "Content-Type"), "application/json");
		ck_assert_int_eq(strncmp(lasting(&again), lasting(&first),
				     strlen(lasting(&first)) - 2),
		    0);
		ck_assert_str_ne(
		    head_of(&again, "X-Request-Id"), head_of(&first, "X-Request-Id"));
	}
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(made(), 1);
}
END_TEST

START_TEST(another_body_is_422_and_leaves_the_first_answer)
{
	struct response a = post("k", BEAR);

	a = post("k", "{\"data\":{\"name\":\"Lion\"}}");
	refused(a, 422, "idempotency-key-reused");
	is(a, "/errors/0/error_code", "100031");
	is(a, "/errors/0/parameter", "Idempotency-Key");
	a = post("k", BEAR " "); /* the raw bodies are compared */
	refused(a, 422, "idempotency-key-reused");
	a = post("k", "");
	refused(a, 422, "idempotency-key-reused");
	a = post("k", BEAR);
	answered(a, 201);
	ck_assert_int_eq(made(), 1);
}
END_TEST

START_TEST(a_key_belongs_to_credential_method_and_path)
{
	struct response a = post("k", BEAR);

	a = ask_with("POST /judge/" TOY_ID, BEAR, HEADS("Idempotency-Key: k"));
	answered(a, 200);
	ck_assert_ptr_null(head_of(&a, "Idempotency-Replayed"));
	a = ask_with("POST /toys?x=1", BEAR, HEADS("Idempotency-Key: k"));
	ck_assert_pstr_eq(head_of(&a, "Idempotency-Replayed"), "true");
	fixture.bearer = fixture_bearer(fixture.account, "toys:write");
	a = post("k", BEAR); /* another key of the same account */
	answered(a, 201);
	ck_assert_ptr_null(head_of(&a, "Idempotency-Replayed"));
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = post("k", BEAR);
	ck_assert_ptr_null(head_of(&a, "Idempotency-Replayed"));
	ck_assert_int_eq(kept(), 4);
}
END_TEST

/* The files of a database also contain deleted and overwritten data. */
START_TEST(no_answer_is_in_clear_in_the_database_file)
{
	static const char *const files[] = { "", "-wal" };
	struct response a = post("k", "{\"data\":{\"name\":\"Tiger\"}}");

	answered(a, 201);
	for (int i = 0; i < COUNT(files); i++) {
		char *p;
		size_t n = 0;
		FILE *f = fopen(arena_printf(fixture.mem, "%s/var/dragoman.db%s",
				    fixture.dir, files[i]),
		    "re");

		ck_assert_ptr_nonnull(f);
		p = arena_alloc(fixture.mem, 8 << 20);
		n = fread(p, 1, 8 << 20, f);
		fclose(f);
		ck_assert_ptr_null(memmem(p, n, "\"ok\":true", 9));
	}
}
END_TEST

static const struct {
	const char *key;
	int status;
} keys[] = {
	{ "k", 201 },
	{ "\"k\"", 201 },
	{ "!~", 201 },
	{ "\"\"", 400 },
	{ "", 400 },
	{ "a b", 400 },
	{ "a\"b", 400 },
	{ "\"", 400 },
	{ "\xc3\xbc", 400 },
	{ "a\tb", 400 },
};

START_TEST(a_key_is_visible_ascii)
{
	struct response a = post(keys[_i].key, BEAR);

	answered(a, keys[_i].status);
	if (keys[_i].status == 400)
		is(a, "/errors/0/parameter", "Idempotency-Key");
}
END_TEST

START_TEST(quotes_are_no_part_of_a_key)
{
	struct response a = post("k", BEAR);

	a = post("\"k\"", BEAR);
	ck_assert_pstr_eq(head_of(&a, "Idempotency-Replayed"), "true");
}
END_TEST

START_TEST(a_key_may_have_255_characters_and_no_more)
{
	char *key = arena_alloc(fixture.mem, 257);
	struct response a;

	memset(key, 'k', 255);
	a = post(key, BEAR);
	answered(a, 201);
	key[255] = 'k';
	a = post(key, BEAR);
	refused(a, 400, "bad-request");
}
END_TEST

START_TEST(only_good_answers_are_kept)
{
	struct response a = post("k", "{\"data\":{\"name\":\"Broken\"}}");

	answered(a, 403);
	a = post("k", "{\"data\":{}}");
	answered(a, 422);
	a = post("k", "{");
	answered(a, 400);
	ck_assert_int_eq(kept(), 0);
	a = post("k", BEAR);
	answered(a, 201);
	ck_assert_int_eq(kept(), 1);
}
END_TEST

START_TEST(a_key_is_ignored_where_it_is_not_honoured)
{
	for (int i = 0; i < 2; i++) {
		struct response a = ask_with("POST /toys/echo", BEAR,
		    HEADS(i == 0 ? "Idempotency-Key: k" : "Idempotency-Key: \""));

		answered(a, 200);
	}
	ck_assert_int_eq(kept(), 0);
}
END_TEST

START_TEST(an_answer_that_expired_is_replaced)
{
	struct response a = post("k", BEAR);

	sql("UPDATE answers SET expires_us = 1");
	a = post("k", "{\"data\":{\"name\":\"Lion\"}}");
	answered(a, 201);
	ck_assert_ptr_null(head_of(&a, "Idempotency-Replayed"));
	ck_assert_int_eq(kept(), 1);
	ck_assert_int_eq(made(), 2);
}
END_TEST

START_TEST(an_answer_is_kept_for_as_long_as_the_settings_say)
{
	int64_t now_s = now_us() / S_US, left;

	fixture.app.conf.idempotency_keep_s = 1000;
	post("k", BEAR);
	left = number("SELECT expires_us / 1000000 FROM answers") - now_s;
	ck_assert_int_ge(left, 1000);
	ck_assert_int_le(left, 1003);
}
END_TEST

/*
 * The n-th statement of a request fails, for every n: then neither the effect nor its
 * answer is stored, and the request can be sent again.
 */
START_TEST(an_effect_and_its_answer_are_kept_together_or_not_at_all)
{
	struct response a = { 0 };
	int n;

	for (n = 1; n < 20 && a.status != 201; n++) {
		db_fault(fixture.app.db, n, ERR_BUSY);
		a = post("k", BEAR);
		if (a.status != 201)
			refused(a, 503, "service-busy");
		ck_assert_int_eq(made(), a.status == 201);
		ck_assert_int_eq(kept(), a.status == 201);
	}
	/* statements: credential, stored answer, begin, effect, clear, store, commit */
	ck_assert_int_eq(n - 2, 7);
	db_fault(fixture.app.db, 0, OK);
	a = post("k", BEAR);
	ck_assert_pstr_eq(head_of(&a, "Idempotency-Replayed"), "true");
}
END_TEST

/* ---- the first is still running ---- */

/* The name under which answers for this credential are stored. */
static const char *
owner(void)
{
	const char *who =
	    arena_printf(fixture.mem, "%s*", sql("SELECT id FROM credentials"));

	return hash_hex(fixture.mem, who, strlen(who));
}

/* Starts another process that holds the key: it locks its byte until it is killed. */
static pid_t
hold(const char *key)
{
	const char *path = arena_printf(
	    fixture.mem, "%s/idempotency.lock", fixture.app.conf.state_dir);
	const char *name = arena_printf(
	    fixture.mem, "%s\n%s\nPOST /toys\n%s", fixture.account, owner(), key);
	struct flock byte = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	unsigned char sum[SHA256_BYTES];
	int ready[2];
	pid_t pid;
	char c;

	hmac("", 0, name, strlen(name), sum);
	memcpy(&byte.l_start, sum, sizeof(byte.l_start));
	byte.l_start &= INT64_MAX >> 1;
	ck_assert_int_eq(pipe(ready), 0);
	if ((pid = fork()) == 0) {
		int fd = open(path, O_RDWR | O_CREAT, 0600);

		if (fcntl(fd, F_OFD_SETLK, &byte) == 0)
			ck_assert_int_eq(write(ready[1], "!", 1), 1);
		pause();
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

START_TEST(while_the_first_is_running_the_second_is_409)
{
	pid_t pid = hold("k");
	struct response a = post("k", BEAR);

	refused(a, 409, "request-in-progress");
	ck_assert_pstr_eq(head_of(&a, "Retry-After"), "1");
	ck_assert_int_eq(made(), 0);
	a = post("other", BEAR);
	answered(a, 201);
	kill(pid, SIGKILL); /* the system releases the lock */
	waitpid(pid, NULL, 0);
	a = post("k", BEAR);
	answered(a, 201);
}
END_TEST

START_TEST(where_locks_do_not_reach_the_primary_key_decides)
{
	struct response a;

	/*
	 * Simulates an answer of another host between the check and the end of this
	 * request.
	 */
	sql(arena_printf(fixture.mem,
	    "CREATE TRIGGER other AFTER INSERT ON workers BEGIN INSERT INTO answers"
	    " SELECT id, '%s', 'POST /toys', 'k', 'x', 201, '', 'theirs', 9e15"
	    " FROM accounts; END",
	    owner()));
	a = post("k", BEAR);
	refused(a, 409, "request-in-progress");
	ck_assert_int_eq(made(), 0);
	ck_assert_int_eq(kept(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("idempotency");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, toy_setup, fixture_close);
	tcase_add_test(t, a_repeat_gets_the_first_answer_byte_for_byte);
	tcase_add_test(t, another_body_is_422_and_leaves_the_first_answer);
	tcase_add_test(t, a_key_belongs_to_credential_method_and_path);
	tcase_add_test(t, no_answer_is_in_clear_in_the_database_file);
	tcase_add_loop_test(t, a_key_is_visible_ascii, 0, COUNT(keys));
	tcase_add_test(t, quotes_are_no_part_of_a_key);
	tcase_add_test(t, a_key_may_have_255_characters_and_no_more);
	tcase_add_test(t, only_good_answers_are_kept);
	tcase_add_test(t, a_key_is_ignored_where_it_is_not_honoured);
	tcase_add_test(t, an_answer_that_expired_is_replaced);
	tcase_add_test(t, an_answer_is_kept_for_as_long_as_the_settings_say);
	tcase_add_test(t, an_effect_and_its_answer_are_kept_together_or_not_at_all);
	tcase_add_test(t, while_the_first_is_running_the_second_is_409);
	tcase_add_test(t, where_locks_do_not_reach_the_primary_key_decides);
	suite_add_tcase(s, t);
	return unit_run(s);
}
