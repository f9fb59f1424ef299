/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_INGEST_H
#define E2E_INGEST_H

#include <sys/types.h>

/* A server to which captions are posted; see tests/ingest-server.h. */

/* Returns the address to post to, with its key. */
const char *ingest_begin(void);
#define INGEST_SECRET "abcd-1234-efgh"
/* Number of captions so far; and the n-th, from 0. */
int ingest_total(void);
const char *ingest_text(int n);
/*
 * Numbers of captions that were left out; and why the last body was refused, or NULL.
 */
int ingest_gaps(void);
const char *ingest_refused(void);
/* Sets the server's answer from now on; 0: it accepts captions. */
void ingest_answers(int status);

/* Starts a shell command that ends with the test, together with its children. */
pid_t sender_start(const char *command);
void sender_stop(pid_t);

#endif
