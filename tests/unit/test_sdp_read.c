/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/sdp_fixture.h"

/* clang-format off */
static const struct {
	const char *name, *setup, *ufrag, *sections;
} clients[] = {
	{ "chromium-data", "actpass", "pQ3x", "application '0' sendrecv\n" },
	{ "chromium-audio", "actpass", "pQ3x",
	  "application '0' sendrecv\n"
	  "audio '1' sendonly opus 111 mid 4 ssrc 2746821903\n" },
	{ "chromium-video", "actpass", "pQ3x",
	  "application '0' sendrecv\n"
	  "audio '1' sendonly opus 111 mid 4 ssrc 2746821903\n"
	  "video '2' sendonly mid 4\n" },
	{ "chromium-republished", "actpass", "pQ3x",
	  "application '0' sendrecv\n"
	  "audio '1' inactive opus 111 mid 4\n"
	  "audio '2' sendonly opus 111 mid 4 ssrc 3958200417\n" },
	{ "chromium-stopped", "actpass", "pQ3x",
	  "application '0' sendrecv\n"
	  "audio '1' rejected opus 111 mid 4\n" },
	{ "chromium-answer", "active", "pQ3x",
	  "application '0' sendrecv\n"
	  "audio '1' recvonly opus 111\n"
	  "audio '2' inactive opus 111\n" },
	{ "firefox-audio", "actpass", "2f8c01de",
	  "application '0' sendrecv\n"
	  "audio '1' sendonly opus 109 mid 3 ssrc 1460532877\n" },
	{ "firefox-video", "actpass", "2f8c01de",
	  "application '0' sendrecv\n"
	  "audio '1' sendonly opus 109 mid 3 ssrc 1460532877\n"
	  "video '2' sendonly mid 3 ssrc 3320171140\n" },
	{ "firefox-bundle-only", "actpass", "2f8c01de",
	  "application '0' sendrecv\n"
	  "audio '1' inactive opus 109 mid 3 ssrc 1460532877\n"
	  "audio '2' sendonly opus 109 mid 3 ssrc 99\n" },
	{ "firefox-answer", "active", "2f8c01de",
	  "application '0' sendrecv\n"
	  "audio '1' recvonly opus 111 ssrc 1460532877\n" },
	{ "rust-data", "actpass", "pQ3x", "application '0' sendrecv\n" },
	{ "rust-audio", "actpass", "pQ3x",
	  "application '0' sendrecv\n"
	  "audio '1' sendrecv opus 111 mid 4 ssrc 2746821903\n" },
	{ "rust-tcp", "actpass", "pQ3x",
	  "audio 'audio' sendonly opus 111 mid 4 ssrc 2746821903\n"
	  "application 'data' sendrecv\n" },
};
/* clang-format on */

START_TEST(descriptions_of_clients_are_read)
{
	ck_assert(reads(kept(clients[_i].name)));
	ck_assert_str_eq(sections(), clients[_i].sections);
	ck_assert_str_eq(sdp.setup, clients[_i].setup);
	ck_assert_str_eq(sdp.ufrag, clients[_i].ufrag);
	ck_assert_uint_ge(strlen(sdp.pwd), 22);
	ck_assert_str_eq(sdp.hash, "sha-256");
	ck_assert_str_eq(sdp.fingerprint, PRINT);
	ck_assert_int_eq(sdp.sctp_port, 5000);
}
END_TEST

/* Line ends may be LF alone, and the last one may have none. */
START_TEST(line_ends_may_be_bare)
{
	const char *text = kept("chromium-audio");
	char *bare = arena_alloc(mem, strlen(text) + 1), *to = bare;

	for (; *text != '\0'; text++)
		if (*text != '\r')
			*to++ = *text;
	to[-1] = '\0';
	ck_assert(reads(bare));
	ck_assert_str_eq(sections(), clients[1].sections);
}
END_TEST

/* ---- what is required ---- */

