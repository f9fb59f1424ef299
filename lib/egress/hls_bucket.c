/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "egress/hls_bucket.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hls_file.h"
#include "blob/sigv4.h"
#include "egress/bucket_queue.h"
#include "net/http.h"

#define THREADS 8 /* 10 languages make 60 calls a second, each of 0.1 s */
#define AGAIN_US (2 * S_US)
#define CALL_MS 10000
#define CONNECT_MS 3000
#define BYTES_MS 1000 /* bytes of a body sent in a millisecond, at least */
#define SIGNED_S 300
#define ANSWER_BYTES 65536

struct hls_bucket {
	const struct egress_bucket *at;
	int folder;
	pthread_t threads[THREADS];
	int n_threads;
	pthread_mutex_t lock; /* protects all members below */
	pthread_cond_t more;
	struct bucket_queue queue;
	int64_t again_us; /* monotonic; next attempt */
	int64_t bytes;
	const char *why;
	bool complete, stopping;
};

/* ---- calls ---- */

static bool
is_stopping(void *arg)
{
	struct hls_bucket *b = arg;
	bool is;

	pthread_mutex_lock(&b->lock);
	is = b->stopping;
	pthread_mutex_unlock(&b->lock);
	return is;
}

static const char *
signed_url(
    struct hls_bucket *b, struct arena *mem, const char *method, const char *name)
{
	const struct sigv4 v = { b->at->access_key, b->at->secret_key, b->at->region };
	const struct sigv4_call call = { .method = method,
		.url = arena_printf(
		    mem, "%s/%s", b->at->url, sigv4_encode(mem, name, false)),
		.now_us = now_us(),
		.seconds = SIGNED_S };

	return sigv4_url(mem, &v, &call);
}

static enum err
call(struct hls_bucket *b, struct arena *mem, const char *name, struct http_call *c)
{
	struct http_answer a;
	const char *unlogged;
	enum err e;

	c->url = signed_url(b, mem, c->method, name);
	c->timeout_ms = CALL_MS + (int)(c->body_len / BYTES_MS);
	c->connect_ms = CONNECT_MS;
	c->max_bytes = ANSWER_BYTES;
	c->allow_private = true;
	c->unwanted = is_stopping;
	c->arg = b;
	c->why = &unlogged;
	e = http_do(mem, c, &a);
	return e == OK ? http_verdict(a.status) : e;
}

static enum err
put_bytes(
    struct hls_bucket *b, struct arena *mem, const char *name, const void *p, size_t n)
{
	const struct hls_file *f = hls_file_of(name);
	const char *headers[3] = { NULL };
	struct http_call c = {
		.method = "PUT", .headers = headers, .body = p, .body_len = n
	};

	headers[0] = arena_printf(mem, "Content-Type: %s", f->type);
	headers[1] = arena_printf(mem, "Cache-Control: %s", f->cache);
	return call(b, mem, name, &c);
}

/* Send a file. Also succeeds if the file is no longer in the folder. */
static enum err
put_file(struct hls_bucket *b, struct arena *mem, const char *name, size_t *n)
{
	int fd = openat(b->folder, name, O_RDONLY | O_CLOEXEC);
	enum err e = ERR_FAILED;
	struct stat st;
	void *map;

	if (fd < 0)
		return OK;
	*n = fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
	if ((map = mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0)) != MAP_FAILED) {
		e = put_bytes(b, mem, name, map, *n);
		munmap(map, *n);
	}
	close(fd);
	return e;
}

static enum err
remove_object(struct hls_bucket *b, struct arena *mem, const char *name)
{
	struct http_call c = { .method = "DELETE" };
	enum err e = call(b, mem, name, &c);

	/* S3 would refuse a second attempt, too; the janitor removes the rest */
	return e == ERR_REFUSED ? OK : e;
}

static const char *
sentence(enum err e)
{
	return e == OK            ? NULL
	       : e == ERR_REFUSED ? "The bucket does not accept the files of HLS."
	       : e == ERR_BUSY    ? "The bucket is busy."
	       : e == ERR_TIMEOUT ? "The bucket does not answer."
				  : "The files of HLS cannot be sent.";
}

