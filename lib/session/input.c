/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Audio of the publisher: its pace, and the audio kept until the pipeline starts.
 */
#include "base/clock.h"
#include "session/session.h"

#define KEPT_BYTES (2 << 20) /* 10 s at the highest bit rate */
#define KEPT_US (10 * S_US)

static int64_t
frame_bytes(const struct task *t)
{
	return 2 * (t->channels > 0 ? t->channels : 1);
}

/* Length of PCM.  0 for encoded audio: its length is known after decoding. */
static int64_t
length_us(const struct task *t, size_t n)
{
	return t->in == TASK_PCM ? (int64_t)n * S_US / (t->sample_rate * frame_bytes(t))
				 : 0;
}

/* A chunk kept until the pipeline starts. */
struct deferred_audio {
	struct actor_message message;
	const void *bytes;
	size_t n;
};

static void
store_audio(struct session *s, const struct message_audio *a)
{
	struct deferred_audio *k =
	    (struct deferred_audio *)actor_message_new(sizeof(*k) + a->n);

	k->bytes = arena_dup(k->message.mem, (const char *)a->bytes, a->n);
	k->n = a->n;
	if (s->in.deferred == NULL)
		s->in.deferred = &k->message;
	else
		s->in.deferred_last->next = &k->message;
	s->in.deferred_last = &k->message;
	s->in.deferred_bytes += a->n;
	while (s->in.deferred_bytes > KEPT_BYTES && s->in.deferred != NULL) {
		struct deferred_audio *first = (struct deferred_audio *)s->in.deferred;

		s->in.deferred_bytes -= first->n;
		s->in.deferred = first->message.next;
		arena_free(first->message.mem);
	}
}

static void
report_pace(struct session *s, unsigned faults)
{
	if (faults & PACING_TOO_FAST)
		session_warn(
		    s, "AUDIO_STREAM_TOO_FAST", "Audio comes faster than it is spoken");
	if (faults & PACING_TOO_SLOW)
		session_warn(
		    s, "AUDIO_STREAM_TOO_SLOW", "Audio comes slower than it is spoken");
	if (faults & PACING_STALLED)
		session_warn(s, "AUDIO_STREAM_STALLED", "No audio has come for 5 s");
}

/* Count encoded audio that was decoded since the last call; returns its length. */
static int64_t
count_decoded(struct session *s, struct pipeline_slot *slot)
{
	int64_t us = pipeline_decoded_us(slot->pipeline) - slot->decoded_us;

	if (pipeline_task(slot->pipeline)->in == TASK_PCM)
		return 0;
	slot->decoded_us += us;
	s->in.audio_us += us;
	return us;
}

static void
pass(struct session *s, const void *p, size_t n, int64_t us)
{
	struct pipeline_slot *slot = s->now;

	if (s->in.epoch_us == 0)
		s->in.epoch_us = now_us();
	if (!slot->began)
		pipeline_begin(slot->pipeline, s->in.audio_us, s->in.epoch_us);
	slot->began = slot->sounded = slot->in_segment = true;
	slot->fed += n;
	s->in.audio_us += us;
	pipeline_feed(slot->pipeline, p, n, us);
}

/* Drop a chunk, but not its last partial sample: the next chunk completes it. */
static void
drop(struct session *s, const char *p, size_t n)
{
	const struct task *t = pipeline_task(s->now->pipeline);
	size_t left = n % (size_t)frame_bytes(t);

	if (t->in == TASK_PCM && left > 0)
		pass(s, p + n - left, left, 0);
}

void
input_align(struct session *s)
{
	static const char silence[8];
	const struct task *t = s->now != NULL ? pipeline_task(s->now->pipeline) : NULL;
	size_t left;

	if (t == NULL || t->in != TASK_PCM)
		return;
	left = s->now->fed % (size_t)frame_bytes(t);
	if (left > 0)
		pass(s, silence, (size_t)frame_bytes(t) - left, 0);
}

static void
receive(struct session *s, const void *p, size_t n)
{
	struct pipeline *pipeline = s->now->pipeline;
	int64_t us = length_us(pipeline_task(pipeline), n);
	int64_t paced_us = us + count_decoded(s, s->now);
	unsigned faults = input_pacing_chunk(
	    &s->in.pacing, monotonic_us(), paced_us, pipeline_backlog_us(pipeline));

	report_pace(s, faults);
	if (faults & PACING_DROP)
		drop(s, p, n);
	else
		pass(s, p, n, us);
}

/* Audio after the timeout of end_task is dropped, so that it does not delay the end. */
static struct state_step
step_of_audio(const struct session *s)
{
	if (s->state == STATE_ENDING && s->end.over)
		return (struct state_step){ .next = s->state, .action = ACT_NOTHING };
	return state_step(s->state, EVENT_AUDIO);
}

/*
 * Packets are not paced: the sender sets the pace, and their length is known after
 * decoding.
 */
