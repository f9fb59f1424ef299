/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/passkey.h"

#include <cbor.h>
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <string.h>

#include "base/base64.h"
#include "base/be.h"
#include "base/clock.h"
#include "base/hash.h"

#define UP 0x01 /* flags of authenticator data: the user is present, */
#define UV 0x04 /* and was verified */

struct bytes {
	const unsigned char *p;
	size_t n;
};

static const int algorithms[] = { COSE_ES256, COSE_EDDSA, COSE_RS256 };

/* ---- where ---- */

static size_t
origin_length(const char *base_url)
{
	const char *host = strstr(base_url, "://");

	return host != NULL ? (size_t)(host + 3 - base_url) + strcspn(host + 3, "/")
			    : 0;
}

const char *
passkey_host(struct arena *mem, const struct conf *c)
{
	const char *host = c->server_base_url + strlen("https://");
	size_t n;

	if (strncmp(c->server_base_url, "https://", strlen("https://")) != 0)
		return NULL;
	n = strcspn(host, ":/");
	if (n == 0 || host[0] == '[' || strspn(host, "0123456789.") >= n)
		return NULL;
	return arena_dup(mem, host, n);
}

/* ---- challenges ---- */

struct challenge {
	unsigned char made_us[8], random[16], sum[SHA256_BYTES];
};

static void
sign(struct arena *mem, const struct conf *c, const char *member,
    const struct challenge *is, unsigned char sum[SHA256_BYTES])
{
	unsigned char key[SHA256_BYTES];
	const char *text = arena_printf(mem, "%s %s %s", member,
	    hex(mem, is->made_us, sizeof(is->made_us)),
	    hex(mem, is->random, sizeof(is->random)));

	conf_key(c, "passkey challenges", key);
	hmac(key, sizeof(key), text, strlen(text), sum);
}

/* A new challenge. member: the person that answers it; "": any person. */
static const char *
challenge_new(struct arena *mem, const struct conf *c, const char *member)
{
	int64_t now = now_us();
	struct challenge is;

	put_be32(is.made_us, (uint32_t)(now >> 32));
	put_be32(is.made_us + 4, (uint32_t)now);
	random_bytes(is.random, sizeof(is.random));
	sign(mem, c, member, &is, is.sum);
	return base64url(mem, &is, sizeof(is));
}

/* The time of a challenge that is valid now; 0: it is none. */
static int64_t
challenge_time(
    struct arena *mem, const struct conf *c, const char *member, const char *text)
{
	unsigned char sum[SHA256_BYTES], *p;
	struct challenge is;
	int64_t made_us;
	size_t n;

	p = text != NULL ? base64_read(mem, text, strlen(text), &n) : NULL;
	if (p == NULL || n != sizeof(is))
		return 0;
	memcpy(&is, p, sizeof(is));
	sign(mem, c, member, &is, sum);
	if (!same_bytes(sum, is.sum, sizeof(sum)))
		return 0;
	made_us = (int64_t)((uint64_t)be32(is.made_us) << 32 | be32(is.made_us + 4));
	return now_us() - made_us < PASSKEY_CHALLENGE_S * S_US ? made_us : 0;
}

/* ---- options ---- */

static void
write_known(struct json_writer *j, const char *key, const struct list *passkeys)
{
	const struct passkey *p = passkeys->items;

	jw_list(j, key);
	for (size_t i = 0; i < passkeys->n; i++) {
		jw_open(j, NULL);
		jw_text(j, "type", "public-key");
		jw_text(j, "id", p[i].credential_id);
		jw_close(j);
	}
	jw_close(j);
}

static void
write_creation(struct json_writer *j, const char *host, const struct member *m,
    const struct list *had)
{
	jw_open(j, "rp");
	jw_text(j, "id", host);
	jw_text(j, "name", "Dragoman");
	jw_close(j);
	jw_open(j, "user");
	jw_text(j, "id", base64url(j->out->mem, m->id, strlen(m->id)));
	jw_text(j, "name", m->name);
	jw_text(j, "displayName", m->name);
	jw_close(j);
	jw_list(j, "pubKeyCredParams");
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		jw_open(j, NULL);
		jw_text(j, "type", "public-key");
		jw_int(j, "alg", algorithms[i]);
		jw_close(j);
	}
	jw_close(j);
	write_known(j, "excludeCredentials", had);
	jw_open(j, "authenticatorSelection");
	jw_text(j, "residentKey", "required");
	jw_bool(j, "requireResidentKey", true);
	jw_text(j, "userVerification", "required");
	jw_close(j);
	jw_text(j, "attestation", "none");
}

