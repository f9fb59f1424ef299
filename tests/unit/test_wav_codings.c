/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WAV files with every coding that recorders write. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "audio/audio_decoder.h"
#include "base/buf.h"
#include "tests/unit/suite.h"

#define HALF(bytes) bytes, sizeof(bytes) - 1

/* Samples of about half the full scale (G.711 has steps of 1,024); tag 0xfffe:
 * WAVE_FORMAT_EXTENSIBLE. */
static const struct {
	unsigned tag, sub, bits;
	const char *half;
	size_t bytes;
	const char *why; /* NULL: it is read */
} codings[] = {
	{ 1, 0, 8, HALF("\xc0"), NULL },
	{ 1, 0, 16, HALF("\x00\x40"), NULL },
	{ 1, 0, 24, HALF("\x00\x00\x40"), NULL },
	{ 1, 0, 32, HALF("\x00\x00\x00\x40"), NULL },
	{ 3, 0, 32, HALF("\x00\x00\x00\x3f"), NULL },
	{ 3, 0, 64, HALF("\x00\x00\x00\x00\x00\x00\xe0\x3f"), NULL },
	{ 6, 0, 8, HALF("\xa5"), NULL },
	{ 7, 0, 8, HALF("\x8f"), NULL },
	{ 0xfffe, 1, 16, HALF("\x00\x40"), NULL },
	{ 0xfffe, 1, 24, HALF("\x00\x00\x40"), NULL },
	{ 0xfffe, 3, 32, HALF("\x00\x00\x00\x3f"), NULL },
	{ 0xfffe, 7, 8, HALF("\x8f"), NULL },
	{ 0x11, 0, 4, HALF("\x00"), "IMA ADPCM" },
	{ 0x31, 0, 8, HALF("\x00"), "GSM 06.10" },
	{ 0x55, 0, 8, HALF("\x00"), "MP3" },
	{ 1, 0, 12, HALF("\x00\x40"), "PCM of a width" },
	{ 3, 0, 16, HALF("\x00\x40"), "float of a width" },
	{ 0x7777, 0, 8, HALF("\x00"), "neither PCM, float, A-law nor mu-law" },
};

#define FRAMES 3200

static void
put(struct buf *b, unsigned long v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_put(b, &(const char){ (char)(v >> 8 * i) }, 1);
}

static struct buf
file_of(struct arena *mem, int row, unsigned channels)
{
	unsigned frame = (unsigned)codings[row].bytes * channels;
	bool more = codings[row].tag == 0xfffe;
	struct buf b = { .mem = mem };

	buf_put(&b, "RIFF\0\0\0\0WAVEfmt ", 16);
	put(&b, more ? 40 : 16, 4);
	put(&b, codings[row].tag, 2);
	put(&b, channels, 2);
	put(&b, 16000, 4);
	put(&b, 16000UL * frame, 4);
	put(&b, frame, 2);
	put(&b, codings[row].bits, 2);
	if (more) {
		put(&b, 22, 2);
		put(&b, codings[row].bits, 2);
		put(&b, 0, 4);
		put(&b, codings[row].sub, 2);
		buf_put(&b, "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
	}
	buf_put(&b, "data", 4);
	put(&b, FRAMES * frame, 4);
	for (unsigned i = 0; i < FRAMES * channels; i++)
		buf_put(&b, codings[row].half, codings[row].bytes);
	return b;
}

static const char *const magics[] = { "RIFF", "RF64", "BW64" };

static void
read_file(int row, unsigned channels, size_t cut)
{
	const struct audio_format wav = { .form = AUDIO_WAV };
	struct arena *mem = arena_new();
	struct audio_decoder *in = audio_decoder_new(mem, &wav);
	struct buf b = file_of(mem, row, channels);
	struct pcm16 pcm;
	size_t n = 0;
	enum err e = OK;

	memcpy(b.p, magics[cut % COUNT(magics)], 4);
	for (size_t at = 0; e == OK && at < b.len; at += cut) {
		size_t left = b.len - at;

		e = audio_decoder_feed(
		    in, b.p + at, left < cut ? left : cut, mem, &pcm);
		for (size_t i = 0; i < pcm.n; i++)
			ck_assert_int_le(abs(pcm.s[i] - 16384), 600);
		n += pcm.n;
	}
	if (codings[row].why == NULL) {
		ck_assert_int_eq(e, OK);
		ck_assert_uint_eq(n, FRAMES);
	} else {
		ck_assert_int_eq(e, ERR_REFUSED);
		ck_assert_ptr_nonnull(strstr(audio_decoder_why(in), codings[row].why));
	}
	arena_free(mem);
}

START_TEST(a_file_is_read_or_its_coding_is_named)
{
	for (unsigned channels = 1; channels <= 2; channels++) {
		read_file(_i, channels, 100000);
		read_file(_i, channels, 100001);
		read_file(_i, channels, 7);
		read_file(_i, channels, 9);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("wav_codings");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(
	    t, a_file_is_read_or_its_coding_is_named, 0, COUNT(codings));
	suite_add_tcase(s, t);
	return unit_run(s);
}
