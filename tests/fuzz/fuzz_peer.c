/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A peer connection: the server's whole stack without sockets. Byte 0: bit 0 is set
 * when the client is the DTLS server, bit 1 when descriptions were exchanged; bits 2 to
 * 7 are the number of rounds before the attack, at most 40. Then steps follow: a byte
 * for the kind, whose bits 4 and 5 are the network path, a 16-bit length, bytes. Path 0
 * is the client's.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "rtc/peer.h"

#define QUEUED 128
#define PATHS 4

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const struct ice_credentials of_server = { "Ufrag/+8",
	"ThePasswordHas24Letters/" };
static const struct ice_credentials of_client = { "Client+8",
	"AnotherPasswordWith24Lts" };

/* ---- a transport without sockets ---- */

struct transport {
	struct transport_events events;
	void *arg;
	struct transport *other;
	int n;
	struct transport_path from[QUEUED];
	size_t sizes[QUEUED];
	struct datagram queue[QUEUED], reserved, now;
	uint64_t received, sent;
};

static struct transport *opened[2];
static int n_opened;

static struct transport_path
path_of(unsigned i)
{
	struct transport_path p = { .port = (uint16_t)(1000 + i), .link = 1 };

	p.ip[10] = p.ip[11] = 255;
	p.ip[12] = 127;
	p.ip[15] = (unsigned char)i;
	return p;
}

static void
put(struct transport *t, struct transport_path from, const void *p, size_t n)
{
	if (n > TRANSPORT_MOST)
		abort();
	if (t->n == QUEUED)
		return;
	memcpy(t->queue[t->n].bytes, p, n);
	t->sizes[t->n] = n;
	t->from[t->n++] = from;
}

struct transport *
transport_open(struct arena *mem, const struct transport_settings *s,
    const struct transport_events *events, void *arg)
{
	struct transport *t = arena_alloc(mem, sizeof(*t));

	(void)s;
	t->events = *events;
	t->arg = arg;
	opened[n_opened++] = t;
	return t;
}

void
transport_close(struct transport *t)
{
	(void)t;
}

int
transport_port(const struct transport *t)
{
	(void)t;
	return 1000;
}

int
transport_fd(const struct transport *t)
{
	(void)t;
	return -1;
}

/* Datagrams sent meanwhile wait for the next turn. */
bool
transport_receive(struct transport *t, int64_t now_us)
{
	int n = t->n;

	(void)now_us;
	for (int i = 0; i < n; i++) {
		t->received++;
		t->now = t->queue[i];
		t->events.datagram(t->arg, &t->from[i], t->now.bytes, t->sizes[i]);
	}
	for (int i = n; i < t->n; i++) {
		t->queue[i - n] = t->queue[i];
		t->sizes[i - n] = t->sizes[i];
		t->from[i - n] = t->from[i];
	}
	t->n -= n;
	return false;
}

int
transport_udp(struct transport *t, const struct transport_path *path)
{
	(void)t, (void)path;
	return -1;
}

void
transport_tick(struct transport *t, int64_t now_us)
{
	(void)t, (void)now_us;
}

int64_t
transport_due_us(const struct transport *t)
{
	(void)t;
	return INT64_MAX;
}

unsigned char *
transport_reserve(struct transport *t)
{
	return t->reserved.bytes;
}

/* Other paths than 0 lead to strangers. */
void
transport_commit(
    struct transport *t, const struct transport_path *to, size_t n, bool media)
{
	struct transport_path client = path_of(0);

	(void)media;
	t->sent++;
	if (memcmp(to, &client, sizeof(client)) == 0)
		put(t->other, client, t->reserved.bytes, n);
}

void
transport_send(
    struct transport *t, const struct transport_path *to, const void *p, size_t n)
{
	memcpy(t->reserved.bytes, p, n);
	transport_commit(t, to, n, false);
}

void
transport_flush(struct transport *t)
{
	(void)t;
}