const char *
passkey_options(struct arena *mem, const struct conf *c, const struct member *m,
    const struct list *had)
{
	const char *host = passkey_host(mem, c);
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_text(&j, "challenge", challenge_new(mem, c, m != NULL ? m->id : ""));
	jw_int(&j, "timeout", PASSKEY_CHALLENGE_S * 1000);
	if (m != NULL)
		write_creation(&j, host, m, had);
	else {
		jw_text(&j, "rpId", host);
		jw_text(&j, "userVerification", "required");
		write_known(&j, "allowCredentials", &(struct list){ NULL, 0 });
	}
	jw_close(&j);
	return buf_text(&b);
}

/* ---- answers of browsers ---- */

/* The bytes of a member in base64url; none if it is absent or something else. */
static struct bytes
bytes_in(struct arena *mem, const struct json *j, const char *name)
{
	const char *s = j != NULL ? json_get_text(j, name) : NULL;
	struct bytes b = { NULL, 0 };

	if (s != NULL)
		b.p = base64_read(mem, s, strlen(s), &b.n);
	return b.p != NULL ? b : (struct bytes){ NULL, 0 };
}

static enum err
refuse(const char **why, const char *sentence)
{
	*why = sentence;
	return ERR_REFUSED;
}

/* The call of the browser, and the member for which it was made. */
struct call {
	const char *type, *member;
};

/* Check the data that the browser signed: its page, and the challenge. */
static enum err
check_client(struct arena *mem, const struct conf *c, const struct json *response,
    struct call by, int64_t *challenge_us, const char **why)
{
	struct bytes data = bytes_in(mem, response, "clientDataJSON");
	const char *fault, *origin, *is;
	const struct json *j =
	    data.n > 0 ? json_read(mem, (const char *)data.p, data.n, &fault) : NULL;
	size_t n = origin_length(c->server_base_url);

	if (j == NULL || j->type != JSON_OBJ ||
	    (is = json_get_text(j, "type")) == NULL || strcmp(is, by.type) != 0)
		return refuse(
		    why, "The passkey's clientDataJSON is not that of such a call.");
	origin = json_get_text(j, "origin");
	if (origin == NULL || strlen(origin) != n ||
	    strncmp(origin, c->server_base_url, n) != 0 ||
	    json_get_bool(j, "crossOrigin"))
		return refuse(
		    why, arena_printf(mem,
			     "The passkey was used at another address than %.*s.",
			     (int)n, c->server_base_url));
	*challenge_us =
	    challenge_time(mem, c, by.member, json_get_text(j, "challenge"));
	return *challenge_us > 0
		   ? OK
		   : refuse(
			 why, "The challenge is unknown or older than five minutes.");
}

/* Check that authenticator data is for this host, and that the user was verified. */
static enum err
check_flags(
    struct arena *mem, const struct conf *c, struct bytes data, const char **why)
{
	const char *host = passkey_host(mem, c);

	if (data.n < 37)
		return refuse(why, "The passkey's authenticator data is too short.");
	if (strcmp(hex(mem, data.p, SHA256_BYTES), hash_hex(mem, host, strlen(host))) !=
	    0)
		return refuse(
		    why, arena_printf(
			     mem, "The passkey is for another host than %s.", host));
	if ((data.p[32] & (UP | UV)) != (UP | UV))
		return refuse(why, "The passkey did not verify its user.");
	return OK;
}

/* ---- making ---- */

/* The authenticator data in an attestation object; none if it is no such object. */
static struct bytes
attested(struct arena *mem, struct bytes object)
{
	struct cbor_load_result r;
	cbor_item_t *map = object.n > 0 ? cbor_load(object.p, object.n, &r) : NULL;
	struct cbor_pair *pair =
	    map != NULL && cbor_isa_map(map) ? cbor_map_handle(map) : NULL;
	struct bytes to = { NULL, 0 };

	for (size_t i = 0; pair != NULL && i < cbor_map_size(map); i++)
		if (cbor_isa_string(pair[i].key) &&
		    cbor_string_length(pair[i].key) == strlen("authData") &&
		    memcmp(cbor_string_handle(pair[i].key), "authData",
			strlen("authData")) == 0 &&
		    cbor_isa_bytestring(pair[i].value) &&
		    cbor_bytestring_is_definite(pair[i].value)) {
			to.n = cbor_bytestring_length(pair[i].value);
			to.p = (const unsigned char *)arena_dup(mem,
			    (const char *)cbor_bytestring_handle(pair[i].value), to.n);
		}
	if (map != NULL)
		cbor_decref(&map);
	return to;
}

