/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel at two nodes: this gateway, and a peer that speaks the relay's messages. */
#include "channel/channel_drain.h"
#include "channel/relay_internal.h"
#include "cluster/cluster.h"
#include "gateway/leases.h"
#include "tests/unit/channel_session_fixture.h"
#include "tests/unit/nats_fixture.h"
#include "tests/unit/node_rows.h"

static struct {
	struct cluster *cluster;
	struct mailbox *box;
	const char *woken; /* the channel that the gateway was asked to open */
	char heard[32][512];
	int n;
} peer;

static void
wake(struct gateway *g, const char *channel, const char *guests)
{
	(void)g, (void)guests;
	peer.woken = arena_str(fixture.mem, channel);
}

static void
setup(void)
{
	nats_setup();
	nats_start();
	gateway_open();
	leases_open(&gateway);
	memset(&peer, 0, sizeof(peer));
	nats.conf.node = gateway.conf->node;
	gateway.cluster = cluster_open(&nats.conf, gateway.to_event_loop, NULL);
	relay_start(&gateway, wake);
	peer.box = mailbox_new(gateway.mem, wake_nothing, NULL);
	peer.cluster = cluster_open(&nats.conf, peer.box, NULL);
	await(cluster_is_connected(gateway.cluster) &&
	      cluster_is_connected(peer.cluster));
}

static void
teardown(void)
{
	gateway_empty();
	cluster_close(gateway.cluster);
	cluster_close(peer.cluster);
	gateway_close();
	nats_teardown();
}

/* ---- the peer ---- */

static void
receive(struct gateway *g, struct thread_call *e)
{
	const struct cluster_message *m = (const struct cluster_message *)e;

	(void)g;
	if (peer.n < 32)
		snprintf(peer.heard[peer.n++], sizeof(peer.heard[0]), "%.*s", (int)m->n,
		    (const char *)m->bytes);
	arena_free(e->message.mem);
}

static void
turn(void)
{
	struct actor_message *next;

	for (struct actor_message *l = mailbox_drain(peer.box); l != NULL; l = next) {
		struct thread_call *e = (struct thread_call *)l;

		next = l->next;
		e->run(NULL, e);
	}
	gateway_tick();
}

static void
hears(const char *channel, const char *rest)
{
	cluster_subscribe(peer.cluster,
	    channel != NULL ? arena_printf(fixture.mem, "ch.%s.%s", channel, rest)
			    : arena_printf(fixture.mem, "node.%s", rest),
	    receive, NULL);
	for (int i = 0; i < 50; i++)
		turn();
}

static bool
has_heard(const char *a, const char *b)
{
	for (int i = 0; i < peer.n; i++)
		if (strstr(peer.heard[i], a) != NULL &&
		    strstr(peer.heard[i], b) != NULL)
			return true;
	return false;
}

#define AWAIT(condition) await_by(turn(), condition)

static void
says(const char *channel, const char *rest, const char *message)
{
	cluster_publish(peer.cluster,
	    arena_printf(fixture.mem, "ch.%s.%s", channel, rest), message,
	    strlen(message));
}

#define STATE(epoch)                                                                   \
	"{\"t\":\"state\",\"epoch\":" #epoch ",\"node\":\"b\",\"seq\":0,\"state\":1,"  \
	"\"status\":3,\"code_version\":0,\"speaker_version\":0,\"task\":{"             \
	"\"language\":"                                                                \
	"\"en\",\"targets\":[[\"es\",\"es\"]]}}\n"
#define SAID(epoch, seq, text)                                                         \
	"{\"t\":\"text\",\"epoch\":" #epoch ",\"target\":\"es\",\"seq\":" #seq         \
	",\"starred\":3,\"final\":true,\"id\":\"" text                                 \
	"\",\"part\":0}\n{\"message_type\":\"" text "\",\"data\":{}}"

/* ---- a guest ---- */

static struct websocket *
guest(const char *id)
{
	return connect_to(id, false, "es");
}

