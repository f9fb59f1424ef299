/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SPEAK_FIXTURE_H
#define TESTS_UNIT_SPEAK_FIXTURE_H

/* Speech while a client waits, and the audio it received. */
#include <libgen.h>
#include <math.h>
#include <signal.h>

#include "speech/engine.h"
#include "speech/voice_analysis.h"
#include "tests/engine-server.h"
#include "tests/unit/unit.h"

#define SENTENCE "The session starts in five minutes. Please take your seats."

static struct arena *mem;
static struct engine_at at;
static struct engine_server server;

/* The received sound. */
static struct {
	struct buf samples; /* float */
	/* number of pieces before the client stops; 0: all */
	int rate_hz, pieces, wanted;
	int64_t first_us, last_us;
} heard;

static inline bool
hear(void *arg, const struct pcm *pcm)
{
	ck_assert_ptr_eq(arg, &heard);
	ck_assert_uint_gt(pcm->n, 0);
	ck_assert(heard.pieces == 0 || heard.rate_hz == pcm->rate_hz);
	heard.last_us = monotonic_us();
	if (heard.pieces++ == 0)
		heard.first_us = heard.last_us;
	heard.rate_hz = pcm->rate_hz;
	buf_put(&heard.samples, pcm->s, pcm->n * sizeof(*pcm->s));
	return heard.wanted == 0 || heard.pieces < heard.wanted;
}

static inline void
setup(void)
{
	char self[1024] = "";

	(void)fixture;
	mem = arena_new();
	memset(&heard, 0, sizeof(heard));
	heard.samples.mem = mem;
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	at = (struct engine_at){
		.id = "it",
		.key = "test-key",
		.bin_dir = arena_printf(mem, "%s/../bin", dirname(self)),
		.timeout_ms = 3000,
		.allow_private = true,
	};
}

/* Waits until detached threads have ended. */
static inline void
teardown(void)
{
	struct stat st;

	for (int i = 0; i < 50; i++)
		if (stat("/proc/self/task", &st) != 0 || st.st_nlink > 3)
			/* three entries of the list: ., .. and this thread */
			usleep(10000);
	arena_free(mem);
}

static inline enum err
say(const char *kind, struct tts_text t)
{
	t.lang = t.lang != NULL ? t.lang : "en";
	t.rate = t.rate > 0 ? t.rate : 1;
	at.kind = kind;
	return engine_find(kind)->tts->synthesize(&at, mem, &t, hear, &heard);
}

#define SAY(kind, ...) say(kind, (struct tts_text){ __VA_ARGS__ })

static inline void
at_server(const char *path)
{
	at.url = arena_printf(mem, "http://127.0.0.1:%d%s", server.port, path);
}

static inline struct pcm
sound(void)
{
	return (struct pcm){ .s = (float *)(void *)heard.samples.p,
		.n = heard.samples.len / sizeof(float),
		.rate_hz = heard.rate_hz };
}

static inline double
seconds(void)
{
	return (double)sound().n / sound().rate_hz;
}

/* Checks the sound of a sine. */
static inline double
sine_hz(void)
{
	struct pcm p = sound();
	int rises = 0;

	for (size_t i = 1; i < p.n; i++)
		rises += p.s[i - 1] < 0 && p.s[i] >= 0;
	return rises / seconds();
}

static inline void
forget(void)
{
	heard.samples.len = 0;
	heard.pieces = 0;
}

#endif
