/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/dtls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"

#define MTU 1200 /* bytes of a datagram; fits each network that carries WebRTC */
#define CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20"
/* P-224 is the least: FFmpeg with GnuTLS makes such certificates. */
#define GROUPS "X25519:P-256:X448:P-384:P-521:P-224"
#define PROFILES "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80"
#define LABEL "EXTRACTOR-dtls_srtp"
#define VALID_S (365L * 86400)
/* first time until a flight is sent again; it doubles */
#define FIRST_WAIT_US 100000U
#define LAST_WAIT_US 2000000U
#define RECORD_BYTES (16 << 10)

/* Bytes of a record's header, and its version, RFC 6347, 4.1. */
#define HEAD 13
#define VERSION 0xfe /* major */
#define FIRST_TYPE 20
#define HANDSHAKE 22
#define LAST_TYPE 23
#define HELLO 1 /* type of a handshake message: ClientHello */

struct dtls_context {
	SSL_CTX *ssl;
	BIO_METHOD *method;
	char fingerprint[DTLS_FINGERPRINT];
};

struct dtls {
	SSL *ssl;
	BIO *in; /* the datagram that is being read */
	bool client;
	bool began; /* a first datagram came */
	unsigned char unsent[MTU];
	size_t unsent_n;
	enum dtls_state state;
	struct dtls_events events;
	void *arg;
};

/* ---- fingerprints ---- */

static const EVP_MD *
digest_of(const char *hash)
{
	return strcasecmp(hash, "sha-256") == 0   ? EVP_sha256()
	       : strcasecmp(hash, "sha-384") == 0 ? EVP_sha384()
	       : strcasecmp(hash, "sha-512") == 0 ? EVP_sha512()
						  : NULL;
}

/* Upper-case hex with colons; 3 bytes for each of the digest.  False: no digest. */
static bool
write_fingerprint(const X509 *x, const EVP_MD *digest, char *to, size_t room)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (digest == NULL || X509_digest(x, digest, bytes, &n) != 1 || 3 * n > room)
		return false;
	for (unsigned i = 0; i < n; i++)
		snprintf(
		    to + (size_t)3 * i, 4, "%02X%s", bytes[i], i + 1 < n ? ":" : "");
	return n > 0;
}

bool
dtls_is_from(struct dtls *d, const char *hash, const char *fingerprint)
{
	char is[3 * EVP_MAX_MD_SIZE + 1];
	X509 *x = d->state == DTLS_UP ? SSL_get1_peer_certificate(d->ssl) : NULL;
	bool good = x != NULL &&
		    write_fingerprint(x, digest_of(hash), is, sizeof(is)) &&
		    strcasecmp(is, fingerprint) == 0;

	X509_free(x);
	return good;
}

/* ---- context ---- */

/* Accept any certificate: dtls_is_from() checks the fingerprint of the description. */
static int
accept_any_certificate(int good, X509_STORE_CTX *c)
{
	(void)good, (void)c;
	return 1;
}

static bool
fill_certificate(X509 *x, EVP_PKEY *key)
{
	X509_NAME *name = X509_get_subject_name(x);
	uint64_t serial;

	random_bytes(&serial, sizeof(serial));
	return X509_set_version(x, 2) == 1 &&
	       ASN1_INTEGER_set_uint64(X509_get_serialNumber(x), serial >> 1) == 1 &&
	       X509_gmtime_adj(X509_getm_notBefore(x), -86400) != NULL &&
	       X509_gmtime_adj(X509_getm_notAfter(x), VALID_S) != NULL &&
	       X509_set_pubkey(x, key) == 1 &&
	       X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
		   (const unsigned char *)"dragoman", -1, -1, 0) == 1 &&
	       X509_set_issuer_name(x, name) == 1 &&
	       X509_sign(x, key, EVP_sha256()) != 0;
}

static bool
use_certificate(struct dtls_context *c, const char *curve)
{
	EVP_PKEY *key = EVP_EC_gen(curve);
	X509 *x = X509_new();
	bool good =
	    key != NULL && x != NULL && fill_certificate(x, key) &&
	    SSL_CTX_use_certificate(c->ssl, x) == 1 &&
	    SSL_CTX_use_PrivateKey(c->ssl, key) == 1 &&
	    write_fingerprint(x, EVP_sha256(), c->fingerprint, sizeof(c->fingerprint));

	X509_free(x);
	EVP_PKEY_free(key);
	return good;
}

