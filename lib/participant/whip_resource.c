/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WHIP and WHEP on the database thread: offers, answers and resources. */
#include <string.h>

#include "base/hash.h"
#include "base/id.h"
#include "participant/ice_servers.h"
#include "participant/whip_internal.h"

/* ---- resources ---- */

void
whip_resource_add(struct gateway *g, const struct connection_request *v)
{
	struct arena *mem = arena_new();
	struct whip_resource *r = arena_alloc(mem, sizeof(*r));

	*r = (struct whip_resource){ .next = g->whip_resources,
		.mem = mem,
		.id = arena_str(mem, v->whip->id),
		.channel = arena_str(mem, v->stream),
		.speaks = v->writes,
		.version = 1,
		.local = v->whip->local,
		.used = v->whip->used };
	memcpy(r->remote_ufrag, v->whip->sdp.ufrag, sizeof(r->remote_ufrag));
	g->whip_resources = r;
}

static struct whip_resource **
find(struct gateway *g, const char *id)
{
	struct whip_resource **at = &g->whip_resources;

	while (*at != NULL && strcmp((*at)->id, id) != 0)
		at = &(*at)->next;
	return at;
}

struct whip_resource *
whip_resource_find(struct gateway *g, bool speaks, const char *channel, const char *id)
{
	struct whip_resource *r = *find(g, id);

	return r != NULL && r->speaks == speaks && strcmp(r->channel, channel) == 0
		   ? r
		   : NULL;
}

static void
drop(struct whip_resource **at)
{
	struct whip_resource *r = *at;

	*at = r->next;
	arena_free(r->mem);
}

static void
forget(struct gateway *g, struct thread_call *call)
{
	struct whip_resource **at = find(g, ((const struct whip_call *)call)->id);

	if (*at != NULL)
		drop(at);
	arena_free(call->message.mem);
}

/* ---- offers ---- */

static struct whip_offer *
new_offer(struct gateway *g, struct arena *mem)
{
	struct whip_offer *o = arena_alloc(mem, sizeof(*o));

	o->id = id_new(mem);
	o->gone = forget;
	o->local.version = 1;
	random_bytes(&o->local.id, sizeof(o->local.id));
	o->local.id >>= 1;
	while (o->ssrc == 0)
		random_bytes(&o->ssrc, sizeof(o->ssrc));
	ice_credentials_new(&o->local.ice);
	o->local.fingerprint = webrtc_fingerprint(g->webrtc_thread);
	o->local.candidates =
	    webrtc_candidates(g->webrtc_thread, mem, &o->local.n_candidates);
	return o;
}

enum whip_verdict
whip_read(struct gateway *g, struct connection_request *v, const char *sdp, size_t n,
    struct buf *answer)
{
	struct whip_offer *o = new_offer(g, v->call.message.mem);
	const struct sdp_track sound = { true, o->ssrc, o->id, WHIP_TRACK };

	v->whip = o;
	if (!sdp_read(sdp, n, &o->sdp))
		return WHIP_MALFORMED;
	sdp_write_answer(
	    answer, &o->local, &o->sdp, v->writes ? NULL : &sound, &o->used);
	return o->used.opus >= 0 ? WHIP_ACCEPTED : WHIP_NO_SOUND;
}

const char *
whip_link(const struct conf *c, struct arena *mem, const char *id, size_t i)
{
	const struct signal_ice_server *one;
	size_t n;

	one = ice_servers(c, mem, id, &n) + i;
	if (i >= n)
		return NULL;
	return arena_printf(mem, "<%s>; rel=\"ice-server\"%s", one->url,
	    one->credential == NULL ? ""
				    : arena_printf(mem,
					  "; username=\"%s\"; credential=\"%s\"; "
					  "credential-type=\"password\"",
					  one->username, one->credential));
}

/* ---- changes ---- */

/* Send a call to the event loop. */
static struct whip_call *
new_call(
    const struct whip_resource *r, void (*run)(struct gateway *, struct thread_call *))
{
	struct whip_call *call = THREAD_CALL(struct whip_call);

	call->call.run = run;
	call->id = arena_str(call->call.message.mem, r->id);
	return call;
}

void
whip_resource_end(struct gateway *g, struct whip_resource *r)
{
	mailbox_send(g->to_event_loop, &new_call(r, whip_end)->call.message);
	drop(find(g, r->id));
}

bool
whip_resource_patch(struct gateway *g, struct whip_resource *r, const char *fragment,
    size_t n, struct buf *answer)
{
	struct sdp *got = arena_alloc(answer->mem, sizeof(*got));
	struct whip_call *call;

	if (!sdp_read_fragment(fragment, n, got))
		return false;
	if (strcmp(got->ufrag, r->remote_ufrag) == 0)
		return true;
	memcpy(r->remote_ufrag, got->ufrag, sizeof(r->remote_ufrag));
	ice_credentials_new(&r->local.ice);
	r->local.candidates =
	    webrtc_candidates(g->webrtc_thread, answer->mem, &r->local.n_candidates);
	r->version++;
	call = new_call(r, whip_restart);
	call->ice = r->local.ice;
	mailbox_send(g->to_event_loop, &call->call.message);
	sdp_write_fragment(answer, &r->local, &r->used);
	return true;
}
