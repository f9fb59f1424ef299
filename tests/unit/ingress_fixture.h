/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_INGRESS_FIXTURE_H
#define TESTS_UNIT_INGRESS_FIXTURE_H

/* The real child process dragoman-ingress, and its output for a stream. */
#include "tests/unit/suite.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "audio/opus_decoder.h"
#include "audio/opus_packets.h"
#include "audio/pcm16.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/json.h"
#include "ingress/ingress_wire.h"
#include "media/picture_wire.h"
#include "tests/unit/stream_servers.h"

#define MEMORY ((size_t)1 << 30)
#define TONE(hz, s) "-re -f lavfi -i sine=frequency=" #hz ":duration=" #s
#define AAC "-c:a aac -b:a 128k"

static struct arena *mem;
static struct child_socket child;
static pid_t sender;
static int port;
static struct buf heard; /* PCM of SPOKEN_HZ */
static struct opus_decoder *decoder;
static char error[256];
static bool receives;   /* the last status had a bit rate */
static int64_t bitrate; /* highest reported bit rate */
static struct picture_reader pictures;
/* time of the last status; its largest distance from the sound's time */
static double shown_s, astray_s;

/* Starts the child with this order; the fixture has made mem. */
static inline void
begin(const char *order)
{
	static const char *argv[] = { NULL, NULL };
	const char *build = getenv("BUILD") != NULL ? getenv("BUILD") : "build";

	heard = (struct buf){ .mem = mem };
	decoder = opus_decoder_new(mem);
	error[0] = '\0';
	receives = false;
	bitrate = 0;
	argv[0] = arena_printf(
	    mem, "%s/bin/dragoman-ingress", realpath(build, arena_alloc(mem, 4096)));
	ck_assert_int_eq(child_socket_start_packets(&(const struct child){ .argv = argv,
							.memory_bytes = MEMORY,
							.reads = INGRESS_READS,
							.tcp = true },
			     &child),
	    OK);
	ck_assert_int_eq(
	    send(child.fd, order, strlen(order), 0), (ssize_t)strlen(order));
}

/* Starts the child to pull a stream from a server at the port. */
static inline void
pull(const char *path, bool allow_private)
{
	begin(arena_printf(mem,
	    "{\"protocol\":\"hls_pull\",\"language\":\"es\",\"url\":"
	    "\"http://127.0.0.1:%d/%s\",\"picture\":true,\"allow_private\":%s}",
	    port, path, allow_private ? "true" : "false"));
}

static inline void
teardown(void)
{
	stop(&sender);
	child_socket_stop(&child, "ingress");
	arena_free(mem);
}

/* ---- what it tells ---- */

static inline void
take_status(const char *p, size_t n)
{
	const char *why, *text;
	const struct json *is = json_read(mem, p, n, &why);

	ck_assert_ptr_nonnull(is);
	receives = json_get_int(is, "bitrate", -1) >= 0;
	if ((text = json_get_text(is, "error")) != NULL)
		snprintf(error, sizeof(error), "%s", text);
	if (json_get_int(is, "bitrate", 0) > bitrate)
		bitrate = json_get_int(is, "bitrate", 0);
}

static inline void
take_audio(const char *p, size_t n)
{
	struct opus_packets all = { (const unsigned char *)p, n };
	struct opus_packet one;

	while (opus_packets_next(&all, &one))
		ck_assert_int_eq(
		    opus_decoder_packet(decoder, one.bytes, one.n, &heard), OK);
}

static inline double
seconds_heard(void)
{
	return (double)heard.len / 2 / HEARD_HZ;
}

static inline void
take_picture(const char *p, size_t n)
{
	struct picture is;

	if (!picture_receive(&pictures, p, n, &is))
		return;
	shown_s = (double)is.dts / S_US;
	astray_s = fmax(astray_s, fabs(shown_s - seconds_heard()));
	arena_free(pictures.mem);
	pictures = (struct picture_reader){ .mem = NULL };
}

/*
 * Returns the next message within this time; false: none came. *over: the child has
 * ended.
 */
static inline bool
take_message(int ms, bool *over)
{
	static char bytes[INGRESS_MESSAGE_MOST];
	struct pollfd p = { .fd = child.fd, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return false;
	n = recv(child.fd, bytes, sizeof(bytes), 0);
	*over = n <= 0;
	if (n > 0 && bytes[0] == INGRESS_STATUS)
		take_status(bytes + 1, (size_t)n - 1);
	else if (n > 0 && bytes[0] == INGRESS_PICTURE)
		take_picture(bytes + 1, (size_t)n - 1);
	else if (n > 0)
		take_audio(bytes + 1, (size_t)n - 1);
	return n > 0;
}

/* Waits until it ends, has reported this error, or this many seconds are over. */
static inline bool
listen_to(int s, const char *until_error)
{
	int64_t end = monotonic_us() + s * S_US;
	bool over = false;

	while (!over && monotonic_us() < end &&
	       (until_error == NULL || strcmp(error, until_error) != 0))
		take_message(100, &over);
	return over;
}

/*
 * Receives until this many seconds of sound came, and then for more_s; false: the child
 * ended.
 */
static inline bool
listen_until_heard(double heard_s, int more_s)
{
	for (int i = 0; i < 60 && seconds_heard() < heard_s; i++)
		if (listen_to(1, NULL))
			return false;
	return !listen_to(more_s, NULL);
}

/* Returns the samples of a part of the sound. */
static inline const int16_t *
part(double from_s, double s)
{
	size_t from = (size_t)(from_s * HEARD_HZ), n = (size_t)(s * HEARD_HZ);

	ck_assert_uint_ge(heard.len / sizeof(int16_t), from + n);
	return (const int16_t *)(const void *)heard.p + from;
}

/* Upward zero crossings per second, from this second on. */
static inline double
pitch_hz(double from_s, double s)
{
	const int16_t *p =
	    (const int16_t *)(const void *)heard.p + (size_t)(from_s * HEARD_HZ);
	size_t n = (size_t)(s * HEARD_HZ);
	int ups = 0;

	ck_assert_uint_ge(heard.len / 2, (size_t)((from_s + s) * HEARD_HZ));
	for (size_t i = 1; i < n; i++)
		ups += p[i - 1] < 0 && p[i] >= 0;
	return ups / s;
}

static inline int
loudest(double from_s, double s)
{
	const int16_t *p = part(from_s, s);
	int most = 0;

	for (size_t i = 0; i < (size_t)(s * HEARD_HZ); i++)
		most = abs(p[i]) > most ? abs(p[i]) : most;
	return most;
}

#endif