static void
set_options(SSL_CTX *s)
{
	SSL_CTX_set_verify(s, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
	    accept_any_certificate);
	SSL_CTX_set_session_cache_mode(s, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_options(
	    s, SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
	SSL_CTX_set_mode(s, SSL_MODE_RELEASE_BUFFERS);
}

static void
send_unsent(struct dtls *d)
{
	size_t n = d->unsent_n;

	d->unsent_n = 0;
	if (n > 0)
		d->events.send(d->arg, d->unsent, n);
}

/*
 * Collect the records of a call in datagrams, as many as fit. OpenSSL would send each
 * record of a repeated flight in its own datagram, and when many datagrams are lost,
 * nearly every flight would lose one of its records.
 */
static int
write_records(BIO *b, const char *p, int n)
{
	struct dtls *d = BIO_get_data(b);

	if (d->unsent_n + (size_t)n > sizeof(d->unsent))
		send_unsent(d);
	if ((size_t)n > sizeof(d->unsent)) {
		d->events.send(d->arg, p, (size_t)n);
		return n;
	}
	memcpy(d->unsent + d->unsent_n, p, (size_t)n);
	d->unsent_n += (size_t)n;
	return n;
}

static int
start_bio(BIO *b)
{
	BIO_set_init(b, 1);
	return 1;
}

static long
control_bio(BIO *b, int what, long n, void *p)
{
	(void)b, (void)n, (void)p;
	if (what == BIO_CTRL_DGRAM_QUERY_MTU || what == BIO_CTRL_DGRAM_GET_FALLBACK_MTU)
		return MTU;
	return what == BIO_CTRL_FLUSH;
}

static bool
make_method(struct dtls_context *c)
{
	c->method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "datagrams");
	return c->method != NULL && BIO_meth_set_write(c->method, write_records) == 1 &&
	       BIO_meth_set_create(c->method, start_bio) == 1 &&
	       BIO_meth_set_ctrl(c->method, control_bio) == 1;
}

static void
free_context(void *arg)
{
	struct dtls_context *c = arg;

	SSL_CTX_free(c->ssl);
	BIO_meth_free(c->method);
}

struct dtls_context *
dtls_context_new(struct arena *mem)
{
	struct dtls_context *c = arena_alloc(mem, sizeof(*c));

	arena_defer(mem, free_context, c);
	ERR_clear_error();
	c->ssl = SSL_CTX_new(DTLS_method());
	if (c->ssl != NULL && make_method(c) && use_certificate(c, "P-256") &&
	    SSL_CTX_set_min_proto_version(c->ssl, DTLS1_2_VERSION) == 1 &&
	    SSL_CTX_set_cipher_list(c->ssl, CIPHERS) == 1 &&
	    SSL_CTX_set1_groups_list(c->ssl, GROUPS) == 1 &&
	    SSL_CTX_set_tlsext_use_srtp(c->ssl, PROFILES) == 0) {
		set_options(c->ssl);
		return c;
	}
	log_error("rtc: DTLS cannot start: %s",
	    ERR_error_string(ERR_peek_last_error(), NULL));
	return NULL;
}

const char *
dtls_context_fingerprint(const struct dtls_context *c)
{
	return c->fingerprint;
}

/* ---- a connection ---- */

static unsigned
next_wait_us(SSL *s, unsigned was)
{
	(void)s;
	if (was == 0)
		return FIRST_WAIT_US;
	return was * 2 < LAST_WAIT_US ? was * 2 : LAST_WAIT_US;
}

/* Set the state from the result of a call. */
static void
judge(struct dtls *d, int result)
{
	int e = SSL_get_error(d->ssl, result);

	if ((SSL_get_shutdown(d->ssl) & SSL_RECEIVED_SHUTDOWN) != 0)
		d->state = DTLS_CLOSED;
	else if (e == SSL_ERROR_SSL || e == SSL_ERROR_SYSCALL)
		d->state = DTLS_FAILED;
}

static void
shake_hands(struct dtls *d)
{
	int result;

	ERR_clear_error();
	if ((result = SSL_do_handshake(d->ssl)) == 1)
		d->state = DTLS_UP;
	else
		judge(d, result);
}

struct dtls *
dtls_new(struct arena *mem, struct dtls_context *c, bool client,
    const struct dtls_events *events, void *arg)
{
	struct dtls *d = arena_alloc(mem, sizeof(*d));
	BIO *out = BIO_new(c->method);

	*d = (struct dtls){ .client = client, .events = *events, .arg = arg };
	d->in = BIO_new(BIO_s_mem());
	d->ssl = SSL_new(c->ssl);
	if (out == NULL || d->in == NULL || d->ssl == NULL) {
		BIO_free(out);
		BIO_free(d->in);
		d->state = DTLS_FAILED;
		return d;
	}
	BIO_set_data(out, d);
	BIO_set_mem_eof_return(d->in, -1);
	SSL_set_bio(d->ssl, d->in, out);
	DTLS_set_link_mtu(d->ssl, MTU);
	DTLS_set_timer_cb(d->ssl, next_wait_us);
	if (client)
		SSL_set_connect_state(d->ssl);
	else
		SSL_set_accept_state(d->ssl);
	if (client)
		shake_hands(d);
	send_unsent(d);
	return d;
}

void
dtls_free(struct dtls *d)
{
	if (d != NULL)
		SSL_free(d->ssl);
}

/* The least size of an encrypted record: its explicit nonce and tag. */
static size_t
least_bytes(const struct dtls *d)
{
	const SSL_CIPHER *c = SSL_get_current_cipher(d->ssl);

	return c != NULL && SSL_CIPHER_get_cipher_nid(c) == NID_chacha20_poly1305 ? 16
										  : 24;
}

/*
 * True if the datagram consists of whole records.  Forged ones must be dropped, but
 * OpenSSL 3.0 ends the connection at an encrypted record that is too short for its
 * tag, and at one that comes before a ClientHello.
 */
static bool
is_plausible(const struct dtls *d, const unsigned char *p, size_t n)
{
	size_t least = least_bytes(d);

	if (!d->client && !d->began &&
	    (n <= HEAD || p[0] != HANDSHAKE || p[HEAD] != HELLO))
		return false;
	while (n >= HEAD) {
		size_t length = (size_t)p[11] << 8 | p[12];
		bool encrypted = (p[3] | p[4]) != 0; /* epoch */

		if (p[0] < FIRST_TYPE || p[0] > LAST_TYPE || p[1] != VERSION ||
		    length > n - HEAD || (encrypted && length < least))
			return false;
		p += HEAD + length;
		n -= HEAD + length;
	}
	return n == 0;
}

/* Deliver decrypted data.  A callback may close the connection. */
static void
read_records(struct dtls *d)
{
	unsigned char record[RECORD_BYTES];
	int n = 1;

	while (d->state == DTLS_UP && n > 0) {
		ERR_clear_error();
		n = SSL_read(d->ssl, record, sizeof(record));
		if (n > 0)
			d->events.data(d->arg, record, (size_t)n);
		else
			judge(d, n);
	}
}

/*
 * A datagram may contain several records; records are not joined across datagrams.
 * After the handshake, a record that cannot be decrypted is not a failure (RFC 6347,
 * 4.1.2.7): OpenSSL drops it.
 */
enum dtls_state
dtls_put(struct dtls *d, const void *p, size_t n)
{
	if (d->state == DTLS_CLOSED || d->state == DTLS_FAILED ||
	    !is_plausible(d, p, n))
		return d->state;
	d->began = true;
	BIO_write(d->in, p, (int)n);
	if (d->state == DTLS_HANDSHAKE)
		shake_hands(d);
	send_unsent(d);
	if (d->state == DTLS_UP)
		read_records(d);
	send_unsent(d);
	BIO_reset(d->in);
	return d->state;
}

enum dtls_state
dtls_state(const struct dtls *d)
{
	return d->state;
}

enum dtls_state
dtls_tick(struct dtls *d)
{
	if (d->state != DTLS_HANDSHAKE)
		return d->state;
	ERR_clear_error();
	if (DTLSv1_handle_timeout(d->ssl) < 0)
		d->state = DTLS_FAILED;
	send_unsent(d);
	return d->state;
}

int64_t
dtls_wait_us(struct dtls *d)
{
	struct timeval left;

	if (d->state != DTLS_HANDSHAKE || DTLSv1_get_timeout(d->ssl, &left) != 1)
		return -1;
	return left.tv_sec * S_US + left.tv_usec;
}

bool
dtls_send(struct dtls *d, const void *p, size_t n)
{
	bool sent;

	if (d->state != DTLS_UP)
		return false;
	ERR_clear_error();
	sent = SSL_write(d->ssl, p, (int)n) == (int)n;
	send_unsent(d);
	return sent;
}

void
dtls_close(struct dtls *d)
{
	if (d->state != DTLS_UP)
		return;
	ERR_clear_error();
	SSL_shutdown(d->ssl);
	send_unsent(d);
	d->state = DTLS_CLOSED;
}

/* ---- keys ---- */

/* The exported bytes are client key, server key, client salt, server salt. */
bool
dtls_keys(struct dtls *d, struct dtls_keys *to)
{
	const SRTP_PROTECTION_PROFILE *profile =
	    d->state == DTLS_UP ? SSL_get_selected_srtp_profile(d->ssl) : NULL;
	bool gcm = profile != NULL && profile->id == SRTP_AEAD_AES_128_GCM;
	const size_t key = 16, salt = gcm ? 12 : 14;
	unsigned char all[2 * 30];
	unsigned char *client = d->client ? to->local : to->remote,
		      *server = d->client ? to->remote : to->local;

	*to = (struct dtls_keys){ DTLS_NO_SRTP };
	if (profile == NULL || SSL_export_keying_material(d->ssl, all, 2 * (key + salt),
				   LABEL, strlen(LABEL), NULL, 0, 0) != 1)
		return false;
	to->profile = gcm ? DTLS_AEAD_AES_128_GCM : DTLS_AES128_CM_SHA1_80;
	memcpy(client, all, key);
	memcpy(client + key, all + 2 * key, salt);
	memcpy(server, all + key, key);
	memcpy(server + key, all + 2 * key + salt, salt);
	OPENSSL_cleanse(all, sizeof(all));
	return true;
}
