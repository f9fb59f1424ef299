/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/gap.h"

#include <math.h>

#include "base/clock.h"

#define QUIET 0.003f /* -50 dB below full scale */

static int64_t
duration_us(const struct pcm *pcm, size_t samples)
{
	return (int64_t)samples * S_US / pcm->rate_hz;
}

static int64_t
quiet_begin_us(const struct pcm *pcm)
{
	size_t n = 0;

	while (n < pcm->n && fabsf(pcm->s[n]) < QUIET)
		n++;
	return duration_us(pcm, n);
}

int64_t
gap_before(const struct gap *g, const struct pcm *first, int64_t now_us, bool queued)
{
	int64_t left_us = GAP_US - g->quiet_us - quiet_begin_us(first);

	if (!queued && g->until_us < now_us)
		left_us -= now_us - g->until_us;
	return left_us > 0 ? left_us : 0;
}

void
gap_add_sound(struct gap *g, const struct pcm *pcm)
{
	size_t n = 0;

	while (n < pcm->n && fabsf(pcm->s[pcm->n - 1 - n]) < QUIET)
		n++;
	g->quiet_us = duration_us(pcm, n) + (n == pcm->n ? g->quiet_us : 0);
}

void
gap_sent(struct gap *g, int64_t us, int64_t now_us)
{
	g->until_us = (g->until_us > now_us ? g->until_us : now_us) + us;
}
