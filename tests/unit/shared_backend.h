/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SHARED_BACKEND_H
#define TESTS_UNIT_SHARED_BACKEND_H

/*
 * A broadcasting backend that several processes of a test call at once.  It stores the
 * broadcasts, is unreachable on request, and may kill its caller before or after a call
 * takes effect.
 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "broadcast/broadcast.h"

#define ROOMS 2500

struct room {
	char name[64];
	char languages[128];
};

struct caller_of {
	char channel[37];
	pid_t pid; /* 0: no process calls for this channel */
};

struct shared_backend {
	pthread_mutex_t lock;
	bool away;
	int call_us;               /* duration of a call */
	int calls;                 /* numbers of creations, changes and removals */
	int die_before, die_after; /* kill the caller in its n-th call; 0: never */
	/* number of calls for a channel during another call for it */
	int overlaps;
	int under_way, most; /* simultaneous calls: now, and at most */
	int nrooms, nchannels;
	struct room rooms[ROOMS];
	struct caller_of channels[ROOMS];
};

static struct shared_backend *shared;

static inline void
shared_open(void)
{
	pthread_mutexattr_t attr;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attr);
}

static inline void
shared_close(void)
{
	munmap(shared, sizeof(*shared));
}

static inline struct room *
room_of(const char *name)
{
	for (int i = 0; i < shared->nrooms; i++)
		if (strcmp(shared->rooms[i].name, name) == 0)
			return &shared->rooms[i];
	return NULL;
}

static inline struct caller_of *
caller_for(const char *name)
{
	struct caller_of *c = shared->channels;

	while (c < shared->channels + shared->nchannels &&
	       strncmp(c->channel, name, 36) != 0)
		c++;
	if (c == shared->channels + shared->nchannels) {
		ck_assert_int_lt(shared->nchannels++, ROOMS);
		memcpy(c->channel, name, 36);
	}
	return c;
}

/* Begins a call; a killed process makes no further calls. */
static inline void
call_begins(const char *name)
{
	struct caller_of *c;

	pthread_mutex_lock(&shared->lock);
	c = caller_for(name);
	if (c->pid != 0 && kill(c->pid, 0) == 0)
		shared->overlaps++;
	c->pid = getpid();
	if (++shared->under_way > shared->most)
		shared->most = shared->under_way;
	if (++shared->calls == shared->die_before) {
		shared->under_way--;
		pthread_mutex_unlock(&shared->lock);
		kill(getpid(), SIGKILL);
	}
	pthread_mutex_unlock(&shared->lock);
	usleep((useconds_t)shared->call_us);
	pthread_mutex_lock(&shared->lock);
}

static inline void
call_ends(const char *name)
{
	bool dies = shared->calls == shared->die_after;

	caller_for(name)->pid = 0;
	shared->under_way--;
	pthread_mutex_unlock(&shared->lock);
	if (dies)
		kill(getpid(), SIGKILL);
}

static inline enum err
shared_create(const struct conf *conf, struct arena *mem, const struct broadcast *b)
{
	struct room *s;

	(void)conf, (void)mem;
	call_begins(b->name);
	s = room_of(b->name);
	if (!shared->away && s == NULL) {
		ck_assert_int_lt(shared->nrooms, ROOMS);
		s = &shared->rooms[shared->nrooms++];
		snprintf(s->name, sizeof(s->name), "%s", b->name);
	}
	if (!shared->away)
		snprintf(s->languages, sizeof(s->languages), "%s", b->target_languages);
	call_ends(b->name);
	return shared->away ? ERR_TIMEOUT : OK;
}

static inline enum err
shared_change(const struct conf *conf, struct arena *mem, const struct broadcast *b)
{
	struct room *s;
	enum err e = ERR_TIMEOUT;

	(void)conf, (void)mem;
	call_begins(b->name);
	if (!shared->away) {
		s = room_of(b->name);
		e = s != NULL ? OK : ERR_NOT_FOUND;
		if (s != NULL)
			snprintf(s->languages, sizeof(s->languages), "%s",
			    b->target_languages);
	}
	call_ends(b->name);
	return e;
}

static inline enum err
shared_destroy(const struct conf *conf, struct arena *mem, const char *name)
{
	struct room *s;

	(void)conf, (void)mem;
	call_begins(name);
	if (!shared->away && (s = room_of(name)) != NULL)
		*s = shared->rooms[--shared->nrooms];
	call_ends(name);
	return shared->away ? ERR_TIMEOUT : OK;
}

static inline int
by_room(const void *a, const void *b)
{
	return strcmp(((const struct broadcast_seen *)a)->name,
	    ((const struct broadcast_seen *)b)->name);
}

static inline enum err
shared_list(const struct conf *conf, struct arena *mem, struct list *to)
{
	struct broadcast_seen *s = arena_alloc(mem, ROOMS * sizeof(*s));

	(void)conf;
	pthread_mutex_lock(&shared->lock);
	to->n = (size_t)shared->nrooms;
	for (int i = 0; i < shared->nrooms; i++)
		s[i] = (struct broadcast_seen){ arena_str(mem, shared->rooms[i].name),
			true, texts_read(mem, shared->rooms[i].languages) };
	pthread_mutex_unlock(&shared->lock);
	qsort(s, to->n, sizeof(*s), by_room);
	to->items = s;
	return shared->away ? ERR_TIMEOUT : OK;
}

static inline const char *
shared_url(const struct conf *conf, struct arena *mem)
{
	(void)conf, (void)mem;
	return "wss://media.example.org";
}

static const char *const shared_protocols[] = { "webrtc_push", NULL };
static inline bool
shared_webrtc(const struct conf *c)
{
	(void)c;
	return false;
}

static const struct broadcast_driver shared_driver = {
	.name = "shared",
	.inputs = shared_protocols,
	.outputs = shared_protocols,
	.webrtc = shared_webrtc,
	.webrtc_url = shared_url,
	.create = shared_create,
	.change = shared_change,
	.destroy = shared_destroy,
	.list = shared_list,
};

#define TEST_DRIVER shared_driver
#include "lib/broadcast/broadcast.c"

#endif
