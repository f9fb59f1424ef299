/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Envelopes of client messages: {"message_type":...,"data":{...}}, where data may be a
 * string that contains the object.  TTS messages are flat, with "type".
 */
#include "protocol/message.h"

#include <string.h>

#include "base/base64.h"
#include "protocol/rule.h"
#include "protocol/task.h"
#include "protocol/task_internal.h"

#define DEPTH 16 /* levels of nesting */

/* ---- members of the messages ---- */

/* clang-format off */
static const char *const all_or_original[] = { "original", "all", NULL };
static const char *const formats[] = { "pcm", "wav", "mp3", NULL };

static const struct rule get_rules[] = {
	{ "exclude_hidden", RULE_BOOL, 0, .help = "leaves out of the answer what the client did not send" },
	RULES_END,
};

#define AT(member) offsetof(struct message_flush, member)
static const struct rule flush_rules[] = {
	{ "languages",  RULE_CODES, AT(languages), .help = "codes of the targets whose unsent translations and audio are dropped; `[\"global\"]`, an empty array or none: all targets and the segment that is being recognised" },
	{ "pause_task", RULE_BOOL,  AT(pause), .help = "also pauses the task" },
	RULES_END,
};
#undef AT
#define AT(member) offsetof(struct message_tts, member)
static const struct rule tts_rules[] = {
	{ "text",           RULE_TEXT, AT(text), 1, 2048, .flags = RULE_REQUIRED, .help = "what to speak" },
	{ "language",       RULE_CODE, AT(language),      .flags = RULE_REQUIRED, .help = "a target of the task, or the language of the text" },
	{ "translate_text", RULE_BOOL, AT(translate), .help = "true: `language` is the language of the text, which is translated to each target; false: the text is spoken as it is" },
	RULES_END,
};
#undef AT
#define AT(member) offsetof(struct message_end, member)
static const struct rule end_rules[] = {
	{ "eos_timeout", RULE_INT,  AT(eos_s), 1, 30, .help = "seconds of silence to wait for since the last speech, before the end; without it no more input is awaited" },
	{ "force",       RULE_BOOL, AT(force), .help = "drops all output and closes within 500 ms; `eos_timeout` is ignored" },
	RULES_END,
};
#undef AT
static const struct rule audio_rules[] = {
	{ "data", RULE_TEXT, 0, .flags = RULE_REQUIRED, .help = "the chunk in base64, at most 512 KiB when decoded" },
	RULES_END,
};
static const struct rule language_rules[] = {
	{ "language", RULE_CODE, 0, .names = all_or_original, .flags = RULE_REQUIRED, .help = "a target; or the speech as it is, or everything" },
	RULES_END,
};

/* deaccent_strength is checked, but has no effect. */
struct voice_options {
	struct message_voice voice;
	double deaccent;
};

#define AT(member) offsetof(struct voice_options, member)
static const struct rule voice_rules[] = {
	{ "voice_id",          RULE_TEXT, AT(voice.id), 1, 64, .help = "`default_low`, `default_high`, or the id of a voice; default `default_low`" },
	{ "speed",             RULE_REAL, AT(voice.speed), 0, 2, .help = "of speech: 0.5, the default, is normal, 0 half as fast, 1 one and a half times, 2 twice as fast" },
	{ "deaccent_strength", RULE_REAL, AT(deaccent), 0, 1, .help = "checked, without effect" },
	RULES_END,
};
#undef AT
#define AT(member) offsetof(struct message_init, member)
static const struct rule output_rules[] = {
	{ "format",      RULE_ENUM, AT(format), .names = formats, .help = "of the audio; default `mp3`. `pcm` is 16 bit little-endian mono" },
	{ "sample_rate", RULE_INT,  AT(sample_rate), 8000, 48000, .help = "in Hz; default 24000" },
	RULES_END,
};
static const struct rule init_rules[] = {
	{ "language", RULE_CODE, AT(language), .flags = RULE_REQUIRED, .help = "of the texts" },
	{ "model",    RULE_TEXT, AT(model), .help = "id of an engine, or `auto`, the default" },
	{ "output",   RULE_OBJ,  .of = output_rules, .help = "the audio to be sent" },
	{ "voice_options", RULE_OWN, .of = voice_rules, .help = "the voice of all texts" },
	RULES_END,
};
#undef AT
#define AT(member) offsetof(struct message_text, member)
static const struct rule text_rules[] = {
	{ "text",          RULE_TEXT, AT(text), 0, 1024, .help = "what to speak; may be empty with `is_eos` only" },
	{ "is_eos",        RULE_BOOL, AT(is_eos), .help = "ends the generation: all that is left of it is spoken" },
	{ "generation_id", RULE_TEXT, AT(generation), 1, 64, .help = "texts with the same id are joined; a new id ends the generation before; when absent the server makes one" },
	{ "reset_context", RULE_BOOL, AT(reset), .help = "speak as if nothing had been said before" },
	{ "voice_options", RULE_OWN, .of = voice_rules, .help = "the voice of this text and of later ones" },
	RULES_END,
};
#undef AT
static const struct rule cancel_rules[] = {
	{ "generation_id", RULE_TEXT, offsetof(struct message_cancel, generation), 1, 64, .help = "drops only this generation; when absent, all" },
	RULES_END,
};

