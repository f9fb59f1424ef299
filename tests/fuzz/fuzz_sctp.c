/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of a peer to the SCTP association of a data channel; each call must return.
 * The two low bits of byte 0 are the state before the attack: 0 COOKIE_WAIT, 1
 * COOKIE_ECHOED, else established. Then packets follow: a 16-bit length and the chunks,
 * to which a valid common header is added.
 */
#include <stdint.h>
#include <string.h>

#include "rtc/data_channel.c"

#define HEADER 12 /* ports, verification tag, checksum */
#define QUEUED 64
#define PACKET 1500

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct end {
	struct data_channels *d;
	struct end *other;
	int n;
	size_t sizes[QUEUED];
	unsigned char packets[QUEUED][PACKET];
};

static struct end ends[2];
static unsigned char tag[4]; /* the tag that packets to the first end must have */

/* The first end's tag is in its INIT. */
static void
to_queue(void *arg, const void *p, size_t n)
{
	struct end *e = arg, *to = e->other;

	if (e == &ends[0] && n >= HEADER + 8 && ((const unsigned char *)p)[HEADER] == 1)
		memcpy(tag, (const unsigned char *)p + HEADER + 4, sizeof(tag));
	if (to->n == QUEUED || n > PACKET)
		return;
	memcpy(to->packets[to->n], p, n);
	to->sizes[to->n++] = n;
}

static void
ignore_open(void *arg, const char *label)
{
	(void)arg, (void)label;
}

static void
ignore_message(void *arg, const char *label, const void *p, size_t n)
{
	(void)arg, (void)label, (void)p, (void)n;
}

static void
deliver(struct end *e, int64_t now)
{
	for (int i = 0; i < e->n; i++)
		data_channels_put(e->d, e->packets[i], e->sizes[i], now);
	e->n = 0;
}

/* CRC-32C, least significant byte first: RFC 9260, appendix A. */
static void
seal(unsigned char *p, size_t n)
{
	uint32_t crc = ~0U;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0x82f63b78U & -(crc & 1));
	}
	crc = ~crc;
	for (int i = 0; i < 4; i++)
		p[8 + i] = (unsigned char)(crc >> 8 * i);
}

static void
attack(const uint8_t *chunks, size_t n, int64_t now)
{
	unsigned char p[HEADER + PACKET] = { 5000 >> 8, 5000 & 255, 5000 >> 8,
		5000 & 255 };

	if (n > PACKET)
		n = PACKET;
	if (n > 0 && chunks[0] != 1) /* an INIT has no tag */
		memcpy(p + 4, tag, sizeof(tag));
	memcpy(p + HEADER, chunks, n);
	seal(p, HEADER + n);
	data_channels_put(ends[0].d, p, HEADER + n, now);
}

static void
begin(struct arena *mem)
{
	static const struct data_channel_events events = { to_queue, ignore_open,
		ignore_message };

	data_channel_start();
	for (int i = 0; i < 2; i++)
		ends[i] = (struct end){ .other = &ends[1 - i] };
	for (int i = 0; i < 2; i++) {
		const struct data_channel_settings s = {
			.port = 5000, .open = i == 0, .even = i == 1
		};

		ends[i].d = data_channels_new(mem, &s, &events, &ends[i], S_US);
	}
}

/* Ends when the first end has the wanted state. */
static int64_t
reach(int stage)
{
	int64_t now = S_US;
	int steps = stage == 0 ? 0 : stage == 1 ? 1 : 20;

	for (int i = 0; i < steps; i++) {
		now += 10000;
		data_channel_timers(now);
		deliver(&ends[1], now);
		deliver(&ends[0], now);
	}
	return now;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *mem;
	int64_t now;

	if (n == 0)
		return 0;
	mem = arena_new();
	begin(mem);
	now = reach(data[0] & 3);
	for (size_t at = 1; at + 2 <= n;) {
		size_t size = (size_t)data[at] << 8 | data[at + 1];

		at += 2;
		size = size < n - at ? size : n - at;
		attack(data + at, size, now);
		at += size;
	}
	for (int i = 0; i < 2; i++)
		data_channels_free(ends[i].d);
	data_channel_stop();
	arena_free(mem);
	return 0;
}
