/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "client.h"

/* ---- ours ---- */

static void
put_head(struct client_side *s, struct buf *b)
{
	buf_printf(b, "v=0\r\no=- %d %u IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n",
	    1000 + s->role, ++s->described);
	buf_str(b, "a=msid-semantic: WMS *\r\na=group:BUNDLE");
}

static void
put_transport(struct client_side *s, struct buf *b, const char *setup)
{
	buf_printf(b, "a=ice-ufrag:%s\r\na=ice-pwd:%s\r\na=ice-options:trickle\r\n",
	    s->ice.ufrag, s->ice.pwd);
	buf_printf(b, "a=fingerprint:sha-256 %s\r\na=setup:%s\r\n",
	    rtc_fingerprint(s->client->rtc), setup);
}

static void
put_data(struct buf *b, const char *mid)
{
	buf_printf(b,
	    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"
	    "c=IN IP4 0.0.0.0\r\na=mid:%s\r\na=sctp-port:5000\r\n"
	    "a=max-message-size:262144\r\n",
	    mid);
}

static void
put_audio(struct buf *b, const char *mid, const char *direction)
{
	buf_printf(b,
	    "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\n"
	    "a=rtcp:9 IN IP4 0.0.0.0\r\na=mid:%s\r\na=%s\r\na=rtcp-mux\r\n"
	    "a=rtpmap:111 opus/48000/2\r\n"
	    "a=fmtp:111 minptime=10;useinbandfec=1\r\n",
	    mid, direction);
}

void
description_write_offer(struct client_side *s, struct buf *b)
{
	const struct microphone *m = s->client->microphone;
	uint32_t ssrc;

	put_head(s, b);
	buf_str(b, m != NULL ? " 0 1\r\n" : " 0\r\n");
	put_data(b, "0");
	put_transport(s, b, "actpass");
	if (m == NULL)
		return;
	ssrc = microphone_ssrc(m);
	put_audio(b, "1", "sendonly");
	buf_printf(b, "a=msid:- microphone\r\na=ssrc:%u cname:client\r\n", ssrc);
	put_transport(s, b, "actpass");
}

void
description_write_player(struct client_side *s, struct buf *b)
{
	put_head(s, b);
	buf_str(b, " 0\r\n");
	put_audio(b, "0", "recvonly");
	put_transport(s, b, "actpass");
}

void
description_write_answer(struct client_side *s, const struct sdp *offer, struct buf *b)
{
	put_head(s, b);
	for (size_t i = 0; i < offer->n; i++)
		buf_printf(b, " %s", offer->sections[i].mid);
	buf_str(b, "\r\n");
	for (size_t i = 0; i < offer->n; i++) {
		const struct sdp_section *m = &offer->sections[i];

		if (m->kind == SDP_APPLICATION)
			put_data(b, m->mid);
		else
			put_audio(b, m->mid,
			    m->direction == SDP_SENDONLY ? "recvonly" : "inactive");
		put_transport(s, b, s->client->o->passive ? "passive" : "active");
	}
}

/* ---- the server's ---- */

/* Reads the sources of tracks: "a=ssrc:7 msid:PA_x|TR_y TR_y". */
static void
take_sources(struct client *c, const char *text)
{
	unsigned ssrc;
	char sid[32];

	for (; (text = strstr(text, "\na=ssrc:")) != NULL; text++)
		if (sscanf(text, "\na=ssrc:%u msid:%*s %31s", &ssrc, sid) == 2)
			hearing_source(&c->hearing, sid, ssrc);
}

/* Uses the first candidate with the wanted protocol. */
static bool
take_candidate(const char *text, bool tcp, struct ice_candidate *to)
{
	char protocol[8], address[INET6_ADDRSTRLEN];

	for (; (text = strstr(text, "\na=candidate:")) != NULL; text++)
		if (sscanf(text, "\na=candidate:%u 1 %7s %u %45s %d", &to->foundation,
			protocol, &to->priority, address, &to->port) == 5 &&
		    strcmp(protocol, tcp ? "tcp" : "udp") == 0) {
			snprintf(to->address, sizeof(to->address), "%s", address);
			to->tcp = tcp;
			return true;
		}
	return false;
}

static bool
connect_side(struct client_side *s, const struct sdp *sdp, const char *text)
{
	const struct client_options *o = s->client->o;
	struct ice_candidate at = { .port = 0 };
	bool again = s->remote_ufrag[0] != '\0';

	if (again && strcmp(s->remote_ufrag, sdp->ufrag) == 0)
		return true;
	if (!take_candidate(text, o->tcp, &at) &&
	    (o->candidate == NULL ||
		sscanf(o->candidate, "%45[^:]:%d", at.address, &at.port) != 2))
		return false;
	if (!again && !o->tcp && (o->loss_in + o->loss_out > 0 || o->dark_to > 0))
		s->relay = relay_open(s->client->mem, &at, o->loss_in, o->loss_out);
	memcpy(s->remote_ufrag, sdp->ufrag, sizeof(s->remote_ufrag));
	rtc_peer_connect(s->peer, &at, sdp->ufrag, sdp->pwd);
	return true;
}

bool
description_take_fragment(struct client_side *s, const char *text)
{
	struct sdp sdp;

	return sdp_read_fragment(text, strlen(text), &sdp) &&
	       connect_side(s, &sdp, text);
}

/* True if the description has data channels. */
static bool
has_data(const struct sdp *d)
{
	size_t i = 0;

	while (i < d->n &&
	       (d->sections[i].kind != SDP_APPLICATION || d->sections[i].rejected))
		i++;
	return i < d->n;
}

bool
description_take(struct client_side *s, const char *text, size_t n)
{
	struct client *c = s->client;
	struct sdp sdp;
	const char *end = arena_dup(c->mem, text, n);

	if (!sdp_read(text, n, &sdp) || strcmp(sdp.hash, "sha-256") != 0)
		return false;
	if (s->role == SUBSCRIBER)
		take_sources(c, end);
	return rtc_peer_remote(s->peer, sdp.hash, sdp.fingerprint,
		   has_data(&sdp) ? sdp.sctp_port : 0,
		   s->role == PUBLISHER || !c->o->passive) &&
	       connect_side(s, &sdp, end);
}
