/*
 * Examples of what clients send, for docs/streaming.md and /asyncapi.json.
 */
#include <string.h>

#include "protocol/message.h"
#include "protocol/task.h"

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