static bool
read_key(struct arena *mem, fido_cred_t *made, int algorithm, struct bytes data,
    struct passkey *to)
{
	if (fido_cred_set_type(made, algorithm) != FIDO_OK ||
	    fido_cred_set_authdata_raw(made, data.p, data.n) != FIDO_OK ||
	    fido_cred_pubkey_len(made) == 0 || fido_cred_id_len(made) == 0)
		return false;
	to->algorithm = algorithm;
	to->public_key =
	    base64url(mem, fido_cred_pubkey_ptr(made), fido_cred_pubkey_len(made));
	to->credential_id =
	    base64url(mem, fido_cred_id_ptr(made), fido_cred_id_len(made));
	to->sign_count = fido_cred_sigcount(made);
	return true;
}

enum err
passkey_made(struct arena *mem, const struct conf *c, const char *member,
    const struct json *sent, struct passkey *to, const char **why)
{
	const struct json *response = json_get(sent, "response");
	struct bytes data;
	bool read = false;
	fido_cred_t *made;
	enum err e;

	if (response == NULL || response->type != JSON_OBJ)
		return refuse(why, "The passkey has no response.");
	if ((e = check_client(mem, c, response,
		 (struct call){ "webauthn.create", member }, &to->challenge_us, why)) !=
	    OK)
		return e;
	data = attested(mem, bytes_in(mem, response, "attestationObject"));
	if ((e = check_flags(mem, c, data, why)) != OK)
		return e;
	for (size_t i = 0; !read && i < sizeof(algorithms) / sizeof(algorithms[0]);
	     i++) {
		made = fido_cred_new();
		read = made != NULL && read_key(mem, made, algorithms[i], data, to);
		fido_cred_free(&made);
	}
	return read ? OK : refuse(why, "The passkey has no key of a known algorithm.");
}

/* ---- use ---- */

/* Check the signature with libfido2. */
static bool
verify(fido_assert_t *is, const struct passkey *p, struct bytes key)
{
	es256_pk_t *es256 = es256_pk_new();
	rs256_pk_t *rs256 = rs256_pk_new();
	eddsa_pk_t *eddsa = eddsa_pk_new();
	const void *pk = NULL;
	bool good;

	if (p->algorithm == COSE_ES256 &&
	    es256_pk_from_ptr(es256, key.p, key.n) == FIDO_OK)
		pk = es256;
	if (p->algorithm == COSE_RS256 &&
	    rs256_pk_from_ptr(rs256, key.p, key.n) == FIDO_OK)
		pk = rs256;
	if (p->algorithm == COSE_EDDSA &&
	    eddsa_pk_from_ptr(eddsa, key.p, key.n) == FIDO_OK)
		pk = eddsa;
	good =
	    pk != NULL && fido_assert_verify(is, 0, (int)p->algorithm, pk) == FIDO_OK;
	es256_pk_free(&es256);
	rs256_pk_free(&rs256);
	eddsa_pk_free(&eddsa);
	return good;
}

static bool
asserted(struct arena *mem, const struct conf *c, const struct json *response,
    struct bytes data, const struct passkey *p)
{
	struct bytes client = bytes_in(mem, response, "clientDataJSON");
	struct bytes signature = bytes_in(mem, response, "signature"), key;
	fido_assert_t *is = fido_assert_new();
	bool good;

	key.p = base64_read(mem, p->public_key, strlen(p->public_key), &key.n);
	good = is != NULL && key.p != NULL &&
	       fido_assert_set_clientdata(is, client.p, client.n) == FIDO_OK &&
	       fido_assert_set_rp(is, passkey_host(mem, c)) == FIDO_OK &&
	       fido_assert_set_up(is, FIDO_OPT_TRUE) == FIDO_OK &&
	       fido_assert_set_uv(is, FIDO_OPT_TRUE) == FIDO_OK &&
	       fido_assert_set_count(is, 1) == FIDO_OK &&
	       fido_assert_set_authdata_raw(is, 0, data.p, data.n) == FIDO_OK &&
	       fido_assert_set_sig(is, 0, signature.p, signature.n) == FIDO_OK &&
	       verify(is, p, key);
	fido_assert_free(&is);
	return good;
}

enum err
passkey_check(struct arena *mem, const struct conf *c, const struct json *sent,
    struct passkey *p, const char **why)
{
	const struct json *response = json_get(sent, "response");
	int64_t had = p->sign_count;
	struct bytes data;
	enum err e;

	if (response == NULL || response->type != JSON_OBJ)
		return refuse(why, "The passkey has no response.");
	if ((e = check_client(mem, c, response, (struct call){ "webauthn.get", "" },
		 &p->challenge_us, why)) != OK)
		return e;
	data = bytes_in(mem, response, "authenticatorData");
	if ((e = check_flags(mem, c, data, why)) != OK)
		return e;
	if (!asserted(mem, c, response, data, p))
		return refuse(why, "The passkey's signature is wrong.");
	p->sign_count = be32(data.p + 33);
	return p->sign_count > had || (p->sign_count == 0 && had == 0)
		   ? OK
		   : refuse(why, "The passkey's counter went back: it may be a copy.");
}
