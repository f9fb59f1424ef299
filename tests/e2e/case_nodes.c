/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two hosts over one database: $E2E_INSTANCE, where tokens are asked for unless a case
 * says otherwise, and $E2E_OTHER.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "db/db.h"
#include "killing.h"
#include "offers.h"
#include "stream.h"

#define TRIES 40 /* enough tries for a choice to fall on each node */

static struct account me;
static const char *bases[2], *other_dir;

static void
before(void)
{
	json_t *j = json_loads(getenv("E2E_OTHER") ? getenv("E2E_OTHER") : "", 0, NULL);

	ck_assert_msg(j != NULL, "there is no second instance, see tests/e2e/run");
	bases[0] = instance()->base_url;
	bases[1] = text_at(j, "base_url");
	other_dir = text_at(j, "dir");
	me = account_new("two nodes");
	account_plan(&me, "--parallel_sessions", "0");
}

/* Returns which of the two nodes a socket's address belongs to. */
static int
node_of(const char *url)
{
	for (int i = 0; i < 2; i++)
		if (strncmp(url + strlen("ws"), bases[i] + strlen("http"),
			strlen(bases[i]) - strlen("http")) == 0)
			return i;
	ck_abort_msg("%s is at no node", url);
	return -1;
}

/* Sends the request to the other node. */
static const char *
elsewhere(const char *url)
{
	int at = node_of(url);

	return text("ws%s%s", bases[!at] + strlen("http"),
	    url + strlen("ws") + strlen(bases[at]) - strlen("http"));
}

static bool
is_well(const void *base)
{
	struct answer a = ASK(.path = text("%s/health", (const char *)base));

	return a.status == 200 && strcmp(text_at(a.json, "data.status"), "ok") == 0;
}

/* ---- a session ---- */

/*
 * Creates a session for `node` by a request to the node `asked`, and follows the
 * redirect.
 */
static struct session
session_at(int asked, int node)
{
	for (int i = 0; i < TRIES; i++) {
		struct answer a = ASK(.method = "POST", .as = &me,
		    .path = text("%s/session-storage/session", bases[asked]));

		EXPECT(a, 201);
		if (node_of(text_at(a.json, "data.ws_url")) == node)
			return (struct session){ text_at(a.json, "data.id"),
				text_at(a.json, "data.publisher"),
				text_at(a.json, "data.ws_url"), at(a.json, "data") };
	}
	ck_abort_msg("no session was placed at %s", bases[node]);
	return (struct session){ 0 };
}

/* _i selects which node is asked and which node the session is at. */
START_TEST(a_session_works_at_the_node_whose_address_it_has)
{
	struct session s = session_at(_i & 1, _i >> 1);

	start_task(stream_open(&s, s.publisher), TASK);
}
END_TEST

static const char *const sockets[] = { "ws_url", "ws_stt_url", "ws_tts_url" };

START_TEST(a_token_at_the_other_node_is_sent_to_its_own)
{
	struct session s = session_at(0, 1);
	const char *url =
	    text("%s?token=%s", text_at(s.json, sockets[_i]), s.publisher);
	struct answer a = stream_refused(elsewhere(url), NULL, NULL);

	expect_problem(&a, 307, "other-node");
	ck_assert_str_eq(header_of(&a, "Location"), url);
	ck_assert_ptr_nonnull(
	    strstr(text_at(a.json, "errors.0.detail"), text_at(s.json, sockets[_i])));
	ck_assert_ptr_null(strstr(text_at(a.json, "errors.0.detail"), s.publisher));
}
END_TEST

/* ---- a channel ---- */

struct broadcast {
	const char *event, *channel, *url, *token;
};

static struct broadcast
broadcast_new(const char *event)
{
	struct answer a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\","
			 "\"name\":\"Hall\",\"source_language\":\"en\","
			 "\"target_languages\":[\"es\"]}}",
		event));

	EXPECT(a, 201);
	return (struct broadcast){ event, text_at(a.json, "data.channel_id"),
		text_at(a.json, "data.input.url"),
		text_at(a.json, "data.input.token") };
}

static struct broadcast
broadcast_at(int node)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = "{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\"}}");
	const char *event;
	struct broadcast h;

	EXPECT(a, 201);
	event = text_at(a.json, "data.event_id");
	for (int i = 0; i < TRIES; i++) {
		h = broadcast_new(event);
		if (node_of(h.url) == node)
			return h;
		a = ASK(.method = "DELETE", .as = &me,
		    .path = text("/saas/channel/%s", h.channel));
		EXPECT(a, 200);
	}
	ck_abort_msg("no channel was placed at %s", bases[node]);
	return h;
}

