/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pushes a stream to a server with libavformat: FLV over RTMP, MPEG-TS over SRT.
 * Packets are dropped while there is no connection.
 */
#include "egress/stream_push.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libavformat/avformat.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "egress/egress.h"
#include "egress/muxer.h"
#include "net/address.h"
#include "net/name_pin.h"

#define PICTURE_US (8 * S_US) /* wait for the picture after the first sound */

struct stream_push {
	const struct egress_order *order;
	const AVCodecContext *encoder;
	const char *muxer;
	AVFormatContext *fmt; /* NULL: no connection */
	int64_t end_us;       /* monotonic: deadline of the current call */
	int64_t again_us;     /* monotonic: earliest next attempt */
	int64_t begin; /* media time of the connection's first packet; -1: none */
	int64_t bytes;
	const char *why;
	int64_t patient_us; /* monotonic: wait for a picture until then */
	/* the picture's decoder configuration, sent when a connection begins */
	unsigned char *picture_head;
	size_t n_picture_head;
	int width, height;
	bool shows, shown; /* the connection has a picture; one was sent */
};

/* ---- destination ---- */

/* Parts of "scheme://host:port/path". */
struct destination {
	char scheme[16], host[256], path[1024];
	int port;
};

static bool
read_destination(const char *url, struct destination *to)
{
	av_url_split(to->scheme, sizeof(to->scheme), NULL, 0, to->host,
	    sizeof(to->host), &to->port, to->path, sizeof(to->path), url);
	return to->host[0] != '\0';
}

