/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/metrics.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "web/web.h"

/* most routes of a program; one more row is for requests without a route */
#define ROUTES 32
#define NAME 96 /* bytes of a route's pattern */
#define PROGRAMS 32
#define CLOSES 96 /* combinations of kind, code and reason of closed sockets */
#define AGAIN_US (3 * S_US) /* interval of tries to map the file */

/* Every status of the contract; the last item counts all others. */
static const int statuses[] = { 200, 201, 202, 204, 206, 304, 307, 400, 401, 403, 404,
	405, 409, 411, 412, 413, 414, 415, 416, 422, 426, 429, 431, 500, 501, 502, 503,
	504, 507, 0 };
#define STATUSES ((int)(sizeof(statuses) / sizeof(statuses[0])))

static const double bounds_s[] = { 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
	0.5, 1, 2.5, 5, 10 };
#define BOUNDS ((int)(sizeof(bounds_s) / sizeof(bounds_s[0])))

struct metric {
	char method[8];
	char path[NAME];
	_Atomic uint64_t answers[STATUSES];
	_Atomic uint64_t within[BOUNDS + 1]; /* the last one: above all bounds */
	_Atomic uint64_t took_us;
};

struct closes {
	char labels[80]; /* "": free */
	_Atomic uint64_t n;
};

/* The content of a file. */
struct table {
	struct metric of[ROUTES + 1];
	struct closes closed[CLOSES];
	_Atomic uint64_t busy; /* ERR_BUSY results of the database */
	_Atomic uint64_t hls_held, hls_refused;
};

struct metrics {
	struct table *table; /* NULL: not mapped yet */
	const char *path;
	const struct route *routes;
	int64_t next_us; /* time of the next try to map the file */
};

static struct table *
map(const char *path, int flags, int prot)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if ((!(flags & O_CREAT) || (posix_fallocate(fd, 0, sizeof(struct table)) == 0 &&
				       ftruncate(fd, sizeof(struct table)) == 0)) &&
	    fstat(fd, &st) == 0 && st.st_size == sizeof(struct table))
		p = mmap(NULL, sizeof(struct table), prot, MAP_SHARED, fd, 0);
	close(fd);
	return p != MAP_FAILED ? p : NULL;
}

/* Name a row; clears the counts of another version's route. */
static void
name_row(struct metric *m, const char *method, const char *path)
{
	if (strncmp(m->method, method, sizeof(m->method)) == 0 &&
	    strncmp(m->path, path, sizeof(m->path)) == 0)
		return;
	memset(m, 0, sizeof(*m));
	snprintf(m->method, sizeof(m->method), "%s", method);
	snprintf(m->path, sizeof(m->path), "%s", path);
}

static bool
begin(struct metrics *m)
{
	struct table *t = map(m->path, O_RDWR | O_CREAT, PROT_READ | PROT_WRITE);

	m->next_us = monotonic_us() + AGAIN_US;
	if (t == NULL)
		return false;
	for (int i = 0; i < ROUTES && m->routes[i].method != NULL; i++)
		name_row(&t->of[i], m->routes[i].method, m->routes[i].path);
	name_row(&t->of[ROUTES], "-", "-");
	m->table = t;
	return true;
}

struct metrics *
metrics_open(
    struct arena *mem, const char *dir, const char *program, const struct route *routes)
{
	struct metrics *m = arena_alloc(mem, sizeof(*m));

	*m = (struct metrics){ .path = arena_printf(mem, "%s/metrics-%s", dir, program),
		.routes = routes };
	if (!begin(m))
		log_error("cannot map %s; answers are not counted", m->path);
	return m;
}

void
metrics_close(struct metrics *m)
{
	if (m != NULL && m->table != NULL)
		munmap(m->table, sizeof(*m->table));
}

/* The table; mapped here if the disk was too full when the program started. */
static struct table *
table_of(struct metrics *m)
{
	if (m == NULL || m->table != NULL)
		return m != NULL ? m->table : NULL;
	if (monotonic_us() >= m->next_us && begin(m))
		log_warn("%s is mapped now; answers are counted", m->path);
	return m->table;
}

void
metrics_count(struct metrics *m, int route, int status, int64_t took_us)
{
	struct table *t = table_of(m);
	struct metric *row;
	int i = 0, k = 0;

	if (t == NULL)
		return;
	row = &t->of[route >= 0 && route < ROUTES ? route : ROUTES];
	while (i < BOUNDS && (double)took_us > bounds_s[i] * 1e6)
		i++;
	while (k < STATUSES - 1 && statuses[k] != status)
		k++;
	atomic_fetch_add(&row->answers[k], 1);
	atomic_fetch_add(&row->within[i], 1);
	atomic_fetch_add(&row->took_us, (uint64_t)took_us);
}

void
metrics_busy(struct metrics *m, int64_t times)
{
	struct table *t = times > 0 ? table_of(m) : NULL;

	if (t != NULL)
		atomic_fetch_add(&t->busy, (uint64_t)times);
}

void
metrics_hls(struct metrics *m, int64_t held, int64_t refused)
{
	struct table *t = table_of(m);

	if (t == NULL)
		return;
	t->hls_held = (uint64_t)held;
	atomic_fetch_add(&t->hls_refused, (uint64_t)refused);
}

