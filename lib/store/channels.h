#ifndef STORE_CHANNELS_H
#define STORE_CHANNELS_H

#include "db/db.h"

/*
 * A channel.  Its life is in service/channel.h, which is also where the channels
 * of a deleted event go: channels_of_event_deleting().
 */
struct channel {
	const char *id, *type;     /* event, standalone */
	const char *event, *stage; /* NULL: standalone */
	const char *broadcast, *broadcast_too;
	const char *lifecycle;             /* creating, ready, failed, deleting */
	const char *runtime, *runtime_too; /* pending, active, failed, stopped, NULL */
	const char *name, *title;
	const char *account;
	const char *input_type;
	const char *source_language;
	const char *target_languages; /* JSON array of texts */
	const char *room_suffix;      /* the event's, or NULL */
	const char *region;
	bool ignore_video;
	double original_delay_s, original_volume;
	bool keep_transcript;       /* standalone: its texts are kept */
	const char *audio_settings; /* JSON object, or NULL */
	const char *outputs;        /* JSON array of objects */
	int64_t output_processes;   /* set by channel_add() and channel_put() */
	const char *pipeline;       /* JSON object, or NULL */
	const char *input;          /* JSON object; NULL until channel_tell() */
	double input_bitrate;       /* NaN: not known */
	const char *error;          /* of the last failed attempt, or NULL */
	struct list warnings; /* struct problem_told; empty until channel_tell() */
	int64_t created_us, updated_us;
	const char *input_url;  /* of hls_pull, or NULL */
	const char *stream_key; /* of rtmp_push and srt_push, or NULL */
	int64_t srt_port;       /* of srt_push: UDP; 0: it has none */
	int64_t attempt;        /* of creation, from 1; the broadcast bears it */
	bool held;              /* the backend may hold what that attempt made */
	int64_t version;
	int64_t speaker_version; /* its speaker tokens name it; others are void */
	int64_t speaker_made_us; /* when its current one was made; NULL_INT: none was */
	int64_t code_version;    /* of its event's access code; NULL_INT: no event */
	const char *node;     /* whose gateway serves it; NULL: the first one asked */
	const char *node_url; /* where clients reach that; NULL: not known */
	const char *node_ingest_host; /* struct node */
	/* JSON arrays, of its targets, see store/served.h: what no engine translates
	   into, or, without targets, the language spoken; what no engine speaks */
	const char *unserved, *text_only;
};

/* What clients say of a channel: when it is made, and when it is changed. */
struct output_in {
	const char *protocol;
	const char *lang_code, *server, *stream_key; /* what pushes a stream, */
	const char *stream_id;  /* srt_push, if its server wants one */
	const char *mount;      /* icecast_push */
	const char *url;        /* captions_push, and its lang_code */
	struct list lang_codes; /* const char *; hls_pull, recording */
	const char *format;     /* recording: ogg, mp4 */
};

struct channel_in {
	struct channel channel; /* id: of a change: that of the path, or NULL */
	struct list languages;  /* const char * */
	struct list outputs;    /* struct output_in */
};

extern const struct field channel_fields[];
extern const struct field channel_new_fields[], output_in_fields[];
/* The same but for what stays as it was made, which is refused. */
extern const struct field channel_edit_fields[];
extern const struct sql channel_sql[];

enum err channel_get(struct db *, struct arena *, const char *account, const char *id,
    struct channel *) MUST_CHECK;
/* A ready one of any active account. */
enum err channel_on_air(
    struct db *, struct arena *, const char *id, struct channel *) MUST_CHECK;
/* One that runs, whatever else has become of it, and of no other node. */
enum err channel_running(struct db *, struct arena *, const char *id, const char *node,
    struct channel *) MUST_CHECK;
/* What a channel is about. */
struct channel_topic {
	const char *title;  /* of its event, else its own name; or NULL */
	const char *agenda; /* event.agenda; NULL: it has none */
	const char *stage;  /* NULL: standalone */
};

enum err channel_topic(
    struct db *, struct arena *, const char *id, struct channel_topic *) MUST_CHECK;
/*
 * Those whose sound comes by another way than a socket, of all accounts, in any order:
 * streams, until their events are finished; rooms: also such as people speak to in a
 * room of the backend.
 */
