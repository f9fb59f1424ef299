/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "tests/unit/suite.h"

#define GB ((size_t)1024 * 1024 * 1024)

static struct arena *mem;
static struct child_end end;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/*
 * Starts a shell as the child, with 2 s, 1 GB, 64 KB of files, and access to its own
 * /proc.
 */
static struct child
shell(const char *script)
{
	static const char *const reads[] = { "/proc", NULL };
	const char **argv = arena_alloc(mem, 4 * sizeof(*argv));

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = script;
	return (struct child){ .argv = argv,
		.timeout_ms = 2000,
		.memory_bytes = GB,
		.out_bytes = 65536,
		.reads = reads };
}

static const struct {
	const char *script;
	enum err e;
	int status;
	const char *out;
} ends[] = {
	{ "echo hello", OK, 0, "hello\n" },
	{ "cat", OK, 0, "some input" },
	{ "exit 3", OK, 3, "" },
	{ "echo broken >&2; exit 3", OK, 3, "" },
	{ "kill -SEGV $$", ERR_FAILED, -1, NULL },
	{ "kill -KILL $$", ERR_FAILED, -1, NULL },
	{ "sleep 60", ERR_TIMEOUT, -1, NULL },
	{ "while :; do :; done", ERR_TIMEOUT, -1, NULL },
	{ "trap '' TERM INT HUP XCPU; while :; do :; done", ERR_TIMEOUT, -1, NULL },
	/* exceeds its memory, or the limit */
	{ "exec tail -c +0 /dev/zero", ERR_FAILED, 0, NULL },
	{ "ulimit -c", OK, 0, "0\n" },
	/* 3: the directory descriptor of ls */
	{ "ls /proc/self/fd | tr '\\n' ' '", OK, 0, "0 1 2 3 " },
	{ "env | sort | grep -v -e PWD -e '^_'", OK, 0,
	    "LC_ALL=C.UTF-8\nPATH=/usr/bin:/bin\n" },
	/* Signals 32 and 33 belong to the C library, and programs may not use them. */
	{ "grep -E 'Sig(Blk|Ign)' /proc/self/status | sed s/180000000/000000000/", OK,
	    0, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" },
	{ "grep NoNewPrivs /proc/self/status", OK, 0, "NoNewPrivs:\t1\n" },
};

START_TEST(a_child_ends_as_it_ends)
{
	struct child c = shell(ends[_i].script);
	sigset_t some;

	c.in = "some input";
	c.in_len = 10;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_BLOCK, &some, NULL);
	ck_assert_int_ge(open("/dev/null", O_RDONLY), 3); /* close it in the child */
	if (ends[_i].out == NULL) {
		enum err e = child_run(&c, mem, &end);

		ck_assert(e == ends[_i].e || (ends[_i].status == 0 && e == ERR_LIMIT));
	} else {
		ck_assert_int_eq(child_run(&c, mem, &end), ends[_i].e);
		ck_assert_int_eq(end.status, ends[_i].status);
		ck_assert_str_eq(arena_dup(mem, end.out, end.out_len), ends[_i].out);
	}
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(a_program_that_cannot_be_run_is_a_failure)
{
	const char *const argv[] = { "/nowhere/at/all", NULL };
	struct child c = { .argv = argv, .timeout_ms = 1000, .memory_bytes = GB };

	ck_assert_int_eq(child_run(&c, mem, &end), ERR_FAILED);
	ck_assert_uint_eq(end.out_len, 0);
}
END_TEST

START_TEST(output_is_exact_up_to_the_limit)
{
	struct child c = shell("head -c 65536 /dev/zero");

	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	ck_assert_uint_eq(end.out_len, 65536);
	c = shell("exec head -c 65537 /dev/zero");
	ck_assert_int_eq(child_run(&c, mem, &end), ERR_LIMIT);
}
END_TEST

START_TEST(descriptors_go_where_they_are_said_to)
{
	struct child c = shell("cat; cat <&3");
	FILE *in = tmpfile(), *extra = tmpfile();

	fputs("first ", in);
	fputs("second", extra);
	rewind(in);
	rewind(extra);
	c.in_fd = fileno(in);
	c.fd = fileno(extra);
	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	ck_assert_str_eq(arena_dup(mem, end.out, end.out_len), "first second");
	fclose(in);
	fclose(extra);
}
END_TEST

/* A caller without standard descriptors. */
START_TEST(low_descriptors_may_be_closed)
{
	struct child c = shell("cat; echo out; echo err >&2");
	int saved[3];

	/* The first child may log what this kernel lacks, to descriptor 2. */
	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	c.in = "in ";
	c.in_len = 3;
	for (int i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD, 10);
		close(i);
	}
	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	for (int i = 0; i < 3; i++)
		dup2(saved[i], i);
	ck_assert_str_eq(arena_dup(mem, end.out, end.out_len), "in out\n");
}
END_TEST

static int
open_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

START_TEST(nothing_leaks)
{
	int before = open_descriptors();

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i].e == OK) {
			struct child c = shell(ends[i].script);

			ck_assert_int_eq(child_run(&c, mem, &end), OK);
		}
	ck_assert_int_eq(open_descriptors(), before);
}
END_TEST

