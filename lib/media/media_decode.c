/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The child's tasks on a file: check its format, first its structure (sniff.c), then
 * one frame; and decode it to mono sound.  Noise and loudness are processed at the end:
 * they are measured over the whole sound.
 */
#include <libavcodec/avcodec.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/mem.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "media/filter_graph.h"
#include "media/media_internal.h"
#include "media/mixer.h"
#include "media/source.h"

/* ---- still pictures need no demuxer: the file is the packet ---- */

#define BYTES_MAX (256 << 20)
#define PIXELS_MAX (200 << 20) /* cameras have up to 200 million */

/* Read all of descriptor 0, padded for decoders; NULL: too large, or empty. */
static AVPacket *
read_packet(void)
{
	AVPacket *pkt = av_packet_alloc();
	struct stat st;
	ssize_t did;

	if (pkt == NULL || fstat(STDIN_FILENO, &st) < 0 || st.st_size == 0 ||
	    st.st_size > BYTES_MAX || av_new_packet(pkt, (int)st.st_size) < 0)
		return NULL;
	for (int n = 0; n < pkt->size; n += (int)did)
		if ((did = pread(
			 STDIN_FILENO, pkt->data + n, (size_t)(pkt->size - n), n)) <= 0)
			return NULL;
	return pkt;
}

/*
 * libav decodes only still WebP.  The frames of an animation are WebP pictures without
 * a head: keep the head and the first frame.
 */
static void
keep_first_frame(AVPacket *pkt)
{
	enum { HEAD = 12, CHUNK = 8, PLACE = 16 }; /* bytes */
	int64_t at = HEAD, size;

	for (; at + CHUNK + PLACE < pkt->size; at += CHUNK + size + size % 2) {
		size = AV_RL32(pkt->data + at + 4);
		if (memcmp(pkt->data + at, "ANMF", 4) != 0)
			continue;
		if (size <= PLACE || size > pkt->size - at - CHUNK)
			return;
		size -= PLACE;
		memmove(pkt->data + HEAD, pkt->data + at + CHUNK + PLACE, (size_t)size);
		AV_WL32(pkt->data + 4, (uint32_t)size + 4);
		av_shrink_packet(pkt, HEAD + (int)size);
		return;
	}
}

static bool
picture_decodes(const char *decoder)
{
	const AVCodec *codec = avcodec_find_decoder_by_name(decoder);
	AVCodecContext *dec = avcodec_alloc_context3(codec);
	AVFrame *frame = av_frame_alloc();
	AVPacket *pkt = read_packet();

	if (codec == NULL || dec == NULL || frame == NULL || pkt == NULL)
		return false;
	if (codec->id == AV_CODEC_ID_WEBP)
		keep_first_frame(pkt);
	dec->thread_count = 1;
	dec->max_pixels = PIXELS_MAX;
	dec->err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK;
	return avcodec_open2(dec, codec, NULL) == 0 &&
	       avcodec_send_packet(dec, pkt) == 0 &&
	       avcodec_send_packet(dec, NULL) == 0 &&
	       avcodec_receive_frame(dec, frame) == 0 && frame->width > 0;
}

/* ---- check ---- */

/* True if one frame of this type of stream decodes. */
static bool
stream_decodes(
    const struct sniff_kind *kind, int64_t from, enum AVMediaType type, struct wire *w)
{
	struct source src;

	if (source_open(&src, kind, from, type, 0) != MEDIA_FINE ||
	    source_next(&src) == NULL)
		return false;
	source_describe(&src, w);
	return true;
}

static bool
kind_decodes(const struct sniff_kind *kind, int64_t from, struct wire *w)
{
	if (kind->picture != NULL)
		return picture_decodes(kind->picture);
	return stream_decodes(kind, from, AVMEDIA_TYPE_AUDIO, w) ||
	       stream_decodes(kind, from, AVMEDIA_TYPE_VIDEO, w);
}

static void
put_name(struct wire *w, const struct sniff_kind *kind, const char *found)
{
	const char *name = kind == NULL                   ? found
			   : w->verdict == MEDIA_MISMATCH ? NULL
							  : kind->name;

	snprintf(w->format, sizeof(w->format), "%s", name != NULL ? name : "");
	if (kind != NULL && kind->picture != NULL)
		snprintf(w->codec, sizeof(w->codec), "%s", kind->name);
}

void
media_child_check(char **args, struct media_answer *a)
{
	int64_t from = 0;
	const char *found;
	const struct sniff_kind *kind = sniff(STDIN_FILENO, args[0], &from, &found);

	a->head.duration_s = NAN;
	a->head.verdict = kind != NULL && kind_decodes(kind, from, &a->head)
			      ? MEDIA_FINE
			      : MEDIA_MISMATCH;
	put_name(&a->head, kind, found);
}

