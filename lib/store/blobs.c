/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/blobs.h"

#include <string.h>

#include "base/clock.h"
#include "store/accounts.h"

/* clang-format off */
static const struct field	 fields[] = FIELDS(
	{ "id",           F_TEXT, MEMBER(blob, id),           .flags = F_ADD },
	{ "account",      F_TEXT, MEMBER(blob, account),      .flags = F_ADD },
	{ "kind",         F_TEXT, MEMBER(blob, kind),         .flags = F_ADD },
	{ "state",        F_TEXT, MEMBER(blob, state),        .flags = F_ADD },
	{ "mime_type",    F_TEXT, MEMBER(blob, mime_type),    .flags = F_ADD },
	{ "filename",     F_TEXT, MEMBER(blob, filename),     .flags = F_ADD },
	{ "display_name", F_TEXT, MEMBER(blob, display_name), .flags = F_ADD },
	{ "description",  F_TEXT, MEMBER(blob, description),  .flags = F_ADD },
	{ "voice",        F_TEXT, MEMBER(blob, voice),        .flags = F_ADD },
	{ "min_bytes",    F_INT,  MEMBER(blob, min_bytes),    .flags = F_ADD },
	{ "max_bytes",    F_INT,  MEMBER(blob, max_bytes),    .flags = F_ADD },
	{ "file",         F_TEXT, MEMBER(blob, file),         .flags = F_ADD },
	{ "bytes",        F_INT,  MEMBER(blob, bytes),        .flags = F_ADD },
	{ "sha256",       F_TEXT, MEMBER(blob, sha256),       .flags = F_ADD },
	{ "created_us",   F_INT,  MEMBER(blob, created_us),   .flags = F_ADD },
	{ "stored_us",    F_INT,  MEMBER(blob, stored_us),    .flags = F_ADD }
);

#define BLOBS(where) "SELECT {*} FROM blobs WHERE " where, ROWS_OF(fields, struct blob)
#define COUNTED "state IN ('stored', 'checked')"

/* Subtract the bytes of these blobs from the account's stored bytes. */
#define GIVE_BACK(which)                                                               \
	"UPDATE accounts SET stored_bytes = stored_bytes - (SELECT"                    \
	" CAST(coalesce(sum(bytes), 0) AS INTEGER) FROM blobs WHERE " COUNTED          \
	" AND " which ") WHERE id = $1"

enum {
	ADD, GET, OWN, ARRIVE, CHECKED, REJECT, DROP, BACK_VOICE, DROP_VOICE, BACK_VOICES,
	DROP_VOICES, GONE, REJECTED, FORGET_GONE, FORGET_FILE, HAS_FILE, TOTAL, REFUSE_ARRIVAL,
	AWAITED, EXPIRE, BACK_SAMPLES, DROP_SAMPLES, BACK_RECORDING, DROP_RECORDING, DROP_GLOSSARY, NAMED, OF_ACCOUNT, SQL_END
};

