/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEDIA_STREAM_DECODER_WIRE_H
#define MEDIA_STREAM_DECODER_WIRE_H

#include <stdint.h>

/*
 * Messages between stream_decoder.c and its child, dragoman-decode FORMAT, over one
 * socket. They take turns: a struct stream_decoder_ask and its bytes; then a struct
 * stream_decoder_answer for each block of sound, and LIVE_DONE when the child needs
 * more bytes.
 */
struct stream_decoder_ask {
	uint32_t bytes;   /* number of bytes that follow, at least 1 */
	uint32_t samples; /* the most samples to decode from them */
};

enum { LIVE_SOUND = 0x6c697631, LIVE_DONE };

struct stream_decoder_answer {
	uint32_t kind;
	uint32_t n; /* SOUND: bytes that follow; DONE: flags */
};

#define LIVE_UNREAD 1 /* some bytes are invalid */
#define LIVE_OVER 2   /* there was more sound than asked for */

#define LIVE_HZ 16000
#define LIVE_PIECE (1 << 20) /* bytes of one SOUND, at most */

#endif
