/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/sdp.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MID_URI "urn:ietf:params:rtp-hdrext:sdes:mid"
#define SCTP_PORT 5000 /* default */

/* A piece of the description, which is read from its front. */
struct piece {
	const char *p;
	size_t n;
};

struct reader {
	struct sdp *to;
	struct sdp_section *s;        /* read now; NULL: before the first one */
	enum sdp_direction direction; /* direction of sections without their own */
	bool bundled;
	struct piece bundle; /* mids, parted by spaces */
};

/* ---- pieces ---- */

/* Take the text before the separator, or all; also removes the separator. */
static struct piece
next_piece(struct piece *from, char separator)
{
	const char *end = memchr(from->p, separator, from->n);
	struct piece got = { from->p, end != NULL ? (size_t)(end - from->p) : from->n };
	size_t taken = got.n + (end != NULL);

	from->p += taken;
	from->n -= taken;
	return got;
}

static bool
is(struct piece a, const char *text)
{
	return a.n == strlen(text) && memcmp(a.p, text, a.n) == 0;
}

/* Compare in any case. */
static bool
is_called(struct piece a, const char *text)
{
	return a.n == strlen(text) && strncasecmp(a.p, text, a.n) == 0;
}

/* Read a number. False: not a number, or above most. */
static bool
number(struct piece a, uint32_t most, uint32_t *to)
{
	uint64_t v = 0;

	if (a.n == 0 || a.n > 10)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		if (!isdigit((unsigned char)a.p[i]))
			return false;
		v = 10 * v + (uint64_t)(a.p[i] - '0');
	}
	if (v > most)
		return false;
	*to = (uint32_t)v;
	return true;
}

/*
 * Read a word of least to room - 1 visible characters. False, and "": it is shorter or
 * longer, or has other characters.
 */
static bool
word(struct piece a, size_t least, char *to, size_t room)
{
	to[0] = '\0';
	if (a.n < least || a.n >= room)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (a.p[i] <= ' ' || a.p[i] > '~')
			return false;
	memcpy(to, a.p, a.n);
	to[a.n] = '\0';
	return true;
}

/* ---- attributes of the session or of sections: the first one counts ---- */

static void
read_group(struct reader *r, struct piece value)
{
	if (r->bundled || !is(next_piece(&value, ' '), "BUNDLE"))
		return;
	r->bundled = true;
	r->bundle = value;
}

static void
read_ufrag(struct reader *r, struct piece value)
{
	if (r->to->ufrag[0] == '\0')
		(void)word(value, 4, r->to->ufrag, sizeof(r->to->ufrag));
}

static void
read_pwd(struct reader *r, struct piece value)
{
	if (r->to->pwd[0] == '\0')
		(void)word(value, 22, r->to->pwd, sizeof(r->to->pwd));
}

/* Bytes as hex, n - 1 colons between them. */
static bool
is_print(struct piece a, size_t n)
{
	if (a.n != 3 * n - 1)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (i % 3 == 2 ? a.p[i] != ':' : !isxdigit((unsigned char)a.p[i]))
			return false;
	return true;
}

static void
read_fingerprint(struct reader *r, struct piece value)
{
	static const struct {
		char name[8];
		size_t bytes;
	} hashes[] = { { "sha-256", 32 }, { "sha-384", 48 }, { "sha-512", 64 } };
	struct piece hash = next_piece(&value, ' ');

	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
		if (r->to->hash[0] != '\0' || !is_called(hash, hashes[i].name) ||
		    !is_print(value, hashes[i].bytes))
			continue;
		memcpy(r->to->hash, hashes[i].name, sizeof(r->to->hash));
		for (size_t k = 0; k < value.n; k++)
			r->to->fingerprint[k] =
			    (char)toupper((unsigned char)value.p[k]);
	}
}

static void
read_setup(struct reader *r, struct piece value)
{
	if (r->to->setup[0] == '\0' &&
	    (is(value, "active") || is(value, "passive") || is(value, "actpass")))
		(void)word(value, 1, r->to->setup, sizeof(r->to->setup));
}

static void
read_sctp_port(struct reader *r, struct piece value)
{
	uint32_t port;

	if (number(value, UINT16_MAX, &port) && port > 0)
		r->to->sctp_port = (int)port;
}

static void
read_direction(struct reader *r, enum sdp_direction direction)
{
	if (r->s != NULL)
		r->s->direction = direction;
	else
		r->direction = direction;
}

static void
read_inactive(struct reader *r, struct piece value)
{
	(void)value;
	read_direction(r, SDP_INACTIVE);
}

static void
read_sendonly(struct reader *r, struct piece value)
{
	(void)value;
	read_direction(r, SDP_SENDONLY);
}

static void
read_recvonly(struct reader *r, struct piece value)
{
	(void)value;
	read_direction(r, SDP_RECVONLY);
}

static void
read_sendrecv(struct reader *r, struct piece value)
{
	(void)value;
	read_direction(r, SDP_SENDRECV);
}

/* ---- attributes of sections ---- */

static void
read_mid(struct reader *r, struct piece value)
{
	if (r->s != NULL)
		(void)word(value, 1, r->s->mid, sizeof(r->s->mid));
}