/* Creates a session at this node; returns the address of the socket, with its token. */
static const char *
join(const struct broadcast *h, int asked)
{
	struct answer a =
	    ASK(.path = text("%s/saas/v2/event/public/%s/join", bases[asked], h->event),
		.json = "{\"data\":{\"language\":\"es\"}}");

	EXPECT(a, 201);
	return text("%s?token=%s", text_at(a.json, "data.ws_url"),
	    text_at(a.json, "data.token"));
}

static struct ws *
speaker_of(const char *url, const struct broadcast *h)
{
	return stream_call(text("%s?token=%s", url, h->token), NULL);
}

static void
is_heard(struct ws *speaker, struct ws *listener)
{
	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
	ck_assert_str_eq(text_at(hear(listener, "translated_transcription", 10),
			     "transcription.text"),
	    "[es] hello world");
	ck_assert_uint_gt(hear_speech(listener, "es", 10).bytes, 9600);
}

START_TEST(a_listener_who_joins_at_either_node_hears_the_speaker)
{
	struct broadcast h = broadcast_at(_i);
	const char *joined[] = { join(&h, 0), join(&h, 1) };
	struct ws *listeners[2], *speaker = speaker_of(h.url, &h);

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(node_of(joined[i]), _i);
		listeners[i] = stream_call(joined[i], NULL);
	}
	is_heard(speaker, listeners[0]);
	is_heard(speaker, listeners[1]);
}
END_TEST

START_TEST(a_short_speaker_link_opens_at_either_node)
{
	struct broadcast h = broadcast_at(_i);
	const char *path = text("/saas/channel/%s/speaker-token", h.channel), *code,
		   *token;
	struct answer a = ASK(.path = path, .as = &me);

	EXPECT(a, 200);
	code = strstr(text_at(a.json, "data.short_url"), "/s/");
	token = text_at(a.json, "data.token");
	for (int i = 0; i < 2; i++) {
		a = ASK(.path = text("%s%s", bases[i], code));
		EXPECT(a, 302);
		ck_assert_ptr_nonnull(strstr(header_of(&a, "Location"), token));
	}
	a = ASK(.method = "POST", .path = text("%s%s", bases[1], path), .as = &me);
	EXPECT(a, 200);
	for (int i = 0; i < 2; i++) {
		a = ASK(.path = text("%s%s", bases[i], code));
		EXPECT(a, 404);
	}
}
END_TEST

START_TEST(a_listener_at_the_other_node_is_sent_to_the_channels)
{
	struct broadcast h = broadcast_at(1);
	const char *url = join(&h, 0);
	struct answer a = stream_refused(elsewhere(url), NULL, NULL);

	expect_problem(&a, 307, "other-node");
	ck_assert_str_eq(header_of(&a, "Location"), url);
	a = stream_refused(elsewhere(text("%s?token=%s", h.url, h.token)), NULL, NULL);
	expect_problem(&a, 307, "other-node");
}
END_TEST

START_TEST(an_encoder_at_the_other_node_is_sent_to_the_channels)
{
	struct broadcast h = broadcast_at(1);
	const char *path = text("/whip/%s", h.channel);
	struct answer a = ASK(.method = "POST", .path = text("%s%s", bases[0], path),
	    .type = OFFER, .body = { SPEAKS, strlen(SPEAKS) },
	    .headers = { text("Authorization: Bearer %s", h.token) });

	expect_problem(&a, 307, "other-node");
	ck_assert_str_eq(header_of(&a, "Location"), text("%s%s", bases[1], path));
}
END_TEST

static const struct sql silence = { "e2e.silence",
	"UPDATE nodes SET seen_us = seen_us - 20000000 WHERE id ="
	" (SELECT node FROM channels WHERE id = $1)",
	NULL };

static bool
takes_listeners(const void *event)
{
	struct answer a = ASK(.path = text("%s/saas/v2/event/public/%s/join", bases[1],
				  (const char *)event),
	    .json = "{\"data\":{\"language\":\"es\"}}");

	return a.status == 201;
}

/* The first node's gateway stops until the other nodes take it for dead, and its lease
   is over. */
START_TEST(a_channel_of_a_dead_node_goes_on_at_the_other)
{
	struct broadcast h = broadcast_at(0);
	struct ws *before_it = speaker_of(h.url, &h), *listener;
	const char *joined;

	ck_assert_int_eq(worker_signal("gateway", SIGSTOP), 1);
	change_db(&silence, h.channel);
	ck_assert(becomes(takes_listeners, h.event, 10));
	joined = join(&h, 1);
	listener = stream_call(joined, NULL);
	is_heard(speaker_of(elsewhere(h.url), &h), listener);
	ck_assert_int_eq(worker_signal("gateway", SIGCONT), 1);
	ck_assert_int_eq(node_of(joined), 1);
	ck_assert_int_eq(node_of(join(&h, 0)), 1);
	/* Connections at the first node are closed within seconds. */
	hear_close(before_it, 1008, 15, NULL);
}
END_TEST

/* ---- emptying a node ---- */

