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

/* Looked up once: that costs more than to hash a key. */
static struct {
	EVP_MD *sha256;
	EVP_MAC_CTX *hmac; /* without a key; to be copied */
} found;

static void
look_up(void)
{
	char name[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, name, sizeof(name) - 1),
		OSSL_PARAM_END,
	};
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);

	found.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	found.hmac = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
	if (found.sha256 == NULL || found.hmac == NULL ||
	    EVP_MAC_CTX_set_params(found.hmac, params) != 1)
		abort();
	EVP_MAC_free(mac);
}

static void
need_algorithms(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look_up);
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
hmac(const void *key, size_t nkey, const void *p, size_t n,
    unsigned char to[SHA256_BYTES])
{
	EVP_MAC_CTX *ctx;

	need_algorithms();
	ctx = EVP_MAC_CTX_dup(found.hmac);
	if (ctx == NULL || EVP_MAC_init(ctx, key, nkey, NULL) != 1 ||
	    EVP_MAC_update(ctx, p, n) != 1 ||
	    EVP_MAC_final(ctx, to, NULL, SHA256_BYTES) != 1)
		abort();
	EVP_MAC_CTX_free(ctx);
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
