// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node player.js BASE PLAYLIST INPUT_URL INPUT_TOKEN PHRASES
//
// Speaks phrases into a channel, and plays its HLS by hls.js in Chromium.  Prints a JSON object:
// the seconds from the end of each phrase to the first sound of its translation at the player, the
// seconds from that sound to its text (negative: the text came first), and the player's faults.
const { readFileSync } = require("node:fs");
const { Chromium } = require("../browser/chromium.js");

const [base, playlist, input, token, phrases] = process.argv.slice(2);
const GAP = 7; // s from the end of a phrase to the next
const LEAST = 1000; // ms that the sound takes at least: players keep three parts

// Plays, and notes when a tone of 220 Hz begins after a silence.
const PLAYER = `(() => {
	window.faults = [], window.tones = [], window.texts = [];
	const film = window.film = document.body.appendChild(document.createElement("video"));
	const player = window.player = new Hls({ lowLatencyMode: true });
	player.on(Hls.Events.ERROR, (_, { fatal, details }) => faults.push((fatal ? "fatal " : "") + details));
	player.on(Hls.Events.MANIFEST_PARSED, () => player.subtitleTrack = 0);
	player.loadSource(${JSON.stringify(playlist)});
	player.attachMedia(film);
	film.play();
	const context = window.context = new AudioContext({ latencyHint: "interactive" }), ear = context.createAnalyser();
	ear.fftSize = 4096;
	ear.smoothingTimeConstant = 0;
	context.createMediaElementSource(film).connect(ear);
	ear.connect(context.destination);
	const levels = new Float32Array(ear.frequencyBinCount), at = Math.round(220 * ear.fftSize / context.sampleRate);
	let loud = 0;
	setInterval(() => {
		ear.getFloatFrequencyData(levels);
		const now = Date.now();
		if (Math.max(levels[at - 1], levels[at], levels[at + 1]) < -45)
			return;
		if (now > loud + 500)
			tones.push(now);
		loud = now;
	}, 10);
	let shown = "";
	setInterval(() => {
		for (const track of film.textTracks) {
			track.mode = "hidden";
			const text = [...track.activeCues || []].map(cue => cue.startTime + cue.text).join();
			if (text && text !== shown)
				texts.push(Date.now());
			shown = text;
		}
	}, 20);
})()`;

// Speaks a tone of a second every GAP + 1 seconds, in real time.
const SPEAKER = `(() => {
	window.ends = [];
	const socket = new WebSocket(${JSON.stringify(`${input}?token=${encodeURIComponent(token)}`)});
	const send = (message_type, data = {}) => socket.send(JSON.stringify({ message_type, data }));
	socket.onmessage = ({ data }) => {
		const { message_type, data: { code } } = JSON.parse(data);
		if (message_type === "error" && code === "NOT_FOUND")
			setTimeout(send, 300, "get_task");
		if (message_type !== "current_task" || window.begun)
			return;
		const begun = window.begun = Date.now();
		let sent = 0;
		setInterval(() => {
			for (; sent * 100 < Date.now() - begun; sent++) {
				const s = new Int16Array(2400), phase = sent / 10 % ${GAP + 1};
				for (let i = 0; phase < 1 && i < s.length; i++)
					s[i] = 9000 * Math.sin((sent * 2400 + i) * 0.26);
				if (phase === 1)
					ends.push(Date.now());
				send("input_audio_data", { data: btoa(String.fromCharCode(...new Uint8Array(s.buffer))) });
			}
		}, 20);
	};
	socket.onopen = () => {
		send("set_task", { input_stream: { content_type: "audio", source: { type: "ws", format: "pcm_s16le", sample_rate: 24000, channels: 1 } },
			output_stream: { content_type: "audio", target: { type: "ws", format: "pcm_s16le" } },
			pipeline: { transcription: { source_language: "en" }, translations: [{ target_language: "es", speech_generation: {} }] } });
		send("get_task");
	};
})()`;

async function main() {
	const browser = new Chromium("/dev/null");
	try {
		const speaker = await (await browser.page()).open(`${base}/health`);
		await speaker.ask(SPEAKER);
		const page = await (await browser.page()).open(`${base}/health`);
		await page.ask(`${readFileSync(process.env.BROWSER_HLS_JS, "utf8")};true`);
		await page.until(`fetch(${JSON.stringify(playlist)}).then(answer => answer.ok)`, 60, "the playlist");
		await page.ask(PLAYER);
		await page.until(`tones.length >= ${Number(phrases) + 2}`, (GAP + 1) * (Number(phrases) + 8), "tones");
		const ends = await speaker.ask("ends"), { tones, texts, faults, latency } =
			await page.ask("({ tones, texts, faults, latency: player.latency })");
		const to_sound = [], to_text = [];
		for (const tone of tones.slice(2)) { // the first come while the player finds its place
			to_sound.push((tone - ends.filter(end => end < tone - LEAST).pop()) / 1000);
			const text = texts.reduce((best, one) => Math.abs(one - tone) < Math.abs(best - tone) ? one : best, 0);
			to_text.push((text - tone) / 1000);
		}
		console.log(JSON.stringify({ to_sound, to_text, latency, faults }));
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error);
	process.exitCode = 1;
});
