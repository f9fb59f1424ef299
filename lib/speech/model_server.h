/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MODEL_SERVER_H
#define SPEECH_MODEL_SERVER_H

/*
 * The process of a model: it loads a library and a model, and then recognizes or speaks
 * until its standard input ends. The arguments are those after --model; model_message.h
 * describes the messages.
 */
_Noreturn void model_serve(int argc, char **argv);

#endif
