/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CHANNEL_SESSION_FIXTURE_H
#define TESTS_UNIT_CHANNEL_SESSION_FIXTURE_H

/* Channels of a gateway, with speakers and listeners. */
#include "store/channels.h"
#include "tests/unit/gateway_fixture.h"

#define CHUNK "\"output_audio_data\""
#define EOS "{\"message_type\":\"eos\",\"data\":{}}"
#define BREAK "{\"message_type\":\"channel_state\",\"data\":{\"state\":\"break\"}}"
#define LIVE "{\"message_type\":\"channel_state\",\"data\":{\"state\":\"live\"}}"

/* Adds a ready channel with English as its source; targets: JSON. */
static inline const char *
new_channel(const char *targets)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO channels (id, account, created_us, updated_us, type, "
	    "lifecycle, runtime, attempt, held, broadcast, name, input_type, "
	    "source_language, target_languages, region, ignore_video, "
	    "original_delay_s, original_volume, outputs) VALUES ('%s', '%s', 1, 1, "
	    "'standalone', 'ready', 'pending', 1, 1, '%s-1', 'Hall', 'webrtc_push', "
	    "'en', '%s', 'local', 0, 0, 0, '[]')",
	    id, fixture.account, id, targets));
	return id;
}

static inline const char *
channel_row(const char *id, const char *what)
{
	return sql(arena_printf(
	    fixture.mem, "SELECT %s FROM channels WHERE id = '%s'", what, id));
}

static inline void
await_row(const char *id, const char *what, const char *value)
{
	gateway_await(strcmp(channel_row(id, what), value) == 0);
}

static inline struct connection_request *
request_to(const char *channel, bool writes, const char *language)
{
	struct connection_request *v = THREAD_CALL(struct connection_request);
	struct arena *mem = v->call.message.mem;
	struct channel c;

	ck_assert_int_eq(channel_on_air(gateway.app.db, mem, channel, &c), OK);
	v->kind = SOCKET_S2S;
	v->account = c.account;
	v->stream = v->credential = arena_str(mem, channel);
	v->event = c.event;
	v->pipeline = channel_pipeline(mem, &c);
	v->writes = writes;
	v->listens = v->audio = true;
	v->language = arena_str(mem, language);
	return v;
}

static inline struct websocket *
connect_to(const char *channel, bool writes, const char *language)
{
	return connect_with(request_to(channel, writes, language));
}

/* A phrase of 24 kHz, as data of messages: [0] a tone of 0.6 s, [1] 1 s of silence. */
static inline const char *
phrase_24k(int i)
{
	size_t n = i == 0 ? 14400 : 24000;
	int16_t *pcm = arena_alloc(fixture.mem, n * sizeof(*pcm));

	for (size_t k = 0; i == 0 && k < n; k++)
		pcm[k] = (int16_t)(8000 * sin(2 * M_PI * 300 * (double)k / 24000));
	return arena_printf(fixture.mem, "{\"data\":\"%s\"}",
	    base64(fixture.mem, pcm, n * sizeof(*pcm)));
}

static inline void
send_24k(struct websocket *s)
{
	for (int i = 0; i < 2; i++)
		tell(s, "input_audio_data", phrase_24k(i));
}

/* Advances the clock by four seconds, after which the channel's row is read again. */
static inline void
look_again(const struct websocket *s)
{
	channel_session_tick(s->connection->session, monotonic_us() + 4 * S_US);
	gateway_wait(100);
}

/* Sends a minute of silence at once. */
static inline void
let_it_end(const struct websocket *s)
{
	struct session *session = s->connection->session;

	channel_session_tick(session, monotonic_us() + 61 * S_US);
	gateway_wait(50);
}

#endif
