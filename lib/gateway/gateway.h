/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_GATEWAY_H
#define GATEWAY_GATEWAY_H

#include <stdatomic.h>

#include "base/due_heap.h"
#include "base/token.h"
#include "base/watchdog.h"
#include "gateway/websocket.h"
#include "pipeline/thread_call.h"
#include "protocol/limit.h"
#include "store/leases.h"
#include "web/web.h"

/*
 * The gateway: threads that send each other messages.
 *
 *  database thread  accepts connections, reads HTTP heads, answers or admits;
 *                   the only user of the database
 *  event loop       WebSockets and sessions; never blocks
 *  pool             actors: recognition, translation, synthesis
 *  media thread     audio and data of participants by WebRTC (participant.h)
 *
 * An output, a row of session/sink.h, may have threads of its own.
 */
struct gateway {
	/* Set before the threads start: */
	struct arena *mem;       /* lives as long as the gateway */
	struct app app;          /* database thread, except conf */
	const struct conf *conf; /* settings at start; app.conf has the latest */
	struct event_loop *event_loop;
	/* mailboxes for struct thread_call */
	struct mailbox *to_event_loop, *to_db_thread;
	const struct sink_ops *const
	    *sinks;          /* the sinks, see session/sink.h; NULL after the last */
	void **sinks_shared; /* sink_shared() of each */
	const struct task_owner *channels; /* the owner of channels' tasks */
	/* Event loop, which replaces it when settings change; the database thread reads
	   it, and drops the old one: */
	_Atomic(struct registry *) engines;
	/* Event loop: */
	struct session *sessions;         /* list of all sessions */
	struct payer *payers;             /* list of billed accounts */
	struct connection *readers;       /* list of those whose clients may be slow */
	int64_t readers_us;               /* monotonic, last check of these */
	struct connect_limiter *limiter;  /* created with the first connection */
	struct participant *participants; /* list of all */
	struct due_heap participants_due; /* when each is checked */
	struct http_listener *http_listeners; /* list of all */
	struct whip *whips;                   /* list of all */
	struct transcript_batch *transcript; /* lines to be written, see transcript.c */
	bool transcript_writing;             /* a batch of lines is being written */
	int64_t transcript_due_us; /* monotonic; when the next batch may be sent */
	struct join_batch *joins;  /* joins to be recorded, see listener_joins.c */
	bool joins_writing;        /* a batch of joins is being written */
	struct pool *caption_pool; /* posts captions; NULL: nothing was posted yet */
	int children;              /* processes of streams, see channel_ingress.h */
	int captions_untrusted;    /* bodies sent to servers whose last try failed */
	int64_t leases_us;         /* monotonic, last renewal of channels' leases */
	/* monotonic; when the node must be empty, 0: it need not; next sockets to close
	 */
	int64_t drained_us, drain_step_us;
	bool listeners_changed; /* listeners changed since they were counted */
	int64_t listeners_us;   /* monotonic, last count */
	/* Database thread: */
	struct tally *held;                   /* open sockets, see listener_limit.h */
	struct whip_resource *whip_resources; /* list of all */
	int64_t channels_polled_us;  /* monotonic, last read of channel_sessions.c */
	int64_t channels_checked_us; /* monotonic, last comparison of the next two */
	/* results of db_pulse() and channels_revision() then */
	int64_t channels_pulse, channels_revision;
	int64_t beat_us;       /* monotonic, last heartbeat */
	int64_t compared_us;   /* monotonic, last comparison with other nodes */
	struct leases *leases; /* owned; NULL: channels need no lease, see leases.h */
	struct limit live_voices; /* number that live_voice.c limits */
	/* State of listener_count.c; owned; NULL: nothing was counted yet: */
	struct listener_count *listening;
	struct hls_listeners *hls_listeners; /* NULL: no HLS */
	bool listening_put;                  /* the database has that state */
	size_t listening_rows;               /* that it had when they were written */
	int64_t minute_us;                   /* wall clock, last minute kept */
	bool unfit; /* differs from the other nodes: gets no new sessions */
	/* monotonic: when NATS was lost, 0: it is connected; the last look at others */
	int64_t alone_us, alone_look_us;
	bool isolated; /* NATS joins other nodes, but not this one */
	/* State of change_relay.c: changes of other nodes; the pulse without them that
	   the others know; monotonic, when they were told. */
	struct {
		int64_t carried, told, told_us;
	} changes;
	bool namesake; /* another host runs as this node: takes no channels */
	/* Any thread: */
	struct pool *pool;                   /* runs the actors */
	struct cluster *cluster;             /* NULL: no other nodes are reached */
	struct webrtc_thread *webrtc_thread; /* NULL: no WebRTC in the gateway */
	struct hls_thread *hls;              /* NULL: no HLS */
	bool webrtc; /* an output also brings the speakers' tracks */
	/* true if an output follows the broadcasts of channels */
	bool rooms;
	bool webrtc_failed;         /* WebRTC is wanted but could not start */
	atomic_int n_participants;  /* participants by WebRTC, open or being opened */
	struct watchdog watchdog;   /* watches the event loop and the media threads */
	struct watched *loop_watch; /* the event loop's; NULL in tests */
	_Atomic(const struct watched *) stalled; /* stalled; NULL: none is */
	int64_t begun_us;                        /* monotonic, start of the gateway */
	atomic_int connections, tasks;           /* open sockets; running tasks */
	atomic_bool stopping;                    /* no new connections */
	/* being emptied, see channel_drain.h; because the gateway ends */
	atomic_bool draining, leaving;
};

