/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ingress/demux.h"

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/mem.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audio/opus_encoder.h"
#include "base/clock.h"
#include "base/lang.h"
#include "ingress/ingress_wire.h"
#include "media/mixer.h"
#include "media/picture_wire.h"
#include "media/source.h"

#define IO_BYTES 32768
#define STEP_MS 40 /* timestamps that differ by less are contiguous */
#define TRACKS 32  /* as the limit of source_container() */
/* successive packets of other tracks after which our track counts as lost */
#define OTHERS 100
#define BLOCK_MS 500 /* longest silence in one message */
#define SILENCE 16   /* loudness below which sound is silent, of 32,767 */
#define MS (SPOKEN_HZ / 1000)

/*
 * A track of sound that is not used; it is decoded only while its sound is checked.
 * Zero-initialise.
 */
struct quiet_track {
	bool left; /* preferred to the track in use, but silent */
	AVCodecContext *dec;
	struct mixer mixer;
};

/*
 * The picture beside the sound of an incoming stream: H.264, passed on as it is.  Only
 * its parameter sets are read.
 */
struct picture_track {
	AVRational times;
	AVBSFContext *filter;
	AVCodecParserContext *parser;
	AVCodecContext *context; /* context of the parser */
	AVPacket *packet;
	unsigned char *head;
	size_t n_head;
};

struct demux {
	int from, to;
	const char *language;
	AVFormatContext *fmt;
	AVCodecContext *dec; /* NULL: no track yet */
	int track;
	/* packets of each track since the last one of ours; only MPEG-TS */
	int others[TRACKS];
	int waited;   /* packets before the first packet of our track */
	int64_t mute; /* samples of our track, all silent; -1: it has had sound */
	struct quiet_track quiet[TRACKS]; /* the others */
	struct arena *mem;
	bool wants_picture;
	struct picture_track *picture; /* NULL: none yet */
	int picture_track;             /* index of the picture's track */
	bool need_key;                 /* pictures were skipped */
	AVFrame *frame;
	struct mixer mixer;
	struct opus_encoder *encoder;
	bool began;       /* offset is valid */
	int64_t offset;   /* difference of timestamps and samples sent, in samples */
	int64_t sent;     /* samples */
	int64_t begun_us; /* monotonic, first packet; 0: none yet */
	int64_t due_us;   /* monotonic: end of the sound that was sent */
	int64_t late_us;  /* time without sound since offset became valid */
};

static int
read_bytes(void *arg, uint8_t *to, int n)
{
	const struct demux *d = arg;
	ssize_t did = TEMP_FAILURE_RETRY(read(d->from, to, (size_t)n));

	return did > 0 ? (int)did : AVERROR_EOF;
}

/* ---- tracks that are not used ---- */

/* True if the samples are quieter than the noise of a microphone. */
static bool
quiet_track_silent(const int16_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (abs(s[i]) > SILENCE)
			return false;
	return true;
}

static bool
frame_sounds(struct mixer *m, const AVFrame *f)
{
	bool sounds = false;
	int16_t *s;
	int most, n;

	if (!source_is_sound(f) || (!mixer_fits(m, f) && !mixer_tune(m, f)) ||
	    (most = mixer_most(m, f)) <= 0 ||
	    (s = av_malloc((size_t)most * sizeof(*s))) == NULL)
		return false;
	if ((n = mixer_run(m, f, s, most)) > 0)
		sounds = !quiet_track_silent(s, (size_t)n);
	av_free(s);
	return sounds;
}

/* True if a packet of the track has sound. */
static bool
quiet_track_sounds(struct quiet_track *q, const AVStream *of, const AVPacket *pkt)
{
	AVFrame *f = av_frame_alloc();
	bool sounds = false;

	if (q->dec == NULL) {
		q->dec = source_decoder(of->codecpar, of->time_base, SOURCE_SOUNDS);
		q->mixer =
		    (struct mixer){ .to_hz = SPOKEN_HZ, .to = AV_SAMPLE_FMT_S16 };
	}
	if (f != NULL && q->dec != NULL && avcodec_send_packet(q->dec, pkt) == 0)
		while (avcodec_receive_frame(q->dec, f) == 0)
			sounds |= frame_sounds(&q->mixer, f);
	av_frame_free(&f);
	return sounds;
}

/* Free the decoder and clear left. */
static void
quiet_track_free(struct quiet_track *q)
{
	avcodec_free_context(&q->dec);
	swr_free(&q->mixer.swr);
	av_free(q->mixer.both);
	*q = (struct quiet_track){ .left = false };
}

/* ---- the picture's track ---- */

