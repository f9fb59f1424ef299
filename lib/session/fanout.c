/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends outputs to connections. The publisher receives the outputs that its task
 * selects. A subscriber receives its language, in whole segments.
 */
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "protocol/output.h"
#include "session/sink.h"

/* ---- what connections want ---- */

static bool
wants_opus(const struct connection *c)
{
	const struct connection_request *v = c->request;

	return v->listens && (c->transport->tracks || (v->opus && v->audio));
}

/* The publisher's own partial texts depend on its task, so only others count here. */
static bool
wants_partials(const struct connection *c)
{
	const struct connection_request *v = c->request;

	return !v->writes && v->listens &&
	       language_code_is_no_target(c->tuned.language);
}

static bool
wants_original(const struct connection *c)
{
	const struct connection_request *v = c->request;

	return !v->writes && v->listens && v->audio &&
	       (!c->transport->tracks || c->transport->original) &&
	       language_code_is_no_target(c->tuned.language);
}

static unsigned
wants_of(const struct connection *c)
{
	return (unsigned)wants_opus(c) << FANOUT_OPUS |
	       (unsigned)wants_original(c) << FANOUT_ORIGINAL |
	       (unsigned)wants_partials(c) << FANOUT_PARTIALS;
}

/* The connections are counted as they change, because a hall has thousands. */
static void
count(struct connection *c, unsigned wants)
{
	for (int i = 0; i < FANOUT_WANTS; i++)
		c->session->wanted[i] +=
		    (int)(wants >> i & 1) - (int)(c->wants >> i & 1);
	c->wants = wants;
}

/* ---- languages ---- */

void
fanout_tune(struct connection *c, const char *language)
{
	listeners_changed(c->session);
	c->tuned = (struct subscription){ .since_us = monotonic_us() };
	if (language != NULL)
		strncpy(c->tuned.language, language, sizeof(c->tuned.language) - 1);
	count(c, wants_of(c));
	if (c->transport->tuned != NULL)
		c->transport->tuned(c->to);
}

/*
 * The language folded, and as the running task spells it.  NULL: the task has no such
 * target.
 */
static const char *
task_language(const struct session *s, struct arena *mem, const char *said)
{
	const struct task_target *t;
	const char *code = lang_fold(mem, said);

	if (session_task(s) == NULL || code[0] == '\0' ||
	    language_code_is_no_target(code))
		return code;
	t = task_target(mem, session_task(s), code);
	return t != NULL ? t->language.code : NULL;
}

static void
refuse_unknown(struct connection *c, struct arena *mem)
{
	struct validation_errors errors = { .mem = mem };
	const struct json_path whole = json_path_whole(NULL);
	const struct json_path at = json_path_member(&whole, "language");

	validation_error_add(&errors, &at, VALIDATION_ENUM, "is no target of the task");
	connection_refuse(c, &errors, false);
}

void
fanout_choose(struct connection *c, const char *said)
{
	struct arena *mem = arena_new();
	const char *code = task_language(c->session, mem, said);

	if (code == NULL || strlen(code) >= sizeof(c->tuned.language))
		refuse_unknown(c, mem);
	else if (strcmp(code, c->tuned.language) != 0) {
		fanout_tune(c, code);
		fanout_demand(c->session);
		c->session->owner->tuned(c);
	}
	arena_free(mem);
}

void
fanout_check_language(struct connection *c)
{
	struct arena *mem = arena_new();
	const char *code = task_language(c->session, mem, c->tuned.language);

	if (code == NULL)
		refuse_unknown(c, mem);
	else if (strcmp(code, c->tuned.language) != 0)
		fanout_tune(c, code);
	arena_free(mem);
}

void
fanout_check_all(struct session *s)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (!c->request->writes)
			fanout_check_language(c);
}

