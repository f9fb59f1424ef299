/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Speakers. They send sound in real time, and measure the results of each phrase from
 * the chunk with its end.
 *
 *	call, set_task -> get_task until it runs -> chunks -> end_task -> eos, 1000
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "stream-load.h"

#define ASK_US (50 * 1000) /* microseconds between two get_task */
#define SENT 1024          /* chunks whose time is stored: 5 min */
#define RECENT 32          /* phrases whose results have not arrived yet */
#define WORDS 64           /* most words of a phrase */
#define READY_S 30         /* seconds until a task must run */
#define OFF_S 0.6 /* seconds by which the reported end of a phrase may be wrong */

enum stage { AWAY, STARTING, TALKING, LEAVING };

struct word {
	char text[24];
	int64_t us; /* time when it was first seen at its place */
};

struct phrase {
	char id[17];
	int64_t ended_us; /* time when the chunk with its last voiced sample was sent */
	int64_t validated_us, translated_us, audio_us;
};

struct speaker {
	enum stage stage;
	int64_t set_us, due_us; /* time of set_task; of the next chunk */
	int64_t running_us;     /* since the task was reported as running */
	int64_t began_us;       /* when the speaker began to speak */
	int64_t chunk;          /* its number is the next to arrive */
	int64_t sent_us[SENT];
	int64_t validated, translated, spoken;
	bool dropped, eos; /* OVERLOADED reported left-out speech; eos came */
	int64_t left_us;
	struct phrase recent[RECENT];
	struct word words[WORDS]; /* words of the current phrase */
};

/* ---- it talks ---- */

static void
call(struct client *c, struct speaker *s)
{
	*s = (struct speaker){ .stage = AWAY };
	c->quiet = false;
	c->due_us = NEVER;
	if (session_make(c))
		client_call(c, c->session.s2s, c->session.publisher, "");
}

static void
enter(struct client *c, int64_t now)
{
	struct speaker *s = c->self;

	s->stage = STARTING;
	s->set_us = now;
	client_say(c, "set_task", task_of(c->load));
	client_say(c, "get_task", "{}");
	c->due_us = now + ASK_US;
}

static void
ask_again(struct client *c, struct speaker *s, int64_t now)
{
	if (now > s->set_us + READY_S * S_US) {
		wrong(c, "the task does not begin");
		client_hang_up(c);
		c->due_us = NEVER;
		return;
	}
	client_say(c, "get_task", "{}");
	c->due_us = now + ASK_US;
}

static bool
may_leave(const struct client *c, const struct speaker *s)
{
	const struct load *l = c->load;
	int64_t said = s->chunk > 0 ? sound_said(&l->speech, s->chunk - 1) : 0;

	return (c->ending || (l->phrases > 0 && said >= l->phrases)) &&
	       (s->chunk == 0 || sound_rests(&l->speech, s->chunk - 1));
}

static void
leave(struct client *c, struct speaker *s, int64_t now)
{
	s->stage = LEAVING;
	s->left_us = now;
	c->quiet = true;
	client_say(c, "end_task",
	    arena_printf(c->load->scratch, "{\"eos_timeout\":%d}", c->load->eos_s));
	c->due_us = now + (c->load->eos_s + 40) * S_US;
}

static void
talk(struct client *c, struct speaker *s, int64_t now)
{
	const struct sound *sound = &c->load->speech;
	int64_t at = s->chunk % (int64_t)sound->chunks;

	if (may_leave(c, s)) {
		leave(c, s, now);
		return;
	}
	if (!ws_send_frame(c->ws, sound->frames[at].p, sound->frames[at].n)) {
		wrong(c, "the connection is broken");
		client_hang_up(c);
		c->due_us = NEVER;
		return;
	}
	now = monotonic_us();
	figure(c->load, "load: chunk sent late", now - s->due_us);
	s->sent_us[s->chunk % SENT] = now;
	count("said", sound_said(sound, s->chunk) -
			  (s->chunk > 0 ? sound_said(sound, s->chunk - 1) : 0));
	s->chunk++;
	s->due_us += CHUNK_US;
	c->due_us = s->due_us;
}

static void
act(struct client *c, int64_t now)
{
	struct speaker *s = c->self;

	switch (s->stage) {
	case AWAY:
		call(c, s);
		return;
	case STARTING:
		ask_again(c, s, now);
		return;
	case TALKING:
		talk(c, s, now);
		return;
	case LEAVING:
		wrong(c, "no end after end_task");
		client_hang_up(c);
		c->done = true;
		c->due_us = NEVER;
		return;
	}
}

static void
finish(struct client *c)
{
	c->done = c->ws == NULL;
}

/* ---- it hears ---- */

static void
begin(struct client *c, struct speaker *s, int64_t now)
{
	figure_always("set_task to running", now - s->set_us);
	s->running_us = now;
	s->stage = TALKING;
	c->up = true;
	/* Speakers begin at different times. */
	s->due_us = now + random() % CHUNK_US;
	s->began_us = s->due_us - CHUNK_US;
	c->due_us = s->due_us;
}

