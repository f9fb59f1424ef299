/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_LISTENER_SOUND_H
#define TESTS_UNIT_LISTENER_SOUND_H

#include "audio/pcm16.h"
#include "tests/unit/gateway_fixture.h"

/* The audio of the messages with a given text, as chunks in playing order. */
static inline struct pcm16
listener_sound(const struct websocket *s, const char *text)
{
	struct buf b = { .mem = fixture.mem };
	const char *m, *why;
	int at = 0;

	while ((m = seen_from(s, &at, "\"output_audio_data\"", text)) != NULL) {
		const struct json *d =
		    json_get(json_read(fixture.mem, m, s->bytes[at - 1], &why), "data");
		const char *data = json_get_text(d, "data");
		size_t n;
		const unsigned char *pcm =
		    base64_read(fixture.mem, data, strlen(data), &n);

		buf_put(&b, pcm, n);
	}
	return (struct pcm16){ (int16_t *)(void *)b.p, b.len / sizeof(int16_t) };
}

#endif
