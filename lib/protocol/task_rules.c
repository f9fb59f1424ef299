/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of set_task, section 6 of the protocol document, as tables. */
#include <string.h>

#include "base/lang.h"
#include "protocol/task_internal.h"

#define TASK(member) offsetof(struct task, member)
#define OF(member) offsetof(struct task_target, member)
#define QUEUE(member) offsetof(struct task_queue, member)

static const char *const contents[] = { "audio", NULL };
static const char *const sources[] = { "ws", "webrtc", "livekit", NULL };
static const char *const ins[] = { "pcm_s16le", "opus", "wav", NULL };
static const char *const outs[] = { "pcm_s16le", "zlib_pcm_s16le", NULL };
static const char *const autos[] = { "auto", NULL };

static bool
is_null(const struct json *v)
{
	return v != NULL && v->type == JSON_NONE;
}

/* clang-format off */
static const struct rule queue_rules[] = {
	{ "desired_queue_level_ms", RULE_INT,  QUEUE(desired_ms), 500, 60000, .help = "speech is made faster when more than this is waiting" },
	{ "max_queue_level_ms",     RULE_INT,  QUEUE(max_ms),     1000, 120000, .help = "beyond this the oldest audio is left out with the warning `QUEUE_OVERFLOW`; must be greater than the level above" },
	{ "auto_tempo",             RULE_BOOL, QUEUE(auto_tempo), .help = "makes speech faster where it is behind" },
	{ "min_tempo",              RULE_REAL, QUEUE(min_tempo),  0.5, 2.0, .help = "the least acceleration" },
	{ "max_tempo",              RULE_REAL, QUEUE(max_tempo),  0.5, 2.0, .help = "the most, at the highest level; at least the one above" },
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

/*
 * ---- queues, and types of messages ----
 *
 * translation_queue_configs and allowed_message_types may be in the pipeline or, if
 * absent there, at the top level.  A target's entry inherits missing members from the
 * global entry.
 */

const struct task_target *
task_target_of(const struct task *t, const char *code)
{
	for (size_t i = 0; i < t->n_targets; i++)
		if (t->targets[i].language.code != NULL &&
		    strcmp(t->targets[i].language.code, code) == 0)
			return &t->targets[i];
	return NULL;
}

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
	rules_read(f, queue_rules, at, to);
	if (f->n > before)
		return;
	if (to->max_ms <= to->desired_ms)
		out_of_order(
		    f, at, "desired_queue_level_ms", "max_queue_level_ms", false);
	if (to->max_tempo < to->min_tempo)
		out_of_order(f, at, "min_tempo", "max_tempo", true);
}

