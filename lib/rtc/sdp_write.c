/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/sdp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPUS 111 /* payload type in our offers */
#define MESSAGE_BYTES 262144
#define AUDIO_PROTO "UDP/TLS/RTP/SAVPF"
#define DATA_PROTO "UDP/DTLS/SCTP"

/* ---- what all sections and descriptions have ---- */

static void
put_head(struct buf *b, const struct sdp_local *l)
{
	const char *at = l->n_candidates > 0 ? l->candidates[0].address : "0.0.0.0";

	buf_printf(b, "v=0\r\no=- %" PRIu64 " %u IN IP%d %s\r\n", l->id, l->version,
	    strchr(at, ':') != NULL ? 6 : 4, at);
	buf_str(b, "s=-\r\nt=0 0\r\na=ice-lite\r\na=msid-semantic: WMS *\r\n"
		   "a=group:BUNDLE");
}

static void
put_candidates(struct buf *b, const struct sdp_local *l)
{
	for (size_t i = 0; i < l->n_candidates; i++) {
		const struct ice_candidate *c = &l->candidates[i];

		buf_printf(b, "a=candidate:%u 1 %s %u %s %d typ host%s\r\n",
		    c->foundation, c->tcp ? "tcp" : "udp", c->priority, c->address,
		    c->port, c->tcp ? " tcptype passive" : "");
	}
	buf_str(b, "a=end-of-candidates\r\n");
}

static void
put_ice(struct buf *b, const struct sdp_local *l)
{
	buf_printf(b, "a=ice-ufrag:%s\r\na=ice-pwd:%s\r\n", l->ice.ufrag, l->ice.pwd);
}

static void
put_transport(struct buf *b, const struct sdp_local *l, const char *setup)
{
	put_ice(b, l);
	buf_printf(
	    b, "a=fingerprint:sha-256 %s\r\na=setup:%s\r\n", l->fingerprint, setup);
	put_candidates(b, l);
}

static void
put_data(struct buf *b, const char *proto, const char *mid)
{
	buf_printf(b, "m=application 9 %s webrtc-datachannel\r\n", proto);
	buf_printf(b, "c=IN IP4 0.0.0.0\r\na=mid:%s\r\n", mid);
	buf_printf(b, "a=sctp-port:5000\r\na=max-message-size:%d\r\n", MESSAGE_BYTES);
}

struct audio {
	const char *proto, *mid, *direction;
	int opus;
};

static void
put_audio(struct buf *b, const struct audio *a)
{
	buf_printf(b, "m=audio 9 %s %d\r\n", a->proto, a->opus);
	buf_printf(
	    b, "c=IN IP4 0.0.0.0\r\na=rtcp:9 IN IP4 0.0.0.0\r\na=mid:%s\r\n", a->mid);
	buf_printf(b, "a=%s\r\na=rtcp-mux\r\n", a->direction);
	buf_printf(b, "a=rtpmap:%d opus/48000/2\r\n", a->opus);
	buf_printf(b, "a=fmtp:%d minptime=10;useinbandfec=1\r\n", a->opus);
	buf_str(b, "a=ptime:20\r\n");
}

static void
put_track(struct buf *b, const struct sdp_track *t)
{
	buf_printf(b, "a=msid:%s|%s %s\r\n", t->stream, t->id, t->id);
	buf_printf(b, "a=ssrc:%u cname:%s\r\n", t->ssrc, t->stream);
	buf_printf(b, "a=ssrc:%u msid:%s|%s %s\r\n", t->ssrc, t->stream, t->id, t->id);
}

/* ---- answers ---- */

static bool
ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* True if we can use the section; UDP and TCP are equivalent. */
static bool
is_accepted(const struct sdp_section *s)
{
	if (s->rejected)
		return false;
	if (s->kind == SDP_APPLICATION)
		return ends_in(s->proto, "/DTLS/SCTP");
	return s->kind == SDP_AUDIO && s->opus >= 0 &&
	       ends_in(s->proto, "/TLS/RTP/SAVPF");
}

