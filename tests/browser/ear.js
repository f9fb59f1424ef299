"use strict";
// What a page plays, sample by sample: runs in the page before its own scripts.  Whatever
// is connected to a context's loudspeaker is recorded too, before it is mixed or converted.
function listen() {
	const recorder = `registerProcessor("recorder", class extends AudioWorkletProcessor {
		process(inputs) {
			if (inputs[0][0])
				this.port.postMessage(inputs[0][0].slice());
			return true;
		}
	});`;
	const played = { rate: 0, blocks: [] };
	const connect = AudioNode.prototype.connect;
	AudioNode.prototype.connect = function (to, ...more) {
		if (to instanceof AudioDestinationNode)
			record(this);
		return connect.call(this, to, ...more);
	};
	async function record(node) {
		const url = URL.createObjectURL(new Blob([recorder], { type: "text/javascript" }));
		await node.context.audioWorklet.addModule(url);
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
	// Sounds with silence around them: 5 ms that are all but silent end one.  whole: neither
	// the beginning nor the end of what was heard cuts it off.  Pitch from
	// the times at which zero is crossed upwards; step: the largest from one sample to the
	// next, of what that of a sine of this pitch and height is.
	const begin = (found, at) => (found.push(Object.assign([], { at })), found[found.length - 1]);
	function sounds(heard) {
		const all = heard.blocks.flatMap(block => [...block]);
		const frame = Math.floor(heard.rate / 200);
		const found = [];
		let sound = null;
		for (let at = 0; at + frame <= all.length; at += frame) {
			const part = all.slice(at, at + frame);
			if (Math.max(...part.map(Math.abs)) > 0.01)
				(sound = sound || begin(found, at)).push(...part);
			else
				sound = null;
		}
		return found.map(samples => {
			const { at } = samples, end = at + samples.length;
			let ups = [], step = 0, height = 0;
			for (let i = frame; i < samples.length - frame; i++) { // not where it is cut off
				if (samples[i - 1] < 0 && samples[i] >= 0)
					ups.push(i - samples[i] / (samples[i] - samples[i - 1]));
				step = Math.max(step, Math.abs(samples[i] - samples[i - 1]));
				height = Math.max(height, Math.abs(samples[i]));
			}
			const hz = (ups.length - 1) / (ups[ups.length - 1] - ups[0]) * heard.rate;
			return { seconds: samples.length / heard.rate, hz, height,
				whole: at > 0 && end + frame <= all.length,
				step: step / (height * 2 * Math.PI * hz / heard.rate) };
		});
	}
}

module.exports = { ear: `(${listen})()` };
