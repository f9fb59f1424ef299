/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The offer to a participant: an audio section for each track that it wants. */
#include "participant/participant_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

/* ---- what the client wants ---- */

static struct participant_choice *
find_choice(struct participant *p, const char *sid)
{
	for (size_t i = 0; i < p->n_choices; i++)
		if (strcmp(p->choices[i].sid, sid) == 0)
			return &p->choices[i];
	return NULL;
}

static bool
has_section(const struct participant *p, const struct translator_track *t)
{
	size_t i = 0;

	while (i < p->n_sections && p->sections[i].track != t)
		i++;
	return i < p->n_sections;
}

/*
 * True if the client should receive the track. It receives ending tracks to their end.
 */
static bool
is_tuned(const struct participant *p, const struct translator_track *t)
{
	const struct connection *c = p->connection;
	const char *language = c->tuned.language;

	if (t->ending)
		return has_section(p, t);
	return p->params->publishes || strcmp(language, "all") == 0 ||
	       (language[0] == '\0' ? translator_is(c->session)->tracks == t
				    : strcmp(language, t->code) == 0);
}

/* Returns the client's choice for this track, or else the default. */
static struct participant_choice
choice_of(struct participant *p, const struct translator_track *t)
{
	const struct participant_choice *said = find_choice(p, t->sid);

	if (said != NULL)
		return *said;
	return (struct participant_choice){ .subscribed = p->params->auto_subscribe &&
							  is_tuned(p, t) };
}

static const struct translator_track *
find_track(const struct participant *p, const char *sid)
{
	const struct translator_track *t =
	    translator_is(p->connection->session)->tracks;

	while (t != NULL && strcmp(t->sid, sid) != 0)
		t = t->next;
	return t;
}

/* Forget choices about tracks that have ended, because they do not return. */
static void
drop_choices(struct participant *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_choices; i++)
		if (find_track(p, p->choices[i].sid) != NULL)
			p->choices[n++] = p->choices[i];
	p->n_choices = n;
}

static struct participant_choice *
add_choice(struct participant *p, const char *sid)
{
	struct participant_choice *to = find_choice(p, sid);
	const struct translator_track *t = find_track(p, sid);

	if (to != NULL || t == NULL)
		return to;
	drop_choices(p);
	if (p->n_choices == PARTICIPANT_SECTIONS)
		return NULL;
	to = &p->choices[p->n_choices];
	*to = choice_of(p, t);
	memcpy(to->sid, t->sid, sizeof(to->sid));
	p->n_choices++;
	return to;
}

void
participant_choose(struct participant *p, const char *sid, bool subscribed)
{
	struct participant_choice *to = add_choice(p, sid);

	if (to != NULL)
		to->subscribed = subscribed;
}

void
participant_disable(struct participant *p, const char *sid, bool disabled)
{
	struct participant_choice *to = add_choice(p, sid);

	if (to != NULL)
		to->disabled = disabled;
}

/* ---- sending ---- */

/* Start or stop sending the section's track. */
static void
switch_section(struct participant *p, struct participant_section *s, bool on)
{
	if (s->sends == on)
		return;
	s->sends = on;
	if (on)
		webrtc_link_send_track(p->subscriber.link, s->track->media,
		    &(const struct webrtc_sender){ s->ssrc, RTP_OPUS,
			translator_is(p->connection->session)->sid });
	else
		webrtc_link_stop_track(p->subscriber.link, s->ssrc);
}

static void
switch_sections(struct participant *p)
{
	for (size_t i = 0; i < p->n_sections; i++) {
		struct participant_section *s = &p->sections[i];

		if (s->track != NULL)
			switch_section(
			    p, s, s->accepted && !choice_of(p, s->track).disabled);
	}
}

/* ---- sections ---- */

static bool
is_track(const struct participant *p, const struct translator_track *of)
{
	const struct translator_track *t =
	    translator_is(p->connection->session)->tracks;

	while (t != NULL && t != of)
		t = t->next;
	return t != NULL;
}

/* Make sections inactive whose track ended or is not wanted. */
static bool
drop_sections(struct participant *p)
{
	bool changed = false;

	for (size_t i = 0; i < p->n_sections; i++) {
		struct participant_section *s = &p->sections[i];

		if (s->track == NULL ||
		    (is_track(p, s->track) && choice_of(p, s->track).subscribed))
			continue;
		switch_section(p, s, false);
		*s = (struct participant_section){ 0 };
		changed = true;
	}
	return changed;
}

/* Add a section for a new track, with a new SSRC; reuse an inactive one. */
static bool
add_section(struct participant *p, const struct translator_track *t)
{
	size_t i = 0;

	while (i < p->n_sections && p->sections[i].track != NULL)
		i++;
	if (i == PARTICIPANT_SECTIONS)
		return false;
	if (i == p->n_sections)
		p->n_sections++;
	p->sections[i] = (struct participant_section){ .track = t };
	while (p->sections[i].ssrc == 0)
		random_bytes(&p->sections[i].ssrc, sizeof(p->sections[i].ssrc));
	return true;
}

