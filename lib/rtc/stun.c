/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/stun.h"

#include <netinet/in.h>
#include <string.h>

#include "base/be.h"
#include "base/hash.h"

#define HEAD 20
#define COOKIE 0x2112a442u
#define PRINT_MASK 0x5354554eu /* FINGERPRINT is XORed with it: "STUN" */
#define OPTIONAL 0x8000        /* attributes from here on may be unknown */

enum { REQUEST = 0x0001, SUCCESS = 0x0101, FAILURE = 0x0111 };

enum attribute {
	USERNAME = 0x0006,
	MESSAGE_INTEGRITY = 0x0008,
	ERROR_CODE = 0x0009,
	UNKNOWN_ATTRIBUTES = 0x000a,
	XOR_MAPPED_ADDRESS = 0x0020,
	PRIORITY = 0x0024,
	USE_CANDIDATE = 0x0025,
	FINGERPRINT = 0x8028,
	ICE_CONTROLLED = 0x8029,
	ICE_CONTROLLING = 0x802a,
};

/* ---- attributes, one after the other ---- */

struct cursor {
	const unsigned char *bytes, *value;
	/* at: offset of the attribute; next: offset of the following one */
	size_t n, at;
	size_t next;
	unsigned type;
	size_t size; /* size of the value, without padding */
};

static bool
is_head(const unsigned char *p, size_t n, unsigned type)
{
	return n >= HEAD && n <= STUN_MOST && be16(p) == type &&
	       be32(p + 4) == COOKIE && n % 4 == 0 && be16(p + 2) == n - HEAD;
}

/* Go to the next attribute. False: there is none, or it is longer than the message. */
static bool
go_on(struct cursor *c)
{
	c->at = c->next;
	if (c->n - c->at < 4)
		return false;
	c->type = be16(c->bytes + c->at);
	c->size = be16(c->bytes + c->at + 2);
	c->value = c->bytes + c->at + 4;
	if (c->n - c->at - 4 < c->size)
		return false;
	c->next = c->at + 4 + ((c->size + 3) & ~(size_t)3);
	return true;
}

static uint32_t
print_of(const void *bytes, size_t n)
{
	return crc(bytes, n) ^ PRINT_MASK;
}

/* Check FINGERPRINT, the last attribute, which covers all before it. */
static bool
is_print(const struct cursor *c)
{
	return c->size == 4 && c->next == c->n &&
	       be32(c->value) == print_of(c->bytes, c->at);
}

/* Compute the MESSAGE-INTEGRITY for this place of a message. */
static void
integrity_of(const unsigned char *bytes, size_t at, const char *pwd,
    unsigned char to[SHA1_BYTES])
{
	unsigned char copy[STUN_MOST];

	memcpy(copy, bytes, at);
	put_be16(copy + 2, (unsigned)(at + 4 + SHA1_BYTES - HEAD));
	hmac_sha1(pwd, strlen(pwd), copy, at, to);
}

static bool
is_integrity(const unsigned char *bytes, size_t at, const char *pwd)
{
	unsigned char sum[SHA1_BYTES];

	integrity_of(bytes, at, pwd, sum);
	return same_bytes(sum, bytes + at + 4, SHA1_BYTES);
}

/* ---- requests ---- */

static bool
read_username(struct stun_request *rq, const struct cursor *c)
{
	const unsigned char *colon = memchr(c->value, ':', c->size);

	if (rq->ufrag != NULL)
		return true;
	if (colon == NULL || colon == c->value || c->size > 2 * STUN_UFRAG_MOST + 1)
		return false;
	rq->ufrag = (const char *)c->value;
	rq->ufrag_n = (size_t)(colon - c->value);
	rq->peer_ufrag = (const char *)colon + 1;
	rq->peer_ufrag_n = c->size - rq->ufrag_n - 1;
	return true;
}

static void
read_unknown(struct stun_request *rq, unsigned type)
{
	if (type < OPTIONAL && rq->n_unknown < STUN_UNKNOWN)
		rq->unknown[rq->n_unknown++] = (uint16_t)type;
}

