/*
 * HLS (RFC 8216) as files that a web server serves: for each language a rendition of
 * sound, fragmented MP4 of AAC, and one of its captions, WebVTT; index.m3u8 has all of
 * them, <language>.m3u8 one.  Segments are numbered by the clock.
 */
#include <dirent.h>
#include <fcntl.h>
#include <libavformat/avformat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "egress/egress.h"

#define SEGMENT_S 4
#define SEGMENT (SEGMENT_S * EGRESS_HZ)
#define LISTED 6    /* segments of a playlist */
#define KEPT 18     /* segments that are there for those who have an older playlist */
#define CAPTIONS 32 /* that wait to be written, of a language */
#define BANDWIDTH 120000 /* bit/s of a language, at most */

struct segment {
	int64_t begin, end; /* media time */
};

struct rendition {
	const char *code;
	AVFormatContext *fmt;
	struct segment now; /* begin < 0: none yet */
	struct segment made[LISTED];
	int n_made;
	struct egress_caption captions[CAPTIONS];
	struct arena *caption_mem[CAPTIONS];
	int n_captions;
};

struct hls_folder {
	int fd;
	int64_t epoch_us;
	struct rendition *all;
	size_t n;
	bool complete; /* index.m3u8 is there */
	const char *why;
	int64_t bytes;
};

/* ---- files ---- */

/* Whole, or not at all. */
static bool
write_file(struct hls_folder *h, const char *name, const void *p, size_t n)
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
	h->why = done ? NULL : "The files of HLS cannot be written.";
	h->bytes += done ? (int64_t)n : 0;
	return done;
}

/* Of the time when a segment begins. */
static int64_t
number_of(const struct hls_folder *h, int64_t begin)
{
	return h->epoch_us / (SEGMENT_S * S_US) + begin / SEGMENT;
}

