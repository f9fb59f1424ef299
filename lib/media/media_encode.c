/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Encodes sound to a file in memory.
 */
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "media/media.h"
#include "media/media_internal.h"
#include "media/mixer.h"

#define STEP 4096 /* samples at a time */

static const struct form {
	const char *name; /* name of the format, and of libav's muxer */
	const char *encoder;
	enum AVSampleFormat samples;
	int bit_rate;
} forms[] = {
	{ "mp3", "libmp3lame", AV_SAMPLE_FMT_FLTP, 96000 },
	{ "ogg", "libopus", AV_SAMPLE_FMT_FLT, 48000 },
	{ "wav", "pcm_s16le", AV_SAMPLE_FMT_S16, 0 },
};

struct writer {
	AVFormatContext *fmt;
	AVCodecContext *enc;
	AVPacket *pkt;
	int64_t pts; /* samples */
};

static const struct form *
find_form(const char *name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(forms[i].name, name) == 0)
			return &forms[i];
	return NULL;
}

/* The lowest rate of the encoder that is not below rate_hz, or its highest. */
static int
rate_for(const AVCodec *codec, int rate_hz)
{
	int best = 0;

	if (codec->supported_samplerates == NULL)
		return rate_hz;
	for (const int *r = codec->supported_samplerates; *r != 0; r++)
		if (best == 0 || (*r >= rate_hz && (*r < best || best < rate_hz)) ||
		    (best<rate_hz && * r> best))
			best = *r;
	return best;
}

static AVCodecContext *
open_encoder(const struct form *form, int rate_hz)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(form->encoder);
	AVCodecContext *enc = avcodec_alloc_context3(codec);

	if (codec == NULL || enc == NULL)
		return NULL;
	enc->sample_fmt = form->samples;
	enc->sample_rate = rate_for(codec, rate_hz);
	enc->ch_layout = (AVChannelLayout)AV_CHANNEL_LAYOUT_MONO;
	enc->bit_rate = form->bit_rate;
	enc->time_base = (AVRational){ 1, enc->sample_rate };
	enc->thread_count = 1;
	enc->flags |= AV_CODEC_FLAG_BITEXACT;
	return avcodec_open2(enc, codec, NULL) == 0 ? enc : NULL;
}

static bool
writer_open(struct writer *w, const struct form *form, int rate_hz)
{
	AVStream *s;

	if ((w->pkt = av_packet_alloc()) == NULL ||
	    (w->enc = open_encoder(form, rate_hz)) == NULL ||
	    avformat_alloc_output_context2(&w->fmt, NULL, form->name, NULL) < 0 ||
	    (s = avformat_new_stream(w->fmt, NULL)) == NULL ||
	    avcodec_parameters_from_context(s->codecpar, w->enc) < 0 ||
	    avio_open_dyn_buf(&w->fmt->pb) < 0)
		return false;
	w->fmt->flags |= AVFMT_FLAG_BITEXACT;
	s->time_base = w->enc->time_base;
	return avformat_write_header(w->fmt, NULL) >= 0;
}

/* Encode a frame, or with NULL the rest, and write the finished packets. */
static bool
put_frame(struct writer *w, AVFrame *f)
{
	int e;

	if (f != NULL) {
		f->pts = w->pts;
		w->pts += f->nb_samples;
	}
	if (avcodec_send_frame(w->enc, f) < 0)
		return false;
	while ((e = avcodec_receive_packet(w->enc, w->pkt)) == 0) {
		w->pkt->stream_index = 0;
		av_packet_rescale_ts(
		    w->pkt, w->enc->time_base, w->fmt->streams[0]->time_base);
		if (av_write_frame(w->fmt, w->pkt) < 0)
			return false;
		av_packet_unref(w->pkt);
	}
	return e == AVERROR(EAGAIN) || e == AVERROR_EOF;
}

