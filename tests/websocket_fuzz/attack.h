/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WEBSOCKET_FUZZ_ATTACK_H
#define TESTS_WEBSOCKET_FUZZ_ATTACK_H

#include "endpoint.h"

/* One connection that attacks. */
struct attempt {
	struct arena *mem;
	struct dice dice;
	struct endpoint *endpoint;
	enum kind kind;
	const char *query; /* query of an STT socket, "&format=..." */
	struct wire *wire; /* NULL: ended or not started */
	int status;        /* status of the upgrade; 0: no answer */
	const char *wrong; /* the gateway's fault, or NULL */
};

struct attack {
	const char *name;
	void (*run)(struct attempt *);
};

extern const struct attack attacks[];
extern const size_t nattacks;

/* Common part of the attacks: the upgrade, with these bytes after its head. */
bool bout_enter(struct attempt *, const void *early, size_t n);
const char *bout_head(struct attempt *);
void bout_send(struct attempt *, const struct buf *);
void bout_frame(struct attempt *, struct buf *, unsigned head, const void *, size_t n);
void bout_text(struct attempt *, struct buf *, const char *, size_t n);
/* The gateway must close the connection, or answer a ping. */
void bout_must_end(struct attempt *);
void bout_must_live(struct attempt *);

#define TEXT 0x81
#define BINARY 0x82
#define CLOSE 0x88
#define PING 0x89

/* Attacks by a message's content, in attack_messages.c. */
void attack_spoilt(struct attempt *);
void attack_task(struct attempt *);
void attack_stt(struct attempt *);
void attack_tts(struct attempt *);
void attack_replaced(struct attempt *);
void attack_deleted(struct attempt *);

#endif
