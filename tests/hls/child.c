/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: child PROGRAM FOLDER LANGUAGES SECONDS [low]
 *
 * Send speech in so many languages and the original to a process dragoman-egress, in
 * real time, and have it write HLS into the folder, with or without low latency. Prints
 * its processor time for each language, in ms a second.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audio/opus_encoder.h"
#include "base/buf.h"
#include "base/clock.h"
#include "egress/egress_wire.h"

#define DAY_US (86400 * S_US)
#define MOST 8
#define STEP_S 5 /* sound is sent that many times a second */

static const char *const codes[MOST] = { "en", "es", "de", "fr", "it", "pt", "pl",
	"nl" };

static const char *
order_of(struct arena *mem, const char *folder, int n, bool low)
{
	struct buf b = { .mem = mem };

	buf_printf(&b,
	    "{\"protocol\":\"hls_pull\",\"directory\":\"%s\",\"epoch_us\":%lld,"
	    "\"low_latency\":%s,\"delay_ms\":0,\"ducked_volume\":0.2,\"languages\":[",
	    folder, (long long)(now_us() / DAY_US * DAY_US), low ? "true" : "false");
	for (int i = 0; i < n; i++)
		buf_printf(&b, "%s\"%s\"", i > 0 ? "," : "", codes[i]);
	buf_str(&b, "]}");
	return buf_text(&b);
}

static void
send_sound(int fd, struct opus_encoder *encoder, int i, int64_t step)
{
	int16_t s[SPOKEN_HZ / STEP_S];
	struct buf b = { .mem = arena_new() };

	for (int k = 0; k < SPOKEN_HZ / STEP_S; k++)
		s[k] = (int16_t)(8000 * sin((double)(step * (SPOKEN_HZ / STEP_S) + k) *
					    0.05 * (i + 3)));
	buf_put(&b, (const char[]){ EGRESS_AUDIO, (char)i, 0 }, 3);
	opus_encoder_put(encoder, s, SPOKEN_HZ / STEP_S, false, &b);
	send(fd, b.p, b.len, MSG_NOSIGNAL);
	arena_free(b.mem);
}

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();
	struct opus_encoder *encoders[MOST + 1];
	int n = argc > 4 ? atoi(argv[3]) % (MOST + 1) : 0, pair[2];
	int64_t steps = argc > 4 ? atoll(argv[4]) * STEP_S : 0, began;
	char waste[EGRESS_MESSAGE_MOST];
	struct rusage u;
	const char *order;
	pid_t pid;

	if (n == 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return EXIT_FAILURE;
	if ((pid = fork()) == 0) {
		dup2(pair[1], STDIN_FILENO);
		execl(argv[1], argv[1], (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	order = order_of(mem, argv[2], n, argc > 5 && strcmp(argv[5], "low") == 0);
	send(pair[0], order, strlen(order), 0);
	recv(pair[0], waste, sizeof(waste), 0); /* it has begun */
	for (int i = 0; i <= n; i++)
		encoders[i] = opus_encoder_new(mem);
	began = monotonic_us();
	for (int64_t step = 0; step < steps; step++) {
		int64_t due = began + step * S_US / STEP_S - monotonic_us();

		if (due > 0)
			usleep((useconds_t)due);
		for (int i = 0; i <= n; i++)
			send_sound(pair[0], encoders[i], i, step);
		while (recv(pair[0], waste, sizeof(waste), MSG_DONTWAIT) > 0)
			;
	}
	close(pair[0]);
	if (wait4(pid, NULL, 0, &u) != pid)
		return EXIT_FAILURE;
	printf("%.2f\n", ((double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
			     (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3) *
			     STEP_S / (double)steps / n);
	return EXIT_SUCCESS;
}
