/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INGRESS_INGRESS_WIRE_H
#define INGRESS_INGRESS_WIRE_H

/*
 * Messages between the gateway and its child dragoman-ingress, over a SOCK_SEQPACKET
 * socket that is the child's descriptor 0. The first message, to the child, is its
 * order, a JSON object. The first byte of all others is their kind. The child exits at
 * end of file.
 */
#define INGRESS_MESSAGE_MOST 65536 /* bytes */
/* Files that the child reads to resolve host names and check certificates, for
   struct child. */
#define INGRESS_READS                                                                  \
	((const char *const[]){ "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf",    \
	    "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/ssl/certs",                   \
	    "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", NULL })

/* The error of a stream that used up its processor time, see base/child_clock.h. */
#define INGRESS_SPENT                                                                  \
	"The stream took more processor time than broadcast.cpu_percent allows."

/* The error of a pulled stream whose sender has ended it. */
#define INGRESS_OVER "The stream has ended."

enum ingress_kind {
	/* From the child: Opus as in audio/opus_packets.h, in real time. */
	INGRESS_AUDIO = 'A',
	/* From the child: a JSON object: "bitrate", bit/s received, or null;
	   "error", a sentence, or null. */
	INGRESS_STATUS = 'S',
	/* From the child: a message of media/picture_wire.h. Its times match the
	   sound: 0 is the first sample that this child sent. */
	INGRESS_PICTURE = 'P',
};

#endif
