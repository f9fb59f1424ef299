/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/opus_decoder.h"

#include <math.h>
#include <ogg/ogg.h>
#include <opus/opus.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "audio/downmix.h"
#include "audio/pcm16.h"

#define PACKET_MS 120 /* longest packet */
#define PIECE 4096    /* bytes given to libogg at once */
#define PAGES_MOST 16 /* pages of one packet, 1 MB */
#define HEADER_BYTES 19

/*
 * Decodes to one channel until the first stereo packet, as decoding mono packets to two
 * costs over 50 % more.  From then on decodes to two, which downmix.h mixes.
 */
struct mono_decoder {
	OpusDecoder *opus; /* NULL: not requested yet; room for two channels */
	int rate_hz, channels, gain;
	struct downmix mixing;
};

struct opus_decoder {
	struct arena *mem;
	struct mono_decoder decoder; /* at HEARD_HZ */
	struct mono_decoder fine;    /* at SPOKEN_HZ */
	struct buf *finer;           /* output of fine, borrowed; NULL: none wanted */
	int gain;                    /* gain in the stream's header, dB / 256 */
	ogg_sync_state sync;
	ogg_stream_state stream;
	bool has_stream; /* an Opus stream is being read */
	int packets;     /* header packets of the stream read so far, 0 to 2 */
	int skip;        /* samples at HEARD_HZ still to skip, from the header */
	unsigned open;   /* pages since the last packet ended */
	struct opus_losses losses;
};

static void
clear_ogg(void *arg)
{
	struct opus_decoder *o = arg;

	ogg_sync_clear(&o->sync);
	ogg_stream_clear(&o->stream);
}

static void
set_channels(struct mono_decoder *d, int channels)
{
	d->channels = channels;
	d->mixing = (struct downmix){ 0 };
	if (opus_decoder_init(d->opus, d->rate_hz, channels) != OPUS_OK)
		abort();
	opus_decoder_ctl(d->opus, OPUS_SET_GAIN(d->gain));
}

static void
begin_with(struct mono_decoder *d, int gain)
{
	d->gain = gain;
	set_channels(d, 1);
}

static struct mono_decoder
new_decoder(struct arena *mem, int rate_hz)
{
	struct mono_decoder d = { .opus = arena_alloc(
				      mem, (size_t)opus_decoder_get_size(2)),
		.rate_hz = rate_hz };

	begin_with(&d, 0);
	return d;
}

struct opus_decoder *
opus_decoder_new(struct arena *mem)
{
	struct opus_decoder *o = arena_alloc(mem, sizeof(*o));

	o->mem = mem;
	o->decoder = new_decoder(mem, HEARD_HZ);
	ogg_sync_init(&o->sync);
	if (ogg_stream_init(&o->stream, 0) != 0)
		abort();
	arena_defer(mem, clear_ogg, o);
	return o;
}

void
opus_decoder_restart(struct opus_decoder *o)
{
	ogg_sync_reset(&o->sync);
	ogg_stream_reset(&o->stream);
	o->has_stream = false;
}

static bool
is_stereo(const unsigned char *p, size_t n)
{
	int16_t bytes[48]; /* length of each frame */

	return p != NULL && opus_packet_get_nb_channels(p) == 2 &&
	       opus_packet_parse(p, (int32_t)n, NULL, NULL, bytes, NULL) > 0;
}

/*
 * Decode a packet, its copy of the one before, or conceal a loss (p NULL). Write at
 * most so many samples to s, which has room for twice as many. Return their number, or
 * an error of libopus.
 */
static int
decode_mono(struct mono_decoder *d, const unsigned char *p, size_t n, int16_t *s,
    int most, bool copy)
{
	int got;

	if (d->channels == 1 && is_stereo(p, n))
		set_channels(d, 2);
	got = opus_decode(d->opus, p, (int32_t)n, s, most, copy);
	for (int i = 0; i < got && d->channels == 2; i++) {
		const float frame[] = { s[2 * i], s[2 * i + 1] };

		s[i] = (int16_t)lrintf(downmix_frame(&d->mixing, frame, 2));
	}
	return got;
}

