#include "audio/wav_header.h"

#include <string.h>

static unsigned char *
put_le(unsigned char *to, size_t v, int bytes)
{
	for (; bytes-- > 0; v >>= 8)
		*to++ = (unsigned char)v;
	return to;
}

void
wav_header_write(void *to, int rate_hz, size_t bytes)
{
	unsigned char *p = to;

	memcpy(p, "RIFF....WAVEfmt ", 16);
	put_le(p + 4, bytes == WAV_OPEN ? WAV_OPEN : WAV_HEADER - 8 + bytes, 4);
	p = put_le(p + 16, 16, 4);
	p = put_le(p, 1, 2); /* PCM */
	p = put_le(p, 1, 2); /* channels */
	p = put_le(p, (size_t)rate_hz, 4);
	p = put_le(p, (size_t)rate_hz * 2, 4); /* bytes in a second */
	p = put_le(p, 2, 2);                   /* bytes of a frame */
	p = put_le(p, 16, 2);                  /* bits */
	memcpy(p, "data", 4);
	put_le(p + 4, bytes, 4);
}
