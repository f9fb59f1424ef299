/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/wav.h"

#include <string.h>

#include "audio/audio_decoder.h"

#define PASSED_MOST (1 << 20) /* bytes that may be skipped between sound */
#define FMT_MOST 40           /* bytes of WAVE_FORMAT_EXTENSIBLE */
#define EXTENSIBLE 0xfffe
#define ENDLESS UINT32_MAX /* value of `left` when the length is unknown */

static uint32_t
le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t
le16(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static bool
is(const unsigned char *p, const char *four)
{
	return memcmp(p, four, 4) == 0;
}

bool
wav_reader_is_magic(const unsigned char *p)
{
	return is(p, "RIFF") || is(p, "RF64") || is(p, "BW64");
}

void
wav_reader_begin(struct wav_reader *w, int rate_hz, int channels)
{
	*w = (struct wav_reader){
		.rate_hz = rate_hz, .channels = channels, .form = AUDIO_PCM
	};
}

bool
wav_reader_restarts(const struct wav_reader *w, const unsigned char *p, size_t n)
{
	bool between = w->at == WAV_SOUND || w->at == WAV_BAD ||
		       (w->at == WAV_TAIL && w->ngot == 0);

	return between && n >= 12 && wav_reader_is_magic(p) && is(p + 8, "WAVE");
}

static void
refuse(struct wav_reader *w, const char *why)
{
	w->why = why;
	w->at = WAV_BAD;
}

static void
go(struct wav_reader *w, enum wav_state at)
{
	w->at = at;
	w->ngot = 0;
}

/* Set the next state after a chunk, or after its bytes were skipped. */
static void
go_on(struct wav_reader *w)
{
	if (w->left > 0)
		go(w, WAV_SKIP);
	else
		go(w, w->behind ? WAV_TAIL : WAV_CHUNK);
}

static void
open_sound(struct wav_reader *w, uint32_t bytes)
{
	w->left = bytes;
	w->behind = true;
	w->passed = 0;
	go(w, WAV_SOUND);
}

/* Read a stream without a header as sound of the rate given to wav_reader_begin(). */
static void
read_open(struct wav_reader *w, struct wav_run *run)
{
	if (wav_reader_is_magic(w->got)) {
		if (w->ngot == 12 && !is(w->got + 8, "WAVE"))
			refuse(w, "RIFF, but no WAVE");
		else if (w->ngot == 12) {
			w->has_fmt = w->behind = false;
			go(w, WAV_CHUNK);
		}
	} else if (w->rate_hz == 0)
		refuse(w, "it does not begin with RIFF");
	else {
		*run = (struct wav_run){ w->got, w->ngot, true };
		open_sound(w, ENDLESS);
	}
}

/* clang-format off */
static const struct coding {
	uint32_t tag, bits;
	size_t bytes;
	int form; /* enum audio_encoding */
} codings[] = {
	{ 1, 16, 2, AUDIO_PCM },   { 1, 8, 1, AUDIO_U8 },     { 1, 24, 3, AUDIO_S24LE },
	{ 1, 32, 4, AUDIO_S32LE }, { 3, 32, 4, AUDIO_F32LE }, { 3, 64, 8, AUDIO_F64LE },
	{ 6, 8, 1, AUDIO_ALAW },   { 7, 8, 1, AUDIO_MULAW },
};

static const struct {
	uint32_t tag;
	const char *why;
} unread[] = {
	{ 2,    "its coding is Microsoft ADPCM, which is not supported" },
	{ 0x11, "its coding is IMA ADPCM, which is not supported" },
	{ 0x31, "its coding is GSM 06.10, which is not supported" },
	{ 0x45, "its coding is G.726, which is not supported" },
	{ 0x50, "its coding is MPEG audio, which is not supported" },
	{ 0x55, "its coding is MP3, which is not supported" },
	{ 0xff, "its coding is AAC, which is not supported" },
	{ 1,    "its coding is PCM of a width that is not supported" },
	{ 3,    "its coding is float of a width that is not supported" },
};
/* clang-format on */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Returns NULL for a coding that is not supported. */
static const struct coding *
find_coding(const struct wav_reader *w, uint32_t tag, uint32_t bits)
{
	for (size_t i = 0; i < (w->codings ? COUNT(codings) : 1); i++)
		if (codings[i].tag == tag && codings[i].bits == bits)
			return &codings[i];
	return NULL;
}

static const char *
why_not(const struct wav_reader *w, uint32_t tag)
{
	if (!w->codings)
		return "it is not 16 bit PCM";
	for (size_t i = 0; i < COUNT(unread); i++)
		if (unread[i].tag == tag)
			return unread[i].why;
	return "its coding is neither PCM, float, A-law nor mu-law";
}

static void
read_fmt(struct wav_reader *w)
{
	uint32_t form = le16(w->got), channels = le16(w->got + 2);
	uint32_t rate_hz = le32(w->got + 4), bits = le16(w->got + 14);
	const struct coding *coding;

	if (form == EXTENSIBLE && w->ngot >= 26)
		form = le16(w->got + 24); /* first bytes of the GUID */
	coding = find_coding(w, form, bits);
	if (coding == NULL)
		refuse(w, why_not(w, form));
	else if (channels < 1 || channels > 2 ||
		 le16(w->got + 12) != coding->bytes * channels)
		refuse(w, "it has neither one channel nor two");
	else if (rate_hz < AUDIO_LEAST_HZ ||
		 rate_hz > (uint32_t)(w->most_hz > 0 ? w->most_hz : AUDIO_MOST_HZ))
		refuse(w, "its sampling rate is out of range");
	else {
		w->rate_hz = (int)rate_hz;
		w->channels = (int)channels;
		w->form = coding->form;
		w->has_fmt = true;
		w->left -= (uint32_t)w->ngot;
		go_on(w);
	}
}

static void
read_chunk(struct wav_reader *w)
{
	uint32_t bytes = le32(w->got + 4);

	if (is(w->got, "data") && !w->behind) {
		w->fresh = true;
		/* a stream of unknown length has 0 or the largest number here */
		if (!w->has_fmt)
			refuse(w, "data without a format");
		else
			open_sound(w, bytes == 0 ? ENDLESS : bytes);
	} else if (bytes > PASSED_MOST || (w->passed += 8 + bytes) > PASSED_MOST)
		refuse(w, "too much of it is not sound");
	else if (is(w->got, "fmt ") && !w->behind) {
		w->left = bytes + bytes % 2; /* chunks begin at even offsets */
		go(w, WAV_FMT);
		if (bytes < 16)
			refuse(w, "its format is cut short");
	} else {
		w->left = bytes + bytes % 2;
		go_on(w);
	}
}

/* True if a chunk of this id may follow the sound in a file. */
static bool
may_follow(const unsigned char *id)
{
	static const char ids[][5] = { "LIST", "id3 ", "ID3 ", "cue ", "bext", "iXML",
		"_PMX", "smpl", "inst", "fact", "PEAK", "JUNK", "junk", "PAD ", "levl",
		"plst", "note", "labl", "acid", "axml", "chna", "cart", "afsp" };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (is(id, ids[i]))
			return true;
	return false;
}

/* Read the bytes after the length that the header gives. */
static void
read_tail(struct wav_reader *w, struct wav_run *run)
{
	if (w->ngot == 8)
		read_chunk(w);
	else if (wav_reader_is_magic(w->got))
		w->at = WAV_OPEN; /* w->got is kept */
	else if (!may_follow(w->got)) {
		*run = (struct wav_run){ .p = w->got, .n = w->ngot };
		open_sound(w, ENDLESS);
	}
}

/* Bytes needed in w->got for the next step. */
static size_t
wanted(const struct wav_reader *w)
{
	if (w->at == WAV_OPEN)
		return w->ngot < 4 ? 4 : 12;
	if (w->at == WAV_TAIL)
		return w->ngot < 4 ? 4 : 8;
	if (w->at == WAV_CHUNK)
		return 8;
	return w->left < FMT_MOST ? w->left : FMT_MOST;
}

/* Collect these bytes; false: more are needed. */
static bool
gather(struct wav_reader *w, const unsigned char **p, size_t *n)
{
	size_t want = wanted(w), take = want - w->ngot < *n ? want - w->ngot : *n;

	memcpy(w->got + w->ngot, *p, take);
	w->ngot += take;
	*p += take;
	*n -= take;
	return w->ngot == want;
}

/* Return the part of the current chunk that the input contains. */
static struct wav_run
read_rest(struct wav_reader *w, const unsigned char **p, size_t *n)
{
	struct wav_run run = { *p, w->left < *n ? w->left : *n, w->fresh };

	*p += run.n;
	*n -= run.n;
	if (w->left != ENDLESS)
		w->left -= (uint32_t)run.n;
	if (w->left == 0)
		go_on(w);
	return run;
}

static void
step(struct wav_reader *w, struct wav_run *run)
{
	if (w->at == WAV_OPEN)
		read_open(w, run);
	else if (w->at == WAV_CHUNK)
		read_chunk(w);
	else if (w->at == WAV_FMT)
		read_fmt(w);
	else
		read_tail(w, run);
}

bool
wav_reader_next(
    struct wav_reader *w, const unsigned char **p, size_t *n, struct wav_run *run)
{
	run->n = 0;
	while (run->n == 0 && *n > 0 && w->at != WAV_BAD)
		if (w->at == WAV_SOUND) {
			*run = read_rest(w, p, n);
			w->fresh = false;
		} else if (w->at == WAV_SKIP)
			read_rest(w, p, n);
		else if (gather(w, p, n))
			step(w, run);
	return run->n > 0;
}

/* ---- writing ---- */

static unsigned char *
put_le(unsigned char *to, size_t v, int bytes)
{
	for (; bytes-- > 0; v >>= 8)
		*to++ = (unsigned char)v;
	return to;
}

void
wav_header_write(void *to, int rate_hz, size_t bytes)
{
	unsigned char *p = to;

	memcpy(p, "RIFF....WAVEfmt ", 16);
	put_le(
	    p + 4, bytes == WAV_UNBOUNDED ? WAV_UNBOUNDED : WAV_HEADER - 8 + bytes, 4);
	p = put_le(p + 16, 16, 4);
	p = put_le(p, 1, 2); /* PCM */
	p = put_le(p, 1, 2); /* one channel */
	p = put_le(p, (size_t)rate_hz, 4);
	p = put_le(p, (size_t)rate_hz * 2, 4); /* bytes per second */
	p = put_le(p, 2, 2);                   /* bytes per frame */
	p = put_le(p, 16, 2);                  /* bits per sample */
	memcpy(p, "data", 4);
	put_le(p + 4, bytes, 4);
}