enum socket_kind { SOCKET_S2S, SOCKET_STT, SOCKET_TTS, SOCKET_KINDS };

struct stt_params;
extern const struct websocket_owner signal_owner; /* functions of participant.c */

/*
 * A participant, from its token and its query. Strings are "" rather than NULL unless
 * stated otherwise.
 */
struct signal_params {
	const char *identity, *room;              /* room: the session's name there */
	const char *name, *metadata, *attributes; /* or NULL; attributes: JSON */
	bool publishes, sends_data, subscribes, microphone, hidden;
	const char *sdk, *version; /* SDK and version of the client */
	int protocol;
	const char *sid; /* id of the participant to resume */
	bool resumes, auto_subscribe;
};

/* An endless answer of audio. */
struct audio_answer {
	const char *head; /* bytes to send before the audio */
	size_t head_bytes;
	bool mp3;     /* else Ogg Opus */
	bool chunked; /* the audio is sent in chunks, RFC 9112, 7.1 */
};

/* The moderation of a channel, as its row has it. */
struct moderation {
	const char *blocked; /* JSON array of texts: words to mask */
	int64_t hold_s;      /* seconds for which final texts wait */
	bool stopped;        /* it must be silent */
	int64_t version;     /* version of the row that says so */
};

/*
 * An admitted connection, sent from the database thread to the event loop.  All strings
 * live in its message arena.
 */
struct connection_request {
	struct thread_call call;
	int fd;           /* owned by the request */
	const char *head; /* HTTP head already read from fd */
	size_t head_bytes;
	enum socket_kind kind;
	const struct websocket_owner *owner; /* NULL: sessions */
	const char *account;
	const char *stream;      /* id of the session or channel */
	const char *credential;  /* key of the connect limiter */
	const char *network;     /* client address, as limits count it */
	const struct held *held; /* socket quota; NULL: not counted yet */
	const char *key;         /* id of the API key, or NULL */
	bool own;                /* the session ends with this connection */
	bool writes, listens;    /* publisher; subscriber */
	bool relayed;            /* its socket is at another node */
	const char *language;    /* subscriber's, folded; NULL: the first target */
	bool audio;              /* the subscriber also wants audio */
	bool opus;               /* the subscriber's audio is Opus */
	/* the listener has the texts up to this segment; NULL: not given */
	const char *since;
	const char *listener; /* listener id from an event's token, or NULL */
	bool bystander;       /* a screen or preview: not counted as a listener */
	int64_t code_version; /* access code version of that token */
	const char *room;     /* session: name of its room at a media server */
	/* Channels only: */
	const char *event;    /* or NULL */
	const char *pipeline; /* settings of its task, JSON; see channel_session.h */
	struct moderation moderation;
	int64_t speaker_version; /* version in a publisher's token */
	struct lease lease;      /* this node's; epoch 0: none is needed */
	/* Listeners by HTTP only; the kind is SOCKET_S2S: */
	const struct audio_answer *http;
	/* STT sockets only: */
	const struct stt_params *stt;
	/* WebRTC only; the kind is SOCKET_S2S: */
	const struct signal_params *signal;
	struct whip_offer *whip; /* WHIP and WHEP; else NULL */
	/* By HTTP: the response if such connections come too often. */
	const char *refusal;
	size_t refusal_bytes;
	/* A request for a file of HLS; else NULL. It is no connection: */
	const struct hls_request *hls;
};

#endif
