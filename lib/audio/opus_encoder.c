#include "audio/opus_encoder.h"

#include <opus/opus.h>
#include <stdlib.h>

#include "base/log.h"

#define BITS 32000     /* bit/s; enough for full band speech */
#define LOSS_PERCENT 5 /* expected packet loss */
#define COMPLEXITY 5   /* of 10: half the time, hardly audible */

struct opus_encoder {
	OpusEncoder *encoder;
};

struct opus_encoder *
opus_encoder_new(struct arena *mem)
{
	struct opus_encoder *o = arena_alloc(mem, sizeof(*o));

	o->encoder = arena_alloc(mem, (size_t)opus_encoder_get_size(1));
	if (opus_encoder_init(o->encoder, SPOKEN_HZ, 1, OPUS_APPLICATION_VOIP) !=
		OPUS_OK ||
	    opus_encoder_ctl(o->encoder, OPUS_SET_BITRATE(BITS)) != OPUS_OK ||
	    opus_encoder_ctl(o->encoder, OPUS_SET_COMPLEXITY(COMPLEXITY)) != OPUS_OK ||
	    opus_encoder_ctl(o->encoder, OPUS_SET_INBAND_FEC(1)) != OPUS_OK ||
	    opus_encoder_ctl(o->encoder, OPUS_SET_PACKET_LOSS_PERC(LOSS_PERCENT)) !=
		OPUS_OK)
		abort();
	return o;
}

size_t
opus_encoder_packet(struct opus_encoder *o, const int16_t s[OPUS_ENCODER_SAMPLES],
    unsigned char to[OPUS_ENCODER_BYTES])
{
	int n =
	    opus_encode(o->encoder, s, OPUS_ENCODER_SAMPLES, to, OPUS_ENCODER_BYTES);

	if (n <= 0)
		log_error("speech could not be encoded: %s", opus_strerror(n));
	return n > 0 ? (size_t)n : 0;
}