static bool
is_public(const struct sockaddr *a)
{
	return a->sa_family == AF_INET
		   ? address_is_public(AF_INET,
			 &((const struct sockaddr_in *)(const void *)a)->sin_addr)
		   : address_is_public(AF_INET6,
			 &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

/* The host's first address, numeric; unless `any`, all addresses must be public.
   NULL: see *why. */
static const char *
resolve(struct arena *mem, const struct destination *p, bool any, const char **why)
{
	const struct addrinfo want = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *all, *a;
	char ip[INET6_ADDRSTRLEN];
	const char *to = NULL;

	*why = PUSH_NO_ANSWER;
	if (getaddrinfo(p->host, NULL, &want, &all) != 0)
		return NULL;
	for (a = all; a != NULL && (any || is_public(a->ai_addr)); a = a->ai_next)
		;
	if (a != NULL)
		*why = "The server's address is not a public one.";
	else if (getnameinfo(all->ai_addr, all->ai_addrlen, ip, sizeof(ip), NULL, 0,
		     NI_NUMERICHOST) == 0)
		to = arena_str(mem, ip);
	freeaddrinfo(all);
	return to;
}

/* ---- how each protocol is opened ---- */

static void
set_port(struct destination *p, int port)
{
	p->port = p->port > 0 ? p->port : port;
}

static const char *
url_host(struct arena *mem, const char *host)
{
	return arena_printf(mem, strchr(host, ':') != NULL ? "[%s]" : "%s", host);
}

static const char *
rtmp_url(struct arena *mem, const struct egress_order *o, struct destination *p,
    const char *ip, AVDictionary **how)
{
	bool tls = strcmp(p->scheme, "rtmps") == 0;
	const char *app = p->path + strspn(p->path, "/");
	size_t n = strlen(app);

	set_port(p, tls ? 443 : 1935);
	/* libavformat would split a URL at the wrong slash if the key has one. */
	n -= n > 0 && app[n - 1] == '/';
	av_dict_set(how, "rtmp_app", arena_dup(mem, app, n), 0);
	av_dict_set(how, "rtmp_playpath", o->stream_key, 0);
	av_dict_set(how, "rtmp_tcurl", o->server, 0);
	/* TLS checks the certificate against the name, which libavformat resolves
	   again. */
	av_dict_set(how, "tls_verify", "1", 0);
	return arena_printf(
	    mem, "%s://%s:%d", p->scheme, url_host(mem, tls ? p->host : ip), p->port);
}

static const char *
srt_url(struct arena *mem, const struct egress_order *o, struct destination *p,
    const char *ip, AVDictionary **how)
{
	if (o->stream_key != NULL)
		av_dict_set(how, "passphrase", o->stream_key, 0);
	if (o->stream_id != NULL)
		av_dict_set(how, "streamid", o->stream_id, 0);
	av_dict_set(how, "mode", "caller", 0);
	return arena_printf(mem, "srt://%s:%d", url_host(mem, ip), p->port);
}

typedef const char *url_of(struct arena *, const struct egress_order *,
    struct destination *, const char *ip, AVDictionary **);

static const struct way {
	const char *muxer, *schemes[2];
	url_of *url;
} ways[] = {
	{ "flv", { "rtmp", "rtmps" }, rtmp_url },
	{ "mpegts", { "srt", "srt" }, srt_url },
};

/* ---- connections ---- */

/* Called while libavformat waits: true when the time is up or the gateway has gone. */
static int
is_late(void *arg)
{
	struct pollfd gateway = { .fd = STDIN_FILENO };

	return monotonic_us() > ((struct stream_push *)arg)->end_us ||
	       poll(&gateway, 1, 0) > 0;
}

static bool
add_picture(struct stream_push *s, AVFormatContext *f)
{
	AVStream *to = avformat_new_stream(f, NULL);

	return to != NULL && muxer_describe_picture(to->codecpar, s->picture_head,
				 s->n_picture_head, s->width, s->height);
}

static const char *
connect_to(struct stream_push *s, const char *url, AVDictionary **how)
{
	AVFormatContext *f;
	AVDictionary *form = NULL;
	AVStream *stream;
	int e;

	if (avformat_alloc_output_context2(&f, NULL, s->muxer, NULL) < 0)
		return PUSH_REFUSED;
	f->interrupt_callback = (AVIOInterruptCB){ is_late, s };
	f->flags |= AVFMT_FLAG_FLUSH_PACKETS;
	stream = avformat_new_stream(f, NULL);
	s->end_us = monotonic_us() + PUSH_PATIENCE_US;
	s->shows = s->n_picture_head > 0;
	s->shown = false;
	e = stream != NULL && (!s->shows || add_picture(s, f)) &&
		    avcodec_parameters_from_context(stream->codecpar, s->encoder) >= 0
		? avio_open2(&f->pb, url, AVIO_FLAG_WRITE, &f->interrupt_callback, how)
		: AVERROR(ENOMEM);
	if (e >= 0) {
		av_dict_set(&form, "flvflags", "no_duration_filesize", 0);
		e = avformat_write_header(f, &form);
		av_dict_free(&form);
	}
	if (e >= 0) {
		s->fmt = f;
		s->begin = -1;
		return NULL;
	}
	avio_closep(&f->pb);
	avformat_free_context(f);
	return e == AVERROR(ECONNREFUSED) || e == AVERROR(ETIMEDOUT) ||
		       e == AVERROR_EXIT || e == AVERROR(EHOSTUNREACH)
		   ? PUSH_NO_ANSWER
		   : PUSH_REFUSED;
}

static const char *
try_connect(struct stream_push *s, const struct way *w)
{
	struct arena *mem = arena_new();
	AVDictionary *how = NULL;
	struct destination p;
	const char *ip, *why = NULL;

	if (!read_destination(s->order->server, &p) ||
	    (strcmp(p.scheme, w->schemes[0]) != 0 &&
		strcmp(p.scheme, w->schemes[1]) != 0))
		why = PUSH_OTHER_PROTOCOL;
	else if ((ip = resolve(mem, &p, s->order->allow_private, &why)) != NULL)
		why = name_pin(ip)
			  ? connect_to(s, w->url(mem, s->order, &p, ip, &how), &how)
			  : PUSH_REFUSED;
	name_pin(NULL);
	av_dict_free(&how);
	arena_free(mem);
	return why;
}

static void
disconnect(struct stream_push *s, const char *why)
{
	s->end_us = monotonic_us() + PUSH_PATIENCE_US / 5;
	avio_closep(&s->fmt->pb);
	avformat_free_context(s->fmt);
	s->fmt = NULL;
	s->why = why;
	s->again_us = monotonic_us() + PUSH_AGAIN_US;
}

/* ---- as a sink ---- */

static enum err
open_push(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, void **to)
{
	struct stream_push *s = arena_alloc(mem, sizeof(*s));

	*s = (struct stream_push){ .order = o,
		.encoder = encoders[0],
		.patient_us = o->picture ? monotonic_us() + PICTURE_US : 0 };
	*to = s;
	return avformat_network_init() == 0 ? OK : ERR_FAILED;
}

static void
step(struct stream_push *s, const struct way *w)
{
	if (s->fmt != NULL || monotonic_us() < s->again_us ||
	    (s->n_picture_head == 0 && monotonic_us() < s->patient_us))
		return;
	s->muxer = w->muxer;
	s->why = try_connect(s, w);
	s->again_us = monotonic_us() + PUSH_AGAIN_US;
}

static void
step_rtmp(void *sink, int64_t now)
{
	(void)now;
	step(sink, &ways[0]);
}

static void
step_srt(void *sink, int64_t now)
{
	(void)now;
	step(sink, &ways[1]);
}

/* Send a packet with times in media time, and free it. */
static void
send_packet(struct stream_push *s, AVPacket *p, int stream)
{
	if (s->begin < 0)
		s->begin = p->dts;
	p->pts -= s->begin;
	p->dts -= s->begin;
	p->stream_index = stream;
	av_packet_rescale_ts(
	    p, (AVRational){ 1, EGRESS_HZ }, s->fmt->streams[stream]->time_base);
	s->end_us = monotonic_us() + PUSH_PATIENCE_US;
	s->bytes += p->size;
	if (p->dts >= 0 && (av_write_frame(s->fmt, p) < 0 || s->fmt->pb->error < 0))
		disconnect(s, PUSH_LOST);
	av_packet_free(&p);
}

static void
put_sound(void *sink, size_t language, const AVPacket *packet)
{
	struct stream_push *s = sink;
	AVPacket *p;

	(void)language;
	if (s->fmt == NULL || (p = av_packet_clone(packet)) == NULL)
		return;
	p->dts = p->pts;
	send_packet(s, p, 0);
}

/* The head has changed: open a new connection. */
static void
set_head(struct stream_push *s, const struct picture *p)
{
	if (p->n_head == s->n_picture_head &&
	    memcmp(p->head, s->picture_head, p->n_head) == 0)
		return;
	av_free(s->picture_head);
	s->picture_head = av_memdup(p->head, p->n_head);
	s->n_picture_head = s->picture_head != NULL ? p->n_head : 0;
	s->width = p->width;
	s->height = p->height;
	if (s->fmt != NULL)
		disconnect(s, NULL);
	s->again_us = 0;
}

static void
put_picture(void *sink, const struct picture *is, int64_t pts, int64_t dts)
{
	struct stream_push *s = sink;
	AVPacket *p;

	if (is->key)
		set_head(s, is);
	if (s->fmt == NULL || !s->shows || (!is->key && !s->shown) ||
	    (p = muxer_picture_packet(is, pts, dts)) == NULL)
		return;
	s->shown = true;
	send_packet(s, p, 1);
}

static bool
get_status(const void *sink, int64_t *bytes, const char **why)
{
	const struct stream_push *s = sink;

	*bytes = s->bytes;
	*why = s->why;
	return s->fmt != NULL && s->begin >= 0;
}

const struct egress_sink rtmp_push = { "rtmp_push", AV_CODEC_ID_AAC, open_push,
	put_sound, NULL, put_picture, step_rtmp, get_status };
const struct egress_sink srt_push = { "srt_push", AV_CODEC_ID_AAC, open_push, put_sound,
	NULL, put_picture, step_srt, get_status };