enum err channels_on_air(
    struct db *, struct arena *, bool rooms, struct list *) MUST_CHECK;
/* A number that changes when a channel gets ready or, being ready, changes. */
enum err channels_revision(struct db *, int64_t *) MUST_CHECK;
/* The ports of SRT that are taken, in ascending order. */
enum err channel_srt_ports(
    struct db *, bool (*take)(void *arg, int64_t port), void *arg) MUST_CHECK;
/* Take back those of channels whose events are finished; *n: how many. */
enum err channels_free_srt_ports(struct db *, int64_t *n) MUST_CHECK;
/*
 * How many streams come into an account's channels, all but one, and leave them: each
 * needs a process (service/egress.h), whether something is sent or not.  Not of events
 * that are finished, nor of channels that are being deleted.  but: an id, or NULL.
 */
enum err channels_streaming(
    struct db *, const char *account, const char *but, int64_t *n) MUST_CHECK;
/*
 * Those that are said to be spoken on (runtime active), of all accounts: of nodes that
 * are dead; of this node and of none, too, if its gateway begins.
 */
enum err channels_active(struct db *, struct arena *, const char *node, bool begins,
    struct list *) MUST_CHECK;
/* All of them, oldest first; of one event, of one stage: NULL, any. */
enum err channel_list(struct db *, struct arena *, const char *account,
    const char *event, const char *stage, struct list *) MUST_CHECK;

/*
 * These three drop the public view of the channel's event as well.  They belong
 * in one transaction with what made them necessary.  channel_add() makes due the
 * jobs of listeners' requests that waited for a channel of the event.  It and
 * channel_put() set what engines lack of the channel's languages.
 */
enum err channel_add(struct db *, struct arena *, struct channel *) MUST_CHECK;
/*
 * The channel as it is now, in the place of what it was when it was read.  The
 * version and updated_us follow when clients see a difference.  ERR_STALE: it
 * has changed or moved on to another attempt since.
 */
enum err channel_put(struct db *, struct arena *, const struct channel *was,
    struct channel *now) MUST_CHECK;
enum err channel_drop(struct db *, const struct channel *) MUST_CHECK;
/*
 * In a transaction in which the channel was read: tokens that were made for its
 * speakers are void, by its new speaker_version.
 */
enum err channel_void_tokens(struct db *, struct channel *) MUST_CHECK;
/* Set the time of the current speaker token to now; those made before stay good. */
enum err channel_make_token(struct db *, struct channel *) MUST_CHECK;

/* How many outputs of such a list the gateway makes in a process of their own. */
int64_t channel_output_processes(struct arena *, const char *outputs);

/* What there should be on the backend: what each channel's last attempt made. */
struct standing {
	const char *id, *account;
	const char *lifecycle;
	const char *broadcast; /* NULL while it was never ready */
	const char *target_languages;
	int64_t attempt;
};

/* Up to n of all accounts that are not being deleted, by id, from behind that one. */
enum err channels_after(
    struct db *, struct arena *, const char *id, int n, struct list *) MUST_CHECK;

enum err channel_total(struct db *, const char *lifecycle, int64_t *) MUST_CHECK;
/* All accounts' channels that the backend may hold something of, by id. */
enum err channels_standing(struct db *, struct arena *, struct list *) MUST_CHECK;
/*
 * Whether what this attempt makes, or is making, has a channel to belong to: it
 * is the last attempt, or its broadcast is what the channel's row names.
 * ERR_NOT_FOUND: it has none.
 */
enum err channel_stands(
    struct db *, const char *id, const char *broadcast, int64_t attempt) MUST_CHECK;

/*
 * Distinct target languages of an event's channels that are not being deleted,
 * as a list of const char *; without those of the channel `but` (NULL: of all).
 */
enum err channels_languages(struct db *, struct arena *, const char *account,
    const char *event, const char *but, struct list *) MUST_CHECK;

/*
 * What a listener's request of an event of this account asks for: the language,
 * and the channel it is meant for: the one it names, else the oldest of the
 * event that is not being deleted; its id is NULL while there is none.
 * ERR_NOT_FOUND: no such request, or channel, or none and the event is over.
 */
enum err channel_wanted(struct db *, struct arena *, const char *account,
    const char *request, struct channel *, const char **language) MUST_CHECK;

#endif
