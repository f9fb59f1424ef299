/*
 * A list of idle handles, the one used last first.  Threads share it, so a connection
 * that one thread has opened serves the next call of any other.
 */
#include "net/http_handles.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/http.h"

#define IDLE 64 /* handles that are kept, at most */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	struct http_handle *first;
	int n;
	pid_t owner;
	struct http_handle *parents; /* from before fork(2), never to be touched */
} idle;

/* Scheme, authority: all before the path. */
static size_t
origin_length(const char *url)
{
	const char *host = strstr(url, "://");
	size_t n = host != NULL ? (size_t)(host - url) + 3 : 0;

	n += strcspn(url + n, "/?#");
	return n < sizeof(((struct http_handle *)0)->origin) ? n : 0;
}

static void
free_handle(struct http_handle *h)
{
	curl_easy_cleanup(h->easy);
	curl_multi_cleanup(h->multi);
	arena_free(h->mem);
}

/* With the lock: a process that was forked begins without any. */
static void
check_owner(void)
{
	static bool registered;

	if (!registered)
		atexit(http_close);
	registered = true;
	if (idle.owner == getpid())
		return;
	idle.parents = idle.first;
	idle.first = NULL;
	idle.n = 0;
	idle.owner = getpid();
}

/* With the lock. */
static struct http_handle *
unlink_handle(struct http_handle **at)
{
	struct http_handle *h = *at;

	*at = h->next;
	idle.n--;
	return h;
}

static struct http_handle *
find_handle(const char *url, size_t n)
{
	struct http_handle **at, *h = NULL;

	pthread_mutex_lock(&lock);
	check_owner();
	at = &idle.first;
	while (*at != NULL &&
	       (strlen((*at)->origin) != n || memcmp((*at)->origin, url, n) != 0))
		at = &(*at)->next;
	if (*at != NULL)
		h = unlink_handle(at);
	pthread_mutex_unlock(&lock);
	return h;
}

static struct http_handle *
new_handle(void)
{
	struct arena *mem = arena_small(sizeof(struct http_handle));
	struct http_handle *h = arena_alloc(mem, sizeof(*h));

	h->mem = mem;
	h->easy = curl_easy_init();
	h->multi = curl_multi_init();
	if (h->easy != NULL && h->multi != NULL)
		return h;
	free_handle(h);
	return NULL;
}

struct http_handle *
http_take_handle(const char *url)
{
	size_t n = origin_length(url);
	struct http_handle *h = find_handle(url, n);

	if (h == NULL && (h = new_handle()) == NULL)
		return NULL;
	memcpy(h->origin, url, n);
	h->origin[n] = '\0';
	return h;
}

void
http_keep_handle(struct http_handle *h)
{
	struct http_handle **last = &idle.first, *dropped = NULL;

	curl_easy_reset(h->easy);
	pthread_mutex_lock(&lock);
	check_owner();
	h->next = idle.first;
	idle.first = h;
	if (++idle.n > IDLE) {
		while ((*last)->next != NULL)
			last = &(*last)->next;
		dropped = unlink_handle(last);
	}
	pthread_mutex_unlock(&lock);
	if (dropped != NULL)
		free_handle(dropped);
}

void
http_close(void)
{
	struct http_handle *h, *next;

	pthread_mutex_lock(&lock);
	check_owner();
	h = idle.first;
	idle.first = NULL;
	idle.n = 0;
	pthread_mutex_unlock(&lock);
	for (; h != NULL; h = next) {
		next = h->next;
		free_handle(h);
	}
}
