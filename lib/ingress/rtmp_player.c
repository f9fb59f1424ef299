#include <errno.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>

#include "base/clock.h"
#include "ingress/stream_source.h"

#define SILENT_US (5 * S_US) /* until a server that sends nothing is asked anew */

struct rtmp_player {
	AVIOContext *io;
	int64_t end_us; /* monotonic: of the call under way */
	bool plays;     /* bytes have come */
};

/* Asked all the time while a call of libavformat waits. */
static int
is_late(void *arg)
{
	return monotonic_us() > ((struct rtmp_player *)arg)->end_us;
}

/* A stream that nobody sends yet is no error: no bytes come. */
static enum err
open_player(
    struct arena *mem, const struct ingress_order *o, void **to, const char **why)
{
	struct rtmp_player *p = arena_alloc(mem, sizeof(*p));
	const AVIOInterruptCB stop = { is_late, p };
	AVDictionary *how = NULL;
	int e;

	*to = p;
	*why = NULL;
	av_log_set_level(AV_LOG_QUIET);
	p->end_us = monotonic_us() + SILENT_US;
	av_dict_set(&how, "rtmp_live", "live", 0);
	e = avio_open2(&p->io, o->url, AVIO_FLAG_READ, &stop, &how);
	av_dict_free(&how);
	if (e == AVERROR(ECONNREFUSED) || e == AVERROR(ETIMEDOUT) ||
	    e == AVERROR(EHOSTUNREACH))
		*why = "The RTMP server does not answer.";
	return e >= 0 ? OK : ERR_REFUSED;
}

static enum err
read_some(void *source, char to[STREAM_SOURCE_BYTES], size_t *n)
{
	struct rtmp_player *p = source;
	int got;

	p->end_us = monotonic_us() + SILENT_US;
	got = avio_read_partial(p->io, (unsigned char *)to, STREAM_SOURCE_BYTES);
	*n = got > 0 ? (size_t)got : 0;
	p->plays |= got > 0;
	return got > 0 ? OK : ERR_FAILED;
}

static bool
has_sender(const void *source)
{
	return ((const struct rtmp_player *)source)->plays;
}

static void
close_player(void *source)
{
	avio_closep(&((struct rtmp_player *)source)->io);
}

const struct stream_source rtmp_player = { .protocol = "rtmp_push",
	.demuxer = "flv",
	.open = open_player,
	.read = read_some,
	.admitted = has_sender,
	.close = close_player };
