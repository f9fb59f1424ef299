/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_TALK_H
#define E2E_TALK_H

#include "world.h"

/* A blocked word as it is shown. */
#define BULLETS "\342\200\242\342\200\242\342\200\242"

/* A channel of an event, its speaker in English and a listener in Spanish. */
struct talk {
	struct account owner;
	const char *event, *channel, *path; /* ids; the channel's address in REST */
	const char *speaker_url, *es_url, *token, *webrtc_url;
	struct ws *speaker, *es;
};

/* Makes and connects all of them; more: further members of the channel. */
struct talk talk_open(const char *more);
/* Connects the speaker and the listener again. */
void talk_connect(struct talk *);
/* Says "hello world". */
void talk_say(const struct talk *);
/* Changes the channel: how is a method, or the path of a POST below the channel. */
struct answer talk_change(const struct talk *, const char *how, const char *json);
/* Returns the listener's next translated text. */
const char *talk_text(const struct talk *, double s);
/* The lines of the transcript in a language. */
json_t *talk_lines(const struct talk *, const char *language);
/* True if the transcript has one line in Spanish; for becomes(). */
bool talk_has_line(const void *talk);

#endif
