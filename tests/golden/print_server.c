/*
 * What the server sends over sockets: each message as its function writes it, and the
 * meaning of its members.
 */
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "protocol/output.h"

#define ID "1a0e9048dfeed5a3"
#define EPOCH INT64_C(1795170000000000)

/* ---- samples ---- */

static bool
say_text(
    struct buf *b, enum task_output kind, int part, const char *lang, const char *text)
{
	static const struct output_word words[] = { { "good", 320000, 600000 } };
	const struct output_segment segment = { text, 320000, 1600000, words,
		kind == OUTPUT_VALIDATED };
	const struct output_transcript t = { ID, part, lang, text, &segment, 1, EPOCH };

	return output_text(b, kind, &t);
}

static bool
partial(struct buf *b)
{
	return say_text(b, OUTPUT_PARTIAL, -1, "en", "good morning every");
}

static bool
validated(struct buf *b)
{
	return say_text(b, OUTPUT_VALIDATED, -1, "en", "Good morning, everyone.");
}

static bool
partial_translated(struct buf *b)
{
	return say_text(b, OUTPUT_PARTIAL_TRANSLATED, 0, "es", "buenos días");
}

static bool
translated(struct buf *b)
{
	return say_text(b, OUTPUT_TRANSLATED, 0, "es", "Buenos días a todos.");
}

static bool
tts_text(struct buf *b)
{
	return say_text(b, OUTPUT_TTS_TEXT, 0, "es", "Buenos días a todos.");
}

static bool
audio(struct buf *b)
{
	const struct output_audio a = { ID, 0, "es", false, "\0\0\1\0\2\0", 6, 62 };

	return output_audio(b, &a);
}

static bool
timings(struct buf *b)
{
	const struct output_timings t = { 1070000, 1100000, 1160000, 1160000, 2500000 };

	return output_timings(b, ID, &t);
}

static bool
buffer_stats(struct buf *b)
{
	const struct output_queue q = { "es", 1400, 20000 };

	return output_buffer_stats(b, EPOCH + 2500000, &q, 1);
}

static bool
warning(struct buf *b)
{
	return output_warning(b, "VOICE_NOT_FOUND",
	    "Voice ID 'anna' is not available, using default voice");
}

static bool
error(struct buf *b)
{
	struct validation_errors f = { .mem = b->mem };
	const struct json_path whole = json_path_whole(NULL),
			       at = json_path_member(&whole, "eos_timeout");

	validation_error_add(&f, &at, VALIDATION_RANGE, "must be between 1 and 30");
	return output_validation_errors(b, &f);
}

static bool
knows(void *arg, const char *source)
{
	(void)arg, (void)source;
	return true;
}

static bool
current_task(struct buf *b)
{
	static const struct task_engines engines = { .knows = knows };
	static const char sent[] =
	    "{\"input_stream\":{\"source\":{\"sample_rate\":24000}},\"pipeline\":{"
	    "\"transcription\":{\"source_language\":\"en\"},\"translations\":[]}}";
	struct validation_errors errors;
	const char *why;
	struct task t;

	return task_read(b->mem, json_read(b->mem, sent, strlen(sent), &why), &engines,
		   &t, &errors) &&
	       output_current_task(b, &t, "running", true, NULL);
}

static bool
channel_state(struct buf *b)
{
	return output_channel_state(b, false);
}

static const struct output_stt heard = { "77aa01c2d3e4f506", "en", "good morning",
	320000, 960000 };

static bool
stt_transcription(struct buf *b)
{
	const struct output_stt before = { heard.id, "en", "good", 320000, 640000 };

	return output_stt_partial(b, &heard, &before);
}

static bool
stt_translated(struct buf *b)
{
	const struct output_stt t = { heard.id, "es", "Buenos días.", 320000, 1020000 };

	return output_stt_translated(b, &t);
}

static bool
audio_chunk(struct buf *b)
{
	const struct output_chunk c = { "\0\0\1\0\2\0", 6, "5f1d0c3a", 42, 200000 };

	return output_chunk(b, &c);
}

