#ifndef TESTS_FRAMES_DOOR_H
#define TESTS_FRAMES_DOOR_H

#include "messages.h"
#include "wire.h"

/* Where sessions are made, and what they open. */
struct house {
	const char *web;     /* HOST:PORT of the web server */
	const char *gateway; /* of the gateway itself */
	const char *key;     /* of an account that may do everything */
};

/* The sessions that one thread uses, one after the other. */
struct door {
	const struct house *house;
	char token[1024], id[64];
	int uses;
};

/* A session that none has used too often; false: there is none to be had. */
bool door_renew(struct door *);
/* The path and query of a socket. */
const char *door_path(struct arena *, struct door *, enum kind, const char *query);
/* The session is deleted, whoever is connected to it. */
bool door_delete(struct door *);
/* The body that GET /streaming-api/health of the gateway answers, or NULL. */
const char *house_health(struct arena *, const struct house *);

#endif