START_TEST(what_is_required_is_all_there)
{
	ck_assert(reads(LEAST));
	ck_assert(reads(HEAD BUNDLE APPLICATION MID UFRAG PWD FINGERPRINT));
	ck_assert(!reads(""));
	ck_assert(!reads("\r\n\r\n"));
	ck_assert(!reads(HEAD UFRAG PWD FINGERPRINT APPLICATION MID));
	ck_assert(
	    !reads(HEAD "a=group:LS 0\r\n" UFRAG PWD FINGERPRINT APPLICATION MID));
	ck_assert(!reads(HEAD BUNDLE PWD FINGERPRINT APPLICATION MID));
	ck_assert(!reads(HEAD BUNDLE UFRAG FINGERPRINT APPLICATION MID));
	ck_assert(!reads(HEAD BUNDLE UFRAG PWD APPLICATION MID));
	ck_assert(!reads(HEAD BUNDLE UFRAG PWD FINGERPRINT));
}
END_TEST

static const char *const malformed[] = { "m=", "m=audio", "m=audio 9",
	"m=audio x UDP/TLS/RTP/SAVPF 111", "m=audio 65536 UDP/TLS/RTP/SAVPF 111",
	"m=audio -1 UDP/TLS/RTP/SAVPF 111", "m= 9 UDP/TLS/RTP/SAVPF 111",
	"m=aVeryLongKindOfMedia 9 UDP/TLS/RTP/SAVPF 111",
	"m=audio 9 aVeryLongProtocolThatNobodyHasEverHeardOf 111",
	"m=au\tdio 9 UDP/TLS/RTP/SAVPF 111", "m=audio 9  111" };

START_TEST(malformed_sections_are_refused)
{
	ck_assert_msg(!reads(arena_printf(mem, LEAST "%s\r\n", malformed[_i])), "%s",
	    malformed[_i]);
}
END_TEST

START_TEST(credentials_have_their_lengths)
{
	char *ufrag = arena_alloc(mem, 300), *pwd = arena_alloc(mem, 300);
	static const struct {
		int ufrag, pwd;
		bool good;
	} lengths[] = { { 4, 22, true }, { 3, 22, false }, { 4, 21, false },
		{ 256, 256, true }, { 257, 256, false }, { 256, 257, false } };

	for (int i = 0; i < COUNT(lengths); i++) {
		memset(ufrag, 'u', 300), ufrag[lengths[i].ufrag] = '\0';
		memset(pwd, 'p', 300), pwd[lengths[i].pwd] = '\0';
		ck_assert_msg(reads(arena_printf(mem,
				  HEAD BUNDLE FINGERPRINT
				  "a=ice-ufrag:%s\r\na=ice-pwd:%s\r\n" APPLICATION MID,
				  ufrag, pwd)) == lengths[i].good,
		    "row %d", i);
	}
}
END_TEST

START_TEST(the_first_credentials_count)
{
	ck_assert(
	    reads(LEAST "a=ice-ufrag:other\r\na=ice-pwd:x123456789012345678901\r\n"
			"a=fingerprint:sha-256 FF" PRINT "\r\n"));
	ck_assert_str_eq(sdp.ufrag, "abcd");
	ck_assert_str_eq(sdp.pwd, "0123456789012345678901");
	ck_assert_str_eq(sdp.fingerprint, PRINT);
}
END_TEST

#define TEN "ab:cd:ef:01:23:45:67:89:AB:CD:"
#define TEN_UPPER "AB:CD:EF:01:23:45:67:89:AB:CD:"

static const struct {
	const char *value, *hash, *print; /* hash: NULL: refused */
} prints[] = {
	{ "sha-256 " PRINT, "sha-256", PRINT },
	{ "SHA-256 " TEN TEN TEN "ab:cd", "sha-256",
	    TEN_UPPER TEN_UPPER TEN_UPPER "AB:CD" },
	{ "sha-384 " TEN TEN TEN TEN "01:02:03:04:05:06:07:08", "sha-384",
	    TEN_UPPER TEN_UPPER TEN_UPPER TEN_UPPER "01:02:03:04:05:06:07:08" },
	{ "sha-512 " TEN TEN TEN TEN TEN TEN "01:02:03:04", "sha-512",
	    TEN_UPPER TEN_UPPER TEN_UPPER TEN_UPPER TEN_UPPER TEN_UPPER "01:02:03:04" },
	{ "sha-1 " TEN TEN, NULL, NULL },
	{ "sha-1 " TEN TEN "\r\na=fingerprint:sha-256 " PRINT, "sha-256", PRINT },
	{ "sha-256 " PRINT ":00", NULL, NULL },
	{ "sha-256 " TEN TEN TEN "ab:", NULL, NULL },
	{ "sha-256 " TEN TEN TEN "ab:cg", NULL, NULL },
	{ "sha-256 " TEN TEN TEN "ab-cd", NULL, NULL },
	{ "sha-256", NULL, NULL },
	{ "", NULL, NULL },
};