/* Read all of descriptor 0. */
static bool
read_pcm(struct pcm *pcm)
{
	struct stat st;
	ssize_t did;
	char *p;

	if (fstat(STDIN_FILENO, &st) < 0 ||
	    (p = av_malloc((size_t)st.st_size + 1)) == NULL)
		return false;
	for (off_t n = 0; n < st.st_size; n += did)
		if ((did = pread(STDIN_FILENO, p + n, (size_t)(st.st_size - n), n)) <=
		    0)
			return false;
	pcm->s = (float *)(void *)p;
	pcm->n = (size_t)st.st_size / sizeof(float);
	loudness_bound(pcm, 1); /* encoders abort on infinities */
	return pcm->n > 0;
}

/* The sound of a step goes into frames of the encoder's size; NULL: the buffered rest.
 */
static bool
pour(struct writer *w, struct mixer *m, const AVFrame *in, AVFrame *out, int *filled)
{
	const AVFrame nothing = { .data[0] = out->data[0] };
	int bytes = av_get_bytes_per_sample(m->to), size = out->nb_samples, n;
	bool fine = true;

	while (fine && (n = mixer_run(m, in, out->data[0] + *filled * bytes,
			    size - *filled)) > 0) {
		in = in != NULL ? &nothing : NULL; /* the mixer has the rest of it */
		if ((*filled += n) < size)
			continue;
		*filled = 0;
		fine = put_frame(w, out);
	}
	return fine && n == 0;
}

/* A frame of the encoder; NULL: no memory. */
static AVFrame *
new_frame(const AVCodecContext *enc)
{
	AVFrame *f = av_frame_alloc();

	if (f == NULL)
		return NULL;
	f->format = enc->sample_fmt;
	f->sample_rate = enc->sample_rate;
	f->ch_layout = enc->ch_layout;
	f->nb_samples = enc->frame_size > 0 ? enc->frame_size : STEP;
	return av_frame_get_buffer(f, 0) == 0 ? f : NULL;
}

static bool
encode(const struct form *form, const struct pcm *pcm, struct writer *w)
{
	AVFrame in = { .format = AV_SAMPLE_FMT_FLT,
		.sample_rate = pcm->rate_hz,
		.ch_layout = AV_CHANNEL_LAYOUT_MONO };
	/* Planes of one channel are not different from packed samples. */
	struct mixer m = { .to = av_get_packed_sample_fmt(form->samples) };
	AVFrame *out;
	int filled = 0;

	if (!writer_open(w, form, pcm->rate_hz) || (out = new_frame(w->enc)) == NULL)
		return false;
	m.to_hz = w->enc->sample_rate;
	if (!mixer_tune(&m, &in))
		return false;
	for (size_t at = 0; at < pcm->n; at += STEP) {
		in.data[0] = (uint8_t *)(pcm->s + at);
		in.nb_samples = (int)(pcm->n - at < STEP ? pcm->n - at : STEP);
		if (!pour(w, &m, &in, out, &filled))
			return false;
	}
	if (!pour(w, &m, NULL, out, &filled))
		return false;
	out->nb_samples = filled;
	return (filled == 0 || put_frame(w, out)) && put_frame(w, NULL) &&
	       av_write_trailer(w->fmt) >= 0;
}

void
media_child_encode(char **args, struct media_answer *a)
{
	const struct form *form = find_form(args[0]);
	struct pcm pcm = { .rate_hz = atoi(args[1]) };
	struct writer w = { .pts = 0 };
	uint8_t *bytes = NULL;

	a->head.verdict = MEDIA_UNDECODABLE;
	if (form == NULL || !read_pcm(&pcm) || !encode(form, &pcm, &w))
		return;
	a->head.n = (uint64_t)avio_close_dyn_buf(w.fmt->pb, &bytes);
	a->head.verdict = MEDIA_FINE;
	a->head.has_audio = 1;
	a->head.duration_s = (double)pcm.n / pcm.rate_hz;
	snprintf(a->head.format, sizeof(a->head.format), "%s", form->name);
	snprintf(a->head.codec, sizeof(a->head.codec), "%s",
	    avcodec_get_name(w.enc->codec_id));
	a->body = bytes;
	a->bytes = a->head.n;
}
