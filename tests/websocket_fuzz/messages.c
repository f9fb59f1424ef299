/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages as clients send them, and random changes of them. */
#include "messages.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define PICK(d, list) ((list)[dice_roll((d), COUNT(list))])

const char *const message_formats[3] = { "pcm_s16le", "opus", "wav" };

/* ---- JSON ---- */

/* clang-format off */
static const char *const values[] = {
	"null", "true", "false", "0", "-1", "1", "16000", "1e308", "-1e-400", "0.5",
	"99999999999999999999", "9223372036854775807", "[]", "{}", "[null]", "\"\"", "\"es\"",
	"\"EN_us\"", "\"auto\"", "\"original\"", "\"all\"", "\"global\"", "[\"es\",\"de\"]",
	"\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"", "\"\xf0\x9f\x98\x80\"", "\"\xc0\x80\"",
	"[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]", "{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}",
	"\"{\\\"data\\\":\\\"{}\\\"}\"", "\"AAAA\"", "\"AAA\"", "\"A\"", "\"====\"",
};
static const char *const said[KINDS][9] = {
	{
		"{\"message_type\":\"get_task\",\"data\":{\"exclude_hidden\":true}}",
		"{\"message_type\":\"pause_task\",\"data\":{}}",
		"{\"message_type\":\"flush_task\",\"data\":{\"languages\":[\"es\"],\"pause_task\":true}}",
		"{\"message_type\":\"flush_task\",\"data\":{\"languages\":[\"global\"]}}",
		"{\"message_type\":\"tts_task\",\"data\":{\"text\":\"Five minutes.\",\"language\":\"en\",\"translate_text\":true}}",
		"{\"message_type\":\"tts_task\",\"data\":{\"text\":\"\xc2\xa1Hola!\",\"language\":\"es\"}}",
		"{\"message_type\":\"end_task\",\"data\":{\"force\":false,\"eos_timeout\":1}}",
		"{\"message_type\":\"input_audio_data\",\"data\":\"{\\\"data\\\":\\\"AAABAAIAAwA=\\\"}\"}",
		"{\"message_type\":\"set_language\",\"data\":{\"language\":\"es\"}}",
	},
	{
		"{\"message_type\":\"finalize\"}", "{\"message_type\":\"finalize\",\"data\":{}}",
		"{\"message_type\":\"get_task\",\"data\":{}}", "{}", "[]", "", "finalize", "0", "\"\"",
	},
	{
		"{\"type\":\"init\",\"language\":\"en\",\"output\":{\"format\":\"pcm\",\"sample_rate\":24000}}",
		"{\"type\":\"init\",\"language\":\"es\",\"voice_options\":{\"speed\":2,\"voice_id\":\"x\"}}",
		"{\"type\":\"init\",\"language\":\"de\",\"model\":\"none\",\"output\":{\"format\":\"wav\",\"sample_rate\":8000}}",
		"{\"type\":\"text\",\"text\":\"Curious minds think alike.\",\"is_eos\":true,\"generation_id\":\"5f1d\"}",
		"{\"type\":\"text\",\"text\":\"One. Two. Three. \",\"generation_id\":\"5f1d\"}",
		"{\"type\":\"text\",\"text\":\"\",\"is_eos\":true}",
		"{\"type\":\"text\",\"text\":\"\",\"is_eos\":false}",
		"{\"type\":\"cancel\"}",
		"{\"message_type\":\"cancel\",\"data\":{}}",
	},
};
/* clang-format on */

void
message_add(struct buf *to, struct dice *d, enum kind kind)
{
	static const size_t bytes[] = { 0, 1, 2, 3, 640, 10240, 15360 };
	unsigned char sound[15360];
	size_t n = PICK(d, bytes);

	if (kind == KIND_S2S && dice_roll(d, 4) == 0) {
		dice_fill(d, sound, n);
		message_add_audio(to, sound, n);
	} else if (kind == KIND_S2S && dice_roll(d, 6) == 0)
		message_add_task(to, d, message_formats[dice_roll(d, 3)]);
	else
		buf_str(to, PICK(d, said[kind]));
}

/* Replaces the value after a colon, up to the comma or brace that ends it. */
static void
replace_value(struct buf *b, struct dice *d)
{
	const char *all = buf_text(b), *value = PICK(d, values);
	const char *colon = strchr(all + dice_roll(d, b->len + 1), ':');
	struct buf made = { .mem = b->mem };
	size_t at, old;

	if (colon == NULL)
		return;
	at = (size_t)(colon - all) + 1;
	old = strcspn(all + at, ",}]");
	buf_put(&made, all, at);
	buf_str(&made, value);
	buf_put(&made, all + at + old, b->len - at - old);
	*b = made;
}

/* Removes or repeats a part of the message. */
static void
cut_or_repeat(struct buf *b, struct dice *d)
{
	size_t at = dice_roll(d, b->len + 1), n = dice_roll(d, b->len - at + 1);
	struct buf made = { .mem = b->mem };
	size_t from = dice_roll(d, 2) ? at + n : at;

	buf_put(&made, b->p, at + (from == at ? n : 0));
	buf_put(&made, b->p + from, b->len - from);
	*b = made;
}

void
message_spoil(struct buf *b, struct dice *d)
{
	for (size_t times = 1 + dice_roll(d, 4); times > 0 && b->len > 0; times--)
		switch (dice_roll(d, 6)) {
		case 0:
			b->p[dice_roll(d, b->len)] = (char)dice_bits(d);
			break;
		case 1:
			b->p[dice_roll(d, b->len)] ^= (char)(1 << dice_roll(d, 8));
			break;
		case 2:
			cut_or_repeat(b, d);
			break;
		case 3:
			b->len = dice_roll(d, b->len + 1);
			break;
		default:
			replace_value(b, d);
		}
}

