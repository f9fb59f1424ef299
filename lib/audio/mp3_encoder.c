/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/mp3_encoder.h"

#include <lame/lame.h>
#include <stdlib.h>

#include "audio/pcm16.h"
#include "base/log.h"

#define KBITS 48
#define QUALITY 5 /* quality of LAME: 0 is best, 9 is fastest */

struct mp3_encoder {
	lame_t lame;
};

static void
close_lame(void *lame)
{
	lame_close(lame);
}

struct mp3_encoder *
mp3_encoder_new(struct arena *mem)
{
	struct mp3_encoder *m = arena_alloc(mem, sizeof(*m));

	if ((m->lame = lame_init()) == NULL)
		abort();
	arena_defer(mem, close_lame, m->lame);
	lame_set_in_samplerate(m->lame, SPOKEN_HZ);
	lame_set_out_samplerate(m->lame, SPOKEN_HZ);
	lame_set_num_channels(m->lame, 1);
	lame_set_mode(m->lame, MONO);
	lame_set_brate(m->lame, KBITS);
	lame_set_quality(m->lame, QUALITY);
	lame_set_bWriteVbrTag(m->lame, 0);
	lame_set_disable_reservoir(m->lame, 1);
	if (lame_init_params(m->lame) < 0)
		abort();
	return m;
}

void
mp3_encoder_put(struct mp3_encoder *m, const int16_t *s, size_t n, struct buf *to)
{
	size_t room = n + n / 4 + 7200; /* the size that lame.h requires */
	int got = lame_encode_buffer(
	    m->lame, s, s, (int)n, (unsigned char *)buf_room(to, room), (int)room);

	if (got < 0)
		log_error("speech could not be encoded as MP3: %d", got);
	else
		to->len += (size_t)got;
}
