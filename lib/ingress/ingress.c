/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ingress/ingress.h"

#include <errno.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/child_clock.h"
#include "base/clock.h"
#include "base/json.h"
#include "ingress/demux.h"
#include "ingress/ingress_wire.h"
#include "ingress/stream_source.h"

#define GATEWAY STDIN_FILENO
#define REPORT_US (2 * S_US)
/* time until a server that sends nothing is asked again */
#define SILENT_US (5 * S_US)
#define NICE 5 /* niceness of the decoding process: all others have priority */

/* ---- RTMP ---- */

struct rtmp_player {
	AVIOContext *io;
	int64_t end_us; /* monotonic: deadline of the current call */
	bool plays;     /* bytes have arrived */
};

/* Called while libavformat waits: true when the time is up. */
static int
is_late(void *arg)
{
	return monotonic_us() > ((struct rtmp_player *)arg)->end_us;
}

/* OK also when the stream is not published yet: then no bytes arrive. */
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

static const struct stream_source rtmp_player = { .protocol = "rtmp_push",
	.demuxer = "flv",
	.open = open_player,
	.read = read_some,
	.admitted = has_sender,
	.close = close_player };

static const struct stream_source *const sources[] = { &srt_listener, &rtmp_player,
	&http_player };

struct ingress {
	struct ingress_order order;
	const struct stream_source *is;
	void *source; /* state of the source */
	pid_t decoder;
	int to_decoder;
	struct child_cpu cpu; /* processor time of the decoder */
	bool spent;           /* the processor time is used up */
	bool receiving;
	const char *error;
	int64_t reported_us, bytes; /* time of the last status, and bytes since then */
};

static const struct stream_source *
source_of(const char *protocol)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (protocol != NULL && strcmp(sources[i]->protocol, protocol) == 0)
			return sources[i];
	return NULL;
}

/* False: the text is not a valid order. */
static bool
read_order(struct arena *mem, const char *text, size_t n, struct ingress *in)
{
	const char *why;
	const struct json *o = json_read(mem, text, n, &why);
	struct ingress_order *to = &in->order;

	if (o == NULL || o->type != JSON_OBJ)
		return false;
	*to = (struct ingress_order){ .language = json_get_text(o, "language"),
		.port = json_get_int(o, "port", 0),
		.stream_id = json_get_text(o, "stream_id"),
		.passphrase = json_get_text(o, "passphrase"),
		.url = json_get_text(o, "url"),
		.picture = json_get_bool(o, "picture"),
		.cpu_percent = json_get_int(o, "cpu_percent", 0),
		.cpu_s = json_get_int(o, "cpu_s", 0),
		.allow_private = json_get_bool(o, "allow_private") };
	in->is = source_of(json_get_text(o, "protocol"));
	if (in->is == NULL || to->language == NULL)
		return false;
	if (in->is != &srt_listener)
		return to->url != NULL;
	return to->stream_id != NULL && to->passphrase != NULL && to->port > 0 &&
	       to->port < 65536;
}

/* ---- the gateway ---- */

/* Send the status. False: the gateway has gone. */
static bool
send_status(struct ingress *in)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	int64_t now = monotonic_us();
	bool reported;

	buf_put(&b, &(char){ INGRESS_STATUS }, 1);
	jw_open(&j, NULL);
	if (in->receiving && now > in->reported_us && in->reported_us > 0)
		jw_int(&j, "bitrate", in->bytes * 8 * S_US / (now - in->reported_us));
	else
		jw_null(&j, "bitrate");
	jw_text(&j, "error", in->error);
	jw_close(&j);
	reported = send(GATEWAY, b.p, b.len, MSG_NOSIGNAL) >= 0;
	arena_free(mem);
	in->reported_us = now;
	in->bytes = 0;
	return reported;
}

/* True if the gateway has gone. After the order it sends nothing, so the end of file
   shows this. */
