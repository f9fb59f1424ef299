/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_VAD_H
#define AUDIO_VAD_H

#include <stdbool.h>
#include <stdint.h>

#include "audio/pcm.h"
#include "audio/pcm16.h"
#include "base/arena.h"

#define VAD_FRAME (HEARD_HZ / 50) /* samples of 20 ms */

/*
 * Voice activity detector. A frame is speech when its level is above the noise floor by
 * a margin. The level counts frequencies above 100 Hz only. The floor is the least
 * level of the last 1.5 s (R. Martin, "Noise power spectral density estimation based on
 * optimal smoothing and minimum statistics", IEEE Trans. SAP 9(5), 2001; here of one
 * band), except frames that have a pitch, which is found by the normalised
 * cross-correlation of D. Talkin, "A robust algorithm for pitch tracking", 1995. So a
 * held vowel does not become the floor, but a fan does within 1.5 s. The floor is also
 * at least the least level of all frames of the last 6 s, pitched or not. No speaker
 * sustains a sound for so long, so hum and music raise the floor.
 *
 *   speech begins  floor + 4 dB + 10 dB * threshold, and -54 dBFS at least
 *   and goes on    until it falls 3 dB lower
 *
 * In loud noise only a part of the spectrum is above it. So a frame is also speech, if
 * the floor is above -45 dBFS, when two of six bands, centred at 200 to 3200 Hz, exceed
 * their own floors on average:
 *
 *   speech begins  floors + 6 dB + 10 dB * threshold
 *   and goes on    until it falls 5 dB lower
 *
 * With a network (vad_use()), its probability decides instead:
 *
 *   speech begins  0.3 + 0.4 * threshold
 *   and goes on    until it falls 0.15 lower
 *
 * Digital silence and white noise of -60 dBFS never are speech, whatever the
 * threshold.
 */
struct vad;

struct vad *vad_new(struct arena *);
struct silero;
/* Detect speech by the network of vad_silero.h, as long as it does not fail. */
void vad_use(struct vad *, struct silero *);
/* threshold: 0 to 1; 0.5 before the first call. Not enabled: all frames are speech. */
void vad_set(struct vad *, bool enabled, double threshold);
/* True if the next VAD_FRAME samples at HEARD_HZ are speech. */
bool vad_frame(struct vad *, const int16_t *);
/* The level of the frame of the last vad_frame(), in dBFS above 100 Hz. */
float vad_db(const struct vad *);
/* True if that frame has a pitch of 60 to 400 Hz. */
bool vad_has_pitch(const struct vad *);

/*
 * Seconds of speech in a sound of 8,000 to 48,000 Hz, including pauses of up to half a
 * second. A frame is speech when vad_frame() says so and the level varies as it does
 * with syllables. So tones, hum and steady noise are not speech. Soft sound is
 * amplified first.
 */
double vad_speech_s(const struct pcm *);

#endif
