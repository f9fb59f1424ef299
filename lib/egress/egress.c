/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "egress/egress.h"

#include <errno.h>
#include <fcntl.h>
#include <libavutil/log.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "audio/rtp.h"
#include "base/be.h"
#include "base/clock.h"
#include "base/json.h"
#include "egress/mix.h"

#define GATEWAY STDIN_FILENO
#define NICE 5 /* live translation has priority */
#define REPORT_US (2 * S_US)
/* reports that the bit rate is averaged over: two segments of HLS */
#define REPORTS 4
#define FAILING_MOST 5 /* reports of an error while names cannot be resolved */
/* delay that is made up for, a minute; with more delay a new child starts */
#define LATE_TICKS 3000
#define CAPTION_LATE_S 6 /* a caption waits at most this long for earlier ones */
#define CAPTION_LEAST_S 1

static const struct egress_sink *const sinks[] = { &hls_folder, &rtmp_push, &srt_push,
	&icecast_push, &recording_ogg, &recording_wav, &recording_mp4 };

struct egress {
	struct egress_order order;
	const struct egress_sink *is;
	void *sink; /* the sink's own state */
	struct mix *mix;
	struct picture_queue pictures;
	int64_t picture_dts; /* media time: of the last one */
	struct encoder encoders[EGRESS_LANGUAGES_MOST];
	/* media time: end of the last caption */
	int64_t captioned[EGRESS_LANGUAGES_MOST];
	int64_t tick, now; /* monotonic; media time */
	bool active;
	const char *why;
	int failing; /* number of successive reports of this error */
	struct reported {
		int64_t us, bytes; /* monotonic time; bytes sent before it */
	} reported[REPORTS];       /* the last measurements */
	size_t n_reported;
};

/* ---- the order ---- */

static const struct egress_sink *
sink_of(const struct json *order)
{
	const char *protocol = json_get_text(order, "protocol"),
		   *format = json_get_text(order, "format");

	for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++)
		if (protocol != NULL && strcmp(sinks[i]->protocol, protocol) == 0 &&
		    (sinks[i]->format == NULL ||
			(format != NULL && strcmp(sinks[i]->format, format) == 0)))
			return sinks[i];
	return NULL;
}

static double
get_number(const struct json *o, const char *key)
{
	const struct json *v = json_get(o, key);

	return v != NULL && v->type == JSON_NUMBER ? v->u.r : json_get_int(o, key, 0);
}

static struct egress_bucket
read_bucket(const struct json *o)
{
	return (struct egress_bucket){ .url = json_get_text(o, "url"),
		.access_key = json_get_text(o, "access_key"),
		.secret_key = json_get_text(o, "secret_key"),
		.region = json_get_text(o, "region") };
}

/* False: the text is not a valid order. */
static bool
read_order(struct arena *mem, const char *text, size_t n, struct egress *to)
{
	const char *why;
	const struct json *o = json_read(mem, text, n, &why), *code;
	struct egress_order *is = &to->order;

	if (o == NULL || o->type != JSON_OBJ)
		return false;
	*is = (struct egress_order){ .directory = json_get_text(o, "directory"),
		.bucket = read_bucket(json_get(o, "bucket")),
		.low_latency = json_get_bool(o, "low_latency"),
		.source = json_get_text(o, "source_language"),
		.max_bytes = json_get_int(o, "max_bytes", 0),
		.reserve_bytes = json_get_int(o, "reserve_bytes", 0),
		.server = json_get_text(o, "server"),
		.stream_key = json_get_text(o, "stream_key"),
		.stream_id = json_get_text(o, "stream_id"),
		.mount = json_get_text(o, "mount"),
		.picture = json_get_bool(o, "picture"),
		.allow_private = json_get_bool(o, "allow_private"),
		.epoch_us = json_get_int(o, "epoch_us", 0),
		.delay_ms = json_get_int(o, "delay_ms", 0),
		.ducked = (float)get_number(o, "ducked_volume") };
	code = json_get_list(o, "languages");
	for (code = code != NULL ? code->kids : NULL;
	     code != NULL && is->n < EGRESS_LANGUAGES_MOST; code = code->next)
		if (code->type == JSON_TEXT)
			is->codes[is->n++] = code->u.s;
	to->is = sink_of(o);
	if (to->is == NULL || is->n == 0)
		return false;
	return is->directory != NULL || (is->n == 1 && is->server != NULL);
}