static struct phrase *
phrase_by(struct speaker *s, const char *id)
{
	for (int i = 0; i < RECENT; i++)
		if (strncmp(s->recent[i].id, id, 16) == 0 && s->recent[i].id[0] != '\0')
			return &s->recent[i];
	return NULL;
}

static int
split(const char *text, struct word *to)
{
	int n = 0;
	size_t len;

	for (; *(text += strspn(text, " .,!?")) != '\0' && n < WORDS;
	     text += len, n++) {
		len = strcspn(text, " .,!?");
		to[n] = (struct word){ .us = 0 };
		for (size_t i = 0; i < len && i < sizeof(to[n].text) - 1; i++)
			to[n].text[i] = (char)tolower((unsigned char)text[i]);
	}
	return n;
}

/* A word counts as recognized when it was first seen at its place or next to it. */
static void
take_partial(struct client *c, struct speaker *s, const json_t *it, int64_t now)
{
	struct word words[WORDS];
	int n = split(text_in(it, "text"), words);

	count("partials", 1);
	(void)c;
	for (int i = 0; i < n; i++) {
		if (strcmp(s->words[i].text, words[i].text) == 0)
			continue;
		s->words[i] = words[i];
		s->words[i].us = now;
	}
}

static int64_t
read_at(const struct speaker *s, int i, const char *text)
{
	int64_t us = 0;

	for (int at = i > 0 ? i - 1 : 0; at <= i + 1 && at < WORDS; at++)
		if (strcmp(s->words[at].text, text) == 0 &&
		    (us == 0 || s->words[at].us < us))
			us = s->words[at].us;
	return us;
}

/* Measures from the end of a spoken word, not of its sending, to its partial text. */
static void
time_words(struct client *c, struct speaker *s, const json_t *it, int64_t now)
{
	const json_t *segment = json_array_get(json_object_get(it, "segments"), 0), *w;
	struct word words[WORDS];
	int n = split(text_in(it, "text"), words);
	size_t i;

	json_array_foreach(json_object_get(segment, "words"), i, w)
	{
		double end_s = json_number_value(json_object_get(w, "end"));
		int64_t us;

		if ((int)i >= n)
			break;
		us = read_at(s, (int)i, words[i].text);
		count(us != 0 ? "words in partials" : "words in finals only", 1);
		figure(c->load, "word spoken to text",
		    (us != 0 ? us : now) - s->began_us - (int64_t)(end_s * S_US));
	}
	memset(s->words, 0, sizeof(s->words));
}

static int64_t
sent_at(const struct speaker *s, double at_s)
{
	return s->sent_us[sound_chunk(at_s) % SENT];
}

/* Checks that it is the next phrase in order and ends at the right time. */
static void
check_phrase(struct client *c, const struct speaker *s, const json_t *it)
{
	const json_t *segment = json_array_get(json_object_get(it, "segments"), 0);
	double told_s = json_number_value(json_object_get(segment, "end"));
	double end_s = sound_end_s(&c->load->speech, s->validated);
	int n = sentence_number(text_in(it, "text"));

	if (told_s < end_s - OFF_S || told_s > end_s + OFF_S)
		wrong(c, "phrase %lld ends at %.2f s, is said to end at %.2f s",
		    (long long)s->validated + 1, end_s, told_s);
	if (c->load->lines && n != s->validated + 1)
		wrong(c, "phrase %lld is \"%s\"", (long long)s->validated + 1,
		    text_in(it, "text"));
}

static void
take_validated(struct client *c, struct speaker *s, const json_t *it, int64_t now)
{
	struct phrase *p = &s->recent[s->validated % RECENT];
	double end_s = sound_end_s(&c->load->speech, s->validated);

	check_phrase(c, s, it);
	time_words(c, s, it, now);
	*p = (struct phrase){ .ended_us = sent_at(s, end_s), .validated_us = now };
	strncpy(p->id, text_in(it, "transcription_id"), sizeof(p->id) - 1);
	s->validated++;
	count("validated", 1);
	figure(c->load, "end of phrase to validated", now - p->ended_us);
	if (sound_chunk(end_s + c->load->silence_s) < s->chunk)
		figure(c->load, "silence known to validated",
		    now - sent_at(s, end_s + c->load->silence_s));
}

static void
take_translated(struct client *c, struct speaker *s, const json_t *it, int64_t now)
{
	struct phrase *p = phrase_by(s, text_in(it, "transcription_id"));

	if (p == NULL || p->translated_us != 0) {
		wrong(c, "a translation of nothing, or another part of it");
		return;
	}
	p->translated_us = now;
	s->translated++;
	count("translated", 1);
	figure(c->load, "validated to translated", now - p->validated_us);
}

