/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_PIPELINE_ENGINES_FIXTURE_H
#define TESTS_UNIT_PIPELINE_ENGINES_FIXTURE_H

/* Tasks of a gateway whose engines are served by engine-server. */
#include "speech/engine.h"
#include "store/glossaries.h"
#include "tests/engine-server.h"
#include "tests/unit/gateway_fixture.h"
#include "tests/unit/voice_rows.h"

#define WHISPER                                                                        \
	"[speech]\nasr = whisper\nmt = script\ntts = script\n"                         \
	"[engine.whisper]\nkind = openai\nurl = http://127.0.0.1:%d\nkey = test-key\n"

static struct engine_server server;

static inline void
open_fixture(void)
{
	gateway_open();
	server = engine_server_start();
}

static inline void
close_fixture(void)
{
	gateway_close();
	asr_limit(0);
	http_close();
	engine_server_stop(&server);
}

/* Raises the time limit for starting engines, for a busy machine. */
static inline void
tick_patiently(struct session *session)
{
	if (session->starting_us != 0)
		session->starting_us = monotonic_us();
	gateway_tick();
}

/* Waits until the latest requested task has a recognizer. */
static inline void
await_shift(const struct websocket *s, int number)
{
	struct session *session = s->connection->session;

	await_by(tick_patiently(session),
	    session->now != NULL && session->now->number == number);
}

#define SPOKEN(voice) "{\"target_language\":\"es\",\"speech_generation\":{" voice "}}"

/* Counts the zero crossings of the first piece of speech: 0.4 s times its pitch. */
static inline int
count_crossings(const struct websocket *s)
{
	int at = 0, n = 0;
	const char *m = seen_from(s, &at, "output_audio_data", "\"last_chunk\":false");
	const char *data = strstr(m, "\"data\":\"") + 8;
	size_t bytes;
	const int16_t *pcm = (const int16_t *)(const void *)base64_read(
	    fixture.mem, data, strcspn(data, "\""), &bytes);

	for (size_t i = 1; i < bytes / sizeof(*pcm); i++)
		n += (pcm[i - 1] < 0) != (pcm[i] < 0);
	return n;
}

#endif
