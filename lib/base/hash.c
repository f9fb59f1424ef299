/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <zlib.h>

/* The algorithms are found once, because a lookup costs more than hashing a key. */
static struct {
	EVP_MD *sha256;
	/* initialised without a key; each use copies them */
	EVP_MAC_CTX *hmac, *hmac_sha1, *siphash;
	unsigned char own_key[SIPHASH_KEY_BYTES];
} found;

static EVP_MAC_CTX *
make_hmac(EVP_MAC *mac, char *digest)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_END,
	};
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);

	params[0].data_size = strlen(digest);
	if (ctx == NULL || EVP_MAC_CTX_set_params(ctx, params) != 1)
		abort();
	return ctx;
}

static EVP_MAC_CTX *
make_siphash(void)
{
	size_t bytes = sizeof(uint64_t);
	OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, &bytes),
		OSSL_PARAM_END,
	};
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);

	if (ctx == NULL || EVP_MAC_CTX_set_params(ctx, params) != 1)
		abort();
	EVP_MAC_free(mac);
	return ctx;
}

static void
fetch_algorithms(void)
{
	char sha256[] = "SHA256", sha1[] = "SHA1";
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);

	found.sha256 = EVP_MD_fetch(NULL, sha256, NULL);
	if (found.sha256 == NULL || mac == NULL)
		abort();
	found.hmac = make_hmac(mac, sha256);
	found.hmac_sha1 = make_hmac(mac, sha1);
	EVP_MAC_free(mac);
	found.siphash = make_siphash();
	random_bytes(found.own_key, sizeof(found.own_key));
}

static void
need_algorithms(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fetch_algorithms);
}

struct sha256 {
	EVP_MD_CTX *ctx;
};

static void
drop(void *ctx)
{
	EVP_MD_CTX_free(ctx);
}

struct sha256 *
sha256_new(struct arena *mem)
{
	struct sha256 *h = arena_alloc(mem, sizeof(*h));

	need_algorithms();
	h->ctx = EVP_MD_CTX_new();
	if (h->ctx == NULL || EVP_DigestInit_ex(h->ctx, found.sha256, NULL) != 1)
		abort();
	arena_defer(mem, drop, h->ctx);
	return h;
}

void
sha256_put(struct sha256 *h, const void *p, size_t n)
{
	if (EVP_DigestUpdate(h->ctx, p, n) != 1)
		abort();
}

const char *
sha256_hex(struct arena *mem, struct sha256 *h)
{
	unsigned char sum[SHA256_BYTES];

	if (EVP_DigestFinal_ex(h->ctx, sum, NULL) != 1)
		abort();
	return hex(mem, sum, sizeof(sum));
}

const char *
hash_hex(struct arena *mem, const void *p, size_t n)
{
	unsigned char sum[SHA256_BYTES];

	need_algorithms();
	if (EVP_Digest(p, n, sum, NULL, found.sha256, NULL) != 1)
		abort();
	return hex(mem, sum, sizeof(sum));
}

void
hash_md5(const void *p, size_t n, unsigned char to[MD5_BYTES])
{
	if (EVP_Digest(p, n, to, NULL, EVP_md5(), NULL) != 1)
		abort();
}

/* Hash without a key, with one of the algorithms found before. */
static void
authenticate(EVP_MAC_CTX *keyless, const void *key, size_t nkey, const void *p,
    size_t n, unsigned char *to)
{
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_dup(keyless);

	if (ctx == NULL || EVP_MAC_init(ctx, key, nkey, NULL) != 1 ||
	    EVP_MAC_update(ctx, p, n) != 1 ||
	    EVP_MAC_final(ctx, to, NULL, EVP_MAC_CTX_get_mac_size(ctx)) != 1)
		abort();
	EVP_MAC_CTX_free(ctx);
}

void
hmac(const void *key, size_t nkey, const void *p, size_t n,
    unsigned char to[SHA256_BYTES])
{
	need_algorithms();
	authenticate(found.hmac, key, nkey, p, n, to);
}

void
hmac_sha1(
    const void *key, size_t nkey, const void *p, size_t n, unsigned char to[SHA1_BYTES])
{
	need_algorithms();
	authenticate(found.hmac_sha1, key, nkey, p, n, to);
}

uint64_t
hash_keyed(const unsigned char key[SIPHASH_KEY_BYTES], const void *p, size_t n)
{
	unsigned char sum[sizeof(uint64_t)];
	uint64_t h = 0;

	need_algorithms();
	authenticate(found.siphash, key, SIPHASH_KEY_BYTES, p, n, sum);
	for (size_t i = sizeof(sum); i > 0; i--)
		h = h << 8 | sum[i - 1];
	return h;
}

uint64_t
hash_own(const void *p, size_t n)
{
	need_algorithms();
	return hash_keyed(found.own_key, p, n);
}

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
