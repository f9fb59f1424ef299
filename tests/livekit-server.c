/*
 * Plays LiveKit's RoomService on 127.0.0.1 for the tests.
 *
 *     livekit-server [PORT [KEY SECRET]]      0, "APItest" and 32 times "s"
 *
 * It prints its port and serves until its standard input closes.  Rooms are kept
 * in memory and nobody ever enters one.  As with a LiveKit of one node they are
 * gone with the process, a room that is there is not changed by CreateRoom, and
 * what ListRooms answers is in no order.  Besides the Twirp paths:
 *
 *     GET /rooms      names, sorted, a line each, without a credential
 *
 * In front of any path ("http://127.0.0.1:PORT/silent" is a livekit.api_url all
 * of whose calls go unanswered), and with "-METHOD" behind it for one alone:
 *
 *     /twirp:CODE     an error of Twirp with that code
 *     /status:NNN     that status, in HTML
 *     /text:401       that status, and the token in plain text
 *     /silent /garbage /cut /empty /list      as the table `faults` says
 *     /lost           it is done, then the connection closes
 *     /late           it is done after 200 ms
 */
#include <time.h>

#include "base/base64.h"
#include "base/hash.h"
#include "base/json.h"
#include "livekit-http.h"

#define LEEWAY_S 60
#define SERVICE "/twirp/livekit.RoomService/"

