/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/stun.h"

#include <string.h>

#include "base/be.h"
#include "rtc/stun_message.h"

enum { REQUEST = 0x0001, SUCCESS = 0x0101, FAILURE = 0x0111 };

/* ---- requests ---- */

static bool
read_username(struct stun_request *rq, const struct stun_cursor *c)
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
	if (type < STUN_OPTIONAL && rq->n_unknown < STUN_UNKNOWN)
		rq->unknown[rq->n_unknown++] = (uint16_t)type;
}

/* Read an attribute. False: malformed. */
static bool
read_attribute(struct stun_request *rq, const struct stun_cursor *c)
{
	switch (c->type) {
	case STUN_USERNAME:
		return read_username(rq, c);
	case STUN_MESSAGE_INTEGRITY:
		rq->integrity = c->at;
		return c->size == SHA1_BYTES;
	case STUN_PRIORITY:
		rq->priority = c->size == 4 ? be32(c->value) : rq->priority;
		return c->size == 4;
	case STUN_USE_CANDIDATE:
		rq->use_candidate = true;
		return true;
	case STUN_ICE_CONTROLLED:
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
	struct stun_cursor c = stun_cursor(bytes, n);

	*rq = (struct stun_request){ .bytes = bytes, .n = n };
	if (!stun_message_is(bytes, n, REQUEST))
		return false;
	while (c.next < n) {
		if (!stun_cursor_next(&c))
			return false;
		if (c.type == STUN_FINGERPRINT) {
			if (!stun_cursor_is_fingerprint(&c))
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
	return stun_message_is_from(rq->bytes, rq->integrity, pwd, strlen(pwd));
}

/* ---- answers ---- */

/* Add MESSAGE-INTEGRITY and FINGERPRINT, and return the message's length. */
static size_t
finish(struct stun_message *m, const char *pwd)
{
	stun_message_sign(m, pwd, strlen(pwd));
	stun_message_print(m);
	return m->n;
}

size_t
stun_write_success(const struct stun_request *rq, const char *pwd,
    const struct sockaddr *from, unsigned char to[STUN_ROOM])
{
	struct stun_message m = stun_message(to, SUCCESS, rq->bytes + 8);

	stun_message_put_address(&m, STUN_XOR_MAPPED_ADDRESS, from);
	return finish(&m, pwd);
}

size_t
stun_write_error(const struct stun_request *rq, const char *pwd, enum stun_error code,
    unsigned char to[STUN_ROOM])
{
	struct stun_message m = stun_message(to, FAILURE, rq->bytes + 8);
	unsigned char *v = stun_message_put(&m, STUN_ERROR_CODE, 4);

	v[2] = (unsigned char)(code / 100);
	v[3] = (unsigned char)(code % 100);
	if (code == STUN_UNKNOWN_ATTRIBUTE) {
		v = stun_message_put(&m, STUN_UNKNOWN_ATTRIBUTES, 2 * rq->n_unknown);
		for (size_t i = 0; i < rq->n_unknown; i++)
			put_be16(v + 2 * i, rq->unknown[i]);
	}
	return finish(&m, pwd);
}

/* ---- a controlling agent ---- */

static void
put_username(struct stun_message *m, const struct stun_check *k)
{
	size_t theirs = strlen(k->peer_ufrag), ours = strlen(k->ufrag);
	unsigned char *v = stun_message_put(m, STUN_USERNAME, theirs + 1 + ours);

	memcpy(v, k->peer_ufrag, theirs);
	v[theirs] = ':';
	memcpy(v + theirs + 1, k->ufrag, ours);
}

size_t
stun_write_request(const struct stun_check *k, unsigned char to[STUN_ROOM])
{
	struct stun_message m = stun_message(to, REQUEST, k->id);
	unsigned char *v;

	if (strlen(k->ufrag) > STUN_UFRAG_MOST ||
	    strlen(k->peer_ufrag) > STUN_UFRAG_MOST)
		return 0;
	put_username(&m, k);
	put_be32(stun_message_put(&m, STUN_PRIORITY, 4), k->priority);
	v = stun_message_put(&m, STUN_ICE_CONTROLLING, 8);
	put_be32(v, (uint32_t)(k->tie_breaker >> 32));
	put_be32(v + 4, (uint32_t)k->tie_breaker);
	if (k->use_candidate)
		stun_message_put(&m, STUN_USE_CANDIDATE, 0);
	return finish(&m, k->peer_pwd);
}

bool
stun_read_success(const void *bytes, size_t n, const struct stun_check *k,
    struct sockaddr_storage *mapped)
{
	struct stun_cursor c = stun_cursor(bytes, n);
	bool address = false;

	if (!stun_message_is(bytes, n, SUCCESS) ||
	    memcmp(c.bytes + 8, k->id, STUN_ID) != 0)
		return false;
	while (c.next < n && stun_cursor_next(&c)) {
		if (c.type == STUN_XOR_MAPPED_ADDRESS)
			address = stun_cursor_address(&c, mapped);
		if (c.type == STUN_MESSAGE_INTEGRITY)
			return address && c.size == SHA1_BYTES &&
			       stun_message_is_from(
				   c.bytes, c.at, k->peer_pwd, strlen(k->peer_pwd));
	}
	return false;
}
