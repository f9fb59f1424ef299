// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node sockets.js INSTANCE
//
// Causes socket messages that the end-to-end suites do not cause: warnings to listeners, partial
// texts of one language, translations of speech to text, and all messages of text to speech.
const { join } = require("node:path");
const WebSocket = require("ws");
const { Service } = require("./service.js");

const service = new Service(JSON.parse(process.argv[2]), join(__dirname, "../.."));
const nap = ms => new Promise(done => setTimeout(done, ms));

class Socket {
	constructor(url) {
		this.got = [];
		this.ws = new WebSocket(url);
		this.ws.on("message", data => this.got.push(JSON.parse(data.toString())));
		this.open = new Promise((done, fail) => this.ws.on("open", done).on("error", fail));
	}

	say(type, data) {
		this.ws.send(JSON.stringify({ message_type: type, data }));
	}

	// Returns the first message of the type, which may already have arrived.
	async hear(type) {
		for (let i = 0; i < 600; i++, await nap(100)) {
			const found = this.got.find(one => one.message_type === type);
			if (found)
				return found;
		}
		throw new Error(`no ${type} came, but ${[...new Set(this.got.map(one => one.message_type))]}`);
	}
}

// A tone, which the script engine takes for speech, and silence: 16 bit, 16 kHz.
function tone(seconds) {
	const samples = Int16Array.from({ length: 16000 * (seconds + 1) }, (_, i) =>
		i < 16000 * seconds ? 8000 * Math.sin(2 * Math.PI * 300 * i / 16000) : 0);
	return Buffer.from(samples.buffer);
}

async function begin(speaker) {
	speaker.say("set_task", {
		input_stream: { source: { format: "pcm_s16le", sample_rate: 16000 } },
		pipeline: { transcription: { source_language: "en" },
			translations: [{ target_language: "es", translate_partial_transcriptions: true }] } });
	for (let i = 0; i < 300 && !speaker.got.some(one => one.message_type === "current_task"); i++, await nap(100))
		speaker.say("get_task", {});
}

// Sends faster than real time, but slowly enough for partial texts.
async function speak(sockets, make) {
	for (const socket of sockets)
		await socket.open;
	for (const chunk of make)
		await nap(200), sockets[0].say("input_audio_data", { data: chunk.toString("base64") });
}

function* chunks_of(pcm) {
	for (let at = 0; at < pcm.length; at += 10240)
		yield pcm.subarray(at, at + 10240);
}

async function listeners() {
	const made = await service.must(201, { method: "POST", path: "/session-storage/session",
		as: service, json: { data: { subscriber_count: 1 } } });
	const { ws_url, publisher, subscriber } = made.data;
	const speaker = new Socket(`${ws_url}?token=${publisher}`);
	await speaker.open;
	await begin(speaker);
	const all = ["es", "original"].map(language =>
		new Socket(`${ws_url}?token=${subscriber[0]}&language=${language}`));
	await speak([speaker, ...all], chunks_of(tone(4)));
	await all[0].hear("partial_translated_transcription");
	await all[1].hear("partial_transcription");
	speaker.say("tts_task", { text: "fault-tts", language: "es" });
	await all[0].hear("warning");
	speaker.say("interrupt_task", {});
	speaker.say("end_task", { force: true });
}

async function speech_to_text(base) {
	const socket = new Socket(`${base}/asr/v1/speech-to-text/stream?token=${service.api_key}&language=en&translate_languages=es`);
	await socket.open;
	for (const chunk of chunks_of(tone(8)))
		socket.ws.send(chunk); // at once, which is too fast
	await socket.hear("warning");
	await socket.hear("translated_transcription");
	socket.ws.close();
}

async function text_to_speech(base) {
	const socket = new Socket(`${base}/tts-api/v1/text-to-speech/stream?token=${service.api_key}`);
	const init = { type: "init", language: "en", voice_options: { voice_id: "nobody" }, output: { format: "pcm" } };
	await socket.open;
	for (const one of [init, { type: "text", text: "Curious minds think alike.", is_eos: true }])
		socket.ws.send(JSON.stringify(one));
	await socket.hear("audio_chunk");
	await socket.hear("warning");
	socket.ws.send(JSON.stringify(init));
	await socket.hear("error");
	socket.ws.send(JSON.stringify({ type: "reset_context" }));
	socket.ws.send(JSON.stringify({ type: "cancel" }));
	socket.ws.close();
}

(async () => {
	const base = service.base_url.replace(/^http/, "ws");
	await Promise.all([listeners(base), speech_to_text(base), text_to_speech(base)]);
	console.log("sockets: every message came");
})().catch(error => {
	console.log(`sockets: FAILED: ${error.stack}`);
	process.exitCode = 1;
}).finally(() => setTimeout(() => process.exit(), 500));
