// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// usage: node ring.js
//
// Tests the worklet that plays speech, without a browser. Speech in time is played unchanged, late
// speech is played faster at the same pitch, and speech that is much too late is skipped.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { runInNewContext } = require("node:vm");

const RATE = 48000, HZ = 220;

function ring() {
	let Ring;
	const told = [];
	class Processor {
		port = { postMessage: message => told.push(message) };
	}
	runInNewContext(readFileSync(join(__dirname, "../../web/shared/ring.js"), "utf8"), { sampleRate: RATE,
		AudioWorkletProcessor: Processor, registerProcessor: (_, of) => Ring = of, Float32Array, Math });
	return { ring: new Ring(), told };
}

const tone = (seconds, hz = HZ) => Float32Array.from({ length: seconds * RATE }, (_, i) => 0.5 * Math.sin(2 * Math.PI * hz * i / RATE));

// Pieces of 200 ms, as the service sends them.
function put(to, samples, phrase) {
	for (let at = 0; at < samples.length; at += RATE / 5)
		to.add({ samples: samples.subarray(at, at + RATE / 5), phrase, last: at + RATE / 5 >= samples.length });
}

function play(from, seconds) {
	const all = [];
	for (let i = 0; i < seconds * RATE / 128; i++) {
		const out = new Float32Array(128);
		from.process([], [[out]]);
		all.push(...out);
	}
	return all;
}

function pitch(samples) {
	const times = [];
	let last = null;
	for (let i = 1; i < samples.length; i++)
		if (samples[i - 1] < 0 && samples[i] >= 0) {
			if (last !== null)
				times.push(i - last);
			last = i;
		}
	return RATE / times.sort((a, b) => a - b)[times.length >> 1];
}

const loud = samples => samples.filter(one => one !== 0).length / RATE;
const step = samples => Math.max(...samples.slice(1).map((one, i) => Math.abs(one - samples[i])));

const cases = {
	"what is in time is played as it is"() {
		const { ring: one, told } = ring(), said = tone(2.5);
		put(one, said, "a");
		const heard = play(one, 3);
		const at = heard.findIndex(sample => sample !== 0) - 1;
		assert.deepEqual(heard.slice(at, at + said.length), [...said]);
		assert.equal(JSON.stringify(told), JSON.stringify([{ drained: true }]));
	},
	"what is late is played faster, in the same voice"() {
		const { ring: one } = ring();
		put(one, tone(4), "a");
		put(one, tone(4), "b"); // 5 s more than the service sends ahead
		const heard = play(one, 2);
		const read = one.read / RATE;
		assert.ok(read > 2 * 1.08 && read < 2 * 1.3, `${read} s are played in 2 s`);
		assert.ok(Math.abs(pitch(heard) - HZ) < 2, `${pitch(heard)} Hz`);
		assert.ok(step(heard) < 0.5 * 2 * Math.PI * HZ / RATE * 2, `a step of ${step(heard)}`);
	},
	"once it is in time again it is played as it is"() {
		const { ring: one } = ring();
		put(one, tone(4), "a");
		put(one, tone(1), "b");
		play(one, 4);
		assert.ok(one.late < 1.5);
		const before = one.read;
		play(one, 0.5);
		assert.ok(Math.abs(one.read - before - RATE / 2) <= 128);
	},
	"much too late it goes on with the newest phrase"() {
		const { ring: one, told } = ring();
		for (const name of ["a", "b", "c"])
			put(one, tone(3, 330), name);
		put(one, tone(1.5), "newest");
		assert.ok(told.some(message => message.skipped));
		const heard = play(one, 2);
		assert.ok(Math.abs(pitch(heard) - HZ) < 2, `${pitch(heard)} Hz`);
		assert.ok(loud(heard) < 1.6);
	},
	"a gap in a phrase makes what follows late"() {
		const { ring: one } = ring(), said = tone(4);
		one.add({ samples: said.subarray(0, RATE), phrase: "a", last: false });
		play(one, 3); // two seconds of silence
		assert.ok(one.late > 1.5, `late by ${one.late}`);
		one.add({ samples: said.subarray(RATE), phrase: "a", last: true });
		const before = one.read;
		play(one, 2);
		assert.ok((one.read - before) / RATE > 2.1);
	},
	"after a silence it waits for a little more"() {
		const { ring: one } = ring();
		one.add({ samples: tone(0.1), phrase: "a", last: false });
		assert.equal(loud(play(one, 0.2)), 0);
		one.add({ samples: tone(0.1), phrase: "a", last: true });
		assert.ok(loud(play(one, 0.5)) > 0.19);
	},
	"what is cleared is not heard"() {
		const { ring: one } = ring();
		put(one, tone(2), "a");
		one.port.onmessage({ data: { clear: true } });
		assert.equal(loud(play(one, 1)), 0);
	},
};

for (const [name, test] of Object.entries(cases)) {
	test();
	console.log(`ring: ${name}: ok`);
}
