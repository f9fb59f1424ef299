/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_WHISPER_GGML_H
#define MODELS_WHISPER_GGML_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * Convert a Whisper model in the layout of CTranslate2, model.bin and vocabulary.txt in
 * a folder, to a file of whisper.cpp's, with half-precision weights.  False: the files
 * are not such a model, or the new one cannot be written, and *why says which.
 */
bool whisper_to_ggml(
    struct arena *, const char *folder, const char *to, const char **why);

#endif
