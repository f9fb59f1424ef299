/*
 * Segments of HLS: fragmented MP4, a file each.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "egress/fragments.h"
#include "egress/hls_internal.h"

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
hls_number(const struct hls_folder *h, int64_t begin)
{
	return h->epoch_us / (SEGMENT_S * S_US) + begin / SEGMENT;
}

/* What was written since the last time, as a file. */
static bool
write_bytes(struct hls_folder *h, struct rendition *r, const char *name)
{
	uint8_t *bytes = NULL;
	int n = avio_close_dyn_buf(r->fmt->pb, &bytes);
	bool written = hls_write(h, name, bytes, (size_t)n);

	av_free(bytes);
	if (avio_open_dyn_buf(&r->fmt->pb) < 0)
		abort(); /* no memory */
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
	r->now = (struct segment){ .begin = -1, .head = number };
	r->bytes = 0;
	if (avformat_alloc_output_context2(&r->fmt, NULL, "mp4", NULL) < 0 ||
	    (s = avformat_new_stream(r->fmt, NULL)) == NULL ||
	    avcodec_parameters_copy(s->codecpar, is) < 0 ||
	    avio_open_dyn_buf(&r->fmt->pb) < 0)
		return false;
	r->fmt->flags |= AVFMT_FLAG_BITEXACT;
	r->fmt->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
	s->time_base = (AVRational){ 1, EGRESS_HZ };
	opened = fragments_begin(r->fmt);
	snprintf(name, sizeof(name), "%s-init-%lld.mp4", code, (long long)number);
	if (opened)
		write_bytes(h, r, name);
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

/* Whether the first one is not to be listed beside another one: what the picture lists
   is heard and read, too, however long its segments are. */
static bool
is_too_old(const struct hls_folder *h, const struct rendition *r)
{
	const struct rendition *picture = &h->picture;

	return r->n_made == LISTED_MOST ||
	       (r->n_made >= LISTED && (r == picture || picture->n_made == 0 ||
					   r->made[1].begin <= picture->made[0].begin));
}

void
hls_rendition_cut(struct hls_folder *h, struct rendition *r, int64_t end)
{
	char name[64];

	r->now.end = end;
	r->bytes = 0;
	if (end - r->now.begin > h->longest)
		h->longest = end - r->now.begin;
	av_write_frame(r->fmt, NULL);
	snprintf(name, sizeof(name), "%s-%lld.m4s", r->code, (long long)r->now.number);
	r->now.gone = !write_bytes(h, r, name);
	while (is_too_old(h, r))
		memmove(r->made, r->made + 1, (size_t)--r->n_made * sizeof(*r->made));
	r->made[r->n_made++] = r->now;
}
