/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The real-time gateway: it serves the sockets of sessions and channels. cron starts it
 * every minute; a second one exits at once.
 *
 *	SIGTERM   finish current speech, let clients leave, book usage
 *	SIGHUP    read the settings again, for tasks that begin afterwards
 *
 * --asyncapi prints the description of the sockets from its tables, --openapi that of
 * WHIP and WHEP, and --routes their routes.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "channel/channel_drain.h"
#include "channel/channel_sessions.h"
#include "channel/http_listener.h"
#include "channel/relay.h"
#include "channel/transcript.h"
#include "cluster/cluster.h"
#include "gateway/change_relay.h"
#include "gateway/hls_listeners.h"
#include "gateway/leases.h"
#include "net/http.h"
#include "participant/participant.h"
#include "server/asyncapi.h"
#include "server/capability_probe.h"
#include "server/db_thread.h"
#include "server/gateway_parts.h"
#include "server/gateway_watchdog.h"
#include "server/hls_thread.h"
#include "server/http_routes.h"
#include "speech/engine.h"
#include "speech/model_process.h"
#include "speech/registry.h"
#include "web/openapi.h"

/* threads of the pool per processor; most of them wait for engines */
#define THREADS_EACH 32
#define THREADS 64 /* the most threads, unless a setting allows more */
/* open files besides the sockets */
#define OTHER_FILES (1024 + HLS_HELD_MOST)
#define FLUSH_US (5 * S_US) /* time to finish current speech when it stops */
#define LEAVE_US (8 * S_US) /* time after which it no longer waits for clients */
#define GONE_S 9            /* time after which it exits, whatever still runs */
#define TICK_US 10000       /* least time between two turns of all sessions */
#define END_US 50000        /* most time between two turns when it stops */
#define TRIM_S 30           /* time between two calls that return memory */
#define TRIM_BYTES 1048576  /* free at the end of a heap, returned at once */

struct gateway_process {
	struct gateway gateway; /* first: thread calls get a pointer to it */
	struct websocket_owner owner;
	struct capability_probe *caps;
	/* arena of the last SIGHUP's settings; the database thread's */
	struct arena *settings;
	int64_t stopping_us;      /* used by the event loop */
	int64_t ticked_us;        /* used by the event loop: monotonic, last turn */
	bool drain_sent, drained; /* the database thread admits no more connections */
};

/* ---- settings that are read again ---- */

struct reread {
	struct thread_call call;
	struct conf conf;
};

struct exchange {
	struct thread_call call;
	struct registry *engines;
};

/*
 * Use new settings. Runs on the database thread. Parts that were opened before keep the
 * settings of the start.
 */
static void
apply_settings(struct gateway *g, struct thread_call *e)
{
	struct gateway_process *l = (struct gateway_process *)g;

	g->app.conf = ((struct reread *)e)->conf;
	arena_free(l->settings);
	l->settings = e->message.mem;
	log_info("the settings were read again");
}

/* Drop the old engines. Runs on the database thread, which has ended every request that
   used them. */
static void
drop_engines(struct gateway *g, struct thread_call *e)
{
	(void)g;
	registry_drop(((struct exchange *)e)->engines);
	arena_free(e->message.mem);
}

/* Use new engines. Runs on the event loop; running tasks keep their engines. */
static void
apply_engines(struct gateway *g, struct thread_call *e)
{
	struct exchange *x = (struct exchange *)e;

	x->engines = atomic_exchange(&g->engines, x->engines);
	e->run = drop_engines;
	mailbox_send(g->to_db_thread, &e->message);
}

static void
limit_engines(const struct conf *c)
{
	asr_limit((int)c->stream_max_asr);
	asr_learn_words(c->stream_learn_words);
}

/* Load engines before a task waits for them. */
static void
warm_engines(struct registry *engines, const struct conf *c)
{
	struct registry_want want = { .now_us = monotonic_us() };

	if (c->speech_warm == 0)
		return;
	while ((want.after = registry_asr(engines, "en", &want)) != NULL)
		if (want.after->asr == &asr_pocketsphinx &&
		    asr_warm(&want.after->at, (int)c->speech_warm) != OK)
			log_warn("%s could not be loaded", want.after->at.id);
}

/* If the settings are wrong, keep the old ones and log the error. */
static void
reread(struct gateway *g)
{
	struct reread *r = THREAD_CALL(struct reread);
	struct exchange *x = THREAD_CALL(struct exchange);

	r->call.run = apply_settings;
	x->call.run = apply_engines;
	if (conf_read(r->call.message.mem, &r->conf) != OK ||
	    registry_new(&r->conf, &x->engines) != OK) {
		log_error("the settings stay as they were");
		arena_free(r->call.message.mem);
		arena_free(x->call.message.mem);
		return;
	}
	asr_free_idle(); /* the model may have changed */
	model_end_idle();
	limit_engines(&r->conf);
	warm_engines(x->engines, &r->conf);
	capability_probe_ask(((struct gateway_process *)g)->caps, x->engines, &x->call);
	mailbox_send(g->to_db_thread, &r->call.message);
}

