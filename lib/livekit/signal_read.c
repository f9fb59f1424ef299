/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "livekit/protobuf.h"
#include "livekit/signal.h"

#define CID_BYTES 128
#define NAME_BYTES 256

/* A request that is read. */
struct reading {
	struct arena *mem;
	struct signal_request *to;
	const char **sids; /* array of SIGNAL_SIDS; NULL: none were read */
};

/* ---- values ---- */

/* Read a text, cut to at most this many bytes between characters. */
static const char *
text_of(struct arena *mem, const struct protobuf *m, size_t most)
{
	size_t n = m->size;

	if (n > most)
		for (n = most; n > 0 && (m->bytes[n] & 0xc0) == 0x80;)
			n--;
	return arena_dup(mem, (const char *)m->bytes, n);
}

static void
add_sid(struct reading *r, const struct protobuf *m)
{
	struct list *l = &r->to->sids;
	if (l->n == SIGNAL_SIDS)
		return;
	if (r->sids == NULL)
		r->sids = arena_alloc(r->mem, SIGNAL_SIDS * sizeof(*r->sids));
	l->items = r->sids;
	r->sids[l->n++] = text_of(r->mem, m, SIGNAL_SID_BYTES);
}

/* ---- messages; false: malformed ---- */

static bool
read_description(struct reading *r, struct protobuf m)
{
	struct signal_description *d = &r->to->description;

	while (protobuf_next(&m)) {
		switch (m.key) {
		case PROTOBUF_IS_BYTES(2):
			d->sdp = arena_dup(r->mem, (const char *)m.bytes, m.size);
			d->n = m.size;
			break;
		case PROTOBUF_IS_NUMBER(3):
			d->id = (uint32_t)m.number;
			break;
		}
	}
	return !m.bad;
}

static bool
read_add_track(struct reading *r, struct protobuf m)
{
	struct signal_add_track *a = &r->to->add_track;

	a->bytes = arena_dup(r->mem, (const char *)m.p, m.n);
	a->n = m.n;
	while (protobuf_next(&m)) {
		switch (m.key) {
		case PROTOBUF_IS_BYTES(1):
			a->cid = text_of(r->mem, &m, CID_BYTES);
			break;
		case PROTOBUF_IS_BYTES(2):
			a->name = text_of(r->mem, &m, NAME_BYTES);
			break;
		case PROTOBUF_IS_NUMBER(3):
			a->type = (int64_t)m.number;
			break;
		case PROTOBUF_IS_NUMBER(6):
			a->muted = m.number != 0;
			break;
		case PROTOBUF_IS_NUMBER(8):
			a->source = (int64_t)m.number;
			break;
		case PROTOBUF_IS_NUMBER(14):
			a->encryption = (int64_t)m.number;
			break;
		}
	}
	return !m.bad;
}

static bool
read_participant_tracks(struct reading *r, struct protobuf m)
{
	while (protobuf_next(&m))
		if (m.key == PROTOBUF_IS_BYTES(2))
			add_sid(r, &m);
	return !m.bad;
}

/*
 * MuteTrackRequest and UpdateTrackSettings; `on` has a different field number in each.
 */
static bool
read_sids(struct reading *r, struct protobuf m, uint32_t on)
{
	while (protobuf_next(&m)) {
		if (m.key == PROTOBUF_IS_BYTES(1))
			add_sid(r, &m);
		else if (m.key == PROTOBUF_IS_NUMBER(on))
			r->to->on = m.number != 0;
	}
	return !m.bad;
}

static bool
read_mute(struct reading *r, struct protobuf m)
{
	return read_sids(r, m, 2);
}

static bool
read_track_setting(struct reading *r, struct protobuf m)
{
	return read_sids(r, m, 3);
}

static bool
read_subscription(struct reading *r, struct protobuf m)
{
	while (protobuf_next(&m)) {
		switch (m.key) {
		case PROTOBUF_IS_BYTES(1):
			add_sid(r, &m);
			break;
		case PROTOBUF_IS_NUMBER(2):
			r->to->on = m.number != 0;
			break;
		case PROTOBUF_IS_BYTES(3):
			if (!read_participant_tracks(r, protobuf_message(&m)))
				return false;
			break;
		}
	}
	return !m.bad;
}

static bool
read_ping_req(struct reading *r, struct protobuf m)
{
	while (protobuf_next(&m))
		if (m.key == PROTOBUF_IS_NUMBER(1))
			r->to->time_ms = (int64_t)m.number;
	return !m.bad;
}

static bool
read_update_metadata(struct reading *r, struct protobuf m)
{
	while (protobuf_next(&m))
		if (m.key == PROTOBUF_IS_NUMBER(4))
			r->to->request_id = (uint32_t)m.number;
	return !m.bad;
}

static bool
read_nothing(struct reading *r, struct protobuf m)
{
	(void)r;
	while (protobuf_next(&m))
		;
	return !m.bad;
}

static const struct {
	uint32_t field;
	enum signal_kind kind;
	bool (*read)(struct reading *, struct protobuf);
} messages[] = {
	{ 1, SIGNAL_OFFER, read_description },
	{ 2, SIGNAL_ANSWER, read_description },
	{ 4, SIGNAL_ADD_TRACK, read_add_track },
	{ 5, SIGNAL_MUTE, read_mute },
	{ 6, SIGNAL_SUBSCRIPTION, read_subscription },
	{ 7, SIGNAL_TRACK_SETTING, read_track_setting },
	{ 8, SIGNAL_LEAVE, read_nothing },
	{ 15, SIGNAL_UPDATE_METADATA, read_update_metadata },
	{ 16, SIGNAL_PING_REQ, read_ping_req },
};

/* ---- requests ---- */

/* If a request has several messages, the last one counts. */
static void
clear(struct signal_request *to)
{
	*to = (struct signal_request){ .description.sdp = "",
		.add_track = { .cid = "", .name = "", .bytes = "" } };
}

static bool
read_message(struct reading *r, const struct protobuf *m)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		if (m->key != PROTOBUF_IS_BYTES(messages[i].field))
			continue;
		clear(r->to);
		r->to->kind = messages[i].kind;
		return messages[i].read(r, protobuf_message(m));
	}
	if (m->key == PROTOBUF_IS_NUMBER(14)) {
		clear(r->to);
		r->to->kind = SIGNAL_PING;
		r->to->time_ms = (int64_t)m->number;
	}
	return true;
}

bool
signal_read(struct arena *mem, const void *p, size_t n, struct signal_request *to)
{
	struct reading r = { mem, to };
	struct protobuf m = protobuf_open(p, n);

	clear(to);
	if (n > SIGNAL_BYTES)
		return false;
	while (protobuf_next(&m))
		if (!read_message(&r, &m))
			return false;
	return !m.bad;
}