/* Reads the message without a JSON parser, because it is long and frequent. */
static void
take_audio(struct client *c, struct speaker *s, const struct ws_message *m, int64_t now)
{
	const char *id = memmem(m->p, m->n, "\"transcription_id\":\"", 20);
	struct phrase *p = id != NULL ? phrase_by(s, id + 20) : NULL;

	if (p == NULL || p->translated_us == 0) {
		wrong(c, "speech of nothing");
		return;
	}
	if (p->audio_us == 0) {
		p->audio_us = now;
		figure(c->load, "translated to first audio", now - p->translated_us);
		figure(c->load, "end of phrase to first audio", now - p->ended_us);
	}
	if (memmem(m->p, m->n < 300 ? m->n : 300, "\"last_chunk\":true", 17) != NULL) {
		s->spoken++;
		count("spoken", 1);
	}
}

static void
take_warning(struct client *c, struct speaker *s, const json_t *data)
{
	const char *code = text_in(data, "code");

	if (strcmp(code, "OVERLOADED") == 0 || strcmp(code, "QUEUE_OVERFLOW") == 0) {
		s->dropped = true;
		count("told OVERLOADED", 1);
	} else if (strncmp(code, "AUDIO_STREAM_", 13) == 0)
		count("warned of pace", 1);
	else
		wrong(c, "warning %s %s", code, text_in(data, "message"));
}

static void
take_json(struct client *c, struct speaker *s, const json_t *j, int64_t now)
{
	const json_t *data = json_object_get(j, "data");
	const json_t *it = json_object_get(data, "transcription");
	const char *type = type_of(j);

	if (strcmp(type, "partial_transcription") == 0)
		take_partial(c, s, it, now);
	else if (strcmp(type, "validated_transcription") == 0)
		take_validated(c, s, it, now);
	else if (strcmp(type, "translated_transcription") == 0)
		take_translated(c, s, it, now);
	else if (strcmp(type, "current_task") == 0 && s->stage == STARTING)
		begin(c, s, now);
	else if (strcmp(type, "warning") == 0)
		take_warning(c, s, data);
	else if (strcmp(type, "eos") == 0)
		s->eos = true;
	else if (strcmp(type, "error") == 0 &&
		 (s->stage != STARTING ||
		     strcmp(text_in(data, "code"), "NOT_FOUND") != 0))
		wrong(c, "error %s: %s", text_in(data, "code"), text_in(data, "desc"));
}

/*
 * Checks that all speech was recognized, translated and spoken, except for speech that
 * was reported as left out.
 */
static void
check_all(struct client *c, const struct speaker *s, const struct ws_message *m)
{
	int64_t said = s->chunk > 0 ? sound_said(&c->load->speech, s->chunk - 1) : 0;

	if (s->stage != LEAVING || m->kind != WS_CLOSE || m->code != 1000 || !s->eos)
		wrong(c, "ended in stage %d: kind %d, code %d %s", (int)s->stage,
		    (int)m->kind, m->code, m->p);
	if (s->validated != said || s->translated != said ||
	    (s->spoken != said && !s->dropped))
		wrong(c, "%lld said, %lld heard, %lld translated, %lld spoken",
		    (long long)said, (long long)s->validated, (long long)s->translated,
		    (long long)s->spoken);
	count("lost", said - s->validated + (said - s->translated));
	meter(s->left_us - s->running_us, monotonic_us() - s->set_us);
}

static void
hear(struct client *c, const struct ws_message *m, int64_t now)
{
	static const char audio[] = "{\"message_type\":\"output_audio_data\"";
	struct speaker *s = c->self;

	if (m->kind != WS_TEXT) {
		check_all(c, s, m);
		client_hang_up(c);
		s->stage = AWAY;
		c->done = c->ending || !c->load->churn;
		c->due_us = c->done ? NEVER : now + S_US;
	} else if (m->n > sizeof(audio) &&
		   memcmp(m->p, audio, sizeof(audio) - 1) == 0) {
		count("audio messages", 1);
		take_audio(c, s, m, now);
	} else
		take_json(c, s, message_read(c->load, m), now);
}

const struct kind speaker_kind = { "speaker", sizeof(struct speaker), act, enter, hear,
	finish };

int
sentence_number(const char *text)
{
	static const char words[] = "sentence number ";
	const char *at = strcasestr(text, words);

	return at != NULL ? atoi(at + strlen(words)) : -1;
}

static bool
speaks(const struct client *c)
{
	return c->kind == &speaker_kind && c->up && !c->quiet;
}

const struct client *
speaker_for(const struct load *l, int n)
{
	int speakers = 0, i = 0;

	for (size_t at = 0; at < l->n; at++)
		speakers += speaks(&l->clients[at]);
	for (size_t at = 0; speakers > 0 && at < l->n; at++)
		if (speaks(&l->clients[at]) && i++ == n % speakers)
			return &l->clients[at];
	return NULL;
}

int64_t
speaker_ended_us(const struct client *c, int n)
{
	return sent_at(c->self, sound_end_s(&c->load->speech, n - 1));
}
