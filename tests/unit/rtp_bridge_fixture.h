/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_RTP_BRIDGE_FIXTURE_H
#define TESTS_UNIT_RTP_BRIDGE_FIXTURE_H

/*
 * A gateway of gateway_fixture.h with an RTP bridge to a real Janus: audio is played
 * into its rooms, and the output of mountpoints is recorded.
 */
#include <sys/wait.h>

#include "audio/opus_decoder.h"
#include "bridge/bridge_internal.h"
#include "broadcast/janus.h"
#include "tests/mjr.h"
#include "tests/unit/gateway_fixture.h"
#include "tests/unit/janus_fixture.h"

static struct conf janus_conf; /* settings of the Janus that the tests share */

#define WEBRTC_TASK(targets, more)                                                     \
	"{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}},\"pipeline\":{"          \
	"\"transcription\":{\"source_language\":\"en\"},\"translations\":[" targets    \
	"]" more "}}"

/* 1.5 s of a 300 Hz tone and as much silence, as Ogg Opus, made once for all tests. */
static inline void
rtp_bridge_make_tone(void)
{
	const char *to = arena_printf(janus.mem, "%s/tone.opus", janus.dir);
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execlp("ffmpeg", "ffmpeg", "-nostdin", "-v", "error", "-y", "-f",
		    "lavfi", "-i", "sine=frequency=300:duration=1.5", "-af",
		    "volume=4,apad=pad_dur=1.5", "-ar", "48000", "-ac", "1", "-c:a",
		    "libopus", to, (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static inline void
rtp_bridge_fixture_begin(void)
{
	janus_conf = (struct conf){ .backend_timeout_ms = 5000 };
	janus_fixture.start(&janus_conf);
	rtp_bridge_make_tone();
}

static inline void
rtp_bridge_settings(struct conf *c)
{
	c->broadcast_driver = "janus";
	c->janus_admin_url = janus_conf.janus_admin_url;
	c->janus_admin_secret = janus_conf.janus_admin_secret;
	c->janus_admin_key = janus_conf.janus_admin_key;
	c->janus_public_url = janus_conf.janus_public_url;
}

/* Removes all rooms from Janus, also after a failed test. */
static inline void
rtp_bridge_open_gateway(void)
{
	if (janus_all("audiobridge")->n + janus_all("streaming")->n > 0)
		janus_fixture.start(&janus_conf);
	gateway_open();
	rtp_bridge_settings(&fixture.app.conf);
	ck_assert(bridge_sink.start(&gateway));
	ck_assert_ptr_nonnull(bridge_api_of(&gateway));
}

/* Closes all clients; afterwards Janus must have no objects of ours. */
static inline void
rtp_bridge_close_gateway(void)
{
	gateway_empty();
	await(bridge_api_of(&gateway)->rooms == NULL);
	ck_assert(bridge_sink.stop(&gateway));
	gateway_close();
	ck_assert_str_eq(janus_names(), "");
	ck_assert_int_eq(janus_all("streaming")->n, 0);
}

/* ---- at Janus ---- */

static inline const char *
room_of(const struct websocket *s)
{
	const struct bridge_room *b = bridge_api_of(&gateway)->rooms;

	while (b != NULL && b->session != s->connection->session)
		b = b->next;
	ck_assert_ptr_nonnull(b);
	return arena_str(fixture.mem, b->name);
}

static inline const char *
secret_of(const char *id)
{
	return janus_secret(&bridge_api_of(&gateway)->conf, fixture.mem, id);
}

/* Plays the tone into a room, as a participant would speak. */
static inline void
play_tone(const char *room)
{
	const struct json *a = janus_told("audiobridge",
	    arena_printf(fixture.mem,
		"\"request\":\"play_file\",\"room\":\"%s\",\"secret\":\"%s\","
		"\"filename\":\"%s/tone.opus\"",
		room, secret_of(room), janus.dir));

	ck_assert_str_eq(json_get_text(a, "audiobridge"), "success");
}

/* Returns the track that is sent to the mountpoint of that id. */
static inline const struct output_track *
track_to(const char *id)
{
	for (const struct bridge_room *b = bridge_api_of(&gateway)->rooms; b != NULL;
	     b = b->next)
		for (const struct output_track *t = b->tracks; t != NULL; t = t->next)
			if (strcmp(id, arena_printf(fixture.mem, "%s-%s", b->name,
					   t->language)) == 0)
				return t;
	ck_abort_msg("no track %s", id);
}

/*
 * Starts or stops a recording; the file is DIR/ID.mjr. Returns the number of the next
 * packet.
 */
static inline uint16_t
record(const char *action, const char *id)
{
	const struct json *a = janus_told("streaming",
	    arena_printf(fixture.mem,
		"\"request\":\"recording\",\"action\":\"%s\",\"id\":\"%s\","
		"\"secret\":\"%s\",\"media\":[{\"mid\":\"audio\",\"filename\":\"%s/"
		"%s\"}]",
		action, id, secret_of(id), janus.dir, id));

	ck_assert_str_eq(json_get_text(a, "streaming"), "ok");
	return track_to(id)->source.seq;
}

/* Milliseconds recorded so far. */
static inline int
recorded_ms(const char *id)
{
	struct mjr_packet *p;
	struct arena *its = arena_new();
	size_t n = mjr_read(its, arena_printf(its, "%s/%s.mjr", janus.dir, id), &p);

	arena_free(its);
	return (int)n * RTP_FRAME_MS;
}

#define QUIET_MS 60 /* silence after each phrase */

/*
 * Sends the packets of this many milliseconds and no others; then the recording ends.
 */
static inline void
await_recorded(const char *id, uint16_t first, int ms)
{
	const struct output_track *t = track_to(id);
	int packets = (ms + QUIET_MS) / RTP_FRAME_MS;

	gateway_await((uint16_t)(t->source.seq - first) >= packets);
	gateway_wait(200);
	record("stop", id);
}

/*
 * Checks the received sound from packet first on: this many milliseconds of a tone in
 * real time, without a gap.
 */
static inline void
check_recorded(const char *id, uint16_t first, int ms)
{
	const char *path = arena_printf(fixture.mem, "%s/%s.mjr", janus.dir, id);
	struct mjr_packet *p;
	size_t n = (await_recorded(id, first, ms), mjr_read(fixture.mem, path, &p));
	struct opus_decoder *in = opus_decoder_new(fixture.mem);
	struct buf heard = { .mem = fixture.mem };
	double sum = 0;

	ck_assert_msg((int)n * RTP_FRAME_MS == ms + QUIET_MS, "%d ms of %d",
	    (int)n * RTP_FRAME_MS, ms + QUIET_MS);
	for (size_t i = 0; i < n; i++) {
		int late_ms = (int)(p[i].at_ms - p[0].at_ms) - (int)i * RTP_FRAME_MS;

		ck_assert_int_eq(p[i].rtp.type, RTP_OPUS);
		ck_assert(p[i].rtp.marker == (i == 0));
		ck_assert_int_eq(p[i].rtp.seq, (uint16_t)(p[0].rtp.seq + i));
		ck_assert_uint_eq(p[i].rtp.ts, p[0].rtp.ts + 960 * (uint32_t)i);
		ck_assert_msg(abs(late_ms) < 900, "packet %zu: %d ms", i, late_ms);
		ck_assert_int_eq(
		    opus_decoder_packet(in, p[i].rtp.p, p[i].rtp.n, &heard), OK);
	}
	for (size_t i = 0; i < heard.len / sizeof(int16_t); i++)
		sum += pow(((int16_t *)(void *)heard.p)[i], 2);
	sum /= (double)(heard.len / sizeof(int16_t));
	ck_assert_double_gt(10 * log10(sum / 32768 / 32768), -30);
	unlink(path);
}

#endif
