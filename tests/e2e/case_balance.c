/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The balance as clients read it, and the operator's commands that grant, correct and
 * check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/id.h"
#include "cases.h"
#include "db/db.h"
#include "stream.h"

#define NEW "/payments/v2/balance"
#define OLD "/billing/balance"

static struct account me;

static void
before(void)
{
	me = account_new("balance");
}

/* ---- prices and usage ---- */

#define USAGE "/payments/v2/usage"

static bool
is_booked(const void *arg)
{
	struct answer a = ASK(.path = USAGE "?group=kind", .as = arg);

	EXPECT(a, 200);
	return count_at(a.json, "data.items") > 0;
}

START_TEST(what_was_streamed_is_told_as_usage)
{
	struct account one = account_new("used"),
		       no = account_limited(&one, "sessions:write");
	struct answer a = ASK(.path = "/payments/v2/prices", .as = &one);
	struct ws *ws;

	EXPECT(a, 200);
	ck_assert(json_number_value(at(a.json, "data.s2s")) == 30);
	ck_assert(json_number_value(at(a.json, "data.usd_per_credit")) == 1);
	a = ASK(.path = USAGE, .as = &no);
	expect_problem(&a, 403, "insufficient-scope");
	a = ASK(.path = USAGE, .as = &one);
	EXPECT(a, 200);
	ck_assert_int_eq(count_at(a.json, "data.items"), 0);
	ws = stream_begin(&one, TASK);
	speak(ws, 1.0, 0.5);
	say(ws, "end_task", "{}");
	hear_close(ws, 1000, 5, NULL);
	ck_assert(becomes(is_booked, &one, 5));
	a = ASK(.path = USAGE "?group=kind", .as = &one);
	ck_assert_str_eq(text_at(a.json, "data.items.0.key"), "s2s");
	ck_assert_int_ge(int_at(a.json, "data.items.0.seconds"), 1);
	ck_assert(json_number_value(at(a.json, "data.items.0.credits")) > 0);
	ck_assert(json_is_null(at(a.json, "data.next")));
}
END_TEST

/* ---- the operator ---- */

/* Runs a command; gets its output with errors, and its exit status. */
static const char *
command(int *status, const char *args)
{
	FILE *f =
	    popen(text("DRAGOMAN_CONF=%s/etc/dragoman.conf %s/bin/dragoman %s 2>&1",
		      instance()->dir, instance()->dir, args),
		"r");
	char *said = arena_alloc(memory(), 65536);
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(said, 1, 65535, f);
	said[n] = '\0';
	*status = pclose(f);
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
	return said;
}

static void
expect_command(const char *args, int status, const char *part)
{
	int ended;
	const char *said = command(&ended, args);

	ck_assert_msg(ended == status && strstr(said, part) != NULL, "%s: %d: %s", args,
	    ended, said);
}

/* ---- what clients read ---- */

static void
expect_balance(const struct account *of, const char *credits, const char *minutes)
{
	struct answer a = ASK(.path = NEW, .as = of);

	EXPECT(a, 200);
	ck_assert_str_eq(a.body, text("{\"ok\":true,\"data\":{%s}}", credits));
	a = ASK(.path = OLD, .as = of);
	EXPECT(a, 200);
	ck_assert_str_eq(
	    a.body, text("{\"ok\":true,\"data\":{\"minutes_left\":\"%s\"}}", minutes));
}

START_TEST(an_account_begins_with_its_starting_credits)
{
	expect_balance(&me, "\"credits\":1000,\"usd_equivalent\":1000", "2000.00");
}
END_TEST