void
input_packet(struct session *s, const void *p, size_t n)
{
	struct state_step step = step_of_audio(s);

	if (step.action == ACT_KEEP_AUDIO)
		store_audio(s, &(struct message_audio){ .bytes = p, .n = n });
	if (step.action != ACT_INGEST || s->now == NULL ||
	    pipeline_task(s->now->pipeline)->source != TASK_WEBRTC)
		return;
	input_pacing_packet(&s->in.pacing, monotonic_us());
	count_decoded(s, s->now);
	if (pipeline_backlog_us(s->now->pipeline) <= PACING_BACKLOG_US)
		pass(s, p, n, 0);
}

void
input_audio(struct connection *c, const struct message_audio *a)
{
	struct session *s = c->session;
	struct state_step step = step_of_audio(s);

	if (s->in.sources > 0 ||
	    (s->now != NULL && pipeline_task(s->now->pipeline)->source == TASK_WEBRTC))
		return; /* the audio comes as a track */
	if (!limit_admit(&c->limits[LIMIT_AUDIO], LIMIT_AUDIO, monotonic_us())) {
		session_warn(s, "AUDIO_STREAM_TOO_FAST", limit_text(LIMIT_AUDIO));
		if (step.action == ACT_INGEST && s->now != NULL)
			drop(s, (const char *)a->bytes, a->n);
		return;
	}
	if (step.action == ACT_INGEST && s->now != NULL)
		receive(s, a->bytes, a->n);
	else if (step.action == ACT_KEEP_AUDIO)
		store_audio(s, a);
	else if (step.error != NULL && !(step.once && c->told_no_task)) {
		c->told_no_task = true;
		connection_error(c, step.error, step.desc, NULL);
	}
}

/* Feed the deferred audio of the last KEPT_US. Its pace is not checked. */
void
input_feed_deferred(struct session *s)
{
	const struct task *t = pipeline_task(s->now->pipeline);
	int64_t left_us = length_us(t, s->in.deferred_bytes);

	for (struct actor_message *l = s->in.deferred; l != NULL; l = l->next) {
		const struct deferred_audio *k = (const struct deferred_audio *)l;
		int64_t us = length_us(t, k->n);

		if (left_us > KEPT_US)
			drop(s, k->bytes, k->n);
		else
			pass(s, k->bytes, k->n, us);
		left_us -= us;
	}
	input_forget(s);
}

void
input_forget(struct session *s)
{
	struct actor_message *l;

	while ((l = s->in.deferred) != NULL) {
		s->in.deferred = l->next;
		arena_free(l->mem);
	}
	s->in.deferred_bytes = 0;
}

/* Audio sent ahead of real time does not count as delay. */
void
input_behind(struct session *s, int64_t now)
{
	const struct input_pacing *p = &s->in.pacing;
	int64_t ahead_us = p->has_first ? p->sound_us - (now - p->first_us) : 0;
	int64_t us =
	    pipeline_backlog_us(s->now->pipeline) - (ahead_us > 0 ? ahead_us : 0);

	pipeline_behind(s->now->pipeline, us);
	if (us > PIPELINE_BEHIND_US)
		session_warn(s, "OVERLOADED",
		    "Recognition is falling behind; some partial results are skipped");
}

/*
 * Returns how long silence must last to end a segment. A muted microphone sends no
 * packets, which counts as silence.
 */
static int64_t
quiet_us(const struct task *t)
{
	int64_t us = (int64_t)(t->silence_s * S_US);

	if (t->source != TASK_WEBRTC)
		return PACING_SEGMENT_US;
	return us > PACING_PACKET_US ? us : PACING_PACKET_US;
}

/*
 * End a segment when a client stops sending, because some clients do so and wait for
 * the translation of their last words.
 */
void
input_pause(struct session *s, int64_t now)
{
	struct pipeline_slot *slot = s->now;

	if (!slot->in_segment || !input_pacing_is_quiet(&s->in.pacing, now,
				     quiet_us(pipeline_task(slot->pipeline))))
		return;
	slot->in_segment = false;
	pipeline_cut(slot->pipeline);
}

/* A microphone that is muted, or not published, is silent on purpose. */
static bool
is_mute(const struct session *s)
{
	const struct connection *c = s->publisher;

	return c->transport->is_mute != NULL && c->transport->is_mute(c->to);
}

bool
input_tick(struct session *s, int64_t now)
{
	int64_t again_us;
	unsigned faults = input_pacing_poll(&s->in.pacing, now, &again_us);

	if (pipeline_task(s->now->pipeline)->source == TASK_WEBRTC) {
		if (is_mute(s))
			input_pacing_excuse(&s->in.pacing, now);
		else
			report_pace(s, faults);
		if (!s->owner->stays)
			billing_meter(s, !(faults & PACING_TIMEOUT), now);
		return true;
	}
	report_pace(s, faults);
	return !(faults & PACING_TIMEOUT) || s->owner->stays;
}
