/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_CHANNELS_H
#define STORE_CHANNELS_H

#include "db/db.h"

#define CHANNEL_DELAY_S_MOST 30  /* longest delay of the original, in seconds */
#define CHANNEL_HOLD_S_MOST 20   /* longest time for which texts wait, in seconds */
#define CHANNEL_BLOCKED_MOST 500 /* most blocked words */
#define CHANNEL_BLOCKED_CHARACTERS 64 /* most characters of each */

/* A channel. service/channel.h has its states, and channels_of_event_deleting() for the
   channels of a deleted event. */
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
	bool keep_transcript;       /* standalone: a transcript is stored */
	int64_t hold_s;             /* seconds for which final texts wait */
	const char *blocked_words;  /* JSON array of texts: masked, never spoken */
	int64_t stopped_us;         /* when it was stopped; NULL_INT: it is not */
	const char *audio_settings; /* JSON object, or NULL */
	const char *outputs;        /* JSON array of objects */
	int64_t output_processes;   /* set by channel_add() and channel_put() */
	const char *pipeline;       /* JSON object, or NULL */
	const char *input;          /* JSON object; set by channel_fill_view() */
	double input_bitrate;       /* NaN: unknown */
	const char *error;          /* error of the last failed attempt, or NULL */
	struct list warnings; /* struct problem_document; set by channel_fill_view() */
	int64_t created_us, updated_us;
	const char *input_url;  /* for hls_pull, or NULL */
	const char *stream_key; /* for rtmp_push and srt_push, or NULL */
	int64_t srt_port;       /* for srt_push: UDP; 0: none */
	int64_t attempt; /* number of the attempt to create the broadcast, from 1 */
	bool held;       /* the broadcast of that attempt may exist on the backend */
	int64_t version;
	int64_t speaker_version;  /* speaker tokens with another version are invalid */
	int64_t speaker_made_us;  /* when the current token was made; NULL_INT: none */
	const char *speaker_link; /* mark of the short address, or NULL */
	int64_t code_version;     /* version of its event's access code, or NULL_INT */
	const char *node; /* the node whose gateway serves it; NULL: not assigned yet */
	const char *handed_to; /* the node that gets it next, "": any; NULL: none */
	const char *node_url;  /* public address of that node; NULL: unknown */
	const char *node_ingest_host; /* members of struct node */
	/*
	 * JSON arrays of its target languages, see store/served.h. unserved: no engine
	 * translates into them; without targets, the source language if no engine
	 * recognises it. text_only: no engine speaks them.
	 */
	const char *unserved, *text_only;
};

/* The input of clients that create or change a channel. */
struct output_in {
	const char *protocol;
	const char *lang_code, *server, *stream_key; /* outputs that push a stream */
	const char *stream_id;  /* srt_push, if its server requires it */
	const char *mount;      /* icecast_push */
	const char *url;        /* captions_push, with lang_code */
	struct list lang_codes; /* const char *; hls_pull, recording */
	const char *format;     /* recording: ogg, mp4 */
	const char *attendees;  /* hls_pull: when_full, first; or NULL */
};

struct channel_in {
	struct channel channel; /* id: NULL, or for a change the id in the path */
	struct list languages;  /* const char * */
	struct list outputs;    /* struct output_in */
	struct list blocked;    /* const char *: blocked words */
};

extern const struct field channel_fields[];
extern const struct field channel_new_fields[], output_in_fields[];
/* As channel_in_fields, for a change: fields that cannot change are refused. */
extern const struct field channel_edit_fields[];
extern const struct sql channel_sql[];

enum err channel_get(struct db *, struct arena *, const char *account, const char *id,
    struct channel *) MUST_CHECK;
/* Read a ready channel of any active account. */
enum err channel_on_air(
    struct db *, struct arena *, const char *id, struct channel *) MUST_CHECK;
/* Read an active channel, of any lifecycle status, unless another node serves it. */
enum err channel_running(struct db *, struct arena *, const char *id, const char *node,
    struct channel *) MUST_CHECK;
/* The subject of a channel. */
struct channel_topic {
	const char *title;  /* the event's title, else the channel's name; or NULL */
	const char *agenda; /* event.agenda, or NULL */
	const char *stage;  /* NULL: standalone */
};

enum err channel_topic(
    struct db *, struct arena *, const char *id, struct channel_topic *) MUST_CHECK;
/*
 * List the ready channels of all accounts, in any order, whose audio does not come over
 * a socket: streams of events that are not finished and, with rooms, channels whose
 * speakers are in a room of the backend.
 */
enum err channels_on_air(
    struct db *, struct arena *, bool rooms, struct list *) MUST_CHECK;
