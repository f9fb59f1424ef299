/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/text.h"

struct saying {
	struct json_writer j;
	size_t from; /* offset of the message in the buffer */
};

static struct saying
begin_flat(struct buf *b, const char *type)
{
	struct saying s = { .j.out = b, .from = b->len };

	jw_open(&s.j, NULL);
	jw_text(&s.j, "message_type", type);
	return s;
}

static struct saying
begin(struct buf *b, const char *type)
{
	struct saying s = begin_flat(b, type);

	jw_open(&s.j, "data");
	return s;
}

/* Close the open objects. A message that is too long is removed from the buffer. */
static bool
end(struct saying *s)
{
	struct buf *b = s->j.out;

	while (s->j.depth > 0)
		jw_close(&s->j);
	if (b->len - s->from <= OUTPUT_BYTES)
		return true;
	b->len = s->from;
	return false;
}

/* Seconds, always with a decimal point, so that no client parses an integer. */
static void
put_seconds(struct json_writer *j, const char *key, int64_t us)
{
	uint64_t all = us < 0 ? -(uint64_t)us : (uint64_t)us;
	char num[40];
	int n = snprintf(num, sizeof(num), "%s%" PRIu64 ".%06" PRIu64,
	    us < 0 ? "-" : "", all / 1000000, all % 1000000);

	while (num[n - 1] == '0' && num[n - 2] != '.')
		num[--n] = '\0';
	jw_raw(j, key, num);
}

/* ---- transcripts ---- */

static void
put_words(struct json_writer *j, const struct output_segment *seg)
{
	if (seg->n_words == 0)
		return;
	jw_list(j, "words");
	for (size_t i = 0; i < seg->n_words; i++) {
		jw_open(j, NULL);
		jw_text(j, "word", seg->words[i].word);
		put_seconds(j, "start", seg->words[i].start_us);
		put_seconds(j, "end", seg->words[i].end_us);
		jw_close(j);
	}
	jw_close(j);
}

static void
put_segments(struct json_writer *j, const struct output_transcript *t)
{
	jw_list(j, "segments");
	for (size_t i = 0; i < t->n_segments; i++) {
		const struct output_segment *seg = &t->segments[i];

		jw_open(j, NULL);
		jw_text(j, "text", seg->text);
		put_seconds(j, "start", seg->start_us);
		put_seconds(j, "end", seg->end_us);
		put_seconds(j, "start_timestamp", t->epoch_us + seg->start_us);
		put_seconds(j, "end_timestamp", t->epoch_us + seg->end_us);
		put_words(j, seg);
		jw_close(j);
	}
	jw_close(j);
}

bool
output_text(struct buf *b, enum task_output kind, const struct output_transcript *t)
{
	struct saying s = begin(b, task_output_name(kind));

	jw_open(&s.j, "transcription");
	jw_text(&s.j, "transcription_id", t->id);
	if (t->part >= 0)
		jw_int(&s.j, "translation_part_id", t->part);
	jw_text(&s.j, "language", t->language);
	jw_text(&s.j, "text", t->text);
	if (kind != OUTPUT_TTS_TEXT)
		put_segments(&s.j, t);
	if (t->corrected)
		jw_bool(&s.j, "corrected", true);
	return end(&s);
}

/* ---- audio ---- */

bool
output_audio(struct buf *b, const struct output_audio *a)
{
	struct saying s = begin(b, "output_audio_data");

	jw_text(&s.j, "transcription_id", a->id);
	jw_text(&s.j, "translation_part_id", arena_printf(b->mem, "%d", a->part));
	jw_text(&s.j, "language", a->language);
	jw_bool(&s.j, "last_chunk", a->last);
	if (a->opus)
		jw_text(&s.j, "format", "opus");
	jw_text(&s.j, "data", base64(b->mem, a->bytes, a->n));
	jw_int(&s.j, "chunk_generation_delta", a->delta_ms);
	return end(&s);
}

/* ---- task ---- */

bool
output_current_task(struct buf *b, const struct task *t, const char *status,
    bool exclude_hidden, const char *webrtc, const char *listeners)
{
	struct saying s = begin(b, "current_task");

	task_write(&s.j, t, !exclude_hidden);
	if (listeners != NULL)
		jw_raw(&s.j, "listeners", listeners);
	if (webrtc != NULL)
		jw_raw(&s.j, "webrtc", webrtc);
	jw_text(&s.j, "task_status", status);
	return end(&s);
}

bool
output_languages(
    struct buf *b, const struct task *t, const char *status, const char *webrtc)
{
	struct saying s = begin(b, "current_task");

	task_write_languages(&s.j, t);
	if (webrtc != NULL)
		jw_raw(&s.j, "webrtc", webrtc);
	jw_text(&s.j, "task_status", status);
	return end(&s);
}

