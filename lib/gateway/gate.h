#ifndef GATEWAY_GATE_H
#define GATEWAY_GATE_H

#include <stdatomic.h>

#include "base/token.h"
#include "gateway/pool.h"
#include "gateway/socket.h"
#include "web/web.h"

/*
 * The gateway: four kinds of threads that send each other letters.
 *
 *	desk       takes connections in, reads their heads, answers or admits them;
 *	           all that has to do with the database
 *	sockets    WebSockets and what state they are in; never waits
 *	pool       actors that recognise, translate and speak
 *	studio     RTP of rooms at a media server (studio.h)
 */
struct gate {
	struct arena *mem;
	struct app app; /* of the desk alone, but for its conf */
	const struct conf *conf;
	struct sockets *sockets;
	struct mailbox *to_sockets, *to_desk; /* of struct errand */
	struct registry *engines;
	struct room *rooms;   /* of the sockets */
	struct payer *payers; /* likewise */
	struct rates *rates;  /* likewise, made with the first connection */
	struct tally *held;   /* of the desk, likewise: sockets, by their holder */
	int64_t halls_us;     /* likewise, when halls_look() looked last */
	int64_t beat_us;      /* likewise, the last heartbeat of this node */
	int64_t compared_us;  /* likewise, when it was last compared with the others; */
	bool unfit;           /* it differs, and takes no part */
	struct pool *pool;
	struct studio *studio; /* NULL: sound comes and goes by our sockets alone */
	int64_t begun_us;      /* monotonic_us() */
	atomic_int connections, tasks;
	atomic_bool stopping;
};

/* A letter that says itself what is to be done, on the thread that it is sent to. */
struct errand {
	struct letter letter;
	void (*run)(struct gate *, struct errand *); /* frees it, or sends it on */
};

enum socket_kind { SOCKET_S2S, SOCKET_STT, SOCKET_TTS, SOCKET_KINDS };

struct stt_want;

/* Somebody who was admitted: who, to what, and what he may do. */
struct visitor {
	struct errand errand;
	int fd;
	const char *head; /* that was read from it, */
	size_t head_bytes;
	enum socket_kind kind;
	const char *account;
	const char *stream;      /* id of a session, or of a channel */
	const char *credential;  /* whose connections are counted together */
	const char *network;     /* its address, as limits count it */
	const struct held *held; /* of busy.c; NULL: it is not counted there */
	const char *key;         /* id of the key that opened it, or NULL */
	bool own;                /* its session ends with it */
	bool writes, hears;
	const char *language; /* folded; of who only listens; NULL: the first target */
	bool audio;           /* he wants that, too */
	const char *listener; /* id of one with a token for an event; or NULL */
	int64_t code_version; /* of that token */
	/* Of a channel: */
	const char *broadcast;      /* NULL: it is a session */
	const char *event;          /* or NULL */
	const char *pipeline;       /* of its task, JSON; see onair.h */
	const struct stt_want *stt; /* of an STT socket */
};

#define ERRAND(type) ((type *)letter_new(sizeof(type)))

#endif
