#include "audio/rtp.h"

#include <string.h>

#define HEAD 12
#define VERSION 2
#define TOC_CODE 3 /* bits of an Opus packet's first byte: number of frames */

static unsigned
be16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static uint32_t
be32(const unsigned char *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

static void
put_be32(unsigned char *to, uint32_t v)
{
	to[0] = (unsigned char)(v >> 24);
	to[1] = (unsigned char)(v >> 16);
	to[2] = (unsigned char)(v >> 8);
	to[3] = (unsigned char)v;
}

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
begin_anew(struct jitter_buffer *l, uint16_t seq)
{
	for (int i = 0; i < JITTER_KEPT; i++)
		l->kept[i].n = 0;
	l->waiting = 0;
	l->next = seq;
	l->began = true;
}

void
jitter_buffer_put(struct jitter_buffer *l, const struct rtp_packet *r, int64_t now)
{
	int ahead = (int16_t)(r->seq - l->next);
	struct jitter_packet *k = &l->kept[r->seq % JITTER_KEPT];

	if (r->n == 0 || r->n > RTP_MOST)
		return;
	if (!l->began || ahead >= JITTER_KEPT || ahead <= -RTP_BACK)
		begin_anew(l, r->seq);
	else if (ahead < 0 || k->n > 0)
		return;
	k->n = r->n;
	k->came_us = now;
	memcpy(k->bytes, r->p, r->n);
	l->waiting++;
}

/* Whether the missing packet is given up: see JITTER_PATIENCE. */
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

bool
jitter_buffer_next(
    struct jitter_buffer *l, int64_t now, const unsigned char **p, size_t *n)
{
	struct jitter_packet *k = &l->kept[l->next % JITTER_KEPT];

	if (k->n == 0 && !is_lost(l, now))
		return false;
	*p = k->n > 0 ? k->bytes : &l->stand_in;
	*n = k->n > 0 ? k->n : 1;
	l->waiting -= k->n > 0;
	l->stand_in = (unsigned char)(**p & ~TOC_CODE);
	k->n = 0;
	l->next++;
	return true;
}

/* ---- sending ---- */

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
