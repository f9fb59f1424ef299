/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ENGINE_SAY_H
#define TESTS_ENGINE_SAY_H

/* Speech by engine-server.c: sine tones. */
#include <math.h>

#include "audio/mp3_encoder.h"
#include "engine-http.h"

/* Speaks 50 ms for each byte of text; the pitch depends on the voice. */
static struct buf
sine(struct arena *mem, const char *voice, const char *text, int rate_hz)
{
	struct buf b = { .mem = mem };
	size_t n = strlen(text) * (size_t)rate_hz / 20;
	unsigned hash = 0;

	for (; *voice != '\0'; voice++)
		hash = hash * 31 + (unsigned char)*voice;
	for (size_t i = 0; i < n; i++) {
		double turns = (110 + hash % 330) * (double)i / rate_hz;
		int s = (int)(8000 * sin(2 * 3.14159265358979 * turns));
		char le[2] = { (char)(s & 0xff), (char)(s >> 8 & 0xff) };

		buf_put(&b, le, 2);
	}
	return b;
}

/* 24 kHz, streamed: the header has no lengths. */
static struct buf
wav(struct arena *mem, const struct buf *pcm)
{
	static const char head[] = "RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\1\0\1\0"
				   "\xc0\x5d\0\0\x80\xbb\0\0\2\0\x10\0data"
				   "\xff\xff\xff\xff";
	struct buf b = { .mem = mem };

	buf_put(&b, head, sizeof(head) - 1);
	buf_put(&b, pcm->p, pcm->len);
	return b;
}

/* MP3 of samples at SPOKEN_HZ. */
static struct buf
mp3(struct arena *mem, const struct buf *pcm)
{
	struct buf b = { .mem = mem };

	mp3_encoder_put(
	    mp3_encoder_new(mem), (const int16_t *)(void *)pcm->p, pcm->len / 2, &b);
	return b;
}

static const char aiff[] = "FORM\0\1\0\0AIFFCOMM\0\0\0\x12";
static const char no_mp3[] = "ID3\4\0\0\0\0\0\0 and no frame";

/* Models that return one coding for every request; false: this model has none. */
static bool
say_coded(struct request *rq, const char *model, const struct buf *pcm)
{
	struct buf b = mp3(rq->mem, pcm);

	if (strcmp(model, "aiff-only") == 0)
		return reply(rq, 200, "audio/mpeg", aiff, sizeof(aiff));
	if (strcmp(model, "noise-only") == 0)
		return reply(rq, 200, "audio/mpeg", no_mp3, sizeof(no_mp3));
	return strcmp(model, "mp3-only") == 0 &&
	       reply(rq, 200, "audio/mpeg", b.p, b.len);
}

/* Sends two halves, a second apart, cut in the middle of a sample. */
static bool
say_slowly(struct request *rq, const struct buf *pcm)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: audio/pcm\r\n\r\n";
	size_t half = (pcm->len / 2) | 1;

	if (send_all(rq->fd, head, sizeof(head) - 1) &&
	    send_all(rq->fd, pcm->p, half)) {
		sleep(1);
		send_all(rq->fd, pcm->p + half, pcm->len - half);
	}
	return false;
}

/* Sends pieces without a length as they are made, cut in the middle of a sample. */
static bool
say_in_pieces(struct request *rq, const struct buf *pcm)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: audio/pcm\r\n"
				   "Transfer-Encoding: chunked\r\n\r\n";
	bool on = send_all(rq->fd, head, sizeof(head) - 1);

	for (size_t at = 0, n; on && at < pcm->len; at += n) {
		const char *size;

		n = pcm->len - at < 4001 ? pcm->len - at : 4001;
		size = arena_printf(rq->mem, "%zx\r\n", n);
		on = send_all(rq->fd, size, strlen(size)) &&
		     send_all(rq->fd, pcm->p + at, n) && send_all(rq->fd, "\r\n", 2);
	}
	return on && send_all(rq->fd, "0\r\n\r\n", 5);
}

/*
 * The engine kind "http". The pitch follows the voice's recording, when there is one.
 */
static bool
http_speech(struct request *rq)
{
	const char *text = member(rq, "text"), *voice = member(rq, "voice"),
		   *sample = member(rq, "sample_url"),
		   *key = header(rq, "Authorization");
	struct buf pcm, file;

	if (key == NULL || strcmp(key, "Bearer test-key") != 0)
		return reply_error(rq, 401, "no key");
	if (text == NULL || voice == NULL || member(rq, "language") == NULL)
		return reply_error(rq, 422, "a field is missing");
	pcm = sine(rq->mem, sample != NULL ? sample : voice, text, 24000);
	file = wav(rq->mem, &pcm);
	return reply(rq, 200, "audio/wav", file.p, file.len);
}

#endif
