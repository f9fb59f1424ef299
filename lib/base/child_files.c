/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/child_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child_start.h"
#include "base/log.h"

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define RUN (READ | LANDLOCK_ACCESS_FS_EXECUTE)
#define WRITE                                                                          \
	(READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |          \
	    LANDLOCK_ACCESS_FS_REMOVE_FILE)
#define TRUNCATE (UINT64_C(1) << 14) /* known since version 3 */
#define ON_FILES                                                                       \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |                \
	    LANDLOCK_ACCESS_FS_EXECUTE)

/*
 * The attributes of a rule set. The kernel may be newer than the headers of the build.
 */
struct rules_attr {
	uint64_t fs, net, scoped;
};

/* The kinds of access that each version of Landlock knows: the lowest so many bits. */
static const struct {
	int fs, net, scoped;
} kinds[] = {
	{ 0, 0, 0 },
	{ 13, 0, 0 },
	{ 14, 0, 0 },
	{ 15, 0, 0 },
	{ 15, 2, 0 },
	{ 16, 2, 0 },
	{ 16, 2, 2 },
};
#define KINDS (int)(sizeof(kinds) / sizeof(kinds[0]))

/*
 * System folders that children may read. /etc, /opt, /srv, /home, /var and parts of
 * /usr are missing, as an installation with its secret key may be there.
 */
static const char *const system_paths[] = { "/bin", "/lib", "/lib64", "/usr/bin",
	"/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/share", "/usr/local/lib",
	"/etc/ld.so.cache", "/dev/zero", "/dev/urandom",
#ifdef __SANITIZE_ADDRESS__ /* AddressSanitizer reads its own maps */
	"/proc",
#endif
	NULL };

/* 0: there is none. */
static int
version(void)
{
	long v = syscall(
	    SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return v < 0 ? 0 : v < KINDS ? (int)v : KINDS - 1;
}

bool
child_files_known(void)
{
	return version() > 0;
}

/* Returns a number whose lowest n bits are set. */
static uint64_t
bits(int n)
{
	return (UINT64_C(1) << n) - 1;
}

static enum err
failed(const char *what, const char *path)
{
	int errnum = errno;

	log_error("Landlock: %s %s: %s", what, path, strerror(errnum));
	errno = errnum;
	return ERR_FAILED;
}

static enum err
begin(bool tcp, int *rules)
{
	int v = version();
	const struct rules_attr attr = { bits(kinds[v].fs),
		tcp ? 0 : bits(kinds[v].net), bits(kinds[v].scoped) };

	*rules = -1;
	if (v == 0)
		return OK;
	*rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	return *rules >= 0 ? OK : failed("new rules", "");
}

static enum err
allow_open(int rules, int fd, const char *path, uint64_t what)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = what,
		.parent_fd = fd };
	struct stat st;

	if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= ON_FILES;
	return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule,
		   0) == 0
		   ? OK
		   : failed("a rule for", path);
}

static enum err
allow(int rules, const char *path, uint64_t what)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	enum err e;

	if (fd < 0) /* the child cannot open it either */
		return OK;
	e = allow_open(rules, fd, path, what);
	close(fd);
	return e;
}

static enum err
allow_all(int rules, const char *const *paths, uint64_t what)
{
	enum err e = OK;

	for (; paths != NULL && *paths != NULL && e == OK; paths++)
		e = allow(rules, *paths, what);
	return e;
}

/* The program and the libraries beside it, which $ORIGIN/../lib may name. */
static enum err
allow_program(int rules, const char *program)
{
	char lib[PATH_MAX];
	const char *name = strrchr(program, '/');
	int len = name != NULL ? (int)(name - program) : 0;
	enum err e;

	if ((e = allow(rules, program, RUN)) != OK || len == 0)
		return e;
	if (snprintf(lib, sizeof(lib), "%.*s/../lib", len, program) >= (int)sizeof(lib))
		return OK;
	return allow(rules, lib, RUN);
}

static enum err
end(int *rules, enum err e)
{
	int errnum = errno;

	if (e == OK || *rules < 0)
		return e;
	close(*rules);
	*rules = -1;
	errno = errnum;
	return e;
}

enum err
child_files_read(const char *const *paths, int *rules)
{
	enum err e;

	if ((e = begin(false, rules)) != OK || *rules < 0)
		return e;
	return end(rules, allow_all(*rules, paths, READ));
}

enum err
child_files_run(const char *program, const struct child *c, int *rules)
{
	enum err e;

	if ((e = begin(c->tcp, rules)) != OK || *rules < 0)
		return e;
	if ((e = allow_program(*rules, program)) == OK &&
	    (e = allow_all(*rules, system_paths, RUN)) == OK &&
	    (e = allow(*rules, "/dev/null", READ | LANDLOCK_ACCESS_FS_WRITE_FILE)) ==
		OK)
		e = allow_all(*rules, c->reads, READ);
	if (e == OK && c->writes != NULL)
		e = allow(
		    *rules, c->writes, WRITE | (TRUNCATE & bits(kinds[version()].fs)));
	return end(rules, e);
}

bool
child_files_enter(int rules)
{
	return syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}
