#ifndef SERVER_GATEWAY_H
#define SERVER_GATEWAY_H

#include <stdatomic.h>

#include "base/token.h"
#include "pipeline/thread_call.h"
#include "server/websocket.h"
#include "web/web.h"

/*
 * The gateway: four kinds of threads that send each other messages.
 *
 *	database thread       takes connections in, reads their heads, answers or admits
 *them; all that has to do with the database sockets    WebSockets and what state they
 *are in; never waits pool       actors that recognise, translate and speak RTP bridge
 *RTP of sessions at a media server (rtp_bridge.h)
 */
struct gateway {
	struct arena *mem;
	struct app app; /* of the database thread alone, but for its conf */
	const struct conf *conf;
	struct event_loop *event_loop;
	struct mailbox *to_event_loop, *to_db_thread; /* of struct call */
	struct registry *engines;
	struct session *sessions;        /* of the sockets */
	struct payer *payers;            /* likewise */
	struct connect_limiter *limiter; /* likewise, made with the first connection */
	struct tally
	    *held; /* of the database thread, likewise: sockets, by their holder */
	int64_t
	    channels_polled_us; /* likewise, when channel_sessions_poll() looked last */
	int64_t beat_us;        /* likewise, the last heartbeat of this node */
	int64_t compared_us; /* likewise, when it was last compared with the others; */
	bool unfit;          /* it differs, and takes no part */
	struct pool *pool;
	struct rtp_bridge *bridge; /* NULL: sound comes and goes by our sockets alone */
	int64_t begun_us;          /* monotonic_us() */
	atomic_int connections, tasks;
	atomic_bool stopping;
};

enum socket_kind { SOCKET_S2S, SOCKET_STT, SOCKET_TTS, SOCKET_KINDS };

struct stt_params;

/* Somebody who was admitted: who, to what, and what he may do. */
struct connection_request {
	struct thread_call call;
	int fd;
	const char *head; /* that was read from it, */
	size_t head_bytes;
	enum socket_kind kind;
	const char *account;
	const char *stream;      /* id of a session, or of a channel */
	const char *credential;  /* whose connections are counted together */
	const char *network;     /* its address, as limits count it */
	const struct held *held; /* of socket_quota.c; NULL: it is not counted there */
	const char *key;         /* id of the key that opened it, or NULL */
	bool own;                /* its session ends with it */
	bool writes, listens;
	const char *language; /* folded; of who only listens; NULL: the first target */
	bool audio;           /* he wants that, too */
	const char *listener; /* id of one with a token for an event; or NULL */
	int64_t code_version; /* of that token */
	/* Of a channel: */
	const char *broadcast;        /* NULL: it is a session */
	const char *event;            /* or NULL */
	const char *pipeline;         /* of its task, JSON; see channel_session.h */
	const struct stt_params *stt; /* of an STT socket */
};

#endif