const struct message_type	 message_types[MESSAGE_KINDS] = {
	[MESSAGE_SET_TASK]     = { "set_task", MESSAGE_S2S, MESSAGE_FROM_SPEAKER, task_rules, LIMIT_SET_TASK,
	    "Starts a task, replaces it as a whole, or resumes it. `task_status` answers when it runs." },
	[MESSAGE_GET_TASK]     = { "get_task", MESSAGE_S2S, MESSAGE_FROM_SPEAKER | MESSAGE_FROM_LISTENER, get_rules, LIMIT_GET_TASK,
	    "Asks for the message `current_task`; error `NOT_FOUND` while no task runs. Until the first `current_task` it is not limited." },
	[MESSAGE_PAUSE_TASK]   = { "pause_task", MESSAGE_S2S, MESSAGE_FROM_SPEAKER, NULL, LIMIT_PAUSE_TASK,
	    "Metering stops at once, new audio is dropped, and what was recognised is still translated. `set_task` resumes." },
	[MESSAGE_FLUSH_TASK]   = { "flush_task", MESSAGE_S2S, MESSAGE_FROM_SPEAKER, flush_rules, LIMIT_FLUSH_TASK,
	    "Drops output that is not sent yet." },
	[MESSAGE_INTERRUPT_TASK] = { "interrupt_task", MESSAGE_S2S, MESSAGE_FROM_SPEAKER, flush_rules, LIMIT_FLUSH_TASK,
	    "The same as `flush_task`." },
	[MESSAGE_TTS_TASK]     = { "tts_task", MESSAGE_S2S, MESSAGE_FROM_SPEAKER, tts_rules, LIMIT_TTS_TASK,
	    "Speaks a text as a segment of its own." },
	[MESSAGE_END_TASK]     = { "end_task", MESSAGE_S2S, MESSAGE_FROM_SPEAKER, end_rules, LIMIT_KINDS,
	    "Ends the task. The segment in work is finished and all its output is sent, within 30 s after `eos_timeout`; then come `end_of_stream`, `eos` and the close with 1000." },
	[MESSAGE_AUDIO]        = { "input_audio_data", MESSAGE_S2S, MESSAGE_FROM_SPEAKER, audio_rules, LIMIT_AUDIO,
	    "A chunk of audio, best 320 ms at the pace of speech. A chunk beyond the limit is dropped with the warning `AUDIO_STREAM_TOO_FAST`." },
	[MESSAGE_SET_LANGUAGE] = { "set_language", MESSAGE_S2S, MESSAGE_FROM_LISTENER, language_rules, LIMIT_KINDS,
	    "Of listeners only: the language to receive, from the next segment on." },
	[MESSAGE_FINALIZE]     = { "finalize", MESSAGE_STT, MESSAGE_FROM_SPEAKER, NULL, LIMIT_KINDS,
	    "Ends the segment: its final text is sent with `<fin>` at the end, or alone if nothing was said." },
	[MESSAGE_INIT]         = { "init", MESSAGE_TTS, MESSAGE_FROM_SPEAKER, init_rules, LIMIT_KINDS,
	    "The first message, sent once within 10 s." },
	[MESSAGE_TEXT]         = { "text", MESSAGE_TTS, MESSAGE_FROM_SPEAKER, text_rules, LIMIT_TTS_TEXT,
	    "A text, or a piece of one. Speech starts at `is_eos`, or at the end of a sentence after 80 characters." },
	[MESSAGE_CANCEL]       = { "cancel", MESSAGE_TTS, MESSAGE_FROM_SPEAKER, cancel_rules, LIMIT_KINDS,
	    "Drops what was not sent yet, of one generation or of all. It is not answered." },
	[MESSAGE_RESET_CONTEXT] = { "reset_context", MESSAGE_TTS, MESSAGE_FROM_SPEAKER, NULL, LIMIT_KINDS,
	    "What follows is spoken as if nothing had been said before. It is not answered." },
};
/* clang-format on */

/* ---- one reader per type ---- */

static void
read_flush(
    struct validation_errors *f, const struct json_path *data, struct message_flush *to)
{
	const char *const *codes;

