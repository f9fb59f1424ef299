/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doctor/doctor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"

/* clang-format off */
/* A check that is another's cause stands before it. */
const struct doctor_check	 doctor_checks[] = {
	{ "database",    check_database,    10 },
	{ "disk",        check_disk,        10 },
	{ "permissions", check_permissions, 10 },
	{ "bucket",      check_bucket,      60 },
	{ "web",         check_web,         15 },
	{ "links",       check_links,       10 },
	{ "certificate", check_certificate, 10 },
	{ "gateway",     check_gateway,     15 },
	{ "places",      check_sockets,     10 },
	{ "webrtc",      check_webrtc,      30 },
	{ "turn",        check_turn,        60 },
	{ "workers",     check_workers,     10 },
	{ "integrity",   check_integrity,   60 },
	{ "clock",       check_clock,       15 },
	{ "nodes",       check_nodes,       60 },
	{ "nats",        check_nats,        60 },
	{ "engines",     check_engines,     30 },
	{ NULL },
};
/* clang-format on */

/* ---- one check ---- */

struct running {
	pid_t pid;
	int fd; /* descriptor of its findings */
};

static bool
begin(const struct conf *conf, const struct doctor_check *c, struct running *r)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	r->fd = ends[0];
	if ((r->pid = fork()) == 0) {
		struct check k = { c->name, arena_new(), conf, ends[1], NULL };

		c->run(&k);
		_exit(EXIT_SUCCESS);
	}
	close(ends[1]);
	if (r->pid < 0)
		close(r->fd);
	return r->pid > 0;
}

/* Read its output until it ends.  False: it took too long. */
static bool
collect(const struct running *r, int timeout_s, struct buf *to)
{
	int64_t end_us = monotonic_us() + timeout_s * S_US, left_us;
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	ssize_t n = 1;

	while (n > 0 && (left_us = end_us - monotonic_us()) > 0)
		if (poll(&p, 1, (int)(left_us / 1000) + 1) > 0 &&
		    (n = read(r->fd, buf_room(to, 4096), 4096)) > 0)
			to->len += (size_t)n;
	return n <= 0;
}

/* End a check.  Returns its failure in a few words, or NULL. A process that hangs in
   the kernel is abandoned. */
static const char *
end(const struct running *r, bool in_time)
{
	int status = 0;

	close(r->fd);
	if (in_time) {
		waitpid(r->pid, &status, 0);
		return status == 0 ? NULL : "it crashed";
	}
	kill(r->pid, SIGKILL);
	for (int i = 0; i < 100 && waitpid(r->pid, &status, WNOHANG) == 0; i++)
		usleep(10000);
	return "it took too long";
}

/* Parse a line of JSON as a finding. */
static void
add_finding(struct buf *findings, const char *line, size_t n)
{
	const char *why;
	const struct json *v = json_read(findings->mem, line, n, &why);
	const struct finding f = { json_get_text(v, "check"),
		json_get_text(v, "looked_at"), json_get_text(v, "result"),
		json_get_text(v, "found"), json_get_text(v, "remedy"),
		json_get_text(v, "because") };

	if (f.result != NULL)
		buf_put(findings, &f, sizeof(f));
}

void
doctor_run(const struct conf *conf, const struct doctor_check *c, struct buf *findings)
{
	struct finding unfinished = { c->name, "the check itself", "fail",
		"it cannot be started",
		"Run it again. If it still fails, look in the kernel's log for errors "
		"of disks and memory.",
		NULL };
	struct buf lines = { .mem = findings->mem };
	struct running r;

	if (begin(conf, c, &r)) {
		bool in_time = collect(&r, c->timeout_s, &lines);
		const char *line = buf_text(&lines);

		unfinished.found = end(&r, in_time);
		for (const char *stop; (stop = strchr(line, '\n')) != NULL;
		     line = stop + 1)
			add_finding(findings, line, (size_t)(stop - line));
	}
	if (unfinished.found != NULL)
		buf_put(findings, &unfinished, sizeof(unfinished));
}

/* ---- the command ---- */

static bool
is_failure(const struct finding *f)
{
	return strcmp(f->result, "fail") == 0;
}

/* The failure of this check, or the one that has caused it; NULL: it has not failed. */
static const struct finding *
cause_of(const struct list *findings, const char *check)
{
	const struct finding *f = findings->items;

	for (size_t i = 0; i < findings->n; i++)
		if (is_failure(&f[i]) && strcmp(f[i].check, check) == 0)
			return f[i].because == NULL ? &f[i]
						    : cause_of(findings, f[i].because);
	return NULL;
}

/* Name the first cause of each failure; drop a cause that has not failed. */
static void
settle_causes(struct list *findings)
{
	struct finding *f = findings->items;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *cause;

		if (f[i].because == NULL)
			continue;
		cause = is_failure(&f[i]) ? cause_of(findings, f[i].because) : NULL;
		f[i].because = cause != NULL ? cause->check : NULL;
	}
}

static void
show_finding(const struct finding *f)
{
	printf("%-4s  %-11s  %s: %s\n", is_failure(f) ? "FAIL" : f->result, f->check,
	    f->looked, f->found);
	if (f->remedy != NULL)
		printf("%19s%s\n", "", f->remedy);
}

/* The findings of one result; below a failure, those that it has caused. */
static void
show_result(const struct list *findings, const char *result)
{
	const struct finding *f = findings->items;

	for (size_t i = 0; i < findings->n; i++) {
		if (f[i].because != NULL || strcmp(f[i].result, result) != 0)
			continue;
		show_finding(&f[i]);
		if (!is_failure(&f[i]) || cause_of(findings, f[i].check) != &f[i])
			continue;
		for (size_t k = 0; k < findings->n; k++)
			if (f[k].because != NULL &&
			    strcmp(f[k].because, f[i].check) == 0)
				printf("%19stherefore %s: %s: %s\n", "", f[k].check,
				    f[k].looked, f[k].found);
	}
}

static void
show(const struct cli *c, const struct list *findings)
{
	if (c->json) {
		cli_show_list(c, finding_fields, findings, sizeof(struct finding));
		return;
	}
	show_result(findings, "fail");
	show_result(findings, "warn");
	show_result(findings, "ok");
}

static int
verdict(const struct list *findings)
{
	const struct finding *f = findings->items;

	for (size_t i = 0; i < findings->n; i++)
		if (is_failure(&f[i]))
			return EXIT_FAILURE;
	return EXIT_SUCCESS;
}

int
doctor_command(struct cli *c)
{
	struct buf all = { .mem = c->mem };
	struct list findings;

	if (c->arg != NULL)
		return cli_usage("doctor takes no argument");
	if (conf_read_existing(c->mem, &c->conf) != OK)
		return cli_usage(
		    "doctor: cannot read the settings or the files of state.dir; "
		    "see the message above");
	if (!cli_is_their_user(c, "doctor"))
		return 2;
	for (const struct doctor_check *k = doctor_checks; k->name != NULL; k++)
		doctor_run(&c->conf, k, &all);
	findings = (struct list){ all.p, all.len / sizeof(struct finding) };
	settle_causes(&findings);
	show(c, &findings);
	return verdict(&findings);
}
