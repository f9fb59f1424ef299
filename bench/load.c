/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: load PORT FLOOR_PORT FOLDER <cases
 *
 * Measures how fast a server on this host answers, compared with a server that does
 * nothing (the floor). Each case is sent to both alternately, a fraction of a second
 * each, so that the other load of the machine affects both alike. Input has a line for
 * each request, with tabs between: case, expected status, method, path, header or "-",
 * body or "-". Lines of the same case are sent in turn.
 *
 * Prints for each case, with tabs between: case, requests/s, requests/s of the floor,
 * the median of their ratio over the rounds, microseconds that half and 99 % of the
 * answers took at most, the number of unexpected answers, and the microseconds of
 * processor time that the programs in FOLDER spent for each request.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "order.h"

#define CONNECTIONS_MAX 64
#define ROUNDS 5
#define SLICE_US 300000 /* microseconds of a round; half of it for the floor */
#define WAIT_MS 60000   /* after this time a request counts as unanswered */
#define TIMES_MAX (1 << 20)
#define REQUESTS_MAX 4096

static int connections = 4; /* number of connections; a program has as many processes */

struct ask {
	char *text;
	size_t n;
	int status;
};

struct run {
	char name[64];
	struct ask asks[REQUESTS_MAX];
	size_t n, next;
	bool any_status; /* true for the floor */
	uint16_t port;
	int64_t done, wrong;
	uint32_t *us;  /* duration of each request, or NULL */
	double cpu_us; /* processor time of the programs, for all requests */
};

struct place {
	uint16_t port, floor_port;
	const char *folder; /* folder of the programs behind port */
};

struct connection {
	int fd; /* -1: none */
	const struct ask *asked;
	int64_t since_us;
	char head[16384];
	size_t got;
	int64_t left; /* bytes of the body still to come; -1: the head is incomplete */
};

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- one connection ---- */

static void
hang_up(struct connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->asked = NULL;
}

static void
call(struct connection *c, uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	c->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		fail("connect");
}

static void
ask(struct connection *c, struct run *p)
{
	const struct ask *a = &p->asks[p->next++ % p->n];

	if (c->fd < 0)
		call(c, p->port);
	c->asked = a;
	c->since_us = monotonic_us();
	c->got = 0;
	c->left = -1;
	if (send(c->fd, a->text, a->n, MSG_NOSIGNAL) != (ssize_t)a->n)
		fail("send");
}

static const char *
header(const char *head, const char *name)
{
	const char *at = strcasestr(head, name);

	return at != NULL ? at + strlen(name) : "";
}

static int
status(const struct connection *c)
{
	return c->got > 12 ? atoi(c->head + 9) : 0;
}

/*
 * Read the length of the body once the head is complete; false: more bytes than that
 * have come.
 */
static bool
read_head(struct connection *c)
{
	char *end;

	c->head[c->got] = '\0';
	if ((end = strstr(c->head, "\r\n\r\n")) == NULL)
		return true;
	end[2] = '\0';
	c->left = status(c) == 304 || status(c) == 204
		      ? 0
		      : atoll(header(c->head, "\r\nContent-Length:"));
	c->left -= (int64_t)(c->head + c->got - end - 4);
	return c->left >= 0;
}

/* Receive bytes; false: close the connection. */
static bool
take(struct connection *c)
{
	static char body[65536];
	ssize_t n;

	if (c->left >= 0) {
		n = recv(c->fd, body, sizeof(body), 0);
		c->left -= n;
		return n > 0;
	}
	n = recv(c->fd, c->head + c->got, sizeof(c->head) - 1 - c->got, 0);
	if (n <= 0)
		return false;
	c->got += (size_t)n;
	return read_head(c);
}

/* ---- a slice of time ---- */

static void
note(struct run *p, const struct connection *c, bool whole)
{
	if (!whole || (!p->any_status && status(c) != c->asked->status))
		p->wrong++;
	if (p->us != NULL && p->done < TIMES_MAX)
		p->us[p->done] = (uint32_t)(monotonic_us() - c->since_us);
	p->done++;
}

/* The answer is complete or failed: begin the next request. */
static void
go_on(struct connection *c, struct run *p, bool whole, bool more)
{
	note(p, c, whole);
	c->asked = NULL;
	if (!whole || strncasecmp(header(c->head, "\r\nConnection:"), " close", 6) == 0)
		hang_up(c);
	if (more)
		ask(c, p);
}

static void
serve(struct connection *cs, struct run *p, int64_t end_us)
{
	struct pollfd fds[CONNECTIONS_MAX];
	int n;

	for (int i = 0; i < connections; i++)
		fds[i] = (struct pollfd){ cs[i].asked ? cs[i].fd : -1, POLLIN, 0 };
	n = poll(fds, (nfds_t)connections, WAIT_MS);
	for (int i = 0; i < connections; i++) {
		bool whole = true;

		if (cs[i].asked == NULL || (n > 0 && fds[i].revents == 0))
			continue;
		whole = n > 0 && take(&cs[i]);
		if (!whole || cs[i].left == 0)
			go_on(&cs[i], p, whole, monotonic_us() < end_us);
	}
}

static bool
waiting(const struct connection *cs)
{
	for (int i = 0; i < connections; i++)
		if (cs[i].asked != NULL)
			return true;
	return false;
}

