/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that open a data channel: one that was read is written and read again
   unchanged. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rtc/data_channel.c"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct channel_table t = { 0 };
	struct dcep_message m, again;
	unsigned char to[DCEP_OPEN_MOST];
	const struct channel *c;
	size_t size;

	if (!dcep_read(data, n, &m))
		return 0;
	size = dcep_write(&m, to);
	if (size > sizeof(to) || !dcep_read(to, size, &again) || again.kind != m.kind ||
	    again.lossy != m.lossy || strcmp(again.label, m.label) != 0)
		abort();
	c = channel_table_assign(&t, m.label, (uint16_t)n);
	if (c != NULL && (channel_table_stream(&t, (uint16_t)n) != c ||
			     channel_table_label(&t, m.label) != c))
		abort();
	return 0;
}
