/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of HLS (RFC 8216): segments, each a file of fragmented MP4, and playlists.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
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
hls_number(const struct hls_folder *h, int64_t begin)
{
	return h->epoch_us / (SEGMENT_S * S_US) + begin / SEGMENT;
}

/* Write the bytes muxed since the last call as a file. */
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
	opened = muxer_begin(r->fmt);
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

/* True when the first segment must be removed before another one is listed. Sound
   and text list as much time as the picture does. */
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

/* ---- playlists ---- */

static void
put_media(struct buf *b, const char *type, const char *group, const char *code,
    const char *file, bool first)
{
	buf_printf(b,
	    "#EXT-X-MEDIA:TYPE=%s,GROUP-ID=\"%s\",NAME=\"%s\",%s%s%sDEFAULT=%s,"
	    "AUTOSELECT=YES,URI=\"%s-%s.m3u8\"\n",
	    type, group, code, strcmp(code, "original") != 0 ? "LANGUAGE=\"" : "",
	    strcmp(code, "original") != 0 ? code : "",
	    strcmp(code, "original") != 0 ? "\"," : "", first ? "YES" : "NO", code,
	    file);
}

/* RFC 6381: "avc1." and three bytes of the sequence parameter set. */
static void
put_codec(struct buf *b, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i + 6 < n; i++)
		if (p[i] == 0 && p[i + 1] == 0 && p[i + 2] == 1 &&
		    (p[i + 3] & 31) == 7) {
			buf_printf(
			    b, "avc1.%02x%02x%02x,", p[i + 4], p[i + 5], p[i + 6]);
			return;
		}
}

static void
put_variant(struct buf *b, const struct hls_folder *h, const struct rendition *r)
{
	bool shows = h->picture.n_made > 0;

	buf_printf(b, "#EXT-X-STREAM-INF:BANDWIDTH=%d,CODECS=\"",
	    BANDWIDTH + (shows ? PICTURE_BANDWIDTH : 0));
	if (shows)
		put_codec(b, h->picture_head, h->n_picture_head);
	buf_str(b, "mp4a.40.2\",");
	if (shows)
		buf_printf(b, "RESOLUTION=%dx%d,", h->width, h->height);
	buf_printf(b, "AUDIO=\"sound\",SUBTITLES=\"text\"\n%s.m3u8\n",
	    shows ? "picture-video" : arena_printf(b->mem, "%s-audio", r->code));
}

/* Write the multivariant playlist of n languages. */
static void
write_index(struct hls_folder *h, const char *name, const struct rendition *r, size_t n)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	buf_str(&b, "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n");
	for (size_t i = 0; i < n; i++)
		put_media(&b, "AUDIO", "sound", r[i].code, "audio", i == 0);
	for (size_t i = 0; i < n; i++)
		put_media(&b, "SUBTITLES", "text", r[i].code, "text", false);
	put_variant(&b, h, r);
	hls_write(h, name, b.p, b.len);
	arena_free(mem);
}

static void
put_time(struct buf *b, int64_t unix_us)
{
	time_t s = unix_us / S_US;
	struct tm tm;
	char text[32];

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&s, &tm));
	buf_printf(b, "#EXT-X-PROGRAM-DATE-TIME:%s.%03dZ\n", text,
	    (int)(unix_us % S_US / 1000));
}

/* Seconds, rounded as playlists want them. */
static int
target_duration(const struct hls_folder *h)
{
	int64_t most = h->longest > SEGMENT ? h->longest : SEGMENT;

	return (int)((most + EGRESS_HZ / 2) / EGRESS_HZ);
}

/* Write a segment's lines. All renditions have the same discontinuities, as RFC 8216,
   6.2.4, requires, although only the picture changes. */
static void
put_segment(struct buf *b, const struct rendition *r, int i, bool text)
{
	const struct segment *s = &r->made[i];

	if (i > 0 && s->discontinuity != s[-1].discontinuity)
		buf_str(b, "#EXT-X-DISCONTINUITY\n");
	if (!text && (i == 0 || s->head != s[-1].head ||
			 s->discontinuity != s[-1].discontinuity))
		buf_printf(b, "#EXT-X-MAP:URI=\"%s-init-%lld.mp4\"\n", r->code,
		    (long long)s->head);
	if (text ? s->mute : s->gone) /* draft-pantos-hls-rfc8216bis, 4.4.4.7 */
		buf_str(b, "#EXT-X-GAP\n");
	buf_printf(b, "#EXTINF:%.5f,\n%s-%lld.%s\n",
	    (double)(s->end - s->begin) / EGRESS_HZ, r->code, (long long)s->number,
	    text ? "vtt" : "m4s");
}

void
hls_playlist_write(struct hls_folder *h, const struct rendition *r, const char *kind)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	buf_printf(&b,
	    "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:%d\n"
	    "#EXT-X-MEDIA-SEQUENCE:%lld\n#EXT-X-DISCONTINUITY-SEQUENCE:%lld\n"
	    "#EXT-X-INDEPENDENT-SEGMENTS\n",
	    target_duration(h), (long long)r->made[0].number,
	    (long long)r->made[0].discontinuity);
	put_time(&b, h->epoch_us + r->made[0].begin * S_US / EGRESS_HZ);
	for (int i = 0; i < r->n_made; i++)
		put_segment(&b, r, i, strcmp(kind, "text") == 0);
	hls_write(h, arena_printf(mem, "%s-%s.m3u8", r->code, kind), b.p, b.len);
	arena_free(mem);
}

/* Called once all renditions have their first segment. */
void
hls_playlist_indexes(struct hls_folder *h)
{
	struct arena *mem = arena_new();

	for (size_t i = 0; i < h->n; i++)
		write_index(
		    h, arena_printf(mem, "%s.m3u8", h->all[i].code), &h->all[i], 1);
	write_index(h, "index.m3u8", h->all, h->n);
	h->complete = h->why == NULL;
	arena_free(mem);
}
