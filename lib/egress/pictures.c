#include "egress/pictures.h"

#include <string.h>

#define MOST ((size_t)48 << 20)      /* bytes: 30 s of 12 Mbit/s */
#define TIME_MOST (INT64_C(1) << 55) /* us: a thousand years, far from an overflow */
#define AHEAD_MOST (INT64_C(10) * 1000000) /* us: shown after it is decoded */

struct waiting_picture {
	struct waiting_picture *next;
	struct arena *mem;
	struct picture is;
};

void
pictures_drop(struct pictures *p)
{
	struct waiting_picture *w = p->first;

	p->bytes -= w->is.n + w->is.n_head;
	p->first = w->next;
	arena_free(w->mem);
}

static bool
has_times(const struct picture *is)
{
	return is->dts > -TIME_MOST && is->dts < TIME_MOST && is->pts > -TIME_MOST &&
	       is->pts < TIME_MOST && is->pts - is->dts < AHEAD_MOST;
}

void
pictures_take(struct pictures *p, int64_t base_us, const void *message, size_t n)
{
	struct waiting_picture *w;
	struct picture is;

	if (!picture_take(&p->reader, message, n, &is) || (p->need_key && !is.key))
		return;
	if (!has_times(&is)) {
		p->need_key = true;
		return;
	}
	p->need_key = false;
	is.dts += base_us;
	is.pts += base_us;
	w = arena_alloc(p->reader.mem, sizeof(*w));
	*w = (struct waiting_picture){ .mem = p->reader.mem, .is = is };
	p->reader = (struct picture_reader){ .mem = NULL };
	if (p->first == NULL)
		p->first = w;
	else
		p->last->next = w;
	p->last = w;
	p->bytes += is.n + is.n_head;
	if (p->bytes <= MOST)
		return;
	while (p->first != NULL)
		pictures_drop(p);
	p->need_key = true;
}

const struct picture *
pictures_due(const struct pictures *p, int64_t time_us)
{
	return p->first != NULL && p->first->is.dts <= time_us ? &p->first->is : NULL;
}

bool
pictures_describe(
    AVCodecParameters *is, const void *head, size_t n, int width, int height)
{
	is->codec_type = AVMEDIA_TYPE_VIDEO;
	is->codec_id = AV_CODEC_ID_H264;
	is->width = width;
	is->height = height;
	is->extradata = av_mallocz(n + AV_INPUT_BUFFER_PADDING_SIZE);
	if (is->extradata == NULL)
		return false;
	memcpy(is->extradata, head, n);
	is->extradata_size = (int)n;
	return true;
}

AVPacket *
pictures_packet(const struct picture *is, int64_t pts, int64_t dts)
{
	AVPacket *p = av_packet_alloc();

	if (p == NULL || av_new_packet(p, (int)is->n) != 0) {
		av_packet_free(&p);
		return NULL;
	}
	memcpy(p->data, is->bytes, is->n);
	p->pts = pts;
	p->dts = dts;
	p->flags = is->key ? AV_PKT_FLAG_KEY : 0;
	return p;
}