bool
output_task_status(struct buf *b, const struct output_status *o)
{
	struct saying s = begin(b, "task_status");

	jw_text(&s.j, "command", o->command);
	jw_text(&s.j, "event", o->event);
	jw_text(&s.j, "task_status", o->status);
	if (o->id != NULL)
		jw_text(&s.j, "transcription_id", o->id);
	return end(&s);
}

bool
output_end_of_stream(struct buf *b)
{
	struct saying s = begin(b, "end_of_stream");

	return end(&s);
}

bool
output_eos(struct buf *b)
{
	struct saying s = begin(b, "eos");

	return end(&s);
}

bool
output_channel_state(struct buf *b, enum output_channel state)
{
	static const char *const names[] = { "break", "live", "stopped" };
	struct saying s = begin(b, "channel_state");

	jw_text(&s.j, "state", names[state]);
	return end(&s);
}

bool
output_timings(struct buf *b, const char *id, const struct output_timings *t)
{
	struct saying s = begin(b, task_output_name(OUTPUT_TIMINGS));

	jw_text(&s.j, "transcription_id", id);
	jw_open(&s.j, "timings");
	put_seconds(&s.j, "validated_transcription", t->validated_us);
	put_seconds(&s.j, "translated_transcription", t->translated_us);
	put_seconds(&s.j, "tts", t->tts_us);
	put_seconds(&s.j, "sent", t->sent_us);
	put_seconds(&s.j, "total", t->total_us);
	return end(&s);
}

bool
output_buffer_stats(
    struct buf *b, int64_t unix_us, const struct output_queue *q, size_t n)
{
	struct saying s = begin(b, task_output_name(OUTPUT_BUFFER_STATS));

	jw_open(&s.j, "stats");
	put_seconds(&s.j, "timestamp", unix_us);
	for (size_t i = 0; i < n; i++) {
		jw_open(&s.j, q[i].language);
		jw_int(&s.j, "current_queue_level_ms", q[i].level_ms);
		jw_int(&s.j, "max_queue_level_ms", q[i].max_ms);
		jw_close(&s.j);
	}
	return end(&s);
}

/* ---- errors ---- */

bool
output_warning(struct buf *b, const char *code, const char *message)
{
	struct saying s = begin(b, "warning");

	jw_text(&s.j, "code", code);
	jw_text(&s.j, "message", message);
	return end(&s);
}

static struct saying
begin_error(struct buf *b, const char *code, const char *desc, const char *param)
{
	struct saying s = begin(b, "error");

	jw_text(&s.j, "code", code);
	jw_text(&s.j, "desc", desc);
	jw_text(&s.j, "param", param);
	jw_text(&s.j, "description", desc);
	return s;
}

bool
output_error(struct buf *b, const char *code, const char *desc, const char *param)
{
	struct saying s = begin_error(b, code, desc, param);

	return end(&s);
}

bool
output_validation_errors(struct buf *b, const struct validation_errors *f)
{
	const char *param = f->of[0].path[0] != '\0' ? f->of[0].path : NULL;
	struct saying s = begin_error(
	    b, "VALIDATION_ERROR", validation_errors_text(b->mem, f), param);

	jw_list(&s.j, "errors");
	for (size_t i = 0; i < f->n; i++) {
		jw_open(&s.j, NULL);
		jw_raw(&s.j, "loc", f->of[i].loc);
		jw_text(&s.j, "msg", f->of[i].msg);
		jw_text(&s.j, "type", f->of[i].type);
		jw_close(&s.j);
	}
	return end(&s);
}

/* ---- STT ---- */

static void
put_stretch(
    struct json_writer *j, const char *key, const char *text, int64_t from, int64_t to)
{
	jw_open(j, key);
	jw_text(j, "text", text);
	put_seconds(j, "start_time", from);
	put_seconds(j, "end_time", to);
	jw_close(j);
}

