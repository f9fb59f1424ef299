/*
 * The real-time gateway: the sockets of sessions and channels.  cron starts it
 * every minute, and one that finds another at work goes home.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/desk.h"
#include "gateway/entry.h"
#include "gateway/room.h"
#include "speech/registry.h"

#define THREADS_EACH 4 /* of the pool, for each processor */

/* False: there is one already, or it cannot be told. */
static bool
take_lock(struct arena *mem, const char *dir)
{
	const char *path = arena_printf(mem, "%s/gateway.lock", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		log_error("%s: %s", path, strerror(errno));
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0; /* held until we exit */
}

/* All threads but this one have these blocked, and it waits for them. */
static void *
await_signal(void *arg)
{
	struct gate *g = arg;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	while (sigwait(&set, &sig) != 0)
		continue;
	log_info("stopping");
	g->stopping = true;
	sockets_stop(g->sockets);
	return NULL;
}

static void
block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int
threads(const struct conf *c)
{
	return c->stream_workers > 0
		   ? (int)c->stream_workers
		   : THREADS_EACH * (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static void
wake_sockets(void *arg)
{
	sockets_wake(((struct gate *)arg)->sockets);
}

static bool
open_gate(struct gate *g)
{
	if (app_open(&g->app, g->mem, "gateway", entry_routes, entry_prepared) != OK)
		return false;
	g->conf = &g->app.conf;
	g->begun_us = monotonic_us();
	if (!take_lock(g->mem, g->conf->state_dir))
		return false;
	if (registry_new(g->conf, &g->engines) != OK)
		return false;
	g->sockets = sockets_open(g->mem, &room_owner, g);
	g->to_sockets = mailbox_new(g->mem, wake_sockets, g);
	g->pool = pool_start(threads(g->conf));
	return g->sockets != NULL;
}

static int
keep_gate(struct gate *g)
{
	struct desk *desk = desk_open(g, g->conf->stream_listen);
	pthread_t at_desk, at_signals;

	if (desk == NULL)
		return EXIT_FAILURE;
	if (pthread_create(&at_desk, NULL, desk_run, desk) != 0 ||
	    pthread_create(&at_signals, NULL, await_signal, g) != 0)
		abort();
	log_info("listening at %s", g->conf->stream_listen);
	sockets_run(g->sockets);
	desk_stop(desk);
	pthread_join(at_desk, NULL);
	return EXIT_SUCCESS;
}

int
main(void)
{
	struct gate g = { .mem = arena_new() };

	log_program("gateway");
	block_signals();
	if (!open_gate(&g))
		return g.conf != NULL && g.engines == NULL ? EXIT_SUCCESS
							   : EXIT_FAILURE;
	/* What is still at work dies with the process. */
	_exit(keep_gate(&g));
}
