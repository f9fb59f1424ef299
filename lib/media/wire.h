/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_WIRE_H
#define MEDIA_WIRE_H

#include <stdint.h>

/*
 * The format between media.c and its child, which are of the same build and machine.
 * The child reads descriptor 0 and is called as
 *
 *	check MIME_TYPE			< the file
 *	decode MIME_TYPE RATE_HZ MAX_S FLAGS TRACK	< the file; "" is any type
 *	encode FORMAT RATE_HZ		< float samples
 *
 * It writes this head, then n floats (decode) or bytes (encode).
 */
struct wire {
	uint32_t magic;
	uint32_t verdict; /* enum media_verdict */
	uint32_t has_audio;
	uint32_t pad;
	double duration_s;
	uint64_t n;
	char format[16]; /* "": unknown */
	char codec[32];
};

#define WIRE_MAGIC 0x6d656431U /* change it with the struct */

/* FLAGS, a decimal number. */
#define WIRE_DENOISE 1
#define WIRE_NORMALISE 2

#endif
