/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/channel_ingress.h"

#include <math.h>
#include <string.h>

#include "audio/opus_packets.h"
#include "base/json.h"
#include "channel/channel_child.h"
#include "channel/channel_internal.h"
#include "channel/egress_outputs.h"
#include "ingress/ingress_wire.h"

#define NAME "dragoman-ingress"
#define ERROR_BYTES 200        /* longest error that a child reports */
#define FAILED_US (4 * S_US)   /* additional wait after a child reported an error */
#define APART_US (3600 * S_US) /* distance between the times of two children */
#define TURN_MESSAGES 100      /* handled in a turn: 2 s of sound */
/* bytes written in a turn: as much as the outputs' sockets hold */
#define TURN_BYTES 120000

struct channel_ingress {
	struct arena *mem; /* owned */
	const char *order;
	struct channel_child child;
	/* the error in the row is from this child; the host runs the most children */
	bool failed, full;
	bool pulled; /* true if it fetches the stream and waits for no sender */
};

/*
 * The child also passes on the picture while no output shows it. Changing the order
 * would mean a new child, which would cut the sender off when an output is added.
 */
const char *
channel_ingress_order(
    const struct conf *conf, struct arena *mem, const struct channel *c)
{
	bool srt = strcmp(c->input_type, "srt_push") == 0;
	bool pulled = strcmp(c->input_type, "hls_pull") == 0;
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	if (pulled ? c->input_url == NULL
		   : c->stream_key == NULL ||
			 (!srt && strcmp(c->input_type, "rtmp_push") != 0))
		return NULL;
	jw_open(&j, NULL);
	jw_text(&j, "protocol", c->input_type);
	jw_text(&j, "language", c->source_language);
	jw_bool(&j, "picture", !c->ignore_video);
	jw_int(&j, "cpu_percent", conf->broadcast_cpu_percent);
	jw_int(&j, "cpu_s", CHANNEL_CHILD_CPU_S);
	if (srt) {
		jw_int(&j, "port", c->srt_port);
		jw_text(&j, "stream_id", c->id);
		jw_text(&j, "passphrase", c->stream_key);
	} else if (pulled) {
		jw_text(&j, "url", c->input_url);
		jw_bool(&j, "allow_private", conf->ingest_allow_private);
	} else
		jw_text(&j, "url",
		    arena_printf(mem, "%s/%s", conf->ingest_rtmp_url, c->stream_key));
	jw_close(&j);
	return buf_text(&b);
}

/* ---- updating the row ---- */

static void
set_error(struct session *s, const char *error)
{
	struct channel_ingress *in = s->channel->ingress;
	const char *was = in->failed ? s->channel->why : NULL;

	if (error == NULL ? !in->failed : was != NULL && strcmp(was, error) == 0)
		return;
	in->failed = error != NULL;
	if (in->pulled && error == NULL)
		channel_row_pending(s);
	channel_row_set_why(s->channel, error);
	s->channel->told = true;
	channel_row_poll(s);
}

/*
 * True if no sound of the stream could ever be read. A stream that had sound may end
 * without an error.
 */
static bool
is_unreadable(const struct session *s)
{
	const struct channel_session *channel = s->channel;

	return s->channel->ingress->pulled && s->channel->ingress->failed &&
	       s->state == STATE_NONE && channel->why != NULL &&
	       (channel->runtime == NULL || strcmp(channel->why, INGRESS_OVER) != 0);
}

static void
set_bitrate(struct session *s, double bitrate)
{
	if (!channel_child_rate_is_far(bitrate, s->channel->bitrate))
		return;
	s->channel->bitrate = bitrate;
	channel_row_poll(s);
}

/* ---- the child ---- */

static void
start(struct session *s)
{
	const struct child what = { .reads = INGRESS_READS, .tcp = true };
	struct channel_ingress *in = s->channel->ingress;
	enum err e = channel_child_start(s->gateway, &in->child, NAME, &what,
	    s->gateway->conf->broadcast_cpu_percent, in->order);

	if (e == ERR_LIMIT)
		set_error(s, CHANNEL_CHILD_FULL);
	else if (e == OK && in->full)
		set_error(s, NULL);
	/* Increase times by a gap, after which outputs begin again. */
	if (e == OK)
		s->channel->stream_base_us = s->channel->stream_us += APART_US;
	if (e == OK || e == ERR_LIMIT)
		in->full = e == ERR_LIMIT;
}

