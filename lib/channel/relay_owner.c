/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The owner's side: it sends each text once, and each language of sound once if a guest
 * wants it.
 */
#include <stdio.h>
#include <string.h>

#include "channel/relay_internal.h"
#include "channel/text_backlog.h"
#include "gateway/shared_buffer.h"

#define BEHIND_US (5 * S_US) /* a target is not waited for beyond this */

static struct gateway *
gateway_of(const struct relay *r)
{
	return r->session->gateway;
}

static void
publish(const struct relay *r, const char *rest, struct json_writer *j,
    const void *bytes, size_t n)
{
	char subject[RELAY_SUBJECT];

	relay_publish(
	    gateway_of(r), relay_subject(subject, r->session->id, rest), j, bytes, n);
}

/* ---- sound whose texts are out ---- */

/*
 * The end of the sound whose final texts are out in all targets, unix time. A target
 * that is far behind has failed, and others must not be repeated for it. Held texts are
 * in the database, where the next owner finds them.
 */
static int64_t
out_until(const struct relay *r, const struct task *t)
{
	size_t first = t->n_targets > 0 ? 1 : 0;
	int64_t newest_us = 0, until_us;

	if (r->session->channel->moderation.hold_s > 0)
		return INT64_MAX;
	for (size_t i = first; i <= t->n_targets; i++)
		newest_us = r->out_us[i] > newest_us ? r->out_us[i] : newest_us;
	until_us = newest_us;
	for (size_t i = first; i <= t->n_targets; i++)
		if (r->out_us[i] < until_us && r->out_us[i] > newest_us - BEHIND_US)
			until_us = r->out_us[i];
	return until_us;
}

static void
note_out(struct relay *r, const struct task *t, const struct pipeline_event *e)
{
	if (e->line.end_us < r->out_us[e->target + 1])
		return;
	r->out_us[e->target + 1] = e->line.end_us;
	for (struct relay_speaker *k = r->speakers; k != NULL; k = k->next) {
		int64_t done = relay_marks_until(&k->marks, out_until(r, t));

		k->done = done > k->done ? done : k->done;
	}
}

/* Deferred sound has no place yet. */
static void
note_input(struct relay *r, struct relay_speaker *k, int64_t number)
{
	const struct session *s = r->session;

	if (number > 0 && s->in.deferred == NULL && s->in.epoch_us != 0)
		relay_marks_add(&k->marks, number, s->in.epoch_us + s->in.audio_us);
}

static void
write_done(const struct relay *r, struct json_writer *j)
{
	jw_open(j, "done");
	for (const struct relay_speaker *k = r->speakers; k != NULL; k = k->next)
		if (!k->ended && k->done > 0)
			jw_int(j, k->id, k->done);
	jw_close(j);
}

/* ---- the state ---- */

static int
task_number(const struct relay *r)
{
	return r->session->now != NULL ? r->session->now->number : -1;
}

static void
write_task(struct json_writer *j, const struct task *t)
{
	jw_open(j, "task");
	jw_text(j, "language", t->language.code);
	jw_list(j, "targets");
	for (size_t i = 0; i < t->n_targets; i++) {
		jw_list(j, NULL);
		jw_text(j, NULL, t->targets[i].language.code);
		jw_text(j, NULL, t->targets[i].language.said);
		jw_close(j);
	}
	jw_close(j);
	jw_close(j);
}

void
relay_owner_tell(struct relay *r, bool gone)
{
	const struct session *s = r->session;
	const struct channel_session *channel = s->channel;
	struct buf b;
	struct json_writer j = relay_begin(&b, "state", s->owned.epoch);

	r->told_us = monotonic_us();
	r->told_task = task_number(r);
	jw_text(&j, "node", s->gateway->conf->node);
	jw_int(&j, "seq", r->seq);
	jw_int(&j, "state", channel->told_state);
	jw_int(&j, "status", s->state);
	jw_int(&j, "code_version", channel->code_version);
	jw_int(&j, "speaker_version", channel->speaker_version);
	jw_bool(&j, "over", channel->over);
	jw_bool(&j, "gone", gone || r->leaving_us != 0);
	write_done(r, &j);
	if (session_task(s) != NULL)
		write_task(&j, session_task(s));
	publish(r, "out", &j, "", 0);
}