static bool
is_tuned(const struct connection *c, const struct task *t, int target)
{
	const char *wanted = c->tuned.language;

	if (target < 0)
		return language_code_is_no_target(c->tuned.language);
	return strcmp(wanted, "all") == 0 ||
	       (wanted[0] == '\0'
		       ? target == 0
		       : strcmp(t->targets[target].language.code, wanted) == 0);
}

/* ---- texts ---- */

static bool
is_for(const struct connection *c, const struct task *t, int target, int starred)
{
	if (c->waits)
		return false;
	if (!c->request->listens) /* no texts, no audio */
		return c == c->session->publisher && starred < 0;
	if (connection_publishes(c))
		return starred < 0 || task_sends(t, (enum task_output)starred);
	if (c->request->writes || starred > OUTPUT_TRANSLATED)
		return false;
	return is_tuned(c, t, target);
}

/*
 * Send a text to the publisher and to subscribers of the target (-1: the source).
 * starred: enum task_output; -1: always sent.
 */
static void
send_text(struct session *s, const struct task *t, int target, int starred,
    const char *text, size_t n)
{
	struct shared_buffer *p = shared_buffer_new(text, n);

	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (is_for(c, t, target, starred))
			connection_put(c, p, 0);
	shared_buffer_drop(p);
}

void
fanout_correction(
    struct session *s, int target, int starred, const struct buf *text, int64_t said_us)
{
	const struct task *t = session_task(s);
	struct shared_buffer *p = shared_buffer_new(text->p, text->len);

	for (struct connection *c = s->connections; c != NULL; c = c->next) {
		bool had = c->request->writes || c->request->since != NULL ||
			   c->tuned.since_us <= said_us;

		if (had && is_for(c, t, target, starred))
			connection_put(c, p, 0);
	}
	shared_buffer_drop(p);
}

/* ---- speech ---- */

/*
 * True if a connection receives the audio of a segment. A segment is sent as a whole:
 * not at all if its start was missed, and to its end if it has begun.
 */
static bool
receives_audio(struct connection *c, const struct task *t, int target, int64_t since_us)
{
	if (!c->request->listens || c->transport->tracks)
		return false;
	/* the publisher is included only if its audio comes by the same socket */
	if (c == c->session->publisher)
		return t->source != TASK_WEBRTC;
	if (c->request->writes || !c->request->audio)
		return false;
	if (since_us == c->receiving_since_us[target])
		return true;
	if (since_us < c->tuned.since_us || !is_tuned(c, t, target))
		return false;
	c->receiving_since_us[target] = since_us;
	return true;
}

/* A message with audio, encoded once for all receivers when the first one needs it. */
struct audio_message {
	const struct pipeline_event *event;
	struct shared_buffer *pcm, *opus; /* NULL: not made */
};

static void
send_audio(struct audio_message *m, struct connection *c, int64_t group)
{
	const struct pipeline_event *e = m->event;
	bool opus = c->request->opus && c != c->session->publisher;
	struct shared_buffer **p = opus ? &m->opus : &m->pcm;
	const char *text = opus ? e->opus_text : e->text;

	if (text == NULL) /* made with a later chunk */
		return;
	if (*p == NULL)
		*p = shared_buffer_new(text, opus ? e->opus_n : e->n);
	connection_put(c, *p, group);
}

static void
drop_audio(struct audio_message *m)
{
	if (m->pcm != NULL)
		shared_buffer_drop(m->pcm);
	if (m->opus != NULL)
		shared_buffer_drop(m->opus);
}

/* Send a chunk of speech; since_us: when sending its segment began. */
static void
send_speech(struct session *s, const struct task *t, int64_t since_us,
    const struct pipeline_event *event)
{
	struct audio_message m = { .event = event };

	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (receives_audio(c, t, event->target, since_us))
			send_audio(&m, c, c == s->publisher ? 0 : since_us);
	drop_audio(&m);
}

/* ---- source audio ---- */

void
fanout_end_original(struct connection *c)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	const struct output_audio end = { .id = c->original,
		.language = "original",
		.last = true,
		.delta_ms = NULL_INT,
		.opus = c->request->opus };

	if (c->original[0] != '\0' && output_audio(&b, &end))
		connection_send_buf(c, &b);
	c->original[0] = '\0';
	arena_free(mem);
}