/* ---- encoders ---- */

#define BIT_RATE 96000
#define OPUS_BIT_RATE 64000

/* With one channel FLT and FLTP have the same layout. */
static enum AVSampleFormat
format_of(enum AVCodecID id)
{
	return id == AV_CODEC_ID_PCM_S16LE ? AV_SAMPLE_FMT_S16
	       : id == AV_CODEC_ID_OPUS    ? AV_SAMPLE_FMT_FLT
					   : AV_SAMPLE_FMT_FLTP;
}

bool
encoder_open(struct encoder *e, enum AVCodecID id, int64_t begins)
{
	const AVCodec *codec = avcodec_find_encoder(id);
	AVCodecContext *c = avcodec_alloc_context3(codec);

	*e = (struct encoder){ .codec = c,
		.frame = av_frame_alloc(),
		.packet = av_packet_alloc(),
		.pts = begins };
	if (codec == NULL || c == NULL || e->frame == NULL || e->packet == NULL)
		return false;
	c->sample_fmt = format_of(id);
	c->sample_rate = EGRESS_HZ;
	c->ch_layout = (AVChannelLayout)AV_CHANNEL_LAYOUT_MONO;
	c->bit_rate = id == AV_CODEC_ID_OPUS ? OPUS_BIT_RATE : BIT_RATE;
	c->time_base = (AVRational){ 1, EGRESS_HZ };
	c->thread_count = 1;
	c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
	if (avcodec_open2(c, codec, NULL) != 0)
		return false;
	e->frame->format = c->sample_fmt;
	e->frame->sample_rate = c->sample_rate;
	e->frame->nb_samples = c->frame_size > 0 ? c->frame_size : EGRESS_TICK;
	return av_channel_layout_copy(&e->frame->ch_layout, &c->ch_layout) == 0 &&
	       av_frame_get_buffer(e->frame, 0) == 0;
}

/* Append samples to the frame. */
static void
fill_frame(struct encoder *e, const float *s, int n)
{
	float *to = (float *)(void *)e->frame->data[0] + e->n;
	int16_t *pcm = (int16_t *)(void *)e->frame->data[0] + e->n;

	if (e->codec->sample_fmt != AV_SAMPLE_FMT_S16)
		memcpy(to, s, (size_t)n * sizeof(*s));
	else
		for (int i = 0; i < n; i++)
			pcm[i] = (int16_t)lrintf(fmaxf(-1, fminf(1, s[i])) * INT16_MAX);
	e->n += n;
}

void
encoder_put(struct encoder *e, const float s[EGRESS_TICK],
    void (*put)(void *sink, size_t language, const AVPacket *), void *sink,
    size_t language)
{
	for (int i = 0, some; i < EGRESS_TICK; i += some) {
		some = e->frame->nb_samples - e->n;
		some = some < EGRESS_TICK - i ? some : EGRESS_TICK - i;
		if (e->n == 0 && av_frame_make_writable(e->frame) != 0)
			return;
		fill_frame(e, s + i, some);
		if (e->n < e->frame->nb_samples)
			continue;
		e->frame->pts = e->pts;
		e->pts += e->n;
		e->n = 0;
		if (avcodec_send_frame(e->codec, e->frame) != 0)
			continue;
		while (avcodec_receive_packet(e->codec, e->packet) == 0) {
			put(sink, language, e->packet);
			av_packet_unref(e->packet);
		}
	}
}

/* ---- the gateway ---- */

