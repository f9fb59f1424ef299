#include "gateway/busy.h"

#include <string.h>

struct busy {
	struct busy *next;
	struct arena *mem;
	enum socket_kind kind;
	const char *stream;
	int64_t n;
};

struct leaving {
	struct errand errand;
	enum socket_kind kind;
	const char *stream;
};

static bool
is_listed(const struct visitor *v)
{
	return v->kind == SOCKET_S2S ? !v->writes : !v->own;
}

static struct busy **
find(struct busy **at, enum socket_kind kind, const char *stream)
{
	while (
	    *at != NULL && ((*at)->kind != kind || strcmp((*at)->stream, stream) != 0))
		at = &(*at)->next;
	return at;
}

bool
busy_is(const struct gate *g, const struct visitor *v)
{
	struct busy *first = g->busy;
	const struct busy *b = *find(&first, v->kind, v->stream);
	int64_t most = v->kind == SOCKET_S2S ? g->app.conf.stream_max_listeners : 1;

	return is_listed(v) && b != NULL && b->n >= most;
}

void
busy_add(struct gate *g, const struct visitor *v)
{
	struct arena *mem;
	struct busy *b;

	if (!is_listed(v))
		return;
	if ((b = *find(&g->busy, v->kind, v->stream)) != NULL) {
		b->n++;
		return;
	}
	mem = arena_new();
	b = arena_alloc(mem, sizeof(*b));
	*b = (struct busy){ g->busy, mem, v->kind, arena_str(mem, v->stream), 1 };
	g->busy = b;
}

static void
leave(struct gate *g, struct errand *e)
{
	const struct leaving *l = (const struct leaving *)e;
	struct busy **at = find(&g->busy, l->kind, l->stream), *b = *at;

	if (b != NULL && --b->n == 0) {
		*at = b->next;
		arena_free(b->mem);
	}
	arena_free(e->letter.mem);
}

void
busy_leave(struct gate *g, const struct visitor *v)
{
	struct leaving *l;

	if (!is_listed(v))
		return;
	l = ERRAND(struct leaving);
	l->errand.run = leave;
	l->kind = v->kind;
	l->stream = arena_str(l->errand.letter.mem, v->stream);
	mailbox_send(g->to_desk, &l->errand.letter);
}
