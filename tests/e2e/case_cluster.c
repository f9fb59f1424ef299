/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two hosts that NATS joins: each serves the listeners and speakers of every channel.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "db/db.h"
#include "killing.h"
#include "two_nodes.h"

static void
both_hear(struct ws *speaker, struct ws *here, struct ws *there)
{
	is_heard(speaker, here);
	hear(there, "translated_transcription", 10);
	ck_assert_uint_gt(hear_speech(there, "es", 10).bytes, 9600);
}

START_TEST(listeners_at_both_nodes_hear_the_speaker)
{
	struct broadcast h = broadcast_at(_i);
	struct ws *speaker = speaker_of(h.url, &h), *here, *there;

	here = stream_call(join(&h, 0), NULL);
	there = stream_call(elsewhere(join(&h, 1)), NULL);
	both_hear(speaker, here, there);
}
END_TEST

START_TEST(a_speaker_at_the_other_node_is_heard)
{
	struct broadcast h = broadcast_at(_i);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *there = stream_call(elsewhere(join(&h, 1)), NULL),
		  *speaker = speaker_of(elsewhere(h.url), &h);

	both_hear(speaker, here, there);
}
END_TEST

/* ---- the owner changes ---- */

/* Speaks until the listener gets the text. */
static void
is_heard_soon(struct ws *speaker, struct ws *listener, double s)
{
	double end = seconds() + s;
	json_t *j;

	do {
		send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
		    tone_then_silence(24000, 0.6, 1.0));
		while ((j = hear_any(listener, 1)) != NULL)
			if (strcmp(text_at(j, "message_type"),
				"translated_transcription") == 0)
				return;
	} while (seconds() < end);
	ck_abort_msg("not heard in %g s", s);
}

/* A node stops, and with it the lease of its channel. */
START_TEST(another_node_goes_on_when_the_owner_stops)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *there = stream_call(elsewhere(join(&h, 1)), NULL),
		  *speaker = speaker_of(elsewhere(h.url), &h);

	is_heard(speaker, there);
	ck_assert_int_eq(worker_signal("gateway", SIGSTOP), 1);
	is_heard_soon(speaker, there, 20);
	ck_assert_int_eq(worker_signal("gateway", SIGCONT), 1);
	is_heard_soon(speaker, here, 20);
	ck_assert_int_eq(node_of(join(&h, 0)), 1);
}
END_TEST

/* All sockets stay, and no phrase is lost. */
START_TEST(a_channel_is_handed_over_between_two_phrases)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *there = stream_call(elsewhere(join(&h, 1)), NULL),
		  *speaker = speaker_of(_i == 0 ? h.url : elsewhere(h.url), &h);

	both_hear(speaker, here, there);
	DRAGOMAN("channel", "move", h.channel, id_of(1));
	for (int i = 0; i < 40 && node_of(join(&h, 0)) == 0; i++)
		both_hear(speaker, here, there);
	both_hear(speaker, here, there);
	ck_assert_int_eq(node_of(join(&h, 0)), 1);
}
END_TEST

/* Its sockets come again elsewhere. */
START_TEST(a_node_is_emptied)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *there = stream_call(elsewhere(join(&h, 1)), NULL),
		  *speaker = speaker_of(elsewhere(h.url), &h);
	const char *id = id_of(0);

	is_heard(speaker, here);
	DRAGOMAN("node", "drain", id, "--within", "60");
	hear_close(here, 1001, 1, NULL);
	is_heard(speaker, there);
	here = stream_call(join(&h, 0), NULL);
	is_heard(speaker, here);
	DRAGOMAN("node", "resume", id);
}
END_TEST

Suite *
cluster_suite(void)
{
	TCase *t;
	Suite *s = suite_of("cluster", two_nodes_open, &t);

	tcase_add_loop_test(t, listeners_at_both_nodes_hear_the_speaker, 0, 2);
	tcase_add_loop_test(t, a_speaker_at_the_other_node_is_heard, 0, 2);

	tcase_add_test(t, another_node_goes_on_when_the_owner_stops);
	tcase_add_loop_test(t, a_channel_is_handed_over_between_two_phrases, 0, 2);
	tcase_add_test(t, a_node_is_emptied);
	return s;
}
