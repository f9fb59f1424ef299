/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bridge/bridge_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define LATE_TICKS 25      /* missed ticks that are served later, at most */
#define IDLE_MS 250        /* poll timeout without audio */
#define BURST 256          /* packets read per poll, at most */
#define STOP_US (2 * S_US) /* limit of rtp_bridge_stop() */

/* ---- audio ---- */

static void
forward_packets(struct rtp_bridge *bridge, struct bridge_room *room, int64_t now)
{
	const unsigned char *p;
	size_t n;

	while (jitter_buffer_next(&room->in, now, &p, &n))
		if (room->session != NULL)
			bridge_report_send(
			    bridge, &(struct bridge_message){ .kind = BRIDGE_PACKET,
					.session = room->session,
					.packet = p,
					.n = n });
}

static void
receive_packet(struct rtp_bridge *bridge, const struct rtp_packet *r, int64_t now)
{
	struct bridge_room *room = bridge->rooms;

	while (room != NULL && room->ssrc != r->ssrc)
		room = room->next;
	if (room == NULL || r->type != RTP_OPUS)
		return;
	room->heard = true;
	room->packet_us = now;
	jitter_buffer_put(&room->in, r, now);
	forward_packets(bridge, room, now);
}

static void
receive(struct rtp_bridge *bridge)
{
	unsigned char bytes[RTP_MOST + 1];
	struct rtp_packet r;
	ssize_t n;

	for (int i = 0; i < BURST; i++) {
		if ((n = recv(bridge->udp, bytes, sizeof(bytes), MSG_DONTWAIT)) < 0)
			return;
		if (rtp_read(bytes, (size_t)n, &r))
			receive_packet(bridge, &r, monotonic_us());
	}
}

/* Send a packet to the mountpoint. Without its address the packet is discarded. */
static void
send_packet(const struct rtp_bridge *bridge, struct output_track *t, int64_t tick,
    const struct opus_packet *opus)
{
	unsigned char bytes[RTP_MOST];
	size_t n =
	    rtp_next(&t->source, tick, opus->bytes, opus->n, bytes, sizeof(bytes));

	if (t->to_size > 0 && sendto(bridge->udp, bytes, n, MSG_DONTWAIT,
				  (const struct sockaddr *)&t->to, t->to_size) < 0)
		log_warn("speech could not be sent: %s", strerror(errno));
}

static void
send_tick(const struct rtp_bridge *bridge, int64_t tick)
{
	struct opus_packet packet;

	for (struct bridge_room *room = bridge->rooms; room != NULL; room = room->next)
		for (struct output_track *t = room->tracks; t != NULL; t = t->next)
			if (packet_queue_due(&t->queue, &packet))
				send_packet(bridge, t, tick, &packet);
}

static void
send_due(struct rtp_bridge *bridge, int64_t now)
{
	while (rtp_tick_next(&bridge->tick, now, LATE_TICKS))
		send_tick(bridge, bridge->tick);
}

/* ---- the thread ---- */

static void
run_calls(struct rtp_bridge *bridge)
{
	struct actor_message *m = mailbox_drain(bridge->calls), *next;

	for (; m != NULL; m = next) {
		next = m->next;
		bridge_room_call(bridge, (struct bridge_call *)m);
	}
}

static void
serve_rooms(struct rtp_bridge *bridge)
{
	int64_t now = monotonic_us();

	send_due(bridge, now);
	for (struct bridge_room **at = &bridge->rooms; *at != NULL;) {
		struct bridge_room *room = *at, *next = room->next;

		forward_packets(bridge, room, now);
		if (bridge_room_tick(bridge, room, now))
			at = &room->next;
		else
			*at = next;
	}
}

static int
timeout_ms(const struct rtp_bridge *bridge)
{
	bool busy = false;

	for (const struct bridge_room *room = bridge->rooms; room != NULL;
	     room = room->next) {
		busy |= room->in.waiting > 0;
		for (const struct output_track *t = room->tracks; t != NULL;
		     t = t->next)
			busy |= packet_queue_has_sound(&t->queue);
	}
	return busy ? rtp_tick_wait_ms(bridge->tick, monotonic_us()) : IDLE_MS;
}

