/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STT_FIXTURE_H
#define TESTS_UNIT_STT_FIXTURE_H

/* STT sockets at a gateway without sockets. */
#include "pipeline/stt_output.h"
#include "session/stt_query.h"
#include "tests/unit/gateway_fixture.h"

static inline struct websocket *
connect_stt(const struct stt_in *in)
{
	struct connection_request *v = THREAD_CALL(struct connection_request);
	struct arena *mem = v->call.message.mem;
	struct stt_params *want = arena_alloc(mem, sizeof(*want));
	struct fault *faults;

	ck_assert(stt_query_read(mem, gateway.engines, in, want, &faults));
	v->kind = SOCKET_STT;
	v->account = arena_str(mem, fixture.account);
	v->stream = v->credential = arena_str(mem, new_session());
	v->writes = v->listens = true;
	v->stt = want;
	return connect_with(v);
}

/* Sends this much of a 300 Hz tone at 16 kHz, or of silence. */
static inline void
send_stt_sound(struct websocket *s, int ms, bool loud)
{
	size_t n = (size_t)ms * 16;
	int16_t *pcm = arena_alloc(fixture.mem, n * sizeof(*pcm));

	for (size_t i = 0; loud && i < n; i++)
		pcm[i] = (int16_t)(8000 * sin(2 * M_PI * 300 * (double)i / 16000));
	session_owner.message(s->connection, (const char *)pcm, n * sizeof(*pcm), true);
}

static inline void
finalize(struct websocket *s)
{
	static const char ask[] = "{\"message_type\":\"finalize\"}";

	session_owner.message(s->connection, ask, sizeof(ask) - 1, false);
}

#endif
