/*
 * Which store it is, whatever its path or mount point is called here: hosts that share
 * a folder find the same file in it, and a host whose folder is not mounted does not.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/id.h"
#include "blob/blob.h"

#define ID_LENGTH 36

/* "": there is no file, or not all of it yet. */
static enum err
read_id(struct arena *mem, const char *path, const char **id)
{
	char text[ID_LENGTH + 1] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	*id = "";
	if (fd < 0)
		return errno == ENOENT ? OK : blob_failed("open store.id", errno);
	n = read(fd, text, ID_LENGTH);
	close(fd);
	if (n == ID_LENGTH && id_check(text) == NULL)
		*id = arena_str(mem, text);
	return OK;
}

/* A whole file gets the name; if another one was faster, that one stays. */
static enum err
make_id(const struct conf *c, struct arena *mem, const char *path)
{
	const char *id = id_new(mem), *new;
	enum err e = OK;
	int fd = blob_temporary(c, mem, &new, &e);

	if (fd < 0)
		return e;
	if (write(fd, id, ID_LENGTH) != ID_LENGTH || fsync(fd) != 0)
		e = blob_failed("write store.id", errno);
	close(fd);
	if (e == OK && link(new, path) != 0 && errno != EEXIST)
		e = blob_failed("make store.id", errno);
	return e == OK ? blob_sync_folder(c->blob_dir) : e;
}

enum err
blob_identity(const struct conf *c, struct arena *mem, bool make, const char **id)
{
	const char *path = arena_printf(mem, "%s/store.id", c->blob_dir);
	enum err e;

	if (strcmp(c->blob_store, blob_disk.name) != 0) {
		*id = blob_bucket_url(c, mem);
		return OK;
	}
	if ((e = read_id(mem, path, id)) != OK || **id != '\0' || !make)
		return e;
	if ((e = make_id(c, mem, path)) != OK)
		return e;
	return read_id(mem, path, id);
}