void
transport_accept(struct transport *t, const struct transport_path *p, bool of_peer)
{
	(void)t, (void)p, (void)of_peer;
}

void
transport_drop(struct transport *t, const struct transport_path *p)
{
	(void)t, (void)p;
}

bool
transport_dial(struct transport *t, const char *address, int port, bool tcp,
    struct transport_path *to)
{
	(void)t, (void)address, (void)port, (void)tcp;
	*to = path_of(0);
	return true;
}

uint64_t
transport_received(const struct transport *t)
{
	return t->received;
}

uint64_t
transport_sent(const struct transport *t)
{
	return t->sent;
}

/* ---- both sides ---- */

struct side {
	struct rtc *rtc;
	struct rtc_peer *peer;
	struct transport *transport;
	bool failed;
};

static struct side server, client;
static int64_t now;

static void
note_state(void *owner, enum rtc_state state)
{
	struct side *s = owner;

	if (s->failed)
		abort(); /* no step may follow it */
	s->failed = state == RTC_FAILED;
}

static void
note_packet(void *owner, const struct rtp_packet *r)
{
	const struct side *s = owner;

	if (rtc_peer_state(s->peer) != RTC_CONNECTED || r->n > TRANSPORT_MOST)
		abort();
}

static void
note_channel(void *owner, const char *label)
{
	const struct side *s = owner;

	if (!rtc_peer_has_channel(s->peer, label))
		abort();
}

static void
note_message(void *owner, const char *label, const void *p, size_t n)
{
	const struct side *s = owner;

	(void)p;
	if (rtc_peer_state(s->peer) != RTC_CONNECTED || n > 256 << 10 || label == NULL)
		abort();
}

static void
note_loss(void *owner, uint32_t ssrc, int percent)
{
	(void)owner, (void)ssrc;
	if (percent < 0 || percent > 100)
		abort();
}

static void
turn(struct side *s)
{
	rtc_receive(s->rtc);
	rtc_tick(s->rtc, now);
}

static void
run_rounds(int rounds)
{
	while (rounds-- > 0) {
		now += 10000;
		turn(&server);
		turn(&client);
	}
}

static void
open_side(struct arena *mem, struct side *s, const struct ice_credentials *ice)
{
	static const struct rtc_events events = { note_state, note_packet, note_channel,
		note_message, note_loss };
	const struct rtc_settings settings = { .at = { .listen = "", .address = "" },
		.max_peers = 4,
		.client = s == &client };

	*s = (struct side){ .rtc = rtc_open(mem, &settings, &events) };
	if (s->rtc == NULL)
		abort();
	s->transport = opened[n_opened - 1];
	s->peer = rtc_peer_open(s->rtc, s, ice, s == &server);
	rtc_peer_receive(s->peer, RTP_OPUS, 0);
}

static void
describe(struct side *to, const struct side *of, bool passive)
{
	if (!rtc_peer_remote(
		to->peer, "sha-256", rtc_fingerprint(of->rtc), 5000, passive))
		abort();
}

static void
begin(struct arena *mem, unsigned how)
{
	bool passive = (how & 1) != 0;

	n_opened = 0;
	now = monotonic_us();
	open_side(mem, &server, &of_server);
	open_side(mem, &client, &of_client);
	server.transport->other = client.transport;
	client.transport->other = server.transport;
	describe(&client, &server, !passive);
	if ((how & 2) == 0)
		describe(&server, &client, passive);
	rtc_peer_report(server.peer, 9, "PA_x", true);
	rtc_peer_connect(client.peer, &(struct ice_candidate){ .port = 1000 },
	    of_server.ufrag, of_server.pwd);
	run_rounds(how >> 2 < 40 ? (int)(how >> 2) : 40);
}

/* ---- steps ---- */