START_TEST(a_guest_gets_the_owners_texts)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = guest(id);

	ck_assert_ptr_nonnull(s->connection->session->guest);
	for (int i = 0; i < 50; i++)
		turn();
	says(id, "out", STATE(4));
	says(id, "out", SAID(4, 1, "first"));
	AWAIT(count_seen(s, "\"first\"", "") == 1);
	says(id, "out", SAID(3, 2, "stale"));
	says(id, "out", SAID(5, 2, "unknown"));
	says(id, "out", SAID(4, 2, "second"));
	AWAIT(count_seen(s, "\"second\"", "") == 1);
	ck_assert_int_eq(count_seen(s, "\"stale\"", ""), 0);
	ck_assert_int_eq(count_seen(s, "\"unknown\"", ""), 0);
}
END_TEST

/* It asks for the texts between. */
START_TEST(a_guest_notices_a_hole)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = guest(id);

	hears(id, "in");
	says(id, "out", STATE(4));
	AWAIT(has_heard("\"hello\"", "\"behind\":true"));
	says(id, "out", "{\"t\":\"kept\",\"epoch\":4}\n");
	says(id, "out", SAID(4, 1, "first"));
	AWAIT(count_seen(s, "\"first\"", "") == 1);
	peer.n = 0;
	says(id, "out", SAID(4, 3, "third"));
	AWAIT(has_heard("\"hello\"", "\"behind\":true"));
	says(id, "out", SAID(4, 0, "first"));
	says(id, "out", SAID(4, 0, "second"));
	AWAIT(count_seen(s, "\"second\"", "") == 1);
	ck_assert_int_eq(count_seen(s, "\"first\"", ""), 1);
}
END_TEST

START_TEST(a_guest_takes_a_channel_whose_owner_is_silent)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = guest(id);
	struct session *session = s->connection->session;

	AWAIT(session->guest == NULL);
	ck_assert_int_eq(session->owned.epoch, 1);
	ck_assert_int_eq(s->code, 0);
	await_row(id, "node", arena_printf(fixture.mem, "%s\n", gateway.conf->node));
}
END_TEST

/* The task that it set, and the sound since, go to the next owner. */
START_TEST(a_speaker_at_a_guest_speaks_to_the_next_owner)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);

	hears(id, "in");
	tell(s, "pause_task", "{}");
	says(id, "out", STATE(4));
	AWAIT(has_heard("\"open\"", "\"epoch\":4"));
	AWAIT(has_heard("\"say\"", "pause_task"));
	peer.n = 0;
	tell(s, "set_task", "{\"x\":1}");
	AWAIT(has_heard("\"say\"", "set_task"));
	peer.n = 0;
	says(id, "out", STATE(5));
	AWAIT(has_heard("\"open\"", "\"epoch\":5"));
	AWAIT(has_heard("\"say\"", "set_task"));
	ck_assert(!has_heard("\"say\"", "pause_task"));
}
END_TEST

/* The last owner died: the next one gets the sound that it had not finished. */
START_TEST(sound_is_kept_until_its_texts_are_out)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);
	const struct relay_writer *w;

	hears(id, "in");
	says(id, "out", STATE(4));
	AWAIT(has_heard("\"open\"", "\"epoch\":4"));
	for (int i = 0; i < 3; i++)
		tell(s, "input_audio_data", "{\"data\":\"AAAA\"}");
	AWAIT(has_heard("\"say\"", "\"number\":3"));
	w = s->connection->session->channel->relay->writers;
	says(id, "out",
	    arena_printf(fixture.mem,
		"{\"t\":\"text\",\"epoch\":4,\"target\":\"es\",\"seq\":1,\"final\":"
		"true,"
		"\"starred\":3,\"id\":\"x\",\"part\":0,\"done\":{\"%s\":2}}\n{}",
		w->id));
	AWAIT(relay_queue_first(&w->sent)->number == 3);
	peer.n = 0;
	says(id, "out", STATE(5));
	AWAIT(has_heard("\"say\"", "\"number\":3"));
	ck_assert(!has_heard("\"say\"", "\"number\":2"));
	/* this owner leaves, and has finished all */
	says(id, "out", "{\"t\":\"state\",\"epoch\":5,\"node\":\"b\",\"gone\":true}\n");
	AWAIT(relay_queue_first(&w->sent) == NULL);
}
END_TEST

/* ---- the owner ---- */