/* False: the gateway has closed the socket. */
static bool
send_status(struct egress *e)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	const struct reported *first =
	    &e->reported[e->n_reported < REPORTS ? 0 : e->n_reported % REPORTS];
	int64_t now = monotonic_us(), bytes;
	bool reported;

	e->active = e->is->status(e->sink, &bytes, &e->why);
	buf_put(&b, &(char){ EGRESS_STATUS }, 1);
	jw_open(&j, NULL);
	jw_text(&j, "status", e->active ? "active" : "pending");
	if (e->active && e->n_reported > 0)
		jw_int(&j, "bitrate",
		    (bytes - first->bytes) * 8 * S_US / (now - first->us));
	else
		jw_null(&j, "bitrate");
	jw_text(&j, "error", e->why);
	jw_close(&j);
	reported = send(GATEWAY, b.p, b.len, MSG_NOSIGNAL) >= 0;
	arena_free(mem);
	e->reported[e->n_reported++ % REPORTS] = (struct reported){ now, bytes };
	return reported;
}

/* Write a caption. When several captions arrive at once, each starts when the previous
   one ends. */
static void
put_caption(struct egress *e, size_t i, const char *p, size_t n)
{
	struct arena *mem = arena_small(n + 64);
	struct egress_caption c = { .start = e->captioned[i] };
	int64_t length;

	if (n > 4) {
		length = (int64_t)be32((const unsigned char *)p) * EGRESS_HZ / 1000;
		length = length > CAPTION_LEAST_S * EGRESS_HZ
			     ? length
			     : CAPTION_LEAST_S * EGRESS_HZ;
		if (c.start < e->now || c.start > e->now + CAPTION_LATE_S * EGRESS_HZ)
			c.start = e->now;
		c.end = e->captioned[i] = c.start + length;
		c.text = arena_dup(mem, p + 4, n - 4);
		e->is->put_caption(e->sink, i, &c);
	}
	arena_free(mem);
}

