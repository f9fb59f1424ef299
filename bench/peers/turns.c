/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: turns CONNECTIONS TARGET... <cases
 *
 * Sends the same requests to several servers in turn, a fraction of a second each, so
 * that the other load of the machine affects all alike. Cases are those of
 * bench/load.c. A TARGET is
 *
 *	NAME=PORT/GROUP[,GROUP]...      a server and the process groups behind it;
 *	                                "floor..." may answer with any status
 *	NAME=DATABASE/ACCOUNT/WRITERS   no server: so many processes at most insert
 *	                                rows of this account (insert.h)
 *
 * and all others are compared with the first. Prints for each case and target, with
 * tabs between: case, connections, target, requests/s, the median over the rounds of
 * the first target's requests/s divided by this one's, microseconds of processor time
 * of the web server and of the programs for each request, microseconds that half and 99
 * % of the answers took at most, the number of wrong answers.
 */
#define LOAD_CLIENT_ONLY
#include "bench/load.c"

#include "bench/peers/insert.h"

#define TARGETS_MAX 12

struct cpu {
	double web_us, program_us;
};

struct target {
	const char *name, *groups; /* process groups: ",1,2," */
	const char *db, *account;  /* db NULL: the target is a server */
	int writers;
	struct run run;
	double rate[ROUNDS];
	struct cpu spent;
};

/* ---- processor time ---- */

static bool
read_line(const char *path, char *to, size_t size)
{
	FILE *f = fopen(path, "r");
	bool ok = f != NULL && fgets(to, (int)size, f) != NULL;

	if (f != NULL)
		fclose(f);
	return ok;
}

/* Processor time of all threads of a process, in microseconds. */
static double
threads_us(const char *pid)
{
	char path[300], line[128];
	struct dirent *d;
	double us = 0;
	DIR *all;

	snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	if ((all = opendir(path)) == NULL)
		return 0;
	while ((d = readdir(all)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/schedstat", pid,
		    d->d_name);
		if (d->d_name[0] != '.' && read_line(path, line, sizeof(line)))
			us += atof(line) / 1000;
	}
	closedir(all);
	return us;
}

/* True if the process is in one of the groups; also gets the name of its program. */
static bool
is_in(const char *pid, const char *groups, char name[32])
{
	char path[64], line[512], group[16];
	const char *open, *close;
	int leader;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (!read_line(path, line, sizeof(line)) ||
	    (open = strchr(line, '(')) == NULL ||
	    (close = strrchr(line, ')')) == NULL ||
	    sscanf(close, ") %*c %*d %d", &leader) != 1)
		return false;
	snprintf(group, sizeof(group), ",%d,", leader);
	snprintf(name, 32, "%.*s", (int)(close - open - 1), open + 1);
	return strstr(groups, group) != NULL;
}

/* True for the web server and the program that writes its log. */
static bool
is_web(const char *name)
{
	return strcmp(name, "lighttpd") == 0 || strcmp(name, "apache2") == 0 ||
	       strcmp(name, "sed") == 0 || strcmp(name, "sh") == 0;
}

/* Add to *to, times the sign, the processor time that the groups have used so far. */
static void
add_cpu(const char *groups, double sign, struct cpu *to)
{
	DIR *all = opendir("/proc");
	struct dirent *d;
	char name[32];

	if (all == NULL)
		fail("/proc");
	while ((d = readdir(all)) != NULL)
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9' &&
		    is_in(d->d_name, groups, name))
			*(is_web(name) ? &to->web_us : &to->program_us) +=
			    sign * threads_us(d->d_name);
	closedir(all);
}

/* ---- a case ---- */

static void
prepare(struct target *t, const struct run *p, uint32_t *us)
{
	uint16_t port = t->run.port;

	t->run = *p;
	t->run.port = port;
	t->run.any_status = strncmp(t->name, "floor", 5) == 0;
	t->spent = (struct cpu){ 0 };
	if (t->db == NULL)
		measure(&t->run, SLICE_US / 3); /* caches are warm in the measurement */
	t->run.done = 0;
	t->run.us = us;
}

