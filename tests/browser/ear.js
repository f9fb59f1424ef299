"use strict";
// What a page plays, sample by sample: runs in the page before its own scripts.  Whatever
// is connected to a context's loudspeaker is recorded too, before it is mixed or converted.
function listen() {
	const played = { rate: 0, blocks: [] };
	const connect = AudioNode.prototype.connect;
	AudioNode.prototype.connect = function (to, ...more) {
		if (to instanceof AudioDestinationNode)
			record(this);
		return connect.call(this, to, ...more);
	};
	async function record(node) {
		await node.context.audioWorklet.addModule(new URL("/recorder.js", location)); // see chromium.js
		const to = new AudioWorkletNode(node.context, "recorder", { numberOfOutputs: 0 });
		to.port.onmessage = ({ data }) => played.blocks.push(data);
		played.rate = node.context.sampleRate;
		connect.call(node, to);
	}
	window.sounds_played = () => sounds(played);
	// What arrives by WebRTC, decoded, for so many seconds.
	window.sounds_of = async (track, seconds) => {
		const heard = { rate: 0, blocks: [] };
		const reader = new MediaStreamTrackProcessor({ track }).readable.getReader();
		for (let n = 0; n < seconds * heard.rate || n === 0;) {
			const { value } = await reader.read();
			const block = new Float32Array(value.numberOfFrames);
			value.copyTo(block, { planeIndex: 0, format: "f32-planar" });
			heard.blocks.push(block);
			heard.rate = value.sampleRate;
			n += block.length;
			value.close();
		}
		reader.cancel();
		return sounds(heard);
	};
	// Sounds with silence around them: 20 ms that are all but silent end one.  whole: neither
	// the beginning nor the end of what was heard cuts it off.  hz: of the middle one of
	// the times from one upward crossing of zero to the next, as a codec blurs a tone's end;
	// step: the largest from one sample to the next, of what that of a sine of this
	// pitch and height is.
	const QUIET = 4; // frames
	function sounds(heard) {
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