/* List the ready channels that are stopped, struct channel_stop. */
struct channel_stop {
	const char *id;
	int64_t version;
};

enum err channels_stopped(struct db *, struct arena *, struct list *) MUST_CHECK;
/* A number that changes when a channel becomes ready or a ready channel changes. */
enum err channels_revision(struct db *, int64_t *) MUST_CHECK;
/* Pass the SRT ports in use to take(), in ascending order, until it returns false. */
enum err channel_srt_ports(
    struct db *, bool (*take)(void *arg, int64_t port), void *arg) MUST_CHECK;
/* Free the SRT ports of channels whose events are finished; *n is their number. */
enum err channels_free_srt_ports(struct db *, int64_t *n) MUST_CHECK;
/*
 * Count the incoming and outgoing streams of an account's channels.  Each needs a
 * process (service/channel_outputs.h) even while nothing is sent.  Channels of finished
 * events and channels being deleted do not count, nor does the channel `but` (an id, or
 * NULL).
 */
enum err channels_streaming(
    struct db *, const char *account, const char *but, int64_t *n) MUST_CHECK;
/* List the channels of all accounts with runtime active: of dead nodes, of nodes that
   lost them long ago and, if this node's gateway is starting, also of this node and of
   no node. */
enum err channels_active(struct db *, struct arena *, const char *node, bool begins,
    struct list *) MUST_CHECK;
/* The channels of an account, oldest first; event and stage select some of them, NULL:
   any. */
enum err channel_list(struct db *, struct arena *, const char *account,
    const char *event, const char *stage, struct list *) MUST_CHECK;

/*
 * channel_add(), channel_put() and channel_drop() also drop the public view of the
 * channel's event.  Call them in the transaction of the change that makes them
 * necessary. channel_add() makes jobs of listeners' requests due that waited for a
 * channel of the event. channel_add() and channel_put() set unserved and text_only.
 */
enum err channel_add(struct db *, struct arena *, struct channel *) MUST_CHECK;
/*
 * Replace the channel `was`, as it was read, by `now`. Set version and updated_us if
 * clients see a difference. ERR_STALE: the channel has changed since, or is at another
 * attempt.
 */
enum err channel_put(struct db *, struct arena *, const struct channel *was,
    struct channel *now) MUST_CHECK;
enum err channel_drop(struct db *, const struct channel *) MUST_CHECK;
/* Invalidate all speaker tokens of the channel by increasing speaker_version, in the
   transaction that read the channel. */
enum err channel_void_tokens(struct db *, struct channel *) MUST_CHECK;
/* Store speaker_made_us and speaker_link; earlier tokens stay valid. */
enum err channel_put_speaker_link(struct db *, const struct channel *) MUST_CHECK;
/* Read the channel with this speaker_link, of an active account and not being deleted.
 */
enum err channel_by_speaker_link(
    struct db *, struct arena *, const char *link, struct channel *) MUST_CHECK;

/* Count the outputs in a JSON array for which the gateway starts a process. */
int64_t channel_output_processes(struct arena *, const char *outputs);

/* The broadcast that the backend should have: the one of the channel's last attempt. */
struct standing {
	const char *id, *account;
	const char *lifecycle;
	const char *broadcast; /* NULL: it was never ready */
	const char *target_languages;
	int64_t attempt;
};

/* List up to n channels of all accounts that are not being deleted, in the order of
   their ids, after this id. */
enum err channels_after(
    struct db *, struct arena *, const char *id, int n, struct list *) MUST_CHECK;

enum err channel_total(struct db *, const char *lifecycle, int64_t *) MUST_CHECK;
/* List the channels of all accounts that may have a broadcast on the backend, by id. */
enum err channels_standing(struct db *, struct arena *, struct list *) MUST_CHECK;
/*
 * Check that the broadcast of an attempt belongs to a channel: the attempt is the
 * channel's last one, or the channel's row names the broadcast.  ERR_NOT_FOUND: it
 * belongs to none.
 */
enum err channel_stands(
    struct db *, const char *id, const char *broadcast, int64_t attempt) MUST_CHECK;

/* List the distinct target languages of an event's channels that are not being deleted,
   const char *, without those of the channel `but` (NULL: of all). */
enum err channels_languages(struct db *, struct arena *, const char *account,
    const char *event, const char *but, struct list *) MUST_CHECK;

/*
 * Get the language of a listener's request, and its channel. If the request names no
 * channel, it is the oldest channel of the event that is not being deleted; the
 * channel's id is NULL if there is none. ERR_NOT_FOUND: the request or its channel does
 * not exist, or the event is finished and has no channel.
 */
enum err channel_wanted(struct db *, struct arena *, const char *account,
    const char *request, struct channel *, const char **language) MUST_CHECK;

#endif
