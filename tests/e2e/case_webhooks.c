/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Webhooks: the messages that a customer's server receives. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/hash.h"
#include "cases.h"
#include "killing.h"
#include "receiver.h"

static struct account me;
static const char *hook, *secret;
static int port;

static void
before(void)
{
	me = account_new("webhooks");
}

static struct answer
on_hook(const char *method, const char *more, const char *json)
{
	return ASK(.method = method, .path = text("/saas/webhook/%s%s", hook, more),
	    .as = &me, .json = json);
}

/* Starts a server for this case, and a webhook with its address. */
static void
listen_at(const char *path)
{
	struct answer a;

	port = receiver_begin();
	a = ASK(.path = "/saas/webhook", .as = &me,
	    .json = text("{\"data\":{\"url\":\"http://127.0.0.1:%d%s\","
			 "\"events\":[\"*\"]}}",
		port, path));
	EXPECT(a, 201);
	hook = text_at(a.json, "data.webhook_id");
	secret = text_at(a.json, "data.secret");
}

static void
teardown(void)
{
	struct answer a = on_hook("DELETE", "", NULL);

	EXPECT(a, 200);
}

static void
lead_to(const char *path)
{
	struct answer a = on_hook("PATCH", "",
	    text("{\"data\":{\"url\":\"http://127.0.0.1:%d%s\"}}", port, path));

	EXPECT(a, 200);
}

static void
try_it(void)
{
	struct answer a = on_hook("POST", "/test", NULL);

	EXPECT(a, 202);
}

/* ---- what arrived ---- */

/* Returns the signature that the receiver computes for the n-th message. */
static const char *
signature(int n, const char *with)
{
	const char *signed_text = text("%s.%s.%s", receiver_head(n, "webhook-id"),
	    receiver_head(n, "webhook-timestamp"), receiver_body(n));
	unsigned char sum[SHA256_BYTES];
	size_t bytes;
	const unsigned char *key =
	    base64_read(memory(), with + 6, strlen(with + 6), &bytes);

	hmac(key, bytes, signed_text, strlen(signed_text), sum);
	return text("v1,%s", base64(memory(), sum, sizeof(sum)));
}

/* Returns the number of the first message of that type, or -1. */
static int
message(const char *type)
{
	const char *begin = text("{\"type\":\"%s\",", type);

	for (int i = 0; i < receiver_total(); i++)
		if (strncmp(receiver_body(i), begin, strlen(begin)) == 0)
			return i;
	return -1;
}

static bool
has_come(const void *type)
{
	return message(type) >= 0;
}

/* Waits for the message; returns its data. */
static json_t *
data_of(const char *type)
{
	json_t *all;

	ck_assert_msg(becomes(has_come, type, 30), "%s never comes", type);
	all = json_loads(receiver_body(message(type)), 0, NULL);
	ck_assert_ptr_nonnull(text_at(all, "timestamp"));
	return at(all, "data");
}

/* Returns the answer of GET without these members. */
static void
is_as_read(const char *type, const char *path, const char *but)
{
	json_t *told = data_of(type), *read;
	struct answer a = ASK(.path = path, .as = &me);

	EXPECT(a, 200);
	read = json_deep_copy(at(a.json, "data"));
	json_object_del(read, but);
	ck_assert_msg(json_equal(read, told), "%s: %s\nnot: %s", type,
	    json_dumps(told, JSON_COMPACT), a.body);
}

/* ---- what makes messages ---- */

static const char *
make(const char *path, const char *data, const char *id)
{
	struct answer a =
	    ASK(.path = path, .as = &me, .json = text("{\"data\":{%s}}", data));

	ck_assert_msg(a.status == 200 || a.status == 201, "%s", shown(&a));
	return text_at(a.json, text("data.%s", id));
}

static void
put_terms(const char *glossary, const char *csv)
{
	struct form f = { .n = 1,
		.part = {
		    { "glossary", "terms.csv", "text/csv", { csv, strlen(csv) } } } };
	struct answer a = ASK(.path = text("/saas/glossary/%s/upload", glossary),
	    .as = &me, .type = FORM_TYPE, .body = form_bytes(&f));

	EXPECT(a, 200);
}