/* NULL: the picture cannot be passed on. */
static struct picture_track *
picture_track_new(struct arena *mem, const AVStream *s)
{
	struct picture_track *t = arena_alloc(mem, sizeof(*t));

	if (s->codecpar->codec_id != AV_CODEC_ID_H264)
		return NULL;
	t->times = s->time_base;
	t->parser = av_parser_init(AV_CODEC_ID_H264);
	t->context = avcodec_alloc_context3(NULL);
	t->packet = av_packet_alloc();
	/* Convert to a byte stream and extract its parameter sets. */
	if (t->parser == NULL || t->context == NULL || t->packet == NULL ||
	    av_bsf_list_parse_str("h264_mp4toannexb,extract_extradata", &t->filter) <
		0 ||
	    avcodec_parameters_copy(t->filter->par_in, s->codecpar) < 0)
		return NULL;
	t->filter->time_base_in = s->time_base;
	t->parser->flags |= PARSER_FLAG_COMPLETE_FRAMES;
	t->context->codec_id = AV_CODEC_ID_H264;
	return av_bsf_init(t->filter) < 0 ? NULL : t;
}

static void
read_head(struct picture_track *t)
{
	size_t n;
	const uint8_t *head =
	    av_packet_get_side_data(t->packet, AV_PKT_DATA_NEW_EXTRADATA, &n);
	uint8_t *out;
	int n_out;

	if (head == NULL)
		return;
	av_free(t->head);
	t->head = av_memdup(head, n);
	t->n_head = t->head != NULL ? n : 0;
	av_parser_parse2(t->parser, t->context, &out, &n_out, t->packet->data,
	    t->packet->size, AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
}

/*
 * Call put() with each picture of the packet, which the caller still owns; offset_us is
 * added to the times. Pictures before the first parameter sets are skipped.
 */
static void
picture_track_put(struct picture_track *t, const AVPacket *p, int64_t offset_us,
    void (*put)(void *, const struct picture *), void *arg)
{
	const AVRational us = { 1, 1000000 };
	AVPacket *copy = av_packet_clone(p);

	if (copy == NULL || av_bsf_send_packet(t->filter, copy) < 0) {
		av_packet_free(&copy);
		return;
	}
	av_packet_free(&copy);
	for (; av_bsf_receive_packet(t->filter, t->packet) == 0;
	     av_packet_unref(t->packet)) {
		read_head(t);
		if (t->n_head == 0 || t->parser->width <= 0 ||
		    t->packet->dts == AV_NOPTS_VALUE ||
		    t->packet->pts == AV_NOPTS_VALUE)
			continue;
		put(arg,
		    &(const struct picture){
			.key = (t->packet->flags & AV_PKT_FLAG_KEY) != 0,
			.pts = av_rescale_q(t->packet->pts, t->times, us) + offset_us,
			.dts = av_rescale_q(t->packet->dts, t->times, us) + offset_us,
			.width = t->parser->width,
			.height = t->parser->height,
			.head = t->head,
			.n_head = t->n_head,
			.bytes = t->packet->data,
			.n = (size_t)t->packet->size });
	}
}

static void
picture_track_free(struct picture_track *t)
{
	if (t == NULL)
		return;
	av_bsf_free(&t->filter);
	av_parser_close(t->parser);
	avcodec_free_context(&t->context);
	av_packet_free(&t->packet);
	av_free(t->head);
}

/* ---- sound out ---- */

/* Wait while more sound was sent than has been played by now. */
static void
keep_pace(struct demux *d, size_t n)
{
	int64_t now = monotonic_us(), ahead_us;

	d->due_us += (int64_t)n * S_US / SPOKEN_HZ;
	ahead_us = d->due_us - now - DEMUX_AHEAD_S * S_US;
	if (ahead_us > 0)
		nanosleep(
		    &(const struct timespec){ ahead_us / S_US, ahead_us % S_US * 1000 },
		    NULL);
}

static void
send_samples(struct demux *d, const int16_t *s, size_t n)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	size_t head;

	buf_put(&b, &(char){ INGRESS_AUDIO }, 1);
	head = b.len;
	opus_encoder_put(d->encoder, s, n, false, &b);
	if (b.len > head && write(d->to, b.p, b.len) < 0)
		_exit(DEMUX_ENDED); /* the gateway has gone */
	arena_free(mem);
	d->sent += (int64_t)n;
	keep_pace(d, n);
}

static void
send_silence(struct demux *d, int64_t n)
{
	static const int16_t silence[BLOCK_MS * MS];

	for (int64_t some; n > 0; n -= some) {
		some = n < BLOCK_MS * MS ? n : BLOCK_MS * MS;
		send_samples(d, silence, (size_t)some);
	}
}

/*
 * Send silence for a gap. It first fills the time without sound, so that later sound is
 * not delayed.
 */
