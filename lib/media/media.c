/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the child for each call.  The child is untrusted, like the file it has read:
 * every field of its answer is checked.
 */
#include "media/media.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "media/wire.h"

#define MEMORY_BYTES ((size_t)1024 * 1024 * 1024) /* limit of address space */
#define RATE_MIN_HZ 8000
#define RATE_MAX_HZ 48000

static const struct type {
	const char *format, *mime_type;
} encoded_types[] = {
	{ "mp3", "audio/mpeg" },
	{ "ogg", "audio/ogg" },
	{ "wav", "audio/wav" },
};

/* A regular file; opening a FIFO must not block. */
static enum err
open_file(const char *path, int *fd)
{
	struct stat st;

	if ((*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) >= 0) {
		if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
			return OK;
		close(*fd);
		errno = EINVAL;
	}
	if (errno == ENOENT)
		return ERR_NOT_FOUND;
	log_error("%s: %s", path, strerror(errno));
	return ERR_FAILED;
}

static bool
is_name(const char *s, size_t size)
{
	if (memchr(s, '\0', size) == NULL)
		return false;
	while (isalnum((unsigned char)*s) || (*s != '\0' && strchr("_-. ", *s) != NULL))
		s++;
	return *s == '\0';
}

/* True if the fields of the answer are within their limits. */
static bool
is_valid(const struct child_end *end, const struct wire *w, size_t item)
{
	return w->magic == WIRE_MAGIC && w->verdict <= MEDIA_NO_AUDIO &&
	       (w->verdict == MEDIA_FINE || w->n == 0) &&
	       is_name(w->format, sizeof(w->format)) &&
	       is_name(w->codec, sizeof(w->codec)) &&
	       (isnan(w->duration_s) || (w->duration_s >= 0 && w->duration_s < 1e9)) &&
	       w->n <= SIZE_MAX / sizeof(float) &&
	       end->out_len - sizeof(*w) == w->n * item;
}

/* Run the child; *body: the w->n items after the header. */
static enum err
ask(const struct media_at *at, struct arena *mem, struct child *c, size_t item,
    struct wire *w, void **body)
{
	struct child_end end;
	enum err e;

	c->timeout_ms = at->timeout_ms;
	c->memory_bytes = MEMORY_BYTES;
	c->out_bytes += sizeof(*w);
	if ((e = child_run(c, mem, &end)) != OK)
		return e == ERR_TIMEOUT ? e : ERR_FAILED;
	if (end.status != 0)
		return ERR_FAILED;
	if (end.out_len >= sizeof(*w))
		memcpy(w, end.out, sizeof(*w));
	if (end.out_len < sizeof(*w) || !is_valid(&end, w, item)) {
		log_error("%s %s: the answer is invalid", c->argv[0], c->argv[1]);
		return ERR_FAILED;
	}
	*body = end.out + sizeof(*w);
	return OK;
}

static enum err
ask_about(const struct media_at *at, struct arena *mem, const char *file,
    struct child *c, struct wire *w, void **body)
{
	enum err e;

	if ((e = open_file(file, &c->in_fd)) != OK)
		return e;
	e = ask(at, mem, c, sizeof(float), w, body);
	close(c->in_fd);
	return e;
}

static struct media_info
info_of(struct arena *mem, const struct wire *w)
{
	return (struct media_info){
		.verdict = (enum media_verdict)w->verdict,
		.format = w->format[0] != '\0' ? arena_str(mem, w->format) : NULL,
		.codec = w->codec[0] != '\0' ? arena_str(mem, w->codec) : NULL,
		.duration_s = w->duration_s,
		.has_audio = w->has_audio != 0,
	};
}

enum err
media_check(const struct media_at *at, struct arena *mem, const char *file,
    const char *mime_type, struct media_info *info)
{
	const char *argv[] = { at->program, "check", mime_type, NULL };
	struct child c = { .argv = argv };
	struct wire w;
	void *body;
	enum err e;

	if ((e = ask_about(at, mem, file, &c, &w, &body)) == OK)
		*info = info_of(mem, &w);
	return e;
}

/* Clip samples to -1 .. 1; NaN becomes 0. */
static void
clip(float *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(s[i] >= -1 && s[i] <= 1))
			s[i] = s[i] > 1 ? 1 : s[i] < -1 ? -1 : 0;
}

enum err
media_decode(const struct media_at *at, struct arena *mem, const char *file,
    const struct media_want *want, struct pcm *pcm, struct media_info *info)
{
	int max_s =
	    want->max_s > 0 && want->max_s < MEDIA_MAX_S ? want->max_s : MEDIA_MAX_S;
	int flags =
	    (want->denoise ? WIRE_DENOISE : 0) | (want->normalise ? WIRE_NORMALISE : 0);
	const char *argv[] = { at->program, "decode",
		want->mime_type != NULL ? want->mime_type : "",
		arena_printf(mem, "%d", want->rate_hz), arena_printf(mem, "%d", max_s),
		arena_printf(mem, "%d", flags), arena_printf(mem, "%d", want->track),
		NULL };
	struct child c = { .argv = argv };
	struct wire w;
	void *body;
	enum err e;

	if (want->rate_hz < RATE_MIN_HZ || want->rate_hz > RATE_MAX_HZ)
		return ERR_UNSUPPORTED;
	c.out_bytes = (size_t)max_s * (size_t)want->rate_hz * sizeof(float);
	if ((e = ask_about(at, mem, file, &c, &w, &body)) != OK)
		return e;
	*info = info_of(mem, &w);
	*pcm = (struct pcm){ .s = body, .n = w.n, .rate_hz = want->rate_hz };
	clip(pcm->s, pcm->n);
	return OK;
}

static const struct type *
find_type(const char *format)
{
	for (size_t i = 0; i < sizeof(encoded_types) / sizeof(encoded_types[0]); i++)
		if (strcmp(encoded_types[i].format, format) == 0)
			return &encoded_types[i];
	return NULL;
}

enum err
media_encode(const struct media_at *at, struct arena *mem, const struct pcm *pcm,
    const char *format, struct media_file *file)
{
	const struct type *t = find_type(format);
	const char *argv[] = { at->program, "encode", format,
		arena_printf(mem, "%d", pcm->rate_hz), NULL };
	struct child c = {
		.argv = argv, .in = pcm->s, .in_len = pcm->n * sizeof(float)
	};
	struct wire w;
	void *body;
	enum err e;

	if (t == NULL || pcm->n == 0 || pcm->rate_hz < RATE_MIN_HZ ||
	    pcm->rate_hz > RATE_MAX_HZ ||
	    pcm->n > (size_t)MEDIA_MAX_S * (size_t)pcm->rate_hz)
		return ERR_UNSUPPORTED;
	c.out_bytes = pcm->n * sizeof(float) + 65536;
	if ((e = ask(at, mem, &c, 1, &w, &body)) != OK)
		return e;
	if (w.verdict != MEDIA_FINE || w.n == 0)
		return ERR_FAILED;
	*file = (struct media_file){
		.bytes = body,
		.n = w.n,
		.format = t->format,
		.codec = arena_str(mem, w.codec),
		.mime_type = t->mime_type,
		.duration_s = w.duration_s,
	};
	return OK;
}