START_TEST(what_the_operator_grants_and_takes_is_read_at_once)
{
	struct account one = account_new("granted");
	const char *id = one.user_id;

	ck_assert_str_eq(DRAGOMAN("account", "credit", id, "--credits", "0.1"),
	    "{\"credits\":1000.1}");
	ck_assert_str_eq(DRAGOMAN("account", "credit", id, "--credits", "0.2"),
	    "{\"credits\":1000.3}");
	expect_balance(&one, "\"credits\":1000.3,\"usd_equivalent\":1000.3", "2000.60");
	ck_assert_str_eq(DRAGOMAN("account", "credit", id, "--credits", "-0.000001"),
	    "{\"credits\":1000.299999}");
	expect_balance(&one, "\"credits\":1000.3,\"usd_equivalent\":1000.3", "2000.59");
	DRAGOMAN("account", "credit", id, "--credits", "-1500.299999");
	expect_balance(&one, "\"credits\":-500,\"usd_equivalent\":-500", "0.00");
}
END_TEST

START_TEST(the_old_route_opens_with_either_credential_and_is_deprecated)
{
	const char *jwt = DRAGOMAN("token", me.user_id, "--scopes", "balance:read");
	const char *const with[][2] = {
		{ text("Authorization: Bearer %s", me.api_key), NULL },
		{ text("ClientID: %s", me.client_id),
		    text("ClientSecret: %s", me.client_secret) },
		{ text("Authorization: Bearer %s", jwt), NULL },
		{ "Authorization: Bearer dgm_no", NULL },
		{ NULL, NULL },
	};

	for (int i = 0; i < ROWS(with); i++) {
		struct answer a =
		    ASK(.path = OLD, .headers = { with[i][0], with[i][1] });

		if (i < 3)
			EXPECT(a, 200);
		else
			expect_problem(&a, 401, "unauthorized");
		ck_assert_str_eq(header_of(&a, "Deprecation"), "@1767225600");
		ck_assert_str_eq(
		    header_of(&a, "Sunset"), "Fri, 31 Dec 2027 23:59:59 GMT");
		ck_assert_str_eq(header_of(&a, "Link"),
		    text("<%s" NEW ">; rel=\"successor-version\"",
			instance()->base_url));
	}
}
END_TEST

START_TEST(the_scope_is_needed)
{
	struct account no = account_limited(&me, "sessions:write");
	struct account yes = account_limited(&me, "balance:read");
	struct answer a = ASK(.path = NEW, .as = &no);

	expect_problem(&a, 403, "insufficient-scope");
	a = ASK(.path = OLD, .as = &no);
	expect_problem(&a, 403, "insufficient-scope");
	ck_assert_ptr_nonnull(header_of(&a, "Deprecation"));
	a = ASK(.path = NEW, .as = &yes);
	EXPECT(a, 200);
	ck_assert_ptr_null(header_of(&a, "Deprecation"));
}
END_TEST

/* ---- output for the operator ---- */

START_TEST(a_reference_is_booked_once_and_that_is_said)
{
	const char *reference = id_new(memory());
	const char *call =
	    text("account credit %s --credits 5 --reference 'invoice %s'",
		account_new("once").user_id, reference);

	expect_command(call, 0, "1005");
	expect_command(call, 1,
	    text("the reference invoice %s is booked already; nothing was changed",
		reference));
	expect_command(text("account credit %s --credits 5 --reference 'invoice %s'",
			   me.user_id, reference),
	    1, "booked already");
	expect_balance(&me, "\"credits\":1000,\"usd_equivalent\":1000", "2000.00");
}
END_TEST

static const struct {
	const char *args; /* %s: the account */
	int status;
	const char *part;
} wrong[] = {
	{ "account credit " ID_NIL " --credits 5", 1, "there is no account " ID_NIL },
	{ "account credit %s", 2, "needs the user_id and --credits" },
	{ "account credit --credits 5", 2, "needs the user_id and --credits" },
	{ "account credit %s --credits 0", 2, "and not 0" },
	{ "account credit %s --credits 0.0000001", 2, "six after it" },
	{ "account credit %s --credits 1e3", 2, "decimal number" },
	{ "account credit %s --credits 5x", 2, "decimal number" },
	{ "account credit %s --credits nan", 2, "decimal number" },
	{ "account credit %s --credits 1000000000", 2, "nine digits" },
	{ "account credit %s --credits 5 --reference ''", 2, "1 to 255" },
	{ "account ledger " ID_NIL, 1, "not found" },
	{ "account ledger %s --entries 0", 2, "1 to 10000" },
};