static struct json_path
either_path(const struct json_path *tree, const char *key, struct json_path *pipeline,
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
	    at = either_path(
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

static void
write_queues(struct json_writer *j, const char *key, const struct json *sent,
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

void
task_types_read(
    struct validation_errors *f, const struct json_path *tree, struct task *t)
{
	struct json_path pipeline, item,
	    at = either_path(
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

/* ---- input_stream.source ---- */

/* clang-format off */
static const struct rule source_type[] = {
	{ "type", RULE_ENUM, TASK(form.source_type), .names = sources },
	RULES_END,
};
static const struct rule source_ws[] = {
	{ "type",        RULE_ENUM, TASK(form.source_type), .names = sources, .help = "how the audio comes; `livekit` is an older name of `webrtc`" },
	{ "format",      RULE_ENUM, TASK(in),          .names = ins, .help = "of the chunks; not with `webrtc`. `opus`: packets, or an Ogg stream in pieces; `wav`: its header tells rate and channels. Samples that begin like a file of Ogg, WebM, FLAC, MP4 or MP3, as MediaRecorder makes them, are refused with `VALIDATION_ERROR`, which names it" },
	{ "sample_rate", RULE_INT,  TASK(sample_rate), 16000, 48000, .help = "in Hz; required with `pcm_s16le`" },
	{ "channels",    RULE_INT,  TASK(channels),    1, 2, .help = "two channels are mixed; of two that cancel each other the louder is taken" },
	RULES_END,
};
/* clang-format on */

static void
read_source(struct validation_errors *f, const struct json_path *at, void *to)
{
	const char *type = json_get_text(at->v, "type");
	struct task *t = to;
	struct json_path rate = json_path_member(at, "sample_rate");

	if (at->v != NULL && !validation_error_is(f, at, JSON_OBJ))
		return;
	if (type != NULL && (!strcmp(type, "webrtc") || !strcmp(type, "livekit"))) {
		rules_read(f, source_type, at, t);
		t->source = TASK_WEBRTC;
		t->in = TASK_OPUS;
		return;
	}
	rules_read(f, source_ws, at, t);
	if (t->in == TASK_PCM && rate.v == NULL)
		validation_error_add(f, &rate, VALIDATION_MISSING, "is required");
}

static void
write_source(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	const struct task *t = from;

	rules_write_object(
	    j, key, t->source == TASK_WS ? source_ws : source_type, sent, from, hidden);
}

/* ---- output_stream ---- */

/* clang-format off */
static const struct rule target_type[] = {
	{ "type", RULE_ENUM, TASK(form.target_type), .names = sources },
	RULES_END,
};
static const struct rule target_ws[] = {
	{ "type",        RULE_ENUM, TASK(form.target_type), .names = sources, .help = "must be that of the source" },
	{ "format",      RULE_ENUM, TASK(out),              .names = outs, .help = "of the audio; `zlib_pcm_s16le`: each message compressed alone (RFC 1950)" },
	{ "sample_rate", RULE_INT,  TASK(form.target_rate), 24000, 24000, .help = "in Hz" },
	{ "channels",    RULE_INT,  TASK(form.target_channels), 1, 1, .help = "mono" },
	RULES_END,
};
/* clang-format on */

static void
read_target(struct validation_errors *f, const struct json_path *at, void *to)
{
	struct task *t = to;
	struct json_path type = json_path_member(at, "type");

	t->form.target_type = t->form.source_type;
	if (at->v != NULL && !validation_error_is(f, at, JSON_OBJ))
		return;
	rules_read(f, t->source == TASK_WS ? target_ws : target_type, at, t);
	if ((t->form.target_type == TASK_WS) != (t->source == TASK_WS))
		validation_error_add(f, &type, VALIDATION_ENUM,
		    "must be %s like the source", sources[t->form.source_type]);
}

static void
write_target(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	const struct task *t = from;

	rules_write_object(
	    j, key, t->source == TASK_WS ? target_ws : target_type, sent, from, hidden);
}

/* The output is always audio, so its content description has no effect. */
static void
write_content(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	(void)from, (void)hidden;
	if (sent != NULL)
		jw_json(j, key, sent);
	else
		jw_text(j, key, contents[0]);
}

static const struct rule output_rules[] = {
	{ "content_type", RULE_OWN, .write = write_content },
	{ "target", RULE_OWN, .read = read_target, .write = write_target,
	    .of = target_ws, .help = "the audio to be sent" },
	RULES_END,
};

static void
read_output(struct validation_errors *f, const struct json_path *at, void *to)
{
	struct task *t = to;

	t->text_only = is_null(json_get(at->up->v, at->key));
	if (!t->text_only && (at->v == NULL || validation_error_is(f, at, JSON_OBJ)))
		rules_read(f, output_rules, at, t);
}

static void
write_output(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	rules_write_object(j, key, output_rules, sent, from, hidden);
}

/* ---- pipeline.translations ---- */

/* clang-format off */
static const struct rule timbre_rules[] = {
	{ "enabled",            RULE_BOOL,  OF(voice.timbre), .help = "chooses by the pitch of the speaker; `voice_id` is then ignored" },
	{ "high_timbre_voices", RULE_TEXTS, OF(voice.high), 1, 64, .help = "the first one speaks for a pitch of 165 Hz and more" },
	{ "low_timbre_voices",  RULE_TEXTS, OF(voice.low),  1, 64, .help = "the first one speaks for a lower pitch" },
	RULES_END,
};
static const struct rule speech_rules[] = {
	{ "voice_id",      RULE_TEXT, OF(voice.id), 1, 64, .help = "`default_low`, `default_high`, or the id of a voice; another one is replaced with the warning `VOICE_NOT_FOUND`" },
	{ "tts_model",     RULE_TEXT, OF(voice.model), .help = "id of an engine" },
	{ "voice_cloning", RULE_BOOL, OF(voice.cloning), .help = "speaks with the voice of the speaker where an engine can do so" },
	{ "voice_timbre_detection", RULE_OBJ, .of = timbre_rules, .help = "chooses a voice for each segment" },
	RULES_END,
};
/* clang-format on */

static void
read_speech(struct validation_errors *f, const struct json_path *at, void *to)
{
	struct task_target *t = to;

	t->speech = !is_null(json_get(at->up->v, at->key));
	if (at->v != NULL && validation_error_is(f, at, JSON_OBJ))
		rules_read(f, speech_rules, at, t);
}

static void
write_speech(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	rules_write_object(j, key, speech_rules, sent, from, hidden);
}

/* clang-format off */
static const struct rule translation_rules[] = {
	{ "target_language", RULE_CODE, OF(language), .flags = RULE_REQUIRED, .help = "to translate to; no language twice" },
	{ "allowed_source_languages",         RULE_CODES, OF(sources), .help = "with `auto`: segments in other languages are not translated; empty: all" },
	{ "translation_model",                RULE_TEXT,  OF(model), .help = "id of an engine" },
	{ "allow_translation_glossaries",     RULE_BOOL,  OF(glossaries.allowed), .help = "uses the account's glossaries of type `translation`" },
	{ "allowed_translation_glossary_ids", RULE_IDS,   OF(glossaries.ids), .help = "only these glossaries; empty: all" },
	{ "translate_partial_transcriptions", RULE_BOOL,  OF(partials), .help = "also translates texts that are not final" },
	{ "speech_generation", RULE_OWN, .flags = RULE_NULLABLE,
	    .read = read_speech, .write = write_speech, .of = speech_rules, .help = "the voice; null: texts only for this target" },
	RULES_END,
};
/* clang-format on */

static struct list
one_text(struct arena *mem, const char *text)
{
	const char **item = arena_alloc(mem, sizeof(*item));

	*item = text;
	return (struct list){ item, 1 };
}

static void
read_translation(
    struct validation_errors *f, const struct json_path *at, struct task_target *t)
{
	*t = (struct task_target){ .model = "auto",
		.glossaries.allowed = true,
		.speech = true,
		.voice = { .id = "default_low", .model = "auto" } };
	if (at->v->type == JSON_OBJ)
		rules_read(f, translation_rules, at, t);
	else
		validation_error_add(f, at, VALIDATION_TYPE, "must be an object");
	if (t->voice.high.n == 0)
		t->voice.high = one_text(f->mem, "default_high");
	if (t->voice.low.n == 0)
		t->voice.low = one_text(f->mem, "default_low");
}

static void
find_twins(struct validation_errors *f, const struct json_path *item,
    const struct task *t, size_t i)
{
	const char *code = t->targets[i].language.code;
	struct json_path at = json_path_member(item, "target_language");

	for (size_t k = 0; code != NULL && k < i; k++)
		if (t->targets[k].language.code != NULL &&
		    strcmp(t->targets[k].language.code, code) == 0) {
			validation_error_add(f, &at, VALIDATION_DUPLICATE,
			    "%s is a target already", at.v->u.s);
			return;
		}
}

static void
read_translations(struct validation_errors *f, const struct json_path *at, void *to)
{
	struct task *t = to;
	struct json_path item;

	if (!validation_error_is(f, at, JSON_LIST))
		return;
	if (at->v->n > TASK_TARGETS) {
		validation_error_add(f, at, VALIDATION_LENGTH,
		    "must have at most %d entries", TASK_TARGETS);
		return;
	}
	t->targets = arena_alloc(f->mem, TASK_TARGETS * sizeof(*t->targets));
	for (const struct json *v = at->v->kids; v != NULL; v = v->next) {
		item = json_path_item(at, t->n_targets, v);
		read_translation(f, &item, &t->targets[t->n_targets]);
		find_twins(f, &item, t, t->n_targets++);
	}
}

static void
write_translations(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	const struct task *t = from;
	size_t i = 0;

	jw_list(j, key);
	for (const struct json *v = sent->kids; v != NULL; v = v->next)
		rules_write_object(
		    j, NULL, translation_rules, v, &t->targets[i++], hidden);
	jw_close(j);
}

/* ---- members of the pipeline or of the top level ---- */

static void
write_queues_within(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	const struct task *t = from;

	if (!t->form.queues_on_top)
		write_queues(j, key, sent, t, hidden);
}

static void
write_queues_on_top(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	const struct task *t = from;

	if (t->form.queues_on_top)
		write_queues(j, key, sent, t, hidden);
	else if (sent != NULL)
		jw_json(j, key, sent);
}

static void
write_types(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	static const enum task_output usual[] = { OUTPUT_TRANSLATED, OUTPUT_PARTIAL,
		OUTPUT_VALIDATED };
	const struct task *t = from;

	(void)hidden;
	if (sent != NULL) {
		jw_json(j, key, sent);
	} else if (!t->form.types_on_top) {
		jw_list(j, key);
		for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
			jw_text(j, NULL, task_output_name(usual[i]));
		jw_close(j);
	}
}

static void
write_types_on_top(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	(void)from, (void)hidden;
	if (sent != NULL)
		jw_json(j, key, sent);
}

/* ---- the whole task ---- */

/* Writes nothing: the server sets this member. */
static void
write_nothing(struct json_writer *j, const char *key, const struct json *sent,
    const void *from, bool hidden)
{
	(void)j, (void)key, (void)sent, (void)from, (void)hidden;
}

/* clang-format off */
static const struct rule input_rules[] = {
	{ "content_type", RULE_ENUM, TASK(form.content_type), .names = contents, .help = "what is sent" },
	{ "source", RULE_OWN, .read = read_source, .write = write_source, .of = source_ws, .help = "the audio that the client sends" },
	RULES_END,
};
static const struct rule advanced_rules[] = {
	{ "min_sentence_characters", RULE_INT,  TASK(splitter_characters), 1, 1000, .help = "a running segment is ended at a pause or a full stop once it has so many characters" },
	{ "min_sentence_seconds",    RULE_REAL, TASK(splitter_s),          0, 60, .help = "and so many seconds" },
	RULES_END,
};
static const struct rule splitter_rules[] = {
	{ "enabled",                 RULE_BOOL, TASK(splitter), .help = "ends segments at sentences while the speaker goes on" },
	{ "only_confirm_by_silence", RULE_BOOL, TASK(only_silence), .help = "switches that off again" },
	{ "advanced",                RULE_OBJ,  .of = advanced_rules, .help = "when a sentence is long enough" },
	RULES_END,
};
static const struct rule verification_rules[] = {
	{ "allow_verification_glossaries",     RULE_BOOL, TASK(verification.allowed), .help = "uses the account's glossaries of type `asr`" },
	{ "allowed_verification_glossary_ids", RULE_IDS,  TASK(verification.ids), .help = "only these glossaries; empty: all" },
	RULES_END,
};
static const struct rule transcription_rules[] = {
	{ "source_language", RULE_CODE, TASK(language), .names = autos,
	    .flags = RULE_REQUIRED, .help = "what is spoken" },
	{ "detectable_languages", RULE_CODES, TASK(detectable), .help = "with `auto`: what may be spoken; empty: all" },
	{ "asr_model",            RULE_TEXT,  TASK(asr_model), .help = "id of an engine" },
	{ "segment_confirmation_silence_threshold", RULE_REAL, TASK(silence_s), 0.3, 2.0, .help = "seconds of silence that end a segment" },
	{ "sentence_splitter",              RULE_OBJ,  .of = splitter_rules, .help = "ends segments before a silence" },
	{ "allow_hotwords_glossaries",      RULE_BOOL, TASK(hotwords.allowed), .help = "uses the account's glossaries of type `asr_hot`" },
	{ "allowed_hotwords_glossary_ids",  RULE_IDS,  TASK(hotwords.ids), .help = "only these glossaries; empty: all" },
	{ "verification",                   RULE_OBJ,  .of = verification_rules, .help = "corrections of what was recognised" },
	RULES_END,
};
static const struct rule preprocessing_rules[] = {
	{ "enable_vad",    RULE_BOOL, TASK(vad), .help = "false: all audio is taken for speech" },
	{ "vad_threshold", RULE_REAL, TASK(vad_threshold), 0, 1, .help = "how much like speech a sound must be" },
	RULES_END,
};
static const struct rule queues_rules[] = {
	{ RULE_ANY, RULE_OBJ, .of = queue_rules, .help = "`global`, or the code of a target that differs" },
	RULES_END,
};
static const struct rule pipeline_rules[] = {
	{ "transcription", RULE_OBJ, .of = transcription_rules, .help = "recognition" },
	{ "preprocessing", RULE_OBJ, .of = preprocessing_rules, .help = "of the audio" },
	{ "translations",  RULE_OWN, .min = 0, .max = TASK_TARGETS, .flags = RULE_REQUIRED | RULE_LIST, .read = read_translations,
	    .write = write_translations, .of = translation_rules, .help = "the targets; empty: transcription only" },
	{ "translation_queue_configs", RULE_OWN, .write = write_queues_within, .of = queues_rules, .help = "how far speech may be behind. May be at the top level, too" },
	{ "allowed_message_types",     RULE_OWN, .write = write_types, .help = "of the messages marked with *, those to be sent; unknown names are ignored. May be at the top level, too" },
	RULES_END,
};
const struct rule task_rules[] = {
	{ "input_stream",  RULE_OBJ, .of = input_rules, .flags = RULE_REQUIRED, .help = "the audio that comes in" },
	{ "output_stream", RULE_OWN, .flags = RULE_NULLABLE, .read = read_output,
	    .write = write_output, .of = output_rules, .help = "the audio that goes out; null: texts only" },
	{ "pipeline",      RULE_OBJ, .of = pipeline_rules, .help = "what happens in between" },
	{ "translation_queue_configs", RULE_OWN, .write = write_queues_on_top },
	{ "allowed_message_types",     RULE_OWN, .write = write_types_on_top },
	{ "task_status",   RULE_OWN, .write = write_nothing },
	{ "webrtc",        RULE_OWN, .write = write_nothing },
	RULES_END,
};
/* clang-format on */
