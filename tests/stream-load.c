/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: stream-load BASE_URL KEY [OPTION=VALUE | KIND=COUNT]...
 *
 * Clients of one gateway, in any number, in one thread.  Kinds: speaker, listener (of
 * the speakers), stt, tts, idle, paused, probe (pings), door (connects again and
 * again), dropper (closes its connection and reconnects), bad.  Options:
 *
 *	seconds=30   how long, once all are connected
 *	open_ms=10   time between two that connect
 *	sound=FILE   audio of speakers; without: tones
 *	to=es        target language
 *	models=A,M,T engines that speakers request; without: any
 *	listen=Q     more query parameters of listeners: "&format=opus"
 *	channel=C    "URL TOKEN" of the channel for speakers
 *	joined=FILE  a line "URL TOKEN" for each listener; without: of the speakers
 *
 *	lines=1      phrase n must be understood as "sentence number n"
 *	phrases=0    phrases of a speaker before it leaves; 0: until the end
 *	eos=2        eos_timeout of end_task
 *	churn=1      a client that left comes again
 *	every=60     seconds between two lines of counts
 *	wait=1       at the end wait for a line of input before the clients leave
 *	wait=2       run until a line of input, not for some seconds
 *
 * Prints lines separated by tabs: "ready"; "tick" and counts; "held"; "wrong" and an
 * error; at the end "figure", name, number, and the ms that half, 95 % and all took at
 * most; and "counts".  Fails if there was an error.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "stream-load.h"

#define CLIENTS 16384
#define EVENTS 256
#define COME_S 120    /* until all clients are connected */
#define LEAVE_S 90    /* until all clients have left */
#define WRONG_MOST 20 /* from here until all clients are connected */

static const struct kind *const kinds[] = { &speaker_kind, &listener_kind, &stt_kind,
	&tts_kind, &idle_kind, &paused_kind, &probe_kind, &door_kind, &dropper_kind,
	&bad_kind };
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct options {
	const char *sound;
	double seconds, every;
	int wait;
	struct load *load;
};

static _Noreturn void
die(const char *what, const char *more)
{
	fprintf(stderr, "stream-load: %s %s\n", what, more);
	exit(2);
}

/* ---- options ---- */

static void
add_clients(struct load *l, const struct kind *k, int n)
{
	for (int i = 0; i < n; i++) {
		struct client *c = &l->clients[l->n++];

		if (l->n == CLIENTS)
			die("too many clients", "");
		*c = (struct client){
			.kind = k, .load = l, .number = i, .life = arena_new()
		};
		c->self = calloc(1, k->size);
	}
}

/* Ends with NULL. */
static const char **
file_lines(struct arena *mem, const char *name)
{
	const char **lines = arena_alloc(mem, (CLIENTS + 1) * sizeof(*lines));
	FILE *f = fopen(name, "r");
	char *line = NULL;
	size_t room = 0;

	if (f == NULL)
		die("no file:", name);
	for (size_t i = 0; i < CLIENTS && getline(&line, &room, f) > 0; i++)
		lines[i] = arena_dup(mem, line, strcspn(line, "\n"));
	free(line);
	fclose(f);
	return lines;
}

static bool
take_option(struct options *o, const char *name, const char *value)
{
	struct load *l = o->load;

	if (strcmp(name, "seconds") == 0)
		o->seconds = atof(value);
	else if (strcmp(name, "open_ms") == 0)
		l->open_us = atoll(value) * 1000;
	else if (strcmp(name, "sound") == 0)
		o->sound = value;
	else if (strcmp(name, "to") == 0)
		l->to = value;
	else if (strcmp(name, "models") == 0)
		l->models = value;
	else if (strcmp(name, "listen") == 0)
		l->listen = value;
	else if (strcmp(name, "channel") == 0)
		l->channel = value;
	else if (strcmp(name, "joined") == 0)
		l->joined = file_lines(l->mem, value);
	else if (strcmp(name, "lines") == 0)
		l->lines = atoi(value) != 0;
	else if (strcmp(name, "phrases") == 0)
		l->phrases = atoi(value);
	else if (strcmp(name, "eos") == 0)
		l->eos_s = atoi(value);
	else if (strcmp(name, "churn") == 0)
		l->churn = atoi(value) != 0;
	else if (strcmp(name, "every") == 0)
		o->every = atof(value);
	else if (strcmp(name, "wait") == 0)
		o->wait = atoi(value);
	else
		return false;
	return true;
}

static void
read_option(struct options *o, struct arena *mem, const char *text)
{
	size_t n = strcspn(text, "="), i = 0;
	const char *name = arena_dup(mem, text, n);

	if (text[n] == '\0')
		die("no option:", text);
	if (take_option(o, name, text + n + 1))
		return;
	while (i < KINDS && strcmp(kinds[i]->name, name) != 0)
		i++;
	if (i == KINDS)
		die("no option:", text);
	add_clients(o->load, kinds[i], atoi(text + n + 1));
}

/* ---- the loop ---- */

