/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_AUTHENTICATOR_H
#define TESTS_UNIT_AUTHENTICATOR_H

/*
 * An authenticator and its browser, for passkeys: keys and signatures of OpenSSL. Tests
 * change its members to make it lie.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#include "base/be.h"
#include "tests/unit/unit.h"

struct authenticator {
	EVP_PKEY *key;
	int algorithm; /* -7, -8, -257 */
	unsigned char id[16];
	uint32_t count;
	unsigned char flags;
	const char *host, *origin;
};

static inline void
free_key(void *key)
{
	EVP_PKEY_free(key);
}

/* Its key is freed with fixture.mem. */
static inline struct authenticator
authenticator_new(int algorithm)
{
	struct authenticator a = { .algorithm = algorithm,
		/* present, verified; those of phones are also backed up */
		.flags = algorithm == -8 ? 0x1d : 0x05,
		.host = "speech.example.org",
		.origin = "https://speech.example.org" };

	random_bytes(a.id, sizeof(a.id));
	a.key = algorithm == -7   ? EVP_EC_gen("P-256")
		: algorithm == -8 ? EVP_PKEY_Q_keygen(NULL, NULL, "ED25519")
				  : EVP_RSA_gen(2048);
	ck_assert_ptr_nonnull(a.key);
	arena_defer(fixture.mem, free_key, a.key);
	return a;
}

static inline const char *
authenticator_id(const struct authenticator *a)
{
	return base64url(fixture.mem, a->id, sizeof(a->id));
}

/* ---- CBOR ---- */

static inline void
put_number(struct buf *b, const struct authenticator *a, const char *name, size_t n)
{
	unsigned char number[256];
	BIGNUM *is = NULL;

	ck_assert_int_eq(EVP_PKEY_get_bn_param(a->key, name, &is), 1);
	ck_assert_int_eq(BN_bn2binpad(is, number, (int)n), (int)n);
	BN_free(is);
	buf_put(b, number, n);
}

/* The public key as COSE has it (RFC 9052). */
static inline void
put_key(struct buf *b, const struct authenticator *a)
{
	unsigned char raw[32];
	size_t n = sizeof(raw);

	if (a->algorithm == -7) {
		buf_put(b, "\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20", 10);
		put_number(b, a, OSSL_PKEY_PARAM_EC_PUB_X, 32);
		buf_put(b, "\x22\x58\x20", 3);
		put_number(b, a, OSSL_PKEY_PARAM_EC_PUB_Y, 32);
	} else if (a->algorithm == -8) {
		buf_put(b, "\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20", 10);
		ck_assert_int_eq(EVP_PKEY_get_raw_public_key(a->key, raw, &n), 1);
		buf_put(b, raw, n);
	} else {
		buf_put(b, "\xa4\x01\x03\x03\x39\x01\x00\x20\x59\x01\x00", 11);
		put_number(b, a, OSSL_PKEY_PARAM_RSA_N, 256);
		buf_put(b, "\x21\x43\x01\x00\x01", 5);
	}
}

static inline struct buf
authenticator_data(struct authenticator *a, bool with_key)
{
	struct buf b = { .mem = fixture.mem };
	unsigned char sum[32], count[4], length[2];
	unsigned char flags = (unsigned char)(a->flags | (with_key ? 0x40 : 0));

	SHA256((const unsigned char *)a->host, strlen(a->host), sum);
	put_be32(count, a->count);
	buf_put(&b, sum, sizeof(sum));
	buf_put(&b, &flags, 1);
	buf_put(&b, count, sizeof(count));
	if (!with_key)
		return b;
	buf_put(&b, "0123456789abcdef", 16); /* model */
	put_be16(length, sizeof(a->id));
	buf_put(&b, length, sizeof(length));
	buf_put(&b, a->id, sizeof(a->id));
	put_key(&b, a);
	return b;
}

static inline struct buf
attestation_of(struct authenticator *a)
{
	struct buf b = { .mem = fixture.mem }, data = authenticator_data(a, true);
	unsigned char length[2];

	put_be16(length, (unsigned)data.len);
	buf_put(&b,
	    "\xa3\x63"
	    "fmt\x64"
	    "none\x67"
	    "attStmt\xa0\x68"
	    "authData\x59",
	    29);
	buf_put(&b, length, sizeof(length));
	buf_put(&b, data.p, data.len);
	return b;
}

/* ---- the browser ---- */

static inline const char *
client_data(const struct authenticator *a, const char *type, const char *challenge)
{
	return arena_printf(fixture.mem,
	    "{\"type\":\"webauthn.%s\",\"challenge\":\"%s\",\"origin\":\"%s\","
	    "\"crossOrigin\":false}",
	    type, challenge, a->origin);
}

/* The result of create() with an attestation object. */
static inline const char *
created_with(
    const struct authenticator *a, const char *challenge, const void *p, size_t n)
{
	const char *client = client_data(a, "create", challenge);

	return arena_printf(fixture.mem,
	    "{\"id\":\"%s\",\"type\":\"public-key\",\"response\":"
	    "{\"clientDataJSON\":\"%s\",\"attestationObject\":\"%s\"}}",
	    authenticator_id(a), base64url(fixture.mem, client, strlen(client)),
	    base64url(fixture.mem, p, n));
}

static inline const char *
created(struct authenticator *a, const char *challenge)
{
	struct buf object = attestation_of(a);

	return created_with(a, challenge, object.p, object.len);
}

/* The result of get(). */
static inline const char *
got(struct authenticator *a, const char *challenge)
{
	const char *client = client_data(a, "get", challenge);
	struct buf data = authenticator_data(a, false), all = { .mem = fixture.mem };
	unsigned char sum[32], signature[512];
	size_t n = sizeof(signature);
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	SHA256((const unsigned char *)client, strlen(client), sum);
	buf_put(&all, data.p, data.len);
	buf_put(&all, sum, sizeof(sum));
	ck_assert_int_eq(EVP_DigestSignInit(c, NULL,
			     a->algorithm == -8 ? NULL : EVP_sha256(), NULL, a->key),
	    1);
	ck_assert_int_eq(
	    EVP_DigestSign(c, signature, &n, (const unsigned char *)all.p, all.len), 1);
	EVP_MD_CTX_free(c);
	return arena_printf(fixture.mem,
	    "{\"id\":\"%s\",\"type\":\"public-key\",\"response\":{\"clientDataJSON\":"
	    "\"%s\",\"authenticatorData\":\"%s\",\"signature\":\"%s\"}}",
	    authenticator_id(a), base64url(fixture.mem, client, strlen(client)),
	    base64url(fixture.mem, data.p, data.len),
	    base64url(fixture.mem, signature, n));
}

#endif
