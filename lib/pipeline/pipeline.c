/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that sessions call: to create, feed and end a pipeline. */
#include "pipeline/pipeline_internal.h"

#include "audio/vad_silero.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"

/* bytes of sound not processed yet: 60 s of the largest format */
#define BACKLOG_BYTES (12 << 20)
/* messages not processed yet: 60 s of the smallest pieces */
#define BACKLOG_MESSAGES 6000
/* backlog that is reported when it is full, in microseconds */
#define FULL_US (3600 * S_US)

static void
to_recognizer(struct pipeline *p, enum recognizer_message_kind kind)
{
	struct recognizer_message *m = ACTOR_MESSAGE(struct recognizer_message);

	m->kind = kind;
	actor_send(p->recognizer, &m->message);
}

struct pipeline *
pipeline_start(const struct pipeline_host *host, struct session *session,
    struct pipeline_config *w)
{
	struct pipeline *p = arena_alloc(w->mem, sizeof(*p));

	p->host = *host;
	p->session = session;
	p->config = w;
	w->blocked = blocked_new(w->mem, &w->task.blocked);
	p->before_us = w->audio_us;
	p->epoch_us = w->epoch_us;
	p->left = 1 + (int)w->task.n_targets;
	pipeline_encode(p, false);
	p->readiness = pipeline_readiness_new(p, p->left);
	for (int i = 0; i < (int)w->task.n_targets; i++)
		p->synthesizers[i] = synthesizer_start(p, i);
	p->recognizer = recognizer_start(p);
	to_recognizer(p, RECOGNIZER_OPEN);
	pipeline_prewarm(p);
	return p;
}

const struct task *
pipeline_task(const struct pipeline *p)
{
	return &p->config->task;
}

void
pipeline_level(struct pipeline *p, int target, int64_t ms)
{
	p->level_ms[target] = ms;
}

void
pipeline_behind(struct pipeline *p, int64_t us)
{
	p->behind_us = us;
}

void
pipeline_begin(struct pipeline *p, int64_t before_us, int64_t epoch_us)
{
	p->before_us = before_us;
	p->epoch_us = epoch_us;
}

void
pipeline_feed(struct pipeline *p, const void *bytes, size_t n, int64_t sound_us)
{
	struct recognizer_message *m =
	    (struct recognizer_message *)actor_message_new(sizeof(*m) + n);

	m->kind = RECOGNIZER_AUDIO;
	m->bytes = arena_dup(m->message.mem, bytes, n);
	m->n = n;
	m->us = sound_us;
	m->came_us = monotonic_us();
	p->received_us += sound_us;
	p->queued += (long long)n;
	p->messages++;
	actor_send(p->recognizer, &m->message);
}

void
pipeline_passthrough(struct pipeline *p, bool on)
{
	if (p->passthrough == on || p->leaving)
		return;
	p->passthrough = on;
	to_recognizer(p, on ? RECOGNIZER_PASSTHROUGH : RECOGNIZER_NO_PASSTHROUGH);
}

void
pipeline_encode(struct pipeline *p, bool on)
{
	p->encodes = on || p->config->task.source == TASK_WEBRTC;
}

void
pipeline_partials(struct pipeline *p, bool on)
{
	p->partials = on;
}

void
pipeline_hold(struct pipeline *p)
{
	p->holds = true;
}

void
pipeline_loss(struct pipeline *p, int target, int percent)
{
	p->loss[target] = percent;
}

int64_t
pipeline_backlog_us(const struct pipeline *p)
{
	int64_t us = p->received_us - p->recognized_us, queued = p->queued,
		read = p->read;

	if (queued > BACKLOG_BYTES || p->messages > BACKLOG_MESSAGES)
		return FULL_US;
	if (us <= 0 && read > 0)
		us = (int64_t)((double)p->decoded_us * (double)queued / (double)read);
	return us > 0 ? us : 0;
}

int64_t
pipeline_voiced_us(const struct pipeline *p)
{
	return p->voiced_us;
}

const char *
pipeline_vad(const struct conf *conf)
{
	struct arena *mem = arena_new();
	bool found = silero_find(mem, conf).model != NULL;

	arena_free(mem);
	return silero_missing() ? "missing" : found ? "network" : "level";
}

bool
pipeline_recognizes(const struct pipeline *p)
{
	return p->recognizes;
}

struct opus_losses
pipeline_losses(const struct pipeline *p)
{
	return (struct opus_losses){ p->lost, p->recovered, p->concealed };
}

int64_t
pipeline_decoded_us(const struct pipeline *p)
{
	return p->decoded_us;
}

void
pipeline_finalize(struct pipeline *p)
{
	to_recognizer(p, RECOGNIZER_FINALIZE);
}

void
pipeline_cut(struct pipeline *p)
{
	to_recognizer(p, RECOGNIZER_CUT);
}

const char *
pipeline_speak(struct pipeline *p, struct arena *mem, const char *text,
    const char *language, bool translate)
{
	const struct task *t = &p->config->task;
	const struct task_target *to = task_target(mem, t, language);
	struct spoken_segment segment = { .language = lang_fold(mem, language),
		.text = blocked_mask(p->config->blocked, mem, text),
		.start_us = p->before_us + p->decoded_us,
		.ended_us = monotonic_us(),
		.spoken = true,
		.plain = !translate };

	segment.id = id_of_phrase(mem, now_us());
	segment.end_us = segment.start_us;
	segment.voiced_us = segment.ended_us;
	pipeline_pass(
	    p, &segment, translate || to == NULL ? -1 : (int)(to - t->targets));
	return segment.id;
}

/* Make the unsent output of a target stale; -1: of all targets. */
static void
drop_unsent(struct pipeline *p, int target)
{
	for (int i = 0; i < (int)p->config->task.n_targets; i++)
		if (target < 0 || i == target)
			p->generation[i]++;
}

void
pipeline_flush(struct pipeline *p, int target)
{
	drop_unsent(p, target);
	if (target >= 0 || p->leaving)
		return;
	p->segment_drops++;
	to_recognizer(p, RECOGNIZER_DROP);
}

int
pipeline_generation(const struct pipeline *p, int target)
{
	return p->generation[target];
}

void
pipeline_drain(struct pipeline *p)
{
	to_recognizer(p, RECOGNIZER_DRAIN);
}

void
pipeline_leave(struct pipeline *p, bool drop)
{
	if (drop) {
		p->dropped = true;
		drop_unsent(p, -1);
	}
	if (!p->leaving)
		actor_leave(p->recognizer);
	p->leaving = true;
}

void
pipeline_free(struct pipeline *p)
{
	registry_drop(p->config->registry);
	arena_free(p->config->mem);
}
