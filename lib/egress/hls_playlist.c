/*
 * Playlists of HLS, RFC 8216.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "egress/hls_internal.h"

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

/* RFC 6381: "avc1." and three bytes of the first parameter set. */
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

/* Of some of the languages: the multivariant playlist. */
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

/* All renditions count discontinuities alike, as RFC 8216, 6.2.4, wants it, although
   it is the picture alone that is another then. */
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

/* kind: of the rendition, audio, video or text. */
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

/* All have their first segment. */
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