static void *
run_thread(void *arg)
{
	struct rtp_bridge *bridge = arg;
	int64_t stopped_us = 0;

	pthread_setname_np(pthread_self(), "rtp-bridge");
	while (stopped_us == 0 ||
	       (bridge->rooms != NULL && monotonic_us() < stopped_us + STOP_US)) {
		bool packets =
		    wakeup_wait(&bridge->wakeup, bridge->udp, timeout_ms(bridge));

		watched_turn(bridge->watch);
		run_calls(bridge);
		if (packets)
			receive(bridge);
		serve_rooms(bridge);
		if (bridge->stopping && stopped_us == 0)
			stopped_us = monotonic_us();
	}
	return NULL;
}

/* ---- start and stop ---- */

/* Parse the address of janus.rtp_host.  any, or a host name: the wildcard address. */
static socklen_t
read_address(const struct conf *c, bool any, struct sockaddr_storage *to)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
	in_port_t port = htons((uint16_t)c->janus_rtp_port);

	*to = (struct sockaddr_storage){ .ss_family = AF_INET };
	if (inet_pton(AF_INET6, c->janus_rtp_host, &v6->sin6_addr) == 1) {
		to->ss_family = AF_INET6;
		v6->sin6_port = port;
		if (any)
			v6->sin6_addr = in6addr_any;
		return sizeof(*v6);
	}
	v4->sin_port = port;
	if (inet_pton(AF_INET, c->janus_rtp_host, &v4->sin_addr) != 1 || any)
		v4->sin_addr.s_addr = htonl(INADDR_ANY);
	return sizeof(*v4);
}

static bool
bind_to(struct rtp_bridge *bridge, bool any)
{
	struct sockaddr_storage at;
	socklen_t n = read_address(&bridge->conf, any, &at);

	bridge->family = at.ss_family;
	bridge->udp =
	    socket(bridge->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bridge->udp >= 0 && bind(bridge->udp, (struct sockaddr *)&at, n) == 0 &&
	    getsockname(bridge->udp, (struct sockaddr *)&at, &n) == 0) {
		bridge->port = ntohs(bridge->family == AF_INET6
					 ? ((struct sockaddr_in6 *)&at)->sin6_port
					 : ((struct sockaddr_in *)&at)->sin_port);
		return true;
	}
	close(bridge->udp);
	return false;
}

bool
rtp_bridge_start(struct gateway *g,
    void (*report)(struct gateway *, struct thread_call *), struct rtp_bridge **to)
{
	const struct broadcast_driver *d = broadcast_driver(g->conf);
	struct rtp_bridge *bridge;

	if (d == NULL || d->attach == NULL)
		return true;
	bridge = arena_alloc(g->mem, sizeof(*bridge));
	*bridge = (struct rtp_bridge){
		.gateway = g, .report = report, .conf = *g->conf, .driver = d
	};
	if (!bind_to(bridge, false) &&
	    (errno != EADDRNOTAVAIL || !bind_to(bridge, true))) {
		log_error("janus.rtp_host: %s port %d: %s", bridge->conf.janus_rtp_host,
		    (int)bridge->conf.janus_rtp_port, strerror(errno));
		return false;
	}
	bridge->watch =
	    watchdog_add(&g->watchdog, "RTP bridge", wakeup_wake, &bridge->wakeup);
	bridge->calls = mailbox_new(g->mem, wakeup_wake, &bridge->wakeup);
	bridge->janus_caller = janus_caller_new(bridge);
	bridge->tick = monotonic_us() / RTP_TICK_US;
	if (!wakeup_open(&bridge->wakeup) ||
	    pthread_create(&bridge->thread, NULL, run_thread, bridge) != 0)
		abort();
	*to = bridge;
	return true;
}

bool
rtp_bridge_stop(struct rtp_bridge *bridge)
{
	bridge->stopping = true;
	wakeup_wake(&bridge->wakeup);
	if (!watchdog_join(bridge->thread, bridge->watch->name, 2 * STOP_US))
		return false;
	actor_leave(bridge->janus_caller);
	if (bridge->rooms != NULL) /* the Janus caller may still use them */
		return true;
	wakeup_close(&bridge->wakeup);
	close(bridge->udp);
	return true;
}
