/*
 * What clients of sockets send: parameters of the addresses and messages.
 */
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "protocol/message.h"
#include "protocol/task.h"
#include "server/http_routes.h"
#include "web/web.h"

static const struct example {
	enum message_kind kind;
	const char *json;
} examples[] = {
	{ MESSAGE_SET_TASK,
	    "{\"message_type\":\"set_task\",\"data\":{\"input_stream\":{\"source\":{"
	    "\"sample_rate\":24000}},\"pipeline\":{\"transcription\":{"
	    "\"source_language\":\"en\"},\"translations\":[{\"target_language\":"
	    "\"es\"}]}}}" },
	{ MESSAGE_GET_TASK,
	    "{\"message_type\":\"get_task\",\"data\":{\"exclude_hidden\":true}}" },
	{ MESSAGE_PAUSE_TASK, "{\"message_type\":\"pause_task\"}" },
	{ MESSAGE_FLUSH_TASK,
	    "{\"message_type\":\"flush_task\",\"data\":{\"languages\":[\"es\"]}}" },
	{ MESSAGE_TTS_TASK,
	    "{\"message_type\":\"tts_task\",\"data\":{\"text\":\"We begin in five "
	    "minutes.\",\"language\":\"en\",\"translate_text\":true}}" },
	{ MESSAGE_END_TASK,
	    "{\"message_type\":\"end_task\",\"data\":{\"eos_timeout\":5}}" },
	{ MESSAGE_AUDIO,
	    "{\"message_type\":\"input_audio_data\",\"data\":{\"data\":\"AAABAAIA\"}"
	    "}" },
	{ MESSAGE_SET_LANGUAGE,
	    "{\"message_type\":\"set_language\",\"data\":{\"language\":\"es\"}}" },
	{ MESSAGE_FINALIZE, "{\"message_type\":\"finalize\"}" },
	{ MESSAGE_INIT,
	    "{\"type\":\"init\",\"language\":\"en\",\"output\":{\"format\":\"pcm\","
	    "\"sample_rate\":24000}}" },
	{ MESSAGE_TEXT,
	    "{\"type\":\"text\",\"text\":\"Curious minds think alike.\",\"is_eos\":"
	    "true,\"generation_id\":\"5f1d0c3a\"}" },
	{ MESSAGE_CANCEL, "{\"type\":\"cancel\"}" },
};

static const struct {
	const char *name, *help;
} parameters[] = {
	{ "language",
	    "of a listener: the language to receive, or `original`, or `all`; "
	    "of speech to text: what is spoken, default `auto`" },
	{ "audio", "`0`: texts only" },
	{ "format",
	    "of the audio, default `pcm_s16le`: of speech to speech, what a listener "
	    "receives; of speech to text, what you send" },
	{ "since",
	    "of a listener: the `transcription_id` that it has; the final texts behind "
	    "it come first, at most 50, or the last 50 if it is too old" },
	{ "sample_rate", "in Hz, default 16000; required with the other raw formats" },
	{ "translate_languages", "up to 10 codes, separated by commas" },
	{ "enable_filler_filter", "leaves out hesitations such as \"uh\"; default "
				  "`true`, with `ja` `false`" },
};

/* ---- members ---- */

static void
print_names(const char *const *names, const char *between)
{
	for (; names != NULL && *names != NULL; names++)
		printf("%s`%s`", between, *names), between = ", ";
}

static void
print_type(const struct rule *r)
{
	static const char *const types[] = { "boolean", "integer", "number", "",
		"string", "language code", "array of strings",
		"array of language codes", "array of uuids", "object", "object" };

	if (strcmp(r->name, "translations") == 0)
		printf("array of 0 to %d objects", TASK_TARGETS);
	else if (r->type == RULE_OWN && r->of == NULL)
		printf("array of strings");
	else
		printf("%s", types[r->type]);
	if (r->type == RULE_INT || r->type == RULE_REAL)
		r->min == r->max ? printf(" %g", r->max)
				 : printf(" %g to %g", r->min, r->max);
	else if ((r->type == RULE_TEXT || r->type == RULE_TEXTS) && r->max > 0)
		printf(" of %g to %g characters", r->min, r->max);
	print_names(r->names, r->type == RULE_CODE ? ", or " : "");
	if (r->flags & RULE_NULLABLE)
		printf(", or null");
}

/* What the path is of the members of such an object. */
static const char *
suffix_of(const char *name)
{
	if (strcmp(name, "translations") == 0)
		return "[]";
	return strcmp(name, "translation_queue_configs") == 0 ? ".global" : "";
}

/* The member of that name, below any lists; NULL: none. */
static const struct json *
below(const struct json *v, const char *name)
{
	while (v != NULL && v->type == JSON_LIST)
		v = v->kids;
	return v != NULL && v->type == JSON_OBJ ? json_get(v, name) : NULL;
}

/* defaults: what members have that were not sent; or NULL: the table has no such
 * column. */
