/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "livekit/signal.h"

#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "livekit/protobuf.h"

#define PROTOCOL 15
#define VERSION "1.8.0" /* the lowest version for all that clients request */
#define PING_TIMEOUT_S 15
#define PING_INTERVAL_S 5
#define OPUS "audio/opus"

/* ---- parts of several messages ---- */

static void
put_opus(struct buf *b, uint32_t field)
{
	size_t codec = protobuf_begin(b, field);

	protobuf_write_text(b, 1, OPUS);
	protobuf_end(b, codec);
}

static void
put_track(struct buf *b, uint32_t field, const struct signal_track *t)
{
	size_t track = protobuf_begin(b, field);

	protobuf_write_text(b, 1, t->sid);
	protobuf_write_text(b, 3, t->name);
	protobuf_write_number(b, 4, t->muted);
	protobuf_write_number(b, 9, t->source);
	protobuf_write_text(b, 11, OPUS);
	put_opus(b, 13);
	protobuf_write_number(b, 15, true); /* disable_red */
	protobuf_write_text(b, 17, t->sid);
	protobuf_end(b, track);
}

static void
put_permission(struct buf *b, const struct signal_participant *p)
{
	size_t permission = protobuf_begin(b, 11);

	protobuf_write_number(b, 1, p->can_subscribe);
	protobuf_write_number(b, 2, p->can_publish);
	protobuf_write_number(b, 3, p->can_publish_data);
	protobuf_write_number(b, 7, p->hidden);
	protobuf_end(b, permission);
}

/* A map: a message with key and value for each member that is a text. */
static void
put_attributes(struct buf *b, const char *object)
{
	const char *why;
	const struct json *o = object != NULL && object[0] != '\0'
				   ? json_read(b->mem, object, strlen(object), &why)
				   : NULL;

	if (o == NULL || o->type != JSON_OBJ)
		return;
	for (const struct json *m = o->kids; m != NULL; m = m->next) {
		size_t entry;

		if (m->type != JSON_TEXT)
			continue;
		entry = protobuf_begin(b, 15);
		protobuf_write_text(b, 1, m->key);
		protobuf_write_text(b, 2, m->u.s);
		protobuf_end(b, entry);
	}
}

enum { JOINED = 1, ACTIVE = 2 };

static void
put_participant(struct buf *b, uint32_t field, const struct signal_participant *p)
{
	size_t participant = protobuf_begin(b, field);

	protobuf_write_text(b, 1, p->sid);
	protobuf_write_text(b, 2, p->identity);
	protobuf_write_number(b, 3, p->active ? ACTIVE : JOINED);
	for (size_t i = 0; i < p->n_tracks; i++)
		put_track(b, 4, &p->tracks[i]);
	protobuf_write_text(b, 5, p->metadata);
	protobuf_write_number(b, 6, (uint64_t)(p->joined_ms / 1000));
	protobuf_write_text(b, 9, p->name);
	protobuf_write_number(b, 10, p->version);
	put_permission(b, p);
	protobuf_write_number(b, 13, p->is_publisher);
	put_attributes(b, p->attributes);
	protobuf_write_number(b, 17, (uint64_t)p->joined_ms);
	protobuf_end(b, participant);
}

static void
put_ice_servers(
    struct buf *b, uint32_t field, const struct signal_ice_server *servers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t server = protobuf_begin(b, field);

		protobuf_write_text(b, 1, servers[i].url);
		protobuf_write_text(b, 2, servers[i].username);
		protobuf_write_text(b, 3, servers[i].credential);
		protobuf_end(b, server);
	}
}

static void
put_server_info(struct buf *b, uint32_t field)
{
	size_t info = protobuf_begin(b, field);

	protobuf_write_text(b, 2, VERSION);
	protobuf_write_number(b, 3, PROTOCOL);
	protobuf_write_text(b, 5, "dragoman");
	protobuf_end(b, info);
}

/* ---- join and resume ---- */

