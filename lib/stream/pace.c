#include "stream/pace.h"

#include <string.h>

#define S_US INT64_C(1000000)
#define FAST_EVERY_US (10 * S_US)
#define SLOW_EVERY_US (30 * S_US)

void
pace_start(struct pace *p, int64_t now_us)
{
	struct pace old = *p;

	*p = (struct pace){ .chunk_us = now_us, .sign_us = now_us };
	/* a pause is no leave to repeat a warning */
	p->was_fast = old.was_fast;
	p->was_slow = old.was_slow;
	p->fast_us = old.fast_us;
	p->slow_us = old.slow_us;
}

static void
begin_window(struct pace *p, int64_t now_us)
{
	memset(p->heard, 0, sizeof(p->heard));
	p->window_us = now_us;
	p->second = 0;
}

/* Add to the second that it is; those that passed without sound become empty. */
static void
hear(struct pace *p, int64_t now_us, int64_t sound_us)
{
	int64_t second = (now_us - p->window_us) / S_US;

	for (; p->second < second; p->second++)
		p->heard[(p->second + 1) % PACE_WINDOW_S] = 0;
	p->heard[second % PACE_WINDOW_S] += sound_us;
}

static bool
is_slow(const struct pace *p, int64_t now_us)
{
	int64_t sum = 0, since_us = now_us - p->window_us;

	if (since_us < PACE_WINDOW_S * S_US)
		return false;
	for (int i = 0; i < PACE_WINDOW_S; i++)
		sum += p->heard[i];
	/* the ring's last second is not over */
	return (double)sum <
	       PACE_SLOW * (double)((PACE_WINDOW_S - 1) * S_US + since_us % S_US);
}

/* Whether it is to be told again. */
static bool
tell(bool *was, int64_t *last_us, int64_t now_us, int64_t every_us)
{
	if (*was && now_us - *last_us < every_us)
		return false;
	*was = true;
	*last_us = now_us;
	return true;
}

unsigned
pace_chunk(struct pace *p, int64_t now_us, int64_t sound_us, int64_t backlog_us)
{
	unsigned faults = backlog_us + sound_us > PACE_BACKLOG_US ? PACE_DROP : 0;

	if (!p->has_first)
		p->first_us = now_us;
	/* a stall was told; what it lacks is not slowness too */
	if (!p->has_first || now_us - p->chunk_us >= PACE_STALL_US)
		begin_window(p, now_us);
	p->has_first = true;
	p->is_stalled = false;
	p->chunk_us = p->sign_us = now_us;
	p->sound_us += sound_us;
	hear(p, now_us, sound_us);
	if ((faults != 0 || p->sound_us - (now_us - p->first_us) > PACE_AHEAD_US) &&
	    tell(&p->was_fast, &p->fast_us, now_us, FAST_EVERY_US))
		faults |= PACE_TOO_FAST;
	if (is_slow(p, now_us) &&
	    tell(&p->was_slow, &p->slow_us, now_us, SLOW_EVERY_US))
		faults |= PACE_TOO_SLOW;
	return faults;
}

void
pace_packet(struct pace *p, int64_t now_us)
{
	p->chunk_us = p->sign_us = now_us;
}

bool
pace_is_quiet(const struct pace *p, int64_t now_us)
{
	return now_us >= p->chunk_us + PACE_PHRASE_US;
}

void
pace_sign(struct pace *p, int64_t now_us)
{
	p->sign_us = now_us;
}

unsigned
pace_look(struct pace *p, int64_t now_us, int64_t *again_us)
{
	int64_t stall_us = p->chunk_us + PACE_STALL_US;
	int64_t timeout_us = p->sign_us + PACE_TIMEOUT_US;
	unsigned faults = 0;

	if (now_us >= timeout_us)
		faults |= PACE_TIMEOUT;
	if (!p->is_stalled && now_us >= stall_us) {
		p->is_stalled = true;
		faults |= PACE_STALLED;
	}
	*again_us = !p->is_stalled && stall_us < timeout_us ? stall_us : timeout_us;
	return faults;
}