static bool
add_sections(struct participant *p)
{
	bool changed = false;

	for (const struct translator_track *t =
		 translator_is(p->connection->session)->tracks;
	     t != NULL; t = t->next)
		if (!has_section(p, t) && choice_of(p, t).subscribed)
			changed |= add_section(p, t);
	return changed;
}

/* ---- offers ---- */

static void
send_offer(struct participant *p)
{
	struct sdp_track tracks[PARTICIPANT_SECTIONS];
	const char *stream = translator_is(p->connection->session)->sid;
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < p->n_sections; i++) {
		struct participant_section *s = &p->sections[i];

		s->offered = true;
		tracks[i] = (struct sdp_track){ .sends = s->track != NULL,
			.ssrc = s->ssrc,
			.stream = stream,
			.id = s->track != NULL ? s->track->sid : NULL };
	}
	p->subscriber.local.version++;
	sdp_write_offer(&b, &p->subscriber.local, tracks, p->n_sections);
	participant_send_description(p, "offer", &b, ++p->offer_id);
	p->offered_us = monotonic_us();
	p->offer_again = false;
	arena_free(mem);
}

/* Send an offer. Only one offer may be unanswered at a time. */
static void
offer(struct participant *p)
{
	if (p->offered_us != 0 || p->signal == NULL || p->leaving)
		p->offer_again = true;
	else
		send_offer(p);
}

void
participant_offer_again(struct participant *p)
{
	if (p->subscriber.link == NULL)
		return;
	p->offered_us = 0;
	offer(p);
}

void
participant_review_tracks(struct participant *p)
{
	bool changed;

	if (p->connection == NULL)
		return;
	p->reviewed_version = translator_is(p->connection->session)->version;
	p->reviewed_tuned_us = p->connection->tuned.since_us;
	if (p->told_version != p->reviewed_version)
		participant_send_translator(p);
	if (p->subscriber.link == NULL)
		return;
	changed = drop_sections(p);
	changed |= add_sections(p);
	switch_sections(p);
	if (changed)
		offer(p);
}

void
participant_answered(struct participant *p, const struct sdp *answer)
{
	p->offered_us = 0;
	for (size_t i = 0; i < p->n_sections; i++) {
		const struct sdp_section *s =
		    i + 1 < answer->n ? &answer->sections[i + 1] : NULL;

		p->sections[i].accepted = p->sections[i].offered && s != NULL &&
					  !s->rejected &&
					  (s->direction & SDP_RECVONLY) != 0;
	}
	switch_sections(p);
	if (p->offer_again)
		offer(p);
}

static void
review_all(struct session *s)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (c->transport == &participant_transport)
			participant_review_tracks(c->to);
		else if (c->transport == &whip_transport)
			whip_review_track(c->to);
}

void
participant_begin_tracks(struct session *s, const struct pipeline_config *w)
{
	if (translator_is(s) == NULL)
		return;
	translator_change(s, &w->task);
	review_all(s);
}

void
participant_end_tracks(struct session *s, int64_t now)
{
	struct translator_track *ended = translator_ended(s, now), *t;

	if (ended != NULL)
		review_all(s);
	while ((t = ended) != NULL) {
		ended = t->next;
		webrtc_track_end(t->media);
	}
}

/* ---- loss ---- */

/* The loss of the track at a connection, percent; -1: it does not receive it. */
static int
loss_at(const struct connection *c, const struct translator_track *t)
{
	const struct participant *p = c->to;

	if (c->transport == &whip_transport)
		return whip_loss(c->to, t);
	for (size_t i = 0; c->transport == &participant_transport && i < p->n_sections;
	     i++)
		if (p->sections[i].track == t && p->sections[i].sends)
			return p->sections[i].loss;
	return -1;
}

/* The loss that nine of ten receivers of the track do not exceed, percent. */
static int
loss_of(const struct session *s, const struct translator_track *t)
{
	int counts[101] = { 0 }, n = 0, percent = 100, worse = 0, loss;

	for (const struct connection *c = s->connections; c != NULL; c = c->next)
		if ((loss = loss_at(c, t)) >= 0) {
			counts[loss]++;
			n++;
		}
	while (percent > 0 && (worse += counts[percent]) * 10 <= n)
		percent--;
	return n > 0 ? percent : 0;
}

void
participant_follow_loss(struct session *s)
{
	const struct task *task =
	    s->now != NULL ? pipeline_task(s->now->pipeline) : NULL;

	for (int i = 0; task != NULL && i < (int)task->n_targets; i++) {
		const struct translator_track *t =
		    translator_find(s, task->targets[i].language.said);

		if (t != NULL)
			pipeline_loss(s->now->pipeline, i, loss_of(s, t));
	}
}
