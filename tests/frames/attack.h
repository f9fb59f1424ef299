#ifndef TESTS_FRAMES_ATTACK_H
#define TESTS_FRAMES_ATTACK_H

#include "door.h"

/* One connection that is up to no good. */
struct bout {
	struct arena *mem;
	struct dice dice;
	struct door *door;
	enum kind kind;
	const char *query; /* of an STT socket, "&format=..." */
	struct wire *wire; /* NULL: it is over, or never began */
	int status;        /* of the upgrade; 0: none was answered */
	const char *wrong; /* what the gateway should not have done, or NULL */
};

struct attack {
	const char *name;
	void (*run)(struct bout *);
};

extern const struct attack attacks[];
extern const size_t nattacks;

/* What attacks share: the upgrade, with these bytes behind its head. */
bool bout_enter(struct bout *, const void *early, size_t n);
const char *bout_head(struct bout *);
void bout_send(struct bout *, const struct buf *);
void bout_frame(struct bout *, struct buf *, unsigned head, const void *, size_t n);
void bout_text(struct bout *, struct buf *, const char *, size_t n);
/* It closes, or breaks off; or it lives, and answers a ping. */
void bout_must_end(struct bout *);
void bout_must_live(struct bout *);

#define TEXT 0x81
#define BINARY 0x82
#define CLOSE 0x88
#define PING 0x89

/* Attacks by what a message says, in attack_talk.c. */
void attack_spoilt(struct bout *);
void attack_task(struct bout *);
void attack_stt(struct bout *);
void attack_tts(struct bout *);
void attack_replaced(struct bout *);
void attack_deleted(struct bout *);

#endif
