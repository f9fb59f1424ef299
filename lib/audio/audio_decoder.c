/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes in three steps: skip headers (WAV) or decode (Opus); mix frames to mono;
 * resample to 16 kHz.
 */
#include "audio/audio_decoder.h"

#include <string.h>

#include "audio/downmix.h"
#include "audio/opus_decoder.h"
#include "audio/raw_decoder.h"
#include "audio/resample.h"
#include "audio/sound_magic.h"
#include "audio/wav.h"
#include "base/buf.h"
#include "base/log.h"

#define MAGIC 12 /* bytes; fewer could match by chance */

struct audio_decoder {
	struct arena *mem;
	struct audio_format format;    /* format of the current input */
	const struct raw_decoder *raw; /* sample format; NULL: Opus */
	struct resample *rate;         /* to HEARD_HZ; NULL: Opus */
	struct resample *fine;         /* to SPOKEN_HZ; NULL: not requested yet */
	/* buffer for the output of `fine` in this feed; NULL: not requested */
	struct buf *finer;
	struct wav_reader wav;
	struct downmix mixing;     /* state of mixing two channels */
	struct opus_decoder *opus; /* NULL: not Opus */
	enum { UNDECIDED, PACKETS, STREAM, BROKEN } opus_is;
	unsigned char start[4]; /* first bytes of Opus, while UNDECIDED */
	size_t nstart;
	unsigned char left[2 * RAW_DECODER_MOST]; /* an incomplete frame */
	size_t nleft;                             /* its bytes */
	bool begun;        /* raw samples: the first bytes have been received */
	const char *coded; /* reason why the bytes are not raw samples, a sentence */
	bool is_logged;    /* a refusal was logged */
	/* duration of the sound at earlier sampling rates, microseconds */
	int64_t us;
	int64_t frames; /* frames at the current rate */
};

struct audio_decoder *
audio_decoder_new(struct arena *mem, const struct audio_format *f)
{
	struct audio_decoder *in = arena_alloc(mem, sizeof(*in));

	in->mem = mem;
	in->format = *f;
	in->raw = raw_decoder_of(f->form);
	if (f->form == AUDIO_OPUS || f->form == AUDIO_RECEIVED) {
		in->opus = opus_decoder_new(mem);
		in->format.rate_hz = HEARD_HZ;
		return in;
	}
	if (f->rate_hz == 0)
		in->format.rate_hz = HEARD_HZ;
	in->rate = resample_new(mem, in->format.rate_hz, HEARD_HZ);
	wav_reader_begin(&in->wav, f->rate_hz, f->channels);
	in->wav.codings = true;
	return in;
}

int64_t
audio_decoder_us(const struct audio_decoder *in)
{
	return in->us + in->frames * 1000000 / in->format.rate_hz;
}

/* Mono samples from in->left and n more bytes. */
static struct pcm16
mix_frames(
    struct audio_decoder *in, const unsigned char *p, size_t n, struct arena *mem)
{
	size_t bytes = in->raw->bytes, size = bytes * (size_t)in->format.channels;
	struct pcm16 mono = { .s = arena_alloc(mem, (in->nleft + n) / size * 2 + 1) };

	while (in->nleft + n >= size) {
		const unsigned char *frame = p;
		size_t more = size - in->nleft;
		float v[2];

		if (in->nleft > 0) {
			memcpy(in->left + in->nleft, p, more);
			frame = in->left;
		}
		for (int i = 0; i < in->format.channels; i++)
			v[i] = in->raw->read(frame + (size_t)i * bytes);
		mono.s[mono.n++] =
		    (int16_t)downmix_frame(&in->mixing, v, in->format.channels);
		p += more;
		n -= more;
		in->nleft = 0;
	}
	if (n > 0)
		memcpy(in->left + in->nleft, p, n);
	in->nleft += n;
	return mono;
}

static void
resample_frames(
    struct audio_decoder *in, const unsigned char *p, size_t n, struct buf *to)
{
	struct pcm16 mono = mix_frames(in, p, n, to->mem), heard, fine;

	in->frames += (int64_t)mono.n;
	heard = resample_feed(in->rate, mono.s, mono.n, to->mem);
	buf_put(to, heard.s, heard.n * sizeof(*heard.s));
	if (in->finer == NULL)
		return;
	fine = resample_feed(in->fine, mono.s, mono.n, to->mem);
	buf_put(in->finer, fine.s, fine.n * sizeof(*fine.s));
}

static void
begin_file(struct audio_decoder *in)
{
	in->nleft = 0;
	in->mixing = (struct downmix){ 0 };
	in->us = audio_decoder_us(in);
	in->frames = 0;
	in->format.rate_hz = in->wav.rate_hz;
	in->format.channels = in->wav.channels;
	in->raw = raw_decoder_of((enum audio_encoding)in->wav.form);
	resample_from(in->rate, in->format.rate_hz);
	if (in->fine != NULL)
		resample_from(in->fine, in->format.rate_hz);
}

static enum err
feed_wav(struct audio_decoder *in, const unsigned char *p, size_t n, struct buf *to)
{
	struct wav_run run;
	bool was_bad = in->wav.at == WAV_BAD;

	if (wav_reader_restarts(&in->wav, p, n)) {
		wav_reader_begin(&in->wav, 0, 0);
		in->wav.codings = true;
		was_bad = false;
	}
	while (wav_reader_next(&in->wav, &p, &n, &run)) {
		if (run.fresh)
			begin_file(in);
		resample_frames(in, run.p, run.n, to);
	}
	return was_bad || in->wav.at == WAV_BAD ? ERR_REFUSED : OK;
}

