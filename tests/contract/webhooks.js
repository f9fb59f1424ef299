// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node webhooks.js INSTANCE
//
// Checks messages to webhooks with the library of the Standard Webhooks specification. The library
// must accept every message, also with both secrets during a rotation, and refuse messages that
// were changed or belong to another webhook.  Each message must match /openapi.json.
const http = require("node:http");
const { join } = require("node:path");
const { Webhook } = require("standardwebhooks");
const { Judge } = require("./judge.js");
const { Service } = require("./service.js");

const service = new Service(JSON.parse(process.argv[2]), join(__dirname, "../.."));
const got = [];
let wrong = 0, looked = 0;

function expect(what, holds) {
	looked++;
	if (holds)
		return;
	wrong++;
	console.log(`webhooks: not so: ${what}`);
}

function verified(secret, { body, headers }) {
	try {
		return new Webhook(secret).verify(body, headers);
	} catch {
		return undefined;
	}
}

// Refuses the first try of every second message, so that these are sent again.
const receiver = http.createServer((request, answer) => {
	const parts = [];
	request.on("data", part => parts.push(part)).on("end", () => {
		const id = request.headers["webhook-id"], again = got.some(one => one.headers["webhook-id"] === id);
		got.push({ body: Buffer.concat(parts).toString(), headers: request.headers });
		answer.writeHead(again || got.length % 2 ? 204 : 503).end();
	});
});

async function until(what, holds) {
	for (let i = 0; i < 600; i++, await new Promise(done => setTimeout(done, 100)))
		if (holds())
			return;
	throw new Error(`${what} is awaited in vain`);
}

// ---- messages of many types ----

const MORE = ["voice.failed", "voice.ready", "glossary.ready", "glossary.failed", "event.updated", "event.deleted",
	"channel.ready", "channel.deleted", "listener_request.created", "listener_request.decided", "webhook.test"];

// A recording of this many seconds: 16 bit, 16 kHz.
function wav(seconds) {
	const sound = Int16Array.from({ length: 16000 * seconds }, (_, i) =>
		6000 * Math.sin(i / 20) * Math.sin(i / 4000) + 3000 * Math.random());
	const head = Buffer.from("RIFF----WAVEfmt ----------------------data----", "latin1");
	head.writeUInt32LE(36 + sound.byteLength, 4);
	for (const [at, wide, value] of [[16, 4, 16], [20, 2, 1], [22, 2, 1], [24, 4, 16000], [28, 4, 32000], [32, 2, 2], [34, 2, 16]])
		head.writeUIntLE(value, at, wide);
	head.write("data", 36, "latin1");
	head.writeUInt32LE(sound.byteLength, 40);
	return Buffer.concat([head.subarray(0, 44), Buffer.from(sound.buffer)]);
}

async function clone(json, seconds) {
	const voice = (await json("/saas/voice/clone", { name: "Anna Virtanen",
		samples: [{ filename: "anna.wav", mime_type: "audio/wav", lang_code: "en" }] })).data;
	await service.send(voice.samples[0], seconds > 0 ? wav(seconds) : Buffer.alloc(120000, "x"));
}

async function import_terms(json, as, terms) {
	const { glossary_id } = (await json("/saas/glossary", { name: "Terms", glossary_type: "asr_hot", source_lang: "en" })).data;
	const form = new FormData();
	form.append("file", new Blob([terms], { type: "text/csv" }), "terms.csv");
	await fetch(`${service.base_url}/saas/glossary/${glossary_id}/upload`, { method: "POST", body: form,
		headers: { Authorization: `Bearer ${as.api_key}` } });
}

