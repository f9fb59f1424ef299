#ifndef EGRESS_EGRESS_WIRE_H
#define EGRESS_EGRESS_WIRE_H

/*
 * Between the gateway and its child dragoman-egress: messages of a SOCK_SEQPACKET
 * socket, the child's descriptor 0.  The first one, to the child, is its order, a JSON
 * object; of all others the first byte is their kind, and of those to the child the
 * second is the index of a language of the order; of the original, where that is none
 * of them, it is their number.  At its end of file the child ends.
 */
#define EGRESS_MESSAGE_MOST 65536 /* bytes */
#define EGRESS_LANGUAGES_MOST 68
/* Files it reads, for names of hosts and their certificates; as struct child has it. */
#define EGRESS_READS                                                                   \
	((const char *const[]){ "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf",    \
	    "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/ssl/certs", NULL })

enum egress_kind {
	/* A byte, 1: a segment ends; then Opus as in audio/opus_packets.h, at most as
	   fast as real time in the long run. */
	EGRESS_AUDIO = 'A',
	/* The original of a stream that comes in, instead: 8 bytes, big-endian, the
	   time of its first sample, us; then Opus.  The second byte is 0. */
	EGRESS_ORIGINAL = 'O',
	/* The picture beside that: 8 bytes, what is to be added to its times so that
	   they are those of the sound, us; then a message of media/picture_wire.h.  The
	   second byte is 0. */
	EGRESS_PICTURE = 'P',
	EGRESS_FLUSH = 'F', /* what waits of the language is not to be heard */
	/* 4 bytes, big-endian: how long it stays, ms; then its text, UTF-8, with a
	   newline between its rows. */
	EGRESS_CAPTION = 'C',
	/*
	 * From the child, a JSON object: "status", "pending" or "active"; "bitrate",
	 * bit/s that go out, or null; "error", a sentence, or null.
	 */
	EGRESS_STATUS = 'S',
};

#endif