/* The time of a message, which follows its first two bytes. */
static int64_t
time_of(const char *message)
{
	const unsigned char *p = (const unsigned char *)message + 2;

	return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

static void
handle_message(struct egress *e, const char *p, size_t n)
{
	size_t i = n > 1 ? (unsigned char)p[1] : EGRESS_LANGUAGES_MOST + 1;

	if (i > e->order.n)
		return;
	if (*p == EGRESS_AUDIO && n > 2)
		mix_put(e->mix, i,
		    (struct opus_packets){ (const unsigned char *)p + 3, n - 3 },
		    p[2] != 0);
	else if (*p == EGRESS_ORIGINAL && n > 10)
		mix_put_original(e->mix, time_of(p),
		    (struct opus_packets){ (const unsigned char *)p + 10, n - 10 });
	else if (*p == EGRESS_PICTURE && n > 10 && e->is->put_picture != NULL)
		picture_queue_add(&e->pictures, time_of(p), p + 10, n - 10);
	else if (*p == EGRESS_FLUSH)
		mix_flush(e->mix, i);
	else if (*p == EGRESS_CAPTION && i < e->order.n && e->is->put_caption != NULL)
		put_caption(e, i, p + 2, n - 2);
}

/* Handle messages until the next tick. False: the gateway has closed the socket. */
static bool
listen_until_tick(struct egress *e)
{
	static char bytes[EGRESS_MESSAGE_MOST];
	struct pollfd p = { .fd = GATEWAY, .events = POLLIN };
	ssize_t n;

	while (poll(&p, 1, rtp_tick_wait_ms(e->tick, monotonic_us())) > 0) {
		if ((n = recv(GATEWAY, bytes, sizeof(bytes), MSG_DONTWAIT)) <= 0)
			return false;
		handle_message(e, bytes, (size_t)n);
	}
	return true;
}

/* ---- the clock ---- */

/* Send the pictures that belong to the sound of this tick, in media time. */
static void
put_pictures(struct egress *e)
{
	const struct picture *p;
	int64_t us, pts, dts;

	if (!mix_time(e->mix, &us))
		return;
	while ((p = picture_queue_first(&e->pictures, us + RTP_TICK_US)) != NULL) {
		dts = e->now + (p->dts - us) * (EGRESS_HZ / 1000) / 1000;
		dts = dts > e->picture_dts ? dts : e->picture_dts + 1;
		pts = e->now + (p->pts - us) * (EGRESS_HZ / 1000) / 1000;
		e->is->put_picture(e->sink, p, pts > dts ? pts : dts, dts);
		e->picture_dts = dts;
		picture_queue_drop(&e->pictures);
	}
}

static void
make_tick(struct egress *e)
{
	float s[EGRESS_TICK];

	mix_step(e->mix);
	put_pictures(e);
	e->now += EGRESS_TICK;
	for (size_t i = 0; i < e->order.n; i++) {
		mix_sound(e->mix, i, s);
		encoder_put(&e->encoders[i], s, e->is->put, e->sink, i);
	}
	e->is->step(e->sink, e->now);
}

/* False: ticks were skipped because the host was suspended. */
static bool
make_due(struct egress *e)
{
	int64_t last = e->tick;

	while (rtp_tick_next(&e->tick, monotonic_us(), LATE_TICKS)) {
		if (e->tick != last + 1)
			return false;
		last = e->tick;
		make_tick(e);
	}
	return true;
}

static bool
has_changed(const struct egress *e)
{
	int64_t bytes;
	const char *why;

	return e->is->status(e->sink, &bytes, &why) != e->active || why != e->why;
}

static bool
begin(struct arena *mem, struct egress *e)
{
	const AVCodecContext *codecs[EGRESS_LANGUAGES_MOST];

	e->tick = monotonic_us() / RTP_TICK_US;
	e->order.begins = e->now =
	    (now_us() - e->order.epoch_us) / RTP_TICK_US * EGRESS_TICK;
	e->mix = mix_new(mem, &e->order);
	for (size_t i = 0; i < e->order.n; i++) {
		if (!encoder_open(&e->encoders[i], e->is->codec, e->now))
			return false;
		codecs[i] = e->encoders[i].codec;
	}
	return e->is->open(mem, &e->order, codecs, &e->sink) == OK;
}

static bool
is_report_due(const struct egress *e)
{
	return monotonic_us() >
	       e->reported[(e->n_reported - 1) % REPORTS].us + REPORT_US;
}

/* True if the files were replaced: Landlock's rules refer to the old ones. */
static bool
are_names_lost(void)
{
	for (const char *const *path = EGRESS_READS; *path != NULL; path++) {
		int fd = open(*path, O_RDONLY | O_CLOEXEC);

		if (fd < 0 && errno == EACCES)
			return true;
		if (fd >= 0)
			close(fd);
	}
	return false;
}

/* True when the error persists and a new child, with new Landlock rules, may resolve
   the host. */
static bool
is_helpless(struct egress *e)
{
	bool calls = e->order.server != NULL || e->order.bucket.url != NULL;

	e->failing = e->why != NULL ? e->failing + 1 : 0;
	return calls && e->failing >= FAILING_MOST && are_names_lost();
}

/* Run until the gateway closes the socket. False: ticks were skipped; a new child
   must start. */
static bool
run(struct egress *e)
{
	while (listen_until_tick(e)) {
		if (!make_due(e))
			return false;
		if ((has_changed(e) || is_report_due(e)) &&
		    (!send_status(e) || is_helpless(e)))
			return true;
	}
	return true;
}

int
egress_run(void)
{
	static struct arena *mem; /* lives until the process ends */
	struct egress *e;
	char *text;
	ssize_t n;
	bool ran;

	mem = arena_new();
	e = arena_alloc(mem, sizeof(*e));
	text = arena_alloc(mem, EGRESS_MESSAGE_MOST);
	n = recv(GATEWAY, text, EGRESS_MESSAGE_MOST, 0);
	*e = (struct egress){ .n_reported = 0 };
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* let write() fail when a file exceeds its limit */
	av_log_set_level(AV_LOG_QUIET);
	if (n <= 0 || !read_order(mem, text, (size_t)n, e) || !begin(mem, e))
		return EXIT_FAILURE;
	ran = send_status(e) && run(e);
	if (e->is->close != NULL)
		e->is->close(e->sink);
	return ran ? EXIT_SUCCESS : EXIT_FAILURE;
}
