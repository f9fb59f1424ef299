/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_RELAY_INTERNAL_H
#define CHANNEL_RELAY_INTERNAL_H

#include "base/clock.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "channel/channel_internal.h"
#include "channel/relay.h"
#include "channel/relay_input.h"
#include "cluster/cluster.h"

/*
 * Shared by the files of the relay.
 *
 *	relay.c        life of both sides; messages for this node
 *	relay_owner.c  guests and their speakers, output to them
 *	relay_guest.c  the owner's output, local speakers
 *	relay_input.c  sound that the owner has not finished
 *	relay_wire.c   messages
 *
 * A message is an object in JSON and, after a line feed, bytes. Its member "t" is its
 * type, "epoch" the owner's. Others with an older epoch are dropped.
 */
#define RELAY_HELLO_US (2 * S_US) /* time between two hellos of a guest */
#define RELAY_STATE_US S_US       /* time between two states of an owner */
#define RELAY_LOST_US (6 * S_US)  /* a guest without a hello for so long has gone */
#define RELAY_SILENT_US (5 * S_US / 2) /* an owner without a state may have gone */
#define RELAY_LEAVE_US S_US /* most time to wait for guests before the owner leaves */
#define RELAY_SUBJECT 96    /* bytes of a subject */

/* An owner's view of a node with guests. */
struct relay_node {
	struct relay_node *next;
	struct arena *mem; /* owned */
	const char *node;
	const struct json *wants; /* list: "opus.es", "pcm.original", "partials" */
	int64_t until_us;         /* monotonic; without another hello it has gone */
	bool waits;               /* its speakers' sound is kept there */
};

/* A connection that stands for a speaker's connection at a guest. */
struct relay_speaker {
	struct relay_speaker *next;
	struct relay *relay;
	const char *id, *node; /* in the connection's request */
	struct connection *connection;
	bool ended; /* it must leave in the next turn */
	struct relay_marks marks;
	int64_t done; /* the number of the last input whose texts are out */
};

/* A guest's subscription to sound. */
struct relay_sound {
	struct relay_sound *next;
	struct arena *mem; /* owned */
	const char *want;  /* as in relay_node.wants */
	struct cluster_subscription *from;
	bool wanted;
};

/* A local speaker of a guest. */
struct relay_writer {
	struct relay_writer *next;
	struct arena *mem; /* owned */
	const char *id;
	struct connection *connection;
	int64_t epoch;         /* the owner's that has opened a connection for it */
	struct buf set_task;   /* the last one, for the next owner; in set_mem */
	struct arena *set_mem; /* owned; NULL: none came */
	struct relay_queue waiting; /* input while there is no owner */
	struct relay_queue sent;    /* sound that the owner has not confirmed */
	int64_t sounds;             /* number of the last sound */
};

struct relay {
	struct arena *mem; /* owned; outlives the session for messages under way */
	struct session *session; /* NULL: it has ended */
	/* the owner's, and the guest's; else NULL */
	struct cluster_subscription *in, *out;
	/* owner */
	struct relay_node *nodes;
	struct relay_speaker *speakers;
	int64_t told_us; /* last state sent */
	int told_task;   /* number of the task in it; -1: none */
	int64_t seq;     /* number of the last text sent; as a guest, received */
	int wanted[FANOUT_WANTS]; /* counted in session.wanted for the guests */
	int64_t
	    out_us[TASK_TARGETS + 1]; /* end of the last final text of the source, [0],
					 and of each target; unix time; 0: none */
	int64_t leaving_us; /* when guests were told to keep their sound; 0: not */
	bool held;          /* a reference to the session */
	int64_t kept_us;    /* until then the session stays without connections */
	/* guest */
	struct relay_sound *sounds;
	struct relay_writer *writers;
	int64_t heard_us, hello_us, asked_us; /* owner heard; hello sent; lease asked */
	int64_t epoch;                        /* the owner's */
	bool ready;                           /* that owner takes input */
	bool asking;                          /* the lease is being asked for */
	bool changed;                         /* the hello has changed */
	bool behind; /* texts are missing: ask for those that the owner has kept */
	bool synced; /* the owner's kept texts have come once */
	struct arena *task_mem; /* arena of session.guest_task; owned */
	const char *task_text;  /* its JSON */
	/* speech being received, per target: as the owner and as this node count it */
	int64_t group_was[TASK_TARGETS], group_us[TASK_TARGETS];
};

/* ---- relay_wire.c ---- */

struct relay_message {
	struct arena *mem; /* the received message's */
	const struct json *head;
	const char *type;
	int64_t epoch;
	const char *bytes;
	size_t n;
};

/* ch.<id>.<rest> */
const char *relay_subject(char to[RELAY_SUBJECT], const char *id, const char *rest);
const char *relay_node_subject(char to[RELAY_SUBJECT], const char *node);
/* False: it is no message of ours. Temporary data is in the message's arena. */
bool relay_read(const struct cluster_message *, struct relay_message *);
/* Begin a message; the buffer's arena is freed by relay_publish(). */
struct json_writer relay_begin(struct buf *, const char *type, int64_t epoch);
/* End the message and publish it. */
void relay_publish(struct gateway *, const char *subject, struct json_writer *,
    const void *bytes, size_t n);

/* ---- relay_owner.c ---- */

void relay_owner_open(struct relay *);
void relay_owner_close(struct relay *);
void relay_owner_tick(struct relay *, int64_t now_us);
/* The nodes with guests, and this one, for the next owner, as JSON. */
const char *relay_owner_guests(const struct relay *, struct arena *);
/* As relay_may_leave(). */
bool relay_owner_may_leave(struct relay *, int64_t now_us);
/* gone: the owner lets go of the channel. */
void relay_owner_tell(struct relay *, bool gone);

/* ---- relay_guest.c ---- */

extern const struct guest_ops relay_guest_ops;
void relay_guest_open(struct relay *);
/* The session becomes the owner, or ends. */
void relay_guest_close(struct relay *);
/* True: the owner is silent, so this node must ask for the lease. */
bool relay_guest_tick(struct relay *, int64_t now_us);
/* A message of the owner to a speaker at this node. False: it is not here. */
bool relay_guest_tell(struct relay *, const struct relay_message *);
/* The messages of local speakers that the next owner must get. */
void relay_guest_replay(struct relay *);

#endif
