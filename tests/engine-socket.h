/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ENGINE_SOCKET_H
#define TESTS_ENGINE_SOCKET_H

/*
 * Recognition by engine-server.c over WebSockets (RFC 6455): "piece" for every two
 * seconds, "N so far" in between, and "N samples of sum S" at the end.  Below /broken
 * the first connection breaks after a second of audio, below /shut every connection
 * does.
 */
#include <math.h>
#include <openssl/sha.h>
#include <stdatomic.h>

#include "base/base64.h"
#include "engine-http.h"

#define PIECE_SAMPLES 32000

struct hearing {
	struct request *rq;
	const char *dialect;
	bool begun, ended; /* the session was configured; the final answer was sent */
	bool breaks;
	size_t n, pieces;
	long long sum;
};

static atomic_int broken_sockets;

static bool
read_all(int fd, void *to, size_t n)
{
	char *p = to;

	for (ssize_t some; n > 0; p += some, n -= (size_t)some)
		if ((some = recv(fd, p, n, 0)) <= 0)
			return false;
	return true;
}

/* Reads one whole frame; false: close the connection. */
static bool
read_frame(struct request *rq, int *kind, char **payload, size_t *n)
{
	unsigned char head[2], more[8], mask[4];
	size_t extra;

	if (!read_all(rq->fd, head, 2) || (head[1] & 0x80) == 0)
		return false;
	*kind = head[0] & 15;
	*n = head[1] & 127;
	extra = *n == 126 ? 2 : *n == 127 ? 8 : 0;
	if (!read_all(rq->fd, more, extra) || !read_all(rq->fd, mask, 4))
		return false;
	if (extra > 0)
		*n = 0;
	for (size_t i = 0; i < extra; i++)
		*n = *n << 8 | more[i];
	*payload = arena_alloc(rq->mem, *n + 1);
	if (*n > REQUEST_BYTES || !read_all(rq->fd, *payload, *n))
		return false;
	for (size_t i = 0; i < *n; i++)
		(*payload)[i] = (char)((*payload)[i] ^ mask[i % 4]);
	return true;
}

static bool
send_frame(struct request *rq, int kind, const char *text)
{
	size_t n = strlen(text);
	unsigned char head[4] = { (unsigned char)(0x80 | kind), 126,
		(unsigned char)(n >> 8), (unsigned char)n };

	if (n < 126)
		head[1] = (unsigned char)n;
	return send_all(rq->fd, head, n < 126 ? 2 : 4) && send_all(rq->fd, text, n);
}

static bool
send_text(struct hearing *h, const char *text)
{
	return send_frame(h->rq, 1, text);
}

/* Sends a final text, or a partial one. */
static bool
tell_text(struct hearing *h, const char *text, bool last)
{
	struct arena *mem = h->rq->mem;

	if (strcmp(h->dialect, "vosk") == 0)
		return send_text(h, arena_printf(mem, "{\"%s\" : \"%s\"}",
					last ? "text" : "partial", text));
	if (strcmp(h->dialect, "sherpa") == 0)
		return send_text(
		    h, arena_printf(mem,
			   "{\"text\":\" %s\",\"segment\":0,\"is_final\":%s}", text,
			   last ? "true" : "false"));
	if (strcmp(h->dialect, "deepgram") == 0)
		return send_text(
		    h, arena_printf(mem,
			   "{\"type\":\"Results\",\"is_final\":%s,\"channel\":{"
			   "\"alternatives\":[{\"transcript\":\"%s\"}]}}",
			   last ? "true" : "false", text));
	return send_text(
	    h, arena_printf(mem,
		   "{\"type\":\"conversation.item.input_audio_transcription.%s\","
		   "\"%s\":\"%s\"}",
		   last ? "completed" : "delta", last ? "transcript" : "delta", text));
}

static int16_t
sample_of(const struct hearing *h, const char *p, size_t i)
{
	float f;

	if (strcmp(h->dialect, "sherpa") != 0)
		return (int16_t)((unsigned char)p[2 * i] | (unsigned char)p[2 * i + 1]
							       << 8);
	memcpy(&f, p + 4 * i, 4);
	return (int16_t)lrintf(f * 32768);
}

static bool
hear_sound(struct hearing *h, const char *p, size_t bytes)
{
	size_t n = bytes / (strcmp(h->dialect, "sherpa") == 0 ? 4 : 2);

	for (size_t i = 0; i < n; i++)
		h->sum += sample_of(h, p, i);
	h->n += n;
	if (h->breaks && h->n >= 16000)
		return false;
	if (strcmp(h->dialect, "openai") == 0)
		return true;
	if (h->n / PIECE_SAMPLES > h->pieces) {
		h->pieces++;
		return tell_text(h, "piece", true);
	}
	return tell_text(h, arena_printf(h->rq->mem, "%zu so far", h->n), false);
}

