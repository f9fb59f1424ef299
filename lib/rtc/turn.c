/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/turn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/be.h"
#include "rtc/stun_message.h"

#define UDP 17 /* number of the protocol */

enum {
	ALLOCATE = 0x0003,
	ALLOCATED = 0x0103,
	NOT_ALLOCATED = 0x0113,
	PERMIT = 0x0008,
	PERMITTED = 0x0108,
	NOT_PERMITTED = 0x0118,
	SEND = 0x0016,
	RECEIVED = 0x0017,
};

/* ---- writing ---- */

static struct stun_message
begin(struct turn_client *c, unsigned type, unsigned char *to)
{
	random_bytes(c->id, sizeof(c->id));
	return stun_message(to, type, c->id);
}

static void
put_text(struct stun_message *m, unsigned type, const char *text)
{
	size_t n = strlen(text);

	memcpy(stun_message_put(m, type, n), text, n);
}

/* Add the credentials, and return the message's length. */
static size_t
finish(struct turn_client *c, struct stun_message *m)
{
	char text[3 * TURN_TEXT];
	unsigned char key[MD5_BYTES];
	int n;

	if (c->realm[0] == '\0')
		return m->n;
	n = snprintf(
	    text, sizeof(text), "%s:%s:%s", c->username, c->realm, c->password);
	hash_md5(text, (size_t)n, key);
	put_text(m, STUN_USERNAME, c->username);
	put_text(m, STUN_REALM, c->realm);
	put_text(m, STUN_NONCE, c->nonce);
	stun_message_sign(m, key, sizeof(key));
	return m->n;
}

size_t
turn_write_allocate(struct turn_client *c, unsigned char to[TURN_ROOM])
{
	struct stun_message m = begin(c, ALLOCATE, to);

	stun_message_put(&m, STUN_REQUESTED_TRANSPORT, 4)[0] = UDP;
	return finish(c, &m);
}

size_t
turn_write_permission(
    struct turn_client *c, const struct sockaddr *peer, unsigned char to[TURN_ROOM])
{
	struct stun_message m = begin(c, PERMIT, to);

	stun_message_put_address(&m, STUN_XOR_PEER_ADDRESS, peer);
	return finish(c, &m);
}

size_t
turn_write_data(struct turn_client *c, const struct sockaddr *peer, const void *data,
    size_t n, unsigned char to[TURN_ROOM])
{
	struct stun_message m = begin(c, SEND, to);

	stun_message_put_address(&m, STUN_XOR_PEER_ADDRESS, peer);
	memcpy(stun_message_put(&m, STUN_DATA, n), data, n);
	return m.n;
}

/* ---- reading ---- */

static void
read_text(const struct stun_cursor *c, char to[TURN_TEXT])
{
	size_t n = c->size < TURN_TEXT ? c->size : 0;

	memcpy(to, c->value, n);
	to[n] = '\0';
}

/* Returns the error code, and keeps the realm and the nonce. */
static int
read_error(struct turn_client *to, const void *bytes, size_t n)
{
	struct stun_cursor c = stun_cursor(bytes, n);
	int code = -1;

	while (c.next < n && stun_cursor_next(&c)) {
		if (c.type == STUN_ERROR_CODE && c.size >= 4)
			code = (c.value[2] & 7) * 100 + c.value[3] % 100;
		if (c.type == STUN_REALM)
			read_text(&c, to->realm);
		if (c.type == STUN_NONCE)
			read_text(&c, to->nonce);
	}
	return code >= 300 && code < 700 ? code : -1;
}

int
turn_read_answer(struct turn_client *c, const void *bytes, size_t n)
{
	if (n < STUN_HEAD || memcmp((const char *)bytes + 8, c->id, STUN_ID) != 0)
		return -1;
	if (stun_message_is(bytes, n, ALLOCATED) ||
	    stun_message_is(bytes, n, PERMITTED))
		return 0;
	if (stun_message_is(bytes, n, NOT_ALLOCATED) ||
	    stun_message_is(bytes, n, NOT_PERMITTED))
		return read_error(c, bytes, n);
	return -1;
}

const void *
turn_read_data(const void *bytes, size_t n, size_t *data_bytes)
{
	struct stun_cursor c = stun_cursor(bytes, n);

	if (!stun_message_is(bytes, n, RECEIVED))
		return NULL;
	while (c.next < n && stun_cursor_next(&c))
		if (c.type == STUN_DATA) {
			*data_bytes = c.size;
			return c.value;
		}
	return NULL;
}

size_t
turn_message_bytes(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	return n >= STUN_HEAD && p[0] < 4 ? STUN_HEAD + be16(p + 2) : 0;
}

/* ---- addresses ---- */

/* Copy the host, without the brackets of IPv6. Returns the text after it. */
static const char *
read_host(const char *p, char *to, size_t room)
{
	bool six = *p == '[';
	size_t n = strcspn(p += six, six ? "]" : ":?");

	if (n == 0 || n >= room || (six && p[n] != ']'))
		return NULL;
	memcpy(to, p, n);
	to[n] = '\0';
	return p + n + six;
}

bool
turn_url_read(const char *url, struct turn_url *to)
{
	char *end;

	*to = (struct turn_url){ .tls = strncmp(url, "turns:", 6) == 0 };
	if (!to->tls && strncmp(url, "turn:", 5) != 0)
		return false;
	to->port = to->tls ? 5349 : 3478;
	to->tcp = to->tls;
	if ((url = read_host(url + (to->tls ? 6 : 5), to->host, sizeof(to->host))) ==
	    NULL)
		return false;
	if (*url == ':') {
		to->port = (int)strtol(url + 1, &end, 10);
		url = end;
	}
	if (to->port < 1 || to->port > 65535)
		return false;
	if (strcmp(url, "?transport=tcp") == 0)
		to->tcp = true;
	else if (*url != '\0' && (to->tls || strcmp(url, "?transport=udp") != 0))
		return false;
	return true;
}
