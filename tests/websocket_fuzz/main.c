/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends forbidden frames to a gateway, which must survive them:
 *
 *	websocket_fuzz SECONDS SEED WEB GATEWAY KEY PID [NUMBER]
 *
 * WEB and GATEWAY are HOST:PORT, KEY is of an account without limits, PID the
 * gateway's.  While some connections attack, others translate phrases, and
 * /streaming-api/health is read.  In the end the gateway is the same process, with as
 * many descriptors as before and little more memory.
 *
 * SEED and n alone determine the acts of the n-th connection.  With NUMBER the program
 * makes only that connection.
 */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"
#include "base/clock.h"
#include "healthy.h"

#define ATTACKERS 4
#define LINGERING 8 /* attacking connections that each thread leaves open */
#define HEALTH_S 5  /* until /streaming-api/health must answer */
/* until the gateway must have noticed that all connections are closed */
#define IDLE_S 30
#define GROWTH_KB (64 << 10)
#define TOLD 20 /* failures that are printed in full */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct tally {
	size_t made, upgraded, closed, lost, quirks;
};

struct siege {
	struct addresses addresses;
	uint64_t seed;
	int pid;
	bool alone; /* the number of the only connection to make */
	atomic_bool over;
	atomic_ulong next;
	atomic_int failures;
	pthread_mutex_t lock;
	struct tally tallies[64]; /* counts by attack, in the order of attacks[] */
	double slowest_health_s;
	size_t healths;
};

/* ---- the gateway, seen from outside ---- */

static int
count_files(int pid)
{
	char path[64];
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	if ((dir = opendir(path)) == NULL)
		return -1;
	for (struct dirent *e; (e = readdir(dir)) != NULL;)
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void
print_files(int pid)
{
	char path[96], to[256];

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		if ((n = readlink(path, to, sizeof(to) - 1)) > 0)
			printf("  %d %.*s\n", fd, (int)n, to);
	}
}