/* ---- texts and sound ---- */

/* Begin a message about a target; -1: the original. The task is told before. */
static struct json_writer
begin_output(
    struct relay *r, struct buf *b, const char *type, const struct task *t, int target)
{
	struct json_writer j;

	if (task_number(r) != r->told_task)
		relay_owner_tell(r, false);
	j = relay_begin(b, type, r->session->owned.epoch);
	jw_text(&j, "target", target >= 0 ? t->targets[target].language.code : NULL);
	return j;
}

static void
send_text(
    struct relay *r, const struct task *t, const struct pipeline_event *e, bool kept)
{
	struct buf b;
	struct json_writer j = begin_output(r, &b, "text", t, e->target);

	jw_int(&j, "seq", kept ? 0 : ++r->seq);
	jw_int(&j, "starred", e->starred);
	jw_bool(&j, "final", e->final);
	jw_text(&j, "id", e->times.id);
	jw_int(&j, "part", e->line.part);
	if (!kept && e->final && r->speakers != NULL) {
		note_out(r, t, e);
		write_done(r, &j);
	}
	publish(r, "out", &j, e->text, e->n);
}

static bool
wants(const struct relay *r, const char *kind, const char *code)
{
	char want[RELAY_SUBJECT];

	snprintf(want, sizeof(want), "%s.%s", kind, code);
	for (const struct relay_node *n = r->nodes; n != NULL; n = n->next)
		for (const struct json *w = n->wants->kids; w != NULL; w = w->next)
			if (w->type == JSON_TEXT && strcmp(w->u.s, want) == 0)
				return true;
	return false;
}

static void
publish_text(
    struct session *s, const struct task *t, const struct pipeline_event *event)
{
	struct relay *r = s->channel->relay;

	if (r != NULL && r->nodes != NULL && event->starred <= OUTPUT_TRANSLATED)
		send_text(r, t, event, false);
}

/* The packets follow the message that holds them, after its bytes. */
static void
send_sound(struct relay *r, const struct sink_audio *a, const char *code, bool opus)
{
	const struct pipeline_event *e = a->event;
	const char *text = opus ? e->opus_text : e->text;
	char rest[RELAY_SUBJECT];
	struct buf b, bytes = { .mem = NULL };
	struct json_writer j = begin_output(r, &b, "sound", a->task, a->target);

	bytes.mem = b.mem;
	if (text != NULL)
		buf_put(&bytes, text, opus ? e->opus_n : e->n);
	jw_text(&j, "id", e->times.id);
	jw_int(&j, "group", a->group != NULL ? a->group->times.sent_us : 0);
	jw_bool(&j, "last", a->last);
	jw_bool(&j, "said", text != NULL);
	jw_int(&j, "text", (int64_t)bytes.len);
	if (opus)
		buf_put(&bytes, a->packets.bytes, a->packets.n);
	snprintf(rest, sizeof(rest), "%s.%s", opus ? "opus" : "pcm", code);
	publish(r, rest, &j, bytes.p, bytes.len);
}

static void
play(struct session *s, const struct sink_audio *a)
{
	struct relay *r = s->channel->relay;
	const char *code =
	    a->target < 0 ? "original" : a->task->targets[a->target].language.code;

	if (r == NULL || r->nodes == NULL)
		return;
	if (wants(r, "opus", code))
		send_sound(r, a, code, true);
	if (wants(r, "pcm", code))
		send_sound(r, a, code, false);
}

static void
flush(struct session *s, const struct task *t, int target)
{
	struct relay *r = s->channel->relay;
	struct buf b;
	struct json_writer j;

	if (r == NULL || r->nodes == NULL)
		return;
	j = begin_output(r, &b, "flush", t, target);
	jw_bool(&j, "all", target < 0);
	publish(r, "out", &j, "", 0);
}