static struct websocket *
owner(const char *id, bool writes)
{
	struct connection_request *v = request_to(id, writes, writes ? NULL : "es");

	ck_assert_int_eq(leases_take(&gateway, id, false, &v->lease), OK);
	return connect_with(v);
}

/* The peer has a guest session of the channel. */
static void
follow(const char *id)
{
	hears(id, "out");
	says(id, "in",
	    "{\"t\":\"hello\",\"epoch\":0,\"wants\":[],\"behind\":false,\"node\":\"b\"}"
	    "\n");
}

START_TEST(an_owner_sends_each_text_once)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = owner(id, true);

	follow(id);
	AWAIT(has_heard("\"state\"", "\"epoch\":1"));
	send_24k(s);
	AWAIT(has_heard("\"text\"", "translated_transcription"));
	let_it_end(s);
}
END_TEST

START_TEST(a_speaker_elsewhere_is_answered_there)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = owner(id, false);

	hears(NULL, "b");
	says(id, "in",
	    "{\"t\":\"open\",\"epoch\":1,\"conn\":\"c\",\"listens\":true,\"node\":"
	    "\"b\"}"
	    "\n");
	AWAIT(s->connection->session->publisher != NULL);
	says(id, "in",
	    "{\"t\":\"say\",\"epoch\":1,\"conn\":\"c\",\"node\":\"b\"}\n"
	    "{\"message_type\":\"nonsense\",\"data\":{}}");
	AWAIT(has_heard("\"tell\"", "VALIDATION_ERROR"));
	says(id, "in", "{\"t\":\"say\",\"epoch\":1,\"conn\":\"d\",\"node\":\"b\"}\nx");
	AWAIT(has_heard("\"again\"", "\"conn\":\"d\""));
	says(id, "in", "{\"t\":\"left\",\"epoch\":1,\"conn\":\"c\",\"node\":\"b\"}\n");
	AWAIT(s->connection->session->publisher == NULL);
}
END_TEST

static void
say_at_guest(const char *id, int number, const char *data)
{
	says(id, "in",
	    arena_printf(fixture.mem,
		"{\"t\":\"say\",\"epoch\":1,\"conn\":\"c\",\"node\":\"b\",\"number\":%"
		"d}\n"
		"{\"message_type\":\"input_audio_data\",\"data\":%s}",
		number, data));
}

START_TEST(an_owner_says_which_sound_is_finished)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = owner(id, false);

	follow(id);
	says(id, "in", "{\"t\":\"open\",\"epoch\":1,\"conn\":\"c\",\"node\":\"b\"}\n");
	AWAIT(s->connection->session->publisher != NULL);
	say_at_guest(id, 1, phrase_24k(1)); /* starts the task */
	AWAIT(s->connection->session->state == STATE_RUNNING);
	say_at_guest(id, 2, phrase_24k(0));
	say_at_guest(id, 3, phrase_24k(1));
	AWAIT(has_heard("translated_transcription", "\"done\":{\"c\":2}"));
	says(id, "in", "{\"t\":\"left\",\"epoch\":1,\"conn\":\"c\",\"node\":\"b\"}\n");
	AWAIT(s->connection->session->publisher == NULL);
	let_it_end(s);
}
END_TEST

/* ---- messages of others ---- */

static const char *const strange[] = { "", "\n", "x\n", "[]\n", "{}\n", "{\"t\":7}\n",
	"{\"t\":\"state\"}\n",
	("{\"t\":\"state\",\"epoch\":9,\"state\":99,\"task\":{\"targets\":[[1],[],7]}}"
	 "\n"),
	"{\"t\":\"state\",\"epoch\":9,\"task\":{\"targets\":7}}\n",
	"{\"t\":\"text\",\"epoch\":9,\"target\":\"xx\",\"seq\":1}\n",
	"{\"t\":\"text\",\"epoch\":9,\"seq\":-1,\"starred\":77,\"final\":true}\nx",
	"{\"t\":\"sound\",\"epoch\":9,\"target\":\"es\",\"text\":99999}\nx",
	"{\"t\":\"sound\",\"epoch\":9,\"target\":\"es\",\"text\":-1,\"said\":true}\nx",
	"{\"t\":\"sound\",\"epoch\":9,\"text\":0}\n",
	"{\"t\":\"flush\",\"epoch\":9,\"target\":\"xx\"}\n",
	"{\"t\":\"correction\",\"epoch\":9}\n",
	"{\"t\":\"hello\",\"node\":\"b\",\"wants\":[7,\"\",\"opus\",null]}\n",
	"{\"t\":\"hello\",\"node\":\"b\",\"wants\":7}\n",
	"{\"t\":\"open\",\"epoch\":1,\"node\":\"b\"}\n",
	"{\"t\":\"packet\",\"epoch\":1,\"node\":\"b\",\"conn\":\"c\"}\n",
	"{\"t\":\"end\",\"epoch\":9,\"channel\":\"x\",\"why\":99}\n",
	"{\"t\":\"wake\",\"channel\":7}\n" };