/* Read an attribute. False: malformed. */
static bool
read_attribute(struct stun_request *rq, const struct cursor *c)
{
	switch (c->type) {
	case USERNAME:
		return read_username(rq, c);
	case MESSAGE_INTEGRITY:
		rq->integrity = c->at;
		return c->size == SHA1_BYTES;
	case PRIORITY:
		rq->priority = c->size == 4 ? be32(c->value) : rq->priority;
		return c->size == 4;
	case USE_CANDIDATE:
		rq->use_candidate = true;
		return true;
	case ICE_CONTROLLED:
		rq->controlled = true;
		return true;
	default:
		read_unknown(rq, c->type);
		return true;
	}
}

bool
stun_read(const void *bytes, size_t n, struct stun_request *rq)
{
	struct cursor c = { .bytes = bytes, .n = n, .next = HEAD };

	*rq = (struct stun_request){ .bytes = bytes, .n = n };
	if (!is_head(bytes, n, REQUEST))
		return false;
	while (c.next < n) {
		if (!go_on(&c))
			return false;
		if (c.type == FINGERPRINT) {
			if (!is_print(&c))
				return false;
		} else if (rq->integrity == 0 && !read_attribute(rq, &c)) {
			return false;
		}
	}
	return rq->ufrag != NULL && rq->integrity != 0;
}

const unsigned char *
stun_id(const struct stun_request *rq)
{
	return rq->bytes + 8;
}

bool
stun_is_from(const struct stun_request *rq, const char *pwd)
{
	return is_integrity(rq->bytes, rq->integrity, pwd);
}

/* ---- writing ---- */

/* A message being written. The length in its header is correct after each put. */
struct message {
	unsigned char *p; /* buffer of STUN_ROOM bytes */
	size_t n;
};

static struct message
begin(unsigned char *to, unsigned type, const unsigned char *id)
{
	put_be16(to, type);
	put_be16(to + 2, 0);
	put_be32(to + 4, COOKIE);
	memcpy(to + 8, id, STUN_ID);
	return (struct message){ to, HEAD };
}

/* Add an attribute; returns the place of its value, whose padding is zero. */
static unsigned char *
put(struct message *m, unsigned type, size_t n)
{
	unsigned char *value = m->p + m->n + 4;
	size_t padded = (n + 3) & ~(size_t)3;

	put_be16(m->p + m->n, type);
	put_be16(m->p + m->n + 2, (unsigned)n);
	memset(value, 0, padded);
	m->n += 4 + padded;
	put_be16(m->p + 2, (unsigned)(m->n - HEAD));
	return value;
}

/* Add FINGERPRINT and return the message's length. */
static size_t
finish(struct message *m, const char *pwd)
{
	size_t at = m->n;
	unsigned char *print;

	integrity_of(m->p, at, pwd, put(m, MESSAGE_INTEGRITY, SHA1_BYTES));
	at = m->n;
	print = put(m, FINGERPRINT, 4);
	put_be32(print, print_of(m->p, at));
	return m->n;
}

/* The bytes of an address, XORed with the message's bytes from the cookie on. */
static void
mask(unsigned char *to, const void *address, size_t n, const unsigned char *message)
{
	const unsigned char *from = address;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] ^ message[4 + i];
}

static void
put_address(struct message *m, const struct sockaddr *from)
{
	bool six = from->sa_family == AF_INET6;
	const struct sockaddr_in *in4 = (const void *)from;
	const struct sockaddr_in6 *in6 = (const void *)from;
	unsigned char *v = put(m, XOR_MAPPED_ADDRESS, six ? 20 : 8);

	v[1] = six ? 2 : 1;
	if (six) {
		mask(v + 2, &in6->sin6_port, 2, m->p);
		mask(v + 4, &in6->sin6_addr, 16, m->p);
	} else {
		mask(v + 2, &in4->sin_port, 2, m->p);
		mask(v + 4, &in4->sin_addr, 4, m->p);
	}
}

