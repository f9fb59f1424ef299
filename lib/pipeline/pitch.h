#ifndef PIPELINE_PITCH_H
#define PIPELINE_PITCH_H

#include <stddef.h>
#include <stdint.h>

#define PITCH_HIGH_HZ 165 /* from there on a voice is a high one */
#define PITCH_HEARD_S 10  /* of a phrase, at most */

/* Median fundamental frequency of a phrase at HEARD_HZ; 0: nothing in it is voiced. */
double pitch_median(const int16_t *, size_t n);

#endif