static void
fill(struct demux *d, int64_t n)
{
	int64_t us = n * S_US / SPOKEN_HZ, over_us = us < d->late_us ? us : d->late_us;

	d->due_us -= over_us;
	d->late_us -= over_us;
	send_silence(d, n);
}

/* Align the sent sound with the frame's timestamp. */
static void
align_time(struct demux *d, const AVFrame *f)
{
	int64_t at = f->best_effort_timestamp, now = monotonic_us(), gap;

	if (d->due_us < now) {
		d->late_us += now - d->due_us;
		d->due_us = now;
	}
	if (at == AV_NOPTS_VALUE)
		return;
	at = av_rescale_q(at, d->dec->pkt_timebase, (AVRational){ 1, SPOKEN_HZ });
	gap = at + d->offset - d->sent;
	if (!d->began || gap > DEMUX_GAP_S * SPOKEN_HZ || gap < -STEP_MS * MS) {
		d->offset = d->sent - at;
		d->late_us = 0;
	} else if (gap > STEP_MS * MS)
		fill(d, gap);
	d->began = true;
}

/* Count silence before the first sound; later silence is a pause of the speaker. */
static void
count_mute(struct demux *d, const int16_t *s, size_t n)
{
	if (d->mute >= 0)
		d->mute = quiet_track_silent(s, n) ? d->mute + (int64_t)n : -1;
}

static void
send_frame(struct demux *d)
{
	int most, n;
	int16_t *s;

	if (!source_is_sound(d->frame) ||
	    (!mixer_fits(&d->mixer, d->frame) && !mixer_tune(&d->mixer, d->frame)) ||
	    (most = mixer_most(&d->mixer, d->frame)) <= 0)
		return;
	align_time(d, d->frame);
	if ((s = av_malloc((size_t)most * sizeof(*s))) == NULL)
		_exit(DEMUX_FAILED);
	if ((n = mixer_run(&d->mixer, d->frame, s, most)) > 0) {
		count_mute(d, s, (size_t)n);
		send_samples(d, s, (size_t)n);
	}
	av_free(s);
}

/* ---- the track ---- */

static bool
speaks(const AVStream *s, const char *language)
{
	const AVDictionaryEntry *is = av_dict_get(s->metadata, "language", NULL, 0);

	return is != NULL && lang_is_named(is->value, language);
}

static bool
is_sound(const AVStream *s)
{
	return s->codecpar->codec_type == AVMEDIA_TYPE_AUDIO &&
	       s->codecpar->codec_id != AV_CODEC_ID_NONE;
}

/* A new program map may bring other tracks (HLS: EXT-X-DISCONTINUITY): after OTHERS
   packets of one of them, choose the track again. */
static void
count_others(struct demux *d, int track)
{
	if (track == d->track)
		memset(d->others, 0, sizeof(d->others));
	else if (strcmp(d->fmt->iformat->name, "mpegts") == 0 &&
		 ++d->others[track] > OTHERS) {
		avcodec_free_context(&d->dec);
		picture_track_free(d->picture);
		d->picture = NULL;
		for (int i = 0; i < TRACKS; i++)
			quiet_track_free(&d->quiet[i]);
	}
}

/* True when another track is preferred: one of the wanted language, or an earlier
   one. */
static bool
is_second(struct demux *d, const AVStream *s)
{
	bool waits = !d->began && d->waited++ < OTHERS, is = false;

	for (int i = 0; !is && i < (int)d->fmt->nb_streams; i++)
		is = (waits || d->others[i] > 0) && is_sound(d->fmt->streams[i]) &&
		     (speaks(d->fmt->streams[i], d->language) ||
			 (waits && i < s->index));
	return is;
}

/*
 * True for the last packet before a pause, which a demuxer holds back until the next
 * packet comes.
 */
static bool
is_of_before(const struct demux *d, const AVPacket *pkt, const AVStream *s)
{
	int64_t at = av_rescale_q(pkt->pts, s->time_base, (AVRational){ 1, SPOKEN_HZ });

	return pkt->pts != AV_NOPTS_VALUE && at + d->offset < d->sent - SPOKEN_HZ;
}

/* True if the packet's track is better than the one in use. */
static bool
is_better(struct demux *d, const AVPacket *pkt, const AVStream *s)
{
	bool mute = d->mute >= DEMUX_QUIET_S * SPOKEN_HZ;
	bool wanted = speaks(s, d->language);
	bool has_wanted = speaks(d->fmt->streams[d->track], d->language);
	struct quiet_track *q = &d->quiet[s->index];

	if (s->index == d->track || is_of_before(d, pkt, s))
		return false;
	if (!mute && !q->left)
		return wanted && !has_wanted;
	return (mute || wanted || !has_wanted) && quiet_track_sounds(q, s, pkt);
}

