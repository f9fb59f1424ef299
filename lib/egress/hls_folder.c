/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HLS (RFC 8216) as files that a web server serves: each language has a rendition of
 * sound (fragmented MP4 with AAC) and one of captions (WebVTT); the picture, if any,
 * has one. index.m3u8 lists all of them, <language>.m3u8 one language. Segments are
 * numbered by the clock.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "egress/hls_internal.h"

#define LATER_MOST 1000                    /* children that end within a segment */
#define COUNTED_FROM_S INT64_C(1767225600) /* 2026-01-01, unix time */

/* ---- files ---- */

static bool
is_of(const struct rendition *r, const char *name, size_t n_code)
{
	return strlen(r->code) == n_code && memcmp(name, r->code, n_code) == 0;
}

/* The segments of the playlist that names the file. The picture has its own numbers:
   its segments begin at keyframes. */
static const struct segments *
segments_of(const struct hls_folder *h, const char *name, size_t n_code)
{
	const struct rendition *last = &h->all[h->n - 1];

	if (h->picture.media.n_made > 0 && is_of(&h->picture, name, n_code))
		return &h->picture.media;
	return strstr(name, ".vtt") != NULL ? &last->text : &last->media;
}

/* Number of the oldest segment to keep. */
static int64_t
oldest_kept(const struct hls_folder *h, const struct segments *s)
{
	int least = s->length > 0 ? hls_listed(h, s->length) : LISTED;

	if (s->n_made == 0)
		return 0;
	return s->made[s->n_made - 1].number -
	       KEPT * (s->n_made > least ? s->n_made : least);
}

/* True for an expired "es-123.m4s", "es-123.vtt", "es-123p4.m4s" or
   "picture-init-123.mp4". */
static bool
is_old(const struct hls_folder *h, const char *name)
{
	const char *end = strrchr(name, '.'), *at = strrchr(name, '-');
	const struct segments *picture = &h->picture.media, *s;
	int64_t number;

	if (end == NULL || at == NULL)
		return false;
	s = segments_of(h, name, (size_t)(at - name));
	number = atoll(at + 1);
	if (strcmp(end, ".m4s") == 0 && strchr(at, 'p') != NULL)
		return number < s->made[0].number;
	if (strcmp(end, ".m4s") == 0 || strcmp(end, ".vtt") == 0)
		return number < oldest_kept(h, s);
	return strncmp(name, "picture-init-", strlen("picture-init-")) == 0 &&
	       picture->n_made > 0 && number < picture->made[0].head &&
	       number < oldest_kept(h, picture);
}

/* True for "es.m3u8", "es-audio.m3u8" or "es-text.m3u8" of a language that is no
   longer in the order, and for the picture's playlist if the order has no picture. */
static bool
is_left_over(const struct hls_folder *h, const char *name)
{
	static const char *const ends[] = { "-audio.m3u8", "-text.m3u8", ".m3u8" };
	size_t n = strlen(name), n_end = 0;

	if (strcmp(name, "index.m3u8") == 0 ||
	    (h->wants_picture && strcmp(name, "picture-video.m3u8") == 0))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && n_end == 0; i++)
		if (n > strlen(ends[i]) &&
		    strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
			n_end = strlen(ends[i]);
	for (size_t i = 0; i < h->n; i++)
		if (is_of(&h->all[i], name, n - n_end))
			return false;
	return n_end > 0;
}