/* ---- shutdown ---- */

static void
drain_returned(struct gateway *g, struct thread_call *e)
{
	((struct gateway_process *)g)->drained = true;
	arena_free(e->message.mem);
}

/*
 * Pass the request to drain on to the event loop. Runs on the database thread, so that
 * connections admitted before are ahead of it.
 */
static void
pass_drain(struct gateway *g, struct thread_call *e)
{
	e->run = drain_returned;
	mailbox_send(g->to_event_loop, &e->message);
}

static void
send_drain(struct gateway_process *l, int64_t now)
{
	struct thread_call *e = THREAD_CALL(struct thread_call);

	l->drain_sent = true;
	l->stopping_us = now;
	e->run = pass_drain;
	mailbox_send(l->gateway.to_db_thread, &e->message);
}

/* When the time is up, let the database thread store the usage. */
static void
book_usage(struct gateway *g, int64_t now)
{
	for (struct session *s = session_all(g); s != NULL; s = s->next) {
		billing_meter(s, false, now);
		if (s->connections != NULL)
			session_lease_release(s);
	}
}

/* STT and TTS sockets may use the remaining time to finish. */
static void
end_tasks(struct gateway *g)
{
	for (struct session *s = session_all(g); s != NULL; s = s->next)
		if (s->ops != &stt_ops && s->ops != &tts_ops)
			lifecycle_event(s, EVENT_END);
}

/* Tasks end as after end_task; then the remaining connections are closed. */
static void
tick_to_end(struct gateway_process *l, int64_t now)
{
	struct gateway *g = &l->gateway;
	bool late;

	if (!l->drain_sent)
		send_drain(l, now);
	late = now > l->stopping_us + LEAVE_US;
	end_tasks(g);
	if (now > l->stopping_us + FLUSH_US) {
		participants_dismiss(g);
		event_loop_end(g->event_loop, 1001, "stopping");
	}
	if (late)
		book_usage(g, now);
	if (late ||
	    (l->drained && session_all(g) == NULL && event_loop_idle(g->event_loop)))
		event_loop_stop(g->event_loop);
}

/* Time until the next turn of all, which sessions need in wait_us. */
static int64_t
until_next(const struct gateway_process *l, int64_t wait_us)
{
	int64_t probe_us = capability_probe_due_us(l->caps) - monotonic_us();

	return probe_us < wait_us ? probe_us : wait_us;
}

/* Calls run at once. Sessions take their turns at a rate that does not depend on calls.
 */
static int64_t
turn(void *arg)
{
	struct gateway_process *l = arg;
	int64_t now = monotonic_us(), wait_us;

	watched_turn(l->gateway.loop_watch);
	session_run_calls(&l->gateway);
	if (now < l->ticked_us + TICK_US)
		return l->ticked_us + TICK_US - now;
	l->ticked_us = now;
	wait_us = session_owner.turn(arg);
	http_listeners_tick(&l->gateway, monotonic_us());
	capability_probe_tick(l->caps, monotonic_us());
	if (!l->gateway.stopping)
		return until_next(l, wait_us);
	tick_to_end(l, monotonic_us());
	return END_US;
}

/* ---- signals ---- */

static void
fill_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
}

/*
 * Waits for the signals, which all other threads block. No other thread waits for this
 * one, so it also has time for occasional work.
 */
static void *
await_signals(void *arg)
{
	static const struct timespec now_and_then = { .tv_sec = TRIM_S };
	struct gateway *g = arg;
	sigset_t set;
	int sig;

	fill_signals(&set);
	while ((sig = sigtimedwait(&set, NULL, &now_and_then)) < 0 || sig == SIGHUP)
		if (sig == SIGHUP)
			reread(g);
		else
			malloc_trim(0); /* messages leave holes in the heaps */
	channel_drain_leave(g);
	log_info("stopping");
	g->stopping = true;
	event_loop_wake(g->event_loop);
	sleep(GONE_S);
	log_error("some usage was not booked in time");
	_exit(EXIT_FAILURE);
}

