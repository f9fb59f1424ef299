/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_ONNX_H
#define AUDIO_ONNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * Neural networks by ONNX Runtime, whose library is loaded while the program runs, so
 * that nothing has to be installed where it is not used.  We call the functions of its
 * C API, version 1 (onnxruntime.ai/docs/api/c), by their position in the API's table.
 * Later versions do not change these positions.
 *
 * A network runs on the caller's thread: it starts none, sets no signal handler, and
 * keeps only its tensors between two runs.  The library is never unloaded.  It
 * runs in this process, so library and model must be as trustworthy as this program:
 * both are named by the operator alone.
 */
struct onnx;     /* a network; any number of runs at a time */
struct onnx_run; /* tensors of one run; used by one thread at a time */

/* A tensor in memory that the caller owns. Each run reads or writes it. */
struct onnx_tensor {
	const char *name;
	enum { ONNX_FLOAT = 1, ONNX_INT64 = 7 } type;
	void *at;
	const int64_t *shape;
	size_t dimensions;
};

/*
 * ERR_UNSUPPORTED: library or model cannot be loaded, which is logged.  Both stay
 * loaded until the process ends.
 */
enum err onnx_load(const char *library, const char *model, struct onnx **) MUST_CHECK;
/*
 * The last n_out tensors are written.  They and their memory must outlive the arena's
 * end, which frees the run.  ERR_UNSUPPORTED as above.
 */
enum err onnx_run_new(struct onnx *, struct arena *, const struct onnx_tensor *,
    size_t n_in, size_t n_out, struct onnx_run **) MUST_CHECK;
/* ERR_FAILED: the tensors are not those of the network, which is logged. */
enum err onnx_run(struct onnx_run *) MUST_CHECK;

#endif
