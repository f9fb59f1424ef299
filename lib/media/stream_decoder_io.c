#include "media/stream_decoder_internal.h"

#include <libavutil/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "media/source.h"
#include "media/stream_decoder_wire.h"

#define FLUSH_BYTES 32768

/* ---- the socket ---- */

static void
read_all(void *to, size_t n)
{
	ssize_t did;

	for (char *p = to; n > 0; p += did, n -= (size_t)did)
		if ((did = TEMP_FAILURE_RETRY(read(STDIN_FILENO, p, n))) <= 0)
			_exit(EXIT_SUCCESS);
}

static void
write_all(const void *from, size_t n)
{
	if (!file_write(STDOUT_FILENO, from, n))
		_exit(EXIT_FAILURE);
}

static void
flush(struct live_decoder *l)
{
	const char *p = (const char *)l->out;
	size_t left = l->nout * sizeof(*l->out);

	while (left > 0) {
		size_t n = left < LIVE_PIECE ? left : LIVE_PIECE;

		write_all(&(struct stream_decoder_answer){ LIVE_SOUND, (uint32_t)n },
		    sizeof(struct stream_decoder_answer));
		write_all(p, n);
		p += n;
		left -= n;
	}
	l->nout = 0;
}

static void
answer(struct live_decoder *l)
{
	if (l->mute > l->mute_most) {
		l->unread = true;
		l->mute = 0;
	}
	flush(l);
	write_all(&(struct stream_decoder_answer){ LIVE_DONE,
		      (l->unread ? LIVE_UNREAD : 0U) | (l->over ? LIVE_OVER : 0U) },
	    sizeof(struct stream_decoder_answer));
	l->unread = l->over = l->asked = false;
}

/* ---- input ---- */

static void
next_piece(struct live_decoder *l)
{
	struct stream_decoder_ask ask;

	if (l->asked)
		answer(l);
	read_all(&ask, sizeof(ask));
	l->asked = l->first = true;
	l->left = ask.bytes;
	l->room = ask.samples;
}

void
stream_decoder_fill(struct live_decoder *l)
{
	while (l->at == l->n) {
		l->first = false;
		if (l->left == 0)
			next_piece(l);
		l->at = 0;
		l->n = l->left < LIVE_BUFFER ? l->left : LIVE_BUFFER;
		read_all(l->p, l->n);
		memset(l->p + l->n, 0, AV_INPUT_BUFFER_PADDING_SIZE);
		l->left -= l->n;
		l->mute += l->n;
	}
}

void
stream_decoder_exact(struct live_decoder *l, void *to, size_t n)
{
	for (size_t did = 0, some; did < n; did += some) {
		stream_decoder_fill(l);
		some = n - did < l->n - l->at ? n - did : l->n - l->at;
		if (to != NULL)
			memcpy((char *)to + did, l->p + l->at, some);
		l->at += some;
	}
}

bool
stream_decoder_begins(const struct live_decoder *l, const void *bytes, size_t n)
{
	return l->first && l->at == 0 && l->n >= n && memcmp(l->p, bytes, n) == 0;
}

void
stream_decoder_await(
    struct live_decoder *l, bool (*begins)(const struct live_decoder *))
{
	for (;;) {
		stream_decoder_fill(l);
		if (begins(l))
			break;
		l->unread = true;
		l->at = l->n;
	}
	l->mute = l->n;
}

/* ---- output ---- */

static void
mix(struct live_decoder *l, const AVFrame *f)
{
	int most, n;

	if (!mixer_fits(&l->mixer, f) && !mixer_tune(&l->mixer, f))
		return;
	if ((most = mixer_most(&l->mixer, f)) <= 0)
		return;
	l->out = av_fast_realloc(
	    l->out, &l->out_bytes, (l->nout + (size_t)most) * sizeof(*l->out));
	if (l->out == NULL)
		_exit(EXIT_FAILURE);
	if ((n = mixer_run(&l->mixer, f, l->out + l->nout, most)) <= 0)
		return;
	l->mute = 0;
	l->over |= (size_t)n > l->room;
	if ((size_t)n > l->room)
		n = (int)l->room;
	l->room -= (size_t)n;
	l->nout += (size_t)n;
	if (l->nout * sizeof(*l->out) >= FLUSH_BYTES)
		flush(l);
}

void
stream_decoder_decode(struct live_decoder *l, AVCodecContext *dec, const AVPacket *pkt)
{
	if (l->room == 0) {
		l->over = true;
		l->mute = 0;
		return;
	}
	if (avcodec_send_packet(dec, pkt) < 0)
		return;
	while (avcodec_receive_frame(dec, l->frame) == 0)
		if (source_is_sound(l->frame))
			mix(l, l->frame);
}
