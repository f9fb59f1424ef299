/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"

/*
 * OpenSSL's functions of one algorithm need no providers.  To find an algorithm by its
 * name would read a configuration and build tables: a third of a program's start.
 */
#define OPENSSL_API_COMPAT 10101
#include <openssl/crypto.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <zlib.h>

/* ---- SHA-256 ---- */

struct sha256 {
	SHA256_CTX ctx;
};

struct sha256 *
sha256_new(struct arena *mem)
{
	struct sha256 *h = arena_alloc(mem, sizeof(*h));

	SHA256_Init(&h->ctx);
	return h;
}

void
sha256_put(struct sha256 *h, const void *p, size_t n)
{
	SHA256_Update(&h->ctx, p, n);
}

const char *
sha256_hex(struct arena *mem, struct sha256 *h)
{
	unsigned char sum[SHA256_BYTES];

	SHA256_Final(sum, &h->ctx);
	return hex(mem, sum, sizeof(sum));
}

const char *
hash_hex(struct arena *mem, const void *p, size_t n)
{
	struct sha256 h;

	SHA256_Init(&h.ctx);
	sha256_put(&h, p, n);
	return sha256_hex(mem, &h);
}

void
hash_md5(const void *p, size_t n, unsigned char to[MD5_BYTES])
{
	MD5_CTX ctx;

	MD5_Init(&ctx);
	MD5_Update(&ctx, p, n);
	MD5_Final(to, &ctx);
}

/* ---- HMAC ---- */

#define BLOCK_BYTES 64 /* SHA-1 and SHA-256 have the same */

/* Two pieces that are hashed as one. */
struct pair {
	const void *a, *b;
	size_t na, nb; /* bytes */
};

static void
sha256_pair(const struct pair *p, unsigned char *to)
{
	SHA256_CTX ctx;

	SHA256_Init(&ctx);
	SHA256_Update(&ctx, p->a, p->na);
	SHA256_Update(&ctx, p->b, p->nb);
	SHA256_Final(to, &ctx);
}

static void
sha1_pair(const struct pair *p, unsigned char *to)
{
	SHA_CTX ctx;

	SHA1_Init(&ctx);
	SHA1_Update(&ctx, p->a, p->na);
	SHA1_Update(&ctx, p->b, p->nb);
	SHA1_Final(to, &ctx);
}

struct hmac_keys {
	unsigned char inner[BLOCK_BYTES], outer[BLOCK_BYTES];
};

static void
make_keys(struct hmac_keys *k, void (*hash)(const struct pair *, unsigned char *),
    const void *key, size_t n)
{
	*k = (struct hmac_keys){ { 0 }, { 0 } };
	if (n > BLOCK_BYTES)
		hash(&(const struct pair){ .a = key, .na = n }, k->inner);
	else if (n > 0)
		memcpy(k->inner, key, n);
	for (size_t i = 0; i < BLOCK_BYTES; i++) {
		k->outer[i] = k->inner[i] ^ 0x5c;
		k->inner[i] ^= 0x36;
	}
}

void
hmac(const void *key, size_t nkey, const void *p, size_t n,
    unsigned char to[SHA256_BYTES])
{
	unsigned char sum[SHA256_BYTES];
	struct hmac_keys k;

	make_keys(&k, sha256_pair, key, nkey);
	sha256_pair(&(const struct pair){ k.inner, p, BLOCK_BYTES, n }, sum);
	sha256_pair(&(const struct pair){ k.outer, sum, BLOCK_BYTES, sizeof(sum) }, to);
	OPENSSL_cleanse(&k, sizeof(k));
}

void
hmac_sha1(
    const void *key, size_t nkey, const void *p, size_t n, unsigned char to[SHA1_BYTES])
{
	unsigned char sum[SHA1_BYTES];
	struct hmac_keys k;

	make_keys(&k, sha1_pair, key, nkey);
	sha1_pair(&(const struct pair){ k.inner, p, BLOCK_BYTES, n }, sum);
	sha1_pair(&(const struct pair){ k.outer, sum, BLOCK_BYTES, sizeof(sum) }, to);
	OPENSSL_cleanse(&k, sizeof(k));
}

/* ---- SipHash ---- */

static uint64_t
rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static void
sip_rounds(uint64_t v[4], int n)
{
	while (n-- > 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

static void
sip_put(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
}

/* Up to 8 bytes, little-endian. */
static uint64_t
read_word(const unsigned char *p, size_t n)
{
	uint64_t word = 0;

	while (n-- > 0)
		word = word << 8 | p[n];
	return word;
}

uint64_t
hash_keyed(const unsigned char key[SIPHASH_KEY_BYTES], const void *p, size_t n)
{
	const unsigned char *at = p, *last = at + n / 8 * 8;
	uint64_t k0 = read_word(key, 8), k1 = read_word(key + 8, 8);
	uint64_t v[] = { k0 ^ UINT64_C(0x736f6d6570736575),
		k1 ^ UINT64_C(0x646f72616e646f6d), k0 ^ UINT64_C(0x6c7967656e657261),
		k1 ^ UINT64_C(0x7465646279746573) };

	for (; at < last; at += 8)
		sip_put(v, read_word(at, 8));
	sip_put(v, (uint64_t)n << 56 | read_word(at, n % 8));
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static unsigned char own_key[SIPHASH_KEY_BYTES];

static void
make_own_key(void)
{
	random_bytes(own_key, sizeof(own_key));
}

uint64_t
hash_own(const void *p, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_own_key);
	return hash_keyed(own_key, p, n);
}

/* ---- other ---- */

uint32_t
crc(const void *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}

bool
same_bytes(const void *a, const void *b, size_t n)
{
	return CRYPTO_memcmp(a, b, n) == 0;
}

const char *
hex(struct arena *mem, const void *p, size_t n)
{
	const unsigned char *from = p;
	char *to = arena_alloc(mem, 2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		to[2 * i] = "0123456789abcdef"[from[i] >> 4];
		to[2 * i + 1] = "0123456789abcdef"[from[i] & 15];
	}
	return to;
}

int
hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

void
random_bytes(void *p, size_t n)
{
	if (getrandom(p, n, 0) != (ssize_t)n)
		abort();
}

/* ---- compression ---- */

void *
deflate_message(struct arena *mem, const void *p, size_t n, size_t *bytes)
{
	uLongf room = compressBound(n);
	void *to = arena_alloc(mem, room);

	if (compress2(to, &room, p, n, Z_BEST_SPEED) != Z_OK)
		abort();
	*bytes = room;
	return to;
}
