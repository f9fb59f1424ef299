/* The pair that a peer connection sends to. */
#include <string.h>

#include "base/clock.h"
#include "rtc/peer.h"

#define UNPROVEN_US (5 * S_US) /* see peer_may_send() */

bool
peer_is_path(const struct rtc_peer *p, const struct transport_path *path)
{
	return p->has_path && memcmp(&p->path, path, sizeof(*path)) == 0;
}

/* Whoever completed a handshake of TCP is there. */
void
peer_take_path(struct rtc_peer *p, const struct transport_path *path)
{
	p->path = *path;
	p->has_path = true;
	p->moved_us = p->shared->now_us;
	p->proven = path->tcp != 0;
}

void
peer_prove(struct rtc_peer *p)
{
	p->proven |= peer_is_path(p, p->from);
}

bool
peer_may_send(const struct rtc_peer *p)
{
	return p->has_path &&
	       (p->proven || p->shared->now_us < p->moved_us + UNPROVEN_US);
}
