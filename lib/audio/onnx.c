/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/onnx.h"

#include <assert.h>
#include <dlfcn.h>

#include "base/log.h"

#define API_VERSION 1
#define TENSORS 8

/* Positions in the API's table of functions. */
enum {
	GET_ERROR_MESSAGE = 2,
	CREATE_ENV = 3,
	CREATE_SESSION = 7,
	RUN = 9,
	CREATE_SESSION_OPTIONS = 10,
	DISABLE_CPU_MEM_ARENA = 19,
	SET_INTRA_OP_THREADS = 24,
	SET_INTER_OP_THREADS = 25,
	CREATE_TENSOR_WITH_DATA = 49,
	CREATE_CPU_MEMORY_INFO = 69,
	RELEASE_STATUS = 93,
	RELEASE_VALUE = 96,
	RELEASE_SESSION_OPTIONS = 100,
};
enum { LOG_ERRORS = 3, ARENA_ALLOCATOR = 1, MEMORY_DEFAULT = 0 };

typedef void (*function)(void);

struct api_base {
	const function *(*get_api)(uint32_t version);
	const char *(*version)(void);
};

/* Result of API functions: NULL is success. */
struct status;

struct onnx {
	struct arena *mem; /* arena of this struct */
	const function *api;
	void *session, *memory;
};

struct onnx_run {
	struct onnx *net;
	const char *names[TENSORS];
	void *values[TENSORS];
	size_t n_in, n_out;
};

/* Get the function at a position of the table, with the type that its use needs. */
#define CALL(net, place, ...) ((struct status * (*)(__VA_ARGS__))(net)->api[place])

/* Returns true for success; logs a failure. */
static bool
is_ok(const struct onnx *net, struct status *status, const char *what)
{
	if (status == NULL)
		return true;
	log_warn("onnx: %s: %s", what,
	    ((const char *(*)(const struct status *))net->api[GET_ERROR_MESSAGE])(
		status));
	((void (*)(struct status *))net->api[RELEASE_STATUS])(status);
	return false;
}

static const function *
load_api(const char *library)
{
	void *so = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	const struct api_base *(*base)(void) = NULL;
	const function *api;

	if (so != NULL)
		*(void **)&base = dlsym(so, "OrtGetApiBase");
	if (base == NULL) {
		log_warn("onnx: %s", dlerror());
		return NULL;
	}
	api = base()->get_api(API_VERSION);
	if (api == NULL)
		log_warn("onnx: %s has no API of version 1", library);
	return api;
}

static bool
set_options(const struct onnx *net, void *options)
{
	return is_ok(net, CALL(net, SET_INTRA_OP_THREADS, void *, int)(options, 1),
		   "threads") &&
	       is_ok(net, CALL(net, SET_INTER_OP_THREADS, void *, int)(options, 1),
		   "threads") &&
	       is_ok(net, CALL(net, DISABLE_CPU_MEM_ARENA, void *)(options), "memory");
}

static bool
open_model(struct onnx *net, const char *model)
{
	void *env = NULL, *options = NULL;
	bool good;

	if (!is_ok(net,
		CALL(net, CREATE_ENV, int, const char *, void **)(
		    LOG_ERRORS, "dragoman", &env),
		"environment") ||
	    !is_ok(net,
		CALL(net, CREATE_CPU_MEMORY_INFO, int, int, void **)(
		    ARENA_ALLOCATOR, MEMORY_DEFAULT, &net->memory),
		"memory") ||
	    !is_ok(
		net, CALL(net, CREATE_SESSION_OPTIONS, void **)(&options), "options"))
		return false;
	good = set_options(net, options) &&
	       is_ok(net,
		   CALL(net, CREATE_SESSION, void *, const char *, void *, void **)(
		       env, model, options, &net->session),
		   model);
	((void (*)(void *))net->api[RELEASE_SESSION_OPTIONS])(options);
	return good;
}

enum err
onnx_load(const char *library, const char *model, struct onnx **to)
{
	struct arena *mem = arena_new();
	struct onnx *net = arena_alloc(mem, sizeof(*net));

	*net = (struct onnx){ .mem = mem, .api = load_api(library) };
	if (net->api == NULL || !open_model(net, model)) {
		arena_free(mem);
		return ERR_UNSUPPORTED;
	}
	*to = net;
	return OK;
}

static void
release(void *arg)
{
	struct onnx_run *run = arg;

	for (size_t i = 0; i < TENSORS; i++)
		if (run->values[i] != NULL)
			((void (*)(void *))run->net->api[RELEASE_VALUE])(
			    run->values[i]);
}

static size_t
bytes_of(const struct onnx_tensor *t)
{
	size_t n = t->type == ONNX_FLOAT ? sizeof(float) : sizeof(int64_t);

	for (size_t i = 0; i < t->dimensions; i++)
		n *= (size_t)t->shape[i];
	return n;
}

enum err
onnx_run_new(struct onnx *net, struct arena *mem, const struct onnx_tensor *tensors,
    size_t n_in, size_t n_out, struct onnx_run **to)
{
	struct onnx_run *run = arena_alloc(mem, sizeof(*run));

	assert(n_in + n_out <= TENSORS);
	*run = (struct onnx_run){ .net = net, .n_in = n_in, .n_out = n_out };
	arena_defer(mem, release, run);
	for (size_t i = 0; i < n_in + n_out; i++) {
		const struct onnx_tensor *t = &tensors[i];

		run->names[i] = t->name;
		if (!is_ok(net,
			CALL(net, CREATE_TENSOR_WITH_DATA, const void *, void *, size_t,
			    const int64_t *, size_t, int, void **)(net->memory, t->at,
			    bytes_of(t), t->shape, t->dimensions, (int)t->type,
			    &run->values[i]),
			t->name))
			return ERR_UNSUPPORTED;
	}
	*to = run;
	return OK;
}

enum err
onnx_run(struct onnx_run *run)
{
	struct onnx *net = run->net;
	struct status *status = CALL(net, RUN, void *, const void *,
	    const char *const *, void *const *, size_t, const char *const *, size_t,
	    void **)(net->session, NULL, run->names, run->values, run->n_in,
	    run->names + run->n_in, run->n_out, run->values + run->n_in);

	return is_ok(net, status, "run") ? OK : ERR_FAILED;
}
