/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records a run of a channel: an Ogg file with Opus or a WAV file for each language, or
 * one MP4 with a track of AAC and a track of subtitles for each language and the
 * picture, not transcoded. Pages of Ogg, fragments of MP4 and samples of WAV are
 * written every two seconds and synced at once, see struct disk_sync, so the files can
 * be played even if this process is killed. The file "run" is locked while the
 * recording is written and holds its duration in ms.
 */
#include <errno.h>
#include <fcntl.h>
#include <libavformat/avformat.h>
#include <libavutil/intreadwrite.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/be.h"
#include "base/file.h"
#include "base/lang.h"
#include "egress/egress.h"
#include "egress/muxer.h"

#define FRAGMENT (2 * EGRESS_HZ)
#define PATIENCE (8 * EGRESS_HZ) /* wait for the picture after the first sound */
#define TOGETHER 64              /* requests that one sync answers */
#define DESCRIPTORS (EGRESS_LANGUAGES_MOST + 32)
#define NONE INT64_MIN
#define CANNOT "The recording cannot be written."
#define NO_ROOM "The recording has ended: the disk is full."

#define WAV_HEAD 44         /* bytes of its header */
#define WAV_MOST UINT32_MAX /* bytes of a file: its lengths have 32 bits */

/* Sample entry of the subtitles (3GPP TS 26.245, 5.16): flags, centred, a box, a style
   of 18 px in white, and its font. */
static const unsigned char text_entry[] = { 0, 0, 0, 0, 1, 0xff, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 18, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 18, 'f',
	't', 'a', 'b', 0, 1, 0, 1, 5, 'S', 'e', 'r', 'i', 'f' };

static const char too_large[] = "The recording does not fit into recordings.max_bytes.";

/* A packet that is stored until it is known whether there is a picture. */
struct early_packet {
	struct early_packet *next;
	AVPacket *is;
	size_t language;
	bool caption;
};

struct recorded_file {
	AVFormatContext *fmt; /* NULL: not begun, or ended */
	int fd;
	int64_t bytes;
};

/*
 * Writes files to the disk while they grow.  A separate process calls fsync(): with a
 * thread, the end of the child would wait for the last sync, and the gateway waits for
 * the end of the child.
 */
struct disk_sync {
	int fd;                               /* descriptor to the process; -1: none */
	int files[EGRESS_LANGUAGES_MOST + 2]; /* descriptors, owned by the caller */
	size_t n;
};

struct recording {
	const struct egress_order *order;
	const AVCodecContext *encoders[EGRESS_LANGUAGES_MOST];
	const char *format; /* name of the muxer, and of files */
	bool apart;         /* a file for each language; else one for all */
	int folder, run;    /* descriptors */
	struct recorded_file files[EGRESS_LANGUAGES_MOST];
	size_t n;               /* files; 0: none has begun */
	int64_t first;          /* media time of the first packet, or NONE */
	int64_t begin, written; /* media time of 0 in the files; written so far */
	struct early_packet *early, **early_end;
	/* The picture's decoder configuration and size; 0 bytes: no picture. */
	unsigned char *picture_head;
	size_t n_picture_head;
	int width, height;
	AVPacket *picture; /* the last picture, whose duration is not known yet */
	bool shown;
	struct disk_sync disk;
	int64_t bytes;
	const char *why; /* reason for which the recording has ended */
};

/* ---- the disk ---- */

static bool
is_wanted(const struct disk_sync *d, int fd)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->files[i] == fd)
			return true;
	return false;
}

/* The gateway notices the end of the parent process when its descriptors are closed. */
static void
close_others(const struct disk_sync *d, int from)
{
	long n = sysconf(_SC_OPEN_MAX);

	for (int fd = 0; fd < n; fd++)
		if (fd != from && !is_wanted(d, fd))
			close(fd);
}

static int
sync_all(const struct disk_sync *d)
{
	int error = 0;

	for (size_t i = 0; i < d->n; i++)
		if (fsync(d->files[i]) != 0)
			error = errno;
	return error;
}

