// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The pages with a Janus: an AudioBridge receives the speaker's sound, a mountpoint sends sound to
// listeners.
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { createSocket } = require("node:dgram");
const { nap } = require("./chromium.js");
const { open, end, leave, state, is_clean } = require("./pages.js");
const { janus, janus_tell, page_of } = require("./service.js");

const url = `http://127.0.0.1:${janus.port}/janus`;

// Receives RTP packets: a header of 12 bytes, then G.711 mu-law.
async function receive_rtp() {
	const socket = createSocket("udp4");
	socket.packets = [];
	socket.on("message", packet => socket.packets.push(packet));
	await new Promise(done => socket.bind(0, "127.0.0.1", done));
	socket.unref();
	return socket;
}

const height_of = byte => ((((~byte & 15) << 3) + 132 << ((~byte >> 4) & 7)) - 132) / 32768;
const loudest = packets => Math.max(0, ...packets.flatMap(packet =>
	[...packet.subarray(12)].map(height_of)));

const present = async room => (await janus_tell("audiobridge",
	{ request: "listparticipants", room })).participants;

async function await_present(room, wanted) {
	for (let i = 0; i < 100; i++) {
		const all = await present(room);
		if (all.some(wanted))
			return;
		await nap(100);
	}
	assert.fail(`room ${room}: ${JSON.stringify(await present(room))}`);
}

async function make_room(room) {
	await janus_tell("audiobridge", { request: "create", room, pin: "1234", secret: "s",
		sampling_rate: 48000, is_private: true, permanent: false });
	const ear = await receive_rtp();
	await janus_tell("audiobridge", { request: "rtp_forward", room, secret: "s", codec: "pcmu",
		host: "127.0.0.1", port: ear.address().port, always_on: false });
	return ear;
}

async function a_microphone_is_heard_in_a_room(browser) {
	const ear = await make_room("hall");
	const wrong = await open(browser, page_of("speaker", { webrtc_url: url, room: "hall", pin: "9" }));
	await wrong.until("/Unauthorized/.test(error.textContent)", 5);
	await end(wrong);
	const page = await open(browser, page_of("speaker", { webrtc_url: url, room: "hall", pin: "1234" }));
	await state(page, "running");
	await await_present("hall", one => one.display === "speaker" && one.setup && !one.muted);
	await nap(3000);
	const heard = ear.packets.splice(0);
	assert.ok(heard.length > 100, `${heard.length} packets`);
	assert.ok(loudest(heard) > 0.05, `a height of ${loudest(heard)}`);

	await page.click("start");
	await state(page, "paused");
	await nap(1000); // sound that is still being sent
	ear.packets = [];
	await nap(2000);
	assert.ok(loudest(ear.packets) < 0.01, `a height of ${loudest(ear.packets)} in the pause`);
	await page.click("start");
	await state(page, "running");
	await nap(2500);
	assert.ok(loudest(ear.packets) > 0.05, "it goes on");

	// The room is lost and created again, as after a restart of Janus.
	await janus_tell("audiobridge", { request: "destroy", room: "hall", secret: "s" });
	await page.until("/The sound was lost/.test(error.textContent)", 5);
	await make_room("hall");
	await await_present("hall", one => one.setup);
	assert.deepEqual(page.requests.filter(one => !one.startsWith(url) && !one.startsWith("data:") &&
		!one.startsWith(new URL(page_of("speaker")).origin)), []);
	await end(page);
	assert.deepEqual(page.complaints, []);
}

async function a_mountpoint_is_heard_by_a_listener(browser) {
	const { stream } = await janus_tell("streaming", { request: "create", type: "rtp", id: "hall-es",
		pin: "1234", is_private: true, permanent: false,
		media: [{ type: "audio", mid: "audio", codec: "opus", pt: 111, port: 0 }] });
	const player = spawn("ffmpeg", ["-v", "error", "-re", "-f", "lavfi",
		"-i", "sine=frequency=440:sample_rate=48000", "-ac", "2", "-c:a", "libopus", "-f", "rtp",
		"-payload_type", "111", `rtp://127.0.0.1:${stream.ports[0].port}`], { stdio: "ignore" });
	try {
		const page = await open(browser, page_of("listener",
			{ webrtc_url: url, mountpoint: "hall-es", pin: "1234", language: "es" }));
		await state(page, "live");
		await page.until("audio.srcObject && audio.currentTime > 0.5", 5, "sound to be played");
		const sounds = await page.ask("sounds_of(audio.srcObject.getTracks()[0], 2)");
		const longest = sounds.sort((a, b) => b.seconds - a.seconds)[0];
		assert.ok(longest && longest.seconds > 1, JSON.stringify(sounds));
		assert.ok(Math.abs(longest.hz - 440) < 2, `440 Hz are heard as ${longest.hz}`);
		await leave(page);
		await page.until("live.hidden && audio.srcObject === null", 5);
		assert.deepEqual(page.complaints, []);
	} finally {
		player.kill();
	}
}

module.exports = { cases: [a_microphone_is_heard_in_a_room, a_mountpoint_is_heard_by_a_listener] };
