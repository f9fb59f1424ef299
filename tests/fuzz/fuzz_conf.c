/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of settings: read or refused; settings that were read can be printed and read
   again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "speech/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static char dir[] = "/tmp/fuzz_conf.XXXXXX";

static void
make_folder(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (mkdir(path, 0700) != 0)
		abort();
}

/* etc/dragoman.conf of a folder of our own, made once. */
static const char *
file(void)
{
	static char path[64];

	if (path[0] != '\0')
		return path;
	if (mkdtemp(dir) == NULL)
		abort();
	make_folder("etc");
	make_folder("var");
	make_folder("var/state");
	snprintf(path, sizeof(path), "%s/etc/dragoman.conf", dir);
	setenv("DRAGOMAN_CONF", path, 1);
	setenv("DRAGOMAN_STATE_DIR", "var/state", 1);
	return path;
}

static void
put(const uint8_t *data, size_t size)
{
	FILE *f = fopen(file(), "w");

	if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct conf c;
	char *text;
	size_t n;
	FILE *out;

	put(data, size);
	if (conf_read(mem, &c) == OK) {
		out = open_memstream(&text, &n);
		engine_conf_print(&c, out);
		fclose(out);
		free(text);
	}
	arena_free(mem);
	return 0;
}
