/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes untrusted streams. media/stream_decoder.h starts one process for each stream;
 * media/stream_decoder_wire.h describes the messages. It is not a part of
 * dragoman-media, which loads filters and encoders and needs twice the memory.
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
