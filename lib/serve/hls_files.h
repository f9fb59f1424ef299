/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_HLS_FILES_H
#define SERVE_HLS_FILES_H

#include "web/web.h"

/* Files of HLS, which outputs of the gateway write below hls.dir. */
extern const struct program hls_files_program;

/* True if the gateway must answer: it holds requests for what is not written yet. */
bool hls_files_must_wait(const char *target);

#endif
