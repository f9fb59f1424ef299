/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdalign.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "rtc/peer.h"

#define REPORT_US (5 * S_US)
#define SWITCH_US (2 * S_US) /* silence after which another SSRC may be the first */

/* ---- in ---- */

/* RFC 3550: a source may change its SSRC; a description that names one binds it. */
static bool
is_wanted(const struct rtc_peer *p, const struct rtp_packet *r)
{
	if (r->type != p->receive_type)
		return false;
	if (p->receive_ssrc != 0)
		return r->ssrc == p->receive_ssrc;
	return !p->reception.began || r->ssrc == p->reception.ssrc ||
	       p->shared->now_us > p->received_us + SWITCH_US;
}

/* Begin to count a source. Counts of a replaced source stay in the statistics. */
static void
begin_reception(struct rtc_peer *p)
{
	p->stats.received += p->reception.received;
	p->stats.lost += (uint64_t)rtcp_reception_lost(&p->reception);
	if (p->report_us == 0)
		p->report_us = p->shared->now_us + REPORT_US;
	peer_schedule(p);
}

static void
count_reception(struct rtc_peer *p, const struct rtp_packet *r)
{
	if (!p->reception.began || p->reception.ssrc != r->ssrc)
		begin_reception(p);
	rtcp_reception_put(&p->reception, r, p->shared->now_us);
	p->received_us = p->shared->now_us;
}

/* A client receives all sources, and reports the first one. */
static void
receive_rtp(struct rtc_peer *p, const unsigned char *bytes, size_t n)
{
	struct rtp_packet r;

	if (!rtp_read(bytes, n, &r))
		return;
	if (is_wanted(p, &r))
		count_reception(p, &r);
	else if (!p->shared->client || r.type != p->receive_type)
		return;
	p->shared->events.packet(p->owner, &r);
}

static struct peer_track *
track_of(struct rtc_peer *p, uint32_t ssrc)
{
	for (int i = 0; i < PEER_TRACKS; i++)
		if (p->tracks[i].used && p->tracks[i].ssrc == ssrc)
			return &p->tracks[i];
	return NULL;
}

static void
receive_rtcp(struct rtc_peer *p, const unsigned char *bytes, size_t n)
{
	struct rtcp_reader reader;
	struct rtcp_item i;

	rtcp_read(&reader, bytes, n);
	while (!p->closed && rtcp_next(&reader, &i)) {
		if (i.kind == RTCP_SENDER && p->reception.began &&
		    i.ssrc == p->reception.ssrc) {
			p->reception.last_sr = i.last_sr;
			p->reception.last_sr_us = p->shared->now_us;
		}
		if (i.kind == RTCP_BLOCK && track_of(p, i.block.ssrc) != NULL)
			p->shared->events.loss(
			    p->owner, i.block.ssrc, i.block.fraction * 100 / 256);
	}
}

void
peer_media_receive(struct rtc_peer *p, const struct transport_path *from,
    unsigned char *bytes, size_t n)
{
	bool rtcp = rtcp_is(bytes, n);

	if (p->cipher == NULL || p->state != RTC_CONNECTED)
		return;
	n = rtcp ? packet_cipher_unprotect_rtcp(p->cipher, bytes, n)
		 : packet_cipher_unprotect(p->cipher, bytes, n);
	if (n == 0) {
		p->stats.srtp_failures++;
		p->shared->srtp_failures++;
		return;
	}
	p->from = from;
	peer_prove(p);
	if (rtcp)
		receive_rtcp(p, bytes, n);
	else
		receive_rtp(p, bytes, n);
}

void
rtc_peer_receive(struct rtc_peer *p, int payload_type, uint32_t ssrc)
{
	p->receive_type = payload_type;
	p->receive_ssrc = ssrc;
}

/* ---- out ---- */

static struct peer_track *
add_track(struct rtc_peer *p, uint32_t ssrc)
{
	struct peer_track *t = track_of(p, ssrc);

	for (int i = 0; t == NULL && i < PEER_TRACKS; i++)
		if (!p->tracks[i].used)
			t = &p->tracks[i];
	if (t != NULL && !t->used) {
		*t = (struct peer_track){ .used = true, .ssrc = ssrc };
		t->sent = &t->own;
	}
	return t;
}

