/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LIVEKIT_PROTOBUF_H
#define LIVEKIT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * The wire format of protocol buffers 3 (protobuf.dev, "Encoding"), without schemas: a
 * message is a sequence of fields, each with a number and one of the wire types below.
 */
enum protobuf_type {
	PROTOBUF_VARINT,
	PROTOBUF_FIXED64,
	PROTOBUF_BYTES, /* text, bytes or a message */
	PROTOBUF_FIXED32 = 5,
};

/* A field's key, for `case` labels: field and wire type must both be as expected. */
#define PROTOBUF_KEY(field, type) ((uint32_t)(field) << 3 | (type))
#define PROTOBUF_IS_NUMBER(field) PROTOBUF_KEY(field, PROTOBUF_VARINT)
#define PROTOBUF_IS_BYTES(field) PROTOBUF_KEY(field, PROTOBUF_BYTES)

/* A message that is read, and its current field. */
struct protobuf {
	const unsigned char *p; /* n remaining bytes, borrowed */
	size_t n;
	bool bad; /* truncated, a group, or a key out of range */
	uint32_t key;
	uint64_t number;            /* VARINT, FIXED64, FIXED32; else 0 */
	const unsigned char *bytes; /* BYTES, borrowed; else NULL */
	size_t size;
};

struct protobuf protobuf_open(const void *, size_t n);
/* Read the next field; false: the end, or `bad`. Unknown fields are skipped. */
bool protobuf_next(struct protobuf *);
/* The field, read as a message. */
struct protobuf protobuf_message(const struct protobuf *);

/* A default value (0; NULL and "") is not written. */
void protobuf_write_number(struct buf *, uint32_t field, uint64_t);
void protobuf_write_text(struct buf *, uint32_t field, const char *);
/* Written even when empty. */
void protobuf_write_bytes(struct buf *, uint32_t field, const void *, size_t n);
/* A member of a oneof: written even when 0. */
void protobuf_write_choice(struct buf *, uint32_t field, uint64_t);

/*
 * A message in a field: all that is written until protobuf_end(). They may be nested.
 */
size_t protobuf_begin(struct buf *, uint32_t field);
void protobuf_end(struct buf *, size_t begun);

#endif