#define TERMS "\"name\":\"Terms\",\"glossary_type\":\"asr_hot\",\"source_lang\":\"en\""
#define FORUM                                                                          \
	"\"title\":\"Forum\",\"event_type\":\"online\",\"access_code\":\"SESAME26\","  \
	"\"utc_start_dt\":\"2036-12-01T08:00:00Z\","                                   \
	"\"utc_end_dt\":\"2036-12-02T08:00:00Z\""

START_TEST(glossaries_and_voices_are_told_when_they_are_done)
{
	const char *good, *bad, *voice;

	listen_at("/ok");
	voice = clone_with(&(struct clone){ .as = &me }, recording("speech.wav"));
	good = make("/saas/glossary", TERMS, "glossary_id");
	put_terms(good, "heart\n");
	bad = make("/saas/glossary", TERMS, "glossary_id");
	put_terms(bad, "heart,Herz\n");
	is_as_read("glossary.ready", text("/saas/glossary/%s", good), "");
	is_as_read("glossary.failed", text("/saas/glossary/%s", bad), "");
	ck_assert_str_eq(text_at(data_of("voice.ready"), "voice_id"), voice);
	ck_assert(json_is_null(at(data_of("voice.ready"), "tts_sample.url")));
	clone_with(&(struct clone){ .as = &me }, recording("page.html"));
	ck_assert_str_eq(
	    text_at(data_of("voice.failed"), "processing_status"), "failed");
	teardown();
}
END_TEST

START_TEST(events_channels_and_requests_are_told_as_they_change)
{
	const char *event, *channel, *request, *path;
	struct answer a;

	listen_at("/ok");
	event = make("/saas/v2/event", FORUM, "event_id");
	path = text("/saas/v2/event/%s", event);
	is_as_read("event.created", path, "access_code");
	a = ASK(.method = "PATCH", .path = path, .as = &me,
	    .json = "{\"data\":{\"title\":\"Health Forum\"}}");
	EXPECT(a, 200);
	is_as_read("event.updated", path, "access_code");
	channel = make("/saas/channel",
	    text("\"type\":\"event\",\"name\":\"Hall\",\"event_id\":\"%s\"", event),
	    "channel_id");
	ck_assert_str_eq(text_at(data_of("channel.ready"), "channel_id"), channel);
	ck_assert(json_is_null(at(data_of("channel.ready"), "input.token")));
	a = ASK(.path = text("/saas/v2/event/public/%s/requests?code=SESAME26", event),
	    .json = "{\"data\":{\"type\":\"add_language\",\"payload\":"
		    "{\"language\":\"de\"}}}");
	EXPECT(a, 201);
	request = text_at(a.json, "data.request_id");
	ck_assert_str_eq(
	    text_at(data_of("listener_request.created"), "request_id"), request);
	a = ASK(.method = "POST", .path = text("%s/requests/%s/approve", path, request),
	    .as = &me);
	EXPECT(a, 200);
	ck_assert_str_eq(
	    text_at(data_of("listener_request.decided"), "status"), "approved");
	a = ASK(.method = "DELETE", .path = path, .as = &me);
	ck_assert_str_eq(text_at(data_of("event.deleted"), "event_id"), event);
	ck_assert_str_eq(text_at(data_of("channel.deleted"), "channel_id"), channel);
	for (int i = 0; i < receiver_total(); i++) {
		ck_assert_ptr_null(strstr(receiver_body(i), "SESAME26"));
		ck_assert_ptr_null(strstr(receiver_body(i), "eyJ"));
		ck_assert_ptr_null(strstr(receiver_body(i), "signature="));
		ck_assert_str_eq(
		    receiver_head(i, "webhook-signature"), signature(i, secret));
	}
	teardown();
}
END_TEST

