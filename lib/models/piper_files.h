/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_PIPER_FILES_H
#define MODELS_PIPER_FILES_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * In a folder with a voice of Piper, voice.onnx and voice.onnx.json, write the files
 * that sherpa-onnx needs: tokens.txt, and voice.onnx with the facts of the JSON file
 * added. False: the files are not such a voice, or cannot be written, and *why says
 * which.
 */
bool piper_to_sherpa(struct arena *, const char *folder, const char **why);

#endif
