#ifndef MEDIA_PROBE_H
#define MEDIA_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The inside of sniff.c: a file that is looked at, here and there, without a
 * position.  All offsets are bytes from the beginning.
 */
struct probe {
	int fd;
	int64_t size; /* bytes */
};

#define CHUNKS_MAX 1000 /* of a file's outer structure that are walked through */
#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Exactly n bytes from there; false: there are fewer. */
bool probe_at(const struct probe *, int64_t at, void *to, size_t n);
/* Are these n bytes there?  At most 16. */
bool probe_has(const struct probe *, int64_t at, const void *bytes, size_t n);
uint32_t probe_be32(const uint8_t *);
uint32_t probe_le32(const uint8_t *);
/* Where content starts: behind ID3v2 tags, if there are any. */
int64_t probe_behind_id3(const struct probe *);

/* See struct kind. */
bool is_wav(const struct probe *);
bool is_webm(const struct probe *);
bool is_mp4(const struct probe *);
bool is_flac(const struct probe *);
bool is_mp3(const struct probe *);
bool is_aac(const struct probe *);
bool is_mpeg_program(const struct probe *);
bool is_mpeg_video(const struct probe *);

#endif
