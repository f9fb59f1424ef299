"use strict";
// usage: node webhooks.js INSTANCE
//
// What is sent to webhooks, before the library of the Standard Webhooks specification:
// it takes every message, also with both secrets of a rotation, and none that was
// changed or is for another webhook.
const http = require("node:http");
const { join } = require("node:path");
const { Webhook } = require("standardwebhooks");
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

// Takes every second message at its first try, so the others come twice.
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

async function main() {
	const as = service.account("webhooks"), json = (path, data) =>
		service.ask({ method: "POST", path, as, json: { data } });
	const url = `http://127.0.0.1:${receiver.address().port}/`;
	const hook = (await json("/saas/webhook", { url, events: ["*"] })).data;
	const path = `/saas/webhook/${hook.webhook_id}`, other = (await json("/saas/webhook", { url, events: ["event.live"] })).data;
	for (let i = 0; i < 10; i++) {
		const title = `Caf\u00e9 \u{1F399} ${i} </\\">`; // as it is, byte for byte
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
	for (const one of got) {
		const { headers, body } = one;
		expect("each try is verified", verified(hook.secret, one));
		expect("another secret does not verify it", !verified(other.secret, one));
		expect("another body is not verified", !verified(hook.secret, { headers, body: body.replace("type", "Type") }));
		expect("another id is not verified", !verified(hook.secret, { body, headers: { ...headers, "webhook-id": "x" } }));
		expect("another time is not verified", !verified(hook.secret, { body,
			headers: { ...headers, "webhook-timestamp": `${headers["webhook-timestamp"] - 1}` } }));
	}
	console.log(`webhooks: ${got.length} messages, ${looked} looks, ${wrong} wrong`);
}

receiver.listen(0, "127.0.0.1", () => main().catch(error => {
	console.log(`webhooks: ${error.stack}`);
	wrong++;
}).finally(() => process.exit(wrong ? 1 : 0)));