static void
send_strange(const char *id)
{
	static const char *const ways[] = { "in", "out", "opus.es", "pcm.es" };

	for (int i = 0; i < COUNT(strange); i++) {
		for (int w = 0; w < COUNT(ways); w++)
			says(id, ways[w], strange[i]);
		cluster_publish(peer.cluster,
		    arena_printf(fixture.mem, "node.%s", gateway.conf->node),
		    strange[i], strlen(strange[i]));
	}
}

START_TEST(strange_messages_harm_nothing)
{
	const char *id = new_channel("[\"es\"]"), *other = new_channel("[\"es\"]");
	struct websocket *s = owner(id, false), *t = guest(other);

	for (int i = 0; i < 50; i++)
		turn();
	says(other, "out", STATE(9));
	send_strange(id);
	send_strange(other);
	for (int i = 0; i < 300; i++)
		turn();
	ck_assert_int_eq(s->code, 0);
	ck_assert_int_eq(t->code, 0);
	says(other, "out", STATE(9));
	says(other, "out", SAID(9, 1, "good"));
	AWAIT(count_seen(t, "\"good\"", "") == 1);
}
END_TEST

START_TEST(a_node_is_asked_to_open_a_channel)
{
	const char *id = new_channel("[\"es\"]");
	const char *message = arena_printf(
	    fixture.mem, "{\"t\":\"wake\",\"epoch\":0,\"channel\":\"%s\"}\n", id);

	for (int i = 0; i < 50; i++)
		turn();
	cluster_publish(peer.cluster,
	    arena_printf(fixture.mem, "node.%s", gateway.conf->node), message,
	    strlen(message));
	AWAIT(peer.woken != NULL);
	ck_assert_str_eq(peer.woken, id);
}
END_TEST

/* Its listeners elsewhere hear nothing. */
START_TEST(a_node_cut_off_from_nats_gives_its_channels_away)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = owner(id, false);

	put_node("b", 0, 0);
	sql("UPDATE nodes SET nats = '{\"connected\":1,\"x\":1}'");
	nats_stop();
	AWAIT(!cluster_is_connected(gateway.cluster));
	AWAIT((channel_drain_watch(&gateway, fixture.mem), gateway.isolated));
	gateway.leases_us = 0;
	await_end(s, 1008);
	await_row(id, "node", "b\n");
	sql("UPDATE nodes SET nats = '{\"connected\":0,\"x\":1}'");
	gateway.alone_look_us = 0;
	channel_drain_watch(&gateway, fixture.mem);
	ck_assert(!gateway.isolated);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("relay");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_guest_gets_the_owners_texts);
	tcase_add_test(t, a_guest_notices_a_hole);
	tcase_add_test(t, a_guest_takes_a_channel_whose_owner_is_silent);
	tcase_add_test(t, a_speaker_at_a_guest_speaks_to_the_next_owner);
	tcase_add_test(t, sound_is_kept_until_its_texts_are_out);
	tcase_add_test(t, an_owner_sends_each_text_once);
	tcase_add_test(t, an_owner_says_which_sound_is_finished);
	tcase_add_test(t, a_speaker_elsewhere_is_answered_there);
	tcase_add_test(t, strange_messages_harm_nothing);
	tcase_add_test(t, a_node_is_asked_to_open_a_channel);
	tcase_add_test(t, a_node_cut_off_from_nats_gives_its_channels_away);
	suite_add_tcase(s, t);
	return unit_run(s);
}
