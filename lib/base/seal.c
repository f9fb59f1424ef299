/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/seal.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

#define NONCE_BYTES 12
#define TAG_BYTES 16

const char *
seal_text(struct arena *mem, const unsigned char key[SHA256_BYTES], const char *text)
{
	size_t n = strlen(text);
	unsigned char *all = arena_alloc(mem, NONCE_BYTES + n + TAG_BYTES);
	unsigned char *to = all + NONCE_BYTES;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int bytes, rest;

	random_bytes(all, NONCE_BYTES);
	if (c == NULL ||
	    EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, all) != 1 ||
	    EVP_EncryptUpdate(c, to, &bytes, (const void *)text, (int)n) != 1 ||
	    EVP_EncryptFinal_ex(c, to + bytes, &rest) != 1 ||
	    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, to + n) != 1)
		abort();
	EVP_CIPHER_CTX_free(c);
	return base64url(mem, all, NONCE_BYTES + n + TAG_BYTES);
}

const char *
seal_open(struct arena *mem, const unsigned char key[SHA256_BYTES], const char *sealed)
{
	size_t n;
	unsigned char *all = base64_read(mem, sealed, strlen(sealed), &n), *from;
	EVP_CIPHER_CTX *c;
	char *text;
	int bytes, rest;
	bool good;

	if (all == NULL || n < NONCE_BYTES + TAG_BYTES)
		return NULL;
	n -= NONCE_BYTES + TAG_BYTES;
	from = all + NONCE_BYTES;
	text = arena_alloc(mem, n + 1);
	if ((c = EVP_CIPHER_CTX_new()) == NULL)
		abort();
	good = EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, all) == 1 &&
	       EVP_DecryptUpdate(c, (void *)text, &bytes, from, (int)n) == 1 &&
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, from + n) == 1 &&
	       EVP_DecryptFinal_ex(c, (unsigned char *)text + bytes, &rest) == 1;
	EVP_CIPHER_CTX_free(c);
	return good ? text : NULL;
}