void
relay_correct(struct session *s, int target, int starred,
    const struct transcript_line *l, const struct buf *text)
{
	struct relay *r = s->channel->relay;
	struct buf b;
	struct json_writer j;

	if (r == NULL || r->nodes == NULL)
		return;
	j = begin_output(r, &b, "correction", session_task(s), target);
	jw_int(&j, "starred", starred);
	jw_text(&j, "id", l->segment);
	jw_int(&j, "part", l->part);
	jw_bool(&j, "original", l->original);
	jw_text(&j, "language", l->language);
	jw_int(&j, "end", l->end_us);
	publish(r, "out", &j, text->p, text->len);
}

const struct sink_ops relay_sink = { .of_channels = true,
	.of_owner = true,
	.send_text = publish_text,
	.play = play,
	.flush = flush };

/* ---- speakers at guests ---- */

static struct relay_speaker *
find_speaker(const struct relay *r, const char *id)
{
	struct relay_speaker *k = r->speakers;

	while (k != NULL && (k->ended || strcmp(k->id, id) != 0))
		k = k->next;
	return k;
}

/* why: enum close_why of "end"; text: the message of "tell". */
static void
answer(const struct relay *r, const char *node, const char *type, const char *conn,
    int why, const struct shared_buffer *text)
{
	char subject[RELAY_SUBJECT];
	struct buf b;
	struct json_writer j = relay_begin(&b, type, r->session->owned.epoch);
	const char *bytes = "";
	size_t n = 0;

	if (text != NULL)
		bytes = shared_buffer_bytes(text, &n);
	jw_text(&j, "channel", r->session->id);
	jw_text(&j, "conn", conn);
	jw_int(&j, "why", why);
	relay_publish(gateway_of(r), relay_node_subject(subject, node), &j, bytes, n);
}

static void
send_to_speaker(void *to, struct shared_buffer *p, int64_t group)
{
	const struct relay_speaker *k = to;

	(void)group;
	if (!k->ended)
		answer(k->relay, k->node, "tell", k->id, 0, p);
}

static void
end_speaker(void *to, enum close_why why)
{
	struct relay_speaker *k = to;

	if (!k->ended)
		answer(k->relay, k->node, "end", k->id, why, NULL);
	k->ended = true;
}

static const struct transport by_relay = { .send = send_to_speaker,
	.end = end_speaker };
static const struct transport tracks_by_relay = {
	.send = send_to_speaker, .end = end_speaker, .tracks = true
};

static void
add_speaker(struct relay *r, const struct json *head, const char *id, const char *node)
{
	struct connection_request *v = THREAD_CALL(struct connection_request);
	struct arena *mem = v->call.message.mem;
	struct relay_speaker *k = arena_alloc(mem, sizeof(*k));
	bool tracks = json_get_bool(head, "tracks");

	v->kind = SOCKET_S2S;
	v->account = arena_str(mem, r->session->account);
	v->stream = v->credential = arena_str(mem, r->session->id);
	v->network = "";
	v->writes = v->relayed = true;
	v->listens = json_get_bool(head, "listens");
	v->audio = json_get_bool(head, "audio");
	v->opus = json_get_bool(head, "opus");
	v->speaker_version = json_get_int(head, "speaker_version", 0);
	v->lease = r->session->owned;
	*k = (struct relay_speaker){ .next = r->speakers,
		.relay = r,
		.id = arena_str(mem, id),
		.node = arena_str(mem, node) };
	r->speakers = k;
	gateway_of(r)->connections++;
	k->connection =
	    session_join(gateway_of(r), v, tracks ? &tracks_by_relay : &by_relay, k);
}

/* Remove the speakers that have ended, or are at a node. */
static void
remove_speakers(struct relay *r, const char *node)
{
	struct relay_speaker *k;

	for (struct relay_speaker **at = &r->speakers; (k = *at) != NULL;) {
		if (!k->ended && (node == NULL || strcmp(k->node, node) != 0)) {
			at = &k->next;
			continue;
		}
		*at = k->next;
		k->ended = true;
		session_leave(k->connection); /* frees it */
	}
}

/* ---- guests ---- */

