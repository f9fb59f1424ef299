/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture of HLS, not transcoded: fragmented MP4 with H.264; segments begin at
 * keyframes.
 */
#include <stdlib.h>
#include <string.h>

#include "egress/hls_internal.h"
#include "egress/muxer.h"

/* most bytes of a picture's segment; web servers allow 16 MiB */
#define SEGMENT_BYTES ((size_t)12 << 20)
#define SEGMENT_LONGEST (6 * SEGMENT)
#define PATIENCE (2 * SEGMENT) /* wait for the first picture */

static void
close_picture(struct hls_folder *h)
{
	uint8_t *bytes = NULL;

	if (h->picture.fmt == NULL)
		return;
	avio_close_dyn_buf(h->picture.fmt->pb, &bytes);
	av_free(bytes);
	avformat_free_context(h->picture.fmt);
	h->picture.fmt = NULL;
}

static bool
has_head(const struct hls_folder *h, const struct picture *p)
{
	return p->n_head == h->n_picture_head &&
	       memcmp(p->head, h->picture_head, p->n_head) == 0;
}

static void
copy(unsigned char **to, size_t *n_to, const unsigned char *p, size_t n)
{
	av_free(*to);
	if ((*to = av_memdup(p, n)) == NULL)
		abort(); /* no memory */
	*n_to = n;
}

/* Returns the number of the next segment, which is greater than all previous ones,
   including those of an earlier child. */
static int64_t
next_number(const struct hls_folder *h, int64_t begin)
{
	const struct rendition *r = &h->picture;

	return r->media.n_made == 0 ? hls_number(h, SEGMENT, begin) + h->later
				    : r->media.made[r->media.n_made - 1].number + 1;
}

/* The head has changed: start a new initialisation file. */
static void
set_head(struct hls_folder *h, const struct picture *p, int64_t number)
{
	AVCodecParameters *is = avcodec_parameters_alloc();

	if (is == NULL)
		abort(); /* no memory */
	close_picture(h);
	copy(&h->picture_head, &h->n_picture_head, p->head, p->n_head);
	h->width = p->width;
	h->height = p->height;
	h->discontinuities += h->picture.media.n_made > 0;
	if (!muxer_describe_picture(is, p->head, p->n_head, p->width, p->height) ||
	    !hls_rendition_open(h, &h->picture, "picture", is, number))
		close_picture(h);
	avcodec_parameters_free(&is);
}

static void
finish_picture(struct hls_folder *h, int64_t end)
{
	struct rendition *r = &h->picture;

	hls_rendition_cut(h, r, end);
	if (r->media.n_made == 1 || r->media.made[r->media.n_made - 1].head !=
					r->media.made[r->media.n_made - 2].head)
		h->complete = false; /* the indexes change */
	r->media.now.begin = -1;
}

/*
 * Handle a keyframe: end the segment when its time is over, it is too large, or the
 * head changes. Returns true if the segment has ended.
 */
static bool
begin_key(struct hls_folder *h, const struct picture *is, int64_t dts)
{
	struct rendition *r = &h->picture;
	bool other = !has_head(h, is);
	bool ended = r->media.now.begin >= 0 && r->fmt != NULL &&
		     (dts / SEGMENT != r->media.now.begin / SEGMENT || other ||
			 r->bytes + is->n > SEGMENT_BYTES);

	if (ended)
		finish_picture(h, dts);
	if (other)
		set_head(h, is, next_number(h, dts));
	if (is->bytes != h->still)
		copy(&h->still, &h->n_still, is->bytes, is->n);
	h->need_key = false;
	return ended;
}

static void
begin_segment(struct hls_folder *h, int64_t begin)
{
	struct rendition *r = &h->picture;
	struct segment *s = &r->media.now;

	s->begin = begin;
	s->number = next_number(h, begin);
	s->discontinuity = h->discontinuities;
	r->part =
	    (struct part){ .segment = s->number, .begin = begin, .dependent = true };
}

/*
 * End the part when its time is over, at a multiple of PART after its begin: the next
 * picture may come a little later. While no pictures come, a part has no end. Returns
 * true if it has ended.
 */
static bool
end_part(struct hls_folder *h, int64_t dts)
{
	struct part *part = &h->picture.part;

	if (!h->low_latency || dts < part->begin + PART || h->picture_dts < part->begin)
		return false;
	hls_part_cut(h, &h->picture, dts - (dts - part->begin) % PART);
	part->dependent = true;
	return true;
}

/* True when the segment has grown too long, in bytes or in time. */
static bool
is_too_much(const struct rendition *r, size_t more, int64_t dts)
{
	return r->bytes + more > SEGMENT_BYTES ||
	       dts - r->media.now.begin > SEGMENT_LONGEST;
}

void
hls_picture_put(void *sink, const struct picture *is, int64_t pts, int64_t dts)
{
	struct hls_folder *h = sink;
	struct rendition *r = &h->picture;
	AVPacket *p;
	bool ended = false;

	if (dts <= h->picture_dts)
		dts = h->picture_dts + 1;
	if (is->key)
		ended = begin_key(h, is, dts);
	else if (r->media.now.begin < 0 || is_too_much(r, is->n, dts))
		h->need_key = true;
	if (r->fmt == NULL || h->need_key ||
	    (p = muxer_picture_packet(is, pts > dts ? pts : dts, dts)) == NULL)
		return;
	if (r->media.now.begin < 0)
		begin_segment(h, dts);
	else
		ended = end_part(h, dts);
	if (ended)
		hls_playlist_write(h, r, "video");
	r->part.dependent = r->part.dependent && !is->key;
	h->picture_dts = dts;
	hls_rendition_put(r, p);
}

/* Longest time without a picture. Players stop unless there is another segment, or
   part. */
static int64_t
longest_gap(const struct hls_folder *h)
{
	if (!h->low_latency)
		return SEGMENT;
	return h->need_key ? PART : 2 * PART;
}

void
hls_picture_step(struct hls_folder *h, int64_t now)
{
	const struct picture still = { .key = true,
		.head = h->picture_head,
		.n_head = h->n_picture_head,
		.width = h->width,
		.height = h->height,
		.bytes = h->still,
		.n = h->n_still };

	if (h->picture.fmt == NULL || now < h->picture_dts + longest_gap(h))
		return;
	hls_picture_put(h, &still, now, now);
	h->need_key = true;
}

bool
hls_picture_awaited(const struct hls_folder *h, int64_t now)
{
	int64_t patience = h->picture.media.now.begin >= 0 ? SEGMENT_LONGEST : PATIENCE;

	return h->wants_picture && h->picture.media.n_made == 0 &&
	       now < h->begins + patience;
}