static void
block_signals(void)
{
	sigset_t set;

	fill_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* ---- start ---- */

/* Allow enough open files: each connection needs one. */
static void
allow_files(const struct conf *c)
{
	rlim_t want = (rlim_t)c->stream_max_connections + OTHER_FILES;
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) != 0 || l.rlim_cur >= want)
		return;
	l.rlim_cur = want < l.rlim_max ? want : l.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &l) != 0 || l.rlim_cur < want)
		log_warn("only %llu open files are allowed, stream.max_connections "
			 "needs %llu",
		    (unsigned long long)l.rlim_cur, (unsigned long long)want);
}

static int
threads(const struct conf *c)
{
	long all = THREADS_EACH * sysconf(_SC_NPROCESSORS_ONLN);

	if (c->stream_workers > 0)
		return (int)c->stream_workers;
	return all < THREADS ? (int)all : THREADS;
}

static void
wake_sockets(void *arg)
{
	event_loop_wake(((struct gateway *)arg)->event_loop);
}

static bool
open_gateway(struct gateway_process *l)
{
	struct gateway *g = &l->gateway;
	struct registry *engines;

	if (app_open(&g->app, g->mem, "gateway", http_routes, http_routes_prepared) !=
	    OK)
		return false;
	g->conf = &g->app.conf;
	g->begun_us = monotonic_us();
	if (strncmp(g->conf->db_url, "sqlite:", 7) != 0)
		leases_open(g);
	if (registry_new(g->conf, &engines) != OK)
		return false;
	g->engines = engines;
	allow_files(g->conf);
	limit_engines(g->conf);
	warm_engines(engines, g->conf);
	if (g->conf->hls_dir[0] != '\0')
		g->hls = hls_thread_start(g->mem);
	if (g->hls != NULL)
		g->hls_listeners = hls_listeners_new(g->mem);
	l->owner = session_owner;
	l->owner.turn = turn;
	g->loop_watch = watchdog_add(&g->watchdog, "event loop", wake_sockets, g);
	g->event_loop = event_loop_open(g->mem, &l->owner, g);
	g->to_event_loop = mailbox_new(g->mem, wake_sockets, g);
	g->pool = pool_start(threads(g->conf), http_close);
	registry_discover(engines);
	l->caps = capability_probe_new(g);
	gateway_parts(g);
	g->cluster = cluster_open(g->conf, g->to_event_loop, NULL);
	relay_start(g, channel_sessions_wake);
	change_relay_start(g);
	return g->event_loop != NULL && sinks_start(g);
}

static int
run_gateway(struct gateway *g)
{
	struct db_thread *thread = db_thread_open(g, g->conf->stream_listen);
	pthread_t at_db_thread, at_signals;
	bool whole;

	if (thread == NULL)
		return EXIT_FAILURE;
	log_info("listening at %s", g->conf->stream_listen);
	if (pthread_create(&at_db_thread, NULL, db_thread_run, thread) != 0 ||
	    pthread_create(&at_signals, NULL, await_signals, g) != 0)
		abort();
	gateway_watchdog_start(g);
	event_loop_run(g->event_loop);
	whole = sinks_stop(g);
	transcript_flush(g);
	db_thread_stop(thread);
	pthread_join(at_db_thread, NULL);
	if (cluster_is_connected(g->cluster)) /* else it may wait for a name server */
		cluster_close(g->cluster);
	return whole ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Running work and its memory end with the process. */
static _Noreturn void
run(struct gateway_process *l)
{
	struct arena *mem = l->gateway.mem = arena_new();
	const char *lock;
	struct conf conf;
	int fd;

	/* read before the database is opened, which may have to wait */
	if (conf_read(mem, &conf) != OK || !process_may_write(conf.state_dir))
		_exit(EXIT_FAILURE);
	lock = arena_printf(mem, "%s/gateway.lock", conf.state_dir);
	if ((fd = file_lock(lock, LOCK_EX | LOCK_NB)) < 0) { /* held until we exit */
		if (errno == EWOULDBLOCK)
			_exit(EXIT_SUCCESS);
		log_error("%s: %s", lock, strerror(errno));
		_exit(EXIT_FAILURE);
	}
	/* for commands that send us SIGHUP */
	if (ftruncate(fd, 0) != 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0)
		log_warn("%s: %s", lock, strerror(errno));
	_exit(open_gateway(l) ? run_gateway(&l->gateway) : EXIT_FAILURE);
}

int
main(int argc, char **argv)
{
	static struct gateway_process process;

	if (argc == 2 && strcmp(argv[1], "--asyncapi") == 0) {
		asyncapi_print();
		return EXIT_SUCCESS;
	}
	if (argc == 2 &&
	    (strcmp(argv[1], "--openapi") == 0 || strcmp(argv[1], "--routes") == 0))
		return routes_print(arena_new(), http_described, argv[1]);
	log_program("gateway");
	process_protect_memory();
	mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
	block_signals();
	run(&process);
}
