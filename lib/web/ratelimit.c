/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/ratelimit.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"

#define SLOTS 32768 /* a power of two */
#define PROBES 16
#define WINDOW_S 60
#define AGAIN_US (3 * S_US) /* interval of tries to map the file */

/* The hash of a caller, and (window << 32 | count).  Each is changed atomically. */
struct slot {
	_Atomic uint64_t who;
	_Atomic uint64_t state;
};

struct table {
	struct slot slots[SLOTS];
	_Atomic uint64_t changes; /* counts changes of credentials and accounts */
	_Atomic uint64_t key[2];  /* key of the hashes; 0: not drawn yet */
};

struct limits {
	struct table *table; /* NULL: not mapped yet */
	const char *path;
	int64_t tried_us; /* last try to map the file */
};

static struct table *
map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *p = MAP_FAILED;

	/*
	 * Create the file and allocate its blocks: on a full disk a hole would cause a
	 * bus error.
	 */
	if (fd >= 0 && posix_fallocate(fd, 0, sizeof(struct table)) == 0 &&
	    ftruncate(fd, sizeof(struct table)) == 0)
		p = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	if (fd >= 0)
		close(fd);
	return p != MAP_FAILED ? p : NULL;
}

uint64_t
limits_generation(const struct limits *l)
{
	return l != NULL && l->table != NULL ? atomic_load(&l->table->changes) + 1 : 0;
}

/* Does not create the file: that is left to the web server's user. */
void
limits_forget_callers(const char *dir)
{
	struct arena *mem = arena_new();
	const char *path = arena_printf(mem, "%s/limits", dir);
	struct table *t = access(path, F_OK) == 0 ? map(path) : NULL;

	if (t != NULL) {
		atomic_fetch_add(&t->changes, 1);
		munmap(t, sizeof(*t));
	}
	arena_free(mem);
}

struct limits *
limits_open(struct arena *mem, const char *dir)
{
	struct limits *l = arena_alloc(mem, sizeof(*l));

	l->path = arena_printf(mem, "%s/limits", dir);
	l->tried_us = now_us();
	if ((l->table = map(l->path)) == NULL)
		log_error("cannot map %s; rates are not limited", l->path);
	return l;
}

void
limits_close(struct limits *l)
{
	if (l != NULL && l->table != NULL)
		munmap(l->table, sizeof(*l->table));
}

/* The table; mapped here if the disk was too full when the program started. */
static struct table *
table_of(struct limits *l, int64_t now_us)
{
	if (l == NULL || l->table != NULL)
		return l != NULL ? l->table : NULL;
	if (now_us >= l->tried_us && now_us < l->tried_us + AGAIN_US)
		return NULL;
	l->tried_us = now_us;
	if ((l->table = map(l->path)) != NULL)
		log_warn("%s is mapped now; rates are limited", l->path);
	return l->table;
}

/* Half of the key; the first process that needs it draws it. */
static uint64_t
key_half(_Atomic uint64_t *half)
{
	uint64_t is = atomic_load(half), drawn;

	if (is != 0)
		return is;
	random_bytes(&drawn, sizeof(drawn));
	drawn |= 1;
	return atomic_compare_exchange_strong(half, &is, drawn) ? drawn : is;
}

/* The hash of a caller; never 0, which marks a free slot. */
static uint64_t
name_hash(struct table *t, char kind, const char *who)
{
	uint64_t halves[] = { key_half(&t->key[0]), key_half(&t->key[1]) };
	unsigned char key[SIPHASH_KEY_BYTES];

	memcpy(key, halves, sizeof(key));
	key[0] ^= (unsigned char)kind;
	return hash_keyed(key, who, strlen(who)) | 1;
}

/* The slot of a caller: its own, a free one, or the one unused for longest. */
static struct slot *
find_or_claim(struct table *t, uint64_t who)
{
	struct slot *oldest = NULL, *s;
	uint64_t free_mark;

	for (unsigned i = 0; i < PROBES; i++) {
		s = &t->slots[((who >> 1) + i) % SLOTS];
		free_mark = 0;
		if (atomic_load(&s->who) == who ||
		    atomic_compare_exchange_strong(&s->who, &free_mark, who) ||
		    free_mark == who)
			return s;
		if (oldest == NULL ||
		    atomic_load(&s->state) < atomic_load(&oldest->state))
			oldest = s;
	}
	atomic_store(&oldest->state, 0);
	atomic_store(&oldest->who, who);
	return oldest;
}

struct limit
limit_count(struct limits *l, char kind, const char *who, int64_t max, int64_t now_us)
{
	int64_t now_s = now_us / S_US, count;
	uint64_t window = (uint64_t)(now_s / WINDOW_S) << 32, was, is;
	struct table *t = table_of(l, now_us);
	struct slot *s;

	if (t == NULL || max == 0)
		return (struct limit){ .left = max };
	s = find_or_claim(t, name_hash(t, kind, who));
	was = atomic_load(&s->state);
	do
		is = (was >> 32 == window >> 32 ? was : window) + 1;
	while (!atomic_compare_exchange_weak(&s->state, &was, is));
	count = (int64_t)(is & UINT32_MAX);
	return (struct limit){
		.over = count > max,
		.left = count < max ? max - count : 0,
		.reset_s = WINDOW_S - now_s % WINDOW_S,
	};
}

/* The slot of a caller; NULL: it has none. */
static const struct slot *
find_existing(struct table *t, uint64_t who)
{
	const struct slot *s;

	for (unsigned i = 0; i < PROBES; i++) {
		s = &t->slots[((who >> 1) + i) % SLOTS];
		if (atomic_load(&s->who) == who)
			return s;
	}
	return NULL;
}

struct limit
limit_peek(struct limits *l, char kind, const char *who, int64_t max, int64_t now_us)
{
	int64_t now_s = now_us / S_US, count = 0;
	struct table *t = table_of(l, now_us);
	const struct slot *s =
	    t != NULL ? find_existing(t, name_hash(t, kind, who)) : NULL;
	uint64_t is = s != NULL ? atomic_load(&s->state) : 0;

	if (is >> 32 == (uint64_t)(now_s / WINDOW_S))
		count = (int64_t)(is & UINT32_MAX);
	return (struct limit){
		.over = max > 0 && count >= max,
		.left = count < max ? max - count : 0,
		.reset_s = WINDOW_S - now_s % WINDOW_S,
	};
}

bool
limit_known(struct limits *l, char kind, const char *who, int64_t now_us)
{
	struct table *t = table_of(l, now_us);

	return t != NULL && find_existing(t, name_hash(t, kind, who)) != NULL;
}
