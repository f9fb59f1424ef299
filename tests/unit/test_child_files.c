/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that child processes may open, for each way of starting them, and kernels
 * without that protection.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/child_pipe.h"
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

static struct child
shell(const char *script)
{
	const char **argv = arena_alloc(mem, 4 * sizeof(*argv));

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = script;
	return (struct child){ .argv = argv,
		.timeout_ms = 20000,
		.memory_bytes = GB,
		.out_bytes = 65536 };
}

/* A file that only its owner may read, like the secret key. */
static const char *
secret_file(void)
{
	const char *path = arena_printf(mem, "/tmp/test-child-key-%d", (int)getpid());
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_eq(write(fd, "secret", 6), 6);
	close(fd);
	return path;
}

static const char *
output(const struct child *c)
{
	ck_assert_int_eq(child_run(c, mem, &end), OK);
	return arena_dup(mem, end.out, end.out_len);
}

START_TEST(a_child_cannot_open_the_secret_key)
{
	const char *path = secret_file();
	struct child c = shell(arena_printf(mem, "cat %s", path));
	const char *const reads[] = { path, NULL };

	ck_assert_str_eq(output(&c), child_sandbox_parts().landlock ? "" : "secret");
	c = shell(arena_printf(mem, "echo x >%s; cat <&3", path));
	c.fd = open(path, O_RDONLY); /* the child may read files that it was given */
	if (child_sandbox_parts().landlock)
		ck_assert_str_eq(output(&c), "secret");
	close(c.fd);
	c = shell(arena_printf(mem, "cat %s", path));
	c.reads = reads;
	if (child_sandbox_parts().landlock)
		ck_assert_str_eq(output(&c), "secret");
	unlink(path);
}
END_TEST

/* A long-running program of a pipeline, like Apertium's. */
START_TEST(a_pipeline_cannot_open_the_secret_key)
{
	const char *path = secret_file();
	const char *const argv[] = { "/bin/sh", "-c",
		arena_printf(mem, "printf '%%s\\0' \"$(cat %s)\"; cat", path), NULL };
	const char *const *stage[] = { argv };
	struct child_pipe *p =
	    child_pipe_start(&(struct child_pipe_plan){ "test", stage, 1, GB });
	struct buf out = { .mem = mem };

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(child_pipe_ask(p,
			     &(struct child_ask){
				 .in = "", .out = &out, .max = 64, .cpu_ms = 10000 }),
	    OK);
	ck_assert_str_eq(
	    buf_text(&out), child_sandbox_parts().landlock ? "" : "secret");
	child_pipe_stop(p);
	unlink(path);
}
END_TEST

/* A program at a socket, like the decoder of a stream. */
START_TEST(a_program_at_a_socket_cannot_open_the_secret_key)
{
	const char *path = secret_file();
	const char *const argv[] = { "/bin/sh", "-c",
		arena_printf(mem, "cat %s; echo .", path), NULL };
	const struct child c = { .argv = argv, .memory_bytes = GB };
	struct child_socket s;
	char text[16] = "";
	size_t n = 0;
	ssize_t did;

	ck_assert_int_eq(child_socket_start(&c, &s), OK);
	while ((did = read(s.fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)did;
	ck_assert_str_eq(text, child_sandbox_parts().landlock ? ".\n" : "secret.\n");
	child_socket_stop(&s, "test");
	unlink(path);
}
END_TEST

/* ---- other kernels than this one ---- */

/* Makes these calls fail with that error, in this process and its children. */
static void
without(int errnum, const int *calls, size_t n)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(
		    seccomp_rule_add(f, SCMP_ACT_ERRNO((uint32_t)errnum), calls[i], 0),
		    0);
	ck_assert_int_eq(seccomp_load(f), 0);
	seccomp_release(f);
}

/* Returns the log of run(), executed in a process of its own. */
static const char *
log_of(void (*run)(void))
{
	FILE *f = tmpfile();
	char text[4096] = "";
	int status;
	pid_t pid;

	if ((pid = fork()) == 0) {
		dup2(fileno(f), STDERR_FILENO);
		run();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	rewind(f);
	fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	return arena_str(mem, text);
}

static const int rule_calls[] = { SCMP_SYS(landlock_create_ruleset),
	SCMP_SYS(landlock_add_rule), SCMP_SYS(landlock_restrict_self) };

static void
two_children_of_an_old_kernel(void)
{
	struct child c = shell("echo hello");

	without(ENOSYS, rule_calls, 3);
	if (child_sandbox_parts().landlock)
		_exit(1);
	for (int i = 0; i < 2; i++)
		if (child_run(&c, mem, &end) != OK || end.status != 0)
			_exit(2);
	_exit(child_sandbox(NULL) == OK ? 0 : 3);
}

START_TEST(a_lack_of_the_kernel_is_logged_once)
{
	const char *log = log_of(two_children_of_an_old_kernel), *said;

	said = strstr(log, "this kernel has no Landlock");
	ck_assert_msg(said != NULL, "%s", log);
	ck_assert_ptr_null(strstr(said + 1, "this kernel has no Landlock"));
}
END_TEST

static void
a_child_whose_rules_do_not_take_effect(void)
{
	struct child c = shell("echo hello");

	without(EPERM, rule_calls + 2, 1);
	if (child_run(&c, mem, &end) != ERR_FAILED)
		_exit(1);
	_exit(child_sandbox(NULL) == ERR_FAILED ? 0 : 2);
}

static const char *const etc[] = { "/etc", NULL };

static void
a_child_whose_rules_cannot_be_made(void)
{
	struct child c = shell("echo hello");

	without(ENOMEM, rule_calls + 1, 1);
	if (child_run(&c, mem, &end) != ERR_FAILED)
		_exit(1);
	_exit(child_sandbox(etc) == ERR_FAILED ? 0 : 2);
}

START_TEST(without_its_walls_no_child_starts)
{
	if (!child_sandbox_parts().landlock || !child_sandbox_parts().seccomp)
		return;
	log_of(a_child_whose_rules_do_not_take_effect);
	log_of(a_child_whose_rules_cannot_be_made);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("child files");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_child_cannot_open_the_secret_key);
	tcase_add_test(t, a_pipeline_cannot_open_the_secret_key);
	tcase_add_test(t, a_program_at_a_socket_cannot_open_the_secret_key);
	/* Valgrind generates code, which the sandbox forbids. */
	if (!RUNNING_ON_VALGRIND) {
		tcase_add_test(t, a_lack_of_the_kernel_is_logged_once);
		tcase_add_test(t, without_its_walls_no_child_starts);
	}
	suite_add_tcase(s, t);
	return unit_run(s);
}
