/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Listeners of a speaker, STT sockets and TTS sockets.  All received data is counted: a
 * missing sentence is a loss.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "stream-load.h"

#define AGAIN_US (2 * S_US) /* microseconds before a listener reconnects */
#define VAIN_US (30 * S_US) /* microseconds that a listener waits for speech */

/* True when the client ended itself, so it may come again. */
static void
come_again(struct client *c, int64_t now)
{
	client_hang_up(c);
	c->done = c->ending || !c->load->churn;
	c->due_us = c->done ? NEVER : now + AGAIN_US;
}

static void
finish(struct client *c)
{
	if (c->ws == NULL) {
		c->done = true;
		c->due_us = NEVER;
	}
}

/* ---- listeners ---- */

struct listener {
	const struct client *to;
	int last;   /* sentence that was read; 0: none yet */
	bool first; /* no speech has arrived yet */
};

/* Called when the listener joined after the speaker had left. */
static void
listen_in_vain(struct client *c, int64_t now)
{
	count("listened in vain", 1);
	come_again(c, now);
}

static void
listen_joined(struct client *c)
{
	const char *line = c->load->joined[c->number];
	size_t n = line != NULL ? strcspn(line, " ") : 0;

	if (n == 0)
		wrong(c, "not joined");
	else
		client_call(c, arena_dup(c->load->scratch, line, n), line + n + 1,
		    c->load->listen);
}

static void
listen_act(struct client *c, int64_t now)
{
	const struct client *to = speaker_for(c->load, c->number);
	struct listener *s = c->self;

	if (c->ws != NULL) {
		listen_in_vain(c, now);
		return;
	}
	*s = (struct listener){ .to = to };
	c->due_us = now + S_US / 10;
	if (c->ending)
		finish(c);
	else if (c->load->joined != NULL)
		listen_joined(c);
	else if (to != NULL)
		client_call(c, to->session.s2s, to->session.subscriber,
		    arena_printf(c->load->scratch, "&language=%s%s", c->load->to,
			c->load->listen));
}

/* Ends a listener whose channel continues. */
static void
listen_finish(struct client *c)
{
	if (c->load->joined != NULL)
		client_hang_up(c);
	finish(c);
}

static void
listen_in(struct client *c, int64_t now)
{
	c->up = true;
	c->due_us = now + VAIN_US;
}

static void
take_sentence(struct client *c, struct listener *s, const char *text)
{
	int n = sentence_number(text);

	count("listened", 1);
	if (c->load->lines && s->last > 0 && n != s->last + 1) {
		wrong(c, "sentence %d after %d", n, s->last);
		count("lost", 1);
	}
	s->last = n;
	s->first = true;
}

/*
 * Returns the end of the sentence that is being received. 0: unknown, because another
 * client may have become the speaker, or the sentence was sent before the speaker
 * reconnected.
 */
static int64_t
ended_us(const struct client *c, const struct listener *s)
{
	return s->to != NULL && c->load->lines && !c->load->churn && s->last > 0
		   ? speaker_ended_us(s->to, s->last)
		   : 0;
}

static void
take_speech(struct client *c, struct listener *s, int64_t now)
{
	int64_t from_us = s->first ? ended_us(c, s) : 0;

	count("audio messages", 1);
	if (from_us > 0)
		figure(c->load, "end of phrase to audio at listeners", now - from_us);
	s->first = false;
}

/* Counts frames with their size on the connection. */
static void
weigh(const struct client *c, const struct ws_message *m)
{
	if (!c->load->measuring)
		return;
	count("listener frames", 1);
	count("listener bytes", (int64_t)m->n + (m->n < 126        ? 2
						    : m->n < 65536 ? 4
								   : 10));
}