/* False when the process has ended, also when it is still a zombie. */
static bool
runs(int pid)
{
	FILE *f = fopen(arena_printf(mem, "/proc/%d/stat", pid), "r");
	char state = 'X';

	if (f == NULL)
		return false;
	ck_assert_int_eq(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
	fclose(f);
	return state != 'Z' && state != 'X';
}

START_TEST(grandchildren_go_too)
{
	struct child c = shell("sleep 60 & echo $!");

	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	await(!runs(atoi(end.out)));
}
END_TEST

START_TEST(a_child_dies_with_its_parent)
{
	const char *path = arena_printf(mem, "/tmp/test-child-%d", (int)getpid());
	struct child c = shell("echo $$ >&3; exec sleep 60");
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char text[16] = "";
	pid_t parent;

	unlink(path);
	c.fd = fd;
	c.timeout_ms = 60000;
	if ((parent = fork()) == 0)
		_exit(child_run(&c, mem, &end) != OK);
	while (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		usleep(1000);
	ck_assert(runs(atoi(text)));
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	await(!runs(atoi(text)));
	close(fd);
}
END_TEST

/* Not under AddressSanitizer, for which child.c has an exception. */
START_TEST(memory_is_limited)
{
	struct child c = shell("ulimit -v");

	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	if (strcmp(arena_dup(mem, end.out, end.out_len), "unlimited\n") == 0)
		return;
	ck_assert_str_eq(arena_dup(mem, end.out, end.out_len), "1048576\n");
	c = shell("exec /usr/bin/perl -e '$x = \"a\" x 1_200_000_000'");
	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	ck_assert_int_ne(end.status, 0);
}
END_TEST

static void
tick(int sig)
{
	(void)sig;
}

START_TEST(signals_do_not_disturb)
{
	struct sigaction sa = { .sa_handler = tick }; /* without SA_RESTART */
	struct child c = shell("sleep 0.3; echo done");
	timer_t t;

	sigaction(SIGALRM, &sa, NULL);
	ck_assert_int_eq(timer_create(CLOCK_MONOTONIC, NULL, &t), 0);
	timer_settime(
	    t, 0, &(struct itimerspec){ { 0, 3000000 }, { 0, 3000000 } }, NULL);
	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	timer_delete(t);
	ck_assert_str_eq(arena_dup(mem, end.out, end.out_len), "done\n");
}
END_TEST

static bool
can_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0;
}

static bool
can_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return false; /* else the exit status would be that of true, 0 */
}

static bool
can_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) >= 0 ||
	       socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}

static bool
can_read(void)
{
	return open("/etc/passwd", O_RDONLY) >= 0;
}

static bool
can_write(void)
{
	return open("/tmp/dragoman-escaped", O_WRONLY | O_CREAT, 0600) >= 0 ||
	       open("/dev/null", O_WRONLY) >= 0 || open("/dev/null", O_RDWR) >= 0 ||
	       unlink("/tmp/dragoman-none") == 0 || mkdir("/tmp/dragoman-d", 0700) == 0;
}

static bool
can_kill(void)
{
	return kill(getppid(), 0) == 0;
}

static bool
can_run_data(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool
can_compute(void)
{
	char *p = malloc(GB / 128);

	return p != NULL && write(STDOUT_FILENO, "", 0) == 0;
}

static bool
can_read_elsewhere(void)
{
	return open("/usr/share/doc", O_RDONLY) >= 0 || open("/", O_RDONLY) >= 0 ||
	       open("/proc/self/environ", O_RDONLY) >= 0;
}

static const char *const etc[] = { "/etc", NULL };

/* Needs Landlock: without it the child's files are not restricted. */
static const struct {
	bool (*can)(void);
	const char *const *reads;
	bool yes, landlock;
} walls[] = {
	{ can_compute, NULL, true },
	{ can_compute, etc, true },
	{ can_read, NULL, false },
	{ can_read, etc, true },
	{ can_read_elsewhere, NULL, false },
	{ can_read_elsewhere, etc, false, true },
	{ can_write, NULL, false },
	{ can_write, etc, false },
	{ can_fork, NULL, false },
	{ can_fork, etc, false },
	{ can_exec, etc, false },
	{ can_socket, etc, false },
	{ can_kill, etc, false },
	{ can_run_data, etc, false },
};

START_TEST(the_sandbox_has_walls)
{
	const struct child_sandbox_parts has = child_sandbox_parts();
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (child_sandbox(walls[_i].reads) != OK)
			_exit(2);
		_exit(walls[_i].can() ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (has.seccomp && (has.landlock || !walls[_i].landlock))
		ck_assert_int_eq(WEXITSTATUS(status), !walls[_i].yes);
	else
		ck_assert_int_ne(WEXITSTATUS(status), 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("child");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, a_child_ends_as_it_ends, 0, sizeof(ends) / sizeof(ends[0]));
	tcase_add_test(t, a_program_that_cannot_be_run_is_a_failure);
	tcase_add_test(t, output_is_exact_up_to_the_limit);
	tcase_add_test(t, descriptors_go_where_they_are_said_to);
	tcase_add_test(t, low_descriptors_may_be_closed);
	tcase_add_test(t, nothing_leaks);
	tcase_add_test(t, grandchildren_go_too);
	tcase_add_test(t, a_child_dies_with_its_parent);
	tcase_add_test(t, memory_is_limited);
	tcase_add_test(t, signals_do_not_disturb);
	/* Valgrind generates code, which the sandbox forbids. */
	if (!RUNNING_ON_VALGRIND)
		tcase_add_loop_test(
		    t, the_sandbox_has_walls, 0, sizeof(walls) / sizeof(walls[0]));
	suite_add_tcase(s, t);
	return unit_run(s);
}
