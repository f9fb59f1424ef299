/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "media/mixer.h"

#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <math.h>

bool
mixer_fits(const struct mixer *m, const AVFrame *f)
{
	return m->swr != NULL && m->rate_hz == f->sample_rate &&
	       (int)m->format == f->format &&
	       m->layout.nb_channels == f->ch_layout.nb_channels &&
	       m->layout.order == f->ch_layout.order &&
	       (m->layout.order != AV_CHANNEL_ORDER_NATIVE ||
		   m->layout.u.mask == f->ch_layout.u.mask);
}

/* libswresample mixes by fixed shares, in which two channels may cancel each other:
   these are left to downmix.h. */
bool
mixer_tune(struct mixer *m, const AVFrame *f)
{
	AVChannelLayout to, usual;

	swr_free(&m->swr);
	m->layout = f->ch_layout;
	m->format = (enum AVSampleFormat)f->format;
	m->rate_hz = f->sample_rate;
	m->pairs = f->ch_layout.nb_channels == 2;
	m->mixing = (struct downmix){ 0 };
	av_channel_layout_default(&usual, f->ch_layout.nb_channels);
	av_channel_layout_default(&to, m->pairs ? 2 : 1);
	if (swr_alloc_set_opts2(&m->swr, m->pairs ? &usual : &to,
		m->pairs ? AV_SAMPLE_FMT_FLT : m->to, m->to_hz,
		m->layout.order == AV_CHANNEL_ORDER_NATIVE && !m->pairs ? &m->layout
									: &usual,
		m->format, m->rate_hz, 0, NULL) < 0)
		return false;
	/* mixed by their mean, so not louder */
	av_opt_set_double(m->swr, "rematrix_maxval", 1, 0);
	if (swr_init(m->swr) < 0)
		swr_free(&m->swr);
	return m->swr != NULL;
}

int
mixer_most(const struct mixer *m, const AVFrame *f)
{
	return swr_get_out_samples(m->swr, f != NULL ? f->nb_samples : 0);
}

/* Mix n frames of m->both to mono. */
static void
mix_pairs(struct mixer *m, void *to, int n)
{
	for (int i = 0; i < n; i++) {
		float v = downmix_frame(&m->mixing, m->both + 2 * i, 2);

		if (m->to == AV_SAMPLE_FMT_FLT)
			((float *)to)[i] = v;
		else
			((int16_t *)to)[i] =
			    (int16_t)lrintf(fmaxf(-1, fminf(1, v)) * 32767);
	}
}

int
mixer_run(struct mixer *m, const AVFrame *f, void *to, int room)
{
	const uint8_t *in[AV_NUM_DATA_POINTERS] = { NULL };
	uint8_t *out = to;
	int n;

	for (int i = 0; f != NULL && i < AV_NUM_DATA_POINTERS; i++)
		in[i] = f->data[i];
	if (m->pairs) {
		av_fast_malloc(
		    &m->both, &m->both_bytes, 2 * (size_t)room * sizeof(*m->both));
		if ((out = (uint8_t *)m->both) == NULL)
			return AVERROR(ENOMEM);
	}
	n = swr_convert(
	    m->swr, &out, room, f != NULL ? in : NULL, f != NULL ? f->nb_samples : 0);
	if (m->pairs)
		mix_pairs(m, to, n);
	return n;
}