static bool
is_gateway_gone(void)
{
	char byte;
	ssize_t n = recv(GATEWAY, &byte, 1, MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* ---- the decoder ---- */

/* Called before any thread is started. */
static bool
start_decoder(struct ingress *in)
{
	int ends[2];

	if (pipe(ends) != 0)
		return false;
	in->to_decoder = ends[1];
	if ((in->decoder = fork()) == 0) {
		close(ends[1]);
		setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE);
		if (child_sandbox(NULL) != OK)
			_exit(DEMUX_FAILED);
		demux_run(ends[0], GATEWAY, in->is->demuxer, in->order.language,
		    in->order.picture);
	}
	close(ends[0]);
	in->cpu = (struct child_cpu){ .percent = in->order.cpu_percent,
		.full_s = in->order.cpu_s };
	child_cpu_allow(&in->cpu, in->decoder);
	return in->decoder > 0;
}

/* Close the decoder's input and wait for it. Returns the error, or NULL. */
static const char *
end_decoder(struct ingress *in)
{
	int status;

	close(in->to_decoder);
	if (TEMP_FAILURE_RETRY(waitpid(in->decoder, &status, 0)) != in->decoder)
		return "The stream could not be decoded.";
	in->spent = child_cpu_spent(status);
	if (in->spent)
		return INGRESS_SPENT;
	if (!WIFEXITED(status))
		return "The stream could not be decoded.";
	switch (WEXITSTATUS(status)) {
	case DEMUX_ENDED:
		return NULL;
	case DEMUX_UNREADABLE:
		return "The stream's format is not supported.";
	case DEMUX_NO_SOUND:
		return "The stream has no sound that can be decoded.";
	default:
		return "The stream could not be decoded.";
	}
}

/* ---- one sender ---- */

static bool
write_to_decoder(struct ingress *in, const char *p, size_t n)
{
	ssize_t did;

	in->bytes += (int64_t)n;
	for (; n > 0; p += did, n -= (size_t)did)
		if ((did = TEMP_FAILURE_RETRY(write(in->to_decoder, p, n))) <= 0)
			return false;
	return true;
}

static void
check_sender(struct ingress *in)
{
	const char *refused =
	    in->is->refused != NULL ? in->is->refused(in->source) : NULL;
	bool admitted = in->is->admitted(in->source);

	if (refused == NULL && admitted == in->receiving)
		return;
	in->error = admitted ? NULL : refused;
	if (admitted != in->receiving)
		in->reported_us =
		    0; /* report changes at once; refused senders may be many */
	in->receiving = admitted;
}

static void
receive(struct ingress *in)
{
	static char bytes[STREAM_SOURCE_BYTES];
	bool goes_on = true;
	size_t n;

	while (goes_on && !is_gateway_gone()) {
		goes_on = in->is->read(in->source, bytes, &n) == OK;
		check_sender(in);
		if (monotonic_us() > in->reported_us + REPORT_US) {
			child_cpu_allow(&in->cpu, in->decoder);
			if (!send_status(in))
				return;
		}
		if (n > 0 && !write_to_decoder(in, bytes, n))
			return;
	}
}

int
ingress_run(void)
{
	static struct arena *mem; /* lives until the process ends */
	struct ingress in = { .receiving = false };
	const char *why;
	char *text;
	ssize_t n;

	mem = arena_new();
	text = arena_alloc(mem, INGRESS_MESSAGE_MOST);
	n = recv(GATEWAY, text, INGRESS_MESSAGE_MOST, 0);
	signal(SIGPIPE, SIG_IGN);
	if (n <= 0 || !read_order(mem, text, (size_t)n, &in) || !start_decoder(&in) ||
	    !send_status(&in))
		return EXIT_FAILURE;
	if (in.is->open(mem, &in.order, &in.source, &in.error) == OK)
		receive(&in);
	in.is->close(in.source);
	in.receiving = false;
	why = end_decoder(&in);
	if (in.error == NULL ||
	    in.spent) /* otherwise the error is the reason why nothing was decoded */
		in.error = why;
	if (in.error != NULL && !send_status(&in))
		return EXIT_FAILURE;
	if (in.spent)
		raise(SIGXCPU); /* the exit status reports it too */
	return EXIT_SUCCESS;
}
