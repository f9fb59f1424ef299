/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/srtp.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <string.h>

#include "base/be.h"
#include "base/hash.h"
#include "base/log.h"

#define WINDOW 1024       /* the replay window, in packets */
#define MOST_STREAMS 1000 /* SSRCs of the other side */
#define KEY 16            /* bytes */
#define SALT 14           /* 12 with GCM */
#define MAC_KEY 20
#define MAC_TAG 10 /* bytes of a SHA1_80 tag */
#define GCM_TAG 16
#define GCM_IV 12
#define RTP_HEAD 12
#define RTCP_HEAD 8  /* bytes that are not encrypted */
#define RTCP_INDEX 4 /* bytes after a packet of SRTCP: bit 31 and its index */
#define ENCRYPTED UINT32_C(0x80000000)

/* Labels of SRTP keys: RFC 3711, 4.3.2. SRTCP's labels are higher by 3. */
enum label { LABEL_CIPHER, LABEL_MAC, LABEL_SALT, LABELS };

/* Received indices: RFC 3711, 3.3.2. */
struct window {
	bool any;
	uint64_t top;
	uint64_t seen[WINDOW / 64]; /* bit: index % WINDOW */
};

struct stream {
	struct stream *next;
	uint32_t ssrc;
	struct window rtp, rtcp;
};

/* The keys of one direction, for RTP or for RTCP. */
struct session_keys {
	EVP_CIPHER_CTX *cipher;
	EVP_MAC_CTX *mac; /* NULL with GCM */
	unsigned char salt[SALT];
};

struct direction {
	struct session_keys rtp, rtcp;
	struct stream *streams; /* the last one used is the first */
	int n;
	uint32_t rtcp_index; /* index of the last packet sent */
};

struct packet_cipher {
	struct arena *mem, *out_mem; /* out_mem: owned, memory of `out` */
	bool gcm;
	/* `out` without RTCP may belong to another thread than the rest, rtc_sender.h
	 */
	struct direction in, out;
};

/* ---- keys ---- */

/* The pseudo-random function: the keystream of AES-CM (RFC 3711, 4.3.3). */
static bool
derive(const unsigned char *master, const unsigned char salt[SALT], int label,
    unsigned char *to, size_t n)
{
	unsigned char iv[16] = "";
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int len;
	bool good;

	memcpy(iv, salt, SALT);
	iv[7] ^= (unsigned char)label;
	memset(to, 0, n);
	good = c != NULL &&
	       EVP_EncryptInit_ex(c, EVP_aes_128_ctr(), NULL, master, iv) == 1 &&
	       EVP_EncryptUpdate(c, to, &len, to, (int)n) == 1;
	EVP_CIPHER_CTX_free(c);
	return good;
}

static EVP_MAC_CTX *
make_mac(const unsigned char key[MAC_KEY])
{
	char digest[] = "SHA1";
	const OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(
					  OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end() };
	EVP_MAC *hmac_type = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *m = hmac_type != NULL ? EVP_MAC_CTX_new(hmac_type) : NULL;

	EVP_MAC_free(hmac_type);
	if (m != NULL && EVP_MAC_init(m, key, MAC_KEY, params) == 1)
		return m;
	EVP_MAC_CTX_free(m);
	return NULL;
}

/* Derive the keys of one direction; first: label of the first key. */
static bool
make_keys(struct session_keys *k, bool gcm, bool encrypts, const unsigned char *master,
    int first)
{
	unsigned char salt[SALT] = "", key[KEY], mac[MAC_KEY];
	bool good;

	memcpy(salt, master + KEY, gcm ? GCM_IV : SALT);
	k->cipher = EVP_CIPHER_CTX_new();
	good = k->cipher != NULL &&
	       derive(master, salt, first + LABEL_CIPHER, key, sizeof(key)) &&
	       derive(master, salt, first + LABEL_MAC, mac, sizeof(mac)) &&
	       derive(master, salt, first + LABEL_SALT, k->salt, sizeof(k->salt)) &&
	       EVP_CipherInit_ex(k->cipher, gcm ? EVP_aes_128_gcm() : EVP_aes_128_ctr(),
		   NULL, key, NULL, encrypts) == 1 &&
	       (gcm || (k->mac = make_mac(mac)) != NULL);
	OPENSSL_cleanse(key, sizeof(key));
	OPENSSL_cleanse(mac, sizeof(mac));
	return good;
}

