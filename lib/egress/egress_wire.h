#ifndef EGRESS_EGRESS_WIRE_H
#define EGRESS_EGRESS_WIRE_H

/*
 * Between the gateway and its child dragoman-egress: messages of a SOCK_SEQPACKET
 * socket, the child's descriptor 0.  The first one, to the child, is its order, a JSON
 * object; of all others the first byte is their kind, and of those to the child the
 * second one, where it is named, is the index of a language of the order.  At its end
 * of file the child ends.
 */
#define EGRESS_MESSAGE_MOST 65536 /* bytes */

enum egress_kind {
	/* To the child: index; 1 at the end of a phrase, else 0; Opus as in
	   audio/opus_packets.h. */
	EGRESS_AUDIO = 'A',
	/* To the child: index.  What waits of it is dropped. */
	EGRESS_FLUSH = 'F',
	/* To the child: index; duration, ms, 4 bytes, big-endian; one or two rows. */
	EGRESS_CAPTION = 'C',
	/* To the child, with a descriptor (SCM_RIGHTS): MPEG-TS as of INGRESS_ORIGINAL
	   is read from it, and no longer from the one before. */
	EGRESS_ORIGINAL = 'O',
	/*
	 * From the child, a JSON object: "status", "pending" or "active"; "bitrate",
	 * bit/s that go out, or null; "error", a sentence, or null.
	 */
	EGRESS_STATUS = 'S',
};

#endif
