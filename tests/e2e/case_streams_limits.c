/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits of sockets (number, size of messages), and causes that end all sockets of an
 * account or an event.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/conf.h"
#include "base/credits.h"
#include "blob/signed_url.h"
#include "cases.h"
#include "killing.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("stream limits");
	account_plan(&me, "--parallel_sessions", "0");
}

/* ---- an event with a channel ---- */

struct broadcast {
	const char *event, *channel, *url, *token;
};

static struct broadcast
open_broadcast(const struct account *as)
{
	struct broadcast h;
	struct answer a = ASK(.path = "/saas/v2/event", .as = as,
	    .json = "{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\",\"access_code\":\"FORUM26\"}}");

	EXPECT(a, 201);
	h.event = text_at(a.json, "data.event_id");
	a = ASK(.path = "/saas/channel", .as = as,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\","
			 "\"name\":\"Hall\",\"source_language\":\"en\","
			 "\"target_languages\":[\"es\"]}}",
		h.event));
	EXPECT(a, 201);
	h.channel = text_at(a.json, "data.channel_id");
	h.url = text_at(a.json, "data.input.url");
	h.token = text_at(a.json, "data.input.token");
	return h;
}

static struct answer
join(const struct broadcast *h, const char *code)
{
	return ASK(.path =
		       text("/saas/v2/event/public/%s/join?code=%s", h->event, code),
	    .json = "{\"data\":{\"language\":\"es\"}}");
}

/* The address of a socket for a new listener. */
static const char *
listener_url(const struct broadcast *h, const char *code)
{
	struct answer a = join(h, code);

	EXPECT(a, 201);
	return text("%s?token=%s", text_at(a.json, "data.ws_url"),
	    text_at(a.json, "data.token"));
}

/* Opens a socket and expects an answer. */
static struct ws *
call_and_ask(const char *url)
{
	struct ws *ws = stream_call(url, NULL);

	say(ws, "get_task", "{}");
	hear_error(ws, "NOT_FOUND", 5);
	return ws;
}

static void
full(struct answer a)
{
	expect_problem(&a, 503, "gateway-unavailable");
	ck_assert_str_eq(header_of(&a, "Retry-After"), "5");
}

/* ---- what a listener may take ---- */

static bool
has_a_place(const void *url)
{
	struct ws *ws;
	const char *answer;

	ws = ws_open(memory(), url, NULL, 5, &answer);
	if (ws != NULL)
		ws_drop(ws);
	return ws != NULL;
}

START_TEST(a_listener_has_two_sockets)
{
	struct broadcast h = open_broadcast(&me);
	const char *url = listener_url(&h, "FORUM26");
	struct ws *first = call_and_ask(url), *second = call_and_ask(url);

	full(stream_refused(url, NULL, NULL));
	ws_drop(first);
	ck_assert(becomes(has_a_place, url, 5));
	say(second, "get_task", "{}");
	hear_error(second, "NOT_FOUND", 5);
	call_and_ask(listener_url(&h, "FORUM26"));
}
END_TEST

START_TEST(a_large_message_of_a_listener_ends_its_socket)
{
	struct broadcast h = open_broadcast(&me);
	struct ws *ws = call_and_ask(listener_url(&h, "FORUM26"));
	struct bytes piece = same_bytes_of('x', 2000);
	const char *full =
	    text("{\"message_type\":\"get_task\",\"x\":\"%.*s\"}", 2000, piece.p);

	say_text(ws, full);
	hear_error(ws, "NOT_FOUND", 5);
	ck_assert(ws_send_piece(ws, WS_TEXT, false, piece.p, piece.n));
	ck_assert(ws_send_piece(ws, WS_MORE, false, piece.p, piece.n));
	ck_assert(ws_send_piece(ws, WS_MORE, false, piece.p, piece.n));
	hear_close(ws, 1009, 5, NULL);
}
END_TEST

/* ---- what ends an event's sockets ---- */