static const char *id_of(int node);

static bool
is_ready(const void *base)
{
	struct answer a = ASK(.path = text("%s/ready", (const char *)base));

	return a.status == 200;
}

START_TEST(a_node_that_is_drained_gives_its_channels_away)
{
	struct broadcast h = broadcast_at(0);
	struct ws *speaker = speaker_of(h.url, &h),
		  *listener = stream_call(join(&h, 0), NULL);
	const char *id = id_of(0), *joined;

	is_heard(speaker, listener);
	DRAGOMAN("node", "drain", id, "--within", "60");
	hear_close(speaker, 1008, 15, NULL);
	hear_close(listener, 1008, 15, NULL);
	ck_assert(is_well(bases[0]) && !is_ready(bases[0]) && is_ready(bases[1]));
	joined = join(&h, 0);
	ck_assert_int_eq(node_of(joined), 1);
	is_heard(speaker_of(elsewhere(h.url), &h), stream_call(joined, NULL));
	for (int i = 0; i < TRIES; i++)
		ck_assert_int_eq(node_of(broadcast_new(h.event).url), 1);
	DRAGOMAN("node", "resume", id);
	ck_assert(is_ready(bases[0]));
}
END_TEST

START_TEST(a_channel_is_moved_by_hand_between_two_phrases)
{
	struct broadcast h = broadcast_at(0);
	struct ws *speaker = speaker_of(h.url, &h),
		  *listener = stream_call(join(&h, 0), NULL);

	is_heard(speaker, listener);
	DRAGOMAN("channel", "move", h.channel, id_of(1));
	hear_close(speaker, 1008, 15, NULL);
	ck_assert_int_eq(node_of(join(&h, 0)), 1);
}
END_TEST

/* ---- each by itself ---- */

static const char *
id_of(int node)
{
	struct answer a = ASK(.path = text("%s/health", bases[node]));

	EXPECT(a, 200);
	return text_at(a.json, "data.node");
}

START_TEST(each_node_tells_of_its_own_workers)
{
	for (int i = 0; i < 2; i++)
		ck_assert_msg(becomes(is_well, bases[i], 30), "%s", bases[i]);
	ck_assert_str_ne(id_of(0), id_of(1));
}
END_TEST

/* A program of the other node, with a setting that differs from the first. */
static struct bytes
health_with(const char *setting)
{
	return run((const char *const[]){ "env",
	    text("DRAGOMAN_CONF=%s/etc/dragoman.conf", other_dir), setting,
	    "REQUEST_METHOD=GET", "REQUEST_URI=/health", "REMOTE_ADDR=127.0.0.1",
	    "GATEWAY_INTERFACE=CGI/1.1", text("%s/cgi-bin/system.fcgi", other_dir),
	    NULL });
}

static const struct {
	const char *setting, *told; /* NULL: the health is good */
} differences[] = {
	{ "DRAGOMAN_SERVER_BASE_URL=http://127.0.0.1:1", NULL },
	{ "DRAGOMAN_BLOB_BUCKET=another", "The bucket of this node" },
	{ "DRAGOMAN_BLOB_DIR=/dev/shm", "The files of this node" },
};

START_TEST(a_node_that_differs_says_in_what)
{
	struct bytes a = health_with(differences[_i].setting);

	if (differences[_i].told == NULL) {
		ck_assert_msg(strstr(a.p, "Status: 200") != NULL, "%s", a.p);
		return;
	}
	ck_assert_msg(strstr(a.p, "Status: 503") != NULL, "%s", a.p);
	ck_assert_msg(strstr(a.p, differences[_i].told) != NULL, "%s", a.p);
}
END_TEST

Suite *
nodes_suite(void)
{
	TCase *t;
	Suite *s = suite_of("nodes", before, &t);

	tcase_add_loop_test(t, a_session_works_at_the_node_whose_address_it_has, 0, 4);
	tcase_add_loop_test(
	    t, a_token_at_the_other_node_is_sent_to_its_own, 0, ROWS(sockets));
	tcase_add_loop_test(
	    t, a_listener_who_joins_at_either_node_hears_the_speaker, 0, 2);
	tcase_add_loop_test(t, a_short_speaker_link_opens_at_either_node, 0, 2);
	tcase_add_test(t, a_listener_at_the_other_node_is_sent_to_the_channels);
	tcase_add_test(t, an_encoder_at_the_other_node_is_sent_to_the_channels);
	tcase_add_test(t, each_node_tells_of_its_own_workers);
	tcase_add_loop_test(t, a_node_that_differs_says_in_what, 0, ROWS(differences));
	tcase_add_test(t, a_node_that_is_drained_gives_its_channels_away);
	tcase_add_test(t, a_channel_is_moved_by_hand_between_two_phrases);
	tcase_add_test(t, a_channel_of_a_dead_node_goes_on_at_the_other);
	return s;
}
