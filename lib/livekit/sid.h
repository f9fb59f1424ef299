#ifndef LIVEKIT_SID_H
#define LIVEKIT_SID_H

#define SID_BYTES 16

/* A random id as LiveKit spells it: the prefix, "PA_", and 12 letters and digits. */
void sid_new(char to[SID_BYTES], const char *prefix);

#endif
