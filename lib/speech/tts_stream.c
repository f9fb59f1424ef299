#include "speech/tts_stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include "audio/pcm16.h"
#include "base/clock.h"
#include "media/media.h"
#include "speech/http_engine.h"

#define SAMPLE_MOST_HZ 192000
#define CODED_MOST (4 << 20) /* bytes of an answer in a coding */
#define CODED_MOST_S 120     /* of its sound */

struct answer {
	struct audio_reader ear;
	struct buf bytes; /* all, as long as they may be in a coding */
};

static bool
hear(void *answer, const void *p, size_t n)
{
	struct answer *a = answer;
	bool on;

	if (!a->ear.begun || a->ear.coded != NULL)
		buf_put(&a->bytes, p, n);
	on = a->ear.coded == NULL && audio_reader_take(&a->ear, p, n);
	return on || (a->ear.coded != NULL && a->bytes.len <= CODED_MOST);
}

static void
note_type(void *answer, const char *type)
{
	((struct answer *)answer)->ear.type = type;
}

/* An answer that is kept has come whole. */
static void
hear_whole(struct answer *to, const struct http_answer *a)
{
	to->ear.most_hz = SAMPLE_MOST_HZ;
	to->ear.type = a->content_type;
	hear(to, a->body, a->body_len);
}

static enum err
decode_file(const struct engine_call *en, struct arena *mem, int fd, struct pcm *pcm,
    struct media_info *info)
{
	const struct media_want want = { .rate_hz = SPOKEN_HZ, .max_s = CODED_MOST_S };
	int64_t left_ms = (en->until_us - monotonic_us()) / 1000;
	const struct media_at media = {
		arena_printf(mem, "%s/dragoman-media", en->at->bin_dir),
		left_ms > 0 ? (int)left_ms : 1,
	};

	return media_decode(
	    &media, mem, arena_printf(mem, "/proc/self/fd/%d", fd), &want, pcm, info);
}

/* In the sandboxed child, as what strangers send.  False: it is no sound. */
static bool
hear_coded(const struct engine_call *en, struct arena *mem, const struct answer *a)
{
	struct media_info info = { .verdict = MEDIA_UNDECODABLE };
	struct pcm pcm;
	bool heard;
	int fd;

	if (en->at->bin_dir == NULL || a->bytes.len > CODED_MOST ||
	    (fd = memfd_create("speech", MFD_CLOEXEC)) < 0)
		return false;
	heard = write(fd, a->bytes.p, a->bytes.len) == (ssize_t)a->bytes.len &&
		decode_file(en, mem, fd, &pcm, &info) == OK &&
		info.verdict == MEDIA_FINE;
	close(fd);
	if (heard)
		a->ear.sink(a->ear.to, &pcm);
	return heard;
}

enum err
tts_ask(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    const struct tts_request *r, tts_sink *sink, void *to)
{
	struct answer got = { .ear = { .sink = sink, .to = to, .rate_hz = r->rate_hz },
		.bytes.mem = mem };
	struct audio_reader *ear = &got.ear;
	struct engine_call en = engine_start(at, mem, r->auth);
	struct http_call call = {
		.method = "POST", .body = r->body->p, .body_len = r->body->len
	};
	struct http_answer a = { 0 };
	enum err e;

	if (!t->sample) {
		call.take = hear;
		call.typed = note_type;
		call.arg = &got;
		call.first_ms = TTS_FIRST_MS;
	}
	e = engine_ask(&en, call, r->path, &a);
	if (r->status != NULL)
		*r->status = a.status;
	if (e != OK || (e = engine_verdict(&en, r->path, &a)) != OK)
		return e;
	if (t->sample)
		hear_whole(&got, &a);
	if (audio_reader_done(ear) ||
	    (ear->coded != NULL && hear_coded(&en, mem, &got)))
		return OK;
	return engine_refuse(&en, r->path,
	    arena_printf(mem, "the answer is no %s: %s%s",
		r->rate_hz > 0 ? "16-bit PCM" : "WAV",
		ear->coded != NULL ? "it is " : ear->why,
		ear->coded != NULL ? ear->coded : ""));
}