static _Noreturn void
run_sync(const struct disk_sync *d, int from)
{
	char asked[TOGETHER];
	unsigned char error;
	ssize_t n;

	/* own process group: signals to the parent's group do not reach this process */
	setsid();
	close_others(d, from);
	do {
		n = recv(from, asked, sizeof(asked), 0);
		error = (unsigned char)sync_all(d);
		if (error != 0)
			(void)!send(from, &error, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n > 0);
	_exit(EXIT_SUCCESS);
}

/* Start the process for the files, whose descriptors stay open until the end.  It
   inherits no other descriptor.  False: there is no process. */
static bool
disk_sync_begin(struct disk_sync *d)
{
	int ends[2];
	pid_t pid;

	d->fd = -1;
	signal(SIGCHLD, SIG_IGN); /* do not wait for the child */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	if ((pid = fork()) == 0)
		run_sync(d, ends[1]);
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		d->fd = ends[0];
	return pid > 0;
}

static bool
ask(const struct disk_sync *d)
{
	return send(d->fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 || errno == EAGAIN;
}

/* The process exits once everything that was written is on the disk, also when this
   process ends first.  Does not wait for it. */
static void
disk_sync_end(struct disk_sync *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

/* Sync the written data soon. A process that was killed is replaced. */
static void
disk_sync_now(struct disk_sync *d)
{
	if (ask(d))
		return;
	disk_sync_end(d);
	if (disk_sync_begin(d))
		ask(d);
}

/* The errno of a sync that failed since the last call; 0: none failed. */
static int
disk_sync_error(struct disk_sync *d)
{
	unsigned char error = 0;

	return recv(d->fd, &error, 1, MSG_DONTWAIT) == 1 ? error : 0;
}

/* ---- files ---- */

static const char *
why_of(int errnum)
{
	return errnum == ENOSPC || errnum == EDQUOT ? NO_ROOM : CANNOT;
}

static void
end_recording(struct recording *r, const char *why)
{
	disk_sync_end(&r->disk);
	for (size_t i = 0; i < r->n; i++) {
		AVFormatContext *fmt = r->files[i].fmt;
		uint8_t *bytes = NULL;

		close(r->files[i].fd);
		if (fmt != NULL && fmt->pb != NULL)
			avio_close_dyn_buf(fmt->pb, &bytes);
		av_free(bytes);
		avformat_free_context(fmt);
	}
	if (r->run >= 0)
		close(r->run);
	r->run = -1;
	r->why = why;
}

static bool
is_wav(const struct recording *r)
{
	return strcmp(r->format, "wav") == 0;
}

static int64_t
most_bytes(const struct recording *r)
{
	int64_t most = r->order->max_bytes;

	return is_wav(r) && most > WAV_MOST ? WAV_MOST : most;
}

static const char *
obstacle(const struct recording *r, int64_t more)
{
	struct statvfs at;

	if (r->bytes + more > most_bytes(r))
		return too_large;
	if (fstatvfs(r->folder, &at) == 0 &&
	    (int64_t)(at.f_bavail * at.f_frsize) < r->order->reserve_bytes + more)
		return NO_ROOM;
	return NULL;
}

/* Write the lengths of the file and of its sound, which the muxer cannot know. */
static bool
write_wav_lengths(const struct recorded_file *f)
{
	unsigned char whole[4], sound[4];

	AV_WL32(whole, (uint32_t)(f->bytes - 8));
	AV_WL32(sound, (uint32_t)(f->bytes - WAV_HEAD));
	return pwrite(f->fd, whole, sizeof(whole), 4) == sizeof(whole) &&
	       pwrite(f->fd, sound, sizeof(sound), WAV_HEAD - 4) == sizeof(sound);
}

/* Write the bytes muxed since the last call. */
static const char *
write_file(struct recording *r, struct recorded_file *f)
{
	uint8_t *bytes = NULL;
	const char *why;
	int n;

	av_write_frame(f->fmt, NULL);
	n = avio_close_dyn_buf(f->fmt->pb, &bytes);
	why = obstacle(r, n);
	if (why == NULL && !file_write(f->fd, bytes, (size_t)n))
		why = why_of(errno);
	if (why == NULL) {
		r->bytes += n;
		f->bytes += n;
		if (is_wav(r) && !write_wav_lengths(f))
			why = why_of(errno);
	}
	av_free(bytes);
	if (avio_open_dyn_buf(&f->fmt->pb) < 0)
		abort(); /* no memory */
	return why;
}

/* True when another write of the last size would exceed max_bytes. */
static bool
is_full(const struct recording *r, int64_t before)
{
	return r->bytes + (r->bytes - before) > most_bytes(r);
}

/* Exit; the next child begins another recording in its own folder. */
static _Noreturn void
continue_elsewhere(struct recording *r)
{
	disk_sync_now(&r->disk);
	exit(EXIT_SUCCESS);
}

static void
write_all(struct recording *r, int64_t now)
{
	char length[32];
	const char *why = NULL;
	int64_t before = r->bytes;
	int n;

	for (size_t i = 0; i < r->n && why == NULL; i++)
		why = write_file(r, &r->files[i]);
	r->written = now;
	n = snprintf(length, sizeof(length), "%lld\n",
	    (long long)((now - r->first) * 1000 / EGRESS_HZ));
	if (why == NULL && pwrite(r->run, length, (size_t)n, 0) != n)
		why = CANNOT;
	if (before > 0 && (why == too_large || (why == NULL && is_full(r, before))))
		continue_elsewhere(r);
	if (why != NULL)
		end_recording(r, why);
	else
		disk_sync_now(&r->disk);
}

/* Begin a sync. It includes the folder, for the names, and "run", for the duration.
   "run" is opened again because the lock must not outlive this process. */
static bool
begin_sync(struct recording *r)
{
	int run = openat(r->folder, "run", O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; i < r->n; i++)
		r->disk.files[i] = r->files[i].fd;
	r->disk.n = r->n + 2;
	r->disk.files[r->n] = run;
	r->disk.files[r->n + 1] = r->folder;
	return run >= 0 && disk_sync_begin(&r->disk);
}

static bool
open_file(struct recording *r, const char *name)
{
	struct recorded_file *f = &r->files[r->n];

	f->fd = openat(r->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return false;
	r->n++;
	if (avformat_alloc_output_context2(&f->fmt, NULL, r->format, NULL) < 0 ||
	    avio_open_dyn_buf(&f->fmt->pb) < 0)
		return false;
	f->fmt->flags |= AVFMT_FLAG_BITEXACT;
	return true;
}

/* Add a stream of the i-th language. NULL: no memory. */
static AVStream *
add_stream(const struct recording *r, AVFormatContext *fmt, size_t i)
{
	AVStream *s = avformat_new_stream(fmt, NULL);
	const char *code = r->order->codes[i],
		   *spoken = strcmp(code, "original") == 0 ? r->order->source : code;

	if (s == NULL)
		return NULL;
	s->time_base = (AVRational){ 1, EGRESS_HZ };
	if (!r->apart)
		spoken = lang_three_letters(spoken);
	if (spoken != NULL && !lang_is_auto(spoken))
		av_dict_set(&s->metadata, "language", spoken, 0);
	av_dict_set(&s->metadata, r->apart ? "title" : "handler_name", code, 0);
	return s;
}

static bool
add_language(const struct recording *r, AVFormatContext *fmt, size_t i)
{
	AVStream *s = add_stream(r, fmt, i);

	return s != NULL &&
	       avcodec_parameters_from_context(s->codecpar, r->encoders[i]) >= 0;
}

static bool
add_subtitles(const struct recording *r, AVFormatContext *fmt, size_t i)
{
	AVStream *s = add_stream(r, fmt, i);
	AVCodecParameters *is;

	if (s == NULL)
		return false;
	is = s->codecpar;
	is->codec_type = AVMEDIA_TYPE_SUBTITLE;
	is->codec_id = AV_CODEC_ID_MOV_TEXT;
	is->extradata = av_mallocz(sizeof(text_entry) + AV_INPUT_BUFFER_PADDING_SIZE);
	if (is->extradata == NULL)
		return false;
	memcpy(is->extradata, text_entry, sizeof(text_entry));
	is->extradata_size = sizeof(text_entry);
	return true;
}

static bool
add_picture(const struct recording *r, AVFormatContext *fmt)
{
	AVStream *s = avformat_new_stream(fmt, NULL);

	if (s == NULL)
		return false;
	s->time_base = (AVRational){ 1, EGRESS_HZ };
	return muxer_describe_picture(
	    s->codecpar, r->picture_head, r->n_picture_head, r->width, r->height);
}

static bool
open_languages(struct recording *r)
{
	for (size_t i = 0; i < r->order->n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s.%s", r->order->codes[i], r->format);
		if (!open_file(r, name) || !add_language(r, r->files[i].fmt, i) ||
		    !muxer_begin(r->files[i].fmt))
			return false;
	}
	return true;
}

static bool
open_together(struct recording *r)
{
	AVFormatContext *fmt;

	if (!open_file(r, "all.mp4"))
		return false;
	fmt = r->files[0].fmt;
	for (size_t i = 0; i < r->order->n; i++)
		if (!add_language(r, fmt, i))
			return false;
	if (r->n_picture_head > 0 && !add_picture(r, fmt))
		return false;
	for (size_t i = 0; i < r->order->n; i++)
		if (!add_subtitles(r, fmt, i))
			return false;
	return muxer_begin(fmt);
}

/* ---- packets ---- */

/* Mux a packet with times in media time, and free it. */
static void
mux(struct recording *r, AVPacket *p, size_t file, size_t stream)
{
	AVFormatContext *fmt = r->files[file].fmt;

	p->stream_index = (int)stream;
	p->pts -= r->begin;
	p->dts -= r->begin;
	av_packet_rescale_ts(
	    p, (AVRational){ 1, EGRESS_HZ }, fmt->streams[stream]->time_base);
	av_write_frame(fmt, p);
	av_packet_free(&p);
}

/* Streams of a common file: the sound of each language, the picture, the subtitles. */
static void
mux_language(struct recording *r, AVPacket *p, size_t language, bool caption)
{
	size_t before = r->order->n + (r->n_picture_head > 0);

	if (r->apart)
		mux(r, p, language, 0);
	else
		mux(r, p, 0, language + (caption ? before : 0));
}

static void
open_files(struct recording *r)
{
	struct early_packet *w;
	bool opened =
	    (r->apart ? open_languages(r) : open_together(r)) && begin_sync(r);

	/* Players skip Opus' initial padding, as the file's head says. */
	r->begin = r->first + (r->apart ? r->encoders[0]->initial_padding : 0);
	if (!opened)
		end_recording(r, CANNOT);
	while ((w = r->early) != NULL) {
		r->early = w->next;
		if (opened)
			mux_language(r, w->is, w->language, w->caption);
		else
			av_packet_free(&w->is);
		av_free(w);
	}
}

/* Mux the packet, or store it until the files are open. */
static void
put_packet(struct recording *r, AVPacket *p, size_t language, bool caption)
{
	struct early_packet *w;

	p->dts = p->pts;
	if (r->n > 0) {
		mux_language(r, p, language, caption);
		return;
	}
	if ((w = av_malloc(sizeof(*w))) == NULL)
		abort(); /* no memory */
	*w = (struct early_packet){ .is = p, .language = language, .caption = caption };
	*r->early_end = w;
	r->early_end = &w->next;
}

static void
put_sound(void *sink, size_t language, const AVPacket *packet)
{
	struct recording *r = sink;
	AVPacket *p = r->why == NULL ? av_packet_clone(packet) : NULL;

	if (p == NULL)
		return;
	if (r->first == NONE)
		r->first = r->written = p->pts;
	put_packet(r, p, language, false);
}

/* A text sample is its length in 2 bytes, then the text. */
static void
put_caption(void *sink, size_t language, const struct egress_caption *c)
{
	struct recording *r = sink;
	size_t n = strlen(c->text);
	AVPacket *p;

	if (r->why != NULL || r->first == NONE || n > UINT16_MAX ||
	    (p = av_packet_alloc()) == NULL)
		return;
	if (av_new_packet(p, (int)n + 2) != 0) {
		av_packet_free(&p);
		return;
	}
	put_be16(p->data, (unsigned)n);
	memcpy(p->data + 2, c->text, n);
	p->pts = c->start;
	p->duration = c->end - c->start;
	p->flags = AV_PKT_FLAG_KEY;
	put_packet(r, p, language, true);
}

static void
set_head(struct recording *r, const struct picture *p, int64_t now)
{
	if (p->n_head == r->n_picture_head &&
	    memcmp(p->head, r->picture_head, p->n_head) == 0)
		return;
	if (r->n > 0) {
		write_all(r, now);
		continue_elsewhere(r);
	}
	r->picture_head = av_memdup(p->head, p->n_head);
	r->n_picture_head = r->picture_head != NULL ? p->n_head : 0;
	r->width = p->width;
	r->height = p->height;
	open_files(r);
}

/* A picture is shown until the next one, so it is muxed when that comes. */
static void
put_picture(void *sink, const struct picture *is, int64_t pts, int64_t dts)
{
	struct recording *r = sink;
	AVPacket *p;

	if (r->why != NULL || r->first == NONE || dts < r->first)
		return;
	if (is->key)
		set_head(r, is, dts);
	if (r->why != NULL || r->n_picture_head == 0 || (!is->key && !r->shown) ||
	    (p = muxer_picture_packet(is, pts, dts)) == NULL)
		return;
	r->shown = true;
	if (r->picture != NULL) {
		r->picture->duration = dts - r->picture->dts;
		mux(r, r->picture, 0, r->order->n);
	}
	r->picture = p;
}

static void
step(void *sink, int64_t now)
{
	struct recording *r = sink;
	bool waits = !r->apart && r->order->picture;
	int error;

	if (r->why != NULL || r->first == NONE)
		return;
	if (r->n == 0 && (!waits || now >= r->first + PATIENCE))
		open_files(r);
	if (r->n == 0 || r->why != NULL || now < r->written + FRAGMENT)
		return;
	if ((error = disk_sync_error(&r->disk)) != 0)
		end_recording(r, why_of(error));
	else
		write_all(r, now);
}

/* ---- beginning ---- */

/* A worker collects the files once it gets this lock. */
static int
lock_run(int folder)
{
	int fd = openat(folder, "run", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 ? fd : -1;
}

static enum err
open_recording(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, const char *format, void **to)
{
	struct recording *r = arena_alloc(mem, sizeof(*r));
	struct rlimit files;

	*to = r;
	*r = (struct recording){ .order = o,
		.format = format,
		.apart = strcmp(format, "mp4") != 0,
		.folder = open(o->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.first = NONE,
		.disk.fd = -1,
		.early_end = &r->early };
	memcpy(r->encoders, encoders, o->n * sizeof(*encoders));
	r->run = r->folder >= 0 ? lock_run(r->folder) : -1;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < DESCRIPTORS) {
		files.rlim_cur =
		    files.rlim_max < DESCRIPTORS ? files.rlim_max : DESCRIPTORS;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return r->run >= 0 ? OK : ERR_FAILED;
}

static enum err
open_ogg(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, void **to)
{
	return open_recording(mem, o, encoders, "ogg", to);
}

static enum err
open_wav(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, void **to)
{
	return open_recording(mem, o, encoders, "wav", to);
}

static enum err
open_mp4(struct arena *mem, const struct egress_order *o,
    const AVCodecContext *const *encoders, void **to)
{
	return open_recording(mem, o, encoders, "mp4", to);
}

static bool
get_status(const void *sink, int64_t *bytes, const char **why)
{
	const struct recording *r = sink;

	*bytes = r->bytes;
	*why = r->why;
	return r->bytes > 0 && r->why == NULL;
}

const struct egress_sink recording_ogg = { "recording", AV_CODEC_ID_OPUS, open_ogg,
	put_sound, NULL, NULL, step, get_status, "ogg" };
const struct egress_sink recording_wav = { "recording", AV_CODEC_ID_PCM_S16LE, open_wav,
	put_sound, NULL, NULL, step, get_status, "wav" };
const struct egress_sink recording_mp4 = { "recording", AV_CODEC_ID_AAC, open_mp4,
	put_sound, put_caption, put_picture, step, get_status, "mp4" };