START_TEST(a_changed_access_code_ends_listeners_with_the_old_one)
{
	struct broadcast h = open_broadcast(&me);
	const char *old = listener_url(&h, "FORUM26");
	struct ws *speaker = call_and_ask(text("%s?token=%s", h.url, h.token));
	struct ws *ws = call_and_ask(old), *new;
	struct answer a =
	    ASK(.method = "PATCH", .path = text("/saas/v2/event/%s", h.event),
		.as = &me, .json = "{\"data\":{\"access_code\":\"FORUM27\"}}");

	EXPECT(a, 200);
	a = stream_refused(old, NULL, NULL);
	expect_problem(&a, 401, "unauthorized");
	a = join(&h, "FORUM26");
	expect_problem(&a, 403, "access-code-required");
	new = call_and_ask(listener_url(&h, "forum27"));
	hear_error(ws, "SESSION_CLOSED", 10);
	hear_close(ws, 1008, 5, NULL);
	say(new, "get_task", "{}");
	hear_error(new, "NOT_FOUND", 5);
	say(speaker, "get_task", "{}");
	hear_error(speaker, "NOT_FOUND", 5);
}
END_TEST

/* ---- what ends an account's sockets ---- */

/*
 * A listener gets the end of the channel or of the account, depending on which is
 * noticed first.
 */
static void
leaves(struct ws *ws)
{
	struct ws_message m;

	do
		m = ws_next(ws, memory(), 10);
	while (m.kind == WS_TEXT);
	ck_assert_int_eq(m.kind, WS_CLOSE);
	ck_assert_msg(m.code == 1000 || m.code == 1008, "closed %d", m.code);
}

START_TEST(a_suspended_account_is_closed_everywhere)
{
	struct account as = account_new("suspended while it speaks");
	struct broadcast h = open_broadcast(&as);
	const char *view = text("/saas/v2/event/public/%s?code=FORUM26", h.event);
	const char *blob = upload(&as, "audio/wav", wav_of(200000));
	const char *link = signed_url_make(settings(), memory(), blob, now_us());
	struct form form = form_of(target_new(&as, "audio/wav"), wav_of(200000));
	struct ws *all[] = {
		stream_begin(&as, TASK),
		stream_call(stream_url("x", text("?token=%s", as.api_key)), NULL),
		stream_call(text("%s?token=%s", h.url, h.token), NULL),
		stream_call(listener_url(&h, "FORUM26"), NULL),
	};
	struct answer a = ASK(.path = link);

	EXPECT(a, 200);
	DRAGOMAN("account", "suspend", as.user_id);
	a = ASK(.path = view);
	expect_problem(&a, 404, "resource-not-found");
	a = join(&h, "FORUM26");
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = link);
	expect_problem(&a, 403, "link-invalid");
	a = form_send(&form);
	expect_s3(&a, 403, "AccessDenied");
	for (int i = 0; i < ROWS(all) - 1; i++) {
		hear_error(all[i], "SESSION_CLOSED", 10);
		hear_close(all[i], 1008, 5, NULL);
	}
	leaves(all[ROWS(all) - 1]);
	DRAGOMAN("account", "suspend", as.user_id, "--lift", "yes");
	a = ASK(.path = view);
	EXPECT(a, 200);
	call_and_ask(listener_url(&h, "FORUM26"));
}
END_TEST

/* An account with this many credits left. */
static struct account
account_with(double credits)
{
	struct account as = account_new("shares a balance");

	DRAGOMAN("account", "credit", as.user_id, "--credits",
	    text("%.6f", credits - balance_of(&as)));
	return as;
}

/* Speaks until the balance is reported as used up; true: it was. */
static bool
is_spent(struct ws *ws)
{
	const json_t *j;

	speak(ws, 0, 0.2);
	while ((j = hear_any(ws, 0.05)) != NULL)
		if (strcmp(text_at(j, "message_type"), "error") == 0) {
			ck_assert_str_eq(
			    text_at(j, "data.code"), "INSUFFICIENT_BALANCE");
			return true;
		}
	return false;
}

static bool
has_spent_all(const void *account)
{
	return balance_of(account) <= 0;
}

/* Four streams together use up a balance that would last long for each alone. */
START_TEST(one_balance_ends_every_stream_of_the_account_at_once)
{
	double second = (double)settings()->price_s2s_micro / MICRO / 3600;
	struct account as = account_with(4 * 3 * second);
	struct ws *all[4];
	double began, first = 0, last = 0;

	for (int i = 0; i < ROWS(all); i++)
		all[i] = stream_begin(&as, NULL);
	began = seconds();
	for (int i = 0; i < ROWS(all); i++)
		start_task(all[i], TASK);
	for (int open = ROWS(all); open > 0;) {
		ck_assert_msg(seconds() < began + 40, "%d are open", open);
		for (int i = 0; i < ROWS(all); i++) {
			if (all[i] == NULL || !is_spent(all[i]))
				continue;
			hear_close(all[i], 1008, 5, NULL);
			all[i] = NULL;
			open--;
			last = seconds() - began;
			first = first > 0 ? first : last;
		}
	}
	/* the last booking is made after the connections were closed */
	ck_assert(becomes(has_spent_all, &as, 5));
	printf("one balance: closed after %.1f to %.1f s, %g credits left, a second "
	       "costs %g\n",
	    first, last, balance_of(&as), 4 * second);
	ck_assert(balance_of(&as) <= 0);
	ck_assert(balance_of(&as) >= -10 * 4 * second);
}
END_TEST

