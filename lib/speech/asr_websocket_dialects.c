/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vosk's server, sherpa-onnx's, Deepgram's listen and OpenAI's realtime transcription.
 */
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/text.h"
#include "speech/asr_websocket.h"

static void
settle(struct asr_socket_text *t, const char *text)
{
	if (text == NULL || *(text += strspn(text, " ")) == '\0')
		return;
	buf_printf(&t->settled, "%s%s", t->settled.len > 0 ? " " : "", text);
}

static void
set_running(struct asr_socket_text *t, const char *text)
{
	t->running = text != NULL ? arena_str(t->mem, text) : "";
}

static const char *
root(struct arena *mem, const struct asr_socket *s)
{
	(void)mem, (void)s;
	return "";
}

static bool
encode_s16(struct buf *b, const int16_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned char le[2] = { (unsigned char)(s[i] & 0xff),
			(unsigned char)((s[i] >> 8) & 0xff) };

		buf_put(b, le, 2);
	}
	return false;
}

/* ---- vosk: {"partial"} as it goes, {"text"} at a pause and at the end ---- */

static const char *
hello_vosk(struct arena *mem, const struct asr_socket *s)
{
	(void)mem, (void)s;
	return "{\"config\":{\"sample_rate\":16000}}";
}

/* The server answers `end` with a text, even an empty one, and then closes. */
static void
read_vosk(struct asr_socket_text *t, const struct json *v, const char *text)
{
	const char *partial = json_get_text(v, "partial");

	(void)text;
	if (partial != NULL)
		set_running(t, partial);
	else if (json_get_text(v, "text") != NULL) {
		settle(t, json_get_text(v, "text"));
		t->running = "";
	}
}

/* ---- sherpa: {"text","segment"} for each piece, floats in, "Done!" at the end ---- */

static bool
encode_float(struct buf *b, const int16_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		float f = (float)s[i] / 32768;

		buf_put(b, &f, sizeof(f));
	}
	return false;
}

static void
read_sherpa(struct asr_socket_text *t, const struct json *v, const char *text)
{
	if (v == NULL) {
		t->done = strncmp(text, "Done", 4) == 0;
		return;
	}
	set_running(t, json_get_text(v, "text"));
	if (json_get_bool(v, "is_final")) {
		settle(t, t->running);
		t->running = "";
	}
}

/* ---- deepgram: Results, final ones once for each piece; Metadata at the end ---- */

static const char *
listen(struct arena *mem, const struct asr_socket *s)
{
	return arena_printf(mem,
	    "/v1/listen?encoding=linear16&sample_rate=16000&channels=1"
	    "&interim_results=true&punctuate=true&model=%s&language=%s",
	    s->at->model != NULL ? s->at->model : "nova-2", s->lang);
}

static const char *
transcript(const struct json *v)
{
	const struct json *list = json_get_list(json_get(v, "channel"), "alternatives");

	return list != NULL && list->n > 0 ? json_get_text(list->kids, "transcript")
					   : NULL;
}

static void
read_deepgram(struct asr_socket_text *t, const struct json *v, const char *text)
{
	const char *type = json_get_text(v, "type");

	(void)text;
	if (type == NULL)
		return;
	t->done |= strcmp(type, "Metadata") == 0;
	t->failed |= strcmp(type, "Error") == 0;
	if (strcmp(type, "Results") != 0)
		return;
	set_running(t, transcript(v));
	if (json_get_bool(v, "is_final")) {
		settle(t, t->running);
		t->running = "";
	}
}

/* ---- openai_realtime: 24 kHz in base64; deltas, and the whole at the end ---- */

static const char *
realtime(struct arena *mem, const struct asr_socket *s)
{
	(void)mem, (void)s;
	return "/v1/realtime?intent=transcription";
}

static const char *
hello_openai(struct arena *mem, const struct asr_socket *s)
{
	const char *model = s->at->model != NULL ? s->at->model : "gpt-live-transcribe";
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_text(&j, "type", "session.update");
	jw_open(&j, "session");
	jw_text(&j, "type", "transcription");
	jw_open(&j, "audio");
	jw_open(&j, "input");
	jw_open(&j, "format");
	jw_text(&j, "type", "audio/pcm");
	jw_int(&j, "rate", 24000);
	jw_close(&j);
	jw_open(&j, "transcription");
	jw_text(&j, "model", model);
	jw_text(&j, "language", s->lang);
	if (*s->prompt != '\0')
		jw_text(&j, "prompt", s->prompt);
	jw_close(&j);
	jw_null(&j, "turn_detection"); /* we separate the phrases */
	for (int i = 0; i < 4; i++)
		jw_close(&j);
	return buf_text(&b);
}

/* Resample from 16 to 24 kHz: make three samples of every two, by linear interpolation.
 */
static bool
encode_24k(struct buf *b, const int16_t *s, size_t n)
{
	struct buf pcm = { .mem = b->mem };
	int16_t three[3];

	for (size_t i = 0; i + 1 < n; i += 2) {
		int next = i + 2 < n ? s[i + 2] : s[i + 1];

		three[0] = s[i];
		three[1] = (int16_t)((s[i] + 2 * s[i + 1]) / 3);
		three[2] = (int16_t)((2 * s[i + 1] + next) / 3);
		encode_s16(&pcm, three, 3);
	}
	buf_printf(b, "{\"type\":\"input_audio_buffer.append\",\"audio\":\"%s\"}",
	    base64(b->mem, pcm.p, pcm.len));
	return true;
}

#define ITEM "conversation.item.input_audio_transcription."

static void
read_openai(struct asr_socket_text *t, const struct json *v, const char *text)
{
	const char *type = json_get_text(v, "type"), *delta;

	(void)text;
	if (type == NULL)
		return;
	t->failed |= strcmp(type, "error") == 0 || strcmp(type, ITEM "failed") == 0;
	if (strcmp(type, ITEM "delta") == 0 &&
	    (delta = json_get_text(v, "delta")) != NULL)
		t->running = arena_printf(t->mem, "%s%s", t->running, delta);
	if (strcmp(type, ITEM "completed") != 0)
		return;
	settle(t, json_get_text(v, "transcript"));
	t->running = "";
	t->done = true;
}

/* ---- all ---- */

static const struct asr_dialect dialects[] = {
	{ "vosk", NULL, NULL, root, hello_vosk, encode_s16, "{\"eof\":1}", read_vosk },
	{ "sherpa", NULL, NULL, root, NULL, encode_float, "Done", read_sherpa },
	{ "deepgram", "authorization:", "Token ", listen, NULL, encode_s16,
	    "{\"type\":\"CloseStream\"}", read_deepgram },
	{ "openai_realtime", "authorization:", "Bearer ", realtime, hello_openai,
	    encode_24k, "{\"type\":\"input_audio_buffer.commit\"}", read_openai },
};

const struct asr_dialect *
asr_dialect_find(const char *name)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
		if (name == NULL || strcmp(dialects[i].name, name) == 0)
			return &dialects[i];
	return NULL;
}