/* Count the wishes of guests as those of connections. */
static void
count_wants(struct relay *r)
{
	struct session *s = r->session;
	int now[FANOUT_WANTS] = { 0 };

	for (const struct relay_node *n = r->nodes; n != NULL; n = n->next)
		for (const struct json *w = n->wants->kids; w != NULL; w = w->next) {
			if (w->type != JSON_TEXT)
				continue;
			now[FANOUT_OPUS] += strncmp(w->u.s, "opus.", 5) == 0;
			now[FANOUT_ORIGINAL] += strstr(w->u.s, ".original") != NULL;
			now[FANOUT_PARTIALS] += strcmp(w->u.s, "partials") == 0;
		}
	for (int i = 0; i < FANOUT_WANTS; i++) {
		s->wanted[i] += now[i] - r->wanted[i];
		r->wanted[i] = now[i];
	}
	fanout_demand(s);
}

static struct relay_node **
find_node(struct relay *r, const char *node)
{
	struct relay_node **at = &r->nodes;

	while (*at != NULL && strcmp((*at)->node, node) != 0)
		at = &(*at)->next;
	return at;
}

static void
remove_node(struct relay *r, struct relay_node **at)
{
	struct relay_node *n = *at;

	*at = n->next;
	remove_speakers(r, n->node);
	arena_free(n->mem);
}

/* The session stays while it has guests. */
static void
hold(struct relay *r, int64_t now)
{
	bool needed =
	    !gateway_of(r)->stopping && (r->nodes != NULL || now < r->kept_us);

	if (needed == r->held)
		return;
	r->held = needed;
	if (needed)
		r->session->refs++;
	else
		session_unref(r->session);
}

static void
send_kept(void *arg, const struct pipeline_event *e)
{
	struct relay *r = arg;

	send_text(r, session_task(r->session), e, true);
}

/* Replaces what the node wanted before. */
static void
add_node(struct relay *r, const char *node, const struct json *wants, bool waits)
{
	struct relay_node **at = find_node(r, node), *n;
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	const char *why;

	if (*at != NULL) {
		n = *at;
		*at = n->next;
		arena_free(n->mem);
	}
	n = arena_alloc(mem, sizeof(*n));
	jw_json(&(struct json_writer){ .out = &b }, NULL, wants);
	*n = (struct relay_node){ .next = r->nodes,
		.mem = mem,
		.node = arena_str(mem, node),
		.wants = json_read(mem, b.p, b.len, &why),
		.waits = waits,
		.until_us = monotonic_us() + RELAY_LOST_US };
	r->nodes = n;
}

static void
greet(struct relay *r, const struct relay_message *m, const char *node)
{
	const struct json *wants = json_get_list(m->head, "wants");
	struct json_writer end;
	struct buf b;

	if (wants == NULL)
		return;
	add_node(r, node, wants, json_get_bool(m->head, "waits"));
	hold(r, monotonic_us());
	count_wants(r);
	relay_owner_tell(r, false);
	if (json_get_bool(m->head, "behind")) {
		text_backlog_each(r->session, send_kept, r);
		end = relay_begin(&b, "kept", r->session->owned.epoch);
		publish(r, "out", &end, "", 0);
	}
}

/* ---- guests of the next owner ---- */

/* All that the listeners here may want. */
static void
write_own_wants(struct json_writer *j, const struct session *s)
{
	const struct task *t = session_task(s);
	char want[RELAY_SUBJECT];

	jw_list(j, s->gateway->conf->node);
	for (size_t i = 0; t != NULL && i <= t->n_targets; i++)
		for (int opus = 0; opus < 2; opus++) {
			snprintf(want, sizeof(want), "%s.%s", opus ? "opus" : "pcm",
			    i < t->n_targets ? t->targets[i].language.code
					     : "original");
			jw_text(j, NULL, want);
		}
	jw_close(j);
}

const char *
relay_owner_guests(const struct relay *r, struct arena *mem)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	for (const struct relay_node *n = r->nodes; n != NULL; n = n->next)
		jw_json(&j, n->node, n->wants);
	write_own_wants(&j, r->session);
	jw_close(&j);
	return buf_text(&b);
}

/* Send output to the last owner's guests, before their hellos come. */
static void
expect(struct relay *r, const char *guests)
{
	struct arena *mem = arena_new();
	const char *why;
	const struct json *j =
	    guests != NULL ? json_read(mem, guests, strlen(guests), &why) : NULL;

	for (j = j != NULL ? j->kids : NULL; j != NULL; j = j->next)
		if (j->type == JSON_LIST && j->key != NULL &&
		    strcmp(j->key, gateway_of(r)->conf->node) != 0)
			add_node(r, j->key, j, false);
	arena_free(mem);
}