void
message_add_audio(struct buf *to, const void *p, size_t n)
{
	buf_printf(to,
	    "{\"message_type\":\"input_audio_data\",\"data\":{\"data\":\"%s\"}}",
	    base64(to->mem, p, n));
}

static void
add_translations(struct buf *to, struct dice *d)
{
	static const char *const targets[] = { "es", "de", "fr", "pt_BR", "zh" };
	static const char *const more[] = { "", ",\"speech_generation\":null",
		",\"translate_partial_transcriptions\":true",
		",\"speech_generation\":{\"voice_id\":\"nobody\",\"voice_cloning\":"
		"true}",
		",\"speech_generation\":{\"voice_timbre_detection\":{\"enabled\":true}"
		"}",
		",\"allowed_source_languages\":[\"en\"]" };
	size_t n = dice_roll(d, COUNT(targets) + 1);

	for (size_t i = 0; i < n; i++)
		buf_printf(to, "%s{\"target_language\":\"%s\"%s}", i > 0 ? "," : "",
		    targets[i], PICK(d, more));
}

void
message_add_task(struct buf *to, struct dice *d, const char *format)
{
	static const int rates[] = { 16000, 24000, 44100, 48000, 48000, 15999 };
	static const char *const outs[] = { "pcm_s16le", "zlib_pcm_s16le" };
	static const char *const froms[] = { "en", "auto", "es", "EN_gb", "xx" };
	/* clang-format off */
	static const char *const queues[] = {
		"",
		",\"translation_queue_configs\":{\"global\":{\"desired_queue_level_ms\":500,\"max_queue_level_ms\":1000}}",
		",\"translation_queue_configs\":{\"es\":{\"auto_tempo\":false}}",
		",\"allowed_message_types\":[]",
		",\"allowed_message_types\":[\"tts_text\",\"pipeline_timings\",\"tts_buffer_stats\"]",
	};
	/* clang-format on */

	buf_printf(to,
	    "{\"message_type\":\"set_task\",\"data\":{\"input_stream\":"
	    "{\"content_type\":\"audio\",\"source\":{\"type\":\"ws\",\"format\":\"%s\","
	    "\"sample_rate\":%d,\"channels\":%zu}},\"output_stream\":{\"content_type\":"
	    "\"audio\",\"target\":{\"type\":\"ws\",\"format\":\"%s\"}},\"pipeline\":{"
	    "\"transcription\":{\"source_language\":\"%s\","
	    "\"segment_confirmation_silence_threshold\":0.%zu},\"translations\":[",
	    format, PICK(d, rates), 1 + dice_roll(d, 2), PICK(d, outs), PICK(d, froms),
	    3 + dice_roll(d, 6));
	add_translations(to, d);
	buf_printf(to, "]%s}}}", PICK(d, queues));
}

/* ---- sound ---- */

#define SOUNDS 64

static struct sound {
	char corpus[8];
	const char *p;
	size_t n;
} sounds[SOUNDS];
static size_t nsounds;

/* The first two bytes belong to the fuzzer's own format. */
static void
read_one(struct arena *mem, const char *corpus, const char *path)
{
	char *p = arena_alloc(mem, 8192);
	FILE *f = fopen(path, "rb");
	size_t n = f != NULL ? fread(p, 1, 8192, f) : 0;

	if (f != NULL)
		fclose(f);
	if (n <= 2 || nsounds == SOUNDS)
		return;
	sounds[nsounds] = (struct sound){ .p = p + 2, .n = n - 2 };
	snprintf(sounds[nsounds++].corpus, 8, "%s", corpus);
}

void
sounds_read(struct arena *mem)
{
	static const char *const corpora[] = { "ogg", "wav" };

	for (size_t i = 0; i < COUNT(corpora); i++) {
		const char *dir = arena_printf(mem, "tests/fuzz/corpus/%s", corpora[i]);
		DIR *open = opendir(dir);
		struct dirent *e;

		while (open != NULL && (e = readdir(open)) != NULL)
			if (e->d_name[0] != '.')
				read_one(mem, corpora[i],
				    arena_printf(mem, "%s/%s", dir, e->d_name));
		if (open != NULL)
			closedir(open);
	}
}

static void
add_tone(struct buf *to, struct dice *d)
{
	size_t n = dice_roll(d, 16000), loud = dice_roll(d, 12000);

	for (size_t i = 0; i < n; i++) {
		int16_t v = (int16_t)((double)loud * sin(0.12 * (double)i));

		buf_put(to, &v, sizeof(v));
	}
}

void
sound_add(struct buf *to, struct dice *d, const char *format)
{
	unsigned char noise[4096];
	const char *corpus = strcmp(format, "wav") == 0 ? "wav" : "ogg";
	const struct sound *s = &sounds[nsounds > 0 ? dice_roll(d, nsounds) : 0];

	dice_fill(d, noise, sizeof(noise));
	if (dice_roll(d, 3) == 0)
		add_tone(to, d);
	else if (nsounds > 0 && strcmp(s->corpus, corpus) == 0)
		buf_put(to, s->p, s->n);
	else
		buf_put(to, noise, dice_roll(d, sizeof(noise)));
	if (dice_roll(d, 3) == 0)
		message_spoil(to, d);
}