	rules_read(f, flush_rules, data, to);
	codes = to->languages.items;
	to->global = to->languages.n == 0;
	for (size_t i = 0; i < to->languages.n; i++)
		if (codes[i] != NULL && strcmp(codes[i], "global") == 0)
			to->global = true;
}

static void
read_audio(
    struct validation_errors *f, const struct json_path *data, struct message_audio *to)
{
	struct json_path at = json_path_member(data, "data");
	const char *text = NULL;

	rules_read(f, audio_rules, data, &text);
	if (text == NULL)
		return;
	to->bytes = base64_read(f->mem, text, at.v->n, &to->n);
	if (to->bytes == NULL)
		validation_error_add(f, &at, VALIDATION_TYPE, "must be base64");
	else if (to->n > MESSAGE_AUDIO_BYTES)
		validation_error_add(f, &at, VALIDATION_LENGTH,
		    "must be at most %d bytes when decoded", MESSAGE_AUDIO_BYTES);
}

static void
read_voice(
    struct validation_errors *f, const struct json_path *data, struct message_voice *to)
{
	struct json_path at = json_path_member(data, "voice_options");
	struct voice_options options = { .voice = *to };

	if (at.v != NULL && validation_error_is(f, &at, JSON_OBJ))
		rules_read(f, voice_rules, &at, &options);
	*to = options.voice;
}

static void
read_init(
    struct validation_errors *f, const struct json_path *data, struct message_init *to)
{
	*to = (struct message_init){ .model = "auto",
		.voice = { "default_low", 0.5 },
		.format = MESSAGE_MP3,
		.sample_rate = 24000 };
	rules_read(f, init_rules, data, to);
	read_voice(f, data, &to->voice);
}

static void
read_spoken(
    struct validation_errors *f, const struct json_path *data, struct message_text *to)
{
	struct json_path text = json_path_member(data, "text");

	*to = (struct message_text){ .text = "", .voice = { NULL, -1 } };
	rules_read(f, text_rules, data, to);
	read_voice(f, data, &to->voice);
	if (text.v == NULL && !to->is_eos)
		validation_error_add(f, &text, VALIDATION_MISSING, "is required");
	else if (to->text[0] == '\0' && f->n == 0 && !to->is_eos)
		validation_error_add(
		    f, &text, VALIDATION_LENGTH, "must have 1 to 1024 characters");
}

static void
read_data(struct validation_errors *f, const struct json_path *data, struct message *m)
{
	switch (m->kind) {
	case MESSAGE_SET_TASK:
		m->u.task = data->v;
		break;
	case MESSAGE_FLUSH_TASK:
	case MESSAGE_INTERRUPT_TASK:
		read_flush(f, data, &m->u.flush);
		break;
	case MESSAGE_AUDIO:
		read_audio(f, data, &m->u.audio);
		break;
	case MESSAGE_INIT:
		read_init(f, data, &m->u.init);
		break;
	case MESSAGE_TEXT:
		read_spoken(f, data, &m->u.text);
		break;
	default:
		if (message_types[m->kind].rules != NULL)
			rules_read(f, message_types[m->kind].rules, data, &m->u);
	}
}

/* ---- the envelope ---- */

static const struct json *
read_object(struct validation_errors *f, const struct json_path *at, const char *s,
    size_t n, int depth)
{
	const char *why;
	const struct json *v = json_read_last(f->mem, s, n, depth, &why);

	if (v != NULL && v->type == JSON_OBJ)
		return v;
	validation_error_add(f, at, VALIDATION_TYPE,
	    "must be a JSON object of at most %d levels%s%s", DEPTH,
	    v == NULL ? "; this " : "", v == NULL ? why : "");
	return NULL;
}

static enum message_kind
read_kind(struct validation_errors *f, enum message_socket socket,
    const struct json_path *envelope)
{
	struct json_path at =
	    json_path_member(envelope, socket == MESSAGE_TTS ? "type" : "message_type");

	if (at.v == NULL) {
		validation_error_add(f, &at, VALIDATION_MISSING, "is required");
		return MESSAGE_UNKNOWN;
	}
	if (!validation_error_is(f, &at, JSON_TEXT))
		return MESSAGE_UNKNOWN;
	for (enum message_kind i = MESSAGE_UNKNOWN + 1; i < MESSAGE_KINDS; i++)
		if (message_types[i].socket == socket &&
		    strcmp(message_types[i].name, at.v->u.s) == 0)
			return i;
	validation_error_add(f, &at, VALIDATION_ENUM, "is no message of this socket");
	return MESSAGE_UNKNOWN;
}

/*
 * The data object; NULL: it is invalid, and an error was added. Paths in it start at
 * data.
 */
