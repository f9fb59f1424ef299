/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/sdp_fixture.h"

/* ---- what we write ---- */

static const struct ice_candidate candidates[] = {
	{ "198.51.100.7", 8794, false, 2130706431, 1 },
	{ "198.51.100.7", 8794, true, 1671430143, 2 },
};

static const struct sdp_local ours = { .id = 4611686018427387904,
	.version = 3,
	.ice = { "Ufrag/+8", "ThePasswordHas24Letters/" },
	.fingerprint = PRINT,
	.candidates = candidates,
	.n_candidates = 2 };

#define OUR_HEAD(mids)                                                                 \
	"v=0\r\n"                                                                      \
	"o=- 4611686018427387904 3 IN IP4 198.51.100.7\r\n"                            \
	"s=-\r\n"                                                                      \
	"t=0 0\r\n"                                                                    \
	"a=ice-lite\r\n"                                                               \
	"a=msid-semantic: WMS *\r\n"                                                   \
	"a=group:BUNDLE" mids "\r\n"
#define OUR_TRANSPORT(setup)                                                           \
	"a=ice-ufrag:Ufrag/+8\r\n"                                                     \
	"a=ice-pwd:ThePasswordHas24Letters/\r\n" FINGERPRINT "a=setup:" setup "\r\n"   \
	"a=candidate:1 1 udp 2130706431 198.51.100.7 8794 typ host\r\n"                \
	"a=candidate:2 1 tcp 1671430143 198.51.100.7 8794 typ host tcptype "           \
	"passive\r\n"                                                                  \
	"a=end-of-candidates\r\n"
#define OUR_DATA(proto, mid)                                                           \
	"m=application 9 " proto " webrtc-datachannel\r\n"                             \
	"c=IN IP4 0.0.0.0\r\n"                                                         \
	"a=mid:" mid "\r\n"                                                            \
	"a=sctp-port:5000\r\n"                                                         \
	"a=max-message-size:262144\r\n"
#define OUR_AUDIO(proto, opus, mid, direction)                                         \
	"m=audio 9 " proto " " opus "\r\n"                                             \
	"c=IN IP4 0.0.0.0\r\n"                                                         \
	"a=rtcp:9 IN IP4 0.0.0.0\r\n"                                                  \
	"a=mid:" mid "\r\n"                                                            \
	"a=" direction "\r\n"                                                          \
	"a=rtcp-mux\r\n"                                                               \
	"a=rtpmap:" opus " opus/48000/2\r\n"                                           \
	"a=fmtp:" opus " minptime=10;useinbandfec=1\r\n"                               \
	"a=ptime:20\r\n"
#define OUR_MID(id) "a=extmap:" id " urn:ietf:params:rtp-hdrext:sdes:mid\r\n"
#define REJECTION(kind, proto, mid)                                                    \
	"m=" kind " 0 " proto " 0\r\nc=IN IP4 0.0.0.0\r\na=mid:" mid                   \
	"\r\na=inactive\r\n"
#define RTP "UDP/TLS/RTP/SAVPF"
#define SCTP "UDP/DTLS/SCTP"

static struct sdp_section received;

static const char *
answer_to(const char *offer)
{
	struct buf b = { .mem = mem };

	ck_assert(reads(offer));
	sdp_write_answer(&b, &ours, &sdp, NULL, &received);
	return buf_text(&b);
}

START_TEST(answers_have_the_sections_of_the_offer)
{
	ck_assert_str_eq(answer_to(kept("chromium-video")),
	    OUR_HEAD(" 0 1") OUR_DATA(SCTP, "0") OUR_TRANSPORT("passive")
		OUR_AUDIO(RTP, "111", "1", "recvonly") OUR_MID("4")
		    OUR_TRANSPORT("passive") REJECTION("video", RTP, "2"));
	ck_assert_int_eq(received.opus, 111);
	ck_assert_int_eq(received.mid_extension, 4);
	ck_assert_uint_eq(received.ssrc, 2746821903);
}
END_TEST

START_TEST(answers_have_the_payload_type_of_the_offer)
{
	ck_assert_str_eq(answer_to(kept("firefox-audio")),
	    OUR_HEAD(" 0 1") OUR_DATA(SCTP, "0") OUR_TRANSPORT("passive") OUR_AUDIO(
		RTP, "109", "1", "recvonly") OUR_MID("3") OUR_TRANSPORT("passive"));
	ck_assert_int_eq(received.opus, 109);
}
END_TEST

START_TEST(answers_to_data_alone_receive_nothing)
{
	ck_assert_str_eq(answer_to(kept("rust-data")),
	    OUR_HEAD(" 0") OUR_DATA(SCTP, "0") OUR_TRANSPORT("passive"));
	ck_assert_int_eq(received.opus, -1);
}
END_TEST

