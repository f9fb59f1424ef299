#include "rtc/channel_table.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *label;
	bool lossy;
} known[CHANNEL_TABLE] = { { "_reliable", false }, { "_lossy", true } };

struct channel *
channel_table_use(struct channel_table *t, int i, uint16_t stream)
{
	t->channels[i] = (struct channel){
		.label = known[i].label, .stream = stream, .lossy = known[i].lossy
	};
	return &t->channels[i];
}

struct channel *
channel_table_take(struct channel_table *t, const char *label, uint16_t stream)
{
	for (int i = 0; i < CHANNEL_TABLE; i++)
		if (strcmp(known[i].label, label) == 0 && t->channels[i].label == NULL)
			return channel_table_use(t, i, stream);
	return NULL;
}

struct channel *
channel_table_stream(struct channel_table *t, uint16_t stream)
{
	for (int i = 0; i < CHANNEL_TABLE; i++)
		if (t->channels[i].label != NULL && t->channels[i].stream == stream)
			return &t->channels[i];
	return NULL;
}

const struct channel *
channel_table_label(const struct channel_table *t, const char *label)
{
	for (int i = 0; i < CHANNEL_TABLE; i++)
		if (t->channels[i].label != NULL &&
		    strcmp(t->channels[i].label, label) == 0)
			return &t->channels[i];
	return NULL;
}
