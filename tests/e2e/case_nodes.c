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
#include "two_nodes.h"

/* ---- a session ---- */

/*
 * Creates a session for `node` by a request to the node `asked`, and follows the
 * redirect.
 */
static struct session
session_at(int asked, int node)
{
	for (int i = 0; i < TRIES; i++) {
		struct answer a = ASK(.method = "POST", .as = &two_nodes.me,
		    .path = text("%s/session-storage/session", two_nodes.bases[asked]));

		EXPECT(a, 201);
		if (node_of(text_at(a.json, "data.ws_url")) == node)
			return (struct session){ text_at(a.json, "data.id"),
				text_at(a.json, "data.publisher"),
				text_at(a.json, "data.ws_url"), at(a.json, "data") };
	}
	ck_abort_msg("no session was placed at %s", two_nodes.bases[node]);
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

START_TEST(a_listener_at_either_node_hears_the_speaker)
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
	struct answer a = ASK(.path = path, .as = &two_nodes.me);

	EXPECT(a, 200);
	code = strstr(text_at(a.json, "data.short_url"), "/s/");
	token = text_at(a.json, "data.token");
	for (int i = 0; i < 2; i++) {
		a = ASK(.path = text("%s%s", two_nodes.bases[i], code));
		EXPECT(a, 302);
		ck_assert_ptr_nonnull(strstr(header_of(&a, "Location"), token));
	}
	a = ASK(.method = "POST", .path = text("%s%s", two_nodes.bases[1], path),
	    .as = &two_nodes.me);
	EXPECT(a, 200);
	for (int i = 0; i < 2; i++) {
		a = ASK(.path = text("%s%s", two_nodes.bases[i], code));
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
	struct answer a =
	    ASK(.method = "POST", .path = text("%s%s", two_nodes.bases[0], path),
		.type = OFFER, .body = { SPEAKS, strlen(SPEAKS) },
		.headers = { text("Authorization: Bearer %s", h.token) });

	expect_problem(&a, 307, "other-node");
	ck_assert_str_eq(
	    header_of(&a, "Location"), text("%s%s", two_nodes.bases[1], path));
}
END_TEST

static const struct sql silence = { "e2e.silence",
	"UPDATE nodes SET seen_us = seen_us - 20000000 WHERE id ="
	" (SELECT node FROM channels WHERE id = $1)",
	NULL };

static bool
takes_listeners(const void *event)
{
	struct answer a = ASK(.path = text("%s/saas/v2/event/public/%s/join",
				  two_nodes.bases[1], (const char *)event),
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
	ck_assert(is_well(two_nodes.bases[0]) && !is_ready(two_nodes.bases[0]) &&
		  is_ready(two_nodes.bases[1]));
	joined = join(&h, 0);
	ck_assert_int_eq(node_of(joined), 1);
	is_heard(speaker_of(elsewhere(h.url), &h), stream_call(joined, NULL));
	for (int i = 0; i < TRIES; i++)
		ck_assert_int_eq(node_of(broadcast_new(h.event).url), 1);
	DRAGOMAN("node", "resume", id);
	ck_assert(is_ready(two_nodes.bases[0]));
}
END_TEST

static bool
is_at_the_second(const void *broadcast)
{
	return node_of(join(broadcast, 0)) == 1;
}

START_TEST(a_channel_is_moved_by_hand_between_two_phrases)
{
	struct broadcast h = broadcast_at(0);
	struct ws *speaker = speaker_of(h.url, &h),
		  *listener = stream_call(join(&h, 0), NULL);

	is_heard(speaker, listener);
	DRAGOMAN("channel", "move", h.channel, id_of(1));
	hear_close(speaker, 1008, 15, NULL);
	ck_assert(becomes(is_at_the_second, &h, 10));
}
END_TEST

/* ---- each by itself ---- */

START_TEST(each_node_tells_of_its_own_workers)
{
	for (int i = 0; i < 2; i++)
		ck_assert_msg(
		    becomes(is_well, two_nodes.bases[i], 30), "%s", two_nodes.bases[i]);
	ck_assert_str_ne(id_of(0), id_of(1));
}
END_TEST

/* A program of the other node, with a setting that differs from the first. */
static struct bytes
health_with(const char *setting)
{
	return run((const char *const[]){ "env",
	    text("DRAGOMAN_CONF=%s/etc/dragoman.conf", two_nodes.other_dir), setting,
	    "REQUEST_METHOD=GET", "REQUEST_URI=/health", "REMOTE_ADDR=127.0.0.1",
	    "GATEWAY_INTERFACE=CGI/1.1",
	    text("%s/cgi-bin/system.fcgi", two_nodes.other_dir), NULL });
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
	Suite *s = suite_of("nodes", two_nodes_open, &t);

	tcase_add_loop_test(t, a_session_works_at_the_node_whose_address_it_has, 0, 4);
	tcase_add_loop_test(
	    t, a_token_at_the_other_node_is_sent_to_its_own, 0, ROWS(sockets));
	tcase_add_loop_test(t, a_listener_at_either_node_hears_the_speaker, 0, 2);
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