/* Requests per second until the last answer came. */
static double
measure(struct run *p, int64_t for_us)
{
	struct connection cs[CONNECTIONS_MAX] = { 0 };
	int64_t start_us = monotonic_us(), before = p->done;

	for (int i = 0; i < connections; i++) {
		cs[i].fd = -1;
		ask(&cs[i], p);
	}
	while (waiting(cs))
		serve(cs, p, start_us + for_us);
	for (int i = 0; i < connections; i++)
		hang_up(&cs[i]);
	return (double)(p->done - before) * 1e6 / (double)(monotonic_us() - start_us);
}

#ifndef LOAD_CLIENT_ONLY /* see peers/turns.c */
/* ---- processor time ---- */

/* Processor time of a process, if it runs a program of the folder. */
static double
process_us(const char *pid, const char *folder)
{
	char path[64], program[PATH_MAX] = "";
	double ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/exe", pid);
	if (readlink(path, program, sizeof(program) - 1) < 0 ||
	    strncmp(program, folder, strlen(folder)) != 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%.20s/schedstat", pid);
	if ((f = fopen(path, "r")) == NULL)
		return 0;
	if (fscanf(f, "%lf", &ns) != 1)
		ns = 0;
	fclose(f);
	return ns / 1000;
}

static double
programs_us(const char *folder)
{
	DIR *all = opendir("/proc");
	struct dirent *d;
	double us = 0;

	if (all == NULL)
		fail("/proc");
	while ((d = readdir(all)) != NULL)
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			us += process_us(d->d_name, folder);
	closedir(all);
	return us;
}

/* ---- a case ---- */

static void
tell(struct run *p, const double rate[], const double floor_rate[])
{
	double ratio[ROUNDS], sum = 0, floor_sum = 0;
	size_t n = (size_t)(p->done < TIMES_MAX ? p->done : TIMES_MAX);

	for (int i = 0; i < ROUNDS; i++) {
		ratio[i] = rate[i] / floor_rate[i];
		sum += rate[i];
		floor_sum += floor_rate[i];
	}
	qsort(ratio, ROUNDS, sizeof(*ratio), by_size);
	qsort(p->us, n, sizeof(*p->us), by_time);
	printf("%s\t%.1f\t%.0f\t%.4f\t%u\t%u\t%lld\t%.0f\n", p->name, sum / ROUNDS,
	    floor_sum / ROUNDS, ratio[ROUNDS / 2], p->us[n / 2], p->us[n * 99 / 100],
	    (long long)p->wrong, p->cpu_us / (double)p->done);
	fflush(stdout);
}

static void
compare(struct run *run, const struct place *p)
{
	static struct run floor;
	static uint32_t us[TIMES_MAX];
	double rate[ROUNDS], floor_rate[ROUNDS];

	floor = *run;
	floor.port = p->floor_port;
	floor.any_status = true;
	run->port = p->port;
	measure(run, SLICE_US / 8); /* caches are warm in the measurement */
	run->done = 0;
	run->us = us;
	run->cpu_us = -programs_us(p->folder);
	for (int i = 0; i < ROUNDS; i++) {
		floor_rate[i] = measure(&floor, SLICE_US / 2);
		rate[i] = measure(run, SLICE_US);
	}
	run->cpu_us += programs_us(p->folder);
	run->wrong += floor.wrong;
	tell(run, rate, floor_rate);
}

#endif

/* ---- what to ask ---- */

static bool
given(const char *s)
{
	return strcmp(s, "-") != 0;
}

static struct ask
request(char *field[6])
{
	static char text[65536];
	const char *body = given(field[5]) ? field[5] : "";
	int n = snprintf(text, sizeof(text),
	    "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s%s", field[2], field[3],
	    given(field[4]) ? field[4] : "", given(field[4]) ? "\r\n" : "");

	if (*body != '\0')
		n += snprintf(text + n, sizeof(text) - (size_t)n,
		    "Content-Type: application/json\r\nContent-Length: %zu\r\n",
		    strlen(body));
	n += snprintf(text + n, sizeof(text) - (size_t)n, "\r\n%s", body);
	if (n >= (int)sizeof(text))
		fail("a request is too long");
	return (struct ask){ strdup(text), (size_t)n, atoi(field[1]) };
}

/* Add a line to the run; false: it belongs to another case. */
static bool
add(struct run *p, char *field[6])
{
	if (p->n > 0 && strcmp(p->name, field[0]) != 0)
		return false;
	snprintf(p->name, sizeof(p->name), "%s", field[0]);
	if (p->n < REQUESTS_MAX)
		p->asks[p->n++] = request(field);
	return true;
}

static void
clear(struct run *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->asks[i].text);
	*p = (struct run){ 0 };
}

#ifndef LOAD_CLIENT_ONLY
int
main(int argc, char **argv)
{
	static char line[65536];
	static struct run run;
	struct place p;
	char *field[6], *rest;

	if (argc != 4)
		return 2;
	p = (struct place){ (uint16_t)atoi(argv[1]), (uint16_t)atoi(argv[2]), argv[3] };
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		rest = line;
		for (int i = 0; i < 6; i++)
			if ((field[i] = strsep(&rest, "\t")) == NULL)
				return 2;
		if (!add(&run, field)) {
			compare(&run, &p);
			clear(&run);
			add(&run, field);
		}
	}
	if (run.n > 0)
		compare(&run, &p);
	return 0;
}
#endif
