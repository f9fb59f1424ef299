/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNIT_SDP_FIXTURE_H
#define UNIT_SDP_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "rtc/sdp.h"
#include "tests/unit/suite.h"

/* Parts of a session description. */
#define PRINT                                                                          \
	"0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9:"                             \
	"0A:1B:2C:3D:4E:5F:60:71:82:93:A4:B5:C6:D7:E8:F9"

#define HEAD "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
#define BUNDLE "a=group:BUNDLE 0\r\n"
#define UFRAG "a=ice-ufrag:abcd\r\n"
#define PWD "a=ice-pwd:0123456789012345678901\r\n"
#define FINGERPRINT "a=fingerprint:sha-256 " PRINT "\r\n"
#define APPLICATION "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"
#define MID "a=mid:0\r\n"
#define LEAST HEAD BUNDLE UFRAG PWD FINGERPRINT APPLICATION MID
#define AUDIO "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n"

static struct arena *mem;
static struct sdp sdp;

static inline void
set_up(void)
{
	mem = arena_new();
}

static inline void
tear_down(void)
{
	arena_free(mem);
}

static inline bool
reads(const char *text)
{
	return sdp_read(text, strlen(text), &sdp);
}

/* ---- what clients send ---- */

static inline const char *
kept(const char *name)
{
	const char *path = arena_printf(mem, "tests/fuzz/corpus/sdp/%s", name);
	FILE *f = fopen(path, "r");
	char *text = arena_alloc(mem, SDP_BYTES);

	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_uint_gt(fread(text, 1, SDP_BYTES - 1, f), 0);
	fclose(f);
	return text;
}

/*
 * Returns a line for each section, such as "audio 1 sendonly opus 111 mid 4 ssrc
 * 2746821903".
 */
static inline const char *
sections(void)
{
	static const char *const directions[] = { "inactive", "sendonly", "recvonly",
		"sendrecv" };
	static const char *const kinds[] = { "audio", "video", "application", "other" };
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < sdp.n; i++) {
		const struct sdp_section *s = &sdp.sections[i];

		buf_printf(&b, "%s '%s' %s", kinds[s->kind], s->mid,
		    s->rejected ? "rejected" : directions[s->direction]);
		if (s->opus >= 0)
			buf_printf(&b, " opus %d", s->opus);
		if (s->mid_extension > 0)
			buf_printf(&b, " mid %d", s->mid_extension);
		if (s->ssrc > 0)
			buf_printf(&b, " ssrc %u", s->ssrc);
		buf_str(&b, "\n");
	}
	return buf_text(&b);
}

#endif