static void
print_members(struct arena *mem, const struct rule *rules, const char *path,
    const struct json *defaults)
{
	for (const struct rule *r = rules; r->name != NULL; r++) {
		const struct json *v = below(defaults, r->name);
		const char *is = path[0] == '\0'
				     ? r->name
				     : arena_printf(mem, "%s.%s", path, r->name);

		if (r->help == NULL)
			continue;
		printf("| `%s` | ", is);
		print_type(r);
		if (r->flags & RULE_REQUIRED)
			printf(" | required |");
		else if (v != NULL && v->type != JSON_OBJ)
			printf(" | `%s` |", json_text(mem, v));
		else
			printf(" | |");
		printf(" %s |\n", r->help);
		if (strcmp(r->name, "translation_queue_configs") == 0)
			v = json_get(v, "global");
		if (r->of != NULL)
			print_members(mem, r->of,
			    arena_printf(mem, "%s%s", is, suffix_of(r->name)), v);
	}
}

/* ---- messages ---- */

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

/* The example as current_task has it, with all defaults. */
static const struct json *
task_defaults(struct arena *mem, const struct json *example)
{
	static const struct task_engines engines = { .knows = knows, .pairs = pairs };
	struct validation_errors errors = { .mem = mem };
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct task t;
	const char *why;

	if (!task_read(mem, example, &engines, &t, &errors))
		print_fail("set_task", validation_errors_text(mem, &errors));
	jw_open(&j, NULL);
	task_write(&j, &t, true);
	jw_close(&j);
	return json_read(mem, buf_text(&b), b.len, &why);
}

static const char *
example_of(struct arena *mem, enum message_kind kind, struct message *m)
{
	struct validation_errors errors;

	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		if (examples[i].kind == kind) {
			const char *s = examples[i].json;

			if (!message_read(mem, message_types[kind].socket, s, strlen(s),
				m, &errors))
				print_fail(s, validation_errors_text(mem, &errors));
			return s;
		}
	print_fail("there is no example", message_types[kind].name);
}

static void
print_message(enum message_kind kind)
{
	const struct message_type *t = &message_types[kind];
	struct arena *mem = arena_new();
	struct message m;
	const char *example = example_of(mem, kind, &m);

	printf("\n### `%s`\n\n%s\n", t->name, t->help);
	if (t->limit != LIMIT_KINDS)
		printf("Limit: %s.\n", strchr(limit_text(t->limit), ':') + 2);
	printf("\n```json\n%s\n```\n", example);
	if (t->rules != NULL) {
		printf("\n| member | type | default | |\n|---|---|---|---|\n");
		print_members(mem, t->rules, "",
		    kind == MESSAGE_SET_TASK ? task_defaults(mem, m.u.task) : NULL);
	}
	arena_free(mem);
}

static void
print_socket(enum message_socket socket)
{
	for (enum message_kind i = MESSAGE_UNKNOWN + 1; i < MESSAGE_KINDS; i++)
		if (message_types[i].socket == socket)
			print_message(i);
	printf("\n");
}

static void
print_s2s(void)
{
	print_socket(MESSAGE_S2S);
}

static void
print_stt(void)
{
	print_socket(MESSAGE_STT);
}

static void
print_tts(void)
{
	print_socket(MESSAGE_TTS);
}

/* ---- parameters of the addresses ---- */

static const char *
parameter_help(const char *name)
{
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		if (strcmp(parameters[i].name, name) == 0)
			return parameters[i].help;
	print_fail("a parameter without a meaning", name);
}

/* Of the two addresses of S2S, the one with a name in it. */
static bool
is_socket(const char *path)
{
	size_t n = strlen(path), end = strlen("/stream");

	return n > end && strcmp(path + n - end, "/stream") == 0 &&
	       strcmp(path, "/streaming-api/v1/speech-to-speech/stream") != 0;
}

static void
print_parameters(void)
{
	printf("| path | parameter | value | |\n|---|---|---|---|\n");
	for (const struct route *r = http_routes; r->method != NULL; r++) {
		if (!is_socket(r->path))
			continue;
		for (const struct field *f = r->query; f->name != NULL; f++) {
			printf("| `%s` | `%s` | ", r->path, f->name);
			if (f->type == F_INT)
				printf("%lld to %lld", (long long)f->min,
				    (long long)f->max);
			else if (f->names == NULL)
				printf("text");
			print_names(f->names, "");
			printf(" | %s |\n", parameter_help(f->name));
		}
	}
}

/* ---- limits ---- */

static void
print_limits(void)
{
	for (enum limit_kind i = 0; i < LIMIT_KINDS; i++)
		printf("* %s\n", limit_text(i));
}

const struct print_part print_client[] = {
	{ "stream-parameters", print_parameters },
	{ "stream-s2s", print_s2s },
	{ "stream-stt", print_stt },
	{ "stream-tts", print_tts },
	{ "stream-limits", print_limits },
	{ NULL },
};