START_TEST(a_balance_that_runs_out_is_told)
{
	listen_at("/ok");
	DRAGOMAN("account", "credit", me.user_id, "--credits", "-905");
	ck_assert_int_eq((int)int_at(data_of("balance.low"), "credits"), 95);
	DRAGOMAN("account", "credit", me.user_id, "--credits", "-95");
	ck_assert_int_eq((int)int_at(data_of("balance.empty"), "credits"), 0);
	DRAGOMAN("account", "credit", me.user_id, "--credits", "1000");
	teardown();
}
END_TEST

/* ---- deliveries ---- */

static bool
total_is(const void *n)
{
	return receiver_total() >= *(const int *)n;
}

static void
await_total(int n)
{
	ck_assert_msg(becomes(total_is, &n, 30), "%d of %d", receiver_total(), n);
}

static bool
delivery_is(const void *status)
{
	struct answer a = on_hook("GET", "/deliveries?page_size=1", NULL);

	EXPECT(a, 200);
	return strcmp(text_at(a.json, "data.items.0.status"), status) == 0;
}

static json_t *
delivery_becomes(const char *status)
{
	ck_assert_msg(becomes(delivery_is, status, 30), "never %s", status);
	return at(on_hook("GET", "/deliveries?page_size=1", NULL).json, "data.items.0");
}

START_TEST(a_delivery_is_listed_and_sent_again_under_the_same_id)
{
	const char *before, *one;
	struct answer a;
	json_t *d;

	listen_at("/ok");
	a = on_hook("GET", "", NULL);
	before = text("If-None-Match: %s", header_of(&a, "ETag"));
	a = on_hook("POST", "/test", NULL);
	EXPECT(a, 202);
	d = delivery_becomes("delivered");
	ck_assert_int_eq(int_at(d, "response_status"), 204);
	ck_assert_int_eq(int_at(d, "tries"), 1);
	ck_assert_str_eq(
	    text_at(d, "webhook_message_id"), receiver_head(0, "webhook-id"));
	ck_assert_ptr_null(at(d, "body"));
	one = text("/deliveries/%s", text_at(d, "delivery_id"));
	a = on_hook("GET", one, NULL);
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.body"), receiver_body(0));
	a = on_hook("POST", text("%s/redeliver", one), NULL);
	EXPECT(a, 202);
	await_total(2);
	ck_assert_str_eq(
	    receiver_head(0, "webhook-id"), receiver_head(1, "webhook-id"));
	ck_assert_str_eq(receiver_body(0), receiver_body(1));
	a = ASK(.path = text("/saas/webhook/%s", hook), .as = &me,
	    .headers = { before });
	EXPECT(a, 200);
	ck_assert_str_eq(
	    text_at(a.json, "data.last_delivery.event_type"), "webhook.test");
	teardown();
}
END_TEST

START_TEST(after_a_rotation_both_secrets_sign)
{
	struct answer a;

	listen_at("/ok");
	a = on_hook("POST", "/rotate-secret", NULL);
	EXPECT(a, 200);
	try_it();
	await_total(1);
	ck_assert_str_eq(receiver_head(0, "webhook-signature"),
	    text("%s %s", signature(0, text_at(a.json, "data.secret")),
		signature(0, secret)));
	teardown();
}
END_TEST

START_TEST(an_endpoint_that_is_gone_is_not_called_any_more)
{
	struct answer a;
	json_t *d;

	listen_at("/answer-410");
	try_it();
	d = delivery_becomes("failed");
	ck_assert_int_eq(int_at(d, "response_status"), 410);
	a = on_hook("GET", "", NULL);
	ck_assert_str_eq(text_at(a.json, "data.disabled_reason"), "gone");
	try_it(); /* it waits */
	ck_assert(json_is_null(at(delivery_becomes("pending"), "next_try_at")));
	ck_assert_int_eq(receiver_total(), 1);
	a = on_hook("PATCH", "",
	    text("{\"data\":{\"is_enabled\":true,\"url\":"
		 "\"http://127.0.0.1:%d/ok\"}}",
		port));
	EXPECT(a, 200);
	delivery_becomes("delivered");
	teardown();
}
END_TEST

static bool
hangs(const void *nothing)
{
	(void)nothing;
	return receiver_waiting() > 0;
}

