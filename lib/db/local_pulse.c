/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/local_pulse.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

static _Atomic int64_t *counter;

void
local_pulse_set(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0660);
	void *at = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(*counter)) == 0)
		at = mmap(
		    NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		log_error("%s: cannot map it", path);
	else
		counter = at;
}

void
local_pulse_raise(void)
{
	if (counter != NULL)
		atomic_fetch_add(counter, 1);
}

int64_t
local_pulse(void)
{
	return counter != NULL ? atomic_load(counter) : 0;
}
