/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/speaker_link.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/qr.h"
#include "base/text.h"
#include "base/token.h"
#include "blob/sigv4.h"
#include "broadcast/broadcast.h"
#include "service/node.h"

#define CODE_CHARS 10

/* clang-format off */
const struct field	 speaker_link_fields[] = FIELDS(
	{ "url",        F_TEXT, MEMBER(speaker_link, url),        .flags = F_OUT },
	{ "short_url",  F_TEXT, MEMBER(speaker_link, short_url),  .flags = F_OUT },
	{ "qr_svg",     F_TEXT, MEMBER(speaker_link, qr_svg),     .flags = F_OUT },
	{ "token",      F_TEXT, MEMBER(speaker_link, token),      .flags = F_OUT },
	{ "expires_at", F_TIME, MEMBER(speaker_link, expires_us), .flags = F_OUT }
);
/* clang-format on */

/* ---- codes ---- */

/*
 * The code of a channel depends on the version of its tokens and on the secret of
 * tokens, so that it needs no place in the database, where only its HMAC is.
 */
static const char *
code_of(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789"; /* no 0, o, 1,
									    i, l */
	const char *keys = conf->session_jwt_keys;
	const char *of = arena_printf(
	    mem, "speaker code %s %lld", c->id, (long long)c->speaker_version);
	unsigned char mac[SHA256_BYTES];
	char *code = arena_alloc(mem, CODE_CHARS + 1);

	hmac(keys, strcspn(keys, " "), of, strlen(of), mac);
	for (int i = 0; i < CODE_CHARS; i++)
		code[i] = letters[mac[i] % (sizeof(letters) - 1)];
	return code;
}

/* The column speaker_link of the channel with this code. */
static const char *
mark_of(const struct conf *conf, struct arena *mem, const char *code)
{
	const char *keys = conf->session_jwt_keys;
	const char *of = arena_printf(mem, "speaker link %s", code);
	unsigned char mac[SHA256_BYTES];

	hmac(keys, strcspn(keys, " "), of, strlen(of), mac);
	return hex(mem, mac, sizeof(mac));
}

/* ---- links ---- */

static int64_t
life_of(const struct conf *c)
{
	return c->session_token_days * 86400 * S_US;
}

static const char *
token_of(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	int64_t from_us = c->speaker_made_us;

	return stream_token_make(mem, conf->session_jwt_keys, from_us,
	    &(const struct stream_token){ .role = STREAM_PUBLISHER,
		.sid = c->id,
		.room = c->broadcast != NULL ? c->broadcast : c->id,
		.expires_us = from_us + life_of(conf),
		.speaker_version = c->speaker_version,
		.seed = arena_printf(mem, "speaker %s %lld %lld", c->id,
		    (long long)from_us, (long long)c->speaker_version) });
}

/* Make what the channel lacks: a token with enough life left, and the mark of its code.
 */
static enum err
complete(struct db *db, struct arena *mem, const struct conf *conf, struct channel *c)
{
	const char *mark = mark_of(conf, mem, code_of(conf, mem, c));
	int64_t now = now_us(), made_us = c->speaker_made_us;
	bool due = made_us == NULL_INT || now > made_us + life_of(conf) / 10 * 9;

	if (!due && c->speaker_link != NULL && strcmp(c->speaker_link, mark) == 0)
		return OK;
	c->speaker_made_us = due ? now : made_us;
	c->speaker_link = mark;
	return channel_put_speaker_link(db, c);
}

/* Set *at to the settings of the channel's node. */
static enum err
find_node(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *c, const struct conf **at)
{
	const struct node_task task = { NODE_CHANNEL, c->id, c->node };

	return node_find(db, mem, conf, &task, at);
}

enum err
speaker_link_get(struct db *db, struct arena *mem, const struct conf *conf,
    struct channel *c, struct speaker_link *to)
{
	const struct conf *at;
	enum err e;

	if ((e = complete(db, mem, conf, c)) != OK ||
	    (e = find_node(db, mem, conf, c, &at)) != OK)
		return e;
	*to = (struct speaker_link){ .url = stream_ws_url(at, mem, c->id),
		.token = token_of(at, mem, c),
		.expires_us = c->speaker_made_us + life_of(conf) };
	to->short_url =
	    arena_printf(mem, "%s/s/%s", conf->server_base_url, code_of(conf, mem, c));
	to->qr_svg = qr_svg(mem, to->short_url);
	return OK;
}

enum err
speaker_link_renew(struct db *db, struct arena *mem, const struct conf *conf,
    struct channel *c, struct speaker_link *to)
{
	enum err e = channel_void_tokens(db, c);

	return e != OK ? e : speaker_link_get(db, mem, conf, c, to);
}

/* ---- the page ---- */

static void
add(struct buf *to, const char *name, const char *value)
{
	if (value != NULL)
		buf_printf(to, "%s%s=%s", to->len > 0 ? "&" : "", name,
		    sigv4_encode(to->mem, value, false));
}

/* The address by which the page reaches the gateway over WebRTC, or NULL. */
static const char *
webrtc_of(const struct conf *at, struct arena *mem, const struct channel *c)
{
	const struct broadcast_driver *d = broadcast_driver(at);

	return d != NULL && d->webrtc(at) && d->admit == NULL && c->broadcast != NULL
		   ? d->webrtc_url(at, mem)
		   : NULL;
}

enum err
speaker_link_open(struct db *db, struct arena *mem, const struct conf *conf,
    const char *code, const char **page)
{
	struct buf b = { .mem = mem };
	const struct conf *at;
	struct channel c;
	enum err e = channel_by_speaker_link(
	    db, mem, mark_of(conf, mem, text_lower(mem, code)), &c);

	if (e != OK || (e = complete(db, mem, conf, &c)) != OK ||
	    (e = find_node(db, mem, conf, &c, &at)) != OK)
		return e;
	add(&b, "ws_url", stream_ws_url(at, mem, c.id));
	add(&b, "token", token_of(at, mem, &c));
	add(&b, "webrtc_url", webrtc_of(at, mem, &c));
	add(&b, "e", c.event);
	add(&b, "s", c.stage);
	*page = arena_printf(mem, "%s/speak/#%s", conf->server_base_url, buf_text(&b));
	return OK;
}
