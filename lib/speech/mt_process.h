/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_PROCESS_H
#define SPEECH_MT_PROCESS_H

#include "base/arena.h"

/*
 * Returns the path of the program that a command names, in the arena; the program may
 * not exist.
 */
const char *mt_process_program(struct arena *, const char *command);

#endif
