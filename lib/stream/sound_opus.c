#include "stream/sound_opus.h"

#include <ogg/ogg.h>
#include <opus/opus.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stream/pcm16.h"

#define PACKET_MOST (HEARD_HZ / 1000 * 120) /* samples of one packet */
#define PIECE 4096                          /* bytes given to libogg at once */
#define PAGES_MOST 16                       /* pages of one packet, 1 MB */
#define HEAD_BYTES 19

struct sound_opus {
	OpusDecoder *decoder;
	ogg_sync_state sync;
	ogg_stream_state stream;
	bool has_stream;
	int packets;   /* of it so far, up to 2: those are its headers */
	int skip;      /* samples to leave out, as the headers said */
	unsigned open; /* pages since a packet ended */
};

static void
drop(void *arg)
{
	struct sound_opus *o = arg;

	ogg_sync_clear(&o->sync);
	ogg_stream_clear(&o->stream);
}

struct sound_opus *
sound_opus_new(struct arena *mem)
{
	struct sound_opus *o = arena_alloc(mem, sizeof(*o));

	o->decoder = arena_alloc(mem, (size_t)opus_decoder_get_size(1));
	if (opus_decoder_init(o->decoder, HEARD_HZ, 1) != OPUS_OK)
		abort();
	ogg_sync_init(&o->sync);
	if (ogg_stream_init(&o->stream, 0) != 0)
		abort();
	arena_defer(mem, drop, o);
	return o;
}

void
sound_opus_restart(struct sound_opus *o)
{
	ogg_sync_reset(&o->sync);
	ogg_stream_reset(&o->stream);
	o->has_stream = false;
}

enum err
sound_opus_packet(struct sound_opus *o, const void *p, size_t n, struct buf *to)
{
	int16_t *s = (void *)buf_room(to, PACKET_MOST * sizeof(*s));
	int got;

	/* no bytes would ask the decoder to make up for a loss */
	if (n == 0)
		return OK;
	got = n > INT32_MAX ? -1
			    : opus_decode(o->decoder, p, (int32_t)n, s, PACKET_MOST, 0);
	if (got < 0)
		return ERR_REFUSED;
	to->len += (size_t)got * sizeof(*s);
	return OK;
}

static unsigned
le16(const unsigned char *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

/* OpusHead, RFC 7845 section 5.1, of channel mapping family 0. */
static bool
is_head(const ogg_packet *p)
{
	const unsigned char *h = p->packet;

	return p->bytes >= HEAD_BYTES && memcmp(h, "OpusHead", 8) == 0 &&
	       (h[8] & 0xf0) == 0 && (h[9] == 1 || h[9] == 2) && h[18] == 0;
}

static void
read_head(struct sound_opus *o, const unsigned char *h)
{
	/* told in samples of 48 kHz */
	o->skip = (int)(le16(h + 10) / (48000 / HEARD_HZ));
	opus_decoder_ctl(o->decoder, OPUS_RESET_STATE);
	opus_decoder_ctl(o->decoder, OPUS_SET_GAIN((int16_t)le16(h + 16)));
}

static void
read_packet(struct sound_opus *o, const ogg_packet *p, struct buf *to)
{
	size_t before = to->len, got, skip;

	if (o->packets < 2) {
		if (o->packets++ == 0)
			read_head(o, p->packet);
		return;
	}
	if (sound_opus_packet(o, p->packet, (size_t)p->bytes, to) != OK)
		return;
	got = (to->len - before) / sizeof(int16_t);
	skip = got < (size_t)o->skip ? got : (size_t)o->skip;
	o->skip -= (int)skip;
	memmove(to->p + before, to->p + before + skip * sizeof(int16_t),
	    (got - skip) * sizeof(int16_t));
	to->len -= skip * sizeof(int16_t);
}

/* Is it the first page of a stream of Opus?  It holds the head and nothing more. */
static bool
opens(struct sound_opus *o, ogg_page *page)
{
	ogg_packet p;

	ogg_stream_reset_serialno(&o->stream, ogg_page_serialno(page));
	o->packets = 0;
	o->open = 0;
	return ogg_stream_pagein(&o->stream, page) == 0 &&
	       ogg_stream_packetpeek(&o->stream, &p) == 1 && is_head(&p);
}

static enum err
read_packets(struct sound_opus *o, struct buf *to, size_t most)
{
	ogg_packet p;
	int got;

	o->open++;
	while ((got = ogg_stream_packetout(&o->stream, &p)) != 0) {
		o->open = 0;
		if (to->len >= most)
			return ERR_LIMIT;
		if (got > 0)
			read_packet(o, &p, to);
	}
	return o->open < PAGES_MOST ? OK : ERR_REFUSED;
}

static enum err
read_page(struct sound_opus *o, ogg_page *page, struct buf *to, size_t most)
{
	enum err e;

	/* first pages stand together: behind others, they begin what is chained */
	if (ogg_page_bos(page) && o->has_stream && o->packets < 2)
		return OK;
	if (ogg_page_bos(page)) {
		if (!(o->has_stream = opens(o, page)))
			return OK;
	} else if (!o->has_stream)
		return ERR_REFUSED;
	else if (ogg_stream_pagein(&o->stream, page) != 0)
		return OK; /* a page of another stream */
	e = read_packets(o, to, most);
	if (ogg_page_eos(page) && ogg_page_serialno(page) == o->stream.serialno)
		o->has_stream = false;
	return e;
}

enum err
sound_opus_stream(
    struct sound_opus *o, const void *bytes, size_t n, struct buf *to, size_t most)
{
	const char *p = bytes;
	ogg_page page;
	enum err e = OK;
	int got;

	for (size_t piece; n > 0 && e == OK; p += piece, n -= piece) {
		piece = n < PIECE ? n : PIECE;
		memcpy(ogg_sync_buffer(&o->sync, PIECE), p, piece);
		ogg_sync_wrote(&o->sync, (long)piece);
		while (e == OK && (got = ogg_sync_pageout(&o->sync, &page)) != 0)
			if (got > 0)
				e = read_page(o, &page, to, most);
	}
	return e;
}
