#include "gateway/studio_room.h"

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
#define LATE_TICKS 25      /* that are made up for, when it overslept */
#define IDLE_MS 250        /* between two turns */
#define BURST 256          /* packets that are read in one turn */
#define STOP_US (2 * S_US) /* when the gateway ends */

/* ---- sound ---- */

static void
pass_on(struct studio *s, struct booth *b, int64_t now)
{
	const unsigned char *p;
	size_t n;

	while (rtp_line_next(&b->in, now, &p, &n))
		if (b->room != NULL)
			side_packet(s->gate, b->room, p, n);
}

static void
hear_packet_of(struct studio *s, const struct rtp_packet *r, int64_t now)
{
	struct booth *b = s->booths;

	while (b != NULL && b->ssrc != r->ssrc)
		b = b->next;
	if (b == NULL || r->type != RTP_OPUS)
		return;
	b->heard = true;
	b->heard_us = now;
	rtp_line_put(&b->in, r, now);
	pass_on(s, b, now);
}

static void
hear(struct studio *s)
{
	unsigned char bytes[RTP_MOST + 1];
	struct rtp_packet r;
	ssize_t n;

	for (int i = 0; i < BURST; i++) {
		if ((n = recv(s->udp, bytes, sizeof(bytes), MSG_DONTWAIT)) < 0)
			return;
		if (rtp_read(bytes, (size_t)n, &r))
			hear_packet_of(s, &r, monotonic_us());
	}
}

static void
speak(struct studio *s, int64_t now)
{
	int64_t tick = now / TICK_US;

	if (s->tick < tick - LATE_TICKS)
		s->tick = tick - LATE_TICKS;
	while (s->tick < tick) {
		s->tick++;
		for (struct booth *b = s->booths; b != NULL; b = b->next)
			for (struct lane *l = b->lanes; l != NULL; l = l->next)
				lane_tick(l, s->udp, s->tick);
	}
}

/* ---- the thread ---- */

static void
run_cues(struct studio *s)
{
	struct letter *l = mailbox_take(s->box), *next;

	for (; l != NULL; l = next) {
		struct cue *c = (struct cue *)l;

		next = l->next;
		c->run(s, c);
	}
}

static void
turn(struct studio *s)
{
	int64_t now = monotonic_us();

	speak(s, now);
	for (struct booth **at = &s->booths; *at != NULL;) {
		struct booth *b = *at, *next = b->next;

		pass_on(s, b, now);
		if (booth_turn(s, b, now))
			at = &b->next;
		else
			*at = next;
	}
}

static int
patience_ms(const struct studio *s)
{
	int64_t left_us = (s->tick + 1) * TICK_US - monotonic_us();
	bool busy = false;

	for (const struct booth *b = s->booths; b != NULL; b = b->next) {
		busy |= b->in.waiting > 0;
		for (const struct lane *l = b->lanes; l != NULL; l = l->next)
			busy |= lane_speaks(l);
	}
	if (!busy)
		return IDLE_MS;
	return left_us > 0 ? (int)((left_us + 999) / 1000) : 0;
}

static void *
work(void *arg)
{
	struct studio *s = arg;
	int64_t stopped_us = 0;
	uint64_t rung;

	while (stopped_us == 0 ||
	       (s->booths != NULL && monotonic_us() < stopped_us + STOP_US)) {
		struct pollfd p[] = { { .fd = s->bell, .events = POLLIN },
			{ .fd = s->udp, .events = POLLIN } };

		if (poll(p, 2, patience_ms(s)) < 0 && errno != EINTR)
			abort();
		if (p[0].revents != 0 && read(s->bell, &rung, sizeof(rung)) < 0)
			log_warn("the studio's bell cannot be read");
		run_cues(s);
		if (p[1].revents != 0)
			hear(s);
		turn(s);
		if (s->stopping && stopped_us == 0)
			stopped_us = monotonic_us();
	}
	return NULL;
}

/* ---- its beginning and its end ---- */

static void
ring(void *arg)
{
	const struct studio *s = arg;
	uint64_t one = 1;

	if (write(s->bell, &one, sizeof(one)) < 0)
		log_error("the studio cannot be woken: %s", strerror(errno));
}

void
cue_send(struct studio *s, struct cue *c, void (*run)(struct studio *, struct cue *))
{
	c->run = run;
	mailbox_send(s->box, &c->letter);
}

/* The address as we have it, and where it is a name or another's: all of them. */
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
bind_to(struct studio *s, bool any)
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
studio_start(struct gate *g)
{
	const struct broadcast_driver *d = broadcast_driver(g->conf);
	struct studio *s;

	if (d == NULL || d->attach == NULL)
		return true;
	s = arena_alloc(g->mem, sizeof(*s));
	*s = (struct studio){ .gate = g, .mem = g->mem, .conf = *g->conf, .driver = d };
	if (!bind_to(s, false) && (errno != EADDRNOTAVAIL || !bind_to(s, true))) {
		log_error("janus.rtp_host: %s port %d: %s", s->conf.janus_rtp_host,
		    (int)s->conf.janus_rtp_port, strerror(errno));
		return false;
	}
	s->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->box = mailbox_new(g->mem, ring, s);
	s->hand = hand_new(s);
	s->tick = monotonic_us() / TICK_US;
	if (s->bell < 0 || pthread_create(&s->thread, NULL, work, s) != 0)
		abort();
	g->studio = s;
	return true;
}

void
studio_stop(struct gate *g)
{
	struct studio *s = g->studio;

	if (s == NULL)
		return;
	s->stopping = true;
	ring(s);
	pthread_join(s->thread, NULL);
	actor_leave(s->hand);
	g->studio = NULL;
	if (s->booths != NULL) /* the hand has not let go */
		return;
	close(s->bell);
	close(s->udp);
}