START_TEST(fingerprints_are_of_known_hashes)
{
	bool good = reads(arena_printf(mem,
	    HEAD BUNDLE UFRAG PWD APPLICATION MID "a=fingerprint:%s\r\n",
	    prints[_i].value));

	ck_assert_int_eq(good, prints[_i].hash != NULL);
	if (!good)
		return;
	ck_assert_str_eq(sdp.hash, prints[_i].hash);
	ck_assert_str_eq(sdp.fingerprint, prints[_i].print);
}
END_TEST

/* ---- limits ---- */

START_TEST(more_sections_than_there_may_be_are_refused)
{
	struct buf b = { .mem = mem };

	buf_str(&b, HEAD "a=group:BUNDLE");
	for (int i = 0; i <= SDP_SECTIONS; i++)
		buf_printf(&b, " %d", i);
	buf_str(&b, "\r\n" UFRAG PWD FINGERPRINT);
	for (int i = 0; i < SDP_SECTIONS; i++)
		buf_printf(&b, "%sa=mid:%d\r\n", APPLICATION, i);
	ck_assert(reads(buf_text(&b)));
	ck_assert_uint_eq(sdp.n, SDP_SECTIONS);
	ck_assert_str_eq(sdp.sections[23].mid, "23");
	buf_str(&b, APPLICATION "a=mid:24\r\n");
	ck_assert(!reads(buf_text(&b)));
}
END_TEST

START_TEST(large_descriptions_are_refused)
{
	struct buf b = { .mem = mem };

	buf_str(&b, LEAST);
	while (b.len < SDP_BYTES - 1)
		buf_str(&b, "x");
	buf_str(&b, "\n");
	ck_assert(reads(buf_text(&b)));
	buf_str(&b, "\n");
	ck_assert(!reads(buf_text(&b)));
}
END_TEST

static const struct {
	const char *line;
	int opus, mid_extension;
	uint32_t ssrc;
	int sctp_port;
} numbers[] = {
	{ "a=rtpmap:127 opus/48000/2", 127, 0, 0, 5000 },
	{ "a=rtpmap:0 OPUS/48000/2", 0, 0, 0, 5000 },
	{ "a=rtpmap:128 opus/48000/2", -1, 0, 0, 5000 },
	{ "a=rtpmap:-1 opus/48000/2", -1, 0, 0, 5000 },
	{ "a=rtpmap: opus/48000/2", -1, 0, 0, 5000 },
	{ "a=rtpmap:111 opus/48000", 111, 0, 0, 5000 },
	{ "a=rtpmap:111 opus/16000", -1, 0, 0, 5000 },
	{ "a=rtpmap:111 multiopus/48000/6", -1, 0, 0, 5000 },
	{ "a=rtpmap:111 opus/48000/2\r\na=rtpmap:112 opus/48000/2", 111, 0, 0, 5000 },
	{ "a=extmap:255 urn:ietf:params:rtp-hdrext:sdes:mid", -1, 255, 0, 5000 },
	{ "a=extmap:256 urn:ietf:params:rtp-hdrext:sdes:mid", -1, 0, 0, 5000 },
	{ "a=extmap:x urn:ietf:params:rtp-hdrext:sdes:mid", -1, 0, 0, 5000 },
	{ "a=extmap:9/sendonly urn:ietf:params:rtp-hdrext:sdes:mid x", -1, 9, 0, 5000 },
	{ "a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:middle", -1, 0, 0, 5000 },
	{ "a=ssrc:4294967295 cname:x", -1, 0, 4294967295, 5000 },
	{ "a=ssrc:4294967296 cname:x", -1, 0, 0, 5000 },
	{ "a=ssrc:99999999999999999999999 cname:x", -1, 0, 0, 5000 },
	{ "a=ssrc:1 cname:x\r\na=ssrc:2 cname:x", -1, 0, 1, 5000 },
	{ "a=ssrc:", -1, 0, 0, 5000 },
	{ "a=ssrc-group:FID 1 2", -1, 0, 0, 5000 },
	{ "a=sctp-port:65535", -1, 0, 0, 65535 },
	{ "a=sctp-port:65536", -1, 0, 0, 5000 },
	{ "a=sctp-port:0", -1, 0, 0, 5000 },
	{ "a=sctp-port:5000x", -1, 0, 0, 5000 },
};

