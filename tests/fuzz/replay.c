/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: TARGET FILE...
 *
 * Replaces a fuzzer's main() and gives each file to the target once. It prints each
 * name first, so the last name printed is that of a file that causes a crash.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#define PATIENCE_S 30 /* seconds for one input, then SIGALRM */

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int
replay(const char *path)
{
	struct arena *mem = arena_new();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *data;

	fprintf(stderr, "input: %s\n", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return 1;
	data = arena_alloc(mem, (size_t)st.st_size);
	if (read(fd, data, (size_t)st.st_size) != st.st_size)
		return 1;
	close(fd);
	alarm(PATIENCE_S);
	LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	alarm(0);
	arena_free(mem);
	return 0;
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (replay(argv[i]) != 0)
			return 1;
	return argc < 2;
}
