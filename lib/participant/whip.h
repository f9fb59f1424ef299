/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_WHIP_H
#define PARTICIPANT_WHIP_H

#include "rtc/sdp.h"
#include "session/sink.h"

/*
 * WHIP (RFC 9725) and WHEP: peer connections of encoders and players, whose signalling
 * is HTTP alone. The offer comes in a POST, and our answer is its response; the address
 * in that response is the resource, which DELETE ends and PATCH changes. With WHIP the
 * peer connection is a channel's speaker, with WHEP a listener of one language.
 *
 * The database thread reads offers, writes answers and has the resources. The event
 * loop has the peer connections, each a connection of its session.
 */

/* An offer, and our side of the peer connection; in its request's arena. */
struct whip_offer {
	const char *id; /* id of the resource */
	struct sdp sdp;
	struct sdp_section used; /* the section with the sound */
	struct sdp_local local;
	uint32_t ssrc; /* WHEP: SSRC of the sound that is sent */
	/* Runs on the database thread when the peer connection has ended. */
	void (*gone)(struct gateway *, struct thread_call *);
	/* HTTP response, to be sent when the peer connection is open */
	const char *response;
	size_t response_bytes;
};

/* ---- database thread ---- */

enum whip_verdict { WHIP_ACCEPTED, WHIP_MALFORMED, WHIP_NO_SOUND };

/*
 * Read an offer into v->whip and write our answer. v->writes decides the direction.
 * WHIP_NO_SOUND: no section sends Opus (WHIP) or receives it (WHEP).
 */
enum whip_verdict whip_read(struct gateway *, struct connection_request *v,
    const char *sdp, size_t n, struct buf *answer);
/*
 * The value of the i-th header Link, which names a STUN or TURN server; NULL: there
 * are no more. id: of the resource.
 */
const char *whip_link(const struct conf *, struct arena *, const char *id, size_t i);

struct whip_resource {
	struct whip_resource *next; /* next in gateway.whip_resources */
	struct arena *mem;          /* owned */
	const char *id, *channel;
	bool speaks;     /* WHIP; else WHEP */
	int64_t version; /* incremented by each ICE restart */
	struct sdp_local local;
	struct sdp_section used;
	char remote_ufrag[sizeof(((struct sdp *)0)->ufrag)];
};

/* Add the resource of an admitted request. */
void whip_resource_add(struct gateway *, const struct connection_request *);
/* NULL: there is none. */
struct whip_resource *whip_resource_find(
    struct gateway *, bool speaks, const char *channel, const char *id);
/* End its peer connection, and free it. */
void whip_resource_end(struct gateway *, struct whip_resource *);
/*
 * Follow a fragment of the client (RFC 8840). With new credentials it restarts ICE:
 * then *answer has the fragment with ours. Candidates are ignored, as a lite agent
 * needs none. False: the fragment is malformed.
 */
bool whip_resource_patch(struct gateway *, struct whip_resource *, const char *fragment,
    size_t n, struct buf *answer) MUST_CHECK;

/* ---- event loop ---- */

/* Open the peer connection of a struct connection_request; its thread_call.run. */
void whip_open(struct gateway *, struct thread_call *);
extern const struct sink_ops whip_sink;

#endif
