#ifndef GATEWAY_INTAKE_H
#define GATEWAY_INTAKE_H

#include "gateway/run.h"
#include "media/live.h"

/*
 * Where the sound of a run comes in and becomes 16 kHz mono: in this process as
 * sound_in.h does it, or for the files of strangers by a child of its own (live.h),
 * which lives as long as the run does.  Of an actor on the pool, whose threads last;
 * it waits for its child, for INTAKE_MS of the child's processor time.
 */
#define INTAKE_MS 5000

struct intake;

/* The arena must outlive it. */
struct intake *intake_new(struct arena *, const struct run *);
/* Start what it needs; from here on intake_close() is needed. */
void intake_open(struct intake *);
/*
 * As sound_in_feed_fine(), or with `fine` NULL as sound_in_feed(); what a child decodes
 * has nothing fine.  Also ERR_REFUSED: its child has died, or could not be started; the
 * first bytes after five seconds have another one.
 */
enum err intake_feed(struct intake *, const void *, size_t n, struct arena *mem,
    struct pcm16 *to, struct pcm16 *fine) MUST_CHECK;
/* As sound_in_end_fine(). */
struct pcm16 intake_end_fine(struct intake *, struct arena *);
/* How much sound came in, in microseconds. */
int64_t intake_us(const struct intake *);
void intake_close(struct intake *);

#endif
