/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "egress/bucket_queue.h"

#include <string.h>

enum { PART, PLAYLIST, INDEX };

static bool
ends_with(const char *name, size_t n, const char *end)
{
	size_t k = strlen(end);

	return n >= k && memcmp(name + n - k, end, k) == 0;
}

/* Set the rank of "es-7.m4s", "es-init-0.mp4", "es-audio.m3u8" or "es.m3u8", and the
   length of "es", except for the last. */
static void
classify(struct bucket_item *i)
{
	static const char *const kinds[] = { "-audio", "-video", "-text" };
	size_t n = strcspn(i->name, ".");
	const char *dash = strrchr(i->name, '-');
	bool list = strcmp(i->name + n, ".m3u8") == 0;

	i->rank = list ? INDEX : PART;
	i->n_code = dash != NULL ? (size_t)(dash - i->name) : n;
	for (size_t k = 0; list && k < sizeof(kinds) / sizeof(kinds[0]); k++)
		if (ends_with(i->name, n, kinds[k]))
			i->rank = PLAYLIST;
	if (!list && ends_with(i->name, i->n_code, "-init"))
		i->n_code -= strlen("-init");
}

static bool
is_segment(const char *name)
{
	const char *end = strrchr(name, '.');

	return end != NULL && (strcmp(end, ".m4s") == 0 || strcmp(end, ".vtt") == 0);
}

static bool
is_same_code(const struct bucket_item *a, const struct bucket_item *b)
{
	return a->n_code == b->n_code && memcmp(a->name, b->name, a->n_code) == 0;
}

/* ---- the list ---- */

void
bucket_queue_init(struct bucket_queue *q)
{
	*q = (struct bucket_queue){ .last = &q->first };
}

static void
append(struct bucket_queue *q, struct bucket_item *i)
{
	i->next = NULL;
	*q->last = i;
	q->last = &i->next;
	q->n++;
}

static void
cut(struct bucket_queue *q, struct bucket_item **at)
{
	struct bucket_item *i = *at;

	*at = i->next;
	if (q->last == &i->next)
		q->last = at;
	q->n--;
}

static void
drop(struct bucket_queue *q, struct bucket_item **at)
{
	struct bucket_item *i = *at;

	cut(q, at);
	arena_free(i->mem);
}

static struct bucket_item **
link_to(struct bucket_queue *q, const struct bucket_item *i)
{
	struct bucket_item **at = &q->first;

	while (*at != i)
		at = &(*at)->next;
	return at;
}

/* Put the item back; an item that must be removed moves to the end of the list. */
static void
wait_again(struct bucket_queue *q, struct bucket_item *i)
{
	if (i->removes) {
		cut(q, link_to(q, i));
		append(q, i);
	}
	i->state = WAITS;
}

static struct bucket_item *
add(struct bucket_queue *q, const char *name, const void *bytes, size_t n)
{
	struct arena *mem = arena_small(sizeof(struct bucket_item) + n + 128);
	struct bucket_item *i = arena_alloc(mem, sizeof(*i));

	*i = (struct bucket_item){ .mem = mem, .name = arena_str(mem, name), .n = n };
	if (bytes != NULL)
		i->bytes = arena_dup(mem, bytes, n);
	classify(i);
	append(q, i);
	return i;
}

/* ---- adding ---- */

static bool
names(const struct bucket_item *playlist, const struct bucket_item *part)
{
	size_t n = strlen(part->name);
	const char *p = playlist->bytes, *end = p + playlist->n;

	while ((p = memmem(p, (size_t)(end - p), part->name, n)) != NULL) {
		if (p > playlist->bytes && p[-1] == '\n' && p + n < end && p[n] == '\n')
			return true;
		p += n;
	}
	return false;
}

/* True for a waiting segment of this playlist's rendition. */
static bool
is_part_of(const struct bucket_item *i, const struct bucket_item *playlist)
{
	bool text = ends_with(playlist->name, strcspn(playlist->name, "."), "-text");

	return !i->removes && i->state == WAITS && is_segment(i->name) &&
	       (strstr(i->name, ".vtt") != NULL) == text && is_same_code(i, playlist);
}

static void
skip_late(struct bucket_queue *q, const struct bucket_item *playlist)
{
	bool skipped = false;

	for (struct bucket_item *i = q->first; i != playlist; i = i->next)
		if (is_part_of(i, playlist) && !names(playlist, i)) {
			i->state = LATE;
			skipped = true;
		}
	for (struct bucket_item **at = &q->first; skipped && *at != playlist;)
		if ((*at)->state == WAITS && strcmp((*at)->name, playlist->name) == 0)
			drop(q, at);
		else
			at = &(*at)->next;
}

bool
bucket_queue_put(struct bucket_queue *q, const char *name, const void *bytes, size_t n)
{
	struct bucket_item *i;

	if (q->n >= BUCKET_QUEUE_MOST)
		return false;
	i = add(q, name, bytes, n);
	if (i->rank == PLAYLIST)
		skip_late(q, i);
	return true;
}

void
bucket_queue_remove(struct bucket_queue *q, const char *name)
{
	struct bucket_item **at = &q->first, *i;

	while (*at != NULL && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	if ((i = *at) == NULL) {
		if (q->n < BUCKET_QUEUE_MOST)
			add(q, name, NULL, 0)->removes = true;
		return;
	}
	i->removes = true;
	if (i->state == GOES || i->state == LEAVES)
		return;
	if (i->tried)
		wait_again(q, i);
	else
		drop(q, at);
}

/* ---- processing ---- */

static bool
waits_for(const struct bucket_item *i, const struct bucket_item *before)
{
	if (before->removes || (before->state != WAITS && before->state != GOES))
		return false;
	if (before->state == GOES && strcmp(before->name, i->name) == 0)
		return true;
	return before->rank < i->rank && (i->rank == INDEX || is_same_code(i, before));
}

static bool
may_go(const struct bucket_queue *q, const struct bucket_item *i)
{
	if (i->state != WAITS)
		return false;
	if (i->removes || i->rank == PART)
		return true;
	for (const struct bucket_item *k = q->first; k != i; k = k->next)
		if (waits_for(i, k))
			return false;
	return true;
}

/*
 * Returns the newest version of a playlist or index that may be sent, and drops older
 * versions.
 */
static struct bucket_item *
newest(struct bucket_queue *q, struct bucket_item *i)
{
	struct bucket_item *is = i;

	for (struct bucket_item *k = i->next; is->rank != PART && k != NULL;
	     k = k->next)
		if (strcmp(k->name, is->name) == 0 && may_go(q, k)) {
			drop(q, link_to(q, is));
			is = k;
		}
	return is;
}

struct bucket_item *
bucket_queue_next(struct bucket_queue *q)
{
	struct bucket_item *i = q->first;

	while (i != NULL && !may_go(q, i))
		i = i->next;
	if (i == NULL)
		return NULL;
	i = newest(q, i);
	i->state = i->removes ? LEAVES : GOES;
	i->tried = true;
	return i;
}

void
bucket_queue_end(struct bucket_queue *q, struct bucket_item *i, bool done)
{
	bool put = i->state == GOES;

	if (!done || (put && i->removes))
		wait_again(q, i);
	else if (put && is_segment(i->name))
		i->state = THERE;
	else
		drop(q, link_to(q, i));
}

void
bucket_queue_free(struct bucket_queue *q)
{
	while (q->first != NULL)
		drop(q, &q->first);
}
