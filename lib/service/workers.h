/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_WORKERS_H
#define SERVICE_WORKERS_H

struct cli;

/*
 * The programs in workers/ that cron starts: all of that folder but dragoman and its
 * helpers, dragoman-*.  These rows are the source of the crontab, GET /health,
 * dragoman-workers(8), the operators' guide and the tests' instances.
 */
struct worker_program {
	/* name of its file, its log, its lock and its row of /health */
	const char *name;
	const char *does;     /* a sentence, for crontab and manual */
	const char *silent;   /* shown to operators while it does not run; Markdown */
	const char *settings; /* its own section of dragoman.conf, or NULL */
	enum {
		WORKER_EACH_MINUTE, /* cron starts it; it watches for worker.linger_s */
		WORKER_STAYS /* runs until it is stopped; a second one exits at once */
	} mode;
};

/* Sorted by name, as in /health. The last row has no name. */
extern const struct worker_program worker_programs[];

/* `dragoman crontab`: the lines for this installation. */
int workers_crontab(struct cli *);

#endif
