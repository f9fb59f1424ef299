// SPDX-License-Identifier: GPL-3.0-or-later
// Gives the service's answers in JavaScript, for comparison: Node's http in two processes, and
// better-sqlite3 with statements prepared once.
"use strict";

const cluster = require("cluster");
const crypto = require("crypto");
const http = require("http");

const { PEER_BASE, PEER_DB, PEER_KEY, PEER_PORT } = process.env;

const GLOSSARY = `SELECT id, account, name, enabled, type, source_lang, target_lang, status,
	entries, created_us, updated_us, version FROM glossaries WHERE account = ?`;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function statements() {
	const db = new (require("better-sqlite3"))(PEER_DB, {
		fileMustExist: true,
		timeout: 5000,
	});
	db.pragma("synchronous = FULL");
	db.pragma("foreign_keys = ON");
	return {
		caller: db.prepare(`SELECT a.id, c.scopes FROM credentials c
			JOIN accounts a ON a.id = c.account WHERE c.revoked_us IS NULL
			AND a.status = 'active' AND c.kind = 'key' AND c.hash = ?`),
		one: db.prepare(`${GLOSSARY} AND id = ?`),
		page: db.prepare(`${GLOSSARY} ORDER BY created_us DESC, id DESC LIMIT ?`),
		begin: db.prepare("BEGIN IMMEDIATE"),
		insert: db.prepare(`INSERT INTO glossaries (id, account, created_us, updated_us,
			name, enabled, type, source_lang, target_lang)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
		commit: db.prepare("COMMIT"),
		view: db.prepare(`SELECT e.access_code, CASE WHEN e.channels_active > 0 THEN 'live'
			WHEN e.finished_us IS NOT NULL OR e.end_us < @now THEN 'finished'
			WHEN e.channels_ready = 0 THEN 'setup_required'
			WHEN e.start_us <= @now THEN 'ready' ELSE 'upcoming' END AS status,
			v.hash, v.body FROM events e JOIN bundles v ON v.event = e.id
			WHERE e.id = @id`),
	};
}

let sql;

function send(res, status, text, etag) {
	const headers = {
		"Content-Type": "application/json",
		"Content-Length": Buffer.byteLength(text),
	};
	if (etag)
		headers.ETag = etag;
	res.writeHead(status, headers);
	res.end(text);
}

function answer(res, status, body, etag) {
	send(res, status, JSON.stringify(body), etag);
}

function problem(res, status, slug, title, detail, code) {
	answer(res, status, { ok: false, errors: [{
		type: `${PEER_BASE}/problems/${slug}`,
		status,
		title,
		detail,
		instance: `urn:uuid:${crypto.randomUUID()}`,
		error_code: code,
	}] });
}

function notFound(res) {
	problem(res, 404, "resource-not-found", "Resource not found", "No such resource.", 100040);
}

// Returns the account of a key with this scope; undefined: refused.
function caller(req, res, scope) {
	const given = req.headers.authorization || "";
	const hash = crypto.createHash("sha256").update(given.slice(7)).digest("hex");
	const who = given.startsWith("Bearer ") ? sql.caller.get(hash) : undefined;
	if (who === undefined) {
		problem(res, 401, "unauthorized", "Unauthorized", "The credential is unknown.", 100020);
		return undefined;
	}
	const scopes = who.scopes.split(" ");
	if (scopes.includes("*") || scopes.includes(scope))
		return who.id;
	problem(res, 403, "insufficient-scope", "Forbidden", `This lacks ${scope}.`, 100030);
	return undefined;
}

const utc = (us) => `${new Date(us / 1000).toISOString().slice(0, 19)}Z`;

function glossary(g) {
	return {
		glossary_id: g.id,
		user_id: g.account,
		name: g.name,
		is_enabled: g.enabled === 1,
		glossary_type: g.type,
		source_lang: g.source_lang,
		target_lang: g.target_lang,
		entries_status: g.status,
		entries_count: g.entries,
		entries_errors: [],
		utc_created_at: utc(g.created_us),
		utc_updated_at: utc(g.updated_us),
	};
}

function getGlossary(req, res, id) {
	const account = caller(req, res, "glossaries:read");
	if (account === undefined)
		return;
	const g = UUID.test(id) ? sql.one.get(account, id) : undefined;
	if (g === undefined)
		notFound(res);
	else
		answer(res, 200, { ok: true, data: glossary(g) }, `"v${g.version}"`);
}

// Returns the signed token of the next page.
function token(last, account) {
	const place = `${last.created_us} ${last.id}`;
	const mac = crypto.createHmac("sha256", PEER_KEY).update(account + place).digest();
	return Buffer.concat([mac.subarray(0, 16), Buffer.from(place)]).toString("base64url");
}

function listGlossaries(req, res, query) {
	const account = caller(req, res, "glossaries:read");
	if (account === undefined)
		return;
	const size = Number(new URLSearchParams(query).get("page_size") || 10);
	if (!(size >= 1 && size <= 100)) {
		problem(res, 422, "validation-failed", "Invalid", "page_size is 1 to 100.", 100090);
		return;
	}
	const rows = sql.page.all(account, size + 1);
	const more = rows.length > size;
	if (more)
		rows.pop();
	answer(res, 200, { ok: true, data: {
		items: rows.map(glossary),
		page_size: size,
		count: rows.length,
		next: more ? token(rows[size - 1], account) : null,
	} });
}

function insertGlossary(res, account, text) {
	const data = JSON.parse(text).data;
	if (data === null || typeof data !== "object" || typeof data.name !== "string" ||
	    data.name.length < 3 || !["translation", "asr", "asr_hot"].includes(data.glossary_type) ||
	    typeof data.source_lang !== "string" || typeof data.target_lang !== "string") {
		problem(res, 422, "validation-failed", "Invalid", "A field is wrong.", 100090);
		return;
	}
	const us = Date.now() * 1000;
	const g = {
		id: crypto.randomUUID(),
		account,
		created_us: us,
		updated_us: us,
		name: data.name,
		enabled: data.is_enabled === false ? 0 : 1,
		type: data.glossary_type,
		source_lang: data.source_lang,
		target_lang: data.target_lang,
	};
	sql.begin.run();
	sql.insert.run(...Object.values(g));
	sql.commit.run();
	answer(res, 200, { ok: true, data: glossary({ ...g, status: "none", entries: 0 }) }, '"v1"');
}

function addGlossary(req, res) {
	const account = caller(req, res, "glossaries:write");
	const parts = [];
	req.on("data", (part) => parts.push(part));
	req.on("end", () => {
		if (account !== undefined)
			insertGlossary(res, account, Buffer.concat(parts).toString());
	});
}

function isCode(given, code) {
	const a = Buffer.from(given), b = Buffer.from(code);
	return a.length === b.length && crypto.timingSafeEqual(a, b);
}

function publicView(req, res, id, query) {
	const v = sql.view.get({ now: Date.now() * 1000, id });
	if (v === undefined) {
		notFound(res);
		return;
	}
	const code = new URLSearchParams(query).get("code") || "";
	if (v.access_code !== null && !isCode(code, v.access_code)) {
		problem(res, 403, "access-code", "Forbidden", "This event has an access code.", 100031);
		return;
	}
	const tag = `"${v.hash.slice(0, 32)}-${v.status}"`;
	if (req.headers["if-none-match"] === tag) {
		res.writeHead(304, { ETag: tag });
		res.end();
	} else {
		send(res, 200, `{"ok":true,"data":{"lifecycle_status":"${v.status}",` +
			`"captcha_required":false,${v.body}}}`, tag);
	}
}

function handle(req, res) {
	const [path, query] = req.url.split("?", 2);
	if (req.method === "GET" && path === "/saas/glossaries")
		listGlossaries(req, res, query);
	else if (req.method === "POST" && path === "/saas/glossary")
		addGlossary(req, res);
	else if (req.method === "GET" && path.startsWith("/saas/glossary/"))
		getGlossary(req, res, path.slice("/saas/glossary/".length));
	else if (req.method === "GET" && path.startsWith("/saas/v2/event/public/"))
		publicView(req, res, path.slice("/saas/v2/event/public/".length), query);
	else
		notFound(res);
}

if (cluster.isPrimary) {
	cluster.fork();
	cluster.fork();
} else {
	sql = statements();
	http.createServer(handle).listen(Number(PEER_PORT), "127.0.0.1");
}
