/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LiveKit's signalling: strings that are read are text, and can be written again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "livekit/protobuf.h"
#include "livekit/signal.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Expects text of at most this many bytes. */
static void
check_text(const char *text, size_t most)
{
	if (text == NULL || strlen(text) > most)
		abort();
}

static void
check(const struct signal_request *rq)
{
	check_text(rq->description.sdp, rq->description.n);
	check_text(rq->add_track.cid, 128);
	check_text(rq->add_track.name, 256);
	if (rq->sids.n > SIGNAL_SIDS)
		abort();
	for (size_t i = 0; i < rq->sids.n; i++)
		check_text(((const char **)rq->sids.items)[i], SIGNAL_SID_BYTES);
}

/* A refusal contains the request that was sent. */
static void
refuse(struct arena *mem, const struct signal_request *rq)
{
	struct buf b = { .mem = mem };
	struct signal_request again;
	struct protobuf m;

	protobuf_write_bytes(&b, 4, rq->add_track.bytes, rq->add_track.n);
	if (b.len > SIGNAL_BYTES)
		return;
	if (!signal_read(mem, b.p, b.len, &again) ||
	    strcmp(again.add_track.cid, rq->add_track.cid) != 0 ||
	    again.add_track.type != rq->add_track.type)
		abort();
	b.len = 0;
	signal_write_refusal(&b, 0, SIGNAL_NOT_ALLOWED, "", &rq->add_track);
	m = protobuf_open(b.p, b.len);
	if (!protobuf_next(&m) || m.key != PROTOBUF_IS_BYTES(22) || m.n != 0)
		abort();
}

/* Attributes come from a token, so they may contain anything. */
static void
tell(struct arena *mem, const uint8_t *data, size_t n)
{
	const struct signal_participant p = { .sid = "PA_x",
		.identity = "x",
		.attributes = arena_dup(mem, (const char *)data, n) };
	struct buf b = { .mem = mem };
	struct protobuf m;

	signal_write_update(&b, &p);
	m = protobuf_open(b.p, b.len);
	while (protobuf_next(&m))
		;
	if (m.bad)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *mem = arena_new();
	struct signal_request rq;

	if (signal_read(mem, data, n, &rq)) {
		check(&rq);
		if (rq.kind == SIGNAL_ADD_TRACK)
			refuse(mem, &rq);
	}
	if (n > 0 && data[0] == '{')
		tell(mem, data, n);
	arena_free(mem);
	return 0;
}