static void
use_track(struct demux *d, const AVStream *s)
{
	bool mute = d->dec != NULL && d->mute >= DEMUX_QUIET_S * SPOKEN_HZ;
	AVCodecContext *dec = source_decoder(s->codecpar, s->time_base, SOURCE_SOUNDS);

	if (dec == NULL)
		return;
	avcodec_free_context(&d->dec);
	d->dec = dec;
	d->quiet[d->track].left |= mute;
	for (int i = 0; i < s->index; i++)
		d->quiet[i].left = true;
	d->track = s->index;
	d->mute = mute || d->quiet[d->track].left ? -1 : 0;
	quiet_track_free(&d->quiet[d->track]);
}

/* Use the packet's track unless there is a better one. */
static void
choose_track(struct demux *d, const AVPacket *pkt)
{
	const AVStream *s = d->fmt->streams[pkt->stream_index];

	if (!is_sound(s))
		return;
	if (d->dec != NULL)
		count_others(d, s->index);
	if (d->dec != NULL ? !is_better(d, pkt, s)
			   : !speaks(s, d->language) && is_second(d, s))
		return; /* the first packet of a better track follows */
	use_track(d, s);
}

/* ---- the picture ---- */

static void
send_picture(void *arg, const struct picture *p)
{
	struct demux *d = arg;
	int64_t ahead_us = p->dts - av_rescale(d->sent, S_US, SPOKEN_HZ);
	size_t done = 0;
	bool more;

	/* after a jump the sound sets the new time; until then pictures are skipped */
	d->need_key = llabs(ahead_us) > DEMUX_GAP_S * S_US || (d->need_key && !p->key);
	more = !d->need_key;
	while (more) {
		struct arena *mem = arena_new();
		struct buf b = { .mem = mem };

		buf_put(&b, &(char){ INGRESS_PICTURE }, 1);
		more = picture_message(p, &done, &b);
		if (more && write(d->to, b.p, b.len) < 0)
			_exit(DEMUX_ENDED); /* the gateway has gone */
		arena_free(mem);
	}
}

/* Pass on the pictures of one track, with times that match the sound. */
static void
pass_picture(struct demux *d, const AVPacket *pkt)
{
	const AVStream *s = d->fmt->streams[pkt->stream_index];

	if (!d->wants_picture || !d->began ||
	    s->codecpar->codec_type != AVMEDIA_TYPE_VIDEO)
		return;
	if (d->picture == NULL) {
		d->picture = picture_track_new(d->mem, s);
		d->picture_track = s->index;
	}
	if (d->picture == NULL)
		d->wants_picture = false;
	else if (d->picture_track == s->index)
		picture_track_put(d->picture, pkt,
		    av_rescale(d->offset, S_US, SPOKEN_HZ), send_picture, d);
}

static void
handle_packet(struct demux *d, const AVPacket *pkt)
{
	if (d->begun_us == 0)
		d->begun_us = monotonic_us();
	if (d->sent == 0 && monotonic_us() > d->begun_us + DEMUX_MUTE_S * S_US)
		_exit(DEMUX_NO_SOUND);
	pass_picture(d, pkt);
	choose_track(d, pkt);
	if (d->dec == NULL || pkt->stream_index != d->track ||
	    avcodec_send_packet(d->dec, pkt) < 0)
		return;
	while (avcodec_receive_frame(d->dec, d->frame) == 0)
		send_frame(d);
}

noreturn void
demux_run(int from, int to, const char *demuxer, const char *language, bool picture)
{
	struct demux d = {
		.from = from, .to = to, .language = language, .wants_picture = picture
	};
	struct arena *mem = arena_new();
	AVPacket *pkt = av_packet_alloc();

	av_log_set_level(AV_LOG_QUIET);
	d.mem = mem;
	d.mixer = (struct mixer){ .to_hz = SPOKEN_HZ, .to = AV_SAMPLE_FMT_S16 };
	d.encoder = opus_encoder_new(mem);
	opus_encoder_begin(d.encoder);
	d.frame = av_frame_alloc();
	d.fmt = source_container(avio_alloc_context(av_malloc(IO_BYTES), IO_BYTES, 0,
				     &d, read_bytes, NULL, NULL),
	    demuxer, SOURCE_SOUNDS);
	if (d.fmt == NULL || d.frame == NULL || pkt == NULL)
		_exit(DEMUX_UNREADABLE);
	for (; av_read_frame(d.fmt, pkt) == 0; av_packet_unref(pkt))
		handle_packet(&d, pkt);
	_exit(DEMUX_ENDED);
}
