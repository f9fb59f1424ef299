/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/rtc_sender.h"

#include "rtc/send_queue.h"
#include "rtc/srtp.h"

struct rtc_sender {
	_Atomic uint64_t count;
	struct send_queue queue;
};

/* There is one writer, so no atomic addition is needed. */
void
rtc_sent_count(struct rtc_sent *s, const struct rtp_packet *r, int64_t now_us)
{
	uint32_t packets = atomic_load_explicit(&s->packets, memory_order_relaxed),
		 octets = atomic_load_explicit(&s->octets, memory_order_relaxed);

	atomic_store_explicit(&s->packets, packets + 1, memory_order_relaxed);
	atomic_store_explicit(
	    &s->octets, octets + (uint32_t)r->n, memory_order_relaxed);
	atomic_store_explicit(&s->ts, r->ts, memory_order_relaxed);
	atomic_store_explicit(&s->at_us, now_us, memory_order_relaxed);
}

struct rtc_sender *
rtc_sender_new(struct arena *mem)
{
	return arena_alloc(mem, sizeof(struct rtc_sender));
}

bool
rtc_route_is_open(const struct rtc_route *to, int64_t now_us)
{
	return to->cipher != NULL && now_us < to->until_us;
}

void
rtc_route_prefetch(const struct rtc_route *to)
{
	if (to->cipher != NULL)
		packet_cipher_prefetch(to->cipher);
}

size_t
rtc_route_protect(
    const struct rtc_route *to, const struct rtp_packet *r, unsigned char *bytes)
{
	size_t n = rtp_write(r, bytes, TRANSPORT_MOST - PACKET_CIPHER_ROOM);

	return n > 0 ? packet_cipher_protect(to->cipher, bytes, n) : 0;
}

void
rtc_sender_put(
    struct rtc_sender *s, const struct rtc_route *to, const struct rtp_packet *r)
{
	size_t n = rtc_route_protect(to, r, send_queue_room(&s->queue));

	if (n == 0)
		return;
	send_queue_put(&s->queue, to->fd, &to->path, n);
	atomic_store_explicit(&s->count,
	    atomic_load_explicit(&s->count, memory_order_relaxed) + 1,
	    memory_order_relaxed);
}

void
rtc_sender_flush(struct rtc_sender *s)
{
	send_queue_flush(&s->queue);
}

uint64_t
rtc_sender_count(const struct rtc_sender *s)
{
	return atomic_load_explicit(&s->count, memory_order_relaxed);
}