/* VmRSS or VmHWM, KiB; 0: the process has ended. */
static long
memory_kb(int pid, const char *name)
{
	char path[64], line[256];
	long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if ((f = fopen(path, "r")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			kb = atol(line + strlen(name) + 1);
	fclose(f);
	return kb;
}

static void
nap(double s)
{
	const struct timespec t = { .tv_sec = (time_t)s,
		.tv_nsec = (long)(fmod(s, 1) * 1e9) };

	nanosleep(&t, NULL);
}

static void
fail(struct siege *s, const char *what, const char *more)
{
	if (s->failures++ < TOLD)
		printf("WRONG %s: %s\n", what, more);
	fflush(stdout);
}

/*
 * Waits until the gateway has noticed that all clients left; returns its open
 * descriptors.
 */
static int
await_idle(struct siege *s, int at_most)
{
	int files = 0;

	for (int i = 0; i < IDLE_S * 4; i++) {
		struct arena *mem = arena_new();
		const char *body = house_health(mem, &s->addresses);
		bool idle = body != NULL &&
			    strstr(body, "\"connections\":0,\"tasks\":0") != NULL;

		arena_free(mem);
		nap(0.25);
		files = count_files(s->pid);
		if (idle && files <= at_most)
			return files;
		if (!idle && i == IDLE_S * 4 - 1)
			fail(s, "the gateway", "connections or tasks are left");
	}
	return files;
}

/* ---- attackers ---- */

struct attacker {
	struct siege *siege;
	struct endpoint endpoint;
	struct attempt left[LINGERING]; /* still open; wire NULL: none */
	size_t nleft;
};

static void
tell(struct siege *s, size_t which, unsigned long number, const struct attempt *b)
{
	struct tally *t = &s->tallies[which];
	const struct heard *h = b->wire != NULL ? wire_hear(b->wire, 0, 0) : NULL;
	const char *wrong = b->wrong;
	char name[96];

	if (wrong == NULL && b->status == 101 && h != NULL)
		wrong = h->wrong;
	snprintf(name, sizeof(name), "connection %lu, %s", number, attacks[which].name);
	if (wrong != NULL)
		fail(s, name, wrong);
	pthread_mutex_lock(&s->lock);
	t->made++;
	t->upgraded += b->status == 101;
	t->closed += b->status == 101 && h != NULL && h->code != 0;
	t->lost += b->status == 101 && h != NULL && h->code == 0 && h->ended;
	t->quirks += b->status == 101 && h != NULL && h->quirk;
	pthread_mutex_unlock(&s->lock);
}

static void
drop(struct attempt *b)
{
	if (b->wire != NULL)
		wire_close(b->wire);
	arena_free(b->mem);
	b->mem = NULL;
	b->wire = NULL;
}

/* Closes with a closing frame, without one, or not at all for now. */
static void
leave(struct attacker *a, struct attempt *b)
{
	struct attempt *place = &a->left[a->nleft % LINGERING];
	struct buf bye = { .mem = b->mem };

	switch (b->wire != NULL ? dice_roll(&b->dice, 5) : 4) {
	case 0:
		bout_frame(b, &bye, CLOSE, "\3\350", 2);
		bout_send(b, &bye);
		wire_hear(b->wire, 0.3, 0);
		break;
	case 1:
		wire_shut(b->wire);
		wire_hear(b->wire, 0.1, 0);
		break;
	case 2:
		wire_break(b->wire);
		b->wire = NULL;
		break;
	case 3:
		if (place->mem != NULL)
			drop(place);
		*place = *b;
		a->nleft++;
		return;
	default:
		break;
	}
	drop(b);
}

static void
fight(struct attacker *a, unsigned long number, size_t which)
{
	struct attempt b = { .mem = arena_new(), .endpoint = &a->endpoint };

	b.dice.state = a->siege->seed + number * UINT64_C(0x632be59bd9b4e019);
	if (which == nattacks)
		which = dice_roll(&b.dice, nattacks);
	b.kind = (enum kind)dice_roll(&b.dice, KINDS);
	attacks[which].run(&b);
	if (a->siege->alone)
		printf("connection %lu, %s: status %d\n", number, attacks[which].name,
		    b.status);
	tell(a->siege, which, number, &b);
	leave(a, &b);
}

static void
drop_all(struct attacker *a)
{
	for (size_t i = 0; i < LINGERING; i++)
		if (a->left[i].mem != NULL)
			drop(&a->left[i]);
}

static void *
attack_on(void *arg)
{
	struct siege *s = arg;
	struct attacker a = { .siege = s, .endpoint.addresses = &s->addresses };

	while (!s->over)
		fight(&a, s->next++, nattacks);
	drop_all(&a);
	return NULL;
}

/* ---- the siege ---- */

static void
ask_health(struct siege *s)
{
	struct arena *mem = arena_new();
	int64_t begun_us = monotonic_us();
	bool good = house_health(mem, &s->addresses) != NULL;
	double took_s = (double)(monotonic_us() - begun_us) / S_US;

	arena_free(mem);
	s->healths++;
	s->slowest_health_s = fmax(s->slowest_health_s, took_s);
	if (!good || took_s > HEALTH_S)
		fail(s, "health", good ? "answered late" : "not answered");
}

/* Runs everything once, so that descriptors and memory that stay open are counted. */
static void
warm_up(struct siege *s)
{
	struct attacker a = { .siege = s, .endpoint.addresses = &s->addresses };

	for (size_t i = 0; i < nattacks; i++)
		fight(&a, i, i);
	drop_all(&a);
	memset(s->tallies, 0, sizeof(s->tallies));
}

static void
run_healthy(struct siege *s, struct healthy *all, pthread_t *threads, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		all[i].endpoint.addresses = &s->addresses;
		all[i].over = &s->over;
		pthread_create(&threads[i], NULL, healthy_run, &all[i]);
	}
}

static void
end_healthy(struct siege *s, struct healthy *all, pthread_t *threads, size_t n)
{
	static const char *const names[KINDS] = { "S2S", "STT", "TTS" };

	for (size_t i = 0; i < n; i++) {
		void *mem;

		pthread_join(threads[i], &mem);
		printf("healthy %s%s: %d phrases, longest wait %.2f s\n",
		    names[all[i].kind], all[i].by_web ? " through the web server" : "",
		    (int)all[i].phrases, all[i].longest_s);
		if (all[i].wrong != NULL || all[i].phrases == 0)
			fail(s, names[all[i].kind],
			    all[i].wrong != NULL ? all[i].wrong : "no phrase at all");
		arena_free(mem);
	}
}

static void
besiege(struct siege *s, int seconds)
{
	struct healthy healthy[] = { { .kind = KIND_S2S },
		{ .kind = KIND_S2S, .by_web = true }, { .kind = KIND_STT },
		{ .kind = KIND_TTS, .by_web = true } };
	pthread_t at[COUNT(healthy)], against[ATTACKERS];
	int64_t end_us = monotonic_us() + seconds * S_US;

	run_healthy(s, healthy, at, COUNT(healthy));
	for (int i = 0; i < ATTACKERS; i++)
		pthread_create(&against[i], NULL, attack_on, s);
	while (monotonic_us() < end_us && memory_kb(s->pid, "VmRSS") > 0) {
		ask_health(s);
		nap(0.5);
	}
	s->over = true;
	for (int i = 0; i < ATTACKERS; i++)
		pthread_join(against[i], NULL);
	end_healthy(s, healthy, at, COUNT(healthy));
}

static void
print_tallies(const struct siege *s)
{
	printf("%-16s %8s %8s %8s %8s %8s\n", "", "made", "upgraded", "closed", "lost",
	    "quirks");
	for (size_t i = 0; i < nattacks; i++) {
		const struct tally *t = &s->tallies[i];

		printf("%-16s %8zu %8zu %8zu %8zu %8zu\n", attacks[i].name, t->made,
		    t->upgraded, t->closed, t->lost, t->quirks);
	}
	printf("%lu connections; health asked %zu times, slowest %.2f s\n",
	    (unsigned long)s->next, s->healths, s->slowest_health_s);
}

static void
hold(struct siege *s, int seconds)
{
	int files, after;
	long kb, later_kb;

	warm_up(s);
	files = await_idle(s, 0x10000);
	kb = memory_kb(s->pid, "VmRSS");
	besiege(s, seconds);
	after = await_idle(s, files);
	later_kb = memory_kb(s->pid, "VmRSS");
	print_tallies(s);
	printf("descriptors %d, then %d; memory %ld KiB, then %ld, at most %ld\n",
	    files, after, kb, later_kb, memory_kb(s->pid, "VmHWM"));
	if (after > files) {
		fail(s, "the gateway", "descriptors are left over");
		print_files(s->pid);
	}
	if (later_kb == 0)
		fail(s, "the gateway", "the process is gone");
	if (later_kb > kb + kb / 2 + GROWTH_KB)
		fail(s, "the gateway", "it has grown");
}

int
main(int argc, char **argv)
{
	static struct siege s = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct arena *mem = arena_new();

	if (argc != 7 && argc != 8) {
		fprintf(stderr, "usage: websocket_fuzz SECONDS SEED WEB GATEWAY KEY "
				"PID [NUMBER]\n");
		return 2;
	}
	s.seed = strtoull(argv[2], NULL, 10);
	s.addresses = (struct addresses){ argv[3], argv[4], argv[5] };
	s.pid = atoi(argv[6]);
	sounds_read(mem);
	printf("seed %s\n", argv[2]);
	if (argc == 8) {
		struct attacker a = { .siege = &s, .endpoint.addresses = &s.addresses };

		s.alone = true;
		fight(&a, strtoul(argv[7], NULL, 10), nattacks);
		drop_all(&a);
	} else
		hold(&s, atoi(argv[1]));
	arena_free(mem);
	printf("websocket_fuzz: %s\n", s.failures > 0 ? "FAILED" : "everything passed");
	return s.failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
