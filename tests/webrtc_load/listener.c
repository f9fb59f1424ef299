/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "listener.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tests/stream-load-tell.h"

/* ---- callbacks ---- */

static struct listener *
listener_of(void *owner)
{
	struct client_side *s = owner;

	return (void *)s->client;
}

static void
note_state(void *owner, enum rtc_state state)
{
	const struct client_side *s = owner;
	struct listener *l = listener_of(owner);

	if (state == RTC_FAILED) {
		printf("wrong\tlistener: %s\n", rtc_peer_failure(s->peer));
		count("wrong", 1);
	}
	if (state != RTC_CONNECTED || l->connected_us != 0)
		return;
	l->connected_us = monotonic_us();
	figure_always("join to connected", l->connected_us - l->client.begun_us);
}

static void
note_first(struct listener *l, const struct rtp_packet *r)
{
	l->heard_us = monotonic_us();
	l->ssrc = r->ssrc;
	l->first_seq = r->seq;
	figure_always("join to first audio", l->heard_us - l->client.begun_us);
}

static void
note_packet(void *owner, const struct rtp_packet *r)
{
	struct listener *l = listener_of(owner);
	int32_t ahead;

	if (l->heard_us == 0)
		note_first(l, r);
	if (r->ssrc != l->ssrc) {
		count("packets of other tracks", 1);
		return;
	}
	ahead = (int16_t)(r->seq - (uint16_t)(l->first_seq + l->last));
	l->last += ahead > 0 ? ahead : 0;
	l->packets++;
}

static void
note_channel(void *owner, const char *label)
{
	(void)owner, (void)label;
}

static void
note_message(void *owner, const char *label, const void *p, size_t n)
{
	(void)owner, (void)label, (void)p, (void)n;
	count("messages", 1);
}

static void
note_loss(void *owner, uint32_t ssrc, int percent)
{
	(void)owner, (void)ssrc, (void)percent;
}

const struct rtc_events listener_events = { note_state, note_packet, note_channel,
	note_message, note_loss };

/* ---- signalling ---- */

bool
listener_call(struct listener *l, int number)
{
	struct client *c = &l->client;
	const char *headers[] = {
		arena_printf(c->mem, "Authorization: Bearer %s", c->o->token), NULL
	};
	/* Each listener has a source address of its own, as in the field. */
	const char *from =
	    arena_printf(c->mem, "127.%d.%d.2", 1 + number / 250, 1 + number % 250);

	c->begun_us = monotonic_us();
	c->ws = ws_call(c->mem, from,
	    arena_printf(c->mem, "%s/rtc?protocol=15&sdk=c&version=1&auto_subscribe=1",
		c->o->url),
	    headers);
	return c->ws != NULL;
}

static void
take_answer(struct listener *l)
{
	struct client *c = &l->client;
	const char *answer;
	enum ws_kind is = ws_answered(c->ws, c->mem, &answer);

	l->answered = is == WS_MORE;
	if (l->answered)
		figure_always("call to 101", monotonic_us() - c->begun_us);
	if (is != WS_WRONG)
		return;
	printf("wrong\tlistener: %.300s\n", answer);
	count("wrong", 1);
	ws_drop(c->ws);
	c->ws = NULL;
}

void
listener_read(struct listener *l)
{
	if (!l->answered)
		take_answer(l);
	if (!l->answered || l->client.ws == NULL)
		return;
	signalling_receive(&l->client);
	if (l->client.ws == NULL) {
		printf("wrong\tlistener: %s\n", l->client.left);
		count("wrong", 1);
	}
}

int64_t
listener_lost(const struct listener *l)
{
	return l->packets > 0 ? l->last + 1 - l->packets : 0;
}
