#ifndef SERVICE_CHANNEL_INPUT_H
#define SERVICE_CHANNEL_INPUT_H

#include "store/channels.h"

/* What clients say of a channel: when it is made, and when it is changed. */
struct output_in {
	const char *protocol;
	const char *lang_code, *server, *stream_key; /* rtmp_push, srt_push */
	struct list lang_codes;                      /* const char *; hls_pull */
};

struct channel_in {
	const char *id; /* of a change: that of the path, or NULL */
	const char *type, *name;
	const char *event, *stage;
	const char *input_type, *input_url;
	const char *source_language;
	struct list languages; /* const char * */
	const char *region;
	bool ignore_video;
	double original_delay_s, original_volume;
	const char *audio_settings;
	struct list outputs; /* struct output_in */
	const char *pipeline;
};

extern const struct field channel_new_fields[];
/* The same but for what stays as it was made, which is refused. */
extern const struct field channel_edit_fields[];

/*
 * Rules over several fields; data is what was read into *in, whose ids are in
 * lower case afterwards.
 */
struct fault *channel_new_rules(
    struct arena *, const struct json *data, struct channel_in *);
struct fault *channel_edit_rules(
    struct arena *, const struct json *data, const struct channel_in *, const char *id);

/* Lay what was given over a channel; it keeps its id, place and input. */
void channel_edit(struct arena *, const struct json *data, const struct channel_in *,
    struct channel *);
/* Over the defaults of a new one: type and input, too. */
void channel_new(struct arena *, const struct json *data, const struct channel_in *,
    struct channel *);

#endif
