/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A DTLS connection under attack, in either role.  Byte 0: bit 0 is set when the target
 * is the client; bits 1 to 3 are the number of handshake rounds before the attack. Then
 * steps follow: a byte for the kind, a 16-bit length, bytes. Kind 0: the bytes are a
 * datagram. Kind 1: they change a datagram of the other side. Kind 2: all sent
 * datagrams arrive. Kind 3: the other side sends the bytes encrypted. Foreign datagrams
 * must not end an established connection.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rtc/dtls.h"

#define QUEUED 32
#define DATAGRAM 1500
#define RECORD (16 << 10)

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

struct end {
	struct dtls *d;
	struct end *other;
	size_t sizes[QUEUED];
	unsigned char queue[QUEUED][DATAGRAM]; /* datagrams that arrive next */
	int n;
	unsigned records; /* records received */
};

static struct end ends[2];

static void
to_queue(void *arg, const void *p, size_t n)
{
	struct end *to = ((struct end *)arg)->other;

	if (n > DATAGRAM)
		abort();
	if (to->n == QUEUED)
		return;
	memcpy(to->queue[to->n], p, n);
	to->sizes[to->n++] = n;
}

static void
count_record(void *arg, const void *p, size_t n)
{
	struct end *e = arg;

	(void)p;
	if (n > RECORD || dtls_state(e->d) != DTLS_UP)
		abort();
	e->records++;
}

/* Before dtls_put() they leave the queue, because answers are added to it. */
static void
deliver(struct end *e)
{
	static unsigned char queue[QUEUED][DATAGRAM];
	size_t sizes[QUEUED];
	int n = e->n;

	memcpy(queue, e->queue, sizeof(queue));
	memcpy(sizes, e->sizes, sizeof(sizes));
	e->n = 0;
	for (int i = 0; i < n; i++)
		dtls_put(e->d, queue[i], sizes[i]);
}

static void
deliver_rounds(int rounds)
{
	while (rounds-- > 0) {
		deliver(&ends[0]);
		deliver(&ends[1]);
	}
}

/* Pairs of bytes: a position, and the value to change the byte there by. */
static void
deliver_changed(struct end *e, const uint8_t *p, size_t n)
{
	unsigned char datagram[DATAGRAM];
	size_t size;

	if (e->n == 0)
		return;
	size = e->sizes[--e->n];
	memcpy(datagram, e->queue[e->n], size);
	for (size_t i = 0; i + 2 < n && size > 0; i += 3)
		datagram[((size_t)p[i] << 8 | p[i + 1]) % size] ^= p[i + 2];
	dtls_put(e->d, datagram, size);
}

static bool
is_up(void)
{
	return dtls_state(ends[0].d) == DTLS_UP && dtls_state(ends[1].d) == DTLS_UP;
}

/* The connection may have lost data or been closed before. */
static void
check_alive(struct end *target)
{
	unsigned before = target->records;

	ends[0].n = ends[1].n = 0;
	if (!is_up() || !dtls_send(target->other->d, "x", 1))
		abort();
	deliver(target);
	if (target->records != before + 1)
		abort();
}

static void
attack(struct end *target, const uint8_t *p, size_t n)
{
	/* only datagrams of kind 0 arrived since the connection was established */
	bool foreign = is_up();

	while (n >= 3) {
		unsigned kind = p[0] & 3;
		size_t size = (size_t)p[1] << 8 | p[2];

		p += 3;
		n -= 3;
		size = size < n ? size : n;
		foreign &= kind == 0;
		if (kind == 0 && size <= DATAGRAM)
			dtls_put(target->d, p, size);
		else if (kind == 1)
			deliver_changed(target, p, size);
		else if (kind == 2)
			deliver_rounds(1);
		else if (kind == 3 && size > 0 && size < DATAGRAM - 100)
			dtls_send(target->other->d, p, size);
		dtls_tick(target->d);
		p += size;
		n -= size;
	}
	if (foreign)
		check_alive(target);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct dtls_events events = { to_queue, count_record };
	static struct dtls_context *context;
	static struct arena *of_context;
	struct arena *mem;
	struct dtls_keys keys;

	if (n == 0)
		return 0;
	if (context == NULL)
		context = dtls_context_new(of_context = arena_new());
	mem = arena_new();
	for (int i = 0; i < 2; i++) {
		ends[i].other = &ends[1 - i];
		ends[i].n = 0;
		ends[i].records = 0;
	}
	for (int i = 0; i < 2; i++)
		ends[i].d = dtls_new(mem, context, i == 1, &events, &ends[i]);
	deliver_rounds(data[0] >> 1 & 7);
	attack(&ends[data[0] & 1], data + 1, n - 1);
	for (int i = 0; i < 2; i++) {
		(void)!dtls_keys(ends[i].d, &keys);
		(void)!dtls_is_from(
		    ends[i].d, "sha-256", dtls_context_fingerprint(context));
		dtls_close(ends[i].d);
		dtls_free(ends[i].d);
	}
	arena_free(mem);
	return 0;
}