static void
remove_those(
    struct hls_folder *h, bool (*which)(const struct hls_folder *, const char *))
{
	DIR *dir = fdopendir(openat(h->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *e;

	if (dir == NULL)
		return;
	while ((e = readdir(dir)) != NULL)
		if (which(h, e->d_name) && unlinkat(h->fd, e->d_name, 0) == 0 &&
		    h->bucket != NULL)
			hls_bucket_remove(h->bucket, e->d_name);
	closedir(dir);
}

/* ---- sound ---- */

/* The last language has ended a part or a segment: write the playlists of all. */
static void
write_playlists(struct hls_folder *h, const char *kind)
{
	for (size_t i = 0; i < h->n; i++)
		hls_playlist_write(h, &h->all[i], kind);
}

/* All languages have ended the segment. */
static void
finish_segment(struct hls_folder *h, int64_t end)
{
	if (!h->failed)
		h->why = NULL;
	h->failed = false;
	if (!h->complete && !hls_picture_awaited(h, end))
		hls_playlist_indexes(h);
	remove_those(h, is_old);
}

static bool
has_passed(int64_t begin, int64_t length, int64_t now)
{
	return begin >= 0 && now / length != begin / length;
}

static void
begin_segment(struct hls_folder *h, struct rendition *r, int64_t begin)
{
	struct segment *s = &r->media.now;

	s->begin = begin;
	s->number = hls_number(h, r->media.length, begin) + h->later;
	s->discontinuity = h->discontinuities;
	r->part = (struct part){ .segment = s->number, .begin = begin };
}

/*
 * The packets of a language come in the order of languages, and those of one tick have
 * the same times.
 */
static void
put_sound(void *sink, size_t language, const AVPacket *packet)
{
	struct hls_folder *h = sink;
	struct rendition *r = &h->all[language];
	AVPacket *p = av_packet_clone(packet);
	bool last = language == h->n - 1, ended, part_ended, text_ended;

	if (p == NULL)
		return;
	ended = has_passed(r->media.now.begin, r->media.length, p->pts);
	part_ended =
	    h->low_latency &&
	    has_passed(r->media.now.begin < 0 ? -1 : r->part.begin, PART, p->pts);
	text_ended = has_passed(r->text.now.begin, r->text.length, p->pts);
	if (ended)
		hls_rendition_cut(h, r, p->pts);
	else if (part_ended)
		hls_part_cut(h, r, p->pts);
	if (text_ended)
		hls_captions_cut(h, r, p->pts);
	if (ended || r->media.now.begin < 0)
		begin_segment(h, r, p->pts);
	if (text_ended || r->text.now.begin < 0)
		hls_captions_begin(h, r, p->pts);
	if (last && (ended || part_ended))
		write_playlists(h, "audio");
	if (last && text_ended)
		write_playlists(h, "text");
	if (last && ended)
		finish_segment(h, p->pts);
	p->dts = p->pts;
	hls_rendition_put(r, p);
}

/* ---- beginning ---- */

/* The janitor does not remove a locked folder. A folder that it removed just before
   has no links. */
static bool
lock_folder(int fd)
{
	struct stat st;

	return flock(fd, LOCK_SH | LOCK_NB) == 0 && fstat(fd, &st) == 0 &&
	       st.st_nlink > 0;
}

static bool
open_sound(struct hls_folder *h, struct rendition *r, const char *code,
    const AVCodecContext *encoder)
{
	AVCodecParameters *is = avcodec_parameters_alloc();
	bool is_short = h->bucket != NULL && !h->wants_picture, opened;

	r->media.length = is_short ? SHORT_SEGMENT : SEGMENT;
	r->text = (struct segments){ .length = SHORT_SEGMENT, .now.begin = -1 };
	opened = is != NULL && avcodec_parameters_from_context(is, encoder) >= 0 &&
		 hls_rendition_open(h, r, code, is, 0);

	avcodec_parameters_free(&is);
	return opened;
}

/*
 * The number of the first discontinuity: greater than those of an output before, which
 * makes fewer discontinuities than segments.  Some players keep an array up to this
 * number, so segments are counted from 2026-01-01 on.
 */
static int64_t
first_discontinuity(const struct hls_folder *h, int64_t begins)
{
	int64_t n = hls_number(h, SEGMENT, begins) - COUNTED_FROM_S / SEGMENT_S;

	return n >= 0 ? n : hls_number(h, SEGMENT, begins);
}

/* The number of the last segment, or of the parts after it, that a playlist of a child
   before lists; 0: none. */
static int64_t
last_listed(struct arena *mem, const struct egress_order *o, const char *playlist)
{
	struct buf b = { .mem = mem };
	const char *line, *at;
	int64_t number;
	bool parts = false;

	if (!file_read(arena_printf(mem, "%s/%s", o->directory, playlist), &b) ||
	    (at = strstr(buf_text(&b), "#EXT-X-MEDIA-SEQUENCE:")) == NULL)
		return 0;
	number = atoll(strchr(at, ':') + 1) - 1;
	for (line = b.p; *line != '\0';
	     line += strcspn(line, "\n"), line += *line != '\0')
		if (strncmp(line, "#EXT-X-PART:", strlen("#EXT-X-PART:")) == 0)
			parts = true;
		else if (*line != '#') {
			number++;
			parts = false;
		}
	return number + parts;
}

/*
 * Players may have parts of the segment that a child before was making. It cannot be
 * continued, so that our first segment needs the next number.
 */
static int64_t
later_by(struct arena *mem, const struct hls_folder *h, const struct egress_order *o)
{
	int64_t is = hls_number(h, h->all[0].media.length, o->begins), last;
	int64_t most = h->low_latency ? last_listed(mem, o, "picture-video.m3u8") : 0;

	for (size_t i = 0; i < o->n && h->low_latency; i++)
		if ((last = last_listed(mem, o,
			 arena_printf(mem, "%s-audio.m3u8", o->codes[i]))) > most)
			most = last;
	return most >= is && most < is + LATER_MOST ? most + 1 - is : 0;
}

static enum err
open_folder(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, void **to)
{
	struct hls_folder *h = arena_alloc(mem, sizeof(*h));

	*to = h;
	*h = (struct hls_folder){ .picture.media.now.begin = -1,
		.fd = open(o->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.epoch_us = o->epoch_us,
		.low_latency = o->low_latency && o->bucket.url == NULL,
		.wants_picture = o->picture,
		.begins = o->begins,
		.all = arena_alloc(mem, o->n * sizeof(*h->all)),
		.n = o->n };
	h->discontinuities = first_discontinuity(h, o->begins);
	umask(022); /* the web server may run as another user */
	if (h->fd < 0 || !lock_folder(h->fd))
		return ERR_FAILED;
	if (o->bucket.url != NULL &&
	    (h->bucket = hls_bucket_open(mem, &o->bucket, h->fd)) == NULL)
		return ERR_FAILED;
	h->longest = h->bucket != NULL && !o->picture ? SHORT_SEGMENT : SEGMENT;
	for (size_t i = 0; i < o->n; i++)
		if (!open_sound(h, &h->all[i], o->codes[i], encoders[i]))
			return ERR_FAILED;
	h->later = later_by(mem, h, o);
	remove_those(h, is_left_over);
	return OK;
}

static void
step(void *sink, int64_t now)
{
	hls_picture_step(sink, now);
}

static bool
get_status(const void *sink, int64_t *bytes, const char **why)
{
	const struct hls_folder *h = sink;

	bool there = h->complete;

	*bytes = h->bytes;
	*why = NULL;
	if (h->bucket != NULL)
		there = hls_bucket_status(h->bucket, bytes, why);
	if (h->why != NULL)
		*why = h->why;
	return there && *why == NULL;
}

static void
close_folder(void *sink)
{
	hls_bucket_close(((struct hls_folder *)sink)->bucket);
}

const struct egress_sink hls_folder = { .protocol = "hls_pull",
	.codec = AV_CODEC_ID_AAC,
	.open = open_folder,
	.put = put_sound,
	.put_caption = hls_caption_put,
	.put_picture = hls_picture_put,
	.step = step,
	.status = get_status,
	.close = close_folder };
