/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "livekit/data_packet.h"

#include "livekit/protobuf.h"

/* *plain: without topic.  False: malformed. */
static bool
read_user(struct protobuf m, struct data_packet *to, bool *plain)
{
	*plain = true;
	to->payload = "";
	to->n = 0;
	while (protobuf_next(&m)) {
		switch (m.key) {
		case PROTOBUF_IS_BYTES(2):
			to->payload = m.bytes;
			to->n = m.size;
			break;
		case PROTOBUF_IS_BYTES(4):
			*plain = m.size == 0;
			break;
		}
	}
	return !m.bad;
}

/* True if the field is another variant of the packet's value. */
static bool
is_other_value(uint32_t key)
{
	uint32_t field = key >> 3;

	return field == 3 || (field >= 6 && field <= 15) || field == 18;
}

bool
data_packet_read(const void *p, size_t n, struct data_packet *to)
{
	struct protobuf m = protobuf_open(p, n);
	bool user = false;

	*to = (struct data_packet){ .payload = "" };
	if (n > DATA_PACKET_BYTES)
		return false;
	while (protobuf_next(&m)) {
		if (m.key == PROTOBUF_IS_BYTES(2)) {
			if (!read_user(protobuf_message(&m), to, &user))
				return false;
		} else if (m.key == PROTOBUF_IS_NUMBER(16)) {
			to->sequence = (uint32_t)m.number;
		} else if (is_other_value(m.key)) {
			user = false;
		}
	}
	return user && !m.bad;
}

void
data_packet_write(
    struct buf *b, const char *sid, const char *identity, const void *payload, size_t n)
{
	size_t user = protobuf_begin(b, 2);

	protobuf_write_text(b, 1, sid);
	protobuf_write_bytes(b, 2, payload, n);
	protobuf_write_text(b, 5, identity);
	protobuf_end(b, user);
	protobuf_write_text(b, 4, identity);
	protobuf_write_text(b, 17, sid);
}
