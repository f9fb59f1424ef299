#include "gateway/onair.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "gateway/room.h"
#include "store/joins.h"
#include "stream/say.h"

#define LOOK_US (3 * S_US)    /* between two looks at the row */
#define SILENT_US (10 * S_US) /* then it is not metered any more */
#define OVER_US (60 * S_US)   /* then it is over */
#define AGAIN_US (10 * S_US)  /* after a task that could not begin */
#define TRIES 3               /* at a row that somebody else writes, too */
#define INPUT                                                                          \
	"{\"input_stream\":{\"source\":{\"type\":\"ws\",\"format\":\"pcm_s16le\","     \
	"\"sample_rate\":24000,\"channels\":1}}}"
#define ROOM_INPUT "{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}}}"

struct onair {
	const char *event;                 /* or NULL */
	struct arena *row_mem, *input_mem; /* of what is replaced as a whole: */
	const char *pipeline, *input;      /* JSON; the tree of the last set_task */
	int64_t begun_us, heard_us, failed_us, looked_us;
	bool anew;           /* nobody said how what comes now is to be read */
	const char *runtime; /* as its row should say, a literal; NULL: as it does */
	const char *why;     /* likewise, or NULL; */
	bool told;           /* the row's error is ours */
	size_t left_out; /* languages that no engine serves, of the last task read */
	bool live;       /* as listeners were told last */
};

/* ---- its pipeline ---- */

/* The settings of a language that the channel's own pipeline has for it. */
static const struct json *
own_settings(const struct json *translations, const char *language)
{
	const struct json *t = translations != NULL && translations->type == JSON_LIST
				   ? translations->kids
				   : NULL;

	for (; t != NULL; t = t->next) {
		const char *said =
		    t->type == JSON_OBJ ? json_get_text(t, "target_language") : NULL;

		if (said != NULL && strcmp(said, language) == 0)
			return t;
	}
	return NULL;
}

/* The members of an object but for one. */
static void
write_but(struct jw *j, const struct json *v, const char *key)
{
	const struct json *kid = v != NULL && v->type == JSON_OBJ ? v->kids : NULL;

	for (; kid != NULL; kid = kid->next)
		if (strcmp(kid->key, key) != 0)
			jw_json(j, kid->key, kid);
}

static void
write_targets(struct jw *j, const struct list *languages, const struct json *own)
{
	jw_list(j, "translations");
	for (size_t i = 0; i < languages->n; i++) {
		const char *code = ((const char *const *)languages->items)[i];

		jw_open(j, NULL);
		write_but(j, own_settings(own, code), "target_language");
		jw_text(j, "target_language", code);
		jw_close(j);
	}
	jw_close(j);
}

const char *
onair_pipeline(struct arena *mem, const struct channel *c)
{
	struct buf b = { .mem = mem };
	struct jw j = { .out = &b };
	struct list languages = texts_read(mem, c->target_languages);
	const struct json *own = NULL, *kid;
	const char *why;

	if (c->pipeline != NULL)
		own = json_read(mem, c->pipeline, strlen(c->pipeline), &why);
	jw_open(&j, NULL);
	for (kid = own != NULL ? own->kids : NULL; kid != NULL; kid = kid->next)
		if (strcmp(kid->key, "transcription") != 0 &&
		    strcmp(kid->key, "translations") != 0)
			jw_json(&j, kid->key, kid);
	jw_open(&j, "transcription");
	write_but(
	    &j, own != NULL ? json_get(own, "transcription") : NULL, "source_language");
	jw_text(&j, "source_language", c->source_language);
	jw_close(&j);
	write_targets(
	    &j, &languages, own != NULL ? json_get(own, "translations") : NULL);
	jw_close(&j);
	return buf_text(&b);
}

/* ---- its row ---- */

static enum err
put_runtime(
    struct db *db, struct arena *mem, const struct channel *was, struct channel *c)
{
	enum err e;

	if ((e = db_begin(db)) != OK || (e = channel_put(db, mem, was, c)) != OK)
		db_rollback(db);
	return e == OK ? db_commit(db) : e;
}

enum err
onair_reset(struct db *db, struct arena *mem, const char *node, bool begins)
{
	struct list all;
	enum err e = channels_active(db, mem, node, begins, &all);

	for (size_t i = 0; e == OK && i < all.n; i++) {
		struct channel was = ((const struct channel *)all.items)[i], c = was;

		c.runtime = c.runtime_too = "stopped";
		e = put_runtime(db, mem, &was, &c);
		e = e == ERR_STALE ? OK : e; /* whoever changed it is at work */
	}
	return e;
}

struct look {
	struct errand errand;
	struct room *room;
	const char *id;
	const char *event;         /* or NULL */
	int64_t code_version;      /* of its access code */
	const char *runtime, *why; /* NULL: it stays as it is; it has none */
	bool told;                 /* why is to be there */
	bool gone;
	bool over;            /* its event is finished */
	bool moved;           /* another node serves it now */
	const char *pipeline; /* NULL: it could not be read */
};

