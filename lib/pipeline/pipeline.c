#include "pipeline/pipeline_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define AGAIN_US (10 * S_US)     /* between two warnings of one code */
#define BACKLOG_BYTES (12 << 20) /* 60 s of the largest format */
#define BACKLOG_MESSAGES 6000    /* messages: 60 s of the smallest pieces */
#define FULL_US (3600 * S_US)    /* reported for a full backlog */

/* ---- events ---- */

struct pipeline_event *
pipeline_event_new(struct pipeline *p, enum pipeline_event_kind kind, int target)
{
	struct pipeline_event *s = THREAD_CALL(struct pipeline_event);

	s->call.run = p->host.report;
	s->session = p->session;
	s->pipeline = p;
	s->kind = kind;
	s->target = target;
	s->starred = -1;
	return s;
}

struct pipeline_event *
pipeline_event_with(
    struct pipeline *p, enum pipeline_event_kind kind, int target, const struct buf *b)
{
	struct pipeline_event *s =
	    (struct pipeline_event *)actor_message_new(sizeof(*s) + b->len);

	s->call.run = p->host.report;
	s->session = p->session;
	s->pipeline = p;
	s->kind = kind;
	s->target = target;
	s->text = arena_dup(s->call.message.mem, b->p, b->len);
	s->n = b->len;
	return s;
}

struct buf
pipeline_event_buf(struct pipeline_event *s)
{
	return (struct buf){ .mem = s->call.message.mem };
}

void
pipeline_event_send(struct pipeline_event *s, const struct buf *b, int starred)
{
	if (b != NULL) {
		s->text = b->p;
		s->n = b->len;
	}
	s->starred = starred;
	mailbox_send(s->pipeline->host.events, &s->call.message);
}

void
pipeline_warn(struct pipeline *p, const char *code, const char *message)
{
	struct pipeline_event *s = pipeline_event_new(p, PIPELINE_TEXT, -1);
	struct buf b = pipeline_event_buf(s);

	output_warning(&b, code, message);
	pipeline_event_send(s, &b, -1);
}

void
pipeline_error(struct pipeline *p, const char *code, const char *desc)
{
	struct pipeline_event *s = pipeline_event_new(p, PIPELINE_TEXT, -1);
	struct buf b = pipeline_event_buf(s);

	output_error(&b, code, desc, NULL);
	pipeline_event_send(s, &b, -1);
}

bool
warned_due(struct warned *w, const char *code, int64_t now)
{
	struct warning *oldest = &w->last[0];

	for (int i = 0; i < WARNINGS; i++) {
		struct warning *at = &w->last[i];

		if (at->code != NULL && strcmp(at->code, code) == 0) {
			if (now < at->at_us + AGAIN_US)
				return false;
			at->at_us = now;
			return true;
		}
		if (at->at_us < oldest->at_us)
			oldest = at;
	}
	*oldest = (struct warning){ code, now };
	return true;
}

/* ---- messages ---- */

static void
to_recognizer(struct pipeline *p, enum recognizer_message_kind kind)
{
	struct recognizer_message *l = ACTOR_MESSAGE(struct recognizer_message);

	l->kind = kind;
	actor_send(p->recognizer, &l->message);
}

static struct spoken_segment
segment_copy(struct arena *mem, const struct spoken_segment *p)
{
	struct spoken_segment to = *p;

	to.id = arena_str(mem, p->id);
	to.language = arena_str(mem, p->language);
	to.text = arena_str(mem, p->text);
	return to;
}

static void
to_synthesizer(struct pipeline *pipeline, int target,
    enum synthesizer_message_kind kind, const struct spoken_segment *p)
{
	struct synthesizer_message *l = ACTOR_MESSAGE(struct synthesizer_message);

	l->kind = kind;
	l->epoch = pipeline->flushed[target];
	pipeline->waiting[target]++;
	if (p != NULL)
		l->segment = segment_copy(l->message.mem, p);
	actor_send(pipeline->synthesizers[target], &l->message);
}

void
pipeline_pass(struct pipeline *pipeline, const struct spoken_segment *p, int target)
{
	const struct task *t = &pipeline->config->task;

	for (int i = 0; i < (int)t->n_targets; i++)
		if ((target < 0 || i == target) &&
		    (!p->partial || t->targets[i].partials) &&
		    (target >= 0 || p->spoken ||
			task_takes(t, &t->targets[i], p->language)))
			to_synthesizer(pipeline, i, SYNTHESIZER_SEGMENT, p);
}

void
pipeline_pass_drain(struct pipeline *p)
{
	int n = (int)p->config->task.n_targets;

	p->drains = n + 1;
	for (int i = 0; i < n; i++)
		to_synthesizer(p, i, SYNTHESIZER_DRAIN, NULL);
	pipeline_drained(p);
}

/* ---- delay ---- */

