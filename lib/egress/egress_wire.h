/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EGRESS_EGRESS_WIRE_H
#define EGRESS_EGRESS_WIRE_H

/*
 * Messages between the gateway and its child dragoman-egress, over a SOCK_SEQPACKET
 * socket that is the child's descriptor 0. The first message to the child is its order,
 * a JSON object. The first byte of all others is their kind. In messages to the child
 * the second byte is the index of a language in the order; if the original is not one
 * of them, its index is their number. The child exits at end of file.
 */
#define EGRESS_MESSAGE_MOST 65536 /* bytes */
#define EGRESS_LANGUAGES_MOST 68
/* Files that the child reads to resolve host names and check certificates, for
   struct child. */
#define EGRESS_READS                                                                   \
	((const char *const[]){ "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf",    \
	    "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/ssl/certs", NULL })

enum egress_kind {
	/* A byte, 1: a segment ends; then Opus as in audio/opus_packets.h. On
	   average no faster than real time. */
	EGRESS_AUDIO = 'A',
	/* Instead, the original of an incoming stream: 8 bytes, big-endian, the time
	   of its first sample in us; then Opus. The second byte is 0. */
	EGRESS_ORIGINAL = 'O',
	/*
	 * The picture of that stream: 8 bytes, the offset in us to add to its times so
	 * that they match the sound; then a message of media/picture_wire.h. The second
	 * byte is 0.
	 */
	EGRESS_PICTURE = 'P',
	EGRESS_FLUSH = 'F', /* discard queued sound of the language */
	/* 4 bytes, big-endian: duration in ms; then its text, UTF-8, with a newline
	   between its rows. */
	EGRESS_CAPTION = 'C',
	/*
	 * From the child: a JSON object: "status", "pending" or "active"; "bitrate",
	 * bit/s of the output, or null; "error", a sentence, or null.
	 */
	EGRESS_STATUS = 'S',
};

#endif
