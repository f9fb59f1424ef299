#ifndef MEDIA_PROBE_H
#define MEDIA_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file that is read at any place, for sniff.c and the files of its formats.  Offsets
 * are bytes from `from`, where its content begins.
 */
struct probe {
	int fd;
	int64_t from; /* bytes of the file */
	int64_t size; /* bytes from there */
	/* The first bytes of the file, in memory; NULL: none.  Searches need them. */
	uint8_t *head;
	int64_t nhead;
};

#define PROBE_HEAD (2 * 1024 * 1024 + 65536) /* bytes */

#define CHUNKS_MAX 1000 /* of a file's outer structure that are read */
#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Exactly n bytes from at; false: there are fewer. */
bool probe_at(const struct probe *, int64_t at, void *to, size_t n);
/* Whether these n bytes are at at; n is at most 16. */
bool probe_has(const struct probe *, int64_t at, const void *bytes, size_t n);
uint32_t probe_be32(const uint8_t *);
uint32_t probe_le32(const uint8_t *);
/* Let the content begin so many bytes later. */
void probe_skip(struct probe *, int64_t bytes);
/* Skip ID3v2 tags, and the zeros that some programs write behind them. */
void probe_skip_id3(struct probe *);
/*
 * Skip up to the first place within `most` bytes that begins with the byte and where
 * is() is true; false: there is none, nothing is skipped.
 */
bool probe_search(
    struct probe *, uint8_t first, int64_t most, bool (*is)(const struct probe *));

/* ---- sniff_boxes.c, sniff_frames.c, sniff_mpeg.c: see struct sniff_kind ---- */

bool sniff_is_wav(struct probe *);
bool sniff_is_wave64(struct probe *);
bool sniff_is_webm(struct probe *);
bool sniff_is_mp4(struct probe *);
bool sniff_is_flac(struct probe *);
bool sniff_is_mp3(struct probe *);
bool sniff_is_aac(struct probe *);
bool sniff_is_mpeg_program(struct probe *);
bool sniff_is_mpeg_video(struct probe *);
bool sniff_is_mpeg_transport(struct probe *);
/* True if it begins like a file of another kind, which may contain frames. */
bool sniff_is_foreign(const struct probe *);

#endif
