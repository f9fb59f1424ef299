/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/local_pulse.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

#define SIZE (2 * (off_t)sizeof(int64_t))

static _Atomic int64_t *counter;
static _Atomic int64_t own; /* part of the counter that this process added */
static int file = -1;
static char name[4096];

void
local_pulse_set(const char *path)
{
	int fd = file_open_lock(path);
	void *at = MAP_FAILED;
	struct stat st;

	/* ftruncate() to the same size would be reported as a change */
	if (fd >= 0 && fstat(fd, &st) == 0 &&
	    (st.st_size == SIZE || ftruncate(fd, SIZE) == 0))
		at = mmap(
		    NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		if (errno != ENOENT) /* before the first start there is no folder */
			log_error("%s: cannot map it", path);
		if (fd >= 0)
			close(fd);
		return;
	}
	counter = at;
	file = fd;
	own = 0;
	snprintf(name, sizeof(name), "%s", path);
}

/* inotify(7) does not report changes of mapped memory: write behind it. */
void
local_pulse_carry(void)
{
	static const char mark = '.';

	if (counter == NULL)
		return;
	atomic_fetch_add(counter, 1);
	if (pwrite(file, &mark, 1, sizeof(*counter)) != 1)
		log_warn("%s: cannot write to it", name);
}

void
local_pulse_raise(void)
{
	if (counter != NULL)
		atomic_fetch_add(&own, 1);
	local_pulse_carry();
}

int64_t
local_pulse(void)
{
	return counter != NULL ? atomic_load(counter) - atomic_load(&own) : 0;
}

const char *
local_pulse_path(void)
{
	return counter != NULL ? name : NULL;
}
