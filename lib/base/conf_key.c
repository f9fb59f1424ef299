/*
 * The key file: 32 random bytes of this installation's own, from which all its
 * other keys are made.  And the file that names this node among the hosts over one
 * database.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/conf_parts.h"
#include "base/file.h"
#include "base/id.h"
#include "base/log.h"

/* A whole file under that name, and on the disk. */
static bool
write_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool written;

	if (fd < 0)
		return false;
	written = file_write(fd, p, n) && fsync(fd) == 0;
	close(fd);
	return written;
}

/*
 * Make a file of these bytes, unless someone else was faster.  Under the lock it is
 * made under one name for all, so what a killed one left is used by the next.
 */
static void
make_file(
    struct arena *mem, const char *folder, const char *path, const void *p, size_t n)
{
	const char *new = arena_printf(mem, "%s.new", path);
	int lock = file_lock(arena_printf(mem, "%s.lock", path), LOCK_EX);

	if (lock < 0) {
		log_error("%s.lock: %s", path, strerror(errno));
		return;
	}
	if (access(path, F_OK) != 0) {
		if (!write_file(new, p, n) || rename(new, path) != 0)
			log_error("%s: %s", new, strerror(errno));
		/* Its name, too, survives a power cut: what was signed with it has to.
		 */
		if (!file_sync_folder(folder))
			log_error("%s: %s", folder, strerror(errno));
	}
	close(lock);
}

/* A file of state.dir, of the n bytes at p. */
struct own_file {
	const char *name;
	unsigned char *p;
	size_t n;
};

/*
 * Read it; one that is not there is made of the bytes that it has, which are then
 * those of the file.
 */
static enum err
read_own(struct arena *mem, const struct conf *c, const struct own_file *f, bool make)
{
	const char *path = arena_printf(mem, "%s/%s", c->state_dir, f->name);
	ssize_t got = -1;
	int fd;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0 && errno == ENOENT && make) {
		make_file(mem, c->state_dir, path, f->p, f->n);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd >= 0) {
		got = read(fd, f->p, f->n);
		close(fd);
	}
	if (got == (ssize_t)f->n)
		return OK;
	if (got >= 0)
		log_error("%s: has %zd bytes, not %zu", path, got, f->n);
	else
		log_error("%s: cannot be read: %s", path, strerror(errno));
	return ERR_FAILED;
}

enum err
conf_key_read(struct arena *mem, struct conf *c, bool make)
{
	const struct own_file f = { "secret.key", c->master, sizeof(c->master) };

	random_bytes(c->master, sizeof(c->master));
	return read_own(mem, c, &f, make);
}

enum err
conf_node_read(struct arena *mem, struct conf *c, bool make)
{
	char *text = arena_printf(mem, "%s\n", id_new(mem));
	size_t n = strlen(text);
	const struct own_file f = { "node.id", (unsigned char *)text, n };
	enum err e = read_own(mem, c, &f, make);

	if (e != OK)
		return e;
	text[n - 1] = '\0';
	if ((c->node = id_read(mem, text)) != NULL)
		return OK;
	log_error("%s/node.id: holds no uuid; without the file a new one is made",
	    c->state_dir);
	return ERR_FAILED;
}

void
conf_key(const struct conf *c, const char *purpose, unsigned char to[SHA256_BYTES])
{
	hmac(c->master, sizeof(c->master), purpose, strlen(purpose), to);
}
