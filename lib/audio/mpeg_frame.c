#include "audio/mpeg_frame.h"

int
mpeg_frame_bytes(const uint8_t *h)
{
	static const short kbps[5][15] = {
		{ 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416,
		    448 },
		{ 0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384 },
		{ 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 },
		{ 0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256 },
		{ 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 },
	};
	static const int hz[3] = { 44100, 48000, 32000 };
	int version = h[1] >> 3 & 3, layer = 4 - (h[1] >> 1 & 3), rate = h[2] >> 2 & 3;
	int pad = h[2] >> 1 & 1, half = version == 3 ? 0 : version == 2 ? 1 : 2;
	int row = half == 0 ? layer - 1 : layer == 1 ? 3 : 4, bits;

	if (h[0] != 0xff || (h[1] & 0xe0) != 0xe0 || version == 1 || layer == 4 ||
	    h[2] >> 4 == 0 || h[2] >> 4 == 15 || rate == 3)
		return 0;
	bits = kbps[row][h[2] >> 4] * 1000;
	rate = hz[rate] >> half;
	if (layer == 1)
		return (12 * bits / rate + pad) * 4;
	return (layer == 3 && half > 0 ? 72 : 144) * bits / rate + pad;
}

int
mpeg_frame_adts_bytes(const uint8_t *h)
{
	int size = (h[3] & 3) << 11 | h[4] << 3 | h[5] >> 5;

	if (h[0] != 0xff || (h[1] & 0xf6) != 0xf0 || (h[2] >> 2 & 15) > 12 || size < 8)
		return 0;
	return size;
}