static void
listen_hear(struct client *c, const struct ws_message *m, int64_t now)
{
	static const char audio[] = "{\"message_type\":\"output_audio_data\"";
	struct listener *s = c->self;
	const json_t *j;

	c->due_us = now + VAIN_US;
	weigh(c, m);
	if (m->kind == WS_TEXT && strncmp(m->p, audio, sizeof(audio) - 1) == 0) {
		take_speech(c, s, now);
		return;
	}
	if (m->kind != WS_TEXT) {
		if (m->kind != WS_CLOSE || m->code != 1000)
			wrong(c, "ended: kind %d, code %d %s", (int)m->kind, m->code,
			    m->p);
		come_again(c, now);
		return;
	}
	j = message_read(c->load, m);
	if (strcmp(type_of(j), "translated_transcription") == 0)
		take_sentence(c, s,
		    text_in(
			json_object_get(json_object_get(j, "data"), "transcription"),
			"text"));
	else if (strcmp(type_of(j), "error") == 0)
		wrong(c, "%.200s", m->p);
}

const struct kind listener_kind = { "listener", sizeof(struct listener), listen_act,
	listen_in, listen_hear, listen_finish };

/* ---- STT ---- */

struct writer {
	int64_t chunk, due_us, written;
	bool leaving;
	/* this client ran so late that a phrase may have ended meanwhile */
	bool starved;
};

#define LATE_US (700 * 1000) /* a second without a frame ends a phrase */

/* The last phrase needs 0.7 s of silence, and a little time. */
#define STT_TAIL_US (2 * S_US)

static void
stt_call(struct client *c, struct writer *s)
{
	*s = (struct writer){ 0 };
	c->due_us = NEVER;
	if (session_make(c))
		client_call(c, c->session.stt, c->session.publisher,
		    "&language=en&translate_languages=es");
}

static void
stt_in(struct client *c, int64_t now)
{
	struct writer *s = c->self;

	c->up = true;
	c->due_us = s->due_us = now + random() % CHUNK_US;
}

static bool
stt_may_leave(const struct client *c, const struct writer *s)
{
	const struct load *l = c->load;
	int64_t said = s->chunk > 0 ? sound_said(&l->hearing, s->chunk - 1) : 0;

	return (c->ending || (l->phrases > 0 && said >= l->phrases)) &&
	       (s->chunk == 0 || sound_rests(&l->hearing, s->chunk - 1));
}

static void
stt_leave(struct client *c, struct writer *s, int64_t now)
{
	int64_t said = s->chunk > 0 ? sound_said(&c->load->hearing, s->chunk - 1) : 0;

	count("stt seconds", (s->chunk * CHUNK_US + S_US - 1) / S_US);
	if (s->starved)
		count("starved", 1);
	else if (s->written != 2 * said) {
		wrong(c, "%lld said, %lld written", (long long)said,
		    (long long)s->written);
		count("lost", 2 * said - s->written);
	}
	come_again(c, now);
}

static void
stt_act(struct client *c, int64_t now)
{
	const struct sound *sound = &c->load->hearing;
	struct writer *s = c->self;
	int64_t at = s->chunk % (int64_t)sound->chunks;

	if (c->ws == NULL && c->ending)
		finish(c);
	else if (c->ws == NULL)
		stt_call(c, s);
	else if (s->leaving)
		stt_leave(c, s, now);
	else if (stt_may_leave(c, s)) {
		s->leaving = true;
		c->due_us = now + STT_TAIL_US;
	} else if (!ws_send_frame(c->ws, sound->frames[at].p, sound->frames[at].n)) {
		wrong(c, "the connection is broken");
		come_again(c, now);
	} else {
		count("said", sound_said(sound, s->chunk) -
				  (s->chunk > 0 ? sound_said(sound, s->chunk - 1) : 0));
		s->chunk++;
		s->starved |= now > s->due_us + LATE_US;
		c->due_us = s->due_us += CHUNK_US;
	}
}

