/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_EGRESS_FIXTURE_H
#define TESTS_UNIT_EGRESS_FIXTURE_H

/* An output of a channel, made by the real child process; FFmpeg checks the result. */
#include "tests/unit/suite.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "audio/opus_encoder.h"
#include "base/be.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/json.h"
#include "egress/egress_wire.h"
#include "tests/unit/stream_servers.h"

#define MEMORY ((size_t)1 << 30)
#define KEY ICECAST_PASSWORD
#define SPANISH 440 /* pitch of the translation, and of the original, Hz */
#define ORIGINAL 1000
#define DAY_US (86400 * S_US)

static struct arena *mem;
static struct child_socket child;
static pid_t server, player;
static int port;
static char folder[64], status[64], error[256];
static int64_t bitrate;
static const char *const *reads = EGRESS_READS;
/* Input, by language index of the order; the original comes last. */
static struct opus_encoder *encoders[3];
static int hz[3]; /* 0: nothing */
static int64_t samples;

/* ---- the child, and its status ---- */

static inline void
take_status(void)
{
	static char bytes[EGRESS_MESSAGE_MOST];
	ssize_t n = recv(child.fd, bytes, sizeof(bytes), 0);
	const char *why, *text;
	const struct json *is;

	if (n <= 0 || bytes[0] != EGRESS_STATUS)
		return;
	is = json_read(mem, bytes + 1, (size_t)n - 1, &why);
	ck_assert_ptr_nonnull(is);
	snprintf(status, sizeof(status), "%s", json_get_text(is, "status"));
	text = json_get_text(is, "error");
	snprintf(error, sizeof(error), "%s", text != NULL ? text : "");
	if (json_get_int(is, "bitrate", 0) > 0)
		bitrate = json_get_int(is, "bitrate", 0);
}

/*
 * The child reads no sound before its first status, so a slow start would lose sound.
 */
static inline void
await_start(void)
{
	struct pollfd p = { .fd = child.fd, .events = POLLIN };

	for (int i = 0; i < 600 && status[0] == '\0'; i++)
		if (poll(&p, 1, 100) > 0)
			take_status();
}

static inline void
begin(const char *order)
{
	static const char *argv[] = { NULL, NULL };
	const char *build = getenv("BUILD") != NULL ? getenv("BUILD") : "build";

	status[0] = error[0] = '\0';
	bitrate = 0;
	argv[0] = arena_printf(
	    mem, "%s/bin/dragoman-egress", realpath(build, arena_alloc(mem, 4096)));
	ck_assert_int_eq(child_socket_start_packets(&(const struct child){ .argv = argv,
							.memory_bytes = MEMORY,
							.out_bytes = 1 << 24,
							.reads = reads,
							.writes = folder,
							.tcp = true },
			     &child),
	    OK);
	ck_assert_int_eq(
	    send(child.fd, order, strlen(order), 0), (ssize_t)strlen(order));
	await_start();
}

/* more: further members of the order. */
static inline void
begin_push(const char *protocol, const char *to, const char *key, const char *more)
{
	begin(arena_printf(mem,
	    "{\"protocol\":\"%s\",\"server\":\"%s\",\"stream_key\":\"%s\","
	    "\"epoch_us\":%lld,\"delay_ms\":0,\"ducked_volume\":0.2%s,"
	    "\"languages\":[\"es\"]}",
	    protocol, to, key, (long long)(now_us() / DAY_US * DAY_US), more));
}

