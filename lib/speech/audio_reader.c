/* Sound that comes in pieces of any length, cut anywhere. */
#include <stdint.h>
#include <string.h>

#include "speech/tts_stream.h"

#define BLOCK 4096            /* samples */
#define HTTP_HEAD_BYTES 65536 /* until the samples of a WAV file */
#define RIFF_BYTES 12         /* "RIFF", size, "WAVE" */
#define FMT_BYTES 16          /* of a "fmt " chunk that matter */
#define FMT_LONG_BYTES 26     /* the same of WAVE_FORMAT_EXTENSIBLE */
#define EXTENSIBLE 0xfffe
#define LEAST_HZ 8000
#define MOST_HZ 48000

static unsigned
le(const char *p, int bytes)
{
	unsigned v = 0;

	while (bytes-- > 0)
		v = v << 8 | (unsigned char)p[bytes];
	return v;
}

static float
sample(const unsigned char *p)
{
	return (float)(int16_t)(uint16_t)(p[0] | p[1] << 8) / 32768;
}

static void
read_fmt(struct audio_reader *ear, const char *p, size_t n)
{
	unsigned format = n >= FMT_BYTES ? le(p, 2) : 0;

	if (format == EXTENSIBLE && n >= FMT_LONG_BYTES)
		format = le(p + 24, 2);
	if (format != 1 || le(p + 14, 2) != 16)
		return;
	ear->channels = (int)le(p + 2, 2);
	ear->rate_hz = (int)le(p + 4, 4);
}

static bool
fits(const struct audio_reader *ear)
{
	return (ear->channels == 1 || ear->channels == 2) && ear->rate_hz >= LEAST_HZ &&
	       ear->rate_hz <= (ear->most_hz > 0 ? ear->most_hz : MOST_HZ);
}

/*
 * Bytes before the samples, 0: more have to come.  A file that is made while it
 * is sent does not know its length; the end of the answer is its end, too.
 */
static size_t
read_wav(struct audio_reader *ear, const char *p, size_t n)
{
	size_t at = RIFF_BYTES;

	ear->channels = 0;
	while (n >= at + 8) {
		size_t size = le(p + at + 4, 4);

		if (memcmp(p + at, "data", 4) == 0) {
			ear->refused = !fits(ear) || memcmp(p + 8, "WAVE", 4) != 0;
			ear->left = size > 0 ? size : SIZE_MAX;
			return at + 8;
		}
		if (size > HTTP_HEAD_BYTES)
			ear->refused = true;
		if (ear->refused || n < at + 8 + size)
			break;
		if (memcmp(p + at, "fmt ", 4) == 0)
			read_fmt(ear, p + at + 8, size);
		at += 8 + size + size % 2;
	}
	ear->channels = 0;
	return 0;
}

/* What it is, by its beginning; an error's text with a status of success is none. */
static size_t
recognise(struct audio_reader *ear)
{
	const char *p = ear->head.p;
	size_t n = ear->head.len;

	if (n < 4)
		return 0;
	if (memcmp(p, "RIFF", 4) == 0) {
		n = read_wav(ear, p, n);
		if (n == 0 && ear->head.len > HTTP_HEAD_BYTES)
			ear->refused = true;
		return n;
	}
	if (ear->rate_hz == 0 || (!ear->typed && (*p == '{' || *p == '<')))
		ear->refused = true;
	ear->channels = 1;
	ear->left = SIZE_MAX;
	return 0;
}

static bool
hand_over(struct audio_reader *ear, float *s, size_t n)
{
	const struct pcm pcm = { .s = s, .n = n, .rate_hz = ear->rate_hz };

	if (n > 0 && !ear->sink(ear->to, &pcm))
		ear->enough = true;
	return !ear->enough;
}

static bool
take_samples(struct audio_reader *ear, const unsigned char *p, size_t n)
{
	size_t frame = 2 * (size_t)ear->channels, got = 0;
	float block[BLOCK];

	n = n < ear->left ? n : ear->left;
	ear->left -= n;
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

bool
audio_reader_take(struct audio_reader *ear, const void *p, size_t n)
{
	size_t at;

	if (ear->channels != 0)
		return take_samples(ear, p, n);
	buf_put(&ear->head, p, n);
	at = recognise(ear);
	if (ear->refused)
		return false;
	if (ear->channels == 0)
		return true;
	return take_samples(
	    ear, (const unsigned char *)ear->head.p + at, ear->head.len - at);
}

bool
audio_reader_done(const struct audio_reader *ear)
{
	return !ear->refused && ear->channels != 0 && ear->nrest == 0;
}
