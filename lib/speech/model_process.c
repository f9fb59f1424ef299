/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/model_process.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/child_clock.h"
#include "base/clock.h"
#include "base/log.h"
#include "speech/model_loader.h"

#define MOST 256            /* processes of all engines together */
#define WAIT_US (25 * S_US) /* longest wait for a free process */
#define LOAD_CPU_MS 60000   /* processor time to load a model */
/* longest time in which a process must make some progress: */
#define PATIENCE_US (30 * S_US)
#define PROGRESS_US (S_US / 4) /* least progress_us() that is progress */
#define DISK_US (90 * S_US)    /* additional time to load a model of gigabytes */
/* memory in addition to three times the size of the model */
#define MEMORY_BYTES ((size_t)1 << 30)
/* memory of each thread: a stack, and space for malloc */
#define THREAD_BYTES ((size_t)128 << 20)
#define STDERR_BYTES (1 << 20)

struct model_process {
	struct arena *mem;
	/* engine id, and settings; equal for equivalent processes */
	const char *id, *key;
	const char *const *argv;
	const char *library, *model;
	int threads;
	struct model_loader *loader; /* it forks this process; NULL: none does */
	struct child_socket child;   /* pid 0: it is not ready */
	bool busy, ready;
	uint32_t turn;
	/* processor time when the process was taken, or became ready after that */
	int64_t began_us;
	struct child_clock clock;
	/* end of progress time, and processor time when it was set */
	int64_t until_us, progress_us;
	size_t have, used; /* bytes in `in`, and bytes of the last message there */
	char in[sizeof(struct model_head) + MODEL_BYTES + 1];
	char cut; /* the byte that the NUL after the last message replaced */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t released;
	struct model_process *all[MOST];
	int n;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .released = PTHREAD_COND_INITIALIZER };

/* ---- starting ---- */

static size_t
size_of_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
}

size_t
model_size(struct arena *mem, const char *path)
{
	size_t n = size_of_file(path);
	DIR *dir = opendir(path);
	struct dirent *d;

	if (dir == NULL)
		return n;
	while ((d = readdir(dir)) != NULL)
		n += size_of_file(arena_printf(mem, "%s/%s", path, d->d_name));
	closedir(dir);
	return n;
}

static enum err
start(struct model_process *p)
{
	struct arena *mem = arena_new();
	const char *reads[] = { dirname(arena_str(mem, p->library)), p->model,
		"/proc/cpuinfo", "/sys/devices/system/cpu", NULL };
	const struct child c = { .argv = p->argv,
		.memory_bytes = MEMORY_BYTES + THREAD_BYTES * (size_t)p->threads +
				3 * model_size(mem, p->model),
		.out_bytes = STDERR_BYTES,
		.reads = reads };
	enum err e;

	if (p->loader != NULL)
		e = model_loader_fork(p->loader, &c, &p->child.fd);
	else
		e = child_socket_start(&c, &p->child);
	p->ready = false;
	p->have = p->used = 0;
	arena_free(mem);
	return e;
}

static struct model_process *
new_process(const struct engine_at *at, const char *task, const char *key)
{
	struct arena *mem = arena_new();
	struct model_process *p = arena_alloc(mem, sizeof(*p));
	const char **argv = arena_alloc(mem, 8 * sizeof(*argv));
	bool sphinx = strcmp(at->kind, MODEL_SPHINX) == 0;
	bool forks = sphinx || strcmp(at->kind, MODEL_FORKS) == 0;

	*p = (struct model_process){ .mem = mem,
		.id = arena_str(mem, at->id),
		.key = arena_str(mem, key),
		.argv = argv,
		.library = arena_str(mem, at->library),
		.model = arena_str(mem, at->model),
		.threads = at->threads,
		.loader = forks ? model_loader_get(key) : NULL,
		.child.fd = -1,
		.busy = true };
	argv[0] = arena_printf(
	    mem, "%s/%s", at->bin_dir, sphinx ? MODEL_HEARS : "dragoman-speech");
	argv[1] = "--model";
	argv[2] = arena_str(mem, at->kind);
	argv[3] = arena_str(mem, task);
	argv[4] = p->library;
	argv[5] = p->model;
	argv[6] = arena_printf(mem, "%d", at->threads);
	return p;
}

/*
 * Stop a process. Of one that is not ready the pid is in a message that may be under
 * way until the loader has ended.
 */
static void
stop(struct model_process *p)
{
	struct model_message m;

	if (p->child.pid <= 0 && p->child.fd >= 0 && p->loader != NULL) {
		model_loader_failed(p->loader, p->id, true);
		while (!p->ready && model_receive(p, &m) == OK)
			;
	}
	if (p->child.pid <= 0 && p->child.fd >= 0)
		close(p->child.fd);
	child_socket_stop(&p->child, arena_printf(p->mem, "engine %s", p->id));
	p->child.fd = -1;
}

static void
end_process(struct model_process *p)
{
	stop(p);
	arena_free(p->mem);
}