static void
put_attribute(uint8_t *message, size_t *at, unsigned type, const void *p, size_t n)
{
	const uint8_t head[] = { (uint8_t)(type >> 8), (uint8_t)type, (uint8_t)(n >> 8),
		(uint8_t)n };

	memcpy(message + *at, head, 4);
	memcpy(message + *at + 4, p, n);
	*at += 4 + ((n + 3) & ~(size_t)3);
	message[2] = (uint8_t)((*at - 20) >> 8);
	message[3] = (uint8_t)(*at - 20);
}

/*
 * A valid connectivity check, except for the bytes that the input adds; these begin
 * with the transaction id.
 */
static void
check(unsigned path, const uint8_t *p, size_t n)
{
	static const char name[] = "Ufrag/+8:Client+8";
	uint8_t message[STUN_MOST + 200] = { 0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42 };
	uint8_t mac[20];
	size_t at = 20, id = n < STUN_ID ? n : STUN_ID;

	memcpy(message + 8, p, id);
	put_attribute(message, &at, 6, name, sizeof(name) - 1);
	n = (n - id) & ~(size_t)3;
	n = n < 600 ? n : 600;
	memcpy(message + at, p + id, n);
	at += n;
	message[2] = (uint8_t)((at + 24 - 20) >> 8);
	message[3] = (uint8_t)(at + 24 - 20);
	hmac_sha1(of_server.pwd, strlen(of_server.pwd), message, at, mac);
	put_attribute(message, &at, 8, mac, sizeof(mac));
	put(server.transport, path_of(path), message, at);
}

/* Encrypts the packet as the client would. */
static void
protect(unsigned path, bool rtcp, const uint8_t *p, size_t n)
{
	struct datagram d;

	if (client.peer->cipher == NULL || n > 1200 || n < 2)
		return;
	memcpy(d.bytes, p, n);
	d.bytes[0] = (unsigned char)(0x80 | (d.bytes[0] & 0x3f));
	n = rtcp ? packet_cipher_protect_rtcp(client.peer->cipher, d.bytes, n)
		 : packet_cipher_protect(client.peer->cipher, d.bytes, n);
	if (n > 0)
		put(server.transport, path_of(path), d.bytes, n);
}

static void
send_packet(unsigned seq)
{
	const struct rtp_packet r = { .type = RTP_OPUS,
		.ssrc = 9,
		.seq = (uint16_t)seq,
		.p = (const unsigned char *)"speech",
		.n = 6 };

	rtc_peer_send(server.peer, &r);
}

static void
take_step(unsigned kind, unsigned path, const uint8_t *p, size_t n)
{
	static unsigned seq;

	if (kind == 0)
		run_rounds(1 + (int)(n < 10 ? n : 10));
	else if (kind == 1 && n <= TRANSPORT_MOST)
		put(server.transport, path_of(path), p, n);
	else if (kind == 2)
		check(path, p, n);
	else if (kind == 3 || kind == 4)
		protect(path, kind == 4, p, n);
	else if (kind == 5 && client.peer->dtls != NULL && n > 0 && n < 1100)
		dtls_send(client.peer->dtls, p, n);
	else if (kind == 6)
		(void)!rtc_peer_send_message(client.peer, "_reliable", p, n);
	else if (kind == 7)
		now += (int64_t)(n > 0 ? p[0] : 1) * 100000;
	else if (kind == 8)
		send_packet(seq++);
	else if (kind == 9)
		rtc_peer_restart(server.peer, &of_server);
	turn(&server);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *mem;

	if (n == 0)
		return 0;
	mem = arena_new();
	begin(mem, data[0]);
	for (data++, n--; n >= 3;) {
		size_t size = (size_t)data[1] << 8 | data[2];
		unsigned kind = data[0] & 15, path = data[0] >> 4 & (PATHS - 1);

		data += 3;
		n -= 3;
		size = size < n ? size : n;
		take_step(kind, path, data, size);
		data += size;
		n -= size;
	}
	rtc_close(client.rtc);
	rtc_close(server.rtc);
	arena_free(mem);
	return 0;
}