START_TEST(answers_keep_the_protocol_and_the_order)
{
	ck_assert_str_eq(answer_to(kept("rust-tcp")),
	    OUR_HEAD(" audio data") OUR_AUDIO("TCP/TLS/RTP/SAVPF", "111", "audio",
		"recvonly") OUR_MID("4") OUR_TRANSPORT("passive")
		OUR_DATA("TCP/DTLS/SCTP", "data") OUR_TRANSPORT("passive"));
}
END_TEST

START_TEST(a_passive_offer_is_answered_active)
{
	char *offer = arena_str(mem, kept("rust-data")), *setup;

	while ((setup = strstr(offer, "a=setup:actpass")) != NULL)
		memcpy(setup, "a=setup:passive", 15);
	ck_assert_str_eq(answer_to(offer),
	    OUR_HEAD(" 0") OUR_DATA(SCTP, "0") OUR_TRANSPORT("active"));
}
END_TEST

START_TEST(the_first_section_that_sends_is_received)
{
	ck_assert_str_eq(answer_to(kept("chromium-republished")),
	    OUR_HEAD(" 0 1 2") OUR_DATA(SCTP, "0") OUR_TRANSPORT("passive")
		OUR_AUDIO(RTP, "111", "1", "inactive") OUR_MID("4")
		    OUR_TRANSPORT("passive") OUR_AUDIO(RTP, "111", "2", "recvonly")
			OUR_MID("4") OUR_TRANSPORT("passive"));
	ck_assert_uint_eq(received.ssrc, 3958200417);
	answer_to(kept("firefox-bundle-only"));
	ck_assert_uint_eq(received.ssrc, 99);
	ck_assert_str_eq(received.mid, "2");
}
END_TEST

#define OUR_SOUND                                                                      \
	"a=msid:stream|it it\r\na=ssrc:7 cname:stream\r\na=ssrc:7 msid:stream|it "     \
	"it\r\n"

START_TEST(a_track_is_sent_in_the_first_section_that_receives)
{
	const struct sdp_track track = { true, 7, "stream", "it" };
	char *offer = arena_str(mem, kept("chromium-republished")), *direction;
	struct buf b = { .mem = mem };

	while ((direction = strstr(offer, "a=sendonly")) != NULL)
		memcpy(direction, "a=recvonly", 10);
	ck_assert(reads(offer));
	sdp_write_answer(&b, &ours, &sdp, &track, &received);
	ck_assert_str_eq(buf_text(&b),
	    OUR_HEAD(" 0 1 2") OUR_DATA(SCTP, "0") OUR_TRANSPORT("passive")
		OUR_AUDIO(RTP, "111", "1", "inactive") OUR_MID("4")
		    OUR_TRANSPORT("passive") OUR_AUDIO(RTP, "111", "2", "sendonly")
			OUR_MID("4") OUR_SOUND OUR_TRANSPORT("passive"));
	ck_assert_str_eq(received.mid, "2");
}
END_TEST

START_TEST(fragments_have_one_section)
{
	struct buf b = { .mem = mem };

	answer_to(kept("firefox-audio"));
	sdp_write_fragment(&b, &ours, &received);
	ck_assert_str_eq(buf_text(&b),
	    "a=ice-lite\r\na=group:BUNDLE 1\r\nm=audio 9 " RTP " 109\r\na=mid:1\r\n"
	    "a=ice-ufrag:Ufrag/+8\r\na=ice-pwd:ThePasswordHas24Letters/\r\n"
	    "a=candidate:1 1 udp 2130706431 198.51.100.7 8794 typ host\r\n"
	    "a=candidate:2 1 tcp 1671430143 198.51.100.7 8794 typ host tcptype "
	    "passive\r\na=end-of-candidates\r\n");
	ck_assert(sdp_read_fragment(b.p, b.len, &sdp));
	ck_assert_str_eq(sdp.ufrag, "Ufrag/+8");
	ck_assert(!sdp_read_fragment("a=mid:0\r\n", 9, &sdp));
}
END_TEST

START_TEST(stopped_sections_stay_so)
{
	ck_assert_str_eq(answer_to(kept("chromium-stopped")),
	    OUR_HEAD(" 0") OUR_DATA(SCTP, "0") OUR_TRANSPORT("passive")
		REJECTION("audio", RTP, "1"));
	ck_assert_int_eq(received.opus, -1);
}
END_TEST

START_TEST(a_second_audio_section_is_inactive)
{
	const char *answer =
	    answer_to(HEAD "a=group:BUNDLE 0 1\r\n" UFRAG PWD FINGERPRINT AUDIO MID
			   "a=rtpmap:111 opus/48000/2\r\n" AUDIO
			   "a=mid:1\r\na=rtpmap:111 opus/48000/2\r\n");

	ck_assert_str_eq(answer, OUR_HEAD(" 0 1") OUR_AUDIO(RTP, "111", "0", "recvonly")
				     OUR_TRANSPORT("passive") OUR_AUDIO(RTP, "111", "1",
					 "inactive") OUR_TRANSPORT("passive"));
	ck_assert_str_eq(received.mid, "0");
}
END_TEST

