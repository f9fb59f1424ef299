#ifndef RTC_CHANNEL_TABLE_H
#define RTC_CHANNEL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* The data channels that are used, `_reliable` and `_lossy`, and their streams. */
#define CHANNEL_TABLE 2

struct channel {
	const char *label; /* NULL: not in use */
	uint16_t stream;
	bool lossy;
	bool open; /* messages may be sent */
};

/* Zero-initialise. */
struct channel_table {
	struct channel channels[CHANNEL_TABLE];
};

/* The i-th of them has this stream. */
struct channel *channel_table_use(struct channel_table *, int i, uint16_t stream);
/* The one of that label; NULL: there is none, or it has a stream. */
struct channel *channel_table_take(
    struct channel_table *, const char *label, uint16_t stream);
/* NULL: none is in use. */
struct channel *channel_table_stream(struct channel_table *, uint16_t);
const struct channel *channel_table_label(const struct channel_table *, const char *);

#endif
