/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Correct frames with wrong content: changed messages and invalid audio. */
#include <string.h>

#include "attack.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define PICK(d, list) ((list)[dice_roll((d), COUNT(list))])
#define READY_S 20

void
attack_spoilt(struct attempt *b)
{
	if (!bout_enter(b, NULL, 0))
		return;
	for (size_t n = 1 + dice_roll(&b->dice, 25); n > 0; n--) {
		struct buf to = { .mem = b->mem }, m = { .mem = b->mem };

		message_add(&m, &b->dice, b->kind);
		if (dice_roll(&b->dice, 4) != 0)
			message_spoil(&m, &b->dice);
		bout_frame(b, &to, dice_roll(&b->dice, 4) ? TEXT : BINARY, m.p, m.len);
		bout_send(b, &to);
		wire_hear(b->wire, 0.01, 0);
	}
}

static void
say(struct attempt *b, const char *text)
{
	struct buf to = { .mem = b->mem };

	bout_text(b, &to, text, strlen(text));
	wire_send(b->wire, to.p, to.len);
}

/* Waits until the task runs, or was refused. */
static bool
await_task(struct attempt *b)
{
	for (int i = 0; i < READY_S * 10; i++) {
		const struct heard *h;

		say(b, "{\"message_type\":\"get_task\"}");
		h = wire_hear(b->wire, 0.1, HEAR_TEXT);
		if (h->ended || h->code != 0)
			return false;
		if (h->text != NULL && strstr(h->text, "\"current_task\"") != NULL)
			return true;
		if (h->text != NULL && strstr(h->text, "VALIDATION_ERROR") != NULL)
			return false;
		wire_hear(b->wire, 0.05, 0);
	}
	return false;
}

static void
send_audio(struct attempt *b, const char *format)
{
	struct buf to = { .mem = b->mem }, m = { .mem = b->mem },
		   sound = { .mem = b->mem };

	sound_add(&sound, &b->dice, format);
	message_add_audio(&m, sound.p != NULL ? sound.p : "", sound.len);
	if (dice_roll(&b->dice, 10) == 0)
		message_spoil(&m, &b->dice);
	bout_frame(b, &to, TEXT, m.p, m.len);
	bout_send(b, &to);
}

/* Sends messages to a running or missing task. */
void
attack_task(struct attempt *b)
{
	const char *format = PICK(&b->dice, message_formats);
	struct buf task = { .mem = b->mem };

	b->kind = KIND_S2S;
	if (!bout_enter(b, NULL, 0))
		return;
	message_add_task(&task, &b->dice, format);
	say(b, buf_text(&task));
	if (dice_roll(&b->dice, 3) != 0)
		await_task(b);
	for (size_t n = dice_roll(&b->dice, 20); n > 0; n--) {
		struct buf to = { .mem = b->mem }, m = { .mem = b->mem };

		if (dice_roll(&b->dice, 3) != 0) {
			send_audio(b, format);
			continue;
		}
		message_add(&m, &b->dice, KIND_S2S);
		if (dice_roll(&b->dice, 3) == 0)
			message_spoil(&m, &b->dice);
		bout_text(b, &to, m.p, m.len);
		bout_send(b, &to);
		wire_hear(b->wire, 0.02, 0);
	}
}

/* Sends any bytes in each format, finalize, and any text. */
void
attack_stt(struct attempt *b)
{
	static const char *const formats[] = { "pcm_s16le", "pcm_s32le", "pcm_s32be",
		"pcm_f32le", "pcm_f32be", "mulaw", "alaw", "aac", "flac", "mp3", "ogg",
		"wav", "webm" };
	static const char *const rest[] = { "", "&language=auto",
		"&language=en&translate_languages=es,de",
		"&enable_filler_filter=false" };
	const char *format = PICK(&b->dice, formats);

	b->kind = KIND_STT;
	b->query = arena_printf(b->mem, "&format=%s&sample_rate=%d%s", format,
	    dice_roll(&b->dice, 2) ? 16000 : 48000, PICK(&b->dice, rest));
	if (!bout_enter(b, NULL, 0))
		return;
	for (size_t n = 1 + dice_roll(&b->dice, 16); n > 0; n--) {
		struct buf to = { .mem = b->mem }, m = { .mem = b->mem };
		bool text = dice_roll(&b->dice, 6) == 0;

		if (text)
			message_add(&m, &b->dice, KIND_STT);
		else
			sound_add(&m, &b->dice, format);
		bout_frame(b, &to, text ? TEXT : BINARY, m.p, m.len);
		bout_send(b, &to);
		wire_hear(b->wire, 0.01, 0);
	}
}

void
attack_tts(struct attempt *b)
{
	b->kind = KIND_TTS;
	if (!bout_enter(b, NULL, 0))
		return;
	if (dice_roll(&b->dice, 4) != 0)
		say(b, "{\"type\":\"init\",\"language\":\"en\",\"output\":"
		       "{\"format\":\"pcm\"}}");
	for (size_t n = 1 + dice_roll(&b->dice, 12); n > 0; n--) {
		struct buf to = { .mem = b->mem }, m = { .mem = b->mem };

		message_add(&m, &b->dice, KIND_TTS);
		if (dice_roll(&b->dice, 3) == 0)
			message_spoil(&m, &b->dice);
		bout_text(b, &to, m.p, m.len);
		bout_send(b, &to);
		wire_hear(b->wire, 0.03, 0);
	}
}

/*
 * Connects again with the same token, while half a message of the first connection is
 * sent.
 */
void
attack_replaced(struct attempt *b)
{
	struct buf half = { .mem = b->mem };
	struct wire *first;

	b->kind = KIND_S2S;
	if (!bout_enter(b, NULL, 0))
		return;
	bout_frame(b, &half, 1, "{\"message", 9);
	bout_send(b, &half);
	first = b->wire;
	if (bout_enter(b, NULL, 0))
		bout_must_live(b);
	wire_break(first);
}

/* Deletes the session while its task is busy. */
void
attack_deleted(struct attempt *b)
{
	attack_task(b);
	if (b->status == 101 && b->wrong == NULL && endpoint_delete(b->endpoint))
		bout_must_end(b);
}
