/*
 * translation_queue_configs and allowed_message_types, which may be in the pipeline or,
 * if absent there, at the top level.  A target's entry inherits missing members from
 * the global entry.
 */
#include <string.h>

#include "protocol/task_internal.h"

#include "base/lang.h"

#define AT(member) offsetof(struct task_queue, member)

/* clang-format off */
const struct rule task_queue_rules[] = {
	{ "desired_queue_level_ms", RULE_INT,  AT(desired_ms), 500, 60000, .help = "speech is made faster when more than this is waiting" },
	{ "max_queue_level_ms",     RULE_INT,  AT(max_ms),     1000, 120000, .help = "beyond this the oldest audio is left out with the warning `QUEUE_OVERFLOW`; must be greater than the level above" },
	{ "auto_tempo",             RULE_BOOL, AT(auto_tempo), .help = "makes speech faster where it is behind" },
	{ "min_tempo",              RULE_REAL, AT(min_tempo),  0.5, 2.0, .help = "the least acceleration" },
	{ "max_tempo",              RULE_REAL, AT(max_tempo),  0.5, 2.0, .help = "the most, at the highest level; at least the one above" },
	RULES_END,
};

static const char *const output_names[OUTPUT_STARRED] = {
	[OUTPUT_PARTIAL]            = "partial_transcription",
	[OUTPUT_VALIDATED]          = "validated_transcription",
	[OUTPUT_PARTIAL_TRANSLATED] = "partial_translated_transcription",
	[OUTPUT_TRANSLATED]         = "translated_transcription",
	[OUTPUT_TIMINGS]            = "pipeline_timings",
	[OUTPUT_BUFFER_STATS]       = "tts_buffer_stats",
	[OUTPUT_TTS_TEXT]           = "tts_text",
};
/* clang-format on */

/* ---- queues ---- */

/* Report two members in the wrong order: at the higher one if it was sent. */
static void
out_of_order(struct validation_errors *f, const struct json_path *at, const char *low,
    const char *high, bool equal)
{
	struct json_path kid = json_path_member(at, high);

	if (kid.v != NULL) {
		validation_error_add(f, &kid, VALIDATION_RANGE, "must be %s %s",
		    equal ? "at least" : "greater than", low);
		return;
	}
	kid = json_path_member(at, low);
	validation_error_add(f, &kid, VALIDATION_RANGE, "must be %s %s",
	    equal ? "at most" : "less than", high);
}

static void
read_queue(
    struct validation_errors *f, const struct json_path *at, struct task_queue *to)
{
	size_t before = f->n;

	if (at->v == NULL || !validation_error_is(f, at, JSON_OBJ))
		return;
	rules_read(f, task_queue_rules, at, to);
	if (f->n > before)
		return;
	if (to->max_ms <= to->desired_ms)
		out_of_order(
		    f, at, "desired_queue_level_ms", "max_queue_level_ms", false);
	if (to->max_tempo < to->min_tempo)
		out_of_order(f, at, "min_tempo", "max_tempo", true);
}

static struct json_path
either_place(const struct json_path *tree, const char *key, struct json_path *pipeline,
    bool *top)
{
	struct json_path at;

	*pipeline = json_path_member(tree, "pipeline");
	at = json_path_member(pipeline, key);
	if (at.v == NULL && (at = json_path_member(tree, key)).v != NULL)
		*top = true;
	return at;
}

void
task_queues_read(
    struct validation_errors *f, const struct json_path *tree, struct task *t)
{
	struct json_path pipeline, kid,
	    at = either_place(
		tree, "translation_queue_configs", &pipeline, &t->form.queues_on_top);

	if (at.v != NULL && !validation_error_is(f, &at, JSON_OBJ))
		return;
	kid = json_path_member(&at, "global");
	read_queue(f, &kid, &t->form.global);
	for (size_t i = 0; i < t->n_targets; i++)
		t->targets[i].queue = t->form.global;
	if (at.v == NULL)
		return;
	for (const struct json *v = at.v->kids; v != NULL; v = v->next) {
		const struct task_target *target =
		    task_target_of(t, lang_fold(f->mem, v->key));

		kid = json_path_member(&at, v->key);
		if (target != NULL)
			read_queue(f, &kid, &t->targets[target - t->targets].queue);
	}
}

void
task_queues_write(struct json_writer *j, const char *key, const struct json *sent,
    const struct task *t, bool hidden)
{
	const struct task_target *target;

	jw_open(j, key);
	if (sent != NULL)
		for (const struct json *v = sent->kids; v != NULL; v = v->next) {
			target = task_target_of(t, lang_fold(j->out->mem, v->key));
			if (target == NULL && strcmp(v->key, "global") != 0)
				jw_json(j, v->key, v);
			else if (v->type == JSON_OBJ)
				rules_write_object(j, v->key, task_queue_rules, v,
				    target != NULL ? &target->queue : &t->form.global,
				    hidden);
		}
	sent = json_get(sent, "global");
	if (hidden && (sent == NULL || sent->type == JSON_NONE))
		rules_write_object(
		    j, "global", task_queue_rules, NULL, &t->form.global, true);
	jw_close(j);
}

/* ---- types of messages ---- */

void
task_types_read(
    struct validation_errors *f, const struct json_path *tree, struct task *t)
{
	struct json_path pipeline, item,
	    at = either_place(
		tree, "allowed_message_types", &pipeline, &t->form.types_on_top);
	size_t i = 0;

	if (!validation_error_is(f, &at, JSON_LIST))
		return;
	t->starred = 0;
	for (const struct json *v = at.v->kids; v != NULL; v = v->next) {
		item = json_path_item(&at, i++, v);
		if (!validation_error_is(f, &item, JSON_TEXT))
			continue;
		for (unsigned k = 0; k < OUTPUT_STARRED; k++)
			if (strcmp(v->u.s, output_names[k]) == 0)
				t->starred |= 1u << k;
	}
}

const char *
task_output_name(enum task_output say)
{
	return output_names[say];
}

bool
task_sends(const struct task *t, enum task_output say)
{
	return (t->starred & 1u << say) != 0;
}