/* ---- the pool, with its lock held ---- */

static struct model_process *
remove_at(int i)
{
	struct model_process *p = pool.all[i];

	pool.all[i] = pool.all[--pool.n];
	return p;
}

/* End the idle processes of an engine that have other settings than now. */
static void
end_stale(const char *id, const char *key)
{
	size_t task = strcspn(key, "\n");

	for (int i = pool.n - 1; i >= 0; i--) {
		const struct model_process *p = pool.all[i];

		if (!p->busy && strcmp(p->id, id) == 0 && strcmp(p->key, key) != 0 &&
		    strncmp(p->key, key, task + 1) == 0)
			end_process(remove_at(i));
	}
}

/* Returns an idle process, or a new one if the limit allows it; NULL: neither. */
static struct model_process *
find_or_add(const struct engine_at *at, const char *task, const char *key)
{
	int n = 0;

	end_stale(at->id, key);
	for (int i = 0; i < pool.n; i++) {
		if (strcmp(pool.all[i]->key, key) != 0)
			continue;
		if (!pool.all[i]->busy) {
			pool.all[i]->busy = true;
			return pool.all[i];
		}
		n++;
	}
	if (n >= at->parallel || pool.n == MOST)
		return NULL;
	return pool.all[pool.n++] = new_process(at, task, key);
}

static struct model_process *
await_one(const struct engine_at *at, const char *task, const char *key, bool wait)
{
	const int64_t until_us = now_us() + WAIT_US;
	const struct timespec until = { until_us / S_US, until_us % S_US * 1000 };
	struct model_process *p;
	int how = 0;

	pthread_mutex_lock(&pool.lock);
	while ((p = find_or_add(at, task, key)) == NULL && wait && how == 0)
		how = pthread_cond_timedwait(&pool.released, &pool.lock, &until);
	pthread_mutex_unlock(&pool.lock);
	return p;
}

/* ---- taking and giving ---- */

