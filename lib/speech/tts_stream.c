/*
 * libcurl's easy interface holds the thread until the whole answer is there; so a
 * thread is lent to it, which writes the body into a pipe, and we hear the other
 * end.  Whoever has had enough closes his end and goes: an engine that is silent
 * keeps that thread until its time is over, but nobody who waits for sound.
 */
#include "speech/tts_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/http.h"
#include "speech/http_engine.h"

#define SOUND_BYTES (64 << 20)
#define PIECE 8192
#define SAMPLE_MOST_HZ 192000

/* Both threads have it; the last to leave frees it. */
struct thread_call {
	struct arena *mem; /* once it runs, only its own thread takes from it */
	atomic_int users;
	struct http_call call;
	const char *headers[3];
	atomic_int end; /* enum err; once the pipe has ended */
	pthread_t thread;
};

static void
leave(struct thread_call *er)
{
	if (atomic_fetch_sub(&er->users, 1) == 1)
		arena_free(er->mem);
}

static void *
run_errand(void *arg)
{
	struct thread_call *er = arg;
	struct http_answer a;
	enum err e = http_do(er->mem, &er->call, &a);

	if (e == OK && (e = http_verdict(a.status)) != OK)
		log_warn("engine: %s answered %d", http_shown(er->mem, er->call.url),
		    a.status);
	er->end = (int)e;
	close(er->call.sink);
	http_close();
	leave(er);
	return NULL;
}

static struct thread_call *
errand_new(const struct engine_at *at, const struct tts_request *r)
{
	struct arena *mem = arena_new();
	struct thread_call *er = arena_alloc(mem, sizeof(*er));

	*er = (struct thread_call){ .mem = mem, .users = 2, .end = ERR_FAILED };
	er->headers[0] = "Content-Type: application/json";
	if (at->key != NULL)
		er->headers[1] = arena_printf(mem, "%s%s", r->auth, at->key);
	er->call = (struct http_call){
		.method = "POST",
		.url = arena_printf(mem, "%s%s", at->url, r->path),
		.headers = er->headers,
		.body = arena_dup(mem, r->body->p, r->body->len),
		.body_len = r->body->len,
		.timeout_ms = at->timeout_ms,
		.max_bytes = SOUND_BYTES,
		.allow_private = at->allow_private,
	};
	return er;
}

/* With all signals blocked: of a broken pipe write(2) tells. */
static bool
start_thread(struct thread_call *er)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&er->thread, NULL, run_errand, er);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc == 0;
}

/* The end of the pipe to hear; -1, logged: it does not work. */
static int
start(struct thread_call *er)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0) {
		log_error("pipe: %s", strerror(errno));
		return -1;
	}
	er->call.sink = fds[1];
	if (start_thread(er))
		return fds[0];
	log_error("engine: no thread for %s", http_shown(er->mem, er->call.url));
	close(fds[0]);
	close(fds[1]);
	return -1;
}

/* Whether there is something to read, or its end, by then. */
static bool
comes_by(int fd, int64_t until_us)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left_us;
	int n = 0;

	while ((left_us = until_us - monotonic_us()) > 0 &&
	       ((n = poll(&p, 1, (int)(left_us / 1000) + 1)) == 0 ||
		   (n < 0 && errno == EINTR)))
		;
	return n > 0;
}

/* The arena of the call belongs to the other thread. */
static enum err
refuse(const struct thread_call *er, enum err e)
{
	struct arena *mem = arena_new();

	log_warn("engine: %s: %s", http_shown(mem, er->call.url),
	    e == ERR_TIMEOUT ? "no sound in time" : "it is no sound");
	arena_free(mem);
	return e;
}

/* *ended: the other end of the pipe is closed, that thread has all but gone. */
static enum err
hear(const struct thread_call *er, int fd, struct audio_reader *ear, bool *ended)
{
	int64_t now = monotonic_us(), end = now + er->call.timeout_ms * INT64_C(1000);
	int64_t first = now + TTS_FIRST_MS * INT64_C(1000);
	char piece[PIECE];
	ssize_t n;

	for (int64_t until = first < end ? first : end;; until = end) {
		if (!comes_by(fd, until))
			return refuse(er, ERR_TIMEOUT);
		*ended = (n = read(fd, piece, sizeof(piece))) <= 0;
		if (*ended)
			break;
		if (!audio_reader_take(ear, piece, (size_t)n))
			break;
	}
	if (ear->enough)
		return OK;
	if (*ended && er->end != OK)
		return (enum err)er->end;
	return audio_reader_done(ear) ? OK : refuse(er, ERR_REFUSED);
}

static enum err
stream(
    const struct engine_at *at, const struct tts_request *r, struct audio_reader *ear)
{
	struct thread_call *er = errand_new(at, r);
	bool ended = false;
	int fd = start(er);
	enum err e;

	if (fd < 0) {
		arena_free(er->mem);
		return ERR_FAILED;
	}
	e = hear(er, fd, ear, &ended);
	close(fd);
	if (ended)
		pthread_join(er->thread, NULL);
	else
		pthread_detach(er->thread);
	leave(er);
	return e;
}

static bool
is_sound(const struct http_answer *a)
{
	return a->content_type != NULL &&
	       (strncasecmp(a->content_type, "audio/", 6) == 0 ||
		   strncasecmp(a->content_type, "application/octet-stream", 24) == 0);
}

/* No listener waits, so no thread is needed; and the type of bare samples is known. */
static enum err
ask_whole(const struct engine_at *at, struct arena *mem, const struct tts_request *r,
    struct audio_reader *ear)
{
	struct engine_call en = engine_start(at, mem, r->auth);
	struct http_answer a;
	enum err e;

	if ((e = engine_ask_sound(&en, r->path, r->body, &a)) != OK ||
	    (e = engine_verdict(&en, r->path, &a)) != OK)
		return e;
	ear->most_hz = SAMPLE_MOST_HZ;
	ear->typed = is_sound(&a);
	if ((r->rate_hz > 0 && !ear->typed) ||
	    !audio_reader_take(ear, a.body, a.body_len) || !audio_reader_done(ear))
		return engine_refuse(&en, r->path,
		    r->rate_hz > 0 ? "the answer is no 16-bit PCM"
				   : "the answer is no 16-bit WAV");
	return OK;
}

enum err
tts_ask(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    const struct tts_request *r, tts_sink *sink, void *to)
{
	struct audio_reader ear = { .sink = sink, .to = to, .rate_hz = r->rate_hz };

	return t->sample ? ask_whole(at, mem, r, &ear) : stream(at, r, &ear);
}