static inline void
setup(void)
{
	mem = arena_new();
	strcpy(folder, "/tmp/dragoman-egress-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	port = unit_port();
	for (int i = 0; i < 3; i++)
		encoders[i] = opus_encoder_new(mem);
	hz[0] = hz[1] = hz[2] = 0;
}

static inline void
teardown(void)
{
	stop(&player);
	stop(&server);
	child_socket_stop(&child, "egress");
	ck_assert_int_eq(system(arena_printf(mem, "rm -r %s", folder)), 0);
	arena_free(mem);
}

/* ---- what it is fed ---- */

static inline void
put_tone(int i)
{
	int16_t s[SPOKEN_HZ / 5];
	struct buf b = { .mem = arena_new() };

	for (int k = 0; k < SPOKEN_HZ / 5; k++)
		s[k] = (int16_t)(8000 * sin(2 * M_PI * hz[i] * (double)(samples + k) /
					    SPOKEN_HZ));
	buf_put(&b, (const char[]){ EGRESS_AUDIO, (char)i, 0 }, 3);
	opus_encoder_put(encoders[i], s, SPOKEN_HZ / 5, false, &b);
	/* It is slow, or has ended since the condition of feed() was looked at. */
	if (send(child.fd, b.p, b.len, MSG_NOSIGNAL) < 0)
		ck_assert(errno == EAGAIN || errno == EPIPE || errno == ECONNRESET);
	arena_free(b.mem);
}

/* Feeds sound in real time, for so many seconds or until the condition holds. */
static inline bool
feed(double s, bool (*until)(void))
{
	int64_t end = monotonic_us() + (int64_t)(s * S_US), next = monotonic_us();

	while (monotonic_us() < end && (until == NULL || !until())) {
		struct pollfd p = { .fd = child.fd, .events = POLLIN };

		for (int i = 0; i < 3 && monotonic_us() >= next; i++)
			if (hz[i] != 0)
				put_tone(i);
		if (monotonic_us() >= next) {
			samples += SPOKEN_HZ / 5;
			next += S_US / 5;
		}
		if (poll(&p, 1, 20) > 0)
			take_status();
	}
	return until == NULL || until();
}

static inline bool
is_active(void)
{
	return strcmp(status, "active") == 0;
}

static inline bool
has_error(void)
{
	return error[0] != '\0';
}

/* Expects that the child ends by itself with status 0. */
static inline bool
has_ended(void)
{
	siginfo_t is = { .si_pid = 0 };

	return waitid(P_PID, (id_t)child.pid, &is, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       is.si_pid == child.pid && is.si_status == 0;
}

static inline bool
has_played(void)
{
	if (waitpid(player, NULL, WNOHANG) == player)
		player = 0;
	return player == 0;
}

/* ---- what comes out ---- */

/* Returns the level of a tone of this pitch, 0 to 1, by Goertzel's algorithm. */
static inline double
loudness_of(const int16_t *s, size_t n, int rate, int pitch)
{
	double k = 2 * cos(2 * M_PI * pitch / rate), a = 0, b = 0, c;

	for (size_t i = 0; i < n; i++, b = a, a = c)
		c = s[i] / 32768.0 + k * a - b;
	return 2 * sqrt(a * a + b * b - k * a * b) / (double)n;
}

struct sound {
	size_t n;
	double spanish, original;
};

#define WINDOW (2 * 8000)

/* Returns the two seconds in which most is heard, of so many seconds after the first.
 */
static inline struct sound
loudest_of(const char *how, const char *input, int seconds)
{
	static int16_t s[60 * 8000];
	FILE *f = popen(
	    arena_printf(mem,
		"ffmpeg -nostdin -loglevel error %s -i %s -ss 1 -t %d -vn -sn -ac 1 "
		"-ar 8000 -f s16le - 2>/dev/null",
		how, input, seconds),
	    "r");
	struct sound to = { .spanish = -1 }, is;
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(s, sizeof(*s), sizeof(s) / sizeof(*s), f);
	pclose(f);
	ck_assert_uint_gt(n, 8000);
	for (size_t at = 0; at == 0 || at + WINDOW <= n; at += WINDOW / 8) {
		is.n = n - at < WINDOW ? n - at : WINDOW;
		is.spanish = loudness_of(s + at, is.n, 8000, SPANISH);
		is.original = loudness_of(s + at, is.n, 8000, ORIGINAL);
		if (is.spanish + is.original > to.spanish + to.original)
			to = is;
	}
	return to;
}

/* Returns two seconds of it after the first. */
static inline struct sound
sound_of(const char *how, const char *input)
{
	return loudest_of(how, input, 2);
}

/* Returns the first line that a command prints. */
static inline const char *
said_by(const char *command)
{
	char *line = arena_alloc(mem, 4096);
	FILE *f = popen(command, "r");

	ck_assert_ptr_nonnull(f);
	if (fgets(line, 4096, f) == NULL)
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	pclose(f);
	return line;
}

static inline const char *
in_folder(const char *name)
{
	return arena_printf(mem, "%s/%s", folder, name);
}

/* Send a caption of the i-th language. */
static inline void
put_caption(int i, int ms, const char *text)
{
	unsigned char head[6] = { EGRESS_CAPTION, (unsigned char)i };
	struct buf b = { .mem = mem };

	put_be32(head + 2, (uint32_t)ms);
	buf_put(&b, head, sizeof(head));
	buf_str(&b, text);
	ck_assert_int_eq(send(child.fd, b.p, b.len, 0), (ssize_t)b.len);
}

#endif
