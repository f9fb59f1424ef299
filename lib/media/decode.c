/*
 * Decodes a file to mono sound.  Noise and loudness are processed at the end: they are
 * measured over the whole sound.
 */
#include <libavutil/mem.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "media/media_internal.h"
#include "media/mixer.h"
#include "media/source.h"

#define LOUDEST 4.0F /* times full scale; float files may contain any value */

/* The output; its largest size is allocated first. */
struct sink {
	struct mixer mixer;
	struct pcm pcm;
	int track;
	size_t max; /* samples */
};

/* Add a frame, or with NULL the buffered samples; false: stop. */
static bool
mix(struct sink *s, const AVFrame *f)
{
	size_t room = s->max - s->pcm.n;
	int n = mixer_most(&s->mixer, f); /* at most; it keeps the rest */

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

/* All sound of the source, while there is room. */
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

void
media_child_decode(char **args, struct media_answer *a)
{
	int rate_hz = atoi(args[1]), max_s = atoi(args[2]);
	bool declared = args[0][0] != '\0';
	enum media_verdict empty = declared ? MEDIA_MISMATCH : MEDIA_UNDECODABLE;
	int64_t from = 0;
	const struct sniff_kind *kind =
	    sniff(STDIN_FILENO, declared ? args[0] : NULL, &from);
	struct sink s = { .mixer = { .to_hz = rate_hz, .to = AV_SAMPLE_FMT_FLT },
		.pcm.rate_hz = rate_hz,
		.track = atoi(args[4]),
		.max = (size_t)rate_hz * (size_t)max_s };

	a->head.duration_s = NAN;
	a->head.verdict = empty;
	s.pcm.s = av_malloc(s.max * sizeof(float)); /* unused pages cost nothing */
	if (kind != NULL && s.pcm.s != NULL)
		a->head.verdict = decode(kind, from, empty, &s, &a->head);
	media_child_name(&a->head, kind);
	if (a->head.verdict != MEDIA_FINE)
		return;
	process(&s.pcm, atoi(args[3]));
	a->head.duration_s = (double)s.pcm.n / rate_hz;
	a->head.n = s.pcm.n;
	a->body = s.pcm.s;
	a->bytes = s.pcm.n * sizeof(float);
}