struct packet_cipher *
packet_cipher_new(struct arena *mem, const struct dtls_keys *k)
{
	struct packet_cipher *c = arena_alloc(mem, sizeof(*c));
	bool gcm = k->profile == DTLS_AEAD_AES_128_GCM;

	c->mem = mem;
	c->out_mem = arena_small(sizeof(struct stream));
	c->gcm = gcm;
	if (k->profile != DTLS_NO_SRTP &&
	    make_keys(&c->in.rtp, gcm, false, k->remote, 0) &&
	    make_keys(&c->in.rtcp, gcm, false, k->remote, LABELS) &&
	    make_keys(&c->out.rtp, gcm, true, k->local, 0) &&
	    make_keys(&c->out.rtcp, gcm, true, k->local, LABELS))
		return c;
	log_error("rtc: SRTP has no keys");
	packet_cipher_free(c);
	return NULL;
}

void
packet_cipher_free(struct packet_cipher *c)
{
	struct session_keys *all[4];

	if (c == NULL)
		return;
	all[0] = &c->in.rtp;
	all[1] = &c->in.rtcp;
	all[2] = &c->out.rtp;
	all[3] = &c->out.rtcp;
	for (int i = 0; i < 4; i++) {
		EVP_CIPHER_CTX_free(all[i]->cipher);
		EVP_MAC_CTX_free(all[i]->mac);
		OPENSSL_cleanse(all[i]->salt, sizeof(all[i]->salt));
	}
	arena_free(c->out_mem);
}

void
packet_cipher_prefetch(const struct packet_cipher *c)
{
	__builtin_prefetch(c->out.streams);
	__builtin_prefetch(c->out.rtp.cipher);
}

/* ---- streams and indices ---- */

static struct stream *
find(struct direction *d, uint32_t ssrc)
{
	for (struct stream **at = &d->streams, *s; (s = *at) != NULL; at = &s->next)
		if (s->ssrc == ssrc) {
			*at = s->next;
			s->next = d->streams;
			return d->streams = s;
		}
	return NULL;
}

/* Find or add the stream of an SSRC. NULL: there are too many streams. */
static struct stream *
find_or_add(struct packet_cipher *c, struct direction *d, uint32_t ssrc)
{
	struct stream *s = find(d, ssrc);

	if (s != NULL || (d == &c->in && d->n == MOST_STREAMS))
		return s;
	s = arena_alloc(d == &c->in ? c->mem : c->out_mem, sizeof(*s));
	s->ssrc = ssrc;
	s->next = d->streams;
	d->n++;
	return d->streams = s;
}

/* The 48-bit index that a sequence number stands for: RFC 3711, 3.3.1. */
static bool
guess(const struct window *w, uint16_t seq, uint64_t *index)
{
	int64_t is = (int64_t)w->top + (int16_t)(seq - (uint16_t)w->top);

	*index = w->any ? (uint64_t)is : seq;
	return !w->any || is >= 0;
}

static bool
is_new(const struct window *w, uint64_t index)
{
	if (!w->any || index > w->top)
		return true;
	return w->top - index < WINDOW &&
	       (w->seen[index % WINDOW / 64] >> index % 64 & 1) == 0;
}

static void
note(struct window *w, uint64_t index)
{
	uint64_t gap = w->any && index > w->top ? index - w->top : 0;

	if (gap >= WINDOW)
		memset(w->seen, 0, sizeof(w->seen));
	else
		for (uint64_t i = index - gap + 1; i < index; i++)
			w->seen[i % WINDOW / 64] &= ~(UINT64_C(1) << i % 64);
	w->seen[index % WINDOW / 64] |= UINT64_C(1) << index % 64;
	if (!w->any || index > w->top)
		w->top = index;
	w->any = true;
}

/* ---- packets ---- */

