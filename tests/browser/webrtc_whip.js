// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// A page of another origin that speaks by WHIP and listens by WHEP, without any library.
const assert = require("node:assert/strict");
const { once } = require("node:events");
const { createServer } = require("node:http");
const { call, servers } = require("./webrtc_service.js");

function client() {
	const mine = window.mine = { loud: 0 };
	const bearer = token => token ? { Authorization: `Bearer ${token}` } : {};

	async function offer(url, token) {
		await mine.connection.setLocalDescription();
		mine.begun = performance.now();
		const answer = await fetch(url, { method: "POST", body: mine.connection.localDescription.sdp,
			headers: { "Content-Type": "application/sdp", ...bearer(token) } });
		if (answer.status !== 201)
			throw new Error(await answer.text());
		mine.end = () => fetch(answer.headers.get("Location"), { method: "DELETE", headers: bearer(token) }).then(done => done.status);
		await mine.connection.setRemoteDescription({ type: "answer", sdp: await answer.text() });
	}

	function listen({ track }) {
		const context = new AudioContext(), analyser = context.createAnalyser(), samples = new Float32Array(2048);
		const audio = Object.assign(document.createElement("audio"), { srcObject: new MediaStream([track]), autoplay: true });
		document.body.append(audio);
		context.createMediaStreamSource(audio.srcObject).connect(analyser);
		setInterval(() => {
			analyser.getFloatTimeDomainData(samples);
			if (samples.some(one => Math.abs(one) > 0.05) && mine.loud++ === 0)
				mine.first = performance.now() - mine.begun;
		}, 20);
	}

	mine.speak = async (url, token) => {
		const media = await navigator.mediaDevices.getUserMedia({ audio: true });
		mine.connection = new RTCPeerConnection();
		mine.connection.addTransceiver(media.getTracks()[0], { direction: "sendonly" });
		await offer(url, token);
	};
	mine.listen = async (url, token) => {
		mine.connection = new RTCPeerConnection();
		mine.connection.addTransceiver("audio", { direction: "recvonly" });
		mine.connection.ontrack = listen;
		await offer(url, token);
	};
}

async function page_of(test, browser) {
	const server = createServer((asked, told) =>
		told.setHeader("Content-Type", "text/html").end(`<!doctype html><body><script>(${client})()</script>`));
	await once(server.listen(0, "127.0.0.1"), "listening");
	test.after.push(async () => server.close());
	const page = await test.page(browser);
	await page.open(`http://127.0.0.1:${server.address().port}/`);
	return page;
}

async function channel_at(server) {
	const event = await call(server, "POST", "/saas/v2/event", { title: "Forum", event_type: "online",
		utc_start_dt: "2036-01-01T08:00:00Z", utc_end_dt: "2036-01-01T09:00:00Z" });
	return call(server, "POST", "/saas/channel", { type: "event", event_id: event.event_id, name: "Hall",
		source_language: "en", target_languages: ["es"] });
}

const both = (server, browser) => ({ title: `a page speaks by WHIP and one listens by WHEP in ${browser}, by ${server}`,
	async run(test) {
		const { channel_id, input } = await channel_at(server), { base_url } = servers[server];
		const listener = await page_of(test, browser), speaker = await page_of(test, browser);
		await listener.ask(`mine.listen("${base_url}/whep/${channel_id}?language=es")`);
		await speaker.ask(`mine.speak("${base_url}/whip/${channel_id}", "${input.token}")`);
		await speaker.until("mine.connection.connectionState === 'connected'", 10, "WHIP to connect");
		await listener.until("mine.loud > 20", 20, "the translation to be heard");
		for (const page of [speaker, listener])
			assert.equal(await page.ask("mine.end()"), 200);
		await speaker.until("['disconnected', 'failed', 'closed'].includes(mine.connection.connectionState)", 20, "the end");
	} });

module.exports = { cases: [both("lighttpd", "chromium"), both("apache", "chromium"), both("apache", "firefox")] };
