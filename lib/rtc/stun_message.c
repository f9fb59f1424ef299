/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/stun_message.h"

#include <netinet/in.h>
#include <string.h>

#include "base/be.h"

#define COOKIE 0x2112a442u
#define PRINT_MASK 0x5354554eu /* FINGERPRINT is XORed with it: "STUN" */

/* ---- reading ---- */

bool
stun_message_is(const void *bytes, size_t n, unsigned type)
{
	const unsigned char *p = bytes;

	return n >= STUN_HEAD && n <= STUN_MOST && be16(p) == type &&
	       be32(p + 4) == COOKIE && n % 4 == 0 && be16(p + 2) == n - STUN_HEAD;
}

struct stun_cursor
stun_cursor(const void *bytes, size_t n)
{
	return (struct stun_cursor){ .bytes = bytes, .n = n, .next = STUN_HEAD };
}

bool
stun_cursor_next(struct stun_cursor *c)
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

bool
stun_cursor_is_fingerprint(const struct stun_cursor *c)
{
	return c->size == 4 && c->next == c->n &&
	       be32(c->value) == print_of(c->bytes, c->at);
}

/* Compute the MESSAGE-INTEGRITY for this place of a message. */
static void
integrity_of(const unsigned char *bytes, size_t at, const void *key, size_t key_bytes,
    unsigned char to[SHA1_BYTES])
{
	unsigned char copy[STUN_MOST];

	memcpy(copy, bytes, at);
	put_be16(copy + 2, (unsigned)(at + 4 + SHA1_BYTES - STUN_HEAD));
	hmac_sha1(key, key_bytes, copy, at, to);
}

bool
stun_message_is_from(
    const unsigned char *bytes, size_t at, const void *key, size_t key_bytes)
{
	unsigned char sum[SHA1_BYTES];

	integrity_of(bytes, at, key, key_bytes, sum);
	return same_bytes(sum, bytes + at + 4, SHA1_BYTES);
}

/* The bytes of an address, XORed with the message's bytes from the cookie on. */
static void
mask(unsigned char *to, const void *address, size_t n, const unsigned char *message)
{
	const unsigned char *from = address;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] ^ message[4 + i];
}

bool
stun_cursor_address(const struct stun_cursor *c, struct sockaddr_storage *to)
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

/* ---- writing ---- */

struct stun_message
stun_message(unsigned char *to, unsigned type, const unsigned char *id)
{
	put_be16(to, type);
	put_be16(to + 2, 0);
	put_be32(to + 4, COOKIE);
	memcpy(to + 8, id, STUN_ID);
	return (struct stun_message){ to, STUN_HEAD };
}

unsigned char *
stun_message_put(struct stun_message *m, unsigned type, size_t n)
{
	unsigned char *value = m->p + m->n + 4;
	size_t padded = (n + 3) & ~(size_t)3;

	put_be16(m->p + m->n, type);
	put_be16(m->p + m->n + 2, (unsigned)n);
	memset(value, 0, padded);
	m->n += 4 + padded;
	put_be16(m->p + 2, (unsigned)(m->n - STUN_HEAD));
	return value;
}

void
stun_message_put_address(
    struct stun_message *m, unsigned type, const struct sockaddr *from)
{
	bool six = from->sa_family == AF_INET6;
	const struct sockaddr_in *in4 = (const void *)from;
	const struct sockaddr_in6 *in6 = (const void *)from;
	unsigned char *v = stun_message_put(m, type, six ? 20 : 8);

	v[1] = six ? 2 : 1;
	if (six) {
		mask(v + 2, &in6->sin6_port, 2, m->p);
		mask(v + 4, &in6->sin6_addr, 16, m->p);
	} else {
		mask(v + 2, &in4->sin_port, 2, m->p);
		mask(v + 4, &in4->sin_addr, 4, m->p);
	}
}

void
stun_message_sign(struct stun_message *m, const void *key, size_t key_bytes)
{
	size_t at = m->n;

	integrity_of(m->p, at, key, key_bytes,
	    stun_message_put(m, STUN_MESSAGE_INTEGRITY, SHA1_BYTES));
}

void
stun_message_print(struct stun_message *m)
{
	size_t at = m->n;
	unsigned char *print = stun_message_put(m, STUN_FINGERPRINT, 4);

	put_be32(print, print_of(m->p, at));
}