/* ---- decode ---- */

#define LOUDEST 4.0F /* times full scale; float files may contain any value */

/* The output; its largest size is allocated first. */
struct sink {
	struct mixer mixer;
	struct pcm pcm;
	int track;
	size_t max; /* samples */
};

/* Add a frame, or with NULL the buffered samples; false: enough. */
static bool
mix(struct sink *s, const AVFrame *f)
{
	size_t room = s->max - s->pcm.n;
	int n = mixer_most(&s->mixer, f); /* n at most; the mixer stores the rest */

	if (n > 0 && (size_t)n > room)
		n = (int)room;
	if (n > 0)
		n = mixer_run(&s->mixer, f, s->pcm.s + s->pcm.n, n);
	if (n < 0)
		return false;
	s->pcm.n += (size_t)n;
	return s->pcm.n < s->max;
}

/* Adapt to the format of the frame, which may change in the file. */
static bool
tune(struct sink *s, const AVFrame *f)
{
	if (mixer_fits(&s->mixer, f))
		return true;
	if (s->mixer.swr != NULL && !mix(s, NULL))
		return false;
	return mixer_tune(&s->mixer, f);
}

/* Mix all sound of the source, while there is room. */
static void
mix_all(struct sink *s, struct source *src)
{
	const AVFrame *f;

	while ((f = source_next(src)) != NULL)
		if (!tune(s, f) || !mix(s, f))
			return;
	if (s->mixer.swr != NULL)
		mix(s, NULL);
}

/* The verdict on a source that could not be opened. */
static enum media_verdict
why_not(const struct source *src, enum media_verdict v, enum media_verdict empty)
{
	if (v == MEDIA_NO_AUDIO && source_find(src->fmt, AVMEDIA_TYPE_VIDEO) == NULL &&
	    source_find(src->fmt, AVMEDIA_TYPE_AUDIO) == NULL)
		return empty;
	return v;
}

static enum media_verdict
decode(const struct sniff_kind *kind, int64_t from, enum media_verdict empty,
    struct sink *s, struct wire *w)
{
	enum media_verdict v;
	struct source src;

	if (kind->picture != NULL)
		return picture_decodes(kind->picture) ? MEDIA_NO_AUDIO : empty;
	v = source_open(&src, kind, from, AVMEDIA_TYPE_AUDIO, s->track);
	source_describe(&src, w);
	if (v != MEDIA_FINE)
		return why_not(&src, v, empty);
	mix_all(s, &src);
	if (s->pcm.n > 0)
		return MEDIA_FINE;
	return src.read > 0 ? MEDIA_UNDECODABLE : empty;
}

static void
process(struct pcm *pcm, int flags)
{
	loudness_bound(pcm, LOUDEST);
	if ((flags & WIRE_DENOISE) != 0)
		loudness_denoise(pcm);
	if ((flags & WIRE_NORMALISE) != 0)
		loudness_normalise(pcm);
	loudness_bound(pcm, 1);
}

bool
media_child_load(char **args)
{
	return atoi(args[3]) == 0 || filter_graph_load();
}

void
media_child_decode(char **args, struct media_answer *a)
{
	int rate_hz = atoi(args[1]), max_s = atoi(args[2]);
	bool declared = args[0][0] != '\0';
	enum media_verdict empty = declared ? MEDIA_MISMATCH : MEDIA_UNDECODABLE;
	int64_t from = 0;
	const char *found;
	const struct sniff_kind *kind =
	    sniff(STDIN_FILENO, declared ? args[0] : NULL, &from, &found);
	struct sink s = { .mixer = { .to_hz = rate_hz, .to = AV_SAMPLE_FMT_FLT },
		.pcm.rate_hz = rate_hz,
		.track = atoi(args[4]),
		.max = (size_t)rate_hz * (size_t)max_s };

	a->head.duration_s = NAN;
	a->head.verdict = empty;
	/* allocated but untouched pages take no memory */
	s.pcm.s = av_malloc(s.max * sizeof(float));
	if (kind != NULL && s.pcm.s != NULL)
		a->head.verdict = decode(kind, from, empty, &s, &a->head);
	put_name(&a->head, kind, found);
	if (a->head.verdict != MEDIA_FINE)
		return;
	process(&s.pcm, atoi(args[3]));
	a->head.duration_s = (double)s.pcm.n / rate_hz;
	a->head.n = s.pcm.n;
	a->body = s.pcm.s;
	a->bytes = s.pcm.n * sizeof(float);
}