/* The parts of a packet that are encrypted or only authenticated. */
struct parts {
	unsigned char *head, *body, *tag;
	size_t head_n, body_n;
	uint32_t ssrc;
	uint64_t index;
	/* further authenticated bytes: ROC, or the index of SRTCP */
	unsigned char more[4];
	bool rtcp;
};

/* Make the initialisation vector: RFC 7714, 8.1 and 9.1; or RFC 3711, 4.1.1. */
static void
make_iv(
    const struct session_keys *k, bool gcm, const struct parts *x, unsigned char iv[16])
{
	size_t at = gcm ? 2 : 4;
	unsigned char by[16] = "";

	put_be32(by + at, x->ssrc);
	by[at + 4] = (unsigned char)(x->index >> 40);
	by[at + 5] = (unsigned char)(x->index >> 32);
	put_be32(by + at + 6, (uint32_t)x->index);
	memset(iv, 0, 16);
	for (size_t i = 0; i < (gcm ? GCM_IV : SALT); i++)
		iv[i] = k->salt[i] ^ by[i];
}

static bool
run_gcm(const struct session_keys *k, bool encrypts, const struct parts *x)
{
	EVP_CIPHER_CTX *c = k->cipher;
	unsigned char iv[16];
	int n;

	make_iv(k, true, x, iv);
	if (EVP_CipherInit_ex(c, NULL, NULL, NULL, iv, -1) != 1 ||
	    EVP_CipherUpdate(c, NULL, &n, x->head, (int)x->head_n) != 1 ||
	    (x->rtcp && EVP_CipherUpdate(c, NULL, &n, x->more, 4) != 1) ||
	    (!encrypts &&
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, GCM_TAG, x->tag) != 1) ||
	    EVP_CipherUpdate(c, x->body, &n, x->body, (int)x->body_n) != 1 ||
	    EVP_CipherFinal_ex(c, x->body + n, &n) != 1)
		return false;
	return !encrypts ||
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, GCM_TAG, x->tag) == 1;
}

static bool
run_ctr(const struct session_keys *k, const struct parts *x)
{
	unsigned char iv[16];
	int n;

	make_iv(k, false, x, iv);
	return EVP_CipherInit_ex(k->cipher, NULL, NULL, NULL, iv, -1) == 1 &&
	       EVP_CipherUpdate(k->cipher, x->body, &n, x->body, (int)x->body_n) == 1;
}

static bool
run_mac(const struct session_keys *k, const struct parts *x, unsigned char tag[MAC_KEY])
{
	size_t n;

	return EVP_MAC_init(k->mac, NULL, 0, NULL) == 1 &&
	       EVP_MAC_update(k->mac, x->head, x->head_n + x->body_n) == 1 &&
	       EVP_MAC_update(k->mac, x->more, sizeof(x->more)) == 1 &&
	       EVP_MAC_final(k->mac, tag, &n, MAC_KEY) == 1;
}

static bool
encrypt(
    const struct packet_cipher *c, const struct session_keys *k, const struct parts *x)
{
	unsigned char tag[MAC_KEY];

	if (c->gcm)
		return run_gcm(k, true, x);
	if (!run_ctr(k, x) || !run_mac(k, x, tag))
		return false;
	memcpy(x->tag, tag, MAC_TAG);
	return true;
}

static bool
decrypt(
    const struct packet_cipher *c, const struct session_keys *k, const struct parts *x)
{
	unsigned char tag[MAC_KEY];

	if (c->gcm)
		return run_gcm(k, false, x);
	return run_mac(k, x, tag) && same_bytes(tag, x->tag, MAC_TAG) && run_ctr(k, x);
}

static size_t
tag_bytes(const struct packet_cipher *c)
{
	return c->gcm ? GCM_TAG : MAC_TAG;
}

/* ---- RTP ---- */

/*
 * Find the parts of an RTP packet; n: bytes without the tag. False: not an RTP packet.
 */
static bool
split_rtp(unsigned char *p, size_t n, struct parts *to)
{
	size_t head = RTP_HEAD;

	if (n < head || p[0] >> 6 != 2)
		return false;
	head += 4 * (size_t)(p[0] & 15);
	if ((p[0] & 0x10) != 0)
		head +=
		    n < head + 4 ? n : 4 + 4 * ((size_t)p[head + 2] << 8 | p[head + 3]);
	if (head > n)
		return false;
	*to = (struct parts){ .head = p,
		.head_n = head,
		.body = p + head,
		.body_n = n - head,
		.tag = p + n,
		.ssrc = be32(p + 8) };
	return true;
}