/* ---- messages of guests ---- */

static void
take_input(struct relay *r, const struct relay_message *m, const char *node)
{
	const char *id = json_get_text(m->head, "conn");
	struct relay_speaker *k = id != NULL ? find_speaker(r, id) : NULL;

	if (id == NULL)
		return;
	if (strcmp(m->type, "open") == 0 && k == NULL)
		add_speaker(r, m->head, id, node);
	else if (k == NULL)
		answer(r, node, "again", id, 0, NULL);
	else if (strcmp(m->type, "left") == 0)
		k->ended = true;
	else if (strcmp(m->type, "packet") == 0)
		s2s_packet(r->session, m->bytes, m->n);
	else if (strcmp(m->type, "say") == 0)
		r->session->ops->message(k->connection, m->bytes, m->n, false);
	if (k != NULL)
		note_input(r, k, json_get_int(m->head, "number", 0));
}

static void
receive(struct gateway *g, struct thread_call *e)
{
	const struct cluster_message *c = (const struct cluster_message *)e;
	struct relay *r = c->arg;
	struct relay_message m;
	const char *node;

	(void)g;
	if (r->session != NULL && r->session->guest == NULL && !r->session->closed &&
	    relay_read(c, &m) && (node = json_get_text(m.head, "node")) != NULL) {
		if (strcmp(m.type, "hello") == 0)
			greet(r, &m, node);
		else if (m.epoch == r->session->owned.epoch)
			take_input(r, &m, node);
	}
	arena_free(e->message.mem);
}

/* ---- life ---- */

void
relay_owner_open(struct relay *r)
{
	char subject[RELAY_SUBJECT];

	r->in = cluster_subscribe(gateway_of(r)->cluster,
	    relay_subject(subject, r->session->id, "in"), receive, r);
	r->kept_us = monotonic_us() + RELAY_LOST_US;
	expect(r, r->session->owned.guests);
	r->session->owned.guests = NULL;
	hold(r, monotonic_us());
	count_wants(r);
	relay_owner_tell(r, false);
}

static bool
has_speaker(const struct relay *r, const char *node)
{
	for (const struct relay_speaker *k = r->speakers; k != NULL; k = k->next)
		if (!k->ended && strcmp(k->node, node) == 0)
			return true;
	return false;
}

/* A hello that says so comes after all sound that was sent before it. */
bool
relay_owner_may_leave(struct relay *r, int64_t now)
{
	bool all = true;

	if (r->leaving_us == 0) {
		r->leaving_us = now;
		for (struct relay_node *n = r->nodes; n != NULL; n = n->next)
			n->waits = false;
		relay_owner_tell(r, true);
	}
	for (const struct relay_node *n = r->nodes; n != NULL; n = n->next)
		all &= n->waits || !has_speaker(r, n->node);
	return all || now > r->leaving_us + RELAY_LEAVE_US;
}

void
relay_owner_close(struct relay *r)
{
	relay_owner_tell(r, true);
	r->leaving_us = 0;
	cluster_unsubscribe(r->in);
	r->in = NULL;
	while (r->nodes != NULL)
		remove_node(r, &r->nodes);
	for (struct relay_speaker *k = r->speakers; k != NULL; k = k->next)
		k->ended = true;
	remove_speakers(r, NULL);
	count_wants(r);
	r->kept_us = 0;
	hold(r, monotonic_us());
}

void
relay_owner_tick(struct relay *r, int64_t now)
{
	bool fewer = false;

	remove_speakers(r, NULL);
	for (struct relay_node **at = &r->nodes; *at != NULL;)
		if (now > (*at)->until_us) {
			remove_node(r, at);
			fewer = true;
		} else
			at = &(*at)->next;
	if (fewer)
		count_wants(r);
	hold(r, now);
	if (r->nodes != NULL &&
	    (now > r->told_us + RELAY_STATE_US || task_number(r) != r->told_task))
		relay_owner_tell(r, false);
}
