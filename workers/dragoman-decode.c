/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The child that decodes untrusted streams; media/stream_decoder.h starts one for each
 * stream, see media/stream_decoder_wire.h for how to talk to it. It is no command of
 * dragoman-media because that one loads filters and encoders, which takes twice the
 * memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/child.h"
#include "media/stream_decoder_run.h"

int
main(int argc, char **argv)
{
	if (child_sandbox(NULL) != OK)
		return EXIT_FAILURE;
	if (argc != 2 || !stream_decoder_run(argv[1]))
		fputs("usage: dragoman-decode aac|flac|mp3|ogg|webm\n", stderr);
	return EXIT_FAILURE;
}