const struct sql	 blob_sql[SQL_END + 1] = {
	[ADD] = { "blob.add", "INSERT INTO blobs ({names}) VALUES ({values})", .from = fields },
	[GET] = { "blob.get", BLOBS("id = $1 AND state <> 'gone'") },
	[OWN] = { "blob.own",
	    BLOBS("id = $1 AND account = $2 AND " COUNTED
	    " AND kind <> 'glossary'") },
	[ARRIVE] = { "blob.arrive",
	    "UPDATE blobs SET state = 'stored', file = $2, bytes = $3, sha256 = $4,"
	    " stored_us = $5 WHERE id = $1 AND state = $6 AND (file = $7 OR"
	    " (file IS NULL AND CAST($7 AS TEXT) IS NULL))" },
	[CHECKED] = { "blob.checked",
	    "UPDATE blobs SET state = 'checked' WHERE id = $1 AND file = $2"
	    " AND " COUNTED, NULL },
	[REJECT] = { "blob.reject",
	    "UPDATE blobs SET state = 'rejected' WHERE id = $1 AND file = $2"
	    " AND " COUNTED, NULL },
	[DROP] = { "blob.drop",
	    "UPDATE blobs SET state = 'gone' WHERE id = $1 AND account = $2 AND state = $3"
	    " AND kind = 'upload'" },
	[BACK_VOICE] = { "blob.give_back_voice", GIVE_BACK("voice = $2 AND account = $1") },
	[DROP_VOICE] = { "blob.drop_voice",
	    "UPDATE blobs SET state = 'gone' WHERE account = $1 AND voice = $2" },
	[BACK_VOICES] = { "blob.give_back_voices",
	    GIVE_BACK("voice IN (SELECT id FROM voices WHERE account = $1)") },
	[DROP_VOICES] = { "blob.drop_voices",
	    "UPDATE blobs SET state = 'gone' WHERE account = $1 AND voice IN"
	    " (SELECT id FROM voices WHERE account = $1)" },
	[EXPIRE] = { "blob.expire",
	    "UPDATE blobs SET state = 'gone' WHERE id IN (SELECT id FROM blobs"
	    " WHERE state = 'awaiting' AND created_us < $1 LIMIT $2)" },
	[GONE] = { "blob.gone", BLOBS("state = 'gone' AND id > $1 ORDER BY id LIMIT $2") },
	[REJECTED] = { "blob.rejected",
	    BLOBS("state = 'rejected' AND file IS NOT NULL"
	    " AND id > $1 ORDER BY id LIMIT $2") },
	[FORGET_GONE] = { "blob.forget", "DELETE FROM blobs WHERE id = $1 AND state = 'gone'" },
	[FORGET_FILE] = { "blob.forget_file",
	    "UPDATE blobs SET file = NULL WHERE id = $1 AND state = 'rejected'" },
	[HAS_FILE] = { "blob.has_file", "SELECT count(*) FROM blobs WHERE file = $1" },
	[TOTAL] = { "blob.total",
	    "SELECT CAST(coalesce(sum(stored_bytes), 0) AS INTEGER) FROM accounts" },
	[REFUSE_ARRIVAL] = { "blob.refuse_arrival",
	    "UPDATE blobs SET state = 'rejected' WHERE id = $1 AND state = 'awaiting'" },
	[AWAITED] = { "blob.awaited",
	    BLOBS("state = 'awaiting'"
	    " AND (created_us, id) > ($1, $2) ORDER BY created_us, id LIMIT $3") },
	[BACK_SAMPLES] = { "blob.give_back_samples",
	    GIVE_BACK("voice = $2 AND kind = 'tts_sample'") },
	[DROP_SAMPLES] = { "blob.drop_samples",
	    "UPDATE blobs SET state = 'gone' WHERE voice = $2 AND kind = 'tts_sample'"
	    " AND (account = $1 OR CAST($1 AS TEXT) IS NULL)" },
	[BACK_RECORDING] = { "blob.give_back_recording",
	    GIVE_BACK("id = $2 AND account = $1 AND kind = 'recording'") },
	[DROP_RECORDING] = { "blob.drop_recording",
	    "UPDATE blobs SET state = 'gone' WHERE id = $2 AND account = $1"
	    " AND kind = 'recording'" },
	[DROP_GLOSSARY] = { "blob.drop_glossary",
	    "UPDATE blobs SET state = 'gone' WHERE id = $2 AND account = $1"
	    " AND kind = 'glossary' AND state = 'checked'" },
	[NAMED] = { "blob.named",
	    BLOBS("file IS NOT NULL AND file > $1 AND " COUNTED
	    " ORDER BY file LIMIT $2") },
	[OF_ACCOUNT] = { "blob.of_account",
	    BLOBS("account = $1 AND state <> 'gone' AND id > $2 ORDER BY id LIMIT $3") },
};
/* clang-format on */

enum err
blob_add(struct db *db, const struct blob *b)
{
	return db_save(db, &blob_sql[ADD], b, ARGS(), ERR_CONFLICT);
}

enum err
blob_get(struct db *db, struct arena *mem, const char *id, struct blob *b)
{
	return db_one(db, &blob_sql[GET], ARGS(TEXT(id)), mem, b);
}

enum err
blob_own(struct db *db, struct arena *mem, const char *account, const char *id,
    struct blob *b)
{
	return db_one(db, &blob_sql[OWN], ARGS(TEXT(id), TEXT(account)), mem, b);
}

bool
blob_has_bytes(const struct blob *b)
{
	return strcmp(b->state, "stored") == 0 || strcmp(b->state, "checked") == 0;
}

/* Add to the account's stored bytes, unless the sum would pass the capacity. */
static enum err
add_bytes(struct db *db, const char *account, int64_t more, int64_t capacity)
{
	int64_t now;
	enum err e;

	if (account == NULL)
		return OK;
	if ((e = account_stored(db, account, &now)) != OK)
		return e;
	if (capacity > 0 && more > 0 && now + more > capacity)
		return ERR_LIMIT;
	return account_store(db, account, more);
}

enum err
blob_arrived(struct db *db, const struct blob *now, const char *file, int64_t bytes,
    const char *sha256, int64_t capacity)
{
	int64_t before = blob_has_bytes(now) ? now->bytes : 0;
	enum err e;

	if (strcmp(now->state, "awaiting") != 0 && strcmp(now->state, "stored") != 0)
		return ERR_CONFLICT;
	e = db_change(db, &blob_sql[ARRIVE],
	    ARGS(TEXT(now->id), TEXT(file), INT(bytes), TEXT(sha256), INT(now_us()),
		TEXT(now->state), TEXT(now->file)),
	    ERR_STALE);
	return e != OK ? e : add_bytes(db, now->account, bytes - before, capacity);
}

