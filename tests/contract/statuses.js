// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node statuses.js OPENAPI DIR PORT
//
// Causes statuses that the end-to-end suite does not cause on every route, each by a real fault: a
// database table that is locked or missing, an account over its rate, a media backend or an engine
// that refuses or does not answer, a full disk, a bucket, a program that does not run.  check.js
// judges the recorded answers (RECORD); this program only prints where an unexpected one occurred.
const { execFileSync } = require("node:child_process");
const { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Judge } = require("./judge.js");
const { Service, Psql, door_before, server_of, nap } = require("./service.js");

const root = join(__dirname, "../..");
const [openapi, dir, port] = process.argv.slice(2);
const operations = new Judge(JSON.parse(readFileSync(openapi))).operations;
const SERVER = process.env.SERVER || "lighttpd";
const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const PAGES = ["/", "/console/", "/docs", "/docs/guides/{guide}", "/docs/swagger", "/listen/", "/poster/", "/screen/", "/speak/", "/web/{folder}/{file}"];
let wrong = 0, asked = 0;

function instance(command, ...args) {
	const out = execFileSync(join(root, "tests/instance"), [command, "--dir", join(dir, "i"), ...args],
		{ encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
	return command === "up" ? new Service(JSON.parse(out), root) : undefined;
}

// ---- one operation, filled in ----

function expect(what, { status }, wanted) {
	asked++;
	if (status !== wanted)
		console.log(`statuses: ${what}: ${status}, not ${wanted}`, wrong++);
}

const has = (operation, name) => operation.parameters.some(one => one.name === name);
const open = ({ says }) => says.security && !says.security.some(one => Object.keys(one).length > 0);
const guarded = operation => !operation.says.security;
const public_ = operation => operation.says.responses[429] && !operation.path.startsWith("/blobs") &&
	(open(operation) || operation.says.security?.some(one => Object.keys(one).length === 0));
const of_gateway = ({ path }) => /^\/wh[ie]p\//.test(path); // it has no WebRTC here: tests/e2e causes its statuses
const personal = ({ path }) => path.startsWith("/auth/passkey"); // keys have no passkeys, and plain HTTP has none

class World {
	constructor(service) {
		this.service = service;
	}

	// A request that reaches the handler.
	wish(operation, change = {}) {
		const ids = { ...this.ids, ...change.ids };
		const path = operation.path.replace(/\{([^}]*)\}/g, (_, name) => ids[name] || UNKNOWN) + (change.query || "");
		const json = operation.says.requestBody && operation.says.requestBody.content["application/json"] ?
			this.body(operation) : undefined;
		return { method: operation.method, path, as: guarded(operation) ? this.me : undefined, json, ...change, ids: undefined };
	}

	body({ key }) {
		const bodies = {
			"POST /saas/upload": [{ filename: "talk.wav", mime_type: "audio/wav" }],
			"POST /saas/voice/clone": { name: "Anna", samples: [{ filename: "a.wav", mime_type: "audio/wav", lang_code: "en" }] },
			"POST /saas/voice/m/{voice_id}/tts-sample": { lang_code: "en" },
			"POST /saas/glossary": { name: "Terms", glossary_type: "translation", source_lang: "en", target_lang: "de" },
			"POST /saas/v2/event": { title: "Forum", event_type: "online", utc_start_dt: "2036-01-01T08:00:00Z", utc_end_dt: "2036-01-01T09:00:00Z", transcript: "public" },
			"POST /saas/channel": { type: "standalone", name: "Hall" },
			"POST /saas/key": { name: "Console", scopes: ["events:read"] },
			"POST /saas/member": { name: "Ben", role: "organiser" },
			"POST /auth/refresh": { refresh_token: "none" },
			"POST /auth/passkey": { passkey: {} },
			"PATCH /saas/channel/{channel_id}/transcript/{line_id}": { text: "Good morning" },
			"POST /saas/webhook": { url: "https://example.org/", events: ["*"], is_enabled: false },
			"POST /saas/webhook/{webhook_id}/pull/{delivery_id}": { lease_key: "none", status: "delivered" },
			"POST /saas/v2/event/public/{event_id}/requests": { type: "add_language", payload: { language: "fr" } },
			"POST /saas/v2/event/public/{event_id}/join": { language: "original" },
		};
		return { data: bodies[key] || {} };
	}

	async expect(operation, status, change, what = "") {
		if (![].concat(status).some(one => operation.says.responses[one]))
			return undefined;
		asked++;
		const answer = await this.service.ask(this.wish(operation, change));
		if (![].concat(status).includes(answer.status)) {
			wrong++;
			console.log(`statuses: ${operation.key}${what}: ${answer.status}, not ${status}: ${answer.body.slice(0, 200)}`);
		}
		return answer;
	}

	async each(status, change, which = () => true, what = "") {
		for (const operation of operations.filter(one => which(one) && !of_gateway(one) && [].concat(status).some(code => one.says.responses[code])))
			await this.expect(operation, status, typeof change === "function" ? change(operation) : change, what);
	}

	async make() {
		const s = this.service, me = this.me = s.account("statuses"), must = (status, path, data) =>
			s.must(status, { method: "POST", path, as: me, json: { data } });
		const [tight, other] = [s.account("tight"), s.dragoman("key", "add", me.user_id, "--scopes", "s2s")];
		s.dragoman("account", "plan", tight.user_id, "--requests_per_min", "1");
		Object.assign(this, { tight, other });
		const event = (await must(201, "/saas/v2/event", { ...this.body({ key: "POST /saas/v2/event" }).data })).data;
		const channel = (await must(201, "/saas/channel", { type: "event", name: "Hall", event_id: event.event_id, target_languages: ["de"] })).data;
		const request = (await must(201, `/saas/v2/event/public/${event.event_id}/requests`, { type: "add_language", payload: { language: "es" } })).data;
		const upload = (await must(200, "/saas/upload", [{ filename: "talk.wav", mime_type: "audio/wav" }])).data[0];
		await s.send(upload, readFileSync(process.env.SPEECH));
		const webhook = (await must(201, "/saas/webhook", this.body({ key: "POST /saas/webhook" }).data)).data;
		const member = (await must(201, "/saas/member", { name: "Anna", role: "viewer" })).data;
		this.invite = member.link.split("=")[1];
		this.ids = {
			event_id: event.event_id, stage_id: event.stages[0].stage_id, channel_id: channel.channel_id,
			request_id: request.request_id, blob_id: upload.blob_id, slug: "validation-error", folder: "shared", file: "api.js",
			voice_id: await this.voice(),
			glossary_id: (await must(200, "/saas/glossary", this.body({ key: "POST /saas/glossary" }).data)).data.glossary_id,
			session_id: (await must(201, "/session-storage/session", {})).data.id,
			webhook_id: webhook.webhook_id, join_code: event.join_code, guide: "webhooks",
			member_id: member.member_id,
			delivery_id: (await must(202, `/saas/webhook/${webhook.webhook_id}/test`, {})).data.delivery_id,
		};
	}

	// A voice that is ready.
	async voice() {
		const s = this.service, as = this.me;
		const { data } = await s.must(200, { method: "POST", path: "/saas/voice/clone", as, json: this.body({ key: "POST /saas/voice/clone" }) });
		await s.send(data.samples[0], readFileSync(process.env.SPEECH));
		await s.until("a voice", { path: `/saas/voice/m/${data.voice_id}`, as }, a => a.data.processing_status === "ready");
		return data.voice_id;
	}
}

// ---- who asks, and what ----

async function credentials(w) {
	await w.each(401, { as: undefined }, guarded, ", without a credential");
	await w.each(403, { as: w.other }, one => guarded(one) && !personal(one), ", without the scope");
	await w.service.ask({ path: "/saas/voice", as: w.tight });
	await w.each(429, { as: w.tight }, guarded, ", over the rate");
	const metrics = operations.find(one => one.path === "/metrics");
	await w.expect(metrics, 401, { headers: { "X-Forwarded-For": "192.0.2.1" } });
	await w.expect(metrics, 403, { as: w.me, headers: { "X-Forwarded-For": "192.0.2.1" } });
	const blob = operations.find(one => one.key === "GET /blobs/{blob_id}");
	await w.expect(blob, 401);
	await w.expect(blob, 429, { as: w.tight });
	const from = "127.0.0.77"; // limits the rate of clients with this address
	for (const path of ["/problems", "/999999", `/s/${UNKNOWN}`])
		while ((await w.service.ask({ path, from })).status !== 429);
	await w.each(429, { from }, public_, ", over the rate");
}

async function shapes(w) {
	const json = ({ says }) => says.requestBody && says.requestBody.content["application/json"];
	const paged = operation => operation.parameters.find(one => /token$/.test(one.name));
	const lacks = ({ path }) => /\{(line_id|transcription_id)\}$/.test(path); // no such line exists here
	const some = { "GET /saas/v2/event/{event_id}/stats/export": "?format=xls", "GET /saas/v2/event/{event_id}/stats/series": "?step=1",
		"GET /saas/v2/event/public/{event_id}/transcript": "?format=csv",
		"GET /saas/v2/event/public/{event_id}": "?code=a&code=b", "GET /saas/v2/event/public/{event_id}/qr.svg": "?stage=x",
		"GET /saas/channels": "?event_id=x", "GET /saas/v2/event/{event_id}/requests": "?type=a&type=b",
		"GET /saas/v2/events": "?status=asleep", "GET /blobs/{blob_id}": "?expires=1&expires=2&signature=x" };
	await w.each(400, { json: "{" }, json, ", broken JSON");
	await w.each(413, { json: "x".repeat(1048577) }, json, ", too large");
	await w.each(415, { json: "{}", type: "text/plain" }, json, ", text");
	await w.each(422, { json: { data: 5 } }, one => json(one) && !lacks(one), ", a number");
	await w.each(400, operation => ({ query: `?${paged(operation).name}=x` }), paged, ", a token");
	await w.each(422, operation => ({ query: some[operation.key] || "?page_size=0" }), one => some[one.key] || has(one, "page_size"), ", a parameter");
	await w.each(400, { headers: { "If-Match": "v1" } }, one => has(one, "If-Match"), ", If-Match");
	await w.each(412, { headers: { "If-Match": "\"v999\"" } }, one => has(one, "If-Match"), ", If-Match");
	await w.each(304, { headers: { "If-None-Match": "*" }, as: w.me }, one => !/upload$|transcript$|^\/blobs/.test(one.path));
	const unknown = { voice_id: UNKNOWN, glossary_id: UNKNOWN, event_id: UNKNOWN, channel_id: UNKNOWN, webhook_id: UNKNOWN, delivery_id: UNKNOWN, session_id: UNKNOWN, blob_id: UNKNOWN, member_id: UNKNOWN, join_code: "999999", guide: "x", slug: "x", folder: "x", file: "x" };
	await w.each(404, { ids: unknown, as: w.me }, one => one.names.length > 0 && !/\/upload$/.test(one.path) && !personal(one));
	await w.each(404, operation => ({ json: { data: { ...w.body(operation).data, type: "event", event_id: UNKNOWN } } }), one => one.key === "POST /saas/channel");
	await w.each(404, operation => ({ json: { data: { ...w.body(operation).data, stages: [{ stage_id: UNKNOWN, name: "x" }] } } }), one => one.key === "POST /saas/v2/event");
}

async function files(w) {
	const at = `/saas/glossary/${w.ids.glossary_id}/upload`, type = "multipart/form-data; boundary=b";
	const body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\na,b\r\n--b--\r\n";
	w.csv = { type, body };
	const up = operations.find(one => one.key === "POST /saas/glossary/{glossary_id}/upload");
	const rows = operations.find(one => one.key === "POST /saas/glossaries/rows");
	await w.expect(up, 404, { ...w.csv, ids: { glossary_id: UNKNOWN } });
	for (const one of [up, rows]) {
		await w.expect(one, 415, { type: "text/csv", body: "a,b" });
		await w.expect(one, 413, { type, body: body.replace("a,b", "a,b\r\n".repeat(250000)) });
		await w.expect(one, 422, { type, body: "--b--\r\n" });
		await w.expect(one, 400, { type, body: "--b\r\n" });
	}
	await w.expect(up, 200, w.csv);
	await w.expect(up, 409, w.csv);
	await w.service.ask({ path: at, as: w.me, headers: { "If-None-Match": "*" } });
}

// ---- states ----

async function states(w) {
	const find = key => operations.find(one => one.key === key), s = w.service;
	const of = (key, status, change) => w.expect(find(key), status, change);
	const request = `/saas/v2/event/{event_id}/requests/{request_id}`;
	await of("POST /auth/refresh", 401);
	for (const kind of ["whip", "whep"])
		await of(`POST /${kind}/{channel_id}`, 501, { type: "application/sdp", body: "v=0" });
	await of("POST /auth/passkey", 404);
	await of("DELETE /auth/passkey/{passkey_id}", 403);
	await of("GET /saas/v2/event/public/code/{join_code}", 200);
	await of("POST /auth/passkey/options", 404);
	await of("POST /auth/passkey/options", 401, { headers: { Authorization: "Bearer dgm_none" } });
	const signed_in = await s.must(201, { method: "POST", path: "/auth/token", json: { data: { invite: w.invite, remember: true } } });
	w.refresh = { headers: { Cookie: signed_in.headers["set-cookie"][0].split(";")[0] }, json: { data: { refresh_token: signed_in.data.refresh_token } } };
	const owner = (await s.must(200, { path: "/saas/members", as: w.me })).data.items.find(one => one.role === "owner");
	await of("PATCH /saas/member/{member_id}", 409, { ids: owner, json: { data: { role: "viewer" } } });
	await of("GET /languages/{language}/sample", 200, { ids: { language: "en" } });
	const as = { headers: { Authorization: `Bearer ${signed_in.data.token}` } };
	const { data: [{ sign_in_id }] } = await s.must(200, { path: "/auth/sign-ins", ...as });
	await of("DELETE /auth/sign-ins/{sign_in_id}", 200, { ids: { sign_in_id }, as: undefined, ...as });
	await of("DELETE /auth/sign-ins", 200);
	await of("POST /saas/v2/event/public/{event_id}/requests", 409, { json: { data: { type: "add_language", payload: { language: "de" } } } });
	await of(`POST ${request}/approve`, 200);
	await of(`POST ${request}/reject`, 409);
	// The backend refuses, or does not answer in time.
	let n = 0;
	await s.until("the backend", () => ({ method: "PATCH", path: `/saas/channel/${w.ids.channel_id}`, as: w.me,
		json: { data: { name: `Hall ${n++}` } } }), a => a.status === 200);
	for (const [fault, status] of [["refused", 502], ["silent", 504]]) {
		w.backend.fault = fault;
		await of("PATCH /saas/channel/{channel_id}", status, { json: { data: { name: `Hall ${status}`, target_languages: ["de", "fr"] } } });
	}
	const channel_id = (await s.must(201, { method: "POST", path: "/saas/channel", as: w.me, json: w.body({ key: "POST /saas/channel" }) })).data.channel_id;
	w.backend.fault = 0;
	await s.until("a channel", { path: `/saas/channel/${channel_id}`, as: w.me }, a => a.data.lifecycle_status === "ready");
	w.backend.fault = "silent";
	await of("DELETE /saas/channel/{channel_id}", 200, { ids: { channel_id } });
	await of("PATCH /saas/channel/{channel_id}", 409, { ids: { channel_id } });
	for (const change of ["retry", "stop", "resume"])
		await of(`POST /saas/channel/{channel_id}/${change}`, 409, { ids: { channel_id } });
	await of("GET /saas/channel/{channel_id}/speaker-token", 409, { ids: { channel_id } });
	await of("POST /saas/channel/{channel_id}/speaker-token", 409, { ids: { channel_id } });
	w.backend.fault = 0;
	for (const [fault, status] of [[500, 502], ["silent", 504], [0, 200]]) {
		w.engine.fault = fault;
		await of("POST /saas/voice/m/{voice_id}/tts-sample", status, {});
	}
}

// A message that a client fetches and settles, twice.
async function pulled(w) {
	const s = w.service, as = w.me, next = "/saas/webhook/{webhook_id}/pull";
	const of = (key, status, change) => w.expect(operations.find(one => one.key === key), status, change);
	const { webhook_id } = (await s.must(201, { method: "POST", path: "/saas/webhook", as, json: { data: { url: "http://127.0.0.1:3000/", events: ["*"], is_pulled: true } } })).data;
	await of(`POST ${next}`, 409);
	await of(`POST ${next}`, 200, { ids: { webhook_id } });
	await s.must(202, { method: "POST", path: `/saas/webhook/${webhook_id}/test`, as });
	const [{ delivery_id, lease_key }] = (await s.must(200, { method: "POST", path: `/saas/webhook/${webhook_id}/pull`, as })).data;
	for (const status of [200, 412])
		await of(`POST ${next}/{delivery_id}`, status, { ids: { webhook_id, delivery_id }, json: { data: { lease_key, status: "delivered", response_status: 204, response_ms: 5 } } });
}

// Faults of the database: one table is locked or renamed.
async function faults(w) {
	const tables = ["blobs", "events", "sessions", "join_codes"];
	const with_key = one => has(one, "Idempotency-Key");
	const during = async (sql, run) => {
		const psql = new Psql(process.env.PG);
		await psql.run(`BEGIN; ${sql}`);
		await run().finally(() => psql.end());
	};
	const locked = (tables, run) => during(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`, run);
	const twice = async () => {
		for (const operation of operations.filter(with_key)) {
			const wish = { headers: { "Idempotency-Key": `once-${asked}` } };
			const first = w.service.ask(w.wish(operation, wish));
			await nap(100);
			await w.expect(operation, 409, wish, ", under way");
			await first;
		}
	};
	const makes_token = one => one.says.responses[429] && one.path.startsWith("/auth/") && one.method === "POST";
	await during("SELECT pg_advisory_xact_lock(7239147110)", twice); // every transaction shares this lock
	const signed = (await w.service.ask({ path: `/saas/voice/m/${w.ids.voice_id}`, as: w.me })).data.tts_sample.url;
	const upload = (await w.service.ask({ method: "POST", path: "/saas/upload", as: w.me, json: w.body({ key: "POST /saas/upload" }) })).data[0];
	const rest = async status => {
		await w.each(status, {}, one => open(one) && /\/event\//.test(one.path), `, ${status}`);
		expect("a file", await w.service.ask({ path: new URL(signed).pathname + new URL(signed).search }), status);
		expect("metrics", await w.service.ask({ path: "/metrics" }), status);
	};
	const send = async (what, status) => expect(what, await w.service.send(upload, readFileSync(process.env.SPEECH)), status);
	const all_guarded = async (status, what) => {
		await w.each(status, {}, guarded, what);
		await w.each(status, one => one.path === "/auth/refresh" ? w.refresh : { as: w.me }, makes_token, what);
	};
	await locked("credentials", () => all_guarded(503, ", locked"));
	await locked("blobs, events, sessions, channels, jobs, join_codes", () => rest(503).then(() => send("an upload", 503)));
	const folder = join(w.service.dir, "var/blobs");
	renameSync(folder, `${folder}.gone`);
	writeFileSync(folder, "");
	await send("an upload to no folder", 500);
	rmSync(folder);
	renameSync(`${folder}.gone`, folder);
	const psql = new Psql(process.env.PG);
	await psql.run("ALTER TABLE credentials RENAME TO gone");
	await all_guarded(500, ", no table");
	await psql.run("ALTER TABLE gone RENAME TO credentials");
	for (const table of tables)
		await psql.run(`ALTER TABLE ${table} RENAME TO gone_${table}`);
	await rest(500);
	await psql.run("ALTER TABLE schema_versions RENAME TO gone_schema_versions");
	await w.each(503, {}, one => one.path === "/health", ", no table");
	await psql.run("ALTER TABLE gone_schema_versions RENAME TO schema_versions");
	for (const table of tables)
		await psql.run(`ALTER TABLE gone_${table} RENAME TO ${table}`);
	await psql.end();
}

async function full(w) {
	const forms = (await w.service.ask({ method: "POST", path: "/saas/upload", as: w.me, json: w.body({ key: "POST /saas/upload" }) })).data;
	const glossary_id = (await w.service.ask({ method: "POST", path: "/saas/glossary", as: w.me, json: w.body({ key: "POST /saas/glossary" }) })).data.glossary_id;
	instance("down");
	w.service = up(w, "--keep", "--set", "blob.reserve_bytes=4000000000000000000");
	await w.each(507, {}, one => one.key !== "POST /blobs" && !/upload$/.test(one.path) || one.key === "POST /saas/upload");
	await w.expect(operations.find(one => one.key === "POST /saas/glossary/{glossary_id}/upload"), 507, { ...w.csv, ids: { glossary_id } });
	expect("an upload to a full disk", await w.service.send(forms[0], readFileSync(process.env.SPEECH)), 507);
}

// ---- programs that are not there ----

// Replaces one program by one that exits at once; the web server answers for it.
async function dead(w) {
	const path = join(w.service.dir, "cgi-bin/system.fcgi"), share = join(w.service.dir, "share");
	for (const name of ["swagger.html", "web", "openapi.json", "asyncapi.json"])
		renameSync(join(share, name), join(share, `${name}.gone`));
	await w.each(500, {}, one => ["/openapi.json", "/asyncapi.json"].includes(one.path), ", no page");
	await w.each(404, {}, one => PAGES.includes(one.path), ", no page");
	const mine = one => one.says.tags[0] === "System" && open(one) && one.path !== "/metrics";
	for (const [script, status] of [["#!/bin/sh\nsleep 0.2\nexit 1\n", 503],
		[`#!${process.execPath}\nrequire("net").createServer(c => c.on("error", () => {}).once("data", () => c.destroy())).listen({ fd: 0 });\n`, 500]]) {
		writeFileSync(`${path}.new`, script);
		chmodSync(`${path}.new`, 0o755);
		renameSync(`${path}.new`, path);
		w.service.end_programs("system.fcgi");
		await nap(1500);
		// The status is 500 or 503, depending on when the web server last checked the
		// program.
		for (const operation of operations.filter(mine)) {
			asked++;
			await w.service.until(`${operation.key} ${status}`, w.wish(operation), a => a.status === status);
		}
	}
}

// Files are in a bucket.
async function bucket(w) {
	const s3 = await server_of(join(root, "build/tests/s3-server"));
	try {
		w.service = instance("up", "--server", SERVER, "--port", port, "--set", "blob.store=s3", "--set", `blob.endpoint=${s3.url}`,
			"--set", "blob.access_key=AK", "--set", "blob.secret_key=secret");
		const as = w.me = w.service.account("bucket");
		const target = (await w.service.must(200, { method: "POST", path: "/saas/upload", as, json: w.body({ key: "POST /saas/upload" }) })).data[0];
		await w.service.send(target, readFileSync(process.env.SPEECH));
		await w.service.until("a file in a bucket", { path: `/blobs/${target.blob_id}`, as }, a => a.status === 307);
		asked++;
	} finally {
		s3.end();
	}
}

function up(w, ...more) {
	const { admin_secret, admin_key } = JSON.parse(process.env.JANUS);
	const settings = ["db.busy_ms=400", "backend.timeout_ms=1500", "engine.timeout_ms=4000", "engine.allow_private=yes",
		"rate.public_per_min=400", "speech.sample=test", "engine.test.kind=openai", `engine.test.url=${w.engine.url}`, "engine.test.key=test-key",
		"broadcast.driver=janus", "janus.public_url=wss://media.example.org/janus", `janus.admin_url=${w.backend.url}`,
		`janus.admin_secret=${admin_secret}`, `janus.admin_key=${admin_key}`];
	return instance("up", "--server", SERVER, "--port", port, "--db", process.env.PG,
		...settings.flatMap(one => ["--set", one]), ...more);
}

(async () => {
	const w = new World(), engine = await server_of(join(root, "build/tests/engine-server"));
	w.backend = await door_before(JSON.parse(process.env.JANUS).admin_url);
	w.engine = await door_before(engine.url);
	try {
		w.service = up(w);
		await w.make();
		for (const part of [credentials, shapes, files, states, pulled, faults, full, dead])
			await part(w);
		instance("down");
		await bucket(w);
	} finally {
		instance("down");
		for (const one of [w.backend, w.engine, engine])
			one.end();
	}
	console.log(`statuses: ${asked} asked for, ${wrong} others came`);
	process.exit(wrong > 0 ? 1 : 0);
})();