static void
take_all(struct client *c)
{
	struct load *l = c->load;
	struct ws_message m = { .kind = WS_TEXT };

	while (c->ws != NULL && client_answered(c) && c->ws != NULL) {
		m = ws_next(c->ws, l->scratch, 0);
		if (m.kind == WS_SILENCE)
			break;
		c->kind->hear(c, &m, monotonic_us());
		arena_reset(l->scratch);
	}
}

/* Returns when the next client is due. */
static int64_t
act_all(struct load *l)
{
	int64_t next = monotonic_us() + S_US;

	for (size_t i = 0; i < l->n; i++) {
		struct client *c = &l->clients[i];
		int64_t now = monotonic_us();

		if (c->due_us <= now && !c->done) {
			c->kind->act(c, now);
			arena_reset(l->scratch);
		}
		next = c->due_us < next ? c->due_us : next;
	}
	return next;
}

static void
turn(struct load *l)
{
	struct epoll_event e[EVENTS];
	int64_t left_us = act_all(l) - monotonic_us();
	int n = epoll_wait(
	    l->epoll, e, EVENTS, left_us > 0 ? (int)(left_us / 1000) + 1 : 0);

	for (int i = 0; i < n; i++)
		take_all(e[i].data.ptr);
}

static bool
all_are(const struct load *l, bool up)
{
	for (size_t i = 0; i < l->n; i++)
		if (up ? !l->clients[i].up : !l->clients[i].done)
			return false;
	return true;
}

/* Create all sessions before the speech begins. */
static void
make_sessions(struct load *l)
{
	for (size_t i = 0; i < l->n && counted("wrong") < WRONG_MOST; i++) {
		if (l->clients[i].kind != &listener_kind)
			session_ready(&l->clients[i]);
		arena_reset(l->scratch);
	}
}

static void
come(struct load *l)
{
	int64_t now, until_us;

	make_sessions(l);
	now = monotonic_us();
	until_us = now + COME_S * S_US;
	for (size_t i = 0; i < l->n; i++)
		l->clients[i].due_us = now + (int64_t)i * l->open_us;
	until_us += (int64_t)l->n * l->open_us;
	while (!all_are(l, true) && monotonic_us() < until_us &&
	       counted("wrong") < WRONG_MOST)
		turn(l);
	for (size_t i = 0; i < l->n; i++)
		if (!l->clients[i].up)
			wrong(&l->clients[i], "is not there in time");
	printf("ready\n");
	fflush(stdout);
}

static bool
is_told(const struct options *o)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return o->wait == 0 || poll(&in, 1, 0) > 0;
}

static void
hold(struct load *l, const struct options *o)
{
	int64_t now = monotonic_us(), end = now + (int64_t)(o->seconds * S_US);
	int64_t tick = now + (int64_t)(o->every * S_US);

	l->measuring = true;
	for (; now < end && !(o->wait == 2 && is_told(o)); now = monotonic_us()) {
		turn(l);
		if (o->every > 0 && now >= tick) {
			tell_counts("tick");
			tick += (int64_t)(o->every * S_US);
		}
	}
	l->measuring = false;
	printf("held\n");
	fflush(stdout);
	while (!is_told(o))
		turn(l);
}

static void
go(struct load *l)
{
	int64_t until_us = monotonic_us() + LEAVE_S * S_US;

	l->ending = true;
	for (size_t i = 0; i < l->n; i++) {
		l->clients[i].ending = true;
		l->clients[i].kind->finish(&l->clients[i]);
	}
	while (!all_are(l, false) && monotonic_us() < until_us)
		turn(l);
	for (size_t i = 0; i < l->n; i++)
		if (!l->clients[i].done)
			wrong(&l->clients[i], "does not come to an end");
}

int
main(int argc, char **argv)
{
	struct arena *mem = arena_new();
	static struct client clients[CLIENTS];
	struct load l = { .mem = mem,
		.scratch = arena_new(),
		.clients = clients,
		.to = "es",
		.listen = "",
		.eos_s = 2,
		.open_us = 10000,
		.silence_s = 0.7 };
	struct options o = { .seconds = 30, .load = &l };
	struct rusage cpu;

	if (argc < 3)
		die("BASE_URL KEY [OPTION=VALUE | KIND=COUNT]...", "");
	l.base = argv[1];
	l.key = argv[2];
	for (int i = 3; i < argc; i++)
		read_option(&o, mem, argv[i]);
	allow_files();
	l.epoll = epoll_create1(EPOLL_CLOEXEC);
	l.speech = o.sound != NULL ? sound_file(mem, o.sound)
				   : sound_tones(mem, SPEECH_HZ, true);
	l.hearing = sound_tones(mem, HEARING_HZ, false);
	come(&l);
	hold(&l, &o);
	go(&l);
	tell_figures();
	getrusage(RUSAGE_SELF, &cpu);
	count("own CPU ms", (cpu.ru_utime.tv_sec + cpu.ru_stime.tv_sec) * 1000 +
				(cpu.ru_utime.tv_usec + cpu.ru_stime.tv_usec) / 1000);
	tell_counts("counts");
	return counted("wrong") == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