START_TEST(sections_of_no_use_are_rejected)
{
	ck_assert_str_eq(
	    answer_to(HEAD "a=group:BUNDLE 0 1 2 3\r\n" UFRAG PWD FINGERPRINT AUDIO MID
			   "a=rtpmap:111 PCMU/8000\r\n"
			   "m=text 9 RTP/AVP 98\r\na=mid:1\r\n"
			   "m=audio 9 RTP/SAVPF 111\r\na=mid:2\r\n"
			   "a=rtpmap:111 opus/48000/2\r\n"
			   "m=application 9 DTLS/SCTP 5000\r\na=mid:3\r\n"),
	    OUR_HEAD("") REJECTION("audio", RTP, "0") REJECTION("text", "RTP/AVP", "1")
		REJECTION("audio", "RTP/SAVPF",
		    "2") "m=application 0 DTLS/SCTP webrtc-datachannel\r\n"
			 "c=IN IP4 0.0.0.0\r\na=mid:3\r\na=inactive\r\n");
	ck_assert_int_eq(received.opus, -1);
}
END_TEST

START_TEST(offers_have_data_first)
{
	struct buf b = { .mem = mem };

	sdp_write_offer(&b, &ours, NULL, 0);
	ck_assert_str_eq(
	    buf_text(&b), OUR_HEAD(" 0") OUR_DATA(SCTP, "0") OUR_TRANSPORT("actpass"));
}
END_TEST

START_TEST(offers_have_a_section_for_each_track)
{
	static const struct sdp_track tracks[] = {
		{ true, 4294967295, "PA_translator0", "TR_000000000es" },
		{ false, 0, NULL, NULL },
	};
	struct buf b = { .mem = mem };

	sdp_write_offer(&b, &ours, tracks, 2);
	ck_assert_str_eq(buf_text(&b),
	    OUR_HEAD(" 0 1 2") OUR_DATA(SCTP, "0") OUR_TRANSPORT("actpass") OUR_AUDIO(
		RTP, "111", "1",
		"sendonly") "a=msid:PA_translator0|TR_000000000es TR_000000000es\r\n"
			    "a=ssrc:4294967295 cname:PA_translator0\r\n"
			    "a=ssrc:4294967295 msid:PA_translator0|TR_000000000es "
			    "TR_000000000es\r\n" OUR_TRANSPORT("actpass") OUR_AUDIO(
				RTP, "111", "2", "inactive") OUR_TRANSPORT("actpass"));
	ck_assert(reads(buf_text(&b)));
	ck_assert_str_eq(sections(), "application '0' sendrecv\n"
				     "audio '1' sendonly opus 111 ssrc 4294967295\n"
				     "audio '2' inactive opus 111\n");
}
END_TEST

START_TEST(addresses_of_ipv6_are_told_as_such)
{
	const struct ice_candidate six = { "2001:db8::7", 8794, false, 2130706431, 1 };
	struct buf b = { .mem = mem };
	struct sdp_local l = ours;

	l.candidates = &six;
	l.n_candidates = 1;
	sdp_write_offer(&b, &l, NULL, 0);
	ck_assert_ptr_nonnull(strstr(buf_text(&b), " IN IP6 2001:db8::7\r\n"));
	l.n_candidates = 0;
	b.len = 0;
	sdp_write_offer(&b, &l, NULL, 0);
	ck_assert_ptr_nonnull(strstr(buf_text(&b), " IN IP4 0.0.0.0\r\ns=-"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sdp_write");
	TCase *t = tcase_create("writing");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, answers_have_the_sections_of_the_offer);
	tcase_add_test(t, answers_have_the_payload_type_of_the_offer);
	tcase_add_test(t, answers_to_data_alone_receive_nothing);
	tcase_add_test(t, answers_keep_the_protocol_and_the_order);
	tcase_add_test(t, a_passive_offer_is_answered_active);
	tcase_add_test(t, the_first_section_that_sends_is_received);
	tcase_add_test(t, a_track_is_sent_in_the_first_section_that_receives);
	tcase_add_test(t, fragments_have_one_section);
	tcase_add_test(t, stopped_sections_stay_so);
	tcase_add_test(t, a_second_audio_section_is_inactive);
	tcase_add_test(t, sections_of_no_use_are_rejected);
	tcase_add_test(t, offers_have_data_first);
	tcase_add_test(t, offers_have_a_section_for_each_track);
	tcase_add_test(t, addresses_of_ipv6_are_told_as_such);
	suite_add_tcase(s, t);
	return unit_run(s);
}
