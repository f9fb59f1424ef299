/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens untrusted files. media/media.h starts one process for each file; media/wire.h
 * describes the messages. It needs only the descriptors that it was started with and
 * gives up all other rights before it reads the first byte.
 */
#include <libavutil/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "media/media_internal.h"

static const struct command {
	const char *name;
	int nargs;
	void (*run)(char **args, struct media_answer *);
	bool (*load)(char **args); /* the libraries that it needs, if any */
} commands[] = {
	{ "check", 1, media_child_check },
	{ "decode", 5, media_child_decode, media_child_load },
	{ "encode", 2, media_child_encode },
};

static const struct command *
find_command(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (argc == commands[i].nargs + 2 &&
		    strcmp(argv[1], commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct command *c = find_command(argc, argv);
	struct media_answer a = { .head.magic = WIRE_MAGIC };

	if (c == NULL) {
		fputs("usage: dragoman-media check|decode|encode ... <file\n", stderr);
		return EXIT_FAILURE;
	}
	av_log_set_level(AV_LOG_QUIET);
	if ((c->load != NULL && !c->load(argv + 2)) || child_sandbox(NULL) != OK)
		return EXIT_FAILURE;
	c->run(argv + 2, &a);
	if (fwrite(&a.head, sizeof(a.head), 1, stdout) != 1 ||
	    (a.bytes > 0 && fwrite(a.body, a.bytes, 1, stdout) != 1) ||
	    fflush(stdout) != 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS); /* the kernel frees memory faster than the libraries */
}
