#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// livekit-client in Chromium: a speaker of a session, and its listener in another page.
const assert = require("node:assert/strict");
const { open } = require("./browser.js");
const { run } = require("./report.js");

const { BASE_URL, API_KEY } = process.env;
const task = {
	input_stream: { content_type: "audio", source: { type: "webrtc" } },
	output_stream: { content_type: "audio", target: { type: "webrtc" } },
	pipeline: { transcription: { source_language: "en" }, translations: [{ target_language: "es" }],
		allowed_message_types: ["translated_transcription"] },
};

// Runs in the page: one client of the room.
async function join(name, url, token) {
	const { Room, RoomEvent } = await import("/livekit-client/dist/livekit-client.esm.mjs");
	const room = new Room(), mine = { room, texts: [], types: [], loud: 0 };
	room.on(RoomEvent.DataReceived, bytes => {
		const { message_type, data } = JSON.parse(new TextDecoder().decode(bytes));
		mine.types.push(message_type);
		if (message_type === "translated_transcription")
			mine.texts.push(data.transcription.text);
	});
	room.on(RoomEvent.TrackSubscribed, (track, publication) => {
		if (publication.trackName !== "translation_es")
			return;
		document.body.append(track.attach());
		const context = new AudioContext(), analyser = context.createAnalyser();
		const samples = new Float32Array(analyser.fftSize);
		context.createMediaStreamSource(new MediaStream([track.mediaStreamTrack])).connect(analyser);
		setInterval(() => {
			analyser.getFloatTimeDomainData(samples);
			mine.loud += samples.some(s => Math.abs(s) > 0.05) ? 1 : 0;
		}, 50);
	});
	mine.say = (message_type, data = {}) => room.localParticipant.publishData(
		new TextEncoder().encode(JSON.stringify({ message_type, data })), { reliable: true });
	window[name] = mine;
	await room.connect(url, token);
}

async function call(method, path, data) {
	const answer = await fetch(BASE_URL + path, { method, body: data && JSON.stringify({ data }),
		headers: { Authorization: `Bearer ${API_KEY}`, "Content-Type": "application/json" } });
	assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
	return JSON.parse(await answer.text() || "{}").data;
}

(async () => {
	const { page, close } = await open();
	const session = await call("POST", "/session-storage/session", { subscriber_count: 1 });
	const enter = (name, token) =>
		page.ask(`(${join})(${[name, session.webrtc_url, token].map(text => JSON.stringify(text)).join()})`);
	await run({
		"a wrong token is refused": () =>
			assert.rejects(enter("nobody", "wrong")),
		"a speaker and a listener: texts and sound": async () => {
			await enter("listener", session.subscriber[0]);
			await enter("speaker", session.publisher);
			await page.ask(`speaker.say("set_task", ${JSON.stringify(task)})`);
			await page.ask("speaker.room.localParticipant.setMicrophoneEnabled(true)");
			for (const name of ["speaker", "listener"]) {
				await page.until(`${name}.texts.length > 1 && ${name}.loud > 20`, 10);
				assert.ok(await page.ask(`${name}.texts.every(text => text === "[es] hello world")`));
			}
		},
		"end: the last phrase, eos, no error": async () => {
			await page.ask(`speaker.say("end_task", { eos_timeout: 1 })`);
			await page.until(`speaker.types.includes("eos")`, 10);
			assert.ok(!await page.ask(`speaker.types.includes("error")`));
			await page.ask("speaker.room.disconnect()");
			await call("DELETE", `/session-storage/sessions/${session.id}`);
		},
	}, close);
})();