/* Length in bytes of the common prefix, in whole characters. */
static size_t
common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] != '\0' && a[n] == b[n])
		n++;
	while (n > 0 && ((unsigned char)a[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static struct saying
begin_stt(struct buf *b, const char *type, const struct output_stt *t, bool is_eos)
{
	struct saying s = begin_flat(b, type);

	jw_text(&s.j, "transcription_id", t->id);
	jw_text(&s.j, "language", t->language);
	jw_bool(&s.j, "is_eos", is_eos);
	put_stretch(&s.j, "segment", t->text, t->start_us, t->end_us);
	return s;
}

bool
output_stt_partial(
    struct buf *b, const struct output_stt *t, const struct output_stt *before)
{
	struct saying s = begin_stt(b, "transcription", t, false);
	size_t n = before != NULL ? common_prefix(t->text, before->text) : 0;
	int64_t from = t->start_us;

	/* the end of the common prefix is known only if it is the whole old text */
	if (n > 0 && before->end_us > from)
		from = before->end_us < t->end_us ? before->end_us : t->end_us;
	put_stretch(&s.j, "delta", t->text + n, from, t->end_us);
	return end(&s);
}

bool
output_stt_final(struct buf *b, const struct output_stt *t)
{
	struct saying s = begin_stt(b, "transcription", t, true);

	return end(&s);
}

bool
output_stt_translated(struct buf *b, const struct output_stt *t)
{
	struct saying s = begin_stt(b, "translated_transcription", t, true);

	return end(&s);
}

/* ---- TTS ---- */

bool
output_chunk(struct buf *b, const struct output_chunk *c)
{
	struct saying s = begin(b, "audio_chunk");

	jw_text(&s.j, "audio", base64(b->mem, c->bytes, c->n));
	jw_int(&s.j, "size", (int64_t)c->n);
	jw_text(&s.j, "generation_id", c->generation);
	jw_bool(&s.j, "last_chunk", c->n == 0);
	jw_int(&s.j, "chunk_generation_delta", c->n == 0 ? NULL_INT : c->delta_ms);
	if (c->n > 0)
		put_seconds(&s.j, "audio_len", c->length_us);
	else
		jw_null(&s.j, "audio_len");
	return end(&s);
}

/* ---- parts: a long text is split at the ends of sentences ---- */

/*
 * True at the end of a sentence. *alone: the mark needs no blank after it; ASCII marks
 * need one ("3.5").
 */
static bool
is_end(uint32_t c, bool *alone)
{
	static const uint32_t ends[] = { '.', '!', '?', 0x2026 /* … */, 0x061f /* ؟ */,
		0x06d4 /* ۔ */, 0x0964 /* । */, 0x0965 /* ॥ */ };

	/* 。 ！ ？ ｡ need no blank after them */
	*alone = c == 0x3002 || c == 0xff01 || c == 0xff1f || c == 0xff61;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (c == ends[i])
			return true;
	return *alone;
}

static bool
is_closing(uint32_t c)
{
	return strchr("\"')]", (int)(c < 0x80 && c > 0 ? c : 'x')) != NULL ||
	       c == 0xbb /* » */ || c == 0x201d /* ” */ || c == 0x2019 /* ’ */ ||
	       c == 0x300d /* 」 */ || c == 0x300f /* 』 */ || c == 0xff09 /* ） */;
}

/* Skip further sentence ends and closing quotes. */
static const char *
skip_closing(const char *s)
{
	uint32_t c;
	bool alone;

	while (*s != '\0') {
		const char *next = text_next(s, &c);

		if (!is_end(c, &alone) && !is_closing(c))
			break;
		s = next;
	}
	return s;
}

const char *
output_sentence(const char *s)
{
	uint32_t c;
	bool alone;

	while (*s != '\0') {
		s = text_next(s, &c);
		if (!is_end(c, &alone))
			continue;
		s = skip_closing(s);
		if (alone || *s == ' ' || *s == '\n' || *s == '\t')
			return s + strspn(s, " \n\t");
	}
	return s;
}

static const char *
trim(struct arena *mem, const char *s, const char *end)
{
	s += strspn(s, " \n\t");
	while (end > s && strchr(" \n\t", end[-1]) != NULL)
		end--;
	return arena_dup(mem, s, end > s ? (size_t)(end - s) : 0);
}

/* Returns the end of as many sentences as fit, at least one. */
static const char *
find_part(struct arena *mem, const char *s)
{
	const char *end = output_sentence(s);

	while (*end != '\0') {
		const char *next = output_sentence(end);

		if (text_length(trim(mem, s, next)) > OUTPUT_PART)
			break;
		end = next;
	}
	return end;
}

struct list
output_parts(struct arena *mem, const char *text)
{
	/* two adjacent parts have more than OUTPUT_PART code points */
	const char **parts =
	    arena_alloc(mem, (strlen(text) / OUTPUT_PART * 2 + 2) * sizeof(*parts));
	struct list to = { .items = parts };
	const char *end;

	if (text_length(text) <= OUTPUT_PART) {
		parts[to.n++] = text;
		return to;
	}
	for (; *text != '\0'; text = end) {
		end = find_part(mem, text);
		parts[to.n++] = trim(mem, text, end);
	}
	return to;
}

/* ---- the end of a connection ---- */

#define CLOSE_ROW(name, code, reason) [name] = { code, reason },
const struct close_kind close_kinds[CLOSE_KINDS] = { CLOSES(CLOSE_ROW) };