START_TEST(a_wrong_command_changes_nothing)
{
	expect_command(
	    text(wrong[_i].args, me.user_id), wrong[_i].status, wrong[_i].part);
	expect_balance(&me, "\"credits\":1000,\"usd_equivalent\":1000", "2000.00");
}
END_TEST

START_TEST(the_ledger_is_shown_newest_first)
{
	struct account one = account_new("shown");
	json_t *j;

	DRAGOMAN("account", "credit", one.user_id, "--credits", "-12.345678",
	    "--reference", text("refund %s", one.user_id));
	j = json_loads(DRAGOMAN("account", "ledger", one.user_id), 0, NULL);
	ck_assert_str_eq(text_at(j, "user_id"), one.user_id);
	ck_assert(json_is_true(at(j, "agree")));
	ck_assert_int_eq(int_at(j, "entries"), 2);
	ck_assert(json_number_value(at(j, "credits")) == 987.654322);
	ck_assert(json_number_value(at(j, "sum_of_entries")) == 987.654322);
	ck_assert_int_eq(count_at(j, "newest"), 2);
	ck_assert_str_eq(text_at(j, "newest.0.kind"), "correction");
	ck_assert_str_eq(
	    text_at(j, "newest.0.reference"), text("refund %s", one.user_id));
	ck_assert_str_eq(text_at(j, "newest.1.kind"), "grant");
	j = json_loads(
	    DRAGOMAN("account", "ledger", one.user_id, "--entries", "1"), 0, NULL);
	ck_assert_int_eq(count_at(j, "newest"), 1);
	ck_assert_int_eq(int_at(j, "entries"), 2);
	expect_command(
	    text("account ledger %s", one.user_id), 0, "agree          true");
}
END_TEST

START_TEST(a_balance_that_is_not_the_sum_is_found)
{
	static const struct sql forge = { "forge",
		"UPDATE accounts SET balance_micro = balance_micro + 1 WHERE id = $1",
		NULL };
	static const struct sql mend = { "mend",
		"UPDATE accounts SET balance_micro = balance_micro - 1 WHERE id = $1",
		NULL };
	struct account one = account_new("forged");
	int before_it, during, after;

	command(&before_it, "account ledger");
	change_db(&forge, one.user_id);
	expect_command(text("account ledger %s --json", one.user_id), 1,
	    "\"credits\":1000.000001,\"sum_of_entries\":1000,\"entries\":1,"
	    "\"agree\":false");
	command(&during, "account ledger");
	change_db(&mend, one.user_id);
	command(&after, "account ledger");
	ck_assert_int_eq(before_it, 0);
	ck_assert_int_eq(during, 1);
	ck_assert_int_eq(after, 0);
}
END_TEST

Suite *
balance_suite(void)
{
	TCase *t;
	Suite *s = suite_of("balance", before, &t);

	tcase_add_test(t, what_was_streamed_is_told_as_usage);
	tcase_add_test(t, an_account_begins_with_its_starting_credits);
	tcase_add_test(t, what_the_operator_grants_and_takes_is_read_at_once);
	tcase_add_test(t, the_old_route_opens_with_either_credential_and_is_deprecated);
	tcase_add_test(t, the_scope_is_needed);
	tcase_add_test(t, a_reference_is_booked_once_and_that_is_said);
	tcase_add_loop_test(t, a_wrong_command_changes_nothing, 0, ROWS(wrong));
	tcase_add_test(t, the_ledger_is_shown_newest_first);
	tcase_add_test(t, a_balance_that_is_not_the_sum_is_found);
	return s;
}
