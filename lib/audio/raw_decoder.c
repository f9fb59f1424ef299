/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/raw_decoder.h"

#include <math.h>
#include <string.h>

static uint32_t
le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t
be32(const unsigned char *p)
{
	return p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

/* Scale from -1..1 to 16 bits; NaN becomes silence. */
static int16_t
scaled(double v)
{
	v *= 32768;
	return (int16_t)(v >= 32767    ? 32767
			 : v <= -32768 ? -32768
			 : v == v      ? lrint(v)
				       : 0);
}

/* Decode an IEEE 754 float of 32 bits. */
static int16_t
real(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return scaled((double)v);
}

static int16_t
read_s16le(const unsigned char *p)
{
	return (int16_t)(p[0] | p[1] << 8);
}

static int16_t
read_u8(const unsigned char *p)
{
	return (int16_t)((p[0] - 128) * 256);
}

static int16_t
read_s24le(const unsigned char *p)
{
	return (int16_t)(p[1] | p[2] << 8);
}

static int16_t
read_s32le(const unsigned char *p)
{
	return (int16_t)(le32(p) >> 16);
}

static int16_t
read_s32be(const unsigned char *p)
{
	return (int16_t)(be32(p) >> 16);
}

static int16_t
read_f32le(const unsigned char *p)
{
	return real(le32(p));
}

static int16_t
read_f32be(const unsigned char *p)
{
	return real(be32(p));
}

static int16_t
read_f64le(const unsigned char *p)
{
	uint64_t bits = le32(p) | (uint64_t)le32(p + 4) << 32;
	double v;

	memcpy(&v, &bits, sizeof(v));
	return scaled(v);
}

/* ITU-T G.711, table 2: sign, 3 bits of segment, 4 of step, all inverted. */
static int16_t
read_mulaw(const unsigned char *p)
{
	int code = ~p[0] & 0xff;
	int v = (((code & 15) << 3) + 0x84) << (code >> 4 & 7);

	return (int16_t)(code & 0x80 ? 0x84 - v : v - 0x84);
}

/* ITU-T G.711, table 1: as mu-law, but only every second bit is inverted. */
static int16_t
read_alaw(const unsigned char *p)
{
	int code = p[0] ^ 0x55, segment = code >> 4 & 7;
	int v = ((code & 15) << 4) + 8;

	if (segment > 0)
		v = (v + 0x100) << (segment - 1);
	return (int16_t)(code & 0x80 ? v : -v);
}

/* clang-format off */
static const struct raw_decoder raws[] = {
	[AUDIO_PCM]   = { 2, read_s16le },
	[AUDIO_WAV]   = { 2, read_s16le },
	[AUDIO_OPUS]  = { 0, NULL },
	[AUDIO_S32LE] = { 4, read_s32le },
	[AUDIO_S32BE] = { 4, read_s32be },
	[AUDIO_F32LE] = { 4, read_f32le },
	[AUDIO_F32BE] = { 4, read_f32be },
	[AUDIO_MULAW] = { 1, read_mulaw },
	[AUDIO_ALAW]  = { 1, read_alaw },
	[AUDIO_U8]    = { 1, read_u8 },
	[AUDIO_S24LE] = { 3, read_s24le },
	[AUDIO_F64LE] = { 8, read_f64le },
	[AUDIO_RECEIVED] = { 0, NULL },
};
/* clang-format on */

const struct raw_decoder *
raw_decoder_of(enum audio_encoding form)
{
	return raws[form].bytes > 0 ? &raws[form] : NULL;
}
