// SPDX-License-Identifier: GPL-3.0-or-later
// The worklet that cuts the microphone's sound into pieces of 320 ms, as pcm_s16le. Each has its
// peak and its number of clipped samples.
registerProcessor("pieces", class extends AudioWorkletProcessor {
	constructor() {
		super();
		this.piece = new Int16Array(Math.round(sampleRate * 0.32));
		this.n = 0;
		this.height = 0;
		this.clipped = 0;
	}

	/** @param {Float32Array[][]} inputs */
	process(inputs) {
		for (const x of inputs[0][0] || []) {
			const height = Math.abs(x);
			this.height = Math.max(this.height, height);
			this.clipped += height >= 0.99 ? 1 : 0;
			this.piece[this.n++] = Math.max(-1, Math.min(1, x)) * 32767;
			if (this.n === this.piece.length)
				this.send();
		}
		return true;
	}

	send() {
		this.port.postMessage({ samples: this.piece.slice(), height: this.height, clipped: this.clipped });
		this.n = this.height = this.clipped = 0;
	}
});
