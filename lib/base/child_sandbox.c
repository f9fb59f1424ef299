/*
 * The child's own half of child.h: what a program gives up before it touches
 * what it was started for.  Kept apart so that parents need no libseccomp.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"

/* Landlock without a single rule: nothing of what it handles is allowed. */
static void
close_file_system(bool reads)
{
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1
	};
	int fd;

	if (reads)
		attr.handled_access_fs &= ~(uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE |
						      LANDLOCK_ACCESS_FS_READ_DIR);
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (fd < 0)
		return;
	syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
}

/* What libc and a computing library go on needing. */
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

static void
filter_calls(bool reads)
{
	const struct scmp_arg_cmp data = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
				  at = SCMP_A2(SCMP_CMP_MASKED_EQ,
				      O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY),
				  old = SCMP_A1(SCMP_CMP_MASKED_EQ,
				      O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY);
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));

	if (f == NULL)
		return;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		seccomp_rule_add(f, SCMP_ACT_ALLOW, allowed[i], 0);
	seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, data);
	seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, data);
	if (reads) {
		seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, at);
		seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(open), 1, old);
		seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(access), 0);
		seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(faccessat2), 0);
		seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(getdents64), 0);
	}
	seccomp_load(f);
	seccomp_release(f);
}

void
child_sandbox(unsigned flags)
{
	const struct rlimit none = { 0, 0 };
	bool reads = (flags & CHILD_READS) != 0;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	close_file_system(reads);
	setrlimit(RLIMIT_NPROC, &none);
	if (!reads)
		setrlimit(RLIMIT_NOFILE, &none);
	filter_calls(reads);
}
