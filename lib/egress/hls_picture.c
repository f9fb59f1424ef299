/*
 * The picture of HLS, as it came: fragmented MP4 of H.264.
 */
#include <stdlib.h>
#include <string.h>

#include "egress/hls_internal.h"
#include "egress/pictures.h"

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

/* Another head: what comes is decoded anew. */
static void
take_head(struct hls_folder *h, const struct picture *p, int64_t number)
{
	AVCodecParameters *is;

	if (p->n_head == h->n_picture_head &&
	    memcmp(p->head, h->picture_head, p->n_head) == 0)
		return;
	close_picture(h);
	av_free(h->picture_head);
	h->picture_head = av_memdup(p->head, p->n_head);
	h->n_picture_head = p->n_head;
	h->width = p->width;
	h->height = p->height;
	if ((is = avcodec_parameters_alloc()) == NULL || h->picture_head == NULL)
		abort(); /* no memory */
	if (!pictures_describe(is, p->head, p->n_head, p->width, p->height) ||
	    !hls_rendition_open(h, &h->picture, "picture", is, number))
		close_picture(h);
	avcodec_parameters_free(&is);
}

static void
finish_picture(struct hls_folder *h, int64_t end)
{
	struct rendition *r = &h->picture;

	hls_rendition_cut(h, r, end);
	hls_playlist_write(h, r, "video");
	if (r->n_made == 1 ||
	    r->made[r->n_made - 1].head != r->made[r->n_made - 2].head)
		h->complete = false; /* the indexes are another */
}

/* Segments begin with what can be decoded alone. */
void
hls_picture_put(void *sink, const struct picture *is, int64_t pts, int64_t dts)
{
	struct hls_folder *h = sink;
	struct rendition *r = &h->picture;
	int64_t number = hls_number(h, dts);
	AVPacket *p;

	if (is->key && r->now.begin >= 0 && r->fmt != NULL &&
	    dts / SEGMENT != r->now.begin / SEGMENT) {
		finish_picture(h, dts);
		r->now.begin = -1;
	}
	if (is->key)
		take_head(h, is, number);
	if (r->fmt == NULL || (r->now.begin < 0 && !is->key) ||
	    (p = pictures_packet(is, pts, dts)) == NULL)
		return;
	if (r->now.begin < 0) {
		r->now.begin = dts;
		r->now.number =
		    r->n_made == 0 ? number : r->made[r->n_made - 1].number + 1;
	}
	hls_rendition_put(r, p);
}
