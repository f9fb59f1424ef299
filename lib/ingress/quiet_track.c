#include "ingress/quiet_track.h"

#include <libavutil/mem.h>
#include <stdlib.h>

#include "audio/opus_encoder.h"
#include "media/source.h"

#define SILENCE 16 /* of 32,767 */

bool
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

bool
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

void
quiet_track_free(struct quiet_track *q)
{
	avcodec_free_context(&q->dec);
	swr_free(&q->mixer.swr);
	av_free(q->mixer.both);
	*q = (struct quiet_track){ .left = false };
}