START_TEST(numbers_out_of_range_are_absent)
{
	const struct sdp_section *s = &sdp.sections[1];

	ck_assert(reads(
	    arena_printf(mem, LEAST AUDIO "a=mid:1\r\n%s\r\n", numbers[_i].line)));
	ck_assert_int_eq(s->opus, numbers[_i].opus);
	ck_assert_int_eq(s->mid_extension, numbers[_i].mid_extension);
	ck_assert_uint_eq(s->ssrc, numbers[_i].ssrc);
	ck_assert_int_eq(sdp.sctp_port, numbers[_i].sctp_port);
}
END_TEST

START_TEST(directions_of_the_session_are_those_of_its_sections)
{
	ck_assert(reads(HEAD BUNDLE "a=recvonly\r\n" UFRAG PWD FINGERPRINT AUDIO MID));
	ck_assert_int_eq(sdp.sections[0].direction, SDP_RECVONLY);
	ck_assert(reads(HEAD BUNDLE "a=recvonly\r\n" UFRAG PWD FINGERPRINT AUDIO MID
				    "a=inactive\r\n"));
	ck_assert_int_eq(sdp.sections[0].direction, SDP_INACTIVE);
	ck_assert(reads(LEAST));
	ck_assert_int_eq(sdp.sections[0].direction, SDP_SENDRECV);
}
END_TEST

START_TEST(sections_that_are_not_bundled_are_rejected)
{
	ck_assert(reads(LEAST AUDIO "a=mid:1\r\n" AUDIO AUDIO
				    "a=mid:012345678901234567890123456789012\r\n"));
	ck_assert_str_eq(sections(), "application '0' sendrecv\naudio '1' rejected\n"
				     "audio '' rejected\naudio '' rejected\n");
}
END_TEST

START_TEST(setup_is_one_of_three)
{
	ck_assert(reads(LEAST "a=setup:holdconn\r\na=setup:passive\r\n"));
	ck_assert_str_eq(sdp.setup, "passive");
	ck_assert(reads(LEAST "a=setup:ACTIVE\r\n"));
	ck_assert_str_eq(sdp.setup, "");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sdp_read");
	TCase *t = tcase_create("reading");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, descriptions_of_clients_are_read, 0, COUNT(clients));
	tcase_add_test(t, line_ends_may_be_bare);
	tcase_add_test(t, what_is_required_is_all_there);
	tcase_add_loop_test(t, malformed_sections_are_refused, 0, COUNT(malformed));
	tcase_add_test(t, credentials_have_their_lengths);
	tcase_add_test(t, the_first_credentials_count);
	tcase_add_loop_test(t, fingerprints_are_of_known_hashes, 0, COUNT(prints));
	tcase_add_test(t, more_sections_than_there_may_be_are_refused);
	tcase_add_test(t, large_descriptions_are_refused);
	tcase_add_loop_test(t, numbers_out_of_range_are_absent, 0, COUNT(numbers));
	tcase_add_test(t, directions_of_the_session_are_those_of_its_sections);
	tcase_add_test(t, sections_that_are_not_bundled_are_rejected);
	tcase_add_test(t, setup_is_one_of_three);
	suite_add_tcase(s, t);
	return unit_run(s);
}