/* ---- messages ---- */

static const struct sent {
	bool (*sample)(struct buf *);
	const char *when;
	const char *members; /* instead of the table of members, or NULL */
} s2s[] = {
	{ partial, "The text so far, at most every 300 ms." },
	{ validated, "The final text of a segment, once." },
	{ partial_translated, "The translation so far, at most every second, to targets "
			      "with `translate_partial_transcriptions`." },
	{ translated, "The final translation. A text of more than 300 characters comes in "
		      "several parts." },
	{ audio, "200 ms of speech. The last chunk of each segment, part and language has "
		 "`last_chunk` true; its `data` may be empty. To listeners with "
		 "`format=opus` it has `\"format\":\"opus\"`, comes with up to 600 ms, and "
		 "takes less than 40 kbit/s: `data` is base64 of Opus packets (RFC 6716) "
		 "of 20 ms, mono, each behind its length in 16 bits, big-endian." },
	{ current_task,
	    "The answer to `get_task`: the task, with the defaults of members that were "
	    "not sent unless `exclude_hidden` was true.",
	    "Members: those of `set_task`; `task_status`: `running` or `paused`; `webrtc`: "
	    "the room, where the server has a Janus. Listeners get `languages`, "
	    "`task_status` and `webrtc` only." },
	{ output_eos, "All output is sent; after an `end_task` with `eos_timeout`, before "
		      "the close with 1000." },
	{ channel_state, "To listeners of a channel: the speaker paused or ended "
			 "(`break`), or goes on (`live`)." },
	{ timings, "With the last chunk of a segment, for each target." },
	{ buffer_stats, "Every second while speech is waiting, for each target." },
	{ tts_text, "A text goes to the synthesizer." },
	{ warning, "Something is not as it was asked for; the task goes on." },
	{ error, "A message was refused, or the task ends." },
	{ NULL },
}, stt[] = {
	{ stt_transcription, "The text so far, then the final one with `is_eos` true and "
			     "without `delta`." },
	{ stt_translated, "The final text in each of `translate_languages`." },
	{ NULL },
}, tts[] = {
	{ audio_chunk, "200 ms of speech, as fast as it is made. The end of a generation "
		       "has no audio and `last_chunk` true." },
	{ NULL },
};

static const struct {
	const char *path, *help;
} members[] = {
	{ "transcription.transcription_id",
	    "of the segment; all its messages have it" },
	{ "transcription.translation_part_id", "0, 1, ...: part of a long text" },
	{ "transcription.language", "the language of the text" },
	{ "transcription.text", "the whole text, no difference to an earlier one" },
	{ "transcription.segments[].text", "one segment or more" },
	{ "transcription.segments[].start", "seconds since the first chunk" },
	{ "transcription.segments[].end", "likewise" },
	{ "transcription.segments[].start_timestamp", "Unix time in seconds" },
	{ "transcription.segments[].end_timestamp", "likewise" },
	{ "transcription.segments[].words[].word", "where the engine tells words" },
	{ "transcription.segments[].words[].start", "seconds since the first chunk" },
	{ "transcription.segments[].words[].end", "likewise" },
	{ "transcription_id", "of the segment" },
	{ "translation_part_id", "as a string" },
	{ "language", "the language of the text or speech" },
	{ "last_chunk", "nothing more of this comes" },
	{ "data", "audio in base64: 24 kHz mono, 16 bit little-endian" },
	{ "chunk_generation_delta", "ms from the text to the first chunk; null later" },
	{ "timings.validated_transcription", "seconds since the end of the segment" },
	{ "timings.translated_transcription", "likewise" },
	{ "timings.tts", "likewise: the first audio was made" },
	{ "timings.sent", "likewise: it was sent" },
	{ "timings.total", "likewise: all of it was sent" },
	{ "stats.timestamp", "Unix time in seconds" },
	{ "stats.es.current_queue_level_ms", "speech of a target that waits" },
	{ "stats.es.max_queue_level_ms", "more is left out" },
	{ "code", "see below" },
	{ "message", "for people" },
	{ "desc", "for people" },
	{ "description", "the same" },
	{ "param", "path of the member that is wrong, or null" },
	{ "errors[].loc[]",
	    "of `VALIDATION_ERROR`: path of each member that is wrong" },
	{ "errors[].msg", "what is wrong with it" },
	{ "errors[].type", "`missing`, `type`, `range`, `enum`, `length`, `duplicate`, "
			   "`unsupported`" },
	{ "state", "`live` or `break`" },
	{ "is_eos", "the text is final" },
	{ "segment.text", "the whole text" },
	{ "segment.start_time", "seconds since the first audio" },
	{ "segment.end_time", "likewise" },
	{ "delta.text", "what follows the part that the text before had, too" },
	{ "delta.start_time", "likewise" },
	{ "delta.end_time", "likewise" },
	{ "audio", "in base64, as `init` asked for it" },
	{ "size", "bytes of the audio when decoded" },
	{ "generation_id", "of the texts that are spoken" },
	{ "audio_len", "length in seconds; null at the end" },
};