/* Send the original sound. A slow subscriber may miss any chunk except the last. */
static void
send_original(struct session *s, const struct pipeline_event *event)
{
	struct audio_message m = { .event = event };

	s->originals++;
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (c->transport->tracks)
			continue; /* translator_tracks.c */
		else if (!wants_original(c) || event->chunk.last)
			fanout_end_original(c);
		else {
			strncpy(c->original, event->times.id, sizeof(c->original) - 1);
			send_audio(&m, c, -s->originals);
		}
	drop_audio(&m);
}

/* ---- what pipelines have to make ---- */

void
fanout_demand(struct session *s)
{
	if (s->guest != NULL)
		s->guest->demand(s);
	for (struct pipeline_slot *slot = s->slots; slot != NULL; slot = slot->next)
		pipeline_encode(slot->pipeline, s->wanted[FANOUT_OPUS] > 0);
	if (s->now == NULL)
		return;
	pipeline_passthrough(s->now->pipeline, s->wanted[FANOUT_ORIGINAL] > 0);
	pipeline_partials(s->now->pipeline, s->wanted[FANOUT_PARTIALS] > 0);
}

void
fanout_leave(struct connection *c)
{
	count(c, 0);
	fanout_demand(c->session);
}

/* ---- timings, tts_buffer_stats ---- */

static void
send_times(struct session *s, const struct task *task, int target,
    const struct pipeline_event *group)
{
	const struct pipeline_times *t = &group->times;
	const struct output_timings from_end = {
		.validated_us = t->validated_us - t->voiced_us,
		.translated_us = t->translated_us - t->voiced_us,
		.tts_us = t->spoken_us - t->voiced_us,
		.sent_us = t->sent_us - t->voiced_us,
		.total_us = monotonic_us() - t->voiced_us,
	};
	struct arena *mem;
	struct buf b;

	if (t->id == NULL || !task_sends(task, OUTPUT_TIMINGS))
		return;
	mem = arena_new();
	b = (struct buf){ .mem = mem };
	if (output_timings(&b, t->id, &from_end))
		send_text(s, task, target, OUTPUT_TIMINGS, b.p, b.len);
	arena_free(mem);
}

static void
send_stats(struct session *s, int64_t now)
{
	struct output_queue q[TASK_TARGETS];
	const struct task *t = s->now != NULL ? pipeline_task(s->now->pipeline) : NULL;
	struct arena *mem;
	struct buf b;
	int64_t any = 0;

	if (t == NULL || now < s->stats_us + S_US ||
	    !task_sends(t, OUTPUT_BUFFER_STATS))
		return;
	for (size_t i = 0; i < t->n_targets; i++) {
		q[i] = (struct output_queue){ t->targets[i].language.said,
			playback_level_ms(&s->now->playbacks[i], now),
			t->targets[i].queue.max_ms };
		any |= q[i].level_ms;
	}
	if (any == 0)
		return;
	s->stats_us = now;
	mem = arena_new();
	b = (struct buf){ .mem = mem };
	if (output_buffer_stats(&b, now_us(), q, t->n_targets))
		send_text(s, t, -1, OUTPUT_BUFFER_STATS, b.p, b.len);
	arena_free(mem);
}

/* ---- as an output ---- */

static void
publish_text(
    struct session *s, const struct task *t, const struct pipeline_event *event)
{
	send_text(s, t, event->target, event->starred, event->text, event->n);
}

static void
play(struct session *s, const struct sink_audio *a)
{
	if (a->target < 0) {
		send_original(s, a->event);
		return;
	}
	send_speech(s, a->task, a->group->times.sent_us, a->event);
	if (a->last)
		send_times(s, a->task, a->target, a->group);
}

const struct sink_ops fanout_sink = {
	.send_text = publish_text, .play = play, .tick = send_stats
};
