/*
 * The key file: 32 random bytes of this installation's own, from which all its
 * other keys are made.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/conf_parts.h"
#include "base/log.h"

/* Its name, too, survives a power cut: what was signed with it has to. */
static void
sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) != 0)
		log_error("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* A whole key under that name, and on the disk. */
static bool
write_key(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	unsigned char key[SHA256_BYTES];
	bool written;

	if (fd < 0)
		return false;
	random_bytes(key, sizeof(key));
	written = write(fd, key, sizeof(key)) == sizeof(key) && fsync(fd) == 0;
	close(fd);
	return written;
}

/*
 * Make the key file, unless someone else was faster.  Under the lock it is made
 * under one name for all, so what a killed one left is used by the next.
 */
static void
make_key(struct arena *mem, const char *folder, const char *path)
{
	const char *new = arena_printf(mem, "%s.new", path);
	int lock = open(
	    arena_printf(mem, "%s.lock", path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (lock < 0)
		return;
	while (flock(lock, LOCK_EX) != 0)
		if (errno != EINTR) {
			log_error("%s.lock: %s", path, strerror(errno));
			close(lock);
			return;
		}
	if (access(path, F_OK) != 0) {
		if (!write_key(new) || rename(new, path) != 0)
			log_error("%s: %s", new, strerror(errno));
		sync_folder(folder);
	}
	close(lock);
}

enum err
conf_key_read(struct arena *mem, struct conf *c)
{
	const char *path = arena_printf(mem, "%s/secret.key", c->state_dir);
	ssize_t n = -1;
	int fd;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0 && errno == ENOENT) {
		make_key(mem, c->state_dir, path);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd >= 0) {
		n = read(fd, c->master, sizeof(c->master));
		close(fd);
	}
	if (n == sizeof(c->master))
		return OK;
	if (n >= 0)
		log_error("%s: has %zd bytes, not %zu", path, n, sizeof(c->master));
	else
		log_error("%s: cannot be read: %s", path, strerror(errno));
	return ERR_FAILED;
}

void
conf_key(const struct conf *c, const char *purpose, unsigned char to[SHA256_BYTES])
{
	hmac(c->master, sizeof(c->master), purpose, strlen(purpose), to);
}