/* True if the client's side of the section sends, or else receives, Opus. */
static bool
is_usable(const struct sdp_section *s, enum sdp_direction direction)
{
	return is_accepted(s) && s->kind == SDP_AUDIO &&
	       (s->direction == direction || s->direction == SDP_SENDRECV);
}

static void
put_rejection(struct buf *b, const struct sdp_section *s)
{
	buf_printf(b, "m=%s 0 %s %s\r\nc=IN IP4 0.0.0.0\r\n", s->kind_text, s->proto,
	    s->kind == SDP_APPLICATION ? "webrtc-datachannel" : "0");
	if (s->mid[0] != '\0')
		buf_printf(b, "a=mid:%s\r\n", s->mid);
	buf_str(b, "a=inactive\r\n");
}

/* direction: of its audio */
static void
put_section(struct buf *b, const struct sdp_section *s, const char *direction)
{
	const struct audio audio = { s->proto, s->mid, direction, s->opus };

	if (s->kind == SDP_APPLICATION)
		put_data(b, s->proto, s->mid);
	else
		put_audio(b, &audio);
	if (s->kind == SDP_AUDIO && s->mid_extension != 0)
		buf_printf(b, "a=extmap:%d urn:ietf:params:rtp-hdrext:sdes:mid\r\n",
		    s->mid_extension);
}

void
sdp_write_answer(struct buf *b, const struct sdp_local *l, const struct sdp *offer,
    const struct sdp_track *sent, struct sdp_section *used)
{
	const struct sdp_section *end = offer->sections + offer->n, *s, *audio;
	const char *setup = strcmp(offer->setup, "passive") == 0 ? "active" : "passive";
	const char *direction = sent != NULL ? "sendonly" : "recvonly";

	for (audio = offer->sections;
	     audio < end &&
	     !is_usable(audio, sent != NULL ? SDP_RECVONLY : SDP_SENDONLY);)
		audio++;
	*used = (struct sdp_section){ .opus = -1 };
	if (audio < end)
		*used = *audio;
	put_head(b, l);
	for (s = offer->sections; s < end; s++)
		if (is_accepted(s))
			buf_printf(b, " %s", s->mid);
	buf_str(b, "\r\n");
	for (s = offer->sections; s < end; s++) {
		if (!is_accepted(s)) {
			put_rejection(b, s);
			continue;
		}
		put_section(b, s, s == audio ? direction : "inactive");
		if (s == audio && sent != NULL)
			put_track(b, sent);
		put_transport(b, l, setup);
	}
}

void
sdp_write_fragment(
    struct buf *b, const struct sdp_local *l, const struct sdp_section *used)
{
	buf_printf(b, "a=ice-lite\r\na=group:BUNDLE %s\r\n", used->mid);
	buf_printf(
	    b, "m=audio 9 %s %d\r\na=mid:%s\r\n", used->proto, used->opus, used->mid);
	put_ice(b, l);
	put_candidates(b, l);
}

/* ---- offers ---- */

void
sdp_write_offer(
    struct buf *b, const struct sdp_local *l, const struct sdp_track *tracks, size_t n)
{
	char mid[24];

	put_head(b, l);
	for (size_t i = 0; i <= n; i++)
		buf_printf(b, " %zu", i);
	buf_str(b, "\r\n");
	put_data(b, DATA_PROTO, "0");
	put_transport(b, l, "actpass");
	for (size_t i = 0; i < n; i++) {
		snprintf(mid, sizeof(mid), "%zu", i + 1);
		put_audio(b, &(struct audio){ AUDIO_PROTO, mid,
				 tracks[i].sends ? "sendonly" : "inactive", OPUS });
		if (tracks[i].sends)
			put_track(b, &tracks[i]);
		put_transport(b, l, "actpass");
	}
}
