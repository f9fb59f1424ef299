/*
 * From a file to mono sound.  The sound is polished only when it is all there:
 * its loudness and its noise are those of the whole.
 */
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <math.h>
#include <unistd.h>

#include "media/room.h"
#include "media/source.h"

#define LOUDEST 4.0F /* times full scale; float files may say anything */

/* Sound on its way to mono at one rate; all it may become is allocated first. */
struct mixer {
	SwrContext *swr;
	AVChannelLayout layout; /* these three: what swr is fed */
	enum AVSampleFormat format;
	int rate_hz;
	struct pcm pcm;
	size_t max; /* samples */
};

/* Take in a frame, or with NULL what swr still holds; false: no more, thanks. */
static bool
mix(struct mixer *m, const AVFrame *f)
{
	uint8_t *to = (uint8_t *)(m->pcm.s + m->pcm.n);
	size_t room = m->max - m->pcm.n;
	const uint8_t *in[AV_NUM_DATA_POINTERS] = { NULL };
	int samples = f != NULL ? f->nb_samples : 0;
	int n = swr_get_out_samples(m->swr, samples); /* no more: it sets that aside */

	for (int i = 0; f != NULL && i < AV_NUM_DATA_POINTERS; i++)
		in[i] = f->data[i];
	if (n > 0 && (size_t)n > room)
		n = (int)room;
	if (n > 0)
		n = swr_convert(m->swr, &to, n, f != NULL ? in : NULL, samples);
	if (n < 0)
		return false;
	m->pcm.n += (size_t)n;
	return m->pcm.n < m->max;
}

static bool
is_tuned(const struct mixer *m, const AVFrame *f)
{
	return m->swr != NULL && m->rate_hz == f->sample_rate &&
	       (int)m->format == f->format &&
	       m->layout.nb_channels == f->ch_layout.nb_channels &&
	       m->layout.order == f->ch_layout.order &&
	       (m->layout.order != AV_CHANNEL_ORDER_NATIVE ||
		   m->layout.u.mask == f->ch_layout.u.mask);
}

/* Adapt to what frames look like; it may change midway, by malice or not. */
static bool
tune(struct mixer *m, const AVFrame *f)
{
	AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO, usual;

	if (is_tuned(m, f))
		return true;
	if (m->swr != NULL && !mix(m, NULL))
		return false;
	swr_free(&m->swr);
	m->layout = f->ch_layout;
	m->format = (enum AVSampleFormat)f->format;
	m->rate_hz = f->sample_rate;
	av_channel_layout_default(&usual, f->ch_layout.nb_channels);
	if (swr_alloc_set_opts2(&m->swr, &mono, AV_SAMPLE_FMT_FLT, m->pcm.rate_hz,
		m->layout.order == AV_CHANNEL_ORDER_NATIVE ? &m->layout : &usual,
		m->format, m->rate_hz, 0, NULL) < 0)
		return false;
	av_opt_set_double(m->swr, "rematrix_maxval", 1, 0); /* mixed, not louder */
	return swr_init(m->swr) >= 0;
}

/* All the sound of a source, as far as there is room. */
static void
mix_all(struct mixer *m, struct source *src)
{
	const AVFrame *f;

	while ((f = source_next(src)) != NULL)
		if (!tune(m, f) || !mix(m, f))
			return;
	if (m->swr != NULL)
		mix(m, NULL);
}

/* Why there is no source to decode, when opening it said so. */
static enum media_verdict
why_not(const struct source *src, enum media_verdict v, enum media_verdict empty)
{
	if (v == MEDIA_NO_AUDIO && source_find(src, AVMEDIA_TYPE_VIDEO) == NULL)
		return empty;
	return v;
}

static enum media_verdict
decode(
    const struct kind *kind, enum media_verdict empty, struct mixer *m, struct wire *w)
{
	enum media_verdict v;
	struct source src;

	if (kind->picture != NULL)
		return picture_decodes(kind->picture) ? MEDIA_NO_AUDIO : empty;
	v = source_open(&src, kind, AVMEDIA_TYPE_AUDIO);
	source_tell(&src, w);
	if (v != MEDIA_FINE)
		return why_not(&src, v, empty);
	mix_all(m, &src);
	if (m->pcm.n > 0)
		return MEDIA_FINE;
	return src.read > 0 ? MEDIA_UNDECODABLE : empty;
}

static void
polish(struct pcm *pcm, int flags)
{
	sound_bound(pcm, LOUDEST);
	if ((flags & WIRE_DENOISE) != 0)
		sound_denoise(pcm);
	if ((flags & WIRE_NORMALISE) != 0)
		sound_normalise(pcm);
	sound_bound(pcm, 1);
}

void
room_decode(const char *mime_type, int rate_hz, int max_s, int flags, struct answer *a)
{
	bool declared = mime_type[0] != '\0';
	enum media_verdict empty = declared ? MEDIA_MISMATCH : MEDIA_UNDECODABLE;
	const struct kind *kind = sniff(STDIN_FILENO, declared ? mime_type : NULL);
	struct mixer m = { .pcm.rate_hz = rate_hz,
		.max = (size_t)rate_hz * (size_t)max_s };

	a->head.duration_s = NAN;
	a->head.verdict = empty;
	m.pcm.s = av_malloc(m.max * sizeof(float)); /* untouched, it costs nothing */
	if (kind == NULL || m.pcm.s == NULL)
		return;
	room_name(&a->head, kind);
	a->head.verdict = decode(kind, empty, &m, &a->head);
	if (a->head.verdict != MEDIA_FINE)
		return;
	polish(&m.pcm, flags);
	a->head.duration_s = (double)m.pcm.n / rate_hz;
	a->head.n = m.pcm.n;
	a->body = m.pcm.s;
	a->bytes = m.pcm.n * sizeof(float);
}