/* "es-123.m4s" and the like are removed when they are older than number. */
static void
remove_older(struct hls_folder *h, int64_t number)
{
	DIR *dir = fdopendir(openat(h->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *e;

	if (dir == NULL)
		return;
	while ((e = readdir(dir)) != NULL) {
		const char *end = strrchr(e->d_name, '.'),
			   *at = strrchr(e->d_name, '-');

		if (end != NULL && at != NULL &&
		    (strcmp(end, ".m4s") == 0 || strcmp(end, ".vtt") == 0) &&
		    atoll(at + 1) < number)
			unlinkat(h->fd, e->d_name, 0);
	}
	closedir(dir);
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
	buf_printf(&b,
	    "#EXT-X-STREAM-INF:BANDWIDTH=%d,CODECS=\"mp4a.40.2\",AUDIO=\"sound\","
	    "SUBTITLES=\"text\"\n%s-audio.m3u8\n",
	    BANDWIDTH, r->code);
	write_file(h, name, b.p, b.len);
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

static void
write_playlist(struct hls_folder *h, const struct rendition *r, bool sound)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	const struct segment *s = r->made;

	buf_printf(&b,
	    "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:%d\n"
	    "#EXT-X-MEDIA-SEQUENCE:%lld\n#EXT-X-INDEPENDENT-SEGMENTS\n",
	    SEGMENT_S, (long long)number_of(h, s->begin));
	if (sound)
		buf_printf(&b, "#EXT-X-MAP:URI=\"%s-init.mp4\"\n", r->code);
	put_time(&b, h->epoch_us + s->begin * S_US / EGRESS_HZ);
	for (int i = 0; i < r->n_made; i++)
		buf_printf(&b, "#EXTINF:%.5f,\n%s-%lld.%s\n",
		    (double)(s[i].end - s[i].begin) / EGRESS_HZ, r->code,
		    (long long)number_of(h, s[i].begin), sound ? "m4s" : "vtt");
	write_file(h,
	    arena_printf(mem, "%s-%s.m3u8", r->code, sound ? "audio" : "text"), b.p,
	    b.len);
	arena_free(mem);
}

/* ---- captions ---- */

static void
put_cue_time(struct buf *b, int64_t t)
{
	int64_t ms = t * 1000 / EGRESS_HZ;

	buf_printf(b, "%02lld:%02d:%02d.%03d", (long long)(ms / 3600000),
	    (int)(ms / 60000 % 60), (int)(ms / 1000 % 60), (int)(ms % 1000));
}

/* As WebVTT takes it: no markup, no end of the cue, no arrow. */
static void
put_cue_text(struct buf *b, const char *text)
{
	for (char last = '\n'; *text != '\0'; last = *text++)
		if (*text == '&')
			buf_str(b, "&amp;");
		else if (*text == '<')
			buf_str(b, "&lt;");
		else if (*text == '>')
			buf_str(b, "&gt;");
		else if (*text != '\n' || last != '\n')
			buf_put(b, text, 1);
}

/* The captions of the segment; those that are over by its end are forgotten. */
static void
write_captions(struct hls_folder *h, struct rendition *r)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	int kept = 0;

	/* Segments of sound and text share the clock: 90 kHz, 33 bits. */
	buf_printf(&b, "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:%lld,LOCAL:",
	    (long long)(r->now.begin * 90000 / EGRESS_HZ & ((INT64_C(1) << 33) - 1)));
	put_cue_time(&b, r->now.begin);
	buf_str(&b, "\n");
	for (int i = 0; i < r->n_captions; i++) {
		const struct egress_caption *c = &r->captions[i];

		if (c->start < r->now.end) {
			buf_str(&b, "\n");
			put_cue_time(&b, c->start);
			buf_str(&b, " --> ");
			put_cue_time(&b, c->end);
			buf_str(&b, "\n");
			put_cue_text(&b, c->text);
			buf_str(&b, "\n");
		}
		if (c->end <= r->now.end) {
			arena_free(r->caption_mem[i]);
			continue;
		}
		r->captions[kept] = *c;
		r->caption_mem[kept++] = r->caption_mem[i];
	}
	r->n_captions = kept;
	write_file(h,
	    arena_printf(
		mem, "%s-%lld.vtt", r->code, (long long)number_of(h, r->now.begin)),
	    b.p, b.len);
	arena_free(mem);
}

static void
put_caption(void *sink, size_t language, const struct egress_caption *c)
{
	struct rendition *r = &((struct hls_folder *)sink)->all[language];

	if (r->n_captions == CAPTIONS)
		return;
	r->caption_mem[r->n_captions] = arena_small(strlen(c->text) + 64);
	r->captions[r->n_captions] =
	    (struct egress_caption){ arena_str(r->caption_mem[r->n_captions], c->text),
		    c->start, c->end };
	r->n_captions++;
}

/* ---- sound ---- */

/* What was written since the last time, as a file. */
static void
write_bytes(struct hls_folder *h, struct rendition *r, const char *name)
{
	uint8_t *bytes = NULL;
	int n = avio_close_dyn_buf(r->fmt->pb, &bytes);

	write_file(h, name, bytes, (size_t)n);
	av_free(bytes);
	if (avio_open_dyn_buf(&r->fmt->pb) < 0)
		abort(); /* no memory */
}

/* All have their first segment. */
static void
write_indexes(struct hls_folder *h)
{
	struct arena *mem = arena_new();

	for (size_t i = 0; i < h->n; i++)
		write_index(
		    h, arena_printf(mem, "%s.m3u8", h->all[i].code), &h->all[i], 1);
	write_index(h, "index.m3u8", h->all, h->n);
	h->complete = h->why == NULL;
	arena_free(mem);
}

static void
finish_segment(struct hls_folder *h, struct rendition *r, int64_t end)
{
	char name[64];

	r->now.end = end;
	av_write_frame(r->fmt, NULL);
	snprintf(name, sizeof(name), "%s-%lld.m4s", r->code,
	    (long long)number_of(h, r->now.begin));
	write_bytes(h, r, name);
	write_captions(h, r);
	if (r->n_made == LISTED)
		memmove(r->made, r->made + 1, (size_t)--r->n_made * sizeof(*r->made));
	r->made[r->n_made++] = r->now;
	write_playlist(h, r, true);
	write_playlist(h, r, false);
	if (r != &h->all[h->n - 1])
		return;
	if (!h->complete)
		write_indexes(h);
	remove_older(h, number_of(h, r->now.begin) - KEPT);
}

static void
put_sound(void *sink, size_t language, const AVPacket *packet)
{
	struct hls_folder *h = sink;
	struct rendition *r = &h->all[language];
	AVPacket *p = av_packet_clone(packet);

	if (p == NULL)
		return;
	if (r->now.begin >= 0 && p->pts / SEGMENT != r->now.begin / SEGMENT) {
		finish_segment(h, r, p->pts);
		r->now.begin = p->pts;
	}
	if (r->now.begin < 0)
		r->now.begin = p->pts;
	p->stream_index = 0;
	p->dts = p->pts;
	av_packet_rescale_ts(
	    p, (AVRational){ 1, EGRESS_HZ }, r->fmt->streams[0]->time_base);
	av_write_frame(r->fmt, p);
	av_packet_free(&p);
}

/* ---- beginning ---- */

static bool
open_rendition(struct hls_folder *h, struct rendition *r, const char *code,
    const AVCodecContext *encoder)
{
	AVDictionary *how = NULL;
	AVStream *s;
	char name[64];
	bool opened;

	*r = (struct rendition){ .code = code, .now.begin = -1 };
	if (avformat_alloc_output_context2(&r->fmt, NULL, "mp4", NULL) < 0 ||
	    (s = avformat_new_stream(r->fmt, NULL)) == NULL ||
	    avcodec_parameters_from_context(s->codecpar, encoder) < 0 ||
	    avio_open_dyn_buf(&r->fmt->pb) < 0)
		return false;
	r->fmt->flags |= AVFMT_FLAG_BITEXACT;
	r->fmt->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
	s->time_base = (AVRational){ 1, EGRESS_HZ };
	/* Times in the fragments are media time, wherever it begins. */
	av_dict_set(&how, "movflags",
	    "+frag_custom+empty_moov+default_base_moof+frag_discont", 0);
	av_dict_set(&how, "use_editlist", "0", 0);
	opened = avformat_write_header(r->fmt, &how) >= 0;
	av_dict_free(&how);
	snprintf(name, sizeof(name), "%s-init.mp4", code);
	if (opened)
		write_bytes(h, r, name);
	return opened;
}

static enum err
open_folder(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, void **to)
{
	struct hls_folder *h = arena_alloc(mem, sizeof(*h));

	*to = h;
	*h = (struct hls_folder){ .fd = open(
				      o->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.epoch_us = o->epoch_us,
		.all = arena_alloc(mem, o->n * sizeof(*h->all)),
		.n = o->n };
	umask(022); /* the web server may be another user */
	for (size_t i = 0; i < o->n; i++)
		if (h->fd < 0 ||
		    !open_rendition(h, &h->all[i], o->codes[i], encoders[i]))
			return ERR_FAILED;
	return OK;
}

static void
step(void *sink, int64_t now)
{
	(void)sink, (void)now;
}

static bool
get_status(const void *sink, int64_t *bytes, const char **why)
{
	const struct hls_folder *h = sink;

	*bytes = h->bytes;
	*why = h->why;
	return h->complete && h->why == NULL;
}

const struct egress_sink hls_folder = { .protocol = "hls_pull",
	.codec = AV_CODEC_ID_AAC,
	.open = open_folder,
	.put = put_sound,
	.put_caption = put_caption,
	.step = step,
	.status = get_status };
