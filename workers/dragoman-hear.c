/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process of PocketSphinx's decoders, which are forked from it: see
 * lib/speech/asr_pocketsphinx_process.h.
 *
 *	dragoman-hear --model pocketsphinx recognize MODEL MODEL 1
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "speech/model_library.h"
#include "speech/model_server.h"

int
main(int argc, char **argv)
{
	static const struct model_library *const all[] = { &model_pocketsphinx, NULL };

	log_program("dragoman-hear");
	if (argc > 1 && strcmp(argv[1], "--model") == 0)
		model_serve(all, argc - 2, argv + 2);
	log_error("usage: dragoman-hear --model KIND TASK LIBRARY MODEL THREADS");
	return EXIT_FAILURE;
}