static size_t told;   /* bits: members that were explained before */
static bool has_head; /* the message has a table already */

static void
print_member(const char *path, const char *type)
{
	size_t i = 0, n = sizeof(members) / sizeof(members[0]);

	while (i < n && strcmp(members[i].path, path) != 0)
		i++;
	if (i == n)
		print_fail("a member without a meaning", path);
	if ((told & (size_t)1 << i) != 0)
		return;
	told |= (size_t)1 << i;
	if (!has_head)
		printf("\n| member | type | |\n|---|---|---|\n");
	has_head = true;
	printf("| `%s` | %s | %s |\n", path, type, members[i].help);
}

static void
print_value(struct arena *mem, const struct json *v, const char *path)
{
	static const char *const types[] = { [JSON_TEXT] = "string",
		[JSON_INT] = "integer",
		[JSON_NUMBER] = "number",
		[JSON_BOOL] = "boolean",
		[JSON_NONE] = "null" };

	if (v->type == JSON_OBJ)
		for (const struct json *kid = v->kids; kid != NULL; kid = kid->next)
			print_value(mem, kid,
			    path[0] == '\0'
				? kid->key
				: arena_printf(mem, "%s.%s", path, kid->key));
	else if (v->type == JSON_LIST)
		print_value(mem, v->kids, arena_printf(mem, "%s[]", path));
	else if (strcmp(path, "message_type") != 0)
		print_member(path, types[v->type]);
}

static bool
is_starred(const char *type)
{
	for (enum task_output i = 0; i < OUTPUT_STARRED; i++)
		if (strcmp(task_output_name(i), type) == 0)
			return true;
	return false;
}

static void
print_sent(const struct sent *s, bool stars)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	const struct json *v, *data;
	const char *type, *why;

	has_head = false;
	if (!s->sample(&b) || (v = json_read(mem, buf_text(&b), b.len, &why)) == NULL)
		print_fail("no sample", s->when);
	type = json_get_text(v, "message_type");
	printf("\n### `%s`%s\n\n%s\n\n```json\n%s\n```\n", type,
	    stars && is_starred(type) ? " *" : "", s->when, buf_text(&b));
	data = json_get(v, "data");
	if (s->members != NULL)
		printf("\n%s\n", s->members);
	else
		print_value(mem, data != NULL ? data : v, "");
	arena_free(mem);
}

static void
print_all(const struct sent *s, bool stars)
{
	for (; s->sample != NULL; s++)
		print_sent(s, stars);
	printf("\n");
}

static void
print_s2s(void)
{
	print_all(s2s, true);
}

static void
print_stt(void)
{
	print_all(stt, false);
}

static void
print_tts(void)
{
	print_all(tts, false);
}

const struct print_part print_server[] = {
	{ "stream-s2s-sent", print_s2s },
	{ "stream-stt-sent", print_stt },
	{ "stream-tts-sent", print_tts },
	{ NULL },
};