static void
put_room(struct buf *b, const struct signal_join *j)
{
	size_t room = protobuf_begin(b, 1);

	protobuf_write_text(b, 1, j->room_sid);
	protobuf_write_text(b, 2, j->room_name);
	protobuf_write_number(b, 5, (uint64_t)j->created_s);
	protobuf_write_number(
	    /* other participants that the client sees: itself and the translator */
	    b, 9, 2);
	protobuf_end(b, room);
}

void
signal_write_join(struct buf *b, const struct signal_join *j)
{
	size_t join = protobuf_begin(b, 1);

	put_room(b, j);
	put_participant(b, 2, j->self);
	put_participant(b, 3, j->translator);
	protobuf_write_text(b, 4, VERSION);
	put_ice_servers(b, 5, j->ice_servers, j->n_ice_servers);
	protobuf_write_number(b, 6, j->subscriber_primary);
	protobuf_write_number(b, 10, PING_TIMEOUT_S);
	protobuf_write_number(b, 11, PING_INTERVAL_S);
	put_server_info(b, 12);
	put_opus(b, 14);
	protobuf_end(b, join);
}

void
signal_write_reconnect(struct buf *b, const struct signal_ice_server *servers, size_t n)
{
	size_t reconnect = protobuf_begin(b, 19);

	put_ice_servers(b, 1, servers, n);
	put_server_info(b, 3);
	protobuf_end(b, reconnect);
}

/* ---- while connected ---- */

void
signal_write_description(
    struct buf *b, const char *type, const char *sdp, size_t n, uint32_t id)
{
	size_t description = protobuf_begin(b, strcmp(type, "answer") == 0 ? 2 : 3);

	protobuf_write_text(b, 1, type);
	protobuf_write_bytes(b, 2, sdp, n);
	protobuf_write_number(b, 3, id);
	protobuf_end(b, description);
}

void
signal_write_update(struct buf *b, const struct signal_participant *p)
{
	size_t update = protobuf_begin(b, 5);

	put_participant(b, 1, p);
	protobuf_end(b, update);
}

void
signal_write_track_published(
    struct buf *b, const char *cid, const struct signal_track *t)
{
	size_t published = protobuf_begin(b, 6);

	protobuf_write_text(b, 1, cid);
	put_track(b, 2, t);
	protobuf_end(b, published);
}

void
signal_write_leave(
    struct buf *b, enum signal_leave_reason reason, enum signal_leave_action action)
{
	size_t leave = protobuf_begin(b, 8);

	protobuf_write_number(b, 1, action != SIGNAL_DISCONNECT); /* can_reconnect */
	protobuf_write_number(b, 2, reason);
	protobuf_write_number(b, 3, action);
	protobuf_end(b, leave);
}

void
signal_write_pong(struct buf *b, int64_t now_ms)
{
	protobuf_write_choice(b, 18, (uint64_t)now_ms);
}

void
signal_write_pong_resp(struct buf *b, int64_t pinged_ms, int64_t now_ms)
{
	size_t pong = protobuf_begin(b, 20);

	protobuf_write_number(b, 1, (uint64_t)pinged_ms);
	protobuf_write_number(b, 2, (uint64_t)now_ms);
	protobuf_end(b, pong);
}

void
signal_write_refusal(struct buf *b, uint32_t request_id, enum signal_refusal why,
    const char *message, const struct signal_add_track *add_track)
{
	size_t response = protobuf_begin(b, 22);

	protobuf_write_number(b, 1, request_id);
	protobuf_write_number(b, 2, why);
	protobuf_write_text(b, 3, message);
	if (add_track != NULL)
		protobuf_write_bytes(b, 5, add_track->bytes, add_track->n);
	protobuf_end(b, response);
}

/* ---- ids ---- */

#define RANDOM 12

void
sid_new(char to[SID_BYTES], const char *prefix)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "abcdefghijklmnopqrstuvwxyz0123456789";
	size_t n = strlen(prefix);
	unsigned char random[RANDOM];

	memcpy(to, prefix, n);
	random_bytes(random, sizeof(random));
	for (size_t i = 0; i < RANDOM; i++)
		to[n + i] = alphabet[random[i] % (sizeof(alphabet) - 1)];
	to[n + RANDOM] = '\0';
}