START_TEST(a_worker_that_is_killed_loses_nothing)
{
	listen_at("/hang");
	try_it();
	ck_assert(becomes(hangs, NULL, 30));
	lead_to("/ok");
	ck_assert_int_ge(worker_signal("webhook_send", SIGKILL), 1);
	ck_assert_int_eq(int_at(delivery_becomes("delivered"), "tries"), 1);
	ck_assert_str_eq(
	    receiver_head(0, "webhook-id"), receiver_head(1, "webhook-id"));
	ck_assert_str_eq(receiver_body(0), receiver_body(1));
	teardown();
}
END_TEST

/* ---- dragoman listen ---- */

/* Starts it for the receiver of this case, as a laptop does: with no settings. */
static pid_t
start_listening(const char *events)
{
	const char *to = text("http://127.0.0.1:%d/ok", port);
	pid_t pid;

	if ((pid = fork()) != 0)
		return pid;
	setenv("DRAGOMAN_API_KEY", me.api_key, 1);
	setenv("DRAGOMAN_CONF", "/nowhere", 1);
	execl(text("%s/bin/dragoman", instance()->dir), "dragoman", "listen",
	    "--forward", to, "--server", instance()->base_url, "--events", events,
	    (char *)NULL);
	_exit(127);
}

static void
end_listening(pid_t pid, int signal, int status)
{
	int is;

	ck_assert_int_eq(kill(pid, signal), 0);
	ck_assert_int_eq(waitpid(pid, &is, 0), pid);
	ck_assert_int_eq(is, status);
}

/* True when there is a pulled webhook that is enabled, or not. */
static bool
listens(const void *enabled)
{
	json_t *w = at(ASK(.path = "/saas/webhooks", .as = &me).json, "data.items.0");

	if (w == NULL || json_is_true(at(w, "is_enabled")) != *(const bool *)enabled)
		return false;
	hook = text_at(w, "webhook_id");
	return true;
}

START_TEST(a_laptop_gets_messages_and_after_a_kill_those_that_waited)
{
	const bool yes = true, no = false;
	struct answer a;
	pid_t pid;

	port = receiver_begin();
	pid = start_listening("event.created,event.deleted");
	ck_assert(becomes(listens, &yes, 30));
	make("/saas/v2/event", FORUM, "event_id");
	is_as_read("event.created",
	    text("/saas/v2/event/%s", text_at(data_of("event.created"), "event_id")),
	    "access_code");
	delivery_becomes("delivered");
	a = on_hook("POST", "/rotate-secret", NULL);
	secret = text_at(a.json, "data.secret");
	end_listening(pid, SIGKILL, SIGKILL);
	make("/saas/v2/event", FORUM, "event_id");
	make("/saas/glossary", TERMS, "glossary_id");
	pid = start_listening("event.created,event.deleted");
	await_total(2);
	ck_assert_int_eq(
	    strncmp(receiver_head(1, "webhook-signature"), signature(1, secret), 47),
	    0);
	delivery_becomes("delivered");
	end_listening(pid, SIGINT, 0);
	ck_assert(listens(&no));
	ck_assert_int_eq(receiver_total(), 2);
	teardown();
}
END_TEST

Suite *
webhooks_suite(void)
{
	TCase *t;
	Suite *s = suite_of("webhooks", before, &t);

	tcase_set_timeout(t, 3 * PATIENCE_S); /* they wait for workers one by one */
	tcase_add_test(t, glossaries_and_voices_are_told_when_they_are_done);
	tcase_add_test(t, events_channels_and_requests_are_told_as_they_change);
	tcase_add_test(t, a_balance_that_runs_out_is_told);
	tcase_add_test(t, a_delivery_is_listed_and_sent_again_under_the_same_id);
	tcase_add_test(t, after_a_rotation_both_secrets_sign);
	tcase_add_test(t, an_endpoint_that_is_gone_is_not_called_any_more);
	tcase_add_test(t, a_worker_that_is_killed_loses_nothing);
	tcase_add_test(t, a_laptop_gets_messages_and_after_a_kill_those_that_waited);
	return s;
}
