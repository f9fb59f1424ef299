/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/rtp.h"

#include <string.h>

#include "base/be.h"

#define HEAD 12
#define VERSION 2

/* ---- packets ---- */

/* Offset of the payload; n or more: no payload. */
static size_t
header_length(const unsigned char *p, size_t n)
{
	size_t at = HEAD + 4 * (size_t)(p[0] & 15);

	if ((p[0] & 0x10) == 0)
		return at;
	return at + 4 > n ? n : at + 4 + 4 * (size_t)be16(p + at + 2);
}

bool
rtp_read(const void *bytes, size_t n, struct rtp_packet *to)
{
	const unsigned char *p = bytes;
	size_t head, padding = 0;

	if (n <= HEAD || n > RTP_MOST || p[0] >> 6 != VERSION)
		return false;
	head = header_length(p, n);
	if (head >= n)
		return false;
	if ((p[0] & 0x20) != 0 && (padding = p[n - 1]) == 0)
		return false;
	if (head + padding >= n)
		return false;
	*to = (struct rtp_packet){ .type = p[1] & 0x7f,
		.marker = (p[1] & 0x80) != 0,
		.seq = (uint16_t)be16(p + 2),
		.ts = be32(p + 4),
		.ssrc = be32(p + 8),
		.p = p + head,
		.n = n - head - padding };
	return true;
}

size_t
rtp_write(const struct rtp_packet *r, unsigned char *to, size_t room)
{
	if (room < HEAD || room - HEAD < r->n)
		return 0;
	to[0] = VERSION << 6;
	to[1] = (unsigned char)((r->type & 0x7f) | (r->marker ? 0x80 : 0));
	to[2] = (unsigned char)(r->seq >> 8);
	to[3] = (unsigned char)r->seq;
	put_be32(to + 4, r->ts);
	put_be32(to + 8, r->ssrc);
	memcpy(to + HEAD, r->p, r->n);
	return HEAD + r->n;
}

/* ---- jitter buffer ---- */

static void
drop_all(struct jitter_buffer *l)
{
	for (int i = 0; i < JITTER_KEPT; i++)
		l->kept[i].n = 0;
	l->waiting = 0;
}

/* The source restarted, or this is its first packet. */
static void
restart(struct jitter_buffer *l, uint16_t seq, int64_t now)
{
	drop_all(l);
	if (!l->began)
		l->began_us = now;
	l->began = true;
	l->follows = false;
	l->next = seq;
	l->lost = 0;
}

/* More packets are lost than JITTER_KEPT can hold: drop the waiting packets, too. */
static void
skip_to(struct jitter_buffer *l, uint16_t seq)
{
	drop_all(l);
	l->lost += (uint16_t)(seq - l->next);
	l->next = seq;
}

void
jitter_buffer_put(struct jitter_buffer *l, const struct rtp_packet *r, int64_t now)
{
	int ahead = (int16_t)(r->seq - l->next);
	struct jitter_packet *k = &l->kept[r->seq % JITTER_KEPT];

	if (r->n == 0 || r->n > RTP_MOST)
		return;
	if (!l->began || ahead <= -RTP_BACK)
		restart(l, r->seq, now);
	else if (ahead >= JITTER_KEPT)
		skip_to(l, r->seq);
	else if (ahead < 0 || k->n > 0)
		return;
	k->n = r->n;
	k->ts = r->ts;
	k->came_us = now;
	memcpy(k->bytes + OPUS_GAP_BYTES, r->p, r->n);
	l->waiting++;
}

/* True if the missing packet is given up: see JITTER_PATIENCE. */
static bool
is_lost(const struct jitter_buffer *l, int64_t now)
{
	if (l->waiting >= JITTER_PATIENCE)
		return true;
	for (int i = 0; i < JITTER_KEPT; i++)
		if (l->kept[i].n > 0 && now >= l->kept[i].came_us + JITTER_PATIENCE_US)
			return true;
	return false;
}

/*
 * The time between the previous packet and this one, calculated from sequence numbers
 * if the timestamps do not show it.
 */
static int64_t
missing_us(const struct jitter_buffer *l, const struct jitter_packet *k, uint32_t frame)
{
	int64_t ahead_us = l->sound_us - (k->came_us - l->began_us);
	int64_t jump = l->follows ? (int32_t)(k->ts - l->end_ts) : 0;
	int64_t us = 0;

	if (l->lost > 0 && jump <= 0)
		jump = (int64_t)frame * l->lost;
	if (jump > 0)
		us = jump * 1000000 / RTP_HZ;
	if (us > JITTER_MISSING_US)
		us = JITTER_MISSING_US;
	if (us > JITTER_AHEAD_US - ahead_us)
		us = JITTER_AHEAD_US - ahead_us;
	return us > 0 ? us : 0;
}

static void
add_gap(struct jitter_buffer *l, struct jitter_packet *k)
{
	uint32_t frame = opus_gap_duration(k->bytes + OPUS_GAP_BYTES, k->n);
	int64_t us = missing_us(l, k, frame);
	const struct opus_gap gap = { l->lost < UINT16_MAX ? l->lost : UINT16_MAX,
		(uint32_t)(us * RTP_HZ / 1000000) };

	opus_gap_write(&gap, k->bytes);
	l->sound_us += us + (int64_t)frame * 1000000 / RTP_HZ;
	l->end_ts = k->ts + frame;
	l->follows = true;
	l->lost = 0;
}

bool
jitter_buffer_next(
    struct jitter_buffer *l, int64_t now, const unsigned char **p, size_t *n)
{
	struct jitter_packet *k = &l->kept[l->next % JITTER_KEPT];

	if (l->waiting == 0 || (k->n == 0 && !is_lost(l, now)))
		return false;
	while (k->n == 0) {
		l->lost++;
		k = &l->kept[++l->next % JITTER_KEPT];
	}
	add_gap(l, k);
	*p = k->bytes;
	*n = OPUS_GAP_BYTES + k->n;
	k->n = 0;
	l->waiting--;
	l->next++;
	return true;
}

/* ---- sending ---- */

bool
rtp_tick_next(int64_t *tick, int64_t now_us, int late)
{
	int64_t now = now_us / RTP_TICK_US;

	if (*tick < now - late)
		*tick = now - late;
	if (*tick >= now)
		return false;
	++*tick;
	return true;
}

int
rtp_tick_wait_ms(int64_t tick, int64_t now_us)
{
	int64_t left_us = (tick + 1) * RTP_TICK_US - now_us;

	return left_us > 0 ? (int)((left_us + 999) / 1000) : 0;
}

size_t
rtp_next(struct rtp_source *s, int64_t tick, const void *opus, size_t n,
    unsigned char *to, size_t room)
{
	const int64_t frame = RTP_HZ / 1000 * RTP_FRAME_MS;
	const struct rtp_packet r = { .type = RTP_OPUS,
		.marker = s->last_tick != tick - 1,
		.seq = s->seq++,
		.ts = s->first_ts + (uint32_t)(tick * frame),
		.ssrc = s->ssrc,
		.p = opus,
		.n = n };

	s->last_tick = tick;
	return rtp_write(&r, to, room);
}