static const struct json *
find_data(struct validation_errors *f, enum message_socket socket,
    const struct json_path *envelope)
{
	static const struct json empty = { .type = JSON_OBJ };
	struct json_path at = json_path_member(envelope, "data");

	if (socket != MESSAGE_S2S)
		return envelope->v;
	if (at.v == NULL)
		return &empty;
	if (at.v->type == JSON_TEXT)
		return read_object(f, &at, at.v->u.s, at.v->n, DEPTH - 1);
	return validation_error_is(f, &at, JSON_OBJ) ? at.v : NULL;
}

bool
message_read(struct arena *mem, enum message_socket socket, const char *s, size_t n,
    struct message *m, struct validation_errors *f)
{
	struct json_path envelope = json_path_whole(NULL), data;

	*f = (struct validation_errors){ .mem = mem };
	*m = (struct message){ .kind = MESSAGE_UNKNOWN };
	envelope.v = read_object(f, &envelope, s, n, DEPTH);
	if (envelope.v == NULL)
		return false;
	m->kind = read_kind(f, socket, &envelope);
	if (m->kind == MESSAGE_UNKNOWN)
		return false;
	data = json_path_whole(find_data(f, socket, &envelope));
	if (data.v != NULL)
		read_data(f, &data, m);
	return f->n == 0;
}

/* ---- examples, for docs/streaming.md and /asyncapi.json ---- */

static const char *const examples[MESSAGE_KINDS] = {
	[MESSAGE_SET_TASK] =
	    "{\"message_type\":\"set_task\",\"data\":{\"input_stream\":{\"source\":{"
	    "\"sample_rate\":24000}},\"pipeline\":{\"transcription\":{"
	    "\"source_language\":\"en\"},\"translations\":[{\"target_language\":"
	    "\"es\"}]}}}",
	[MESSAGE_GET_TASK] =
	    "{\"message_type\":\"get_task\",\"data\":{\"exclude_hidden\":true}}",
	[MESSAGE_PAUSE_TASK] = "{\"message_type\":\"pause_task\"}",
	[MESSAGE_FLUSH_TASK] =
	    "{\"message_type\":\"flush_task\",\"data\":{\"languages\":[\"es\"]}}",
	[MESSAGE_INTERRUPT_TASK] =
	    "{\"message_type\":\"interrupt_task\",\"data\":{\"languages\":["
	    "\"global\"],\"pause_task\":false}}",
	[MESSAGE_TTS_TASK] =
	    "{\"message_type\":\"tts_task\",\"data\":{\"text\":\"We begin in five "
	    "minutes.\",\"language\":\"en\",\"translate_text\":true}}",
	[MESSAGE_END_TASK] =
	    "{\"message_type\":\"end_task\",\"data\":{\"eos_timeout\":5}}",
	[MESSAGE_AUDIO] =
	    "{\"message_type\":\"input_audio_data\",\"data\":{\"data\":\"AAABAAIA\"}}",
	[MESSAGE_SET_LANGUAGE] =
	    "{\"message_type\":\"set_language\",\"data\":{\"language\":\"es\"}}",
	[MESSAGE_FINALIZE] = "{\"message_type\":\"finalize\"}",
	[MESSAGE_INIT] =
	    "{\"type\":\"init\",\"language\":\"en\",\"output\":{\"format\":\"pcm\","
	    "\"sample_rate\":24000}}",
	[MESSAGE_TEXT] =
	    "{\"type\":\"text\",\"text\":\"Curious minds think alike.\",\"is_eos\":"
	    "true,\"generation_id\":\"5f1d0c3a\"}",
	[MESSAGE_CANCEL] = "{\"type\":\"cancel\",\"generation_id\":\"5f1d0c3a\"}",
	[MESSAGE_RESET_CONTEXT] = "{\"type\":\"reset_context\"}",
};

const char *
message_example(enum message_kind kind)
{
	return examples[kind];
}

static bool
knows(void *arg, const char *source)
{
	(void)arg, (void)source;
	return true;
}

static bool
pairs(void *arg, const char *source, const char *target)
{
	(void)arg, (void)source, (void)target;
	return true;
}

const struct json *
message_defaults(struct arena *mem, enum message_kind kind)
{
	static const struct task_engines engines = { .knows = knows, .pairs = pairs };
	struct validation_errors errors;
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	const char *s = examples[kind], *why;
	struct message m;
	struct task t;

	if (kind != MESSAGE_SET_TASK)
		return NULL;
	if (!message_read(mem, MESSAGE_S2S, s, strlen(s), &m, &errors) ||
	    !task_read(mem, m.u.task, &engines, &t, &errors))
		return NULL;
	jw_open(&j, NULL);
	task_write(&j, &t, true);
	jw_close(&j);
	return json_read(mem, buf_text(&b), b.len, &why);
}