/*
 * Decide from the first bytes whether the input is a stream or packets. It stays
 * undecided while the bytes are a prefix of OggS.
 */
static bool
decide(struct audio_decoder *in, const unsigned char *p, size_t n)
{
	size_t more = 4 - in->nstart < n ? 4 - in->nstart : n;

	memcpy(in->start + in->nstart, p, more);
	in->nstart += more;
	if (memcmp(in->start, "OggS", in->nstart) != 0)
		in->opus_is = PACKETS;
	else if (in->nstart == 4)
		in->opus_is = STREAM;
	return in->opus_is != UNDECIDED;
}

static enum err
feed_stream(struct audio_decoder *in, const unsigned char *p, size_t n, struct buf *to)
{
	size_t most = AUDIO_MOST_S * HEARD_HZ * sizeof(int16_t);
	enum err e = opus_decoder_stream(in->opus, p, n, to, most);

	if (e == ERR_REFUSED)
		in->opus_is = BROKEN;
	return e;
}

/* OggS never begins a valid packet: as a packet it would last 780 ms. */
static bool
begins_stream(const struct audio_decoder *in, const unsigned char *p, size_t n)
{
	return (in->opus_is == PACKETS || in->opus_is == BROKEN) && n >= 4 &&
	       memcmp(p, "OggS", 4) == 0;
}

static enum err
feed_opus(struct audio_decoder *in, const unsigned char *p, size_t n, struct buf *to)
{
	size_t before = in->nstart;
	enum err e = OK;

	opus_decoder_fine(in->opus, in->finer);
	if (begins_stream(in, p, n)) {
		opus_decoder_restart(in->opus);
		in->opus_is = STREAM;
	} else if (in->opus_is == UNDECIDED) {
		if (!decide(in, p, n))
			return OK;
		if (in->opus_is == STREAM)
			e = feed_stream(in, in->start, before, to);
	}
	if (in->opus_is == BROKEN)
		return ERR_REFUSED;
	if (e == OK)
		e = in->opus_is == STREAM ? feed_stream(in, p, n, to)
					  : opus_decoder_packet(in->opus, p, n, to);
	in->frames += (int64_t)(to->len / sizeof(int16_t));
	return e;
}

static enum err
feed_received(struct audio_decoder *in, const void *p, size_t n, struct buf *to)
{
	enum err e;

	opus_decoder_fine(in->opus, in->finer);
	e = opus_decoder_received(in->opus, p, n, to);
	in->frames += (int64_t)(to->len / sizeof(int16_t));
	return e;
}

const char *
audio_decoder_why(const struct audio_decoder *in)
{
	if (in->format.form == AUDIO_WAV)
		return in->wav.why;
	if (in->opus_is == BROKEN)
		return "it has no Opus of one or two channels";
	return in->opus != NULL ? "it is not an Opus packet" : in->coded;
}

/* Refuse a file that was announced as raw samples: decoding it would give noise. */
static enum err
feed_bare(struct audio_decoder *in, const void *p, size_t n, struct buf *to)
{
	const char *name = NULL;

	if (!in->begun)
		name = sound_magic(p, n < MAGIC ? n : MAGIC, false);
	in->begun |= n > 0;
	if (name != NULL)
		in->coded =
		    arena_printf(in->mem, "it is %s and not bare samples", name);
	if (in->coded != NULL)
		return ERR_REFUSED;
	resample_frames(in, p, n, to);
	return OK;
}

/* Log once for each stream: a broken client must not fill the log. */
static void
log_once(struct audio_decoder *in)
{
	if (!in->is_logged)
		log_warn("sound of a stream was refused: %s", audio_decoder_why(in));
	in->is_logged = true;
}

enum err
audio_decoder_feed(struct audio_decoder *in, const void *p, size_t n, struct arena *mem,
    struct pcm16 *to)
{
	struct buf got = { .mem = mem };
	enum err e = OK;

	if (in->format.form == AUDIO_WAV)
		e = feed_wav(in, p, n, &got);
	else if (in->format.form == AUDIO_OPUS)
		e = feed_opus(in, p, n, &got);
	else if (in->format.form == AUDIO_RECEIVED)
		e = feed_received(in, p, n, &got);
	else
		e = feed_bare(in, p, n, &got);
	*to = (struct pcm16){ .s = (void *)got.p, .n = got.len / sizeof(*to->s) };
	if (e == ERR_REFUSED) {
		to->n = 0;
		log_once(in);
	}
	return e;
}

enum err
audio_decoder_feed_fine(struct audio_decoder *in, const void *p, size_t n,
    struct arena *mem, struct pcm16 *to, struct pcm16 *fine)
{
	struct buf got = { .mem = mem };
	enum err e;

	if (in->fine == NULL && in->opus == NULL)
		in->fine = resample_new(in->mem, in->format.rate_hz, SPOKEN_HZ);
	in->finer = &got;
	e = audio_decoder_feed(in, p, n, mem, to);
	in->finer = NULL;
	*fine = (struct pcm16){ .s = (void *)got.p, .n = got.len / sizeof(*fine->s) };
	if (e == ERR_REFUSED)
		fine->n = 0;
	return e;
}

struct pcm16
audio_decoder_end_fine(struct audio_decoder *in, struct arena *mem)
{
	if (in->opus != NULL)
		opus_decoder_fine(in->opus, NULL);
	if (in->fine == NULL)
		return (struct pcm16){ .n = 0 };
	return resample_end(in->fine, mem);
}

const struct opus_losses *
audio_decoder_losses(const struct audio_decoder *in)
{
	return in->format.form == AUDIO_RECEIVED ? opus_decoder_losses(in->opus) : NULL;
}
