/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The child's own half of child.h: restrictions that a program applies to itself
 * before it reads its input.  Kept apart so that parents need no libseccomp.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"
#include "base/child_files.h"
#include "base/log.h"

/* Enforce Landlock; without it in the kernel there are no rules. */
static enum err
close_files(const char *const *reads)
{
	enum err e;
	int rules;

	if ((e = child_files_read(reads, &rules)) != OK || rules < 0)
		return e;
	if (!child_files_enter(rules)) {
		log_error("Landlock: %s", strerror(errno));
		e = ERR_FAILED;
	}
	close(rules);
	return e;
}

/* System calls that libc and a computing library still need. */
/* clang-format off */
static const int allowed[] = {
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev),
	SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(close),
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(futex),
	SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sysinfo), SCMP_SYS(getrandom),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(nanosleep),
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack), SCMP_SYS(exit), SCMP_SYS(exit_group),
};
/* clang-format on */

/* Calls that this processor architecture lacks need no rule. */
static bool
allow(scmp_filter_ctx f, int call, unsigned n, const struct scmp_arg_cmp *arg)
{
	int e = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, call, n, arg);

	return e == 0 || e == -EDOM;
}

static bool
allow_data(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp data = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);

	return allow(f, SCMP_SYS(mmap), 1, &data) &&
	       allow(f, SCMP_SYS(mprotect), 1, &data);
}

static bool
allow_reading(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp at = SCMP_A2(SCMP_CMP_MASKED_EQ,
				      O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY),
				  old = SCMP_A1(SCMP_CMP_MASKED_EQ,
				      O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY);

	return allow(f, SCMP_SYS(openat), 1, &at) &&
	       allow(f, SCMP_SYS(open), 1, &old) &&
	       allow(f, SCMP_SYS(access), 0, NULL) &&
	       allow(f, SCMP_SYS(faccessat2), 0, NULL) &&
	       allow(f, SCMP_SYS(getdents64), 0, NULL);
}

/*
 * Allow code from files, and threads of this process. clone3(2) passes its flags in
 * memory, where a filter cannot see them. It is refused as unknown, so that libc uses
 * clone(2).
 */
static bool
allow_library(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp thread = SCMP_A0(
	    SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM);

	return allow(f, SCMP_SYS(mmap), 0, NULL) &&
	       allow(f, SCMP_SYS(mprotect), 0, NULL) &&
	       allow(f, SCMP_SYS(clone), 1, &thread) &&
	       allow(f, SCMP_SYS(set_robust_list), 0, NULL) &&
	       allow(f, SCMP_SYS(rseq), 0, NULL) && allow(f, SCMP_SYS(poll), 0, NULL) &&
	       allow(f, SCMP_SYS(ppoll), 0, NULL) &&
	       allow(f, SCMP_SYS(stat), 0, NULL) && /* needed by old libraries */
	       allow(f, SCMP_SYS(lstat), 0, NULL) &&
	       allow(f, SCMP_SYS(memfd_create), 0,
		   NULL) && /* for what reads files only */
	       allow(f, SCMP_SYS(readlink), 0, NULL) &&
	       allow(f, SCMP_SYS(readlinkat), 0, NULL) &&
	       seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
}

/* Allow what child_sandbox_fork() calls; the new process gives most of it up. */
static bool
allow_forks(scmp_filter_ctx f)
{
	const struct scmp_arg_cmp sibling =
	    SCMP_A0(SCMP_CMP_EQ, CLONE_PARENT | SIGCHLD);

	return allow(f, SCMP_SYS(clone), 1, &sibling) &&
	       allow(f, SCMP_SYS(recvmsg), 0, NULL) &&
	       allow(f, SCMP_SYS(dup3), 0, NULL) &&
	       allow(f, SCMP_SYS(setpgid), 0, NULL) &&
	       allow(f, SCMP_SYS(prctl), 0, NULL) &&
	       allow(f, SCMP_SYS(seccomp), 0, NULL);
}

enum sandbox { SANDBOX_DATA, SANDBOX_LIBRARY, SANDBOX_LOADER };

static enum err
filter_calls(bool reads, enum sandbox is)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool done = f != NULL;

	for (size_t i = 0; done && i < sizeof(allowed) / sizeof(allowed[0]); i++)
		done = allow(f, allowed[i], 0, NULL);
	done = done && (is == SANDBOX_DATA ? allow_data(f) : allow_library(f)) &&
	       (is != SANDBOX_LOADER || allow_forks(f)) &&
	       (!reads || allow_reading(f)) && seccomp_load(f) == 0;
	seccomp_release(f);
	if (!done)
		log_error("the seccomp filter cannot be loaded");
	return done ? OK : ERR_FAILED;
}

static enum err
enter(const char *const *reads, enum sandbox is)
{
	const struct rlimit none = { 0, 0 };
	bool filters = child_sandbox_parts().seccomp;
	enum err e;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    (is == SANDBOX_DATA && setrlimit(RLIMIT_NPROC, &none) != 0)) {
		log_error("no_new_privs, RLIMIT_NPROC: %s", strerror(errno));
		return ERR_FAILED;
	}
	if ((e = close_files(reads)) != OK)
		return e;
	if (reads == NULL && setrlimit(RLIMIT_NOFILE, &none) != 0) {
		log_error("RLIMIT_NOFILE: %s", strerror(errno));
		return ERR_FAILED;
	}
	return filters ? filter_calls(reads != NULL, is) : OK;
}

enum err
child_sandbox(const char *const *reads)
{
	return enter(reads, SANDBOX_DATA);
}

enum err
child_sandbox_library(const char *const *reads)
{
	return enter(reads, SANDBOX_LIBRARY);
}

enum err
child_sandbox_loader(const char *const *reads)
{
	return enter(reads, SANDBOX_LOADER);
}

pid_t
child_sandbox_fork(int fd)
{
	/* fork(3) has no such flag; nothing here needs its handlers */
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	if (pid != 0)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup3(fd, STDIN_FILENO, O_CLOEXEC) < 0 ||
	    dup3(fd, STDOUT_FILENO, O_CLOEXEC) < 0 ||
	    (child_sandbox_parts().seccomp &&
		filter_calls(true, SANDBOX_LIBRARY) != OK))
		_exit(EXIT_FAILURE);
	close(fd);
	return 0;
}
