// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// livekit-client in Chromium and Firefox: the actions of a speaker and a listener.
const assert = require("node:assert/strict");
const { nap } = require("./chromium.js");
const { Client, call, session_of, task } = require("./webrtc_service.js");

const versions = process.env.WEBRTC_VERSIONS.split(/\s+/).filter(name => name.startsWith("livekit-client@"))
	.map(name => name.replace("livekit-client@", ""));
const newest = versions[versions.length - 1];
const LOW = 220, HIGH = 440; // Hz, see lib/speech/engine_script.c

async function speaker_of(test, server, version, browser) {
	const session = await session_of(test, server);
	const speaker = await Client.open(test, version, browser);
	await speaker.connect(session.webrtc_url, session.publisher);
	return speaker;
}

async function speak(speaker, voices) {
	await speaker.tell("set_task", task(voices));
	await speaker.microphone(true);
}

async function first_sound(test, speaker, track = "translation_es") {
	const first = await speaker.hears(track, LOW);
	const { at } = await speaker.event("microphone", 1);
	test.seen.push(`first sound ${((first - at) / 1000).toFixed(1)} s after the microphone`);
}

// Speaks, is translated, pauses, continues, ends.
async function whole_run(test, speaker) {
	await speak(speaker);
	await first_sound(test, speaker);
	const { transcription } = await speaker.told("translated_transcription", 2);
	assert.equal(transcription.text, "[es] hello world");
	assert.equal(transcription.language, "es");

	await speaker.tell("pause_task");
	await speaker.tell("get_task", {});
	assert.equal((await speaker.told("current_task", 3)).task_status, "paused");
	await nap(2500); // speech before the pause is still translated
	const paused = await speaker.now();
	await nap(3000);
	assert.equal(await speaker.ask(`client.heard("translation_es", ${paused}).loud`), 0);

	const resumed = await speaker.now();
	await speaker.tell("set_task", task());
	await speaker.hears("translation_es", LOW, { from: resumed });
	await speaker.tell("get_task", {});
	assert.equal((await speaker.told("current_task", 3, resumed)).task_status, "running");

	await speaker.tell("end_task", { eos_timeout: 1 });
	await speaker.told("eos", 15);
	assert.deepEqual(await speaker.ask(`client.told("error")`), []);
	await speaker.ask("client.room.disconnect()");
}

const chromium = (version, server) => ({ title: `livekit-client ${version} in Chromium by ${server}`,
	async run(test) {
		await whole_run(test, await speaker_of(test, server, version));
	} });

// Firefox's microphone is an endless tone. Muting ends the phrase.
const firefox = (version, server) => ({ title: `livekit-client ${version} in Firefox by ${server}`,
	async run(test) {
		const speaker = await speaker_of(test, server, version, "firefox");
		await speak(speaker);
		await nap(2000);
		await speaker.microphone(false);
		await first_sound(test, speaker);
		const again = await speaker.now();
		await speaker.microphone(true);
		await nap(2000);
		await speaker.microphone(false);
		await speaker.hears("translation_es", LOW, { from: again });
		await speaker.tell("end_task", { eos_timeout: 1 });
		await speaker.told("eos", 15);
		assert.deepEqual(await speaker.ask(`client.told("error")`), []);
		await speaker.ask("client.room.disconnect()");
	} });

const two_tracks = { title: "two targets are two tracks",
	async run(test) {
		const speaker = await speaker_of(test, "apache", newest);
		await speak(speaker, { es: "default_low", fr: "default_high" });
		await speaker.hears("translation_es", LOW);
		await speaker.hears("translation_fr", HIGH);
		const { es, fr } = await speaker.ask(`({ es: client.tracks.translation_es.sid, fr: client.tracks.translation_fr.sid })`);
		assert.notEqual(es, fr);

		// One listener leaves, the other stays.
		const gone = await speaker.now();
		await speaker.tell("set_task", task({ fr: "default_high" }));
		await speaker.event("untrack", 10, gone);
		const left = await speaker.now();
		await speaker.hears("translation_fr", HIGH, { from: left });
		assert.equal(await speaker.ask("client.tracks.translation_fr.sid"), fr);

		// The client returns as another participant.
		await speaker.tell("set_task", task({ fr: "default_high", es: "default_low" }));
		await speaker.until(`client.tracks.translation_es.sid !== "${es}"`, 10, "a new track");
		await speaker.hears("translation_es", LOW, { from: left });
	} };

const refused = { title: "a wrong, a forged and a deleted session's token are refused with our words",
	async run(test) {
		const { webrtc_url, publisher } = await session_of(test, "apache");
		const other = await call("apache", "POST", "/session-storage/session", { subscriber_count: 0 });
		await call("apache", "DELETE", `/session-storage/sessions/${other.id}`);
		const [head, body, signature] = publisher.split(".");
		const tokens = { none: "nonsense", forged: [head, body, signature.replace(/^./, c => c === "A" ? "B" : "A")].join("."),
			deleted: other.publisher };
		for (const version of versions) {
			const page = await Client.open(test, version);
			for (const [name, token] of Object.entries(tokens)) {
				const { reason, status, message } = await page.ask(`client.connect(${JSON.stringify(webrtc_url)},
					${JSON.stringify(token)}).then(() => ({}), ({ reason, status, message }) => ({ reason, status, message }))`);
				const what = `${version} ${name}: ${reason} ${status} ${message}`;
				assert.equal(reason, 0, what); // ConnectionErrorReason.NotAllowed
				assert.equal(status, 401, what);
				assert.match(message, /invalid token: The credential is unknown or no longer valid\.$/, what);
			}
		}
	} };

const listener = { title: "a listener of a channel hears by one connection",
	async run(test) {
		const soon = hours => new Date(Date.now() + hours * 3600000).toISOString();
		const { event_id } = await call("lighttpd", "POST", "/saas/v2/event", { title: "Health Forum",
			event_type: "online", utc_start_dt: soon(-1), utc_end_dt: soon(3) });
		const { input } = await call("lighttpd", "POST", "/saas/channel", { type: "event", name: "Main",
			event_id, source_language: "en", target_languages: ["es", "de"] });
		const place = await call("lighttpd", "POST", `/saas/v2/event/public/${event_id}/join`, { language: "de" });
		const speaker = await Client.open(test, newest);
		await speaker.connect(place.webrtc_url, input.token);
		await speaker.microphone(true);
		const ear = await Client.open(test, "2.13.0");
		await ear.connect(place.webrtc_url, place.token);
		await ear.hears("translation_de", LOW);
		assert.deepEqual(await ear.ask("Object.keys(client.tracks)"), ["translation_de"]);
		assert.equal((await ear.ask("client.pairs()")).filter(Boolean).length, 1);
	} };

module.exports = { newest, LOW, speaker_of, speak, first_sound, cases: [
	chromium("2.13.0", "lighttpd"), chromium(newest, "apache"), chromium("2.9.0", "apache"),
	chromium("2.15.0", "lighttpd"), firefox("2.13.0", "apache"), firefox(newest, "lighttpd"),
	two_tracks, listener, refused] };
