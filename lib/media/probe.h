#ifndef MEDIA_PROBE_H
#define MEDIA_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file that is read at any place, for sniff.c and the files of its formats.  Offsets
 * are bytes from the beginning.
 */
struct probe {
	int fd;
	int64_t size; /* bytes */
};

#define CHUNKS_MAX 1000 /* of a file's outer structure that are read */
#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Exactly n bytes from at; false: there are fewer. */
bool probe_at(const struct probe *, int64_t at, void *to, size_t n);
/* Whether these n bytes are at at; n is at most 16. */
bool probe_has(const struct probe *, int64_t at, const void *bytes, size_t n);
uint32_t probe_be32(const uint8_t *);
uint32_t probe_le32(const uint8_t *);
/* Where the content starts: after ID3v2 tags, if there are any. */
int64_t probe_behind_id3(const struct probe *);

/* ---- sniff_boxes.c, sniff_frames.c: see struct sniff_kind ---- */

bool sniff_is_wav(const struct probe *);
bool sniff_is_webm(const struct probe *);
bool sniff_is_mp4(const struct probe *);
bool sniff_is_flac(const struct probe *);
bool sniff_is_mp3(const struct probe *);
bool sniff_is_aac(const struct probe *);
bool sniff_is_mpeg_program(const struct probe *);
bool sniff_is_mpeg_video(const struct probe *);

#endif
