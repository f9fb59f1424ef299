/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_SHARED_BUFFER_INTERNAL_H
#define GATEWAY_SHARED_BUFFER_INTERNAL_H

#include <stdbool.h>

#include "gateway/shared_buffer.h"

/*
 * Shared by shared_buffer.c and websocket.c, which writes the frame's header before the
 * text.
 */
#define SHARED_BUFFER_BEFORE 32 /* bytes of room before the text */

struct shared_buffer {
	struct arena *mem;
	int owners; /* references */
	size_t n;
	bool binary;
	unsigned char *text;
};

#endif
