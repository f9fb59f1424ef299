/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/node.h"

#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "blob/blob.h"
#include "broadcast/broadcast.h"

#define MARKS 3
/* bytes of a hash: enough to compare, too few to reveal the value */
#define MARK_BYTES 8

/* ---- placement ---- */

const struct conf *
node_conf(const struct conf *c, struct arena *mem, const struct node *n)
{
	struct conf *at;

	if (n->id == NULL || n->public_url == NULL || strcmp(n->id, c->node) == 0)
		return c;
	at = arena_alloc(mem, sizeof(*at));
	*at = *c;
	at->stream_public_url = n->public_url;
	at->ingest_host = n->ingest_host != NULL ? n->ingest_host : "";
	return at;
}

void
node_urls(struct db *db, struct arena *mem, const struct conf *c, struct list *to)
{
	const struct node *n;
	const char **urls;
	struct list all;

	*to = (struct list){ 0 };
	if (db == NULL || node_list(db, mem, &all) != OK)
		return;
	n = all.items;
	to->items = urls = arena_alloc(mem, (all.n + 1) * sizeof(*urls));
	for (size_t i = 0; i < all.n; i++)
		if (strcmp(n[i].id, c->node) != 0)
			urls[to->n++] = n[i].public_url;
}

enum err
node_assign(struct db *db, struct arena *mem, const struct conf *c, const char **node,
    const struct conf **at)
{
	struct node n;
	enum err e = node_choose(db, mem, &n);

	*node = e == OK ? n.id : NULL;
	*at = e == OK ? node_conf(c, mem, &n) : c;
	return e == ERR_NOT_FOUND ? OK : e;
}

/* A task without a node need not wait for the database: any gateway may serve it. */
static enum err
begin(struct db *db, const struct node_task *t)
{
	if (db_writing(db))
		return OK;
	return t->node != NULL ? db_begin(db, DB_ROWS) : db_try_begin(db, DB_ROWS);
}

/* Move the task to another node, unless no gateway is alive. */
static enum err
move(struct db *db, struct arena *mem, const struct conf *c, const struct node_task *t,
    const struct conf **at)
{
	const char *to;
	const struct conf *there;
	int64_t alive;
	enum err e = node_alive(db, &alive);

	if (e != OK || alive == 0)
		return e;
	if ((e = begin(db, t)) == ERR_BUSY && t->node == NULL)
		return OK;
	if (e != OK || (e = node_assign(db, mem, c, &to, &there)) != OK || to == NULL)
		return e;
	*at = there;
	e = node_move(db, t, to);
	return e == ERR_STALE ? ERR_BUSY : e;
}

enum err
node_find(struct db *db, struct arena *mem, const struct conf *c,
    const struct node_task *t, const struct conf **at)
{
	struct node n = { .id = t->node };
	enum err e = t->node != NULL ? node_get(db, mem, t->node, &n) : ERR_NOT_FOUND;

	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	*at = node_conf(c, mem, &n);
	if (e == OK && node_is_alive(&n))
		return OK;
	return move(db, mem, c, t, at);
}

/* ---- addresses of the real-time interfaces ---- */

/* The gateway's address with the scheme of WebSockets, and a path. */
const char *
stream_url(const struct conf *c, struct arena *mem, const char *path)
{
	const char *at = strstr(c->stream_public_url, "://");

	return arena_printf(mem, "%s%s%s",
	    strncmp(c->stream_public_url, "https:", 6) == 0 ? "wss" : "ws",
	    at != NULL ? at : c->stream_public_url, path);
}

const char *
stream_http_url(const struct conf *c, struct arena *mem, const char *path)
{
	return arena_printf(mem, "%s%s", c->stream_public_url, path);
}

const char *
stream_ws_url(const struct conf *c, struct arena *mem, const char *id)
{
	return stream_url(c, mem,
	    arena_printf(mem, "/streaming-api/%.8s/v1/speech-to-speech/stream", id));
}

const char *
stream_stt_url(const struct conf *c, struct arena *mem)
{
	return stream_url(c, mem, "/asr/v1/speech-to-text/stream");
}

const char *
stream_tts_url(const struct conf *c, struct arena *mem)
{
	return stream_url(c, mem, "/tts-api/v1/text-to-speech/stream");
}

const char *
stream_webrtc_url(const struct conf *c, struct arena *mem)
{
	const struct broadcast_driver *d = broadcast_driver(c);

	return d != NULL ? d->webrtc_url(c, mem) : NULL;
}

const char *
stream_whip_url(const struct conf *c, struct arena *mem, const char *channel)
{
	const struct broadcast_driver *d = broadcast_driver(c);

	if (d == NULL || d->admit != NULL || !d->webrtc(c))
		return NULL;
	return stream_http_url(c, mem, arena_printf(mem, "/whip/%s", channel));
}

/* ---- shared settings ---- */

static const char *
mark(struct arena *mem, const char *text)
{
	unsigned char sum[SHA256_BYTES];

	hmac("dragoman", 8, text, strlen(text), sum);
	return hex(mem, sum, MARK_BYTES);
}

/*
 * Compare or store an identity; first: no node has stored the identity of the blob
 * store yet.
 */
static enum err
read_marks(
    const struct conf *c, struct arena *mem, bool first, struct fingerprint f[MARKS])
{
	unsigned char key[SHA256_BYTES];
	const char *store;
	enum err e = blob_identity(c, mem, first, &store);

	if (e != OK)
		return e;
	conf_key(c, "fingerprint", key);
	f[0] = (struct fingerprint){ "secret.key", hex(mem, key, MARK_BYTES), c->node };
	f[1] = (struct fingerprint){ "store", mark(mem, store), c->node };
	f[2] = (struct fingerprint){ "bucket", mark(mem, c->blob_bucket), c->node };
	return OK;
}

/* Read a stored value; NULL: the database does not have it. */
static const char *
value_of(const struct list *set, const char *name)
{
	const struct fingerprint *f = set->items;

	for (size_t i = 0; i < set->n; i++)
		if (strcmp(f[i].name, name) == 0)
			return f[i].value;
	return NULL;
}

enum err
node_differs(
    struct db *db, struct arena *mem, const struct conf *c, bool join, struct list *to)
{
	const char **names = arena_alloc(mem, MARKS * sizeof(*names)), *value;
	struct fingerprint f[MARKS];
	struct list set;
	enum err e;

	*to = (struct list){ names, 0 };
	if ((e = fingerprint_list(db, mem, &set)) != OK ||
	    (e = read_marks(c, mem, join && value_of(&set, "store") == NULL, f)) != OK)
		return e;
	for (int i = 0; i < MARKS && e == OK; i++) {
		value = value_of(&set, f[i].name);
		if (value != NULL && strcmp(value, f[i].value) != 0)
			names[to->n++] = f[i].name;
		else if (value == NULL && join)
			e = fingerprint_add(db, &f[i]);
	}
	return e;
}

bool
node_is_fit(struct work *w)
{
	struct list names;

	if (node_differs(w->db, w->mem, w->conf, false, &names) != OK || names.n == 0)
		return true;
	log_error("%s of this node is not that of the others, so it does no work",
	    *(const char *const *)names.items);
	return false;
}

enum err
node_accept(struct db *db, struct arena *mem, const struct conf *c)
{
	struct fingerprint f[MARKS];
	enum err e = read_marks(c, mem, true, f);

	for (int i = 0; i < MARKS && e == OK; i++)
		e = fingerprint_put(db, &f[i]);
	return e;
}
