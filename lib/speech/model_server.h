/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MODEL_SERVER_H
#define SPEECH_MODEL_SERVER_H

struct model_library;

/*
 * The process of a model: it loads a library and a model, and then recognizes or speaks
 * until its standard input ends. The list of libraries ends with NULL. The arguments
 * are those after --model; model_message.h describes the messages.
 */
_Noreturn void model_serve(const struct model_library *const *, int argc, char **argv);

#endif
