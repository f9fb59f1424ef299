/* The controlling agent of tests: one pair, which it nominates with each check. */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "rtc/peer.h"

#define REPEAT_US (S_US / 10)     /* until answered */
#define CONSENT_US (5 * S_US / 2) /* then */
#define PRIORITY 1845494271       /* peer-reflexive, component 1 */

void
peer_check_send(struct rtc_peer *p)
{
	struct peer_check *c = p->check;
	unsigned char bytes[STUN_ROOM];
	size_t n;

	if (c->answered || c->due_us == 0)
		random_bytes(c->stun.id, sizeof(c->stun.id));
	c->answered = false;
	c->due_us = p->shared->now_us + REPEAT_US;
	c->stun.ufrag = p->routes.names[0].ice.ufrag;
	c->stun.peer_ufrag = c->peer_ufrag;
	c->stun.peer_pwd = c->peer_pwd;
	c->stun.priority = PRIORITY;
	c->stun.use_candidate = true;
	if ((n = stun_write_request(&c->stun, bytes)) > 0)
		transport_send(p->shared->transport, &c->to, bytes, n);
}

bool
peer_check_answered(struct rtc_peer *p, const unsigned char *bytes, size_t n)
{
	struct peer_check *c = p->check;
	struct sockaddr_storage mapped;

	if (c == NULL || c->answered || !stun_read_success(bytes, n, &c->stun, &mapped))
		return false;
	c->answered = true;
	c->due_us = p->shared->now_us + CONSENT_US;
	return true;
}
