/* Sound that comes in pieces of any length, cut anywhere. */
#include <stdint.h>

#include "speech/tts_stream.h"

#define BLOCK 4096 /* samples */

static float
sample(const unsigned char *p)
{
	return (float)(int16_t)(uint16_t)(p[0] | p[1] << 8) / 32768;
}

static bool
hand_over(struct audio_reader *ear, float *s, size_t n)
{
	const struct pcm pcm = { .s = s, .n = n, .rate_hz = ear->wav.rate_hz };

	if (n == 0)
		return true;
	if (ear->heard_hz != 0 && ear->heard_hz != pcm.rate_hz)
		ear->refused = true; /* another file follows, of another rate */
	else
		ear->enough = !ear->sink(ear->to, &pcm);
	ear->heard_hz = pcm.rate_hz;
	return !ear->refused && !ear->enough;
}

static bool
take_samples(struct audio_reader *ear, const unsigned char *p, size_t n)
{
	size_t frame = 2 * (size_t)ear->wav.channels, got = 0;
	float block[BLOCK];

	while (n > 0) {
		for (; n > 0 && ear->nrest < frame; n--)
			ear->rest[ear->nrest++] = *p++;
		if (ear->nrest < frame)
			break;
		ear->nrest = 0;
		block[got++] = frame == 2
				   ? sample(ear->rest)
				   : (sample(ear->rest) + sample(ear->rest + 2)) / 2;
		if (got == BLOCK) {
			if (!hand_over(ear, block, got))
				return false;
			got = 0;
		}
	}
	return hand_over(ear, block, got);
}

/* An error's text with a status of success is no sound. */
static void
begin(struct audio_reader *ear, unsigned char first)
{
	ear->begun = true;
	wav_reader_begin(&ear->wav, ear->rate_hz, 1);
	ear->wav.most_hz = ear->most_hz;
	ear->refused = !ear->typed && (first == '{' || first == '<');
}

bool
audio_reader_take(struct audio_reader *ear, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	struct wav_run run;

	if (n > 0 && !ear->begun)
		begin(ear, *p);
	while (!ear->refused && wav_reader_next(&ear->wav, &p, &n, &run))
		if (!take_samples(ear, run.p, run.n))
			return false;
	ear->refused |= ear->wav.at == WAV_BAD;
	return !ear->refused;
}

bool
audio_reader_done(const struct audio_reader *ear)
{
	return !ear->refused && ear->wav.behind && ear->nrest == 0;
}