/* True if the process has ended. */
static bool
has_ended(const struct model_process *p)
{
	char c;

	return recv(p->child.fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

enum err
model_acquire(
    const struct engine_at *at, const char *task, bool wait, struct model_process **to)
{
	struct arena *mem = arena_new();
	const char *key = arena_printf(mem, "%s\n%s\n%s\n%s\n%d\n%s", task, at->id,
	    at->library, at->model, at->threads, at->bin_dir);
	struct model_process *p = await_one(at, task, key, wait);
	enum err e = p != NULL ? OK : ERR_BUSY;

	arena_free(mem);
	if (p != NULL && p->child.fd >= 0 && has_ended(p))
		stop(p);
	if (p != NULL && p->child.fd < 0)
		e = start(p);
	if (p != NULL && e != OK)
		model_release(p, e);
	if (e == OK) {
		p->turn++;
		p->began_us = child_clock_used_us(p->child.pid);
		*to = p;
	}
	return e;
}

static bool
is_healthy(enum err how)
{
	return how == OK || how == ERR_REFUSED;
}

void
model_release(struct model_process *p, enum err how)
{
	bool keep = is_healthy(how);

	pthread_mutex_lock(&pool.lock);
	for (int i = 0; !keep && i < pool.n; i++)
		if (pool.all[i] == p)
			remove_at(i);
	p->busy = false;
	pthread_cond_broadcast(&pool.released);
	pthread_mutex_unlock(&pool.lock);
	if (!keep)
		end_process(p);
}

int64_t
model_used_by(const struct model_process *p)
{
	return child_clock_used_us(p->child.pid) - p->began_us;
}

int64_t
model_used_us(void)
{
	int64_t us = 0;

	pthread_mutex_lock(&pool.lock);
	for (int i = 0; i < pool.n; i++)
		if (pool.all[i]->child.pid > 0)
			us += child_clock_used_us(pool.all[i]->child.pid);
	pthread_mutex_unlock(&pool.lock);
	return us;
}

void
model_end_idle(void)
{
	pthread_mutex_lock(&pool.lock);
	for (int i = pool.n - 1; i >= 0; i--)
		if (!pool.all[i]->busy)
			end_process(remove_at(i));
	if (pool.n == 0)
		model_loader_end_all();
	pthread_mutex_unlock(&pool.lock);
}

/* ---- messages ---- */

/* poll() reports room when at least a quarter of the socket's buffer is free. */
static bool
has_room(const struct model_process *p)
{
	struct pollfd f = { .fd = p->child.fd, .events = POLLOUT };

	return poll(&f, 1, 0) == 1 && (f.revents & POLLOUT) != 0;
}

bool
model_send(struct model_process *p, enum model_kind kind, const void *bytes, size_t n)
{
	struct model_head head = { kind, p->turn, (uint32_t)n };
	struct iovec parts[] = { { &head, sizeof(head) }, { NULL, n } };
	const struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };

	memcpy(&parts[1].iov_base, &bytes,
	    sizeof(bytes)); /* sendmsg() does not change the bytes */
	return has_room(p) &&
	       sendmsg(p->child.fd, &m, MSG_NOSIGNAL) == (ssize_t)(sizeof(head) + n);
}

static enum err
report_fault(struct model_process *p, const struct model_message *m)
{
	char *text = arena_dup(p->mem, m->p, m->n);

	for (char *c = text; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = ' ';
	log_warn("engine %s: %s", p->id, text);
	return p->ready ? ERR_FAILED : ERR_UNSUPPORTED;
}

/* Get the next message; false: it is not complete. */
static bool
next_message(struct model_process *p, struct model_head *head, struct model_message *m)
{
	if (p->used > 0) {
		p->in[p->used] = p->cut;
		memmove(p->in, p->in + p->used, p->have -= p->used);
		p->used = 0;
	}
	if (p->have < sizeof(*head))
		return false;
	memcpy(head, p->in, sizeof(*head));
	if (head->n > MODEL_BYTES || p->have < sizeof(*head) + head->n)
		return false;
	p->used = sizeof(*head) + head->n;
	p->cut = p->in[p->used];
	p->in[p->used] = '\0';
	*m = (struct model_message){ head->kind, p->in + sizeof(*head), head->n };
	return true;
}

/* Receive more bytes. Fails for a message that does not fit the buffer. */
static enum err
receive(struct model_process *p)
{
	size_t room = sizeof(p->in) - 1 - p->have;
	ssize_t n =
	    room > 0 ? recv(p->child.fd, p->in + p->have, room, MSG_DONTWAIT) : 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return ERR_BUSY;
	if (n <= 0)
		return ERR_FAILED;
	p->have += (size_t)n;
	return OK;
}

enum err
model_receive(struct model_process *p, struct model_message *m)
{
	struct model_head head = { 0 };
	enum err e;

	for (;;) {
		while (next_message(p, &head, m)) {
			if (head.kind == MODEL_FAULT)
				return report_fault(p, m);
			if (head.kind == MODEL_READY) {
				p->ready = true;
				if (m->n == sizeof(p->child.pid))
					memcpy(&p->child.pid, m->p, m->n);
				p->began_us = child_clock_used_us(p->child.pid);
			}
			if (head.kind == MODEL_READY || head.turn == p->turn)
				return OK;
		}
		if (head.n > MODEL_BYTES)
			return ERR_FAILED;
		if ((e = receive(p)) != OK)
			return e;
	}
}

/* ---- waiting ---- */

void
model_clock(struct model_process *p, int cpu_ms)
{
	const pid_t *pid =
	    p->ready || p->loader == NULL ? &p->child.pid : model_loader_pid(p->loader);

	child_clock_begin(&p->clock, pid, 1, cpu_ms);
	p->until_us = monotonic_us() + PATIENCE_US;
	p->progress_us = p->clock.used_us;
}

/* Processor time, and the time in which a busy host had none for the process. */
static int64_t
progress_us(const struct child_clock *c)
{
	return c->used_us + c->ready_us;
}

static enum err
check_time(struct model_process *p)
{
	enum child_pace pace = child_clock_check(&p->clock);
	int64_t now = monotonic_us();

	if (progress_us(&p->clock) >= p->progress_us + PROGRESS_US) {
		p->progress_us = progress_us(&p->clock);
		p->until_us =
		    now + PATIENCE_US > p->until_us ? now + PATIENCE_US : p->until_us;
	}
	if ((pace == CHILD_WORKS || pace == CHILD_STOPPED) && now < p->until_us)
		return OK;
	log_warn("engine %s: its process %s", p->id,
	    pace == CHILD_SPENT    ? "has used up its processor time"
	    : pace == CHILD_ASLEEP ? "sleeps and does not answer"
				   : "makes no progress");
	return ERR_TIMEOUT;
}

enum err
model_await(struct model_process *p, bool room, struct model_message *m)
{
	struct pollfd f = { .fd = p->child.fd,
		.events = (short)(POLLIN | (room ? POLLOUT : 0)) };
	enum err e;

	while ((e = model_receive(p, m)) == ERR_BUSY) {
		f.revents = 0;
		poll(&f, 1, child_clock_wait_ms(&p->clock));
		if ((f.revents & POLLIN) == 0 && (f.revents & POLLOUT) != 0) {
			*m = (struct model_message){ 0 };
			return OK;
		}
		if (f.revents == 0 && (e = check_time(p)) != OK)
			return e;
	}
	if (e == ERR_FAILED)
		log_warn("engine %s: its process has ended", p->id);
	return e;
}

enum err
model_await_ready(struct model_process *p)
{
	struct model_message m;
	enum err e = OK;

	if (p->ready)
		return OK;
	model_clock(p, LOAD_CPU_MS * p->threads);
	p->until_us += DISK_US;
	while (e == OK && !p->ready)
		e = model_await(p, false, &m);
	if (e != OK && p->loader != NULL &&
	    model_loader_failed(p->loader, p->id, e == ERR_TIMEOUT))
		e = ERR_UNSUPPORTED;
	return e;
}