void
metrics_closed(struct metrics *m, const char *kind, int code, const char *reason)
{
	struct table *t = table_of(m);
	char labels[sizeof(t->closed[0].labels)];
	struct closes *c;
	int i = 0;

	if (t == NULL)
		return;
	snprintf(labels, sizeof(labels), "kind=\"%s\",code=\"%d\",reason=\"%.40s\"",
	    kind, code, reason);
	while (i < CLOSES && t->closed[i].labels[0] != '\0' &&
	       strncmp(t->closed[i].labels, labels, sizeof(labels)) != 0)
		i++;
	if (i == CLOSES)
		return;
	c = &t->closed[i];
	if (c->labels[0] == '\0')
		memcpy(c->labels, labels, sizeof(labels));
	atomic_fetch_add(&c->n, 1);
}

static void
write_closes(struct buf *b, const struct table *t)
{
	for (int i = 0; i < CLOSES && t->closed[i].n > 0; i++)
		buf_printf(b, "dragoman_sockets_closed_total{%.79s} %llu\n",
		    t->closed[i].labels, (unsigned long long)t->closed[i].n);
}

static void
write_answers(struct buf *b, const struct metric *m)
{
	for (int i = 0; i < STATUSES; i++)
		if (m->answers[i] > 0)
			buf_printf(b,
			    "dragoman_requests_total{route=\"%s\",method=\"%s\","
			    "status=\"%d\"} %llu\n",
			    m->path, m->method, statuses[i],
			    (unsigned long long)m->answers[i]);
}

static void
write_times(struct buf *b, const struct metric *m)
{
	unsigned long long n = 0;

	for (int i = 0; i <= BOUNDS; i++) {
		n += m->within[i];
		buf_printf(b,
		    "dragoman_request_seconds_bucket{route=\"%s\",method=\"%s\",le=\"",
		    m->path, m->method);
		if (i < BOUNDS)
			buf_printf(b, "%g\"} %llu\n", bounds_s[i], n);
		else
			buf_printf(b, "+Inf\"} %llu\n", n);
	}
	buf_printf(b,
	    "dragoman_request_seconds_sum{route=\"%s\",method=\"%s\"} %.6f\n"
	    "dragoman_request_seconds_count{route=\"%s\",method=\"%s\"} %llu\n",
	    m->path, m->method, (double)m->took_us / 1e6, m->path, m->method, n);
}

static void
add_row(struct metric *to, const struct metric *m)
{
	for (int i = 0; i < STATUSES; i++)
		to->answers[i] += m->answers[i];
	for (int i = 0; i <= BOUNDS; i++)
		to->within[i] += m->within[i];
	to->took_us += m->took_us;
}

/*
 * The tables of all programs, with the sum of their rows for requests without a route.
 */
struct gathered {
	struct table *of[PROGRAMS];
	int n;
	struct metric unmatched;
	uint64_t busy, hls_held, hls_refused;
};

static void
gather(struct gathered *g, struct arena *mem, const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *de;
	struct table *t;

	while (d != NULL && g->n < PROGRAMS && (de = readdir(d)) != NULL) {
		if (strncmp(de->d_name, "metrics-", 8) != 0 ||
		    (t = map(arena_printf(mem, "%s/%s", dir, de->d_name), O_RDONLY,
			 PROT_READ)) == NULL)
			continue;
		g->of[g->n++] = t;
		add_row(&g->unmatched, &t->of[ROUTES]);
		g->busy += t->busy;
		g->hls_held += t->hls_held;
		g->hls_refused += t->hls_refused;
	}
	if (d != NULL)
		closedir(d);
}

static void
each_row(struct buf *b, const struct gathered *g,
    void (*write_row)(struct buf *, const struct metric *))
{
	for (int k = 0; k < g->n; k++)
		for (int i = 0; i < ROUTES && g->of[k]->of[i].path[0] != '\0'; i++)
			write_row(b, &g->of[k]->of[i]);
	write_row(b, &g->unmatched);
}

void
metrics_write(struct buf *b, const char *dir)
{
	struct gathered g = { .unmatched = { "-", "-" } };

	gather(&g, b->mem, dir);
	buf_str(b, "# HELP dragoman_requests_total Answers by route and status.\n"
		   "# TYPE dragoman_requests_total counter\n");
	each_row(b, &g, write_answers);
	buf_str(b, "# HELP dragoman_request_seconds Time from request to answer.\n"
		   "# TYPE dragoman_request_seconds histogram\n");
	each_row(b, &g, write_times);
	buf_printf(b,
	    "# HELP dragoman_db_busy_total Times the database's lock was not "
	    "obtained.\n# TYPE dragoman_db_busy_total counter\n"
	    "dragoman_db_busy_total %llu\n",
	    (unsigned long long)g.busy);
	buf_printf(b,
	    "# HELP dragoman_hls_requests_held Requests for parts and playlists to "
	    "come."
	    "\n# TYPE dragoman_hls_requests_held gauge\n"
	    "dragoman_hls_requests_held %llu\n"
	    "# HELP dragoman_hls_requests_refused_total Those that waited in vain, or "
	    "too "
	    "many.\n# TYPE dragoman_hls_requests_refused_total counter\n"
	    "dragoman_hls_requests_refused_total %llu\n",
	    (unsigned long long)g.hls_held, (unsigned long long)g.hls_refused);
	buf_str(b,
	    "# HELP dragoman_sockets_closed_total Sockets that the server closed.\n"
	    "# TYPE dragoman_sockets_closed_total counter\n");
	for (int k = 0; k < g.n; k++)
		write_closes(b, g.of[k]);
	for (int k = 0; k < g.n; k++)
		munmap(g.of[k], sizeof(*g.of[k]));
}
