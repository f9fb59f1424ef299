/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MODEL_SHERPA_OFFLINE_H
#define SPEECH_MODEL_SHERPA_OFFLINE_H

#include "speech/model_library.h"

/*
 * Models of sherpa-onnx that recognize a phrase after its end: Whisper, Moonshine,
 * SenseVoice, Parakeet and Canary. Members of struct model_library.
 */

/* Load the model; false: its folder has none of these, and nothing was loaded. */
bool sherpa_offline_load(struct arena *, const struct model_want *);
const char *sherpa_offline_feed(const float *, size_t n);
const char *sherpa_offline_finish(struct arena *, const struct model_end *);
void sherpa_offline_drop(void);

#endif
