#include "bridge/bridge_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define TICK_US (RTP_FRAME_MS * INT64_C(1000))
#define LATE_TICKS 25      /* missed ticks that are served later, at most */
#define IDLE_MS 250        /* poll timeout without audio */
#define BURST 256          /* packets read per poll, at most */
#define STOP_US (2 * S_US) /* limit of rtp_bridge_stop() */

/* ---- audio ---- */

static void
pass_on(struct rtp_bridge *s, struct bridge_room *b, int64_t now)
{
	const unsigned char *p;
	size_t n;

	while (jitter_buffer_next(&b->in, now, &p, &n))
		if (b->session != NULL)
			bridge_api_packet(s->gateway, b->session, p, n);
}

static void
ingest_packet_of(struct rtp_bridge *s, const struct rtp_packet *r, int64_t now)
{
	struct bridge_room *b = s->rooms;

	while (b != NULL && b->ssrc != r->ssrc)
		b = b->next;
	if (b == NULL || r->type != RTP_OPUS)
		return;
	b->heard = true;
	b->heard_us = now;
	jitter_buffer_put(&b->in, r, now);
	pass_on(s, b, now);
}

static void
hear(struct rtp_bridge *s)
{
	unsigned char bytes[RTP_MOST + 1];
	struct rtp_packet r;
	ssize_t n;

	for (int i = 0; i < BURST; i++) {
		if ((n = recv(s->udp, bytes, sizeof(bytes), MSG_DONTWAIT)) < 0)
			return;
		if (rtp_read(bytes, (size_t)n, &r))
			ingest_packet_of(s, &r, monotonic_us());
	}
}

static void
speak(struct rtp_bridge *s, int64_t now)
{
	int64_t tick = now / TICK_US;

	if (s->tick < tick - LATE_TICKS)
		s->tick = tick - LATE_TICKS;
	while (s->tick < tick) {
		s->tick++;
		for (struct bridge_room *b = s->rooms; b != NULL; b = b->next)
			for (struct output_track *l = b->tracks; l != NULL; l = l->next)
				output_track_tick(l, s->udp, s->tick);
	}
}

/* ---- the thread ---- */

static void
run_calls(struct rtp_bridge *s)
{
	struct actor_message *l = mailbox_take(s->box), *next;

	for (; l != NULL; l = next) {
		struct bridge_call *c = (struct bridge_call *)l;

		next = l->next;
		c->run(s, c);
	}
}

static void
turn(struct rtp_bridge *s)
{
	int64_t now = monotonic_us();

	speak(s, now);
	for (struct bridge_room **at = &s->rooms; *at != NULL;) {
		struct bridge_room *b = *at, *next = b->next;

		pass_on(s, b, now);
		if (bridge_room_tick(s, b, now))
			at = &b->next;
		else
			*at = next;
	}
}

static int
patience_ms(const struct rtp_bridge *s)
{
	int64_t left_us = (s->tick + 1) * TICK_US - monotonic_us();
	bool busy = false;

	for (const struct bridge_room *b = s->rooms; b != NULL; b = b->next) {
		busy |= b->in.waiting > 0;
		for (const struct output_track *l = b->tracks; l != NULL; l = l->next)
			busy |= output_track_has_sound(l);
	}
	if (!busy)
		return IDLE_MS;
	return left_us > 0 ? (int)((left_us + 999) / 1000) : 0;
}

static void *
work(void *arg)
{
	struct rtp_bridge *s = arg;
	int64_t stopped_us = 0;
	uint64_t rung;

	while (stopped_us == 0 ||
	       (s->rooms != NULL && monotonic_us() < stopped_us + STOP_US)) {
		struct pollfd p[] = { { .fd = s->wakeup_fd, .events = POLLIN },
			{ .fd = s->udp, .events = POLLIN } };

		if (poll(p, 2, patience_ms(s)) < 0 && errno != EINTR)
			abort();
		if (p[0].revents != 0 && read(s->wakeup_fd, &rung, sizeof(rung)) < 0)
			log_warn("the RTP bridge's wakeup cannot be read");
		run_calls(s);
		if (p[1].revents != 0)
			hear(s);
		turn(s);
		if (s->stopping && stopped_us == 0)
			stopped_us = monotonic_us();
	}
	return NULL;
}

/* ---- start and stop ---- */

static void
ring(void *arg)
{
	const struct rtp_bridge *s = arg;
	uint64_t one = 1;

	if (write(s->wakeup_fd, &one, sizeof(one)) < 0)
		log_error("the RTP bridge cannot be woken: %s", strerror(errno));
}

void
bridge_call_send(struct rtp_bridge *s, struct bridge_call *c,
    void (*run)(struct rtp_bridge *, struct bridge_call *))
{
	c->run = run;
	mailbox_send(s->box, &c->message);
}

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
bind_to(struct rtp_bridge *s, bool any)
{
	struct sockaddr_storage at;
	socklen_t n = read_address(&s->conf, any, &at);

	s->family = at.ss_family;
	s->udp = socket(s->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->udp >= 0 && bind(s->udp, (struct sockaddr *)&at, n) == 0 &&
	    getsockname(s->udp, (struct sockaddr *)&at, &n) == 0) {
		s->port = ntohs(s->family == AF_INET6
				    ? ((struct sockaddr_in6 *)&at)->sin6_port
				    : ((struct sockaddr_in *)&at)->sin_port);
		return true;
	}
	close(s->udp);
	return false;
}

bool
rtp_bridge_start(struct gateway *g)
{
	const struct broadcast_driver *d = broadcast_driver(g->conf);
	struct rtp_bridge *s;

	if (d == NULL || d->attach == NULL)
		return true;
	s = arena_alloc(g->mem, sizeof(*s));
	*s = (struct rtp_bridge){
		.gateway = g, .mem = g->mem, .conf = *g->conf, .driver = d
	};
	if (!bind_to(s, false) && (errno != EADDRNOTAVAIL || !bind_to(s, true))) {
		log_error("janus.rtp_host: %s port %d: %s", s->conf.janus_rtp_host,
		    (int)s->conf.janus_rtp_port, strerror(errno));
		return false;
	}
	s->wakeup_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->box = mailbox_new(g->mem, ring, s);
	s->janus_caller = janus_caller_new(s);
	s->tick = monotonic_us() / TICK_US;
	if (s->wakeup_fd < 0 || pthread_create(&s->thread, NULL, work, s) != 0)
		abort();
	g->bridge = s;
	return true;
}

void
rtp_bridge_stop(struct gateway *g)
{
	struct rtp_bridge *s = g->bridge;

	if (s == NULL)
		return;
	s->stopping = true;
	ring(s);
	pthread_join(s->thread, NULL);
	actor_leave(s->janus_caller);
	g->bridge = NULL;
	if (s->rooms != NULL) /* the Janus caller may still use them */
		return;
	close(s->wakeup_fd);
	close(s->udp);
}
