/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WHIP and WHEP on the event loop: peer connections. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/socket_end.h"
#include "participant/whip_internal.h"

#define CONNECT_US (30 * S_US) /* time for the connection */

/* A peer connection, allocated in its request's arena. */
struct whip {
	struct whip *next; /* next in gateway.whips */
	struct gateway *gateway;
	const struct connection_request *request;
	struct connection *c;
	struct webrtc_link *link;             /* NULL: not opened */
	const struct translator_track *track; /* WHEP: sent now; NULL: none */
	int loss;                             /* loss of the track, percent */
	int64_t opened_us;
	bool connected;
	bool ending; /* the end was requested */
};

/* ---- sound ---- */

static void
receive_packet(void *owner, const void *bytes, size_t n)
{
	const struct whip *w = owner;

	if (w->c->request->writes && connection_speaks(w->c))
		s2s_packet(w->c->session, bytes, n);
}

static void
send_track(struct whip *w, const struct translator_track *t)
{
	const struct whip_offer *o = w->request->whip;
	const struct webrtc_sender as = { o->ssrc, o->used.opus, o->id };

	if (w->track == t)
		return;
	if (w->track != NULL)
		webrtc_link_stop_track(w->link, o->ssrc);
	if (t != NULL)
		webrtc_link_send_track(w->link, t->media, &as);
	w->track = t;
}

void
whip_review_track(struct whip *w)
{
	if (w->connected && !w->ending && !w->request->writes)
		send_track(w, translator_tuned(w->c->session, w->c->tuned.language));
}

int
whip_loss(const struct whip *w, const struct translator_track *t)
{
	return w->track == t ? w->loss : -1;
}

/* ---- the link ---- */

static void
receive_state(
    void *owner, enum rtc_state state, enum webrtc_failure failure, const char *words)
{
	struct whip *w = owner;

	(void)failure;
	w->connected |= state == RTC_CONNECTED;
	whip_review_track(w);
	if (state != RTC_FAILED || w->ending)
		return;
	log_info("WHIP %s: %s", w->request->whip->id, words);
	w->ending = true;
}

static void
receive_loss(void *owner, uint32_t ssrc, int percent)
{
	struct whip *w = owner;

	if (ssrc == w->request->whip->ssrc)
		w->loss = percent > 100 ? 100 : percent;
}

/* Data channels have no use here. */
static void
receive_channel(void *owner, const char *label)
{
	(void)owner, (void)label;
}

static void
receive_message(void *owner, const char *label, const void *bytes, size_t n)
{
	(void)owner, (void)label, (void)bytes, (void)n;
}

static const struct webrtc_events events = { .state = receive_state,
	.packet = receive_packet,
	.channel = receive_channel,
	.message = receive_message,
	.loss = receive_loss };

static void
open_link(struct whip *w)
{
	const struct whip_offer *o = w->request->whip;

	w->link = webrtc_link_open(w->gateway, &events, w, &o->local.ice, false);
	webrtc_link_remote(w->link, &o->sdp);
	if (w->request->writes)
		webrtc_link_receive(w->link, o->used.opus, o->used.ssrc);
	else
		translator_of(w->c->session); /* its next task has tracks */
}

/* ---- as a connection ---- */

static void
send_nothing(void *to, struct shared_buffer *p, int64_t group)
{
	(void)to, (void)p, (void)group;
}

static const char *
kind_of(const struct whip *w)
{
	return w->request->writes ? "whip" : "whep";
}

static void
end_soon(void *to, enum close_why why)
{
	struct whip *w = to;
	const struct websocket_name name = socket_end_name(w->request, kind_of(w));

	if (!w->ending)
		socket_end_log(
		    w->gateway, &name, close_kinds[why].code, close_kinds[why].reason);
	w->ending = true;
}

const struct transport whip_transport = {
	.send = send_nothing, .end = end_soon, .tracks = true, .original = true
};

/* The response fits the socket's buffer, which is empty. */
static void
respond(int fd, const char *bytes, size_t n)
{
	if (send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)n)
		log_info("an answer to an offer was not sent");
	close(fd);
}

void
whip_open(struct gateway *g, struct thread_call *call)
{
	struct connection_request *v = (struct connection_request *)call;
	struct whip *w = arena_alloc(v->call.message.mem, sizeof(*w));

	*w = (struct whip){ .next = g->whips,
		.gateway = g,
		.request = v,
		.opened_us = monotonic_us() };
	g->whips = w;
	w->c = session_join(g, v, &whip_transport, w);
	if (w->ending) { /* connections come too often */
		respond(v->fd, v->refusal, v->refusal_bytes);
		return;
	}
	open_link(w);
	respond(v->fd, v->whip->response, v->whip->response_bytes);
}

/* ---- calls of the database thread ---- */

static struct whip *
find(struct gateway *g, struct thread_call *call)
{
	struct whip *w = g->whips;

	while (w != NULL &&
	       strcmp(w->request->whip->id, ((const struct whip_call *)call)->id) != 0)
		w = w->next;
	return w;
}

void
whip_end(struct gateway *g, struct thread_call *call)
{
	struct whip *w = find(g, call);

	if (w != NULL)
		w->ending = true;
	arena_free(call->message.mem);
}

void
whip_restart(struct gateway *g, struct thread_call *call)
{
	struct whip *w = find(g, call);

	if (w != NULL && w->link != NULL)
		webrtc_link_restart(w->link, &((const struct whip_call *)call)->ice);
	arena_free(call->message.mem);
}

/* ---- the end ---- */

static void
report_gone(struct gateway *g, const struct whip_offer *o)
{
	struct whip_call *call = THREAD_CALL(struct whip_call);

	call->call.run = o->gone;
	call->id = arena_str(call->call.message.mem, o->id);
	mailbox_send(g->to_db_thread, &call->call.message);
}

static void
close_whip(struct whip *w)
{
	report_gone(w->gateway, w->request->whip);
	if (w->link != NULL)
		webrtc_link_close(w->link, w->request->whip->id);
	w->gateway->n_participants--;
	session_leave(w->c); /* frees it */
}

static void
turn(struct gateway *g, int64_t now)
{
	struct whip **at = &g->whips, *w;

	while ((w = *at) != NULL) {
		if (!w->ending && !w->connected && now > w->opened_us + CONNECT_US) {
			log_info("WHIP %s: no connection came", w->request->whip->id);
			w->ending = true;
		}
		if (!w->ending && !g->stopping)
			at = &w->next;
		else {
			*at = w->next;
			close_whip(w);
		}
	}
}

const struct sink_ops whip_sink = { .turn = turn };