static void
take_turn(struct target *t, int round)
{
	if (t->db != NULL) {
		int writers = t->writers < connections ? t->writers : connections;
		struct inserted in = insert_rows(t->db, t->account, writers, SLICE_US);

		t->rate[round] = in.rate;
		t->spent.program_us += in.cpu_us / ROUNDS;
		return;
	}
	add_cpu(t->groups, -1, &t->spent);
	t->rate[round] = measure(&t->run, SLICE_US);
	add_cpu(t->groups, 1, &t->spent);
}

static double
median(const double v[ROUNDS])
{
	double sorted[ROUNDS];

	memcpy(sorted, v, sizeof(sorted));
	qsort(sorted, ROUNDS, sizeof(*sorted), by_size);
	return sorted[ROUNDS / 2];
}

static void
tell(struct target *t, const struct target *first)
{
	size_t n = (size_t)(t->run.done < TIMES_MAX ? t->run.done : TIMES_MAX);
	double ratio[ROUNDS], done = t->run.done > 0 ? (double)t->run.done : 1;

	for (int i = 0; i < ROUNDS; i++)
		ratio[i] = first->rate[i] / t->rate[i];
	qsort(t->run.us, n, sizeof(*t->run.us), by_time);
	printf("%s\t%d\t%s\t%.1f\t%.4f\t%.1f\t%.1f\t%u\t%u\t%lld\n", t->run.name,
	    connections, t->name, median(t->rate), median(ratio),
	    t->spent.web_us / done, t->spent.program_us / done,
	    n > 0 ? t->run.us[n / 2] : 0, n > 0 ? t->run.us[n * 99 / 100] : 0,
	    (long long)t->run.wrong);
}

static void
turn(struct target t[], int n, const struct run *p)
{
	static uint32_t us[TARGETS_MAX][TIMES_MAX];

	for (int i = 0; i < n; i++)
		prepare(&t[i], p, us[i]);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < n; i++)
			take_turn(&t[i], round);
	for (int i = 0; i < n; i++)
		tell(&t[i], &t[0]);
	fflush(stdout);
}

/* ---- what to ask ---- */

/* Read a target as described at the top of this file; false: invalid. */
static bool
read_target(char *s, struct target *t)
{
	static char groups[TARGETS_MAX][256], (*next)[256] = groups;
	char *to, *of, *writers;

	if ((to = strchr(s, '=')) == NULL || (of = strrchr(to, '/')) == NULL)
		return false;
	*to++ = *of++ = '\0';
	t->name = s;
	if (*to != '/') {
		snprintf(*next, sizeof(*next), ",%s,", of);
		t->groups = *next++;
		t->run.port = (uint16_t)atoi(to);
		return true;
	}
	writers = of;
	if ((of = strrchr(to, '/')) == NULL)
		return false;
	*of++ = '\0';
	t->db = to;
	t->account = of;
	t->writers = atoi(writers);
	return t->writers > 0;
}

static bool
read_case(char *line, char *field[6])
{
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 6; i++)
		if ((field[i] = strsep(&line, "\t")) == NULL)
			return false;
	return true;
}

int
main(int argc, char **argv)
{
	static struct target t[TARGETS_MAX];
	static char line[65536];
	static struct run p;
	int n = argc - 2;
	char *field[6];

	if (n < 1 || n > TARGETS_MAX || (connections = atoi(argv[1])) < 1 ||
	    connections > CONNECTIONS_MAX)
		return 2;
	for (int i = 0; i < n; i++)
		if (!read_target(argv[i + 2], &t[i]))
			return 2;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (!read_case(line, field))
			return 2;
		if (!add(&p, field)) {
			turn(t, n, &p);
			clear(&p);
			add(&p, field);
		}
	}
	if (p.n > 0)
		turn(t, n, &p);
	return 0;
}
