// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Records the sound that a page plays. The script runs in the page before its own scripts. It
// records each node that is connected to the loudspeaker, before the browser mixes or converts the
// sound.
function listen() {
	const played = { rate: 0, blocks: [] };
	const connect = AudioNode.prototype.connect;
	AudioNode.prototype.connect = function (to, ...more) {
		if (to instanceof AudioDestinationNode)
			record(this);
		return connect.call(this, to, ...more);
	};
	async function record(node) {
		await node.context.audioWorklet.addModule(new URL("/recorder.js", location)); // chromium.js serves this file
		const to = new AudioWorkletNode(node.context, "recorder", { numberOfOutputs: 0 });
		to.port.onmessage = ({ data }) => played.blocks.push(data);
		played.rate = node.context.sampleRate;
		connect.call(node, to);
	}
	window.sounds_played = () => sounds(played);
	window.sounds_of = async (track, seconds) => sounds(await heard_of(track, seconds));
	// Returns the pitch of a track's next 6 seconds, or of the last sound that was played.
	window.pitch_of = async track => pitch(track ? await heard_of(track, 6) : { ...played, blocks: played.blocks.slice(-2000) });
	// Decodes a WebRTC track for this number of seconds.
	async function heard_of(track, seconds) {
		const heard = { rate: 0, blocks: [] };
		const reader = new MediaStreamTrackProcessor({ track }).readable.getReader();
		const late = new Promise((_, fail) => setTimeout(fail, seconds * 1000 + 20000, new Error("nothing comes of the track")));
		for (let n = 0; n < seconds * heard.rate || n === 0;) {
			const { value } = await Promise.race([reader.read(), late]);
			const block = new Float32Array(value.numberOfFrames);
			value.copyTo(block, { planeIndex: 0, format: "f32-planar" });
			heard.blocks.push(block);
			heard.rate = value.sampleRate;
			n += block.length;
			value.close();
		}
		reader.cancel();
		return heard;
	}
	// Returns the pitch of a voice in Hz. For each 40 ms the function finds the delay at which
	// the sound is most like itself, and returns the median.
	function pitch({ rate, blocks }) {
		const times = Math.round(rate / 8000), slow = rate / times, all = blocks.flatMap(block => [...block]);
		const few = Array.from({ length: Math.floor(all.length / times) }, (_, i) => all.slice(i * times, (i + 1) * times).reduce((a, b) => a + b, 0) / times);
		const n = Math.round(slow / 25), found = [];
		for (let at = 0; at + 2 * n < few.length; at += n) {
			const product = late => { let sum = 0; for (let i = at; i < at + n; i++) sum += few[i] * few[i + late]; return sum; };
			const power = late => { let sum = 0; for (let i = at; i < at + n; i++) sum += few[i + late] ** 2; return sum; };
			if (power(0) / n < 1e-4)
				continue;
			const like = Array.from({ length: Math.floor(slow / 70) }, (_, late) => late < slow / 400 ? 0 : product(late) / Math.sqrt(power(0) * power(late) + 1e-9));
			const most = Math.max(...like);
			if (most > 0.6)
				found.push(slow / like.findIndex((one, i) => one > 0.9 * most && one >= like[i - 1] && !(one < like[i + 1])));
		}
		return found.sort((a, b) => a - b)[found.length >> 1];
	}
	// Splits a recording into sounds: 20 ms of near silence end a sound.  whole: the sound is
	// not cut off by the beginning or the end of the recording.  hz: from the median time
	// between two upward crossings of zero, because a codec blurs the end of a tone.  step: the
	// largest difference of two samples, divided by that of a sine with this pitch and
	// amplitude.
	const QUIET = 4; // frames
	function sounds(heard) {
		if (heard.rate === 0) // nothing was played yet
			return [];
		const all = heard.blocks.flatMap(block => [...block]);
		const frame = Math.floor(heard.rate / 200);
		const found = [];
		for (let at = 0; at + frame <= all.length; at += frame) {
			const last = found[found.length - 1];
			if (Math.max(...all.slice(at, at + frame).map(Math.abs)) <= 0.01)
				continue;
			if (last && at - last.end < QUIET * frame)
				last.end = at + frame;
			else
				found.push({ at, end: at + frame });
		}
		return found.map(({ at, end }) => {
			const samples = all.slice(at, end);
			let up = null, times = [], step = 0, height = 0;
			for (let i = frame; i < samples.length - frame; i++) { // not where it is cut off
				if (samples[i - 1] < 0 && samples[i] >= 0) {
					const now = i - samples[i] / (samples[i] - samples[i - 1]);
					if (up !== null)
						times.push(now - up);
					up = now;
				}
				step = Math.max(step, Math.abs(samples[i] - samples[i - 1]));
				height = Math.max(height, Math.abs(samples[i]));
			}
			const hz = heard.rate / times.sort((a, b) => a - b)[times.length >> 1];
			return { seconds: samples.length / heard.rate, hz, height,
				whole: at > 0 && end + QUIET * frame <= all.length,
				step: step / (height * 2 * Math.PI * hz / heard.rate) };
		});
	}
}

const recorder = `registerProcessor("recorder", class extends AudioWorkletProcessor {
	process(inputs) {
		if (inputs[0][0])
			this.port.postMessage(inputs[0][0].slice());
		return true;
	}
});`;

module.exports = { recorder, ear: `(${listen})()` };