void
onair_follow(struct room *r, const char *pipeline)
{
	struct onair *air = r->air;

	if (strcmp(air->pipeline, pipeline) == 0)
		return;
	arena_free(air->row_mem);
	air->row_mem = arena_new();
	air->pipeline = arena_str(air->row_mem, pipeline);
	air->why = NULL;
	air->failed_us = -AGAIN_US;
	if (r->state == STATE_STARTING || r->state == STATE_RUNNING)
		talk_restart(r);
}

/* Listeners whose tokens were given for another access code leave. */
static void
end_outdated(struct room *r, int64_t code_version)
{
	for (struct client *c = r->clients; c != NULL; c = c->next) {
		if (c->visitor->listener == NULL ||
		    c->visitor->code_version == code_version)
			continue;
		client_error(
		    c, "SESSION_CLOSED", "The event has another access code", NULL);
		client_end(c, 1008, "SESSION_CLOSED");
	}
}

/* On the sockets' thread. */
static void
looked(struct gate *g, struct errand *e)
{
	struct look *l = (struct look *)e;
	struct room *r = l->room;

	(void)g;
	if (l->gone && !r->closed) {
		life_dismiss(r);
		book_end(r, "SESSION_CLOSED", "The channel is not there any more");
	} else if (l->moved && !r->closed) {
		book_move(r);
	} else if (l->pipeline != NULL) {
		end_outdated(r, l->code_version);
		onair_follow(r, l->pipeline);
	}
	if (l->over && !r->air->live && !life_finishing(r))
		life_dismiss(r);
	arena_free(e->letter.mem);
	room_paid(r);
}

static bool
is_same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static enum err
tell_row(struct db *db, struct look *l, struct channel *c)
{
	struct channel was = *c;

	if (l->runtime != NULL)
		c->runtime = c->runtime_too = l->runtime;
	if (l->told)
		c->error = l->why;
	if (is_same(c->runtime, was.runtime) && is_same(c->error, was.error))
		return OK;
	return put_runtime(db, l->errand.letter.mem, &was, c);
}

/* On the desk. */
static void
look(struct gate *g, struct errand *e)
{
	struct look *l = (struct look *)e;
	struct arena *mem = e->letter.mem;
	struct channel c;
	enum err how = ERR_STALE;

	for (int i = 0; i < TRIES && how == ERR_STALE; i++) {
		how = channel_on_air(g->app.db, mem, l->id, &c);
		l->moved =
		    how == OK && c.node != NULL && strcmp(c.node, g->conf->node) != 0;
		if (how == OK && !l->moved)
			how = tell_row(g->app.db, l, &c);
	}
	l->gone = how == ERR_NOT_FOUND;
	if (how == OK && c.event != NULL)
		how = join_event_finished(g->app.db, c.event, now_us(), &l->over);
	if (how == OK && l->event != NULL)
		how = join_code(g->app.db, l->event, &l->code_version);
	if (how == OK)
		l->pipeline = onair_pipeline(mem, &c);
	else if (!l->gone)
		log_error("channel %s: %s", l->id, err_name(how));
	e->run = looked;
	mailbox_send(g->to_sockets, &e->letter);
}

static void
send_look(struct room *r)
{
	struct onair *air = r->air;
	struct look *l = ERRAND(struct look);

	l->errand.run = look;
	l->room = r;
	l->id = arena_str(l->errand.letter.mem, r->id);
	l->event = arena_str(l->errand.letter.mem, air->event);
	l->runtime = air->runtime;
	l->why = arena_str(l->errand.letter.mem, air->why);
	l->told = air->told;
	air->told &= air->why != NULL; /* it is taken back once */
	air->looked_us = monotonic_us();
	r->owed++;
	mailbox_send(r->gate->to_desk, &l->errand.letter);
}

static void
set_runtime(struct room *r, const char *runtime)
{
	if (r->air->runtime != NULL && strcmp(r->air->runtime, runtime) == 0)
		return;
	r->air->runtime = runtime;
	send_look(r);
}

/* ---- its task ---- */

struct onair *
onair_open(struct room *r, const struct visitor *v)
{
	struct onair *air;

	if (v->pipeline == NULL)
		return NULL;
	air = arena_alloc(r->mem, sizeof(*air));
	*air = (struct onair){ .event = arena_str(r->mem, v->event),
		.row_mem = arena_new(),
		.input_mem = arena_new(),
		.input = INPUT,
		.failed_us = -AGAIN_US,
		.looked_us = monotonic_us() };
	air->pipeline = arena_str(air->row_mem, v->pipeline);
	return air;
}

void
onair_close(struct room *r)
{
	if (r->air == NULL)
		return;
	arena_free(r->air->row_mem);
	arena_free(r->air->input_mem);
}