enum err
blob_checked(struct db *db, const char *id, const char *file)
{
	return db_change(db, &blob_sql[CHECKED], ARGS(TEXT(id), TEXT(file)), ERR_STALE);
}

enum err
blob_reject(struct db *db, const struct blob *b)
{
	enum err e = db_change(
	    db, &blob_sql[REJECT], ARGS(TEXT(b->id), TEXT(b->file)), ERR_STALE);

	return e != OK ? e : add_bytes(db, b->account, -b->bytes, 0);
}

enum err
blob_drop(struct db *db, const struct blob *b)
{
	enum err e = db_change(db, &blob_sql[DROP],
	    ARGS(TEXT(b->id), TEXT(b->account), TEXT(b->state)), ERR_STALE);

	return e != OK || !blob_has_bytes(b) ? e
					     : add_bytes(db, b->account, -b->bytes, 0);
}

/* Subtracts the bytes from the account first, as blobs in state gone do not count. */
static enum err
drop_all(struct db *db, int back, int drop, const char *account, const char *of)
{
	const struct val a[] = { { 0 }, TEXT(account), TEXT(of) };
	size_t n = of != NULL ? 2 : 1;
	enum err e = account != NULL ? db_exec(db, &blob_sql[back], a, n, NULL) : OK;

	return e != OK ? e : db_exec(db, &blob_sql[drop], a, n, NULL);
}

enum err
blob_drop_of_voice(struct db *db, const char *account, const char *voice)
{
	return drop_all(db, BACK_VOICE, DROP_VOICE, account, voice);
}

enum err
blob_drop_samples(struct db *db, const char *account, const char *voice)
{
	return drop_all(db, BACK_SAMPLES, DROP_SAMPLES, account, voice);
}

enum err
blob_drop_of_voices(struct db *db, const char *account)
{
	return drop_all(db, BACK_VOICES, DROP_VOICES, account, NULL);
}

enum err
blob_drop_recording(struct db *db, const char *account, const char *id)
{
	return drop_all(db, BACK_RECORDING, DROP_RECORDING, account, id);
}

enum err
blob_drop_glossary(struct db *db, const char *account, const char *id)
{
	return db_change(
	    db, &blob_sql[DROP_GLOSSARY], ARGS(TEXT(account), TEXT(id)), ERR_NOT_FOUND);
}

enum err
blob_garbage(struct db *db, struct arena *mem, bool rejected, const char *after, int n,
    struct list *to)
{
	return db_list(db, &blob_sql[rejected ? REJECTED : GONE],
	    ARGS(TEXT(after), INT(n)), mem, to);
}

enum err
blob_forget(struct db *db, const struct blob *b)
{
	bool gone = strcmp(b->state, "gone") == 0;

	return db_exec(
	    db, &blob_sql[gone ? FORGET_GONE : FORGET_FILE], ARGS(TEXT(b->id)), NULL);
}

enum err
blob_has_file(struct db *db, const char *file, int64_t *n)
{
	return db_number(db, &blob_sql[HAS_FILE], ARGS(TEXT(file)), n);
}

enum err
blob_total(struct db *db, int64_t *bytes)
{
	return db_number(db, &blob_sql[TOTAL], ARGS(), bytes);
}

enum err
blob_refuse_arrival(struct db *db, const struct blob *b)
{
	return db_change(db, &blob_sql[REFUSE_ARRIVAL], ARGS(TEXT(b->id)), ERR_STALE);
}

enum err
blob_awaited(struct db *db, struct arena *mem, int64_t after_us, const char *after,
    int n, struct list *to)
{
	return db_list(
	    db, &blob_sql[AWAITED], ARGS(INT(after_us), TEXT(after), INT(n)), mem, to);
}

enum err
blob_named(struct db *db, struct arena *mem, const char *after, int n, struct list *to)
{
	return db_list(db, &blob_sql[NAMED], ARGS(TEXT(after), INT(n)), mem, to);
}

enum err
blob_of_account(struct db *db, struct arena *mem, const char *account,
    const char *after, int n, struct list *to)
{
	return db_list(db, &blob_sql[OF_ACCOUNT],
	    ARGS(TEXT(account), TEXT(after), INT(n)), mem, to);
}

enum err
blob_expire(struct db *db, int64_t before_us, int most, int64_t *n)
{
	return db_exec(db, &blob_sql[EXPIRE], ARGS(INT(before_us), INT(most)), n);
}
