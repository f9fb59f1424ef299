/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TLS connections to engines: a server gets data only after an authority of the
 * system's list has certified its name.
 */
#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/websocket_client.h"
#include "tests/unit/suite.h"

#define CASES 3

static const struct {
	const char *name;
	bool known, believed;
} servers[CASES] = {
	{ "localhost", true, true },
	{ "localhost", false, false }, /* self-signed */
	{ "other.example", true, false },
};

static struct server {
	EVP_PKEY *key;
	X509 *cert;
	int listener, port;
	char head[4096]; /* head of the received request */
} server[CASES];

static char authorities[] = "/tmp/dragoman-tls-XXXXXX";
static atomic_int how;

static X509 *
certificate(EVP_PKEY *key, const char *name)
{
	X509 *x = X509_new();
	X509_NAME *its = X509_get_subject_name(x);
	char alt[100];
	X509_EXTENSION *e;

	snprintf(alt, sizeof(alt), "DNS:%s", name);
	e = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, alt);
	X509_set_version(x, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(x), 1 + (long)(size_t)strlen(name));
	X509_gmtime_adj(X509_getm_notBefore(x), -3600);
	X509_gmtime_adj(X509_getm_notAfter(x), 86400);
	X509_NAME_add_entry_by_txt(
	    its, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(x, its);
	X509_set_pubkey(x, key);
	X509_add_ext(x, e, -1);
	X509_EXTENSION_free(e);
	ck_assert_int_gt(X509_sign(x, key, EVP_sha256()), 0);
	return x;
}

static void
open_port(struct server *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->listener = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(s->listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(s->listener, 4), 0);
	ck_assert_int_eq(getsockname(s->listener, (struct sockaddr *)&at, &n), 0);
	s->port = ntohs(at.sin_port);
}

static void
setup(void)
{
	int fd = mkstemp(authorities);
	FILE *f = fdopen(fd, "w");

	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < CASES; i++) {
		server[i].key = EVP_EC_gen("P-256");
		server[i].cert = certificate(server[i].key, servers[i].name);
		open_port(&server[i]);
		if (servers[i].known)
			PEM_write_X509(f, server[i].cert);
	}
	fclose(f);
	setenv("SSL_CERT_FILE", authorities, 1);
	setenv("SSL_CERT_DIR", "/nonexistent", 1);
}

static void
teardown(void)
{
	for (int i = 0; i < CASES; i++) {
		X509_free(server[i].cert);
		EVP_PKEY_free(server[i].key);
		close(server[i].listener);
	}
	unlink(authorities);
}

/* Accepts one connection and refuses its request. */
static void *
serve(void *arg)
{
	static const char no[] = "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n";
	struct server *s = arg;
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	int fd = accept(s->listener, NULL, NULL);
	SSL *ssl = SSL_new(context);

	SSL_use_certificate(ssl, s->cert);
	SSL_use_PrivateKey(ssl, s->key);
	SSL_set_fd(ssl, fd);
	if (SSL_accept(ssl) == 1 &&
	    SSL_read(ssl, s->head, (int)sizeof(s->head) - 1) > 0) {
		SSL_write(ssl, no, (int)strlen(no));
		SSL_shutdown(ssl);
	}
	SSL_free(ssl);
	SSL_CTX_free(context);
	close(fd);
	return NULL;
}

static void
take(void *arg, const char *p, size_t n)
{
	(void)arg, (void)p, (void)n;
	ck_abort_msg("there is no message");
}

static void
take_end(void *arg, enum websocket_client_end is)
{
	(void)arg;
	how = (int)is;
}

START_TEST(only_a_server_whose_name_an_authority_knows_is_told_anything)
{
	struct server *s = &server[_i];
	char url[100];
	struct websocket_client_call call = { .url = url,
		.header = "Authorization:",
		.value = "Bearer secret",
		.message = take,
		.ended = take_end };
	struct websocket_client *c;
	pthread_t thread;

	how = -1;
	snprintf(url, sizeof(url), "wss://localhost:%d/path", s->port);
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, s), 0);
	ck_assert_ptr_nonnull(c = websocket_client_open(&call));
	while (how < 0)
		usleep(1000);
	pthread_join(thread, NULL);
	websocket_client_close(c);
	ck_assert_int_eq(
	    strstr(s->head, "Bearer secret") != NULL, servers[_i].believed);
	ck_assert_int_eq(how,
	    servers[_i].believed ? WEBSOCKET_CLIENT_REFUSED : WEBSOCKET_CLIENT_BROKEN);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("websocket_tls");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 30);
	tcase_add_unchecked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, only_a_server_whose_name_an_authority_knows_is_told_anything, 0, CASES);
	suite_add_tcase(s, t);
	return unit_run(s);
}