const char *
onair_event(const struct onair *air)
{
	return air->event;
}

/* The channel's error is this from now on; NULL: it has none. */
static void
set_why(struct onair *air, const char *why)
{
	if (!is_same(air->why, why))
		air->why = arena_str(air->row_mem, why);
	air->told |= why != NULL;
}

size_t
onair_left_out(const struct onair *air)
{
	return air->left_out;
}

bool
onair_read(struct room *r, struct arena *mem, const struct json *tree,
    const struct task_engines *engines, struct task *t, struct flaws *f)
{
	struct onair *air = r->air;
	const char *input = r->stand != NULL ? ROOM_INPUT : air->input, *why;
	const struct json *pipeline =
	    json_read(mem, air->pipeline, strlen(air->pipeline), &why);

	if (tree == NULL || r->stand != NULL)
		tree = json_read(mem, input, strlen(input), &why);
	if (!task_read_channel(mem, tree, pipeline, engines, t, f))
		return false;
	air->left_out = t->left_out.n;
	set_why(air, task_left_out(mem, t));
	return true;
}

void
onair_keep(struct room *r, const struct json *tree)
{
	struct onair *air = r->air;
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	jw_json(&(struct jw){ .out = &b }, NULL, tree);
	arena_free(air->input_mem);
	air->input_mem = mem;
	air->input = buf_text(&b);
	air->begun_us = monotonic_us();
	air->anew = false;
}

void
onair_replaced(struct room *r)
{
	r->air->anew = true;
}

/* How who spoke before had it read says nothing of what comes now. */
static void
begin_anew(struct room *r)
{
	struct onair *air = r->air;

	air->anew = false;
	if (strcmp(air->input, INPUT) == 0)
		return;
	air->input = INPUT;
	if (r->state == STATE_STARTING || r->state == STATE_RUNNING)
		talk_restart(r);
}

/* ---- live, or a break ---- */

static void
tell_state(struct client *c)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (say_channel_state(&b, c->room->air->live))
		client_tell(c, &b);
	arena_free(mem);
}

void
onair_entered(struct client *c)
{
	onair_joined(c);
	tell_state(c);
}

static bool
is_live(const struct room *r, int64_t now)
{
	const struct onair *air = r->air;

	return (r->state == STATE_STARTING || r->state == STATE_RUNNING) &&
	       (r->writer != NULL || r->stand != NULL) && air->heard_us != 0 &&
	       now <= air->heard_us + SILENT_US;
}

/* Listeners stay in a break, and have to know that it is one. */
static void
watch_state(struct room *r, int64_t now)
{
	bool live = is_live(r, now);

	if (live == r->air->live)
		return;
	r->air->live = live;
	for (struct client *c = r->clients; c != NULL; c = c->next)
		if (!c->visitor->writes)
			tell_state(c);
}

/* ---- when it is on ---- */

void
onair_runs(struct room *r, int64_t now)
{
	if (r->state != STATE_RUNNING || now > r->air->heard_us + SILENT_US)
		return;
	book_meter(r, true, now);
	set_runtime(r, "active");
}

void
onair_heard(struct room *r, int64_t now)
{
	struct onair *air = r->air;

	air->heard_us = now;
	if (air->anew)
		begin_anew(r);
	if (r->state == STATE_NONE && now > air->failed_us + AGAIN_US) {
		air->begun_us = now;
		talk_restart(r);
	}
	onair_runs(r, now);
	watch_state(r, now);
}

void
onair_stopped(struct room *r, const char *why)
{
	struct onair *air = r->air;

	if (why != NULL) {
		air->failed_us = monotonic_us();
		set_why(air, why);
	}
	if (r->state == STATE_RUNNING || r->state == STATE_STARTING)
		send_look(r);
	else if (why != NULL || air->runtime != NULL)
		set_runtime(r, why != NULL ? "failed" : "stopped");
}

/* Only its hall is open, which has its row from halls_look(). */
static bool
is_idle(const struct room *r)
{
	return r->stand != NULL && r->clients == NULL && r->state == STATE_NONE;
}

void
onair_turn(struct room *r, int64_t now)
{
	struct onair *air = r->air;
	int64_t last_us = air->heard_us > air->begun_us ? air->heard_us : air->begun_us;
	bool at_work = r->state != STATE_NONE && r->state != STATE_CLOSED;

	if (at_work && now > air->heard_us + SILENT_US)
		book_meter(r, false, now);
	if (at_work && r->state != STATE_ENDING && now > last_us + OVER_US) {
		life_over(r);
		onair_stopped(r, NULL);
	}
	watch_state(r, now);
	if (r->closed || is_idle(r) || now <= air->looked_us + LOOK_US)
		return;
	if (air->left_out > 0 &&
	    (r->state == STATE_STARTING || r->state == STATE_RUNNING))
		talk_reconsider(r);
	send_look(r);
}