static void
stt_hear(struct client *c, const struct ws_message *m, int64_t now)
{
	struct writer *s = c->self;
	const json_t *j = m->kind == WS_TEXT ? message_read(c->load, m) : NULL;
	int n = sentence_number(text_in(json_object_get(j, "segment"), "text"));

	if (j == NULL) {
		wrong(c, "ended: kind %d, code %d %s", (int)m->kind, m->code, m->p);
		come_again(c, now);
	} else if (strcmp(type_of(j), "error") == 0 ||
		   strcmp(type_of(j), "warning") == 0) {
		wrong(c, "%.200s", m->p);
	} else if (json_is_true(json_object_get(j, "is_eos"))) {
		if (c->load->lines && !s->starved && n != s->written / 2 + 1)
			wrong(
			    c, "sentence %d is %.200s", (int)s->written / 2 + 1, m->p);
		s->written++;
		count("written", 1);
	}
}

const struct kind stt_kind = { "stt", sizeof(struct writer), stt_act, stt_in, stt_hear,
	finish };

/* ---- TTS ---- */

struct reader {
	int64_t asked_us; /* 0: no answer is awaited */
	int asked, read;
	size_t bytes; /* bytes of this answer */
};

#define TTS_TEXT "Hola a todos."
#define TTS_INIT                                                                       \
	"{\"type\":\"init\",\"language\":\"es\",\"output\":{\"format\":\"pcm\","       \
	"\"sample_rate\":24000}}"

static void
tts_call(struct client *c, struct reader *s)
{
	*s = (struct reader){ 0 };
	c->due_us = NEVER;
	if (session_make(c))
		client_call(c, c->session.tts, c->session.publisher, "");
}

static void
tts_in(struct client *c, int64_t now)
{
	c->up = true;
	client_send(c, WS_TEXT, TTS_INIT, strlen(TTS_INIT));
	c->due_us = now + random() % S_US;
}

static void
tts_ask(struct client *c, struct reader *s, int64_t now)
{
	const char *text = arena_printf(c->load->scratch,
	    "{\"type\":\"text\",\"text\":\"" TTS_TEXT "\",\"is_eos\":true,"
	    "\"generation_id\":\"%d\"}",
	    ++s->asked);

	client_send(c, WS_TEXT, text, strlen(text));
	s->asked_us = now;
	s->bytes = 0;
	c->due_us = now + ANSWER_S * S_US;
}

static void
tts_act(struct client *c, int64_t now)
{
	struct reader *s = c->self;

	if (c->ws == NULL && c->ending)
		finish(c);
	else if (c->ws == NULL)
		tts_call(c, s);
	else if (s->asked_us != 0) {
		wrong(c, "nothing is spoken");
		count("lost", 1);
		come_again(c, now);
	} else if (c->ending || (c->load->phrases > 0 && s->asked >= c->load->phrases))
		come_again(c, now);
	else
		tts_ask(c, s, now);
}

static void
tts_hear(struct client *c, const struct ws_message *m, int64_t now)
{
	struct reader *s = c->self;
	const json_t *j = m->kind == WS_TEXT ? message_read(c->load, m) : NULL;
	const json_t *data = json_object_get(j, "data");

	if (j == NULL || strcmp(type_of(j), "audio_chunk") != 0) {
		wrong(c, "kind %d, code %d %.200s", (int)m->kind, m->code, m->p);
		come_again(c, now);
		return;
	}
	if (s->bytes == 0)
		figure(
		    c->load, "text to first audio on TTS sockets", now - s->asked_us);
	s->bytes += (size_t)json_integer_value(json_object_get(data, "size"));
	if (!json_is_true(json_object_get(data, "last_chunk")))
		return;
	if (s->bytes == 0 || atoi(text_in(data, "generation_id")) != s->asked)
		wrong(c, "generation %d: %.200s", s->asked, m->p);
	s->read++;
	s->asked_us = 0;
	count("read aloud", 1);
	count("tts characters", (int64_t)strlen(TTS_TEXT));
	c->due_us = now + 2 * S_US;
}

const struct kind tts_kind = { "tts", sizeof(struct reader), tts_act, tts_in, tts_hear,
	finish };