struct room {
	struct room *next;
	char *name, *metadata, sid[16];
	int64_t created_s, empty_s, departure_s;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct room *rooms; /* the newest first */
static size_t nrooms, last_sid;
static const char *api_key = "APItest",
		  *api_secret = "ssssssssssssssssssssssssssssssss";

/* ---- requests ---- */

static const char *
text(struct request *rq, const char *name)
{
	const char *s = json_get_text(rq->in, name);

	return s != NULL ? s : "";
}

/* Clients may spell it in either way. */
static int64_t
seconds(struct request *rq, const char *name, const char *camel, int64_t otherwise)
{
	const struct json *v = json_get(rq->in, name);

	if (v == NULL)
		v = json_get(rq->in, camel);
	return v != NULL && v->type == JSON_INT && v->u.i > 0 ? v->u.i : otherwise;
}

/* ---- who is let in ---- */

/* A part of a token as JSON. */
static const struct json *
part(struct request *rq, const char *s, size_t n)
{
	const char *why;
	size_t bytes;
	const unsigned char *p = base64_read(rq->mem, s, n, &bytes);

	return p != NULL ? json_read(rq->mem, (const char *)p, bytes, &why) : NULL;
}

static bool
is_signed(struct request *rq, const char *token, const char *mac)
{
	unsigned char sum[SHA256_BYTES];

	hmac(api_secret, strlen(api_secret), token, (size_t)(mac - token) - 1, sum);
	return strcmp(mac, base64url(rq->mem, sum, sizeof(sum))) == 0;
}

/* Why the token is none; NULL: it is good, and rq->may says what for. */
static const char *
judge(struct request *rq, const char *token)
{
	const char *dot = strchr(token, '.'), *mac = strrchr(token, '.');
	const struct json *head, *claims;
	const char *alg, *iss;
	double now = (double)time(NULL);

	if (dot == NULL || mac++ == dot)
		return "invalid authorization token";
	head = part(rq, token, (size_t)(dot - token));
	claims = part(rq, dot + 1, (size_t)(mac - dot) - 2);
	alg = json_get_text(head, "alg");
	iss = json_get_text(claims, "iss");
	if (alg == NULL || strcmp(alg, "HS256") != 0 || iss == NULL)
		return "invalid authorization token";
	if (strcmp(iss, api_key) != 0)
		return "invalid API key";
	if (!is_signed(rq, token, mac))
		return "invalid authorization token: error in cryptographic primitive";
	if (json_get_real(claims, "exp", 0) < now - LEEWAY_S ||
	    json_get_real(claims, "nbf", now) > now + LEEWAY_S)
		return "invalid authorization token: token is expired or not valid yet";
	rq->may = json_get(claims, "video");
	return NULL;
}

static bool
has_grant(struct request *rq, const char *grant, const char *room)
{
	const struct json *v = json_get(rq->may, grant);
	const char *of = json_get_text(rq->may, "room");

	return v != NULL && v->type == JSON_BOOL && v->u.b &&
	       (room == NULL || (of != NULL && strcmp(of, room) == 0));
}

/* ---- the service; a message each, or an error that was answered ---- */

static struct room **
find(const char *name)
{
	struct room **at = &rooms;

	while (*at != NULL && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

static void
write_room(struct json_writer *j, const struct room *s)
{
	char created[24]; /* an int64 is a text in protobuf's JSON */

	snprintf(created, sizeof(created), "%lld", (long long)s->created_s);
	jw_open(j, NULL);
	jw_text(j, "sid", s->sid);
	jw_text(j, "name", s->name);
	jw_int(j, "empty_timeout", s->empty_s);
	jw_int(j, "departure_timeout", s->departure_s);
	jw_int(j, "max_participants", 0);
	jw_text(j, "creation_time", created);
	jw_list(j, "enabled_codecs");
	jw_close(j);
	jw_text(j, "metadata", s->metadata);
	jw_int(j, "num_participants", 0);
	jw_bool(j, "active_recording", false);
	jw_close(j);
}

static bool
reply_room(struct request *rq, const struct room *s)
{
	struct buf b = { .mem = rq->mem };
	struct json_writer j = { .out = &b };

	write_room(&j, s);
	return reply(rq, 200, "application/json", buf_text(&b));
}

static bool
create_room(struct request *rq)
{
	const char *name = text(rq, "name");
	struct room *s = *find(name);

	if (*name == '\0')
		return refuse(rq, "invalid_argument", "no room name");
	if (s == NULL) {
		s = calloc(1, sizeof(*s));
		*s = (struct room){ rooms, strdup(name), strdup(text(rq, "metadata")),
			.created_s = time(NULL),
			.empty_s = seconds(rq, "empty_timeout", "emptyTimeout", 300),
			.departure_s =
			    seconds(rq, "departure_timeout", "departureTimeout", 20) };
		snprintf(s->sid, sizeof(s->sid), "RM_%08zu", ++last_sid % 100000000);
		rooms = s;
		nrooms++;
	}
	return reply_room(rq, s);
}

static bool
delete_room(struct request *rq)
{
	struct room **at = find(text(rq, "room")), *s = *at;

	if (s == NULL)
		return refuse(rq, "not_found", "requested room does not exist");
	*at = s->next;
	free(s->name);
	free(s->metadata);
	free(s);
	nrooms--;
	return reply(rq, 200, "application/json", "{}");
}

static bool
update_metadata(struct request *rq)
{
	struct room *s = *find(text(rq, "room"));

	if (s == NULL)
		return refuse(rq, "not_found", "requested room does not exist");
	free(s->metadata);
	s->metadata = strdup(text(rq, "metadata"));
	return reply_room(rq, s);
}

static bool
list_rooms(struct request *rq)
{
	struct buf b = { .mem = rq->mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_list(&j, "rooms");
	for (const struct room *s = rooms; s != NULL; s = s->next)
		write_room(&j, s);
	jw_close(&j);
	jw_close(&j);
	return reply(rq, 200, "application/json", buf_text(&b));
}

static const struct {
	const char *path, *grant;
	bool of_room; /* the grant is for the room named */
	bool (*run)(struct request *);
} methods[] = {
	/* clang-format off */
	{ SERVICE "CreateRoom",         "roomCreate", false, create_room },
	{ SERVICE "DeleteRoom",         "roomCreate", false, delete_room },
	{ SERVICE "ListRooms",          "roomList",   false, list_rooms },
	{ SERVICE "UpdateRoomMetadata", "roomAdmin",  true,  update_metadata },
	/* clang-format on */
};

static bool
call_method(struct request *rq)
{
	const char *type = header(rq, "Content-Type"), *why;
	size_t i = 0, n = sizeof(methods) / sizeof(methods[0]);

	while (i < n && strcmp(methods[i].path, rq->path) != 0)
		i++;
	if (i == n || strcmp(rq->method, "POST") != 0)
		return refuse(rq, "bad_route", "no handler for path");
	if (type == NULL || strncmp(type, "application/json", 16) != 0)
		return refuse(rq, "bad_route", "unexpected Content-Type");
	rq->in = json_read(rq->mem, rq->body, rq->body_len, &why);
	if (rq->in == NULL || rq->in->type != JSON_OBJ)
		return refuse(rq, "malformed", "the json request could not be decoded");
	if (!has_grant(
		rq, methods[i].grant, methods[i].of_room ? text(rq, "room") : NULL))
		return refuse(rq, "unauthenticated", "permissions denied");
	return methods[i].run(rq);
}

static int
by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static bool
tell_names(struct request *rq)
{
	const char **all = arena_alloc(rq->mem, (nrooms + 1) * sizeof(*all));
	struct buf b = { .mem = rq->mem };
	size_t n = 0;

	for (const struct room *s = rooms; s != NULL; s = s->next)
		all[n++] = s->name;
	qsort(all, n, sizeof(*all), by_name);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s\n", all[i]);
	return reply(rq, 200, "text/plain", buf_text(&b));
}

/* ---- faults ---- */

#define HEAD(n)                                                                        \
	"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " n

static const struct {
	const char *name, *answer;
} faults[] = {
	/* clang-format off */
	{ "garbage", HEAD("7") "\r\n\r\n<html/>" },
	{ "cut", HEAD("90") "\r\n\r\n{\"rooms\":[" },
	{ "empty", HEAD("2") "\r\n\r\n{}" },
	{ "list", HEAD("13") "\r\n\r\n{\"rooms\":[1]}" },
	/* clang-format on */
};

static bool
misbehave(struct request *rq)
{
	const char *is = rq->fault, *token = header(rq, "Authorization");

	if (strncmp(is, "twirp:", 6) == 0)
		return refuse(rq, is + 6, "asked for");
	if (strncmp(is, "status:", 7) == 0)
		return reply(rq, atoi(is + 7), "text/html", "<html>Sorry</html>");
	if (strncmp(is, "text:", 5) == 0)
		return reply(rq, atoi(is + 5), "text/plain", token ? token : "");
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strcmp(faults[i].name, is) == 0) {
			send_all(rq->fd, faults[i].answer, strlen(faults[i].answer));
			return false;
		}
	while (strcmp(is, "silent") == 0)
		sleep(1);
	return reply(rq, 500, "text/plain", "no such fault");
}

/* LiveKit's own layer around Twirp answers plain text. */
static bool
answer_in_turn(struct request *rq)
{
	const char *auth = header(rq, "Authorization"), *why = NULL;

	if (strcmp(rq->path, "/rooms") == 0)
		return tell_names(rq);
	if (auth != NULL && strncmp(auth, "Bearer ", 7) != 0)
		why = "invalid authorization header. Must start with Bearer ";
	else if (auth != NULL)
		why = judge(rq, auth + 7);
	return why != NULL ? reply(rq, 401, "text/plain", why) : call_method(rq);
}

static bool
answer(struct request *rq)
{
	bool late = strcmp(rq->fault, "late") == 0, on;

	rq->mute = strcmp(rq->fault, "lost") == 0;
	if (*rq->fault != '\0' && !rq->mute && !late)
		return misbehave(rq);
	usleep(late ? 200000 : 0);
	pthread_mutex_lock(&lock);
	on = answer_in_turn(rq);
	pthread_mutex_unlock(&lock);
	return on;
}

/* ---- the server ---- */

static void *
serve(void *arg)
{
	struct arena *mem = arena_new();
	struct request rq;

	do {
		arena_reset(mem);
		rq = (struct request){ .mem = mem, .fd = (int)(intptr_t)arg };
	} while (read_request(&rq) && answer(&rq));
	close(rq.fd);
	arena_free(mem);
	return NULL;
}

int
main(int argc, char **argv)
{
	if (argc > 3) {
		api_key = argv[2];
		api_secret = argv[3];
	}
	serve_all(argc > 1 ? atoi(argv[1]) : 0, serve);
}
