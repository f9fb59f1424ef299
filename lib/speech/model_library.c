/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/model_library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "speech/model_message.h"

#define SAID_BYTES 400 /* bytes kept of a library's output, from its end */

/* Send the end of the stored standard error, using only system calls. */
static void
send_stderr(void)
{
	struct {
		struct model_head head;
		char said[SAID_BYTES];
	} m = { { MODEL_FAULT } };
	off_t size = lseek(STDERR_FILENO, 0, SEEK_END);
	off_t from = size > SAID_BYTES ? size - SAID_BYTES : 0;
	ssize_t n = pread(STDERR_FILENO, m.said, sizeof(m.said), from);

	m.head.n = n > 0 ? (uint32_t)n : 0;
	if (write(STDOUT_FILENO, &m, sizeof(m.head) + m.head.n) < 0)
		_exit(EXIT_FAILURE);
}

static void
handle_abort(int signal)
{
	(void)signal;
	send_stderr();
	_exit(EXIT_FAILURE);
}

void
model_watch_errors(void)
{
	int said = memfd_create("said", MFD_CLOEXEC);

	if (said >= 0)
		dup2(said, STDERR_FILENO);
	signal(SIGXFSZ, SIG_IGN); /* if a library writes too much, the rest is lost */
	signal(SIGABRT, handle_abort);
	atexit(send_stderr);
}

void
model_fault(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	send_stderr();
	_exit(EXIT_FAILURE);
}

/* ---- loading ---- */

void
model_load(const char *library, const struct model_symbol *s)
{
	/* RTLD_LAZY: a module of Node.js refers to functions that only Node.js has. */
	void *so = dlopen(library, RTLD_LAZY | RTLD_LOCAL);

	if (so == NULL)
		model_fault("%s", dlerror());
	for (; s->name != NULL; s++)
		if ((*(void **)s->to = dlsym(so, s->name)) == NULL)
			model_fault("%s", dlerror());
}

bool
model_is_version(const char *version, const char *known)
{
	for (size_t n; *(known += strspn(known, " ")) != '\0'; known += n) {
		n = strcspn(known, " ");
		if (strncmp(version, known, n) == 0)
			return true;
	}
	return false;
}

void
model_check_version(const char *version, const char *known)
{
	if (!model_is_version(version, known))
		model_fault("version %s of the library is not known here", version);
}

/* Returns the first matching file in alphabetical order. */
static const char *
find_file(struct arena *mem, const char *folder, const char *pattern)
{
	const char *found = NULL;
	DIR *dir = opendir(folder);
	struct dirent *d;

	if (dir == NULL)
		return NULL;
	while ((d = readdir(dir)) != NULL)
		if (fnmatch(pattern, d->d_name, 0) == 0 &&
		    (found == NULL || strcmp(d->d_name, found) < 0))
			found = arena_str(mem, d->d_name);
	closedir(dir);
	return found;
}

const char *
model_file(
    struct arena *mem, const struct model_want *want, const char *const *patterns)
{
	const char *name = NULL;

	while (*patterns != NULL && name == NULL)
		name = find_file(mem, want->model, *patterns++);
	return name != NULL ? arena_printf(mem, "%s/%s", want->model, name) : NULL;
}