/*
 * Check for a replay. stream NULL: a new one. False: the packet was received before, or
 * is too old.
 */
static bool
guess_index(struct parts *x, const struct stream *s)
{
	static const struct window none;
	const struct window *w = s != NULL ? &s->rtp : &none;
	uint16_t seq = (uint16_t)(x->head[2] << 8 | x->head[3]);

	if (!guess(w, seq, &x->index) || !is_new(w, x->index))
		return false;
	put_be32(x->more, (uint32_t)(x->index >> 16));
	return true;
}

size_t
packet_cipher_protect(struct packet_cipher *c, unsigned char *p, size_t n)
{
	struct stream *s;
	struct parts x;

	if (!split_rtp(p, n, &x) || (s = find_or_add(c, &c->out, x.ssrc)) == NULL ||
	    !guess_index(&x, s) || !encrypt(c, &c->out.rtp, &x))
		return 0;
	note(&s->rtp, x.index);
	return n + tag_bytes(c);
}

size_t
packet_cipher_unprotect(struct packet_cipher *c, unsigned char *p, size_t n)
{
	size_t tag = tag_bytes(c);
	struct stream *s;
	struct parts x;

	if (n < tag || !split_rtp(p, n - tag, &x) ||
	    !guess_index(&x, find(&c->in, x.ssrc)) || !decrypt(c, &c->in.rtp, &x) ||
	    (s = find_or_add(c, &c->in, x.ssrc)) == NULL)
		return 0;
	note(&s->rtp, x.index);
	return n - tag;
}

/* ---- RTCP ---- */

/* Find the parts of an SRTCP packet; n: bytes without tag and index. */
static void
split_rtcp(unsigned char *p, size_t n, uint32_t index, struct parts *to)
{
	*to = (struct parts){ .head = p,
		.head_n = RTCP_HEAD,
		.body = p + RTCP_HEAD,
		.body_n = n - RTCP_HEAD,
		.ssrc = be32(p + 4),
		.index = index,
		.rtcp = true };
	put_be32(to->more, ENCRYPTED | index);
}

/*
 * Find tag and index at the packet's end. GCM: tag, index (RFC 7714, 9.2); else index,
 * tag (RFC 3711, 3.4).
 */
size_t
packet_cipher_protect_rtcp(struct packet_cipher *c, unsigned char *p, size_t n)
{
	struct parts x;

	if (n < RTCP_HEAD || c->out.rtcp_index + 1 >= ENCRYPTED)
		return 0;
	split_rtcp(p, n, ++c->out.rtcp_index, &x);
	x.tag = p + n + (c->gcm ? 0 : RTCP_INDEX);
	if (!encrypt(c, &c->out.rtcp, &x))
		return 0;
	memcpy(p + n + (c->gcm ? GCM_TAG : 0), x.more, RTCP_INDEX);
	return n + tag_bytes(c) + RTCP_INDEX;
}

size_t
packet_cipher_unprotect_rtcp(struct packet_cipher *c, unsigned char *p, size_t n)
{
	size_t tag = tag_bytes(c);
	struct stream *s;
	struct parts x;
	uint32_t index;

	if (n < RTCP_HEAD + tag + RTCP_INDEX || p[0] >> 6 != 2)
		return 0;
	n -= tag + RTCP_INDEX;
	index = be32(p + n + (c->gcm ? GCM_TAG : 0));
	if ((index & ENCRYPTED) == 0)
		return 0;
	split_rtcp(p, n, index & ~ENCRYPTED, &x);
	x.tag = p + n + (c->gcm ? 0 : RTCP_INDEX);
	s = find(&c->in, x.ssrc);
	if ((s != NULL && !is_new(&s->rtcp, x.index)) || !decrypt(c, &c->in.rtcp, &x) ||
	    (s = find_or_add(c, &c->in, x.ssrc)) == NULL)
		return 0;
	note(&s->rtcp, x.index);
	return n;
}
