/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of participants by data channel: JSON in LiveKit's DataPackets, as on
 * sockets, but without audio.
 */
#include "participant/participant_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "livekit/data_packet.h"

#define CHANNEL "_reliable"
#define WAITING_BYTES (256 << 10) /* kept until the channel opens */
/* least time between two errors about too many messages */
#define REPORT_US (10 * S_US)

/* ---- to the client ---- */

/*
 * The channel of the connection with which the client subscribes, or else of the one
 * with which it publishes.
 */
static struct participant_half *
channel_half(struct participant *p)
{
	return p->params->subscribes ? &p->subscriber : &p->publisher;
}

static void
send_text(struct participant_half *half, const char *text, size_t n)
{
	const struct translator *t = translator_is(half->of->connection->session);
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	data_packet_write(&b, t->sid, t->identity, text, n);
	webrtc_link_message(half->link, CHANNEL, b.p, b.len);
	arena_free(mem);
}

static void
queue_text(struct participant *p, const char *text, size_t n)
{
	struct participant_waiting *w;
	struct arena *mem;

	if (p->waiting_bytes + n > WAITING_BYTES)
		return;
	mem = arena_small(sizeof(*w) + n + 1);
	w = arena_alloc(mem, sizeof(*w));
	*w = (struct participant_waiting){
		.mem = mem, .text = arena_dup(mem, text, n), .n = n
	};
	if (p->waiting == NULL) {
		p->waiting_us = monotonic_us();
		p->waiting_end = &p->waiting;
	}
	*p->waiting_end = w;
	p->waiting_end = &w->next;
	p->waiting_bytes += n;
}

static void
send_message(void *to, struct shared_buffer *buffer, int64_t group)
{
	struct participant *p = to;
	struct participant_half *half = channel_half(p);
	size_t n;
	const char *text = shared_buffer_bytes(buffer, &n);

	(void)group;
	if (half->link != NULL && half->has_channel)
		send_text(half, text, n);
	else
		queue_text(p, text, n);
}

void
participant_drop_data(struct participant *p)
{
	struct participant_waiting *w;

	while ((w = p->waiting) != NULL) {
		p->waiting = w->next;
		arena_free(w->mem);
	}
	p->waiting_bytes = 0;
}

void
participant_channel(struct participant_half *half, const char *label)
{
	struct participant *p = half->of;

	if (strcmp(label, CHANNEL) != 0)
		return;
	half->has_channel = true;
	if (half != channel_half(p) || p->connection == NULL)
		return;
	for (const struct participant_waiting *w = p->waiting; w != NULL; w = w->next)
		send_text(half, w->text, w->n);
	participant_drop_data(p);
}

/*
 * Nothing to do: the media thread drops late audio, and fails a link that is too slow.
 */
static void
skip_messages(void *to, int64_t before_us)
{
	(void)to, (void)before_us;
}

static size_t
unsent_messages(const void *to, int64_t *since_us)
{
	const struct participant *p = to;

	*since_us = p->waiting_us;
	return p->waiting_bytes;
}

/* ---- the end of its session ---- */

#define SOON_US (S_US / 5) /* time to send a last message */
#define LATER_US (60 * S_US)

/*
 * How the end of a connection is reported to clients; sockets get a code and a reason.
 */
static const struct dismissal {
	enum signal_leave_reason leave;
	enum signal_leave_action action;
	int64_t after_us;
} removed = { SIGNAL_PARTICIPANT_REMOVED, SIGNAL_DISCONNECT, SOON_US },
  dismissals[CLOSE_KINDS] = {
	  [CLOSE_DONE] = { SIGNAL_ROOM_DELETED, SIGNAL_DISCONNECT, LATER_US },
	  [CLOSE_SHUTDOWN] = { SIGNAL_SERVER_SHUTDOWN, SIGNAL_RECONNECT, 0 },
	  [CLOSE_REPLACED] = { SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT, 0 },
	  [CLOSE_SLOW] = { SIGNAL_STATE_MISMATCH, SIGNAL_DISCONNECT, 0 },
	  [CLOSE_OTHER_NODE] = { SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT, SOON_US },
	  [CLOSE_SESSION_CLOSED] = { SIGNAL_ROOM_DELETED, SIGNAL_DISCONNECT, SOON_US },
	  [CLOSE_BALANCE] = { SIGNAL_ROOM_DELETED, SIGNAL_DISCONNECT, SOON_US },
  };

/* End in the next turn, because the session may be in the middle of a change. */
static void
end_participant(void *to, enum close_why why)
{
	struct participant *p = to;
	const struct dismissal *d = &dismissals[why];

	if (d->leave == 0)
		d = &removed;
	if (p->dismissed_us != 0 && p->dismissed_us <= monotonic_us() + d->after_us)
		return; /* an earlier end comes first */
	p->dismissed_us = monotonic_us() + d->after_us;
	participant_check(p);
	p->dismissal = d->leave;
	p->dismissal_action = d->action;
}

static void
review_soon(void *to)
{
	participant_check(to);
}

static bool
is_mute(const void *to)
{
	const struct participant *p = to;

	return p->microphone.sid == NULL || p->microphone.muted;
}

const struct transport participant_transport = { .send = send_message,
	.skip = skip_messages,
	.end = end_participant,
	.unsent = unsent_messages,
	.is_mute = is_mute,
	.tuned = review_soon,
	.tracks = true };

/* ---- from the client ---- */

/* A packet that was repeated after a resume. */
static bool
is_repeated(struct participant *p, const struct data_packet *d)
{
	if (d->sequence == 0)
		return false;
	if (d->sequence <= p->sequence)
		return true;
	p->sequence = d->sequence;
	return false;
}

static bool
may_send(struct participant *p)
{
	int64_t now = monotonic_us();

	if (!p->params->sends_data && p->params->publishes) {
		if (!p->told_no_data)
			log_info("a participant sends data without the right to");
		p->told_no_data = true;
		return false;
	}
	if (limit_admit(&p->limits[LIMIT_DATA], LIMIT_DATA, now))
		return true;
	if (p->data_reported_us == 0 || now > p->data_reported_us + REPORT_US) {
		p->data_reported_us = now;
		connection_error(
		    p->connection, "RATE_LIMIT_EXCEEDED", limit_text(LIMIT_DATA), NULL);
	}
	return false;
}

void
participant_data(struct participant *p, const void *bytes, size_t n)
{
	struct data_packet d;

	if (p->connection == NULL || p->dismissed_us != 0 ||
	    !data_packet_read(bytes, n, &d) || is_repeated(p, &d) || !may_send(p))
		return;
	if (!p->params->publishes && d.n > WEBSOCKET_READER_BYTES)
		return;
	p->connection->session->ops->message(p->connection, d.payload, d.n, false);
}
