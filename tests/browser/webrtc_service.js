// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The two instances for WebRTC cases, the network in front of them, and clients of rooms.
const assert = require("node:assert/strict");
const { readdirSync, readlinkSync } = require("node:fs");
const { PageServer } = require("./livekit_page.js");
const { Relay } = require("./relay.js");

const servers = { apache: JSON.parse(process.env.WEBRTC_APACHE),
	lighttpd: JSON.parse(process.env.WEBRTC_LIGHTTPD) };
const packages = process.env.WEBRTC_PACKAGES;
const pages = new PageServer(packages);
const relay = new Relay(); // relay in front of the instance behind lighttpd

async function open() {
	await pages.open();
	const port = +process.env.WEBRTC_RELAYED;
	await relay.open("10.0.0.2", port, "10.0.0.1", port);
}

// The address of a room by a proxy that can be cut.
async function by_wire(webrtc_url) {
	const url = new URL(webrtc_url);
	const wire = await new Relay().open("127.0.0.1", 0, url.hostname, +url.port);
	url.port = wire.port;
	return { wire, url: url.href };
}

async function call(server, method, path, data) {
	const { base_url, api_key } = servers[server];
	const answer = await fetch(base_url + path, { method,
		headers: { Authorization: `Bearer ${api_key}`, "Content-Type": "application/json" },
		body: data && JSON.stringify({ data }) });
	const text = await answer.text();
	assert.ok(answer.ok, `${method} ${path}: ${text}`);
	return text && JSON.parse(text).data;
}

// Deletes the session after the test, because an account may have ten at once.
async function session_of(test, server) {
	const session = await call(server, "POST", "/session-storage/session", { subscriber_count: 0 });
	test.after.push(() => call(server, "DELETE", `/session-storage/sessions/${session.id}`));
	return session;
}

// voices: the voice id for each language.
const task = (voices = { es: "default_low" }) => ({
	input_stream: { content_type: "audio", source: { type: "webrtc" } },
	output_stream: { content_type: "audio", target: { type: "webrtc" } },
	pipeline: {
		transcription: { source_language: "en" },
		translations: Object.entries(voices).map(([target_language, voice_id]) =>
			({ target_language, speech_generation: { voice_id } })),
		allowed_message_types: ["translated_transcription", "validated_transcription"],
	},
});

// Ends a gateway with SIGTERM; the next one starts.
function end_gateway(server) {
	const program = `${servers[server].dir}/bin/gateway`;
	const mine = readdirSync("/proc").filter(pid => {
		try {
			return readlinkSync(`/proc/${pid}/exe`).startsWith(program);
		} catch {
			return false;
		}
	});
	assert.ok(mine.length > 0, "a gateway is at work");
	for (const pid of mine)
		process.kill(pid, "SIGTERM");
}

// A page with this version of livekit-client.
class Client {
	static async open(test, version, browser) {
		const client = new Client();
		client.test = test;
		client.page = await test.page(browser);
		await client.page.open(pages.url(version));
		return client;
	}

	ask(expression) {
		return this.page.ask(expression);
	}

	until(expression, seconds, what) {
		return this.page.until(expression, seconds, what);
	}

	now() {
		return this.ask("client.now()");
	}

	async connect(url, token) {
		await this.ask(`client.connect(${JSON.stringify(url)}, ${JSON.stringify(token)})`);
		const [connecting, connected] = await this.ask(
			"['connecting', 'connected'].map(what => client.events.find(e => e.what === what))");
		this.test.seen.push(`connected ${Math.round(connected.at - connecting.at)} ms`);
		assert.equal(connected.others.length, 1);
		assert.match(connected.others[0], /^palabra_translator_[0-9A-Za-z]{8}$/);
		return this.translator = connected.others[0];
	}

	tell(type, data) {
		return this.ask(`client.tell(${JSON.stringify(type)}, ${JSON.stringify(data)})`);
	}

	microphone(on) {
		return this.ask(`client.microphone(${on})`);
	}

	event(what, seconds, from = 0) {
		return this.until(`client.events.find(e => e.what === "${what}" && e.at >= ${from})`, seconds, what);
	}

	// Waits until a sine of this pitch is heard on this track; returns the first moment.
	async hears(track, hz, { from = 0, seconds = 15, least = 4 } = {}) {
		const heard = `client.heard("${track}", ${from})`;
		await this.until(`${heard}.loud >= ${least}`, seconds, `${track} to be heard`);
		const { hz: is, first } = await this.ask(heard);
		assert.ok(Math.abs(is - hz) < 6, `${track}: ${is} Hz, not ${hz}`);
		return first;
	}

	// Waits for a message of this type after this moment; returns its data.
	async told(type, seconds, from = 0) {
		const { data } = await this.until(`client.told("${type}", ${from})[0]`, seconds, type);
		return data;
	}
}

module.exports = { servers, packages, relay, open, by_wire, end_gateway, close: () => relay.close(), call, session_of, task, Client };
