/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_INGEST_H
#define E2E_INGEST_H

#include <sys/types.h>

/* A server that captions are posted to; see tests/ingest-server.h. */

/* Returns the address to post to, with its key. */
const char *ingest_begin(void);
#define INGEST_SECRET "abcd-1234-efgh"
/* Captions so far; the n-th, from 0. */
int ingest_total(void);
const char *ingest_text(int n);
/* Numbers that were left out; why the last body was not taken, or NULL. */
int ingest_gaps(void);
const char *ingest_refused(void);
/* From now on it answers this; 0: it takes captions. */
void ingest_answers(int status);

/* A command of the shell beside the test, which ends with it; and all it started. */
pid_t sender_start(const char *command);
void sender_stop(pid_t);

#endif
