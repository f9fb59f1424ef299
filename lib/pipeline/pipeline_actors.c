/* What the actors of a pipeline send each other, and when they drop output or end. */
#include "pipeline/pipeline_internal.h"

#include "base/clock.h"

static struct spoken_segment
copy_segment(struct arena *mem, const struct spoken_segment *segment)
{
	struct spoken_segment to = *segment;

	to.id = arena_str(mem, segment->id);
	to.language = arena_str(mem, segment->language);
	to.text = arena_str(mem, segment->text);
	return to;
}

static void
to_synthesizer(struct pipeline *p, int target, enum synthesizer_message_kind kind,
    const struct spoken_segment *segment)
{
	struct synthesizer_message *m = ACTOR_MESSAGE(struct synthesizer_message);

	m->kind = kind;
	m->generation = p->generation[target];
	p->waiting[target]++;
	if (segment != NULL)
		m->segment = copy_segment(m->message.mem, segment);
	actor_send(p->synthesizers[target], &m->message);
}

void
pipeline_pass(struct pipeline *p, const struct spoken_segment *segment, int target)
{
	const struct task *t = &p->config->task;

	for (int i = 0; i < (int)t->n_targets; i++)
		if ((target < 0 || i == target) &&
		    (!segment->partial || t->targets[i].partials) &&
		    (target >= 0 || segment->spoken ||
			task_takes(t, &t->targets[i], segment->language)))
			to_synthesizer(p, i, SYNTHESIZER_SEGMENT, segment);
}

void
pipeline_prewarm(struct pipeline *p)
{
	for (int i = 0; i < (int)p->config->task.n_targets; i++)
		to_synthesizer(p, i, SYNTHESIZER_PREWARM, NULL);
}

/* ---- drain markers ---- */

void
pipeline_pass_drain(struct pipeline *p)
{
	int n = (int)p->config->task.n_targets;

	p->drains = n + 1;
	for (int i = 0; i < n; i++)
		to_synthesizer(p, i, SYNTHESIZER_DRAIN, NULL);
	pipeline_drained(p);
}

void
pipeline_drained(struct pipeline *p)
{
	if (--p->drains == 0)
		pipeline_event_post(p, PIPELINE_DRAINED);
}

/* ---- delay ---- */

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

/* ---- the end ---- */

void
pipeline_left(struct pipeline *p)
{
	if (--p->left > 0)
		return;
	readiness_end(p->readiness);
	pipeline_event_post(p, PIPELINE_GONE);
}
