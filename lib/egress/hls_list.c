/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Playlists of HLS (RFC 8216; with low latency draft-pantos-hls-rfc8216bis).
 */
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "egress/hls_internal.h"

/* ---- the multivariant playlists ---- */

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
	bool shows = h->picture.media.n_made > 0;

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

/* ---- the others ---- */

static void
put_parts(struct buf *b, const struct rendition *r, int64_t segment)
{
	char name[64];

	for (int i = 0; i < r->n_parts; i++)
		if (r->parts[i].segment == segment)
			buf_printf(b, "#EXT-X-PART:DURATION=%.5f,URI=\"%s\"%s%s\n",
			    (double)(r->parts[i].end - r->parts[i].begin) / EGRESS_HZ,
			    hls_part_name(r, &r->parts[i], name),
			    r->parts[i].dependent ? "" : ",INDEPENDENT=YES",
			    r->parts[i].gone ? ",GAP=YES" : "");
}

/* Write a segment's lines. All renditions have the same discontinuities, as RFC 8216,
   6.2.4, requires, although only the picture changes. */
static void
put_segment(struct buf *b, const struct rendition *r, const struct segments *of, int i)
{
	const struct segment *s = &of->made[i];
	bool text = of == &r->text;

	if (i > 0 && s->discontinuity != s[-1].discontinuity)
		buf_str(b, "#EXT-X-DISCONTINUITY\n");
	if (!text && (i == 0 || s->head != s[-1].head ||
			 s->discontinuity != s[-1].discontinuity))
		buf_printf(b, "#EXT-X-MAP:URI=\"%s-init-%lld.mp4\"\n", r->code,
		    (long long)s->head);
	if (!text)
		put_parts(b, r, s->number);
	if (s->gone) /* draft-pantos-hls-rfc8216bis, 4.4.4.7 */
		buf_str(b, "#EXT-X-GAP\n");
	buf_printf(b, "#EXTINF:%.5f,\n%s-%lld.%s\n",
	    (double)(s->end - s->begin) / EGRESS_HZ, r->code, (long long)s->number,
	    text ? "vtt" : "m4s");
}

/* The parts of the segment that is being made, and the one that comes next. */
static void
put_next(struct buf *b, const struct rendition *r)
{
	const struct segments *s = &r->media;
	char name[64];

	if (s->now.discontinuity != s->made[s->n_made - 1].discontinuity)
		buf_str(b, "#EXT-X-DISCONTINUITY\n");
	put_parts(b, r, r->part.segment);
	buf_printf(b, "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"%s\"\n",
	    hls_part_name(r, &r->part, name));
}

/* Write where another playlist ends; kind: audio, video or text. */
static void
put_report(struct buf *b, const struct rendition *r, const char *kind)
{
	bool text = strcmp(kind, "text") == 0;
	const struct segments *s = text ? &r->text : &r->media;
	const struct part *last = r->n_parts > 0 ? &r->parts[r->n_parts - 1] : NULL;

	if (s->n_made == 0)
		return;
	buf_printf(b, "#EXT-X-RENDITION-REPORT:URI=\"%s-%s.m3u8\",LAST-MSN=%lld",
	    r->code, kind,
	    (long long)(text || last == NULL ? s->made[s->n_made - 1].number
					     : last->segment));
	if (!text && last != NULL)
		buf_printf(b, ",LAST-PART=%d", last->number);
	buf_str(b, "\n");
}

/* Write where the other playlists of text end, or those of sound and the picture. */
static void
put_reports(
    struct buf *b, const struct hls_folder *h, const struct rendition *but, bool text)
{
	for (size_t i = 0; i < h->n; i++)
		if (&h->all[i] != but)
			put_report(b, &h->all[i], text ? "text" : "audio");
	if (!text && but != &h->picture)
		put_report(b, &h->picture, "video");
}

/*
 * Players may ask for what comes next, and play three parts behind the end. Without a
 * picture they may also ask for playlists without what is older than six target
 * durations: beside a picture hls.js 1.7.4 misplaces the sound after such a playlist.
 */
static void
put_server_control(struct buf *b, const struct hls_folder *h, bool text)
{
	buf_str(b, "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES");
	if (!h->wants_picture)
		buf_printf(
		    b, ",CAN-SKIP-UNTIL=%d.0", SKIP_TARGETS * hls_target_duration(h));
	if (!text)
		buf_printf(b, ",PART-HOLD-BACK=%.2f\n#EXT-X-PART-INF:PART-TARGET=%.2f",
		    3 * PART_TARGET_S, PART_TARGET_S);
	buf_str(b, "\n");
}

void
hls_playlist_write(struct hls_folder *h, const struct rendition *r, const char *kind)
{
	bool text = strcmp(kind, "text") == 0;
	bool low = h->low_latency;
	const struct segments *s = text ? &r->text : &r->media;
	struct arena *mem;
	struct buf b;

	if (s->n_made == 0)
		return;
	b = (struct buf){ .mem = mem = arena_new() };
	buf_printf(&b, "#EXTM3U\n#EXT-X-VERSION:%d\n#EXT-X-TARGETDURATION:%d\n",
	    low ? 9 : 7, hls_target_duration(h));
	if (low)
		put_server_control(&b, h, text);
	buf_printf(&b,
	    "#EXT-X-MEDIA-SEQUENCE:%lld\n#EXT-X-DISCONTINUITY-SEQUENCE:%lld\n"
	    "#EXT-X-INDEPENDENT-SEGMENTS\n",
	    (long long)s->made[0].number, (long long)s->made[0].discontinuity);
	put_time(&b, h->epoch_us + s->made[0].begin * S_US / EGRESS_HZ);
	for (int i = 0; i < s->n_made; i++)
		put_segment(&b, r, s, i);
	if (low && !text)
		put_next(&b, r);
	if (low)
		put_reports(&b, h, r, text);
	hls_write(h, arena_printf(mem, "%s-%s.m3u8", r->code, kind), b.p, b.len);
	arena_free(mem);
}

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