Suite *
stream_limits_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stream-limits", before, &t);

	tcase_add_test(t, a_listener_has_two_sockets);
	tcase_add_test(t, a_large_message_of_a_listener_ends_its_socket);
	tcase_add_test(t, a_changed_access_code_ends_listeners_with_the_old_one);
	tcase_add_test(t, a_suspended_account_is_closed_everywhere);
	tcase_add_test(t, one_balance_ends_every_stream_of_the_account_at_once);
	return s;
}

/* ---- a gateway with few places ---- */

#define PLACES 20

static struct bytes conf_was;

static const char *
conf_path(void)
{
	return text("%s/etc/dragoman.conf", instance()->dir);
}

/* Returns how many times the gateway has read its settings again. */
static int
rereads(void)
{
	struct bytes log = run((const char *const[]){
	    "/bin/cat", text("%s/var/log/gateway.log", instance()->dir), NULL });
	int n = 0;

	for (const char *s = log.p; (s = strstr(s, "settings were read again")); s++)
		n++;
	return n;
}

static bool
has_reread(const void *before)
{
	return rereads() > *(const int *)before;
}

static void
set_conf(const char *more)
{
	const char *new = text("%s.new", conf_path());
	int n = rereads();
	FILE *f;

	/* Workers that start at the same time read the settings, too. */
	run((const char *const[]){ "/bin/cp", "-p", conf_path(), new, NULL });
	ck_assert_ptr_nonnull(f = fopen(new, "w"));
	fwrite(conf_was.p, 1, conf_was.n, f);
	fputs(more, f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(rename(new, conf_path()), 0);
	ck_assert_int_eq(worker_signal("gateway", SIGHUP), 1);
	ck_assert(becomes(has_reread, &n, 10));
}

static void
few_places(void)
{
	conf_was = run((const char *const[]){ "/bin/cat", conf_path(), NULL });
	set_conf(text("[stream]\nmax_connections = %d\n", PLACES));
}

static void
as_before(void)
{
	set_conf("");
}

/* A listener's socket from an address that the web server reports. */
static struct ws *
listen_from(const struct broadcast *h, const char *address)
{
	const char *url = listener_url(h, "FORUM26"), *answer;
	const char *at =
	    text("ws://%s%s", settings()->stream_listen, strstr(url, "/streaming-api"));
	struct ws *ws = ws_open(memory(), at,
	    (const char *const[]){ text("X-Forwarded-For: %s", address), NULL }, 5,
	    &answer);

	ck_assert_msg(ws != NULL || strstr(answer, " 503 ") != NULL, "%s", answer);
	return ws;
}

START_TEST(one_customer_cannot_fill_the_gateway_nor_listeners_all_of_it)
{
	struct broadcast h = open_broadcast(&me);
	int taken = 0;

	/* 80 %: then a tenth of the sockets is for speakers, which are few here */
	for (int i = 0; i < PLACES; i++)
		taken += listen_from(&h, text("2001:db8:1:2::%x", i + 1)) != NULL;
	ck_assert_int_eq(taken, PLACES * 8 / 10);
	for (int i = 0; i < 4; i++)
		taken += listen_from(&h, text("2001:db8:1:%x::1", i + 3)) != NULL;
	ck_assert_int_eq(taken, PLACES * 9 / 10);
	/* a speaker is still admitted */
	call_and_ask(text("%s?token=%s", h.url, h.token));
	start_task(
	    stream_call(stream_url("x", text("?token=%s", me.api_key)), NULL), TASK);
	full(stream_refused(text("%s?token=%s", h.url, h.token), NULL, NULL));
}
END_TEST

Suite *
stream_quotas_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stream-quotas", before, &t);

	tcase_add_unchecked_fixture(t, few_places, as_before);
	tcase_add_test(t, one_customer_cannot_fill_the_gateway_nor_listeners_all_of_it);
	return s;
}
