/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/opus_encoder.h"

#include <opus/opus.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define BITS 24000   /* bit rate in bit/s; SILK and CELT up to 12 kHz */
#define COMPLEXITY 5 /* 10 takes twice the time and sounds hardly better */

struct opus_encoder {
	OpusEncoder *encoder;
	int loss; /* packet loss that was set last, percent */
	int16_t waiting[OPUS_ENCODER_SAMPLES]; /* samples of the next packet */
	size_t n;                              /* number of samples in waiting */
};

static void
set(struct opus_encoder *o, int request, int value)
{
	if (opus_encoder_ctl(o->encoder, request, value) != OPUS_OK)
		abort();
}

struct opus_encoder *
opus_encoder_new(struct arena *mem)
{
	struct opus_encoder *o = arena_alloc(mem, sizeof(*o));

	o->encoder = arena_alloc(mem, (size_t)opus_encoder_get_size(1));
	if (opus_encoder_init(o->encoder, SPOKEN_HZ, 1, OPUS_APPLICATION_VOIP) !=
	    OPUS_OK)
		abort();
	set(o, OPUS_SET_BITRATE_REQUEST, BITS);
	set(o, OPUS_SET_COMPLEXITY_REQUEST, COMPLEXITY);
	set(o, OPUS_SET_DTX_REQUEST, 0);
	set(o, OPUS_SET_INBAND_FEC_REQUEST, 1);
	opus_encoder_loss(o, OPUS_ENCODER_LOSS);
	return o;
}

void
opus_encoder_begin(struct opus_encoder *o)
{
	o->n = 0;
	if (opus_encoder_ctl(o->encoder, OPUS_RESET_STATE) != OPUS_OK)
		abort();
}

void
opus_encoder_loss(struct opus_encoder *o, int percent)
{
	if (percent < OPUS_ENCODER_LOSS)
		percent = OPUS_ENCODER_LOSS;
	if (percent > OPUS_ENCODER_LOSS_MOST)
		percent = OPUS_ENCODER_LOSS_MOST;
	if (percent != o->loss)
		set(o, OPUS_SET_PACKET_LOSS_PERC_REQUEST, percent);
	o->loss = percent;
}

/* Sound that libopus cannot encode becomes silence, so that times stay correct. */
static void
encode(struct opus_encoder *o, struct buf *to)
{
	unsigned char bytes[OPUS_ENCODER_BYTES];
	struct opus_packet packet = opus_packets_silence();
	int n = opus_encode(
	    o->encoder, o->waiting, OPUS_ENCODER_SAMPLES, bytes, sizeof(bytes));

	if (n > 0)
		packet = (struct opus_packet){ bytes, (size_t)n };
	else
		log_error("speech could not be encoded: %s", opus_strerror(n));
	opus_packets_put(to, packet.bytes, packet.n);
	o->n = 0;
}

void
opus_encoder_put(
    struct opus_encoder *o, const int16_t *s, size_t n, bool last, struct buf *to)
{
	while (n > 0) {
		size_t some = OPUS_ENCODER_SAMPLES - o->n;

		some = n < some ? n : some;
		memcpy(o->waiting + o->n, s, some * sizeof(*s));
		o->n += some;
		s += some;
		n -= some;
		if (o->n == OPUS_ENCODER_SAMPLES)
			encode(o, to);
	}
	if (!last || o->n == 0)
		return;
	memset(o->waiting + o->n, 0, (OPUS_ENCODER_SAMPLES - o->n) * sizeof(*s));
	encode(o, to);
}