/* "111 opus/48000/2". GStreamer's whepsrc omits the channels, which RFC 7587 requires.
 */
static void
read_rtpmap(struct reader *r, struct piece value)
{
	uint32_t type;

	if (r->s != NULL && r->s->opus < 0 &&
	    number(next_piece(&value, ' '), 127, &type) &&
	    (is_called(value, "opus/48000/2") || is_called(value, "opus/48000")))
		r->s->opus = (int)type;
}

/* "4 urn:...", "4/sendonly urn:..." */
static void
read_extmap(struct reader *r, struct piece value)
{
	struct piece id = next_piece(&value, ' ');
	uint32_t n;

	if (r->s != NULL && r->s->mid_extension == 0 &&
	    is(next_piece(&value, ' '), MID_URI) &&
	    number(next_piece(&id, '/'), 255, &n))
		r->s->mid_extension = (int)n;
}

/* "3735928559 cname:..." */
static void
read_ssrc(struct reader *r, struct piece value)
{
	if (r->s != NULL && r->s->ssrc == 0)
		(void)number(next_piece(&value, ' '), UINT32_MAX, &r->s->ssrc);
}

/* With bundle-only, port 0 is not a refusal (RFC 8843, 7.2.1). */
static void
read_bundle_only(struct reader *r, struct piece value)
{
	(void)value;
	if (r->s != NULL)
		r->s->rejected = false;
}

static const struct {
	const char *name;
	void (*read)(struct reader *, struct piece value);
} attributes[] = {
	{ "group", read_group },
	{ "ice-ufrag", read_ufrag },
	{ "ice-pwd", read_pwd },
	{ "fingerprint", read_fingerprint },
	{ "setup", read_setup },
	{ "sctp-port", read_sctp_port },
	{ "inactive", read_inactive },
	{ "sendonly", read_sendonly },
	{ "recvonly", read_recvonly },
	{ "sendrecv", read_sendrecv },
	{ "mid", read_mid },
	{ "rtpmap", read_rtpmap },
	{ "extmap", read_extmap },
	{ "ssrc", read_ssrc },
	{ "bundle-only", read_bundle_only },
};

static void
read_attribute(struct reader *r, struct piece line)
{
	struct piece name = next_piece(&line, ':');

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (is(name, attributes[i].name))
			attributes[i].read(r, line);
}

/* ---- sections ---- */

static enum sdp_kind
kind_of(const char *text)
{
	static const char *const kinds[] = { "audio", "video", "application" };

	for (int i = 0; i < SDP_OTHER; i++)
		if (strcmp(text, kinds[i]) == 0)
			return (enum sdp_kind)i;
	return SDP_OTHER;
}

/* "audio 9 UDP/TLS/RTP/SAVPF 111 63"; false: malformed, or too many. */
static bool
begin_section(struct reader *r, struct piece line)
{
	struct sdp_section *s = &r->to->sections[r->to->n];
	struct piece kind = next_piece(&line, ' '), port = next_piece(&line, ' ');
	uint32_t n;

	if (r->to->n == SDP_SECTIONS ||
	    !word(kind, 1, s->kind_text, sizeof(s->kind_text)) ||
	    !number(next_piece(&port, '/'), UINT16_MAX, &n) ||
	    !word(next_piece(&line, ' '), 1, s->proto, sizeof(s->proto)))
		return false;
	s->kind = kind_of(s->kind_text);
	s->rejected = n == 0;
	s->direction = r->direction;
	s->opus = -1;
	r->s = s;
	r->to->n++;
	return true;
}

static bool
is_bundled(struct piece mids, const char *mid)
{
	while (mids.n > 0)
		if (is(next_piece(&mids, ' '), mid) && mid[0] != '\0')
			return true;
	return false;
}

/* Read a line. False: malformed. */
static bool
read_line(struct reader *r, struct piece line)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	if (line.n < 2 || line.p[1] != '=')
		return true;
	if (line.p[0] == 'm')
		return begin_section(r, (struct piece){ line.p + 2, line.n - 2 });
	if (line.p[0] == 'a')
		read_attribute(r, (struct piece){ line.p + 2, line.n - 2 });
	return true;
}

/* False: a line is malformed, or the ICE credentials are missing. */
static bool
read_lines(struct reader *r, const char *text, size_t n)
{
	struct piece left = { text, n };

	*r->to = (struct sdp){ .sctp_port = SCTP_PORT };
	if (n > SDP_BYTES)
		return false;
	while (left.n > 0)
		if (!read_line(r, next_piece(&left, '\n')))
			return false;
	return r->to->ufrag[0] != '\0' && r->to->pwd[0] != '\0';
}

bool
sdp_read(const char *text, size_t n, struct sdp *to)
{
	struct reader r = { .to = to, .direction = SDP_SENDRECV };

	if (!read_lines(&r, text, n))
		return false;
	for (size_t i = 0; i < to->n; i++)
		if (!is_bundled(r.bundle, to->sections[i].mid))
			to->sections[i].rejected = true;
	return to->n > 0 && r.bundled && to->hash[0] != '\0';
}

bool
sdp_read_fragment(const char *text, size_t n, struct sdp *to)
{
	struct reader r = { .to = to, .direction = SDP_SENDRECV };

	return read_lines(&r, text, n);
}