static enum err
decode(struct mono_decoder *d, const void *p, size_t n, struct buf *to)
{
	int most = d->rate_hz / 1000 * PACKET_MS, got;
	int16_t *s = (void *)buf_room(to, 2 * (size_t)most * sizeof(*s));

	got = n > INT32_MAX ? -1 : decode_mono(d, p, n, s, most, false);
	if (got < 0)
		return ERR_REFUSED;
	to->len += (size_t)got * sizeof(*s);
	return OK;
}

enum err
opus_decoder_packet(struct opus_decoder *o, const void *p, size_t n, struct buf *to)
{
	enum err e;

	/* libopus would take an empty packet for a lost one */
	if (n == 0)
		return OK;
	e = decode(&o->decoder, p, n, to);
	if (e == OK && o->finer != NULL)
		e = decode(&o->fine, p, n, o->finer);
	return e;
}

/* ---- lost packets ---- */

/* The parts that fill a gap, in this order, in units of 1 / OPUS_GAP_HZ. */
struct filling {
	uint32_t guess, silence, copy;
};

#define GUESS_STEP (OPUS_GAP_HZ / 400) /* libopus conceals multiples of 2.5 ms */

static struct filling
plan(const struct opus_gap *gap, uint32_t frame)
{
	const uint32_t most = OPUS_GAP_HZ / 1000 * OPUS_DECODER_GUESS_MS;
	struct filling f = { .silence = gap->missing };
	uint32_t lost = gap->lost < most / frame + 1 ? gap->lost * frame : most + frame;

	if (gap->lost == 0 || f.silence < frame)
		return f;
	f.copy = frame;
	f.silence -= frame;
	f.guess = lost - frame < most ? lost - frame : most;
	f.guess = f.guess < f.silence ? f.guess : f.silence;
	f.guess -= f.guess % GUESS_STEP;
	f.silence -= f.guess;
	return f;
}

/*
 * Replace missing sound: decode the copy in packet p, or let libopus conceal the loss
 * (p NULL).
 */
static void
make_up(struct mono_decoder *d, const unsigned char *p, size_t n, uint32_t length,
    struct buf *to)
{
	int want = (int)((uint64_t)length * (uint32_t)d->rate_hz / OPUS_GAP_HZ);
	int16_t *s;

	if (want == 0)
		return;
	s = (void *)buf_room(to, 2 * (size_t)want * sizeof(*s));
	if (decode_mono(d, p, n, s, want, p != NULL) != want)
		memset(s, 0, (size_t)want * sizeof(*s));
	to->len += (size_t)want * sizeof(*s);
}

static void
put_silence(int rate_hz, uint32_t length, struct buf *to)
{
	size_t n = (size_t)((uint64_t)length * (uint32_t)rate_hz / OPUS_GAP_HZ) *
		   sizeof(int16_t);

	if (n == 0)
		return;
	memset(buf_room(to, n), 0, n);
	to->len += n;
}

static void
fill(struct mono_decoder *d, const struct filling *f, const unsigned char *p, size_t n,
    struct buf *to)
{
	make_up(d, NULL, 0, f->guess, to);
	put_silence(d->rate_hz, f->silence, to);
	make_up(d, p, n, f->copy, to);
}

static void
count_losses(struct opus_decoder *o, const struct opus_gap *gap,
    const struct filling *f, bool has_copy)
{
	uint32_t frame = f->copy;

	o->losses.lost += gap->lost;
	if (frame == 0)
		return;
	o->losses.recovered += has_copy;
	o->losses.concealed += f->guess / frame + !has_copy;
}

enum err
opus_decoder_received(
    struct opus_decoder *o, const void *bytes, size_t n, struct buf *to)
{
	const unsigned char *p = (const unsigned char *)bytes + OPUS_GAP_BYTES;
	size_t was = to->len, finer_was = o->finer != NULL ? o->finer->len : 0;
	struct opus_gap gap;
	struct filling f;
	int frame;

