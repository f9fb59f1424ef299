#ifndef PIPELINE_PITCH_H
#define PIPELINE_PITCH_H

#include <stddef.h>
#include <stdint.h>

#define PITCH_HIGH_HZ 165 /* a voice from here on is a high one */
#define PITCH_HEARD_S 10  /* seconds of a segment that are analysed, at most */

/* Median fundamental frequency in Hz of sound at HEARD_HZ; 0: no voiced frame. */
double pitch_median(const int16_t *, size_t n);

#endif
