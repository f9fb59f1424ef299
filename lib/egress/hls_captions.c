/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captions of HLS: WebVTT in segments of SHORT_SEGMENT, so that players have them when
 * the sound beside them is played.
 */
#include <string.h>

#include "base/buf.h"
#include "egress/hls_internal.h"

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
static bool
write_captions(struct hls_folder *h, struct rendition *r, const struct segment *is)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	int kept = 0;
	bool written;

	/* Segments of sound and text share the clock: 90 kHz, 33 bits. */
	buf_printf(&b, "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:%lld,LOCAL:",
	    (long long)(is->begin * 90000 / EGRESS_HZ & ((INT64_C(1) << 33) - 1)));
	put_cue_time(&b, is->begin);
	buf_str(&b, "\n");
	for (int i = 0; i < r->n_captions; i++) {
		const struct egress_caption *c = &r->captions[i];

		if (c->start < is->end) {
			buf_str(&b, "\n");
			put_cue_time(&b, c->start);
			buf_str(&b, " --> ");
			put_cue_time(&b, c->end);
			buf_str(&b, "\n");
			put_cue_text(&b, c->text);
			buf_str(&b, "\n");
		}
		if (c->end <= is->end) {
			arena_free(r->caption_mem[i]);
			continue;
		}
		r->captions[kept] = *c;
		r->caption_mem[kept++] = r->caption_mem[i];
	}
	r->n_captions = kept;
	written = hls_write(h,
	    arena_printf(mem, "%s-%lld.vtt", r->code, (long long)is->number), b.p,
	    b.len);
	arena_free(mem);
	return written;
}

void
hls_captions_begin(struct hls_folder *h, struct rendition *r, int64_t begin)
{
	r->text.now = (struct segment){ .begin = begin,
		.number = hls_number(h, r->text.length, begin),
		.discontinuity = h->discontinuities };
}

void
hls_captions_cut(struct hls_folder *h, struct rendition *r, int64_t end)
{
	r->text.now.end = end;
	r->text.now.gone = !write_captions(h, r, &r->text.now);
	hls_segment_add(h, r, &r->text);
}

void
hls_caption_put(void *sink, size_t language, const struct egress_caption *c)
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
