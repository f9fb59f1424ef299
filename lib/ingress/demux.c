#include "ingress/demux.h"

#include <errno.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audio/opus_encoder.h"
#include "base/clock.h"
#include "base/lang.h"
#include "ingress/ingress_wire.h"
#include "ingress/picture.h"
#include "ingress/quiet_track.h"
#include "media/mixer.h"
#include "media/source.h"

#define IO_BYTES 32768
#define STEP_MS 40   /* timestamps that differ by less follow each other */
#define TRACKS 32    /* as many as source_container() lets be */
#define OTHERS 100   /* packets of others in a row: ours has gone */
#define BLOCK_MS 500 /* of silence, in one message */
#define MS (SPOKEN_HZ / 1000)

struct demux {
	int from, to;
	const char *language;
	AVFormatContext *fmt;
	AVCodecContext *dec; /* NULL: no track yet */
	int track;
	int others[TRACKS]; /* packets of each since one of ours; sound of MPEG-TS */
	int waited;         /* packets before the first one of ours */
	int64_t mute;       /* samples of ours, all silent; -1: it was heard */
	struct quiet_track quiet[TRACKS]; /* the others */
	struct arena *mem;
	bool wants_picture;
	struct picture_track *picture; /* NULL: none yet */
	int picture_track;             /* its index */
	bool need_key;                 /* pictures were left out */
	AVFrame *frame;
	struct mixer mixer;
	struct opus_encoder *encoder;
	bool began;       /* offset is valid */
	int64_t offset;   /* from timestamps to samples sent, samples */
	int64_t sent;     /* samples */
	int64_t begun_us; /* monotonic, first packet; 0: none yet */
	int64_t due_us;   /* monotonic, when what was sent has been heard */
	int64_t late_us;  /* for how long nothing was heard since offset is valid */
};

static int
read_bytes(void *arg, uint8_t *to, int n)
{
	const struct demux *d = arg;
	ssize_t did = TEMP_FAILURE_RETRY(read(d->from, to, (size_t)n));

	return did > 0 ? (int)did : AVERROR_EOF;
}

/* ---- sound out ---- */

/* Wait while more is sent than is heard by now. */
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

/* Silence first takes the time when nothing was heard: that makes nothing late. */
static void
fill(struct demux *d, int64_t n)
{
	int64_t us = n * S_US / SPOKEN_HZ, over_us = us < d->late_us ? us : d->late_us;

	d->due_us -= over_us;
	d->late_us -= over_us;
	send_silence(d, n);
}

/* Bring what is sent to where the frame belongs. */
static void
keep_time(struct demux *d, const AVFrame *f)
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

/* A silence later on is a pause of the speaker. */
static void
count_mute(struct demux *d, const int16_t *s, size_t n)
{
	if (d->mute >= 0)
		d->mute = quiet_track_silent(s, n) ? d->mute + (int64_t)n : -1;
}

static void
take_frame(struct demux *d)
{
	int most, n;
	int16_t *s;

	if (!source_is_sound(d->frame) ||
	    (!mixer_fits(&d->mixer, d->frame) && !mixer_tune(&d->mixer, d->frame)) ||
	    (most = mixer_most(&d->mixer, d->frame)) <= 0)
		return;
	keep_time(d, d->frame);
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

/* A new map of programs may bring other tracks (HLS: EXT-X-DISCONTINUITY). */
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

/* Whether another track comes before this one: of the wanted language, or the first. */
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

/* The last packet before a silence comes with the first one after it only. */
static bool
is_of_before(const struct demux *d, const AVPacket *pkt, const AVStream *s)
{
	int64_t at = av_rescale_q(pkt->pts, s->time_base, (AVRational){ 1, SPOKEN_HZ });

	return pkt->pts != AV_NOPTS_VALUE && at + d->offset < d->sent - SPOKEN_HZ;
}

/* True if the packet's track is better than the one that is taken. */
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
take_track(struct demux *d, const AVStream *s)
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

/* The packet's track, unless there is a better one. */
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
		return; /* the first packet of a better one follows */
	take_track(d, s);
}

/* ---- the picture ---- */

static void
send_picture(void *arg, const struct picture *p)
{
	struct demux *d = arg;
	int64_t ahead_us = p->dts - av_rescale(d->sent, S_US, SPOKEN_HZ);
	size_t done = 0;
	bool more;

	/* New times come with the sound: until then this one has none. */
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

/* One track of it, in the times of the sound. */
static void
take_picture(struct demux *d, const AVPacket *pkt)
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
take_packet(struct demux *d, const AVPacket *pkt)
{
	if (d->begun_us == 0)
		d->begun_us = monotonic_us();
	if (d->sent == 0 && monotonic_us() > d->begun_us + DEMUX_MUTE_S * S_US)
		_exit(DEMUX_NO_SOUND);
	take_picture(d, pkt);
	choose_track(d, pkt);
	if (d->dec == NULL || pkt->stream_index != d->track ||
	    avcodec_send_packet(d->dec, pkt) < 0)
		return;
	while (avcodec_receive_frame(d->dec, d->frame) == 0)
		take_frame(d);
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
		take_packet(&d, pkt);
	_exit(DEMUX_ENDED);
}