	if (n <= OPUS_GAP_BYTES)
		return ERR_REFUSED;
	n -= OPUS_GAP_BYTES;
	if (opus_gap_duration(p, n) == 0)
		return ERR_REFUSED;
	gap = opus_gap_read(bytes);
	frame = opus_packet_get_samples_per_frame(p, OPUS_GAP_HZ);
	f = plan(&gap, (uint32_t)frame);
	fill(&o->decoder, &f, p, n, to);
	if (o->finer != NULL)
		fill(&o->fine, &f, p, n, o->finer);
	if (opus_decoder_packet(o, p, n, to) != OK) {
		to->len = was;
		if (o->finer != NULL)
			o->finer->len = finer_was;
		return ERR_REFUSED;
	}
	count_losses(o, &gap, &f, opus_gap_has_copy(p, n));
	return OK;
}

const struct opus_losses *
opus_decoder_losses(const struct opus_decoder *o)
{
	return &o->losses;
}

/* A decoder may begin with any packet, but after a gap it must be reset. */
void
opus_decoder_fine(struct opus_decoder *o, struct buf *to)
{
	if (o->fine.opus == NULL && to != NULL)
		o->fine = new_decoder(o->mem, SPOKEN_HZ);
	if (o->finer == NULL && to != NULL)
		begin_with(&o->fine, o->gain);
	o->finer = to;
}

static unsigned
le16(const unsigned char *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

/* True for an OpusHead, RFC 7845 section 5.1, of channel mapping family 0. */
static bool
is_head(const ogg_packet *p)
{
	const unsigned char *h = p->packet;

	return p->bytes >= HEADER_BYTES && memcmp(h, "OpusHead", 8) == 0 &&
	       (h[8] & 0xf0) == 0 && (h[9] == 1 || h[9] == 2) && h[18] == 0;
}

static void
read_head(struct opus_decoder *o, const unsigned char *h)
{
	/* the header counts samples at 48 kHz */
	o->skip = (int)(le16(h + 10) / (48000 / HEARD_HZ));
	o->gain = (int16_t)le16(h + 16);
	begin_with(&o->decoder, o->gain);
	if (o->fine.opus != NULL)
		begin_with(&o->fine, o->gain);
}

static void
leave_out(struct buf *b, size_t at, size_t samples)
{
	size_t n = samples * sizeof(int16_t);

	n = n < b->len - at ? n : b->len - at;
	if (n == 0) /* b->p may be NULL */
		return;
	memmove(b->p + at, b->p + at + n, b->len - at - n);
	b->len -= n;
}

static void
read_packet(struct opus_decoder *o, const ogg_packet *p, struct buf *to)
{
	size_t before = to->len, got, skip;
	size_t fine = o->finer != NULL ? o->finer->len : 0;

	if (o->packets < 2) {
		if (o->packets++ == 0)
			read_head(o, p->packet);
		return;
	}
	if (opus_decoder_packet(o, p->packet, (size_t)p->bytes, to) != OK)
		return;
	got = (to->len - before) / sizeof(int16_t);
	skip = got < (size_t)o->skip ? got : (size_t)o->skip;
	o->skip -= (int)skip;
	leave_out(to, before, skip);
	if (o->finer != NULL)
		leave_out(o->finer, fine, skip * SPOKEN_HZ / HEARD_HZ);
}

/* True if this first page of a stream belongs to Opus: its only packet is the header.
 */
static bool
opens(struct opus_decoder *o, ogg_page *page)
{
	ogg_packet p;

	ogg_stream_reset_serialno(&o->stream, ogg_page_serialno(page));
	o->packets = 0;
	o->open = 0;
	return ogg_stream_pagein(&o->stream, page) == 0 &&
	       ogg_stream_packetpeek(&o->stream, &p) == 1 && is_head(&p);
}

static enum err
read_packets(struct opus_decoder *o, struct buf *to, size_t most)
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
read_page(struct opus_decoder *o, ogg_page *page, struct buf *to, size_t most)
{
	enum err e;

	/* first pages come together; a first page after other pages begins a chained
	   stream */
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
opus_decoder_stream(
    struct opus_decoder *o, const void *bytes, size_t n, struct buf *to, size_t most)
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
