/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SRTP and SRTCP packets. Forged packets are refused, and the other side decrypts our
 * packets unchanged, once. The first byte selects the profile, and RTP or RTCP.
 */
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rtc/srtp.h"

#define MOST 1400

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

typedef size_t (*step)(struct packet_cipher *, unsigned char *, size_t);

static struct packet_cipher *
cipher(struct arena *mem, enum dtls_profile profile)
{
	struct dtls_keys k = { .profile = profile };

	memset(k.local, 7, sizeof(k.local));
	memset(k.remote, 7, sizeof(k.remote));
	return packet_cipher_new(mem, &k);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static alignas(16) unsigned char p[MOST + PACKET_CIPHER_ROOM],
	    sealed[sizeof(p)];
	bool rtcp = n > 0 && (data[0] & 2) != 0;
	step protect = rtcp ? packet_cipher_protect_rtcp : packet_cipher_protect,
	     unprotect = rtcp ? packet_cipher_unprotect_rtcp : packet_cipher_unprotect;
	struct arena *mem;
	struct packet_cipher *c;
	size_t size;

	if (n < 1 || n - 1 > MOST)
		return 0;
	mem = arena_new();
	c = cipher(
	    mem, (data[0] & 1) != 0 ? DTLS_AEAD_AES_128_GCM : DTLS_AES128_CM_SHA1_80);
	data++;
	n--;
	memcpy(p, data, n);
	unprotect(c, p, n);
	memcpy(p, data, n);
	if (rtcp && n > 0)
		p[0] = (unsigned char)(0x80 | (p[0] & 0x3f));
	memcpy(sealed, p, n);
	size = protect(c, sealed, n);
	if (size > sizeof(sealed) || (size > 0 && size < n + 10))
		abort();
	if (size > 0) {
		unsigned char copy[sizeof(sealed)];

		memcpy(copy, sealed, size);
		if (unprotect(c, sealed, size) != n || memcmp(sealed, p, n) != 0 ||
		    unprotect(c, copy, size) != 0)
			abort();
	}
	packet_cipher_free(c);
	arena_free(mem);
	return 0;
}
