/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clients that are idle or paused, measure the time of an answer, connect and leave
 * without a message, or send invalid messages.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "stream-load.h"

#define ASK_US (100 * 1000)
#define PROBE_US (250 * 1000) /* between two pings */
/* until the gateway must have noticed that a client left */
#define SLACK_US S_US
#define DOOR_US (400 * 1000) /* between two calls */

static void
finish(struct client *c)
{
	client_hang_up(c);
	c->done = true;
	c->due_us = NEVER;
}

static void
call(struct client *c)
{
	c->due_us = NEVER;
	if (session_make(c))
		client_call(c, c->session.s2s, c->session.publisher, "");
}

static void
lost(struct client *c, const struct ws_message *m)
{
	wrong(c, "ended: kind %d, code %d %s", (int)m->kind, m->code, m->p);
	finish(c);
}

/* ---- idle ---- */

static void
idle_act(struct client *c, int64_t now)
{
	(void)now;
	call(c);
}

static void
idle_in(struct client *c, int64_t now)
{
	(void)now;
	c->up = true;
}

static void
idle_hear(struct client *c, const struct ws_message *m, int64_t now)
{
	(void)now;
	if (m->kind != WS_TEXT)
		lost(c, m);
}

const struct kind idle_kind = { "idle", 1, idle_act, idle_in, idle_hear, finish };

/* ---- paused ---- */

struct paused {
	bool running;
	int64_t set_us;
};

static void
paused_act(struct client *c, int64_t now)
{
	struct paused *s = c->self;

	if (c->ws == NULL) {
		*s = (struct paused){ false };
		call(c);
		return;
	}
	client_say(c, "get_task", "{}");
	c->due_us = now + ASK_US;
}

static void
paused_in(struct client *c, int64_t now)
{
	struct paused *s = c->self;

	s->set_us = now;
	client_say(c, "set_task", task_of(c->load));
	c->due_us = now;
}

static void
paused_hear(struct client *c, const struct ws_message *m, int64_t now)
{
	struct paused *s = c->self;
	const json_t *j = m->kind == WS_TEXT ? message_read(c->load, m) : NULL;

	if (j == NULL) {
		lost(c, m);
		return;
	}
	if (strcmp(type_of(j), "current_task") != 0 || s->running)
		return;
	meter(0, now - s->set_us + SLACK_US);
	s->running = true;
	c->up = true;
	c->due_us = NEVER;
	client_say(c, "pause_task", "{}");
}

const struct kind paused_kind = { "paused", sizeof(struct paused), paused_act,
	paused_in, paused_hear, finish };

/* ---- a ping, and how long it takes until its answer ---- */

struct probe {
	int64_t asked_us; /* 0: no answer is awaited */
};

static void
probe_act(struct client *c, int64_t now)
{
	struct probe *s = c->self;

	if (c->ws == NULL) {
		call(c);
		return;
	}
	if (s->asked_us != 0 && now > s->asked_us + ANSWER_S * S_US)
		wrong(c, "a ping is not answered");
	if (s->asked_us == 0) {
		s->asked_us = monotonic_us();
		client_send(c, WS_PING, "ping", 4);
	}
	c->due_us = now + PROBE_US;
}

static void
probe_in(struct client *c, int64_t now)
{
	c->up = true;
	c->due_us = now + random() % PROBE_US;
}

static void
probe_hear(struct client *c, const struct ws_message *m, int64_t now)
{
	struct probe *s = c->self;

	if (m->kind == WS_PONG) {
		figure(c->load, "ping to pong", now - s->asked_us);
		s->asked_us = 0;
	} else if (m->kind != WS_TEXT)
		lost(c, m);
}

const struct kind probe_kind = { "probe", sizeof(struct probe), probe_act, probe_in,
	probe_hear, finish };

/* ---- the way in, again and again ---- */

static void
door_act(struct client *c, int64_t now)
{
	client_hang_up(c);
	call(c);
	c->due_us = now + DOOR_US;
}

const struct kind door_kind = { "door", 1, door_act, idle_in, idle_hear, finish };

/* ---- connections that end without a word ---- */

#define TALK_US (2 * S_US) /* when it closes its connection */
#define AWAY_US (2 * S_US) /* when it reconnects with the same token */

struct dropper {
	int64_t chunk, due_us, until_us;
	int64_t set_us, running_us; /* 0: not yet */
	int calls;                  /* with this session */
};

static void
dropper_call(struct client *c, struct dropper *s, int64_t now)
{
	int calls = s->calls % 10;

	*s = (struct dropper){ .calls = calls + 1, .until_us = now + TALK_US };
	c->due_us = NEVER;
	if (calls > 0 || session_make(c))
		client_call(c, c->session.s2s, c->session.publisher, "");
}

