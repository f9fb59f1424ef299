/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs' steps before they read a key, and the owner of their files. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/process.h"
#include "tests/unit/conf_fixture.h"

#define STRANGER 65534
#define LIMIT "Max core file size        "

static const char *
built(const char *name)
{
	const char *build = getenv("BUILD") != NULL ? getenv("BUILD") : "build";

	return arena_printf(mem, "%s/%s", build, name);
}

static const struct {
	const char *program, *argument;
} programs[] = {
	{ "bin/gateway", NULL },
	{ "bin/janitor", NULL },
	{ "bin/webhook_send", NULL },
	{ "bin/dragoman", "config" },
	{ "bin/dragoman-egress", NULL },
	{ "bin/dragoman-ingress", NULL },
	{ "cgi-bin/system.fcgi", NULL },
	{ "cgi-bin/keys.fcgi", NULL },
	{ "cgi-bin/sign_ins.fcgi", NULL },
};

/*
 * Starts a program, as another user if this is root. The owner of its files in /proc
 * then shows whether its memory can be dumped.
 */
static pid_t
start(const char *path, const char *argument, int in, int err)
{
	int exe = open(path, O_PATH | O_CLOEXEC);
	const char *argv[] = { path, argument, NULL };
	pid_t pid;

	ck_assert_msg(exe >= 0, "%s", path);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY });
	if ((pid = fork()) == 0) {
		if (geteuid() == 0 && setuid(STRANGER) != 0)
			_exit(1);
		dup2(in, 0);
		dup2(err, 2);
		fexecve(exe, (char *const *)(uintptr_t)argv, environ);
		_exit(1);
	}
	close(exe);
	return pid;
}

static bool
is_closed(pid_t pid)
{
	const char *status = arena_printf(mem, "/proc/%d/status", pid),
		   *limits = unit_text(mem, arena_printf(mem, "/proc/%d/limits", pid));
	const char *core = strstr(limits, LIMIT);
	struct stat st;
	bool no_core = core != NULL && core[strlen(LIMIT)] == '0';

#ifdef __SANITIZE_ADDRESS__ /* the leak detector traces the process */
	return no_core;
#endif
	return no_core && stat(status, &st) == 0 && st.st_uid == 0;
}

/*
 * Starts the program without its settings, and a child without input, so that both
 * wait.
 */
START_TEST(no_program_that_holds_keys_leaves_them_in_a_core)
{
	int in[2];
	pid_t pid;

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
	ck_assert_int_eq(chmod(below("etc"), 0755), 0);
	ck_assert_int_eq(mkfifo(file, 0644), 0);
	ck_assert_int_eq(chmod(file, 0644), 0);
	pid = start(built(programs[_i].program), programs[_i].argument, in[0], 2);
	await(is_closed(pid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

static const char *const workers[] = { "bin/gateway", "bin/janitor",
	"bin/webhook_send" };

START_TEST(root_is_told_to_leave_the_instance_of_another)
{
	const char *log = below("log"), *path = built(workers[_i]);
	int status, err;
	pid_t pid;

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(read_conf(""), OK);
	ck_assert_int_eq(chown(below("var/state"), STRANGER, STRANGER), 0);
	err = open(log, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if ((pid = fork()) == 0) {
		dup2(err, 2);
		execl(path, path, "--once", (char *)NULL);
		_exit(0);
	}
	close(err);
	waitpid(pid, &status, 0);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	ck_assert_msg(
	    strstr(unit_text(mem, log),
		"belongs to nobody: run this as that user, not as root") != NULL,
	    "%s", unit_text(mem, log));
}
END_TEST

/* For example the lock of a backup, which the janitor takes, too. */
START_TEST(a_lock_that_root_makes_is_its_folders_owners)
{
	const char *path = below("x.lock");
	uid_t owner = geteuid() == 0 ? STRANGER : geteuid();
	struct stat st;
	int fd;

	ck_assert(owner != STRANGER || chown(dir, STRANGER, STRANGER) == 0);
	fd = file_lock(path, LOCK_EX);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_uid, owner);
	close(fd);
}
END_TEST

/* late: the parent has ended before the child can ask to end with it. */
static void
be_child(pid_t parent, bool late, int ready)
{
	signal(SIGTERM, SIG_DFL);
	alarm(10);
	while (late && getppid() == parent)
		usleep(1000);
	process_end_with(parent);
	close(ready);
	pause();
}

START_TEST(a_process_ends_with_its_parent)
{
	bool late = _i == 1;
	int alive[2], ready[2];
	char byte;
	pid_t parent;

	ck_assert_int_eq(pipe(alive), 0);
	ck_assert_int_eq(pipe(ready), 0);
	if ((parent = fork()) == 0) {
		parent = getpid();
		close(alive[0]);
		if (fork() == 0)
			be_child(parent, late, ready[1]);
		close(ready[1]);
		_exit(late ? 0 : (int)read(ready[0], &byte, 1));
	}
	close(alive[1]);
	close(ready[1]);
	ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
	ck_assert_int_eq(
	    poll(&(struct pollfd){ .fd = alive[0], .events = POLLIN }, 1, 5000), 1);
	ck_assert_int_eq(read(alive[0], &byte, 1), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("process");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, no_program_that_holds_keys_leaves_them_in_a_core, 0, COUNT(programs));
	tcase_add_loop_test(
	    t, root_is_told_to_leave_the_instance_of_another, 0, COUNT(workers));
	tcase_add_test(t, a_lock_that_root_makes_is_its_folders_owners);
	tcase_add_loop_test(t, a_process_ends_with_its_parent, 0, 2);
	suite_add_tcase(s, t);
	return unit_run(s);
}
