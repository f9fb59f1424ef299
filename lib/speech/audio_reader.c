/*
 * Sound that comes in pieces of any length, cut anywhere.  Its beginning is held until
 * it shows that it is no MP3 or the like, whose bytes would be noise as samples.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "audio/raw_decoder.h"
#include "speech/tts_stream.h"

#define BLOCK 4096 /* samples */

static bool
refuse(struct audio_reader *ear, const char *why)
{
	ear->refused = true;
	ear->why = why;
	return false;
}

static bool
hand_over(struct audio_reader *ear, float *s, size_t n)
{
	const struct pcm pcm = { .s = s, .n = n, .rate_hz = ear->wav.rate_hz };

	if (n == 0)
		return true;
	if (ear->heard_hz != 0 && ear->heard_hz != pcm.rate_hz)
		return refuse(ear, "another file follows, of another rate");
	ear->enough = !ear->sink(ear->to, &pcm);
	ear->heard_hz = pcm.rate_hz;
	return !ear->enough;
}

/* One sample of ear->rest. */
static float
mix(struct audio_reader *ear, const struct raw_decoder *raw)
{
	float frame[2] = { 0 };

	for (int i = 0; i < ear->wav.channels; i++)
		frame[i] = raw->read(ear->rest + (size_t)i * raw->bytes);
	return downmix_frame(&ear->mixing, frame, ear->wav.channels) / 32768;
}

static bool
take_samples(struct audio_reader *ear, const unsigned char *p, size_t n)
{
	const struct raw_decoder *raw =
	    raw_decoder_of((enum audio_encoding)ear->wav.form);
	size_t frame = raw->bytes * (size_t)ear->wav.channels, got = 0;
	float block[BLOCK];

	while (n > 0) {
		for (; n > 0 && ear->nrest < frame; n--)
			ear->rest[ear->nrest++] = *p++;
		if (ear->nrest < frame)
			break;
		ear->nrest = 0;
		block[got++] = mix(ear, raw);
		if (got == BLOCK) {
			if (!hand_over(ear, block, got))
				return false;
			got = 0;
		}
	}
	return hand_over(ear, block, got);
}

static bool
take(struct audio_reader *ear, const unsigned char *p, size_t n)
{
	struct wav_run run;

	while (!ear->refused && wav_reader_next(&ear->wav, &p, &n, &run))
		if (!take_samples(ear, run.p, run.n))
			return false;
	return ear->wav.at == WAV_BAD ? refuse(ear, ear->wav.why) : !ear->refused;
}

static bool
begins(const char *type, const char *with)
{
	return type != NULL && strncasecmp(type, with, strlen(with)) == 0;
}

/* Whether bare samples may have this Content-Type.  Servers call them audio/mpeg, too,
   and name no type at all. */
static bool
may_be_bare(const char *type)
{
	static const char *const coded[] = { "audio/ogg", "audio/opus", "audio/vorbis",
		"audio/webm", "audio/flac", "audio/x-flac", "audio/aac", "audio/mp4",
		"audio/x-m4a", "audio/m4a", "audio/amr", "audio/aiff", "audio/x-aiff" };

	for (size_t i = 0; i < sizeof(coded) / sizeof(coded[0]); i++)
		if (begins(type, coded[i]))
			return false;
	return type == NULL || begins(type, "audio/") ||
	       begins(type, "application/octet-stream") ||
	       begins(type, "binary/octet-stream");
}

/* The rate in "audio/pcm;rate=16000"; 0: there is none. */
static int
rate_of(const char *type)
{
	const char *rate = type != NULL ? strcasestr(type, "rate=") : NULL;

	return rate != NULL ? atoi(rate + strlen("rate=")) : 0;
}

static bool
is_wav(const struct audio_reader *ear)
{
	return ear->nstart >= 4 && wav_reader_is_magic(ear->start);
}

/* True if this beginning, which is no WAV, is one of bare samples. */
static bool
is_bare(struct audio_reader *ear)
{
	bool mpeg = begins(ear->type, "audio/mpeg") || begins(ear->type, "audio/mp3");
	unsigned char first = ear->start[0];

	if ((ear->coded = sound_magic(ear->start, ear->nstart, mpeg)) != NULL)
		return refuse(ear, NULL);
	if (!may_be_bare(ear->type) ||
	    (ear->type == NULL && (first == '{' || first == '<')))
		return refuse(ear, "its Content-Type or its text is another");
	return ear->rate_hz > 0 || refuse(ear, "it does not begin with RIFF");
}

/* The first bytes are there: read them. */
static bool
begin(struct audio_reader *ear)
{
	int hz = rate_of(ear->type);

	ear->begun = true;
	if (!is_wav(ear) && !is_bare(ear))
		return false;
	if (hz < AUDIO_LEAST_HZ || hz > AUDIO_MOST_HZ)
		hz = ear->rate_hz;
	wav_reader_begin(&ear->wav, ear->rate_hz > 0 ? hz : 0, 1);
	ear->wav.codings = true;
	ear->wav.most_hz = ear->most_hz;
	return take(ear, ear->start, ear->nstart);
}

bool
audio_reader_take(struct audio_reader *ear, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t more = sizeof(ear->start) - ear->nstart;

	if (ear->begun)
		return !ear->enough && take(ear, p, n);
	more = more < n ? more : n;
	memcpy(ear->start + ear->nstart, p, more);
	ear->nstart += more;
	if (!is_wav(ear) && ear->nstart < sizeof(ear->start))
		return true;
	return begin(ear) && take(ear, p + more, n - more);
}

bool
audio_reader_done(struct audio_reader *ear)
{
	if (!ear->begun)
		begin(ear);
	if (!ear->refused && !ear->enough && (!ear->wav.behind || ear->nrest > 0))
		refuse(ear, "it is cut short");
	return !ear->refused;
}