async function cause(json, as) {
	await Promise.all([clone(json, 5), clone(json, 0)]);
	await Promise.all([import_terms(json, as, "Dragoman\n"), import_terms(json, as, "one,two\n")]);
	const event = (await json("/saas/v2/event", { title: "Forum", event_type: "online", access_code: "FORUM26",
		utc_start_dt: "2036-01-01T08:00:00Z", utc_end_dt: "2036-01-01T09:00:00Z" })).data;
	const path = `/saas/v2/event/${event.event_id}`;
	await service.ask({ method: "PATCH", path, as, json: { data: { title: "Another forum" } } });
	await json("/saas/channel", { type: "event", event_id: event.event_id, name: "Hall", target_languages: ["es"] });
	const asked = (await service.must(201, { method: "POST", path: `/saas/v2/event/public/${event.event_id}/requests?code=FORUM26`,
		json: { data: { type: "add_language", payload: { language: "fr" } } } })).data;
	await json(`${path}/requests/${asked.request_id}/reject`, {});
	await until("channel.ready", () => types().includes("channel.ready"));
	await service.ask({ method: "DELETE", path, as });
}

const types = () => got.map(one => JSON.parse(one.body).type);

function described(judge, { body }) {
	const message = JSON.parse(body);
	const faults = judge.faults("answers",
		judge.doc.webhooks[message.type].post.requestBody.content["application/json"].schema, message);
	expect(`${message.type} is as described: ${faults}`, !faults);
}

async function main() {
	const as = service.account("webhooks"), json = (path, data) =>
		service.ask({ method: "POST", path, as, json: { data } });
	const url = `http://127.0.0.1:${receiver.address().port}/`;
	const hook = (await json("/saas/webhook", { url, events: ["*"] })).data;
	const path = `/saas/webhook/${hook.webhook_id}`, other = (await json("/saas/webhook", { url, events: ["event.live"] })).data;
	for (let i = 0; i < 10; i++) {
		const title = `Caf\u00e9 \u{1F399} ${i} </\\">`; // the exact bytes
		const event = (await json("/saas/v2/event", { title, event_type: "online",
			utc_start_dt: "2036-01-01T08:00:00Z", utc_end_dt: "2036-01-01T09:00:00Z" })).data;
		await until(`event ${i}`, () => got.some(one => one.body.includes(event.event_id)));
		const said = verified(hook.secret, got.find(one => one.body.includes(event.event_id)));
		expect("an event is verified", said && said.type === "event.created" && said.data.title === title);
	}
	await until("second tries", () => new Set(got.map(one => one.headers["webhook-id"])).size < got.length);
	const rotated = (await service.ask({ method: "POST", path: `${path}/rotate-secret`, as })).data;
	await service.ask({ method: "POST", path: `${path}/test`, as });
	await until("a test", () => got.some(one => /webhook[.]test/.test(one.body)));
	const test = got.find(one => /webhook[.]test/.test(one.body));
	expect("the old secret verifies it", verified(hook.secret, test));
	expect("the new secret verifies it", verified(rotated.secret, test));
	await cause(json, as);
	for (const type of MORE)
		await until(type, () => types().includes(type));
	const judge = new Judge((await (await fetch(`${service.base_url}/openapi.json`)).json()));
	for (const one of got) {
		const { headers, body } = one;
		described(judge, one);
		expect("each try is verified", verified(hook.secret, one));
		expect("another secret does not verify it", !verified(other.secret, one));
		expect("another body is not verified", !verified(hook.secret, { headers, body: body.replace("type", "Type") }));
		expect("another id is not verified", !verified(hook.secret, { body, headers: { ...headers, "webhook-id": "x" } }));
		expect("another time is not verified", !verified(hook.secret, { body,
			headers: { ...headers, "webhook-timestamp": `${headers["webhook-timestamp"] - 1}` } }));
	}
	console.log(`webhooks: ${got.length} messages of ${new Set(types()).size} types, ${looked} looks, ${wrong} wrong`);
}

receiver.listen(0, "127.0.0.1", () => main().catch(error => {
	console.log(`webhooks: ${error.stack}`);
	wrong++;
}).finally(() => process.exit(wrong ? 1 : 0)));