static void
dropper_in(struct client *c, int64_t now)
{
	struct dropper *s = c->self;

	c->up = true;
	s->set_us = now;
	client_say(c, "set_task", task_of(c->load));
	client_say(c, "get_task", "{}");
	c->due_us = s->due_us = now + CHUNK_US;
}

static void
dropper_finish(struct client *c)
{
	struct dropper *s = c->self;
	int64_t now = monotonic_us();

	if (c->ws != NULL && s->set_us > 0)
		meter(s->running_us > 0 ? now - s->running_us : 0,
		    now - s->set_us + SLACK_US);
	finish(c);
}

static void
dropper_act(struct client *c, int64_t now)
{
	struct dropper *s = c->self;
	const struct sound *sound = &c->load->speech;
	int64_t at = s->chunk++ % (int64_t)sound->chunks;

	if (c->ws == NULL) {
		dropper_call(c, s, now);
	} else if (now > s->until_us) {
		if (s->running_us == 0)
			wrong(c, "its task did not begin");
		dropper_finish(c);
		c->done = false;
		c->up = true;
		count("dropped", 1);
		c->due_us = now + AWAY_US;
	} else {
		if (s->running_us == 0)
			client_say(c, "get_task", "{}");
		ws_send_frame(c->ws, sound->frames[at].p, sound->frames[at].n);
		c->due_us = s->due_us += CHUNK_US;
	}
}

static void
dropper_hear(struct client *c, const struct ws_message *m, int64_t now)
{
	struct dropper *s = c->self;

	if (m->kind != WS_TEXT)
		lost(c, m);
	else if (strstr(m->p, "\"current_task\"") != NULL && s->running_us == 0)
		s->running_us = now;
}

const struct kind dropper_kind = { "dropper", sizeof(struct dropper), dropper_act,
	dropper_in, dropper_hear, dropper_finish };

/* ---- rubbish ---- */

#define BAD_US (200 * 1000)
/* messages after which the gateway must have closed the connection */
#define BAD_MOST 40

struct bad {
	int said, way;
};

static void
bad_call(struct client *c, struct bad *s)
{
	*s = (struct bad){ .way = s->way + 1 };
	call(c);
}

static void
bad_in(struct client *c, int64_t now)
{
	c->up = true;
	c->due_us = now + BAD_US;
}

static void
say_rubbish(struct client *c, const struct bad *s)
{
	static const char *const json[] = { "{\"message_type\":", "[]", "{}", "null",
		"{\"message_type\":\"x\"}",
		"{\"message_type\":\"set_task\",\"data\":7}",
		"{\"message_type\":\"input_audio_data\",\"data\":{\"data\":\"%%\"}}" };
	char bytes[200], *large;

	random_bytes(bytes, sizeof(bytes));
	switch (s->way % 4) {
	case 0:
		client_send(c, WS_TEXT, json[s->said % 7], strlen(json[s->said % 7]));
		return;
	case 1:
		client_send(c, WS_BINARY, bytes, sizeof(bytes));
		return;
	case 2: /* no UTF-8 */
		client_send(c, WS_TEXT, "\xff\xfe{}", 4);
		return;
	default:
		large = arena_alloc(c->load->scratch, (1 << 20) + 1);
		client_send(c, WS_BINARY, large, (1 << 20) + 1);
	}
}

static void
bad_act(struct client *c, int64_t now)
{
	struct bad *s = c->self;

	if (c->ws == NULL) {
		bad_call(c, s);
		return;
	}
	say_rubbish(c, s);
	c->due_us = now + BAD_US;
	if (++s->said > BAD_MOST) {
		wrong(c, "not sent away, way %d", s->way % 4);
		finish(c);
	}
}

/*
 * The connection was closed with the required code, or broke while messages were being
 * sent.
 */
static void
bad_hear(struct client *c, const struct ws_message *m, int64_t now)
{
	static const int codes[] = { 1008, 1008, 1007, 1009 };
	struct bad *s = c->self;

	if (m->kind == WS_TEXT)
		return;
	if (m->kind == WS_CLOSE && m->code != codes[s->way % 4])
		wrong(c, "way %d closed with %d %s", s->way % 4, m->code, m->p);
	count("sent away", 1);
	client_hang_up(c);
	c->up = true;
	c->due_us = now + S_US;
}

const struct kind bad_kind = { "bad", sizeof(struct bad), bad_act, bad_in, bad_hear,
	finish };
