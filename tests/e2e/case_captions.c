/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A channel posts captions to a streaming server, also after a restart of the gateway.
 */
#include <signal.h>
#include <string.h>

#include "cases.h"
#include "ingest.h"
#include "killing.h"
#include "stream.h"

#define SAID "[es] hello world" /* the script engine's text for every phrase */

static struct account me, reader;
static const char *url;

static void
before(void)
{
	me = account_new("captions");
	reader = account_limited(&me, "channels:read");
}

static const char *
channel_new(void)
{
	struct answer a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"standalone\",\"name\":\"Hall\","
			 "\"source_language\":\"en\",\"target_languages\":[\"es\"],"
			 "\"outputs\":[{\"protocol\":\"captions_push\",\"lang_code\":"
			 "\"es\",\"url\":\"%s\"}]}}",
		url));

	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "ready");
	ck_assert_str_eq(text_at(a.json, "data.outputs.0.url"), url);
	return text_at(a.json, "data.channel_id");
}

static struct answer
channel_read(const struct account *as, const char *id)
{
	struct answer a = ASK(.path = text("/saas/channel/%s", id), .as = as);

	EXPECT(a, 200);
	return a;
}

static struct ws *
speak_on(const char *id)
{
	struct answer a = channel_read(&me, id);

	return stream_call(text("%s?token=%s", text_at(a.json, "data.input.url"),
			       text_at(a.json, "data.input.token")),
	    NULL);
}

static void
speak_once(struct ws *speaker)
{
	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
}

static bool
total_is(const void *n)
{
	return ingest_total() >= *(const int *)n;
}

static void
await_total(int n)
{
	ck_assert_msg(becomes(total_is, &n, 10), "%d of %d; %s", ingest_total(), n,
	    ingest_refused());
	ck_assert_str_eq(ingest_text(n - 1), SAID);
	ck_assert_ptr_null(ingest_refused());
}

struct wish {
	const char *id, *runtime;
};

static bool
runtime_is(const void *wish)
{
	const struct wish *w = wish;
	struct answer a = channel_read(&reader, w->id);

	return strcmp(text_at(a.json, "data.outputs.0.runtime_status"), w->runtime) ==
	       0;
}

static void
await_runtime(const char *id, const char *runtime)
{
	ck_assert(becomes(runtime_is, &(const struct wish){ id, runtime }, 5));
}

static bool
gateway_answers(const void *unused)
{
	struct answer a = ASK(.path = "/streaming-api/health");

	(void)unused;
	return a.status == 200;
}

START_TEST(captions_go_on_when_the_gateway_was_killed)
{
	const char *id;
	struct answer a;

	url = ingest_begin();
	id = channel_new();
	await_runtime(id, "pending");
	speak_once(speak_on(id));
	await_total(1);
	await_runtime(id, "active");
	ck_assert_int_eq(worker_signal("gateway", SIGKILL), 1);
	ck_assert(becomes(gateway_answers, NULL, 20));
	await_runtime(id, "stopped");
	speak_once(speak_on(id));
	await_total(2);
	ck_assert_int_eq(ingest_gaps(), 0);
	await_runtime(id, "active");
	ingest_answers(403);
	speak_once(speak_on(id));
	await_runtime(id, "failed");
	a = channel_read(&reader, id);
	ck_assert_str_eq(
	    text_at(a.json, "data.outputs.0.error"), "The server answered 403.");
	ck_assert(json_is_null(at(a.json, "data.outputs.0.url")));
	run((const char *const[]){ "/bin/sh", "-c",
	    text("! grep -rl %s %s/var/log", INGEST_SECRET, instance()->dir), NULL });
}
END_TEST

Suite *
captions_suite(void)
{
	TCase *t;
	Suite *s = suite_of("captions", before, &t);

	tcase_add_test(t, captions_go_on_when_the_gateway_was_killed);
	return s;
}