static bool
tell_rest(struct hearing *h)
{
	const char *all =
	    arena_printf(h->rq->mem, "%zu samples of sum %lld", h->n, h->sum);

	h->ended = true;
	if (strcmp(h->dialect, "openai") == 0)
		return tell_text(h, "9", false) && tell_text(h, all, true);
	return tell_text(h, all, true) &&
	       (strcmp(h->dialect, "sherpa") != 0 || send_text(h, "Done!")) &&
	       (strcmp(h->dialect, "deepgram") != 0 ||
		   send_text(h, "{\"type\":\"Metadata\"}")) &&
	       send_frame(h->rq, 8, "\x03\xe8") && false;
}

static bool
hear_openai(struct hearing *h, const struct json *v)
{
	const char *type = json_get_text(v, "type"), *audio, *sound;
	size_t n;

	if (type == NULL)
		return false;
	if (strcmp(type, "session.update") == 0)
		return h->begun = json_get(json_get(v, "session"), "audio") != NULL;
	if (!h->begun)
		return send_text(h, "{\"type\":\"error\"}");
	if (strcmp(type, "input_audio_buffer.commit") == 0)
		return tell_rest(h);
	audio = json_get_text(v, "audio");
	sound = audio != NULL
		    ? (const char *)base64_read(h->rq->mem, audio, strlen(audio), &n)
		    : NULL;
	return sound != NULL && hear_sound(h, sound, n);
}

static bool
hear_text(struct hearing *h, const char *text, size_t n)
{
	const char *why;
	const struct json *v = json_read(h->rq->mem, text, n, &why);
	const struct json *config = json_get(v, "config");

	if (strcmp(h->dialect, "openai") == 0)
		return hear_openai(h, v);
	if (config != NULL)
		return h->begun = json_get_int(config, "sample_rate", 0) == 16000;
	if (strcmp(h->dialect, "sherpa") == 0)
		return strcmp(text, "Done") == 0 && tell_rest(h);
	if (strcmp(h->dialect, "deepgram") == 0)
		return json_get_text(v, "type") != NULL && tell_rest(h);
	return json_get_int(v, "eof", 0) == 1 && tell_rest(h);
}

/* The WebSocket handshake, RFC 6455, 4.2.2. */
static bool
shake_hands(struct request *rq)
{
	const char *key = header(rq, "Sec-WebSocket-Key"), *all, *answer;
	unsigned char sha[SHA_DIGEST_LENGTH];

	if (key == NULL)
		return reply_error(rq, 426, "no WebSocket");
	all = arena_printf(rq->mem, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
	SHA1((const unsigned char *)all, strlen(all), sha);
	answer = arena_printf(rq->mem,
	    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
	    "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
	    base64(rq->mem, sha, sizeof(sha)));
	return send_all(rq->fd, answer, strlen(answer));
}

static bool
hear_socket(struct request *rq, const char *dialect)
{
	struct hearing h = { .rq = rq, .dialect = dialect };
	bool on = shake_hands(rq);
	char *p;
	size_t n;
	int kind;

	h.breaks = rq->breaks == 2 || (rq->breaks == 1 && broken_sockets++ == 0);
	while (on && read_frame(rq, &kind, &p, &n))
		on = kind == 1   ? hear_text(&h, p, n)
		     : kind == 2 ? hear_sound(&h, p, n)
				 : kind > 8;
	return false;
}

static bool
vosk(struct request *rq)
{
	return hear_socket(rq, "vosk");
}

static bool
sherpa(struct request *rq)
{
	return hear_socket(rq, "sherpa");
}

static bool
has_credential(struct request *rq, const char *want)
{
	const char *got = header(rq, "Authorization");

	return got != NULL && strcmp(got, want) == 0;
}

static bool
deepgram(struct request *rq)
{
	if (!has_credential(rq, "Token test-key"))
		return reply_error(rq, 401, "INVALID_AUTH");
	if (strstr(rq->query, "encoding=linear16") == NULL ||
	    strstr(rq->query, "sample_rate=16000") == NULL ||
	    strstr(rq->query, "interim_results=true") == NULL)
		return reply_error(rq, 400, "Bad Request");
	return hear_socket(rq, "deepgram");
}

static bool
openai_realtime(struct request *rq)
{
	if (!has_credential(rq, "Bearer test-key"))
		return reply_error(rq, 401, "no key");
	return hear_socket(rq, "openai");
}

#endif
