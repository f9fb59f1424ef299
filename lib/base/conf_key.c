/*
 * The key file: 32 random bytes of this installation's own, from which all its
 * other keys are made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

/* Make the key file, unless someone else is faster. */
static void
make_key(const char *folder, const char *path)
{
	unsigned char key[SHA256_BYTES];
	char tmp[4096];
	int fd;

	snprintf(tmp, sizeof(tmp), "%s.%ld", path, (long)getpid());
	unlink(tmp); /* of one that was killed, and had our number */
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	random_bytes(key, sizeof(key));
	if (write(fd, key, sizeof(key)) == sizeof(key) && fsync(fd) == 0 &&
	    link(tmp, path) != 0 && errno != EEXIST)
		log_error("%s: %s", path, strerror(errno));
	close(fd);
	unlink(tmp);
	sync_folder(folder);
}

enum err
conf_key_read(struct arena *mem, struct conf *c)
{
	const char *path = arena_printf(mem, "%s/secret.key", c->state_dir);
	ssize_t n = -1;
	int fd;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0 && errno == ENOENT) {
		make_key(c->state_dir, path);
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
