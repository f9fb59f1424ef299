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

#define COUNTED_FROM_S INT64_C(1767225600) /* 2026-01-01, unix time */

/* ---- files ---- */

static bool
is_of(const struct rendition *r, const char *name, size_t n_code)
{
	return strlen(r->code) == n_code && memcmp(name, r->code, n_code) == 0;
}

/* Number of the oldest segment to keep. The picture has its own numbers: its
   segments begin at keyframes. */
static int64_t
oldest_kept(const struct hls_folder *h, const char *name, size_t n_code)
{
	const struct rendition *r = &h->picture;

	if (r->n_made == 0 || !is_of(r, name, n_code))
		r = &h->all[h->n - 1];
	return r->made[r->n_made - 1].number -
	       KEPT * (r->n_made > LISTED ? r->n_made : LISTED);
}

/* True for an expired "es-123.m4s", "es-123.vtt" or "picture-init-123.mp4". */
static bool
is_old(const struct hls_folder *h, const char *name)
{
	const char *end = strrchr(name, '.'), *at = strrchr(name, '-');
	size_t n_code;
	int64_t number;

	if (end == NULL || at == NULL)
		return false;
	n_code = (size_t)(at - name);
	number = atoll(at + 1);
	if (strcmp(end, ".m4s") == 0 || strcmp(end, ".vtt") == 0)
		return number < oldest_kept(h, name, n_code);
	return strncmp(name, "picture-init-", strlen("picture-init-")) == 0 &&
	       h->picture.n_made > 0 && number < h->picture.made[0].head &&
	       number < oldest_kept(h, name, strlen("picture"));
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

/* ---- captions ---- */

static void
put_cue_time(struct buf *b, int64_t t)
{
	int64_t ms = t * 1000 / EGRESS_HZ;

	buf_printf(b, "%02lld:%02d:%02d.%03d", (long long)(ms / 3600000),
	    (int)(ms / 60000 % 60), (int)(ms / 1000 % 60), (int)(ms % 1000));
}

/* Escape for WebVTT: markup and arrows; drop empty lines, which would end the cue. */
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

/* Write the captions of the segment; drop those that end with it. */
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
	r->made[r->n_made - 1].mute = !hls_write(h,
	    arena_printf(mem, "%s-%lld.vtt", r->code, (long long)r->now.number), b.p,
	    b.len);
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

static void
finish_sound(struct hls_folder *h, struct rendition *r, int64_t end)
{
	hls_rendition_cut(h, r, end);
	write_captions(h, r);
	hls_playlist_write(h, r, "audio");
	hls_playlist_write(h, r, "text");
	if (r != &h->all[h->n - 1])
		return;
	if (!h->failed)
		h->why = NULL;
	h->failed = false;
	if (!h->complete && !hls_picture_awaited(h, end))
		hls_playlist_indexes(h);
	remove_those(h, is_old);
}

static void
put_sound(void *sink, size_t language, const AVPacket *packet)
{
	struct hls_folder *h = sink;
	struct rendition *r = &h->all[language];
	AVPacket *p = av_packet_clone(packet);
	bool begun = r->now.begin >= 0;

	if (p == NULL)
		return;
	if (begun && p->pts / SEGMENT != r->now.begin / SEGMENT)
		finish_sound(h, r, p->pts);
	if (!begun || p->pts / SEGMENT != r->now.begin / SEGMENT) {
		r->now.begin = p->pts;
		r->now.number = hls_number(h, p->pts);
		r->now.discontinuity = h->discontinuities;
	}
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
	bool opened = is != NULL && avcodec_parameters_from_context(is, encoder) >= 0 &&
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
	int64_t n = hls_number(h, begins) - COUNTED_FROM_S / SEGMENT_S;

	return n >= 0 ? n : hls_number(h, begins);
}

static enum err
open_folder(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, void **to)
{
	struct hls_folder *h = arena_alloc(mem, sizeof(*h));

	*to = h;
	*h = (struct hls_folder){ .picture.now.begin = -1,
		.fd = open(o->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.epoch_us = o->epoch_us,
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
	for (size_t i = 0; i < o->n; i++)
		if (!open_sound(h, &h->all[i], o->codes[i], encoders[i]))
			return ERR_FAILED;
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
	.put_caption = put_caption,
	.put_picture = hls_picture_put,
	.step = step,
	.status = get_status,
	.close = close_folder };