void
rtc_peer_send(struct rtc_peer *p, const struct rtp_packet *r)
{
	struct transport *to = p->shared->transport;
	struct peer_track *t;
	unsigned char *bytes;
	size_t n;

	if (p->cipher == NULL || p->state != RTC_CONNECTED || !peer_may_send(p))
		return;
	bytes = transport_reserve(to);
	n = rtp_write(r, bytes, TRANSPORT_MOST - PACKET_CIPHER_ROOM);
	if (n == 0 || (n = packet_cipher_protect(p->cipher, bytes, n)) == 0)
		return;
	transport_commit(to, &p->path, n, true);
	if ((t = track_of(p, r->ssrc)) != NULL)
		rtc_sent_count(&t->own, r, p->shared->now_us);
}

void
rtc_peer_forward(struct rtc_peer *p, const void *bytes, size_t n)
{
	if (p->state != RTC_CONNECTED || !p->path.tcp || !peer_may_send(p) ||
	    n > TRANSPORT_MOST)
		return;
	memcpy(transport_reserve(p->shared->transport), bytes, n);
	transport_commit(p->shared->transport, &p->path, n, true);
}

void
rtc_peer_report(struct rtc_peer *p, uint32_t ssrc, const char *cname, bool on)
{
	struct peer_track *t = on ? add_track(p, ssrc) : track_of(p, ssrc);
	size_t n;

	if (t == NULL)
		return;
	if (!on) {
		t->used = false;
		return;
	}
	n = strlen(cname);
	n = n < RTCP_CNAME ? n : RTCP_CNAME - 1;
	memcpy(t->cname, cname, n);
	t->cname[n] = '\0';
	if (p->report_us == 0)
		p->report_us = p->shared->now_us + REPORT_US;
	peer_schedule(p);
}

void
rtc_peer_count(struct rtc_peer *p, uint32_t ssrc, const struct rtc_sent *sent)
{
	struct peer_track *t = track_of(p, ssrc);

	if (t != NULL)
		t->sent = sent;
}

/* ---- reports ---- */

static void
send_rtcp(struct rtc_peer *p, const unsigned char *report, size_t n)
{
	unsigned char *bytes = transport_reserve(p->shared->transport);

	memcpy(bytes, report, n);
	if ((n = packet_cipher_protect_rtcp(p->cipher, bytes, n)) > 0)
		transport_commit(p->shared->transport, &p->path, n, true);
}

/* The timestamp continues while nothing is sent. */
static void
report_track(struct rtc_peer *p, const struct peer_track *t)
{
	unsigned char report[RTCP_MOST];
	const struct rtc_sent *sent = t->sent;
	int64_t passed = p->shared->now_us - sent->at_us;
	const struct rtcp_sender s = { .ssrc = t->ssrc,
		.time_us = now_us(),
		.ts = sent->ts + (uint32_t)(passed * (RTP_HZ / 1000) / 1000),
		.packets = sent->packets,
		.octets = sent->octets };

	send_rtcp(p, report, rtcp_write_sender(&s, t->cname, report));
}

static void
report_reception(struct rtc_peer *p)
{
	unsigned char report[RTCP_MOST];
	const struct rtcp_block b =
	    rtcp_reception_block(&p->reception, p->shared->now_us);

	send_rtcp(p, report, rtcp_write_receiver(1, &b, report));
}

void
peer_media_report(struct rtc_peer *p)
{
	if (p->closed || p->state != RTC_CONNECTED || p->cipher == NULL ||
	    !p->has_path || p->report_us == 0 || p->shared->now_us < p->report_us)
		return;
	p->report_us = p->shared->now_us + REPORT_US;
	peer_schedule(p);
	if (!peer_may_send(p))
		return;
	for (int i = 0; i < PEER_TRACKS; i++)
		if (p->tracks[i].used && p->tracks[i].sent->packets > 0)
			report_track(p, &p->tracks[i]);
	if (p->reception.began)
		report_reception(p);
}