static bool
is_pulled(struct arena *mem, const char *order)
{
	const char *why;
	const struct json *is = json_read(mem, order, strlen(order), &why);
	const char *protocol = json_get_text(is, "protocol");

	return protocol != NULL && strcmp(protocol, "hls_pull") == 0;
}

void
channel_ingress_open(struct session *s, const char *order)
{
	struct channel_ingress *in = s->channel->ingress;
	struct arena *mem;

	if (in != NULL && strcmp(in->order, order) == 0)
		return;
	channel_ingress_close(s);
	mem = arena_new();
	in = arena_alloc(mem, sizeof(*in));
	*in = (struct channel_ingress){
		.mem = mem, .order = arena_str(mem, order), .child = CHANNEL_CHILD_NONE
	};
	in->pulled = is_pulled(mem, order);
	s->channel->ingress = in;
	s->in.sources++;
	s->refs++;
	channel_row_poll(s); /* the stored bit rate may be of an earlier child */
}

void
channel_ingress_close(struct session *s)
{
	struct channel_ingress *in = s->channel->ingress;

	if (in == NULL)
		return;
	channel_child_stop(s->gateway, &in->child, NAME);
	s->channel->ingress = NULL;
	s->in.sources--;
	arena_free(in->mem);
	session_unref(s);
}

/* ---- its messages ---- */

/* Packets come in order and complete: the child fills gaps. */
static void
receive_audio(struct session *s, const char *p, size_t n)
{
	static const struct opus_gap none;
	unsigned char piece[OPUS_GAP_BYTES + INGRESS_MESSAGE_MOST];
	struct opus_packets all = { (const unsigned char *)p, n };
	struct opus_packet one;

	if (session_is_silenced(s))
		return;
	egress_outputs_original(s, s->channel->stream_us, all);
	s->channel->stream_us +=
	    (int64_t)opus_packets_count(all) * OPUS_PACKETS_MS * 1000;
	opus_gap_write(&none, piece);
	while (opus_packets_next(&all, &one)) {
		memcpy(piece + OPUS_GAP_BYTES, one.bytes, one.n);
		s->owner->audio_came(s, monotonic_us());
		input_packet(s, piece, OPUS_GAP_BYTES + one.n);
	}
}

/* An error stays in the row until something is received again. */
static void
receive_status(struct session *s, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	const char *why, *text;
	const struct json *is = json_read(mem, p, n, &why);
	int64_t bitrate = json_get_int(is, "bitrate", -1);

	text = json_get_text(is, "error");
	if (text != NULL && strlen(text) <= ERROR_BYTES)
		set_error(s, text);
	else if (bitrate > 0)
		set_error(s, NULL);
	set_bitrate(s, bitrate >= 0 ? (double)bitrate : NAN);
	arena_free(mem);
}

static void
receive_all(struct session *s)
{
	static char bytes[INGRESS_MESSAGE_MOST]; /* used by the event loop only */
	struct channel_ingress *in = s->channel->ingress;
	ssize_t n = 1, all = 0;

	for (int i = 0; i < TURN_MESSAGES && all < TURN_BYTES && n > 0; i++) {
		n = channel_child_receive(
		    s->gateway, &in->child, NAME, bytes, sizeof(bytes));
		if (n > 0 && bytes[0] == INGRESS_AUDIO)
			receive_audio(s, bytes + 1, (size_t)n - 1);
		else if (n > 0 && bytes[0] == INGRESS_STATUS)
			receive_status(s, bytes + 1, (size_t)n - 1);
		else if (n > 0 && bytes[0] == INGRESS_PICTURE)
			egress_outputs_picture(
			    s, s->channel->stream_base_us, bytes + 1, (size_t)n - 1);
		all += n;
	}
	if (n < 0) {
		if (channel_child_spent(&in->child))
			set_error(s, INGRESS_SPENT);
		set_bitrate(s, NAN);
		in->child.start_us += in->failed ? FAILED_US : 0;
	}
}

void
channel_ingress_tick(struct session *s, int64_t now)
{
	struct channel_ingress *in = s->channel->ingress;

	if (in == NULL)
		return;
	if (s->closed || s->gateway->stopping) {
		channel_ingress_close(s);
		return;
	}
	if (is_unreadable(s))
		channel_row_failed(s);
	if (in->child.socket.pid > 0)
		receive_all(s);
	else if (now >= in->child.start_us)
		start(s);
}
