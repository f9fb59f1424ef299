#include "media/mixer.h"

#include <libavutil/opt.h>

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

bool
mixer_tune(struct mixer *m, const AVFrame *f)
{
	AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO, usual;

	swr_free(&m->swr);
	m->layout = f->ch_layout;
	m->format = (enum AVSampleFormat)f->format;
	m->rate_hz = f->sample_rate;
	av_channel_layout_default(&usual, f->ch_layout.nb_channels);
	if (swr_alloc_set_opts2(&m->swr, &mono, m->to, m->to_hz,
		m->layout.order == AV_CHANNEL_ORDER_NATIVE ? &m->layout : &usual,
		m->format, m->rate_hz, 0, NULL) < 0)
		return false;
	av_opt_set_double(m->swr, "rematrix_maxval", 1, 0); /* mixed, not louder */
	if (swr_init(m->swr) < 0)
		swr_free(&m->swr);
	return m->swr != NULL;
}

int
mixer_most(const struct mixer *m, const AVFrame *f)
{
	return swr_get_out_samples(m->swr, f != NULL ? f->nb_samples : 0);
}

int
mixer_run(struct mixer *m, const AVFrame *f, void *to, int room)
{
	const uint8_t *in[AV_NUM_DATA_POINTERS] = { NULL };
	uint8_t *out = to;

	for (int i = 0; f != NULL && i < AV_NUM_DATA_POINTERS; i++)
		in[i] = f->data[i];
	return swr_convert(
	    m->swr, &out, room, f != NULL ? in : NULL, f != NULL ? f->nb_samples : 0);
}
