/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of HLS (RFC 8216): segments, each a file of fragmented MP4, and their parts.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "egress/hls_internal.h"
#include "egress/muxer.h"

bool
hls_write(struct hls_folder *h, const char *name, const void *p, size_t n)
{
	char draft[300];
	int fd;
	bool done;

	snprintf(draft, sizeof(draft), ".%s", name);
	fd = openat(h->fd, draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	done = fd >= 0 && file_write(fd, p, n);
	if (fd >= 0)
		close(fd);
	done = done && renameat(h->fd, draft, h->fd, name) == 0;
	if (!done) {
		h->why = "The files of HLS cannot be written.";
		h->failed = true;
	}
	h->bytes += done ? (int64_t)n : 0;
	if (done && h->bucket != NULL)
		hls_bucket_put(h->bucket, name, p, n);
	return done;
}

int64_t
hls_number(const struct hls_folder *h, int64_t length, int64_t begin)
{
	return h->epoch_us / (length / EGRESS_HZ * S_US) + begin / length;
}

int
hls_target_duration(const struct hls_folder *h)
{
	return (int)((h->longest + EGRESS_HZ / 2) / EGRESS_HZ);
}

int
hls_listed(const struct hls_folder *h, int64_t length)
{
	return (int)((h->low_latency ? LISTED_LOW_S : LISTED_S) * EGRESS_HZ / length);
}

/* The bytes written to *to since the last call, for av_free(). */
static uint8_t *
bytes_of(AVIOContext **to, size_t *n)
{
	uint8_t *bytes = NULL;

	*n = (size_t)avio_close_dyn_buf(*to, &bytes);
	if (avio_open_dyn_buf(to) < 0)
		abort(); /* no memory */
	return bytes;
}

/* Write these bytes as a file. */
static bool
write_bytes(struct hls_folder *h, AVIOContext **from, const char *name)
{
	size_t n;
	uint8_t *bytes = bytes_of(from, &n);
	bool written = hls_write(h, name, bytes, n);

	av_free(bytes);
	return written;
}

bool
hls_rendition_open(struct hls_folder *h, struct rendition *r, const char *code,
    const AVCodecParameters *is, int64_t number)
{
	AVStream *s;
	char name[64];
	bool opened;

	r->code = code;
	r->media.now = (struct segment){ .begin = -1, .head = number };
	r->bytes = 0;
	if (avformat_alloc_output_context2(&r->fmt, NULL, "mp4", NULL) < 0 ||
	    (s = avformat_new_stream(r->fmt, NULL)) == NULL ||
	    avcodec_parameters_copy(s->codecpar, is) < 0 ||
	    avio_open_dyn_buf(&r->fmt->pb) < 0 ||
	    (r->whole == NULL && avio_open_dyn_buf(&r->whole) < 0))
		return false;
	r->fmt->flags |= AVFMT_FLAG_BITEXACT;
	r->fmt->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
	s->time_base = (AVRational){ 1, EGRESS_HZ };
	opened = muxer_begin(r->fmt);
	snprintf(name, sizeof(name), "%s-init-%lld.mp4", code, (long long)number);
	if (opened)
		write_bytes(h, &r->fmt->pb, name);
	return opened;
}

void
hls_rendition_put(struct rendition *r, AVPacket *p)
{
	p->stream_index = 0;
	r->bytes += (size_t)p->size;
	av_packet_rescale_ts(
	    p, (AVRational){ 1, EGRESS_HZ }, r->fmt->streams[0]->time_base);
	av_write_frame(r->fmt, p);
	av_packet_free(&p);
}

/* Remove the first segment's parts. */
static void
forget_parts(struct rendition *r)
{
	int n = 1;

	while (n < r->n_parts && r->parts[n].segment == r->parts[0].segment)
		n++;
	r->n_parts -= n;
	memmove(r->parts, r->parts + n, (size_t)r->n_parts * sizeof(*r->parts));
}

/* Append the part that ends, and begin the next one. */
static void
add_part(struct hls_folder *h, struct rendition *r, int64_t end)
{
	int64_t listed = (int64_t)PARTS_LISTED * hls_target_duration(h) * EGRESS_HZ;

	while (r->n_parts > 0 &&
	       (r->n_parts == PARTS_MOST || r->parts[0].end < end - listed) &&
	       r->parts[0].segment != r->part.segment)
		forget_parts(r);
	r->part.end = end;
	if (r->n_parts < PARTS_MOST)
		r->parts[r->n_parts++] = r->part;
	r->part.begin = end;
	r->part.number++;
	r->part.gone = false;
}

const char *
hls_part_name(const struct rendition *r, const struct part *p, char to[64])
{
	snprintf(to, 64, "%s-%lldp%d.m4s", r->code, (long long)p->segment, p->number);
	return to;
}

void
hls_part_cut(struct hls_folder *h, struct rendition *r, int64_t end)
{
	char name[64];
	size_t n;
	uint8_t *bytes;

	av_write_frame(r->fmt, NULL);
	bytes = bytes_of(&r->fmt->pb, &n);
	avio_write(r->whole, bytes, (int)n);
	if (h->low_latency) {
		r->part.gone =
		    !hls_write(h, hls_part_name(r, &r->part, name), bytes, n);
		add_part(h, r, end);
	}
	av_free(bytes);
}

/* True when the first segment must be removed before another one is listed. Sound
   and text list as much time as the picture does. */
static bool
is_too_old(
    const struct hls_folder *h, const struct rendition *r, const struct segments *s)
{
	const struct segments *picture = &h->picture.media;

	if (s->n_made == LISTED_MOST)
		return true;
	if (r == &h->picture)
		return s->n_made >= LISTED;
	return s->n_made >= hls_listed(h, s->length) &&
	       (picture->n_made == 0 || s->made[1].begin <= picture->made[0].begin);
}

void
hls_segment_add(struct hls_folder *h, const struct rendition *r, struct segments *s)
{
	while (is_too_old(h, r, s))
		memmove(s->made, s->made + 1, (size_t)--s->n_made * sizeof(*s->made));
	s->made[s->n_made++] = s->now;
}

void
hls_rendition_cut(struct hls_folder *h, struct rendition *r, int64_t end)
{
	struct segment *now = &r->media.now;
	char name[64];

	hls_part_cut(h, r, end);
	now->end = end;
	r->bytes = 0;
	if (end - now->begin > h->longest)
		h->longest = end - now->begin;
	snprintf(name, sizeof(name), "%s-%lld.m4s", r->code, (long long)now->number);
	now->gone = !write_bytes(h, &r->whole, name);
	hls_segment_add(h, r, &r->media);
}