size_t
stun_write_success(const struct stun_request *rq, const char *pwd,
    const struct sockaddr *from, unsigned char to[STUN_ROOM])
{
	struct message m = begin(to, SUCCESS, rq->bytes + 8);

	put_address(&m, from);
	return finish(&m, pwd);
}

size_t
stun_write_error(const struct stun_request *rq, const char *pwd, enum stun_error code,
    unsigned char to[STUN_ROOM])
{
	struct message m = begin(to, FAILURE, rq->bytes + 8);
	unsigned char *v = put(&m, ERROR_CODE, 4);

	v[2] = (unsigned char)(code / 100);
	v[3] = (unsigned char)(code % 100);
	if (code == STUN_UNKNOWN_ATTRIBUTE) {
		v = put(&m, UNKNOWN_ATTRIBUTES, 2 * rq->n_unknown);
		for (size_t i = 0; i < rq->n_unknown; i++)
			put_be16(v + 2 * i, rq->unknown[i]);
	}
	return finish(&m, pwd);
}

/* ---- a controlling agent ---- */

static void
put_username(struct message *m, const struct stun_check *k)
{
	size_t theirs = strlen(k->peer_ufrag), ours = strlen(k->ufrag);
	unsigned char *v = put(m, USERNAME, theirs + 1 + ours);

	memcpy(v, k->peer_ufrag, theirs);
	v[theirs] = ':';
	memcpy(v + theirs + 1, k->ufrag, ours);
}

size_t
stun_write_request(const struct stun_check *k, unsigned char to[STUN_ROOM])
{
	struct message m = begin(to, REQUEST, k->id);
	unsigned char *v;

	if (strlen(k->ufrag) > STUN_UFRAG_MOST ||
	    strlen(k->peer_ufrag) > STUN_UFRAG_MOST)
		return 0;
	put_username(&m, k);
	put_be32(put(&m, PRIORITY, 4), k->priority);
	v = put(&m, ICE_CONTROLLING, 8);
	put_be32(v, (uint32_t)(k->tie_breaker >> 32));
	put_be32(v + 4, (uint32_t)k->tie_breaker);
	if (k->use_candidate)
		put(&m, USE_CANDIDATE, 0);
	return finish(&m, k->peer_pwd);
}

static bool
read_address(const struct cursor *c, struct sockaddr_storage *to)
{
	struct sockaddr_in *in4 = (void *)to;
	struct sockaddr_in6 *in6 = (void *)to;

	*to = (struct sockaddr_storage){ 0 };
	if (c->size == 8 && c->value[1] == 1) {
		in4->sin_family = AF_INET;
		mask((void *)&in4->sin_port, c->value + 2, 2, c->bytes);
		mask((void *)&in4->sin_addr, c->value + 4, 4, c->bytes);
	} else if (c->size == 20 && c->value[1] == 2) {
		in6->sin6_family = AF_INET6;
		mask((void *)&in6->sin6_port, c->value + 2, 2, c->bytes);
		mask((void *)&in6->sin6_addr, c->value + 4, 16, c->bytes);
	}
	return to->ss_family != 0;
}

bool
stun_read_success(const void *bytes, size_t n, const struct stun_check *k,
    struct sockaddr_storage *mapped)
{
	struct cursor c = { .bytes = bytes, .n = n, .next = HEAD };
	bool address = false;

	if (!is_head(bytes, n, SUCCESS) || memcmp(c.bytes + 8, k->id, STUN_ID) != 0)
		return false;
	while (c.next < n && go_on(&c)) {
		if (c.type == XOR_MAPPED_ADDRESS)
			address = read_address(&c, mapped);
		if (c.type == MESSAGE_INTEGRITY)
			return address && c.size == SHA1_BYTES &&
			       is_integrity(c.bytes, c.at, k->peer_pwd);
	}
	return false;
}