/* ---- threads ---- */

/* Called with the lock, which is released during the call. */
static void
make_call(struct hls_bucket *b, struct bucket_item *i)
{
	struct arena *mem = arena_new();
	bool leaves = i->state == LEAVES;
	size_t n = i->n;
	enum err e;

	pthread_mutex_unlock(&b->lock);
	if (leaves)
		e = remove_object(b, mem, i->name);
	else if (i->bytes != NULL)
		e = put_bytes(b, mem, i->name, i->bytes, n);
	else
		e = put_file(b, mem, i->name, &n);
	arena_free(mem);
	pthread_mutex_lock(&b->lock);
	if (e != OK)
		b->again_us = monotonic_us() + AGAIN_US;
	else if (!leaves) {
		b->bytes += (int64_t)n;
		b->complete |= strcmp(i->name, "index.m3u8") == 0;
	}
	if (!leaves)
		b->why = sentence(e);
	bucket_queue_end(&b->queue, i, e == OK);
	pthread_cond_broadcast(&b->more);
}

/* Called with the lock: wait until an item may be processed. */
static void
wait_for_more(struct hls_bucket *b)
{
	struct timespec until = { .tv_sec = b->again_us / S_US,
		.tv_nsec = b->again_us % S_US * 1000 };

	if (monotonic_us() < b->again_us)
		pthread_cond_timedwait(&b->more, &b->lock, &until);
	else
		pthread_cond_wait(&b->more, &b->lock);
}

static void *
work(void *arg)
{
	struct hls_bucket *b = arg;
	struct bucket_item *i;

	pthread_mutex_lock(&b->lock);
	while (!b->stopping)
		if (monotonic_us() >= b->again_us &&
		    (i = bucket_queue_next(&b->queue)) != NULL)
			make_call(b, i);
		else
			wait_for_more(b);
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

struct hls_bucket *
hls_bucket_open(struct arena *mem, const struct egress_bucket *at, int folder)
{
	struct hls_bucket *b = arena_alloc(mem, sizeof(*b));
	pthread_condattr_t clock;

	*b = (struct hls_bucket){ .at = at, .folder = folder };
	bucket_queue_init(&b->queue);
	pthread_mutex_init(&b->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&b->more, &clock);
	pthread_condattr_destroy(&clock);
	while (b->n_threads < THREADS &&
	       pthread_create(&b->threads[b->n_threads], NULL, work, b) == 0)
		b->n_threads++;
	return b->n_threads > 0 ? b : NULL;
}

void
hls_bucket_close(struct hls_bucket *b)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	b->stopping = true;
	pthread_cond_broadcast(&b->more);
	pthread_mutex_unlock(&b->lock);
	while (b->n_threads > 0)
		pthread_join(b->threads[--b->n_threads], NULL);
	bucket_queue_free(&b->queue);
}

/* ---- files ---- */

void
hls_bucket_put(struct hls_bucket *b, const char *name, const void *p, size_t n)
{
	bool list = strstr(name, ".m3u8") != NULL;

	pthread_mutex_lock(&b->lock);
	if (!bucket_queue_put(&b->queue, name, list ? p : NULL, n))
		b->why = "The bucket is too slow.";
	pthread_cond_signal(&b->more);
	pthread_mutex_unlock(&b->lock);
}

void
hls_bucket_remove(struct hls_bucket *b, const char *name)
{
	pthread_mutex_lock(&b->lock);
	bucket_queue_remove(&b->queue, name);
	pthread_cond_signal(&b->more);
	pthread_mutex_unlock(&b->lock);
}

bool
hls_bucket_status(struct hls_bucket *b, int64_t *bytes, const char **why)
{
	bool complete;

	pthread_mutex_lock(&b->lock);
	*bytes = b->bytes;
	*why = b->why;
	complete = b->complete;
	pthread_mutex_unlock(&b->lock);
	return complete;
}