void
pipeline_behind(struct pipeline *p, int64_t us)
{
	p->behind_us = us;
}

bool
pipeline_drops(const struct pipeline *p, enum pipeline_drop what)
{
	static const int64_t over_us[] = {
		[DROP_PARTIAL_TRANSLATIONS] = PIPELINE_BEHIND_US,
		[DROP_PARTIALS] = PIPELINE_BEHIND_US + S_US,
		[DROP_SPEECH] = 2 * PIPELINE_BEHIND_US,
	};

	return p->behind_us > over_us[what];
}

/* ---- drain markers and the end ---- */

void
pipeline_drained(struct pipeline *p)
{
	if (--p->drains == 0)
		pipeline_event_send(
		    pipeline_event_new(p, PIPELINE_DRAINED, -1), NULL, -1);
}

void
pipeline_left(struct pipeline *p)
{
	if (--p->left > 0)
		return;
	readiness_leave(p->readiness);
	pipeline_event_send(pipeline_event_new(p, PIPELINE_GONE, -1), NULL, -1);
}

/* ---- called by the event loop ---- */

struct pipeline *
pipeline_start(const struct pipeline_host *host, struct session *session,
    struct pipeline_config *w)
{
	struct pipeline *p = arena_alloc(w->mem, sizeof(*p));

	p->host = *host;
	p->session = session;
	p->config = w;
	p->before_us = w->heard_us;
	p->epoch_us = w->epoch_us;
	p->left = 1 + (int)w->task.n_targets;
	p->readiness = readiness_new(p, p->left);
	for (int i = 0; i < (int)w->task.n_targets; i++)
		p->synthesizers[i] = actor_new(host->pool, synthesizer_new(p, i),
		    synthesizer_read, synthesizer_gone);
	p->recognizer =
	    actor_new(host->pool, recognizer_new(p), recognizer_read, recognizer_gone);
	to_recognizer(p, RECOGNIZER_OPEN);
	for (int i = 0; i < (int)w->task.n_targets; i++)
		to_synthesizer(p, i, SYNTHESIZER_PREWARM, NULL);
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
pipeline_begin(struct pipeline *p, int64_t before_us, int64_t epoch_us)
{
	p->before_us = before_us;
	p->epoch_us = epoch_us;
}

void
pipeline_feed(struct pipeline *pipeline, const void *p, size_t n, int64_t sound_us)
{
	struct recognizer_message *l =
	    (struct recognizer_message *)actor_message_new(sizeof(*l) + n);

	l->kind = RECOGNIZER_AUDIO;
	l->bytes = arena_dup(l->message.mem, p, n);
	l->n = n;
	l->us = sound_us;
	l->came_us = monotonic_us();
	pipeline->heard_us += sound_us;
	pipeline->queued += (long long)n;
	pipeline->messages++;
	actor_send(pipeline->recognizer, &l->message);
}

void
pipeline_passthrough(struct pipeline *p, bool on)
{
	if (p->passthrough == on || p->leaving)
		return;
	p->passthrough = on;
	to_recognizer(p, on ? RECOGNIZER_PASSTHROUGH : RECOGNIZER_NO_PASSTHROUGH);
}

int64_t
pipeline_backlog_us(const struct pipeline *p)
{
	int64_t us = p->heard_us - p->done_us, queued = p->queued, read = p->read;

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

bool
pipeline_recognizes(const struct pipeline *p)
{
	return p->recognizes;
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

void
pipeline_speak(
    struct pipeline *pipeline, const char *text, const char *language, bool translate)
{
	struct arena *mem = arena_new();
	unsigned char id[8];
	const struct task *t = &pipeline->config->task;
	const struct task_target *at = task_target(mem, t, language);
	struct spoken_segment p = { .language = language_code_fold(mem, language),
		.text = text,
		.start_us = pipeline->before_us + pipeline->decoded_us,
		.ended_us = monotonic_us(),
		.spoken = true,
		.plain = !translate };

	random_bytes(id, sizeof(id));
	p.id = hex(mem, id, sizeof(id));
	p.end_us = p.start_us;
	p.voiced_us = p.ended_us;
	pipeline_pass(
	    pipeline, &p, translate || at == NULL ? -1 : (int)(at - t->targets));
	arena_free(mem);
}

static void
drop_unsaid(struct pipeline *p, int target)
{
	for (int i = 0; i < (int)p->config->task.n_targets; i++)
		if (target < 0 || i == target)
			p->flushed[i]++;
}

void
pipeline_flush(struct pipeline *p, int target)
{
	drop_unsaid(p, target);
	if (target >= 0 || p->leaving)
		return;
	p->flushed_all++;
	to_recognizer(p, RECOGNIZER_DROP);
}

int
pipeline_generation(const struct pipeline *p, int target)
{
	return p->flushed[target];
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
		drop_unsaid(p, -1);
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
