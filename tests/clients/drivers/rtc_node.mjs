#!/usr/bin/env node
// @livekit/rtc-node. It has the same Rust core as LiveKit's packages for Python.

// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import report from "./report.js";

// The library also writes log lines to standard output.
const rows = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...more) => text.startsWith("{") ? process.stderr.write(text, ...more) : rows(text, ...more);

const { BASE_URL, API_KEY, CLIENT_HOME, SOUNDS } = process.env;
const { AudioFrame, AudioSource, AudioStream, LocalAudioTrack, Room, RoomEvent, TrackPublishOptions,
	TrackSource, dispose } = createRequire(`${CLIENT_HOME}/package.json`)("@livekit/rtc-node");
const RATE = 48000, FRAME = RATE / 100;
const task = {
	input_stream: { content_type: "audio", source: { type: "webrtc" } },
	output_stream: { content_type: "audio", target: { type: "webrtc" } },
	pipeline: { transcription: { source_language: "en" }, translations: [{ target_language: "es" }],
		allowed_message_types: ["translated_transcription"] },
};

async function call(method, path, data) {
	const answer = await fetch(BASE_URL + path, { method, body: data && JSON.stringify({ data }),
		headers: { Authorization: `Bearer ${API_KEY}`, "Content-Type": "application/json" } });
	assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
	return JSON.parse(await answer.text() || "{}").data;
}

class Client {
	texts = [];
	types = [];
	loud = 0; // frames of 10 ms

	async join(url, token) {
		this.room = new Room();
		this.room.on(RoomEvent.DataReceived, bytes => {
			const { message_type, data } = JSON.parse(new TextDecoder().decode(bytes));
			this.types.push(message_type);
			if (message_type === "translated_transcription")
				this.texts.push(data.transcription.text);
		});
		this.room.on(RoomEvent.TrackSubscribed, (track, { name }) => name === "translation_es" && this.hear(track));
		await this.room.connect(url, token, { autoSubscribe: true, dynacast: false });
		return this;
	}

	async hear(track) {
		for await (const { data } of new AudioStream(track, 24000, 1))
			this.loud += data.some(s => Math.abs(s) > 1000) ? 1 : 0;
	}

	say(message_type, data = {}) {
		return this.room.localParticipant.publishData(
			new TextEncoder().encode(JSON.stringify({ message_type, data })), { reliable: true });
	}

	async speak() {
		const source = new AudioSource(RATE, 1), options = new TrackPublishOptions();
		options.source = TrackSource.SOURCE_MICROPHONE;
		await this.room.localParticipant.publishTrack(LocalAudioTrack.createAudioTrack("microphone", source), options);
		const wav = readFileSync(`${SOUNDS}/phrases-48000.wav`).subarray(-9 * RATE * 2);
		const samples = new Int16Array(wav.buffer.slice(wav.byteOffset, wav.byteOffset + wav.length));
		for (let i = 0; i + FRAME <= samples.length; i += FRAME)
			await source.captureFrame(new AudioFrame(samples.slice(i, i + FRAME), RATE, 1, FRAME));
	}

	async until(what, has) {
		for (const end = Date.now() + 20000; Date.now() < end; await report.nap(20))
			if (has(this))
				return;
		throw new Error(`${what} is awaited in vain: ${this.texts.length} texts, ${this.loud} frames`);
	}
}

const session = await call("POST", "/session-storage/session", { subscriber_count: 1 });
let speaker, listener;
await report.run({
	"a wrong token is refused": () => assert.rejects(new Client().join(session.webrtc_url, "wrong")),
	"a speaker and a listener: texts and sound": async () => {
		listener = await new Client().join(session.webrtc_url, session.subscriber[0]);
		speaker = await new Client().join(session.webrtc_url, session.publisher);
		await speaker.say("set_task", task);
		await speaker.speak();
		for (const one of [speaker, listener]) {
			await one.until("three texts", ({ texts }) => texts.length === 3);
			await one.until("sound", ({ loud }) => loud > 50);
			assert.ok(one.texts.every(text => text === "[es] hello world"));
		}
	},
	"end: the last phrase, eos, no error": async () => {
		await speaker.say("end_task", { eos_timeout: 1 });
		await speaker.until("eos", ({ types }) => types.includes("eos"));
		assert.ok(!speaker.types.includes("error"));
		await speaker.room.disconnect();
		await listener.room.disconnect();
		await call("DELETE", `/session-storage/sessions/${session.id}`);
	},
}, dispose);
