/*
 * translation_queue_configs and allowed_message_types, which stand in the
 * pipeline or, if they are not there, at the top.  What a target's entry does not
 * say, the global one does.
 */
#include <string.h>

#include "stream/task_parts.h"

#define AT(member) offsetof(struct task_queue, member)

/* clang-format off */
static const struct rule queue_rules[] = {
	{ "desired_queue_level_ms", RULE_INT,  AT(desired_ms), 500, 60000 },
	{ "max_queue_level_ms",     RULE_INT,  AT(max_ms),     1000, 120000 },
	{ "auto_tempo",             RULE_BOOL, AT(auto_tempo) },
	{ "min_tempo",              RULE_REAL, AT(min_tempo),  0.5, 2.0 },
	{ "max_tempo",              RULE_REAL, AT(max_tempo),  0.5, 2.0 },
	RULES_END,
};

static const char *const say_names[SAY_STARRED] = {
	[SAY_PARTIAL]            = "partial_transcription",
	[SAY_VALIDATED]          = "validated_transcription",
	[SAY_PARTIAL_TRANSLATED] = "partial_translated_transcription",
	[SAY_TRANSLATED]         = "translated_transcription",
	[SAY_TIMINGS]            = "pipeline_timings",
	[SAY_BUFFER_STATS]       = "tts_buffer_stats",
	[SAY_TTS_TEXT]           = "tts_text",
};
/* clang-format on */

/* ---- queues ---- */

/* Two members that must be in order: the fault is the higher one's if it was sent. */
static void
out_of_order(struct flaws *f, const struct spot *at, const char *low, const char *high,
    bool equal)
{
	struct spot kid = spot_member(at, high);

	if (kid.v != NULL) {
		flaw_add(f, &kid, FLAW_RANGE, "must be %s %s",
		    equal ? "at least" : "greater than", low);
		return;
	}
	kid = spot_member(at, low);
	flaw_add(f, &kid, FLAW_RANGE, "must be %s %s", equal ? "at most" : "less than",
	    high);
}

static void
read_queue(struct flaws *f, const struct spot *at, struct task_queue *to)
{
	size_t before = f->n;

	if (at->v == NULL || !flaw_is(f, at, JSON_OBJ))
		return;
	rules_read(f, queue_rules, at, to);
	if (f->n > before)
		return;
	if (to->max_ms <= to->desired_ms)
		out_of_order(
		    f, at, "desired_queue_level_ms", "max_queue_level_ms", false);
	if (to->max_tempo < to->min_tempo)
		out_of_order(f, at, "min_tempo", "max_tempo", true);
}

static struct spot
either_place(const struct spot *tree, const char *key, struct spot *pipeline, bool *top)
{
	struct spot at;

	*pipeline = spot_member(tree, "pipeline");
	at = spot_member(pipeline, key);
	if (at.v == NULL && (at = spot_member(tree, key)).v != NULL)
		*top = true;
	return at;
}

void
task_queues_read(struct flaws *f, const struct spot *tree, struct task *t)
{
	struct spot pipeline, kid,
	    at = either_place(
		tree, "translation_queue_configs", &pipeline, &t->form.queues_on_top);

	if (at.v != NULL && !flaw_is(f, &at, JSON_OBJ))
		return;
	kid = spot_member(&at, "global");
	read_queue(f, &kid, &t->form.global);
	for (size_t i = 0; i < t->n_targets; i++)
		t->targets[i].queue = t->form.global;
	if (at.v == NULL)
		return;
	for (const struct json *v = at.v->kids; v != NULL; v = v->next) {
		const struct task_target *target =
		    task_target_of(t, code_fold(f->mem, v->key));

		kid = spot_member(&at, v->key);
		if (target != NULL)
			read_queue(f, &kid, &t->targets[target - t->targets].queue);
	}
}

void
task_queues_write(struct jw *j, const char *key, const struct json *sent,
    const struct task *t, bool hidden)
{
	const struct task_target *target;

	jw_open(j, key);
	if (sent != NULL)
		for (const struct json *v = sent->kids; v != NULL; v = v->next) {
			target = task_target_of(t, code_fold(j->out->mem, v->key));
			if (target == NULL && strcmp(v->key, "global") != 0)
				jw_json(j, v->key, v);
			else if (v->type == JSON_OBJ)
				rules_write_object(j, v->key, queue_rules, v,
				    target != NULL ? &target->queue : &t->form.global,
				    hidden);
		}
	sent = json_get(sent, "global");
	if (hidden && (sent == NULL || sent->type == JSON_NONE))
		rules_write_object(
		    j, "global", queue_rules, NULL, &t->form.global, true);
	jw_close(j);
}

/* ---- types of messages ---- */

void
task_types_read(struct flaws *f, const struct spot *tree, struct task *t)
{
	struct spot pipeline, item,
	    at = either_place(
		tree, "allowed_message_types", &pipeline, &t->form.types_on_top);
	size_t i = 0;

	if (!flaw_is(f, &at, JSON_LIST))
		return;
	t->starred = 0;
	for (const struct json *v = at.v->kids; v != NULL; v = v->next) {
		item = spot_item(&at, i++, v);
		if (!flaw_is(f, &item, JSON_TEXT))
			continue;
		for (unsigned k = 0; k < SAY_STARRED; k++)
			if (strcmp(v->u.s, say_names[k]) == 0)
				t->starred |= 1u << k;
	}
}

const char *
task_say_name(enum task_say say)
{
	return say_names[say];
}

bool
task_says(const struct task *t, enum task_say say)
{
	return (t->starred & 1u << say) != 0;
}
