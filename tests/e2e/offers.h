/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_OFFERS_H
#define E2E_OFFERS_H

/* Offers of encoders and players, which never connect. */

#define OFFER "application/sdp"

#define HEAD "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\n"
#define CREDENTIALS "a=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\n"
#define TRANSPORT                                                                      \
	CREDENTIALS "a=fingerprint:sha-256 "                                           \
		    "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:"  \
		    "55:66:77:88:99:AA:BB:CC:DD:EE:FF\r\na=setup:actpass\r\n"
#define AUDIO(port, direction)                                                         \
	"m=audio " port " UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\n"    \
	"a=" direction "\r\na=rtcp-mux\r\na=rtpmap:111 opus/48000/2\r\n"
#define VIDEO                                                                          \
	"m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\n"            \
	"a=sendonly\r\na=rtcp-mux\r\na=rtpmap:96 VP8/90000\r\n"
#define SPEAKS HEAD AUDIO("9", "sendonly") TRANSPORT
#define LISTENS HEAD AUDIO("9", "recvonly") TRANSPORT

#endif
